"""Lists that steps add to: left out where nothing reads them, refused where something does."""

import pytest

from mjenv.porting.checking import check
from mjenv.porting.porting import report
from tests.mjenv.porting.environments import environment, plain

pytest.importorskip("mujoco")


def moved(self, action):
    self.data.ctrl[:] = action
    self.physics()
    return self.data.qpos[0]


def adds(self, action):
    x = moved(self, action)
    self.path.append(x)
    self.path += [x, 2.0]
    self.path.extend(self.data.qvel.copy())
    return plain(self, action, x)


def adds_where_it_is_fast(self, action):
    x = moved(self, action)
    if x > 0.05:
        self.path.append(x)
        self.count += 1
    return plain(self, action, x + self.count)


def adds_in_a_method(self, action):
    add(self, moved(self, action))
    return plain(self, action, self.data.qvel[0])


def add(self, value):
    if value < 0.0:
        self.path.append((value, "low"))
    self.path.append((value, None))


def reports_it(self, action):
    x = moved(self, action)
    self.path.append(x)
    return plain(self, action, x, info={"path": self.path})


def begins(self):
    self.path = []


def goes_on(self):
    self.path = [0.5]
    self.path.append(self.np_random.uniform())


def empties(self):
    if not hasattr(self, "path"):
        self.path = []
    self.path.clear()


@pytest.mark.parametrize("reset", [begins, goes_on, empties])
@pytest.mark.parametrize("step", [adds, adds_where_it_is_fast, adds_in_a_method])
def test_lists_that_nothing_reads_are_left_out(step, reset):
    make = environment(step, reset)
    found = report(make)
    assert found.way == "traced", str(found)
    assert "not kept, as nothing reads it: self.path, which becomes longer" in str(found)
    assert "reset not traced" not in str(found)
    assert check(make, 3, 30).largest < 1e-12


def test_infos_without_them():
    make = environment(reports_it, begins)
    found = str(report(make))
    assert "infos left out, as they are no numbers: path" in found
    assert check(make, 3, 10).largest < 1e-12


def turns_it_around(self, action):
    x = moved(self, action)
    self.path.append(x)
    return plain(self, action, self.path[::-1][0] if x > 10.0 else x)


def test_lists_that_are_read_are_refused():
    # but for their elements and their number: see test_histories.py
    make = environment(turns_it_around, begins)
    found = report(make)
    assert found.way == "world by world"
    assert "found self.path[::-1], a list that becomes longer" in str(found)
    assert check(make, 2, 10).largest == 0.0


def looks_back(self):
    self.goal[0] += 0.01 * len(getattr(self, "path", []))
    self.path = []


def is_python(self):
    self.goal[0] += float(str(self.np_random.uniform())[:4])
    self.path = []


def test_resets_that_might_read_them():
    found = report(environment(adds, is_python))
    assert found.way == "world by world"
    assert "found self.path, a list " in str(found)
    assert check(environment(adds, is_python), 2, 10).largest == 0.0


def test_resets_that_ask_how_many_there_were():
    assert report(environment(adds, looks_back)).way == "traced"
    assert check(environment(adds, looks_back), 3, 10).largest < 1e-12
