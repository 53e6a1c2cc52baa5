"""Loops over the elements of a minibatch, compiled: one pass where torch needs a dozen.

A product of small matrices takes as long as three passes over its result, so that passes were half
of an update. All is in single precision. Arrays are those of torch tensors, changed in place.
"""

from collections.abc import Callable
from typing import Any, TypeVar

import numba
import numpy as np

Function = TypeVar("Function", bound=Callable[..., Any])

ZERO, ONE, HALF = np.float32(0.0), np.float32(1.0), np.float32(0.5)
VARIANCE = np.float32(1e-5)  # below roots of variances, as in torch's layer normalization
# tanh x = x P(x²) / Q(x²) up to 8, of the smallest greatest error (1e-8); beyond it is 1
FLAT = np.float32(8.0)
P0, P1, P2, P3, P4 = map(
    np.float32,
    (1.0, 0.1345103491261484, 3.57915845016235e-3, 2.2009735306626055e-5, 1.5369132595605427e-8),
)
Q1, Q2, Q3, Q4 = map(
    np.float32,
    (0.46784368457235187, 0.02619374455678758, 3.423270284419316e-4, 8.583806718445671e-7),
)
# sums in any order and fused products, for vectors; numbers that are not finite stay so
LOOSE = {"contract", "reassoc", "nsz", "arcp"}


def compiled(function: Function) -> Function:
    """The function as machine code, which is kept beside the source or in the user's cache."""
    options: dict[str, Any] = {"fastmath": LOOSE, "error_model": "numpy", "nogil": True}
    try:
        found: Any = numba.njit(cache=True, **options)(function)
    except RuntimeError:  # there is no folder for it
        found = numba.njit(**options)(function)
    return found


@compiled
def put_tanh(x: np.ndarray, bias: np.ndarray) -> None:
    """Put tanh(x + bias) in the place of x (n, m), but for 3e-7; bias is (m,)."""
    for i in range(x.shape[0]):
        row = x[i]
        for j in range(row.size):
            v = row[j] + bias[j]
            v = FLAT if v > FLAT else v
            v = -FLAT if v < -FLAT else v
            u = v * v
            p = P0 + u * (P1 + u * (P2 + u * (P3 + u * P4)))
            q = ONE + u * (Q1 + u * (Q2 + u * (Q3 + u * Q4)))
            row[j] = v * p / q


@compiled
def put_tanh_slope(dy: np.ndarray, y: np.ndarray) -> None:
    """Put dL/dx in the place of dL/dy (n, m), where y = tanh x."""
    slope, value = dy.reshape(dy.size), y.reshape(y.size)
    for i in range(slope.size):
        slope[i] *= ONE - value[i] * value[i]


@compiled
def put_elu(x: np.ndarray, bias: np.ndarray) -> None:
    """Put v where it is positive, else exp(v) - 1, in the place of x (n, m), but for 3e-7.

    v is x + bias, bias (m,); exp(v) - 1 is 2 t / (1 - t) of t = tanh(v / 2).
    """
    for i in range(x.shape[0]):
        row = x[i]
        for j in range(row.size):
            v = row[j] + bias[j]
            w = HALF * v
            w = ZERO if w > ZERO else w
            w = -FLAT if w < -FLAT else w
            u = w * w
            p = w * (P0 + u * (P1 + u * (P2 + u * (P3 + u * P4))))
            q = ONE + u * (Q1 + u * (Q2 + u * (Q3 + u * Q4)))
            row[j] = v if v > ZERO else (p + p) / (q - p)


@compiled
def put_elu_slope(dy: np.ndarray, y: np.ndarray) -> None:
    """Put dL/dx in the place of dL/dy (n, m), by what `put_elu` has put there."""
    slope, value = dy.reshape(dy.size), y.reshape(y.size)
    for i in range(slope.size):
        slope[i] *= ONE if value[i] > ZERO else value[i] + ONE


@compiled
def put_relu(x: np.ndarray, bias: np.ndarray) -> None:
    """Put the positive part of x + bias in the place of x (n, m); bias is (m,)."""
    for i in range(x.shape[0]):
        row = x[i]
        for j in range(row.size):
            v = row[j] + bias[j]
            row[j] = ZERO if v < ZERO else v


@compiled
def put_relu_slope(dy: np.ndarray, y: np.ndarray) -> None:
    """Put dL/dx in the place of dL/dy (n, m), where y is the positive part of x."""
    slope, value = dy.reshape(dy.size), y.reshape(y.size)
    for i in range(slope.size):
        slope[i] = ZERO if value[i] <= ZERO else slope[i]


@compiled
def put_normalized_relu(
    x: np.ndarray, bias: np.ndarray, z: np.ndarray, inverse: np.ndarray
) -> None:
    """Put the positive part of z in the place of x (n, m): rows of x + bias, normalized.

    Args:
        x: see above.
        bias: (m,).
        z: becomes what the rows are with mean 0 and deviation 1, (n, m).
        inverse: becomes 1 over their deviations, (n, 1).
    """
    n, m = x.shape
    share = ONE / np.float32(m)
    for i in range(n):
        row, normal = x[i], z[i]
        total = ZERO
        for j in range(m):
            v = row[j] + bias[j]
            normal[j] = v
            total += v
        mean, squares = total * share, ZERO
        for j in range(m):
            v = normal[j] - mean
            normal[j] = v
            squares += v * v
        scale = ONE / np.sqrt(squares * share + VARIANCE)
        inverse[i, 0] = scale
        for j in range(m):
            v = normal[j] * scale
            normal[j] = v
            row[j] = ZERO if v < ZERO else v


@compiled
def put_normalized_relu_slope(
    dy: np.ndarray, y: np.ndarray, z: np.ndarray, inverse: np.ndarray
) -> None:
    """Put dL/dx in the place of dL/dy (n, m), by what `put_normalized_relu` has left.

    dL/dx = (dL/dz - mean(dL/dz) - z mean(z dL/dz)) / deviation
    """
    n, m = dy.shape
    share = ONE / np.float32(m)
    for i in range(n):
        slope, value, normal = dy[i], y[i], z[i]
        total = along = ZERO
        for j in range(m):
            v = ZERO if value[j] <= ZERO else slope[j]
            slope[j] = v
            total += v
            along += v * value[j]
        mean, tilt, scale = total * share, along * share, inverse[i, 0]
        for j in range(m):
            slope[j] = (slope[j] - mean - normal[j] * tilt) * scale


@compiled
def policy_slope(
    mean: np.ndarray,
    rows: np.ndarray,
    first: int,
    inverse: np.ndarray,
    constant: float,
    bounds: tuple[float, float],
    by_log_std: np.ndarray,
    said: np.ndarray,
) -> None:
    """Derivatives of -E[min(ρ A, clip(ρ) A)] by mean actions, in the place of these.

    Args:
        mean: mean actions (n, nact); becomes the derivatives.
        rows: of a `Rollout`, (n, ncolumn).
        first: the first column of actions; behind them are log-probabilities and advantages.
        inverse: 1 over the deviations, (nact,).
        constant: logarithm of the density at a mean, with the sign changed.
        bounds: of the ratio ρ.
        by_log_std: becomes the derivatives by the logarithms of the deviations, (nact,).
        said: to which sums of (ρ - 1) - log ρ, of clipped ratios, and of the loss are added, (3,).
    """
    n, nact = mean.shape
    low, high, scale = np.float32(bounds[0]), np.float32(bounds[1]), -ONE / np.float32(n)
    by_log_std[:] = 0.0
    divergence = clipped = loss = np.float64(0.0)
    for i in range(n):
        # z = (action - mean) / deviation, and its density
        squares = np.float32(0.0)
        for j in range(nact):
            z = (rows[i, first + j] - mean[i, j]) * inverse[j]
            mean[i, j] = z
            squares += z * z
        log_ratio = -HALF * squares - np.float32(constant) - rows[i, first + nact]
        ratio, advantage = np.exp(log_ratio), rows[i, first + nact + 1]
        bounded = low if ratio < low else ratio
        bounded = high if bounded > high else bounded
        gain, safe = ratio * advantage, bounded * advantage
        divergence += (ratio - ONE) - log_ratio
        clipped += np.float64(ratio != bounded)
        loss -= safe if safe < gain else gain
        # where the clipped term is the smaller one, there is no gradient
        slope = np.float32(0.0) if safe < gain else gain * scale
        for j in range(nact):
            z = mean[i, j]
            by_log_std[j] += slope * (z * z - ONE)
            mean[i, j] = z * inverse[j] * slope
    said[0] += divergence
    said[1] += clipped
    said[2] += loss


@compiled
def value_slope(values: np.ndarray, rows: np.ndarray, weight: float) -> float:
    """Derivatives of c E[(V - R)²] by values, in the place of these.

    Args:
        values: values V (n, 1); become the derivatives.
        rows: of a `Rollout`, (n, ncolumn), of which the last column are returns R.
        weight: c.

    Returns:
        The sum of squares.
    """
    n, last = len(values), rows.shape[1] - 1
    scale, squares = np.float32(2.0 * weight / n), np.float64(0.0)
    for i in range(n):
        error = values[i, 0] - rows[i, last]
        squares += error * error
        values[i, 0] = error * scale
    return squares
