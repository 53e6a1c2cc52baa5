"""Files that the window writes: pictures, films, the model, its data, the pose."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from mjenv.engine.data.printing import print_data

from .capture import Film, new_path, write_picture

if TYPE_CHECKING:
    from mjenv.engine.data.data import Data
    from mjenv.engine.model.model import Model


class Files:
    """Writes files into a folder, and says which.

    Args:
        folder: where to.
        fps: pictures per second of films.
        say: called with what has happened.
    """

    def __init__(self, folder: Path, fps: float, say: Callable[[str], object]):
        self.folder, self._fps, self._say = folder, fps, say
        self._film: Film | None = None

    @property
    def filming(self) -> bool:
        """True if a film is under way."""
        return self._film is not None

    def picture(self, picture: np.ndarray) -> None:
        """Write a picture, uint8 (height, width, 3)."""
        self._write(lambda: write_picture(picture, self.folder))

    def model(self, model: "Model") -> None:
        """Write the model as it is now, with what was edited."""

        def write() -> Path:
            path = new_path(self.folder, ".mjenv")
            model.save(path)
            return path

        self._write(write)

    def numbers(self, model: "Model", data: "Data", world: int) -> None:
        """Write all numbers of a world as text."""

        def write() -> Path:
            path = new_path(self.folder, ".txt")
            print_data(model, data, world, path)
            return path

        self._write(write)

    def _write(self, write: Callable[[], Path]) -> None:
        """Write a file, and say where it is or what was in the way."""
        try:
            self._say(f"{write()} is written")
        except OSError as error:
            self._say(str(error))

    # ------------------------------------------------------------ films

    def film(self) -> None:
        """Start a film, or end it."""
        if self._film is None:
            self._film = Film(self.folder, self._fps)
            self._say(f"{self._film.path} is filmed")
        else:
            self.end()

    def add(self, picture: np.ndarray) -> None:
        """Add a picture to the film; another size ends it."""
        assert self._film is not None
        try:
            if self._film.fits(picture):
                self._film.add(picture)
            else:
                self.end()
        except OSError as error:
            self._film = None
            self._say(str(error))

    def end(self) -> None:
        """Finish the film, if there is one."""
        film, self._film = self._film, None
        if film is None:
            return
        try:
            film.close()
            self._say(f"{film.path}: {film.count} pictures")
        except OSError as error:
            self._say(str(error))


def pose(model: "Model", data: "Data", world: int) -> str:
    """A world's state and inputs as a keyframe of MJCF, to be put into `<keyframe>`."""
    values = {
        "time": data.time, "qpos": data.qpos, "qvel": data.qvel, "act": data.act,
        "ctrl": data.ctrl, "mpos": data.mocap_pos, "mquat": data.mocap_quat,
    }  # fmt: skip
    rows = {name: np.ravel(array[world]) for name, array in values.items()}
    texts = (f'{n}="{" ".join(f"{x:.10g}" for x in row)}"' for n, row in rows.items() if row.size)
    return f"<key {' '.join(texts)}/>"
