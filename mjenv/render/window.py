"""A window that shows frames, with pygame."""

from collections import deque
from typing import Any

import numpy as np


class Window:
    """Shows one picture after the other at a steady rate.

    Args:
        width: columns of a picture.
        height: rows of a picture.
        fps: pictures per second; `show` waits as long as needed.
        title: of the window.
    """

    def __init__(self, width: int, height: int, fps: float = 60, title: str = "mjenv"):
        import pygame

        self._pygame = pygame
        pygame.display.init()
        pygame.display.set_caption(title)
        self._screen = pygame.display.set_mode((width, height))
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
        surface = self._pygame.surfarray.make_surface(np.swapaxes(frame, 0, 1))
        self._screen.blit(surface, (0, 0))
        self._pygame.display.flip()
        self._clock.tick(self.fps)

    def take_events(self) -> list[Any]:
        """What the user has done since the last call: pygame's events, in their order."""
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
