"""Inverse inertia of the constraint rows, A = J M^-1 J' + R, of each world.

The dual solvers of a pack keep it in an order of their own, island by island; here it is made as
MuJoCo lists it, from the exported rows, when somebody looks at it. That is no work in a step.
"""

from typing import TYPE_CHECKING

import numpy as np

from .made import has_inertia

if TYPE_CHECKING:
    from .data import Data


def constraint_inertia(data: "Data") -> dict[str, np.ndarray]:
    """nA, efc_AR and its structure, of the last call.

    Args:
        data: `Data` that holds the fields of `made.OF_INERTIA`.

    Returns:
        Arrays with a leading world axis, as long as the longest of the worlds needs; the first
        `nA[i]` entries of world i count. Indices are empty where the Jacobian is dense.
    """
    model, sparse = data.model, not data.plan.tables["is_dense"]
    worlds = range(data.nworld) if has_inertia(model.opt) else ()
    found = [_inertia_of_world(data, world, sparse) for world in worlds]
    nefc = max((len(nnz) for _, nnz, _ in found), default=0)
    nA = max((len(values) for values, _, _ in found), default=0)
    fields = {
        "nA": np.zeros(data.nworld, np.int32),
        "efc_AR": np.zeros((data.nworld, nA)),
        "efc_AR_rownnz": np.zeros((data.nworld, nefc if sparse else 0), np.int32),
        "efc_AR_rowadr": np.zeros((data.nworld, nefc if sparse else 0), np.int32),
        "efc_AR_colind": np.zeros((data.nworld, nA if sparse else 0), np.int32),
    }
    for world, (values, nnz, columns) in enumerate(found):
        fields["nA"][world] = len(values)
        fields["efc_AR"][world, : len(values)] = values
        if sparse:
            fields["efc_AR_rownnz"][world, : len(nnz)] = nnz
            fields["efc_AR_rowadr"][world, : len(nnz)] = np.cumsum(nnz) - nnz
            fields["efc_AR_colind"][world, : len(columns)] = columns
    return fields


def _inertia_of_world(data: "Data", world: int, sparse: bool):
    """Entries, row lengths and columns of one world."""
    model, n = data.model, int(data.nefc.reshape(-1)[world])
    half, pattern = listed_rows(data, world, n, sparse)
    factor, diagonal = data.qLD[world], data.qLDiagInv[world]
    # half becomes J M^(-1/2); M = L' D L
    for dof in range(model.nv - 1, -1, -1):
        start = model.M_rowadr[dof]
        row = slice(start, start + model.M_rownnz[dof] - 1)
        columns = model.M_colind[row]
        half[:, columns] -= half[:, dof : dof + 1] * factor[row]
        if model.dof_parentid[dof] >= 0:
            pattern[:, model.dof_parentid[dof]] |= pattern[:, dof]
    half *= np.sqrt(diagonal)
    inertia = _gram(half)
    inertia[np.diag_indices(n)] += data.efc_R[world, :n]
    if not sparse:
        return inertia.reshape(-1), np.full(n, n), np.zeros(0, np.int32)
    shared = pattern.astype(np.float32)
    place = shared @ shared.T > 0
    # a row without dofs has its regularization
    place[np.diag_indices(n)] = True
    return inertia[place], place.sum(axis=1), np.nonzero(place)[1]


def _gram(rows: np.ndarray) -> np.ndarray:
    """J J' of rows J (n, nv), most of which have few entries, with the same bits everywhere."""
    result = np.zeros((len(rows), len(rows)))
    for column in rows.T:
        here = np.flatnonzero(column)
        result[np.ix_(here, here)] += np.multiply.outer(column[here], column[here])
    return result


def listed_rows(data: "Data", world: int, n: int, sparse: bool):
    """Jacobian of one world as a full matrix, and which of its entries are listed."""
    nv = data.model.nv
    if not sparse:
        jacobian = data.efc_J[world, : n * nv].reshape(n, nv).copy()
        return jacobian, jacobian != 0
    jacobian, pattern = np.zeros((n, nv)), np.zeros((n, nv), bool)
    length = data.efc_J_rownnz[world, :n]
    total, rows = int(length.sum()), np.repeat(np.arange(n), length)
    columns = data.efc_J_colind[world, :total]
    jacobian[rows, columns] = data.efc_J[world, :total]
    pattern[rows, columns] = True
    return jacobian, pattern
