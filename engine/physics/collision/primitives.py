"""Narrow phase between planes, spheres, capsules and boxes: one stage for each pair of types.

Each stage runs over the candidate pairs of its types (`collider_pair`), the geom of the smaller
type first.
"""

from ...enums import MINVAL
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
from .contact import apart, axis_z, halfway, pair_margin, put_contact

PLANE_SPHERE, PLANE_CAPSULE, PLANE_BOX = range(3)
SPHERE_SPHERE, SPHERE_CAPSULE, CAPSULE_CAPSULE = range(3, 6)
PLANE_ELLIPSOID, PLANE_CYLINDER, SPHERE_CYLINDER, SPHERE_BOX = range(6, 10)
CAPSULE_BOX, BOX_BOX = range(10, 12)


@kernel
def plane_sphere(m, d):
    """Contacts of planes with spheres.

    Reads: geom_xpos, geom_xmat.
    Writes: con_any, con_on, con_dist (m), con_pos (m), con_frame.
    """
    start = d.collider_adr[PLANE_SPHERE]
    for i in range(start, start + d.collider_num[PLANE_SPHERE]):
        pair = d.collider_pair[i]
        geom1, geom2 = d.cand_geom1[pair], d.cand_geom2[pair]
        margin = pair_margin(m, d, pair)
        none = scale3(load3(d.geom_xpos, geom1), 0.0)
        plane_point(
            m,
            d,
            geom1,
            d.cand_slotadr[pair],
            load3(d.geom_xpos, geom2),
            m.geom_size[3 * geom2],
            none,
            margin,
        )


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
def plane_capsule(m, d):
    """Contacts of planes with the two ends of capsules, first tangent along the capsule.

    Reads: geom_xpos, geom_xmat.
    Writes: con_any, con_on, con_dist (m), con_pos (m), con_frame.
    """
    start = d.collider_adr[PLANE_CAPSULE]
    for i in range(start, start + d.collider_num[PLANE_CAPSULE]):
        pair = d.collider_pair[i]
        geom1, geom2 = d.cand_geom1[pair], d.cand_geom2[pair]
        margin = pair_margin(m, d, pair)
        capsule_ends(m, d, geom1, geom2, d.cand_slotadr[pair], margin)


@kernel
def capsule_ends(m, d, plane, capsule, slot, margin):
    """Contacts of one plane with the ends of one capsule."""
    radius, length = m.geom_size[3 * capsule], m.geom_size[3 * capsule + 1]
    axis, pos = axis_z(d, capsule), load3(d.geom_xpos, capsule)
    normal = axis_z(d, plane)
    height = dot3(sub3(pos, load3(d.geom_xpos, plane)), normal)
    if lane_any(height <= margin + radius + length):
        plane_point(m, d, plane, slot, addscl3(pos, axis, length), radius, axis, margin)
        plane_point(m, d, plane, slot + 1, addscl3(pos, axis, -length), radius, axis, margin)


@kernel
def plane_box(m, d):
    """Contacts of planes with up to four corners of boxes, those that point down first.

    Reads: geom_xpos, geom_xmat.
    Writes: con_any, con_on, con_dist (m), con_pos (m), con_frame.
    """
    start = d.collider_adr[PLANE_BOX]
    for i in range(start, start + d.collider_num[PLANE_BOX]):
        pair = d.collider_pair[i]
        geom1, geom2 = d.cand_geom1[pair], d.cand_geom2[pair]
        margin = pair_margin(m, d, pair)
        normal, pos = axis_z(d, geom1), load3(d.geom_xpos, geom2)
        height = dot3(sub3(pos, load3(d.geom_xpos, geom1)), normal)
        if lane_any(height <= margin + m.geom_rbound[geom2]):
            box_corners(m, d, geom1, geom2, d.cand_slotadr[pair], margin)


@kernel
def box_corners(m, d, plane, box, slot, margin):
    """Put the lowest corners of one box into four slots."""
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
def sphere_sphere(m, d):
    """Contacts of spheres with spheres.

    Reads: geom_xpos, geom_xmat.
    Writes: con_any, con_on, con_dist (m), con_pos (m), con_frame.
    """
    start = d.collider_adr[SPHERE_SPHERE]
    for i in range(start, start + d.collider_num[SPHERE_SPHERE]):
        pair = d.collider_pair[i]
        geom1, geom2 = d.cand_geom1[pair], d.cand_geom2[pair]
        margin = pair_margin(m, d, pair)
        if lane_any(mask_not(apart(m, d, geom1, geom2, margin))):
            sphere_pair(m, d, geom1, geom2, d.cand_slotadr[pair], margin)


@kernel
def sphere_pair(m, d, geom1, geom2, slot, margin):
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
def sphere_capsule(m, d):
    """Contacts of spheres with capsules: the nearest point of the capsule's segment decides.

    Reads: geom_xpos, geom_xmat.
    Writes: con_any, con_on, con_dist (m), con_pos (m), con_frame.
    """
    start = d.collider_adr[SPHERE_CAPSULE]
    for i in range(start, start + d.collider_num[SPHERE_CAPSULE]):
        pair = d.collider_pair[i]
        geom1, geom2 = d.cand_geom1[pair], d.cand_geom2[pair]
        margin = pair_margin(m, d, pair)
        if lane_any(mask_not(apart(m, d, geom1, geom2, margin))):
            sphere_on_capsule(m, d, geom1, geom2, d.cand_slotadr[pair], margin)


@kernel
def sphere_on_capsule(m, d, geom1, geom2, slot, margin):
    """Contact of one sphere with one capsule."""
    pos1, pos2, axis = load3(d.geom_xpos, geom1), load3(d.geom_xpos, geom2), axis_z(d, geom2)
    length = m.geom_size[3 * geom2 + 1]
    x = clip(dot3(axis, sub3(pos1, pos2)), -length, length)
    on, dist, pos, normal = sphere_contact(
        d, geom1, geom2, pos1, m.geom_size[3 * geom1],
        addscl3(pos2, axis, x), m.geom_size[3 * geom2], margin,
    )  # fmt: skip
    put_contact(d, slot, on, dist, pos, normal, scale3(normal, 0.0))


@kernel
def capsule_capsule(m, d):
    """Contacts of capsules with capsules: one between nearest points, up to two when parallel.

    Reads: geom_xpos, geom_xmat.
    Writes: con_any, con_on, con_dist (m), con_pos (m), con_frame.
    """
    start = d.collider_adr[CAPSULE_CAPSULE]
    for i in range(start, start + d.collider_num[CAPSULE_CAPSULE]):
        pair = d.collider_pair[i]
        geom1, geom2 = d.cand_geom1[pair], d.cand_geom2[pair]
        margin = pair_margin(m, d, pair)
        if lane_any(mask_not(apart(m, d, geom1, geom2, margin))):
            capsule_pair(m, d, geom1, geom2, d.cand_slotadr[pair], margin)


@kernel
def capsule_pair(m, d, geom1, geom2, slot, margin):
    """Contacts of one pair of capsules; points on the segments are -1 <= x <= 1."""
    radius1, radius2 = m.geom_size[3 * geom1], m.geom_size[3 * geom2]
    pos1, pos2 = load3(d.geom_xpos, geom1), load3(d.geom_xpos, geom2)
    axis1 = scale3(axis_z(d, geom1), m.geom_size[3 * geom1 + 1])
    axis2 = scale3(axis_z(d, geom2), m.geom_size[3 * geom2 + 1])
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
