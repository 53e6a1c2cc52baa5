"""Products of small matrices: the bits of the engine's own, whatever the shapes."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import mjenv.mujoco as mujoco
from mjenv.engine.direct.products import multiply
from mjenv.engine.products import product

SHAPES = [(1, 1, 1), (2, 3, 4), (3, 3, 3), (6, 6, 1), (17, 5, 9), (40, 40, 40)]


def numbers(*shape: int, seed: int = 0) -> np.ndarray:
    """Numbers of very different sizes, so that another order of adding gives other bits."""
    random = np.random.default_rng([seed, *shape])
    return random.normal(size=shape) * 10.0 ** random.integers(-8, 8, shape)


@pytest.mark.parametrize(("n", "k", "m"), SHAPES)
def test_products_have_the_bits_of_those_of_the_engine(n, k, m):
    a, b, found = numbers(n, k), numbers(k, m, seed=1), np.empty((n, m))
    multiply(a, b, found)
    assert found.tobytes() == product(a, b).tobytes()
    # a vector, and factors that lie in memory the other way round
    column, across = np.empty(n), np.empty((n, m))
    multiply(a, b[:, 0], column)
    assert column.tobytes() == product(a, b[:, :1]).tobytes()
    multiply(np.asfortranarray(a), b, across)
    assert across.tobytes() == found.tobytes()


def test_a_factor_may_be_overwritten_and_nothing_is_zero():
    a = numbers(4, 4)
    expected = product(a, a)
    multiply(a, a, a)
    assert a.tobytes() == expected.tobytes()
    none = np.ones((2, 3))
    multiply(np.ones((2, 0)), np.ones((0, 3)), none)
    assert not none.any()


def test_threads_multiply_at_the_same_time():
    pairs = [(numbers(9, 9, seed=s), numbers(9, 9, seed=s + 100)) for s in range(40)]

    def power(pair):
        found = np.empty((9, 9))
        for _ in range(200):
            multiply(*pair, found)
        return found.tobytes()

    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(power, pairs))
    assert found == [product(a, b).tobytes() for a, b in pairs]


def test_functions_of_the_bindings_use_them():
    a, b, v = numbers(5, 7), numbers(7, 6, seed=1), numbers(7, seed=2)
    cases = {
        "mju_mulMatMat": (np.empty((5, 6)), product(a, b), (a, b)),
        "mju_mulMatMatT": (np.empty((5, 6)), product(a, b), (a, np.ascontiguousarray(b.T))),
        "mju_mulMatTMat": (np.empty((5, 6)), product(a, b), (np.ascontiguousarray(a.T), b)),
        "mju_mulMatVec": (np.empty(5), product(a, v[:, None]), (a, v)),
        "mju_mulMatTVec": (np.empty(5), product(a, v[:, None]), (np.ascontiguousarray(a.T), v)),
    }
    for name, (found, expected, given) in cases.items():
        getattr(mujoco, name)(found, *given)
        assert found.tobytes() == expected.tobytes(), name
    mat, vec, found = numbers(3, 3), numbers(3), np.empty(3)
    mujoco.mju_mulMatVec3(found, mat.ravel(), vec)
    assert found.tobytes() == product(mat, vec[:, None]).tobytes()
    mujoco.mju_mulMatTVec3(found, mat.ravel(), vec)
    assert found.tobytes() == product(mat.T, vec[:, None]).tobytes()
