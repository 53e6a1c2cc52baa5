"""Bounds of geoms whose sizes differ between worlds: without them, contacts would not be found."""

from typing import TYPE_CHECKING, Any

import numpy as np

from mjenv.engine.tables.enums import (
    GEOM_BOX,
    GEOM_CAPSULE,
    GEOM_CYLINDER,
    GEOM_ELLIPSOID,
    GEOM_SPHERE,
)

if TYPE_CHECKING:
    from mjenv.engine.model.model import Model

FIELDS = ("geom_rbound", "geom_aabb")


def _sphere(r: Any, _y: Any, _z: Any) -> tuple:
    return r, (r, r, r)


def _capsule(r: Any, half: Any, _: Any) -> tuple:
    return r + half, (r, r, half + r)


def _ellipsoid(x: Any, y: Any, z: Any) -> tuple:
    return np.maximum(np.maximum(x, y), z), (x, y, z)


def _cylinder(r: Any, half: Any, _: Any) -> tuple:
    return np.sqrt(r * r + half * half), (r, r, half)


def _box(x: Any, y: Any, z: Any) -> tuple:
    return np.sqrt(x * x + y * y + z * z), (x, y, z)


# type -> radius around the centre, and half sizes of the box
_BOUNDS = {
    GEOM_SPHERE: _sphere,
    GEOM_CAPSULE: _capsule,
    GEOM_ELLIPSOID: _ellipsoid,
    GEOM_CYLINDER: _cylinder,
    GEOM_BOX: _box,
}


def set_bounds(model: "Model", varied: dict[str, np.ndarray], worlds: np.ndarray) -> None:
    """Compute the bounds of geoms in some worlds from their sizes (m).

    Args:
        model: the model, which has the types of geoms.
        varied: fields that differ between worlds, (nworld, ngeom, ...) each.
        worlds: numbers of the worlds.
    """
    rows = worlds[:, None]
    for kind, bounds in _BOUNDS.items():
        geoms = np.flatnonzero(model.geom_type == kind)
        if len(geoms):
            size = varied["geom_size"][rows, geoms]
            radius, half = bounds(*np.moveaxis(size, -1, 0))
            varied["geom_rbound"][rows, geoms] = radius
            varied["geom_aabb"][rows, geoms, 3:] = np.stack(half, axis=-1)
