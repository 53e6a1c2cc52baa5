"""Bounding volume tree over the triangles of a mesh."""

from typing import Any, NamedTuple

import numpy as np

from ...simd.record import Layout
from ..geometry.pose import EPS
from .compiled import pays, run
from .nth_element import select
from .triangles import cross, dot

DEPTH = 64  # nodes that wait, at most
LAYOUT = Layout(
    "mesh tree",
    [
        ("nface", "size"), ("ncorner", "size"), ("point", "f8", True, False), ("face", "i4"),
        ("low", "f8", True, False), ("high", "f8", True, False), ("centre", "f8", True, False),
        ("key", "f8", True, False), ("order", "i4"), ("stack", "i4"), ("box", "f8", True, False),
        ("child", "i4"), ("leaf", "i4"), ("depth", "i4"),
    ],
)  # fmt: skip


class Tree(NamedTuple):
    """Nodes in depth-first order.

    Attributes:
        boxes: centre and half sizes, (n, 6) (m).
        children: two nodes each, (n, 2); -1: none.
        faces: the triangle of a leaf; -1 for inner nodes.
        depth: levels below the root.
    """

    boxes: np.ndarray
    children: np.ndarray
    faces: np.ndarray
    depth: np.ndarray


def tree(points: np.ndarray, faces: np.ndarray) -> Tree:
    """Tree that splits triangles at the median of the longest axis.

    Where the median does not say by itself which triangles are in which half, it is selected with
    the algorithm of the C++ library, here and in the nodes above, because the halves depend on the
    order in which it leaves them.

    Args:
        points: (n, 3).
        faces: (f, 3).
    """
    if _pays(len(faces)):
        # boxes and circumcentres in the same kernel
        low, high, centres = (np.empty((len(faces), 3)) for _ in range(3))
        triangles = {"point": points, "face": faces.astype(np.int32)}
        return _compiled(low, high, centres, ncorner=3 * len(faces), **triangles)
    corners = points[faces]
    low, high = corners.min(1), corners.max(1)
    middle, half = 0.5 * (low + high), 0.5 * (high - low)
    return tree_of_boxes(middle - half, middle + half, circumcentres(points, faces))


def tree_of_boxes(low: np.ndarray, high: np.ndarray, centres: np.ndarray) -> Tree:
    """Tree over boxes, split at the median of the longest axis.

    Args:
        low, high: corners of the boxes, (f, 3) (m).
        centres: what is compared with the median, (f, 3) (m).
    """
    if _pays(len(low)):
        return _compiled(low, high, centres)
    selected = np.asarray(np.isnan(centres).any(1))
    while True:
        found, doubtful = _build(low, high, centres, selected)
        if not doubtful.any():
            return found
        selected |= doubtful


def _pays(count: int) -> bool:
    from .tree_kernel import build_tree

    return pays(build_tree, LAYOUT, count)


def _compiled(low: np.ndarray, high: np.ndarray, centres: np.ndarray, **triangles: Any) -> Tree:
    """The same tree by a kernel; it fills the boxes and centres of triangles if there are some."""
    from .tree_kernel import build_tree

    count = len(low)
    size = 2 * count - 1
    found = Tree(
        np.empty((size, 6)),
        np.empty((size, 2), np.int32),
        np.empty(size, np.int32),
        np.empty(size, np.int32),
    )
    run(
        build_tree, LAYOUT, nface=count, low=low, high=high, centre=centres, key=np.empty(count),
        order=np.empty(count, np.int32), stack=np.empty(4 * DEPTH, np.int32), box=found.boxes,
        child=found.children, leaf=found.faces, depth=found.depth, **triangles,
    )  # fmt: skip
    return found


def _build(
    low: np.ndarray, high: np.ndarray, centres: np.ndarray, selected: np.ndarray
) -> tuple[Tree, np.ndarray]:
    """Make all nodes of a level at once.

    Args:
        low, high: corners of the box around each triangle, (f, 3).
        centres: what is compared with the median, (f, 3).
        selected: triangles whose nodes are halved by selection, (f,) bool.

    Returns:
        The tree, and the triangles of nodes that should have been halved so.
    """
    size = 2 * len(low) - 1
    children, leaves = np.full((size, 2), -1), np.full(size, -1)
    found = Tree(np.empty((size, 6)), children, leaves, np.zeros(size, int))
    doubtful = np.zeros(len(low), bool)
    order: np.ndarray = np.arange(len(low))
    # the same triangles sorted along each axis, which they stay node by node
    along = [np.argsort(column, kind="stable") for column in centres.T]
    bounds = np.concatenate([low, -high], axis=1)
    nodes: np.ndarray = np.zeros(1, int)
    # level by level, all nodes of a level at once
    counts: np.ndarray = np.array([len(low)])
    depth = 0
    while len(nodes):
        starts = np.cumsum(counts) - counts
        box = np.minimum.reduceat(bounds.take(order, axis=0), starts)
        a, b = box[:, :3], -box[:, 3:]
        flat = np.abs(a - b) < EPS
        if flat.any():
            a, b = a - EPS * flat, b + EPS * flat
        found.boxes[nodes] = np.concatenate([(b + a) / 2, (b - a) / 2], axis=1)
        found.depth[nodes] = depth
        # leaves: one triangle
        leaf = counts == 1
        found.faces[nodes[leaf]] = order[starts[leaf]]
        if leaf.any():
            inner = np.repeat(~leaf, counts)
            order, along = order[inner], [triangles[inner] for triangles in along]
            nodes, counts, a, b = nodes[~leaf], counts[~leaf], a[~leaf], b[~leaf]
        if not len(nodes):
            break
        # inner nodes are halved at the median along their longest axis
        axis = np.repeat(_longest(b - a), counts)
        order = _halved(order, np.choose(axis, along), axis, counts, centres, selected, doubtful)
        found.children[nodes], counts = _below(nodes, counts)
        nodes = found.children[nodes].ravel()
        along = _divided(along, order, counts)
        depth += 1
    return found, doubtful


def _divided(along: list[np.ndarray], order: np.ndarray, counts: np.ndarray) -> list[np.ndarray]:
    """Triangles sorted along each axis, after nodes were halved.

    Args:
        along: triangles of each axis, node after node.
        order: triangles, half after half.
        counts: how many each half has: two for each node.
    """
    # halves of the second kind, and where each node begins
    second = np.empty(int(order.max()) + 1, bool)
    second[order] = np.repeat(np.arange(len(counts)) % 2 == 1, counts)
    whole = counts[::2] + counts[1::2]
    start = np.repeat(np.cumsum(whole) - whole, whole)
    left = np.repeat(counts[::2], whole)
    place = np.arange(len(order)) - start
    found = []
    for triangles in along:
        right = second[triangles]
        # how many of the node stand before in the second half
        before = np.cumsum(right) - right
        before -= before[start]
        new = np.empty_like(triangles)
        new[start + np.where(right, left + before, place - before)] = triangles
        found.append(new)
    return found


def _longest(edges: np.ndarray) -> np.ndarray:
    """The axis of the longest edge of each box; the first of those that hardly differ."""
    axis = np.where(edges[:, 1] >= edges[:, 0] + EPS, 1, 0)
    axis[edges[:, 2] >= edges[np.arange(len(axis)), axis] + EPS] = 2
    return axis


def _below(nodes: np.ndarray, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The two children of each node, (n, 2), and how many triangles these have, (2 n,)."""
    left = counts // 2
    children = np.stack([nodes + 1, nodes + 2 * left], axis=1)
    return children, np.stack([left, counts - left], axis=1).ravel()


def _halved(
    order: np.ndarray,
    along: np.ndarray,
    axis: np.ndarray,
    counts: np.ndarray,
    centres: np.ndarray,
    selected: np.ndarray,
    doubtful: np.ndarray,
) -> np.ndarray:
    """Triangles, those of each node with the lower half first.

    Args:
        order: triangles, node after node, as earlier halvings have left them.
        along: the same, each node's sorted along its axis.
        axis: the axis of the node of each.
        counts: how many each node has.
        centres: what is compared, (f, 3).
        selected: triangles whose nodes are halved by selection.
        doubtful: set for the triangles of other nodes that need it.
    """
    starts = np.cumsum(counts) - counts
    halved, sorted_keys = along, centres.reshape(-1).take(3 * along + axis)
    gap = np.diff(sorted_keys)
    unsure = np.zeros(len(counts), bool)
    if ((gap > 0) & (gap <= EPS)).any():
        # the numbers of triangles decide between keys that hardly differ
        apart = gap > EPS
        apart[starts[1:] - 1] = True
        group = np.concatenate([[0], np.cumsum(apart)])
        ends = np.flatnonzero(np.append(apart, True))
        begins = np.append(0, ends[:-1] + 1)
        spread = sorted_keys[ends] - sorted_keys[begins]
        among = np.flatnonzero((spread > 0)[group])
        halved = along.copy()
        halved[among] = along[among][np.lexsort((along[among], group[among]))]
        wide = spread > EPS
        median = starts + counts // 2
        unsure = (group[median] == group[median - 1]) & wide[group[median]]
    if selected.any() or unsure.any():
        halved = halved.copy() if halved is along else halved
        chosen = np.logical_or.reduceat(selected[order], starts)
        doubtful[order[np.repeat(unsure & ~chosen, counts)]] = True
        for k in np.flatnonzero(chosen):
            here = slice(starts[k], starts[k] + counts[k])
            keys = centres[order[here], axis[starts[k]]]
            items = list(zip(keys.tolist(), order[here].tolist(), strict=True))
            select(items, len(items) // 2)
            halved[here] = [face for _, face in items]
    return halved


def circumcentres(points: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """Centres of the circles through the corners of triangles; nan for those without area."""
    c = points[faces[:, 2]]
    a, b = points[faces[:, 0]] - c, points[faces[:, 1]] - c
    normal = cross(a, b)
    area = np.sqrt(dot(normal, normal))
    towards = dot(a, a)[:, None] * b - dot(b, b)[:, None] * a
    return cross(towards, normal) / (2 * area * area)[:, None] + c
