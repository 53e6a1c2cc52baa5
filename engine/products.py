"""Products of matrices and vectors that have the same bits on every processor.

Those of BLAS, which numpy's `@`, `dot`, `einsum` and `linalg` call, are added up in the order that
suits a processor, with or without fused operations. Here every product is rounded, and then added,
in the order of the index. Whatever bits of a model or of a state depend on goes through these.
"""

from math import sqrt

import numpy as np

ROWS = 32  # rows that are computed together, so that what is added up stays in the cache


def product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The matrix product a b of two matrices, or of stacks of them (..., n, k) and (..., k, m)."""
    count = a.shape[-1]
    if b.shape[-2] != count:
        raise ValueError(f"product: found {a.shape} and {b.shape}, expected (n, k) and (k, m)")
    if not count:
        stack = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
        return np.zeros((*stack, a.shape[-2], b.shape[-1]))
    if a.ndim == 2 and a.shape[0] > ROWS and b.ndim == 2:
        blocks = range(0, a.shape[0], ROWS)
        return np.concatenate([product(a[start : start + ROWS], b) for start in blocks])
    result = a[..., :, 0, None] * b[..., None, 0, :]
    term = np.empty_like(result)
    for k in range(1, count):
        result += np.multiply(a[..., :, k, None], b[..., None, k, :], out=term)
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
