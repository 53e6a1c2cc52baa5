"""Draws what the window shows: at once, or in a thread while the world goes on."""

import time
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np

from mjenv.render import Renderer

if TYPE_CHECKING:
    from mjenv.engine.model.model import Model
    from mjenv.visual.scene import MjvScene


class RenderThread:
    """Draws scenes of a model, one after the other.

    Drawing runs in kernels, which leave other threads alone: the world can go on meanwhile. The two
    newest pictures are kept; older ones are drawn over.

    Args:
        model: the model.
        size: width and height of pictures, pixels.

    Attributes:
        renderer: what draws; not to be touched while `busy`.
        seconds: how long the last picture took, s.
    """

    def __init__(self, model: "Model", size: tuple[int, int]):
        width, height = size
        self.renderer, self.seconds = Renderer(model, height, width, limited=False), 0.0
        self._thread = ThreadPoolExecutor(1, "mjenv-render")
        self._drawing: Future[np.ndarray] | None = None
        self._pictures = [np.empty((height, width, 3), np.uint8) for _ in range(2)]

    @property
    def busy(self) -> bool:
        """True if a picture was started and not yet asked for."""
        return self._drawing is not None

    def resize(self, size: tuple[int, int]) -> None:
        """Draw pictures of another size (width, height) from now on; one in the making is lost."""
        width, height = size
        if (height, width) != (self.renderer.height, self.renderer.width):
            self.finish()
            self.renderer.resize(height, width)
            self._pictures = [np.empty((height, width, 3), np.uint8) for _ in range(2)]

    def draw(self, scn: "MjvScene") -> np.ndarray:
        """Draw a scene now; the picture, uint8 (height, width, 3)."""
        self.finish()
        return self._draw(scn)

    def start(self, scn: "MjvScene") -> None:
        """Begin to draw a scene as it is now; it may change meanwhile."""
        self.finish()
        self.renderer.scene.copy_from(scn)
        self._drawing = self._thread.submit(self._draw)

    def finish(self) -> np.ndarray | None:
        """Wait for the picture that was started last, uint8 (height, width, 3); None for none."""
        drawing, self._drawing = self._drawing, None
        return None if drawing is None else drawing.result()

    @property
    def last_scene(self) -> "MjvScene | None":
        """The scene that was drawn last; None before there is one."""
        scene = self.renderer.scene
        return scene if scene.camera_table["frustum_far"][0] > 0.0 else None

    def again(self) -> np.ndarray | None:
        """Draw the last scene once more, with what was changed of it; None before there is one."""
        self.finish()
        return None if self.last_scene is None else self._draw()

    def _draw(self, scn: "MjvScene | None" = None) -> np.ndarray:
        """Draw a scene, or the one that the renderer already has."""
        start = time.perf_counter()
        if scn is not None:
            self.renderer.scene.copy_from(scn)
        picture = self.renderer.render(out=self._pictures[0])
        self._pictures.reverse()
        self.seconds = time.perf_counter() - start
        return picture

    def close(self) -> None:
        """Let go of all memory; closing twice is no error."""
        self._drawing = None
        self._thread.shutdown(wait=True, cancel_futures=True)
        self.renderer.close()
