"""Checks before compilation, with MuJoCo's messages, which programs look for."""

from typing import TYPE_CHECKING, Any

from mjenv.mujoco.spec.body_checks import check_bodies, check_free
from mjenv.mujoco.spec.kinds import IN_SPEC, IN_TREE
from mjenv.mujoco.spec.names import Names, repeated
from mjenv.mujoco.spec.plugin_checks import check_driver, check_instances
from mjenv.mujoco.spec.references import resolve
from mjenv.mujoco.spec.sensor_checks import check_sensor
from mjenv.mujoco.spec.states import FIELDS, WIDTHS, Places
from mjenv.mujoco.spec.tendon_paths import check_path
from mjenv.mujoco.words.explain import SpecError

if TYPE_CHECKING:
    from mjenv.mujoco.spec.store import Store

UNNAMED = {"mesh": "mesh", "hfield": "height field", "texture": "texture", "material": "material"}


def check_spec(spec: "Store") -> None:
    """Refuse names that are missing or there twice, and references to nothing.

    Raises:
        SpecError: the first fault that is found.
    """
    for kind in (*IN_TREE, *IN_SPEC):
        if name := repeated(spec._elements(kind)):
            raise SpecError(f"repeated name '{name}' in {kind}")
    # elements in the order of the reference: the first fault is the one it tells
    names = Names(spec)
    _assets(spec, names)
    for pair in spec._lists["pair"]:
        resolve(pair, names)
    for mesh in spec._lists["mesh"]:
        check_driver(spec, mesh, names)
    check_bodies(spec, names)
    for kind in ("flex", "skin", "pair", "exclude", "equality", "tendon", "actuator", "sensor"):
        for element in spec._lists[kind]:
            CHECKS.get(kind, resolve)(element, names)
            if kind in ("actuator", "sensor"):
                check_driver(spec, element, names)
    for numeric in spec._lists["numeric"]:
        _numeric(numeric)
    for text in spec._lists["text"]:
        if not text.data:
            raise SpecError(f"text '{text._name}' (id = {text._id}): size cannot be zero", text)
    for element in spec._lists["tuple"]:
        resolve(element, names)
    check_instances(spec)
    _sort_contacts(spec, names)
    check_free(spec)
    _keys(spec)


def check_names(spec: "Store") -> None:
    """Refuse assets without names.

    Raises:
        SpecError: the first fault that is found.
    """
    for kind, words in UNNAMED.items():
        for element in spec._lists[kind]:
            skybox = kind == "texture" and element.type.name == "mjTEXTURE_SKYBOX"
            if not element._name and not skybox:
                raise SpecError(f"empty name in {words}", element)


def _sensor(sensor: Any, names: Names) -> None:
    resolve(sensor, names)
    check_sensor(sensor)


CHECKS = {"tendon": check_path, "sensor": _sensor}


def _sort_contacts(spec: "Store", names: Names) -> None:
    """Order pairs and excludes by the numbers of their bodies."""

    def of_pair(pair: Any) -> tuple[int, ...]:
        ends = [names.find("geom", name)._parent._id for name in (pair.geomname1, pair.geomname2)]
        return tuple(sorted(ends))

    def of_exclude(exclude: Any) -> tuple[int, ...]:
        ends = [names.find("body", name)._id for name in (exclude.bodyname1, exclude.bodyname2)]
        return tuple(sorted(ends))

    for kind, key in (("pair", of_pair), ("exclude", of_exclude)):
        spec._lists[kind].sort(key=key)
        for place, element in enumerate(spec._lists[kind]):
            element._id = place


def _numeric(numeric: Any) -> None:
    where = f"numeric '{numeric._name}' (id = {numeric._id})"
    if numeric.size and len(numeric.data) > numeric.size:
        text = f"{where}: specified size smaller than initialization array"
        raise SpecError(text, numeric)
    if not numeric.size and not len(numeric.data):
        raise SpecError(f"{where}: size cannot be zero", numeric)


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
