"""Pseudo-inverses of matrices that are made of values: one-sided Jacobi rotations.

Source: Golub and Van Loan, Matrix Computations, 4th edition, section 8.6.3 (Hestenes, 1958).
Columns are turned against one another, in pairs, until all are orthogonal; their lengths are the
singular values. Every world has the same number of turns: as many as the worst matrix may need.
"""

from typing import Any

import numpy as np

from mjenv.tracing.arrays import TraceError

MOST = 12  # columns; operations grow with their second power
SWEEPS = 10  # over all pairs; the error is squared by each of the last ones
ORTHOGONAL = 1e-12  # largest cosine between columns that are done


def pseudo_inverse(
    a: Any, rcond: Any = None, hermitian: bool = False, *, rtol: Any = np._NoValue
) -> Any:
    """The pseudo-inverse of a matrix, as `numpy.linalg.pinv`.

    Of a matrix that is said to be Hermitian it is the same one.

    Raises:
        LinAlgError: in worlds where the columns have not become orthogonal.
    """
    if np.ndim(a) != 2 or min(np.shape(a)) > MOST:
        raise TraceError(
            f"found numpy.linalg.pinv of a matrix of shape {np.shape(a)}, expected one of up to "
            f"{MOST} rows or columns"
        )
    least = rtol if rtol is not np._NoValue else rcond
    if least is None:
        least = 1e-15 if rtol is np._NoValue else max(np.shape(a)) * np.finfo(float).eps
    found, failed = a.recording.once("pinv", [a, least], lambda: by_rotations(a, least))
    if failed:
        raise np.linalg.LinAlgError("SVD did not converge")
    return found.copy()


def by_rotations(a: Any, least: Any) -> tuple[Any, Any]:
    """The pseudo-inverse, and whether the columns have not become orthogonal.

    Args:
        a: the matrix (m, n).
        least: singular values up to this part of the largest are taken for zeros.
    """
    rows, columns = np.shape(a)
    # fewer columns than rows
    if rows < columns:
        found, failed = by_rotations(a.T, least)
        return found.T, failed
    turned, cosines = _orthogonal(a)
    # a v = u s: columns of the first are u s, those of the second v
    scaled, v = turned[:rows], turned[rows:]
    squares = np.sum(scaled * scaled, axis=0)
    lengths = np.sqrt(squares)
    kept = lengths > least * np.max(lengths)
    shares = np.where(kept, 1.0 / np.where(kept, squares, 1.0), 0.0)
    return (v * shares) @ scaled.T, np.any(cosines > ORTHOGONAL)


def _orthogonal(a: Any) -> tuple[Any, Any]:
    """The matrix with the identity below it, turned; cosines between pairs of its columns."""
    rows, columns = np.shape(a)
    whole: Any = np.concatenate([a, np.eye(columns)], axis=0)
    cosines: Any = np.zeros(1)
    for sweep in range(SWEEPS):
        for first, second in _rounds(columns):
            p, q = whole[:, first], whole[:, second]
            x, y = p[:rows], q[:rows]
            product = np.sum(x * y, axis=0)
            squares = np.sum(x * x, axis=0), np.sum(y * y, axis=0)
            if sweep == SWEEPS - 1:
                # columns that are nothing but rounding have any direction
                large = np.max(np.sum(whole[:rows] * whole[:rows], axis=0))
                over = np.maximum(np.sqrt(squares[0] * squares[1]), 1e-3 * large)
                found = np.abs(product) / np.where(over == 0.0, 1.0, over)
                cosines = np.maximum(cosines, np.max(found))
            # the smaller of two angles between which the product is zero
            apart = product != 0.0
            ratio = (squares[1] - squares[0]) / (2.0 * np.where(apart, product, 1.0))
            sign = np.where(ratio < 0.0, -1.0, 1.0)
            tangent = sign / (np.abs(ratio) + np.sqrt(1.0 + ratio * ratio))
            tangent = np.where(apart, tangent, 0.0)
            cosine = 1.0 / np.sqrt(1.0 + tangent * tangent)
            sine = cosine * tangent
            both = np.concatenate([cosine * p - sine * q, sine * p + cosine * q], axis=1)
            others = [k for k in range(columns) if k not in (*first, *second)]
            both = np.concatenate([both, whole[:, others]], axis=1)
            whole = both[:, np.argsort([*first, *second, *others])]
    return whole, cosines


def _rounds(columns: int) -> list[tuple[list[int], list[int]]]:
    """All pairs of columns, in rounds in which each column is in one pair: a tournament's."""
    places = list(range(columns)) + [-1] * (columns % 2)
    found = []
    for _ in range(len(places) - 1):
        half = len(places) // 2
        pairs = [
            (min(pair), max(pair))
            for pair in zip(places[:half], places[:half - 1 : -1], strict=True)
            if -1 not in pair
        ]  # fmt: skip
        found.append(([p for p, _ in pairs], [q for _, q in pairs]))
        places = [places[0], places[-1], *places[1:-1]]
    return found if columns > 1 else []
