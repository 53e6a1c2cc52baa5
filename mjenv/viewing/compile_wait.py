"""The window while it waits for code to be compiled: the picture stays, and turns."""

import time
from collections.abc import Sequence
from copy import copy
from typing import TYPE_CHECKING, Any

from mjenv.visual.cameras import FIXED, FREE, mjv_updateCamera

from .keys import row_of

if TYPE_CHECKING:
    import numpy as np

    from .render_thread import RenderThread
    from .screen import Screen
    from .viewer import Viewer

RATE = 1 / 30  # s between pictures, at least
SPOKEN = 3  # names of what is compiled that are told
QUITS = ("escape", "ctrl q")


class Closed(BaseException):
    """The user closes the window while it waits."""


class CompileWait:
    """Keeps a window alive while another thread or process compiles.

    The world stands still, as it may be half way through a step: the last picture is drawn again
    where the mouse moves the camera, and a note says what is waited for. The window can be closed;
    other keys do nothing, for they would all act at once in the end.

    Args:
        screen: the window.
    """

    def __init__(self, screen: "Screen"):
        self._screen = screen
        self._start, self._shown = 0.0, 0.0
        self._names: Sequence[str] = ()
        self._picture: np.ndarray | None = None
        self._ignored = ""

    def look(self, viewer: "Viewer", names: Sequence[str]) -> None:
        """Obey the user as far as can be, and show the picture with a note.

        Args:
            viewer: whose window it is.
            names: what is compiled.

        Raises:
            Closed: the user closes the window.
        """
        now = time.perf_counter()
        if self._names is not names:
            self._names, self._start, self._shown = names, now, now - RATE
            self._picture, self._ignored = None, ""
        moved = self._obey(viewer)
        if now - self._shown < RATE:
            return
        self._shown = now
        render_thread = viewer.render_thread
        if render_thread is not None and (moved or self._picture is None):
            self._picture = self._again(viewer, render_thread)
        self._draw(now)

    def _obey(self, viewer: "Viewer") -> bool:
        """Let the mouse move the camera; whether it has."""
        pygame, moved = self._screen.pygame, False
        for event in self._screen.take_events():
            if event.type == pygame.QUIT:
                raise Closed
            if event.type == pygame.KEYDOWN:
                self._key(event)
            elif event.type in (pygame.MOUSEMOTION, pygame.MOUSEWHEEL):
                moved |= viewer.turn(event, pull=False)
            elif event.type == pygame.MOUSEBUTTONUP:
                viewer.let_go()
        return moved

    def _key(self, event: Any) -> None:
        """Quit, or note that a key does nothing."""
        name = self._screen.pygame.key.name(event.key)
        row = row_of(name, getattr(event, "unicode", ""), *self._screen.modifiers(event))
        if row is not None and row.key in QUITS:
            raise Closed
        if row is not None:
            self._ignored = row.help

    def _again(self, viewer: "Viewer", render_thread: "RenderThread") -> "np.ndarray | None":
        """The last picture, from where the camera is now."""
        cam = copy(viewer.cam)
        if cam.type == FIXED:
            return render_thread.again()
        # what a tracking camera follows stands still
        cam.type = FREE
        scene = render_thread.last_scene
        if scene is not None:
            mjv_updateCamera(viewer.model, viewer.data, cam, scene, world=viewer.world)
        return render_thread.again()

    def _draw(self, now: float) -> None:
        """Show the picture and the note."""
        if self._picture is None:
            self._screen.clear()
        else:
            self._screen.draw(self._picture)
        lines = [("", line) for line in self._note(now)]
        self._screen.panel(lines, "bottom")
        self._screen.show(0)

    def _note(self, now: float) -> list[str]:
        """Text about what is compiled, and for how long."""
        names = [name.replace("_", " ") for name in self._names[:SPOKEN]]
        more = len(self._names) - len(names)
        said = ", ".join(names) + (f" and {more} more" if more else "")
        lines = [f"compiling, once for this processor: {said} ({now - self._start:.0f} s)"]
        if self._ignored:
            lines.append(f"time stands still; {self._ignored!r} was not done")
        return lines
