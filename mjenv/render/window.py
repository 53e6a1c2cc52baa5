"""A window that shows frames, with pygame."""

import os
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from numbers import Integral
from typing import Any

import numpy as np

# drivers of SDL that show nothing; it takes them by itself where there is no display
UNSEEN = ("offscreen", "dummy", "evdev")
WIDEST = 16384  # pixels of a window, SDL's bound
NOWHERE = "/nonexistent"  # a folder that no system has
_owner: object = None  # what the window shows: SDL has one in a process


def open_display(size: tuple[int, int], title: str, flags: int = 0, owner: object = None) -> Any:
    """Open pygame's window, in place of one that is open.

    Args:
        size: width and height, pixels.
        title: of the window.
        flags: pygame's.
        owner: who shows something in it, see `owns`.

    Returns:
        Its surface.

    Raises:
        ValueError: the size is not two numbers from 1 to 16384.
        OSError: there is no display. A driver of SDL without one is taken only where the
            environment variable SDL_VIDEODRIVER names it.
    """
    import pygame

    global _owner
    if len(size) != 2 or not all(isinstance(n, Integral) and 1 <= n <= WIDEST for n in size):
        raise ValueError(f"window: size is {size}, expected two integers from 1 to {WIDEST}")
    asked = os.environ.get("SDL_VIDEODRIVER", "")
    instead = "`mjenv record` writes a film, and mjenv.Renderer draws pictures, without one"
    try:
        with _silent_wayland():
            pygame.display.init()
        driver = pygame.display.get_driver()
        if driver in UNSEEN and not asked:
            pygame.display.quit()
            variables = "DISPLAY and WAYLAND_DISPLAY"
            raise OSError(f"window: there is no display ({variables} lead to none); {instead}")
        if driver == "x11":
            # SDL would hand pictures to OpenGL, which costs 5 ms each where a processor plays it;
            # X takes them from shared memory in a tenth of one
            os.environ.setdefault("SDL_FRAMEBUFFER_ACCELERATION", "0")
        pygame.display.set_caption(title)
        _owner = owner
        return pygame.display.set_mode(size, flags)
    except pygame.error as error:
        pygame.display.quit()
        raise OSError(f"window: there is no display ({error}); {instead}") from error


@contextmanager
def _silent_wayland() -> Iterator[None]:
    """Name a folder to Wayland that is not there, where none is named.

    It looks for its display there, finds none either way, and would print a line of its own.
    """
    if "XDG_RUNTIME_DIR" in os.environ:
        yield
        return
    os.environ["XDG_RUNTIME_DIR"] = NOWHERE
    try:
        yield
    finally:
        del os.environ["XDG_RUNTIME_DIR"]


def owns(owner: object) -> bool:
    """True if the window is still this one's; another may have taken its place."""
    return _owner is owner


def put(surface: Any, picture: np.ndarray, place: tuple[int, int] = (0, 0)) -> None:
    """Put a picture, uint8 (height, width, 3), on a surface of pygame's, at (column, row)."""
    import pygame

    height, width = picture.shape[:2]
    pixels: Any = np.ascontiguousarray(picture)
    surface.blit(pygame.image.frombuffer(pixels, (width, height), "RGB"), place)


class Window:
    """Shows one picture after the other at a steady rate.

    Args:
        width: columns of a picture.
        height: rows of a picture.
        fps: pictures per second; `show` waits as long as needed.
        title: of the window.

    Raises:
        OSError: there is no display.
    """

    def __init__(self, width: int, height: int, fps: float = 60, title: str = "mjenv"):
        import pygame

        self._pygame = pygame
        self._screen = open_display((width, height), title)
        self._clock = pygame.time.Clock()
        self.fps = fps
        # of a window whose events nobody takes, the last ones
        self._events: deque[Any] = deque(maxlen=1000)
        self.closed = False

    def show(self, frame: np.ndarray) -> None:
        """Show a picture, uint8 (height, width, 3); nothing once the user has closed the window."""
        if self.closed:
            return
        self._collect()
        if self.closed:
            return
        put(self._screen, frame)
        self._pygame.display.flip()
        self._clock.tick(self.fps)

    def take_events(self) -> list[Any]:
        """Events since the last call: pygame's, in their order."""
        self._collect()
        taken, self._events = list(self._events), deque(maxlen=1000)
        return taken

    def _collect(self) -> None:
        """Note what the user has done; closes the window when asked to."""
        if self.closed:
            return
        events = self._pygame.event.get()
        self._events.extend(events)
        if any(event.type == self._pygame.QUIT for event in events):
            self.close()

    def close(self) -> None:
        """Close the window; closing twice is no error."""
        if not self.closed:
            self.closed = True
            self._pygame.display.quit()
