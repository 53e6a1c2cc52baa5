"""Attributes that are the same array, or views of one: what is written into one is in all."""

import numpy as np
import pytest

from mjenv.porting.checking import check
from mjenv.porting.environment.sharing import sharing
from mjenv.porting.porting import report
from mjenv.porting.symbols.refusals import NotTraced
from mjenv.porting.vector import PortedVectorEnv
from tests.mjenv.porting.environments import environment, plain


def moved(self, action):
    self.data.ctrl[:] = action
    self.physics()


def begins(self):
    self.last = self.before = np.zeros(4)
    self.half = self.last[2:]


def writes_in_place(self, action):
    moved(self, action)
    self.last += self.data.qpos[0]
    return plain(self, action, self.before[1])


def writes_through_a_view(self, action):
    moved(self, action)
    part = self.half[:1]
    part[0] = self.data.qpos[0]
    return plain(self, action, self.last[2])


def writes_where_it_is_fast(self, action):
    moved(self, action)
    if self.data.qvel[0] > 0.01:
        self.before[:] = self.data.qpos[0]
    return plain(self, action, self.last[2])


def makes_new_ones(self, action):
    moved(self, action)
    reward = self.last[0] - self.before[0] + self.half[0]
    self.before = self.last
    self.last = self.last + self.data.qpos[0]
    return plain(self, action, reward)


@pytest.mark.parametrize("step", [writes_in_place, writes_through_a_view, writes_where_it_is_fast])
def test_writes_are_refused(step):
    target = environment(step, begins)
    with pytest.raises(NotTraced, match=r"shares memory with self\.\w+ at times"):
        PortedVectorEnv(target, 2, way="traced")
    assert not check(target, nseed=2, nstep=5).first


def test_new_arrays_are_traced():
    found = check(environment(makes_new_ones, begins), nseed=2, nstep=10, way="traced")
    assert not found.first, found.first


class Row:
    def __init__(self, numbers):
        self.numbers = numbers


def in_python(self):
    """A number, by what keeps a reset in Python."""
    return eval("float(x)", {"x": self.np_random.uniform()})


def writes_into_shared(self):
    if not hasattr(self, "all"):
        self.all, self.count = np.zeros(4), 0
        self.part, self.row, self.rows = self.all[1:3], Row(self.all), [self.all, np.zeros(2)]
    self.row.numbers[:] = in_python(self) + np.arange(4)
    self.rows[1][:] = in_python(self)


def writes_into_parted(self):
    if not hasattr(self, "home"):
        self.home = np.zeros(2)
    self.home[:] = in_python(self)
    self.last = self.home


def reads_all(self, action):
    moved(self, action)
    self.count += 1
    reward = self.all[0] + 3 * self.part[1] + 10 * self.rows[0][3] + 20 * self.rows[1][0]
    return plain(self, action, reward, self.count % 3 == 0)


def parts(self, action):
    moved(self, action)
    self.last = self.last + self.data.qpos
    return plain(self, action, self.last[0] + 3 * self.home[1], self.last[0] > 1.5)


def test_resets_in_python_write_through_what_has_two_names():
    """Also in later episodes of a world, when others have been in the environment."""
    target = environment(reads_all, writes_into_shared)
    assert "reset: Python" in str(report(target))
    found = check(target, nseed=3, nstep=12, way="traced")
    assert not found.first, found.first


def test_resets_that_write_into_what_steps_part_are_refused():
    target = environment(parts, writes_into_parted)
    assert "a reset that writes into self.home, an array that shares" in str(report(target))
    assert not check(target, nseed=2, nstep=10).first


def test_which_arrays_share():
    base = np.zeros((4, 4))
    arrays = {
        "row": base[1], "column": base[:, 2], "odd": base[1::2], "other": np.zeros(3),
        "even": base[0, ::2], "between": base[0, 1::2], "empty": base[:0], "back": base[3, ::-1],
    }  # fmt: skip
    found = sharing((((".", name),), array) for name, array in arrays.items())
    names = {path[0][1] for path in found}
    assert names == {"row", "column", "odd", "even", "back"}
