"""Films of recorded worlds, and of agents at work."""

import math
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from mjenv.gym import lookup
from mjenv.training.films import mixed
from mjenv.training.films.cameras import check_camera
from mjenv.training.films.film_pictures import Pictures
from mjenv.training.films.recording import Recording, look, make, play, where_from
from mjenv.training.films.shot import USUAL, Shot, is_page
from mjenv.training.films.writer import check_film, film_writer, progress
from mjenv.training.runs.files import check_place

Act = Callable[[np.ndarray], np.ndarray]


def film(
    env_id: str,
    act: Act | None,
    path: str | Path,
    seconds: float = 15.0,
    shot: Shot = USUAL,
    seed: int = 0,
    env_kwargs: dict[str, Any] | None = None,
    *,
    worlds: int = 1,
    states: str | Path | None = None,
    advance: Callable[[], Any] | None = None,
    enough: Callable[[int, int], bool] = lambda drawn, count: False,
) -> int:
    """Write a film of worlds side by side; a new episode starts where one ends.

    Args:
        env_id: the environment.
        act: actions for observations; None for random actions.
        path: the file: MP4, MOV, MKV, WebM or GIF, or HTML for browsers, by its suffix.
        seconds: length of the film.
        shot: how it is taken.
        seed: of the first reset and of random actions; world i is reset with seed + i.
        env_kwargs: keyword arguments of the environment.
        worlds: how many; of several tasks, at least one of each.
        states: file of the recorded states, `.npz`, if there is to be one.
        advance: called after every frame, where no bar is to show the progress; what it raises ends
            the film, of which nothing is left.
        enough: told the frames that are drawn, and of how many: whether the film ends there.

    Returns:
        The number of frames.

    Raises:
        ValueError: the film cannot be as it is asked for, or the environment does not take its
            arguments.
        OSError: a file cannot be written.
        ModuleNotFoundError: a page is asked for, and viser is not installed.
    """
    # everything that can be refused is refused before worlds are stepped
    shot.check(path, seconds, worlds)
    for place in filter(None, (path, states)):
        check_place(place)
    title = "" if advance else f"{Path(path).name}: steps"
    if lookup.is_mix(env_id):
        mixed.refuse_files(env_id, path, is_page(path), states)
        pictures = several(env_id, act, seconds / shot.slow, shot, seed, env_kwargs, worlds, title)
        fps = min(shot.fps, check_film(path, 1.0, shot.size).fps)
        count = max(1, round(seconds * fps))
        frames = (pictures.at(k / (fps * shot.slow)) for k in range(count))
        return write(path, shot, fps, count, frames, advance, enough)
    recording = filmed(env_id, act, seconds / shot.slow, shot, seed, env_kwargs, worlds, title)
    if states is not None:
        recording.save(states)
    return draw(recording, path, shot, seconds, advance, enough)


def filmed(
    env_id: str,
    act: Act | None,
    seconds: float,
    shot: Shot,
    seed: int,
    env_kwargs: dict[str, Any] | None,
    worlds: int,
    title: str,
) -> Recording:
    """Worlds that were recorded for a film, whose camera there is; `seconds` are theirs.

    The progress is shown under a title, where there is one.

    Raises:
        ValueError: there is no such camera, or the environment does not take its arguments.
    """
    envs = make(env_id, worlds, env_kwargs)
    try:
        check_camera(envs.unwrapped.model, shot.camera)
        info = {**where_from(env_id, env_kwargs), "look": look(envs)}
        steps = math.ceil(seconds / envs.unwrapped.dt - 1e-9)
        with progress(steps, title, " steps") as shown:
            return play(envs, act, seconds, seed, info, shown.update)
    finally:
        envs.close()


def draw(
    recording: Recording,
    path: str | Path,
    shot: Shot = USUAL,
    seconds: float | None = None,
    advance: Callable[[], Any] | None = None,
    enough: Callable[[int, int], bool] = lambda drawn, count: False,
) -> int:
    """Write a film of recorded worlds, side by side.

    Args:
        recording: the recording.
        path: the file: MP4, MOV, MKV, WebM or GIF, or HTML for browsers, by its suffix.
        shot: how it is taken.
        seconds: length; None for that of the recording. It ends where the recording does.
        advance: called after every frame, where no bar is to show the progress.
        enough: told the frames that are drawn, and of how many: whether the film ends there; a page
            is always whole.

    Returns:
        The number of frames.

    Raises:
        ValueError: the film cannot be as it is asked for.
        OSError: the file cannot be written.
    """
    shot.check(path, 1.0 if seconds is None else seconds, recording.nworld)
    check_camera(recording.model, shot.camera)
    check_place(path)
    if is_page(path):
        from mjenv.training.films.html_page import write_page

        return write_page(recording, path, shot.camera, shot.fps, seconds)
    # times of frames, in steps of physics
    timestep = float(recording.model.opt.timestep)
    stride = shot.stride(path, timestep)
    interval = timestep * stride * shot.slow
    last = recording.nstep * (len(recording) - 1)
    count = max(1, last // stride)
    if seconds is not None:
        count = min(count, max(1, round(seconds / interval)))
    # frames, each in its place
    pictures = Pictures(recording, shot)
    frames = (pictures.at(k * stride) for k in range(count))
    return write(path, shot, 1.0 / interval, count, frames, advance, enough)


def several(
    env_id: str,
    act: Act | None,
    seconds: float,
    shot: Shot,
    seed: int,
    env_kwargs: dict[str, Any] | None,
    worlds: int,
    title: str = "",
) -> mixed.MixedPictures:
    """Worlds of several tasks that were recorded for a film; the arguments are those of `filmed`.

    Raises:
        ValueError: a task has no such camera, or the environment does not take its arguments.
    """
    envs = mixed.make(env_id, worlds, env_kwargs)
    try:
        with progress(None, title, " steps") as shown:
            recordings = mixed.record(envs, act, seconds, seed, shown.update)
        return mixed.MixedPictures(recordings, envs.unwrapped.rows, shot)
    finally:
        envs.close()


def write(
    path: str | Path,
    shot: Shot,
    fps: float,
    count: int,
    frames: Iterator[np.ndarray],
    advance: Callable[[], Any] | None,
    enough: Callable[[int, int], bool],
) -> int:
    """Write frames into a file; returns how many. The arguments are those of `draw`."""
    with (
        film_writer(path, shot.size, fps) as put,
        progress(count, "" if advance else Path(path).name, " frames") as shown,
    ):
        for k, picture in enumerate(frames):
            put(picture)
            (advance or shown.update)()
            if enough(k + 1, count):
                return k + 1
    return count


def preview(env_id: str, shot: Shot, env_kwargs: dict[str, Any]) -> None:
    """Draw two pictures, to find out before a long training whether there will be a film.

    Raises:
        ValueError: the environment does not take its arguments, or cannot be drawn.
    """
    if lookup.is_mix(env_id):
        several(env_id, None, 0.0, shot, 0, env_kwargs, 1).at(0.0)
        return
    envs = make(env_id, 1, env_kwargs)
    try:
        check_camera(envs.unwrapped.model, shot.camera)
        recording = play(envs, None, 0.0)
    finally:
        envs.close()
    pictures = Pictures(recording, shot)
    for time in range(2):
        pictures.at(time)
