"""Functions of matrices with a band, and of sparse matrices."""

import numpy as np

from mjenv import mju
from mjenv.mujoco.functions.tables import define


def _fill(res: np.ndarray, values: np.ndarray, ntotal: int, nband: int, ndense: int) -> None:
    """Write the elements of a band; places that are not used stay as they are."""
    used = mju.dense2band(np.ones((ntotal, ntotal)), nband, ndense) != 0.0
    res[used] = values[used]


def _dense2band(res: np.ndarray, mat: np.ndarray, ntotal: int, nband: int, ndense: int) -> None:
    _fill(res, mju.dense2band(mat, nband, ndense), ntotal, nband, ndense)


def _band2dense(
    res: np.ndarray, mat: np.ndarray, ntotal: int, nband: int, ndense: int, flg_sym: int
) -> None:
    res[:] = mju.band2dense(mat, ntotal, nband, ndense, bool(flg_sym))


def _band_mul(
    res: np.ndarray,
    mat: np.ndarray,
    vec: np.ndarray,
    ntotal: int,
    nband: int,
    ndense: int,
    nvec: int,
    flg_sym: int,
) -> None:
    if nvec != 1:
        raise TypeError(f"mju_bandMulMatVec: nvec={nvec}: expected 1, as res is one column")
    res[:] = mju.band_mul_mat_vec(mat.ravel(), vec[:, 0], ntotal, nband, ndense, bool(flg_sym))


def _chol_factor(
    mat: np.ndarray, ntotal: int, nband: int, ndense: int, diagadd: float, diagmul: float
) -> float:
    factor, smallest = mju.chol_factor_band(mat, ntotal, nband, ndense, diagadd, diagmul)
    _fill(mat, factor, ntotal, nband, ndense)
    return float(smallest)


def _chol_solve(
    res: np.ndarray, mat: np.ndarray, vec: np.ndarray, ntotal: int, nband: int, ndense: int
) -> None:
    res[:] = mju.chol_solve_band(mat, vec, ntotal, nband, ndense)


def _dense2sparse(
    res: np.ndarray, mat: np.ndarray, rownnz: np.ndarray, rowadr: np.ndarray, colind: np.ndarray
) -> int:
    values, counts, starts, columns = mju.dense2sparse(mat)
    if len(values) > len(res):
        return 1
    res[: len(values)], colind[: len(columns)] = values, columns
    rownnz[:], rowadr[:] = counts, starts
    return 0


def _sparse2dense(
    res: np.ndarray, mat: np.ndarray, rownnz: np.ndarray, rowadr: np.ndarray, colind: np.ndarray
) -> None:
    res[:] = mju.sparse2dense(mat, res.shape[1], rownnz, rowadr, colind)


def _sym2dense(
    res: np.ndarray, mat: np.ndarray, rownnz: np.ndarray, rowadr: np.ndarray, colind: np.ndarray
) -> None:
    needed = int(rowadr[-1] + rownnz[-1]) if len(res) else 0
    if min(mat.size, colind.size) < needed:
        raise TypeError(
            f"mju_sym2dense: found {mat.size} elements and {colind.size} columns, expected {needed}"
        )
    res[:] = mju.sym2dense(mat, rownnz, rowadr, colind)


def _print_mat(mat: np.ndarray) -> None:
    for row in mat.tolist():
        print("".join(f"{x:.8f} " for x in row))
    print()


def _print_sparse(
    mat: np.ndarray, rownnz: np.ndarray, rowadr: np.ndarray, colind: np.ndarray
) -> None:
    spans = zip(rowadr.tolist(), rownnz.tolist(), strict=True)
    for row, (start, count) in enumerate(spans):
        places = range(start, start + count)
        print("".join(f"({row} {colind[k]}): {mat[k]:9.6f}  " for k in places))
    print()


_ROWS = {
    "mju_bandDiag": ("Place of a diagonal element.",
                     lambda i, ntotal, nband, ndense: mju.band_diag(i, ntotal, nband, ndense)),
    "mju_dense2Band": ("The band of a dense matrix.", _dense2band),
    "mju_band2Dense": ("The dense matrix of a band.", _band2dense),
    "mju_bandMulMatVec": ("res = mat vec", _band_mul),
    "mju_cholFactorBand": ("Factor of a band, in its place; the least diagonal element.",
                           _chol_factor),
    "mju_cholSolveBand": ("Solve with the factor of a band.", _chol_solve),
    "mju_dense2sparse": ("Sparse form of a dense matrix; 1 where it has no room.", _dense2sparse),
    "mju_sparse2dense": ("Dense form of a sparse matrix.", _sparse2dense),
    "mju_sym2dense": ("Dense form of the lower triangle of a symmetric matrix.", _sym2dense),
    "mju_printMat": ("Print a matrix.", _print_mat),
    "mju_printMatSparse": ("Print a sparse matrix.", _print_sparse),
}  # fmt: skip

define(globals(), _ROWS)
