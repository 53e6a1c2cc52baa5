"""Packs of float32: every operation against numpy's, lane by lane."""

import numpy as np
import pytest

from mjenv.engine.simd import kernel as kernels
from mjenv.engine.simd.kernel import kernel
from mjenv.engine.simd.lanes import (
    absolute,
    bits_of,
    floor,
    fma,
    from_bits,
    gather_ints,
    gather_reals,
    get_lane,
    lane_any,
    lane_max,
    lane_min,
    load3,
    lowest_bit,
    mask_bits,
    mask_not,
    rint,
    select,
    set_lane,
    sqrt,
    store_ints,
    to_ints,
    to_reals,
    zero_like,
)
from mjenv.engine.simd.record import SINGLE, Layout, Record, aligned_zeros

LANES, NOUT = 16, 14
LAYOUT = Layout(
    "lanes_of_single",
    [
        ("x", "f4"),
        ("shared", "f4", True),
        ("entries", "i4"),
        ("out", "f4"),
        ("number", "f8", True),
        ("word", "i4"),
    ],
)


@kernel
def everything(m, d):
    """One of each operation."""
    x = m.x[0]
    some = (x > 3.0) & (x < 9.0)
    d.out[0] = select(some, x * 2.0 + m.shared[1], zero_like(m.x))
    d.out[1] = sqrt(absolute(-x)) / (x + 1.0) - floor(x * 0.3)
    index = to_ints(x)
    d.out[2] = to_reals((gather_ints(m.entries, (index + 1) & 15) >> 1) * 3)
    d.out[3] = gather_reals(m.shared, index & 3)
    d.out[4] = from_bits(bits_of(x) | 0) + fma(x, x, 0.1)
    d.out[5] = select(some, 1.0, 0.0)
    d.out[6] = select(mask_not(some) | (x == 4.0), x, -x)
    d.out[7] = rint(x * 0.7)
    d.out[8] = to_reals((index << 2) - 7)
    d.out[9] = select(index >= 8, x, 0.5)
    a, b, c = load3(m.shared, 0)
    d.out[10] = a + b * x + c
    set_lane(d.out, 10, 3, 0.25)
    d.number[0] = lane_min(select(some, x, 100.0))
    d.number[1] = lane_max(x)
    d.number[2] = get_lane(m.x, 0, 5)
    # numbers of the lanes of a mask
    bits, total = mask_bits(some), 0
    while bits != 0:
        total += lowest_bit(bits)
        bits = bits & (bits - 1)
    d.number[3] = 1.0 * total
    d.number[4] = 1.0 if lane_any(x > 14.5) else 0.0
    store_ints(d.word, 0, index * 2)


@pytest.mark.parametrize("run", ["compiled", "interpreted"])
def test_every_operation(run):
    record = Record(LAYOUT, SINGLE)
    x = aligned_zeros((1, LANES), np.float32)
    x[0] = np.arange(LANES) + np.float32(0.125)
    shared = np.array([5, 6.5, 7, 8], np.float32)
    table = np.arange(100, 116).astype(np.int32)
    out, number = aligned_zeros((NOUT, LANES), np.float32), np.zeros(8)
    word = np.zeros(LANES, np.int32)
    arrays = {"x": x, "shared": shared, "entries": table, "out": out, "number": number}
    arrays["word"] = word
    for name, array in arrays.items():
        record.set_array(name, array)
    if run == "compiled":
        entry = kernels.address(everything, (LAYOUT, SINGLE, False), (LAYOUT, SINGLE, False))
        kernels.callable_at(entry, 2)(record.address, record.address)
    else:
        everything(record, record)
    v, index, f = x[0], np.arange(LANES), np.float32
    some = (v > 3) & (v < 9)
    expected = [
        np.where(some, v * f(2) + shared[1], f(0)),
        np.sqrt(v) / (v + f(1)) - np.floor(v * f(0.3)),
        (table[(index + 1) & 15] >> 1) * 3,
        shared[index & 3],
        v + (v.astype(float) * v + float(f(0.1))).astype(f),
        some,
        np.where(~some | (v == 4), v, -v),
        np.rint(v * f(0.7)),
        (index << 2) - 7,
        np.where(index >= 8, v, f(0.5)),
        np.where(index == 3, f(0.25), shared[0] + shared[1] * v + shared[2]),
    ]
    for k, values in enumerate(expected):
        np.testing.assert_array_equal(out[k], np.asarray(values, f), err_msg=str(k))
    assert list(number[:5]) == [3.125, 15.125, 5.125, sum(np.flatnonzero(some)), 1.0]
    assert list(word) == list(2 * index)
