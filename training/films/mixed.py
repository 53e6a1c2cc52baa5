"""Films of worlds of several tasks, side by side, each in its own time."""

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np

from mjenv.gym import lookup
from mjenv.training.films.cameras import check_camera
from mjenv.training.films.film_pictures import Canvas, Views
from mjenv.training.films.recording import Recording, drawn, look, shown
from mjenv.training.learners.recurrent_state import begin

Act = Callable[[np.ndarray], np.ndarray]


def make(env_id: str, worlds: int, env_kwargs: dict[str, Any] | None) -> Any:
    """Worlds of several tasks, at least one of each, that can be recorded.

    Raises:
        ValueError: the environment does not take its arguments, or Python steps each world of one
            of its tasks.
    """
    tasks = lookup.tasks_of(env_id, env_kwargs)
    try:
        envs: Any = gymnasium.make_vec(env_id, max(worlds, len(tasks)), **(env_kwargs or {}))
    except TypeError as error:
        raise ValueError(f"{env_id}: {error}") from error
    for name, part in envs.unwrapped.parts.items():
        drawn(f"{env_id}: {name}", part)
    return envs


def record(
    envs: Any,
    act: Act | None,
    seconds: float,
    seed: int,
    advance: Callable[[], Any] = lambda: None,
) -> dict[str, Recording]:
    """Record the worlds of each task for so long in their own time; by the name of the task.

    Args:
        envs: a `MultiVectorEnv`, whose worlds start anew in the step after the last.
        act: actions (nworld, nu) for observations (nworld, nobs); None for random actions.
        seconds: how long; at least a step.
        seed: world i is first reset with seed + i; also of random actions.
        advance: called after every step.
    """
    inner = envs.unwrapped
    observations, _ = envs.reset(seed=seed)
    envs.action_space.seed(seed)
    begin(act)
    # the states before the first step are the first rows
    found, lengths = {}, {}
    for name, part in inner.parts.items():
        one = part.unwrapped
        recording = Recording(one.model, one.frame_skip, {"look": look(part)})
        recording.append(shown(one))
        found[name], lengths[name] = recording, max(1, math.ceil(seconds / recording.dt - 1e-9))
    # all tasks are stepped until the slowest has gone through its seconds
    ended = np.zeros(inner.num_envs, bool)
    for step in range(max(lengths.values())):
        actions = envs.action_space.sample() if act is None else act(observations)
        observations, _, terminated, truncated, _ = envs.step(actions)
        for name, recording in found.items():
            if step < lengths[name]:
                recording.append(shown(inner.parts[name].unwrapped), ended[inner.rows[name]])
        begin(act, ended)
        ended = terminated | truncated
        advance()
    return found


class MixedPictures:
    """Draws recorded worlds of several tasks, in the order of the worlds.

    Args:
        recordings: of each task, by name.
        rows: numbers of the worlds of each.
        shot: how pictures are taken, a `Shot`.
    """

    def __init__(self, recordings: dict[str, Recording], rows: dict[str, np.ndarray], shot: Any):
        for name, recording in recordings.items():
            try:
                check_camera(recording.model, shot.camera)
            except ValueError as error:
                raise ValueError(f"{name}: {error}") from None
        count = sum(len(numbers) for numbers in rows.values())
        self._canvas = Canvas(count, shot.size)
        size = self._canvas.width, self._canvas.height
        self._parts = [
            (Views(recording, shot, *size), rows[name], float(recording.model.opt.timestep))
            for name, recording in recordings.items()
        ]

    def at(self, seconds: float) -> np.ndarray:
        """The picture at a time from the first row: uint8 (height, width, 3), used again."""
        for views, rows, timestep in self._parts:
            self._canvas.put(views.at(int(seconds / timestep + 1e-9)), rows)
        return self._canvas.picture


def refuse_files(env_id: str, path: str | Path, page: bool, states: Any) -> None:
    """Refuse what is of one model.

    Raises:
        ValueError: a page or a file of states is asked for.
    """
    if page or states is not None:
        what = str(path) if page else f"states in {states}"
        raise ValueError(
            f"{env_id}: has tasks of several models, expected a film: no {what}, which has one"
        )
