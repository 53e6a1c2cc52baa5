"""Narrow phase of sheets with signed distance fields: the deepest point of each triangle.

Triangles are searched as those of meshes are, see `sdf_triangles.py`; of each,
the deepest point counts.
"""

from ...simd.kernel import kernel
from ...simd.lanes import load3, store
from ...simd.spatial import rotate
from ..collision.sdf import (
    into,
    is_new,
    pos_of,
    pose_in,
    quat_of,
    remember,
)
from ..collision.sdf_shapes import norm3, unit3
from ..collision.sdf_triangles import search_triangle
from ..rays.signed_distance import gradient, signed_distance
from .narrow_phase import MOST_POINTS
from .triangles import beyond, flex_of, vertex_at

WHOLE = (1.0, 0.0, 0.0, 0.0)


@kernel
def field_sheet(m, d, midpair, fcon, margin):
    """Contacts of a signed distance field with a sheet."""
    geom, f = d.midpair_side[2 * midpair], flex_of(d, midpair, 1)
    pos, quat = pos_of(d, geom, 0), quat_of(d, geom, 0)
    found = search_tree(m, d, geom, f, fcon, pose_in((0.0, 0.0, 0.0), WHOLE, pos, quat))
    # contacts of what was found, once each
    known = 0
    for k in range(fcon, fcon + found):
        x, dist = load3(d.fcon_pos, k), d.fcon_dist[k]
        if known == found or not is_new(d, x, known):
            continue
        remember(d, x, known)
        normal = gradient(m, d, geom, 0, x)
        length = norm3(normal)
        if length < 1e-15:
            continue
        s = 1.0 / length
        axis, _ = unit3(rotate((normal[0] * s, normal[1] * s, normal[2] * s), quat))
        point = rotate(x, quat)
        point = (point[0] + pos[0], point[1] + pos[1], point[2] + pos[2])
        d.fcon_on[k] = 1
        store(d.fcon_normal, k, axis)
        store(d.fcon_pos, k, beyond(point, axis, -dist / 2.0))
        known += 1


@kernel
def search_tree(m, d, geom, f, fcon, pose):
    """Note the deepest point of each triangle, from a place on; returns how many there are.

    Args:
        pose: position and matrix of the world in the frame of the field.
    """
    root, found = m.flex_bvhadr[f], 0
    if root < 0:
        return 0
    pos, mat = pose
    d.tree_stack[0] = 0
    waiting = 1
    while waiting > 0:
        waiting -= 1
        node = root + d.tree_stack[waiting]
        at = 6 * (node - m.nbvhstatic)
        half = (d.bvh_aabb_dyn[at + 3], d.bvh_aabb_dyn[at + 4], d.bvh_aabb_dyn[at + 5])
        center = (d.bvh_aabb_dyn[at], d.bvh_aabb_dyn[at + 1], d.bvh_aabb_dyn[at + 2])
        # a leaf is searched, another node opened
        if signed_distance(m, d, geom, 0, into(mat, pos, center)) < norm3(half):
            if m.bvh_nodeid[node] >= 0:
                if found < MOST_POINTS:
                    e = m.bvh_nodeid[node]
                    found += deepest_point(m, d, geom, f, e, fcon + found, pos, mat)
            else:
                for i in range(2):
                    child = m.bvh_child[2 * node + i]
                    if child != -1:
                        d.tree_stack[waiting] = child
                        waiting += 1
    return found


@kernel
def deepest_point(m, d, geom, f, e, fcon, pos, mat):
    """Note the deepest point of a triangle in the frame of the field; returns whether there is one.

    Args:
        pos, mat: pose of the world in that frame.
    """
    corners = (
        into(mat, pos, vertex_at(m, d, f, e, 0)),
        into(mat, pos, vertex_at(m, d, f, e, 1)),
        into(mat, pos, vertex_at(m, d, f, e, 2)),
    )
    n, best = search_triangle(m, d, geom, 0, corners, 0), 0
    if n == 0:
        return 0
    for k in range(1, n):
        if d.sdf_depth[k] < d.sdf_depth[best]:
            best = k
    d.fcon_elem[fcon], d.fcon_dist[fcon] = e, d.sdf_depth[best]
    store(d.fcon_pos, fcon, load3(d.sdf_known, best))
    return 1
