"""Remainders and floor division of symbols, bit for bit those of numpy and of Python.

All begin with C's fmod, whose results are exact: the quotient is cut off, and what is left is one
fused multiplication and addition, which has nothing to round. Then numpy and Python take the same
steps towards the sign of the divisor.
"""

from typing import Any

import numpy as np

from mjenv.porting.symbols.symbol import Symbol, as_symbol
from mjenv.tracing.arrays import DOUBLE, INT

# quotients below 2^52 are right but for one; larger ones are made smaller first
_SCALES = 2.0**52, 1.0


def _operands(ufunc: np.ufunc, x: Any, y: Any) -> tuple[Symbol, Symbol]:
    """Two operands of the type in which numpy computes, and of one shape."""
    recording = next(v.recording for v in (x, y) if isinstance(v, Symbol))
    types = (type(v) if type(v) in (int, float) else as_symbol(recording, v).dtype for v in (x, y))
    dtype = ufunc.resolve_dtypes((*types, None))[0]
    shape = np.broadcast_shapes(np.shape(x), np.shape(y))
    found = [as_symbol(recording, v).astype(dtype) for v in (x, y)]
    return tuple(v.like(np.broadcast_to(v.ids, shape)) for v in found)  # type: ignore[return-value]


def _rest(x: Any, y: Any) -> Any:
    """What is left of numbers x >= 0 after division by y >= 0, both in double precision.

    Where the quotient is 2^104 or more, it is NaN.
    """
    for scale in _SCALES:
        other = y * scale
        turns: Any = -np.floor(x / other)
        ids = x.recording.compute("fma", turns.ids, other.ids, x.ids)
        rest = Symbol(x.recording, ids, DOUBLE)
        # a quotient that was rounded up
        rest = np.where(rest < 0.0, rest + other, rest)
        x = np.where(x < other, x, np.where(turns > -(2.0**52), rest, np.nan))
    return x


def _exact(x: Symbol, y: Symbol) -> Any:
    """C's fmod, in the type of the operands."""
    rest = _rest(np.abs(x.astype(DOUBLE)), np.abs(y.astype(DOUBLE)))
    return np.where(np.signbit(x), -rest, rest).astype(x.dtype)


def fmod(x: Any, y: Any) -> Any:
    """`numpy.fmod`, of the sign of x."""
    x, y = _operands(np.fmod, x, y)
    if x.dtype.kind == "f":
        return _exact(x, y)
    rest = _of_whole(np.abs(x), np.abs(y))[1]
    return np.where(x < 0, -rest, rest)


def division(x: Any, y: Any) -> tuple[Any, Any]:
    """`numpy.divmod`: floor of the quotient, and the remainder, of the sign of y."""
    x, y = _operands(np.remainder, x, y)
    if x.dtype.kind != "f":
        return _of_whole(x, y)
    rest: Any = _exact(x, y)
    quotient: Any = (x - rest) / y
    # towards the divisor's sign
    apart = np.logical_and(rest != 0.0, np.logical_xor(y < 0.0, rest < 0.0))
    quotient = np.where(apart, quotient - 1.0, quotient)
    whole = np.floor(quotient)
    whole = np.where(quotient - whole > 0.5, whole + 1.0, whole)
    zero = np.copysign(np.zeros_like(x), x / y)
    whole = np.where(quotient == 0.0, zero, whole)
    rest = np.where(apart, rest + y, rest)
    rest = np.where(rest == 0.0, np.copysign(np.zeros_like(x), y), rest)
    return np.where(y == 0.0, x / y, whole), rest


def _of_whole(x: Any, y: Any) -> tuple[Any, Any]:
    """The same of whole numbers, which doubles hold; division by 0 gives 0."""
    there = y != 0
    found = np.floor(x / np.where(there, y, 1))
    # at most as large as the dividend, but for a step down
    whole = Symbol(found.recording, found.ids, INT, x.bound + 1).astype(x.dtype)
    whole = np.where(there, whole, 0)
    rest: Any = np.where(there, x - y * whole, 0)
    ids = np.asarray(rest.ids)
    return whole, Symbol(rest.recording, ids, x.dtype, min(x.bound, y.bound))


def nearest_remainder(x: Any, y: Any) -> Any:
    """`math.remainder`: what is left after division by the nearest whole number of y."""
    x, y = (v.astype(DOUBLE) for v in _operands(np.remainder, x, y))
    size, other = np.abs(x), np.abs(y)
    rest = _rest(size, other)
    beyond = other - rest
    # half of the way: the even one of two numbers
    middle = rest - 2.0 * _rest(0.5 * (size - rest), other)
    found = np.where(rest < beyond, rest, np.where(rest > beyond, -beyond, middle))
    return np.where(np.signbit(x), -found, found)
