"""Shapes made of triangles: trees of boxes over them, and the rays that go through.

Triangles are split in halves where they reach farthest, again and again, until two make a leaf.
The tree needs no links: node i has the children 2i and 2i + 1, node 1 is the root.
"""

from typing import NamedTuple

import numpy as np

from mjenv.engine.simd.elementary import larger, smaller
from mjenv.engine.simd.kernel import kernel
from mjenv.engine.simd.lanes import absolute, get_lane, lane_any, load3, select
from mjenv.engine.simd.spatial import cross, dot3, sub3

from .rays import FAR, nonzero

LEAF = 2  # triangles of a leaf
ANY, FIRST = range(2)  # which triangle is asked for
SLACK = 1e-5  # by how much triangles overlap, so that no light shines between them


class Tree(NamedTuple):
    """Triangles in the order of a tree.

    Attributes:
        order: triangle of every place, (4 * leaves,); -1 where there is none.
        leaves: a power of two.
        axis: along which coordinate each node is split, the lower half first, (2 * leaves,).
    """

    order: np.ndarray
    leaves: int
    axis: np.ndarray


def make_tree(corners: np.ndarray) -> Tree:
    """Sort triangles for a tree.

    Args:
        corners: (n, 3, 3).
    """
    n, leaves = len(corners), 1
    while LEAF * leaves < n:
        leaves *= 2
    # what is missing to full leaves lies behind everything
    middle = np.full((LEAF * leaves, 3), np.inf)
    middle[:n] = corners.mean(axis=1)
    order = np.arange(LEAF * leaves)
    axes = np.zeros(2 * leaves, np.int32)
    half = LEAF * leaves // 2
    while half >= LEAF:
        # each part in two, where it is longest
        parts = middle[order].reshape(-1, 2 * half, 3)
        there = np.isfinite(parts)
        span = np.where(there, parts, -np.inf).max(axis=1) - parts.min(axis=1)
        axis = np.where(np.isnan(span) | np.isinf(span), -1.0, span).argmax(axis=1)
        axes[len(axis) : 2 * len(axis)] = axis
        along = np.take_along_axis(parts, axis[:, None, None], axis=2)[:, :, 0]
        place = np.argsort(along, axis=1, kind="stable")
        order = np.take_along_axis(order.reshape(-1, 2 * half), place, axis=1).ravel()
        half //= 2
    return Tree(np.where(order < n, order, -1), leaves, axes)


def boxes(corners: np.ndarray, tree: Tree) -> np.ndarray:
    """Bounds of the nodes of a tree: lower and upper corners, (2 * leaves, 6), float32."""
    there = tree.order >= 0
    placed = corners[tree.order]
    low = np.where(there[:, None], placed.min(axis=1), np.inf).reshape(tree.leaves, LEAF, 3)
    high = np.where(there[:, None], placed.max(axis=1), -np.inf).reshape(tree.leaves, LEAF, 3)
    low, high = low.min(axis=1), high.max(axis=1)
    found = np.zeros((2 * tree.leaves, 6), np.float32)
    level = tree.leaves
    while True:
        # rounded outwards, so that what lies on a face is inside
        found[level : 2 * level, :3] = np.nextafter(low.astype(np.float32), np.float32(-np.inf))
        found[level : 2 * level, 3:] = np.nextafter(high.astype(np.float32), np.float32(np.inf))
        if level == 1:
            break
        low, high = low.reshape(-1, 2, 3).min(axis=1), high.reshape(-1, 2, 3).max(axis=1)
        level //= 2
    # of nothing: a box that no ray meets
    empty = ~(found[:, 0] <= found[:, 3])
    found[empty] = [1e30, 1e30, 1e30, -1e30, -1e30, -1e30]
    return found


@kernel
def meets_box(m, box, o, inverse, tmin, tmax):
    """Lanes whose ray passes a box between two distances."""
    near, far = tmin, tmax
    for k in range(3):
        a = (m.tree_box[box + k] - o[k]) * inverse[k]
        b = (m.tree_box[box + 3 + k] - o[k]) * inverse[k]
        near, far = larger(near, smaller(a, b)), smaller(far, larger(a, b))
    return near <= far * (1.0 + 4e-7)


@kernel
def cross_face(m, face, o, v, tmin, tmax, back):
    """Distance to a triangle (Moeller and Trumbore), FAR where it is missed.

    `back`: from behind as well.
    """
    corner, e1, e2 = (
        load3(m.triangle, 3 * face),
        load3(m.triangle, 3 * face + 1),
        load3(m.triangle, 3 * face + 2),
    )
    p = cross(v, e2)
    det = dot3(p, e1)
    inverse = 1.0 / select(absolute(det) < 1e-30, 1e-30, det)
    s = sub3(o, corner)
    x = dot3(s, p) * inverse
    met = (x >= -SLACK) & (x <= 1.0 + SLACK) & (absolute(det) > 1e-30)
    if back == 0:
        met = met & (det > 0.0)
    t = FAR + 0.0 * x
    # most are beside it
    if lane_any(met):
        q = cross(s, e1)
        y, far = dot3(v, q) * inverse, dot3(q, e2) * inverse
        met = met & (y >= -SLACK) & (x + y <= 1.0 + SLACK) & (far > tmin) & (far < tmax)
        t = select(met, far, FAR)
    return t


@kernel
def enter_triangles(m, d, mesh, o, v, tmin, tmax, back, which):
    """The first triangle of a mesh that rays meet, or any of them.

    Args:
        m: the scene.
        d: a thread's work; overwrites d.stack and d.out.
        mesh: which mesh.
        o: origins in its frame.
        v: directions.
        tmin: where to begin.
        tmax: where to end, a pack.
        back: whether triangles are also seen from behind.
        which: FIRST for the first triangle; ANY for any, its distance being less than tmin.

    Returns:
        (distance, triangle); FAR and -1 where there is none.
    """
    tree, leaves, first = m.mesh_tree[mesh], m.mesh_leaf[mesh], m.mesh_face[mesh]
    inverse = (1.0 / nonzero(v[0]), 1.0 / nonzero(v[1]), 1.0 / nonzero(v[2]))
    # one ray says which way to go first
    d.out[0], d.out[1], d.out[2] = v[0], v[1], v[2]
    down = 1 if get_lane(d.out, 0, 5) < 0.0 else 0
    down |= 2 if get_lane(d.out, 1, 5) < 0.0 else 0
    down |= 4 if get_lane(d.out, 2, 5) < 0.0 else 0
    least = tmin + 0.0 * v[0]
    t, hit = tmax + 0.0 * v[0], -1.0 + 0.0 * v[0]
    d.stack[0], top = 1, 1
    while top > 0:
        top -= 1
        node = d.stack[top]
        if lane_any(meets_box(m, 6 * (tree + node), o, inverse, least, t)):
            if node < leaves:
                near = 2 * node + ((down >> m.tree_axis[tree + node]) & 1)
                d.stack[top], d.stack[top + 1] = near ^ 1, near
                top += 2
            else:
                start = first + LEAF * (node - leaves)
                for face in range(start, start + LEAF):
                    s = cross_face(m, face, o, v, tmin, t, back)
                    closer = s < t
                    if which == ANY:
                        s = least - 1.0
                    t, hit = select(closer, s, t), select(closer, 1.0 * face, hit)
    return select(hit >= 0.0, t, FAR), hit


def packed(corners: np.ndarray, tree: Tree) -> np.ndarray:
    """Triangles as kernels read them: a corner and two edges, (4 * leaves, 9), float32."""
    found = np.zeros((len(tree.order), 9), np.float32)
    there = tree.order >= 0
    placed = corners[tree.order[there]].astype(np.float64)
    found[there, :3] = placed[:, 0]
    found[there, 3:6] = placed[:, 1] - placed[:, 0]
    found[there, 6:] = placed[:, 2] - placed[:, 0]
    return found
