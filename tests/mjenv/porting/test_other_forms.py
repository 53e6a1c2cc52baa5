"""Environments that are made in another way than most, and steps in forms that packages have."""

import gymnasium
import numba
import numpy as np
import pytest

from mjenv.porting.checking import check
from mjenv.porting.porting import report
from mjenv.porting.vector import PortedVectorEnv
from tests.mjenv.porting.environments import environment, in_place, plain


def halves_actions(self, action):
    action *= 0.5
    self.data.ctrl[:] = action
    self.physics()
    return plain(self, action, float(action[0]))


@pytest.mark.parametrize("way", ["traced", "world by world"])
def test_actions_stay_as_they_are_given(way):
    envs = PortedVectorEnv(environment(halves_actions), 2, way=way)
    envs.reset(seed=0)
    actions = np.ones((2, 1), np.float32)
    assert envs.step(actions)[1].tolist() == [0.5, 0.5]
    np.testing.assert_array_equal(actions, 1.0)


def test_an_environment_whose_data_are_hidden_runs_world_by_world():
    made = environment(in_place)

    def hiding():
        class Outer(gymnasium.Env):
            observation_space = gymnasium.spaces.Box(-np.inf, np.inf, (2,), np.float64)
            action_space = gymnasium.spaces.Box(-1, 1, (1,), np.float32)

            def __init__(self):
                inside = made()
                self.hidden = lambda: inside

            def reset(self, *, seed=None, options=None):
                super().reset(seed=seed)
                return self.hidden().reset(seed=seed)

            def step(self, action):
                return self.hidden().step(action)

        return Outer()

    found = report(hiding)
    assert found.way == "world by world"
    assert "found 0 objects of class MjData" in found.reason
    assert check(hiding, 2, 10) == ("", 0.0, 10)


def test_what_an_environment_calls_unwrapped_is_its_own_matter():
    """As in robosuite, whose environments are none of Gymnasium's inside."""
    make = environment(in_place)

    def made():
        env = make()
        env.__class__ = type("Odd", (type(env),), {"unwrapped": property(lambda self: self.lib)})
        return gymnasium.wrappers.TimeLimit(env, 10)

    found = report(made)
    assert found.way == "traced"
    assert check(made, 2, 15).first == ""


def test_an_observation_of_another_kind_than_the_space_is_refused():
    make = environment(in_place)

    def made():
        env = make()
        env.observation_space = gymnasium.spaces.Dict({"seen": env.observation_space})
        return env

    envs = PortedVectorEnv(made, 2, way="world by world")
    with pytest.raises(ValueError, match=r"the parts \[\(\)\], expected those of Dict"):
        envs.reset(seed=0)


def lazily(self, action):
    """Attributes that are there from the first step on, all or none."""
    if self.scale is None:
        self.scale = np.array([0.5])
        self.shift = np.array([0.1])
    self.data.ctrl[:] = action * self.scale + self.shift
    self.physics()
    return plain(self, action, float(self.scale[0] + self.count))


def clears(self):
    self.scale = self.shift = None


def test_attributes_that_a_branch_makes_of_none():
    def made():
        env = environment(lazily, clears)()
        env.scale = env.shift = None
        return env

    assert report(made).way == "traced"
    assert check(made, 2, 20).first == ""


def new_array(self, action):
    self.data.ctrl[:] = action
    self.physics()
    made = np.ndarray(shape=(2, 2), dtype=np.float64, order="C")
    made[0] = self.data.qpos
    made[1] = 1.0
    return plain(self, action, float(made.sum()) + isinstance(made, np.ndarray))


def test_new_arrays_of_the_class():
    assert check(environment(new_array), 2, 10, way="traced").first == ""


@numba.njit
def bent(x, limit):
    if x > limit:
        return limit + 0.5 * (x - limit)
    return x


def asks_machine_code(self, action):
    self.data.ctrl[:] = action
    self.physics()
    return plain(self, action, bent(self.data.qpos[0], 0.01) + bent(3.0, 1.0))


def test_functions_that_numba_compiles_are_followed():
    assert check(environment(asks_machine_code), 3, 30, way="traced").first == ""


def controls_between(self, action):
    """Forces that follow from the state of each step, as operational space has them."""
    for _ in range(3):
        self.lib.mj_step1(self.model, self.data)
        place = self.data.site("front").xpos[0]
        self.data.ctrl[:] = action - 2.0 * place - 0.1 * self.data.qvel[:1]
        self.lib.mj_step2(self.model, self.data)
    return plain(self, action, self.data.site("front").xpos[0] + self.data.time)


def test_steps_that_begin_with_their_first_half():
    found = report(environment(controls_between))
    assert found.way == "traced"
    assert "first half 1, 3 times step 1" in found.lines[0]
    assert check(environment(controls_between), 3, 30).first == ""
