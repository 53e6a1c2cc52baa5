"""Paths of tendons, checked with MuJoCo's messages."""

from typing import Any

from mjenv.mujoco.spec.names import Names
from mjenv.mujoco.spec.references import resolve
from mjenv.mujoco.words.explain import SpecError

GEOMS = ("sphere", "cylinder")


def check_path(tendon: Any, names: Names) -> None:
    """Refuse a path that is empty, leads to nothing, or whose elements do not fit together.

    Raises:
        SpecError: the first fault along it.
    """
    path = tendon._path
    where = f"tendon '{tendon._name}' (id = {tendon._id})"
    if not path:
        raise SpecError(f"{where}: path cannot be empty", tendon)
    spatial = path[0]._word != "joint"
    if spatial and len(path) < 2:
        raise SpecError(f"{where}: spatial path must contain at least two objects", tendon)
    if spatial and tendon.width <= 0:
        raise SpecError(f"{where} must have positive width", tendon)
    resolve(tendon, names)
    _check_shapes(tendon, names)
    for place in range(len(path)):
        fault = _spatial(tendon, place) if spatial else _fixed(tendon, place)
        if fault:
            raise SpecError(f"{where}{fault}", tendon)


def _check_shapes(tendon: Any, names: Names) -> None:
    """Refuse tendons around other geoms than spheres and cylinders."""
    for wrap in tendon._path:
        if wrap._word in GEOMS:
            shape = names.find("geom", wrap._name).type.name
            if shape not in ("mjGEOM_SPHERE", "mjGEOM_CYLINDER"):
                where = f"in tendon {tendon._id}, wrap {wrap._id}"
                raise SpecError(f"geom '{wrap._name}' {where} is not sphere or cylinder", wrap)


def _fixed(tendon: Any, place: int) -> str:
    if tendon._path[place]._word != "joint":
        return f": spatial object found in fixed path at pos {place}"
    return ""


def _spatial(tendon: Any, place: int) -> str:
    """What is wrong with an element of a spatial path, "" for nothing."""
    path, wrap = tendon._path, tendon._path[place]
    before = path[place - 1]._word if place else ""
    after = path[place + 1]._word if place + 1 < len(path) else ""
    if tendon.armature < 0:
        return ": tendon armature cannot be negative"
    # a pulley begins a branch, in which a site needs another one or a geom
    if wrap._word == "pulley":
        if before == "pulley":
            return f": consecutive pulleys (pos {place})"
        return "" if after else ": path ends with pulley"
    if wrap._word == "site":
        if {before, after} <= {"", "pulley"}:
            return f": site {place} needs a neighbor that is not a pulley"
        if after == "site" and path[place + 1]._name == wrap._name:
            return f": site {place} is repeated"
        return ""
    if wrap._word in GEOMS:
        if before != "site" or after != "site":
            return f": geom at pos {place} not bracketed by sites"
        return ": geom wrapping not supported by tendon armature" if tendon.armature > 0 else ""
    return f": joint wrap found in spatial path at pos {place}"
