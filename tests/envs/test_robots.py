"""Robots of mjenv's own: the same alone and among others, saved in the middle, and commands."""

from typing import Any

import gymnasium
import numpy as np
import pytest

import mjenv
from mjenv.lookup import environment_id
from mjenv.registration import ROBOTS

IDS = [f"mjenv/{row.id}" for row in ROBOTS]


@pytest.mark.parametrize("row", ROBOTS, ids=lambda row: row.id)
def test_tasks_are_sound(row):
    module = __import__(f"mjenv.envs.{row.module}", fromlist=[row.task])
    assert mjenv.check_task(getattr(module, row.task)) is None  # compiled


@pytest.mark.parametrize("name", IDS)
def test_bits(name):
    """Plain and compiled, saved and restored in the middle."""
    envs: Any
    plain: Any
    envs, plain = (gymnasium.make_vec(name, num_envs=3, compiled=c) for c in (True, False))
    random, rows = np.random.default_rng(0), None
    for one in (envs, plain):
        one.reset(seed=1)
    seen = []
    for k in range(60):
        actions = random.uniform(-1, 1, envs.action_space.shape).astype(np.float32)
        a, b = envs.step(actions), plain.step(actions)
        for x, y in zip(a[:4], b[:4], strict=True):
            np.testing.assert_array_equal(x, y)
        if k == 30:
            rows = envs.save_state()
        if k > 30:
            seen.append((actions, a[0].copy(), a[1].copy()))
    plain.restore_state(rows)
    for actions, observations, rewards in seen:
        again = plain.step(actions)
        np.testing.assert_array_equal(again[0], observations)
        np.testing.assert_array_equal(again[1], rewards)


def test_commands_of_the_quadruped():
    envs: Any = gymnasium.make_vec("mjenv/QuadrupedJoystick-v0", num_envs=64)
    envs.reset(seed=0)
    first = envs.task_state.command.copy()
    assert (np.abs(first) <= envs.task.fastest).all()
    assert 1 <= (first == 0).all(axis=1).sum() <= 20
    for _ in range(round(envs.task.seconds / envs.task.dt) - 1):
        observations = envs.step(np.zeros((64, 12), np.float32))[0]
        np.testing.assert_array_equal(observations[:, -3:], first)
    observations = envs.step(np.zeros((64, 12), np.float32))[0]
    np.testing.assert_array_equal(observations[:, -3:], envs.task_state.command)
    assert (envs.task_state.command != first).any(axis=1).mean() > 0.8


def test_names():
    assert environment_id("QuadrupedJoystick-v0") == "mjenv/QuadrupedJoystick-v0"
