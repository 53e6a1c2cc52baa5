"""Names inside elements: which attributes name other things, and what attaching does to them.

When a subtree is replicated or attached, names get a prefix and a suffix. Elements outside the tree
that refer to it are copied too, as far as what they refer to exists under the new name.
"""

from collections import Counter
from typing import Any

from .element import Element
from .schema import kinds

# sections outside the tree, in the order in which they are copied
SECTIONS = ("contact", "tendon", "equality", "actuator", "sensor", "custom")

# attributes of elements in the tree: always renamed, or only when they come from another model
IN_TREE = {"camera": ("target",), "light": ("target", "texture")}
FOREIGN = {
    "geom": ("material", "hfield", "mesh"), "site": ("material",), "plugin": ("instance",),
}  # fmt: skip

# attributes of elements outside the tree that name something: attribute -> kind
NAMING = {
    "geom1": "geom", "geom2": "geom", "geom": "geom", "body1": "body", "body2": "body",
    "body": "body", "subtree1": "xbody", "subtree2": "xbody", "site1": "site", "site2": "site",
    "site": "site", "sidesite": "site", "refsite": "site", "slidersite": "site",
    "cranksite": "site", "joint1": "joint", "joint2": "joint", "joint": "joint",
    "jointinparent": "joint", "tendon1": "tendon", "tendon2": "tendon", "tendon": "tendon",
    "actuator": "actuator", "camera": "camera", "mesh": "mesh", "flex": "flex",
}  # fmt: skip
TYPED = {"objname": "objtype", "refname": "reftype"}  # names of the kind that another one says
KINDS = {"xbody": "body", "freejoint": "joint"}  # kinds that share the names of another
WORLD = {"body": "world"}  # what joins a thing to nothing else joins it to
PAIR = "contact/pair"  # names two geoms, empty ones if it does not say them
FOLLOWED = ("body", "node")  # attributes of a deformable that name bodies
# kinds whose elements may refer to one renamed thing and to one that is not
PARTIAL = ("contact", "sensor")


class Names:
    """Counts of the names of each kind that are in use.

    Attributes:
        counts: a counter of names by kind.
    """

    def __init__(self):
        self.counts: dict[str, Counter] = {}

    def add(self, kind: str, name: str, count: int = 1) -> None:
        """Count a name, or forget it with -1."""
        if name:
            kind = KINDS.get(kind, kind)
            if kind not in self.counts:
                self.counts[kind] = Counter()
            self.counts[kind][name] += count

    def add_all(self, element: Element, count: int = 1) -> None:
        """Count the names of an element and of those inside it."""
        for part in element.walk():
            self.add(part.tag, part.values.get("name", ""), count)

    def __contains__(self, item: tuple[str, str]) -> bool:
        kind, name = item
        counts = self.counts.get(KINDS.get(kind, kind))
        return counts is not None and counts.get(name, 0) > 0


class Renaming:
    """New names of copied things: a prefix before, a suffix behind.

    Attributes:
        prefix, suffix: what old names get.
        classes: new names of default classes, by old ones.
    """

    def __init__(self, prefix: str = "", suffix: str = ""):
        self.prefix, self.suffix = prefix, suffix
        self.classes: dict[str, str] = {}

    def __call__(self, name: str) -> str:
        return self.prefix + name + self.suffix

    def name_class(self, name: str, taken: set[str]) -> None:
        """Choose the new name of a default class, different from those in use."""
        new = self(name)
        while new in taken:
            new += "_"
        taken.add(new)
        self.classes[name] = new

    def of_class(self, name: str) -> str:
        """New name of a default class; an unknown one keeps its name, for a message."""
        return self.classes.get(name, name)


def kind_of(element: Element) -> str:
    """Kind whose names an element outside the tree shares."""
    section = element.kind.path.partition("/")[0]
    return section if section in ("tendon", "actuator", "sensor", "equality") else element.tag


def naming(element: Element) -> dict[str, str]:
    """Attributes of an element outside the tree that name something, with the kind of it."""
    found: dict[str, str] = (
        dict.fromkeys(("geom1", "geom2"), "geom") if element.kind.path == PAIR else {}
    )
    for name in element.values:
        if name in NAMING:
            found[name] = NAMING[name]
        elif name in TYPED and TYPED[name] in element.values:
            found[name] = element.values[TYPED[name]]
    return found


def refers(element: Element) -> bool:
    """True if an element outside the tree, or what is inside it, names something."""
    return bool(naming(element)) or any(refers(child) for child in element.children)


def joins_itself(element: Element) -> bool:
    """True if an equality constraint has the same thing, or the world, at both ends."""
    kind, values = element.tag, element.values
    if kind in ("connect", "weld"):
        kind = "site" if "site1" in values else "body"
    first = values.get(f"{kind}1")
    return first is not None and first == (values.get(f"{kind}2") or WORLD.get(kind))


def resolves(element: Element, names: Names) -> bool:
    """True if everything exists that an element outside the tree refers to."""
    if element.kind.path.startswith("equality/") and joins_itself(element):
        return False
    inner = all(resolves(child, names) for child in element.children)
    values = element.values
    return inner and all(
        (kind, values.get(name, "")) in names for name, kind in naming(element).items()
    )


def renamed(element: Element, names: Names, rename: Renaming) -> Element | None:
    """A copy of an element outside the tree that refers to renamed things.

    Args:
        element: an element of one of `SECTIONS`.
        names: what exists, renamed things included.
        rename: gives the new names.

    Returns:
        The copy; None where it would refer to something that does not exist.
    """
    # a copy under its new name
    section = element.kind.path.partition("/")[0]
    copy = element.like()
    if name := copy.values.get("name"):
        copy.values["name"] = rename(name)
    # parts with lists of references have rules of their own
    if section == "deformable":
        return _flex(copy, element, names, rename)
    if section == "tendon":
        return _tendon(copy, element, names, rename)
    # the others: each attribute that refers is renamed, and the target has to exist
    attributes = naming(element)
    new = {name: rename(element.values.get(name, "")) for name in attributes}
    missing = [name for name, kind in attributes.items() if (kind, new[name]) not in names]
    # some sections may refer to one thing that was not copied
    if missing and section in PARTIAL and len(missing) < len(attributes):
        for name in missing:
            new[name] = element.values.get(name, "")
        missing = [name for name in missing if (attributes[name], new[name]) not in names]
    if missing:
        return None
    copy.values |= new
    if section == "equality" and joins_itself(copy):
        return None
    # children refer too
    for child in element.children:
        inner = renamed(child, names, rename)
        if inner is None:
            return None
        copy.children.append(inner)
    return copy


def _flex(copy: Element, element: Element, names: Names, rename: Any) -> Element | None:
    """A deformable whose bodies are all renamed."""
    for name in FOLLOWED:
        if name in element.values:
            copy.values[name] = tuple(map(rename, element.values[name]))
            if not all(("body", body) in names for body in set(copy.values[name])):
                return None
    copy.children = [child.like() for child in element.children]
    return copy


def _tendon(copy: Element, element: Element, names: Names, rename: Any) -> Element | None:
    """A tendon may run over renamed things and others, if at least one is renamed."""
    found = 0
    for part in element.children:
        attributes = naming(part)
        new = {name: rename(part.values[name]) for name in attributes}
        exists = all((kind, new[name]) in names for name, kind in attributes.items())
        copy.children.append(part.like(None, **new) if exists else part.like())
        found += bool(exists and attributes)
        if not exists and not resolves(part, names):
            return None
    return copy if found else None


def rename_tree(element: Element, rename: Renaming, foreign: bool, copies: Any) -> Element:
    """A copy of an element of the tree, with everything inside it, under new names.

    Args:
        element: a body, frame or what is inside them.
        rename: gives the new names.
        foreign: it comes from another model, so assets and classes are renamed too.
        copies: dict to which every copy is added, by the `id` of its original.
    """

    def renamed(part: Element) -> Element:
        copy = copies[id(part)] = part.like()
        attributes = ["name", *IN_TREE.get(part.tag, ())]
        if foreign:
            attributes += FOREIGN.get(part.tag, ())
        _rename(copy, attributes, rename)
        if foreign:
            rename_class(copy, rename)
        return copy

    return element.rewritten(renamed)


def rename_class(element: Element, rename: Renaming) -> None:
    """Rename the default classes that an element names."""
    _rename(element, ("class", "childclass"), rename.of_class)


def rename_default(element: Element, rename: Renaming) -> Element:
    """A copy of a default class of another model, with those inside it, under new names.

    Old names stay in values that no attribute says, see `as_given`.
    """

    def renamed(part: Element) -> Element:
        copy = part.like()
        rename_class(copy, rename)
        attributes = ("texture", *IN_TREE.get(copy.tag, ()), *FOREIGN.get(copy.tag, ()))
        for name in attributes:
            if name in copy.values:
                copy.values.setdefault(as_given(name), copy.values[name])
        _rename(copy, dict.fromkeys(attributes), rename)
        return copy

    return element.rewritten(renamed)


def as_given(name: str) -> str:
    """Key of the value that an attribute of a default class had before it was renamed."""
    return f"{name} as given"


def rename_asset(element: Element, rename: Renaming) -> Element:
    """A copy of an asset of another model, with what it refers to, under new names."""
    copy = element.copy()
    if not copy.values.get("name") and "file" in copy.values:
        copy.values["name"] = stem(copy.values["file"])
    rename_class(copy, rename)
    _rename(copy, ("name", "texture", "material"), rename)
    for inner in copy.children:
        _rename(inner, ("texture", "instance"), rename)
    return copy


def rename_skin(element: Element, names: Names, rename: Renaming) -> Element | None:
    """A copy of a skin of another model that renamed bodies move; None where one is missing.

    It keeps its own name and that of its material, as MuJoCo's does.
    """
    copy = element.like(kinds()["deformable/skin"], **element.values)
    for bone in element.children:
        body = rename(bone.values["body"])
        if ("body", body) not in names:
            return None
        copy.children.append(
            bone.like(kinds()["deformable/skin/bone"], **bone.values | {"body": body})
        )
    return copy


def rename_look(element: Element, rename: Renaming) -> None:
    """Rename the material that a deformable of another model names."""
    if element.kind.path == "deformable/flex":
        _rename(element, ("material",), rename)


def rename_instance(element: Element, rename: Renaming) -> None:
    """Rename the plugin instance that an actuator or sensor of another model names."""
    if element.tag == "plugin":
        _rename(element, ("instance",), rename)


def _rename(element: Element, attributes: Any, rename: Any) -> None:
    for name in attributes:
        if old := element.values.get(name):
            element.values[name] = rename(old)


def stem(file: str) -> str:
    """Name that an asset has from its file: without folders and extension."""
    last = file.replace("\\", "/").rpartition("/")[2]
    return last.rpartition(".")[0] if "." in last else last
