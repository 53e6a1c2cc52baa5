"""Lists that become longer in every step, and are read: the newest elements, or all of them."""

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
    return self.data.qpos[0]


def begins(self):
    self.path = []


def begins_somewhere(self):
    self.path = [self.np_random.uniform(), 0.5]


def empties(self):
    if not hasattr(self, "path"):
        self.path = [0.25]
    self.path.clear()


# ---------------------------------------------------------------- the newest elements


def reads_the_last(self, action):
    self.path.append(moved(self, action))
    return plain(self, action, self.path[-1])


def reads_how_many(self, action):
    self.path.append(1.0)
    return plain(self, action, moved(self, action) + len(self.path))


def ends_where_it_is_stuck(self, action):
    self.path.append(moved(self, action))
    stuck = len(self.path) > 30 and abs(self.path[-1] - self.path[-20]) < 0.5
    return plain(self, action, 1.0, stuck)


def takes_the_mean_of_some(self, action):
    self.path.append(moved(self, action))
    return plain(self, action, np.mean(self.path[-10:]) + np.std(self.path[-7:]))


def sums_some(self, action):
    self.path += [moved(self, action), 0.5]
    recent = self.path[-5:-1]
    return plain(self, action, sum(recent) + max(recent) + len(self.path[-25:]))


def adds_where_it_is_fast(self, action):
    x = moved(self, action)
    if x > 0.05:
        self.path.append(x)
    reward = self.path[-1] if self.path else -1.0
    return plain(self, action, reward + len(self.path))


def adds_in_a_method(self, action):
    note(self, moved(self, action))
    return plain(self, action, progress(self))


def note(self, value):
    if value > 0.0:
        self.path.append(value)
    self.path.append(-value)


def progress(self):
    if not self.path:
        return 0.0
    return self.path[-1] - self.path[-2] if len(self.path) >= 2 else self.path[-1]


def keeps_the_last_ones(self, action):
    self.path.append(moved(self, action))
    if len(self.path) > 20:
        self.path = self.path[-20:]
    return plain(self, action, np.max(self.path[-8:]) + len(self.path))


def begins_anew(self, action):
    x = moved(self, action)
    self.path.append(x)
    if x > 0.1:
        self.count += 1
        self.path.clear()
    return plain(self, action, len(self.path) + self.count)


def begins_another(self, action):
    x = moved(self, action)
    self.path.append(x)
    if x > 0.1:
        self.path = []
    return plain(self, action, len(self.path))


def changes_the_last(self, action):
    self.path.append(moved(self, action))
    self.path[-1] += 1.0
    return plain(self, action, self.path[-1] - np.sum(self.path[-3:]))


NEWEST = (
    reads_the_last, reads_how_many, ends_where_it_is_stuck, takes_the_mean_of_some, sums_some,
    adds_where_it_is_fast, adds_in_a_method, keeps_the_last_ones, begins_anew, begins_another,
    changes_the_last,
)  # fmt: skip


# every reset with one step, every step with one reset
WITH_RESETS = [(step, begins_somewhere) for step in NEWEST]
WITH_RESETS += [(reads_the_last, begins), (adds_where_it_is_fast, begins), (begins_anew, empties)]


@pytest.mark.parametrize(("step", "reset"), WITH_RESETS)
def test_the_newest_elements(step, reset):
    make = environment(step, reset)
    found = report(make)
    assert found.way == "traced", str(found)
    assert "reset not traced" not in str(found)
    assert "each world's own: self.goal, self.path" in str(found).replace("self.count, ", "")
    assert check(make, 3, 60).largest < 1e-12


def keeps_places(self, action):
    moved(self, action)
    self.path.append(self.data.site("front").xpos.copy())
    way = np.linalg.norm(self.path[-1] - self.path[-2]) if len(self.path) > 1 else 0.0
    return plain(self, action, way + np.mean(self.path[-6:]))


def keeps_pairs(self, action):
    x = moved(self, action)
    self.path.append((x, self.data.time))
    x, time = self.path[-1]
    return plain(self, action, x * time + self.path[-1][0])


def keeps_whole_numbers(self, action):
    self.path.append(int(moved(self, action) > 0.02))
    return plain(self, action, self.path[-1] + sum(self.path[-5:]) // 2)


@pytest.mark.parametrize("step", [keeps_places, keeps_pairs, keeps_whole_numbers])
def test_elements_of_several_kinds(step):
    make = environment(step, begins)
    found = report(make)
    assert found.way == "traced", str(found)
    assert check(make, 3, 60).largest < 1e-12


# ---------------------------------------------------------------- all elements


def takes_the_mean(self, action):
    self.path.append(moved(self, action))
    return plain(self, action, np.mean(self.path) + np.array(self.path).sum())


def takes_the_first(self, action):
    self.path.append(moved(self, action))
    return plain(self, action, self.path[-1] - self.path[0] + min(self.path))


def loops(self, action):
    self.path.append(moved(self, action))
    total = 0.0
    for x in self.path:
        total += x * x
    far = [abs(x) for x in self.path if x > 0.05]
    return plain(self, action, total + len(far), info={"steps": len(self.path)})


def takes_out(self, action):
    self.path.append(moved(self, action))
    gone = 0.0
    if len(self.path) > 18:
        gone = self.path.pop(0)
    return plain(self, action, sum(self.path) + gone)


def takes_out_the_last(self, action):
    x = moved(self, action)
    self.path.append(x)
    if x < 0.0 and self.path:
        self.path.pop()
    return plain(self, action, sum(self.path) + len(self.path))


def looks_up(self, action):
    self.path.append(moved(self, action))
    place = len(self.path) // 2
    return plain(self, action, self.path[place])


def takes_some_apart(self, action):
    self.path.append(moved(self, action))
    frames = np.concatenate([self.data.qvel, *[[x] for x in self.path[-3:]], [0.5]])
    steps = sum(abs(a - b) for a, b in zip(self.path[-4:-1], self.path[-3:], strict=False))
    recent = list(self.path[-5:])
    return plain(self, action, frames.sum() + steps + np.median(recent) + recent[0])


def empties_it_in_a_method(self, action):
    x = moved(self, action)
    self.path.append(x)
    empty(self, x)
    some = [0.5, *self.path[-2:]]
    return plain(self, action, sum(some) + len(some))


def empty(self, value):
    if value > 0.1:
        self.count += 1
        self.path.clear()
    elif value < -0.1:
        self.path.clear()


ALL = (
    empties_it_in_a_method,
    takes_some_apart,
    takes_the_mean,
    takes_the_first,
    loops,
    takes_out,
    takes_out_the_last,
    looks_up,
)


@pytest.mark.parametrize("step", ALL)
def test_all_elements(step):
    make = environment(step, begins if step is takes_the_mean else begins_somewhere)
    found = report(make)
    assert found.way == "traced", str(found)
    assert check(make, 3, 60).largest < 1e-12


def begins_anew_where_some_do(make):
    """Play worlds that begin anew at other times than others, traced and in Python, and compare."""
    traced, python = (PortedVectorEnv(make, 5, way=way) for way in ("traced", "world by world"))
    for envs in (traced, python):
        envs.reset(seed=3)
    for k in range(60):
        if k % 7 == 0:
            again = {"reset_mask": np.arange(5) == k % 5}
            found = [envs.reset(options=again)[0] for envs in (traced, python)]
            np.testing.assert_array_equal(*found)
        steps = [envs.step(np.full((5, 1), 0.5, np.float32)) for envs in (traced, python)]
        for ours, theirs in zip(*(one[:4] for one in steps), strict=True):
            np.testing.assert_allclose(ours, theirs, rtol=0, atol=1e-12)
    return traced


@pytest.mark.parametrize("step", [adds_where_it_is_fast, begins_anew, takes_the_mean_of_some])
def test_worlds_have_lists_of_their_own(step):
    worlds = begins_anew_where_some_do(environment(step, begins_somewhere))
    assert len(set(worlds._worlds.attributes["self.path.count"].tolist())) > 1


def test_whole_lists_of_worlds():
    begins_anew_where_some_do(environment(takes_out_the_last, begins_somewhere))


def adds_many(self, action):
    x = moved(self, action)
    for k in range(12):
        if x > -k:
            self.path.append(x + k)
    return plain(self, action, np.mean(self.path) + self.path[0] + len(self.path))


def test_lists_that_outgrow_the_room_for_them():
    worlds = begins_anew_where_some_do(environment(adds_many, begins_somewhere))
    assert worlds._worlds.attributes["self.path.count"].max() > 256
    assert worlds._worlds.attributes["self.path.newest"].shape[1] > 256


# ---------------------------------------------------------------- what is refused


def writes_into_one(self, action):
    moved(self, action)
    self.path.append(self.data.qpos.copy())
    self.path[-1][0] = 7.0
    return plain(self, action, self.path[-1].sum())


def writes_behind(self, action):
    moved(self, action)
    now = self.data.qpos.copy()
    self.path.append(now)
    now[0] += 1.0
    return plain(self, action, self.path[-1].sum())


def keeps_the_data(self, action):
    moved(self, action)
    self.path.append(self.data.qpos)
    return plain(self, action, self.path[-1].sum() - self.path[0].sum())


def grows_from_episode_to_episode(self):
    if not hasattr(self, "path"):
        self.path = []


def tells_it(self, action):
    self.path.append(moved(self, action))
    return plain(self, action, self.path[-1], info={"path": self.path})


def turns_it_around(self, action):
    self.path.append(moved(self, action))
    return plain(self, action, self.path[::-1][0] + np.median(self.path))


def mixes(self, action):
    x = moved(self, action)
    self.path.append(x if len(self.path) % 2 else [x, x])
    return plain(self, action, len(self.path))


REFUSED = (writes_into_one, writes_behind, keeps_the_data, tells_it, turns_it_around, mixes)


@pytest.mark.parametrize("step", REFUSED)
def test_what_a_program_cannot_do_runs_in_python(step):
    make = environment(step, begins)
    assert report(make).way == "world by world"
    assert check(make, 2, 40).largest == 0.0


def test_lists_that_go_on_from_episode_to_episode():
    # the newest elements are there, all of them are too many
    make = environment(takes_the_mean_of_some, grows_from_episode_to_episode)
    assert report(make).way == "traced"
    begins_anew_where_some_do(make)
    make = environment(takes_the_mean, grows_from_episode_to_episode)
    found = str(report(make))
    assert "world by world" in found
    assert "a list that becomes longer from episode to episode" in found or "16 lengths" in found


def reads_what_is_gone(self, action):
    self.path.append(moved(self, action))
    if self.data.time > 0.2:
        self.path.clear()
    return plain(self, action, self.path[-1])


def test_an_element_that_is_not_there_is_an_error_of_its_world():
    make = environment(reads_what_is_gone, begins)
    assert report(make).way == "traced"
    for way in ("traced", "world by world"):
        envs = PortedVectorEnv(make, 2, way=way)
        envs.reset(seed=0)
        for _ in range(6):
            envs.step(np.zeros((2, 1), np.float32))
        with pytest.raises(IndexError, match="list index out of range"):
            envs.step(np.zeros((2, 1), np.float32))


# ---------------------------------------------------------------- where they are


class Notes:
    """Keeps numbers."""

    def __init__(self):
        self.values = []

    def add(self, value):
        self.values.append(value)

    def recent(self):
        return np.mean(self.values[-4:]) if len(self.values) > 3 else 0.0


def begins_notes(self):
    self.notes, self.sides = Notes(), [[], []]


def takes_notes(self, action):
    x = moved(self, action)
    self.notes.add(x)
    self.sides[1].append(x)
    if x > 0.0:
        self.sides[0].append(self.notes.recent())
    return plain(self, action, self.notes.recent() + len(self.sides[0]) - self.sides[1][-1])


def test_lists_of_objects_and_in_lists():
    make = environment(takes_notes, begins_notes)
    found = report(make)
    assert found.way == "traced", str(found)
    assert check(make, 3, 60).largest < 1e-12


def begins_two(self):
    self.path = self.trail = []


def adds_to_both(self, action):
    self.path.append(moved(self, action))
    return plain(self, action, len(self.trail) + self.path[-1])


def begins_one_of_two(self):
    self.path, self.trail = [], []


def makes_them_one(self, action):
    self.path.append(moved(self, action))
    if self.data.time > 0.4:
        self.trail = self.path
    self.trail.append(1.0)
    return plain(self, action, len(self.trail) + self.path[-1] + self.trail[-1])


def test_lists_that_are_one():
    for step, reset in ((adds_to_both, begins_two), (makes_them_one, begins_one_of_two)):
        make = environment(step, reset)
        assert report(make).way == "world by world"
        assert check(make, 3, 40).largest == 0.0


def test_states_that_were_saved_where_there_was_other_room():
    make, actions = environment(adds_many, begins_somewhere), np.full((2, 1), 0.5, np.float32)
    first, second = (PortedVectorEnv(make, 2, way="traced") for _ in range(2))
    first.reset(seed=0)
    states = [first.save_state()]
    for _ in range(30):
        found = first.step(actions)[:2]
    states.append(first.save_state())
    # forward into one with less room, and back into one with more
    second.restore_state(states[1])
    ours, theirs = (envs.step(actions)[:2] for envs in (first, second))
    np.testing.assert_array_equal(ours[0], theirs[0])
    np.testing.assert_array_equal(ours[1], theirs[1])
    second.restore_state(states[0])
    for _ in range(30):
        again = second.step(actions)[:2]
    np.testing.assert_array_equal(again[0], found[0])
    np.testing.assert_array_equal(again[1], found[1])
    with pytest.raises(ValueError, match="restore_state: found rows of shape"):
        second.restore_state(np.zeros((2, 3), np.uint8))


# ---------------------------------------------------------------- as arrays


def measures_its_way(self, action):
    moved(self, action)
    self.path.append(self.data.site("front").xpos.copy())
    places = np.array(self.path)
    way = np.sum(np.linalg.norm(np.diff(places, axis=0), axis=1)) if len(places) > 1 else 0.0
    recent = np.asarray(self.path[-5:])
    spread = np.linalg.norm(recent.max(axis=0) - recent.min(axis=0))
    heights = places[:, 2]
    ahead = (places[1:, 0] - places[:-1, 0]).sum() + (places[-1] - places[0])[0]
    away = np.linalg.norm(places - places[0], axis=1).max() + np.square(places - recent[0]).mean()
    return plain(self, action, way + spread + heights.mean() + ahead + places[-1, 2] + away)


def stacks_the_last_ones(self, action):
    self.actions.append(np.array(action))
    moved(self, action)
    last = np.concatenate(self.actions[-3:])
    jerk = np.square(self.actions[-1] - 2 * self.actions[-2] + self.actions[-3]).sum()
    if self.data.qpos[0] > 0.4:
        self.actions = self.actions[-3:]
    return plain(self, action, jerk + last.sum() + np.stack(self.actions[-2:]).sum())


def begins_with_three(self):
    self.path = [np.zeros(3)]
    self.actions = [np.zeros(1, np.float32) for _ in range(3)]


@pytest.mark.parametrize("step", [measures_its_way, stacks_the_last_ones])
def test_lists_as_arrays(step):
    make = environment(step, begins_with_three)
    found = report(make)
    assert found.way == "traced", str(found)
    assert check(make, 3, 60).largest < 1e-12


def loses_some(self, action):
    self.actions.append(np.array(action))
    moved(self, action)
    last = [one[0] for one in self.actions[-3:]]
    if self.data.time > 0.3:
        self.actions.clear()
    return plain(self, action, sum(last) + len(last))


def test_lists_that_have_fewer_elements_than_ever():
    begins_anew_where_some_do(environment(loses_some, begins_with_three))
