"""MuJoCo's functions between sparse and dense matrices; part of `mjenv.mju`.

Sparse rows are as in mjData: row i has rownnz[i] elements from rowadr[i] on, in the columns colind.
Results are returned, not stored. What else there is to do with sparse matrices, scipy.sparse does.
"""

from typing import Any

import numpy as np

from mjenv.engine.arguments import Numbers, of_reals


def _whole(function: str, **lists: Any) -> list[np.ndarray]:
    """Lists of integers."""
    for name, values in lists.items():
        if values.ndim != 1 or (values != np.round(values)).any():
            raise ValueError(f"{function}: {name}: expected a list of integers")
    return [values.astype(np.int64) for values in lists.values()]


@of_reals
def dense2sparse(mat: Numbers) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The elements of a matrix that are not zero, row by row (mju_dense2sparse).

    Args:
        mat: (n, m).

    Returns:
        (elements, rownnz, rowadr, colind), of (nnz,), (n,), (n,), (nnz,).

    Raises:
        ValueError: no matrix.
    """
    if mat.ndim != 2:
        raise ValueError(f"dense2sparse: mat: found {mat.ndim} dimensions, expected 2")
    rows, columns = np.nonzero(mat)
    rownnz = np.bincount(rows, minlength=len(mat)).astype(np.int32)
    rowadr = np.concatenate([[0], np.cumsum(rownnz)[:-1]]).astype(np.int32)[: len(mat)]
    return mat[rows, columns], rownnz, rowadr, columns.astype(np.int32)


@of_reals
def sparse2dense(
    mat: Numbers, nc: int, rownnz: Numbers, rowadr: Numbers, colind: Numbers
) -> np.ndarray:
    """The matrix of sparse rows (mju_sparse2dense).

    Args:
        mat: elements, (..., nnz).
        nc: how many columns.
        rownnz: elements of each row, (n,).
        rowadr: the first of each row, (n,).
        colind: columns, (nnz,).

    Returns:
        (..., n, nc).

    Raises:
        ValueError: lists that do not fit together.
    """
    return _dense("sparse2dense", mat, nc, rownnz, rowadr, colind)


@of_reals
def sym2dense(mat: Numbers, rownnz: Numbers, rowadr: Numbers, colind: Numbers) -> np.ndarray:
    """The symmetric matrix of sparse rows of its lower triangle (mju_sym2dense).

    Args:
        mat: elements, (..., nnz).
        rownnz: elements of each row, (n,).
        rowadr: the first of each row, (n,).
        colind: columns, (nnz,).

    Returns:
        (..., n, n).

    Raises:
        ValueError: lists that do not fit together.
    """
    lower = np.tril(_dense("sym2dense", mat, len(rownnz), rownnz, rowadr, colind))
    return lower + np.tril(lower, -1).swapaxes(-1, -2)


def _dense(
    function: str, mat: Numbers, nc: int, rownnz: Numbers, rowadr: Numbers, colind: Numbers
) -> np.ndarray:
    """Elements in their places."""
    # rows as they are asked for
    rownnz, rowadr, colind = _whole(function, rownnz=rownnz, rowadr=rowadr, colind=colind)
    if len(rownnz) != len(rowadr) or (rownnz < 0).any() or (rowadr < 0).any():
        raise ValueError(f"{function}: rownnz, rowadr: expected as many, none negative")
    # where each element lies
    rows = np.repeat(np.arange(len(rownnz)), rownnz)
    first = np.repeat(rowadr - np.concatenate([[0], np.cumsum(rownnz)[:-1]])[: len(rowadr)], rownnz)
    place = np.arange(len(rows)) + first
    if place.size and place.max() >= min(mat.shape[-1], len(colind)):
        raise ValueError(
            f"{function}: rowadr: expected places below {min(mat.shape[-1], len(colind))}"
        )
    columns = colind[place]
    if ((columns < 0) | (columns >= nc)).any():
        raise ValueError(f"{function}: colind: expected columns from 0 to {nc - 1}")
    # elements of each row in their columns
    dense = np.zeros((*mat.shape[:-1], len(rownnz), nc))
    dense[..., rows, columns] = mat[..., place]
    return dense
