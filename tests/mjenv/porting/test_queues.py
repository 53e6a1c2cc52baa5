"""Lists and queues that are longer in some worlds than in others."""

from collections import deque

import numpy as np
import pytest

from mjenv.porting.checking import check
from mjenv.porting.porting import report
from mjenv.porting.vector import PortedVectorEnv
from tests.mjenv.porting.environments import environment, lengths_where_some_begin_anew, plain


def begins(self):
    self.delayed = deque([np.zeros(1)] * 2, maxlen=3)
    self.window = deque(maxlen=4)
    self.latest, self.todo = [], [-0.01, 0.005, 0.02]


def delays(self, action):
    """An action takes effect two steps later."""
    self.delayed.append(np.asarray(action, np.float64))
    self.data.ctrl[:] = self.delayed[0]
    self.physics()
    return plain(self, action, -0.1 * np.sum(np.square(self.delayed[-1] - self.delayed[0])))


def windows(self, action):
    """A mean of what there is, of pairs; a question that a full queue alone answers."""
    self.data.ctrl[:] = action
    self.physics()
    self.window.append((self.data.qpos[0], self.data.time))
    full = len(self.window) == self.window.maxlen
    stuck = full and np.abs(self.window[-1][0] - self.window[0][0]) < 0.005
    mean = sum(place for place, _ in self.window) / len(self.window)
    return plain(self, action, mean + self.window[0][1], bool(stuck))


def keeps_a_few(self, action):
    """A list that an `if` keeps short."""
    self.data.ctrl[:] = action
    self.physics()
    self.latest.append(self.data.qvel[0])
    if len(self.latest) > 5:
        self.latest.pop(0)
    return plain(self, action, np.mean(self.latest) + 0.1 * len(self.latest))


def consumes(self, action):
    """A list that becomes shorter where a world gets further."""
    self.data.ctrl[:] = action
    self.physics()
    reward = 0.0
    if self.todo and self.data.qpos[0] > self.todo[0]:
        self.todo.pop(0)
        reward = 1.0
    return plain(self, action, reward + len(self.todo), not self.todo)


def begins_with_points(self):
    number = self.np_random.integers(1, 4)
    self.points = [self.np_random.uniform(-0.05, 0.05) for _ in range(number)]
    self.reached = 0


def follows_points(self, action):
    """As many points as a reset says."""
    self.data.ctrl[:] = action
    self.physics()
    if self.reached < len(self.points) and self.data.qpos[0] > self.points[self.reached]:
        self.reached += 1
    return plain(self, action, self.reached / len(self.points))


@pytest.mark.sweep(3)
@pytest.mark.parametrize("step", [delays, windows, keeps_a_few, consumes, follows_points])
def test_queues(step):
    reset = begins_with_points if step is follows_points else begins
    found = check(environment(step, reset), nseed=3, nstep=40, way="traced")
    assert not found.first
    assert found.largest < 1e-14


def test_worlds_have_queues_of_their_own():
    """Worlds that begin anew at other times than others have shorter ones."""
    lengths = lengths_where_some_begin_anew(environment(windows, begins), "self.window")
    assert any(len({*one}) > 1 for one in lengths)


def begins_harder(self):
    """What resets alone read may have many lengths: as many ways through a step would be slow."""
    if not hasattr(self, "successes"):
        self.successes, self.level, self.success = deque(maxlen=20), 0, False
    self.successes.append(float(self.success))
    if len(self.successes) >= 4 and np.mean(self.successes) > 0.3:
        self.level += 1
        self.successes.clear()
    self.data.qpos[0] = 0.01 * self.level + self.np_random.uniform(-0.05, 0.05)


def succeeds(self, action):
    self.data.ctrl[:] = action
    self.physics()
    self.success = bool(self.data.qpos[0] > 0)
    return plain(self, action, self.data.qpos[0], self.data.time > 0.05, {"level": self.level})


def test_queues_that_resets_alone_use():
    make = environment(succeeds, begins_harder)
    found = check(make, nseed=2, nstep=60, way="traced")
    assert not found.first
    # a step is followed once
    envs = PortedVectorEnv(make, 2, way="traced")
    assert not any(len(section) > 30 for section in envs._worlds.program.sections)


def grows(self, action):
    self.physics()
    self.latest.append(self.data.qpos[0])
    return plain(self, action, self.latest[-1] - self.latest[0])


def test_lists_that_grow_have_more_lengths_than_there_are_ways():
    make = environment(grows, begins)
    assert report(make).way == "traced"
    assert check(make, 2, 30).largest < 1e-14


def remembers_returns(self):
    self.returns = [*getattr(self, "returns", []), self.count]
    self.count = int(str(self.np_random.integers(5)))


def compares_returns(self, action):
    self.physics()
    return plain(self, action, self.data.qpos[0] - self.returns[-1])


def test_lists_that_resets_in_python_make_longer_are_refused():
    """They would be too long some time in a training."""
    why = report(environment(compares_returns, remembers_returns)).reason
    assert "found self.returns, a list " in why


def begins_with_latency(self):
    self.latency = 1 + int(self.np_random.uniform() < 0.5)
    self.delayed = deque([np.zeros(1)] * self.latency, maxlen=self.latency)


def begins_with_some_latency(self):
    self.latency = int(self.np_random.integers(1, 4))
    self.delayed = deque(maxlen=self.latency)
    self.delayed.extend([np.zeros(1)] * (self.latency - 1))


def changes_its_bound(self, action):
    self.delayed.append(action.copy())
    self.data.ctrl[:] = self.delayed[0]
    self.physics()
    if self.data.time > 0.1:
        self.delayed = deque(self.delayed, maxlen=2)
    return plain(self, action, self.data.qpos[0] + len(self.delayed) + self.delayed.maxlen)


@pytest.mark.parametrize("reset", [begins_with_latency, begins_with_some_latency])
@pytest.mark.parametrize("step", [delays, changes_its_bound])
def test_bounds_that_differ(step, reset):
    """A full queue drops what is first, which is another element where its bound is another."""
    make = environment(step, reset)
    assert report(make).way == "traced"
    found = check(make, nseed=4, nstep=10)
    assert not found.first
    assert found.largest < 1e-14
