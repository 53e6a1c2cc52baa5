"""Narrow phase of boxes with boxes: separating axes, then the clipped faces or crossing edges.

The axis of least penetration among 6 face normals and 9 products of edges decides. With a face, the
nearest face of the other box is clipped against it; with two edges, the face that is nearest to
them. Contacts that lie outside of both boxes, and duplicates, are left out.
"""

from ...simd.kernel import kernel
from ...simd.lanes import (
    absolute,
    get_lane,
    lane_any,
    load3,
    load9,
    mask_not,
    select,
    set_lane,
    sqrt,
)
from ...simd.spatial import cross, plain_dot, scale3, select3, sub3
from ...tables.enums import MINVAL
from .box_faces import edge_points, face_points, turn
from .capsule_box import turn_back
from .contact import put_contact
from .slots import BOX_SLOTS

OUTSIDE = 1.01  # relative size beyond which a contact is outside of a box


@kernel
def column(mat, k):
    """Column k of a matrix."""
    return (mat[k], mat[3 + k], mat[6 + k])


@kernel
def box_box(m, d, geom1, geom2, slot, margin, near):
    """Contacts of one pair of boxes."""
    pos1, mat1 = load3(d.geom_xpos, geom1), load9(d.geom_xmat, geom1)
    pos2, mat2 = load3(d.geom_xpos, geom2), load9(d.geom_xmat, geom2)
    size1, size2 = load3(m.geom_size, geom1), load3(m.geom_size, geom2)
    # relative pose, in the frames of both boxes
    pos21, pos12 = turn_back(mat1, sub3(pos2, pos1)), turn_back(mat2, sub3(pos1, pos2))
    # columns: axes of the second box in the frame of the first
    axes = (
        turn_back(mat1, column(mat2, 0)),
        turn_back(mat1, column(mat2, 1)),
        turn_back(mat1, column(mat2, 2)),
    )
    # separating axes: face normals, then products of edges
    touch, depth, face = face_axes(axes, pos21, pos12, size1, size2, margin)
    touch = touch & near
    if not lane_any(touch):
        return
    hit, edge1, edge2, normal, low1, low2 = edge_axes(axes, pos21, size1, size2, margin, depth)
    touch = touch & hit
    if not lane_any(touch):
        return
    # a face of either box is the reference face, or two edges cross
    by_edge = edge1 >= 0.0
    inward = plain_dot(pos21, normal) < 0.0
    zero = 0.0 * depth
    d.box_count[0] = zero
    # contacts with a face: the nearest face of the other box clipped by it
    code, second, direction = face, face >= 6.0, (zero, zero, zero + 1.0)
    code = select(second, face - 6.0, face)
    by_face = touch & mask_not(by_edge)
    if lane_any(by_face):
        face_points(m, d, by_face, code, second, axes, pos21, pos12, size1, size2, margin)
    # contacts of crossing edges
    by_edge = touch & by_edge
    if lane_any(by_edge):
        edge_code, slide = edge_points(
            m,
            d,
            by_edge,
            edge1,
            edge2,
            normal,
            inward,
            low1,
            low2,
            axes,
            pos21,
            size1,
            size2,
            margin,
        )
        code = select(by_edge, edge_code, code)
        direction = select3(by_edge, slide, direction)
        second = second & mask_not(by_edge)
    # global frame and height of the reference face; contact normal
    flip = (second & mask_not(by_edge)) | (by_edge & inward)
    mat, pos = (
        select_mat(second, mat2, mat1),
        select3(second, pos2, pos1),
    )
    height = absolute(turn(code, select3(second, size2, size1))[2])
    frame = (
        turn(code, (mat[0], mat[1], mat[2])),
        turn(code, (mat[3], mat[4], mat[5])),
        turn(code, (mat[6], mat[7], mat[8])),
    )
    normal = (
        plain_dot(frame[0], direction), plain_dot(frame[1], direction),
        plain_dot(frame[2], direction),
    )  # fmt: skip
    normal = scale3(normal, select(flip, -1.0, 1.0))
    # points that remain become contacts
    drop_useless(m, d, geom1, geom2, frame, pos, height, margin)
    count = d.box_count[0]
    for k in range(BOX_SLOTS):
        on = count > 1.0 * k
        if lane_any(on):
            put_contact(
                d, slot + k, on, d.box_dist[k], load3(d.box_point, k), normal, scale3(normal, 0.0)
            )


@kernel
def select_mat(mask, a, b):
    """Matrix a where the mask holds, else b."""
    x = select3(mask, (a[0], a[1], a[2]), (b[0], b[1], b[2]))
    y = select3(mask, (a[3], a[4], a[5]), (b[3], b[4], b[5]))
    z = select3(mask, (a[6], a[7], a[8]), (b[6], b[7], b[8]))
    return (x[0], x[1], x[2], y[0], y[1], y[2], z[0], z[1], z[2])


@kernel
def face_axes(axes, pos21, pos12, size1, size2, margin):
    """Penetration along the normals of the faces.

    Returns:
        Mask of lanes in which none separates; the least penetration; its face: axis, + 3 for the
        negative side, + 6 for the second box.
    """
    zero = 0.0 * pos21[0]
    # more than any penetration
    depth = margin + zero
    for k in range(3):
        depth = depth + (size1[k] * 3.0 + size2[k] * 3.0)
    face = zero - 1.0
    touch = depth > zero - 1.0
    for k in range(3):
        # half extents of either box along the normal of the other
        reach2 = (
            absolute(axes[0][k]) * size2[0] + absolute(axes[1][k]) * size2[1]
            + absolute(axes[2][k]) * size2[2]
        )  # fmt: skip
        reach1 = (
            absolute(axes[k][0]) * size1[0] + absolute(axes[k][1]) * size1[1]
            + absolute(axes[k][2]) * size1[2]
        )  # fmt: skip
        # penetration along the normals of the first and the second box
        deep1 = -absolute(pos21[k]) + size1[k] + reach2
        deep2 = -absolute(pos12[k]) + size2[k] + reach1
        touch = touch & (deep1 >= -margin) & (deep2 >= -margin)
        less = deep1 < depth
        depth = select(less, deep1, depth)
        face = select(less, select(pos21[k] < 0.0, 3.0 + k, 1.0 * k), face)
        less = deep2 < depth
        depth = select(less, deep2, depth)
        face = select(less, select(pos12[k] < 0.0, 9.0 + k, 6.0 + k), face)
    return touch, depth, face


@kernel
def edge_axes(axes, pos21, size1, size2, margin, depth):
    """Penetration along the products of edges, where less than `depth`.

    Returns:
        Mask of lanes in which none separates; the edges' axes, -1 if none penetrates less; unit
        normal; sides (0 or 1) of the edges along the other axes of each box.
    """
    zero = 0.0 * depth
    touch = depth > depth - 1.0
    edge1, edge2 = zero - 1.0, zero - 1.0
    normal, low1, low2 = (zero, zero, zero), (zero, zero, zero), (zero, zero, zero)
    for i in range(3):
        unit = (1.0 if i == 0 else 0.0, 1.0 if i == 1 else 0.0, 1.0 if i == 2 else 0.0)
        for j in range(3):
            # unit axis; parallel edges have none
            product = cross(unit, axes[j])
            length = sqrt(plain_dot(product, product))
            skew = length >= MINVAL
            length = select(skew, length, 1.0)
            product = scale3(product, 1.0 / length)
            shift = plain_dot(pos21, product)
            behind = shift < 0.0
            # penetration: extents of both boxes less the shift of the centers
            deep = zero
            for k in range(3):
                if k != i:
                    deep = deep + size1[k] * absolute(product[k])
            for k in range(3):
                if k != j:
                    deep = deep + size2[k] * absolute(axes[3 - k - j][i]) / length
            deep = deep - absolute(shift)
            touch = touch & (mask_not(skew) | (deep >= -margin))
            # keep the axis of least penetration
            less = skew & (deep < depth * (1.0 - 1e-12))
            depth = select(less, deep, depth)
            edge1, edge2 = select(less, 1.0 * i, edge1), select(less, 1.0 * j, edge2)
            normal = select3(less, product, normal)
            # sides of the edge of the first box
            side1 = (
                differ(product[0] > 0.0, behind), differ(product[1] > 0.0, behind),
                differ(product[2] > 0.0, behind),
            )  # fmt: skip
            low1 = select3(less, side1, low1)
            # sides of the edge of the second box
            a, b = (j + 1) % 3, (j + 2) % 3
            side_a = 1.0 - differ(axes[b][i] > 0.0, behind)
            side_b = differ(axes[a][i] > 0.0, behind)
            side2 = (
                side_a if a == 0 else (side_b if b == 0 else zero),
                side_a if a == 1 else (side_b if b == 1 else zero),
                side_a if a == 2 else (side_b if b == 2 else zero),
            )
            low2 = select3(less, side2, low2)
    return touch, edge1, edge2, normal, low1, low2


@kernel
def differ(a, b):
    """1 where exactly one of two masks holds, else 0."""
    return select(a, select(b, 0.0, 1.0), select(b, 1.0, 0.0))


@kernel
def drop_useless(m, d, geom1, geom2, frame, pos, height, margin):
    """Bring the listed points into the world; drop those outside of both boxes, and duplicates."""
    zero = 0.0 * height
    count = d.box_count[0]
    top = 0
    # global points; bad: outside of a box and not well inside the other
    for k in range(BOX_SLOTS):
        on = count > 1.0 * k
        if lane_any(on):
            top = k + 1
            point = load3(d.box_point, k)
            local = (point[0], point[1], point[2] + height)
            x = plain_dot(frame[0], local) + pos[0]
            y = plain_dot(frame[1], local) + pos[1]
            z = plain_dot(frame[2], local) + pos[2]
            d.box_point[3 * k], d.box_point[3 * k + 1], d.box_point[3 * k + 2] = x, y, z
            out1, in1 = outside(m, d, geom1, (x, y, z), margin)
            out2, in2 = outside(m, d, geom2, (x, y, z), margin)
            bad = (out1 & mask_not(in2)) | (out2 & mask_not(in1))
            d.box_good[k] = select(on & mask_not(bad), 1.0, 0.0) + zero
    # of equal points the last one stays
    for k in range(top):
        good = d.box_good[k] > 0.0
        for other in range(k + 1, top):
            same = (
                (d.box_point[3 * k] == d.box_point[3 * other])
                & (d.box_point[3 * k + 1] == d.box_point[3 * other + 1])
                & (d.box_point[3 * k + 2] == d.box_point[3 * other + 2])
            )
            good = good & mask_not(same & (d.box_good[other] > 0.0))
        d.box_good[k] = select(good, 1.0, 0.0) + zero
    # close the gaps in the lists
    for lane in range(m.width):
        n = 0
        for k in range(top):
            if get_lane(d.box_good, k, lane) > 0.0:
                set_lane(d.box_dist, n, lane, get_lane(d.box_dist, k, lane))
                for x in range(3):
                    value = get_lane(d.box_point, 3 * k + x, lane)
                    set_lane(d.box_point, 3 * n + x, lane, value)
                n += 1
        set_lane(d.box_count, 0, lane, 1.0 * n)


@kernel
def outside(m, d, geom, point, margin):
    """Masks: a point is outside, or inside, of a box with margin; neither near the surface."""
    local = turn_back(load9(d.geom_xmat, geom), sub3(point, load3(d.geom_xpos, geom)))
    size = load3(m.geom_size, geom)
    size = (size[0] + margin, size[1] + margin, size[2] + margin)
    x, y, z = absolute(local[0]), absolute(local[1]), absolute(local[2])
    out = (x > size[0] * OUTSIDE) | (y > size[1] * OUTSIDE) | (z > size[2] * OUTSIDE)
    within = (x < size[0] / OUTSIDE) & (y < size[1] / OUTSIDE) & (z < size[2] / OUTSIDE)
    return out, within
