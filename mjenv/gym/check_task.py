"""A new task in one world and among several: the same results, or what is wrong with it."""

import copy
from typing import Any

import numpy as np

from mjenv.task.task import Task

_WORLDS = 3


def check_task(task: type[Task], *values: Any, steps: int = 20, **parameters: Any) -> str | None:
    """Run a new task in single environments and in a vector environment, and compare.

    Everything that environments refuse is found, such as rewards and observations that are not
    finite, and what they cannot see: results that depend on other worlds, and random numbers from
    elsewhere than `rng`.

    Args:
        task: the class.
        *values: its parameters by position.
        steps: how many steps of random actions to compare.
        **parameters: its parameters by keyword.

    Returns:
        Why vector environments run the task's functions as plain numpy; None if they can be
        compiled.

    Raises:
        ValueError: if the task does not do the same in one world as among several, or from the same
            seed; or for other mistakes, as the message says.
        NonFiniteError: a term of the reward or a part of the observation is not finite.
        TypeError: for other mistakes, as the message says.
    """
    from mjenv.gym.env import Env
    from mjenv.gym.vector import VectorEnv

    # the vector environment first: it finds out whether the task can be compiled
    parameters = {"check_finite": True, **parameters}
    envs = VectorEnv(*values, task=task, num_envs=_WORLDS, **parameters)
    _check_start(envs, task.__name__)
    singles = [Env(*values, task=task, **parameters) for _ in range(_WORLDS)]
    found = _started(envs.reset(seed=0))
    alone = [_started(env.reset(seed=i)) for i, env in enumerate(singles)]
    # every step is compared with single environments under the same actions
    for step in range(steps + 1):
        for i, results in enumerate(alone):
            _compare(found, results, i, f"{task.__name__}: {step} steps after reset:")
        rng = np.random.default_rng(step)
        actions = rng.uniform(-1.0, 1.0, envs.action_space.shape).astype(np.float32)
        found = _stepped(envs.step(actions))
        alone = [
            _started(env.reset()) if results["terminated"] else _stepped(env.step(action))
            for env, results, action in zip(singles, alone, actions, strict=True)
        ]
    return envs.compile_error


def _check_start(envs: Any, name: str) -> None:
    """Check that episodes start the same from the same seed, and leave the initial state alone."""
    initial = envs.task.init_qpos.copy(), envs.task.init_qvel.copy()
    first, second = (_observed(copy.deepcopy(envs.reset(seed=0)[0])) for _ in range(2))
    changed = [
        field
        for field, value in zip(("init_qpos", "init_qvel"), initial, strict=True)
        if not np.array_equal(value, getattr(envs.task, field))
    ]
    if changed:
        raise ValueError(
            f"{name}.reset: it changed self.{changed[0]}, expected it to be left as it is; write "
            f"into a copy: self.{changed[0]}.copy()"
        )
    if not all(np.array_equal(first[part], second[part], equal_nan=True) for part in first):
        raise ValueError(
            f"{name}.reset: the same seed gave different observations, expected the same ones; "
            "draw random numbers from `rng` only"
        )


def _started(results: tuple) -> dict[str, Any]:
    """Results of a reset; those of a vector environment in a step have these values too."""
    observation, info = results
    return {**_observed(observation), "reward": 0.0, "terminated": False, **info}


def _stepped(results: tuple) -> dict[str, Any]:
    observation, reward, terminated, _, info = results
    return {**_observed(observation), "reward": reward, "terminated": terminated, **info}


def _observed(observation: Any) -> dict[str, Any]:
    """Observations by name: of a task with groups there is one for each."""
    if isinstance(observation, dict):
        return {f"observation {group!r}": value for group, value in observation.items()}
    return {"observation": observation}


def _compare(found: dict[str, Any], alone: dict[str, Any], world: int, where: str) -> None:
    for name, expected in alone.items():
        value = np.broadcast_to(found[name], (_WORLDS, *np.shape(expected)))[world]
        if not np.array_equal(value, expected, equal_nan=True):
            raise ValueError(
                f"{where} {name} of world {world} is {value} among {_WORLDS} worlds and "
                f"{expected} alone, expected the same; a world's results must depend on that world "
                "only: index from the end, [..., i], and use axis=-1"
            )
