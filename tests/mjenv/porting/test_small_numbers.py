"""Whole numbers of few bits, as maps, touches and pictures have them: numpy's, with their types."""

import gymnasium as gym
import numpy as np
import pytest

from mjenv.porting.checking import check
from mjenv.porting.porting import report
from mjenv.tracing.arrays import TraceError
from tests.mjenv.porting.environments import environment
from tests.mjenv.porting.evaluated import evaluated

TYPES = (np.uint8, np.int8, np.uint16, np.int16, np.uint32)
FUNCTIONS = {
    "with numbers": lambda x, y: [x + 3, x - 3, 7 - x, x * 5, x // 3, x % 4, -x, +x, abs(x), x / 2],
    "with each other": lambda x, y: [x + y, x - y],
    "products": lambda x, y: [x // y, x % y, x * y, x**2, np.prod(x[:2])],
    "reals": lambda x, y: [x * 0.5, x + 0.25, np.float32(2.0) * x, x / y, np.sqrt(x * 1.0)],
    "wider": lambda x, y: [x + np.int64(300), x * np.arange(4), x - np.int32(2), x + np.ones(4)],
    "narrower": lambda x, y: [(x * 100).astype(np.uint8), (x * 1000.0).astype(np.int16)],
    "bool": lambda x, y: [x.astype(bool), (x > 2).astype(x.dtype), x + (x > 2), np.logical_not(x)],
    "compared": lambda x, y: [x > y, x == y, np.maximum(x, y), np.minimum(x, 3), np.clip(x, 1, 5)],
    "sums": lambda x, y: [x.sum(), x.mean(), x.max(), x.min(), np.std(x), x.any(), x.all()],
    "sums in a type": lambda x, y: [np.sum(x, dtype=x.dtype), np.cumsum(x, dtype=np.int64)],
    "counts": lambda x, y: [np.count_nonzero(x), np.argmax(x), np.mean(x == 0), x.sum() / x.size],
    "joined": lambda x, y: [np.concatenate([x, y]), np.stack([x, y]).ravel(), np.append(x, 1.5)],
    "chosen": lambda x, y: [np.where(x > 2, x, y), np.where(x > 2, x, 0), np.where(x > 2, 1.0, x)],
    "alike": lambda x, y: [np.zeros_like(x), np.ones_like(x) + x, np.full_like(x, 7) - x],
}


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("function", FUNCTIONS.values(), ids=FUNCTIONS.keys())
def test_results_are_those_of_numpy(function, dtype):
    x, y = np.array([0, 1, 100, 3], dtype), np.array([2, 120, 7, 3], dtype)
    if dtype == np.uint32 and function is FUNCTIONS["products"]:
        # they may be larger than what doubles hold
        with pytest.raises(TraceError, match="integers that may be large"):
            evaluated(function, x, y)
        return
    with np.errstate(all="ignore"):
        expected = [np.asarray(one) for one in function(x, y)]
    for one, other in zip(evaluated(function, x, y), expected, strict=True):
        assert (one.dtype, one.shape) == (other.dtype, other.shape)
        np.testing.assert_array_equal(one, other)


def test_what_begins_anew():
    x = np.array([250, 5, 0, 255], np.uint8)
    steps = (lambda x: x + 10, lambda x: x - 10, lambda x: x * 3, lambda x: (x - 1) // 2)
    for function in steps:
        (found,) = evaluated(lambda x, function=function: [function(x)], x)
        np.testing.assert_array_equal(found, function(x))
    x = np.array([120, -120, -128, 127], np.int8)
    for function in (*steps, np.negative, np.abs):
        (found,) = evaluated(lambda x, function=function: [function(x)], x)
        np.testing.assert_array_equal(found, function(x))


def test_what_is_refused():
    x = np.array([3, 4], np.uint8)
    for function in (np.sin, np.sqrt, lambda x: x.sum() - x.sum(), lambda x: x / np.float16(2)):
        with pytest.raises(TraceError, match=r"float16|expected int64|float64"):
            evaluated(lambda x, function=function: [function(x)], x)


# ---------------------------------------------------------------- environments


# a map of cells that are visited, as pictures are
SPACE = gym.spaces.Dict(
    {
        "map": gym.spaces.Box(0, 255, (4, 4, 1), np.uint8),
        "touching": gym.spaces.MultiBinary(2),
        "state": gym.spaces.Box(-np.inf, np.inf, (2,), np.float32),
    }
)


def cell(self):
    place = np.clip(((self.data.qpos + 0.3) * 7).astype(int), 0, 3)
    return tuple(place)


def seen(self):
    cells = self.cells.copy()
    cells[cell(self)] = 255
    touching = np.zeros(2, dtype=np.int8)
    for k in range(self.data.ncon):
        contact = self.data.contact[k]
        touching[0] = 1
        if contact.dist < -0.001:
            touching[1] = 1
    state = self.data.qpos.astype(np.float32)
    return {"map": cells[..., None], "touching": touching, "state": state}


def begins(self):
    self.cells = np.zeros((4, 4), dtype=np.uint8)
    self.visits = np.full(1, 250, np.uint8)


def walks(self, action):
    self.data.ctrl[:] = action
    self.physics()
    place, reward = cell(self), 0.0
    self.visits += 1
    if self.cells[place] == 0:
        reward += 1.0
        self.cells[place] = 128
    else:
        self.cells[place] = min(int(self.cells[place]) + 16, 240)
    covered = np.count_nonzero(self.cells) / self.cells.size
    info = {"covered": covered, "visits": self.visits, "most": self.cells.max()}
    return seen(self), reward + float(self.visits[0]), bool(covered > 0.5), False, info


def test_maps_and_touches():
    def make():
        env = environment(walks, begins, observe=seen)()
        env.observation_space = SPACE
        return env

    found = report(make)
    assert found.way == "traced", str(found)
    assert check(make, 3, 40).largest == 0.0


def becomes_wider(self, action):
    self.data.ctrl[:] = action
    self.physics()
    if self.data.qpos[0] > 0.1:
        self.visits = self.visits + np.int64(1)
    return self.data.qpos.copy(), float(self.visits[0] + np.int8(100)), False, False, {}


def test_attributes_of_one_type_and_another():
    make = environment(becomes_wider, begins)
    found = report(make)
    assert found.way == "world by world"
    assert "self.visits, of type int64 or uint8" in str(found)
    assert check(make, 2, 10).largest == 0.0
