"""From elements of a document to fields: values of MJCF, defaults applied, as MjSpec keeps them."""

from functools import cache
from typing import Any

import numpy as np

from mjenv.engine.mjcf.assets.mesh_shapes import SHAPES
from mjenv.engine.mjcf.draft.orientation import ALTERNATIVES
from mjenv.engine.mjcf.text.element import Element
from mjenv.engine.mjcf.text.paths import written_name
from mjenv.engine.mjcf.text.schema import kinds
from mjenv.engine.tables.enum_tables import short_names
from mjenv.engine.tables.sensor_kinds import CONTACT, OBJECTS, RAY, REDUCE, SENSORS
from mjenv.mujoco.enumerations import enumeration
from mjenv.mujoco.spec.tables import DTYPES, Field, structures

CUBE = ("right", "left", "up", "down", "front", "back")
TRANSMISSIONS = {
    "joint": "JOINT", "jointinparent": "JOINTINPARENT", "tendon": "TENDON",
    "cranksite": "SLIDERCRANK", "site": "SITE", "body": "BODY",
}  # fmt: skip
ENDS = {  # of equality constraints: what they join, attributes of the ends, numbers
    "joint": ("joint1", "joint2", "polycoef"),
    "tendon": ("tendon1", "tendon2", "polycoef"),
    "flex": ("flex", "", ""),
    "flexvert": ("flex", "", ""),
    "flexstrain": ("flex", "", "cell"),
}


@cache
def words_of(path: str, attribute: str) -> tuple[str, ...]:
    """Words of an attribute of MJCF, () where it has none."""
    return kinds()[path].attributes[attribute].type.words


@cache
def members(name: str) -> dict[str, int]:
    """Members of an enumeration by the words of MJCF."""
    return short_names(name)


def taken(field: Field, value: Any, path: str, attribute: str) -> Any:
    """A value of MJCF as a field keeps it."""
    if field.kind == "e":
        known = members(field.choices.__name__)
        if value.lower() in known:
            return field.choices(known[value.lower()])
        return field.choices(words_of(path, attribute).index(value))
    if isinstance(value, str) and field.kind != "s":
        return words_of(path, attribute).index(value)
    if field.kind == "f":
        return float(np.float32(value))
    return value


def take(target: Any, values: dict, path: str) -> None:
    """Set the fields of a structure from values of MJCF.

    Args:
        target: the structure.
        values: values by attribute.
        path: of the element that they are of, in the schema.
    """
    own, known = target.__dict__, _by_attribute(target._structure)
    for attribute, value in values.items():
        if value is None:
            continue
        for field, is_array in known.get(attribute, ()):
            if is_array:
                own[field.name][: len(value)] = value
            elif field.kind in ("dv", "fv", "iv"):
                own[field.name] = np.array(value, DTYPES[field.kind[0]]).reshape(-1)
            else:
                own[field.name] = taken(field, value, path, attribute)


@cache
def _by_attribute(structure: str) -> dict[str, list[tuple[Field, bool]]]:
    """Fields of a structure and whether they are arrays, by the attribute of MJCF they are of."""
    found: dict[str, list[tuple[Field, bool]]] = {}
    for field in structures()[structure].fields.values():
        if field.attribute and "." not in field.attribute:
            found.setdefault(field.attribute, []).append((field, field.is_array))
    return found


def take_orientation(orientation: Any, values: dict) -> None:
    """Set another way to say an orientation, where values have one."""
    for name in ALTERNATIVES:
        if values.get(name) is not None:
            orientation.__dict__[name][:] = values[name]
            orientation.type = enumeration("mjtOrientation")[f"mjORIENTATION_{name.upper()}"]


def _take_file(target: Any, element: Element, kind: str) -> None:
    """Name the file of an asset, with its folder where that is an included file's."""
    if element.values.get("file"):
        target.file = written_name(element, kind)


# kinds


def _take_geom(geom: Any, values: dict) -> None:
    take_orientation(geom.alt, values)


def _take_camera(camera: Any, values: dict) -> None:
    take_orientation(camera.alt, values)
    output = values.get("output")
    if output is not None:
        words = words_of("body/camera", "output")
        output = (output,) if isinstance(output, str) else output
        camera.output = sum(1 << words.index(word) for word in output)
    if values.get("sensorsize") is not None:
        camera.sensor_size[:] = values["sensorsize"]
    if values.get("fovy") is not None:
        camera.fovy = values["fovy"]


def _take_joint(joint: Any, values: dict) -> None:
    if values.get("align") is not None:
        joint.align = words_of("body/freejoint", "align").index(values["align"])


def _take_material(material: Any, values: dict) -> None:
    roles = members("mjtTextureRole")
    for role, name in values.get("textures", {}).items():
        material.textures[roles[role]] = name


def _take_actuator(actuator: Any, values: dict) -> None:
    for attribute, word in TRANSMISSIONS.items():
        if values.get(attribute):
            actuator.target = values[attribute]
            actuator.trntype = enumeration("mjtTrn")[f"mjTRN_{word}"]
    for name in ("slidersite", "refsite", "cranklength", "inheritrange"):
        if values.get(name) is not None:
            setattr(actuator, name, values[name])


TAKERS: dict[str, Any] = {
    "geom": _take_geom,
    "site": _take_geom,
    "camera": _take_camera,
    "joint": _take_joint,
    "material": _take_material,
    "actuator": _take_actuator,
}


def take_all(target: Any, values: dict, path: str) -> None:
    """Set all fields of an element of a kind that default classes describe."""
    take(target, values, path)
    if target._kind in TAKERS:
        TAKERS[target._kind](target, values)


# kinds whose elements say more than their attributes


def _take_mesh(mesh: Any, element: Element) -> None:
    """The file, or the shape, of a mesh."""
    _take_file(mesh, element, "mesh")
    shape, params = element.values.get("builtin"), element.values.get("params") or ()
    if shape and shape != "none":
        if len(params) != len(SHAPES[shape][1]):
            names = ", ".join(parameter.name for parameter in SHAPES[shape][1])
            raise element.error(f"params: expected {names}, found {len(params)} numbers")
        wholes = [int(x) if p.whole else x for p, x in zip(SHAPES[shape][1], params, strict=True)]
        mesh._make(shape, *wholes)


def _take_hfield(hfield: Any, element: Element) -> None:
    """The file of a height field, or its heights, from below upwards."""
    _take_file(hfield, element, "hfield")
    nrow, ncol = hfield.nrow, hfield.ncol
    if element.values.get("file") or nrow <= 0 or ncol <= 0:
        return
    rows = element.values.get("elevation")
    if rows is None:
        hfield.__dict__["userdata"] = np.zeros(nrow * ncol, np.float32)
        return
    if len(rows) != nrow * ncol:
        raise element.error(
            f"elevation: expected nrow x ncol = {nrow * ncol} numbers, found {len(rows)}"
        )
    array = np.array(rows, np.float32).reshape(nrow, ncol)[::-1]
    hfield.__dict__["userdata"] = array.reshape(-1).copy()


def _take_texture(texture: Any, element: Element) -> None:
    """The files of a texture."""
    _take_file(texture, element, "texture")
    layout = element.values.get("gridlayout")
    if layout is not None:
        texture.__dict__["gridlayout"][: len(layout)] = list(layout)[:12]
    for place, side in enumerate(CUBE):
        if element.values.get(f"file{side}"):
            texture.cubefiles[place] = written_name(element, "texture", f"file{side}")


def _take_skin(skin: Any, element: Element) -> None:
    """The file of a skin, or its bones."""
    _take_file(skin, element, "skin")
    own, bones = skin.__dict__, [child.values for child in element.children]
    own["bodyname"] = [bone["body"] for bone in bones]
    for name in ("bindpos", "bindquat"):
        rows = [x for bone in bones for x in bone[name]]
        own[name] = np.array(rows, np.float32)
    own["vertid"] = [list(bone["vertid"] or ()) for bone in bones]
    own["vertweight"] = [np.array(bone["vertweight"] or (), np.float32).tolist() for bone in bones]


def _take_flex(flex: Any, element: Element) -> None:
    """Take the elements inside a deformable."""
    path = "deformable/flex"
    for child in element.children:
        inner = f"{path}/{child.tag}"
        for field in structures()["flex"].fields.values():
            tag, _, attribute = field.attribute.partition(".")
            value = child.values.get(attribute) if tag == child.tag and attribute else None
            if value is None:
                continue
            if field.is_array:
                flex.__dict__[field.name][: len(value)] = value
            else:
                flex.__dict__[field.name] = taken(field, value, inner, attribute)
    values, own = element.values, flex.__dict__
    own["vertbody"] = list(values.get("body") or ())
    node = values.get("node")
    own["nodebody"] = node.split() if isinstance(node, str) else list(node or ())
    own["order"] = {"trilinear": 1, "quadratic": 2}.get(values.get("dof", ""), 0)


def _take_tuple(made: Any, element: Element) -> None:
    """The members of a tuple."""
    own, members_ = made.__dict__, [child.values for child in element.children]
    numbers = [OBJECTS.index(m["objtype"]) if m["objtype"] in OBJECTS else 0 for m in members_]
    own["objtype"] = np.array(numbers, np.int32)
    own["objname"] = [m["objname"] for m in members_]
    own["objprm"] = np.array([m.get("prm") or 0.0 for m in members_], float)


def _take_numeric(numeric: Any, element: Element) -> None:
    """The size of custom numbers, filled up with zeros."""
    data, own = numeric.__dict__["data"], numeric.__dict__
    if "size" not in element.values:
        own["size"] = len(data)
    own["data"] = np.concatenate([data, np.zeros(max(own["size"] - len(data), 0))])


def _take_equality(equality: Any, element: Element) -> None:
    """Take the objects and numbers of a constraint."""
    own, values, tag = equality.__dict__, element.values, element.tag
    own["type"] = enumeration("mjtEq")[f"mjEQ_{tag.upper()}"]
    data, objects = own["data"], enumeration("mjtObj")
    if tag in ("connect", "weld"):
        site = "site1" in values or "site2" in values
        kind = "site" if site else "body"
        own["objtype"] = objects.mjOBJ_SITE if site else objects.mjOBJ_BODY
        own["name1"], own["name2"] = values.get(f"{kind}1", ""), values.get(f"{kind}2", "")
        if tag == "weld":
            if not site:
                data[:3] = values.get("anchor") or (0, 0, 0)
            data[3:10] = values.get("relpose") or data[3:10]
            data[10] = values.get("torquescale", 1.0)
        elif values.get("anchor") is not None:
            data[:3] = values["anchor"]
        return
    first, second, numbers = ENDS[tag]
    own["name1"], own["name2"] = values.get(first, ""), values.get(second, "") if second else ""
    given = values.get(numbers) if numbers else None
    if given is not None:
        data[: len(given)] = given


def _take_sensor(sensor: Any, element: Element) -> None:
    """Take the fields of a sensor."""
    own, values, row = sensor.__dict__, element.values, SENSORS[element.tag]
    own["type"] = enumeration("mjtSensor")(row.type)
    # objects, whose kind follows from the attribute that names them, or is given
    for end, attributes in (("obj", row.object), ("ref", row.reference)):
        for attribute in attributes.removesuffix("?").split("|"):
            name = values.get(attribute)
            if attribute == "-" or name is None:
                continue
            kind = values.get(f"{end}type") if attribute == f"{end}name" else None
            kind = kind or attribute.rstrip("12").replace("subtree", "xbody")
            own[f"{end}name"] = name
            if kind in OBJECTS:
                own[f"{end}type"] = enumeration("mjtObj")(OBJECTS.index(kind))
    # what is read, one bit each
    if element.tag in ("rangefinder", "contact"):
        order = list(RAY if element.tag == "rangefinder" else CONTACT)
        words = values.get("data") or order[:1]
        words = (words,) if isinstance(words, str) else words
        own["intprm"][0] = sum(1 << order.index(word) for word in words)
    if element.tag == "contact":
        own["intprm"][1] = REDUCE.index(values.get("reduce", "none"))
        own["intprm"][2] = values.get("num", 1)
    if element.tag == "user":
        own["dim"] = values.get("dim", 0)
        for name, choices in (("needstage", "mjtStage"), ("datatype", "mjtDataType")):
            if values.get(name) is not None:
                own[name] = enumeration(choices)(members(choices)[values[name]])


def _take_tendon(tendon: Any, element: Element) -> None:
    """The path of a tendon."""
    for child in element.children:
        values = child.values
        if child.tag == "joint":
            wrap = tendon.wrap_joint(values["joint"], values["coef"])
        elif child.tag == "site":
            wrap = tendon.wrap_site(values["site"])
        elif child.tag == "geom":
            wrap = tendon.wrap_geom(values["geom"], values.get("sidesite", ""))
        else:
            wrap = tendon.wrap_pulley(values["divisor"])
        wrap.info = f"line {child.line}"


MORE: dict[str, Any] = {
    "mesh": _take_mesh,
    "hfield": _take_hfield,
    "texture": _take_texture,
    "skin": _take_skin,
    "flex": _take_flex,
    "tuple": _take_tuple,
    "numeric": _take_numeric,
    "equality": _take_equality,
    "sensor": _take_sensor,
    "tendon": _take_tendon,
}
