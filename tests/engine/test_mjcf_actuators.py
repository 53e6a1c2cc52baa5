"""Actuators: compiled as MuJoCo does, and refused with a message where MuJoCo refuses."""

import pytest

from mjenv.engine.mjcf.actuators import activation

DYNAMICS = ("none", "integrator", "filter", "filterexact", "muscle", "dcmotor", "user")


@pytest.mark.parametrize("dyn", DYNAMICS)
@pytest.mark.parametrize("dim", [-1, 0, 1, 3])
def test_activation(dyn, dim):
    """A given number counts; without one, dynamics have a variable, and a DC motor has none."""
    expected = dim if dim >= 0 else dyn not in ("none", "dcmotor")
    assert activation({"dyntype": dyn, "actdim": dim}) == expected
