"""Dicts that steps fill, which have fewer names in worlds whose episodes have just begun."""

from collections import Counter, defaultdict

import numpy as np
import pytest

from mjenv.porting.checking import check
from mjenv.porting.porting import report
from tests.mjenv.porting.environments import environment, lengths_where_some_begin_anew, plain


def begins(self):
    self.sums, self.last, self.steps = defaultdict(float), {}, 0
    self.counts = Counter()


def sums(self, action):
    """Sums of terms, each of which begins with the first step."""
    self.data.ctrl[:] = action
    self.physics()
    before = len(self.sums)
    terms = {"place": self.data.qpos[0], "speed": np.square(self.data.qvel).sum()}
    for name, term in terms.items():
        self.sums[name] += term
    return plain(self, action, sum(self.sums.values()) - 0.1 * before)


def compares(self, action):
    """What there was in the step before, arrays too, if there was one."""
    self.data.ctrl[:] = action
    self.physics()
    now = {"speed": self.data.qvel.copy(), "place": self.data.qpos[0]}
    reward = 0.5
    if "place" in self.last:
        reward = now["place"] - self.last["place"] + np.sum(self.last["speed"])
    elif not self.last:
        reward = 0.25
    self.last.update(now)
    return plain(self, action, reward)


def fills_in_turn(self, action):
    """A name more in each of the first steps, and one taken away later."""
    self.data.ctrl[:] = action
    self.physics()
    self.steps += 1
    if self.steps == 2:
        self.last["second"] = self.data.qpos[0]
    if self.steps == 4 and self.last:
        self.last["fourth"] = self.data.qvel[0]
    if self.steps == 7:
        self.last.pop("fourth", None)
    names = list(self.last)
    reward = self.last.get("fourth", -1.0) + len(names) + self.last.get("second", 2.0)
    return plain(self, action, reward)


def keeps_arrays(self, action):
    """Arrays that are changed in place."""
    self.data.ctrl[:] = action
    self.physics()
    self.last.setdefault("all", np.zeros(2))[:] += self.data.qvel[:1]
    return plain(self, action, self.last["all"].sum())


STEPS = [sums, compares, fills_in_turn, keeps_arrays]


@pytest.mark.sweep(2)
@pytest.mark.parametrize("step", STEPS)
def test_dicts_that_steps_fill(step):
    found = check(environment(step, begins), nseed=3, nstep=20, way="traced")
    assert not found.first
    assert found.largest < 1e-14


@pytest.mark.parametrize("step", STEPS)
def test_worlds_have_names_of_their_own(step):
    """Worlds that begin anew at other times than others have fewer."""
    name = "self.sums" if step is sums else "self.last"
    found = lengths_where_some_begin_anew(environment(step, begins), name)
    lengths = {length for one in found for length in one}
    if step is fills_in_turn:
        assert lengths == {0, 1, 2}
    assert max(lengths) == (1 if step is keeps_arrays else 2)


def counts(self, action):
    """Names in another order in each world."""
    self.data.ctrl[:] = action
    self.physics()
    self.counts["left" if self.data.qpos[0] < 0 else "right"] += 1
    return plain(self, action, max(self.counts.values()))


def replaces(self, action):
    """Other names in every second step."""
    self.data.ctrl[:] = action
    self.physics()
    self.steps += 1
    self.last = {"odd": 1.0} if self.steps % 2 else {"even": self.data.qpos[0]}
    return plain(self, action, sum(self.last.values()))


def fills_where(self, action):
    """A name that some worlds have, by an `if` that is no way of its own."""
    self.data.ctrl[:] = action
    self.physics()
    if self.np_random.random() < 0.3:
        self.last["push"] = self.np_random.normal()
    return plain(self, action, self.last.get("push", 0.0))


@pytest.mark.parametrize("step", [counts, replaces, fills_where])
def test_others_are_equal(step):
    """None of them is followed to something else; see test_tables.py."""
    make = environment(step, begins)
    found = check(make, nseed=3, nstep=30)
    assert not found.first
    assert found.largest < 1e-14
    assert report(make).way == "traced"
