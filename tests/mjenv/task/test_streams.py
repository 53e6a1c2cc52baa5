"""Random numbers of many worlds have the bits of each world's own generator."""

import numpy as np
import pytest

from mjenv.task.random_streams import Streams

DRAWS = {
    "uniform": lambda rng: rng.uniform(-0.1, 0.3, 5),
    "uniform by keyword": lambda rng: rng.uniform(size=5, low=-0.1, high=0.3),
    "uniform, one": lambda rng: rng.uniform(-1.0, 1.0),
    "uniform, limits of its own": lambda rng: rng.uniform([0.0, 1.0], [1.0, 3.0]),
    "uniform, table": lambda rng: rng.uniform(0.0, 2.0, (2, 3)),
    "normal": lambda rng: rng.standard_normal(4),
    "normal, one": lambda rng: rng.standard_normal(),
    "another distribution": lambda rng: rng.integers(0, 10, size=3),
}


@pytest.mark.parametrize("draw", DRAWS.values(), ids=DRAWS)
def test_rows_are_each_generators(draw):
    many = draw(Streams([np.random.default_rng(i) for i in range(3)]))
    for i in range(3):
        expected = draw(np.random.default_rng(i))
        np.testing.assert_array_equal(many[i], expected)
        alone = draw(Streams([np.random.default_rng(i)], single=True))
        np.testing.assert_array_equal(alone, expected)
        assert np.shape(alone) == np.shape(expected)


def test_each():
    def until_positive(generator):
        while (x := generator.standard_normal()) <= 0.0:
            pass
        return x

    found = Streams([np.random.default_rng(i) for i in range(8)]).each(until_positive)
    assert found.shape == (8,)
    assert found[3] == until_positive(np.random.default_rng(3))
    assert found.min() > 0.0


@pytest.mark.parametrize("single", [True, False])
@pytest.mark.parametrize("limits", [(1.0, -1.0), ([-1.0, 2.0], [1.0, 1.0])])
def test_limits_that_are_swapped(single, limits):
    """In one world as in many."""
    streams = Streams([np.random.default_rng(0)], single)
    with pytest.raises(ValueError, match=r"uniform: found low=.*, expected none above its high"):
        streams.uniform(*limits)
