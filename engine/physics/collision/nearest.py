"""Distances of convex geoms that are proven: where `gjk` has no proof, a slower search finds one.

`gjk` follows MuJoCo's, which takes a flat simplex for one that contains the origin now and then: it
then finds no distance although the geoms are well apart. Contacts come from MuJoCo's simplices; see
`separating_axis` for those that are known to be wrong.
"""

from ...simd.kernel import kernel, variant
from ...simd.lanes import absolute, load3, sqrt, store
from ...simd.spatial import sub3
from .approach import ROUNDING, approach, extent
from .convex import signed_distance
from .epa import epa
from .gjk import SIMPLEX, TRIAL, finish, gjk, simplex_point
from .simplex import FAR
from .support import copy_vertex, discrete, inner, support, times, vertex

PROOF = 1e-12  # error of a distance of polyhedra that counts as proven, by size of the simplex
SEARCHED = 7  # index into ccd_count: 1 where a search was needed


@kernel
def proven_distance(m, d, cutoff):
    """As `gjk`, with the nearest points wherever geoms are apart."""
    dist = gjk(m, d, cutoff)
    if not cutoff > 0.0 or proven(m, d, dist):
        return dist
    return search(m, d, cutoff, dist)


@kernel
def depth(m, d, nsimplex):
    """As `epa`, from a simplex of its own where there is no polytope around that of `gjk`."""
    dist, face = epa(m, d, nsimplex)
    if face >= 0:
        return dist, face
    n, _ = approach(m, d, FAR)
    d.ccd_count[SEARCHED] = 1
    if n >= 2:
        dist, face = epa(m, d, n)
    return dist, face


searched_distance = variant(signed_distance, gjk=proven_distance, epa=depth)


@kernel
def proven_signed_distance(m, d, cutoff):
    """As `signed_distance`, right in all poses; depths are MuJoCo's wherever it finds one."""
    d.ccd_count[SEARCHED] = 0
    dist, _ = searched_distance(m, d, cutoff)
    if d.ccd_count[SEARCHED] and dist < 0.0:
        found, _ = signed_distance(m, d, cutoff)
        if found < 0.0:
            return found
        dist, _ = searched_distance(m, d, cutoff)
    return dist


@kernel
def proven(m, d, dist):
    """True if a distance that `gjk` has found is right: the simplex and a support plane say so."""
    n = d.ccd_count[SIMPLEX]
    # apart by a separating plane
    if dist == FAR:
        return n == 0
    if n < 1:
        return False
    # weights of a simplex
    total = 0.0
    for k in range(n):
        if d.ccd_weight[k] < 0.0:
            return False
        total = total + d.ccd_weight[k]
    if absolute(total - 1.0) > ROUNDING:
        return False
    # the point that they give, at the distance found
    point = simplex_point(d, 0, n)
    square = inner(point, point)
    if square < d.ccd_tolerance[0] * d.ccd_tolerance[0]:
        return n > 1
    if n == 4:
        return False
    length = sqrt(square)
    # where iterations run out, the distance is that of the simplex before
    if absolute(length - dist) > d.ccd_tolerance[0]:
        return False
    support(m, d, n, times(point, -1.0 / length))
    gap = inner(point, sub3(point, vertex(d, n)))
    # the distance is no less than length - gap / length
    slack = PROOF * extent(d, n + 1) if discrete(d) else d.ccd_tolerance[0]
    return gap <= slack * length


@kernel
def search(m, d, cutoff, dist):
    """Distance of the two geoms by `approach`; that of `gjk`, `dist`, where these are not apart."""
    n = d.ccd_count[SIMPLEX]
    for k in range(4):
        copy_vertex(d, TRIAL + k, k)
    point1, point2 = load3(d.ccd_point1, 0), load3(d.ccd_point2, 0)
    found, length = approach(m, d, cutoff)
    d.ccd_count[SEARCHED] = 1
    if length == FAR:
        return finish(d, 0, 0, FAR)
    tolerance = d.ccd_tolerance[0]
    apart, unknown = length > tolerance, n < 1 or dist == FAR
    alike = absolute(length - dist) <= tolerance and not discrete(d)
    if unknown or (apart and not alike) or (n == 1 and not apart):
        store(d.ccd_point1, 0, simplex_point(d, 1, found))
        store(d.ccd_point2, 0, simplex_point(d, 2, found))
        return finish(d, found, 1, length)
    # MuJoCo's simplex is as good
    for k in range(4):
        copy_vertex(d, k, TRIAL + k)
    store(d.ccd_point1, 0, point1)
    store(d.ccd_point2, 0, point2)
    return finish(d, n, 1, dist)
