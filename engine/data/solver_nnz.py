"""Entries of the matrices that MuJoCo's solvers keep, island by island: `solver_nnz`.

They follow from the structure of the constraint rows; the matrices of the solvers here have an
order and a structure of their own. Counted when somebody looks, no work in a step.
"""

from typing import TYPE_CHECKING

import numpy as np

from ..tables.enums import CONE_PYRAMIDAL, NISLAND, SOL_NEWTON, SOL_PGS
from .constraint_inertia import listed_rows

if TYPE_CHECKING:
    from .data import Data


def factor_entries(data: "Data") -> dict[str, np.ndarray]:
    """solver_nnz: int (nworld, 20)."""
    found = np.zeros((data.nworld, NISLAND), np.int32)
    newton = data.model.opt.solver == SOL_NEWTON and not data.plan.tables["is_dense"]
    for world in range(data.nworld):
        n, nisland = (int(x.reshape(-1)[world]) for x in (data.nefc, data.nisland))
        if n == 0:
            continue
        _, pattern = listed_rows(data, world, n, not data.plan.tables["is_dense"])
        for island in range(min(nisland, NISLAND) or 1):
            rows, dofs = np.arange(n), np.arange(data.model.nv)
            if nisland:
                rows = np.flatnonzero(data.efc_island[world, :n] == island)
                dofs = np.flatnonzero(data.dof_island[world] == island)
            found[world, island] = _entries(data, pattern[rows], dofs)
            if newton:
                # MuJoCo has room for the inertia of the islands before, too
                earlier = (data.dof_island[world] < island) & (data.dof_island[world] >= 0)
                found[world, island] += data.model.M_rownnz[earlier].sum()
    return {"solver_nnz": found}


def _entries(data: "Data", pattern: np.ndarray, dofs: np.ndarray) -> int:
    """Entries for the rows of one island, whose dofs are given."""
    model, dense = data.model, data.plan.tables["is_dense"]
    if model.opt.solver == SOL_PGS:
        if dense:
            return len(pattern) ** 2
        pattern = pattern.copy()
        for dof in range(model.nv - 1, -1, -1):
            if model.dof_parentid[dof] >= 0:
                pattern[:, model.dof_parentid[dof]] |= pattern[:, dof]
        shared = pattern.astype(np.float32)
        return int(np.count_nonzero(shared @ shared.T))
    if model.opt.solver != SOL_NEWTON:
        return 0
    if dense:
        return len(dofs) ** 2
    shared = pattern[:, dofs].astype(np.float32)
    hessian = np.tril(shared.T @ shared > 0)
    entries = np.count_nonzero(hessian) + int(model.M_rownnz[dofs].sum())
    for place, dof in enumerate(dofs):
        row = slice(model.M_rowadr[dof], model.M_rowadr[dof] + model.M_rownnz[dof])
        hessian[place, np.searchsorted(dofs, model.M_colind[row])] = True
    # a factor L' L fills in between the entries of each row, from the last on
    for place in range(len(dofs) - 1, -1, -1):
        columns = np.flatnonzero(hessian[place, :place])
        hessian[np.ix_(columns, columns)] |= np.tri(len(columns), dtype=bool)
    factors = 1 if model.opt.cone == CONE_PYRAMIDAL else 2
    return entries + factors * np.count_nonzero(hessian)
