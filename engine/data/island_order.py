"""Fields of dofs, inertia and constraint rows in the order of islands: `iacc`, `iM`, `iefc_J`, ...

MuJoCo's solvers work on such copies, island by island. Here nothing works on them: they are made
of the exported fields and maps when somebody looks at them, which is no work in a step.
"""

from typing import TYPE_CHECKING

import numpy as np

from .made import INERTIA, JACOBIAN, OF_DOFS, OF_ROWS

if TYPE_CHECKING:
    from .data import Data


def of_dofs(data: "Data", name: str) -> dict[str, np.ndarray]:
    """One field of `OF_DOFS` of the last call: (nworld, nv); of a world the first `nidof` count."""
    source = getattr(data, OF_DOFS[name])
    found = np.zeros_like(source)
    for world, n in enumerate(data.nidof.reshape(-1)):
        found[world, :n] = source[world, data.map_idof2dof[world, :n]]
    return {name: found}


def of_rows(data: "Data", name: str) -> dict[str, np.ndarray]:
    """A field of `OF_ROWS` of the last call: as long as that of the rows, (nworld, ...)."""
    source = getattr(data, OF_ROWS[name])
    found = np.zeros_like(source)
    for world in range(data.nworld):
        order = _rows_in_order(data, world)
        found[world, : len(order)] = source[world, order]
    return {name: found}


def inertia(data: "Data") -> dict[str, np.ndarray]:
    """The fields of `INERTIA` of the last call: M and its factor, one block for each island.

    Returns:
        Arrays (nworld, nv) of rows, of which the first `nidof` count, and (nworld, nC) of entries.
        Columns are counted from the first dof of the island.
    """
    model, shape = data.model, data.M.shape
    found = {name: np.zeros((data.nworld, model.nv), np.int32) for name in INERTIA[:2]}
    found |= {"iM_colind": np.zeros(shape, np.int32), "iM": np.zeros(shape)}
    found["iLD"] = np.zeros(shape)
    for world, nidof in enumerate(data.nidof.reshape(-1)):
        dofs = data.map_idof2dof[world, :nidof]
        length = model.M_rownnz[dofs]
        place = _entries(model.M_rowadr[dofs], length)
        first = data.island_idofadr[world, data.dof_island[world, dofs]]
        columns = data.map_dof2idof[world, model.M_colind[place]] - np.repeat(first, length)
        found["iM_rownnz"][world, :nidof] = length
        found["iM_rowadr"][world, :nidof] = np.cumsum(length) - length
        found["iM_colind"][world, : len(place)] = columns
        found["iM"][world, : len(place)] = data.M[world, place]
        found["iLD"][world, : len(place)] = data.qLD[world, place]
    return found


def jacobian(data: "Data") -> dict[str, np.ndarray]:
    """The fields of `JACOBIAN` of the last call: one block for each island.

    Returns:
        Arrays of the shapes of efc_J and its indices, which are empty where it is dense. Columns
        of a sparse one are counted from the first dof of the island.
    """
    dense = data.plan.tables["is_dense"]
    found = {name: np.zeros_like(data.efc_J_rownnz) for name in JACOBIAN[1:4]}
    found |= {
        "iefc_J": np.zeros_like(data.efc_J),
        "iefc_J_colind": np.zeros_like(data.efc_J_colind),
    }
    for world in range(data.nworld):
        order = _rows_in_order(data, world)
        if dense and len(order):
            blocks = _dense_blocks(data, world, order)
            found["iefc_J"][world, : len(blocks)] = blocks
        elif len(order):
            _sparse_blocks(data, world, order, {n: array[world] for n, array in found.items()})
    return found


def _rows_in_order(data: "Data", world: int) -> np.ndarray:
    """Constraint rows of one world, island by island; none where there are no islands."""
    if not data.nisland.size or not data.nisland.reshape(-1)[world]:
        return np.zeros(0, np.int32)
    return data.map_iefc2efc[world, : data.nefc.reshape(-1)[world]]


def _entries(start: np.ndarray, length: np.ndarray) -> np.ndarray:
    """Places of the entries of some sparse rows, one row after the other."""
    return np.arange(length.sum()) + np.repeat(start - (np.cumsum(length) - length), length)


def _dense_blocks(data: "Data", world: int, order: np.ndarray) -> np.ndarray:
    """Blocks of a dense Jacobian; each begins where its first row of `nidof` columns would."""
    nidof, nv = int(data.nidof[world]), data.model.nv
    full = data.efc_J[world, : len(order) * nv].reshape(len(order), nv)
    blocks = np.zeros(len(order) * nidof)
    for island in range(int(data.nisland[world])):
        row, nrow = data.island_iefcadr[world, island], data.island_nefc[world, island]
        dof, ndof = data.island_idofadr[world, island], data.island_nv[world, island]
        dofs = data.map_idof2dof[world, dof : dof + ndof]
        block = full[np.ix_(order[row : row + nrow], dofs)]
        blocks[nidof * row : nidof * row + block.size] = block.reshape(-1)
    return blocks


def _sparse_blocks(data: "Data", world: int, order: np.ndarray, found: dict) -> None:
    """Enter the blocks of a sparse Jacobian into the arrays of one world."""
    length = data.efc_J_rownnz[world, order]
    place, n = _entries(data.efc_J_rowadr[world, order], length), len(order)
    island = data.efc_island[world, order]
    first = np.repeat(data.island_idofadr[world, island], length)
    columns = data.map_dof2idof[world, data.efc_J_colind[world, place]] - first
    start = np.cumsum(length) - length
    found["iefc_J_rownnz"][:n], found["iefc_J_rowadr"][:n] = length, start
    found["iefc_J_colind"][: len(place)] = columns
    found["iefc_J"][: len(place)] = data.efc_J[world, place]
    # rows after each one that have its columns, of the same island
    for row in range(n - 2, -1, -1):
        one, other = (slice(start[k], start[k] + length[k]) for k in (row, row + 1))
        alike = island[row] == island[row + 1] and np.array_equal(columns[one], columns[other])
        found["iefc_J_rowsuper"][row] = found["iefc_J_rowsuper"][row + 1] + 1 if alike else 0
