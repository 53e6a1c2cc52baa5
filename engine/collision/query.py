"""Distances of geoms from Python, in all worlds at once."""

from typing import NamedTuple

import numpy as np

from ..call import call_stages
from ..enums import DSBL_NATIVECCD
from ..errors import UnsupportedFeature
from ..stage import Stage
from . import distance

READS = "geom_xpos geom_xmat"
WRITES = "near_dist near_fromto"
ROUTINES = {
    distance.BY_PLANE: (Stage(distance.measure_plane, WRITES),),
    distance.BY_SPHERE: (Stage(distance.measure_sphere, WRITES),),
    distance.BY_CAPSULE: (Stage(distance.measure_capsule, WRITES),),
    distance.BY_HFIELD: (Stage(distance.measure_hfield, WRITES),),
    distance.BY_SEARCH: (Stage(distance.measure_search, WRITES),),
}


class Distance(NamedTuple):
    """How far two geoms are apart.

    Attributes:
        dist: (nworld,) distance, negative in penetration; distmax where it is not smaller (m).
        fromto: (nworld, 6) point of the first geom, point of the second (m); zero where the
            distance is not below distmax.
    """

    dist: np.ndarray
    fromto: np.ndarray


def geom_distance(model, data, geom1, geom2, distmax) -> Distance:
    """Smallest signed distance of two geoms in each world (mj_geomDistance).

    Their poses are those of the last call of `forward` or `step`. Planes and height fields have no
    distance from each other: it is distmax. That of a height field is MuJoCo's: the depth to which
    the geom, thickened by half of distmax, enters the field, raised by distmax.

    Args:
        model: the model that the data were made for.
        data: worlds, which keep geom_xpos and geom_xmat.
        geom1: id or name of a geom.
        geom2: id or name of another geom.
        distmax: distance from which on none is needed (m), a number or (nworld,).

    Returns:
        `Distance`: dist (nworld,), fromto (nworld, 6).

    Raises:
        ValueError: distmax has the wrong shape.
        UnsupportedFeature: the option flag nativeccd is off, and the geoms have no special routine.
    """
    limit = np.asarray(distmax, np.float64)
    if limit.shape not in ((), (data.nworld,)):
        raise ValueError(
            f"geom_distance: distmax has shape {limit.shape}, expected a number or ({data.nworld},)"
        )
    limit = np.broadcast_to(limit, (data.nworld,))
    pair = [int(model.geom(geom).id) for geom in (geom1, geom2)]
    kind = distance.distance_routine(*(int(model.geom_type[geom]) for geom in pair))
    found = Distance(np.empty((data.nworld, 1)), np.zeros((data.nworld, 6)))
    if kind == distance.BY_NONE:
        return Distance(limit.copy(), found.fromto)
    searched = kind in (distance.BY_HFIELD, distance.BY_SEARCH)
    if searched and model.opt.disableflags & DSBL_NATIVECCD:
        raise UnsupportedFeature(
            "geom_distance: option flag nativeccd='disable': not built for these types of geoms; "
            "expected nativeccd='enable'"
        )
    call_stages(
        model, data, "geom_distance", ROUTINES[kind], reads=READS,
        given={"near_cutoff": limit[:, None]},
        results={"near_dist": found.dist, "near_fromto": found.fromto},
        shared={"near_geom": pair},
    )  # fmt: skip
    return Distance(found.dist[:, 0], found.fromto)
