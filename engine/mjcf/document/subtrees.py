"""What trees of elements hold."""

from ..text.element import Element
from ..text.schema import kinds


def is_named_by_file(asset: Element) -> bool:
    """Whether an asset has the name of its file."""
    return not asset.values.get("name") and bool(asset.values.get("file"))


def elements_named(element: Element, tag: str):
    """All elements of a name inside an element."""
    for child in element.children:
        if child.tag == tag:
            yield child
        yield from elements_named(child, tag)


def size_of(element: Element) -> int:
    """Number of elements of a tree."""
    return 1 + sum(map(size_of, element.children))


def inside_bodies(elements: list[Element]) -> set[int]:
    """`id` of bodies, and of the elements that stand in them."""
    found: set[int] = set()
    for child in elements:
        if child.tag == "body":
            found |= {id(child)} | ids(child)
        else:
            found |= inside_bodies(child.children)
    return found


def ids(element: Element) -> set[int]:
    """`id` of the elements inside one."""
    found = {id(child) for child in element.children}
    return found.union(*map(ids, element.children))


def nested_classes(section: Element) -> list[str]:
    """Names of the default classes inside one."""
    inner = [child for child in section.children if child.tag == "default"]
    return [n for c in inner for n in (c.values.get("class", ""), *nested_classes(c))]


def set_class(element: Element, main: str) -> None:
    """Name the class that an element had without saying it."""
    if "class" in element.kind.attributes:
        element.values.setdefault("class", main)


def is_last(element: Element, around: Element) -> bool:
    """Whether there are nothing but empty frames behind an element."""
    siblings = around.children
    place = next(k for k, child in enumerate(siblings) if child is element)
    return all(is_empty(child) for child in siblings[place + 1 :])


def is_empty(element: Element) -> bool:
    """Whether an element is a frame around nothing."""
    return element.tag == "frame" and all(map(is_empty, element.children))


def world_of(root: Element) -> Element:
    """The world of a document, made if it has none."""
    for section in root.children:
        if section.tag == "worldbody":
            return section
    world = Element(kinds()["body"], "worldbody", root.file, root.line, root.document)
    root.children.append(world)
    return world
