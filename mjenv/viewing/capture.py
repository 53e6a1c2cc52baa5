"""Pictures and films of the window, as files."""

from contextlib import ExitStack
from datetime import datetime
from pathlib import Path

import numpy as np

from mjenv.training.films.writer import film_writer


def new_path(folder: Path, suffix: str) -> Path:
    """A name for a file that there is not yet: mjenv-DATE-TIME."""
    name = datetime.now().strftime("mjenv-%Y%m%d-%H%M%S")
    paths = [folder / f"{name}{more}{suffix}" for more in ("", *(f"-{k}" for k in range(2, 100)))]
    return next((path for path in paths if not path.exists()), paths[-1])


def write_picture(picture: np.ndarray, folder: Path) -> Path:
    """Write a picture, uint8 (height, width, 3), as PNG; where it is.

    Raises:
        OSError: it cannot be written.
    """
    from PIL import Image

    path = new_path(folder, ".png")
    Image.fromarray(picture).save(path)
    return path


class Film:
    """A film that pictures are added to, in the size of the first.

    Args:
        folder: where it is written.
        fps: pictures per second.

    Attributes:
        path: the file, there when the film is closed.
        count: number of its pictures.
    """

    def __init__(self, folder: Path, fps: float):
        self.path, self.fps, self.count = new_path(folder, ".mp4"), fps, 0
        self._size = (0, 0)
        self._stack = ExitStack()

    def fits(self, picture: np.ndarray) -> bool:
        """True if a picture has the size of those before."""
        return not self.count or picture.shape[:2] == self._size

    def add(self, picture: np.ndarray) -> None:
        """Add a picture, uint8 (height, width, 3); an odd row or column is left out.

        Raises:
            OSError: it cannot be written.
        """
        height, width = (n - n % 2 for n in picture.shape[:2])
        if not self.count:
            self._size = picture.shape[:2]
            self._write = self._stack.enter_context(
                film_writer(self.path, (width, height), self.fps)
            )
        self._write(np.ascontiguousarray(picture[:height, :width]))
        self.count += 1

    def close(self) -> None:
        """Finish the file.

        Raises:
            OSError: it cannot be written.
        """
        self._stack.close()
