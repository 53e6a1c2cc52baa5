"""Random changes of a specification, the same in MuJoCo and here, before it is compiled."""

import xml.etree.ElementTree as ET
from collections.abc import Callable
from typing import NamedTuple

import mujoco

from tests.fuzzing.draw import Draw


class Change(NamedTuple):
    """A change.

    Attributes:
        name: what it does.
        kind, of: the element that it changes.
        theirs: makes it in a mujoco.MjSpec, given the element.
        ours: makes it in a mjenv.Spec, given the element.
    """

    name: str
    kind: str
    of: str
    theirs: Callable
    ours: Callable


def three(low: float, high: float):
    return lambda d: [d.uniform(low, high) for _ in range(3)]


# element and attribute: new values
VALUES: dict[tuple[str, str], Callable[[Draw], object]] = {
    ("body", "pos"): three(-0.5, 0.5), ("body", "gravcomp"): lambda d: d.uniform(0, 1.5),
    ("geom", "pos"): three(-0.2, 0.2), ("geom", "density"): lambda d: d.spread(100, 5000),
    ("geom", "friction"): three(0.1, 1), ("geom", "margin"): lambda d: d.spread(0.001, 0.05),
    ("geom", "contype"): lambda d: d.randint(0, 3), ("joint", "damping"): three(0, 1),
    ("geom", "condim"): lambda d: d.among(1, 3, 4, 6), ("joint", "stiffness"): three(0, 10),
    ("joint", "armature"): lambda d: d.spread(0.001, 0.5), ("joint", "axis"): three(0.1, 1),
    ("joint", "frictionloss"): lambda d: d.spread(0.01, 1), ("joint", "pos"): three(-0.2, 0.2),
    ("site", "pos"): three(-0.3, 0.3),
}  # fmt: skip
REMOVED = ("sensor", "actuator", "equality", "tendon", "geom", "site", "body", "key")
SECTIONS = {"sensor": "sensor", "actuator": "actuator", "equality": "equality", "tendon": "tendon"}


def random_changes(d: Draw, root: ET.Element) -> list[Change]:
    """Some changes of elements that have names."""
    names = names_of(root)
    # MuJoCo stops at keyframes that are too short before it removes something
    makers = [value, value, value, remove, *([] if names["key"] else [add_body])]
    changes = [d.choice(makers)(d, names) for _ in range(d.randint(1, 4))]
    # what refers to a body goes at once in MuJoCo, and here when the rest is compiled
    made = [change for change in changes if change is not None]
    return sorted(made, key=lambda change: change.name == "remove body")[: 1 + len(changes) // 2]


def names_of(root: ET.Element) -> dict[str, list[str]]:
    """Names of elements by kind, outside of what is copied; "values": those of all attributes."""
    found: dict[str, list[str]] = {kind: [] for kind in (*REMOVED, "joint")}
    found["values"] = [value for element in root.iter() for value in element.attrib.values()]
    pending = [(root, "")]
    while pending:
        element, section = pending.pop()
        for child in element:
            if child.tag in ("replicate", "default"):
                continue
            kind = section or child.tag
            if child.get("name") and kind in found:
                found[kind].append(child.get("name"))
            inside = SECTIONS.get(child.tag, "") if element is root else ""
            if not section:
                pending.append((child, inside))
    return found


def value(d: Draw, names) -> Change | None:
    """Another value of an attribute."""
    kind, attribute = d.choice([*VALUES])
    new = VALUES[kind, attribute](d)
    if not names[kind]:
        return None
    name = d.choice(names[kind])
    return Change(
        f"{kind}.{attribute}", kind, name,
        lambda spec, element: setattr(element, attribute, new),
        lambda spec, element: setattr(element, attribute, new),
    )  # fmt: skip


def remove(d: Draw, names) -> Change | None:
    """An element goes: a body with what refers to it, another one that nothing refers to."""
    kind = d.choice(REMOVED)
    if kind == "actuator" and names["key"]:
        return None  # MuJoCo keeps its controls
    able = [name for name in names[kind] if kind == "body" or names["values"].count(name) == 1]
    if not able:
        return None
    name = d.choice(able)
    return Change(
        f"remove {kind}", kind, name,
        lambda spec, element: spec.delete(element),
        lambda spec, element: element.remove(),
    )  # fmt: skip


def add_body(d: Draw, names) -> Change | None:
    """A body with a joint, a geom and a site, in the world or in another body."""
    parent = d.choice(["world", *names["body"]])
    pos, size, axis = three(-0.5, 0.5)(d), [d.spread(0.03, 0.2)] * 3, three(0.1, 1)(d)
    name = f"new{d.randrange(1 << 30)}"

    def add(parent, hinge, box) -> None:
        body = parent.add_body(name=name, pos=pos)
        body.add_joint(name=f"{name} joint", axis=axis, type=hinge)
        body.add_geom(name=f"{name} geom", size=size, type=box)
        body.add_site(name=f"{name} site", pos=pos)

    hinge, box = mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtGeom.mjGEOM_BOX
    return Change(
        "add body", "body", parent,
        lambda spec, element: add(element, hinge, box),
        lambda spec, element: add(element, "hinge", "box"),
    )  # fmt: skip


def change_theirs(spec: mujoco.MjSpec, changes: list[Change]) -> list[bool]:
    """Make changes in MuJoCo's specification; of each, whether its element was still there."""
    found = []
    for change in changes:
        element = getattr(spec, change.kind)(change.of)
        found.append(element is not None)
        if element is not None:
            change.theirs(spec, element)
    return found


def change_ours(spec, changes: list[Change]) -> list[bool]:
    """Make changes in a mjenv.Spec; of each, whether its element was still there."""
    found = []
    for change in changes:
        try:
            element = spec.find(change.kind, change.of)
        except KeyError:
            found.append(False)
            continue
        found.append(True)
        change.ours(spec, element)
    return found
