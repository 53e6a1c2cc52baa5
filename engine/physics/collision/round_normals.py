"""Normals of contacts on round geoms, from where the contact lies on them.

A portal stops at a direction that is right to the square root of its tolerance. Where a geom is
round, its own normal at the contact is better; of two round geoms, the mean counts.
"""

from ...simd.kernel import kernel
from ...simd.lanes import absolute, set_lane, sqrt
from ...simd.spatial import sub3
from ...tables.enums import (
    GEOM_CAPSULE,
    GEOM_CYLINDER,
    GEOM_ELLIPSOID,
    GEOM_HFIELD,
    GEOM_SPHERE,
    MINVAL,
)
from .convex import lane_vector
from .support import inner, lane_pose, times, to_global, to_local, unit

STEPS = 30  # most steps to the normal of an ellipsoid
CHANGE = 1e-6  # change of it that ends the search
BARREL = 0.95  # share of a cylinder's half length within which its wall counts
NEARER = 0.25  # the wall counts unless the end is nearer by this factor


@kernel
def inner_normal(normal, pos, size):
    """Normal of an ellipsoid from a point inside: rays along the normal, to its own foot.

    Args:
        normal: first guess, in the frame of the ellipsoid.
        pos: the point (m).
        size: half axes (m).

    Returns:
        The normal and whether one was found.
    """
    scale = (1.0 / (size[0] * size[0]), 1.0 / (size[1] * size[1]), 1.0 / (size[2] * size[2]))
    c = inner((pos[0] * pos[0], pos[1] * pos[1], pos[2] * pos[2]), scale) - 1.0
    normal = unit(normal)
    for step in range(STEPS):
        shrunk = (normal[0] * scale[0], normal[1] * scale[1], normal[2] * scale[2])
        # where the ray from the point along the normal leaves the ellipsoid: a x^2 + 2 b x + c = 0
        a, b = inner(normal, shrunk), inner(pos, shrunk)
        square = b * b - a * c
        if square < MINVAL or a < MINVAL:
            return normal, step > 0
        x = (sqrt(square) - b) / a
        if x < 0.0:
            return normal, step > 0
        new = unit(
            (
                (pos[0] + x * normal[0]) * scale[0],
                (pos[1] + x * normal[1]) * scale[1],
                (pos[2] + x * normal[2]) * scale[2],
            )
        )
        # a fixed point is the foot of the perpendicular: its normal is the ray's own direction
        gap = sub3(normal, new)
        normal = new
        if sqrt(inner(gap, gap)) < CHANGE:
            break
    return normal, True


@kernel
def outer_normal(pos, size):
    """Normal of an ellipsoid where it is nearest to a point outside: Newton's method.

    The multiplier x of the constraint solves sum (size pos / (size^2 + x))^2 = 1.
    """
    s0, s1, s2 = size[0] * size[0], size[1] * size[1], size[2] * size[2]
    p = (pos[0] * pos[0] * s0, pos[1] * pos[1] * s1, pos[2] * pos[2] * s2)
    x = 0.0
    for _ in range(STEPS):
        r0, r1, r2 = 1.0 / (s0 + x), 1.0 / (s1 + x), 1.0 / (s2 + x)
        value = inner(p, (r0 * r0, r1 * r1, r2 * r2)) - 1.0
        slope = -2.0 * inner(p, (r0 * r0 * r0, r1 * r1 * r1, r2 * r2 * r2))
        if value < CHANGE or slope > -MINVAL or -value / slope < CHANGE:
            break
        x = x - value / slope
    return unit((pos[0] / (s0 + x), pos[1] / (s1 + x), pos[2] / (s2 + x)))


@kernel
def ellipsoid_normal(normal, pos, size):
    """Normal of an ellipsoid next to a point, and whether one was found."""
    if min(size[0], size[1], size[2]) < MINVAL:
        return normal, False
    x, y, z = pos[0] / size[0], pos[1] / size[1], pos[2] / size[2]
    if x * x + y * y + z * z > 1.0:
        return outer_normal(pos, size), True
    return inner_normal(normal, pos, size)


@kernel
def round_normal(kind, normal, pos, size):
    """Outward normal of a round geom next to a point, all in the frame of the geom.

    Args:
        kind: type of the geom.
        normal: direction from the geom to the other one.
        pos: the point (m).
        size: sizes of the geom (m).

    Returns:
        The unit normal and whether the geom is round there.
    """
    if kind == GEOM_SPHERE:
        return unit(pos), True
    if kind == GEOM_CAPSULE:
        beyond = max(pos[2] - size[1], 0.0) + min(pos[2] + size[1], 0.0)
        return unit((pos[0], pos[1], beyond)), True
    if kind == GEOM_ELLIPSOID:
        normal, found = ellipsoid_normal(normal, pos, size)
        return unit(normal), found
    if kind == GEOM_CYLINDER and absolute(pos[2]) <= BARREL * size[1]:
        end = absolute(size[1] - absolute(pos[2]))
        wall = absolute(size[0] - sqrt(pos[0] * pos[0] + pos[1] * pos[1]))
        if end >= NEARER * wall:
            return unit((pos[0], pos[1], 0.0)), True
    return normal, False


@kernel
def geom_normal(m, d, geom, lane, point, normal):
    """`round_normal` in the global frame."""
    kind = m.geom_type[geom]
    if kind == GEOM_HFIELD:
        return normal, False
    pos, mat = lane_pose(d, geom, lane)
    size = lane_vector(m.geom_size, geom, lane)
    local, found = round_normal(kind, to_local(mat, normal), to_local(mat, sub3(point, pos)), size)
    if not found:
        return normal, False
    return to_global(mat, local), True


@kernel
def round_contact(m, d, geom1, geom2, k, lane):
    """Replace the normal of contact k of a pair, in one lane, where a geom is round."""
    point, axis = lane_vector(d.ccd_pos, k, lane), lane_vector(d.ccd_axis, k, lane)
    first, found1 = geom_normal(m, d, geom1, lane, point, axis)
    second, found2 = geom_normal(m, d, geom2, lane, point, times(axis, -1.0))
    if found1 and found2:
        axis = unit(sub3(first, second))
    elif found1:
        axis = first
    elif found2:
        axis = times(second, -1.0)
    for i in range(3):
        set_lane(d.ccd_axis, 3 * k + i, lane, axis[i])
