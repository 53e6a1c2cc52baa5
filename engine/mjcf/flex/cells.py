"""Cells of deformables whose vertices follow nodes of a grid: which are empty, their stiffness."""

from collections import deque

import numpy as np

# values of <flex> that <flexcomp> knows and no attribute says
NODE_POINTS, EMPTY_CELLS = "node points", "empty cells"
STEPS = ((-1, 0, 0), (1, 0, 0), (0, -1, 0), (0, 1, 0), (0, 0, -1), (0, 0, 1))


def empty_cells(points: np.ndarray, elements: np.ndarray, cells: tuple, box: tuple) -> np.ndarray:
    """Mask of the cells of a grid that hold nothing of a deformable, of the shape of the grid.

    Those inside a closed surface are not empty.

    Args:
        points: vertices, (n, 3) (m).
        elements: vertices of each element, (e, dim + 1).
        cells: number of cells along each axis.
        box: corners of the grid, (3,) each (m).
    """
    low, high = box
    # first and last cell that the bounding box of each element reaches, rounded as in MuJoCo
    corners, count = points[elements], np.array(cells)
    size = high - low
    with np.errstate(all="ignore"):
        first, last = (
            np.where(size > 0, np.trunc((c - low) / size * count), 0.0).astype(int)
            for c in (corners.min(axis=1), corners.max(axis=1))
        )
    first, last = np.clip(first, 0, count - 1), np.clip(last, 0, count - 1)
    # all cells of the bounding box count as occupied
    occupied = np.zeros(cells, bool)
    for a, b in zip(first.tolist(), last.tolist(), strict=True):
        occupied[tuple(slice(i, j + 1) for i, j in zip(a, b, strict=True))] = True
    # only triangles enclose something
    if elements.shape[1] != 3:
        return ~occupied
    return _outside(occupied)


def _outside(occupied: np.ndarray) -> np.ndarray:
    """Free cells that are connected with the border of the grid."""
    places = np.indices(occupied.shape)
    ends = np.array(occupied.shape).reshape(3, 1, 1, 1) - 1
    border = ((places == 0) | (places == ends)).any(axis=0)
    found = border & ~occupied
    pending = deque(map(tuple, np.argwhere(found).tolist()))
    while pending:
        place = pending.popleft()
        for step in STEPS:
            near = tuple(a + b for a, b in zip(place, step, strict=True))
            inside = all(0 <= k < n for k, n in zip(near, occupied.shape, strict=True))
            if inside and not occupied[near] and not found[near]:
                found[near] = True
                pending.append(near)
    return found
