"""Geoms of one's own: `mjv_initGeom`, `mjv_connector`."""

import numpy as np
from numpy.typing import ArrayLike

from .geom_builders import CONNECTORS, along, drawn_size
from .settings import MjvGeom


def mjv_initGeom(
    geom: MjvGeom,
    type: int,
    size: ArrayLike | None = None,
    pos: ArrayLike | None = None,
    mat: ArrayLike | None = None,
    rgba: ArrayLike | None = None,
) -> None:
    """Set a geom, `scene.geoms[scene.ngeom]` for one.

    Args:
        geom: the geom; what this function does not set gets default values, but what the geom
            shows (objtype, objid, category, segid) stays.
        type: mjtGeom.
        size: (3,) as of geoms of the model, m; None for 0.1 each.
        pos: (3,) position, m; None for the origin.
        mat: (9,) or (3, 3) orientation; None for none.
        rgba: (4,) colour; None for grey.
    """
    default = MjvGeom.DEFAULT[0]
    geom.type = type
    for name in ("size", "pos", "mat", "rgba"):
        setattr(geom, name, default[name])
    if size is not None:
        geom.size = drawn_size(int(type), np.array(size, np.float64).reshape(1, 3))
    for name, value in (("pos", pos), ("mat", mat), ("rgba", rgba)):
        if value is not None:
            setattr(geom, name, value)
    for name in ("dataid", "matid", "texcoord", "emission", "specular", "shininess"):
        setattr(geom, name, default[name])
    geom.reflectance = geom.modelrbound = 0
    geom.label = ""


def mjv_connector(geom: MjvGeom, type: int, width: float, from_: ArrayLike, to: ArrayLike) -> None:
    """Make a geom a capsule, cylinder, arrow or line between two points.

    Args:
        geom: a geom that `mjv_initGeom` has set.
        type: mjtGeom.
        width: radius, m; of lines, pixels.
        from_, to: (3,) points, m.

    Raises:
        ValueError: geoms of this type connect nothing.
    """
    if type not in CONNECTORS:
        raise ValueError(
            f"mjv_connector: type={type}, expected a capsule, cylinder, arrow or line of mjtGeom"
        )
    row = np.array(geom._row, geom.DTYPE).reshape(1)
    start, end = (np.array(p, np.float64).reshape(1, 3) for p in (from_, to))
    along(row, int(type), width, start, end)
    for name in ("type", "size", "pos", "mat"):
        setattr(geom, name, row[name][0])
