"""Checks before compilation, with MuJoCo's messages, which programs look for."""

from typing import TYPE_CHECKING, Any

from mjenv.engine.mjcf.geometry.shapes import size_count
from mjenv.engine.tables.plugin_kinds import KINDS
from mjenv.engine.tables.sensor_kinds import CONTACT, RAY
from mjenv.mujoco.spec.kinds import IN_SPEC, IN_TREE
from mjenv.mujoco.spec.names import Names, kind_of, repeated
from mjenv.mujoco.spec.references import resolve
from mjenv.mujoco.spec.sensors import TAGS
from mjenv.mujoco.spec.states import FIELDS, WIDTHS, Places
from mjenv.mujoco.spec.tendon_paths import check_path
from mjenv.mujoco.words.explain import SpecError

if TYPE_CHECKING:
    from mjenv.mujoco.spec.store import Store

UNNAMED = {"mesh": "mesh", "hfield": "height field", "texture": "texture", "material": "material"}
REDUCTIONS = 4
DRIVEN = ("body", "geom", "mesh", "actuator", "sensor")

DOFS = {"mjJNT_FREE": 6, "mjJNT_BALL": 3, "mjJNT_SLIDE": 1, "mjJNT_HINGE": 1}
MOST_DOFS = 6  # of one body


def check_spec(spec: "Store") -> None:
    """Refuse names that are missing or there twice, and references to nothing.

    Raises:
        SpecError: the first fault that is found.
    """
    if spec._world._lists["joint"]:
        raise SpecError("joint found in world body")
    # names: where they are needed, and that none stands twice
    for kind, words in UNNAMED.items():
        for element in spec._lists[kind]:
            skybox = kind == "texture" and element.type.name == "mjTEXTURE_SKYBOX"
            if not element._name and not skybox:
                raise SpecError(f"empty name in {words}", element)
    for kind in (*IN_TREE, *IN_SPEC):
        if name := repeated(spec._elements(kind)):
            raise SpecError(f"repeated name '{name}' in {kind}")
    # elements by themselves, in the order of the reference: the first fault is the one it tells
    names = Names(spec)
    _assets(spec, names)
    for body in spec._world._walk():
        if sum(DOFS[joint.type.name] for joint in body._lists["joint"]) > MOST_DOFS:
            raise SpecError(f"more than {MOST_DOFS} dofs in body '{body._name}'", body)
    for kind, check in (("geom", _geom), ("site", _site), ("camera", _aim), ("light", _aim)):
        for element in spec._elements(kind):
            check(element, names)
    # references to other elements
    for kind in ("flex", "skin", "pair", "exclude", "equality", "tendon", "actuator"):
        for element in spec._lists[kind]:
            if kind == "tendon":
                check_path(element, names)
            else:
                resolve(element, names)
    for sensor in spec._lists["sensor"]:
        resolve(sensor, names)
        _sensor(sensor)
    for element in spec._lists["tuple"]:
        resolve(element, names)
    _plugins(spec, names)
    for body in spec._world._walk():
        _free(spec, body)
    _keys(spec)


def _assets(spec: "Store", names: Names) -> None:
    """Refuse meshes, materials, textures and height fields that are not there."""
    visual = not spec.compiler.discardvisual
    for geom in spec._elements("geom"):
        _looks(geom, names, ("meshname", "material", "hfieldname")[: 3 if visual else 1])
        if visual and geom.meshname and not geom.material:
            material = names.find("mesh", geom.meshname).material
            if material and names.find("material", material) is None:
                raise SpecError(f"material '{material}' not found in geom {geom._id}", geom)
    if visual:
        for kind in ("skin", "site", "tendon"):
            for element in spec._elements(kind):
                _looks(element, names, ("material",))
        for material in spec._lists["material"]:
            for texture in material.textures:
                if texture and names.find("texture", texture) is None:
                    text = f"texture '{texture}' not found in material {material._id}"
                    raise SpecError(text, material)


def _looks(element: Any, names: Names, fields: tuple[str, ...]) -> None:
    for field in fields:
        name, kind = element.__dict__[field], field.removesuffix("name")
        if name and names.find(kind, name) is None:
            text = f"{kind} '{name}' not found in {element._kind} {element._id}"
            raise SpecError(text, element)


def _free(spec: "Store", body: Any) -> None:
    """Refuse free joints beside others, and in bodies that are in others."""
    joints = body._lists["joint"]
    if any(joint.type.name == "mjJNT_FREE" for joint in joints):
        if len(joints) > 1:
            raise SpecError("free joint can only appear by itself", body)
        if body._parent is not spec._world:
            raise SpecError("free joint can only be used on top level", body)


def _size(element: Any) -> None:
    shape, size = element.type.name.removeprefix("mjGEOM_").lower(), list(element.size)
    if shape == "plane":
        if size[2] <= 0:
            raise SpecError("plane size(3) must be positive", element)
        return
    if element.fromto[0] == element.fromto[0]:  # a segment says its length
        size[1] = max(size[1], 1.0)
        if shape in ("ellipsoid", "box"):
            size[1:] = [size[0], 1.0]
    for place in range(size_count(shape)):
        if size[place] <= 0:
            raise SpecError(f"size {place} must be positive in geom", element)


def _geom(geom: Any, names: Names) -> None:
    if geom.condim not in (1, 3, 4, 6):
        raise SpecError("invalid condim in geom", geom)
    shape = geom.type.name.removeprefix("mjGEOM_").lower()
    if shape in ("mesh", "sdf") and not geom.meshname:
        text = f"mesh geom '{geom._name}' (id = {geom._id}) must have valid meshid"
        raise SpecError(text, geom)
    if (shape == "hfield") != bool(geom.hfieldname):
        text = f"hfield geom '{geom._name}' (id = {geom._id}) must have valid hfieldid"
        raise SpecError(text, geom)
    if not geom.meshname and shape not in ("hfield", "mesh", "sdf"):
        _size(geom)


def _site(site: Any, names: Names) -> None:
    _size(site)


def _aim(element: Any, names: Names) -> None:
    if element.targetbody and names.find("body", element.targetbody) is None:
        raise SpecError(f"unknown target body in {element._kind}", element)
    texture = element.texture if element._kind == "light" else ""
    if texture and names.find("texture", texture) is None:
        raise SpecError("unknown texture in light", element)


# sensors: what they may be attached to, by the tag of their element
ATTACHED = {
    "site": "touch accelerometer velocimeter gyro force torque magnetometer camprojection",
    "joint": "jointpos jointvel jointactuatorfrc ballquat ballangvel jointlimitpos jointlimitvel"
    " jointlimitfrc",
    "tendon": "tendonpos tendonvel tendonactuatorfrc tendonlimitpos tendonlimitvel tendonlimitfrc",
    "actuator": "actuatorpos actuatorvel actuatorfrc",
    "body": "subtreecom subtreelinvel subtreeangmom",
    "site or camera": "rangefinder",
    "(x)body, geom, site or camera": "framepos framequat framexaxis frameyaxis framezaxis"
    " framelinvel frameangvel framelinacc frameangacc insidesite",
}
OWNERS = {tag: owner for owner, tags in ATTACHED.items() for tag in tags.split()}


def _sensor(sensor: Any) -> None:
    tag = TAGS[int(sensor.type)]
    objtype, reftype = kind_of(sensor.objtype), kind_of(sensor.reftype)
    for name in ("noise", "cutoff"):
        if getattr(sensor, name) < 0:
            raise SpecError(f"negative {name} in sensor", sensor)
    if owner := OWNERS.get(tag):
        allowed = owner.replace("(x)body", "body, xbody").replace(" or ", ", ").split(", ")
        if objtype not in allowed:
            raise SpecError(f"sensor must be attached to {owner}", sensor)
    convex = tag in ("distance", "normal", "fromto")
    if convex and not {objtype, reftype} <= {"body", "geom"}:
        raise SpecError("sensor must be attached to body or geom", sensor)
    if tag == "contact":
        if objtype not in ("site", "body", "xbody", "geom", ""):
            text = "first matching criterion: if set, must be (x)body, geom or site"
            raise SpecError(text, sensor)
        if reftype not in ("body", "xbody", "geom", ""):
            raise SpecError("second matching criterion: if set, must be (x)body or geom", sensor)
    if tag in ("contact", "rangefinder"):
        _bits(sensor, *(("mjNCONDATA", CONTACT) if tag == "contact" else ("mjNRAYDATA", RAY)))
    if tag == "contact":
        _contacts(sensor)


def _bits(sensor: Any, limit: str, sizes: dict[str, int]) -> None:
    """Check which data a sensor delivers."""
    bits, mask = int(sensor.intprm[0]), (1 << len(sizes)) - 1
    if bits <= 0:
        raise SpecError(f"data spec (intprm[0]) must be positive, got {bits}", sensor)
    if not bits & mask:
        text = (
            f"data spec intprm[0]={bits} must have at least one bit set of the first {limit} bits"
        )
        raise SpecError(text, sensor)
    if bits & ~mask:
        text = f"data spec intprm[0]={bits} has bits set beyond the first {limit} bits"
        raise SpecError(text, sensor)


def _contacts(sensor: Any) -> None:
    _, reduction, number = (int(x) for x in sensor.intprm)
    if not 0 <= reduction < REDUCTIONS:
        text = f"unknown reduction criterion. got {reduction}, expected one of {{0, 1, 2, 3}}"
        raise SpecError(text, sensor)
    if number <= 0:
        text = f"num (intprm[2]) must be positive in sensor, got {sensor.dim}"
        raise SpecError(text, sensor)


def _plugins(spec: "Store", names: Names) -> None:
    """Refuse plugins that are not there or not activated, and settings that they do not have."""
    for kind in DRIVEN:
        for element in spec._elements(kind):
            plugin = element.plugin
            if plugin.active:
                _driver(spec, element, plugin, names)
    for plugin in spec._lists["plugin"]:
        if not plugin.name:
            continue
        if plugin.plugin_name not in spec._active:
            raise SpecError(f"unrecognized plugin '{plugin.plugin_name}'", plugin)
        for key in plugin.config:
            if key not in KINDS[plugin.plugin_name].attributes:
                text = f"unrecognized attribute 'plugin:{key}' for plugin {plugin.plugin_name}'"
                raise SpecError(text, plugin)


def _driver(spec: "Store", element: Any, plugin: Any, names: Names) -> None:
    """Refuse an element whose plugin is not there."""
    name = plugin.plugin_name
    if not name and not plugin.name:
        named = "" if element._kind in ("geom", "sensor") else f" '{element._name}'"
        named += f", (id = {element._id})" if named else ""
        text = f"neither 'plugin' nor 'instance' is specified for {element._kind}{named}"
        raise SpecError(text, element)
    if not name and plugin.name:
        instance = names.find("plugin", plugin.name)
        if instance is None:
            text = f"unrecognized name '{plugin.name}' for plugin instance"
            raise SpecError(text, element)
        name = instance.plugin_name
    if name and name not in spec._active:
        raise SpecError(f"unrecognized plugin '{name}'", element)


def _keys(spec: "Store") -> None:
    """Refuse keyframes of other lengths than the state's."""
    if not spec._lists["key"]:
        return
    sizes = Places(spec).sizes
    for key in spec._lists["key"]:
        for field in FIELDS:
            count, expected = len(key.__dict__[field]), sizes[field]
            if count in (0, expected) or field == "act":
                continue
            if field in WIDTHS or field == "ctrl":
                text = f"keyframe {key._id}: invalid {field} size, expected length {expected}"
            else:
                text = f"keyframe '{key._name}': invalid {field} size, expected {expected}"
                text += f", got {count}"
            raise SpecError(text, key)
