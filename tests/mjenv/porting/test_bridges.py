"""Environments of Gymnasium that hold one of dm_control, as bridges do: their own, or shimmy's."""

import gymnasium as gym
import numpy as np
import pytest

from mjenv.porting.checking import check
from mjenv.porting.porting import report
from mjenv.porting.vector import PortedVectorEnv

pytest.importorskip("dm_control")


def bridge(domain, task, ends=True, in_place=False):
    """A function that makes a bridge as people write them.

    Args:
        domain, task: of the suite; its episodes have 12 steps.
        ends: whether it says that an episode is over.
        in_place: whether its resets seed the task's generator, rather than make another one.
    """

    def make():
        from dm_control import suite

        class Bridge(gym.Env):
            def __init__(self):
                self.env = suite.load(domain, task, task_kwargs={"random": 0})
                self.env._step_limit = 12
                spec = self.env.action_spec()
                low, high = (one.astype(np.float32) for one in (spec.minimum, spec.maximum))
                self.action_space = gym.spaces.Box(low, high)
                size = sum(int(np.prod(s.shape)) for s in self.env.observation_spec().values())
                self.observation_space = gym.spaces.Box(-np.inf, np.inf, (size,), np.float64)

            def reset(self, *, seed=None, options=None):
                super().reset(seed=seed)
                if seed is not None and in_place:
                    self.env.task._random.seed(seed)
                elif seed is not None:
                    self.env.task._random = np.random.RandomState(seed)
                return self.flat(self.env.reset()), {}

            def step(self, action):
                found = self.env.step(action)
                over = ends and found.last()
                return self.flat(found), float(found.reward), False, over, {}

            def flat(self, found):
                return np.concatenate([np.ravel(one) for one in found.observation.values()])

        return Bridge()

    return make


@pytest.mark.parametrize(
    ("domain", "task", "in_place"),
    [("walker", "walk", False), ("walker", "walk", True), ("reacher", "easy", True)],
)
def test_bridges_are_followed(domain, task, in_place):
    make = bridge(domain, task, in_place=in_place)
    said = str(report(make))
    assert "traced" in said
    assert "reset: Python" not in said
    found = check(make, nseed=2, nstep=30, way="traced")
    assert not found.first, found
    assert found.largest < 1e-12


def test_loops_of_a_reset_within_the_step_are_no_hindrance():
    """Behind the last step dm_control's own `step` resets, which no world gets to."""
    found = check(bridge("ball_in_cup", "catch"), nseed=2, nstep=30, way="traced")
    assert not found.first, found


def test_a_bridge_that_hides_ends_is_an_error_where_one_is():
    envs = PortedVectorEnv(bridge("reacher", "easy", ends=False), 3, way="traced")
    envs.reset(seed=0)
    actions = np.zeros(envs.action_space.shape, np.float32)
    for _ in range(11):
        envs.step(actions)
    with pytest.raises(RuntimeError, match="an episode of dm_control that is over"):
        envs.step(actions)


def test_shimmy():
    pytest.importorskip("shimmy")
    found = check("dm_control/walker-walk-v0", nseed=2, nstep=20, way="traced")
    assert not found.first, found
    # without shimmy's version it is mjenv's own bridge
    assert report("dm_control/walker-walk").way == "traced"
