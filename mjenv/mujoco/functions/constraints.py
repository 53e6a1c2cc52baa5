"""Functions of constraints: products with their Jacobian, their cost, kinds of solvers."""

import numpy as np

from mjenv.engine.analysis import constraints
from mjenv.engine.tables.enums import CONE_PYRAMIDAL, JAC_AUTO, JAC_SPARSE, SOL_PGS
from mjenv.mujoco.structs import MjData, MjModel

_SPARSE_FROM = 60  # dofs from which an automatic choice is sparse


def _padded(d: MjData, vec: np.ndarray) -> np.ndarray:
    """Values of rows, as long as the engine's lists."""
    rows = np.zeros((1, max(d.batch.efc_type.shape[1], len(vec))))
    rows[0, : len(vec)] = vec
    return rows


def mj_mulJacVec(m: MjModel, d: MjData, res: np.ndarray, vec: np.ndarray) -> None:
    """Constraint Jacobian times a vector."""
    res[:] = constraints.mul_jac_vec(d.batch.model, d.batch, vec)[0, : len(res)]


def mj_mulJacTVec(m: MjModel, d: MjData, res: np.ndarray, vec: np.ndarray) -> None:
    """Transposed constraint Jacobian times a vector."""
    res[:] = constraints.mul_jac_t_vec(d.batch.model, d.batch, _padded(d, vec))[0]


def mj_constraintUpdate(
    m: MjModel, d: MjData, jar: np.ndarray, cost: np.ndarray | None, flg_coneHessian: int
) -> None:
    """Forces, states and cost of constraints for accelerations relative to their references."""
    found = constraints.constraint_update(
        d.batch.model, d.batch, _padded(d, jar), bool(flg_coneHessian)
    )
    if cost is not None:
        cost[:] = found


def mj_isPyramidal(m: MjModel) -> int:
    """1 if friction cones are pyramids."""
    return m.opt.cone == CONE_PYRAMIDAL


def mj_isSparse(m: MjModel) -> int:
    """1 if the constraint Jacobian is sparse in MuJoCo."""
    choice = m.opt.jacobian
    return choice == JAC_SPARSE or (choice == JAC_AUTO and m.nv >= _SPARSE_FROM)


def mj_isDual(m: MjModel) -> int:
    """1 if the solver works on forces."""
    return m.opt.solver == SOL_PGS or m.opt.noslip_iterations > 0
