"""Resets to keyframes, and options of the model that worlds have of their own."""

import pytest

from mjenv.porting.checking import check
from mjenv.porting.symbols.refusals import NotTraced
from mjenv.porting.vector import PortedVectorEnv
from tests.mjenv.porting.environments import XML, environment, plain

KEYED = XML.replace(
    "</mujoco>",
    '<keyframe><key name="a" time="1.5" qpos="0.3 -0.2" qvel="1 2" ctrl="0.5"/>'
    '<key qpos="-0.3 0.1"/></keyframe></mujoco>',
)


def to_a_key(self):
    self.lib.mj_resetDataKeyframe(self.model, self.data, 0)
    self.data.qpos[0] += self.np_random.uniform(-0.1, 0.1)


def to_any_key(self):
    self.lib.mj_resetDataKeyframe(self.model, self.data, self.np_random.integers(2))


def to_no_key(self):
    self.lib.mj_resetDataKeyframe(self.model, self.data, 7)


def runs_on(self, action):
    self.physics()
    return plain(self, action, self.data.time + self.data.ctrl[0])


@pytest.mark.parametrize("reset", [to_a_key, to_any_key, to_no_key])
def test_keyframes(reset):
    target = environment(runs_on, reset, KEYED)
    assert "reset not traced" not in str(PortedVectorEnv(target, 2, way="traced").report)
    found = check(target, nseed=4, nstep=5, way="traced")
    assert not found.first


def has_its_gravity(self):
    self.model.opt.gravity[0] = self.np_random.uniform(-3, 3)
    self.model.opt.wind = self.np_random.uniform(-1, 1, 3)
    self.model.opt.viscosity = self.np_random.uniform(0, 0.1)


def feels_it(self, action):
    self.physics()
    gravity, wind = self.model.opt.gravity, self.model.opt.wind
    return plain(self, action, gravity[0] + wind.sum() + self.model.opt.viscosity)


def falls_more_and_more(self, action):
    self.model.opt.gravity[0] += 0.1
    self.physics()
    return plain(self, action, self.data.qvel[0])


@pytest.mark.parametrize("step", [feels_it, falls_more_and_more])
def test_options_of_worlds_are_their_own(step):
    found = check(environment(step, has_its_gravity), nseed=4, nstep=10, way="traced")
    assert not found.first


def other_solver(self):
    self.model.opt.iterations = int(self.np_random.integers(1, 50))


def test_options_that_worlds_share_are_refused():
    with pytest.raises((NotTraced, ValueError), match=r"model\.opt_iterations changed"):
        PortedVectorEnv(environment(runs_on, other_solver), 2, way="traced")
