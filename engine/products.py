"""Products of matrices and vectors that have the same bits on every processor.

Those of BLAS, which numpy's `@`, `dot`, `einsum` and `linalg` call, are added up in the order that
suits a processor, with or without fused operations. Here every product is rounded, and then added,
in the order of the index. Whatever bits of a model or of a state depend on goes through these.
"""

from math import sqrt

import numpy as np

ROWS = 32  # rows that are computed together, so that what is added up stays in the cache
CACHED = 1 << 14  # numbers that are added up together where products that are zero are left out
SPARSE = 128  # products in a sum from which on it pays to look for those that are zero


def product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The matrix product a b of two matrices, or of stacks of them (..., n, k) and (..., k, m)."""
    count = a.shape[-1]
    if b.shape[-2] != count:
        raise ValueError(f"product: found {a.shape} and {b.shape}, expected (n, k) and (k, m)")
    if not count:
        stack = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
        return np.zeros((*stack, a.shape[-2], b.shape[-1]))
    if a.ndim == b.ndim == 2 and count >= SPARSE and np.isfinite(a).all() and np.isfinite(b).all():
        return _sparse(a, b)
    if a.ndim == 2 and a.shape[0] > ROWS and b.ndim == 2:
        blocks = range(0, a.shape[0], ROWS)
        return np.concatenate([product(a[start : start + ROWS], b) for start in blocks])
    result = a[..., :, 0, None] * b[..., None, 0, :]
    term = np.empty_like(result)
    for k in range(1, count):
        result += np.multiply(a[..., :, k, None], b[..., None, k, :], out=term)
    return result


def gram(a: np.ndarray) -> np.ndarray:
    """The matrix product a' a of a matrix (n, k), (k, k)."""
    if len(a) < SPARSE or not np.isfinite(a).all():
        return product(a.T, a)
    lower = _sparse(a.T, a, triangle=True)
    upper = np.triu_indices(len(lower), 1)
    lower[upper] = lower.T[upper]
    return lower


def _sparse(a: np.ndarray, b: np.ndarray, triangle: bool = False) -> np.ndarray:
    """The product of two matrices of numbers that are finite, without adding what is zero.

    Matrices of long chains are triangles: most of what would be added is.

    Args:
        a, b: the matrices.
        triangle: only what is below the diagonal of the result, or on it, has to be right.
    """
    result = np.zeros((a.shape[0], b.shape[1]))
    there = b != 0
    # columns of each row of b from the first to behind the last that is not zero
    first = there.argmax(axis=1).tolist()
    last = (b.shape[1] - there[:, ::-1].argmax(axis=1)).tolist()
    some, used = there.any(axis=1), a != 0
    number = max(1, CACHED // max(1, b.shape[1]))
    for start in range(0, a.shape[0], number):
        rows, block = a[start : start + number], result[start : start + number]
        end = min(start + number, b.shape[1]) if triangle else b.shape[1]
        for k in np.flatnonzero(some & used[start : start + number].any(axis=0)).tolist():
            columns = slice(first[k], min(last[k], end))
            block[:, columns] += rows[:, k, None] * b[k, columns]
    return result


def applied(matrix: np.ndarray, vector: np.ndarray) -> np.ndarray:
    """The product of a matrix (..., n, k) with a vector (..., k)."""
    return product(matrix, vector[..., None])[..., 0]


def dot(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The inner product along the last axis, (...)."""
    return product(a[..., None, :], b[..., :, None])[..., 0, 0]


def norm(vector: np.ndarray) -> float:
    """The Euclidean length of one vector."""
    return sqrt(dot(vector, vector))
