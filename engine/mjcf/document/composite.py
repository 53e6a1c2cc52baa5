"""Cables: `<composite>` written out as a chain of bodies, with its skin.

Documentation of MuJoCo, XML reference, body/composite. Vertices of the curve are of single
precision, as MuJoCo keeps them.
"""

from math import atan2, cos, pi, sin
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..geometry.pose import (
    IDENTITY,
    ZERO,
    conjugate,
    cross,
    dot,
    from_axes,
    half_turn,
    multiply,
    normalize,
    rotate,
)
from ..text.budget import check_bytes
from ..text.element import Element
from ..text.schema import kinds
from .cable_skin import cable_skin

if TYPE_CHECKING:
    from .assembly import Assembly

PLUGIN = "mujoco.elasticity.cable"
PAIR_BYTES = 8  # that a model has at least for each pair of dofs of a cable, D_colind and mapM2D
SHAPES = ("capsule", "cylinder", "box")
INSTEAD = {  # types that MuJoCo has no more, and what it advises
    "particle": "<replicate>", "grid": "<flexcomp>", "rope": "type='cable'",
    "loop": "<flexcomp>", "cloth": "<flexcomp>",
}  # fmt: skip


class Cable(NamedTuple):
    """Settings of a composite, read and checked.

    Attributes:
        element: the composite.
        values: its attributes, with defaults.
        parts: attributes of its geoms, joints, sites and skin, with defaults.
        points: (n, 3) vertices of the curve, in single precision.
        plugin: element that names the plugin of its bodies, None without.
        instance: name of the instance of this plugin.
    """

    element: Element
    values: dict
    parts: dict[str, dict]
    points: np.ndarray
    plugin: Element | None
    instance: str


def write_cable(assembly: "Assembly", element: Element, parent: Element) -> None:
    """Write out a composite inside a body or frame, and what belongs to it in other sections."""
    cable = read_cable(element)
    prefix = cable.values["prefix"]
    if cable.plugin is not None and "instance" not in cable.plugin.values:
        _declare(assembly, cable)
    text = element.like(kinds()["custom/text"], name=f"composite_{prefix}", data=f"rope_{prefix}")
    assembly.section("custom").children.append(text)
    for body in _bodies(assembly, cable):
        assembly.names.add_all(body)
        parent.children.append(body)
        parent = body
    if cable.parts["geom"]["type"] == "box":
        skin = cable_skin(cable)
        assembly.section("deformable").children.append(skin)


def read_cable(element: Element) -> Cable:
    """Read and check a composite."""
    values = element.kind.defaults | element.values
    values.setdefault("prefix", "")
    # other types were removed from MJCF; the message says what to use
    if values["type"] != "cable":
        raise element.error(
            f"type='{values['type']}': removed from MJCF; use {INSTEAD[values['type']]} instead"
        )
    # settings of the parts that each body gets, with the schema's defaults
    inner: dict[str, dict] = {}
    for tag in ("joint", "geom", "site", "skin"):
        kind = kinds()[f"body/composite/{tag}"]
        given = [child for child in element.children if child.tag == tag]
        if tag == "joint" and len(given) > 1:
            raise given[1].error("expected one joint; all joints of a cable are alike")
        inner[tag] = dict(kind.defaults)
        for name, value in given[0].values.items() if given else ():
            # a shorter list keeps the rest of the schema's, not that of a default class
            before = inner[tag].get(name)
            if isinstance(value, tuple) and isinstance(before, tuple):
                value += before[len(value) :]
            inner[tag][name] = value
    # ranges that the schema does not check
    points = _points(element, values)
    if inner["geom"]["type"] not in SHAPES:
        raise element.error(
            f"geom: type='{inner['geom']['type']}': expected one of {', '.join(SHAPES)}"
        )
    if not 0 <= inner["skin"]["group"] < 6:
        raise element.error(f"skin: group='{inner['skin']['group']}': expected 0 to 5")
    if inner["skin"]["subgrid"] > 0 and len(points) < 3 and inner["geom"]["type"] == "box":
        raise element.error("skin: subgrid: expected three or more points of the cable")
    # the plugin of cables, and the instance that all bodies share
    plugin = next((child for child in element.children if child.tag == "plugin"), None)
    instance = ""
    if plugin is not None:
        if plugin.values.get("plugin") != PLUGIN:
            raise plugin.error(f"expected plugin='{PLUGIN}', the one for cables")
        instance = plugin.values.get("instance", "composite" + values["prefix"])
    return Cable(element, values, inner, points, plugin, instance)


def _points(element: Element, values: dict) -> np.ndarray:
    """Vertices of the curve, given ones or those of a formula."""
    count = (*values["count"], 1, 1)[:3]
    size = (*values["size"], 0.0, 0.0)[:3]
    given = values.get("vertex") or ()
    # the points are given, or there is a formula for them
    if min(count) < 1:
        raise element.error(f"count='{' '.join(map(str, count))}': expected positive numbers")
    if not given and dot(size, size) < 1e-15:
        raise element.error("size: expected a positive length, or vertices")
    if given:
        if count[0] > 1:
            raise element.error("vertex and count: expected one of them, found both")
        if len(given) % 3:
            raise element.error(f"vertex: expected a multiple of 3 numbers, found {len(given)}")
        count = (len(given) // 3, 1, count[2])
    # cables are lines: other lattices are no longer there
    if count[0] < 2 or count[1] > 1 or count[2] > 1:
        raise element.error(
            f"count='{' '.join(map(str, count))}': expected two or more points in one line"
        )
    # each body turns with all that come before and after it: pairs of their dofs are listed
    check_bytes(element, PAIR_BYTES * (3 * count[0]) ** 2, f"a cable of {count[0]} points")
    if given:
        return np.array(given, np.float32).reshape(-1, 3)
    # points of the formula: each coordinate is 0, s, sin(s) or cos(s) of the length
    curve = (*values["curve"], "0", "0", "0")[:3]
    quat = tuple(values["quat"])  # as it is, as in MuJoCo
    rows = []
    for k in range(count[0]):
        angle = pi * k * size[2] / (count[0] - 1)
        along = {"s": k * size[0] / (count[0] - 1), "cos(s)": size[1] * cos(angle)}
        along |= {"sin(s)": size[1] * sin(angle), "0": 0.0}
        rows.append(rotate(tuple(along[word] for word in curve), quat))
    return np.array(rows, np.float32)


def _declare(assembly: "Assembly", cable: Cable) -> None:
    """Add the plugin instance that the bodies share."""
    assert cable.plugin is not None
    declaration = cable.plugin.like(kinds()["extension/plugin"], plugin=PLUGIN)
    instance = cable.plugin.like(kinds()["extension/plugin/instance"], name=cable.instance)
    assembly.ranks.give(instance)
    config = kinds()["extension/plugin/instance/config"]
    instance.children = [child.like(config, **child.values) for child in cable.plugin.children]
    declaration.children = [instance]
    section = assembly.section("extension")
    if not any(child.values.get("plugin") == PLUGIN for child in _declared(assembly)):
        raise cable.plugin.error(f"plugin='{PLUGIN}': expected it to be declared in <extension>")
    section.children.append(declaration)


def _declared(assembly: "Assembly") -> list[Element]:
    return [e for section in assembly.sections("extension") for e in section.children]


def _bodies(assembly: "Assembly", cable: Cable):
    """The bodies of a cable, from its first end to its last."""
    element, prefix, points = cable.element, cable.values["prefix"], cable.points
    last = len(points) - 2
    edges = points[1:] - points[:-1]  # in single precision
    normal, before, length = (0.0, 1.0, 0.0), IDENTITY, 0.0
    contact = assembly.section("contact")
    for k in range(last + 1):
        edge = tuple(map(float, edges[k]))
        quat, normal = _frame(edges, k, normal)
        name = _name(prefix, "B", k, last)
        if k == 0:
            start = map(float, points[0])
            pos = tuple(a + b for a, b in zip(cable.values["offset"], start, strict=True))
            pose = {"pos": pos, "quat": quat}
        else:
            _, length = normalize(tuple(map(float, edges[k - 1])))
            pose = {"pos": (length, 0.0, 0.0), "quat": multiply(conjugate(before), quat)}
        body = element.like(kinds()["body"], name=name, **pose)
        if k == 0 and assembly.sections("default"):
            body.values["childclass"] = "main"
        body.children = _inside(assembly, cable, k, last, dot(edge, edge) ** 0.5)
        before = quat
        if k < last:
            # as MuJoCo names the next one, which a cable of two bodies does not have
            following = f"{prefix}B_last" if k == last - 1 and k else f"{prefix}B_{k + 1}"
            exclude = element.like(kinds()["contact/exclude"], body1=name, body2=following)
            contact.children.append(exclude)
        yield body


def _name(prefix: str, letter: str, k: int, last: int) -> str:
    """Name of something of body k."""
    end = "first" if k == 0 else "last" if k == last else str(k)
    return f"{prefix}{letter}_{end}"


def _frame(edges: np.ndarray, k: int, normal: tuple) -> tuple[tuple, tuple]:
    """Orientation of edge k, and its normal, carried along from the edge before it."""
    tangent = normalize(tuple(map(float, edges[k])))[0]
    if k == 0:
        following = tuple(map(float, edges[1])) if len(edges) > 1 else ZERO
        binormal = normalize(cross(tangent, normalize(following)[0]))[0]
        normal = normalize(cross(binormal, tangent))[0]
    else:
        previous = normalize(tuple(map(float, edges[k - 1])))[0]
        binormal, sine = normalize(cross(previous, tangent))
        c, s = half_turn(atan2(sine, dot(previous, tangent)))
        turn = IDENTITY if sine == 0 else (c, *(s * x for x in binormal))
        normal = normalize(rotate(normal, turn))[0]
        binormal = normalize(cross(tangent, normal))[0]
    return from_axes(tangent, normal, binormal), normal


def _inside(assembly: "Assembly", cable: Cable, k: int, last: int, length: float) -> list[Element]:
    """Contents of body k: its geom, plugin, joint and, at the ends of the cable, site."""
    element, prefix, parts = cable.element, cable.values["prefix"], cable.parts
    found = []
    # geom along the edge
    geom: dict = parts["geom"] | {"name": f"{prefix}G{k}"}
    if geom["type"] == "box":
        geom["pos"] = (length / 2, 0.0, 0.0)
        geom["size"] = (length / 2, *(*geom["size"], 0.0, 0.0)[1:3])
    else:
        geom["fromto"] = (0.0, 0.0, 0.0, length, 0.0, 0.0)
    found.append(_part(assembly, element, "geom", geom))
    # plugin
    if cable.plugin is not None:
        named = {"plugin": PLUGIN, "instance": cable.instance}
        found.append(cable.plugin.like(kinds()["body/plugin"], **named))
    # joint
    if k > 0 or cable.values["initial"] != "none":
        joint = {n: v for n, v in parts["joint"].items() if n in kinds()["body/joint"].attributes}
        free = k == 0 and cable.values["initial"] == "free"
        joint |= {"type": "free" if free else "ball", "name": _name(prefix, "J", k, last)}
        if free:
            joint |= {"damping": (0.0, 0.0, 0.0), "armature": 0.0, "frictionloss": 0.0}
        for name in ("stiffness", "damping"):
            if isinstance(joint[name], float):
                joint[name] = (joint[name], 0.0, 0.0)
        found.append(_part(assembly, element, "joint", joint))
    # site at the end
    if k in (0, last):
        pos = (length if k == last else 0.0, 0.0, 0.0)
        site = dict(parts["site"], name=_name(prefix, "S", k, last), pos=pos)
        found.append(_part(assembly, element, "site", site))
    return found


def _part(assembly: "Assembly", element: Element, tag: str, values: dict) -> Element:
    """A part that has just these values, whatever default classes say."""
    kind = kinds()[f"body/{tag}"]
    if not assembly.sections("default"):
        values = {name: v for name, v in values.items() if kind.defaults.get(name) != v}
    else:
        # what has no default is no longer said by a class
        unset = dict.fromkeys(("material", "mass", "fromto", "mesh", "hfield"))
        unset |= {"user": (), "euler": (0.0, 0.0, 0.0)}
        values = {n: v for n, v in kind.defaults.items() if n != "quat"} | unset | values
        values = {name: v for name, v in values.items() if name in kind.attributes}
        if values.get("fromto"):
            del values["euler"]
    return element.like(kind, **values)
