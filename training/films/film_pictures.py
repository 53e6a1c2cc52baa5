"""Pictures of recorded worlds, side by side in one."""

from typing import Any

import numpy as np

from mjenv.render.renderer import Renderer
from mjenv.training.films.cameras import camera_of
from mjenv.training.films.recording import Recording, Replay
from mjenv.training.films.shot import grid
from mjenv.visual.settings import MjvOption


class Canvas:
    """A picture with places for those of worlds.

    Args:
        count: number of worlds.
        size: width and height (pixels).

    Attributes:
        width, height: of the picture of a world.
        picture: uint8 (height, width, 3); what is left over at its edges stays black.
    """

    def __init__(self, count: int, size: tuple[int, int]):
        columns, rows, self.width, self.height = grid(count, size)
        self.picture = np.zeros((size[1], size[0], 3), np.uint8)
        left, top = (size[0] - columns * self.width) // 2, (size[1] - rows * self.height) // 2
        places = [divmod(k, columns) for k in range(count)]
        self._corners = [(top + i * self.height, left + k * self.width) for i, k in places]

    def put(self, pictures: np.ndarray, worlds: Any) -> None:
        """Put the pictures (n, height, width, 3) of worlds, by their numbers, into their places."""
        for world, picture in zip(worlds, pictures, strict=True):
            y, x = self._corners[world]
            self.picture[y : y + self.height, x : x + self.width] = picture


class Views:
    """Draws the worlds of a recording, each in a picture of its own.

    Args:
        recording: the recording.
        shot: how pictures are taken, a `Shot`.
        width, height: of a picture (pixels).
    """

    def __init__(self, recording: Recording, shot: Any, width: int, height: int):
        seen = recording.info.get("look", {})
        self.replay = Replay(recording)
        self._camera = camera_of(recording.model, self.replay.data, shot.camera, seen)
        self._option = MjvOption()
        for flag, on in seen.get("flags", {}).items():
            self._option.flags[int(flag)] = on
        self._renderer = Renderer(recording.model, height, width, style=shot.style, limited=False)
        self._pictures = np.empty((recording.nworld, height, width, 3), np.uint8)

    def at(self, time: int) -> np.ndarray:
        """Pictures at a time, in steps of physics: (nworld, height, width, 3), used again."""
        self.replay.go(time)
        data, pictures = self.replay.data, self._pictures
        self._renderer.render_worlds(data, self._camera, self._option, out=pictures)
        return pictures


class Pictures:
    """Draws the worlds of a recording, side by side in one picture.

    Args:
        recording: the recording.
        shot: how pictures are taken, a `Shot`.
    """

    def __init__(self, recording: Recording, shot: Any):
        self._canvas = Canvas(recording.nworld, shot.size)
        self._views = Views(recording, shot, self._canvas.width, self._canvas.height)
        self.replay, self._worlds = self._views.replay, range(recording.nworld)

    def at(self, time: int) -> np.ndarray:
        """The picture at a time, in steps of physics: uint8 (height, width, 3), used again."""
        self._canvas.put(self._views.at(time), self._worlds)
        return self._canvas.picture
