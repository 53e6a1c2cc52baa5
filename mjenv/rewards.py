"""Rewards from 0 to 1: how near a number is to where it should be (Tassa et al. 2018, section 4).

The functions take numbers and arrays, also in compiled tasks, and have the same bits there.
"""

from collections.abc import Callable
from difflib import get_close_matches
from math import acos, acosh, atanh, log, pi, sqrt
from typing import Any

import numpy as np

from mjenv.functions import cos, exp


def _gaussian(x: Any, v: float) -> Any:
    return exp(-0.5 * np.square(x * sqrt(-2.0 * log(v))))


def _hyperbolic(x: Any, v: float) -> Any:
    grown = exp(x * acosh(1.0 / v))
    return 2.0 / (grown + 1.0 / grown)


def _long_tail(x: Any, v: float) -> Any:
    return 1.0 / (np.square(x * sqrt(1.0 / v - 1.0)) + 1.0)


def _reciprocal(x: Any, v: float) -> Any:
    return 1.0 / (np.abs(x) * (1.0 / v - 1.0) + 1.0)


def _cosine(x: Any, v: float) -> Any:
    scaled = x * (acos(2.0 * v - 1.0) / pi)
    # a cosine of what is far away need not be computed
    near = np.minimum(np.abs(scaled), 1.0)
    return np.where(np.abs(scaled) < 1.0, (1.0 + cos(pi * near)) / 2.0, 0.0)


def _linear(x: Any, v: float) -> Any:
    scaled = x * (1.0 - v)
    return np.where(np.abs(scaled) < 1.0, 1.0 - scaled, 0.0)


def _quadratic(x: Any, v: float) -> Any:
    scaled = x * sqrt(1.0 - v)
    return np.where(np.abs(scaled) < 1.0, 1.0 - np.square(scaled), 0.0)


def _tanh_squared(x: Any, v: float) -> Any:
    shrunk = exp(-2.0 * np.abs(x * atanh(sqrt(1.0 - v))))
    return 1.0 - np.square((1.0 - shrunk) / (1.0 + shrunk))


# name -> the function of distance and of its value at 1; those that reach 0 may have 0 there
SIGMOIDS: dict[str, Callable[[Any, float], Any]] = {
    "gaussian":     _gaussian,
    "hyperbolic":   _hyperbolic,
    "long_tail":    _long_tail,
    "reciprocal":   _reciprocal,
    "cosine":       _cosine,
    "linear":       _linear,
    "quadratic":    _quadratic,
    "tanh_squared": _tanh_squared,
}  # fmt: skip
_REACH_ZERO = ("cosine", "linear", "quadratic")


def tolerance(
    x: Any,
    bounds: tuple[float, float] = (0.0, 0.0),
    margin: float = 0.0,
    sigmoid: str = "gaussian",
    value_at_margin: float = 0.1,
) -> Any:
    """1 between bounds, less the farther a number is from them.

    Args:
        x: number or array, in any unit.
        bounds: lower and upper bound, both included; may be infinite.
        margin: distance from the bounds, in the unit of x, at which the value is
            `value_at_margin`; 0: the value outside the bounds is 0.
        sigmoid: how the value falls: a name of `SIGMOIDS`.
        value_at_margin: above 0, or 0 for "cosine", "linear" and "quadratic", and below 1.

    Returns:
        A number of 0 to 1, or an array of the shape of x.

    Raises:
        ValueError: for bounds in the wrong order, a negative margin, an unknown sigmoid, or a value
            at the margin that it cannot have.
    """
    lower, upper = bounds
    if not lower <= upper:
        raise ValueError(f"tolerance: bounds={bounds}, expected the lower one first")
    if not margin >= 0:
        raise ValueError(f"tolerance: margin={margin}, expected 0 or more")
    inside = (lower <= x) & (x <= upper)
    if margin == 0:
        return np.where(inside, 1.0, 0.0)
    _check(sigmoid, value_at_margin)
    distance = np.where(x < lower, lower - x, x - upper) / margin
    return np.where(inside, 1.0, SIGMOIDS[sigmoid](distance, value_at_margin))


def _check(sigmoid: str, value: float) -> None:
    """Refuse sigmoids that there are none of."""
    if sigmoid not in SIGMOIDS:
        near = get_close_matches(str(sigmoid), SIGMOIDS, 1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise ValueError(f"tolerance: sigmoid={sigmoid!r}, expected one of {list(SIGMOIDS)}{hint}")
    least = "0 or more" if sigmoid in _REACH_ZERO else "above 0"
    if not (value > 0 or (value == 0 and sigmoid in _REACH_ZERO)) or not value < 1:
        raise ValueError(
            f"tolerance: value_at_margin={value} of sigmoid {sigmoid!r}, expected {least}, below 1"
        )
