"""Edits of an environment's model count in its next step, as in Gymnasium's environments."""

import gymnasium
import numpy as np
import pytest


def lift(model):
    model.geom_contype[:] = model.geom_conaffinity[:] = 0
    model.body_contype[:] = model.body_conaffinity[:] = 0


def roll(model):
    model.geom_condim[:] = 6


def weaken(model):
    model.jnt_actfrclimited[:] = 1
    model.jnt_actfrcrange[:] = -0.1, 0.1


def switch(model):
    model.opt.disableflags |= 1 << 10 | 1 << 3
    model.opt.integrator = 3
    model.opt.gravity[2] = -3


def make(num_envs, compiled):
    if num_envs == 1:
        return gymnasium.make("mjenv:mjenv/HalfCheetah-v5", compiled=compiled).unwrapped
    return gymnasium.make_vec("mjenv:mjenv/HalfCheetah-v5", num_envs=num_envs, compiled=compiled)


@pytest.mark.sweep(3)
@pytest.mark.parametrize("compiled", [True, False])
@pytest.mark.parametrize("num_envs", [1, 16])
@pytest.mark.parametrize("edit", [lift, roll, weaken, switch])
def test_edits_count(edit, num_envs, compiled):
    env, reference = make(num_envs, compiled), gymnasium.make("HalfCheetah-v5").unwrapped
    env.reset(seed=3), reference.reset(seed=3)
    rng = np.random.default_rng(0)
    for k in range(8):
        if k == 4:
            edit(env.unwrapped.model)
            edit(reference.model)
        action = rng.uniform(-1, 1, 6).astype(np.float32)
        given = action if num_envs == 1 else np.repeat(action[None], num_envs, 0)
        observation, reward = (np.atleast_2d(x)[0] for x in env.step(given)[:2])
        expected, expected_reward = reference.step(action)[:2]
        np.testing.assert_allclose(observation, expected, atol=1e-8)
        np.testing.assert_allclose(reward.ravel()[0], expected_reward, atol=1e-8)
