"""The suite in Gymnasium: single environments, lanes and compiled tasks have the same bits."""

import pickle

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from mjenv import suite
from mjenv.gym.registration import SUITE

IDS = [row.id for row in SUITE]
QUICK = ("pendulum-swingup-v0", "finger-turn_easy-v0")
CASES = [pytest.param(id, marks=[pytest.mark.slow] * (id not in QUICK)) for id in IDS]


def vector(id, num_envs=9, **arguments):
    return gymnasium.make_vec(f"mjenv/{id}", num_envs=num_envs, **arguments)


def actions_of(envs, count, seed=0):
    space = envs.single_action_space
    low, high = np.maximum(space.low, -2), np.minimum(space.high, 2)
    random = np.random.default_rng(seed)
    return random.uniform(low, high, (count, envs.num_envs, *space.shape)).astype(np.float32)


@pytest.mark.sweep(1)
@pytest.mark.parametrize("id", CASES)
def test_lanes_are_single_environments(id):
    """Compiled and plain, with the seed's next numbers."""
    envs, plain = vector(id), vector(id, compiled=False)
    assert envs.compiled, envs.compile_error
    assert not plain.compiled
    actions = actions_of(envs, 6)
    first = envs.reset(seed=5)[0]
    np.testing.assert_array_equal(plain.reset(seed=5)[0], first)
    steps = [envs.step(action) for action in actions]
    for action, step in zip(actions, steps, strict=True):
        np.testing.assert_equal(plain.step(action), step)
    for lane in (0, 8):
        env = gymnasium.make(f"mjenv/{id}")
        np.testing.assert_array_equal(env.reset(seed=5 + lane)[0], first[lane])
        for action, step in zip(actions, steps, strict=True):
            observation, reward, *_ = env.step(action[lane])
            np.testing.assert_array_equal(observation, step[0][lane])
            assert reward == step[1][lane]


@pytest.mark.parametrize("id", CASES)
def test_restored_environments_continue_with_the_same_bits(id):
    """Through resets, with numpy's older generator."""
    envs = vector(id, 3, max_episode_steps=4)
    envs.reset(seed=3)
    for action in actions_of(envs, 2):
        envs.step(action)
    rows, actions = envs.save_state(), actions_of(envs, 6, seed=1)
    first = [envs.step(action) for action in actions]
    other = vector(id, 3, max_episode_steps=4)
    for again in (envs, other):
        again.restore_state(rows)
        np.testing.assert_equal([again.step(action) for action in actions], first)


def test_gymnasium_has_the_suites_observations():
    """The parts in order, flat; and rewards."""
    env, flat = gymnasium.make("mjenv/walker-walk-v0"), {"flat_observation": True}
    first, seed = env.reset(seed=7)[0], {"random": 7}
    one = suite.load("walker", "walk", seed)
    other = suite.load("walker", "walk", seed, environment_kwargs=flat)
    named = one.reset().observation
    assert list(named) == ["orientations", "height", "velocity"]
    assert np.shape(named["height"]) == ()
    np.testing.assert_array_equal(np.concatenate([np.ravel(v) for v in named.values()]), first)
    np.testing.assert_array_equal(other.reset().observation["observations"], first)
    action = np.full(6, 0.5)
    assert env.step(action)[1] == one.step(action).reward == other.step(action).reward


def test_large_seeds_are_seeds():
    """Also those that numpy's older generator does not take."""
    env = gymnasium.make("mjenv/pendulum-swingup-v0")
    first = env.reset(seed=1 << 90)[0]
    np.testing.assert_array_equal(env.reset(seed=1 << 90)[0], first)
    assert not np.array_equal(env.reset(seed=(1 << 90) + 1)[0], first)
    assert not np.array_equal(env.reset()[0], first)


@pytest.mark.slow
def test_each_episode_has_terrain_of_its_own():
    envs = vector("quadruped-escape-v0", 2)
    envs.reset(seed=1)
    first, other = envs.data.varied["hfield_data"].copy()
    assert np.unique(first).size > 1000
    assert not np.array_equal(first, other)
    env = gymnasium.make("mjenv/quadruped-escape-v0").unwrapped
    env.reset(seed=2)
    np.testing.assert_array_equal(env.data.varied["hfield_data"][0], other)
    env.reset()
    assert not np.array_equal(env.data.varied["hfield_data"][0], other)


def test_gymnasium_finds_no_fault():
    """Its own check, in which generators are compared; and copies go on with the same numbers."""
    env = gymnasium.make("mjenv/hopper-hop-v0").unwrapped
    check_env(env, skip_render_check=True)
    env.reset(seed=2)
    other = pickle.loads(pickle.dumps(env))
    assert type(other.np_random) is type(env.np_random)
    np.testing.assert_array_equal(other.reset()[0], env.reset()[0])
