"""Sensors of distances between geoms or bodies: how far, in which direction, from where to where.

All pairs of their geoms are measured, routine by routine; the nearest pair counts.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from ...simd.kernel import entry, kernel, kernel_at
from ...simd.lanes import load6, select, store, zero_like
from ...simd.spatial import normalize3, select3, sub3
from ...tables.enums import SENS_GEOMDIST, SENS_GEOMFROMTO
from ..collision import colliders
from .tables import NEAR
from .write import put, put3

if TYPE_CHECKING:
    from ..collision.distance import contact_distance as pair_distance

    # set in each variant
    ROUTINE = 0


@kernel
def start_near(m, d):
    """Nothing is nearer than the cutoff yet.

    Writes: sense_dist (m), sense_fromto, sense_place.
    """
    zero = zero_like(d.qpos)
    for sensor in range(m.nsensor):
        kind = m.sensor_type[sensor]
        if kind >= SENS_GEOMDIST and kind <= SENS_GEOMFROMTO:
            d.sense_dist[sensor] = zero + m.sensor_cutoff[sensor]
            d.sense_place[sensor] = zero - 1.0
            store(d.sense_fromto, sensor, (zero, zero, zero, zero, zero, zero))


@kernel
def measure_pairs(m, d):
    """Measure the pairs of one routine.

    Reads: geom_xpos, geom_xmat.
    Writes: sense_dist (m), sense_fromto (m), sense_place.
    """
    for k in range(m.sensor_pairadr[ROUTINE], m.sensor_pairadr[ROUTINE + 1]):
        cutoff = m.sensor_cutoff[m.sensor_pairid[k]]
        pair_distance(m, d, m.sensor_pairgeom1[k], m.sensor_pairgeom2[k], cutoff)
        keep_nearer(m, d, k)


@kernel
def keep_nearer(m, d, k):
    """Keep the distance of a pair where it is the smallest; of equal ones, that of the first."""
    sensor, place = m.sensor_pairid[k], 1.0 * m.sensor_pairplace[k]
    x, least = d.near_dist[0], d.sense_dist[sensor]
    nearer = (x < least) | ((x == least) & (place < d.sense_place[sensor]))
    d.sense_dist[sensor] = select(nearer, x, least)
    d.sense_place[sensor] = select(nearer, place, d.sense_place[sensor])
    for i in range(6):
        old = d.sense_fromto[6 * sensor + i]
        d.sense_fromto[6 * sensor + i] = select(nearer, d.near_fromto[i], old)


@kernel
def distance(m, d, sensor):
    """Smallest signed distances, at most the cutoff.

    Reads: sense_dist.
    Writes: sensordata (m).
    """
    put(m, d, sensor, 0, d.sense_dist[sensor])


@kernel
def normal(m, d, sensor):
    """Directions to the nearest points; zero beyond the cutoff.

    Reads: sense_fromto.
    Writes: sensordata.
    """
    zero = zero_like(d.qpos)
    ends = load6(d.sense_fromto, sensor)
    way = sub3((ends[3], ends[4], ends[5]), (ends[0], ends[1], ends[2]))
    apart = (way[0] != 0.0) | (way[1] != 0.0) | (way[2] != 0.0)
    unit, _ = normalize3(way)
    put3(m, d, sensor, select3(apart, unit, (zero, zero, zero)))


@kernel
def fromto(m, d, sensor):
    """Nearest points of both; zero beyond the cutoff.

    Reads: sense_fromto.
    Writes: sensordata (m).
    """
    for i in range(6):
        d.sensordata[m.sensor_adr[sensor] + i] = d.sense_fromto[6 * sensor + i]


def __getattr__(name: str) -> Callable:
    """`measure_pairs` by one routine, made when it is first asked for."""
    if name not in NEAR:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    k = NEAR.index(name)
    routine = kernel_at(colliders.ROUTINES[k], colliders.__package__)
    return entry(globals(), name, measure_pairs, pair_distance=routine, ROUTINE=k)
