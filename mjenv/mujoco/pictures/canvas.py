"""Framebuffers in memory: what OpenGL has on the graphics card."""

import threading
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

MOST_WAITING = 16  # rectangles whose depths nobody has looked at


class Rect(NamedTuple):
    """Pixels from the left and from below, and the size of what starts there."""

    left: int
    bottom: int
    width: int
    height: int

    @classmethod
    def of(cls, rect: Any) -> "Rect":
        """The same as an `MjrRect`."""
        return cls(rect.left, rect.bottom, rect.width, rect.height)

    @property
    def empty(self) -> bool:
        """True if there is nothing in it."""
        return self.width <= 0 or self.height <= 0

    def moved(self, left: int, bottom: int) -> "Rect":
        """One of the same size elsewhere."""
        return self._replace(left=left, bottom=bottom)


class Canvas:
    """A framebuffer.

    Args:
        width, height: in pixels.

    Attributes:
        rgb: uint8 (height, width, 3), the lowest row first.
        depth: float32 (height, width), as OpenGL keeps it for MuJoCo: 1 at the near plane, 0 at
            the far one.
    """

    def __init__(self, width: int, height: int):
        self.rgb = np.zeros((height, width, 3), np.uint8)
        self._depth = np.zeros((height, width), np.float32)
        self._waiting: dict[Rect, Callable[[], np.ndarray]] = {}

    @property
    def depth(self) -> np.ndarray:
        """Depths, for which those that are waiting are computed."""
        for rect, compute in self._waiting.items():
            here, there = self.common(rect)
            self._depth[here] = compute()[there]
        self._waiting.clear()
        return self._depth

    def put_depth(self, rect: Rect, compute: Callable[[], np.ndarray]) -> None:
        """Set the depths of a rectangle, which are computed when somebody looks at them.

        Args:
            rect: of pixels.
            compute: gives them, float32 (height, width), the lowest row first.
        """
        if len(self._waiting) > MOST_WAITING:
            _ = self.depth
        # what is drawn over it does not count any more
        self._waiting.pop(rect, None)
        self._waiting[rect] = compute

    def common(self, rect: Rect) -> tuple[Any, Any]:
        """The part of a rectangle that lies on the canvas: where on it, and where in the rectangle.

        Args:
            rect: of pixels.
        """
        here, there = [], []
        sizes = ((rect.bottom, rect.height), (rect.left, rect.width))
        for (start, length), most in zip(sizes, self._depth.shape, strict=True):
            first, last = max(start, 0), max(min(start + length, most), max(start, 0))
            here.append(slice(first, last))
            there.append(slice(first - start, last - start))
        return tuple(here), tuple(there)

    def blend(self, rect: Rect, colour: Any, share: Any) -> None:
        """Lay a colour over a rectangle.

        Args:
            rect: of pixels.
            colour: red, green and blue, 0 to 1: (3,), or (height, width, 3).
            share: how much of it there is: a number, or (height, width).
        """
        here, there = self.common(rect)
        colour = np.broadcast_to(np.asarray(colour, np.float64), (rect.height, rect.width, 3))
        share = np.broadcast_to(np.asarray(share, np.float64), (rect.height, rect.width))
        share, below = share[there][..., None], self.rgb[here] / 255.0
        mixed = np.clip(share * colour[there] + (1.0 - share) * below, 0.0, 1.0)
        self.rgb[here] = np.rint(255.0 * mixed)


class _Current(threading.local):
    """Target of functions without a context, one in each thread as in OpenGL.

    Attributes:
        canvas: the framebuffer; None before there is one.
        viewport: the part of it that was drawn into last.
    """

    canvas: Canvas | None = None
    viewport: Rect = Rect(0, 0, 0, 0)


current = _Current()
