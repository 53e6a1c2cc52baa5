"""The Gilbert-Johnson-Keerthi algorithm in all lanes of a pack at once, for pairs that touch.

A twin of `gjk` that goes the way of nearly all searches: from the centers to a simplex of three
vertices, then to a tetrahedron around the origin, or to a plane between the geoms. Lanes whose
search goes another way are left to `gjk`, so that the results are its own to the last bit.
"""

from ...simd.kernel import kernel
from ...simd.lanes import absolute, lane_any, load3, mask_not, select, sqrt, store
from ...simd.spatial import add3, cross, select3, sub3
from ...tables.enums import MINVAL
from .gjk import ITERATIONS
from .pair_support import pair_support
from .simplex import FAR, LARGE2, weights2, weights3
from .support import SMALL2, inner, times


@kernel
def pair_vertex(d, v):
    """Vertex v of the simplex."""
    return load3(d.pair_vertex, 3 * v)


@kernel
def put_vertex(d, v, mask, points):
    """Make three points, of the difference and of both geoms, vertex v where a mask is set."""
    if lane_any(mask):
        for k in range(3):
            at = 3 * v + k
            store(d.pair_vertex, at, select3(mask, points[k], load3(d.pair_vertex, at)))


@kernel
def move_vertex(d, target, source, mask):
    """Copy a vertex where a mask is set."""
    for k in range(9):
        there = d.pair_vertex[9 * target + k]
        d.pair_vertex[9 * target + k] = select(mask, d.pair_vertex[9 * source + k], there)


@kernel
def pair_gjk(m, d, geom1, geom2, active):
    """Look for a tetrahedron around the origin, or for a plane that separates the geoms.

    Args:
        m: model.
        d: data, with the poses of the pair.
        geom1: first geom.
        geom2: second geom.
        active: mask of the lanes that search.

    Returns:
        Masks of the lanes with a tetrahedron, which is `pair_vertex`, and of those in which the
        geoms are apart, along `pair_axis`. The others are left to `gjk`.
    """
    tolerance = m.opt_ccd_tolerance[0]
    epsilon, smallest = 0.5 * (tolerance * tolerance), tolerance * tolerance
    point = sub3(load3(d.pair_pos, 0), load3(d.pair_pos, 1))
    going, n = active, select(active, 0.0, -1.0)
    full = apart = active & mask_not(active)
    k, limit = 0, d.ccd_count[ITERATIONS]
    started = select(active, 0.0, 0.0)
    while k < limit and lane_any(going):
        square = inner(point, point)
        length = sqrt(square)
        # support point towards the origin
        points = pair_support(m, d, geom1, geom2, times(times(point, 1.0 / length), -1.0))
        candidate = points[0]
        # where the search would end here, see `gjk`, another one decides
        near = (square < smallest) | (inner(point, sub3(point, candidate)) < epsilon)
        going = going & mask_not(near)
        # support plane that separates the geoms
        parted = going & (inner(point, candidate) > 0.0)
        if lane_any(parted):
            axis = times(point, 1.0 / length)
            store(d.pair_axis, 0, select3(parted, axis, load3(d.pair_axis, 0)))
            apart, going = apart | parted, going & mask_not(parted)
        # the new vertex; a tetrahedron is gone on with below
        for v in range(4):
            put_vertex(d, v, going & (n == 1.0 * v), points)
        whole = going & (n == 3.0)
        started = select(whole, 1.0 * k, started)
        full, going = full | whole, going & mask_not(whole)
        # nearest point of the simplex
        n, after = reduce_pair(d, n, going)
        change = sub3(after, point)
        still = (
            (absolute(change[0]) < MINVAL)
            & (absolute(change[1]) < MINVAL)
            & (absolute(change[2]) < MINVAL)
        )
        going = going & mask_not(still) & (n > 0.0)
        point = after
        k += 1
    found, parted = enclose_pair(m, d, geom1, geom2, full, started)
    return found, apart | parted


@kernel
def reduce_pair(d, n, going):
    """Keep the vertices of the simplex that its point nearest to the origin needs.

    Args:
        d: data.
        n: vertices of the simplex before the newest, 0 to 2.
        going: mask of the lanes that are concerned.

    Returns:
        Number of vertices, and that point.
    """
    a, b, c = pair_vertex(d, 0), pair_vertex(d, 1), pair_vertex(d, 2)
    two, three = going & (n == 1.0), going & (n == 2.0)
    one = select(two, 0.0, 1.0)
    none = select(two, 0.0, 0.0)
    w = (one, none, none)
    if lane_any(two):
        u, v = weights2(a, b)
        w = select3(two, (u, v, 0.0), w)
    if lane_any(three):
        w = select3(three, weights3(a, b, c), w)
    # vertices without weight make way for those behind them
    in0, in1, in2 = w[0] != 0.0, w[1] != 0.0, w[2] != 0.0
    kept = select(in0, 1.0, 0.0) + select(in1, 1.0, 0.0) + select(in2, 1.0, 0.0)
    first = going & mask_not(in0)
    if lane_any(first):
        move_vertex(d, 0, 1, first & in1)
        move_vertex(d, 0, 2, first & mask_not(in1))
        move_vertex(d, 1, 2, first & in1)
    second = going & in0 & mask_not(in1) & in2
    if lane_any(second):
        move_vertex(d, 1, 2, second)
    w0 = select(in0, w[0], select(in1, w[1], w[2]))
    w1 = select(in0 & in1, w[1], w[2])
    point = times(pair_vertex(d, 0), w0)
    point = select3(kept > 1.0, add3(point, times(pair_vertex(d, 1), w1)), point)
    point = select3(kept > 2.0, add3(point, times(pair_vertex(d, 2), w[2])), point)
    return select(going, kept, n), point


@kernel
def pair_face(d, v1, v2, v3):
    """Unit normal of a face of the simplex, its distance from the origin (`FAR` if degenerate)."""
    a = pair_vertex(d, v1)
    normal = cross(sub3(pair_vertex(d, v3), a), sub3(pair_vertex(d, v2), a))
    square = inner(normal, normal)
    fine = (square > SMALL2) & (square < LARGE2)
    unit = times(normal, 1.0 / sqrt(square))
    return select3(fine, unit, normal), select(fine, inner(unit, a), FAR)


@kernel
def enclose_pair(m, d, geom1, geom2, active, started):
    """As `enclose`, in the lanes of a mask.

    Args:
        m: model.
        d: data, with the vertices of a tetrahedron.
        geom1: first geom.
        geom2: second geom.
        active: mask of the lanes that are concerned.
        started: iterations so far.

    Returns:
        Masks of the lanes with a tetrahedron around the origin, and of those with a plane between
        the geoms. The others are undecided.
    """
    found = apart = active & mask_not(active)
    k, limit = started, 1.0 * d.ccd_count[ITERATIONS]
    going = active & (k < limit)
    while lane_any(going):
        # heights and outward normals of the four faces, each opposite to the vertex of its number
        normal0, height0 = pair_face(d, 2, 1, 3)
        normal1, height1 = pair_face(d, 0, 2, 3)
        normal2, height2 = pair_face(d, 1, 0, 3)
        normal3, height3 = pair_face(d, 0, 1, 2)
        flat = (height0 == 0.0) | (height1 == 0.0) | (height2 == 0.0) | (height3 == 0.0)
        going = going & mask_not(flat)
        # of equal ones the last of a pair, the pairs alike
        one, three = mask_not(height0 < height1), mask_not(height2 < height3)
        low, high = select(one, height1, height0), select(three, height3, height2)
        upper = mask_not(low < high)
        lowest = select(upper, high, low)
        # the origin is within all faces
        within = going & (lowest > 0.0)
        found, going = found | within, going & mask_not(within)
        if not lane_any(going):
            break
        # a vertex beyond that face replaces the opposite one
        normal = select3(upper, select3(three, normal3, normal2), select3(one, normal1, normal0))
        points = pair_support(m, d, geom1, geom2, normal)
        parted = going & (inner(normal, points[0]) < 0.0)
        if lane_any(parted):
            store(d.pair_axis, 0, select3(parted, times(normal, -1.0), load3(d.pair_axis, 0)))
            apart, going = apart | parted, going & mask_not(parted)
        # exchange two others, so that normals stay outward
        at0, at1 = mask_not(upper | one), mask_not(upper) & one
        at2, at3 = upper & mask_not(three), upper & three
        exchange(d, 1, 2, at0 & going)
        exchange(d, 2, 3, at1 & going)
        exchange(d, 3, 0, at2 & going)
        exchange(d, 0, 1, at3 & going)
        put_vertex(d, 0, at0 & going, points)
        put_vertex(d, 1, at1 & going, points)
        put_vertex(d, 2, at2 & going, points)
        put_vertex(d, 3, at3 & going, points)
        k = k + 1.0
        going = going & (k < limit)
    return found, apart


@kernel
def exchange(d, one, two, mask):
    """Exchange two vertices where a mask is set."""
    if lane_any(mask):
        for k in range(9):
            x, y = d.pair_vertex[9 * one + k], d.pair_vertex[9 * two + k]
            d.pair_vertex[9 * one + k] = select(mask, y, x)
            d.pair_vertex[9 * two + k] = select(mask, x, y)
