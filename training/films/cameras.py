"""Cameras of films, by the words that users give."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from mjenv.engine.errors import nearest_or_all
from mjenv.randomization.literals import read_argument
from mjenv.visual.cameras import default_camera
from mjenv.visual.names import CAMERA
from mjenv.visual.settings import MjvCamera

if TYPE_CHECKING:
    from mjenv.engine.data.data import Data
    from mjenv.engine.model.model import Model

FREE, TRACK = "free", "track"
SETTINGS = {"azimuth": 1, "elevation": 1, "distance": 1, "lookat": 3}


def check_camera(model: "Model", words: Sequence[str]) -> tuple[Any, dict[str, Any]]:
    """Parse the words for a camera.

    Args:
        model: the model.
        words: first the camera: its name or number, "free", or "track:BODY" for one that goes
            with a body; then settings of such a free one, as "azimuth:60". Both may be missing.

    Returns:
        The camera: its number, -1 for a free one, ("track", number of the body), or None where
        the words say nothing; and the settings by name.

    Raises:
        ValueError: a word stands for nothing, or a setting has no effect.
    """
    settings, rest = {}, []
    # settings are pairs of names that there are; the rest is the camera
    for word in words:
        name, mark, text = word.partition(":" if ":" in word else "=")
        if mark and name in SETTINGS:
            settings[name] = _setting(name, text)
        else:
            rest.append(word)
    if len(rest) > 1:
        raise ValueError(
            f"camera: found {rest[1]!r} after {rest[0]!r}, expected one camera and settings such "
            f"as azimuth:60, some of {', '.join(SETTINGS)}"
        )
    camera = _camera(model, rest[0]) if rest else None
    # settings are about a free camera
    if settings and isinstance(camera, int) and camera >= 0:
        raise ValueError(
            f"camera: {next(iter(settings))} has no effect on the model's camera {rest[0]!r}; "
            "expected free or track:BODY"
        )
    return camera, settings


def _setting(name: str, text: str) -> Any:
    """The value of a setting of the free camera."""
    count = SETTINGS[name]
    try:
        numbers = np.asarray(read_argument(text), np.float64)
    except (TypeError, ValueError):
        numbers = np.empty(0)
    good = numbers.shape == ((count,) if count > 1 else ()) and np.isfinite(numbers).all()
    if not good or (name == "distance" and numbers <= 0):
        kind = "three numbers, as (0, 0, 1)" if count > 1 else "a number"
        kind += " above 0" if name == "distance" else ""
        raise ValueError(f"camera: {name}: found {text!r}, expected {kind}")
    return numbers.tolist()


def _camera(model: "Model", word: str) -> Any:
    """The camera that one word stands for."""
    names = [model.camera(k).name for k in range(model.ncam)]
    if word in names:
        return names.index(word)
    if word == FREE:
        return -1
    kind, mark, body = word.partition(":")
    if kind == TRACK and mark:
        bodies = [model.body(k).name for k in range(model.nbody)]
        if body not in bodies:
            raise ValueError(f"camera: {word}: no such body{nearest_or_all(body, bodies)}")
        return TRACK, bodies.index(body)
    try:
        number = int(word)
    except ValueError:
        known = [*filter(None, names), FREE, "track:BODY"]
        raise ValueError(f"camera: {word!r}: no such camera{nearest_or_all(word, known)}") from None
    if not -1 <= number < model.ncam:
        raise ValueError(f"camera: {number}, expected -1 (free) to {model.ncam - 1}")
    return number


def camera_of(
    model: "Model", data: "Data", words: Sequence[str] = (), look: dict[str, Any] | None = None
) -> MjvCamera:
    """The camera of a film.

    Where no words are given it is the one that the environment was made with, else the model's
    camera "track" where there is one, else the free camera of the environment.

    Args:
        model: the model.
        data: its worlds; the free camera looks at the first one as it is now.
        words: as in `check_camera`.
        look: "camera" and "config" of the environment.

    Raises:
        ValueError: see `check_camera`.
    """
    look = look or {}
    camera, settings = check_camera(model, words)
    # no words: as the environment was made
    if camera is None and not settings:
        usual = look.get("camera")
        camera = usual if isinstance(usual, int) else _usual(model, usual)
    free = default_camera(model, data, {**look.get("config", {}), **settings})
    if isinstance(camera, tuple):
        free.type, free.trackbodyid = int(CAMERA.mjCAMERA_TRACKING), camera[1]
    elif camera is not None and camera >= 0:
        free.type, free.fixedcamid = int(CAMERA.mjCAMERA_FIXED), camera
    return free


def _usual(model: "Model", name: str | None) -> int:
    """The camera of that name, or "track", or the free one."""
    names = [model.camera(k).name for k in range(model.ncam)]
    name = name or TRACK
    return names.index(name) if name in names else -1
