"""Films of recorded worlds, and of agents at work."""

import math
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from tqdm import tqdm

from mjenv.gym import lookup
from mjenv.render.caster import MUJOCO, STYLES
from mjenv.system import packages
from mjenv.training.films import mixed
from mjenv.training.films.cameras import check_camera
from mjenv.training.films.film_pictures import Pictures, grid
from mjenv.training.films.recording import Recording, look, make, play, where_from
from mjenv.training.films.writer import check_film, film_writer
from mjenv.training.runs.files import check_place
from mjenv.training.runs.progress_bar import bar

Act = Callable[[np.ndarray], np.ndarray]
SIZE, FPS = (1280, 720), 30.0
PAGE = ".html"


class Shot(NamedTuple):
    """Settings of a film.

    Attributes:
        size: width and height of the frames (pixels), both even but for GIF.
        camera: words for the camera, see `mjenv.training.films.cameras.check_camera`; none for the
            environment's own, or the model's camera "track".
        slow: how many times slower than the world it is.
        fps: most frames per second, of which a frame shows a step of physics; never more than
            players show.
        style: "mujoco" for pictures as MuJoCo's renderer draws them, or "nice", see
            `mjenv.Renderer`.
    """

    size: tuple[int, int] = SIZE
    camera: Sequence[str] = ()
    slow: float = 1.0
    fps: float = FPS
    style: str = MUJOCO

    def check(self, path: str | Path, seconds: float = 1.0, worlds: int = 1) -> None:
        """Find out whether there can be such a film, before anything is done for it.

        Raises:
            ValueError: the suffix is unknown, the size does not fit, or a number is invalid.
        """
        if is_page(path):
            self._check_page(path, seconds, worlds)
            return
        check_film(path, seconds, self.size)
        if not (math.isfinite(self.slow) and self.slow > 0):
            raise ValueError(f"film: slow is {self.slow}, expected more than 0")
        if not (math.isfinite(self.fps) and self.fps > 0):
            raise ValueError(f"film: fps is {self.fps}, expected more than 0")
        if self.style not in STYLES:
            raise ValueError(f"film: style is {self.style!r}, expected one of {sorted(STYLES)}")
        if worlds < 1:
            raise ValueError(f"film: worlds is {worlds}, expected at least 1")
        _, _, width, height = grid(worlds, self.size)
        if not (width and height):
            raise ValueError(
                f"film: {worlds} worlds do not fit into {self.size[0]}x{self.size[1]} pixels; take "
                "fewer, or a larger size"
            )

    def _check_page(self, path: str | Path, seconds: float, worlds: int) -> None:
        """The same of a page for browsers.

        Raises:
            ModuleNotFoundError: viser is not installed.
        """
        for name, value, usual in zip(self._fields, self, USUAL, strict=True):
            if name in ("size", "slow", "style") and value != usual:
                raise ValueError(f"page: {name} has no effect on {path}; leave it out")
        if worlds != 1:
            raise ValueError(f"page: worlds is {worlds}, expected 1: a page shows one world")
        if not 0 < self.fps < math.inf:
            raise ValueError(f"page: fps is {self.fps}, expected more than 0")
        if not 0 < seconds < math.inf:
            raise ValueError(f"page: seconds is {seconds}, expected more than 0")
        packages.load("viser", "a page for browsers")

    def stride(self, path: str | Path, timestep: float) -> int:
        """Steps of physics from one frame to the next."""
        most = min(self.fps, check_film(path, 1.0, self.size).fps)
        return max(1, math.ceil(1.0 / (timestep * self.slow * most) - 1e-9))


USUAL = Shot()


def is_page(path: str | Path) -> bool:
    """True if a file is a page for browsers, by its suffix."""
    return Path(path).suffix.lower() == PAGE


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
        steps = math.ceil(seconds / envs.unwrapped.task.dt - 1e-9)
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


def progress(total: int | None, text: str, unit: str) -> "tqdm[Any]":
    """A bar that grows by steps or by the frames of a film; without a title none is shown."""
    return bar(10.0, total=total, desc=text, unit=unit, leave=unit == " frames", disable=not text)
