"""MuJoCo's utility functions for small matrices, over arrays; part of `mjenv.mju`.

Arguments may have leading axes, except those of `box_qp`. Results are returned, not stored.
"""

from typing import Any

import numpy as np

from mjenv.engine.arguments import Numbers, of_reals
from mjenv.engine.tables.enums import MINVAL

MOST_ITERATIONS = 100  # of box_qp
ENOUGH = 1e-16  # improvement or squared gradient below which box_qp stops
ARMIJO, BACKTRACK, SHORTEST = 0.1, 0.5, 1e-22  # its line search


def real(value: Any) -> np.ndarray:
    """An argument as an array of float64."""
    return np.asarray(value, np.float64)


def reals(*values: Any) -> list[np.ndarray]:
    """Several arguments as arrays of float64."""
    return [real(value) for value in values]


@of_reals
def chol_factor(mat: Numbers, mindiag: float = MINVAL) -> tuple[np.ndarray, np.ndarray]:
    """Cholesky factor L of mat = L L' (mju_cholFactor).

    Args:
        mat: (..., n, n), symmetric; only the lower triangle is read.
        mindiag: what takes the place of smaller squares on the diagonal.

    Returns:
        L, (..., n, n), lower triangular; and the rank: how many squares were large enough.
    """
    factor = np.tril(np.asarray(mat, np.float64))
    n = factor.shape[-1]
    rank = np.full(factor.shape[:-2], n)
    for j in range(n):
        row = factor[..., j, :j]
        square = factor[..., j, j] - _dot(row, row)
        rank -= square < mindiag
        root = np.sqrt(np.maximum(square, mindiag))
        factor[..., j, j] = root
        rest = factor[..., j + 1 :, j] - _dot(factor[..., j + 1 :, :j], row[..., None, :])
        factor[..., j + 1 :, j] = rest / root[..., None]
    return factor, rank


@of_reals
def chol_solve(factor: Numbers, vec: Numbers) -> np.ndarray:
    """Solution x of L L' x = vec (mju_cholSolve).

    Args:
        factor: (..., n, n), L of `chol_factor`.
        vec: (..., n).
    """
    factor, vec = np.asarray(factor, np.float64), np.asarray(vec, np.float64)
    shape = np.broadcast_shapes(factor.shape[:-1], vec.shape)
    x, n = np.broadcast_to(vec, shape).copy(), shape[-1]
    for i in range(n):
        x[..., i] = (x[..., i] - _dot(factor[..., i, :i], x[..., :i])) / factor[..., i, i]
    for i in range(n - 1, -1, -1):
        below = factor[..., i + 1 :, i]
        x[..., i] = (x[..., i] - _dot(below, x[..., i + 1 :])) / factor[..., i, i]
    return x


@of_reals
def chol_update(
    factor: Numbers, x: Numbers, flg_plus: bool = True
) -> tuple[np.ndarray, np.ndarray]:
    """Factor of L L' + x x', or of L L' - x x' (mju_cholUpdate).

    Args:
        factor: (..., n, n), L of `chol_factor`.
        x: (..., n).
        flg_plus: whether to add.

    Returns:
        The factor, and its rank.
    """
    factor, x = np.array(factor, np.float64), np.array(x, np.float64)
    # Givens rotations, one for each column
    n, sign = factor.shape[-1], 1.0 if flg_plus else -1.0
    rank = np.full(factor.shape[:-2], n)
    for k in range(n):
        old = factor[..., k, k].copy()
        square = old * old + sign * x[..., k] * x[..., k]
        rank -= square < MINVAL
        new = np.sqrt(np.maximum(square, MINVAL))
        cosine, sine = new / old, x[..., k] / old
        factor[..., k, k] = new
        rest = (factor[..., k + 1 :, k] + sign * sine[..., None] * x[..., k + 1 :]) / cosine[
            ..., None
        ]
        factor[..., k + 1 :, k] = rest
        x[..., k + 1 :] = cosine[..., None] * x[..., k + 1 :] - sine[..., None] * rest
    return factor, rank


@of_reals
def eig3(mat: Numbers) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues and eigenvectors of symmetric 3x3 matrices (mju_eig3).

    Args:
        mat: (..., 3, 3).

    Returns:
        Eigenvalues (..., 3), largest first; and a rotation (..., 3, 3) whose columns are the
        eigenvectors. Their signs are free, and may differ from MuJoCo's.
    """
    values, vectors = np.linalg.eigh(np.asarray(mat, np.float64))
    values, vectors = values[..., ::-1], vectors[..., ::-1].copy()
    vectors[..., 2] *= np.sign(np.linalg.det(vectors))[..., None]
    return values, vectors


@of_reals
def box_qp(
    H: Numbers, g: Numbers, lower: Numbers, upper: Numbers, start: Numbers = None
) -> tuple[np.ndarray, int]:
    """Minimum of x'Hx/2 + g'x in a box, by projected Newton steps (mju_boxQP).

    Source: Tassa, Mansard and Todorov, "Control-limited differential dynamic programming", 2014.

    Args:
        H: (n, n), symmetric and positive definite.
        g: (n,).
        lower, upper: (n,), bounds.
        start: (n,), where to start; None for 0.

    Returns:
        (n,), the minimum; and how many of its coordinates are at no bound, -1 where H is singular
        or the search got stuck.
    """
    H, g, lower, upper = (np.asarray(a, np.float64) for a in (H, g, lower, upper))
    x = np.clip(np.zeros(len(g)) if start is None else start, lower, upper)
    value = 0.5 * x @ H @ x + g @ x
    # coordinates at a bound stay there while the slope pushes them against it
    for _ in range(MOST_ITERATIONS):
        slope = H @ x + g
        free = ~(((x == lower) & (slope > 0)) | ((x == upper) & (slope < 0)))
        if not free.any() or slope[free] @ slope[free] < ENOUGH:
            return x, int(free.sum())
        # Newton step in the free ones
        factor, rank = chol_factor(H[np.ix_(free, free)])
        if rank < free.sum():
            return x, -1
        search, step = np.zeros(len(g)), 1.0
        search[free] = -chol_solve(factor, slope[free])
        # line search along the projected step
        down = search @ slope
        while True:
            moved = np.clip(x + step * search, lower, upper)
            found = 0.5 * moved @ H @ moved + g @ moved
            if found - value <= ARMIJO * step * down or step < SHORTEST:
                break
            step *= BACKTRACK
        if step < SHORTEST:
            return x, -1
        # the minimum, to rounding
        gain, x, value = value - found, moved, found
        if gain < ENOUGH * max(1.0, abs(value)):
            return x, int(((x > lower) & (x < upper)).sum())
    return x, -1


def _dot(a: Numbers, b: Numbers) -> np.ndarray:
    """Scalar products along the last axis, term by term."""
    shape = np.broadcast_shapes(a.shape, b.shape)
    total = np.zeros(shape[:-1])
    for k in range(shape[-1]):
        total = total + a[..., k] * b[..., k]
    return total
