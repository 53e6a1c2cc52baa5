"""Environments as dm_env's."""

import gymnasium
import numpy as np
import pytest

from mjenv.dm import DmEnv


def test_episodes():
    env = DmEnv(gymnasium.make("mjenv/Hopper-v5", max_episode_steps=5), seed=3)
    reference = gymnasium.make("mjenv/Hopper-v5")
    action = np.zeros(env.action_spec().shape)
    first = env.step(action)
    assert first.first()
    assert first.reward is None
    np.testing.assert_array_equal(first.observation, reference.reset(seed=3)[0])
    assert first.discount is None
    for _ in range(5):
        step = env.step(action)
        observation, reward, *_, info = reference.step(action)
        np.testing.assert_array_equal(step.observation, observation)
        assert step.reward == reward
        assert env.info == info
    assert step.last()
    assert step.discount == 1.0
    again = env.step(action)
    assert again.first()
    np.testing.assert_array_equal(again.observation, reference.reset()[0])
    env.close()


def test_specs():
    env = DmEnv(gymnasium.make("mjenv/Hopper-v5"))
    spaces = (env.env.observation_space, env.env.action_space)
    for spec, space in zip((env.observation_spec(), env.action_spec()), spaces, strict=True):
        assert (spec.shape, spec.dtype) == (space.shape, space.dtype)
    np.testing.assert_array_equal(env.action_spec().maximum, env.env.action_space.high)
    assert (env.reward_spec().shape, env.reward_spec().dtype) == ((), np.float64)
    assert (env.discount_spec().minimum, env.discount_spec().maximum) == (0.0, 1.0)


def test_termination_has_no_discount():
    env = DmEnv(gymnasium.make("mjenv/Hopper-v5", healthy_z_range=(5.0, 6.0)))
    env.reset()
    step = env.step(np.zeros(3))
    assert step.last()
    assert step.discount == 0.0


def test_spaces_are_boxes():
    with pytest.raises(TypeError, match="DmEnv: action_space is Discrete"):
        DmEnv(gymnasium.make("CartPole-v1"))
