"""Contacts of signed distance fields: descents from points of a Halton sequence.

Documentation of MuJoCo, chapter Computation, signed distance functions. Two fields A and B meet
where A + B + |max(A, B)| is least; found points are projected onto the surface A = B between them.
Triangles: sdf_triangles.py.
"""

from ...shapes.plugin_shapes import top
from ...simd.kernel import kernel, variant
from ...simd.lanes import (
    get_lane,
    lane_any,
    load3,
    load_strip,
    mask_not,
    select,
    set_lane,
    sqrt,
    store_strip,
    zero_like,
)
from ...simd.record import STRIP
from ...simd.spatial import quat_mat, rotate, scale3, select3
from ...tables.enums import MAXVAL, MINVAL
from ..rays.signed_distance import gradient, strip_distance, strip_gradient
from .contact import put_contact
from .sdf_shapes import norm3, unit3
from .sdf_tables import MOST
from .support import to_local

# fields that are minimized: where both are inside, the descent's
INTERSECTION, MEETING = range(2)
UNTURNED = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)


@kernel
def sdf_pair(m, d, geom1, geom2, slot, margin, near):
    """Contacts of a convex geom or a signed distance field with a signed distance field."""
    open_fields(d, near)
    for lane in range(m.width):
        if get_lane(d.sdf_near, 0, lane) > 0.0:
            meet(m, d, geom1, geom2, lane)
    close_fields(d, slot)


@kernel
def open_fields(d, near):
    """Make ready for contacts in the lanes of a mask."""
    zero = zero_like(d.sdf_near)
    d.sdf_near[0] = select(near, 1.0, 0.0) + zero
    for k in range(MOST):
        d.sdf_on[k] = zero
        d.sdf_dist[k] = zero
        for i in range(3):
            d.sdf_pos[3 * k + i] = zero
            d.sdf_axis[3 * k + i] = zero


@kernel
def close_fields(d, slot):
    """Put what was found into the slots of a pair."""
    for k in range(MOST):
        axis = load3(d.sdf_axis, k)
        put_contact(
            d, slot + k, d.sdf_on[k] > 0.0, d.sdf_dist[k], load3(d.sdf_pos, k), axis,
            scale3(axis, 0.0),
        )  # fmt: skip


# ---------------------------------------------------------------- poses


@kernel
def quat_of(d, geom, lane):
    """Orientation of a geom as a quaternion, from the largest component of its matrix."""
    m0, m1, m2 = entry_of(d, geom, 0, lane), entry_of(d, geom, 1, lane), entry_of(d, geom, 2, lane)
    m3, m4, m5 = entry_of(d, geom, 3, lane), entry_of(d, geom, 4, lane), entry_of(d, geom, 5, lane)
    m6, m7, m8 = entry_of(d, geom, 6, lane), entry_of(d, geom, 7, lane), entry_of(d, geom, 8, lane)
    if m0 + m4 + m8 > 0.0:
        w = 0.5 * sqrt(1.0 + m0 + m4 + m8)
        x, y, z = 0.25 * (m7 - m5) / w, 0.25 * (m2 - m6) / w, 0.25 * (m3 - m1) / w
    elif m0 > m4 and m0 > m8:
        x = 0.5 * sqrt(1.0 + m0 - m4 - m8)
        w, y, z = 0.25 * (m7 - m5) / x, 0.25 * (m1 + m3) / x, 0.25 * (m2 + m6) / x
    elif m4 > m8:
        y = 0.5 * sqrt(1.0 - m0 + m4 - m8)
        w, x, z = 0.25 * (m2 - m6) / y, 0.25 * (m1 + m3) / y, 0.25 * (m5 + m7) / y
    else:
        z = 0.5 * sqrt(1.0 - m0 - m4 + m8)
        w, x, y = 0.25 * (m3 - m1) / z, 0.25 * (m2 + m6) / z, 0.25 * (m5 + m7) / z
    length = sqrt(w * w + x * x + y * y + z * z)
    if length - 1.0 > MINVAL or 1.0 - length > MINVAL:
        s = 1.0 / length
        return (w * s, x * s, y * s, z * s)
    return (w, x, y, z)


@kernel
def entry_of(d, geom, k, lane):
    """One number of a geom's matrix."""
    return get_lane(d.geom_xmat, 9 * geom + k, lane)


@kernel
def pos_of(d, geom, lane):
    """Position of a geom."""
    return (
        get_lane(d.geom_xpos, 3 * geom, lane),
        get_lane(d.geom_xpos, 3 * geom + 1, lane),
        get_lane(d.geom_xpos, 3 * geom + 2, lane),
    )


@kernel
def pose_in(pos1, quat1, pos2, quat2):
    """Position and matrix of a frame, as seen in another one."""
    back = (quat2[0], -quat2[1], -quat2[2], -quat2[3])
    start = rotate(pos2, back)
    w, x, y, z = back
    quat = (
        w * quat1[0] - x * quat1[1] - y * quat1[2] - z * quat1[3],
        w * quat1[1] + x * quat1[0] + y * quat1[3] - z * quat1[2],
        w * quat1[2] - x * quat1[3] + y * quat1[0] + z * quat1[1],
        w * quat1[3] + x * quat1[2] - y * quat1[1] + z * quat1[0],
    )
    pos = rotate(pos1, back)
    return (pos[0] - start[0], pos[1] - start[1], pos[2] - start[2]), quat_mat(quat)


@kernel
def into(mat, pos, v):
    """A point in another frame."""
    return (
        mat[0] * v[0] + mat[1] * v[1] + mat[2] * v[2] + pos[0],
        mat[3] * v[0] + mat[4] * v[1] + mat[5] * v[2] + pos[1],
        mat[6] * v[0] + mat[7] * v[1] + mat[8] * v[2] + pos[2],
    )


# ---------------------------------------------------------------- fields of pairs


@kernel
def pair_distance(m, d, kind, one, two, mat, pos, lane, x):
    """A field of two geoms at a strip of points in the frame of the first; mat, pos: to the second.

    Where distances are known, `pair_gradient` takes them.

    Returns:
        The field, and the distances from both geoms.
    """
    a = b = 0.0 * x[0]
    y = x
    for o in range(2):
        value = strip_distance(m, d, two if o else one, lane, y)
        if o:
            b = value
        else:
            a = value
        y = into(mat, pos, x)
    c = top(a, b)
    if kind == INTERSECTION:
        return c, a, b
    return a + b + select(c > 0.0, c, -c), a, b


@kernel
def both_gradients(m, d, one, two, mat, pos, lane, x):
    """Gradients of the distances from two geoms, in the frame of the first."""
    first = (0.0 * x[0], 0.0 * x[0], 0.0 * x[0])
    second = first
    y = x
    for o in range(2):
        g = gradient(m, d, two if o else one, lane, y)
        if o:
            second = to_local(mat, g)
        else:
            first = g
        y = into(mat, pos, x)
    return first, second


# the same at a strip of points
strip_gradients = variant(both_gradients, gradient=strip_gradient)


@kernel
def pair_gradient(m, d, kind, one, two, mat, pos, lane, x, a, b):
    """Gradients of the field of `pair_distance`, where both distances are a and b."""
    first, second = strip_gradients(m, d, one, two, mat, pos, lane, x)
    more = select3(a > b, first, second)
    if kind == INTERSECTION:
        return more
    s = select(top(a, b) > 0.0, 1.0, -1.0)
    return (
        first[0] + second[0] + more[0] * s,
        first[1] + second[1] + more[1] * s,
        first[2] + second[2] + more[2] * s,
    )


@kernel
def normal_between(m, d, one, two, mat, pos, lane, x):
    """Normal of the surface between two geoms at a point in the frame of the first."""
    first, second = both_gradients(m, d, one, two, mat, pos, lane, x)
    u, _ = unit3(first)
    v, _ = unit3(second)
    found, _ = unit3((u[0] - v[0], u[1] - v[1], u[2] - v[2]))
    return found


@kernel
def halton(index, base):
    """Element of a Halton sequence, 0 to 1."""
    n, found = index, 0.0
    f = 1.0 / base
    while n > 0:
        rest = n // base
        found += f * (n - rest * base)
        f /= base
        n = rest
    return found


# ---------------------------------------------------------------- two fields


@kernel
def meet(m, d, geom1, geom2, lane):
    """Contacts of two fields in one lane."""
    pos1, pos2 = pos_of(d, geom1, lane), pos_of(d, geom2, lane)
    quat1, quat2 = quat_of(d, geom1, lane), quat_of(d, geom2, lane)
    back_pos, back = pose_in(pos1, quat1, pos1, quat1)
    pos21, mat21 = pose_in(pos2, quat2, pos1, quat1)
    pos12, mat12 = pose_in(pos1, quat1, pos2, quat2)
    # where boxes around both overlap, in the frame of the first
    lower1, upper1 = box_bounds(m, geom1, lane, UNTURNED, (0.0, 0.0, 0.0))
    lower2, upper2 = box_bounds(m, geom2, lane, mat21, pos21)
    a = (top(lower1[0], lower2[0]), top(lower1[1], lower2[1]), top(lower1[2], lower2[2]))
    b = (
        -top(-upper1[0], -upper2[0]), -top(-upper1[1], -upper2[1]), -top(-upper1[2], -upper2[2])
    )  # fmt: skip
    if b[0] < a[0] or b[1] < a[1] or b[2] < a[2]:
        return
    count = known = 0
    for j in range(0, m.opt_sdf_initpoints[0], STRIP):
        n = min(STRIP, m.opt_sdf_initpoints[0] - j)
        x = into(mat12, pos12, into(back, back_pos, spread_points(d, a, b, j, n)))
        # down to where they meet, then once to where both are inside
        dist = zero_like(d.sdf_points)
        for phase in range(2):
            kind = INTERSECTION if phase else MEETING
            steps = 1 if phase else m.opt_sdf_iterations[0]
            dist, x = descend(m, d, kind, geom2, geom1, mat21, pos21, lane, x, steps)
        store_points(d, dist, x)
        # new points become contacts, in their order
        for k in range(n):
            depth, q = d.sdf_numbers[k], number_point(d, k)
            if count < MOST and not depth > 0.0 and is_new(d, q, known):
                remember(d, q, known)
                normal = normal_between(m, d, geom2, geom1, mat21, pos21, lane, q)
                if enter(d, count, lane, q, depth, normal, pos2, quat2):
                    count += 1
                known = count


@kernel
def spread_points(d, a, b, j, n):
    """Strip of n points of a Halton sequence in a box, from the j-th on; answers are wanted there.

    Writes: sdf_wanted, sdf_numbers.
    """
    for k in range(STRIP):
        d.sdf_numbers[k] = 1.0 if k < n else 0.0
        for axis in range(3):
            base = 2 if axis == 0 else 3 if axis == 1 else 5
            low = a[0] if axis == 0 else a[1] if axis == 1 else a[2]
            high = b[0] if axis == 0 else b[1] if axis == 1 else b[2]
            place = low + (high - low) * halton(j + k, base)
            d.sdf_numbers[STRIP * (axis + 1) + k] = place
    return wanted_points(d)


@kernel
def wanted_points(d):
    """The strip of points in `sdf_numbers`, of which the first numbers say where to answer."""
    d.sdf_wanted[0] = load_strip(d.sdf_numbers, 0, STRIP)
    return (
        load_strip(d.sdf_numbers, STRIP, STRIP),
        load_strip(d.sdf_numbers, 2 * STRIP, STRIP),
        load_strip(d.sdf_numbers, 3 * STRIP, STRIP),
    )


@kernel
def store_points(d, dist, x):
    """Distances and points of a strip into `sdf_numbers`."""
    store_strip(d.sdf_numbers, 0, STRIP, dist)
    for k in range(3):
        store_strip(d.sdf_numbers, STRIP * (k + 1), STRIP, x[k])


@kernel
def number_point(d, k):
    """The k-th of a strip of points in `sdf_numbers`."""
    return (
        d.sdf_numbers[STRIP + k], d.sdf_numbers[2 * STRIP + k], d.sdf_numbers[3 * STRIP + k]
    )  # fmt: skip


@kernel
def box_bounds(m, geom, lane, mat, pos):
    """Bounds of the corners of a geom's box, in another frame."""
    lx = ly = lz = MAXVAL
    ux = uy = uz = -MAXVAL
    for i in range(8):
        x, y = box_end(m, geom, 0, i & 1, lane), box_end(m, geom, 1, i & 2, lane)
        corner = into(mat, pos, (x, y, box_end(m, geom, 2, i & 4, lane)))
        lx, ly, lz = -top(-lx, -corner[0]), -top(-ly, -corner[1]), -top(-lz, -corner[2])
        ux, uy, uz = top(ux, corner[0]), top(uy, corner[1]), top(uz, corner[2])
    return (lx, ly, lz), (ux, uy, uz)


@kernel
def box_end(m, geom, k, upper, lane):
    """One end of a geom's box."""
    middle, half = (
        get_lane(m.geom_aabb, 6 * geom + k, lane), get_lane(m.geom_aabb, 6 * geom + 3 + k, lane)
    )  # fmt: skip
    return middle + half if upper else middle - half


@kernel
def descend(m, d, kind, one, two, mat, pos, lane, x, steps):
    """Descents from a strip of points along the gradient of a field, with line searches.

    Returns:
        Values and points.
    """
    running = d.sdf_wanted[0] > 0.0
    wanted, dist = d.sdf_wanted[0], zero_like(d.sdf_points) + MAXVAL
    for _ in range(steps):
        if not lane_any(running):
            break
        d.sdf_wanted[0] = select(running, 1.0, 0.0)
        before, a, b = pair_distance(m, d, kind, one, two, mat, pos, lane, x)
        g = pair_gradient(m, d, kind, one, two, mat, pos, lane, x, a, b)
        wrong = is_wrong(g[0]) | is_wrong(g[1]) | is_wrong(g[2])
        dist = select(running & wrong, MAXVAL, dist)
        running = running & mask_not(wrong)
        # halve the step until the field falls by a part of what its slope promises
        start, alpha, searching = x, 2.0, running
        bound = -0.1 * alpha * (g[0] * g[0] + g[1] * g[1] + g[2] * g[2])
        while lane_any(searching):
            alpha *= 0.5
            bound = bound * 0.5
            d.sdf_wanted[0] = select(searching, 1.0, 0.0)
            y = (start[0] - alpha * g[0], start[1] - alpha * g[1], start[2] - alpha * g[2])
            x = select3(searching, y, x)
            value, _, _ = pair_distance(m, d, kind, one, two, mat, pos, lane, x)
            dist = select(searching, value, dist)
            searching = searching & (dist - before > bound) & (alpha > 1e-4)
        running = running & mask_not(before < dist)
    d.sdf_wanted[0] = wanted
    return dist, x


@kernel
def is_wrong(x):
    """True if a number is not finite, or too large."""
    return mask_not((x >= -MAXVAL) & (x <= MAXVAL))


# ---------------------------------------------------------------- results


@kernel
def is_new(d, x, known):
    """True if a point was not found before."""
    for k in range(known):
        gap = (
            x[0] - d.sdf_known[3 * k], x[1] - d.sdf_known[3 * k + 1], x[2] - d.sdf_known[3 * k + 2]
        )  # fmt: skip
        if norm3(gap) < MINVAL:
            return False
    return True


@kernel
def remember(d, x, known):
    """Note a point that was found."""
    for i in range(3):
        d.sdf_known[3 * known + i] = x[i]


@kernel
def enter(d, k, lane, x, dist, normal, pos, quat):
    """Enter contact k of a lane; False where the normal is degenerate.

    Args:
        x: point in the frame of the second geom.
        normal: of the field there, which grows away from that geom.
        pos, quat: pose of the second geom.
    """
    length = norm3(normal)
    if length < MINVAL:
        return False
    s = -1.0 / length
    axis, _ = unit3(rotate((normal[0] * s, normal[1] * s, normal[2] * s), quat))
    point = rotate(x, quat)
    set_lane(d.sdf_on, k, lane, 1.0)
    set_lane(d.sdf_dist, k, lane, dist)
    for i in range(3):
        set_lane(d.sdf_axis, 3 * k + i, lane, axis[i])
        set_lane(d.sdf_pos, 3 * k + i, lane, point[i] + pos[i] - axis[i] * (dist / 2.0))
    return True
