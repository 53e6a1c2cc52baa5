"""Attributes that lead to one object or another are found out; copies and swaps are traced."""

import copy

import numpy as np
import pytest

from mjenv.porting.checking import check
from mjenv.porting.porting import report
from tests.mjenv.porting.environments import environment, plain


class Leg:
    def __init__(self, weight=1.0):
        self.total, self.weight, self.next = 0.0, weight, None


class Idle:
    def then(self, x):
        return Moving() if x > 0.01 else self

    def reward(self):
        return 0.0


class Moving(Idle):
    def then(self, x):
        return Idle() if x < -0.01 else self

    def reward(self):
        return 1.0


def begins(self):
    self.legs = [Leg(1.0), Leg(2.0), Leg(3.0)]
    self.left, self.right = Leg(4.0), Leg(5.0)
    self.state = {"sum": [0.0, Leg(6.0)], "last": np.zeros(2)}
    self.before = copy.deepcopy(self.state)


def goes_around(self, action):
    self.data.ctrl[:] = action
    self.physics()
    self.legs[0].total += self.data.qpos[0]
    self.legs = self.legs[1:] + self.legs[:1]
    self.left.total += 1.0
    self.left, self.right = self.right, self.left
    self.before = copy.deepcopy(self.state)
    self.state["sum"][0] += 1.0
    self.state["sum"][1].total += self.data.qvel[0]
    self.state["last"] = self.data.qpos.copy()
    reward = sum(one.total * one.weight for one in self.legs) + self.legs[0].weight
    reward += self.left.total + 10.0 * self.right.total + self.left.weight
    reward += self.state["sum"][1].total - 2.0 * self.before["sum"][1].total
    return plain(self, action, reward + self.before["last"].sum() + self.before["sum"][0])


def test_objects_that_change_places():
    found = check(environment(goes_around, begins), nseed=3, nstep=12, way="traced")
    assert not found.first
    assert found.largest < 1e-14


def begins_with_one(self):
    self.legs = [Leg(1.0), Leg(2.0)]
    self.legs[0].next, self.legs[1].next = self.legs[1], self.legs[0]
    self.leg, self.mode, self.found = self.legs[0], Idle(), None
    self.tasks = [{"weight": 1.0}, {"weight": 2.0}]
    self.task = self.tasks[self.np_random.integers(2)]


def chooses(self, action):
    self.data.ctrl[:] = action
    self.physics()
    self.leg.total += self.leg.weight
    self.leg = self.legs[0] if self.data.qpos[0] > 0 else self.legs[1]
    return plain(self, action, self.legs[0].total + 10 * self.legs[1].total)


def goes_on_to_the_next(self, action):
    self.leg = self.leg.next
    return plain(self, action, self.leg.weight)


def changes_its_mode(self, action):
    self.data.ctrl[:] = action
    self.physics()
    self.mode = self.mode.then(self.data.qpos[0])
    return plain(self, action, self.mode.reward())


def finds_an_object(self, action):
    if self.found is None and self.data.qpos[0] > 0.01:
        self.found = Leg(2.0)
    return plain(self, action, 0.0 if self.found is None else self.found.weight)


def reads_its_task(self, action):
    self.physics()
    return plain(self, action, self.task["weight"] * self.data.qpos[0])


def turns_lists(self, action):
    self.task["weight"] += 1.0
    self.task = self.tasks[0] if self.task is self.tasks[1] else self.tasks[1]
    return plain(self, action, self.tasks[0]["weight"])


def keeps_a_pair(self, action):
    reward = 0.0 if self.found is None else self.found[0]
    self.found = (float(self.data.qpos[0]), 1.0)
    return plain(self, action, reward)


@pytest.mark.parametrize(
    ("step", "name"),
    [
        (chooses, "self.leg"),
        (goes_on_to_the_next, "self.leg"),
        (changes_its_mode, "self.mode"),
        (finds_an_object, "self.found"),
        (keeps_a_pair, "self.found"),
        (reads_its_task, "self.task"),
        (turns_lists, "self.task"),
    ],
)
def test_what_leads_to_another_object_runs_in_python(step, name):
    made = environment(step, begins_with_one)
    assert f"found {name}, which leads to another object at times" in report(made).reason
    assert not check(made, nseed=2, nstep=10).first


def comes_later(self, action):
    if not hasattr(self.left, "start"):
        self.left.start = float(self.data.qpos[0])
    return plain(self, action, self.left.start)


def test_attributes_that_come_later_run_in_python():
    made = environment(comes_later, begins)
    assert "found self.left.start, which is not there at times" in report(made).reason
    assert not check(made, nseed=2, nstep=10).first
