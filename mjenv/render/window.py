"""A window that shows frames, with pygame."""

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
        self.closed = False

    def show(self, frame: np.ndarray) -> None:
        """Show a picture, uint8 (height, width, 3); nothing once the user has closed the window."""
        if self.closed:
            return
        for event in self._pygame.event.get():
            if event.type == self._pygame.QUIT:
                self.close()
                return
        surface = self._pygame.surfarray.make_surface(np.swapaxes(frame, 0, 1))
        self._screen.blit(surface, (0, 0))
        self._pygame.display.flip()
        self._clock.tick(self.fps)

    def close(self) -> None:
        """Close the window; closing twice is no error."""
        if not self.closed:
            self.closed = True
            self._pygame.display.quit()
