"""Narrow phase of boxes with spheres."""

from ...simd.kernel import kernel
from ...simd.lanes import absolute, lane_any, load3, load9, select
from ...simd.spatial import add3, addscl3, mul_mat3, mul_matT3, normalize3, scale3, select3, sub3
from ...tables.enums import MINVAL
from .contact import put_contact
from .primitives import clip


@kernel
def sphere_box(m, d, geom1, geom2, slot, margin, near):
    """Contact of one sphere with one box."""
    on, dist, pos, normal = ball_on_box(
        load3(d.geom_xpos, geom1), m.geom_size[3 * geom1],
        load3(d.geom_xpos, geom2), load9(d.geom_xmat, geom2), load3(m.geom_size, geom2),
        margin,
    )  # fmt: skip
    put_contact(d, slot, on, dist, pos, normal, scale3(normal, 0.0))


@kernel
def ball_on_box(pos1, radius, pos2, mat, size, margin):
    """Contact of a sphere with a box: its nearest point, or the nearest face for a center inside.

    Returns:
        Mask of lanes in contact, distance, position and normal.
    """
    # nearest point of the box
    center = mul_matT3(mat, sub3(pos1, pos2))
    nearest = (
        clip(center[0], -size[0], size[0]),
        clip(center[1], -size[1], size[1]),
        clip(center[2], -size[2], size[2]),
    )
    normal, dist = normalize3(sub3(nearest, center))
    on = dist - radius <= margin
    deepest = addscl3(center, normal, radius)
    point = addscl3(scale3(nearest, 0.5), deepest, 0.5)
    # center inside: the nearest face
    inside = dist <= MINVAL
    if lane_any(inside):
        zero = 0.0 * dist
        closest = 2.0 * (size[0] + size[1] + size[2]) + zero
        inward = (zero, zero, zero)
        for axis in range(3):
            unit = (
                1.0 if axis == 0 else 0.0, 1.0 if axis == 1 else 0.0, 1.0 if axis == 2 else 0.0,
            )  # fmt: skip
            for side in range(2):
                sign = -1.0 if side == 0 else 1.0
                depth = absolute(sign * size[axis] - center[axis])
                nearer = closest > depth
                closest = select(nearer, depth, closest)
                inward = select3(nearer, scale3(unit, -sign), inward)
        normal = select3(inside, inward, normal)
        point = select3(inside, addscl3(center, inward, 0.5 * (radius - closest)), point)
        dist = select(inside, -closest, dist)
    return on, dist - radius, add3(mul_mat3(mat, point), pos2), mul_mat3(mat, normal)
