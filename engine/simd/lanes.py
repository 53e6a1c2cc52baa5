"""Reals, masks and lanes: the operations that kernels are written in.

A *real* is one number per world of a pack. Compiled, it is a `float64` (width 1) or an LLVM vector
`<W x double>` (a pack); interpreted, it is a float or a numpy array of W lanes. A *mask* is the
result of comparing reals: one truth value per world. The functions below are the interpreted forms;
the compiled ones are in `lowering.py`. Both give the same bits: no operation reassociates or
contracts.

Kernels use the Python operators `+ - * / -x < <= > >=` on reals and `&` and `|` on masks, plus
these functions.
"""

import ctypes
import math
from typing import Any

import numpy as np

from .record import STRIP

# kernels by number: interpreted, the k-th one has the address -1 - k, see `kernel.address`
NUMBERED: list = []


def select(mask: Any, a: Any, b: Any):
    """`a` where the mask holds, else `b`, lane by lane."""
    if isinstance(mask, np.ndarray):
        return np.where(mask, a, b)
    return a if mask else b


def lane_any(mask: Any) -> bool:
    """True if the mask holds in any lane."""
    return bool(np.any(mask))


def lane_all(mask: Any) -> bool:
    """True if the mask holds in all lanes."""
    return bool(np.all(mask))


def mask_not(mask: Any):
    """The opposite mask."""
    return np.logical_not(mask)


def sqrt(x: Any):
    """Square root."""
    return np.sqrt(x)


def absolute(x: Any):
    """Absolute value."""
    return np.abs(x)


def floor(x: Any):
    """Largest integer not above x, as a real."""
    return np.floor(x)


def rint(x: Any):
    """Nearest integer, ties to even, as a real."""
    return np.rint(x)


def fma(a: Any, b: Any, c: Any) -> Any:
    """a*b + c with one rounding."""
    arrays = [x for x in (a, b, c) if isinstance(x, np.ndarray)]
    if arrays and arrays[0].dtype == np.float32:
        # the product is exact in double precision
        return (np.float64(a) * np.float64(b) + np.float64(c)).astype(np.float32)
    if arrays:
        return np.vectorize(_fma)(a, b, c)
    return _fma(a, b, c)


def _fma(a: Any, b: Any, c: Any):
    from fractions import Fraction

    if math.isinf(c) and math.isfinite(a) and math.isfinite(b):
        return c
    if not (math.isfinite(a) and math.isfinite(b) and math.isfinite(c)):
        return a * b + c
    a, b, c = float(a), float(b), float(c)
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    try:
        # of a zero, floats know the sign
        return float(exact) if exact else a * b + c
    except OverflowError:
        return math.inf if exact > 0 else -math.inf


def zero_like(f: Any):
    """A real 0 with the lanes of field `f`."""
    return f.zero()


def get_lane(f: Any, index: int, lane: int) -> float:
    """Element of one lane: `f[index]` in world `lane` of the pack."""
    return f.get_lane(index, lane)


def set_lane(f: Any, index: int, lane: int, value: float) -> None:
    """Store the element of one lane."""
    f.set_lane(index, lane, value)


def load(f: Any, index: int, n: int):
    """Tuple of the n consecutive elements of block `index`: f[n*index : n*index+n]."""
    return tuple(f[n * index + k] for k in range(n))


def load3(f: Any, index: int):
    """Block `index` of a field of 3-vectors, as a tuple."""
    return load(f, index, 3)


def load4(f: Any, index: int):
    """Block `index` of a field of quaternions, as a tuple."""
    return load(f, index, 4)


def load6(f: Any, index: int):
    """Block `index` of a field of spatial vectors, as a tuple."""
    return load(f, index, 6)


def load9(f: Any, index: int):
    """Block `index` of a field of 3x3 matrices (row-major), as a tuple."""
    return load(f, index, 9)


def load10(f: Any, index: int):
    """Block `index` of a field of spatial inertias, as a tuple."""
    return load(f, index, 10)


def store(f: Any, index: int, values: Any) -> None:
    """Store a tuple as block `index` of a field of blocks of its length."""
    n = len(values)
    for k in range(n):
        f[n * index + k] = values[k]


def add_block(f: Any, index: int, values: Any) -> None:
    """Add a tuple to block `index` of a field of blocks of its length."""
    n = len(values)
    for k in range(n):
        f[n * index + k] = f[n * index + k] + values[k]


def call_stage(address: int, m: Any, d: Any) -> None:
    """Run what lies at an address: a stage, or a function of `kernel.callback`."""
    if not address:
        raise RuntimeError("call_stage: found the address 0, expected that of a stage")
    if address < 0:
        NUMBERED[-1 - address](m, d)
        return
    signature = ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_void_p] * 4)
    signature(address)(None, None, m.address, d.address)


def call_fill(address: int, source: int, n: int, place: int) -> None:
    """Call a function in C that writes numbers, such as those of numpy's generators.

    Args:
        address: of the function, void(void *source, intptr_t n, double *place).
        source: address of what it draws from.
        n: how many numbers.
        place: address where they go.
    """
    words = ctypes.c_void_p, ctypes.c_ssize_t, ctypes.c_void_p
    ctypes.CFUNCTYPE(None, *words)(address)(source, n, place)


def next_pack(counter: Any) -> int:
    """Take the next index from a counter that threads share: counter[0], then advance it."""
    k = counter[0]
    counter[0] = k + 1
    return k


def reals_at(address: int):
    """Shared field of float64 at an address."""
    return ctypes.cast(address, ctypes.POINTER(ctypes.c_double))


def ints_at(address: int):
    """Field of int32 at an address."""
    return ctypes.cast(address, ctypes.POINTER(ctypes.c_int32))


def longs_at(address: int):
    """Field of int64 at an address."""
    return ctypes.cast(address, ctypes.POINTER(ctypes.c_int64))


def record_word(record: Any, slot: int) -> int:
    """Return one slot of a record's table: a size or an address."""
    return int(record.table[slot])


def exponent(x: Any):
    """Largest integer e with 2**e <= |x|, as a real; x is a normal number."""
    return np.frexp(x)[1] - 1.0


def scale2(x: Any, k: Any):
    """x * 2**k for an integer k in -1022..1023, exact unless the result is out of range."""
    return x * np.ldexp(1.0, np.asarray(k).astype(np.int64))


# ---------------------------------------------------------------- strips, see strip_lowering.py


def load_strip(f: Any, start: int, n: int):
    """Strip of the numbers f[start], ... of a shared field; 0 from the n-th on."""
    strip = np.zeros(STRIP)
    for k in range(min(n, STRIP)):
        strip[k] = f[start + k]
    return strip


def store_strip(f: Any, start: int, n: int, strip: Any) -> None:
    """Store the first n numbers of a strip as f[start], ... of a shared field."""
    for k in range(min(n, STRIP)):
        f[start + k] = float(strip[k])


def gather_strip(f: Any, start: int, bits: Any, at: int):
    """Strip of the numbers f[start + i] of a shared field; integers i from place 8*at of `bits`."""
    return np.array([float(f[start + bits[STRIP * at + k]]) for k in range(STRIP)])


def gather_threes(f: Any, bits: Any, at: int):
    """Strips of f[i], f[i + 1] and f[i + 2] of a shared field; integers i as for `gather_strip`.

    What follows, f[i + 3], is there too.
    """
    places = [bits[STRIP * at + k] for k in range(STRIP)]
    return tuple(np.array([float(f[i + axis]) for i in places]) for axis in range(3))


def interleave(x: Any, y: Any, z: Any):
    """Four strips with the numbers of three and 0 in turns: x[0], y[0], z[0], 0, x[1], ..."""
    return tuple(np.stack([x, y, z, np.zeros(STRIP)], axis=1).reshape(4, STRIP))


def strip_sum(strip: Any) -> float:
    """Sum of the numbers of a strip: of halves, quarters, pairs."""
    half = strip[:4] + strip[4:]
    quarter = half[:2] + half[2:]
    return float(quarter[0] + quarter[1])


# ---------------------------------------------------------------- see single_lowering.py


def lane_min(x: Any) -> float:
    """Smallest of the lanes."""
    return float(np.min(x))


def lane_max(x: Any) -> float:
    """Largest of the lanes."""
    return float(np.max(x))


def mask_bits(mask: Any) -> int:
    """The lanes where a mask holds, as bits: lane 0 is the lowest."""
    return int(np.sum(np.where(mask, 1 << np.arange(np.size(mask)), 0)))


def lowest_bit(bits: int) -> int:
    """Number of the lowest bit that is set; bits is not 0."""
    return (bits & -bits).bit_length() - 1


def wrapping_multiply_add(a: int, b: int, c: int) -> int:
    """a b + c, of which the lowest 64 bits are kept, as a signed number."""
    return ((int(a) * int(b) + int(c) + (1 << 63)) & ((1 << 64) - 1)) - (1 << 63)


def rotate_right(x: int, n: int) -> int:
    """The lowest 32 bits of x, turned right by n of 0 to 31."""
    word = int(x) & 0xFFFFFFFF
    return (word >> n) | (word << (32 - n) & 0xFFFFFFFF)


def to_ints(x: Any):
    """Reals cut off towards 0, as an int32 per lane."""
    return np.asarray(x).astype(np.int32)


def to_reals(k: Any):
    """An int32 per lane as reals of single precision."""
    return np.asarray(k).astype(np.float32)


def bits_of(x: Any):
    """The bits of a float32 per lane, as int32."""
    return np.asarray(x, np.float32).view(np.int32)


def from_bits(k: Any):
    """The float32 per lane that has these bits."""
    return np.asarray(k, np.int32).view(np.float32)


def gather_ints(f: Any, index: Any):
    """Elements of an int32 field, one index per lane."""
    return f.array.reshape(-1)[index]


def gather_reals(f: Any, index: Any):
    """Elements of a shared float32 field, one index per lane."""
    return f.array.reshape(-1)[index]


def store_ints(f: Any, start: int, k: Any) -> None:
    """Store an int32 per lane into consecutive elements of an int32 field."""
    f.array.reshape(-1)[start : start + len(k)] = k
