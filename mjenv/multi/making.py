"""The worlds of each task made, and vector environments by names."""

from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any, NamedTuple

import gymnasium
import numpy as np

from mjenv.gym.lookup import environment_id
from mjenv.multi.entries import Entry


class Part(NamedTuple):
    """Worlds of a task.

    Attributes:
        envs: their vector environment; None for a task that has none.
        observations: space of one world.
        actions: likewise.
        limit: steps after which an episode is truncated; None for never.
    """

    envs: Any
    observations: gymnasium.Space
    actions: gymnasium.spaces.Box
    limit: int | None


def parts_of(
    entries: Sequence[Entry], owner: np.ndarray, options: dict[str, Any], render_mode: str | None
) -> list[Part]:
    """Make the worlds of each task.

    Args:
        entries: the tasks.
        owner: (nworld,) the number of each world's task.
        options: arguments of all; a task's own come before them.
        render_mode: likewise; "human" for the first task alone.

    Raises:
        ValueError: a task does not take its arguments, its actions are none of a Box, or its
            rewards no numbers.
    """
    found = []
    for k, entry in enumerate(entries):
        count, given = int((owner == k).sum()), {**options, **entry.kwargs}
        if render_mode is not None and (k == 0 or render_mode != "human"):
            given["render_mode"] = render_mode
        given["copy"] = False
        try:
            envs: Any = gymnasium.make_vec(entry.env_id, max(count, 1), **given)
        except TypeError as error:
            raise ValueError(f"{entry.env_id}: {error}") from error
        except ValueError as error:
            # which of the tasks it is
            advice = "; way=None has it step world by world" if given.get("way") else ""
            raise type(error)(f"{entry.env_id}: {error}{advice}") from error
        seen, actions = envs.single_observation_space, envs.single_action_space
        limit = envs.unwrapped.max_episode_steps
        if not isinstance(actions, gymnasium.spaces.Box):
            raise ValueError(
                f"MultiVectorEnv: {entry.name}: found actions {actions}, expected a Box"
            )
        if getattr(envs.unwrapped, "reward_space", None) is not None:
            raise ValueError(
                f"MultiVectorEnv: {entry.name}: found rewards of several objectives, expected a "
                "number; weigh them in a wrapper"
            )
        if count == 0:
            # a task without worlds has its part in the spaces
            envs.close()
            envs = None
        found.append(Part(envs, seen, actions, limit))
    return found


def seeds_of(seed: Any, count: int) -> np.ndarray | None:
    """A seed for each world, (count,) objects; None to go on without.

    Raises:
        TypeError: they are no numbers.
        ValueError: they are too many, or too few.
    """
    if seed is None:
        return None
    if isinstance(seed, Integral):
        return np.array([int(seed) + i for i in range(count)], object)
    if isinstance(seed, str | bytes) or not isinstance(seed, Sequence | np.ndarray):
        raise TypeError(f"reset: seed={seed!r}, expected an integer, a sequence of them, or None")
    if len(seed) != count:
        raise ValueError(f"reset: {len(seed)} seeds, expected one for each of {count} environments")
    return np.array(list(seed), object)


def make_vec(
    env: str | Mapping[str, Any] | Sequence[str], num_envs: int | None = None, **kwargs: Any
) -> gymnasium.vector.VectorEnv:
    """Make a vector environment of one task, or of several.

    Args:
        env: name of an environment, with or without "mjenv/"; or of several, see `MultiVectorEnv`.
        num_envs: number of worlds; None for one, or as many as a dict of tasks says.
        **kwargs: arguments of `gymnasium.make_vec`, or of `MultiVectorEnv`.

    Raises:
        ValueError: there is no such environment.
    """
    if isinstance(env, str):
        return gymnasium.make_vec(environment_id(env), num_envs or 1, **kwargs)
    numbers: Any = num_envs
    return gymnasium.make_vec("mjenv/Multi-v0", numbers, tasks=env, **kwargs)
