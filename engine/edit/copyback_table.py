"""The table of numbers that `copy_back` writes: where they stand in a model and in a document."""

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from math import pi
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..mjcf.document.copied_settings import SETTINGS
from ..mjcf.document.undo import Edits
from ..mjcf.draft.draft import Part
from ..mjcf.draft.orientation import ALTERNATIVES
from ..mjcf.geometry.pose import IDENTITY, ZERO, compose, conjugate, invert, rotate
from ..mjcf.parts.tree import frame_pose, set_orientation
from ..mjcf.text.element import Element
from ..mjcf.text.schema import kinds

if TYPE_CHECKING:
    from ..mjcf.draft.draft import Body, Draft

GROUPS = ("option", "statistic", "visual")
ORIENTATIONS = ("quat", *ALTERNATIVES)
FLAGS = {
    "range": ("limited", "is_limited"),
    "actuatorfrcrange": ("actuatorfrclimited", "is_actfrclimited"),
    "ctrlrange": ("ctrllimited", "is_ctrllimited"),
    "forcerange": ("forcelimited", "is_forcelimited"),
    "actrange": ("actlimited", "is_actlimited"),
}


class Row(NamedTuple):
    """Numbers that are written together.

    Attributes:
        fields: arrays of the model, their entries of a part one after the other.
        attribute: where they are written, for the plain ones.
        value: the numbers of a part, from the arrays of a model.
        write: writes them into the elements.
    """

    fields: tuple[str, ...]
    attribute: str
    value: Callable[[Any, Any], np.ndarray]
    write: Callable[..., None]


# kind: prefix of the fields, fields; `fields=attribute` where the names differ, with + between
# those that one attribute has
PLAIN = {
    "body": ("body", "gravcomp user"),
    "joint": (
        "jnt",
        "stiffness+stiffnesspoly=stiffness solref=solreflimit solimp=solimplimit margin user",
    ),
    "geom": ("geom", "size friction solmix solref solimp margin gap rgba user"),
    "site": ("site", "size rgba user"),
    "camera": ("cam", "fovy ipd resolution sensorsize user"),
    "light": (
        "light",
        "bulbradius intensity range attenuation cutoff exponent ambient diffuse specular",
    ),
    "material": (
        "mat",
        "texrepeat emission specular shininess reflectance metallic roughness rgba",
    ),
    "hfield": ("hfield", "size"),
    "pair": ("pair", "solref solreffriction solimp margin gap friction"),
    "equality": ("eq", "solref solimp"),
    "tendon": (
        "tendon",
        "solref_lim=solreflimit solimp_lim=solimplimit solref_fri=solreffriction"
        " solimp_fri=solimpfriction width margin stiffness+stiffnesspoly=stiffness"
        " damping+dampingpoly=damping armature frictionloss lengthspring=springlength rgba user",
    ),
    "actuator": (
        "actuator",
        "gear cranklength dynprm gainprm biasprm lengthrange damping+dampingpoly=damping armature"
        " user",
    ),
    "sensor": ("sensor", "cutoff noise user"),
    "key": ("key", "time qpos qvel act mpos mquat ctrl"),
}
RANGES = {
    "joint": ("jnt", "range actfrcrange=actuatorfrcrange"),
    "tendon": ("tendon", "range actfrcrange=actuatorfrcrange"),
    "actuator": ("actuator", "ctrlrange forcerange actrange"),
}
DOFS = (
    "solref=solreffriction solimp=solimpfriction frictionloss armature damping+dampingpoly=damping"
)


@cache
def rows() -> tuple[tuple[str, Row], ...]:
    """All rows of the table, with the kind of part that each one is of."""
    table: list[tuple[str, Row]] = list(SPECIAL)
    for columns, write in ((PLAIN, _plain), (RANGES, _range)):
        for kind, (prefix, text) in columns.items():
            table += [(kind, Row(f, name, _entries(f), write)) for f, name in _named(prefix, text)]
    table += [("joint", Row(f, name, _of_dofs(f), _dofs)) for f, name in _named("dof", DOFS)]
    table += [(group, Row((name,), name, value, write)) for group, name, value, write in SETTINGS]
    return tuple(table)


def _named(prefix: str, text: str) -> Iterator[tuple[tuple[str, ...], str]]:
    for column in text.split():
        fields, _, name = column.partition("=")
        yield tuple(f"{prefix}_{f}" for f in fields.split("+")), name or fields


def _entries(fields: tuple[str, ...]):
    """Entries of a part in these arrays."""
    return lambda arrays, part: np.concatenate([np.ravel(arrays[f][part.id]) for f in fields])


def _slice(field: str, adr: str, *sizes: str):
    """Entries of a part in an array of all parts."""

    def value(arrays: Mapping[str, Any], part: Part):
        start = arrays[adr][part.id]
        return arrays[field][start : start + np.prod([arrays[n][part.id] for n in sizes])]

    return value


def _of_dofs(fields: tuple[str, ...]):
    """Entries of a joint's degrees of freedom in these arrays, (nv, n)."""

    def value(arrays: Mapping[str, Any], part: Part):
        start = arrays["jnt_dofadr"][part.id]
        here = slice(start, start + {"free": 6, "ball": 3}.get(part["type"], 1))
        return np.column_stack([arrays[f][here] for f in fields])

    return value


# writers


def _plain(edits: Edits, draft: "Draft", part: Part, row: Row, value: Any) -> None:
    element, name = part.element, row.attribute
    if name not in element.kind.attributes and part in draft.parts["actuator"]:
        _generalize(edits, draft, element)
    if element is edits.root:
        raise element.error(f"copy_back: {row.fields[0]}: expected a <key> for it, found only nkey")
    if name == "size" and part.values.get("fromto") is not None:
        _pose(edits, draft, part, row, np.array((*part["pos"], *part["quat"])))
    edits.set(element, name, value)
    if name in ("stiffness", "damping") and any(part.values.get("springdamper", ())):
        edits.set(element, "springdamper", (0.0, 0.0))


def _range(edits: Edits, draft: "Draft", part: Part, row: Row, value: Any) -> None:
    flag, active = FLAGS[row.attribute]
    turning = part.values.get("type") in ("hinge", "ball")
    if row.attribute == "range" and turning and part["is_limited"] and part.settings["degree"]:
        value = value * (180 / pi)
    _plain(edits, draft, part, row, value)
    if flag in part.element.kind.attributes and part.values.get(flag) == "auto":
        edits.word(part.element, flag, "true" if part.values[active] else "false")


def _dofs(edits: Edits, draft: "Draft", part: Part, row: Row, value: Any) -> None:
    if (value != value[0]).any():
        raise part.error(f"copy_back: {row.fields[0]}: expected the same in all dofs of a joint")
    _plain(edits, draft, part, row, value[0])


def _generalize(edits: Edits, draft: "Draft", element: Element) -> None:
    """Write an actuator of another kind as <general>."""
    values = draft.defaults.values(element, "actuator")
    edits.keep(element)
    element.kind = kinds()["actuator/general"]
    element.tag = element.kind.tag
    inherited, given = draft.defaults.records[element.values.get("class", "main")], element.values
    element.values = {
        name: value
        for name, value in values.items()
        if name in element.kind.attributes
        and (name in given or value != inherited["actuator"].get(name))
    }


def _reference(edits: Edits, draft: "Draft", part: Part, row: Row, value: Any) -> None:
    if part["type"] == "ball":
        raise part.error("copy_back: qpos0: expected 1 0 0 0 for a ball joint")
    turn = 180 / pi if part["type"] == "hinge" and part.settings["degree"] else 1.0
    edits.set(part.element, row.attribute, value * turn)


def _references(field: str):
    """Entries of a joint in `qpos0` or `qpos_spring`; those of free joints are the body's pose."""

    def value(arrays: Mapping[str, Any], part: Part):
        start = arrays["jnt_qposadr"][part.id]
        count = {"free": 0, "ball": 4}.get(part["type"], 1)
        return arrays[field][start : start + count]

    return value


def _own(part: Part) -> tuple:
    """Pose of a part as its element says it, before frames and meshes."""
    again = Part(part.element, dict(part.collected))
    set_orientation(again)
    return tuple(again["pos"]), tuple(again["quat"])


def _pose(edits: Edits, draft: "Draft", part: Part, row: Row, value: Any) -> None:
    """Pose: what the compiler did to it is undone by the motion from the compiled one."""
    if part is draft.world:
        raise part.error("copy_back: the pose of the world cannot be changed")
    own, element = _own(part), part.element
    if element.tag == "geom" and "inner" in part.body.values:
        _unalign(edits, part.body)
    inner = part.values.get("inner", (ZERO, IDENTITY))
    old = (tuple(part["pos"]), tuple(part["quat"]))
    new = (tuple(value[:3].tolist()), tuple(value[3:].tolist()))
    if inner != (ZERO, IDENTITY) or old != own:
        moved = compose(compose(inner, invert(old)), compose(new, invert(inner)))
        new = compose(own, moved)
    if part.values.get("fromto") is not None:
        edits.set(element, "size", part["size"])
    for name in (*ALTERNATIVES, "fromto"):
        if name in element.kind.attributes:
            edits.set(element, name, None)
    edits.set(element, "pos", new[0])
    edits.set(element, "quat", new[1])


def _unalign(edits: Edits, body: Any) -> None:
    """Let the compiler leave the frame of a free body where it is; it is written in a next round.

    What the body weighs and where its geoms are decides otherwise where its frame is.
    """
    joint = body.joints[0].element
    if joint.tag == "freejoint":
        edits.word(joint, "align", "false")
    for section in edits.root.children if joint.tag == "joint" else ():
        if "alignfree" in section.values:
            edits.word(section, "alignfree", "false")


def _inertial(edits: Edits, draft: "Draft", part: "Body", row: Row, value: Any) -> None:
    if "inner" in part.values:
        _unalign(edits, part)
    if part.settings["inertiafromgeom"] == "true":
        if part.element.document is not edits.root.document:
            raise part.error(
                "copy_back: body_mass, body_inertia: expected another inertiafromgeom than 'true'"
                " in the attached model"
            )
        # what was given and not used until now is written in the next round
        for section in edits.root.children:
            if "inertiafromgeom" in section.values:
                edits.word(section, "inertiafromgeom", "auto")
    element = part.inertial.element if part.inertial else None
    if element is None:
        element = edits.child(part.element, "inertial", first=True)
    for name in (*ALTERNATIVES, "fullinertia"):
        edits.set(element, name, None)
    for name, x in (
        ("mass", value[0]),
        ("diaginertia", value[1:4]),
        ("pos", value[4:7]),
        ("quat", value[7:]),
    ):
        edits.set(element, name, x)


def _anchor(edits: Edits, draft: "Draft", part: Part, row: Row, value: Any) -> None:
    """Anchor and axis of a joint, position and direction of a light: in the frame around it."""
    pose = frame_pose(part.frame) if part.frame is not None else (ZERO, IDENTITY)
    numbers = tuple(value.tolist())
    if row.attribute == "pos":
        numbers = compose(invert(pose), (numbers, IDENTITY))[0] if part.frame else numbers
    else:
        numbers = rotate(numbers, conjugate(pose[1]))
    edits.set(part.element, row.attribute, numbers)


def _lens(edits: Edits, draft: "Draft", part: Part, row: Row, value: Any) -> None:
    for name, x in (
        ("focal", value[:2]),
        ("principal", value[2:]),
        ("focalpixel", (0.0, 0.0)),
        ("principalpixel", (0.0, 0.0)),
    ):
        edits.set(part.element, name, x)


def _heights(edits: Edits, draft: "Draft", part: Part, row: Row, value: Any) -> None:
    element, shape = part.element, (part["nrow"], part["ncol"])
    edits.keep(element)
    for name in ("file", "content_type"):
        element.values.pop(name, None)
    element.values |= {"name": part.name, "nrow": shape[0], "ncol": shape[1]}
    edits.set(element, "elevation", value.reshape(shape)[::-1].ravel())


def _members(edits: Edits, draft: "Draft", part: Part, row: Row, value: Any) -> None:
    for child, x in zip(part.element.children, value, strict=True):
        edits.set(child, "prm", x)


def _constraint(arrays: Mapping[str, Any], part: Part) -> np.ndarray:
    """Numbers of an equality that it can say; of a shared point, where it is in the first body."""
    data, element = arrays["eq_data"][part.id], part.element
    if "polycoef" in element.kind.attributes:
        return data[:5]
    if "site1" in element.values:
        return data[10:] if element.tag == "weld" else data[:0]
    return data[:3] if element.tag == "connect" else data


def _numbers(edits: Edits, draft: "Draft", part: Part, row: Row, value: Any) -> None:
    element = part.element
    if "polycoef" in element.kind.attributes:
        edits.set(element, "polycoef", value)
    elif "site1" in element.values:
        edits.set(element, "torquescale", value[0])
    else:
        edits.set(element, "anchor", value[:3])
        if element.tag == "weld":
            edits.set(element, "relpose", value[3:10])
            edits.set(element, "torquescale", value[10])


def _row(
    kind: str, fields: str, write: Any, attribute: str = "", value: Any = None
) -> tuple[str, Row]:
    names = tuple(fields.split())
    return kind, Row(names, attribute, value or _entries(names), write)


SPECIAL = (
    _row("body", "body_pos body_quat", _pose),
    _row("geom", "geom_pos geom_quat", _pose),
    _row("site", "site_pos site_quat", _pose),
    _row("camera", "cam_pos cam_quat", _pose),
    _row("light", "light_pos", _anchor, "pos"),
    _row("light", "light_dir", _anchor, "dir"),
    _row("joint", "jnt_pos", _anchor, "pos"),
    _row("joint", "jnt_axis", _anchor, "axis"),
    _row("joint", "qpos0", _reference, "ref", _references("qpos0")),
    _row("joint", "qpos_spring", _reference, "springref", _references("qpos_spring")),
    _row("body", "body_mass body_inertia body_ipos body_iquat", _inertial),
    _row("camera", "cam_intrinsic", _lens),
    _row("hfield", "hfield_data", _heights, "",
         _slice("hfield_data", "hfield_adr", "hfield_nrow", "hfield_ncol")),
    _row("equality", "eq_data", _numbers, "", _constraint),
    _row("numeric", "numeric_data", _plain, "data",
         _slice("numeric_data", "numeric_adr", "numeric_size")),
    _row("tuple", "tuple_objprm", _members, "", _slice("tuple_objprm", "tuple_adr", "tuple_size")),
)  # fmt: skip
