"""Modules of other packages that an environment gives values to: followed as soon as they are."""

import importlib
import sys

import pytest

from mjenv.porting.checking import check
from mjenv.porting.following import following
from mjenv.porting.porting import report
from tests.mjenv.porting.environments import environment, plain

WEIGHTS = """
import math
import numpy as np


class Weights:
    def __init__(self, near):
        self.near, self.seen = near, 0

    def reward(self, x, fast):
        self.seen += 1
        found = np.zeros(3)
        found[0], found[1] = math.exp(-float(x) ** 2), self.near * float(fast)
        found[2] = 0.01 * self.seen
        return float(found.sum())

    def start(self, x):
        self.seen = int(x > 0)
"""


@pytest.fixture
def weights(tmp_path, monkeypatch):
    """A module that imports no `mujoco`, as packages for several simulators have them."""
    (tmp_path / "weights_of_rewards.py").write_text(WEIGHTS)
    monkeypatch.syspath_prepend(tmp_path)
    yield importlib.import_module("weights_of_rewards")
    del sys.modules["weights_of_rewards"]


def weighted(module):
    def step(self, action):
        self.data.ctrl[:] = action
        self.physics()
        reward = self.goal_of.reward(self.data.qpos[0], abs(self.data.qvel[0]) > 0.1)
        return plain(self, action, reward, info={"seen": self.goal_of.seen})

    def reset(self):
        self.goal_of.start(self.data.qpos[0])

    def make():
        made = environment(step, reset)()
        made.goal_of = module.Weights(2.0)
        return made

    return make


def test_helpers_are_followed_with_their_state(weights):
    make = weighted(weights)
    found = report(make)
    assert found.way == "traced", found
    assert "self.goal_of.seen" in str(found)
    compared = check(make, nseed=3, nstep=20)
    assert not compared.first, compared
    assert compared.largest < 1e-12


def test_what_a_helper_cannot_do_is_said(weights):
    def step(self, action):
        self.data.ctrl[:] = action
        self.physics()
        return plain(self, action, weights.Weights(1.0).reward(f"{self.data.qpos[0]}", True))

    found = report(environment(step))
    assert found.way == "world by world"
    assert "found" in found.reason


def test_a_kept_step_knows_its_helpers(weights, tmp_path, monkeypatch):
    monkeypatch.setenv("MJENV_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "weighted_task.py").write_text(
        "from tests.mjenv.porting.test_helpers import weighted\n"
        "import weights_of_rewards\n"
        "make = weighted(weights_of_rewards)\n"
    )
    assert report("weighted_task:make").way == "traced"

    def fail(*_):
        raise AssertionError("followed again")

    monkeypatch.setattr(following, "_follow_anew", fail)
    assert report("weighted_task:make").way == "traced"
