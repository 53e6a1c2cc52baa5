"""Whole numbers of less than 64 bits, which begin anew where they are too large.

What is computed of them is computed as of 64 bits, and then brought into the type that numpy gives
the result.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from mjenv.tracing.arrays import DOUBLE, INT, TraceError

SMALL = tuple(map(np.dtype, (np.int8, np.uint8, np.int16, np.uint16, np.uint32, np.uint64)))


def is_small(x: Any) -> bool:
    """True for numbers, or a type, of those above; those of 32 bits are known to operations."""
    return (x if isinstance(x, np.dtype) else getattr(x, "dtype", None)) in SMALL


def size_of(dtype: np.dtype) -> int:
    """What whole numbers of a type are less than in size, or 2^52."""
    bits = min(8 * dtype.itemsize, 52)
    return 1 << bits if dtype.kind == "u" else (1 << (bits - 1)) + 1


def in_type(x: Any, dtype: np.dtype, negative: bool = True) -> Any:
    """Whole numbers, a symbol, in a type where they begin anew.

    Args:
        x: of type int64.
        dtype: of the result.
        negative: whether they may be.

    Raises:
        TraceError: those of 64 bits would have to.
    """
    size, signed = size_of(dtype), dtype.kind == "i"
    if x.bound <= size and (signed or not negative):
        return type(x)(x.recording, x.ids, dtype, x.bound)
    if dtype.itemsize == 8:
        raise TraceError(f"found numbers of type {dtype} that may be negative, expected int64")
    span = 2.0 ** (8 * dtype.itemsize)
    low = -0.5 * span if signed else 0.0
    number: Any = type(x)(x.recording, x.ids, DOUBLE)
    found = number - span * np.floor((number - low) / span)
    return type(x)(x.recording, found.ids, dtype, size)


def result_types(function: Any, inputs: Sequence[Any]) -> list[np.dtype]:
    """Types that numpy gives the results of a function of such numbers.

    Raises:
        TraceError: they are of half precision.
    """
    given = [x if type(x) in (bool, int, float) else np.ones((), np.asarray(x).dtype
             if not hasattr(x, "dtype") else x.dtype) for x in inputs]  # fmt: skip
    with np.errstate(all="ignore"):
        found = function(*given)
    types = [np.asarray(one).dtype for one in (found if isinstance(found, tuple) else (found,))]
    if np.float16 in types:
        raise TraceError("found numbers of type float16, expected float64 or float32")
    return types


def wide(x: Any) -> Any:
    """Numbers as those of 64 bits, if they have less."""
    if not is_small(x):
        return x
    if isinstance(x, np.ndarray | np.generic):
        return x.astype(np.int64)
    return type(x)(x.recording, x.ids, INT, x.bound)
