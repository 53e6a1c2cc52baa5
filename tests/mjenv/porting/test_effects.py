"""Functions that change attributes and data on some of their ways, which are joined."""

import numpy as np
import pytest

from mjenv.porting.checking import check
from tests.mjenv.porting.environments import environment, plain


def counted(self, limit):
    """Nine ways, on most of which something changes."""
    for place in range(2):
        if self.data.qpos[place] > limit:
            self.count += 1
        elif self.data.qvel[place] < -limit:
            self.goal[place] *= 0.9


def many_changes(self, action):
    # 729 ways to go, if they went on to the end
    self.data.ctrl[:] = action
    self.physics()
    goal = self.goal
    for limit in (0.0, 0.01, 0.02):
        counted(self, limit)
    return plain(self, action, self.count + goal[0] + self.goal[1])


def pushed(self, action):
    if action[0] > 0.3:
        self.data.ctrl[0] = 0.5
        self.count = 3
        return 1.0
    self.data.ctrl[:] = action
    if action[0] < -0.3:
        self.data.qvel[1] *= 0.5
    return 2.0


def changes_the_data(self, action):
    reward = pushed(self, action) * pushed(self, -action)
    self.physics()
    return plain(self, action, reward + self.count)


def first_distance(self):
    if self.start is None:
        self.start = np.abs(self.data.qpos[0])
    return self.start if self.data.qpos[1] > 0 else 2.0 * self.start


def remembers_the_first(self, action):
    self.data.ctrl[:] = action
    self.physics()
    return plain(self, action, first_distance(self) + self.start)


def forgets(self):
    self.start = None


def replaced(self):
    if self.data.qpos[0] > 0.02:
        self.goal = self.data.qpos * 1.0
    elif self.data.qpos[1] > 0:
        self.goal = self.data.qvel


def replaces(self, action):
    # on one way a part of the data, which is live: ways go on to the end
    self.data.ctrl[:] = action
    self.physics()
    replaced(self)
    self.goal = self.goal.copy()
    return plain(self, action, self.goal[0])


def fails_after_a_change(self):
    if self.data.qpos[0] > 1e9:
        self.count += 100
        raise ValueError("too far")
    if self.data.qpos[0] > 0:
        self.count += 1


def may_fail(self, action):
    self.data.ctrl[:] = action
    self.physics()
    fails_after_a_change(self)
    return plain(self, action, float(self.count))


@pytest.mark.parametrize(
    ("step", "reset"),
    [(many_changes, None), (changes_the_data, None), (remembers_the_first, forgets),
     (replaces, None), (may_fail, None)],
)  # fmt: skip
def test_changes_are_those_of_the_environment(step, reset):
    found = check(environment(step, reset), nseed=3, nstep=20, way="traced")
    assert not found.first
    assert found.largest < 1e-13
