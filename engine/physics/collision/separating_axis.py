"""Convex geoms that stay apart: the separating axis that was found last is tried first.

Boxes of neighbouring links overlap in every step although the links never touch. A separating axis
(all of one geom lies beyond the other in that direction) proves it with one support point of each,
and as geoms move little in a step, the one found last does so most of the time. Rabbitz: Fast
collision detection of moving convex polyhedra, 1994; van den Bergen: A fast and robust GJK
implementation for collision detection of convex objects, 1999.

What a thread remembers comes from whatever worlds it has seen, so results must not depend on it: a
proof counts only where the search would have found the geoms apart as well. Its finds of contact
are therefore checked, see `checked_depth`.
"""

from ...simd.kernel import kernel
from ...simd.lanes import load3, select, sqrt, store
from ...simd.spatial import add3
from ...tables.enums import GEOM_MESH
from .approach import approach
from .epa import epa
from .gjk import SIMPLEX, TRIAL
from .simplex import FAR, parts_of_tetrahedron, weights2, weights3
from .support import (
    CLIMB,
    GRAPH,
    KIND,
    MARGIN,
    SHAPE,
    TYPE,
    VERTEX,
    copy_vertex,
    geom_support,
    inner,
    shape_mat,
    times,
    to_global,
    to_local,
    vertex,
)

ROUNDING = 1e-10  # what numbers of the size of a scene may be wrong by (m)


@kernel
def slack(d):
    """Distance below which geoms may count as touching (m)."""
    return d.ccd_tolerance[0] + ROUNDING


@kernel
def memory_of(m, geom1, geom2, lane):
    """Place of what is remembered of two geoms; others may share it."""
    return ((31 * geom1 + geom2) & (m.nseparating - 1)) * m.width + lane


@kernel
def still_apart(m, d, place):
    """True if the axis remembered in a place separates the geoms of the pair beyond doubt."""
    local = load3(d.separating_axis, place)
    if local[0] == 0.0 and local[1] == 0.0 and local[2] == 0.0:
        return False
    # support points, from the vertices that were the last ones
    for o in range(2):
        start_at(m, d, o, d.separating_vertex[2 * place + o])
    axis = to_global(shape_mat(d, 0), local)
    low = inner(axis, geom_support(m, d, 0, times(axis, -1.0)))
    high = inner(axis, geom_support(m, d, 1, axis))
    grown = 0.5 * (d.ccd_shape[MARGIN] + d.ccd_shape[SHAPE + MARGIN])
    if low - high - grown > 3.0 * slack(d):
        d.separating_vertex[2 * place] = d.ccd_kind[CLIMB]
        d.separating_vertex[2 * place + 1] = d.ccd_kind[KIND + CLIMB]
        return True
    # a search starts afresh
    for o in range(2):
        d.ccd_kind[KIND * o + CLIMB] = d.ccd_kind[KIND * o + VERTEX] = -1
    return False


@kernel
def start_at(m, d, o, vertex):
    """Have the next search on geom o, if it climbs a hull with that vertex, begin there."""
    d.ccd_kind[KIND * o + CLIMB] = -1
    if d.ccd_kind[KIND * o + TYPE] == GEOM_MESH:
        graph = d.ccd_kind[KIND * o + GRAPH]
        if graph >= 0 and vertex < m.mesh_graph[graph]:
            d.ccd_kind[KIND * o + CLIMB] = vertex


@kernel
def remember(d, place, apart):
    """Keep the axis by which the last search found the pair apart, or forget the one kept."""
    axis = (0.0, 0.0, 0.0)
    if apart and d.ccd_count[SIMPLEX] == 0:
        axis = to_local(shape_mat(d, 0), load3(d.ccd_separating, 0))
        d.separating_vertex[2 * place] = d.ccd_kind[CLIMB]
        d.separating_vertex[2 * place + 1] = d.ccd_kind[KIND + CLIMB]
    store(d.separating_axis, place, axis)


@kernel
def checked_depth(m, d, nsimplex):
    """As `epa`, but for a flat simplex that only seems to contain the origin: 0.0, -1.

    Where the simplex comes nearer to the origin than the slack, no axis separates the geoms by
    more, and `still_apart` says nothing else. Other simplices are rare; a slower search decides.
    """
    if not meets(d, nsimplex) and are_apart(m, d, nsimplex):
        return 0.0, -1
    return epa(m, d, nsimplex)


@kernel
def meets(d, n):
    """True if a point of the simplex of n vertices, 2 to 4, is proven to lie near the origin."""
    a, b = vertex(d, 0), vertex(d, 1)
    w0, w1, w2, w3 = 0.0, 0.0, 0.0, 0.0
    c = e = a
    # weights of the nearest point: where it is the origin itself, of a tetrahedron's parts
    if n == 2:
        w0, w1 = weights2(a, b)
    elif n == 3:
        c = vertex(d, 2)
        w0, w1, w2 = weights3(a, b, c)
    else:
        c, e = vertex(d, 2), vertex(d, 3)
        w0, w1, w2, w3 = parts_of_tetrahedron(a, b, c, e)
    return near_origin(slack(d), a, b, c, e, w0, w1, w2, w3)


@kernel
def near_origin(most, a, b, c, e, w0, w1, w2, w3):
    """True if four points with weights, all of one sign, make one near the origin; any reals."""
    total = (w0 + w1) + (w2 + w3)
    sign = select(total < 0.0, -1.0, 1.0)
    w0, w1, w2, w3, total = sign * w0, sign * w1, sign * w2, sign * w3, sign * total
    valid = (w0 >= 0.0) & (w1 >= 0.0) & (w2 >= 0.0) & (w3 >= 0.0) & (total > 0.0)
    point = add3(add3(times(a, w0), times(b, w1)), add3(times(c, w2), times(e, w3)))
    return valid & (sqrt(inner(point, point)) <= most * total)


@kernel
def are_apart(m, d, nsimplex):
    """True if a search proves the geoms to be apart; the simplex stays as it was."""
    for k in range(nsimplex):
        copy_vertex(d, TRIAL + k, k)
    first, second = d.ccd_kind[CLIMB], d.ccd_kind[KIND + CLIMB]
    corner1, corner2 = d.ccd_kind[VERTEX], d.ccd_kind[KIND + VERTEX]
    _, length = approach(m, d, 2.0 * slack(d))
    d.ccd_kind[CLIMB], d.ccd_kind[KIND + CLIMB] = first, second
    d.ccd_kind[VERTEX], d.ccd_kind[KIND + VERTEX] = corner1, corner2
    for k in range(nsimplex):
        copy_vertex(d, k, TRIAL + k)
    return length == FAR or length > 2.0 * slack(d)
