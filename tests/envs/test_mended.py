"""What Gymnasium's environments do wrong, and these do not."""

import gymnasium
import numpy as np
import pytest


def test_pusher_leaves_initial_positions_alone():
    env = gymnasium.make("mjenv/Pusher-v5").unwrapped
    before = env.init_qpos.copy()
    env.reset(seed=0)
    np.testing.assert_array_equal(env.init_qpos, before)


def stood_up(**arguments):
    env = gymnasium.make("mjenv/HumanoidStandup-v5", **arguments)
    env.reset(seed=0)
    return env.step(np.zeros(17))


def test_weight_of_height_counts_when_mended():
    plain, ignored = stood_up(), stood_up(uph_cost_weight=5.0)
    assert plain[1] == ignored[1]
    mended = stood_up(uph_cost_weight=5.0, mended=True)
    assert mended[4]["reward_linup"] == 5.0 * plain[4]["reward_linup"]
    terms = [value for name, value in mended[4].items() if name.startswith("reward_")]
    assert sum(terms) == pytest.approx(mended[1])


def test_options_that_mend_are_not_given_by_position():
    from mjenv.envs import HumanoidStandup

    with pytest.raises(TypeError, match="16 values, expected at most 13"):
        HumanoidStandup(*HumanoidStandup.parameters().values())
