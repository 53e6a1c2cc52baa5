"""Pseudo-inverses by rotations, beside numpy's."""

import numpy as np
import pytest

from mjenv.porting.symbols.singular_values import MOST, by_rotations, pseudo_inverse
from mjenv.tracing.arrays import TraceError


def matrix(rng, kind):
    """One of up to nine rows and columns."""
    a = rng.normal(size=rng.integers(1, 10, 2))
    if kind == "two equal columns":
        a[:, -1] = a[:, 0]
    if kind == "columns of many sizes":
        a *= 10.0 ** rng.uniform(-8, 8, a.shape[1])
    if kind == "symmetric":
        a = a @ a.T
    if kind == "a row of zeros":
        a[rng.integers(len(a))] = 0.0
    return a


KINDS = "plain", "two equal columns", "columns of many sizes", "symmetric", "a row of zeros"


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("least", [1e-2, 1e-12])
def test_it_is_that_of_numpy(kind, least):
    rng = np.random.default_rng(0)
    compared = 0
    for _ in range(100):
        a = matrix(rng, kind)
        lengths = np.linalg.svd(a, compute_uv=False)
        if lengths.max() == 0.0 or np.any(np.abs(lengths / lengths.max() / least - 1.0) < 0.1):
            continue  # which are zeros is a matter of rounding
        found, failed = by_rotations(a, least)
        if failed:
            continue
        expected = np.linalg.pinv(a, rcond=least)
        kept = lengths[lengths > least * lengths.max()]
        near = 1e-13 * np.abs(expected).max() * kept.max() / kept.min()
        np.testing.assert_allclose(found, expected, rtol=0, atol=near)
        compared += 1
    assert compared > 85


def test_nothing_comes_of_zeros():
    found, failed = by_rotations(np.zeros((3, 4)), 1e-15)
    assert not failed
    np.testing.assert_array_equal(found, np.zeros((4, 3)))


def test_large_ones_are_refused():
    with pytest.raises(TraceError, match=r"pinv of a matrix of shape \(13, 13\)"):
        pseudo_inverse(np.eye(MOST + 1))
