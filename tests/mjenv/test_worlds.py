"""Worlds as learners take them: types, ends of episodes, and what is refused."""

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

from mjenv.worlds import Returns, Worlds


def stepped(worlds, count):
    """Results of steps with random actions."""
    random = np.random.default_rng(0)
    shape = worlds.num_envs, *worlds.action_space.shape
    for _ in range(count):
        yield worlds.step(random.uniform(-1, 1, shape).astype(np.float32))


def test_results_are_those_of_the_environment():
    worlds = Worlds("Hopper-v5", 8)
    envs: Any = gymnasium.make_vec("mjenv/Hopper-v5", num_envs=8, autoreset_mode="SameStep")
    np.testing.assert_array_equal(worlds.reset(3), envs.reset(seed=3)[0].astype(np.float32))
    random, ends = np.random.default_rng(0), 0
    for results in stepped(worlds, 60):
        seen, rewards, terminated, truncated, infos = envs.step(
            random.uniform(-1, 1, (8, 3)).astype(np.float32)
        )
        assert results.observation.dtype == results.reward.dtype == np.float32
        np.testing.assert_array_equal(results.observation, seen.astype(np.float32))
        np.testing.assert_array_equal(results.reward, rewards.astype(np.float32))
        np.testing.assert_array_equal(results.terminated, terminated)
        last = worlds.last(results)
        for i in np.flatnonzero(terminated):
            np.testing.assert_array_equal(last[i], infos["final_obs"][i].astype(np.float32))
            assert not np.array_equal(last[i], results.observation[i])
        running = ~(terminated | truncated)
        np.testing.assert_array_equal(last[running], results.observation[running])
        ends += terminated.sum()
    assert ends > 5


def test_groups():
    worlds = Worlds("Go1Velocity-v0", 3, max_episode_steps=4)
    assert worlds.groups == ("policy", "critic") or set(worlds.groups) == {"policy", "critic"}
    worlds.reset(0)
    for k, results in enumerate(stepped(worlds, 9)):
        last = worlds.last(results)
        assert {name: array.shape for name, array in last.items()} == {
            "policy": (3, 48), "critic": (3, 72)
        }  # fmt: skip
        changed = (last["critic"] != results.observation["critic"]).any(axis=1)
        np.testing.assert_array_equal(changed, [k in (3, 7)] * 3)


def test_actions_are_clipped():
    one, other = (Worlds("Hopper-v5", 2) for _ in range(2))
    for worlds in (one, other):
        worlds.reset(0)
    far, near = (one.step(np.full((2, 3), 9.0)), other.step(np.full((2, 3), 1.0)))
    np.testing.assert_array_equal(far.reward, near.reward)


def test_lengths_of_episodes_can_be_set():
    worlds = Worlds("Hopper-v5", 3)
    worlds.reset(0)
    worlds.elapsed[:] = [998, 999, 5]
    results = next(stepped(worlds, 1))
    np.testing.assert_array_equal(results.truncated, [False, True, False])
    np.testing.assert_array_equal(worlds.elapsed, [999, 0, 6])


def test_returns_by_term():
    worlds = Worlds("Hopper-v5", 4)
    worlds.reset(0)
    returns, sums, found = Returns(worlds), np.zeros(4), []
    for results in stepped(worlds, 40):
        sums += results.reward
        means = returns.add(results)
        ended = results.terminated | results.truncated
        assert bool(means) == ended.any()
        if means:
            np.testing.assert_allclose(sum(means.values()), sums[ended].mean(), rtol=1e-5)
            sums[ended] = 0.0
            found.append(means)
    assert found
    assert set(found[0]) == {"reward_forward", "reward_ctrl", "reward_survive"}


def test_what_is_refused():
    envs = gymnasium.make_vec("mjenv/Hopper-v5", num_envs=2)
    with pytest.raises(ValueError, match="autoreset_mode NextStep, expected SameStep"):
        Worlds(envs)
    with pytest.raises(ValueError, match="expected Disabled"):
        Worlds(envs, mode=AutoresetMode.DISABLED)
    envs = gymnasium.make_vec("mjenv/Hopper-v5", num_envs=2, autoreset_mode="SameStep")
    with pytest.raises(ValueError, match="float64, expected float32"):
        Worlds(envs)
    with pytest.raises(TypeError, match="num_envs, frame_skip: given with an environment"):
        Worlds(envs, 2, frame_skip=3)
