"""Rays through triangles: meshes, with their bounding volume trees, and height fields.

The scalar code for one lane. The line is in `ray_line`, in the frame of the geom; the nearest hit
so far is in `ray_found`. A triangle is projected along the ray, onto the plane of the two
directions in `ray_plane`.
"""

from math import inf

from ...simd.kernel import kernel
from ...simd.lanes import floor, get_lane, load3, set_lane, sqrt
from ...simd.spatial import cross
from ...tables.enums import MINVAL
from .heights import sample
from .scratch import MAX_DEPTH

INFINITY = inf
# a box that begins this much behind the nearest hit has nothing nearer, however results are rounded
BEHIND = 1.000001
SLACK = 0.01  # by which a ray may miss what it is tested for, relative to the size of a cell


@kernel
def inner(a, b):
    """Scalar product."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel
def minus(a, b):
    """a - b."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@kernel
def direction_of(v):
    """Unit vector; (1, 0, 0) for a length below MINVAL."""
    length = sqrt(inner(v, v))
    if length < MINVAL:
        return (1.0, 0.0, 0.0)
    return (v[0] / length, v[1] / length, v[2] / length)


@kernel
def lane3(f, index, lane):
    """Three numbers of one lane from an index on."""
    return (get_lane(f, index, lane), get_lane(f, index + 1, lane), get_lane(f, index + 2, lane))


@kernel
def put_lane3(f, index, lane, v):
    """Store three numbers of one lane from an index on."""
    set_lane(f, index, lane, v[0])
    set_lane(f, index + 1, lane, v[1])
    set_lane(f, index + 2, lane, v[2])


@kernel
def span_across(d, lane):
    """Enter two directions across the ray and each other."""
    v = lane3(d.ray_line, 3, lane)
    s0, s1, s2 = abs(v[0]), abs(v[1]), abs(v[2])
    if s0 >= s1 and s0 >= s2:
        start = (0.0, 1.0, 1.0)
    elif s1 >= s2:
        start = (1.0, 0.0, 1.0)
    else:
        start = (1.0, 1.0, 0.0)
    s = inner(v, start) / inner(v, v)
    second = direction_of((start[0] - s * v[0], start[1] - s * v[1], start[2] - s * v[2]))
    put_lane3(d.ray_plane, 0, lane, direction_of(cross(second, v)))
    put_lane3(d.ray_plane, 3, lane, second)


@kernel
def meet_triangle(d, lane, a, b, c):
    """Note the crossing of a triangle when it is the nearest so far."""
    # corners in the plane across the ray
    p, v = lane3(d.ray_line, 0, lane), lane3(d.ray_line, 3, lane)
    e0, e1 = lane3(d.ray_plane, 0, lane), lane3(d.ray_plane, 3, lane)
    toa, tob, toc = minus(a, p), minus(b, p), minus(c, p)
    a0, b0, c0 = inner(e0, toa), inner(e0, tob), inner(e0, toc)
    a1, b1, c1 = inner(e1, toa), inner(e1, tob), inner(e1, toc)
    # all corners on one side of the ray
    if (a0 > 0.0 and b0 > 0.0 and c0 > 0.0) or (a0 < 0.0 and b0 < 0.0 and c0 < 0.0):
        return
    if (a1 > 0.0 and b1 > 0.0 and c1 > 0.0) or (a1 < 0.0 and b1 < 0.0 and c1 < 0.0):
        return
    # weights of the corners in the projection
    ac0, bc0, ac1, bc1 = a0 - c0, b0 - c0, a1 - c1, b1 - c1
    det = ac0 * bc1 - bc0 * ac1
    if abs(det) < MINVAL:
        return
    t0 = (bc0 * c1 - bc1 * c0) / det
    t1 = (ac1 * c0 - ac0 * c1) / det
    if t0 < 0.0 or t1 < 0.0 or t0 + t1 > 1.0:
        return
    # distance along the ray to the plane of the triangle
    normal = cross(minus(a, c), minus(b, c))
    slope = inner(v, normal)
    if abs(slope) < MINVAL:
        return
    x = inner(toc, normal) / slope
    nearest = get_lane(d.ray_found, 0, lane)
    if x >= 0.0 and (nearest < 0.0 or x < nearest):
        set_lane(d.ray_found, 0, lane, x)
        put_lane3(d.ray_found, 1, lane, direction_of(normal))


@kernel
def box_entry(m, node, p, v, lane):
    """Distance to a box of a bounding volume tree along a ray; -1 for a miss (slab method)."""
    low, high = 0.0, INFINITY
    for k in range(3):
        middle = get_lane(m.bvh_aabb, 6 * node + k, lane)
        half = get_lane(m.bvh_aabb, 6 * node + 3 + k, lane)
        inverse = 1.0 / v[k] if v[k] != 0.0 else INFINITY
        t1, t2 = (middle - half - p[k]) * inverse, (middle + half - p[k]) * inverse
        first, last = (t1, t2) if t1 < t2 else (t2, t1)
        low = low if low > first else first
        high = high if high < last else last
    return low if low < high else -1.0


@kernel
def collide_mesh(m, d, geom, lane):
    """Note the nearest crossing of a mesh, found along its bounding volume tree."""
    mesh = m.geom_dataid[geom]
    root, p, v = m.mesh_bvhadr[mesh], lane3(d.ray_line, 0, lane), lane3(d.ray_line, 3, lane)
    span_across(d, lane)
    d.ray_stack[0] = root
    n = 1
    while n > 0:
        n -= 1
        node = d.ray_stack[n]
        # nodes that the ray enters beyond the nearest crossing are left out
        entry = box_entry(m, node, p, v, lane)
        nearest = get_lane(d.ray_found, 0, lane)
        if entry >= 0.0 and (nearest < 0.0 or entry <= nearest * BEHIND):
            # leaf: its triangle
            if m.bvh_nodeid[node] >= 0:
                face = m.mesh_faceadr[mesh] + m.bvh_nodeid[node]
                start = m.mesh_vertadr[mesh]
                a = load3(m.mesh_vert, start + m.mesh_face[3 * face])
                b = load3(m.mesh_vert, start + m.mesh_face[3 * face + 1])
                c = load3(m.mesh_vert, start + m.mesh_face[3 * face + 2])
                meet_triangle(d, lane, a, b, c)
            else:
                # children
                for k in range(2):
                    child = m.bvh_child[2 * node + k]
                    if child >= 0 and n < MAX_DEPTH:
                        d.ray_stack[n] = root + child
                        n += 1


@kernel
def height(m, d, field, row, column, lane):
    """Height of one sample of a height field (m)."""
    top = get_lane(m.hfield_size, 4 * field + 2, lane)
    return sample(m, d, field, row, column, lane) * top


@kernel
def inverse_of(x):
    """1/x, zero for zero."""
    return 1.0 / x if x != 0.0 else 0.0


@kernel
def part_between(start, inverse, low, high):
    """Part of a way that lies between two bounds, from 0 to 1; empty when it ends before it begins.

    Args:
        start: where the way begins.
        inverse: 1 / (end - start), zero for a way that stands still.
        low: lower bound.
        high: upper bound.
    """
    if inverse == 0.0:
        return (0.0, 1.0) if low <= start <= high else (1.0, 0.0)
    t0, t1 = (low - start) * inverse, (high - start) * inverse
    return max(0.0, min(t0, t1)), min(1.0, max(t0, t1))


@kernel
def midpair_row(m, d, field, row, lane, across, heights, part):
    """Note the nearest crossing of the triangles in one row of a height field.

    Args:
        m: model.
        d: data.
        field: the height field.
        row: index of the row.
        lane: which world.
        across: where the ray begins and ends, in columns.
        heights: the same in heights (m).
        part: the part of the ray over the row, in units of its length.
    """
    # range of columns under the part of the ray over the row
    nrow, ncol = m.hfield_nrow[field], m.hfield_ncol[field]
    sx = get_lane(m.hfield_size, 4 * field, lane)
    sy = get_lane(m.hfield_size, 4 * field + 1, lane)
    dx, dy = 2.0 * sx / (ncol - 1), 2.0 * sy / (nrow - 1)
    below, above = dy * row - sy, dy * (row + 1) - sy
    x0, rise = across[0], heights[1] - heights[0]
    inverse = inverse_of(across[1] - x0)
    begin, end = x0 + part[0] * (across[1] - x0), x0 + part[1] * (across[1] - x0)
    margin = SLACK * SLACK * get_lane(m.hfield_size, 4 * field + 2, lane)
    first = max(0, int(floor(min(begin, end) - SLACK)))
    last = min(ncol - 2, int(floor(max(begin, end) + SLACK)))
    for column in range(first, last + 1):
        # heights of the ray over the cell, and those of its samples
        t0, t1 = part_between(x0, inverse, column - SLACK, column + 1.0 + SLACK)
        t0, t1 = max(t0, part[0]), min(t1, part[1])
        z0, z1 = heights[0] + t0 * rise, heights[0] + t1 * rise
        slack = margin + SLACK * abs(z1 - z0)
        h00, h01 = (
            height(m, d, field, row, column, lane),
            height(m, d, field, row, column + 1, lane),
        )
        h10 = height(m, d, field, row + 1, column, lane)
        h11 = height(m, d, field, row + 1, column + 1, lane)
        top, bottom = max(max(h00, h01), max(h10, h11)), min(min(h00, h01), min(h10, h11))
        # the ray passes between them: both triangles of the cell
        if t0 <= t1 and min(z0, z1) - slack <= top and max(z0, z1) + slack >= bottom:
            left, right = dx * column - sx, dx * (column + 1) - sx
            a, c = (left, below, h00), (right, above, h11)
            meet_triangle(d, lane, a, (right, below, h01), c)
            meet_triangle(d, lane, a, c, (left, above, h10))


@kernel
def meet_height_field(m, d, geom, lane):
    """Note the nearest crossing of the surface of a height field inside of its box.

    The crossings of the box's sides are in `ray_span`; the nearest comes last.
    """
    field = m.geom_dataid[geom]
    nrow, ncol = m.hfield_nrow[field], m.hfield_ncol[field]
    p, v = lane3(d.ray_line, 0, lane), lane3(d.ray_line, 3, lane)
    sx = get_lane(m.hfield_size, 4 * field, lane)
    sy = get_lane(m.hfield_size, 4 * field + 1, lane)
    dx, dy = 2.0 * sx / (ncol - 1), 2.0 * sy / (nrow - 1)
    span_across(d, lane)
    # the part of the ray inside of the box
    first, last = 0.0, get_lane(d.ray_span, 6, lane)
    for k in range(6):
        x = get_lane(d.ray_span, k, lane)
        if x > last:
            first, last = get_lane(d.ray_span, 6, lane), x
    across = ((p[0] + first * v[0] + sx) / dx, (p[0] + last * v[0] + sx) / dx)
    y0, y1 = (p[1] + first * v[1] + sy) / dy, (p[1] + last * v[1] + sy) / dy
    heights, inverse = (p[2] + first * v[2], p[2] + last * v[2]), inverse_of(y1 - y0)
    first_row = max(0, int(floor(min(y0, y1) - SLACK)))
    last_row = min(nrow - 2, int(floor(max(y0, y1) + SLACK)))
    for row in range(first_row, last_row + 1):
        part = part_between(y0, inverse, row - SLACK, row + 1.0 + SLACK)
        if part[0] <= part[1]:
            midpair_row(m, d, field, row, lane, across, heights, part)
    for side in range(4):
        midpair_side(m, d, field, side, lane, p, v, sx, sy)


@kernel
def midpair_side(m, d, field, side, lane, p, v, sx, sy):
    """Note the crossing of a side of a height field's box, where it lies under the surface."""
    x, nearest = get_lane(d.ray_span, side, lane), get_lane(d.ray_found, 0, lane)
    if x < 0.0 or (nearest >= 0.0 and x >= nearest):
        return
    nrow, ncol = m.hfield_nrow[field], m.hfield_ncol[field]
    # height of the surface at the border, between two samples
    if side < 2:
        along = (p[1] + x * v[1] + sy) / (2.0 * sy / (nrow - 1))
        row = int(max(0.0, min(nrow - 2.0, floor(along))))
        column = (ncol - 1) * side
        part = along - row
        low, high = (
            height(m, d, field, row, column, lane),
            height(m, d, field, row + 1, column, lane),
        )
    else:
        along = (p[0] + x * v[0] + sx) / (2.0 * sx / (ncol - 1))
        row = (nrow - 1) * (side - 2)
        column = int(max(0.0, min(ncol - 2.0, floor(along))))
        part = along - column
        low, high = (
            height(m, d, field, row, column, lane),
            height(m, d, field, row, column + 1, lane),
        )
    # the ray enters below it
    if p[2] + x * v[2] < low * (1.0 - part) + high * part:
        sign = 2.0 * (side % 2) - 1.0
        set_lane(d.ray_found, 0, lane, x)
        if side < 2:
            put_lane3(d.ray_found, 1, lane, (sign, 0.0, 0.0))
        else:
            put_lane3(d.ray_found, 1, lane, (0.0, sign, 0.0))
