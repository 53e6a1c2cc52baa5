"""MuJoCo's functions of matrices with a band and some dense rows; part of `mjenv.mju`.

Such a symmetric matrix of size ntotal is stored row by row: nband elements up to the diagonal, that
included, of each of the first ntotal - ndense rows, then ndense whole rows. Its Cholesky factor has
the same form. Arguments may have leading axes. Results are returned, not stored. For sparse
matrices there is scipy.sparse, for everything else numpy.
"""

import numpy as np

from mjenv.engine.arguments import Numbers, of_reals
from mjenv.mju.matrices import MINVAL, chol_solve, real


@of_reals
def band_diag(i: int, ntotal: int, nband: int, ndense: int) -> int:
    """Address of element i of the diagonal (mju_bandDiag).

    Args:
        i: which.
        ntotal: size of the matrix.
        nband: elements of a row up to the diagonal.
        ndense: dense rows at the end.

    Raises:
        ValueError: numbers that do not fit together.
    """
    _check("band_diag", ntotal, nband, ndense)
    if not 0 <= i < ntotal:
        raise ValueError(f"band_diag: i={i}: expected 0 to {ntotal - 1}")
    nsparse = ntotal - ndense
    return i * nband + nband - 1 if i < nsparse else nsparse * nband + (i - nsparse) * ntotal + i


@of_reals
def dense2band(mat: Numbers, nband: int, ndense: int) -> np.ndarray:
    """The band and the dense rows of a matrix (mju_dense2Band).

    Args:
        mat: (..., n, n); of it only the lower triangle counts.
        nband: elements of a row up to the diagonal.
        ndense: dense rows at the end.

    Returns:
        (..., (n - ndense) * nband + ndense * n); zero where it lies outside of the matrix, or above
        the diagonal.

    Raises:
        ValueError: numbers that do not fit together.
    """
    mat = real(mat)
    n = mat.shape[-1]
    address, place = _places("dense2band", n, nband, ndense)
    band = np.zeros((*mat.shape[:-2], (n - ndense) * nband + ndense * n))
    band[..., address] = mat[(..., *place)]
    return band


@of_reals
def band2dense(
    mat: Numbers, ntotal: int, nband: int, ndense: int, flg_sym: bool = True
) -> np.ndarray:
    """The matrix of a band and dense rows (mju_band2Dense).

    Args:
        mat: (..., (ntotal - ndense) * nband + ndense * ntotal).
        ntotal: size of the matrix.
        nband: elements of a row up to the diagonal.
        ndense: dense rows at the end.
        flg_sym: whether to fill the upper triangle; else it is zero.

    Returns:
        (..., ntotal, ntotal).

    Raises:
        ValueError: numbers that do not fit together.
    """
    mat = real(mat)
    address, place = _places("band2dense", ntotal, nband, ndense)
    _check_size("band2dense", mat, ntotal, nband, ndense)
    dense = np.zeros((*mat.shape[:-1], ntotal, ntotal))
    dense[(..., *place)] = mat[..., address]
    if flg_sym:
        dense[(..., *place[::-1])] = mat[..., address]
    return dense


@of_reals
def band_mul_mat_vec(
    mat: Numbers, vec: Numbers, ntotal: int, nband: int, ndense: int, flg_sym: bool = True
) -> np.ndarray:
    """Product of such a matrix and vectors (mju_bandMulMatVec).

    Args:
        mat: as for `band2dense`.
        vec: (..., ntotal).
        ntotal: size of the matrix.
        nband: elements of a row up to the diagonal.
        ndense: dense rows at the end.
        flg_sym: whether the upper triangle counts; else it is zero.

    Returns:
        (..., ntotal).

    Raises:
        ValueError: numbers that do not fit together.
    """
    dense = band2dense(mat, ntotal, nband, ndense, flg_sym)
    return (dense @ real(vec)[..., None])[..., 0]


@of_reals
def chol_factor_band(
    mat: Numbers, ntotal: int, nband: int, ndense: int, diagadd: float = 0.0, diagmul: float = 0.0
) -> tuple[np.ndarray, np.ndarray]:
    """Cholesky factor of such a matrix (mju_cholFactorBand).

    Args:
        mat: as for `band2dense`.
        ntotal: size of the matrix.
        nband: elements of a row up to the diagonal.
        ndense: dense rows at the end.
        diagadd: what is added to the diagonal first.
        diagmul: the same, times the diagonal.

    Returns:
        The factor, in the form of the matrix; and the smallest square on its diagonal, 0 where
        the matrix is not positive definite: the factor then means nothing.

    Raises:
        ValueError: numbers that do not fit together.
    """
    # column by column, over all matrices at once
    factor = band2dense(mat, ntotal, nband, ndense, False)
    least = np.full(factor.shape[:-2], np.inf)
    for j in range(ntotal):
        row = factor[..., j, :j]
        diagonal = factor[..., j, j]
        square = diagadd + diagmul * diagonal + diagonal - (row * row).sum(-1)
        least = np.minimum(least, np.where(square < MINVAL, 0.0, square))
        root = np.sqrt(np.maximum(square, MINVAL))
        below = factor[..., j + 1 :, j] - (factor[..., j + 1 :, :j] * row[..., None, :]).sum(-1)
        factor[..., j, j], factor[..., j + 1 :, j] = root, below / root[..., None]
    return dense2band(factor, nband, ndense), least


@of_reals
def chol_solve_band(
    factor: Numbers, vec: Numbers, ntotal: int, nband: int, ndense: int
) -> np.ndarray:
    """Solution x of L L' x = vec (mju_cholSolveBand).

    Args:
        factor: L of `chol_factor_band`.
        vec: (..., ntotal).
        ntotal: size of the matrix.
        nband: elements of a row up to the diagonal.
        ndense: dense rows at the end.

    Returns:
        (..., ntotal).

    Raises:
        ValueError: numbers that do not fit together.
    """
    return chol_solve(band2dense(factor, ntotal, nband, ndense, False), vec)


def _check(where: str, ntotal: int, nband: int, ndense: int) -> None:
    """Raise ValueError unless a matrix can have such a band and so many dense rows."""
    if not (0 <= ndense <= ntotal and 0 <= nband <= ntotal and (nband > 0 or ndense == ntotal)):
        raise ValueError(
            f"{where}: ntotal={ntotal}, nband={nband}, ndense={ndense}: expected nband from 1 to "
            "ntotal and ndense from 0 to ntotal"
        )


def _check_size(where: str, mat: np.ndarray, ntotal: int, nband: int, ndense: int) -> None:
    """Raise ValueError unless a matrix has as many elements as its form needs."""
    expected = (ntotal - ndense) * nband + ndense * ntotal
    if mat.shape[-1] != expected:
        raise ValueError(f"{where}: mat has {mat.shape[-1]} elements, expected {expected}")


def _places(where: str, ntotal: int, nband: int, ndense: int):
    """Addresses of the lower triangle's elements that are stored, and their rows and columns."""
    _check(where, ntotal, nband, ndense)
    rows, columns = np.tril_indices(ntotal)
    nsparse = ntotal - ndense
    kept = (rows >= nsparse) | (columns > rows - nband)
    rows, columns = rows[kept], columns[kept]
    in_band = rows * nband + nband - 1 + columns - rows
    in_row = nsparse * nband + (rows - nsparse) * ntotal + columns
    return np.where(rows < nsparse, in_band, in_row), (rows, columns)
