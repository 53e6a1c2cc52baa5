"""Environments as dm_env's."""

import gymnasium
import numpy as np
import pytest

pytest.importorskip("dm_env")

import dm_env

from mjenv.dm import DmEnv


def test_episodes():
    env = DmEnv(gymnasium.make("mjenv/Hopper-v5", max_episode_steps=5), seed=3)
    reference = gymnasium.make("mjenv/Hopper-v5")
    action = np.zeros(env.action_spec().shape)
    env.action_spec().validate(np.float32(action))
    first = env.step(action)
    assert first.first()
    assert first.reward is None
    np.testing.assert_array_equal(first.observation, reference.reset(seed=3)[0])
    env.observation_spec().validate(first.observation)
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
    assert isinstance(env.reward_spec(), dm_env.specs.Array)
    env.close()


def test_termination_has_no_discount():
    env = DmEnv(gymnasium.make("mjenv/Hopper-v5", healthy_z_range=(5.0, 6.0)))
    env.reset()
    step = env.step(np.zeros(3))
    assert step.last()
    assert step.discount == 0.0


def test_spaces_are_boxes():
    with pytest.raises(TypeError, match="DmEnv: action_space is Discrete"):
        DmEnv(gymnasium.make("CartPole-v1"))
