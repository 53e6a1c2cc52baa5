"""The expanding polytope algorithm in all lanes of a pack at once.

A twin of `epa` for polytopes that begin as a tetrahedron. Support points and planes of faces are
found in all lanes together; which faces a polytope has, and which of them see a vertex, is each
lane's own, and so is what `epa` shares with this.
"""

from ...simd.kernel import kernel
from ...simd.lanes import get_lane, lane_any, load3, mask_not, select, set_lane, sqrt
from ...simd.spatial import select3
from ...tables.enums import MINVAL
from .epa import find_horizon, has_room, join_horizon, list_horizon, nearest_candidate
from .gjk import COUNTS, ITERATIONS, NEDGE, NMAP, NVERT
from .pair_gjk import pair_vertex
from .pair_support import pair_support
from .polytope import (
    TETRAHEDRON,
    empty_polytope,
    face_point,
    find_planes,
    first_vertex,
    is_inward,
    list_face,
    new_face,
)
from .simplex import FAR, plane_point
from .support import SMALL2, inner


@kernel
def pair_epa(m, d, geom1, geom2, active):
    """Expand a polytope in each lane of a mask, from the tetrahedron in `pair_vertex`.

    Returns:
        Mask of the lanes that have a face nearest to the boundary of the difference, `pair_face`;
        -1 there: none. The others are left to `epa`.
    """
    done = start_polytopes(m, d, active)
    working = done
    tolerance = m.opt_ccd_tolerance[0]
    upper = select(working, FAR, FAR)
    upper2 = upper
    for _ in range(min(d.ccd_count[ITERATIONS], 1000)):
        # candidates nearest to the origin: lower bounds of the depths
        d.pair_working[0] = select(working, 1.0, 0.0)
        d.pair_bound[0] = upper2
        nearest_faces(m, d)
        working = d.pair_working[0] > 0.0
        if not lane_any(working):
            break
        # support points behind them: upper bounds
        point, lower = load3(d.pair_point, 0), sqrt(d.pair_bound[1])
        along = (point[0] / lower, point[1] / lower, point[2] / lower)
        points = pair_support(m, d, geom1, geom2, select3(lower > MINVAL, along, (1.0, 0.0, 0.0)))
        bound = inner(point, points[0]) / lower
        better = bound < upper
        upper, upper2 = select(better, bound, upper), select(better, bound * bound, upper2)
        working = working & mask_not(upper - lower < tolerance)
        if not lane_any(working):
            break
        # faces that see the new vertices make way for those around them
        d.pair_working[0] = select(working, 1.0, 0.0)
        d.pair_bound[0] = upper2
        add_vertices(m, d, points)
        grow_polytopes(m, d)
        working = d.pair_working[0] > 0.0
    return done


@kernel
def start_polytopes(m, d, active):
    """Make the tetrahedra of lanes polytopes; returns the mask of those that are some."""
    a, b = pair_vertex(d, 0), pair_vertex(d, 1)
    c, e = pair_vertex(d, 2), pair_vertex(d, 3)
    # the origin has to be on the inner side of each face, and off its plane
    working = active & is_inward(b, c, e, a) & is_inward(c, e, a, b)
    working = working & is_inward(e, a, b, c) & is_inward(a, b, c, e)
    # planes of the faces in the order of their table
    working = keep_plane(d, 0, working, c, b, a) & keep_plane(d, 1, working, b, e, a)
    working = keep_plane(d, 2, working, e, c, a) & keep_plane(d, 3, working, b, c, e)
    d.pair_working[0] = select(working, 1.0, 0.0)
    for lane in range(m.width):
        d.pair_face[lane] = -1
        if get_lane(d.pair_working, 0, lane) > 0.0:
            start_polytope(m, d, lane)
    return working


@kernel
def keep_plane(d, face, mask, a, b, c):
    """Keep the plane of a face of the tetrahedra; returns a mask without those that meet 0."""
    point, ok = plane_point(a, b, c)
    square = select(ok, inner(point, point), 0.0)
    for k in range(3):
        d.pair_plane[4 * face + k] = point[k]
    d.pair_plane[4 * face + 3] = square
    return mask & mask_not(square < SMALL2)


@kernel
def start_polytope(m, d, lane):
    """Copy the tetrahedron of a lane, with the planes of its faces, into the lane's polytope."""
    empty_polytope(m, d, lane)
    first, face = first_vertex(m, lane), m.nccdface * lane
    d.ccd_count[COUNTS * lane + NVERT] = first + 4
    for k in range(36):
        d.ccd_vertex[9 * first + k] = get_lane(d.pair_vertex, k, lane)
    for k in range(4):
        t = 6 * k
        new_face(
            d,
            lane,
            first + TETRAHEDRON[t],
            first + TETRAHEDRON[t + 1],
            first + TETRAHEDRON[t + 2],
            face + TETRAHEDRON[t + 3],
            face + TETRAHEDRON[t + 4],
            face + TETRAHEDRON[t + 5],
        )
        for i in range(4):
            d.ccd_face[4 * (face + k) + i] = get_lane(d.pair_plane, 4 * k + i, lane)
        list_face(d, lane, face + k)


@kernel
def nearest_faces(m, d):
    """Find the candidate nearest to the origin in each lane that works; some end here."""
    for lane in range(m.width):
        if get_lane(d.pair_working, 0, lane) > 0.0:
            previous = d.pair_face[lane]
            face, lower2 = nearest_candidate(m, d, lane, previous)
            if face < 0 or lower2 > get_lane(d.pair_bound, 0, lane):
                face, lower2 = previous, 0.0
            d.pair_face[lane] = face
            if lower2 <= 0.0:
                set_lane(d.pair_working, 0, lane, 0.0)
            else:
                set_lane(d.pair_bound, 1, lane, lower2)
                point = face_point(d, face)
                for k in range(3):
                    set_lane(d.pair_point, k, lane, point[k])


@kernel
def add_vertices(m, d, points):
    """Add the support points of all lanes to the polytopes of those that work."""
    for part in range(3):
        for k in range(3):
            d.pair_corner[3 * part + k] = points[part][k]
    for lane in range(m.width):
        if get_lane(d.pair_working, 0, lane) > 0.0:
            v = d.ccd_count[COUNTS * lane + NVERT]
            d.ccd_count[COUNTS * lane + NVERT] = v + 1
            for k in range(9):
                d.ccd_vertex[9 * v + k] = get_lane(d.pair_corner, k, lane)


@kernel
def grow_polytopes(m, d):
    """Replace the faces that see the newest vertex, in each lane that works; some end here."""
    waiting = 0
    for lane in range(m.width):
        if get_lane(d.pair_working, 0, lane) > 0.0:
            w = d.ccd_count[COUNTS * lane + NVERT] - 1
            edges = find_horizon(m, d, lane, d.pair_face[lane], w)
            if edges < 3:
                d.pair_face[lane] = -1
            if edges < 3 or not has_room(m, d, lane, edges):
                set_lane(d.pair_working, 0, lane, 0.0)
            else:
                d.pair_first[lane] = join_horizon(m, d, lane, w, waiting)
                waiting += edges
    find_planes(d, waiting)
    for lane in range(m.width):
        if get_lane(d.pair_working, 0, lane) > 0.0:
            lower2, upper2 = get_lane(d.pair_bound, 1, lane), get_lane(d.pair_bound, 0, lane)
            edges = d.ccd_count[COUNTS * lane + NEDGE]
            planes = list_horizon(d, lane, d.pair_first[lane], edges, lower2, upper2)
            if not planes:
                d.pair_face[lane] = -1
            if not planes or d.ccd_count[COUNTS * lane + NMAP] == m.nccdface * lane:
                set_lane(d.pair_working, 0, lane, 0.0)
