"""Functions of symbols give numpy's and Python's numbers, bit for bit where they say so."""

import math
import random

import numpy as np
import pytest

from mjenv.porting.stand_ins.random_numbers import range_of
from mjenv.porting.symbols.remainders import nearest_remainder
from mjenv.tracing.arrays import TraceError
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


WIDE = np.sin(np.arange(12.0)).reshape(3, 4)
HOLED = np.where(np.abs(WIDE) > 0.9, np.nan, WIDE)
FUNCTIONS = [
    lambda x, n, k, b: [np.argmax(n), np.argmin(n, axis=0), np.argmax(x, axis=1), np.argmax(b)],
    lambda x, n, k, b: [np.argmin(k, axis=-1), np.argmax(x, axis=1, keepdims=True)],
    lambda x, n, k, b: [np.sort(n), np.sort(n, axis=0), np.sort(k), np.sort(n, None)],
    lambda x, n, k, b: [np.median(n, axis=1), np.median(x), np.percentile(n, 30, axis=1)],
    lambda x, n, k, b: [np.cumsum(b), np.cumsum(x, dtype=np.float32), np.cumprod(b), np.prod(b)],
    lambda x, n, k, b: [np.mean(x, dtype=np.float32), np.mean(b), np.var(x, axis=(0, 1))],
    lambda x, n, k, b: [np.std(x, axis=1, ddof=1, keepdims=True), np.var(k), np.trace(x, 1)],
    lambda x, n, k, b: [np.apply_along_axis(lambda row: row[:2], 0, x)],
    lambda x, n, k, b: [np.apply_along_axis(lambda row, k: np.outer(row, row) * k, 0, x, 3)],
    lambda x, n, k, b: [np.linalg.norm(x, "fro", axis=(0, 1)), np.linalg.norm(x, -np.inf, axis=1)],
    lambda x, n, k, b: [np.linalg.norm(k), np.linalg.norm(x, 1, axis=0), np.diff(b)],
    lambda x, n, k, b: [np.nan_to_num(n), np.nan_to_num(n, nan=3.0), np.round(x * 100, -1)],
    lambda x, n, k, b: [np.isclose(n, n), np.isclose(n, x, equal_nan=True), np.isclose(x, np.inf)],
    lambda x, n, k, b: [np.nan_to_num(x / b), np.isclose(x / b, x / b)],
    lambda x, n, k, b: [np.nan_to_num(x / b, posinf=5)],
    lambda x, n, k, b: [np.concatenate([x[0], np.array([1, 2], np.uint8)]), np.stack([b, k])],
]  # fmt: skip


@pytest.mark.parametrize("function", FUNCTIONS)
def test_other_functions(function):
    given = WIDE, HOLED, np.arange(12).reshape(3, 4) - 5, WIDE > 0.0
    with np.errstate(all="ignore"):
        expected = [np.asarray(one) for one in function(*given)]
    for one, other in zip(evaluated(function, *given), expected, strict=True):
        assert (one.dtype, one.shape) == (other.dtype, other.shape)
        assert np.allclose(
            one, other, rtol=1e-13 if one.dtype != np.float32 else 1e-6, equal_nan=True
        )


def test_norms_of_matrices_are_refused():
    for order in (1, 2, np.inf):
        with pytest.raises(TraceError, match="of matrices"):
            evaluated(lambda x, order=order: [np.linalg.norm(x, order, axis=(0, 1))], WIDE)


NUMPY, PYTHON = np.random.Generator, random.Random


@pytest.mark.parametrize(
    ("kind", "method", "args", "options", "expected"),
    [
        (NUMPY, "choice", (3, 5), {}, range(3)),
        (NUMPY, "choice", (5, 2), {"replace": False}, range(5)),
        (NUMPY, "choice", (), {"a": 4, "size": 2}, range(4)),
        (NUMPY, "choice", ([3, 9],), {}, None),
        (NUMPY, "integers", (3, 5), {}, range(3, 5)),
        (NUMPY, "integers", (5,), {"size": 2}, range(5)),
        (NUMPY, "integers", (5, None, 2), {}, range(5)),
        (NUMPY, "integers", (1, 5), {"endpoint": True}, range(1, 6)),
        (np.random.RandomState, "randint", (2, 6, 3), {}, range(2, 6)),
        (PYTHON, "randint", (2, 6), {}, range(2, 7)),
        (PYTHON, "randrange", (6,), {}, range(6)),
        (PYTHON, "randrange", (2, 8, 3), {}, range(2, 8)),
        (PYTHON, "gauss", (0, 1), {}, None),
    ],
)  # fmt: skip
def test_whole_numbers_that_may_be_drawn(kind, method, args, options, expected):
    assert range_of(kind, method, args, options) == expected
