"""Nearest points of two convex geoms by a search that never gets worse.

`gjk` follows MuJoCo's, which takes a flat simplex for one that contains the origin now and then.
The search here keeps, of all simplices with the newest support point, the one that comes nearest to
the origin, and ends with a proof: a support plane proves a distance from below, a point of the
difference from above.
"""

from ...simd.kernel import kernel
from ...simd.lanes import sqrt
from ...simd.spatial import cross, sub3
from .gjk import ITERATIONS, simplex_point
from .simplex import FAR
from .support import copy_vertex, discrete, inner, shape_pos, support, times, unit, vertex

ROUNDING = 1e-14  # of scalar products of points, relative to the lengths of both
MIN_ITERATIONS = 200


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
