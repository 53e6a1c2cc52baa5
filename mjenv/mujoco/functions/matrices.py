"""Functions of dense matrices: products, factors, quadratic programs."""

from collections.abc import Callable
from operator import mul

import numpy as np

from mjenv import mju
from mjenv.engine.direct.products import multiply
from mjenv.mujoco.functions.tables import define


def _into(result: Callable):
    """What computes a result, as a function that fills the first argument with it."""

    def compute(res: np.ndarray, *given: np.ndarray):
        res[:] = result(*given)

    return compute


def _symmetrize(res: np.ndarray, mat: np.ndarray) -> None:
    res[:] = 0.5 * (mat + mat.T)


def _eye(mat: np.ndarray) -> None:
    mat[:] = np.eye(len(mat))


def _sqr_mat(res: np.ndarray, mat: np.ndarray, diag: np.ndarray | None) -> None:
    multiply(mat.T, mat if diag is None else diag[:, None] * mat, res)


def _mul_mat_vec3(res: np.ndarray, mat: np.ndarray, vec: np.ndarray) -> None:
    a, b, c, d, e, f, g, h, i = mat.tolist()
    x, y, z = vec.tolist()
    res[:] = (a * x + b * y + c * z, d * x + e * y + f * z, g * x + h * y + i * z)


def _mul_mat_t_vec3(res: np.ndarray, mat: np.ndarray, vec: np.ndarray) -> None:
    a, b, c, d, e, f, g, h, i = mat.tolist()
    x, y, z = vec.tolist()
    res[:] = (a * x + d * y + g * z, b * x + e * y + h * z, c * x + f * y + i * z)


def _mul_vec_mat_vec(vec1: np.ndarray, mat: np.ndarray, vec2: np.ndarray) -> float:
    image = np.empty(len(vec1))
    multiply(mat, vec2, image)
    return sum(map(mul, vec1.tolist(), image.tolist()))


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


_ROWS = {
    "mju_transpose": ("res = mat'", _into(lambda mat: mat.T)),
    "mju_symmetrize": ("res = (mat + mat') / 2", _symmetrize),
    "mju_eye": ("mat = identity", _eye),
    "mju_mulMatMat": ("res = mat1 mat2", lambda res, mat1, mat2: multiply(mat1, mat2, res)),
    "mju_mulMatMatT": ("res = mat1 mat2'", lambda res, mat1, mat2: multiply(mat1, mat2.T, res)),
    "mju_mulMatTMat": ("res = mat1' mat2", lambda res, mat1, mat2: multiply(mat1.T, mat2, res)),
    "mju_mulMatVec": ("res = mat vec", lambda res, mat, vec: multiply(mat, vec, res)),
    "mju_mulMatTVec": ("res = mat' vec", lambda res, mat, vec: multiply(mat.T, vec, res)),
    "mju_mulMatVec3": ("res = mat vec", _mul_mat_vec3),
    "mju_mulMatTVec3": ("res = mat' vec", _mul_mat_t_vec3),
    "mju_mulVecMatVec": ("vec1' mat vec2", _mul_vec_mat_vec),
    "mju_sqrMatTD": ("res = mat' diag mat; diag is 1 where None.", _sqr_mat),
    "mju_cholFactor": ("Factor of a positive matrix, in its place; the rank.", _chol_factor),
    "mju_cholSolve": ("Solve with a factor.", _chol_solve),
    "mju_cholUpdate": ("Factor of mat + x x', or of mat - x x'; the rank.", _chol_update),
    "mju_boxQP": ("Least 0.5 x' H x + x' g within bounds; number of free unknowns.", _box_qp),
}  # fmt: skip

define(globals(), _ROWS)
