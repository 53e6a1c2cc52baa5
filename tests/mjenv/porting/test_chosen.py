"""What masks choose, whose number is known only when a step runs; what turns of loops share."""

import ast
import textwrap

import numpy as np
import pytest

from mjenv.porting.checking import check
from mjenv.porting.control.turns import names_of_turns
from mjenv.porting.porting import report
from mjenv.porting.vector import PortedVectorEnv
from tests.mjenv.porting.environments import environment, plain

pytest.importorskip("mujoco")


def moved(self, action):
    self.data.ctrl[:] = action
    self.physics()
    return np.concatenate([self.data.qpos, self.data.qvel, self.goal])


def sums(self, action):
    x = moved(self, action)
    above = x[x > 0.02]
    low = np.sum(np.abs(x[x < 0]) ** 2) + above.sum() + np.prod(1 + above)
    low += np.linalg.norm(above) + np.count_nonzero(above > 0.1) + np.count_nonzero(x > 0.1)
    either = float(np.any(above > 0.5)) + 2.0 * np.all(above < 0.5) + (above < 0.3).any()
    return plain(self, action, low + either + above.size)


def extremes(self, action):
    x = moved(self, action)
    found = 0.0
    mask = x > 0.0
    if np.any(mask):
        found = np.max(x[mask]) - 2 * x[mask].min() + np.mean(x[mask])
    # of what is chosen, some
    again = x[mask] * 2.0
    return plain(self, action, found + np.sum(again[again > 0.1]))


def rows(self, action):
    pair = moved(self, action).reshape(3, 2)
    chosen = pair[pair[:, 0] > 0]
    return plain(self, action, np.sum(chosen.sum(axis=0) * [1.0, 2.0]) + np.sum(chosen**2))


def written(self, action):
    x = moved(self, action)
    x[x > 0.3] = 0.3
    x[x < 0] *= -0.5
    pair = x.reshape(3, 2)
    pair[pair[:, 1] > 0.1] = [1.0, 2.0]
    mask = x < 0.05
    x[mask] = x[mask] + 3.0
    return plain(self, action, float(np.sum(x * np.arange(6))))


@pytest.mark.parametrize("step", [sums, extremes, rows, written])
def test_what_a_mask_chooses(step):
    make = environment(step)
    assert report(make).way == "traced"
    found = check(make, 4, 30)
    assert found.largest < 1e-12, str(found)


def length(self, action):
    x = moved(self, action)
    return plain(self, action, float(len(x[x > 0])))


def two_masks(self, action):
    x = moved(self, action)
    return plain(self, action, np.sum(x[x > 0] * x[np.logical_not(x <= 0)]))


def array_put(self, action):
    x = moved(self, action)
    x[x > 0] = np.ones(1)
    return plain(self, action, x.sum())


@pytest.mark.parametrize(
    ("step", "why"),
    [(length, "found len()"), (two_masks, "two masks"), (array_put, "found an array put")],
)
def test_what_has_to_know_their_number(step, why):
    found = report(environment(step))
    assert found.way == "world by world"
    assert why in str(found)


def may_be_none(self, action):
    total = moved(self, action).sum()
    first = self.count == self.never or total != self.never
    if self.count == 3 and self.count != None:  # noqa: E711  environments have it
        total += 1.0
    self.count += 1
    return plain(self, action, total + first)


def stages(self, action):
    """What a dict has for a number that values choose: numbers, words and functions."""
    x = moved(self, action)
    if self.count == 0 and x[0] > 0.01:
        self.count = 4
    elif self.count == 4 and x[2] < 0.0:
        self.count = 7
    worth = {0: 1.0, 4: x[1], 7: -2.0}[self.count]
    shape = {0: lambda: np.tanh(x[0]), 4: lambda: 2.0 * x[1], 7: lambda: 0.5}[self.count]()
    word = {0: "begun", 4: "on its way", 7: "done"}[self.count]
    return plain(self, action, worth + shape, word == "done" and x[1] > 0.1, {"word": word})


def test_dicts_of_numbers():
    make = environment(stages)
    assert report(make).way == "traced"
    assert check(make, 4, 60).largest < 1e-12


def falls_out(self, action):
    self.count += 1
    moved(self, action)
    return plain(self, action, {k: 1.0 / k for k in range(1, 11)}[self.count])


def test_numbers_that_a_dict_has_not_are_errors_of_their_world():
    envs = PortedVectorEnv(environment(falls_out), 2, way="traced")
    envs.reset(seed=0)
    actions = np.zeros((2, 1), np.float32)
    rewards = [envs.step(actions)[1][0] for _ in range(10)]
    np.testing.assert_array_equal(rewards, [1.0 / k for k in range(1, 11)])
    with pytest.raises(KeyError, match="found none of"):
        envs.step(actions)


def has_none(self):
    self.never = None


def test_no_number_is_none():
    make = environment(may_be_none, has_none)
    assert report(make).way == "traced"
    assert check(make, 2, 10).largest == 0.0


@pytest.mark.parametrize(
    ("lines", "names"),
    [
        ("for x in y:\n  z = x\n  total += z", {"x", "z"}),
        ("for x in y:\n  z, w = x\n  total += z * w", {"x", "z", "w"}),
        ("for x in y:\n  total += z\n  z = x", {"x"}),  # of the turn before
        ("for x in y:\n  if x:\n    z = x\n  total += z", {"x"}),  # not in every turn
        ("for x in y:\n  z = x\nreturn z", {"x"}),  # afterwards
        ("for x in y:\n  z = x\nreturn x", {"z"}),
        ("for x in y:\n  z += x\n", {"x"}),
        ("for x.a in y:\n  z[0] = 1", set()),
    ],
)
def test_names_that_turns_do_not_hand_on(lines, names):
    tree = ast.parse("def f():\n" + textwrap.indent(lines, "  ")).body[0]
    assert isinstance(tree, ast.FunctionDef)
    assert [*names_of_turns(tree).values()] == [names]
