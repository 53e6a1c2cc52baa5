"""Functions of a package whose results are remembered, so that ways do not multiply."""

from types import ModuleType

import numpy as np
import pytest

from mjenv.porting.checking import check
from mjenv.porting.porting import report
from mjenv.porting.symbols.symbol import Symbol
from mjenv.porting.varying.remembered import content, copied
from tests.mjenv.porting.environments import environment, plain

# a step may not change what worlds share, but for modules that are no part of the package
MARKS = ModuleType("marks")
MARKS.runs = []


def bent(value):
    if isinstance(value, Symbol):
        MARKS.runs.append(value)
    if value > 0.1:
        return 2.0 * value
    return value - 1.0 if value < -0.1 else value


def branches(self):
    total = 0.0
    for number in (*self.data.qpos, *self.data.qvel, self.goal[0]):
        if number > 0.01:
            total += bent(self.data.qvel[1])
        total += bent(self.goal[1])
    return total


def nested(self, action):
    self.data.ctrl[:] = action
    self.physics()
    return plain(self, action, branches(self))


def test_a_function_is_followed_once_for_the_same_contents():
    MARKS.runs.clear()
    found = report(environment(nested))
    assert found.way == "traced"
    # 32 ways through `branches`, with five to ten calls on each, of two different numbers
    assert len(MARKS.runs) < 50


def goes_many_ways(self, action):
    reward = bent(self.goal[1])
    self.data.ctrl[:] = action
    self.physics()
    for number in (*self.data.qpos, *self.data.qvel):
        if number > 0.01:
            reward += number
    return plain(self, action, reward)


def test_ways_through_a_step_share_what_is_known():
    MARKS.runs.clear()
    assert report(environment(goes_many_ways)).way == "traced"
    # three ways through the function, in 16 through the step
    assert len(MARKS.runs) < 16


def wish(self):
    if self.data.qpos[0] > 0.02:
        return self.goal
    return self.goal


def gives_what_it_has(self, action):
    # the result is the attribute itself, which the second call gives once more
    self.physics()
    wish(self)[0] += 0.5
    first = wish(self)[0] * 1.0
    wish(self)[0] *= 0.5
    return plain(self, action, first + wish(self)[0])


def side(value):
    return 1.0 if value > 0.05 else -1.0


def asks_what_was_asked(self, action):
    # inside of a branch a function has one way, behind it two
    self.data.ctrl[:] = action
    self.physics()
    inner = side(self.data.qpos[0]) if self.data.qpos[0] > 0.05 else 3.0 * side(self.data.qpos[0])
    return plain(self, action, inner + side(self.data.qpos[0]))


def scaled(self):
    return self.count + (1.0 if self.data.qpos[1] > 0 else 0.0)


def asks_again_after_a_change(self, action):
    before = scaled(self)
    self.count += 1
    between = scaled(self)
    self.data.ctrl[:] = action
    self.physics()
    return plain(self, action, before + between + scaled(self))


def changed_list(values):
    if values[0] > 0.0:
        return [values[1], 1.0]
    return [values[0], values[1]]


def changes_what_it_is_given(self, action):
    self.physics()
    first = changed_list(self.data.qpos)
    first[1] += 100.0
    return plain(self, action, first[1] + changed_list(self.data.qpos)[1])


STEPS = [
    nested, goes_many_ways, gives_what_it_has, asks_what_was_asked, asks_again_after_a_change,
    changes_what_it_is_given,
]  # fmt: skip


@pytest.mark.parametrize("step", STEPS)
def test_remembered_results_are_those_of_the_environment(step):
    found = check(environment(step), nseed=3, nstep=15, way="traced")
    assert not found.first
    assert found.largest < 1e-13


def test_contents_are_told_apart():
    for one, other in (
        (0.0, -0.0), (1, 1.0), (True, 1), (np.zeros(2), np.zeros(2, np.float32)), ([1], (1,)),
        ({"a": 1}, {"a": 2}), (np.zeros(2), np.zeros((2, 1))),
    ):  # fmt: skip
        assert content(one, []) != content(other, [])
        assert content(one, []) == content(copied(one), [])


def test_objects_are_kept_that_stand_for_themselves():
    kept, thing = [], object()
    content([thing, 1.0], kept)
    assert kept == [thing]
