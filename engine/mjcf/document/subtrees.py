"""Questions about trees of elements."""

from ..text.element import Element
from ..text.schema import kinds


def is_named_by_file(asset: Element) -> bool:
    """True if an asset has the name of its file."""
    return not asset.values.get("name") and bool(asset.values.get("file"))


def elements_named(element: Element, tag: str):
    """All elements of a name inside an element."""
    return (part for part in element.inside() if part.tag == tag)


def holds_bodies(element: Element) -> bool:
    """True if there may be bodies inside an element."""
    return element.tag in ("worldbody", "body", "frame")


def size_of(element: Element) -> int:
    """Number of elements of a tree."""
    return sum(1 for _ in element.walk())


def inside_bodies(elements: list[Element]) -> set[int]:
    """`id` of bodies, and of the elements that stand in them."""
    found: set[int] = set()
    for element in elements:
        for part in element.walk(lambda part: part.tag != "body"):
            if part.tag == "body":
                found.update(map(id, part.walk()))
    return found


def nested_classes(section: Element) -> list[str]:
    """Names of the default classes inside one."""
    return [inner.values.get("class", "") for inner in elements_named(section, "default")]


def set_class(element: Element, main: str) -> None:
    """Name the class that an element had without saying it."""
    if "class" in element.kind.attributes:
        element.values.setdefault("class", main)


def is_last(element: Element, around: Element) -> bool:
    """True if there are nothing but empty frames behind an element."""
    siblings = around.children
    place = next(k for k, child in enumerate(siblings) if child is element)
    return all(is_empty(child) for child in siblings[place + 1 :])


def is_empty(element: Element) -> bool:
    """True if an element is a frame around nothing."""
    return all(part.tag == "frame" for part in element.walk())


def world_of(root: Element) -> Element:
    """The world of a document, made if it has none."""
    for section in root.children:
        if section.tag == "worldbody":
            return section
    world = Element(kinds()["body"], "worldbody", root.file, root.line, root.document)
    root.children.append(world)
    return world
