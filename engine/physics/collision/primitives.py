"""Narrow phase between planes, spheres, capsules and boxes: one routine for each pair of types."""

from ...simd.kernel import kernel
from ...simd.lanes import absolute, lane_any, load3, load9, mask_not, select, sqrt
from ...simd.spatial import (
    add3,
    addscl3,
    cross,
    dot3,
    mul_mat3,
    normalize3,
    plain_dot,
    scale3,
    select3,
    sub3,
)
from ...tables.enums import MINVAL
from .contact import axis_z, halfway, put_contact

FAR = 1e100  # a distance that nothing has (m)


@kernel
def middle_of(d, geom):
    """Position of a geom (m)."""
    return load3(d.geom_xpos, geom)


@kernel
def rod_size(m, d, geom):
    """Radius and half length of a capsule; the second means nothing of a sphere (m)."""
    return m.geom_size[3 * geom], m.geom_size[3 * geom + 1]


@kernel
def plane_sphere(m, d, plane, sphere, slot, margin, near):
    """Contact of one plane with one sphere."""
    pos, radius = load3(d.geom_xpos, sphere), m.geom_size[3 * sphere]
    plane_point(m, d, plane, slot, pos, radius, scale3(pos, 0.0), margin)


@kernel
def plane_point(m, d, plane, slot, pos, radius, tangent, margin):
    """Contact of a plane with a sphere at `pos`."""
    normal = axis_z(d, plane)
    height = dot3(sub3(pos, load3(d.geom_xpos, plane)), normal)
    on = height <= margin + radius
    if lane_any(on):
        dist = height - radius
        put_contact(d, slot, on, dist, addscl3(pos, normal, -0.5 * dist - radius), normal, tangent)


@kernel
def height_above(d, plane, pos):
    """Height of a point above a plane (m)."""
    return dot3(sub3(pos, load3(d.geom_xpos, plane)), axis_z(d, plane))


@kernel
def plane_capsule(m, d, plane, capsule, slot, margin, near):
    """Contacts of one plane with the two ends of one capsule, first tangent along the capsule.

    A single contact lies in the first slot, whichever end it is at: worlds of a pack share it.
    """
    radius, length = m.geom_size[3 * capsule], m.geom_size[3 * capsule + 1]
    axis, pos = axis_z(d, capsule), load3(d.geom_xpos, capsule)
    if lane_any(height_above(d, plane, pos) <= margin + radius + length):
        top, bottom = addscl3(pos, axis, length), addscl3(pos, axis, -length)
        first = height_above(d, plane, top) <= margin + radius
        plane_point(m, d, plane, slot, select3(first, top, bottom), radius, axis, margin)
        # the other end, where the first one touches
        if lane_any(first):
            reach = select(first, margin, -FAR)
            plane_point(m, d, plane, slot + 1, bottom, radius, axis, reach)


@kernel
def plane_box(m, d, plane, box, slot, margin, near):
    """Contacts of one plane with up to four corners of one box, those that point down first."""
    normal, pos = axis_z(d, plane), load3(d.geom_xpos, box)
    height = dot3(sub3(pos, load3(d.geom_xpos, plane)), normal)
    size, mat = load3(m.geom_size, box), load9(d.geom_xmat, box)
    found = 0.0 * height
    none = scale3(normal, 0.0)
    for k in range(8):
        x = size[0] if k & 1 else -size[0]
        y = size[1] if k & 2 else -size[1]
        z = size[2] if k & 4 else -size[2]
        corner = mul_mat3(mat, (x, y, z))
        drop = dot3(normal, corner)
        on = (height + drop <= margin) & (drop <= 0.0)
        if lane_any(on):
            dist = height + drop
            point = addscl3(add3(corner, pos), normal, -0.5 * dist)
            for place in range(4):
                put_contact(d, slot + place, on & (found == 1.0 * place), dist, point, normal, none)
            found = select(on, found + 1.0, found)


@kernel
def sphere_contact(d, geom1, geom2, pos1, radius1, pos2, radius2, margin):
    """Contact between two spheres that stand for parts of two geoms.

    Returns:
        Mask of lanes in contact, distance, position and normal.
    """
    dif = sub3(pos2, pos1)
    square = plain_dot(dif, dif)
    reach = margin + radius1 + radius2
    on = square <= reach * reach
    dist = sqrt(square) - radius1 - radius2
    normal, length = normalize3(dif)
    if lane_any(length < MINVAL):
        # same centers: perpendicular to both axes
        fallback, _ = normalize3(cross(axis_z(d, geom1), axis_z(d, geom2)))
        normal = select3(length < MINVAL, fallback, normal)
    return on, dist, halfway(normal, pos1, dist, radius1), normal


@kernel
def sphere_sphere(m, d, geom1, geom2, slot, margin, near):
    """Contact of one pair of spheres."""
    on, dist, pos, normal = sphere_contact(
        d, geom1, geom2,
        load3(d.geom_xpos, geom1), m.geom_size[3 * geom1],
        load3(d.geom_xpos, geom2), m.geom_size[3 * geom2], margin,
    )  # fmt: skip
    put_contact(d, slot, on, dist, pos, normal, scale3(normal, 0.0))


@kernel
def clip(x, low, high):
    """x, limited to low..high."""
    return select(x < low, low, select(x > high, high, x))


@kernel
def sphere_capsule(m, d, geom1, geom2, slot, margin, near):
    """Contact of one sphere with the nearest point of one capsule's segment."""
    pos1, pos2, axis = middle_of(d, geom1), middle_of(d, geom2), axis_z(d, geom2)
    radius1, _ = rod_size(m, d, geom1)
    radius2, length = rod_size(m, d, geom2)
    x = clip(dot3(axis, sub3(pos1, pos2)), -length, length)
    on, dist, pos, normal = sphere_contact(
        d, geom1, geom2, pos1, radius1, addscl3(pos2, axis, x), radius2, margin
    )
    put_contact(d, slot, on, dist, pos, normal, scale3(normal, 0.0))


@kernel
def capsule_capsule(m, d, geom1, geom2, slot, margin, near):
    """Contacts of two capsules: one between nearest points, up to two when parallel.

    Points on the segments are -1 <= x <= 1.
    """
    radius1, length1 = rod_size(m, d, geom1)
    radius2, length2 = rod_size(m, d, geom2)
    pos1, pos2 = middle_of(d, geom1), middle_of(d, geom2)
    axis1 = scale3(axis_z(d, geom1), length1)
    axis2 = scale3(axis_z(d, geom2), length2)
    # normal equations of the closest points of two lines
    dif = sub3(pos1, pos2)
    a, b, c = dot3(axis1, axis1), -dot3(axis1, axis2), dot3(axis2, axis2)
    u, v = -dot3(axis1, dif), dot3(axis2, dif)
    det = a * c - b * b
    skew = absolute(det) >= MINVAL
    none = scale3(dif, 0.0)
    if lane_any(skew):
        # axes not parallel: closest points, clamped to the segments
        inverse = 1.0 / select(skew, det, 1.0)
        x1, x2 = (c * u - b * v) * inverse, (a * v - b * u) * inverse
        over, under = x1 > 1.0, x1 < -1.0
        x2 = select(over, (v - b) / c, select(under, (v + b) / c, x2))
        x1 = clip(x1, -1.0, 1.0)
        over, under = x2 > 1.0, x2 < -1.0
        x1 = select(
            over, clip((u - b) / a, -1.0, 1.0), select(under, clip((u + b) / a, -1.0, 1.0), x1)
        )
        x2 = clip(x2, -1.0, 1.0)
        # contact as of two spheres
        on, dist, pos, normal = sphere_contact(
            d,
            geom1,
            geom2,
            addscl3(pos1, axis1, x1),
            radius1,
            addscl3(pos2, axis2, x2),
            radius2,
            margin,
        )
        put_contact(d, slot, on & skew, dist, pos, normal, none)
    # parallel axes: up to two contacts
    if lane_any(mask_not(skew)):
        found = select(skew, 2.0, 0.0) + 0.0 * det
        for end in range(4):
            # the ends of the first capsule, then those of the second, until two touch
            sign = -1.0 if end & 1 else 1.0
            if end < 2:
                x1, x2 = sign + 0.0 * det, clip((v - sign * b) / c, -1.0, 1.0)
            else:
                x1, x2 = clip((u - sign * b) / a, -1.0, 1.0), sign + 0.0 * det
            on, dist, pos, normal = sphere_contact(
                d,
                geom1,
                geom2,
                addscl3(pos1, axis1, x1),
                radius1,
                addscl3(pos2, axis2, x2),
                radius2,
                margin,
            )
            put_contact(d, slot, on & (found == 0.0), dist, pos, normal, none)
            put_contact(d, slot + 1, on & (found == 1.0), dist, pos, normal, none)
            found = select(on & (found < 2.0), found + 1.0, found)
