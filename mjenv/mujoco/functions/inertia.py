"""Functions of the inertia matrix, and of inverse dynamics without constraints."""

import numpy as np

from mjenv.engine.analysis import inertia
from mjenv.engine.analysis.forces import rne
from mjenv.engine.edit.constants import set_totalmass
from mjenv.mujoco.structs import MjData, MjModel


def mj_fullM(m: MjModel, dst: np.ndarray, M: np.ndarray) -> None:
    """The inertia matrix as a dense one, from its sparse form qM."""
    dst[:] = 0.0
    parents, starts = m.dof_parentid.tolist(), m.dof_Madr.tolist()
    for dof in range(m.nv):
        place, other = starts[dof], dof
        while other >= 0:
            dst[dof, other] = dst[other, dof] = M[place]
            place, other = place + 1, parents[other]


def mj_mulM(m: MjModel, d: MjData, res: np.ndarray, vec: np.ndarray) -> None:
    """Inertia matrix times a vector."""
    res[:] = inertia.mul_m(d.batch.model, d.batch, vec)[0]


def mj_mulM2(m: MjModel, d: MjData, res: np.ndarray, vec: np.ndarray) -> None:
    """Root of the inertia matrix times a vector."""
    res[:] = inertia.mul_m2(d.batch.model, d.batch, vec)[0]


def mj_solveM(m: MjModel, d: MjData, x: np.ndarray, y: np.ndarray) -> None:
    """Inverse inertia matrix times each row of y."""
    x[:] = inertia.solve_m(d.batch.model, d.batch, y[None])[0]


def mj_solveM2(m: MjModel, d: MjData, x: np.ndarray, y: np.ndarray, sqrtInvD: np.ndarray) -> None:
    """Half of the inverse inertia matrix times each row of y."""
    x[:] = inertia.solve_m2(d.batch.model, d.batch, y[None], sqrtInvD.ravel())[0]


def mj_addM(m: MjModel, d: MjData, dst, rownnz, rowadr, colind) -> None:
    """Add the inertia matrix to a sparse matrix that has its columns."""
    pairs = zip(m.M_rowadr.tolist(), rowadr.tolist(), m.M_rownnz.tolist(), strict=True)
    for start, target, count in pairs:
        dst[target : target + count] += d.M[start : start + count]


def mj_rne(m: MjModel, d: MjData, flg_acc: int, result: np.ndarray) -> None:
    """Forces that the motion takes, by recursive Newton and Euler; qacc counts if asked for."""
    result[:] = rne(d.batch.model, d.batch, bool(flg_acc))[0]


def mj_getTotalmass(m: MjModel) -> float:
    """Sum of the masses."""
    return inertia.get_totalmass(m)


def mj_setTotalmass(m: MjModel, newmass: float) -> None:
    """Scale masses and inertias to a sum of masses."""
    set_totalmass(m, newmass)
