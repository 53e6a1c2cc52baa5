"""What steps do rarely to attributes is traced, or refused by name; it is never lost."""

import re

import numpy as np
import pytest

from mjenv.porting.checking import check
from mjenv.porting.porting import report
from mjenv.porting.running.distances import distances
from tests.mjenv.porting.environments import environment, plain

LATE = 14  # behind the steps that are looked at and tried


def begins(self):
    self.t, self.weights, self.seen = 0, {"a": 1.0, "b": 2.0}, {0.5}
    self.pair, self.function, self.rest = (1.0, 2.0), np.sin, None
    self.one, self.other = np.ones(2), np.zeros(2)


def late(change, reward):
    """A step with a change in its fifteenth turn.

    Args:
        change: of the environment.
        reward: of the environment, and of a position.
    """

    def step(self, action):
        self.data.ctrl[:] = action
        self.physics()
        self.t += 1
        if self.t == LATE:
            change(self)
        return plain(self, action, float(reward(self, self.data.qpos[0])))

    return environment(step, begins)


def to_none(self):
    self.pair = None


def new_name(self):
    self.weights["c"] = 3.0


def gone(self):
    self.weights.pop("a")


def in_other_order(self):
    self.weights["a"] = self.weights.pop("a")


def new_attribute(self):
    self.extra = 1.0


def another_function(self):
    self.function = np.cos


def more_seen(self):
    self.seen.add(1.5)


def a_word(self):
    self.rest = "word"


def one_array(self):
    self.other = self.one


def use_one(self, x):
    self.one += 1.0
    return self.other.sum()


@pytest.mark.parametrize(
    ("change", "reward", "words"),
    [
        (in_other_order, lambda self, x: "a" in [*self.weights][:1], r"self\.weights with names"),
        (new_attribute, lambda self, x: getattr(self, "extra", x), r"self\.extra, which is not"),
        (another_function, lambda self, x: self.function(x), r"self\.function, (which|another)"),
        (more_seen, lambda self, x: x * len(self.seen), r"self\.seen, which leads to another"),
        (a_word, lambda self, x: self.rest is None, r"self\.rest, which is a word at times"),
        (one_array, use_one, r"a write into self\.one, an array that shares memory"),
    ],
)
def test_what_a_program_cannot_do_is_refused_however_late_it_is(change, reward, words):
    made = late(change, reward)
    assert not check(made, nseed=1, nstep=LATE + 3).first
    found = report(made)
    assert found.way == "world by world"
    assert re.search(words, found.reason)


def test_a_name_that_goes_late():
    made = late(gone, lambda self, x: x * len(self.weights))
    assert report(made).way == "traced"
    assert check(made, nseed=1, nstep=LATE + 3).largest < 1e-14


class Counted:
    """With a number of the class, which objects change."""

    level = 1

    def more(self):
        self.level += 1


def counts(self):
    begins(self)
    self.counted, self.rest = Counted(), 0.5


def rises(self, action):
    self.data.ctrl[:] = action
    self.physics()
    self.t += 1
    if self.t == LATE:
        self.counted.more()
        self.rest = None
    return plain(self, action, self.counted.level + (0.0 if self.rest is None else self.rest))


def test_numbers_of_classes_and_none_are_attributes_of_worlds_however_late_they_change():
    made = environment(rises, counts)
    assert not check(made, nseed=2, nstep=LATE + 3, way="traced").first


def swallows(self, action):
    self.data.ctrl[:] = action
    self.physics()
    try:
        lowest = np.linalg.eigvalsh(np.outer(self.data.qpos, self.data.qpos)).min()
    except Exception:
        lowest = 0.0
    return plain(self, action, lowest)


def takes_away(self, action):
    self.data.ctrl[:] = action
    self.physics()
    if self.data.qpos[0] > 0.05:
        self.weights.pop("b", None)
    return plain(self, action, sum(self.weights.values()))


def other_options(self, action):
    self.data.ctrl[:] = action
    if self.data.qpos[0] > 0.05:
        self.model.opt.disableflags |= 1 << 6
    self.physics()
    return plain(self, action)


def forces_of_before(self, action):
    self.data.ctrl[:] = action
    self.physics()
    self.data.qpos[0] = 0.0
    self.lib.mj_rnePostConstraint(self.model, self.data)
    return plain(self, action, self.data.cfrc_ext[1, 5])


@pytest.mark.parametrize(
    ("step", "words"),
    [
        (swallows, "found numpy.eigvalsh of values"),
        (other_options, "found model.opt_disableflags"),
        (forces_of_before, "found qpos between mj_step and mj_rnePostConstraint"),
    ],
)
def test_what_would_be_something_else_is_refused(step, words):
    made = environment(step, begins)
    assert words in report(made).reason
    assert not check(made, nseed=2, nstep=8).first


def test_last_names_come_and_go():
    """However late it is, and in some worlds only."""
    made = late(new_name, lambda self, x: sum(self.weights.values()))
    found = check(made, nseed=1, nstep=LATE + 3, way="traced")
    assert not found.first
    assert found.largest == 0.0
    found = check(environment(takes_away, begins), nseed=4, nstep=40, way="traced")
    assert not found.first
    assert found.largest < 1e-14


def looks_first(self, action):
    self.data.ctrl[:] = action
    self.physics()
    there = self.data.qpos[0] * 2
    self.lib.mj_rnePostConstraint(self.model, self.data)
    return plain(self, action, there + self.data.cfrc_ext[1, 5])


def test_forces_of_contacts_belong_to_the_step_before_whatever_else_is_looked_at():
    assert not check(environment(looks_first), nseed=2, nstep=4, way="traced").first


def differs(self, action):
    """Another step where it is followed, as what is not known to be one would be."""
    self.data.ctrl[:] = action
    self.physics()
    followed = self.data.qpos.__class__.__name__ == "Symbol"
    return plain(self, action, 2.0 if followed else 1.0)


def test_a_step_that_is_another_one_is_not_used():
    made = environment(differs)
    assert report(made).reason == (
        "seed 5, step 0: found reward 2.0, expected 1.0 of the environment's own step"
    )
    assert not check(made, nseed=1, nstep=2).first


def test_distances_know_what_is_no_number():
    nan, inf = np.nan, np.inf
    apart = distances([1.0, nan, nan, inf, inf, 200.0], [1.0, nan, 2.0, inf, -inf, 100.0])
    assert apart.tolist() == [0.0, 0.0, inf, 0.0, inf, 1.0]
    assert distances([1.0, 2.0], [1.0]).tolist() == [inf]
