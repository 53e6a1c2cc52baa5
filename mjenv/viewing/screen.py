"""The window itself, with pygame: pictures and texts on it, and what its user does."""

from collections import OrderedDict
from typing import Any

import numpy as np

from mjenv.render.window import open_display, owns, put

INK, DIM, BACK = (255, 255, 255), (170, 180, 190), (15, 20, 30, 205)
MARGIN = 8
KEPT = 1000  # words that are kept drawn


class Screen:
    """A window that can be resized.

    Args:
        size: width and height, pixels.
        title: of the window.

    Raises:
        OSError: there is no display.
        ValueError: no such size.
    """

    def __init__(self, size: tuple[int, int], title: str):
        import pygame

        self.pygame = pygame
        open_display(size, title, pygame.RESIZABLE, owner=self)
        pygame.font.init()
        self._font = pygame.font.Font(None, 20)
        self._words: OrderedDict[tuple[str, tuple[int, int, int]], Any] = OrderedDict()
        self._panels: dict[str, tuple[list[tuple[str, str]], Any]] = {}
        self._clock = pygame.time.Clock()
        self._waiting: list[Any] = []
        self._pads: list[Any] = []
        names = ("MOUSEMOTION", "MOUSEBUTTONDOWN", "MOUSEBUTTONUP", "MOUSEWHEEL")
        self.mouse_events = tuple(getattr(pygame, name) for name in names)
        self._closed = False

    @property
    def closed(self) -> bool:
        """True if the window is, or shows something else: a process has one."""
        return self._closed or not owns(self)

    @property
    def size(self) -> tuple[int, int]:
        """Width and height, pixels."""
        width, height = self.pygame.display.get_surface().get_size()
        return max(width, 16), max(height, 16)

    # ------------------------------------------------------------ events

    def take_events(self) -> list[Any]:
        """All that the user has done since the last call: pygame's events, in their order."""
        if self.closed:
            return []
        waiting, self._waiting = self._waiting, []
        return [*waiting, *self.pygame.event.get()]

    def wait(self, seconds: float) -> None:
        """Wait for an event, at most so long."""
        event = self.pygame.event.wait(round(1000 * seconds))
        if event.type != self.pygame.NOEVENT:
            self._waiting.append(event)

    def modifiers(self, event: Any = None) -> tuple[bool, bool]:
        """States of the control and the shift keys, at an event of a key or now."""
        held = getattr(event, "mod", None)
        held = self.pygame.key.get_mods() if held is None else held
        ctrl = self.pygame.KMOD_CTRL | self.pygame.KMOD_META
        return bool(held & ctrl), bool(held & self.pygame.KMOD_SHIFT)

    def open_pads(self) -> None:
        """Hear of gamepads that are connected, also later."""
        pads = self.pygame.joystick
        pads.init()
        self._pads = [pads.Joystick(k) for k in range(pads.get_count())]

    # ------------------------------------------------------------ pictures

    def draw(self, picture: np.ndarray, place: tuple[int, int] = (0, 0)) -> None:
        """Put a picture, uint8 (height, width, 3), at a pixel (column, row) of what is shown."""
        put(self.pygame.display.get_surface(), picture, place)

    def clear(self) -> None:
        """Have nothing on the window."""
        self.pygame.display.get_surface().fill(BACK[:3])

    def shown(self) -> np.ndarray:
        """Picture on the screen, uint8 (height, width, 3)."""
        surface = self.pygame.display.get_surface()
        return np.ascontiguousarray(np.swapaxes(self.pygame.surfarray.array3d(surface), 0, 1))

    def word(self, text: str, place: tuple[int, int]) -> None:
        """Write a word at a pixel, (column, row)."""
        self.pygame.display.get_surface().blit(self._word(text, INK), place)

    def panel(self, lines: list[tuple[str, str]], place: str, right: int = 0) -> None:
        """Write two columns on a panel.

        Args:
            lines: left and right words.
            place: top, bottom or neither, left, right or neither: "top left", "bottom".
            right: columns at the right edge that are left free.
        """
        if not lines:
            return
        if place not in self._panels or self._panels[place][0] != lines:
            self._panels[place] = list(lines), self._panel(lines)
        panel = self._panels[place][1]
        screen = self.pygame.display.get_surface()
        (width, height), (wide, high) = screen.get_size(), panel.get_size()
        width -= right
        x = 0 if "left" in place else width - wide if "right" in place else (width - wide) // 2
        y = 0 if "top" in place else height - high if "bottom" in place else (height - high) // 2
        screen.blit(panel, (x, y))

    def _panel(self, lines: list[tuple[str, str]]) -> Any:
        """A half transparent surface with two columns of words."""
        rows = [(self._word(a, DIM), self._word(b, INK)) for a, b in lines]
        left = max(a.get_width() for a, _ in rows)
        right = max(b.get_width() for _, b in rows)
        step = self._font.get_linesize() + 1
        gap = MARGIN if left else 0
        wide, high = left + gap + right + 2 * MARGIN, len(rows) * step + 2 * MARGIN
        panel = self.pygame.Surface((wide, high), self.pygame.SRCALPHA)
        panel.fill(BACK)
        for k, (a, b) in enumerate(rows):
            panel.blit(a, (MARGIN, MARGIN + k * step))
            panel.blit(b, (MARGIN + left + gap, MARGIN + k * step))
        return panel

    def _word(self, text: str, colour: tuple[int, int, int]) -> Any:
        """A word, drawn once."""
        found = self._words.pop((text, colour), None) or self._font.render(text, True, colour)
        self._words[text, colour] = found  # the newest
        if len(self._words) > KEPT:
            self._words.popitem(last=False)
        return found

    def show(self, fps: float) -> None:
        """Show what was drawn; wait as long as it takes for so many pictures a second."""
        self.pygame.display.flip()
        if fps:
            self._clock.tick(fps)

    def rename(self, title: str) -> None:
        """Give the window a title."""
        self.pygame.display.set_caption(title)

    def full_screen(self) -> str:
        """Fill the screen, or go back to a window; why not, where that cannot be."""
        try:
            self.pygame.display.toggle_fullscreen()
        except self.pygame.error as error:
            return f"no full screen: {error}"
        return ""

    def close(self) -> None:
        """Close the window; closing twice is no error."""
        if not self.closed:
            self.pygame.display.quit()
        self._closed = True
