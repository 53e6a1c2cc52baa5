"""Dicts that are filled in any order: counts of events, visits of places, what was seen last."""

from collections import Counter, defaultdict

import numpy as np
import pytest

from mjenv.porting.checking import check
from mjenv.porting.porting import report
from mjenv.porting.vector import PortedVectorEnv
from tests.mjenv.porting.environments import environment, plain

pytest.importorskip("mujoco")


def moved(self, action):
    self.data.ctrl[:] = action
    self.physics()
    return self.data.qpos


def begins(self):
    self.events, self.last, self.visits = Counter(), {}, defaultdict(int)


def begins_filled(self):
    begins(self)
    self.events["begun"] += 1
    if self.np_random.uniform() < 0.5:
        self.last["turn"] = 0.25


def counts(self, action):
    x, turn = moved(self, action)
    if x > 0.05:
        self.events["right"] += 1
    elif x < -0.05:
        self.events["left"] += 1
    if turn > 0.02:
        self.events["turned"] += 2
    if "turned" in self.events and x < 0.0:
        self.events["back"] = self.events["turned"]
    info = {"most": max(self.events.values(), default=0), "kinds": len(self.events)}
    return plain(self, action, sum(self.events.values()) + self.events["left"], False, info)


def remembers(self, action):
    x, turn = moved(self, action)
    if x > 0.0:
        self.last["x"] = x
    if turn > 0.0:
        self.last["turn"] = turn
    reward = self.last.get("x", -1.0) + self.last.get("turn", 0.5)
    return plain(self, action, reward, False, {f"last/{n}": v for n, v in self.last.items()})


def visits(self, action):
    x, turn = moved(self, action)
    for place, cell in enumerate((x > 0.0, turn > 0.0, x > turn)):
        if cell:
            self.visits[place] += 1
    if x > 0.0:
        self.visits[(1, place)] += 1
    return plain(self, action, sum(self.visits.values()) + len(self.visits))


def in_its_order(self, action):
    """A sum that depends on the order in which names were put there."""
    counts(self, action)
    total = 0.0
    for number in self.events.values():
        total = 0.5 * total + number
    return plain(self, action, total)


def forgets(self, action):
    x, _ = moved(self, action)
    self.last["x"] = x
    if x > 0.1:
        self.last["far"] = x
        del self.last["x"]
    if self.data.time > 0.3:
        self.last.pop("far", None)
    if self.data.time > 0.45:
        self.last = {}
    return plain(self, action, sum(self.last.values()) + len(self.last))


@pytest.mark.sweep(4)
@pytest.mark.parametrize("reset", [begins, begins_filled])
@pytest.mark.parametrize("step", [counts, remembers, visits, in_its_order, forgets])
def test_dicts(step, reset):
    make = environment(step, reset)
    found = report(make)
    assert found.way == "traced", str(found)
    assert check(make, 4, 30).largest < 1e-14


def test_worlds_have_dicts_of_their_own():
    make = environment(in_its_order, begins_filled)
    traced, python = (PortedVectorEnv(make, 5, way=way) for way in ("traced", "world by world"))
    actions = np.linspace(-1, 1, 5, dtype=np.float32)[:, None]
    for envs in (traced, python):
        envs.reset(seed=3)
    for k in range(30):
        again = {"reset_mask": np.arange(5) == k % 5}
        if k % 4 == 0:
            np.testing.assert_array_equal(*(e.reset(options=again)[0] for e in (traced, python)))
        ours, theirs = (envs.step(actions)[:4] for envs in (traced, python))
        for one, other in zip(ours, theirs, strict=True):
            np.testing.assert_allclose(one, other, rtol=0, atol=1e-14)


def makes_names(self, action):
    x, _ = moved(self, action)
    self.last[f"{x:.1f}"] = x
    return plain(self, action, len(self.last))


def test_names_made_of_values_run_in_python():
    make = environment(makes_names, begins)
    assert report(make).way == "world by world"
    assert check(make, 2, 20).largest == 0.0
