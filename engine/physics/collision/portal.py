"""Penetration by refinement of a portal, for models that switch the flag nativeccd off.

Snethen: XenoCollide: complex collision made simple, Game Programming Gems 7, 2008. The difference
of two geoms holds the origin where they meet. From a point inside of it, the centre, a ray leads to
the origin. Three support points through whose triangle the ray passes are a portal; the
portal moves outward until no support point lies farther in its direction. Its distance from the
origin is the depth: that along the ray, not the least of all directions.

Vertices lie in `ccd_vertex` as in `support`: the centre, the three of the portal, the next one.
Thresholds and order of sums are those of libccd 2.1, which MuJoCo calls, so that both take the same
path.
"""

from ...simd.kernel import kernel
from ...simd.lanes import absolute, load3, sqrt, store
from ...simd.spatial import add3, cross, sub3
from .portal_support import portal_support
from .support import copy_vertex, inner, shape_pos, times, vertex

EPS = 2.220446049250313e-16  # what counts as zero (m)
NEXT = 4  # vertex that may enter the portal
TURNS = 1000  # most changes of a portal before the origin is inside
APART, OPEN, AXIAL = 0, 1, 2  # no origin inside; a portal was found; the ray ends in vertex 1


@kernel
def same(a, b):
    """True if numbers are equal up to rounding."""
    gap = absolute(a - b)
    return gap < EPS or gap < EPS * max(absolute(a), absolute(b))


@kernel
def direction_of(v):
    """Unit vector, however short the vector is; zero for zero."""
    square = inner(v, v)
    if not square > 0.0:
        return (0.0, 0.0, 0.0)
    return times(v, 1.0 / sqrt(square))


@kernel
def normal_of(a, b, c):
    """Unit normal of a triangle."""
    return direction_of(cross(sub3(b, a), sub3(c, a)))


@kernel
def portal_normal(d):
    """Direction out of the portal."""
    return normal_of(vertex(d, 1), vertex(d, 2), vertex(d, 3))


@kernel
def find_portal(m, d):
    """Look for a triangle that the ray passes; returns APART, OPEN or AXIAL."""
    # a point inside of the difference, and the ray from it to the origin
    first, second = shape_pos(d, 0), shape_pos(d, 1)
    center = sub3(first, second)
    if max(absolute(center[0]), absolute(center[1]), absolute(center[2])) < EPS:
        # any point inside will do
        center = (center[0] + 10.0 * EPS, center[1], center[2])
    store(d.ccd_vertex, 0, center)
    store(d.ccd_vertex, 1, first)
    store(d.ccd_vertex, 2, second)
    # first vertex: along the ray
    toward = direction_of(times(center, -1.0))
    portal_support(m, d, 1, toward)
    near = vertex(d, 1)
    if not inner(near, toward) >= EPS:
        return APART
    # second vertex: across the plane of the ray and the first
    side = cross(center, near)
    if inner(side, side) < EPS:
        touching = max(absolute(near[0]), absolute(near[1]), absolute(near[2])) < EPS
        return APART if touching else AXIAL
    toward = direction_of(side)
    portal_support(m, d, 2, toward)
    if not inner(vertex(d, 2), toward) >= EPS:
        return APART
    # third vertex: across the plane of the center and both
    toward = normal_of(center, near, vertex(d, 2))
    if inner(toward, center) > 0.0:
        # the triangle of the centre with both vertices faces the origin
        copy_vertex(d, NEXT, 1)
        copy_vertex(d, 1, 2)
        copy_vertex(d, 2, NEXT)
        toward = times(toward, -1.0)
    return close_portal(m, d, toward)


@kernel
def close_portal(m, d, toward):
    """Turn the triangle of the centre and two vertices about the ray until it passes a third."""
    center = vertex(d, 0)
    for _ in range(TURNS):
        portal_support(m, d, 3, toward)
        third = vertex(d, 3)
        if not inner(third, toward) >= EPS:
            return APART
        if inner(cross(vertex(d, 1), third), center) <= -EPS:
            copy_vertex(d, 2, 3)
        elif inner(cross(third, vertex(d, 2)), center) <= -EPS:
            copy_vertex(d, 1, 3)
        else:
            return OPEN
        toward = normal_of(center, vertex(d, 1), vertex(d, 2))
    return APART


@kernel
def is_final(d, toward):
    """True if the next vertex lies hardly farther than the portal."""
    height = inner(vertex(d, NEXT), toward)
    rise = min(
        height - inner(vertex(d, 1), toward),
        height - inner(vertex(d, 2), toward),
        height - inner(vertex(d, 3), toward),
    )
    return rise < d.ccd_tolerance[0] or same(rise, d.ccd_tolerance[0])


@kernel
def expand(d):
    """Replace the vertex of the portal without which the ray still passes it."""
    side = cross(vertex(d, NEXT), vertex(d, 0))
    if inner(vertex(d, 1), side) > 0.0:
        copy_vertex(d, 1 if inner(vertex(d, 2), side) > 0.0 else 3, NEXT)
    else:
        copy_vertex(d, 2 if inner(vertex(d, 3), side) > 0.0 else 1, NEXT)


@kernel
def reach_origin(m, d):
    """Move the portal outward until the origin is behind it; returns whether it gets there."""
    for _ in range(TURNS):
        toward = portal_normal(d)
        if inner(toward, toward) == 0.0:
            return False
        if inner(toward, vertex(d, 1)) > -EPS:
            return True
        portal_support(m, d, NEXT, toward)
        if not inner(vertex(d, NEXT), toward) > -EPS or is_final(d, toward):
            return False
        expand(d)
    return False


@kernel
def segment_point(a, b):
    """Point of a segment that is nearest to the origin."""
    way = sub3(b, a)
    square = inner(way, way)
    t = -inner(a, way) / square if square > 0.0 else 0.0
    if t < EPS:
        return a
    if t > 1.0 or same(t, 1.0):
        return b
    return add3(times(way, t), a)


@kernel
def triangle_point(a, b, c):
    """Point of a triangle that is nearest to the origin.

    It minimizes |a + s (b - a) + t (c - a)|, or lies on an edge.
    """
    one, two = sub3(b, a), sub3(c, a)
    v, w, r = inner(one, one), inner(two, two), inner(one, two)
    p, q = inner(a, one), inner(a, two)
    square = w * v - r * r
    if absolute(square) >= EPS:
        s = (q * r - w * p) / square
        t = (-s * r - q) / w
        inside = s > -EPS and t > -EPS and s + t < 1.0
        if inside or (s > -EPS and t > -EPS and same(s + t, 1.0)):
            return add3(add3(a, times(one, s)), times(two, t))
    best = segment_point(a, b)
    for k in range(2):
        other = segment_point(a, c) if k == 0 else segment_point(b, c)
        if inner(other, other) < inner(best, best):
            best = other
    return best


@kernel
def middle(d, k):
    """Sum of the points of both geoms that are vertex k."""
    return add3(load3(d.ccd_vertex, 3 * k + 1), load3(d.ccd_vertex, 3 * k + 2))


@kernel
def portal_point(d):
    """Midpoint of the contact: the origin as a mean of the centre and the portal."""
    v0, v1, v2, v3 = vertex(d, 0), vertex(d, 1), vertex(d, 2), vertex(d, 3)
    w0, w1 = inner(cross(v1, v2), v3), inner(cross(v3, v2), v0)
    w2, w3 = inner(cross(v0, v1), v3), inner(cross(v2, v1), v0)
    whole = w0 + w1 + w2 + w3
    if not whole >= EPS:
        toward = portal_normal(d)
        w0, w1 = 0.0, inner(cross(v2, v3), toward)
        w2, w3 = inner(cross(v3, v1), toward), inner(cross(v1, v2), toward)
        whole = w1 + w2 + w3
    if whole == 0.0:
        return times(middle(d, 1), 0.5)
    pos = add3(times(middle(d, 0), w0), times(middle(d, 1), w1))
    pos = add3(add3(pos, times(middle(d, 2), w2)), times(middle(d, 3), w3))
    return times(pos, 0.5 * (1.0 / whole))


@kernel
def portal_depth(m, d):
    """Penetration of the two shapes.

    Returns:
        Depth (m), 0 without penetration; normal from the first shape to the second; midpoint (m).
    """
    none, found = (0.0, 0.0, 0.0), find_portal(m, d)
    if found == APART:
        return 0.0, none, none
    if found == AXIAL:
        tip = vertex(d, 1)
        return sqrt(inner(tip, tip)), direction_of(tip), times(middle(d, 1), 0.5)
    if not reach_origin(m, d):
        return 0.0, none, none
    # push the portal outwards until no support point lies beyond it
    for _ in range(m.opt_ccd_iterations[0] + 1):
        toward = portal_normal(d)
        portal_support(m, d, NEXT, toward)
        if is_final(d, toward) or inner(toward, toward) == 0.0:
            break
        expand(d)
    near = triangle_point(vertex(d, 1), vertex(d, 2), vertex(d, 3))
    depth = sqrt(inner(near, near))
    if depth < EPS:
        return 0.0, none, none
    return depth, direction_of(near), portal_point(d)
