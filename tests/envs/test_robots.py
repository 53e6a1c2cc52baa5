"""Robots of mjenv's own: the same alone and among others, saved in the middle, and commands."""

import copy
from types import SimpleNamespace
from typing import Any, cast

import gymnasium
import numpy as np
import pytest
from gymnasium.wrappers import TimeLimit

import mjenv
from mjenv.gym.lookup import environment_id
from mjenv.gym.registration import ROBOTS

QUICK = ("QuadrupedJoystick-v0", "TwoAnts-v0")
CASES = [
    pytest.param(f"mjenv/{row.id}", marks=[pytest.mark.slow] * (row.id not in QUICK))
    for row in ROBOTS
]


@pytest.mark.sweep(1)
@pytest.mark.parametrize("row", ROBOTS, ids=lambda row: row.id)
def test_tasks_are_sound(row):
    module = __import__(f"mjenv.envs.{row.module}", fromlist=[row.task])
    assert mjenv.check_task(getattr(module, row.task)) is None  # compiled


@pytest.mark.sweep(1)
@pytest.mark.parametrize("nstep", [60, pytest.param(1000, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", CASES)
def test_bits(name, nstep):
    """Plain and compiled, alone and among others, saved and restored in the middle."""
    envs, plain = (
        cast(Any, gymnasium.make_vec(name, num_envs=3, compiled=compiled))
        for compiled in (True, False)
    )
    alone = gymnasium.make(name)
    envs.reset(seed=1)
    plain.reset(seed=1)
    alone.reset(seed=3)
    random, middle = np.random.default_rng(0), None
    actions = random.uniform(-0.7, 0.7, (nstep, *envs.action_space.shape)).astype(np.float32)
    seen, over = [], False
    for k, action in enumerate(actions):
        if k == nstep // 2:
            middle = envs.save_state(), over
        found = envs.step(action)
        same(found, plain.step(action))
        over = follow(alone, action[2], over, found)
        seen.append(copy.deepcopy(found[:4]))
    # all go on from the rows of the middle
    rows, over = cast(Any, middle)
    for one in (envs, plain):
        one.restore_state(rows)
    single: Any = alone.unwrapped
    single.restore_state(rows[2])
    time_limit(alone)._elapsed_steps = int(envs.unwrapped._episodes.elapsed[2])
    for k in range(nstep // 2, nstep):
        found = envs.step(actions[k])
        same(found[:4], seen[k])
        same(found, plain.step(actions[k]))
        over = follow(alone, actions[k][2], over, found)


def same(found, other):
    for one, two in zip(found[:4], other[:4], strict=True):
        np.testing.assert_equal(one, two)
    for infos in zip(found[4:], other[4:], strict=False):
        assert infos[0].keys() == infos[1].keys()
        for info in infos[0]:
            np.testing.assert_array_equal(infos[0][info], infos[1][info], err_msg=info)


def follow(alone, action, over, found):
    """Step the single environment as the last world was; returns whether its episode is over."""
    if over:
        np.testing.assert_equal(alone.reset()[0], of_world(2, found[0]))
        return False
    results = alone.step(action)
    for one, many in zip(results[:4], found[:4], strict=True):
        np.testing.assert_equal(of_world(2, many), one)
    for info, value in results[4].items():
        np.testing.assert_array_equal(found[4][info][2], value, err_msg=info)
    return results[2] or results[3]


def of_world(i, many):
    """A world's row of arrays, or of those of groups."""
    if isinstance(many, dict):
        return {name: value[i] for name, value in many.items()}
    return many[i]


def time_limit(env):
    while not isinstance(env, TimeLimit):
        env = env.env
    return env


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


def test_steps_of_the_biped():
    """The clock asks for one foot and then the other, and for none where it is told to stand."""
    envs: Any = gymnasium.make_vec("mjenv/BipedJoystick-v0", num_envs=2)
    envs.reset(seed=0)
    envs.task_state.command = [[0.5, 0.0, 0.0], [0.0, 0.0, 0.0]]
    envs.task_state.phase = 0.0
    task, seen = envs.unwrapped.task, []
    for _ in range(round(1 / (task.pace * task.dt))):
        envs.step(np.zeros((2, 10), np.float32))
        seen.append(task.swing(SimpleNamespace(state=envs.task_state)))
    swing = np.array(seen)
    assert (swing[:, 1] == 0).all()
    assert (np.minimum(swing[:, 0, 0], swing[:, 0, 1]) == 0).all()
    assert (swing[:, 0].max(axis=0) > 0.99).all()


def test_levels_of_rough_terrain():
    """Where commands are followed to the end, the next patch is harder; where not, easier."""
    envs: Any = gymnasium.make_vec("mjenv/QuadrupedRough-v0", num_envs=3, max_episode_steps=2)
    envs.reset(seed=0)
    task, state = envs.unwrapped.task, envs.task_state
    state.level, state.age = [2, 2, 5], 500
    state.followed = [450.0, 100.0, 450.0]
    for _ in range(3):
        envs.step(np.zeros((3, 12), np.float32))
    np.testing.assert_array_equal(state.level, [3, 1, 5])
    homes = task.terrain.places[state.level.astype(int), state.kind.astype(int)]
    np.testing.assert_allclose(envs.unwrapped.data.qpos[:, :2], homes[:, :2], atol=0.06)


def test_ground_that_is_seen():
    """Heights around the trunk, of points that turn with it, at the robot's place."""
    envs: Any = gymnasium.make_vec("mjenv/QuadrupedRough-v0", num_envs=3)
    envs.reset(seed=0)
    task, data = envs.unwrapped.task, envs.unwrapped.data
    turn, place = [0.0, 0.7, 2.5], task.terrain.places[5, 1] + [[0, 0, 0.4], [1, 0, 1], [0, -1, 1]]
    data.qpos[:, :3], data.qvel[:] = place, 0.0
    data.qpos[:, 3:7] = [[np.cos(a / 2), 0.0, 0.0, np.sin(a / 2)] for a in turn]
    observations = envs.step(np.zeros((3, 12), np.float32))[0]
    heights, size = task.terrain.heights, task.terrain.size
    grid = [
        (x, y) for y in np.linspace(-0.3, 0.3, 5) for x in np.linspace(-0.45, 0.45, 7)
    ]  # fmt: skip
    for i in range(3):
        w, z = data.qpos[i, 3], data.qpos[i, 6]
        angle, below = 2 * np.arctan2(z, w), []
        for x, y in grid:
            at = data.qpos[i, 0] + np.cos(angle) * x - np.sin(angle) * y
            aside = data.qpos[i, 1] + np.sin(angle) * x + np.cos(angle) * y
            cell = np.rint([(aside + size[1]) / 0.1, (at + size[0]) / 0.1]).astype(int)
            below.append(data.qpos[i, 2] - heights[cell[0], cell[1]])
        seen = 5.0 * np.clip(np.array(below) - task.init_qpos[2], -0.4, 0.4)
        np.testing.assert_allclose(observations[i, -35:], seen, atol=1e-3)
        assert i == 0 or np.ptp(seen) > 0.3


def test_cubes_that_are_lifted():
    """An arm that is told nothing holds the cubes that it has at the start, and no others."""
    envs: Any = gymnasium.make_vec("mjenv/ArmLift-v0", num_envs=40)
    envs.reset(seed=0)
    heights = envs.unwrapped.data.qpos[:, 9]
    held = heights > 0.1
    assert 4 <= held.sum() <= 14
    goals = envs.task_state.goal
    np.testing.assert_array_equal(envs.unwrapped.data.mocap_pos[:, 0], goals)
    infos: Any = None
    for _ in range(20):
        *_, infos = envs.step(np.zeros((40, 6), np.float32))
    np.testing.assert_array_equal(infos["lift"] > 1.0, held)
    assert (infos["grasp"][held] == 0.5).all()


def test_cubes_that_are_turned():
    """Turns to the side that is asked for are rewarded, to the other they cost the same."""
    envs: Any = gymnasium.make_vec("mjenv/HandTurn-v0", num_envs=2)
    envs.reset(seed=0)
    envs.task_state.direction = [1.0, -1.0]
    envs.unwrapped.data.qpos[:] = envs.unwrapped.task.init_qpos
    envs.unwrapped.data.qvel[:] = 0.0
    envs.unwrapped.data.qvel[:, 17] = 8.0
    *_, infos = envs.step(np.zeros((2, 12), np.float32))
    assert infos["spin"][0] > 0.1
    assert infos["spin"][1] == -infos["spin"][0]


def test_names():
    assert environment_id("QuadrupedJoystick-v0") == "mjenv/QuadrupedJoystick-v0"
