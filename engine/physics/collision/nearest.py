"""Distances of convex geoms that are proven: where `gjk` has no proof, a slower search finds one.

`gjk` follows MuJoCo's, which takes a flat simplex for one that contains the origin now and then: it
then finds no distance although the geoms are well apart. A support plane proves a distance from
below, a point of the difference from above. The search keeps, of all simplices with the newest
support point, the one that comes nearest to the origin: what it has found never gets worse.
Contacts do without it; they come from MuJoCo's simplices.
"""

from ...simd.kernel import kernel, variant
from ...simd.lanes import absolute, load3, sqrt, store
from ...simd.spatial import cross, sub3
from .convex import signed_distance
from .epa import epa
from .gjk import FAR, ITERATIONS, SIMPLEX, TRIAL, finish, gjk, simplex_point
from .support import copy_vertex, discrete, inner, shape_pos, support, times, unit, vertex

ROUNDING = 1e-14  # of scalar products of points, relative to the lengths of both
PROOF = 1e-12  # error of a distance of polyhedra that counts as proven, by size of the simplex
MIN_ITERATIONS = 200
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
def near_enough(d):
    """Half the square of the tolerance: what is left of a gap between round geoms (m^2)."""
    return 0.5 * (d.ccd_tolerance[0] * d.ccd_tolerance[0])


@kernel
def extent(d, n):
    """Length of the longest of the first n vertices (m)."""
    most = 0.0
    for k in range(n):
        most = max(most, inner(vertex(d, k), vertex(d, k)))
    return sqrt(most)


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


@kernel
def approach(m, d, cutoff):
    """Point of the difference that is nearest to the origin, as weights of a simplex.

    Returns:
        Number of vertices, and their distance (m): `FAR` from the cutoff on, 0 when they contain
        the origin or nearly so.
    """
    # start at the support point on the line of the centers
    support(m, d, 0, unit(sub3(shape_pos(d, 1), shape_pos(d, 0))))
    d.ccd_weight[0] = 1.0
    n, length = 1, 0.0
    smooth = not discrete(d)
    for _ in range(max(d.ccd_count[ITERATIONS], MIN_ITERATIONS)):
        # point nearest to the origin so far
        point = simplex_point(d, 0, n)
        square = inner(point, point)
        length = sqrt(square)
        if n == 4 or length <= ROUNDING * extent(d, n):
            return n, 0.0
        # support plane: proven apart, or as near as can be
        support(m, d, n, times(point, -1.0 / length))
        along = inner(point, vertex(d, n))
        gap = square - along
        if along > 0.0 and along * along / square >= cutoff * cutoff:
            return n, FAR
        if gap <= ROUNDING * length * extent(d, n + 1) or (smooth and gap <= near_enough(d)):
            return n, length
        # a better simplex with the new vertex
        better = lower(d, n, square)
        if better == 0:
            return n, length
        n = better
    return n, length


@kernel
def lower(d, n, square):
    """Replace a simplex of n vertices by the best one with vertex n.

    Args:
        d: data.
        n: vertices so far, 1 to 3.
        square: square of the distance of what is to be replaced.

    Returns:
        Number of vertices; 0 when none comes nearer to the origin.
    """
    c = vertex(d, n)
    best, least, weights = 0, square, (0.0, 0.0, 0.0, 0.0)
    # a subset of the other vertices for each number, by its bits
    for subset in range(1 << n):
        # projection of the origin onto vertex n and the subset
        w = subset_weights(d, n, subset, c)
        total = (w[0] + w[1]) + (w[2] + w[3])
        if total > 0.0:
            p = times(c, w[3])
            for k in range(n):
                if w[k] > 0.0:
                    q = vertex(d, k)
                    p = (p[0] + w[k] * q[0], p[1] + w[k] * q[1], p[2] + w[k] * q[2])
            there = inner(p, p)
            if there < least:
                best, least, weights = subset + 1, there, w
    if best == 0:
        return 0
    # the best simplex, vertex n last
    kept = 0
    for k in range(n):
        if weights[k] > 0.0:
            copy_vertex(d, kept, k)
            d.ccd_weight[kept] = weights[k]
            kept += 1
    copy_vertex(d, kept, n)
    d.ccd_weight[kept] = weights[3]
    return kept + 1


@kernel
def member(subset, place):
    """Number of the bit that is set at a place, counted from the lowest."""
    for k in range(3):
        if (subset >> k) & 1:
            if place == 0:
                return k
            place -= 1
    return 0


@kernel
def subset_weights(d, n, subset, c):
    """Weights of the origin's projection onto some vertices and c; zero unless all are positive.

    Args:
        d: data.
        n: vertices besides c.
        subset: which of them, by bits.
        c: the vertex that takes part, whose weight is the fourth.
    """
    none = (0.0, 0.0, 0.0, 0.0)
    count = (subset & 1) + ((subset >> 1) & 1) + ((subset >> 2) & 1)
    if count == 0:
        return (0.0, 0.0, 0.0, 1.0)
    i = member(subset, 0)
    x = sub3(vertex(d, i), c)
    u = v = w = 0.0
    j, k = member(subset, 1), member(subset, 2)
    # onto a line, a plane or space: Cramer's rule
    if count == 1:
        square = inner(x, x)
        if square == 0.0:
            return none
        u = -inner(c, x) / square
    elif count == 2:
        y = sub3(vertex(d, j), c)
        normal = cross(x, y)
        square = inner(normal, normal)
        if square == 0.0:
            return none
        u = -inner(cross(c, y), normal) / square
        v = -inner(cross(x, c), normal) / square
    else:
        y, z = sub3(vertex(d, j), c), sub3(vertex(d, k), c)
        volume = inner(x, cross(y, z))
        if volume == 0.0:
            return none
        u = -inner(c, cross(y, z)) / volume
        v = -inner(x, cross(c, z)) / volume
        w = -inner(x, cross(y, c)) / volume
    # projection outside of the simplex
    rest = 1.0 - u - v - w
    if not (u > 0.0 and rest > 0.0) or (count > 1 and not v > 0.0) or (count > 2 and not w > 0.0):
        return none
    # weights in the places of their vertices
    if count == 1:
        return (u if i == 0 else 0.0, u if i == 1 else 0.0, u if i == 2 else 0.0, rest)
    if count == 2:
        return (
            u if i == 0 else 0.0,
            u if i == 1 else v if j == 1 else 0.0,
            v if j == 2 else 0.0,
            rest,
        )
    return (u, v, w, rest)
