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
            "policy": (3, 50), "critic": (3, 74)
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


MIX = {"Hopper-v5": 2, "InvertedPendulum-v5": {"max_episode_steps": 7}}


def test_several_tasks_have_limits_terms_and_ranges_of_their_own():
    worlds = Worlds(MIX, 6)
    inner: Any = worlds.envs.unwrapped
    assert inner.owner.tolist() == [0, 1, 0, 0, 1, 0]
    assert worlds.limits.tolist() == [1000, 7, 1000, 1000, 7, 1000]
    dt = {name: part.unwrapped.task.dt for name, part in inner.parts.items()}
    np.testing.assert_array_equal(
        worlds.seconds, [dt[inner.task_names[k]] for k in inner.owner.tolist()]
    )
    # actions are clipped to the range of each task: 1 of one, 3 of the other
    other = Worlds(MIX, 6)
    worlds.reset(0), other.reset(0)
    near = np.array([[1.0, 1, 1], [3, 0, 0]], np.float32)[inner.owner]
    far, close = worlds.step(np.full((6, 3), 9.0, np.float32)), other.step(near)
    np.testing.assert_array_equal(far.observation, close.observation)
    np.testing.assert_array_equal(far.reward, close.reward)
    # what is written to the steps of episodes counts
    assert worlds.elapsed.tolist() == [1] * 6
    worlds.elapsed[:] = [999, 5, 3, 998, 6, 2]
    results = worlds.step(near)
    assert results.truncated.tolist() == [True, False, False, False, True, False]
    assert worlds.elapsed.tolist() == [0, 6, 4, 999, 0, 3]


def test_terms_of_several_tasks_are_means_over_those_that_have_them():
    worlds = Worlds(MIX, 6)
    owner = worlds.envs.unwrapped.owner
    worlds.reset(0)
    returns, sums, seen = Returns(worlds, 2.0), np.zeros(6), 0
    for results in stepped(worlds, 60):
        sums += results.reward
        means = returns.add(results)
        ended = results.terminated | results.truncated
        hoppers = {n: one for n, one in means.items() if n not in ("reward_survive",)}
        assert bool(hoppers) == (ended & (owner == 0)).any()
        if (ended & (owner == 1)).any() and not (ended & (owner == 0)).any():
            assert means == {"reward_survive": sums[ended].mean() / 2.0}
            seen += 1
        sums[ended] = 0.0
    assert seen


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
