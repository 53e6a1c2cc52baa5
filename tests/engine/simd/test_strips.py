"""Strips of fields that hold numbers one by one: the same compiled, and nothing behind the end."""

import numpy as np

from mjenv.engine.simd import kernel
from mjenv.engine.simd.kernel import kernel as mark
from mjenv.engine.simd.lanes import (
    fma,
    gather_strip,
    gather_threes,
    interleave,
    load_strip,
    store_strip,
    strip_sum,
    zero_like,
)
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
def turn(m, d):
    """Numbers by threes, and one after the other again."""
    x, y, z = gather_threes(d.x, d.place, 1)
    store_strip(d.out, 1, STRIP, x)
    store_strip(d.out, 1 + STRIP, STRIP, y)
    store_strip(d.out, 1 + 2 * STRIP, 3, z)
    one, two, three, four = interleave(x, y, z)
    store_strip(d.y, 0, STRIP, one)
    store_strip(d.y, STRIP, STRIP, two)
    store_strip(d.y, 2 * STRIP, STRIP, three)
    store_strip(d.y, 3 * STRIP, STRIP, four)


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


def test_threes_come_from_their_places_and_go_side_by_side():
    found, expected = record(), record()
    kernel.callable_at(kernel.address(turn, (LAYOUT, 1, True), (LAYOUT, 1, False)), 2)(
        found.address, found.address
    )
    turn(expected, expected)
    places = found.arrays["place"][STRIP : 2 * STRIP]
    threes = found.arrays["x"][places[:, None] + np.arange(3)]
    for arrays in (found.arrays, expected.arrays):
        assert (arrays["out"][1 : 1 + 2 * STRIP].reshape(2, STRIP) == threes.T[:2]).all()
        assert (arrays["out"][1 + 2 * STRIP : 4 + 2 * STRIP] == threes[:3, 2]).all()
        assert (arrays["out"][4 + 2 * STRIP :] == record().arrays["out"][4 + 2 * STRIP :]).all()
        fours = arrays["y"][: 4 * STRIP].reshape(STRIP, 4)
        assert (fours[:, :3] == threes).all()
        assert not fours[:, 3].any()
        assert (arrays["y"][4 * STRIP :] == record().arrays["y"][4 * STRIP :]).all()


def test_rules_of_strips_are_part_of_a_key():
    assert uses_strips(reached(move))
    assert not uses_strips(reached(alone))
