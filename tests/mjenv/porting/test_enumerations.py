"""Attributes that are members of enumerations, such as the phase of a task: each world's own."""

from enum import Enum, IntEnum, auto

import numpy as np
import pytest

from mjenv.porting.checking import check
from mjenv.porting.vector import PortedVectorEnv
from tests.mjenv.porting.environments import environment, plain


class Phase(IntEnum):
    WAIT = 0
    PUSH = 1
    PULL = 2


class Mode(Enum):
    SLOW = auto()
    FAST = auto()


def begins(self):
    self.phase, self.since = Phase.WAIT, 0
    self.mode = Mode.FAST if self.np_random.uniform() < 0.5 else Mode.SLOW


def moved(self, action):
    self.data.ctrl[:] = action
    self.physics()


def goes_through_phases(self, action):
    moved(self, action)
    self.since += 1
    speed, reward = self.data.qvel[0], 0.0
    if self.phase == Phase.WAIT:
        if self.data.qpos[0] > 0.02:
            self.phase, self.since = Phase.PUSH, 0
            reward += 5.0
    elif self.phase == Phase.PUSH:
        reward += speed
        if self.since > 2:
            self.phase = Phase.PULL
    else:
        reward -= speed
        if self.since > 5:
            self.phase = Phase(0)
    one = np.zeros(3)
    one[self.phase] = 1.0
    reward += one @ [0.1, 0.2, 0.3] + int(self.phase) + (self.phase >= Phase.PUSH)
    return plain(self, action, reward, info={"phase": self.phase.name, "number": self.phase.value})


def asks_by_is(self, action):
    moved(self, action)
    reward = 2.0 if self.mode is Mode.FAST else -1.0
    if self.mode is not Mode.SLOW and self.data.qpos[0] > 0.05:
        self.mode = Mode.SLOW
    return plain(self, action, reward * self.data.qvel[0], info={"mode": self.mode})


def matches(self, action):
    moved(self, action)
    match self.mode:
        case Mode.FAST:
            reward = 1.0
        case _:
            reward = {Mode.SLOW: 0.5, Mode.FAST: 7.0}[self.mode]
    return plain(self, action, reward * self.data.qvel[0])


def changes_in_a_loop(self, action):
    moved(self, action)
    mode = Mode.FAST
    for contact in self.data.contact[: self.data.ncon]:
        if contact.dist < -1e-4:
            mode = Mode.SLOW
    return plain(self, action, 1.0 if mode is Mode.FAST else 0.0)


class Stage(IntEnum):
    FAR, NEAR, THERE = 0, 1, 2


def begins_far(self):
    self.stage = Stage.FAR


def counts_stages(self, action):
    """Numbers that a loop chooses: compared, keys of a dict, and one of some; then draws."""
    moved(self, action)
    for value in (*self.data.qpos, *self.data.qvel):
        if value > 0.06:
            self.stage = Stage.NEAR
        elif value < -0.06:
            self.stage = Stage.THERE
    reward = {Stage.FAR: 1.0, Stage.NEAR: 2.0, Stage.THERE: 4.0}[self.stage] + 0.1 * self.stage
    if self.stage > Stage.FAR:
        reward += 0.5
    if self.stage in (Stage.NEAR, Stage.THERE) and self.np_random.random() < 0.3:
        self.stage = Stage.FAR
    return plain(self, action, reward + float(self.stage))


def test_members_are_numbers_where_a_loop_chooses_them():
    found = check(environment(counts_stages, begins_far), nseed=4, nstep=30, way="traced")
    assert not found.first, found


@pytest.mark.parametrize("step", [goes_through_phases, asks_by_is, matches])
def test_each_world_has_its_own(step):
    found = check(environment(step, begins), nseed=4, nstep=20, way="traced")
    assert not found.first, found.first


def test_infos_have_the_members():
    envs = PortedVectorEnv(environment(asks_by_is, begins), 12, way="traced")
    envs.reset(seed=0)
    infos = envs.step(np.zeros((12, 1), np.float32))[4]
    assert {*infos["mode"]} == {*Mode}


BOX = """
<mujoco><worldbody><geom type="plane" size="5 5 .1"/>
  <body pos="0 0 .1"><joint name="x" type="slide"/><joint type="slide" axis="0 0 1"/>
    <geom type="box" size=".2 .1 .1"/></body></worldbody>
  <actuator><motor joint="x" gear="10"/></actuator></mujoco>
"""


def test_a_loop_over_contacts_that_changes_one():
    target = environment(changes_in_a_loop, begins, xml=BOX)
    assert not check(target, nseed=2, nstep=10, way="traced").first


def serves_again(self, action):
    """A member that an `if` of values changes which draws and calls the physics; `match`."""
    moved(self, action)
    reward = 0.0
    match self.mode:
        case Mode.SLOW | Mode.FAST if self.data.qvel[0] > 0.02:
            self.mode, reward = Mode.FAST, 1.0
        case Mode.FAST if self.data.qvel[0] < 0:
            self.mode = Mode.SLOW
        case _:
            pass
    if np.abs(self.data.qpos[0]) > 0.08:
        self.data.qpos[0] = self.np_random.uniform(-0.05, 0.05)
        self.lib.mj_forward(self.model, self.data)
        self.mode = Mode.SLOW if self.count % 2 else Mode.FAST
        self.count += 1
    name = self.mode.name
    return plain(self, action, reward + (self.mode is Mode.FAST), False, {"name": name})


def test_members_that_an_if_of_values_chooses():
    found = check(environment(serves_again, begins), nseed=3, nstep=40, way="traced")
    assert not found.first, found


def chosen_by(self, speed):
    return Mode.FAST if speed > 0 else Mode.SLOW


def chosen_within_the_step(self, action):
    """Which member it is follows from values of this step."""
    moved(self, action)
    self.mode = chosen_by(self, self.data.qvel[0])
    other = chosen_by(self, self.data.qpos[0])
    reward = 1.0 if self.mode is Mode.FAST else 0.5
    if self.mode is not other:
        reward += 4.0
    reward += 8.0 * (other is Mode.SLOW) + 16.0 * (other is None) + 32.0 * (self.phase is other)
    return plain(self, action, reward)


def test_members_that_values_choose_are_asked_by_is():
    make = environment(chosen_within_the_step, begins)
    found = check(make, nseed=3, nstep=15, way="traced")
    assert not found.first, found
