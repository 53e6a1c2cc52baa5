"""Branches that values decide about, where there are too many ways to follow each of them."""

import numpy as np
import pytest

from mjenv.porting.checking import check
from mjenv.porting.porting import report
from tests.mjenv.porting.environments import environment, plain


def stops_at_times(self, action):
    """Twelve steps of the physics, each with a question: 4,096 ways."""
    total, stopped = 0.0, False
    for k in range(12):
        self.data.ctrl[:] = np.clip(action + 0.02 * k, -1, 1)
        self.physics(1)
        total += self.data.qvel[0] * 0.1
        if self.data.qpos[0] > 0.05:
            stopped = True
        elif self.data.qvel[0] < 0.0:
            total -= 0.01
    return plain(self, action, total, stopped)


def draws_a_goal_when_reached(self, action):
    self.data.ctrl[:] = action
    self.physics()
    gap = self.goal - self.data.qpos
    reached = bool(np.linalg.norm(gap) < 0.4)
    if reached:
        self.goal = self.np_random.uniform(-0.5, 0.5, 2)
    return plain(self, action, float(reached) - gap[0], False, {"reached": reached})


def counts_by_bool(self, action):
    self.data.ctrl[:] = action
    self.physics()
    self.count += int(bool(self.data.qpos[0] > 0) and not bool(self.data.qvel[1] > 0))
    right = bool(self.data.qpos[0])
    assert isinstance(right, bool)
    return plain(self, action, self.count + right)


def calls_itself(self, k):
    if k == 0:
        return 0.0
    worth = 1.0 if self.data.qpos[0] > 0.01 * k else 0.5
    return worth + calls_itself(self, k - 1)


def draws_and_calls_itself(self, action):
    self.data.ctrl[:] = action
    self.physics()
    if self.data.qpos[0] > 0.02:
        self.goal = self.np_random.uniform(-0.5, 0.5, 2)
    return plain(self, action, calls_itself(self, 4) + self.goal[0])


def looks_around(self, action):
    """Twelve comparisons of three numbers in a loop: 4,096 ways."""
    self.data.ctrl[:] = action
    self.physics()
    seen = np.full(12, 5.0)
    for k, angle in enumerate(np.linspace(0, 2, 12)):
        distance = self.data.qpos[0] * 10 + angle - 1
        if 0 <= distance < 0.5 <= angle != 1.5:
            seen[k] = distance
    inside = -0.01 < self.data.qpos[0] <= 0.02
    return plain(self, action, seen.sum() + inside)


STEPS = [
    stops_at_times, draws_a_goal_when_reached, counts_by_bool, draws_and_calls_itself, looks_around,
]  # fmt: skip


@pytest.mark.parametrize("step", STEPS)
def test_they_are_those_of_each_world(step):
    target = environment(step)
    assert "world by world" not in str(report(target))
    found = check(target, nseed=4, nstep=30, way="traced")
    assert not found.first
    assert found.largest < 1e-13


def steps_at_times(self, action):
    self.data.ctrl[:] = action
    if self.data.qpos[0] > 0:
        self.physics(2)
    self.physics(1)
    return plain(self, action)


def test_the_first_reason_is_said():
    """The branches as calls do not help; what is said is why it is not traced otherwise."""
    found = str(report(environment(steps_at_times)))
    assert "found an `if` of a value that decides about calls of the physics" in found
