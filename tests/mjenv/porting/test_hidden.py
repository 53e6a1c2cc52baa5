"""State of controllers, slots and namespaces is each world's own; what nobody sees is refused."""

import itertools
from array import array
from collections import UserDict
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
import pytest

from mjenv.porting.checking import check
from mjenv.porting.porting import report
from tests.mjenv.porting.environments import environment, plain

TOTAL, CACHE = 0, {}


class Controller:
    """Called like a function, as controllers and filters are."""

    def __init__(self, gain):
        self.gain, self.sum = gain, 0.0

    def __call__(self, error):
        self.sum += 0.02 * error
        return self.gain * (error + self.sum)


@dataclass(slots=True)
class Counted:
    n: int = 0
    last: float = 0.0


class Numbers(list):
    total = 0


def begins(self):
    # in place: the objects stay the same
    if not hasattr(self, "control"):
        self.control, self.slots, self.names = Controller(2.0), Counted(), UserDict(n=0)
        self.space = SimpleNamespace(n=0)
    self.control.sum, self.slots.n, self.slots.last = 0.0, 0, 0.0
    self.names["n"], self.space.n = 0, 0
    self.listed = Numbers([0.0])


def keeps_its_state(self, action):
    self.data.ctrl[:] = self.control(action[0] - self.data.qpos[0])
    self.physics()
    self.slots.n += 1
    reward = 0.1 * self.slots.n + self.slots.last
    self.slots.last = float(self.data.qpos[0])
    self.names["n"] += 1
    self.space.n += 2
    self.listed[0] += self.data.qvel[0]
    self.listed.total += 1
    return plain(self, action, reward + self.names["n"] + self.space.n + self.listed.total)


def test_objects_of_all_kinds_are_looked_into():
    found = check(environment(keeps_its_state, begins), nseed=3, nstep=12, way="traced")
    assert not found.first
    assert found.largest == 0.0


def closure():
    total = [0.0]

    def add(value):
        total[0] += value
        return total[0]

    return add, lambda: total.__setitem__(0, 0.0)


def alternating():
    while True:
        yield 1.0
        yield 2.0


def holds(self):
    if not hasattr(self, "add"):
        self.add, self.clear = closure()
        self.method = Controller(1.0).__call__
        self.ids, self.turns = itertools.count(), alternating()
        self.array, self.bytes, self.things = array("d", [0.0]), bytearray(2), np.array([None])
        self.unused = itertools.count()
    self.clear()
    self.array[0], self.bytes[0], self.things[0] = 0.0, 0, 0.0


def adds_one(name):
    def step(self, action):
        if name == "unused":
            return plain(self, action, next(self.unused) * 0.0)
        held = getattr(self, name)
        if hasattr(held, "__setitem__"):
            held[0] += 1
            return plain(self, action, float(held[0]))
        return plain(self, action, float(held(1.0) if callable(held) else next(held)))

    return step


@pytest.mark.parametrize("name", ["add", "method", "ids", "turns", "array", "bytes", "things"])
def test_what_is_changed_where_nobody_looks_runs_in_python(name):
    found = report(environment(adds_one(name), holds))
    assert f"found self.{name}, an object that episodes change" in found.reason


def counts(self, action):
    global TOTAL
    TOTAL += 1
    return plain(self, action, TOTAL % 5)


def keeps_in_a_module(self, action):
    self.physics()
    change = self.data.qpos[0] - CACHE.get("last", 0.0)
    CACHE["last"] = float(self.data.qpos[0])
    return plain(self, action, change)


def smooth(value, state={"value": 0.0}):  # noqa: B006
    state["value"] = 0.9 * state["value"] + value
    return state["value"]


def keeps_in_a_default(self, action):
    self.physics()
    return plain(self, action, smooth(float(self.data.qpos[0])))


def keeps_in_a_function(self, action):
    smooth.calls = getattr(smooth, "calls", 0) + 1
    return plain(self, action, smooth.calls % 3)


def keeps_in_a_class(self, action):
    type(self).steps = getattr(type(self), "steps", 0) + 1
    return plain(self, action, self.steps % 3)


@pytest.mark.parametrize(
    ("step", "name"),
    [
        (counts, "test_hidden.TOTAL"),
        (keeps_in_a_module, "test_hidden.CACHE"),
        (keeps_in_a_default, "test_hidden.smooth"),
        (keeps_in_a_function, "test_hidden.smooth"),
        (keeps_in_a_class, "Task.steps"),
    ],
)
def test_what_all_worlds_would_share_runs_in_python(step, name):
    found = report(environment(step))
    assert f"{name} changed by steps or resets, which all worlds share" in found.reason


def filled_once(self, action):
    # a constant that is kept to be found again
    if "gain" not in CACHE:
        CACHE["gain"] = 3.0
    return plain(self, action, CACHE["gain"] * self.data.qpos[0])


def seldom_kept(self, action):
    self.data.ctrl[:] = action
    self.physics()
    if self.data.qpos[0] > 1e9:
        CACHE["seldom"] = self.data.qpos[0]
    return plain(self, action, self.data.qvel[0])


def test_what_is_found_again_is_traced():
    assert report(environment(filled_once)).way == "traced"


def test_paths_that_no_episode_took_are_looked_at_too():
    CACHE.pop("seldom", None)
    found = report(environment(seldom_kept))
    assert "test_hidden.CACHE changed by steps or resets" in found.reason
    assert "seldom" not in CACHE
