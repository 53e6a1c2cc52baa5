"""Random numbers in a step that are not those of the world's own generator: none is a constant."""

import random

import gymnasium as gym
import numpy as np
import pytest

from mjenv.porting.checking import check
from mjenv.porting.generators import Watch
from mjenv.porting.porting import WORLD_BY_WORLD, report
from mjenv.porting.saved_worlds import put_rows, rows_of_worlds
from mjenv.porting.states_of_generators import copied, state_of
from mjenv.porting.vector import PortedVectorEnv
from mjenv.tracing.arrays import TraceError
from tests.mjenv.porting.environments import environment, plain

GLOBAL = np.random.default_rng(0)
SPACE = gym.spaces.Box(-1, 1, (1,), np.float64, seed=0)
SHARED = "a generator that worlds would share; expected those of self.np_random"


def moved(self, action):
    self.data.ctrl[:] = action
    self.physics()


def asks_a_global(self, action):
    moved(self, action)
    return plain(self, action, GLOBAL.random())


def asks_a_space(self, action):
    moved(self, action)
    return plain(self, action, float(SPACE.sample()[0]))


def asks_the_module(self, action):
    moved(self, action)
    return plain(self, action, random.random())


def asks_its_own(self, action):
    moved(self, action)
    return plain(self, action, self.rng.random())


def with_own(make, generator):
    """The environment with an attribute `rng`, and one inside a dict."""

    def made():
        env = make()
        env.rng = generator()
        env.held = {"inside": [generator()]}
        return env

    return made


def asks_one_inside(self, action):
    moved(self, action)
    return plain(self, action, self.held["inside"][0].uniform(0, 1))


def rewards(made, nworld=3):
    """Rewards of some steps, whose numbers differ."""
    envs = PortedVectorEnv(made, nworld)
    envs.reset(seed=0)
    return np.array([envs.step(np.zeros((nworld, 1), np.float32))[1] for _ in range(4)])


@pytest.mark.parametrize("step", [asks_a_global, asks_a_space, asks_the_module])
def test_numbers_of_nobody_are_no_constants(step):
    made = environment(step)
    found = report(made)
    assert found.way == WORLD_BY_WORLD
    assert SHARED in found.reason
    assert len(set(rewards(made).ravel().tolist())) == 12


KINDS = [
    lambda: np.random.RandomState(3),
    lambda: np.random.default_rng(3),
    lambda: random.Random(3),
]


@pytest.mark.parametrize("generator", KINDS)
@pytest.mark.parametrize("step", [asks_its_own, asks_one_inside])
def test_each_world_has_generators_that_its_environment_has(step, generator):
    made = with_own(environment(step), generator)
    assert report(made).way == "traced"
    assert check(made, 2, 20) == ("", 0.0, 20)


def seeds_its_own(make_generator):
    """A reset that makes a generator of its seed, and begins with a number of it."""

    def reset(self, *, seed=None, options=None):
        if seed is not None:
            self.rng = make_generator(seed + 5)
        found = type(self).__mro__[1].reset(self, seed=seed, options=options)
        self.data.qvel[0] = self.rng.uniform(-1, 1)
        return self.observed(), found[1]

    def made():
        env = environment(asks_its_own)()
        env.rng = make_generator(0)
        env.__class__ = type("Seeded", (type(env),), {"reset": reset})
        return env

    return made


@pytest.mark.parametrize("reset_too", [False, True])
def test_generators_are_seeded_as_resets_do(reset_too):
    made = seeds_its_own(np.random.default_rng)
    envs = PortedVectorEnv(made, 3)
    assert envs.report.way == "traced"
    assert check(made, 2, 20) == ("", 0.0, 20)
    # the same numbers again, and others without a seed
    first = envs.reset(seed=4)[0].copy()
    if reset_too:
        assert (envs.reset()[0] != first).any()
    np.testing.assert_array_equal(envs.reset(seed=4)[0], first)


def test_states_of_worlds_have_their_generators():
    envs = PortedVectorEnv(with_own(environment(asks_its_own), lambda: random.Random(3)), 2)
    envs.reset(seed=0)
    rows, actions = envs.save_state(), np.zeros((2, 1), np.float32)
    before = [envs.step(actions)[1] for _ in range(3)]
    envs.restore_state(rows)
    np.testing.assert_array_equal([envs.step(actions)[1] for _ in range(3)], before)


def test_a_generator_of_several_environments_is_refused():
    shared = np.random.RandomState(3)
    made = with_own(environment(asks_its_own), lambda: shared)
    found = report(made)
    assert found.way == WORLD_BY_WORLD
    assert "random numbers of self." in found.reason
    assert SHARED in found.reason
    assert len(set(rewards(made)[:, 0].tolist())) == 4


def test_generators_that_no_step_asks_are_as_good_as_none():
    made = with_own(environment(lambda self, action: (moved(self, action), plain(self, action))[1]),
                    lambda: np.random.RandomState(3))  # fmt: skip
    assert report(made).way == "traced"


def test_generators_that_are_only_seeded_are_as_good_as_none():
    """As in environments whose resets seed their spaces."""

    def made():
        env = environment(lambda self, action: (moved(self, action), plain(self, action))[1])()
        env.observation_space = gym.spaces.Box(-np.inf, np.inf, (2,), np.float64)
        kind = type(env)

        class Seeding(kind):
            def reset(self, *, seed=None, options=None):
                if seed is not None:
                    self.observation_space.seed(seed)
                return kind.reset(self, seed=seed, options=options)

        env.__class__ = Seeding
        return env

    found = report(made)
    assert (found.way, found.reason) == ("traced", "")


def test_numbers_asked_elsewhere_are_found_out():
    elsewhere = np.random.default_rng(0)
    watch = Watch()
    watch.refuse_used()
    elsewhere.random()
    with pytest.raises(TraceError, match="a Generator outside of the environment"):
        watch.refuse_used()
    watch = Watch()
    random.random()
    with pytest.raises(TraceError, match="a Random outside"):
        watch.refuse_used()


@pytest.mark.parametrize(
    ("made", "normal"),
    [
        (lambda: np.random.RandomState(7), "standard_normal"),
        (lambda: np.random.default_rng(7), "standard_normal"),
        (lambda: random.Random(7), "gauss"),
    ],
)
def test_generators_are_saved_with_what_they_have_in_store(made, normal):
    first = made()
    for _ in range(3):
        getattr(first, normal)()
    rows = rows_of_worlds([np.arange(4.0).reshape(2, 2)], [[None, first], [None, None]])
    again = [[None, copied(first)], [None, None]]
    found = np.zeros((2, 2))
    expected = [getattr(first, normal)() for _ in range(5)]
    put_rows(rows, [found], again)
    assert found.tolist() == [[0, 1], [2, 3]]
    assert [getattr(again[0][1], normal)() for _ in range(5)] == expected
    assert [again[0][0], *again[1]] == [None] * 3
    assert repr(state_of(copied(again[0][1]))) == repr(state_of(again[0][1]))
