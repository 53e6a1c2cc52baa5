"""Infos that are dicts: as Gymnasium's vector environments have them, each beside its mask."""

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from mjenv.porting.environment.in_place import ours_by_name
from mjenv.porting.vector import PortedVectorEnv
from tests.mjenv.porting.environments import environment, plain

NWORLD = 3


def counts(self, action):
    self.data.ctrl[:] = action
    self.physics()
    self.count += 1
    terms = {"speed": self.data.qvel[0], "parts": {"turn": self.data.qpos[1], "two": np.ones(2)}}
    return plain(self, action, terms["speed"], self.count >= 3, {"terms": terms, "flat": 1.0})


def ends_apart(self):
    self.count = int(self.np_random.integers(3))


def tells_at_the_end(self, action):
    self.data.ctrl[:] = action
    self.physics()
    self.count += 1
    info = {"count": self.count} if self.count < 3 else {"terms": {"speed": self.data.qvel[0]}}
    if self.data.qpos[0] > 0.0:
        info["side"] = "right"
    return plain(self, action, 0.0, self.count >= 4, info)


def assert_same(mine, theirs):
    assert mine.keys() == theirs.keys()
    for name, value in theirs.items():
        if isinstance(value, dict):
            assert_same(mine[name], value)
        else:
            np.testing.assert_array_equal(mine[name], value)


@pytest.mark.parametrize("way", ["traced", "world by world"])
def test_they_are_those_of_gymnasium(way):
    target, mode = environment(counts), AutoresetMode.SAME_STEP
    ported = PortedVectorEnv(target, NWORLD, way=way, autoreset_mode=mode)
    theirs = gym.vector.SyncVectorEnv([target] * NWORLD, autoreset_mode=mode)
    ported.reset(seed=0)
    with ours_by_name():
        theirs.reset(seed=0)
        for _ in range(3):
            actions = np.zeros((NWORLD, 1), np.float32)
            mine, other = ported.step(actions)[4], theirs.step(actions)[4]
            mine, other = mine.get("final_info", mine), other.get("final_info", other)
            assert_same(
                {name: mine[name] for name in ("terms", "_terms", "flat", "_flat")},
                {name: other[name] for name in ("terms", "_terms", "flat", "_flat")},
            )


@pytest.mark.parametrize("way", ["traced", "world by world"])
def test_some_worlds_have_them(way):
    target, count = environment(tells_at_the_end, ends_apart), 6
    ported = PortedVectorEnv(target, count, way=way)
    theirs = gym.vector.SyncVectorEnv([target] * count)
    ported.reset(seed=0)
    seen = set()
    with ours_by_name():
        theirs.reset(seed=0)
        for _ in range(6):
            actions = np.zeros((count, 1), np.float32)
            mine, other = ported.step(actions)[4], theirs.step(actions)[4]
            assert mine.keys() == other.keys()
            assert_same(mine, other)
            seen |= mine.keys()
    assert {"_count", "_terms", "_side"} <= seen
