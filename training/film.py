"""Films of an agent at work."""

import math
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from tqdm import tqdm

from mjenv.training.files import check_place
from mjenv.training.writer import check_film, film_writer

Act = Callable[[np.ndarray], np.ndarray]


def film(
    env_id: str,
    act: Act | None,
    path: str | Path,
    seconds: float = 15.0,
    size: tuple[int, int] = (640, 480),
    seed: int = 0,
    env_kwargs: dict[str, Any] | None = None,
) -> int:
    """Write a film of one world, at its own speed; a new episode starts where one ends.

    Of environments with more steps per second than players show frames, the film leaves some out.

    Args:
        env_id: the environment.
        act: actions for observations; None for random actions.
        path: the file: MP4, MOV, MKV, WebM or GIF, by its suffix.
        seconds: length at the environment's own speed.
        size: width and height of the frames (pixels), both even but for GIF.
        seed: of the first reset and of random actions.
        env_kwargs: keyword arguments of the environment.

    Returns:
        The number of frames.

    Raises:
        ValueError: the suffix is unknown, the size does not fit, the length is not positive, or the
            environment does not take its arguments.
        OSError: the file cannot be written.
    """
    format = check_film(path, seconds, size)
    check_place(path)
    env = follow(env_id, size, env_kwargs or {})
    dt: float = env.unwrapped.dt  # pyright: ignore[reportAttributeAccessIssue]
    nstep = math.ceil(1.0 / (dt * format.fps) - 1e-9)
    frames = max(1, round(seconds / (dt * nstep)))
    observation, _ = env.reset(seed=seed)
    env.action_space.seed(seed)
    try:
        with film_writer(path, size, 1.0 / (dt * nstep)) as write, progress(frames, path) as bar:
            for _ in range(frames):
                picture: Any = env.render()
                write(np.ascontiguousarray(picture))
                bar.update()
                for _ in range(nstep):
                    action = env.action_space.sample() if act is None else act(observation)
                    observation, _, terminated, truncated, _ = env.step(action)
                    if terminated or truncated:
                        observation, _ = env.reset()
    finally:
        env.close()
    return frames


def preview(env_id: str, size: tuple[int, int], env_kwargs: dict[str, Any]) -> None:
    """Draw one picture, to find out before a long training whether there will be a film.

    Raises:
        ValueError: the environment does not take its arguments, or cannot be drawn.
    """
    env = follow(env_id, size, env_kwargs)
    try:
        env.reset(seed=0)
        env.render()
    finally:
        env.close()


def progress(frames: int, path: str | Path) -> "tqdm[Any]":
    """A bar that grows by the frames of a film."""
    return tqdm(
        total=frames,
        desc=Path(path).name,
        unit=" frames",
        mininterval=0.2 if sys.stderr.isatty() else 10.0,
        dynamic_ncols=True,
    )


def follow(env_id: str, size: tuple[int, int], env_kwargs: dict[str, Any]) -> gymnasium.Env:
    """The environment, seen by the model's camera "track" where it has one, else as by default."""
    options = {**env_kwargs, "render_mode": "rgb_array", "width": size[0], "height": size[1]}
    try:
        env = gymnasium.make(env_id, **options)
    except TypeError as error:
        raise ValueError(f"{env_id}: {error}") from error
    model = env.unwrapped.model  # pyright: ignore[reportAttributeAccessIssue]
    chosen = not {"camera_id", "camera_name"}.isdisjoint(options)
    if chosen or "track" not in [model.camera(k).name for k in range(model.ncam)]:
        return env
    env.close()
    return gymnasium.make(env_id, camera_name="track", **options)
