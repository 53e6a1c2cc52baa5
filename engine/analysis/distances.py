"""Distances of geoms from Python, in all worlds at once."""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..arguments import reals
from ..data.request import call_stages
from ..data.views import takes_views
from ..physics.collision.colliders import MEASURE, NO_DISTANCE, distance_routine
from ..pipeline.stage import Stage

if TYPE_CHECKING:
    from ..data.data import Data
    from ..model.model import Model

READS = "geom_xpos geom_xmat"


class Distance(NamedTuple):
    """Distance between two geoms.

    Attributes:
        dist: (nworld,) distance, negative in penetration; distmax where it is not smaller (m).
        fromto: (nworld, 6) point of the first geom, point of the second (m); zero where the
            distance is not below distmax.
    """

    dist: np.ndarray
    fromto: np.ndarray


@takes_views
def geom_distance(
    model: "Model", data: "Data", geom1: Any, geom2: Any, distmax: ArrayLike
) -> Distance:
    """Smallest signed distance of two geoms in each world (mj_geomDistance).

    Their poses are those of the last call of `forward` or `step`. Planes and height fields have no
    distance from each other: it is distmax. That of a height field is MuJoCo's: the depth to which
    the geom, thickened by half of distmax, enters the field, raised by distmax. Where the option
    flag nativeccd is off, those of convex geoms are such depths, too, and of boxes that of their
    contacts with a margin of distmax.

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
    """
    limit = reals(distmax, "geom_distance", "distmax")
    if limit.shape not in ((), (data.nworld,)):
        raise ValueError(
            f"geom_distance: distmax has shape {limit.shape}, expected a number or ({data.nworld},)"
        )
    limit = np.broadcast_to(limit, (data.nworld,))
    pair = [int(model.geom(geom).id) for geom in (geom1, geom2)]
    routine = distance_routine(model, *pair)
    found = Distance(np.empty((data.nworld, 1)), np.zeros((data.nworld, 6)))
    if routine == NO_DISTANCE:
        return Distance(limit.copy(), found.fromto)
    stage = Stage(f"collision.measure:{MEASURE[routine]}")
    call_stages(
        model, data, "geom_distance", (stage,), reads=READS,
        given={"near_cutoff": limit[:, None]},
        results={"near_dist": found.dist, "near_fromto": found.fromto},
        shared={"near_geom": pair},
    )  # fmt: skip
    return Distance(found.dist[:, 0], found.fromto)
