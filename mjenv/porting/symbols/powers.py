"""Powers and logarithms of symbols: exact where numpy's are whole numbers.

Whole powers are products of squares, so that `2.0 ** k` and `10 ** k` have no rounding; others are
exponentials of logarithms, within rounding of numpy's.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from mjenv import functions
from mjenv.porting.symbols.symbol import Symbol, as_symbol
from mjenv.tracing.arrays import DOUBLE, INT, Traced, TraceError

_BITS = 10  # of whole exponents whose powers are products


def elementary(name: str) -> Callable[..., Any]:
    """A function of `mjenv.functions` on symbols."""

    def call(*inputs: Any) -> Any:
        recording = next(x.recording for x in inputs if isinstance(x, Symbol))
        shape = np.broadcast_shapes(*(np.shape(x) for x in inputs))
        arguments = []
        for x in inputs:
            one = x if isinstance(x, Symbol) else as_symbol(recording, np.asarray(x, np.float64))
            ids = np.broadcast_to(one.ids, shape)
            arguments.append(Traced(recording, ids, one.dtype, one.bound))
        found = getattr(functions, name)(*arguments)
        return Symbol(recording, np.array(found.ids), found.dtype, found.bound)

    return call


exp, _log, _arctan2 = elementary("exp"), elementary("log"), elementary("arctan2")


def log(x: Any) -> Any:
    """The natural logarithm."""
    return _log(x)


def log_of(base: float) -> Callable[[Any], Any]:
    """The logarithm to a base, whole for its whole powers."""

    def call(x: Any) -> Any:
        found = _log(x) / math.log(base)
        whole = np.rint(found)
        # infinite ones and those of what is not positive stay
        return np.where(_whole_power(base, np.where(np.abs(found) < 1024.0, whole, 0.0)) == x,
                        whole, found)  # fmt: skip

    return call


def cbrt(x: Any) -> Any:
    """The cube root, whole of whole numbers' cubes."""
    size = np.abs(x)
    found = np.where(size == 0.0, 0.0, exp(_log(np.where(size == 0.0, 1.0, size)) / 3))
    whole = np.rint(found)
    return np.sign(x) * np.where(whole * whole * whole == size, whole, found)


def arctan2(y: Any, x: Any) -> Any:
    """The angle of a point; negative and other zeros are those of numpy."""
    found = _arctan2(y, x)
    behind = np.where(np.isnan(x), x, np.where(np.signbit(x), math.pi, 0.0))
    on_axis = np.where(np.signbit(y), -behind, behind)
    return np.where(y == 0.0, on_axis, found).astype(found.dtype)


def power(x: Any, exponent: Any) -> Any:
    """`x ** exponent`, of symbols and numbers, one of them a symbol."""
    recording = next(v.recording for v in (x, exponent) if isinstance(v, Symbol))
    known = _numbers(recording, exponent)
    if known is None:
        return _of_values(recording, x, exponent)
    x = as_symbol(recording, x)
    if not known.ndim:
        return _of_constant(x, known[()])
    # each exponent by itself
    shape = np.broadcast_shapes(x.shape, known.shape)
    each = np.broadcast_to(known, shape)
    parts = [(each == one, _of_constant(x, one)) for one in np.unique(known)]
    dtype = np.result_type(*(part.dtype for _, part in parts))
    ids = np.empty(shape, np.int64)
    for there, part in parts:
        ids[there] = np.broadcast_to(part.astype(dtype).ids, shape)[there]
    return Symbol(recording, ids, dtype, max(part.bound for _, part in parts))


def _numbers(recording: Any, value: Any) -> np.ndarray | None:
    """The numbers of constants; None for values."""
    one = as_symbol(recording, value)
    numbers = recording.numbers(one.ids)
    return None if numbers is None else np.asarray(numbers.astype(one.dtype))


def _of_constant(x: Any, exponent: Any) -> Any:
    """Powers with one exponent for all."""
    if exponent == 0.5:
        return np.sqrt(x)
    if not np.isfinite(exponent) or exponent != np.floor(exponent):
        return exp(float(exponent) * _log(x))
    whole = exponent.dtype.kind in "iu"
    base = x if x.dtype.kind == "f" or (whole and x.dtype.kind == "i") else x.astype(
        INT if whole else DOUBLE
    )  # fmt: skip
    if exponent == 0:
        return np.ones_like(base)
    found = base
    for bit in bin(abs(int(exponent)))[3:]:
        found = found * found
        found = found * base if bit == "1" else found
    return found if exponent > 0 else 1.0 / found


def _of_values(recording: Any, x: Any, exponent: Any) -> Any:
    """Powers with other exponents in each world."""
    x, exponent = as_symbol(recording, x), as_symbol(recording, exponent)
    if x.dtype.kind != "f" and exponent.dtype.kind != "f":
        return _whole_of_values(recording, x, exponent)
    dtype = np.result_type(x.dtype, exponent.dtype)
    x, exponent = x.astype(DOUBLE), exponent.astype(DOUBLE)
    size = np.abs(exponent)
    whole = np.logical_and(np.floor(size) == size, size < 2.0**_BITS)
    rest = exp(exponent * _log(x))
    return np.where(whole, _whole_power(x, np.where(whole, exponent, 0.0)), rest).astype(dtype)


def _whole_of_values(recording: Any, x: Any, exponent: Any) -> Any:
    """Whole numbers to the power of whole numbers.

    Raises:
        TraceError: the powers may be large, or fractions.
    """
    known = _numbers(recording, x)
    if known is not None and (np.abs(known) == 1).all():
        # as of a gait that changes its leg with each step
        return np.where(np.mod(exponent, 2) == 0, 1, known.astype(np.int64))
    few = recording.few.get(int(exponent.ids.item())) if exponent.size == 1 else None
    if few is None or min(few) < 0:
        raise TraceError(
            "found a whole number to the power of a value, expected real numbers: 2.0 ** k"
        )
    found: Any = np.ones_like(x)
    for k in few:
        found = np.where(exponent == k, _of_constant(x, np.int64(k)), found)
    return found


def _whole_power(x: Any, exponent: Any) -> Any:
    """Powers whose exponents are whole numbers below 2^10 in size, by squares."""
    found, rest = 1.0, np.abs(exponent)
    for _ in range(_BITS):
        half = np.floor(0.5 * rest)
        found = np.where(rest != 2.0 * half, found * x, found)
        x, rest = x * x, half
    return np.where(exponent < 0.0, 1.0 / found, found)
