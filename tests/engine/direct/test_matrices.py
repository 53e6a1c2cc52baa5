"""Products of small matrices: the bits of the engine's own, whatever the shapes."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import mjenv.mujoco as mujoco
from mjenv.engine.products import product

SHAPES = [(1, 1, 1), (2, 3, 4), (3, 3, 3), (6, 6, 1), (17, 5, 9), (40, 40, 40)]


def numbers(*shape: int, seed: int = 0) -> np.ndarray:
    """Numbers of very different sizes, so that another order of adding gives other bits."""
    random = np.random.default_rng([seed, *shape])
    return random.normal(size=shape) * 10.0 ** random.integers(-8, 8, shape)


@pytest.mark.parametrize(("n", "k", "m"), SHAPES)
def test_products_have_the_bits_of_those_of_the_engine(n, k, m):
    a, b, v = numbers(n, k), numbers(k, m, seed=1), numbers(k, seed=2)
    across, turned = (np.ascontiguousarray(x.T) for x in (a, b))
    expected, image = product(a, b), product(a, v[:, None])
    cases = {
        "mju_mulMatMat": (np.empty((n, m)), expected, (a, b)),
        "mju_mulMatMatT": (np.empty((n, m)), expected, (a, turned)),
        "mju_mulMatTMat": (np.empty((n, m)), expected, (across, b)),
        "mju_mulMatVec": (np.empty(n), image, (a, v)),
        "mju_mulMatTVec": (np.empty(n), image, (across, v)),
    }
    for name, (found, wanted, given) in cases.items():
        getattr(mujoco, name)(found, *given)
        assert found.tobytes() == wanted.tobytes(), name


def test_products_of_three_dimensions():
    mat, vec, found = numbers(3, 3), numbers(3), np.empty(3)
    mujoco.mju_mulMatVec3(found, mat.ravel(), vec)
    assert found.tobytes() == product(mat, vec[:, None]).tobytes()
    mujoco.mju_mulMatTVec3(found, mat.ravel(), vec)
    assert found.tobytes() == product(mat.T, vec[:, None]).tobytes()


def test_a_factor_may_be_overwritten_and_nothing_is_zero():
    a = numbers(4, 4)
    expected = product(a, a)
    mujoco.mju_mulMatMat(a, a, a)
    assert a.tobytes() == expected.tobytes()
    # a part of a factor
    column = numbers(4, 1)
    image = product(a, column)
    mujoco.mju_mulMatMat(a[:, :1].copy(), a, column)
    mujoco.mju_mulMatVec(column[:, 0], a, column[:, 0])
    assert column.tobytes() == image.tobytes()
    none = np.ones((2, 3))
    mujoco.mju_mulMatMat(none, np.ones((2, 0)), np.ones((0, 3)))
    assert not none.any()


def test_threads_multiply_at_the_same_time():
    pairs = [(numbers(9, 9, seed=s), numbers(9, 9, seed=s + 100)) for s in range(40)]

    def power(pair):
        found = np.empty((9, 9))
        for _ in range(200):
            mujoco.mju_mulMatMat(found, *pair)
        return found.tobytes()

    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(power, pairs))
    assert found == [product(a, b).tobytes() for a, b in pairs]
