"""Indices that are values of no known range: of lists of arrays, of tables, and out of bounds."""

from collections import deque

import numpy as np
import pytest

from mjenv.porting.checking import check
from mjenv.porting.symbols.refusals import NotTraced
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


def test_queues_that_resets_make_shorter_at_times():
    """Resets that ask how long it is, of episodes before."""
    target = environment(fewer_at_times, clears_its_queue)
    assert not check(target, nseed=2, nstep=20, way="traced").first


HEIGHTS = np.sin(np.arange(6000.0)).reshape(100, 60)
KINDS = np.arange(12, dtype=np.int32).reshape(4, 3) % 5


def height(x, y):
    u, v = 400.0 * (x + 0.1), 20.0 * (y + 1.0)
    i, j = int(u), int(v)
    right, up = u - i, v - j
    below = (1 - right) * HEIGHTS[i, j] + right * HEIGHTS[i + 1, j]
    return (1 - up) * below + up * (1 - right) * HEIGHTS[i][j + 1] + up * right * HEIGHTS[i + 1, -1]


def looks_at_a_map(self, action):
    moved(self, action)
    x, y = np.clip(self.data.qpos, -0.09, 0.09)
    around = np.array([[0.0, 0.0], [0.01, 0.5], [-0.005, 0.2]]) + np.array([x, y])
    cells = np.clip((around + 0.1) * [400, 20], 0, 59).astype(int)
    near = HEIGHTS[cells[:, 0], cells[:, 1]]
    self.place += 1
    k, n = self.place % 4 - 4, int(np.abs(y) * 30)
    kind = KINDS[k, n] + self.grid[k, n]
    info = {"row": HEIGHTS[cells[0, 0]]}
    return plain(self, action, height(x, y) + near.sum() + kind, False, info)


def has_a_grid(self):
    self.place, self.grid = 0, self.np_random.uniform(size=(4, 3))


def test_maps_are_looked_up():
    found = check(environment(looks_at_a_map, has_a_grid), nseed=4, nstep=25, way="traced")
    assert not found.first
    assert found.largest < 1e-13


def runs_off_the_map(self, action):
    moved(self, action)
    self.place += int(action[0] == 0.75)
    return plain(self, action, KINDS[self.place, self.place])


def test_a_place_off_the_map_is_an_error_of_its_world():
    ported = PortedVectorEnv(environment(runs_off_the_map, begins), 3, way="traced")
    ported.reset(seed=0)
    actions = np.array([[-1.0], [0.75], [-1.0]], np.float32)
    for expected in (4, 3):
        assert ported.step(actions)[1].tolist() == [0, expected, 0]
    with pytest.raises(IndexError, match=r"environment 1: .*out of bounds of shape \(4, 3\)"):
        ported.step(actions)


def of_many(self, action):
    moved(self, action)
    self.place += 1
    return plain(self, action, (np.arange(2000.0) * action[0])[self.place])


def test_too_many_elements_are_refused():
    with pytest.raises(NotTraced, match="found an index made of values that are known only"):
        PortedVectorEnv(environment(of_many, begins), 2, way="traced")


def starts_rings(self):
    begins(self)
    self.ring, self.grid = np.zeros((5, 2)), np.zeros((3, 2, 4), np.int64)
    self.visits, self.seen = np.zeros(6), np.zeros(4, bool)


def writes_into_a_ring(self, action):
    """A delay of the actions, by a ring buffer."""
    self.ring[self.place % 5] = [action[0], self.place]
    late = self.ring[(self.place - self.delay) % 5]
    self.place += 1
    moved(self, late[:1])
    return plain(self, action, float(late.sum() + self.ring[0, 0]))


def writes_into_grids(self, action):
    moved(self, action)
    k, weights = self.place, np.arange(24).reshape(3, 2, 4)
    self.place += 1
    self.grid[k % 3, :, k % 4] = [k, 2 * k]
    self.grid[:, k % 2, 1] = np.array([1, 2, 3]) * k
    self.grid[-1 - k % 3, 0, 0] -= k
    control = np.zeros(3)
    control[k % 3] = self.data.qpos[0]
    return plain(self, action, float((self.grid * weights).sum() + control @ [1.0, 2.0, 3.0]))


def counts_visits(self, action):
    moved(self, action)
    cell = min(max(int(40 * self.data.qpos[0]) + 3, 0), 5)
    self.visits[cell] += 1
    self.visits[cell - 1] *= 0.5 + float(self.data.qpos[1])
    if self.data.qvel[0] > 0:
        self.seen[cell % 4] = True
    else:
        self.seen[cell % 4] |= self.data.qvel[1] > 0
    return plain(self, action, float(self.visits @ np.arange(6) + self.seen @ [1, 2, 4, 8]))


@pytest.mark.parametrize("step", [writes_into_a_ring, writes_into_grids, counts_visits])
def test_places_that_values_give_are_written(step):
    found = check(environment(step, starts_rings), nseed=4, nstep=25, way="traced")
    assert not found.first, found
    assert found.largest < 1e-12


def test_a_place_out_of_bounds_is_an_error_of_its_world():
    def step(self, action):
        self.visits[self.place] = 1.0
        self.place += 1
        moved(self, action)
        return plain(self, action, float(self.visits.sum()))

    envs = PortedVectorEnv(environment(step, starts_rings), 2, way="traced")
    envs.reset(seed=0)
    for k in range(6):
        assert envs.step(np.zeros((2, 1), np.float32))[1].tolist() == [k + 1, k + 1]
    with pytest.raises(IndexError, match="out of bounds for 6 elements"):
        envs.step(np.zeros((2, 1), np.float32))
