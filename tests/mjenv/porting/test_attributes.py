"""Attributes, objects and fields of the model that resets and steps change."""

from collections import OrderedDict

import numpy as np
import pytest

from mjenv.porting.checking import check
from mjenv.porting.porting import report
from mjenv.porting.running import dry_run
from mjenv.porting.symbols.refusals import NotTraced
from mjenv.porting.vector import PortedVectorEnv
from tests.mjenv.porting.environments import environment, in_place, plain


@pytest.fixture
def untried(monkeypatch):
    """Ports whose resets have not been tried beforehand."""
    monkeypatch.setattr(dry_run, "_NRESET", 0)
    monkeypatch.setattr(dry_run, "_SEEDS", ())


def not_traced(self):
    """What a reset cannot be traced with."""
    self.np_random.permutation(["one", "other"])


def rarely(value, more=lambda self: None):
    """A reset that changes an attribute in the tenth of seeds that `seldom` is drawn in."""

    def reset(self):
        more(self)
        self.seldom = value if self.np_random.integers(10) == 9 else 0.0

    return reset


def uses_seldom(self, action):
    self.physics()
    return plain(self, action, self.data.qpos[0] + self.seldom)


@pytest.mark.sweep(1)
@pytest.mark.parametrize("more", [not_traced, lambda self: None])
def test_attributes_that_a_rare_reset_changes_are_those_of_worlds(more, untried):
    make = environment(uses_seldom, rarely(7.0, more))
    # a reset that is traced is followed both ways
    assert ("each world's own: self.goal, self.seldom" in str(report(make))) == (
        more is not not_traced
    )
    found = check(make, nseed=40, nstep=3, way="traced")
    assert not found.first
    envs = PortedVectorEnv(make, 40, way="traced")
    envs.reset(seed=0)
    rewards = envs.step(np.zeros((40, 1), np.float32))[1]
    assert 1 <= (rewards > 6).sum() < 20


def counts_episodes(self):
    self.episodes = getattr(self, "episodes", 0) + 1
    self.goal[0] = self.episodes


def test_resets_find_the_attributes_of_their_world():
    envs = PortedVectorEnv(environment(in_place, counts_episodes), 5, way="traced")
    envs.reset(seed=0)
    for _ in range(3):
        envs.reset(options={"reset_mask": np.arange(5) < 2})
    assert envs._worlds.attributes["self.goal"][:, 0].tolist() == [4, 4, 1, 1, 1]


def draws_a_rotation(self):
    from array import array

    self.thing = array("d", [self.np_random.uniform()])


def uses_the_rotation(self, action):
    self.physics()
    return plain(self, action, self.thing[0])


def test_objects_that_resets_make_anew_are_not_taken_for_constants():
    found = report(environment(uses_the_rotation, draws_a_rotation))
    assert "found self.thing, an object that episodes change" in found.reason
    assert report(environment(in_place, draws_a_rotation)).way == "traced"


def rarely_heavy(self):
    not_traced(self)
    if self.np_random.integers(10) == 9:
        self.model.body_mass[1] = 3.0


def rarely_turned(self):
    not_traced(self)
    if self.np_random.integers(10) == 9:
        self.model.body_mass[1] = 3.0
        self.model.site("front").pos = self.np_random.uniform(1, 2, 3)
        self.model.body("cart").ipos = self.np_random.uniform(-0.1, 0.1, 3)


@pytest.mark.parametrize("reset", [rarely_heavy, rarely_turned])
def test_models_that_a_rare_reset_changes_are_those_of_worlds(reset, untried):
    make = environment(in_place, reset)
    found = check(make, nseed=40, nstep=5, way="traced")
    assert not found.first
    # a world keeps its own in later episodes, which do not change them
    envs = PortedVectorEnv(make, 40, way="traced")
    envs.reset(seed=0)
    heavy = envs._worlds._fields.values["body_mass"][:, 1]
    assert 1 <= (heavy == 3.0).sum() < 20
    lighter = heavy != 3.0
    envs.reset(options={"reset_mask": np.arange(40) < 20})
    heavier = envs._worlds._fields.values["body_mass"][:, 1]
    assert (heavier[~lighter] == 3.0).all()
    assert (heavier[20:] == heavy[20:]).all()


def rarely_untouched(self):
    not_traced(self)
    if self.np_random.integers(10) == 9:
        self.model.geom_contype[1] = 2


def test_models_that_a_rare_reset_changes_for_all_worlds_are_refused(untried):
    envs = PortedVectorEnv(environment(in_place, rarely_untouched), 40, way="traced")
    with pytest.raises(NotTraced, match=r"found model\.geom_contype changed by episodes"):
        envs.reset(seed=0)


def heavy_at_times(self):
    if self.np_random.integers(10) == 9:
        self.model.body_mass[1] = 3.0
    else:
        self.model.body_mass[1] = 1.0


def test_models_that_a_traced_reset_changes_rarely_are_those_of_worlds():
    found = check(environment(in_place, heavy_at_times), nseed=40, nstep=2, way="traced")
    assert not found.first


def rarely_more(self):
    if self.np_random.integers(10) == 9:
        self.extra = 5.0


def uses_more(self, action):
    self.physics()
    return plain(self, action, getattr(self, "extra", 0.0))


def test_attributes_that_are_new_after_a_rare_reset_are_refused(untried):
    envs = PortedVectorEnv(environment(uses_more, rarely_more), 40, way="traced")
    with pytest.raises(NotTraced, match=r"found self\.extra changed by a reset, for the first"):
        envs.reset(seed=0)


def test_what_rare_resets_change_is_found_out_when_a_port_is_made():
    with pytest.raises(NotTraced, match=r"found self\.extra changed by a reset, for the first"):
        PortedVectorEnv(environment(uses_more, rarely_more), 2, way="traced")


def makes_a_list_anew(self):
    self.kept = {"goal": [1.0, 2.0], "rest": 3}
    if self.np_random.integers(10) == 9:
        self.kept["rest"] = 4


def uses_the_list(self, action):
    self.physics()
    return plain(self, action, self.kept["goal"][1] + self.kept["rest"])


def test_numbers_in_containers_that_resets_make_anew_are_compared():
    found = check(environment(uses_the_list, makes_a_list_anew), nseed=40, nstep=2, way="traced")
    assert not found.first


def keeps_a_part(self):
    self.front = self.data.site("front").xpos
    self.speed = self.data.qvel


def uses_the_part(self, action):
    before = self.front[0] + self.speed[1]
    self.data.ctrl[:] = action
    self.physics()
    return plain(self, action, self.front[0] - 2 * before + self.speed[0])


def test_attributes_that_are_parts_of_the_data_are_live():
    found = check(environment(uses_the_part, keeps_a_part), nseed=3, nstep=10, way="traced")
    assert not found.first


def keeps_it_in_the_step(self, action):
    self.physics()
    self.front = self.data.site("front").xpos
    return plain(self, action, self.front[0])


def test_parts_of_the_data_that_are_kept_at_times_are_refused():
    found = report(environment(keeps_it_in_the_step, lambda self: setattr(self, "front", None)))
    assert "found self.front, a part of data.site_xpos that changes with it" in found.reason


def moves_the_middle(self):
    """MuJoCo has noted that this site lies in its body's frame, and leaves it there."""
    self.model.site("middle").pos = self.np_random.uniform(1, 2, 3)
    self.model.site("front").pos = self.np_random.uniform(1, 2, 3)


def uses_the_middle(self, action):
    self.data.ctrl[:] = action
    self.physics()
    places = self.data.site("middle").xpos[0] - 3 * self.data.site("front").xpos[0]
    return plain(self, action, places + 7 * self.model.site("middle").pos[1])


def moves_it_in_the_step(self, action):
    self.model.site("middle").pos[0] = 5 * action[0]
    return uses_the_middle(self, action)


def moves_the_mass(self):
    self.model.body("cart").ipos = self.np_random.uniform(-0.1, 0.1, 3)


@pytest.mark.parametrize(
    ("step", "reset"),
    [
        (uses_the_middle, moves_the_middle),
        (moves_it_in_the_step, moves_the_middle),
        (uses_the_middle, moves_the_mass),
    ],
)
def test_frames_that_the_model_notes_stay_where_they_are(step, reset):
    found = check(environment(step, reset), nseed=3, nstep=10, way="traced")
    assert not found.first, found.first


def forgets_where_it_began(self):
    self.began = None


def remembers_where_it_began(self, action):
    """As reward functions do that need a distance at the start."""
    self.data.ctrl[:] = action
    first = self.began is None
    if first:
        self.began = float(self.data.qpos[0])
    self.physics()
    return plain(self, action, self.data.qpos[0] - 3 * self.began + (0.5 if first else 0.0))


def test_attributes_that_are_none_at_times():
    made = environment(remembers_where_it_began, forgets_where_it_began)
    found = check(made, nseed=3, nstep=10, way="traced")
    assert not found.first, found.first


def forgets_its_count(self):
    self.seen, self.side, self.cell = None, None, None


def counts_in_whole_numbers(self, action):
    self.data.ctrl[:] = action
    self.physics()
    self.seen = 1 if self.seen is None or self.seen > 5 else self.seen + 1
    if self.side is None:
        self.side = bool(self.data.qpos[0] > 0)
    elif np.abs(self.data.qvel[0]) > 0.3:
        self.side = None
    self.cell = np.array([1, 2]) if self.cell is None else self.cell + 1
    reward = 10.0 if self.side is None else 3.0 * self.side
    return plain(self, action, reward + self.seen % 3 + self.cell[1])


def test_whole_numbers_and_truths_that_are_none_at_times():
    made = environment(counts_in_whole_numbers, forgets_its_count)
    found = check(made, nseed=3, nstep=20, way="traced")
    assert not found.first, found.first


def empties_its_list(self):
    self.cell = None


def has_nothing_in_it(self, action):
    self.physics()
    self.cell = np.zeros(0)
    return plain(self, action)


def test_arrays_of_nothing_that_are_none_at_times_are_refused():
    found = report(environment(has_nothing_in_it, empties_its_list))
    assert "found self.cell, which is None at times, expected numbers at others" in found.reason


def counts_from_another_number(self):
    np.linalg.eigh(np.eye(2) * (1.0 + self.np_random.random()))
    self.count = 7 if self.np_random.random() < 0.1 else 5


def pays_its_count(self, action):
    self.data.ctrl[:] = action
    self.physics()
    return plain(self, action, self.count + 0.0)


def test_worlds_keep_a_constant_that_one_of_them_has_otherwise():
    """The environment is made with 0, which is not what resets leave."""
    ported = PortedVectorEnv(
        environment(pays_its_count, counts_from_another_number), 32, way="traced"
    )
    ported.reset(seed=100)
    rewards = ported.step(np.zeros((32, 1), np.float32))[1]
    assert {*rewards.tolist()} == {5.0, 7.0}


def moved_cart(self, action):
    self.data.ctrl[:] = action
    self.physics()
    return float(self.data.qpos[0]), float(self.data.qvel[0])


def makes_a_dict(self, action):
    place, speed = moved_cart(self, action)
    self.terms = {"place": place, "speed": 2.0 * speed}
    return plain(self, action, sum(self.terms.values()))


def fills_a_dict(self, action):
    self.kept["place"], self.kept["speed"] = moved_cart(self, action)
    return plain(self, action, self.kept["place"] - self.kept["speed"])


def makes_an_ordered_dict(self, action):
    place, speed = moved_cart(self, action)
    self.kept = OrderedDict((("place", np.array([place])), ("speed", speed)))
    return plain(self, action, self.kept["place"][0] - self.kept["speed"])


def asks_for_a_name(self, action):
    place, _ = moved_cart(self, action)
    before = self.kept.get("place", 7.0)
    self.kept["place"] = place
    return plain(self, action, place - before)


def with_a_dict(step):
    def make():
        made = environment(step)()
        made.kept = {}
        return made

    return make


@pytest.mark.parametrize("step", [makes_a_dict, fills_a_dict, makes_an_ordered_dict])
def test_dicts_that_the_first_step_makes(step):
    """Such as the terms of the reward, for whoever logs them."""
    found = check(with_a_dict(step), nseed=3, nstep=12, way="traced")
    assert not found.first, found


def test_a_step_that_asks_whether_there_was_one_before_runs_in_python():
    make = with_a_dict(asks_for_a_name)
    assert report(make).way == "world by world"
    assert not check(make, nseed=2, nstep=8).first


def begins_with_numbers(self):
    self.touched, self.since, self.kept = np.zeros(2), np.zeros(2), 0
    self.rare = False


def finds_truths(self, action):
    """Numbers after a reset, truth values after a step; whole numbers, and then others."""
    self.data.ctrl[:] = action
    self.physics()
    now = self.data.qpos > 0
    either = np.logical_or(now, self.touched)
    self.touched = now
    reward = np.sum((self.since - 0.02) * ((self.since > 0) * either)) + 0.5 * self.kept
    self.since += 0.01
    self.since *= ~either
    if self.data.qvel[0] > 0.02:
        self.kept = self.data.qvel[0]
    if self.data.qpos[0] > 0.1:
        self.rare = 3
    return plain(self, action, reward + (1.5 * self.rare if self.rare else 0.0))


def test_attributes_of_two_types():
    make = environment(finds_truths, begins_with_numbers)
    assert "reset not traced" not in str(report(make))
    found = check(make, nseed=3, nstep=60, way="traced")
    assert not found.first
    assert found.largest < 1e-14


def adds_truths(self, action):
    self.physics()
    now = self.data.qpos > 0
    total = np.sum(now + self.touched)
    self.touched = now
    return plain(self, action, float(total))


def inverts_a_truth(self, action):
    self.physics()
    inverse = ~self.kept
    self.kept = self.data.qpos[0] > 0
    return plain(self, action, float(inverse))


@pytest.mark.parametrize("step", [adds_truths, inverts_a_truth])
def test_truths_and_numbers_are_not_taken_for_one_another(step):
    """True + True is True, and ~True is False, of numbers 2 and -2."""
    assert "a truth value at times" in report(environment(step, begins_with_numbers)).reason


def begins_without(self):
    self.before, self.since, self.pair = None, None, None


def differences(self, action):
    """None where a goal was reached, in a step that draws and has branches of values."""
    self.data.ctrl[:] = action
    self.physics()
    distance = np.linalg.norm(self.goal - self.data.qpos)
    reward = 0.0 if self.before is None else self.before - distance
    last = None if self.data.qpos[0] < 0 else self.data.qpos[0]
    self.before = distance
    if last is not None and last > 0.01:
        reward += 10 * last
    if distance < 0.6:
        self.goal = self.np_random.uniform(-1, 1, 2)
        self.before, reward = None, reward + 5.0
        if self.since is None:
            self.since = self.data.time
    if self.since == 0.03:
        reward += 100.0
    return plain(self, action, reward, self.since is not None and self.since > 0.5)


def test_attributes_that_branches_of_values_make_none():
    found = check(environment(differences, begins_without), nseed=4, nstep=40, way="traced")
    assert not found.first
    assert found.largest < 1e-13


def compares_with_none(self, action):
    """Draws that depend on whether there is a number, which is one value then."""
    self.data.ctrl[:] = action
    self.physics()
    reward = 1.0 if self.before == None else 2.0  # noqa: E711  environments have it
    if self.before is not None and self.np_random.random() < 0.5:
        reward += self.before
        self.before = None
    elif self.np_random.random() < 0.5:
        self.before = float(self.data.qvel[0])
    if self.pair is not None and self.np_random.random() < 0.7:
        reward += self.pair[1] - sum(value for value in self.pair) + len(self.pair)
    self.pair = self.data.qpos.copy()
    return plain(self, action, reward + (1.0 if self.before else 0.0))


def test_whether_there_is_a_number_decides_about_random_numbers():
    found = check(environment(compares_with_none, begins_without), 4, 40, way="traced")
    assert not found.first


def begins_whole(self):
    self.best = 0


def forgets_the_best(self, action):
    """Whole numbers at first, then a real one, or None where values say so."""
    self.data.ctrl[:] = action
    self.physics()
    reward = 0.5 if self.best is None else self.best
    self.count += 1
    if self.count < 8:
        self.best = self.count
    elif self.np_random.random() < 2:
        self.best = None if self.data.qpos[0] > 0.02 else self.data.qvel[0]
    return plain(self, action, reward)


def test_whole_numbers_that_become_real_or_none():
    found = check(environment(forgets_the_best, begins_whole), 3, 40, way="traced")
    assert not found.first


def computes_with_none(self, action):
    self.data.ctrl[:] = action
    self.physics()
    if self.data.time > 0.25:
        self.before = None
    elif self.np_random.random() < 2:
        self.before = self.data.qpos[0]
    return plain(self, action, self.before + 1.0)


def test_computing_with_none_is_an_error_of_the_worlds_that_have_it():
    envs = PortedVectorEnv(environment(computes_with_none, begins_without), 2, way="traced")
    envs.reset(seed=0)
    for _ in range(8):
        envs.step(np.zeros((2, 1), np.float32))
    with pytest.raises(TypeError, match="None"):
        envs.step(np.zeros((2, 1), np.float32))


def is_pushed_at_times(self, action):
    """An array that is None in most episodes' first steps, and drawn in others."""
    if self.left == 0 and self.np_random.uniform() < 0.2:
        self.push, self.left = self.np_random.normal(size=3), 3
    self.data.xfrc_applied[:] = 0
    if self.left > 0:
        self.data.xfrc_applied[1, :3] = self.push
        self.left -= 1
    else:
        self.push = None
    self.data.ctrl[:] = action
    self.physics()
    return plain(self, action, 0.0 if self.push is None else float(self.push[0]))


def begins_unpushed(self):
    self.push, self.left = None, 0


def test_an_array_that_is_none_at_times():
    make = environment(is_pushed_at_times, begins_unpushed)
    found = report(make)
    assert found.way == "traced", str(found)
    assert check(make, 4, 20).largest < 1e-14
