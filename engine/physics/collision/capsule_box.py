"""Narrow phase of capsules with boxes: the nearest point of the segment, and a second support.

All lengths are in the frame of the box. Points of the segment are -1 <= x <= 1. The nearest
feature of the box is a face, an edge or a corner; from it follows in which direction along the
segment a second sphere can rest on the box.
"""

from ...simd.elementary import smaller
from ...simd.kernel import kernel
from ...simd.lanes import absolute, lane_any, load3, load9, mask_not, select
from ...simd.spatial import add3, addscl3, dot3, mul_mat3, scale3, select3, sub3
from ...tables.enums import MINVAL
from .bounds import GROW, PAD
from .contact import axis_z, put_contact
from .primitives import clip, middle_of, rod_size
from .sphere_box import ball_on_box

INFINITE = 1e30
NONE = -4.0  # no step: there is no second point; steps are -2 to 2


@kernel
def turn_back(mat, v):
    """Transposed matrix times vector, rounded in the plain order of products and sums."""
    return (
        mat[0] * v[0] + mat[3] * v[1] + mat[6] * v[2],
        mat[1] * v[0] + mat[4] * v[1] + mat[7] * v[2],
        mat[2] * v[0] + mat[5] * v[1] + mat[8] * v[2],
    )


@kernel
def capsule_box(m, d, geom1, geom2, slot, margin, near):
    """Contacts of one capsule with one box, as of the spheres at two points of its segment."""
    # capsule in the frame of the box
    radius, length = rod_size(m, d, geom1)
    size = load3(m.geom_size, geom2)
    pos2, mat = load3(d.geom_xpos, geom2), load9(d.geom_xmat, geom2)
    pos = turn_back(mat, sub3(middle_of(d, geom1), pos2))
    axis = turn_back(mat, axis_z(d, geom1))
    half = scale3(axis, length)
    near = near & mask_not(past_faces(pos, half, size, radius + margin + PAD))
    if not lane_any(near):
        return
    # nearest feature of the box
    limit = margin + 2.0 * (radius + length + size[0] + size[1] + size[2])
    best, x, at_end, face = nearest_face(pos, half, size, limit)
    best, x, at_edge, edge, side, corner, y = nearest_edge(pos, half, size, length, best, x)
    at_face = at_end & mask_not(at_edge)
    # step along the segment to a second support, by feature
    beyond_face = second_over_face(pos, half, size, x, face)
    beyond_corner = second_from_corner(axis, half, size, x, corner)
    beyond_edge = second_from_edge(axis, half, size, x, edge, corner, y)
    middle = side == 1.0
    beyond = select(
        at_edge, select(middle, beyond_edge, beyond_corner), select(at_face, beyond_face, NONE)
    )
    on = near & (at_edge | at_face)
    # spheres at both points
    for k in range(2):
        if k == 1:
            on = on & (beyond > NONE)
            x = x + beyond
        ball = add3(mul_mat3(mat, addscl3(pos, half, x)), pos2)
        touch, dist, point, normal = ball_on_box(ball, radius, pos2, mat, size, margin)
        put_contact(d, slot + k, on & touch, dist, point, normal, scale3(normal, 0.0))


@kernel
def past_faces(pos, half, size, reach):
    """True if a face of the box parts it from all that is within `reach` of the segment."""
    beyond = absolute(pos[0]) > GROW * (size[0] + absolute(half[0]) + reach)
    for k in range(1, 3):
        beyond = beyond | (absolute(pos[k]) > GROW * (size[k] + absolute(half[k]) + reach))
    return beyond


@kernel
def nearest_face(pos, half, size, limit):
    """The end of the segment that is nearest to a face, among ends over a face or inside.

    Returns:
        Squared distance; the end: -1 or 1; mask whether there is one; the face's axis, -1 inside.
    """
    zero = 0.0 * pos[0]
    best, x, face = limit + zero, zero, zero - 1.0
    found = best < zero
    for k in range(2):
        sign = -1.0 if k == 0 else 1.0
        # from the end to the nearest point of the box
        end = addscl3(pos, half, sign)
        nearest = (
            clip(end[0], -size[0], size[0]),
            clip(end[1], -size[1], size[1]),
            clip(end[2], -size[2], size[2]),
        )
        gap = sub3(nearest, end)
        # along how many axes, and the last of them
        outside, over = zero, zero - 1.0
        for axis in range(3):
            out = gap[axis] != 0.0
            outside = select(out, outside + 1.0, outside)
            over = select(out, 1.0 * axis, over)
        # keep it where it is over a face or inside
        square = dot3(gap, gap)
        nearer = (outside <= 1.0) & (square < best)
        best = select(nearer, square, best)
        x = select(nearer, sign, x)
        face = select(nearer, over, face)
        found = found | nearer
    return best, x, found, face


@kernel
def nearest_edge(pos, half, size, length, best, x):
    """The edge of the box that is nearer to the segment than `best`, the squared distance so far.

    Returns:
        Squared distance; point of the segment; mask whether an edge is nearer; its axis; where it
        is touched (0: lower end, 1: between, 2: upper end); that corner or the lower one, as a
        tuple of 0 and 1; the point of the edge, -1 to 1.
    """
    zero = 0.0 * pos[0]
    edge, side, y = zero, zero, zero
    corner = (zero, zero, zero)
    found = best < zero
    for axis in range(3):
        stretch = size[axis]
        for low in range(8):
            if low & (1 << axis):
                continue
            # middle of the edge, by its lower corner
            bits = (1.0 * (low & 1), 1.0 * ((low >> 1) & 1), 1.0 * ((low >> 2) & 1))
            unit = (
                1.0 if axis == 0 else 0.0, 1.0 if axis == 1 else 0.0, 1.0 if axis == 2 else 0.0,
            )  # fmt: skip
            center = (
                (2.0 * bits[0] - 1.0 + unit[0]) * size[0],
                (2.0 * bits[1] - 1.0 + unit[1]) * size[1],
                (2.0 * bits[2] - 1.0 + unit[2]) * size[2],
            )
            dif = sub3(center, pos)
            # closest points of edge and segment, and their squared distance
            skew, on_edge, on_segment, place = closest_points(stretch, length, half, dif, axis)
            gap = addscl3(dif, half, -on_segment)
            gap = addscl3(gap, unit, stretch * on_edge)
            square = dot3(gap, gap)
            nearer = skew & (square < best - MINVAL)
            # keep the nearest edge
            best = select(nearer, square, best)
            x = select(nearer, on_segment, x)
            y = select(nearer, on_edge, y)
            edge = select(nearer, 1.0 * axis, edge)
            side = select(nearer, place, side)
            upper = select(place == 2.0, 1.0, 0.0) + zero
            corner = select3(nearer, addscl3(bits, unit, upper), corner)
            found = found | nearer
    return best, x, found, edge, side, corner, y


@kernel
def closest_points(stretch, length, half, dif, axis):
    """Closest points of an edge of the box and the segment.

    Args:
        stretch: half the length of the edge.
        dif: from the middle of the segment to that of the edge.

    Returns:
        Mask of lines that are not parallel; points of edge and segment, -1 to 1; where the edge is
        touched (0: lower end, 1: between, 2: upper end).
    """
    a, b, c = stretch * stretch, -stretch * half[axis], length * length
    u, v = -stretch * dif[axis], half[0] * dif[0] + half[1] * dif[1] + half[2] * dif[2]
    det = a * c - b * b
    skew = absolute(det) >= MINVAL
    inverse = 1.0 / select(skew, det, 1.0)
    y, x = (c * u - b * v) * inverse, (a * v - b * u) * inverse
    over, under = y > 1.0, y < -1.0
    place = select(over, 2.0, select(under, 0.0, 1.0)) + 0.0 * x
    x = select(over, (v - b) / c, select(under, (v + b) / c, x))
    y = clip(y, -1.0, 1.0)
    over, under = x > 1.0, x < -1.0
    moved = select(over, (u - b) / a, (u + b) / a)
    clamped = over | under
    place = select(clamped & (moved > 1.0), 2.0, select(clamped & (moved < -1.0), 0.0, place))
    y = select(clamped, clip(moved, -1.0, 1.0), y)
    return skew, y, clip(x, -1.0, 1.0), place


@kernel
def pick(axis, v):
    """Component of a vector by an axis that differs between lanes."""
    return select(axis == 0.0, v[0], select(axis == 1.0, v[1], v[2]))


@kernel
def following(axis):
    """The axis after one that differs between lanes."""
    return select(axis == 2.0, 0.0, axis + 1.0)


@kernel
def steps(way, component):
    """Length of the segment, in halves, that spans `way` along an axis of the box."""
    moves = absolute(component) > 0.0
    return select(moves, way / select(moves, absolute(component), 1.0), INFINITE)


@kernel
def against(half, corner):
    """1 for each axis along which the segment points away from the corner's side, else 0."""
    zero = 0.0 * half[0]
    return (
        absolute(select(half[0] > 0.0, 1.0, 0.0) - corner[0]) + zero,
        absolute(select(half[1] > 0.0, 1.0, 0.0) - corner[1]) + zero,
        absolute(select(half[2] > 0.0, 1.0, 0.0) - corner[2]) + zero,
    )


@kernel
def second_from_corner(axis, half, size, x, corner):
    """Step along the segment from a corner to the second point: along an edge, or over a face.

    NONE where the segment points to or away from the corner.
    """
    differ = against(half, corner)
    count = differ[0] + differ[1] + differ[2]
    lone = select(count == 1.0, 1.0, 0.0) + 0.0 * x
    sign = select(count == 1.0, 1.0, -1.0)
    along = select(differ[0] == lone, 0.0, select(differ[1] == lone, 1.0, 2.0)) + 0.0 * x
    next1 = following(along)
    next2 = following(next1)
    component = pick(along, axis)
    ahead, behind = 1.0 - sign * x, 1.0 + sign * x
    by_edge = smaller(ahead, steps(2.0 * pick(along, size), pick(along, half)))
    by_face = smaller(behind, steps(2.0 * pick(next1, size), pick(next1, half)))
    by_face = smaller(by_face, steps(2.0 * pick(next2, size), pick(next2, half)))
    step = select(component * component > 0.5, sign * by_edge, -sign * by_face)
    return select((count == 1.0) | (count == 2.0), step, NONE)


@kernel
def second_from_edge(axis, half, size, x, edge, corner, y):
    """Step along the segment from an edge to the second point, over the flatter of its faces.

    NONE where the segment meets the edge from outside of both faces.
    """
    differ = against(half, corner)
    first = following(edge)
    second = following(first)
    steeper = absolute(pick(first, axis)) > absolute(pick(second, axis))
    along = select(steeper, first, second)
    count = differ[0] + differ[1] + differ[2] - pick(edge, differ)
    forward = pick(along, differ) == 1.0
    sign = select(forward, 1.0, -1.0)
    step = smaller(1.0 - sign * x, steps(2.0 * pick(along, size), pick(along, half)))
    rising = pick(edge, half) > 0.0
    same = (rising & forward) | (mask_not(rising) & mask_not(forward))
    rest = select(same, 1.0 - y, 1.0 + y)
    step = smaller(step, steps(pick(edge, size) * rest, pick(edge, half)))
    return select(count == 1.0, sign * step, NONE)


@kernel
def second_over_face(pos, half, size, x, face):
    """Step along the segment from its end `x` over a face to where it leaves the face.

    NONE where the end is inside the box.
    """
    end = addscl3(pos, half, x)
    step = 2.0 + 0.0 * x
    for axis in range(3):
        moves = (face != 1.0 * axis) & (half[axis] != 0.0)
        inverse = -x / select(moves, half[axis], 1.0)
        for k in range(2):
            sign = -1.0 if k else 1.0
            way = (sign * size[axis] - end[axis]) * inverse
            step = select(moves & (way > 0.0) & (way < step), way, step)
    return select(face < 0.0, NONE, -x * step)
