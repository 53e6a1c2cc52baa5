"""`mjenv.rewards`: the sigmoids by their formulas, and what is refused."""

import numpy as np
import pytest

from mjenv.rewards import SIGMOIDS, tolerance

# name -> value at a distance x of margins, where it is v at 1
FORMULAS = {
    "gaussian": lambda x, v: np.exp(-0.5 * (x * np.sqrt(-2 * np.log(v))) ** 2),
    "hyperbolic": lambda x, v: 1 / np.cosh(x * np.arccosh(1 / v)),
    "long_tail": lambda x, v: 1 / ((x * np.sqrt(1 / v - 1)) ** 2 + 1),
    "reciprocal": lambda x, v: 1 / (abs(x) * (1 / v - 1) + 1),
    "cosine": lambda x, v: (1 + np.cos(np.minimum(x * np.arccos(2 * v - 1), np.pi))) / 2,
    "linear": lambda x, v: np.maximum(1 - x * (1 - v), 0),
    "quadratic": lambda x, v: np.maximum(1 - (x * np.sqrt(1 - v)) ** 2, 0),
    "tanh_squared": lambda x, v: 1 - np.tanh(x * np.arctanh(np.sqrt(1 - v))) ** 2,
}


def test_every_sigmoid_has_a_formula():
    assert list(SIGMOIDS) == list(FORMULAS)


@pytest.mark.parametrize("value", [0.0, 0.1, 0.7])
@pytest.mark.parametrize("sigmoid", FORMULAS)
def test_sigmoids(sigmoid, value):
    """On both sides of the bounds."""
    if value == 0 and sigmoid not in ("cosine", "linear", "quadratic"):
        with pytest.raises(ValueError, match="expected above 0, below 1"):
            tolerance(3.0, (1, 2), 0.5, sigmoid, value)
        return
    away = np.array([0.0, 1e-9, 0.1, 0.5, 0.9, 1.0, 1.7, 4.0])
    expected = FORMULAS[sigmoid](away, value)
    for x in (2 + away * 0.5, 1 - away * 0.5):
        found = tolerance(x, (1, 2), 0.5, sigmoid, value)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-15)
    assert tolerance(1.5, (1, 2), 0.5, sigmoid, value) == 1.0


def test_without_margin_it_is_whether_a_number_is_within_bounds():
    np.testing.assert_array_equal(
        tolerance(np.array([0.9, 1.0, 2.0, 2.1]), (1, 2)), [0.0, 1.0, 1.0, 0.0]
    )
    assert tolerance(1e9, (0, np.inf), margin=3) == 1.0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (((2, 1),), r"bounds=\(2, 1\), expected the lower one first"),
        (((0, 1), -1), "margin=-1, expected 0 or more"),
        (((0, 1), 1, "gausian"), "sigmoid='gausian'.*did you mean 'gaussian'"),
        (((0, 1), 1, "linear", 1.0), "value_at_margin=1.0 of sigmoid 'linear', expected 0 or more"),
        (((0, 1), 1, "gaussian", 0), "value_at_margin=0 of sigmoid 'gaussian', expected above 0"),
    ],
)
def test_mistakes_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        tolerance(0.5, *arguments)
