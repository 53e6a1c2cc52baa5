"""Cells of the grids of nodes that deformables follow, outside kernels."""

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from ...model.model import Model


def cell_numbers(model: "Model", f: int) -> int:
    """Number of cells of a deformable; those of shells lie on the six sides of the grid."""
    x, y, z = model.flex_cellnum[f].tolist()
    return 2 * (x * y + y * z + z * x) if model.flex_interp[f] < 0 else x * y * z


def nodes_of_cells(model: "Model", f: int) -> int:
    """Number of nodes of a cell."""
    order = abs(int(model.flex_interp[f]))
    return (order + 1) ** (2 if model.flex_interp[f] < 0 else 3)


def cell_nodes(model: "Model", f: int, cell: int) -> np.ndarray:
    """Numbers, in the grid, of the nodes of a cell, in its order."""
    order, cells = abs(int(model.flex_interp[f])), model.flex_cellnum[f].astype(int)
    grid = np.arange(np.prod(cells * order + 1)).reshape(cells * order + 1)
    if model.flex_interp[f] > 0:
        low = np.array(np.unravel_index(cell, cells)) * order
        return grid[tuple(slice(k, k + order + 1) for k in low)].ravel()
    # the side that a cell of a shell lies on
    for side in range(6):
        axis = side // 2
        slow, fast = (axis + 1) % 3, (axis + 2) % 3
        if cell < cells[slow] * cells[fast]:
            break
        cell -= cells[slow] * cells[fast]
    flat = np.moveaxis(grid, (axis, slow, fast), (0, 1, 2))[-1 if side % 2 else 0]
    i, j = cell // cells[fast] * order, cell % cells[fast] * order
    return flat[i : i + order + 1, j : j + order + 1].ravel()
