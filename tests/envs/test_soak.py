"""The soak of `tests/soak.py`, shortened: it passes, and it notices what it is there for."""

import numpy as np
import pytest

from mjenv.gym.vector import VectorEnv
from tests.soak import soak


@pytest.mark.sweep(1)
@pytest.mark.parametrize("env_id", ["mjenv/Hopper-v5", "mjenv/InvertedPendulum-v5"])
def test_divergence_stays_where_it_is(env_id):
    line = soak(env_id, steps=6000, num_envs=20, seed=0)
    assert line.startswith("6,000 steps")
    assert "6 divergences reported" in line


def test_bad_values_in_other_lanes_are_noticed(monkeypatch):
    step = VectorEnv.step

    def spoiled(envs, actions):
        found = step(envs, actions)
        found[0][3] = np.nan
        return found

    monkeypatch.setattr(VectorEnv, "step", spoiled)
    with pytest.raises(AssertionError, match=r"step 0: observation of lanes \[3\] is not finite"):
        soak("mjenv/Hopper-v5", steps=200, num_envs=20, seed=0)
