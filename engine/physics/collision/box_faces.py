"""Contacts of two boxes: the corners of a face clipped by a face, or around two crossing edges.

Points are listed lane by lane in `box_point`, midway between the surfaces, in a frame whose z axis
is the outward normal of the reference face and whose origin lies on it; `box_dist` is the distance.
"""

from ...simd.kernel import kernel
from ...simd.lanes import absolute, get_lane, lane_any, mask_not, select, set_lane, sqrt
from ...simd.spatial import add3, scale3, select3, sub3
from ...tables.enums import MINVAL
from .capsule_box import pick
from .primitives import clip


@kernel
def turn(code, v):
    """Components of v in the frame of a face: axis, + 3 for the negative side."""
    x = select(code == 0.0, -v[2], select(code == 3.0, v[2], select(code == 5.0, -v[0], v[0])))
    y = select(code == 1.0, -v[2], select(code == 4.0, v[2], v[1]))
    z = select(
        code == 0.0, v[0],
        select(
            code == 1.0, v[1],
            select(
                code == 3.0, -v[0],
                select(code == 4.0, -v[1], select(code == 5.0, -v[2], v[2])),
            ),
        ),
    )  # fmt: skip
    return (x, y, z)


@kernel
def keep(m_width, d, on, point, dist):
    """Append a point to the lists of the lanes of a mask."""
    if not lane_any(on):
        return
    zero = 0.0 * dist
    d.box_new[0], d.box_new[1], d.box_new[2] = point[0] + zero, point[1] + zero, point[2] + zero
    d.box_new[3], d.box_new[4] = dist, select(on, 1.0, 0.0) + zero
    for lane in range(m_width):
        if get_lane(d.box_new, 4, lane) > 0.0:
            n = int(get_lane(d.box_count, 0, lane))
            for k in range(3):
                set_lane(d.box_point, 3 * n + k, lane, get_lane(d.box_new, k, lane))
            set_lane(d.box_dist, n, lane, get_lane(d.box_new, 3, lane))
            set_lane(d.box_count, 0, lane, n + 1.0)


@kernel
def crossing(line, way, size, q, sign):
    """Crossing of a line with a side of the reference rectangle.

    Returns:
        Mask of lanes in which it does; point of the line, 0 to 1; the other coordinate there.
    """
    b = way[q]
    real = absolute(b) > MINVAL
    x = (sign * size[q] - line[q]) * (1.0 / select(real, b, 1.0))
    other = line[1 - q] + way[1 - q] * x
    return real & (x >= 0.0) & (x <= 1.0) & (absolute(other) <= size[1 - q]), x, other


@kernel
def face_points(m, d, on, code, second, axes, pos21, pos12, size1, size2, margin):
    """List the corners of the other box's nearest face, edge or corner within a face."""
    # axes and half sizes of the other box in the frame of the reference face
    rows = (
        (axes[0][0], axes[1][0], axes[2][0]),
        (axes[0][1], axes[1][1], axes[2][1]),
        (axes[0][2], axes[1][2], axes[2][2]),
    )
    r0 = turn(code, select3(second, rows[0], axes[0]))
    r1 = turn(code, select3(second, rows[1], axes[1]))
    r2 = turn(code, select3(second, rows[2], axes[2]))
    s = select3(second, size1, size2)
    size = turn(code, select3(second, size2, size1))
    size = (absolute(size[0]), absolute(size[1]), absolute(size[2]))
    # its lowest corner, and the edges that rise from there
    corner = turn(code, select3(second, pos12, pos21))
    corner = (corner[0], corner[1], corner[2] - size[2])
    low0, low1, low2 = r0[2] < 0.0, r1[2] < 0.0, r2[2] < 0.0
    corner = add3(corner, scale3(r0, s[0] * select(low0, 1.0, -1.0)))
    corner = add3(corner, scale3(r1, s[1] * select(low1, 1.0, -1.0)))
    corner = add3(corner, scale3(r2, s[2] * select(low2, 1.0, -1.0)))
    e0 = scale3(r0, s[0] * select(low0, -2.0, 2.0))
    e1 = scale3(r1, s[1] * select(low1, -2.0, 2.0))
    e2 = scale3(r2, s[2] * select(low2, -2.0, 2.0))
    # edges that run along the reference face
    flat0, flat1 = absolute(r0[2]) < 0.5, absolute(r1[2]) < 0.5
    flat2 = absolute(r2[2]) < 0.5
    # borders of its nearest face, or its nearest edge
    side1 = select3(flat0, e0, select3(flat1, e1, e2))
    side2 = select3(flat0 & flat1, e1, e2)
    edge = on & (flat0 | flat1 | flat2)
    face = on & ((flat0 & flat1) | (flat0 & flat2) | (flat1 & flat2))
    # borders cut by the sides of the reference rectangle
    for k in range(4):
        line = corner
        way = side1
        if k == 1:
            way = side2
        elif k == 2:
            line, way = add3(corner, side1), side2
        elif k == 3:
            line = add3(corner, side2)
        active = edge if k == 0 else face
        for q in range(2):
            for end in range(2):
                hit, x, _ = crossing(line, way, size, q, -1.0 if end == 0 else 1.0)
                keep_face(m, d, active & hit, add3(line, scale3(way, x)), margin)
    # corners of the reference face over the other face
    a, b, c, e = side1[0], side2[0], side1[1], side2[1]
    det = a * e - b * c
    inverse = 1.0 / select(det == 0.0, 1.0, det)
    for k in range(4):
        x0, y0 = select_sign(k // 2, size[0]), select_sign(k % 2, size[1])
        x, y = x0 - corner[0], y0 - corner[1]
        u, v = (x * e - y * b) * inverse, (y * a - x * c) * inverse
        inside = (u > 0.0) & (v > 0.0) & (u < 1.0) & (v < 1.0)
        point = (x0, y0, corner[2] + u * side1[2] + v * side2[2])
        keep_face(m, d, face & inside, point, margin)
    # corners of the other face over the reference face
    keep_face(m, d, on, corner, margin)
    for k in range(3):
        point = add3(corner, side2 if k == 1 else side1)
        if k == 2:
            point = add3(point, side2)
        inside = (absolute(point[0]) < size[0]) & (absolute(point[1]) < size[1])
        keep_face(m, d, (edge if k == 0 else face) & inside, point, margin)


@kernel
def select_sign(positive, x):
    """x or -x, for 1 and 0."""
    return x if positive == 1 else -x


@kernel
def keep_face(m, d, on, point, margin):
    """List a point over a face, moved half way to it, when it is within the margin."""
    on = on & (point[2] <= margin)
    middle = point[2] * 0.5
    keep(m.width, d, on, (point[0], point[1], middle), 2.0 * middle)


@kernel
def other_axes(across, first, second):
    """The axes of a box that are not an edge's: that of the larger component, the smaller one's.

    Args:
        across: axis of the edge, by lane.
        first, second: magnitudes along the two other axes, in MuJoCo's order of them.
    """
    one = select(across == 1.0, 0.0, 1.0)
    two = select(across == 2.0, 0.0, 2.0)
    swap = first < second
    return select(swap, two, one), select(swap, one, two)


@kernel
def pick3(axis, a, b, c):
    """Vector by an axis that differs between lanes."""
    return select3(axis == 0.0, a, select3(axis == 1.0, b, c))


@kernel
def edge_points(
    m, d, on, edge1, edge2, normal, inward, low1, low2, axes, pos21, size1, size2, margin
):
    """List points around two crossing edges, near the faces on whose borders they lie.

    Returns:
        The reference face of the first box; the normal in its frame.
    """
    zero = 0.0 * normal[0]
    # components of the edges' directions in the other box
    along1 = (pick(edge1, axes[0]), pick(edge1, axes[1]), pick(edge1, axes[2]))
    along2 = pick3(edge2, axes[0], axes[1], axes[2])
    # faces next to the edges: axes, and the reference face
    one, two = select(edge2 == 1.0, 0.0, 1.0) + zero, select(edge2 == 2.0, 0.0, 2.0) + zero
    near2, far2 = other_axes(edge2, absolute(pick(one, along1)), absolute(pick(two, along1)))
    one, two = select(edge1 == 1.0, 0.0, 1.0) + zero, select(edge1 == 2.0, 0.0, 2.0) + zero
    _, far1 = other_axes(edge1, absolute(pick(one, along2)), absolute(pick(two, along2)))
    # frame of the reference face
    code = select(pick(far1, low1) > 0.0, far1, far1 + 3.0)
    r0, r1, r2 = turn(code, axes[0]), turn(code, axes[1]), turn(code, axes[2])
    slide = turn(code, normal)
    size = turn(code, size1)
    size = (absolute(size[0]), absolute(size[1]), absolute(size[2]))
    center = turn(code, pos21)
    center = (center[0], center[1], center[2] - size[2])
    # corners of the second box's face, two of them the ends of its edge
    half1 = scale3(pick3(near2, r0, r1, r2), pick(near2, size2))
    half2 = scale3(pick3(far2, r0, r1, r2), pick(far2, size2))
    half = scale3(pick3(edge2, r0, r1, r2), pick(edge2, size2))
    sign1 = select(pick(near2, low2) > 0.0, 1.0, -1.0)
    sign2 = select(pick(far2, low2) > 0.0, 1.0, -1.0)
    front = add3(add3(center, scale3(half1, sign1)), scale3(half2, sign2))
    back = add3(add3(center, scale3(half1, -sign1)), scale3(half2, sign2))
    raw = (add3(front, half), sub3(front, half), add3(back, half), sub3(back, half))
    # the same projected along the normal onto the reference face
    on = on & (absolute(slide[2]) >= MINVAL)
    inverse = 1.0 / select(absolute(slide[2]) >= MINVAL, slide[2], 1.0)
    into = inverse * select(inward, -1.0, 1.0)
    flat = (
        add3(raw[0], scale3(slide, -raw[0][2] * inverse)),
        add3(raw[1], scale3(slide, -raw[1][2] * inverse)),
        add3(raw[2], scale3(slide, -raw[2][2] * inverse)),
        add3(raw[3], scale3(slide, -raw[3][2] * inverse)),
    )
    # crossings of borders, then corners of both faces
    edge_lines(m, d, on, raw, flat, size, into, margin)
    lines = d.box_count[0]
    edge_corners(m, d, on, raw, flat, size, lines == 0.0, margin)
    edge_ends(m, d, on, raw, flat, size, into, lines == 0.0, d.box_count[0] == 0.0, margin)
    return code, slide


@kernel
def edge_lines(m, d, on, raw, flat, size, into, margin):
    """Crossings of the projected face's borders with those of the reference face."""
    side1, side2 = sub3(flat[1], flat[0]), sub3(flat[2], flat[0])
    raw1, raw2 = sub3(raw[1], raw[0]), sub3(raw[2], raw[0])
    for k in range(4):
        line, high = flat[0], raw[0]
        way, rise = side1, raw1
        if k == 1:
            way, rise = side2, raw2
        elif k == 2:
            line, high = add3(line, side1), add3(high, raw1)
            way, rise = side2, raw2
        elif k == 3:
            line, high = add3(line, side2), add3(high, raw2)
        for q in range(2):
            for end in range(2):
                sign = -1.0 if end == 0 else 1.0
                hit, x, other = crossing(line, way, size, q, sign)
                hit = on & hit & ((high[2] + rise[2] * x) * into <= margin)
                point = add3(scale3(high, 0.5), scale3(rise, 0.5 * x))
                mine, its = 0.5 * sign * size[q], 0.5 * other
                px = point[0] + (mine if q == 0 else its)
                py = point[1] + (its if q == 0 else mine)
                keep(m.width, d, hit, (px, py, point[2]), point[2] * into * 2.0)


@kernel
def edge_corners(m, d, on, raw, flat, size, lonely, margin):
    """Corners of the reference face over the projected one.

    Args:
        lonely: mask of lanes in which no borders cross.
    """
    side1, side2 = sub3(flat[1], flat[0]), sub3(flat[2], flat[0])
    a, b, c, e = side1[0], side2[0], side1[1], side2[1]
    det = a * e - b * c
    for k in range(4):
        x0, y0 = select_sign(k // 2, size[0]), select_sign(k % 2, size[1])
        x, y = x0 - flat[0][0], y0 - flat[0][1]
        inverse = 1.0 / select(det == 0.0, 1.0, det)
        u, v = (x * e - y * b) * inverse, (y * a - x * c) * inverse
        out_u, out_v = (u < 0.0) | (u > 1.0), (v < 0.0) | (v > 1.0)
        hit = on & mask_not((out_u & out_v) | (mask_not(lonely) & (out_u | out_v)))
        u, v = clip(u, 0.0, 1.0), clip(v, 0.0, 1.0)
        over = add3(scale3(raw[0], 1.0 - u - v), add3(scale3(raw[1], u), scale3(raw[2], v)))
        gap = sub3((x0, y0, 0.0 * x0), over)
        square = gap[0] * gap[0] + gap[1] * gap[1] + gap[2] * gap[2]
        # MuJoCo divides by this square in the corners that follow
        det = select(hit, square, det)
        hit = hit & ((over[2] <= 0.0) | (square <= margin * margin))
        point = (0.5 * (x0 + over[0]), 0.5 * (y0 + over[1]), 0.5 * over[2])
        keep(m.width, d, hit, point, sqrt(square) * select(over[2] < 0.0, -1.0, 1.0))


@kernel
def edge_ends(m, d, on, raw, flat, size, into, lonely, empty, margin):
    """Corners of the other face over the reference face.

    Args:
        lonely: mask of lanes in which no borders cross.
        empty: mask of lanes without points so far.
    """
    for k in range(4):
        x, y, z = flat[k][0], flat[k][1], raw[k][2]
        out_x, out_y = (x < -size[0]) | (x > size[0]), (y < -size[1]) | (y > size[1])
        skip = (mask_not(lonely) & (out_x | out_y)) | (lonely & mask_not(empty) & out_x & out_y)
        near_x, near_y = clip(x, -size[0], size[0]), clip(y, -size[1], size[1])
        square = (x - near_x) * (x - near_x) + (y - near_y) * (y - near_y)
        square = square + z * into * z * into
        hit = on & mask_not(skip) & ((z <= 0.0) | (square <= margin * margin))
        point = (
            0.5 * near_x + 0.5 * raw[k][0], 0.5 * near_y + 0.5 * raw[k][1], 0.5 * raw[k][2],
        )  # fmt: skip
        keep(m.width, d, hit, point, sqrt(square) * select(z < 0.0, -1.0, 1.0))
