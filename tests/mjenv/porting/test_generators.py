"""Random numbers in a step that are not those of the world's own generator: none is a constant."""

# ruff: noqa: NPY002
import random
from random import uniform as drawn_uniform

import gymnasium as gym
import numpy as np
import pytest

from mjenv.porting.checking import check
from mjenv.porting.environment.generators import Watch
from mjenv.porting.environment.states_of_generators import copied, state_of
from mjenv.porting.porting import WORLD_BY_WORLD, report
from mjenv.porting.running.saved_worlds import put_rows, rows_of_worlds
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


def asks_numpy(self, action):
    moved(self, action)
    return plain(self, action, np.random.uniform(-1, 1) + np.random.randn())


def asks_a_function(self, action):
    moved(self, action)
    return plain(self, action, drawn_uniform(0, 2))


def asks_where_it_is_high(self, action):
    moved(self, action)
    gained = np.random.randint(5) if self.data.qpos[0] > 0 else 0
    return plain(self, action, gained)


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


@pytest.mark.parametrize("step", [asks_the_module, asks_numpy, asks_a_function])
@pytest.mark.parametrize("way", ["traced", WORLD_BY_WORLD])
def test_each_world_has_generators_like_those_of_modules(step, way):
    made = environment(step)
    assert check(made, 2, 20, way) == ("", 0.0, 20)
    # seeds are theirs, too, and the program's own go on as if nobody had asked them
    random.seed(3)
    np.random.seed(3)
    envs = PortedVectorEnv(made, 2, way=way)
    states = random.getstate(), repr(np.random.get_state())
    again = []
    for _ in range(2):
        envs.reset(seed=4)
        again.append([envs.step(np.zeros((2, 1), np.float32))[1].tolist() for _ in range(3)])
    assert again[0] == again[1]
    assert len(set(np.ravel(again[0]).tolist())) == 6
    assert (random.getstate(), repr(np.random.get_state())) == states
    # other episodes without a seed, which are those of the module's
    unseeded = [envs.reset() and envs.step(np.zeros((2, 1), np.float32))[1][0] for _ in range(2)]
    assert unseeded[0] != unseeded[1]


def test_a_module_is_asked_in_worlds_of_a_way():
    assert report(environment(asks_where_it_is_high)).way == "traced"
    assert check(environment(asks_where_it_is_high), 3, 40) == ("", 0.0, 40)


@pytest.mark.parametrize("step", [asks_a_global, asks_a_space])
def test_numbers_of_nobody_are_no_constants(step):
    made = environment(step)
    found = report(made)
    assert found.way == WORLD_BY_WORLD
    assert SHARED in found.reason
    assert len(set(rewards(made).ravel().tolist())) == 12


def resets_by_modules(self, *, seed=None, options=None):
    found = type(self).__mro__[1].reset(self, seed=seed, options=options)
    self.data.qvel[0] = np.random.uniform(-1, 1) + random.choice([0.5, -0.5])
    return self.observed(), found[1]


def test_resets_ask_modules():
    made = environment(lambda self, action: (moved(self, action), plain(self, action))[1])

    def by_modules():
        env = made()
        env.__class__ = type("ByModules", (type(env),), {"reset": resets_by_modules})
        return env

    envs = PortedVectorEnv(by_modules, 3)
    assert envs._traced.reset_program is not None
    first = envs.reset(seed=4)[0].copy()
    np.testing.assert_array_equal(envs.reset(seed=4)[0], first)
    rows = envs.save_state()
    others = envs.reset()[0].copy()
    assert (others != first).any(axis=1).all()
    envs.restore_state(rows)
    np.testing.assert_array_equal(envs.reset()[0], others)
    assert check(by_modules, 2, 20) == ("", 0.0, 20)


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


def samples_actions(self, *, seed=None, options=None):
    found = type(self).__mro__[1].reset(self, seed=seed, options=options)
    for _ in range(2):
        self.step(self.action_space.sample())
    return self.observed(), found[1]


def test_samples_of_a_space_are_each_worlds_own():
    made = environment(lambda self, action: (moved(self, action), plain(self, action))[1])

    def sampling():
        env = made()
        env.action_space = gym.spaces.Box(-1, 1, (1,), np.float32)
        env.__class__ = type("Sampling", (type(env),), {"reset": samples_actions})
        return env

    envs = PortedVectorEnv(sampling, 3)
    assert envs._traced.reset_program is not None
    assert check(sampling, 2, 10) == ("", 0.0, 10)
    first = envs.reset(seed=4)[0].copy()
    assert len(np.unique(first, axis=0)) == 3
    np.testing.assert_array_equal(envs.reset(seed=4)[0], first)
    assert (envs.reset()[0] != first).any(axis=1).all()


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
    given = (0.0, 1.0) if normal == "gauss" else ()
    for _ in range(3):
        getattr(first, normal)(*given)
    rows = rows_of_worlds([np.arange(4.0).reshape(2, 2)], [[None, first], [None, None]])
    again = [[None, copied(first)], [None, None]]
    found = np.zeros((2, 2))
    expected = [getattr(first, normal)(*given) for _ in range(5)]
    put_rows(rows, [found], again)
    assert found.tolist() == [[0, 1], [2, 3]]
    assert [getattr(again[0][1], normal)(*given) for _ in range(5)] == expected
    assert [again[0][0], *again[1]] == [None] * 3
    assert repr(state_of(copied(again[0][1]))) == repr(state_of(again[0][1]))
