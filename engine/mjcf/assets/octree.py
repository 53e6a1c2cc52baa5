"""Octrees of meshes: cells around the surface, and the signed distance at their corners.

Documentation of MuJoCo, chapter Computation, signed distance functions. Cells that touch the
surface are split; then those that are much larger than a neighbour, until levels of neighbours
differ by one at most. Corners that lie inside the edge or face of a larger neighbour get the mean
of its corners, so that the distance is continuous.
"""

from typing import NamedTuple

import numpy as np

from .mesh_distance import signed_distances
from .mesh_tree import Tree

DEPTH = 6  # levels below the root
ROOM = 1.1  # of the root relative to the box around the mesh
TOUCHING = 1e-9  # distance below which a corner lies in a plane (m)
SLOTS = np.array([[k & 1, k >> 1 & 1, k >> 2 & 1] for k in range(8)])
BITS = np.array([1, 2, 4])


class Octree(NamedTuple):
    """Cells, parents before children.

    Attributes:
        depth: levels below the root, (n,).
        children: eight cells each, (n, 8); -1: none.
        boxes: centres and half sizes, (n, 6) (m).
        distances: signed distance at the corners, (n, 8) (m).
    """

    depth: np.ndarray
    children: np.ndarray
    boxes: np.ndarray
    distances: np.ndarray


class _Cells:
    """Cells while they are made.

    Attributes:
        level, place: level of each cell, and its place among those of its size, (n, 3).
        low, high: corners, (n, 3) (m).
        children: (n, 8).
        grids: the cell at each place of a level, -1: none.
    """

    def __init__(self, low: np.ndarray, high: np.ndarray):
        self.level, self.place = np.zeros(1, int), np.zeros((1, 3), int)
        self.low, self.high = low[None], high[None]
        self.children = np.full((1, 8), -1)
        self.grids = [np.full((1 << k,) * 3, -1) for k in range(DEPTH + 1)]
        self.grids[0][0, 0, 0] = 0

    def split(self, cells: np.ndarray) -> np.ndarray:
        """Give eight children to each of some cells; returns these, (8 n,)."""
        first = len(self.level)
        new = np.arange(first, first + 8 * len(cells))
        self.children[cells] = new.reshape(-1, 8)
        parents, slots = np.repeat(cells, 8), np.tile(SLOTS, (len(cells), 1))
        low, high = self.low[parents], self.high[parents]
        middle = (low + high) / 2
        self.low = np.concatenate([self.low, np.where(slots, middle, low)])
        self.high = np.concatenate([self.high, np.where(slots, high, middle)])
        self.level = np.concatenate([self.level, self.level[parents] + 1])
        self.place = np.concatenate([self.place, 2 * self.place[parents] + slots])
        self.children = np.concatenate([self.children, np.full((len(new), 8), -1)])
        for level in np.unique(self.level[new]):
            here = new[self.level[new] == level]
            self.grids[level][tuple(self.place[here].T)] = here
        return new

    def leaves(self) -> np.ndarray:
        """Cells without children, ascending."""
        return np.flatnonzero(self.children[:, 0] == -1)

    def neighbours(self, cells: np.ndarray) -> np.ndarray:
        """Leaves across each face of some cells, (n, 6): -x, +x, -y, ...; -1: there is none.

        Of several, the one that holds the middle of the face, or lies below it.
        """
        found = np.full((len(cells), 6), -1)
        for way in range(6):
            axis, side = way // 2, way % 2
            place, level = self.place[cells].copy(), self.level[cells].copy()
            place[:, axis] += 2 * side - 1
            inside = (place[:, axis] >= 0) & (place[:, axis] < 1 << level)
            there, at, deep = np.flatnonzero(inside), place[inside], level[inside]
            # the cell of this size, or the smallest that holds it
            cell = self._at(deep, at)
            while (missing := cell < 0).any():
                deep, at = deep - missing, np.where(missing[:, None], at >> 1, at)
                cell = np.where(missing, self._at(deep, at), cell)
            # the leaf in it
            first = np.ones(len(cell), bool)
            while (split := self.children[cell, 0] >= 0).any():
                step = np.where(first[:, None], 0, 1) + np.zeros((1, 3), int)
                step[:, axis] = 1 - side
                slot = step @ BITS
                cell = np.where(split, self.children[cell, slot], cell)
                first &= ~split
            found[there, way] = cell
        return found

    def _at(self, level: np.ndarray, place: np.ndarray) -> np.ndarray:
        """The cell at a place of a level; -1: none."""
        found = np.full(len(level), -1)
        for k in np.unique(level):
            here = level == k
            found[here] = self.grids[k][tuple(place[here].T)]
        return found


def octree(points: np.ndarray, faces: np.ndarray, tree: Tree) -> Octree:
    """Octree of a mesh.

    Args:
        points: vertices, (n, 3) (m).
        faces: triangles, (f, 3).
        tree: bounding volumes of these.
    """
    low, high = points.min(0), points.max(0)
    middle, half = (low + high) / 2, (high - low) / 2
    cells = _Cells(middle - ROOM * half, middle + ROOM * half)
    _refine(cells, points[faces])
    _balance(cells)
    # corners, those that cells share once
    ends = np.stack([cells.low, cells.high], axis=1)
    corners = np.stack([ends[:, SLOTS[:, k], k] for k in range(3)], axis=2) + 0.0
    vertices, number = np.unique(corners.reshape(-1, 3), axis=0, return_inverse=True)
    number = number.reshape(-1, 8)
    distances = _distances(cells, vertices, number, points, faces, tree)
    boxes = np.concatenate([(cells.low + cells.high) / 2, (cells.high - cells.low) / 2], axis=1)
    return Octree(cells.level, cells.children, boxes, distances[number])


def _refine(cells: _Cells, triangles: np.ndarray) -> None:
    """Split cells that touch the surface, level by level."""
    owners, tried = np.zeros(len(triangles), int), np.arange(len(triangles))
    for level in range(DEPTH):
        hit = _touches(triangles[tried], cells.low[owners], cells.high[owners])
        owners, tried = owners[hit], tried[hit]
        if not len(owners):
            return
        parents = np.unique(owners)
        cells.split(parents)
        if level + 1 < DEPTH:
            owners = cells.children[owners].ravel()
            tried = np.repeat(tried, 8)


def _touches(v: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Triangles, (n, 3, 3), that touch boxes, by separating axes (Schwarz and Seidel 2010)."""
    near = np.all((v >= low[:, None]).any(1) & (v <= high[:, None]).any(1), axis=1)
    edges = v[:, (1, 2, 0)] - v
    e0, e1 = edges[:, 0], edges[:, 1]
    normal = np.stack(
        [e0[:, b] * e1[:, c] - e0[:, c] * e1[:, b] for b, c in ((1, 2), (2, 0), (0, 1))], axis=1
    )
    size = high - low
    # plane of the triangle
    corner = np.where(normal > 0, size, 0.0)
    base = _dot(normal, low)
    one = base + _dot(normal, corner - v[:, 0])
    two = base + _dot(normal, size - corner - v[:, 0])
    near &= ~(one * two > 0)
    # its projections
    for a in range(3):
        b, c = (a + 1) % 3, (a + 2) % 3
        sign = np.where(normal[:, a] >= 0, 1.0, -1.0)
        for i in range(3):
            nb, nc = -edges[:, i, c] * sign, edges[:, i, b] * sign
            d = -(nb * v[:, i, b] + nc * v[:, i, c])
            d = d + np.maximum(0, size[:, b] * nb) + np.maximum(0, size[:, c] * nc)
            near &= ~(nb * low[:, b] + nc * low[:, c] + d < 0)
    return near


def _dot(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return a[:, 0] * b[:, 0] + a[:, 1] * b[:, 1] + a[:, 2] * b[:, 2]


def _balance(cells: _Cells) -> None:
    """Split leaves until the levels of neighbours differ by one at most."""
    while True:
        leaves = cells.leaves()
        neighbours = cells.neighbours(leaves)
        own, other = cells.level[leaves][:, None], cells.level[neighbours]
        there = neighbours >= 0
        coarse = np.stack([there & (other > own + 1), there & (own > other + 1)], axis=2)
        which = np.stack([np.broadcast_to(leaves[:, None], neighbours.shape), neighbours], axis=2)
        wanted = which[coarse]
        if not len(wanted):
            return
        _, first = np.unique(wanted, return_index=True)
        cells.split(wanted[np.sort(first)])


def _distances(
    cells: _Cells,
    vertices: np.ndarray,
    number: np.ndarray,
    points: np.ndarray,
    faces: np.ndarray,
    tree: Tree,
) -> np.ndarray:
    """Signed distance at all corners (m), from the larger cells to the smaller ones."""
    hanging, supports, count = _hanging(cells, vertices, number)
    found = np.zeros(len(vertices))
    free = np.ones(len(vertices), bool)
    free[hanging] = False
    found[free] = signed_distances(vertices[free], points, faces, tree)
    # what hangs follows from corners of larger cells
    first = np.full(len(vertices), DEPTH + 1)
    np.minimum.at(first, number.ravel(), np.repeat(cells.level, 8))
    for level in range(DEPTH + 1):
        here = first[hanging] == level
        values = found[supports[here]]
        two = (values[:, 0] + values[:, 1]) / 2
        four = (values[:, 0] + values[:, 1] + values[:, 2] + values[:, 3]) / 4
        found[hanging[here]] = np.where(count[here] == 2, two, four)
    return found


def _hanging(
    cells: _Cells, vertices: np.ndarray, number: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Corners inside edges and faces of larger neighbours.

    Returns:
        The corners (n,), those of the neighbour that count, (n, 4), and how many they are, 2 or 4.
    """
    leaves = cells.leaves()
    neighbours = cells.neighbours(leaves)
    corners, coarse, turn = [], [], []
    for way in range(6):
        axis, side = way // 2, way % 2
        smaller = neighbours[:, way] >= 0
        smaller &= cells.level[neighbours[:, way]] < cells.level[leaves]
        b, c = (axis + 1) % 3, (axis + 2) % 3
        for i in range(4):
            slot = (side << axis) | (i & 1) << b | (i >> 1) << c
            corners.append(number[leaves[smaller], slot])
            coarse.append(neighbours[smaller, way])
            turn.append(np.flatnonzero(smaller) * 24 + way * 4 + i)
    order = np.argsort(np.concatenate(turn))
    corner, cell = np.concatenate(corners)[order], np.concatenate(coarse)[order]
    at_low = np.abs(vertices[corner] - cells.low[cell]) < TOUCHING
    at_high = np.abs(vertices[corner] - cells.high[cell]) < TOUCHING
    planes = (at_low | at_high).sum(1)
    inner = (planes == 1) | (planes == 2)
    _, first = np.unique(corner[inner], return_index=True)
    kept = np.flatnonzero(inner)[first]
    corner, cell, planes = corner[kept], cell[kept], planes[kept]
    at_low, at_high = at_low[kept], at_high[kept]
    # corners of the neighbour: those that lie in the same planes
    free = ~(at_low | at_high)
    supports = np.zeros((len(corner), 4), int)
    for k in range(4):
        bits = at_high.astype(int)
        # an edge has one free direction, a face two, which count from the plane on
        one = np.argmax(free, axis=1)
        plane = np.argmax(~free, axis=1)
        edge = planes == 2
        rows = np.arange(len(corner))
        bits[rows[edge], one[edge]] = k & 1
        face = ~edge
        bits[rows[face], (plane[face] + 1) % 3] = k & 1
        bits[rows[face], (plane[face] + 2) % 3] = k >> 1
        supports[:, k] = number[cell, bits @ BITS]
    return corner, supports, np.where(planes == 2, 2, 4)
