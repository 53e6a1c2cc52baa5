"""Linear equations whose matrix is made of values: Gaussian elimination with partial pivoting.

Source: Golub and Van Loan, Matrix Computations, 4th edition, algorithm 3.4.1. Each world has its
own pivots: rows are exchanged by choosing between them.
"""

from typing import Any

import numpy as np

from mjenv.tracing.arrays import Traced, TraceError

MOST = 12  # rows; instructions grow with their third power


def solve(a: Any, b: Any) -> Any:
    """x of a x = b, as `numpy.linalg.solve` of one matrix.

    Raises:
        LinAlgError: in worlds where a is singular.
    """
    return _solved(a, b[:, None], "solve")[:, 0] if np.ndim(b) == 1 else _solved(a, b, "solve")


def inverse(a: Any) -> Any:
    """The inverse of a matrix.

    Raises:
        LinAlgError: in worlds where it is singular.
    """
    return _solved(a, np.eye(len(a)), "inv")


def determinant(a: Any) -> Any:
    """The determinant of a matrix."""
    recording: Any = a.recording
    return recording.once("det", [a], lambda: _determinant(a)).copy()


def _solved(a: Any, b: Any, name: str) -> Any:
    """x of a x = b, for the columns of b."""
    recording: Any = (a if isinstance(a, Traced) else b).recording
    found, singular = recording.once(name, [a, b], lambda: _substituted(a, b, name))
    if singular:
        raise np.linalg.LinAlgError("Singular matrix")
    return found.copy()


def _substituted(a: Any, b: Any, name: str) -> tuple[Any, Any]:
    """The same, and whether a is singular."""
    rows, _ = _eliminated(a, b, name)
    count = len(rows)
    found: list[Any] = [None] * count
    for k in reversed(range(count)):
        rest = rows[k][count:]
        for j in range(k + 1, count):
            rest = rest - rows[k][j] * found[j]
        found[k] = rest / rows[k][k]
    pivots = np.stack([row[k] for k, row in enumerate(rows)])
    return np.stack(found), np.any(pivots == 0.0)


def _determinant(a: Any) -> Any:
    rows, sign = _eliminated(a, np.zeros((len(a), 0)), "det", may_be_singular=True)
    found = sign
    for k, row in enumerate(rows):
        found = found * row[k]
    return found


def _eliminated(a: Any, b: Any, name: str, may_be_singular: bool = False) -> tuple[list[Any], Any]:
    """Rows of the triangular matrix with those of b behind them, and the sign of exchanges."""
    count = len(a)
    if np.shape(a) != (count, count) or count > MOST:
        raise TraceError(
            f"found numpy.linalg.{name} of a matrix of shape {np.shape(a)}, expected one of up to "
            f"{MOST} rows and as many columns"
        )
    whole: Any = np.concatenate([a, b], axis=1).astype(np.float64)
    rows: list[Any] = [whole[k] for k in range(count)]
    sign: Any = 1.0
    for k in range(count):
        # the largest element of the column comes up
        for i in range(k + 1, count):
            larger = np.abs(rows[i][k]) > np.abs(rows[k][k])
            rows[k], rows[i] = (
                np.where(larger, rows[i], rows[k]), np.where(larger, rows[k], rows[i])
            )  # fmt: skip
            sign = np.where(larger, -sign, sign)
        # no element stays below it; a column of zeros is as it should be
        pivot = rows[k][k]
        if may_be_singular:
            pivot = np.where(pivot == 0.0, 1.0, pivot)
        for i in range(k + 1, count):
            rows[i] = rows[i] - rows[i][k] / pivot * rows[k]
    return rows, sign
