"""Strips of fields that hold numbers one by one: the same compiled, and nothing behind the end."""

import numpy as np

from mjenv.engine.simd import kernel
from mjenv.engine.simd.kernel import kernel as mark
from mjenv.engine.simd.lanes import fma, gather_strip, load_strip, store_strip, strip_sum, zero_like
from mjenv.engine.simd.meaning import reached, uses_strips
from mjenv.engine.simd.record import STRIP, Layout, Record, aligned_zeros

LAYOUT = Layout(
    "strips",
    [("x", "f8"), ("y", "f8", True), ("out", "f8"), ("place", "i8"), ("strip", "f8", False, True)],
)
N = 21  # two strips and a part


@mark
def move(m, d):
    """Products and sums, from places that are multiples of nothing."""
    total = zero_like(d.strip)
    for k in range(0, N, STRIP):
        x, y = load_strip(d.x, 3 + k, N - k), load_strip(d.y, 1 + k, N - k)
        z = gather_strip(d.x, 2, d.place, k // STRIP)
        total = fma(x, y, total + z)
        store_strip(d.out, 5 + k, N - k, x * y - z)
    d.out[0] = strip_sum(total)


@mark
def alone(m, d):
    """Nothing with strips."""
    d.out[0] = d.x[0]


def record() -> Record:
    found, rng = Record(LAYOUT, 1), np.random.default_rng(0)
    for name, n in (("x", 40), ("y", 40), ("out", 40)):
        array = aligned_zeros((n,))
        array[:] = rng.normal(size=n)
        found.set_array(name, array)
    place = aligned_zeros((3 * STRIP,), "i8")
    place[:] = rng.integers(0, 30, len(place))
    found.set_array("place", place)
    found.set_array("strip", aligned_zeros((1, STRIP)))
    return found


def test_same_bits_compiled_and_interpreted():
    found, expected = record(), record()
    kernel.callable_at(kernel.address(move, (LAYOUT, 1, True), (LAYOUT, 1, False)), 2)(
        found.address, found.address
    )
    move(expected, expected)
    assert (found.arrays["out"] == expected.arrays["out"]).all()
    # in front of the first number and behind the last one nothing has changed
    before = record().arrays["out"]
    changed = found.arrays["out"] != before
    assert changed.tolist() == [k == 0 or 5 <= k < 5 + N for k in range(40)]


def test_rules_of_strips_are_part_of_a_key():
    assert uses_strips(reached(move))
    assert not uses_strips(reached(alone))
