"""Settings of films, and of pages for browsers."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from mjenv.render.caster import MUJOCO, STYLES
from mjenv.system import packages
from mjenv.training.films.writer import check_film

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


def grid(count: int, size: tuple[int, int]) -> tuple[int, int, int, int]:
    """Columns and rows of pictures side by side, and width and height of each (pixels).

    Among all grids it is the one whose pictures are the largest, if each had the shape of all.
    """
    width, height = size
    columns = max(range(count, 0, -1), key=lambda n: min(1.0 / n, 1.0 / -(-count // n)))
    rows = -(-count // columns)
    return columns, rows, width // columns, height // rows
