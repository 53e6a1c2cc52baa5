"""Functions of symbols give numpy's and Python's numbers, bit for bit where they say so."""

import math

import numpy as np
import pytest

from mjenv.porting.remainders import nearest_remainder
from tests.mjenv.porting.evaluated import evaluated

K = np.arange(-40, 41)
ODD = np.array([0.0, -0.0, np.inf, -np.inf, np.nan, 1e-300, 1e25, -3e16])
X = np.concatenate([K * 0.1, K * 0.02, 1e3 * np.sin(np.arange(40.0)), ODD])
SPECIAL = [0.0, -0.0, 1.0, -1.0, np.nan]
A, B = (np.ravel(one) for one in np.meshgrid(SPECIAL, SPECIAL))


def same(found, expected):
    """True for equal bits and types; NaN is NaN."""
    found, expected = np.asarray(found), np.asarray(expected)
    assert found.dtype == expected.dtype
    assert found.shape == expected.shape
    bits = [one.astype(float).view(np.int64) for one in (found, expected)]
    return np.all((bits[0] == bits[1]) | (np.isnan(found) & np.isnan(expected)))


@pytest.mark.parametrize("function", [np.remainder, np.fmod, np.floor_divide])
@pytest.mark.parametrize("y", [0.1, 0.04, 0.8, -0.3, 2 * np.pi, np.inf, -np.inf, 0.0, 7])
def test_remainders_are_those_of_numpy(function, y):
    """Phases such as `(t * 0.02) % 0.8` have a quotient that is rounded up at times."""
    with np.errstate(all="ignore"):
        assert same(evaluated(lambda x: [function(x, y)], X)[0], function(X, y))
        assert same(evaluated(lambda x: [function(y, x)], X[:-3])[0], function(y, X[:-3]))
        single = X.astype(np.float32)
        assert same(evaluated(lambda x: [function(x, y)], single)[0], function(single, y))


@pytest.mark.parametrize("function", [np.remainder, np.fmod, np.floor_divide])
@pytest.mark.parametrize("y", [7, -7, 0, 0.7])
def test_remainders_of_whole_numbers(function, y):
    with np.errstate(all="ignore"):
        assert same(evaluated(lambda k: [function(k, y)], K)[0], function(K, y))
        assert same(evaluated(lambda k: [function(50, k)], K)[0], function(50, K))


@pytest.mark.parametrize("y", [0.1, 0.5, 2 * np.pi, np.inf])
def test_nearest_remainder(y):
    x = X[np.isfinite(X)]
    expected = np.array([math.remainder(one, y) for one in x])
    assert same(evaluated(lambda x: [nearest_remainder(x, y)], x)[0], expected)


def test_whole_powers_have_no_rounding():
    k = np.arange(20)
    whole = [2.0**k, 10.0**k, (-2.0) ** k, 2.0 ** (-1.0 * k), (-1) ** k, np.exp2(1.0 * k)]
    found = evaluated(
        lambda k: [
            2.0**k, 10.0**k, np.power(-2.0, k), 2.0 ** (-1.0 * k), (-1) ** k, np.exp2(1.0 * k)
        ], k,
    )  # fmt: skip
    assert all(map(same, found, whole))
    tens, twos = 10.0 ** np.arange(-5, 20), 2.0 ** np.arange(-20, 60)
    logs = evaluated(lambda x, y: [np.log10(x), np.log2(y), np.cbrt(x)], tens, twos)
    assert same(logs[0], np.arange(-5.0, 20.0))
    assert same(logs[1], np.arange(-20.0, 60.0))
    assert same(logs[2][5::3], 10.0 ** np.arange(7))


def test_powers_of_numbers_below_zero():
    x = np.array([-3.0, -0.5, 0.0, 1.5])[:, None]
    each = np.array([2.0, 3.0, 18.0, 0.0])
    found = evaluated(
        lambda x: [x**each, x**18, x ** np.array(3), np.power(x, [2, 3]), (0.0 * x) ** each], x
    )
    for one, expected in zip(
        found, [x**each, x**18, x**3, np.power(x, [2, 3]), (0.0 * x) ** each], strict=True
    ):
        assert one.dtype == expected.dtype
        assert np.allclose(one, expected, rtol=1e-14, atol=0.0)


def test_signs_of_zero_and_what_is_no_number():
    with np.errstate(all="ignore"):
        for name in ("arctan2", "fmax", "fmin", "maximum", "heaviside", "copysign"):
            function = getattr(np, name)
            found = evaluated(lambda a, b, function=function: [function(a, b)], A, B)[0]
            expected = function(A, B)
            assert np.allclose(found, expected, rtol=1e-15, equal_nan=True), name
    turned = evaluated(lambda a, b: [np.arctan2(a, b)], [-0.0, 0.0, -0.0], [-1.0, -0.0, 1.0])[0]
    assert same(turned, np.arctan2([-0.0, 0.0, -0.0], [-1.0, -0.0, 1.0]))
