"""Ends of boxes in order: as sorting by value and number has them, however values are spread."""

import numpy as np
import pytest

from mjenv.engine.physics.flex_contacts.end_order import order_ends
from mjenv.engine.simd.kernel import call_of
from mjenv.engine.simd.kernel import kernel as mark
from mjenv.engine.simd.record import Layout, Record, aligned_zeros

N = 300
ARRAYS = [("end_value", "f8", True)]
ARRAYS += [(f"end_{name}", "i4") for name in ("order", "next", "bucket", "first")]
LAYOUT = Layout("ends", [*ARRAYS, ("n", "size")])

RNG = np.random.default_rng(0)
VALUES = {
    "spread": RNG.uniform(-1, 1, N),
    "many equal": RNG.integers(0, 9, N).astype(float),
    "all equal": np.full(N, 0.25),
    "nearly all in one bucket": np.append(RNG.uniform(0, 1e-6, N - 1), 1e6),
    "without end": np.where(np.arange(N) % 7, RNG.uniform(-1, 1, N), np.inf),
}


@mark
def order(m, d):
    """All of them."""
    order_ends(d, d.n)


@pytest.mark.parametrize("name", VALUES)
def test_values_in_order_equal_ones_by_number(name):
    ends = Record(LAYOUT, 1)
    ends.set_size("n", N)
    for array, kind, *_ in ARRAYS:
        ends.set_array(array, aligned_zeros((N,), kind))
    ends.arrays["end_value"][:] = VALUES[name]
    call_of(order, [(LAYOUT, 1, True), (LAYOUT, 1, False)], [ends, ends])()
    assert (ends.arrays["end_order"] == np.argsort(VALUES[name], kind="stable")).all()
