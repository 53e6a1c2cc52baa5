"""Shortest paths over spheres and cylinders, in lanes.

A path over a sphere lies in the plane of its centre and both ends, one over a cylinder is a helix:
both are found around a circle (documentation of MuJoCo, chapter Computation, section Tendons).
Where a mask does not hold, results mean nothing and are not used.
"""

from ...simd.elementary import acos, asin, atan2, sincos
from ...simd.kernel import kernel
from ...simd.lanes import (
    absolute,
    lane_any,
    load3,
    load9,
    mask_not,
    select,
    sqrt,
    zero_like,
)
from ...simd.spatial import (
    add3,
    addscl3,
    cross,
    dot3,
    mul_mat3,
    mul_matT3,
    normalize3,
    scale3,
    select3,
    sub3,
)
from ...tables.enums import MINVAL, WRAP_CYLINDER

TWO_PI = 6.283185307179586
CROSSING = -10000.0  # goodness of a way whose lines intersect

# search for the point where a path touches a circle from inside
FIRST, TOLERANCE, MOST_STEPS = 1.0 - 1e-7, 1e-6, 19


@kernel
def wrap(m, d, stop):
    """Path from one site over the geom at a stop to the next site.

    Args:
        m: model.
        d: data.
        stop: index of the geom along the paths of all tendons.

    Returns:
        Mask of lanes where the path touches the geom, length on its surface (m), and the points of
        first and last touch (m).
    """
    zero = zero_like(d.qpos)
    geom, side = m.wrap_objid[stop], m.wrap_side[stop]
    # sites in the frame of the geom
    centre, frame = load3(d.geom_xpos, geom), load9(d.geom_xmat, geom)
    radius = m.geom_size[3 * geom] + zero
    a = mul_matT3(frame, sub3(load3(d.site_xpos, m.wrap_objid[stop - 1]), centre))
    b = mul_matT3(frame, sub3(load3(d.site_xpos, m.wrap_objid[stop + 1]), centre))
    apart = (dot3(a, a) >= MINVAL * MINVAL) & (dot3(b, b) >= MINVAL * MINVAL)
    # plane of the path: across the cylinder, or through the sites
    if m.wrap_type[stop] == WRAP_CYLINDER:
        u, v = (zero + 1.0, zero, zero), (zero, zero + 1.0, zero)
    else:
        u, v = plane_axes(a, b)
    flat_a, flat_b = (dot3(a, u), dot3(a, v)), (dot3(b, u), dot3(b, v))
    # the shorter way round, or the one on which the side site is
    if side < 0:
        on, arc, first, last = around(flat_a, flat_b, radius, 0, flat_a)
    else:
        inner = mul_matT3(frame, sub3(load3(d.site_xpos, side), centre))
        toward = unit2((dot3(inner, u), dot3(inner, v)))
        toward = (radius * toward[0], radius * toward[1])
        on, arc, first, last = around(flat_a, flat_b, radius, 1, toward)
        # side site inside of the geom: the path touches it from inside
        within = sqrt(dot3(inner, inner)) < radius
        if lane_any(within):
            bent, point = inside(flat_a, flat_b, radius)
            on = (on & mask_not(within)) | (bent & within)
            arc = select(within, 0.0, arc)
            first, last = select2(within, point, first), select2(within, point, last)
    # points of touch in space
    on = on & apart
    point1 = addscl3(scale3(u, first[0]), v, first[1])
    point2 = addscl3(scale3(u, last[0]), v, last[1])
    if m.wrap_type[stop] == WRAP_CYLINDER:
        # the height rises evenly along the way
        before, after = distance2(flat_a, first), distance2(flat_b, last)
        slope = (b[2] - a[2]) / (before + arc + after)
        low, high = a[2] + slope * before, a[2] + slope * (before + arc)
        point1, point2 = (point1[0], point1[1], low), (point2[0], point2[1], high)
        arc = sqrt(arc * arc + (high - low) * (high - low))
    return on, arc, add3(centre, mul_mat3(frame, point1)), add3(centre, mul_mat3(frame, point2))


@kernel
def plane_axes(a, b):
    """Axes of the plane of two points and the origin, the first to point a."""
    u, _ = normalize3(a)
    normal, size = normalize3(cross(a, b))
    parallel = size < MINVAL
    if lane_any(parallel):
        # any plane through both: leave out the largest coordinate
        x, y, z = absolute(u[0]), absolute(u[1]), absolute(u[2])
        second, third = (y > x) & (y > z), (z > x) & (z > y)
        other = (
            select(second | third, 1.0, 0.0 * x),
            select(second, 0.0 * x, 1.0),
            select(third, 0.0 * x, 1.0),
        )
        any_normal, _ = normalize3(cross(u, other))
        normal = select3(parallel, any_normal, normal)
    v, _ = normalize3(cross(normal, u))
    return u, v


@kernel
def around(a, b, radius, sided, side):
    """Path from a to b around a circle.

    Args:
        a: start (2,).
        b: end (2,).
        radius: radius of the circle around the origin.
        sided: 1: the path shall pass on one side; 0: it takes the shorter way.
        side: point of the circle on that side.

    Returns:
        Mask of lanes with a path, its length on the circle, and both tangent points.
    """
    square, square_a, square_b = radius * radius, dot2(a, a), dot2(b, b)
    # no path where the straight line misses the circle on the wanted side
    along = (b[0] - a[0], b[1] - a[1])
    length = dot2(along, along)
    on = (square_a >= square) & (square_b >= square) & (radius >= MINVAL) & (length >= MINVAL)
    share = -dot2(along, a) / select(length >= MINVAL, length, 1.0)
    share = select(share < 0.0, 0.0, select(share > 1.0, 1.0, share))
    nearest = (a[0] + share * along[0], a[1] + share * along[1])
    clear = dot2(nearest, nearest) > square
    if sided:
        clear = clear & (dot2(side, nearest) >= 0.0)
    on = on & mask_not(clear)
    if not lane_any(on):
        return on, radius, a, b
    # tangents from both ends, in both ways round
    square_a, square_b = select(on, square_a, 1.0 + square), select(on, square_b, 1.0 + square)
    root_a, root_b = sqrt(square_a - square), sqrt(square_b - square)
    a1 = tangent(a, square_a, root_a, radius, square)
    b1 = tangent(b, square_b, -root_b, radius, square)
    a2 = tangent(a, square_a, -root_a, radius, square)
    b2 = tangent(b, square_b, root_b, radius, square)
    # the better way, if its lines do not cross
    good1, good2 = goodness(a, b, a1, b1, sided, side), goodness(a, b, a2, b2, sided, side)
    better = good1 > good2
    first, last = select2(better, a1, a2), select2(better, b1, b2)
    on = on & mask_not(intersecting(a, first, b, last))
    # length of the arc
    turn = first[1] * last[0] - first[0] * last[1]
    angle = atan2(select(better, turn, -turn), dot2(first, last))
    return on, radius * select(angle < 0.0, angle + TWO_PI, angle), first, last


@kernel
def tangent(point, square, root, radius, inner):
    """Touching point of a tangent from a point to a circle; the sign of the root is the side."""
    reach = radius * root
    return (
        (point[0] * inner + reach * point[1]) / square,
        (point[1] * inner - reach * point[0]) / square,
    )


@kernel
def goodness(a, b, first, last, sided, side):
    """Score of a way around a circle: higher on the requested side, or for a shorter way."""
    if sided:
        good = dot2(unit2((first[0] + last[0], first[1] + last[1])), side)
    else:
        apart = (first[0] - last[0], first[1] - last[1])
        good = -dot2(apart, apart)
    return select(intersecting(a, first, b, last), CROSSING, good)


@kernel
def intersecting(p1, p2, p3, p4):
    """True if the segments p1 p2 and p3 p4 intersect."""
    u, v = (p2[0] - p1[0], p2[1] - p1[1]), (p4[0] - p3[0], p4[1] - p3[1])
    w = (p1[0] - p3[0], p1[1] - p3[1])
    determinant = v[1] * u[0] - v[0] * u[1]
    crossing = absolute(determinant) >= MINVAL
    determinant = select(crossing, determinant, 1.0)
    on_first = (v[0] * w[1] - v[1] * w[0]) / determinant
    on_second = (u[0] * w[1] - u[1] * w[0]) / determinant
    crossing = crossing & (on_first >= 0.0) & (on_first <= 1.0)
    return crossing & (on_second >= 0.0) & (on_second <= 1.0)


@kernel
def inside(a, b, radius):
    """Path from a to b that touches a circle from inside, bent at one point.

    Both lines have the same angle to the normal of the circle there, of sine z: asin(A z) +
    asin(B z) - 2 asin(z) + G = 0 with A = radius / |a|, B = radius / |b|, and G the angle between a
    and b.

    Returns:
        Mask of lanes with a path, and the point.
    """
    length_a, length_b = sqrt(dot2(a, a)), sqrt(dot2(b, b))
    on = (length_a > radius) & (length_b > radius) & (radius >= MINVAL)
    on = on & (length_a >= MINVAL) & (length_b >= MINVAL)
    length_a, length_b = select(on, length_a, 1.0 + radius), select(on, length_b, 1.0 + radius)
    # no path where the straight line meets the circle
    along = (b[0] - a[0], b[1] - a[1])
    length = dot2(along, along)
    share = -dot2(along, a) / select(length > MINVAL, length, 1.0)
    nearest = (a[0] + share * along[0], a[1] + share * along[1])
    through = (length > MINVAL) & (share > 0.0) & (share < 1.0)
    on = on & mask_not(through & (sqrt(dot2(nearest, nearest)) <= radius))
    cosine = (length_a * length_a + length_b * length_b - length) / (2.0 * length_a * length_b)
    on = on & (cosine >= MINVAL - 1.0)
    # point of touch: half way, or from one end by the angle of the normal
    middle = unit2((0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1])))
    ratio_a, ratio_b = radius / length_a, radius / length_b
    wide = on & (cosine <= 1.0 - MINVAL)
    found, z = bend(ratio_a, ratio_b, select(wide, cosine, 0.0), wide)
    left = a[0] * b[1] - a[1] * b[0] > 0.0
    x, y = unit2(select2(left, a, b))
    sine, cosine = sincos(asin(z) - asin(select(left, ratio_a, ratio_b) * z))
    point = select2(found, (cosine * x - sine * y, sine * x + cosine * y), middle)
    return on, (radius * point[0], radius * point[1])


@kernel
def bend(ratio_a, ratio_b, cosine, wanted):
    """Root z of `bend_error` by Newton's method, which from above stays on one side.

    Returns:
        Mask of lanes that come to a root, and the root; a sine anyway.
    """
    angle = acos(cosine)
    z = FIRST + 0.0 * cosine
    error = bend_error(ratio_a, ratio_b, angle, z)
    found = wanted & (error <= 0.0)
    busy = found & (absolute(error) > TOLERANCE)
    for _ in range(MOST_STEPS):
        if not lane_any(busy):
            break
        slope = ratio_a / rise(ratio_a * z) + ratio_b / rise(ratio_b * z) - 2.0 / rise(z)
        step = error / slope
        lost = (slope > -MINVAL) | (step < 0.0) | (z - step < -1.0)
        going = busy & mask_not(lost)
        z = select(going, z - step, z)
        error = select(going, bend_error(ratio_a, ratio_b, angle, z), error)
        lost = busy & (lost | (error > TOLERANCE))
        found = found & mask_not(lost)
        busy = busy & mask_not(lost) & (absolute(error) > TOLERANCE)
    return found & mask_not(busy), z


@kernel
def bend_error(ratio_a, ratio_b, angle, z):
    """Sum of the angles at a point where a path touches a circle from inside; see `inside`."""
    return asin(ratio_a * z) + asin(ratio_b * z) - 2.0 * asin(z) + angle


@kernel
def rise(x):
    """Inverse derivative of asin(x)."""
    root = sqrt(1.0 - x * x)
    return select(root < MINVAL, MINVAL, root)


@kernel
def dot2(a, b):
    """Inner product."""
    return a[0] * b[0] + a[1] * b[1]


@kernel
def select2(mask, a, b):
    """a where the mask holds, else b."""
    return (select(mask, a[0], b[0]), select(mask, a[1], b[1]))


@kernel
def unit2(v):
    """Direction of a vector; the first axis where it has none."""
    length = sqrt(dot2(v, v))
    some = length >= MINVAL
    scale = 1.0 / select(some, length, 1.0)
    return (select(some, v[0] * scale, 1.0), select(some, v[1] * scale, 0.0))


@kernel
def distance2(a, b):
    """Distance of two points."""
    x, y = a[0] - b[0], a[1] - b[1]
    return sqrt(x * x + y * y)
