"""Bounding volume tree over the triangles of a mesh."""

from typing import NamedTuple

import numpy as np

from .pose import EPS
from .selection import select
from .triangles import cross, dot


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
    """Tree that splits triangles at the median of the longest axis, all nodes of a level at once.

    Args:
        points: (n, 3).
        faces: (f, 3).
    """
    corners = points[faces]
    low, high = corners.min(1), corners.max(1)
    middle, half = 0.5 * (low + high), 0.5 * (high - low)
    low, high = middle - half, middle + half
    centres = circumcentres(points, faces)
    lost = np.isnan(centres).any()
    size = 2 * len(faces) - 1
    children, leaves = np.full((size, 2), -1), np.full(size, -1)
    found = Tree(np.empty((size, 6)), children, leaves, np.zeros(size, int))
    order, nodes, counts, depth = np.arange(len(faces)), np.zeros(1, int), np.array([len(faces)]), 0
    while len(nodes):
        starts = np.cumsum(counts) - counts
        a, b = np.minimum.reduceat(low[order], starts), np.maximum.reduceat(high[order], starts)
        flat = np.abs(a - b) < EPS
        a, b = a - EPS * flat, b + EPS * flat
        found.boxes[nodes, :3], found.boxes[nodes, 3:] = (b + a) / 2, (b - a) / 2
        found.depth[nodes] = depth
        leaf = counts == 1
        found.faces[nodes[leaf]] = order[starts[leaf]]
        order = order[np.repeat(~leaf, counts)]
        nodes, counts, edges = nodes[~leaf], counts[~leaf], (b - a)[~leaf]
        axis = np.where(edges[:, 1] >= edges[:, 0] + EPS, 1, 0)
        axis[edges[:, 2] >= edges[np.arange(len(axis)), axis] + EPS] = 2
        segment = np.repeat(np.arange(len(nodes)), counts)
        keys = centres[order, axis[segment]]
        order = _halved(order, segment, keys, counts) if lost else _sorted(order, segment, keys)
        left = counts // 2
        below = np.stack([nodes + 1, nodes + 2 * left], axis=1)
        found.children[nodes] = below
        nodes, counts = below.ravel(), np.stack([left, counts - left], axis=1).ravel()
        depth += 1
    return found


def _sorted(order: np.ndarray, segment: np.ndarray, key: np.ndarray) -> np.ndarray:
    """Triangles of each segment sorted by a key; by their numbers where keys hardly differ."""
    by = np.lexsort((order, key, segment))
    order, key = order[by], key[by]
    gap = np.diff(key)
    if ((gap > 0) & (gap <= EPS)).any():
        apart = (gap > EPS) | (np.diff(segment) > 0)
        group = np.concatenate([[0], np.cumsum(apart)])
        order = order[np.lexsort((order, group))]
    return order


def _halved(order, segment, keys: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """As `_sorted`; segments with keys that are not numbers are only halved at the median."""
    halved = _sorted(order, segment, keys)
    starts = np.cumsum(counts) - counts
    for k in np.unique(segment[np.isnan(keys)]):
        here = slice(starts[k], starts[k] + counts[k])
        items = list(zip(keys[here].tolist(), order[here].tolist(), strict=True))
        select(items, len(items) // 2, _less)
        halved[here] = [face for _, face in items]
    return halved


def _less(a: tuple, b: tuple) -> bool:
    return a[0] < b[0] if abs(a[0] - b[0]) > EPS else a[1] < b[1]


def circumcentres(points: np.ndarray, faces: np.ndarray) -> np.ndarray:
    """Centres of the circles through the corners of triangles; nan for those without area."""
    c = points[faces[:, 2]]
    a, b = points[faces[:, 0]] - c, points[faces[:, 1]] - c
    normal = cross(a, b)
    area = np.sqrt(dot(normal, normal))
    towards = dot(a, a)[:, None] * b - dot(b, b)[:, None] * a
    return cross(towards, normal) / (2 * area * area)[:, None] + c
