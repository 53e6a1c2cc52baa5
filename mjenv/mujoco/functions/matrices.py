"""Functions of dense matrices: products, factors, quadratic programs."""

import numpy as np

from mjenv import mju
from mjenv.engine.direct import matrices as kernels
from mjenv.engine.products import product
from mjenv.mujoco.errors import FatalError
from mjenv.mujoco.functions import compiled, tables
from mjenv.mujoco.functions.compiled import Compiled


def _sqr_mat(res: np.ndarray, mat: np.ndarray, diag: np.ndarray | None) -> None:
    res[:] = product(mat.T, mat if diag is None else diag[:, None] * mat)


def _lower(mat: np.ndarray, factor: np.ndarray) -> None:
    """Write the lower triangle of a factor; the upper one stays."""
    rows, columns = np.tril_indices(len(mat))
    mat[rows, columns] = factor[rows, columns]


def _chol_factor(mat: np.ndarray, mindiag: float) -> int:
    factor, rank = mju.chol_factor(mat, mindiag)
    _lower(mat, factor)
    return int(rank)


def _chol_solve(res: np.ndarray, mat: np.ndarray, vec: np.ndarray) -> None:
    res[:] = mju.chol_solve(mat, vec)


def _chol_update(mat: np.ndarray, x: np.ndarray, flg_plus: int) -> int:
    factor, rank = mju.chol_update(np.tril(mat), x, bool(flg_plus))
    _lower(mat, factor)
    return int(rank)


def _box_qp(
    res: np.ndarray,
    R: np.ndarray,
    index: np.ndarray | None,
    H: np.ndarray,
    g: np.ndarray,
    lower: np.ndarray | None,
    upper: np.ndarray | None,
) -> int:
    n = len(res)
    low = np.full(n, -np.inf) if lower is None else lower
    high = np.full(n, np.inf) if upper is None else upper
    if lower is not None and upper is not None and (lower >= upper).any():
        raise FatalError(
            "mju_boxQPoption: upper bounds must be stricly larger than lower bounds"  # their words
        )
    x, rank = mju.box_qp(H, g, low, high, res)
    res[:] = x
    nfree = int(rank)
    if nfree > 0:
        free = np.flatnonzero((x > low) & (x < high))[:nfree]
        if index is not None:
            index[: len(free)] = free
        factor, _ = mju.chol_factor(H[np.ix_(free, free)])
        R.reshape(-1)[: factor.size] = np.tril(factor).ravel()
    return nfree


_KERNELS = {
    "mju_transpose": Compiled("res = mat'", kernels.transpose, apart=True),
    "mju_symmetrize": Compiled("res = (mat + mat') / 2", kernels.symmetrize, apart=True),
    "mju_eye": Compiled("mat = identity", kernels.fill_identity),
    "mju_mulMatMat": Compiled("res = mat1 mat2", kernels.product, apart=True),
    "mju_mulMatMatT": Compiled("res = mat1 mat2'", kernels.product_second_transposed, apart=True),
    "mju_mulMatTMat": Compiled("res = mat1' mat2", kernels.product_first_transposed, apart=True),
    "mju_mulMatVec": Compiled("res = mat vec", kernels.times_vector, apart=True),
    "mju_mulMatTVec": Compiled("res = mat' vec", kernels.transposed_times_vector, apart=True),
    "mju_mulMatVec3": Compiled("res = mat vec", kernels.times_vector3, apart=True),
    "mju_mulMatTVec3": Compiled("res = mat' vec", kernels.transposed_times_vector3, apart=True),
    "mju_mulVecMatVec": Compiled("vec1' mat vec2", kernels.bilinear),
}
_OTHERS = {
    "mju_sqrMatTD": ("res = mat' diag mat; diag is 1 where None.", _sqr_mat),
    "mju_cholFactor": ("Factor of a positive matrix, in its place; the rank.", _chol_factor),
    "mju_cholSolve": ("Solve with a factor.", _chol_solve),
    "mju_cholUpdate": ("Factor of mat + x x', or of mat - x x'; the rank.", _chol_update),
    "mju_boxQP": ("Least 0.5 x' H x + x' g within bounds; number of free unknowns.", _box_qp),
}  # fmt: skip

compiled.define(globals(), _KERNELS)
tables.define(globals(), _OTHERS)
