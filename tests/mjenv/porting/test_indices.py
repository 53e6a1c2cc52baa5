"""Indices that are values of no known range: of lists of arrays, of tables, and out of bounds."""

from collections import deque

import numpy as np
import pytest

from mjenv.porting.checking import check
from mjenv.porting.refusals import NotTraced
from mjenv.porting.vector import PortedVectorEnv
from tests.mjenv.porting.environments import environment, plain

POINTS = [np.array([0.01, 0.0]), np.array([0.05, 0.1]), np.array([-0.1, 0.2])]
TABLE = np.linspace(-1.0, 1.0, 24).reshape(12, 2)


def begins(self):
    self.place = 0
    self.delay = int(self.np_random.integers(3))
    self.queue = deque([np.zeros(1)] * 3, maxlen=3)


def moved(self, action):
    self.data.ctrl[:] = action
    self.physics()


def goes_from_point_to_point(self, action):
    moved(self, action)
    point = POINTS[self.place]
    gap = np.linalg.norm(point - self.data.qpos)
    ended = False
    if gap < 0.15:
        if self.place < len(POINTS) - 1:
            self.place += 1
        else:
            ended = True
    return plain(self, action, -gap + POINTS[-self.place][0], ended, {"place": self.place})


def follows_a_table(self, action):
    moved(self, action)
    self.place += 1
    wanted = TABLE[self.place % 12, 1] + TABLE[self.place // 4][0]
    return plain(self, action, wanted - self.data.qpos[0])


def of_its_own(self, place):
    return POINTS[place][1]


def in_a_comprehension(self, action):
    moved(self, action)
    self.place = int(self.data.qpos[0] > 0)
    return plain(self, action, sum([POINTS[self.place][k] for k in range(2)]))


def in_another_function(self, action):
    moved(self, action)
    if self.data.qvel[0] > 0:
        self.place = min(self.place + 1, 2)
    return plain(self, action, of_its_own(self, self.place))


def delays_its_actions(self, action):
    self.queue.append(action)
    moved(self, self.queue[-1 - self.delay])
    return plain(self, action, self.data.qpos[0])


@pytest.mark.parametrize(
    "step",
    [
        delays_its_actions,
        goes_from_point_to_point,
        follows_a_table,
        in_a_comprehension,
        in_another_function,
    ],
)
def test_elements_are_those_of_python(step):
    found = check(environment(step, begins), nseed=4, nstep=25, way="traced")
    assert not found.first
    assert found.largest < 1e-13


def runs_out(self, action):
    moved(self, action)
    self.place += int(action[0] == 0.75)
    return plain(self, action, POINTS[self.place][0])


def test_an_index_out_of_bounds_is_an_error_of_its_world():
    ported = PortedVectorEnv(environment(runs_out, begins), 3, way="traced")
    ported.reset(seed=0)
    actions = np.array([[-1.0], [0.75], [-1.0]], np.float32)
    for expected in (0.05, -0.1):
        assert ported.step(actions)[1].tolist() == [0.01, expected, 0.01]
    with pytest.raises(IndexError, match=r"environment 1: .*out of bounds for 3 elements"):
        ported.step(actions)


def fewer_at_times(self, action):
    moved(self, action)
    self.count += 1
    if self.count >= 4:
        self.ends.append(self.data.qpos[0])
    return plain(self, action, self.data.qvel[0] + len(self.ends), self.count >= 4)


def clears_its_queue(self):
    self.ends = getattr(self, "ends", deque(maxlen=3))
    if len(self.ends) == 2:
        self.ends.clear()


def test_queues_that_become_shorter_run_in_python():
    target = environment(fewer_at_times, clears_its_queue)
    with pytest.raises(NotTraced, match=r"self\.ends, which has fewer elements at times"):
        PortedVectorEnv(target, 2, way="traced")
    assert not check(target, nseed=2, nstep=20).first


def of_many(self, action):
    moved(self, action)
    self.place += 1
    return plain(self, action, np.arange(2000.0)[self.place])


def test_too_many_elements_are_refused():
    with pytest.raises((NotTraced, ValueError), match="values that are known only when it runs"):
        PortedVectorEnv(environment(of_many, begins), 2, way="traced")
