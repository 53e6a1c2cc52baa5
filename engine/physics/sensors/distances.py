"""Sensors of distances between geoms or bodies: how far, in which direction, from where to where.

All pairs of their geoms are measured, routine by routine; the nearest pair counts.
"""

from ...enums import SENS_GEOMDIST, SENS_GEOMFROMTO, SENS_GEOMNORMAL
from ...simd.kernel import kernel, variant
from ...simd.lanes import load6, select, store, zero_like
from ...simd.spatial import normalize3, select3, sub3
from ..collision.distance import (
    BY_CAPSULE,
    BY_HFIELD,
    BY_PLANE,
    BY_SEARCH,
    BY_SPHERE,
    capsule_distance,
    hfield_distance,
    plane_distance,
    search_distance,
    sphere_distance,
)
from .write import put, put3


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
    """Measure the pairs of one routine."""
    for k in range(m.sensor_pairadr[BY_PLANE], m.sensor_pairadr[BY_PLANE + 1]):
        cutoff = m.sensor_cutoff[m.sensor_pairid[k]]
        plane_distance(m, d, m.sensor_pairgeom1[k], m.sensor_pairgeom2[k], cutoff)
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


measure_sphere_pairs = variant(measure_pairs, plane_distance=sphere_distance, BY_PLANE=BY_SPHERE)
measure_capsule_pairs = variant(measure_pairs, plane_distance=capsule_distance, BY_PLANE=BY_CAPSULE)
measure_hfield_pairs = variant(measure_pairs, plane_distance=hfield_distance, BY_PLANE=BY_HFIELD)
measure_search_pairs = variant(measure_pairs, plane_distance=search_distance, BY_PLANE=BY_SEARCH)


@kernel
def near_planes(m, d):
    """Pairs with a plane.

    Reads: geom_xpos, geom_xmat.
    Writes: sense_dist (m), sense_fromto (m), sense_place.
    """
    measure_pairs(m, d)


@kernel
def near_spheres(m, d):
    """Pairs with a sphere that have a routine of their own.

    Reads: geom_xpos, geom_xmat.
    Writes: sense_dist (m), sense_fromto (m), sense_place.
    """
    measure_sphere_pairs(m, d)


@kernel
def near_capsules(m, d):
    """Pairs with a capsule that have a routine of their own.

    Reads: geom_xpos, geom_xmat.
    Writes: sense_dist (m), sense_fromto (m), sense_place.
    """
    measure_capsule_pairs(m, d)


@kernel
def near_hfields(m, d):
    """Pairs with a height field.

    Reads: geom_xpos, geom_xmat.
    Writes: sense_dist (m), sense_fromto (m), sense_place.
    """
    measure_hfield_pairs(m, d)


@kernel
def near_others(m, d):
    """Pairs of other convex geoms.

    Reads: geom_xpos, geom_xmat.
    Writes: sense_dist (m), sense_fromto (m), sense_place.
    """
    measure_search_pairs(m, d)


@kernel
def distance(m, d):
    """Smallest signed distances, at most the cutoff.

    Reads: sense_dist.
    Writes: sensordata (m).
    """
    for k in range(m.sensor_typeadr[SENS_GEOMDIST], m.sensor_typeadr[SENS_GEOMDIST + 1]):
        sensor = m.sensor_order[k]
        put(m, d, sensor, 0, d.sense_dist[sensor])


@kernel
def normal(m, d):
    """Directions to the nearest points; zero beyond the cutoff.

    Reads: sense_fromto.
    Writes: sensordata.
    """
    zero = zero_like(d.qpos)
    for k in range(m.sensor_typeadr[SENS_GEOMNORMAL], m.sensor_typeadr[SENS_GEOMNORMAL + 1]):
        sensor = m.sensor_order[k]
        ends = load6(d.sense_fromto, sensor)
        way = sub3((ends[3], ends[4], ends[5]), (ends[0], ends[1], ends[2]))
        apart = (way[0] != 0.0) | (way[1] != 0.0) | (way[2] != 0.0)
        unit, _ = normalize3(way)
        put3(m, d, sensor, select3(apart, unit, (zero, zero, zero)))


@kernel
def fromto(m, d):
    """Nearest points of both; zero beyond the cutoff.

    Reads: sense_fromto.
    Writes: sensordata (m).
    """
    for k in range(m.sensor_typeadr[SENS_GEOMFROMTO], m.sensor_typeadr[SENS_GEOMFROMTO + 1]):
        sensor = m.sensor_order[k]
        for i in range(6):
            d.sensordata[m.sensor_adr[sensor] + i] = d.sense_fromto[6 * sensor + i]
