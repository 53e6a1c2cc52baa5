"""Structure of matrices over dofs, bodies and actuators."""

from typing import TYPE_CHECKING

import numpy as np

from ..physics.actuators.tables import actuator_tables
from ..physics.smooth.body_chains import body_chain
from ..tables.enums import JNT_HINGE, WRAP_SPHERE

if TYPE_CHECKING:
    from ..model.model import Model


def structure_tables(model: "Model", large_model: bool) -> dict:
    """Arrays and sizes of `ENGINE_MODEL` that describe matrices over dofs, bodies and actuators.

    Large models are solved island by island and have no dense matrix over all dofs.
    """
    nv, rows = model.nv, _ancestors(model)
    rownnz = np.array([len(row) for row in rows], np.int64)
    triangle = np.zeros(nv, np.int64) if large_model else np.arange(1, nv + 1)
    chains = [body_chain(model, body) for body in range(model.nbody)]
    hinges = np.flatnonzero(model.jnt_type == JNT_HINGE)
    return {
        "firsthinge": int(hinges[0]) if hinges.size else 0,
        "endhinge": int(hinges[-1]) + 1 if hinges.size else 0,
        "nchain": int(rownnz.sum()),
        "ndense": int(triangle.sum()),
        "chain_rownnz": rownnz,
        "chain_rowadr": np.cumsum(rownnz) - rownnz,
        "chain_colind": [dof for row in rows for dof in row],
        "dense_rownnz": triangle,
        "dense_rowadr": np.cumsum(triangle) - triangle,
        "body_lastdof": [chain[-1] if chain else -1 for chain in chains],
        **actuator_tables(model, chains),
        "wrap_side": np.where(model.wrap_type >= WRAP_SPHERE, np.rint(model.wrap_prm), -1),
    }


def _ancestors(model: "Model") -> list[list[int]]:
    """For each dof those above it in the tree, and itself, in increasing order."""
    rows: list[list[int]] = []
    for dof in range(model.nv):
        parent = int(model.dof_parentid[dof])
        rows.append([*(rows[parent] if parent >= 0 else []), dof])
    return rows
