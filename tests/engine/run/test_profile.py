"""Times of stages."""

import numpy as np
import pytest

import mjenv
from tests.engine.reference import load


@pytest.mark.parametrize("nworld", [1, 9])
def test_times_of_stages(nworld):
    _, model = load("half_cheetah")
    data = mjenv.Data(model, nworld)
    data.ctrl[:] = 0.3
    before = mjenv.get_state(model, data, mjenv.State.INTEGRATION)
    times = mjenv.profile(model, data, 20)
    np.testing.assert_array_equal(mjenv.get_state(model, data, mjenv.State.INTEGRATION), before)
    names = list(times)
    assert names.index("kinematics") < names.index("rne") < names.index("fwd_constraint")
    assert "euler" in times
    assert all(time >= 0 for time in times.values())
    assert sum(times.values()) > 0
    assert sum(times.values()) < 0.01
    with pytest.raises(ValueError, match="profile: nstep=0: expected at least 1"):
        mjenv.profile(model, data, 0)
