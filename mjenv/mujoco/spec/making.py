"""From fields to elements of a document: all values written out, without default classes."""

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from mjenv.engine.mjcf.assets.mesh import FACE_NORMALS, FACE_TEXCOORDS, NEEDS_SDF
from mjenv.engine.mjcf.assets.texture import PIXELS
from mjenv.engine.mjcf.flex.cells import EMPTY_CELLS, NODE_POINTS
from mjenv.engine.mjcf.text.element import Document, Element
from mjenv.engine.mjcf.text.schema import kinds
from mjenv.engine.tables.enum_tables import short_names
from mjenv.engine.tables.sensor_kinds import CONTACT, OBJECTS, RAY, REDUCE, SENSORS
from mjenv.mujoco.enumerations import enumeration
from mjenv.mujoco.spec.sensors import TAGS
from mjenv.mujoco.spec.tables import Field, structures
from mjenv.mujoco.spec.taking import CUBE, ENDS, TRANSMISSIONS, words_of
from mjenv.mujoco.words.explain import SpecError

SPEC = "spec"  # the file that elements say they are from
DEPTH = 6  # of octrees


@cache
def words_by_member(name: str, words: tuple[str, ...]) -> dict[int, str]:
    """Words of MJCF by the members of an enumeration."""
    known = short_names(name)
    found = {known[word.lower()]: word for word in words if word.lower() in known}
    return found or dict(enumerate(words))


def new(path: str, tag: str, document: Document) -> Element:
    """An element without values."""
    return Element(kinds()[path], tag, SPEC, 0, document, document.source.folder)


def said(target: Any, field: Field, path: str, attribute: str) -> Any:
    """Value of an attribute of MJCF for a field; None where it is the default."""
    value = target.__dict__[field.name]
    if field.is_array:
        if np.array_equal(value, field.default, equal_nan=True):
            return None
        if np.isnan(field.default[0]) and np.isnan(value[0]):
            return None
        return tuple(value.tolist())
    if field.kind in ("dv", "fv", "iv"):
        return tuple(value.tolist()) if len(value) else None
    if field.kind == "s":
        return value or None
    if value == field.default or value != value:
        return None
    words = words_of(path, attribute)
    if not words:
        return value
    number = int(value)
    known = words_by_member(field.choices.__name__, words) if field.kind == "e" else None
    word = known.get(number) if known is not None else dict(enumerate(words)).get(number)
    if word is None:
        raise SpecError(f"invalid {field.name} in {target._kind}", target)
    return word


class _Row(NamedTuple):
    """A field that an attribute says alone.

    Attributes:
        field: the field.
        memory: of the default of an array; None for other kinds.
        numbers: the same as a list, where all of them are numbers; None for others.
        is_number: whether it is a single number, or a member of an enumeration.
    """

    field: Field
    memory: bytes | None
    numbers: list | None
    is_number: bool


@cache
def _rows(structure: str, path: str) -> tuple[_Row, ...]:
    """Fields of a structure with attributes of their own in an element of a path."""
    attributes = kinds()[path].attributes
    fields = [f for f in structures()[structure].fields.values() if f.attribute in attributes]
    return tuple(
        _Row(
            field,
            field.default.tobytes() if field.is_array else None,
            field.default.tolist()
            if field.is_array and not np.isnan(field.default).any()
            else None,
            field.kind in ("d", "n", "f", "i", "b", "e") and not field.is_array,
        )
        for field in fields
    )


def say(element: Element, target: Any) -> None:
    """Set the attributes of an element from the fields that say one alone."""
    path, values, own = element.kind.path, element.values, target.__dict__
    if path == "tendon/fixed":
        # what attributes of spatial ones alone can say, classes say of both
        path = "tendon/spatial"
    if path == "actuator/plugin":
        # gains and biases too, which nothing reads while the plugin computes forces
        path = "actuator/general"
    for field, memory, numbers, is_number in _rows(target._structure, path):
        found = own[field.name]
        # most fields hold their defaults, and are left out at a glance
        if is_number:
            if found == field.default:
                continue
        elif memory is not None and found.tobytes() == memory:
            continue
        elif numbers is not None:
            # those of a default may have other bits: zeros have signs
            if (given := found.tolist()) != numbers:
                values[field.attribute] = tuple(given)
            continue
        value = said(target, field, path, field.attribute)
        if value is not None:
            values[field.attribute] = value
    attributes = kinds()[path].attributes
    if getattr(target, "_name", "") and "name" in attributes:
        values["name"] = target._name


def orient(element: Element, orientation: Any, quat: str = "quat") -> None:
    """Set another way to say an orientation, in place of the quaternion."""
    word = orientation.type.name.removeprefix("mjORIENTATION_").lower()
    if word != quat:
        element.values.pop(quat, None)
        element.values[word] = tuple(orientation.__dict__[word].tolist())


# kinds of the tree


def _posed(element: Element, target: Any) -> None:
    orient(element, target.alt)
    if "fromto" in element.values:
        for name in ("quat", "axisangle", "xyaxes", "zaxis", "euler"):
            element.values.pop(name, None)


def _joint(element: Element, joint: Any) -> None:
    if joint.align != 2:
        element.values["align"] = ("false", "true")[joint.align]


def _camera(element: Element, camera: Any) -> None:
    orient(element, camera.alt)
    values = element.values
    if min(camera.sensor_size) > 0:
        values["sensorsize"] = tuple(camera.sensor_size.tolist())
    else:
        values["fovy"] = camera.fovy
    if camera.output != 1:
        words = words_of("body/camera", "output")
        values["output"] = tuple(w for k, w in enumerate(words) if camera.output >> k & 1)


def _body(element: Element, body: Any) -> None:
    orient(element, body.alt)
    inertial = new("body/inertial", "inertial", element.document)
    known = not np.isnan(body.ipos[0])
    weighed = body.mass or body.inertia.any() or not np.isnan(body.fullinertia[0])
    if not known and not body.explicitinertial and (body._lists["geom"] or not weighed):
        return
    values = inertial.values
    values["pos"] = tuple((body.ipos if known else body.pos).tolist())
    values["mass"] = body.mass
    if not np.isnan(body.fullinertia[0]):
        values["fullinertia"] = tuple(body.fullinertia.tolist())
    elif known and tuple(body.iquat) != (1, 0, 0, 0):
        values["quat"] = tuple(body.iquat.tolist())
    elif not known:
        values["quat"] = tuple(body.quat.tolist())
    if body.inertia.any():
        values["diaginertia"] = tuple(body.inertia.tolist())
    orient(inertial, body.ialt)
    element.children.append(inertial)


# assets


def _mesh(element: Element, mesh: Any) -> None:
    own, values = mesh.__dict__, element.values
    for name, key in (("userfacenormal", FACE_NORMALS), ("userfacetexcoord", FACE_TEXCOORDS)):
        if len(own[name]):
            values[key] = tuple(own[name].tolist())
    if own["needsdf"]:
        values[NEEDS_SDF] = True
    if own["octree_maxdepth"] != DEPTH:
        raise element.unsupported("octree_maxdepth other than 6")


def _hfield(element: Element, hfield: Any) -> None:
    values, heights = element.values, hfield.__dict__["userdata"]
    values["size"] = tuple(hfield.size.tolist())
    if len(heights):
        if len(heights) != hfield.nrow * hfield.ncol:
            raise SpecError("elevation data length must match nrow*ncol", hfield)
        rows = heights.reshape(hfield.nrow, hfield.ncol)[::-1]
        values["elevation"] = tuple(rows.reshape(-1).tolist())


def _texture(element: Element, texture: Any) -> None:
    own, values, given = texture.__dict__, element.values, texture._given()
    for file, side in zip(own["cubefiles"], CUBE, strict=False):
        if file:
            values[f"file{side}"] = file
    count = int(own["gridsize"][0] * own["gridsize"][1])
    layout = "".join(own["gridlayout"])
    if 0 < count <= len(layout) and layout[:count].strip("."):
        values["gridlayout"] = layout[:count]
    if given:
        size = own["nchannel"] * own["width"] * own["height"]
        if len(given) != size:
            raise SpecError(
                f"Texture buffer has incorrect size, given {len(given)} expected {size}",
                texture,
            )
        values[PIXELS] = given


def _material(element: Element, material: Any) -> None:
    roles = words_by_member("mjtTextureRole", words_of("asset/material/layer", "role"))
    layers = {k: name for k, name in enumerate(material.__dict__["textures"]) if name}
    layers.pop(0, None)  # that of the user, which nothing shows
    if list(layers) == [1]:
        element.values["texture"] = layers[1]
        return
    for place, name in layers.items():
        layer = new("asset/material/layer", "layer", element.document)
        layer.values |= {"texture": name, "role": roles[place]}
        element.children.append(layer)


def _skin(element: Element, skin: Any) -> None:
    own = skin.__dict__
    for k, body in enumerate(own["bodyname"]):
        bone = new("deformable/skin/bone", "bone", element.document)
        bone.values |= {
            "body": body,
            "bindpos": tuple(own["bindpos"][3 * k : 3 * k + 3].tolist()),
            "bindquat": tuple(own["bindquat"][4 * k : 4 * k + 4].tolist()),
            "vertid": tuple(own["vertid"][k]),
            "vertweight": tuple(own["vertweight"][k]),
        }
        element.children.append(bone)


def _flex(element: Element, flex: Any) -> None:
    own, values = flex.__dict__, element.values
    groups: dict[str, dict[str, Any]] = {}
    for field in structures()["flex"].fields.values():
        tag, _, attribute = field.attribute.partition(".")
        if attribute:
            value = said(flex, field, f"deformable/flex/{tag}", attribute)
            if value is not None:
                groups.setdefault(tag, {})[attribute] = value
    for tag, inner in groups.items():
        child = new(f"deformable/flex/{tag}", tag, element.document)
        child.values = inner
        element.children.append(child)
    values["body"] = tuple(own["vertbody"])
    values.setdefault("element", ())
    if own["nodebody"]:
        values["node"] = tuple(own["nodebody"])
    if own["order"]:
        values["dof"] = ("full", "trilinear", "quadratic")[own["order"]]
    if len(own["node"]):
        values[NODE_POINTS] = tuple(own["node"].tolist())
    if own.get("_empty_cells") is not None:
        values[EMPTY_CELLS] = own["_empty_cells"]


# what refers to other things


def _tuple_(element: Element, made: Any) -> None:
    own = made.__dict__
    rows = zip(own["objtype"].tolist(), own["objname"], own["objprm"].tolist(), strict=True)
    for objtype, name, number in rows:
        child = new("custom/tuple/element", "element", element.document)
        child.values |= {"objtype": OBJECTS[objtype], "objname": name, "prm": number}
        element.children.append(child)


def _tendon(element: Element, tendon: Any) -> None:
    for wrap in tendon._path:
        word = wrap._tag
        within = "fixed" if word == "joint" else "spatial"
        child = new(f"tendon/{within}/{word}", word, element.document)
        if word == "pulley":
            child.values["divisor"] = wrap._number
        else:
            child.values[word] = wrap._name
        if word == "joint":
            child.values["coef"] = wrap._number
        if wrap._side:
            child.values["sidesite"] = wrap._side
        element.children.append(child)


def _actuator(element: Element, actuator: Any) -> None:
    values, own = element.values, actuator.__dict__
    word = own["trntype"].name.removeprefix("mjTRN_")
    attribute = next((a for a, other in TRANSMISSIONS.items() if other == word), "")
    if attribute:
        values[attribute] = own["target"]
    if word == "SLIDERCRANK":
        values["slidersite"], values["cranklength"] = own["slidersite"], own["cranklength"]
    if word == "SITE" and own["refsite"]:
        values["refsite"] = own["refsite"]
    if own["inheritrange"]:
        values["inheritrange"] = own["inheritrange"]


def _equality(element: Element, equality: Any) -> None:
    values, own, tag = element.values, equality.__dict__, element.tag
    data = own["data"].tolist()
    if tag in ("connect", "weld"):
        kind = "site" if own["objtype"] == enumeration("mjtObj").mjOBJ_SITE else "body"
        values[f"{kind}1"] = own["name1"]
        if own["name2"] or kind == "site":
            values[f"{kind}2"] = own["name2"]
        if kind == "body":
            values["anchor"] = tuple(data[:3])
        if tag == "weld":
            values["torquescale"] = data[10]
            if kind == "body":
                values["relpose"] = tuple(data[3:10])
        return
    first, second, numbers = ENDS[tag]
    values[first] = own["name1"]
    if second and own["name2"]:
        values[second] = own["name2"]
    if numbers:
        values[numbers] = tuple(data[: 5 if numbers == "polycoef" else 3])


def sensor_tag(sensor: Any) -> str:
    """The name of a sensor's element."""
    return TAGS[int(sensor.__dict__["type"])]


def _sensor(element: Element, sensor: Any) -> None:
    values, own, tag = element.values, sensor.__dict__, element.tag
    row = SENSORS[tag]
    for end, attributes in (("obj", row.object), ("ref", row.reference)):
        kind, name = OBJECTS[int(own[f"{end}type"])], own[f"{end}name"]
        for attribute in attributes.removesuffix("?").split("|"):
            if attribute in ("objname", "refname") and kind != "unknown":
                values |= {f"{end}type": kind, f"{end}name": name}
            elif attribute.rstrip("12").replace("subtree", "xbody") == kind:
                values[attribute] = name
    bits = int(own["intprm"][0])
    if tag in ("rangefinder", "contact"):
        order = RAY if tag == "rangefinder" else CONTACT
        values["data"] = tuple(word for k, word in enumerate(order) if bits >> k & 1)
    if tag == "contact":
        values["reduce"], values["num"] = REDUCE[own["intprm"][1]], int(own["intprm"][2])
    if tag == "user":
        values["dim"] = own["dim"]
        for name, choices in (("needstage", "mjtStage"), ("datatype", "mjtDataType")):
            words = words_of("sensor/user", name)
            values[name] = words_by_member(choices, words)[int(own[name])]


MAKERS: dict[str, Any] = {
    "geom": _posed,
    "site": _posed,
    "frame": _posed,
    "joint": _joint,
    "camera": _camera,
    "body": _body,
    "mesh": _mesh,
    "hfield": _hfield,
    "texture": _texture,
    "material": _material,
    "skin": _skin,
    "flex": _flex,
    "tuple": _tuple_,
    "tendon": _tendon,
    "actuator": _actuator,
    "equality": _equality,
    "sensor": _sensor,
}
