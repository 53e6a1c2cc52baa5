"""Contacts of triangles with a signed distance field: points of a triangle that are inside of it.

Triangles are searched by the method of Frank and Wolfe, from points of a Halton sequence, eight of
them side by side. Documentation of MuJoCo, chapter Computation, signed distance functions.
"""

from ...shapes.plugin_shapes import top
from ...simd.kernel import kernel
from ...simd.lanes import get_lane, select, sqrt, zero_like
from ...simd.record import STRIP
from ...simd.spatial import cross, select3
from ...tables.enums import MAXVAL, MINVAL
from ..rays.signed_distance import gradient, signed_distance, strip_distance, strip_gradient
from .sdf import (
    close_fields,
    enter,
    halton,
    into,
    is_new,
    number_point,
    open_fields,
    pos_of,
    pose_in,
    quat_of,
    remember,
    store_points,
    wanted_points,
)
from .sdf_shapes import norm3, unit3
from .sdf_tables import MOST


@kernel
def mesh_sdf(m, d, mesh, geom, slot, margin, near):
    """Contacts of a mesh with a signed distance field."""
    open_fields(d, near)
    for lane in range(m.width):
        if get_lane(d.sdf_near, 0, lane) > 0.0:
            collide_mesh(m, d, mesh, geom, lane)
    close_fields(d, slot)


@kernel
def collide_mesh(m, d, geom1, geom2, lane):
    """Contacts of a mesh with a field in one lane: its triangles, found by bounding volumes."""
    pos2, quat2 = pos_of(d, geom2, lane), quat_of(d, geom2, lane)
    pos, mat = pose_in(pos_of(d, geom1, lane), quat_of(d, geom1, lane), pos2, quat2)
    # nodes whose boxes reach into the field, depth first
    mesh = m.geom_dataid[geom1]
    root, found = m.mesh_bvhadr[mesh], 0
    if root < 0:
        return
    d.sdf_stack[0] = 0
    waiting = 1
    while waiting > 0:
        waiting -= 1
        node = root + d.sdf_stack[waiting]
        half = (
            get_lane(m.bvh_aabb, 6 * node + 3, lane),
            get_lane(m.bvh_aabb, 6 * node + 4, lane),
            get_lane(m.bvh_aabb, 6 * node + 5, lane),
        )
        middle = (
            get_lane(m.bvh_aabb, 6 * node, lane),
            get_lane(m.bvh_aabb, 6 * node + 1, lane),
            get_lane(m.bvh_aabb, 6 * node + 2, lane),
        )
        # a leaf is searched, another node opened
        if signed_distance(m, d, geom2, lane, into(mat, pos, middle)) < norm3(half):
            if m.bvh_nodeid[node] >= 0:
                face = m.mesh_faceadr[mesh] + m.bvh_nodeid[node]
                found = search_face(m, d, geom2, lane, mesh, face, mat, pos, found)
            else:
                for i in range(2):
                    child = m.bvh_child[2 * node + i]
                    if child != -1:
                        d.sdf_stack[waiting] = child
                        waiting += 1
    # contacts of what was found, once each
    count = 0
    for k in range(found):
        x = (d.sdf_known[3 * k], d.sdf_known[3 * k + 1], d.sdf_known[3 * k + 2])
        if is_new(d, x, k):
            normal = gradient(m, d, geom2, lane, x)
            if enter(d, count, lane, x, d.sdf_depth[k], normal, pos2, quat2):
                count += 1


@kernel
def corner_of(m, mesh, face, k, mat, pos):
    """Corner k of a triangle, in another frame."""
    v = 3 * (m.mesh_vertadr[mesh] + m.mesh_face[3 * face + k])
    return into(
        mat, pos, (1.0 * m.mesh_vert[v], 1.0 * m.mesh_vert[v + 1], 1.0 * m.mesh_vert[v + 2])
    )


@kernel
def search_face(m, d, geom, lane, mesh, face, mat, pos, found):
    """Note points of a mesh's triangle that are inside of a field; returns how many there are."""
    a = corner_of(m, mesh, face, 0, mat, pos)
    b = corner_of(m, mesh, face, 1, mat, pos)
    c = corner_of(m, mesh, face, 2, mat, pos)
    return search_triangle(m, d, geom, lane, (a, b, c), found)


@kernel
def search_triangle(m, d, geom, lane, corners, found):
    """Note points of a triangle that are inside of a field; returns how many there are now.

    Args:
        corners: of the triangle, in the frame of the field (m).
        found: how many points there were.
    """
    a, b, c = corners
    if not may_reach(m, d, geom, lane, a, b, c):
        return found
    start, end = 0, max(1, m.opt_sdf_initpoints[0])
    while start < end and found < MOST:
        n = min(STRIP, end - start)
        x = triangle_points(d, a, b, c, start, n)
        # towards the corner that the gradient likes best, less and less
        for step in range(m.opt_sdf_iterations[0]):
            g = strip_gradient(m, d, geom, lane, x)
            best, goal = zero_like(d.sdf_points) + MAXVAL, x
            for k in range(3):
                corner = a if k == 0 else b if k == 1 else c
                value = corner[0] * g[0] + corner[1] * g[1] + corner[2] * g[2]
                goal = select3(value < best, corner, goal)
                best = select(value < best, value, best)
            s = 2.0 / (step + 2.0)
            x = (
                x[0] + (goal[0] - x[0]) * s,
                x[1] + (goal[1] - x[1]) * s,
                x[2] + (goal[2] - x[2]) * s,
            )
        store_points(d, strip_distance(m, d, geom, lane, x), x)
        for k in range(n):
            if found < MOST and d.sdf_numbers[k] < 0.0:
                remember(d, number_point(d, k), found)
                d.sdf_depth[found] = d.sdf_numbers[k]
                found += 1
        start += STRIP
    return found


@kernel
def triangle_points(d, a, b, c, start, n):
    """Strip of n points of a Halton sequence in a triangle, from one on; answers are wanted there.

    Writes: sdf_wanted, sdf_numbers.
    """
    for k in range(STRIP):
        d.sdf_numbers[k] = 1.0 if k < n else 0.0
        u, v = halton(start + k + 1, 2), halton(start + k + 1, 3)
        if u + v > 1.0:
            u, v = 1.0 - u, 1.0 - v
        w = 1.0 - u - v
        d.sdf_numbers[STRIP + k] = w * a[0] + u * b[0] + v * c[0]
        d.sdf_numbers[2 * STRIP + k] = w * a[1] + u * b[1] + v * c[1]
        d.sdf_numbers[3 * STRIP + k] = w * a[2] + u * b[2] + v * c[2]
    return wanted_points(d)


@kernel
def may_reach(m, d, geom, lane, a, b, c):
    """True if a sphere through the corners of a triangle reaches into a field."""
    ab = (b[0] - a[0], b[1] - a[1], b[2] - a[2])
    ac = (c[0] - a[0], c[1] - a[1], c[2] - a[2])
    normal, _ = unit3(cross(ab, ac))
    third = 1.0 / 3.0
    p = (
        a[0] * third + b[0] * third + c[0] * third,
        a[1] * third + b[1] * third + c[1] * third,
        a[2] * third + b[2] * third + c[2] * third,
    )
    middle = signed_distance(m, d, geom, lane, p)
    h = -middle / 10.0
    if -0.1 < h < 0.1:
        # the circle through the corners
        e0 = norm3(ab)
        e1 = norm3((b[0] - c[0], b[1] - c[1], b[2] - c[2]))
        e2 = norm3(ac)
        s = (e0 + e1 + e2) / 2.0
        area = sqrt(s * (s - e0) * (s - e1) * (s - e2))
        return middle < (e0 * e1 * e2) / (4.0 * top(area, MINVAL))
    # the sphere through them and a fourth point, off the triangle
    p = (p[0] - h * normal[0], p[1] - h * normal[1], p[2] - h * normal[2])
    va = (a[0] - p[0], a[1] - p[1], a[2] - p[2])
    vb = (b[0] - p[0], b[1] - p[1], b[2] - p[2])
    vc = (c[0] - p[0], c[1] - p[1], c[2] - p[2])
    ca, cb, cc = cross(vb, vc), cross(vc, va), cross(va, vb)
    sa, sb, sc = squared(va), squared(vb), squared(vc)
    denom = 2.0 * (va[0] * ca[0] + va[1] * ca[1] + va[2] * ca[2])
    if -MINVAL < denom < MINVAL:
        return middle < norm3(ab)
    s = 1.0 / denom
    centre = (
        (ca[0] * sa + cb[0] * sb + cc[0] * sc) * s,
        (ca[1] * sa + cb[1] * sb + cc[1] * sc) * s,
        (ca[2] * sa + cb[2] * sb + cc[2] * sc) * s,
    )
    there = (centre[0] + p[0], centre[1] + p[1], centre[2] + p[2])
    return signed_distance(m, d, geom, lane, there) < norm3(centre)


@kernel
def squared(v):
    """Square of a length."""
    return v[0] * v[0] + v[1] * v[1] + v[2] * v[2]
