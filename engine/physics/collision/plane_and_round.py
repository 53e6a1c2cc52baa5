"""Narrow phase of ellipsoids and cylinders where closed forms exist: planes and spheres."""

from ...simd.kernel import kernel
from ...simd.lanes import absolute, lane_any, load3, load9, mask_not, select, sqrt
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
from ...tables.enums import MINVAL
from .contact import axis_z, put_contact
from .primitives import sphere_contact


@kernel
def plane_ellipsoid(m, d, plane, ellipsoid, slot, margin, near):
    """Contact of one plane with the lowest point of one ellipsoid."""
    normal, pos = axis_z(d, plane), load3(d.geom_xpos, ellipsoid)
    height = dot3(sub3(pos, load3(d.geom_xpos, plane)), normal)
    size, mat = load3(m.geom_size, ellipsoid), load9(d.geom_xmat, ellipsoid)
    down = mul_matT3(mat, scale3(normal, -1.0))
    # where the ellipsoid's normal is `down`: stretch to the unit sphere and back
    unit, _ = normalize3((down[0] * size[0], down[1] * size[1], down[2] * size[2]))
    low = mul_mat3(mat, (unit[0] * size[0], unit[1] * size[1], unit[2] * size[2]))
    dist = height + dot3(low, normal)
    point = addscl3(add3(pos, low), normal, -0.5 * dist)
    put_contact(d, slot, dist <= margin, dist, point, normal, scale3(normal, 0.0))


@kernel
def plane_cylinder(m, d, plane, cylinder, slot, margin, near):
    """Contacts of one plane with the lowest line of a cylinder's side, and three points of a disk.

    They are the lowest points of the lower and of the upper rim, and the two points that make an
    equilateral triangle with the first.
    """
    # height of the center, axis turned downward
    normal, pos = axis_z(d, plane), load3(d.geom_xpos, cylinder)
    height = dot3(sub3(pos, load3(d.geom_xpos, plane)), normal)
    radius, length = m.geom_size[3 * cylinder], m.geom_size[3 * cylinder + 1]
    axis = axis_z(d, cylinder)
    slope = dot3(normal, axis)
    up = slope > 0.0
    axis, slope = scale3(axis, select(up, -1.0, 1.0)), select(up, -slope, slope)
    # horizontal direction of the lowest point of a rim; of flat disks, the x axis
    out = sub3(scale3(axis, slope), normal)
    square = dot3(out, out)
    tilted = square >= MINVAL * MINVAL
    x_axis = (
        d.geom_xmat[9 * cylinder], d.geom_xmat[9 * cylinder + 3], d.geom_xmat[9 * cylinder + 6],
    )  # fmt: skip
    out = select3(
        tilted,
        scale3(out, radius / sqrt(select(tilted, square, 1.0))),
        scale3(x_axis, radius),
    )
    # distance of the lowest point of the lower rim
    drop = dot3(out, normal)
    axis, slope = scale3(axis, length), slope * length
    dist = height + slope + drop
    on = dist <= margin
    if not lane_any(on):
        return
    # lowest points of both rims
    none = scale3(normal, 0.0)
    lower, upper = add3(pos, axis), sub3(pos, axis)
    put_contact(d, slot, on, dist, addscl3(add3(lower, out), normal, -0.5 * dist), normal, none)
    dist = height - slope + drop
    point = addscl3(add3(upper, out), normal, -0.5 * dist)
    put_contact(d, slot + 1, on & (dist <= margin), dist, point, normal, none)
    # triangle on the lower rim
    dist = height + slope - 0.5 * drop
    on = on & (dist <= margin)
    if lane_any(on):
        side, _ = normalize3(cross(out, axis))
        side = scale3(side, radius * 0.8660254037844386)
        middle = addscl3(addscl3(lower, out, -0.5), normal, -0.5 * dist)
        put_contact(d, slot + 2, on, dist, add3(middle, side), normal, none)
        put_contact(d, slot + 3, on, dist, sub3(middle, side), normal, none)


@kernel
def sphere_cylinder(m, d, geom1, geom2, slot, margin, near):
    """Contact of one sphere with one cylinder, by the region in which the sphere's center is."""
    ball, radius, length = (
        m.geom_size[3 * geom1],
        m.geom_size[3 * geom2],
        m.geom_size[3 * geom2 + 1],
    )
    pos1, pos2, axis = load3(d.geom_xpos, geom1), load3(d.geom_xpos, geom2), axis_z(d, geom2)
    # center along the axis and away from it
    offset = sub3(pos1, pos2)
    x = dot3(axis, offset)
    away = sub3(offset, scale3(axis, x))
    square = dot3(away, away)
    beside, above = absolute(x) < length, square < radius * radius
    # a center inside leaves through the nearest surface
    inside = beside & above
    cap_nearer = length - absolute(x) < radius - sqrt(square)
    above = above & (mask_not(inside) | cap_nearer)
    beside = beside & mask_not(above)
    # above a cap
    end = select(x > 0.0, 1.0, -1.0)
    if lane_any(above):
        normal = scale3(axis, end)
        height = dot3(sub3(pos1, addscl3(pos2, normal, length)), normal)
        dist = height - ball
        point = addscl3(pos1, normal, -0.5 * dist - ball)
        on = above & (height <= margin + ball)
        put_contact(d, slot, on, dist, point, scale3(normal, -1.0), scale3(normal, 0.0))
    # beside the round surface, or beyond a rim
    round_part = mask_not(above)
    if lane_any(round_part):
        rim = radius / sqrt(select(square > 0.0, square, 1.0))
        corner = add3(addscl3(pos2, axis, end * length), scale3(away, rim))
        nearest = select3(beside, addscl3(pos2, axis, x), corner)
        thick = select(beside, radius + 0.0 * x, 0.0)
        on, dist, point, normal = sphere_contact(
            d, geom1, geom2, pos1, ball, nearest, thick, margin
        )
        put_contact(d, slot, on & round_part, dist, point, normal, scale3(normal, 0.0))
