"""`mujoco.viewer`: this package's window, with the interface of the reference's.

The passive window has no thread of its own: it obeys its user in `Handle.sync`. Panels are opened
with the tab key.
"""

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np

from mjenv import viewer as windows
from mjenv.mujoco.functions import mj_forward
from mjenv.mujoco.pictures.canvas import Rect
from mjenv.mujoco.pictures.context import MjrContext
from mjenv.mujoco.pictures.figures import draw_figure
from mjenv.mujoco.structs import (
    MjData,
    MjModel,
    MjrRect,
    MjvCamera,
    MjvFigure,
    MjvGeom,
    MjvGLCamera,
    MjvLight,
    MjvOption,
    MjvPerturb,
    MjvScene,
)
from mjenv.viewing.viewer import Viewer
from mjenv.visual.scene import Rows

FONT_SCALE = 100  # of figures
Loader = Callable[[], tuple[Any, ...]]


class Handle(windows.Handle):
    """A window on a state that is stepped by whoever has the handle; also a context manager."""

    def __init__(self, viewer: Viewer, model: MjModel, data: MjData):
        super().__init__(viewer)
        self._model, self._data = model, data
        self._scene = _scene_of(viewer.user_scn)
        self._drawn_figures: list[Any] = []
        self._own_images: list[Any] = []
        self._context: MjrContext | None = None

    @property
    def m(self) -> MjModel:
        """The model."""
        return self._model

    @property
    def d(self) -> MjData:
        """The state."""
        return self._data

    @property
    def viewport(self) -> MjrRect:
        """Rectangle of the picture."""
        return MjrRect(*super().viewport)

    @property
    def cam(self) -> MjvCamera:
        """The camera."""
        return MjvCamera.at(self._viewer.cam._row)

    @property
    def opt(self) -> MjvOption:
        """Options of a picture."""
        return MjvOption.at(self._viewer.opt._row)

    @property
    def perturb(self) -> MjvPerturb:
        """Selection, and the pull at it."""
        return MjvPerturb.at(self._viewer.pert._row)

    @property
    def user_scn(self) -> MjvScene:
        """Geoms that are shown besides: the first `ngeom` of `geoms`."""
        return self._scene

    def set_figures(self, viewports_figures: Any) -> None:
        """Show plots over the picture as they are now, on black, until others are set.

        Args:
            viewports_figures: one or a list of pairs: an `MjrRect` (pixels, from the lower left
                corner of the window), and an `MjvFigure`.
        """
        pairs = [viewports_figures] if isinstance(viewports_figures, tuple) else viewports_figures
        self._drawn_figures = [self._figure(Rect.of(rect), figure) for rect, figure in pairs]
        self._show_images()

    def _figure(self, rect: Rect, figure: MjvFigure) -> tuple[windows.Rectangle, np.ndarray]:
        """A plot as a picture, and where it is."""
        if self._context is None:
            self._context = MjrContext(self._model, FONT_SCALE)
        self._context._resize(rect.left + rect.width, rect.bottom + rect.height)
        canvas = self._context._canvas()
        canvas.rgb[:] = 0
        draw_figure(rect, figure, self._context)
        picture = canvas.rgb[rect.bottom :, rect.left :][::-1].copy()
        return windows.Rectangle(*rect), picture

    def clear_figures(self) -> None:
        """Show no plots."""
        self.set_figures([])

    def set_images(self, viewports_images: Any) -> None:
        """Show images over the picture, until others are set.

        Args:
            viewports_images: one or a list of pairs: an `MjrRect` (pixels, from the lower left
                corner of the window), and uint8 (height, width, 3).

        Raises:
            ValueError: an image of another size.
        """
        super().set_images(viewports_images)
        self._own_images = self._viewer.images
        self._show_images()

    def clear_images(self) -> None:
        """Show no images."""
        self.set_images([])

    def _show_images(self) -> None:
        self._viewer.images = [*self._drawn_figures, *self._own_images]


def _scene_of(scene: Any) -> MjvScene:
    """A scene of this package with the interface of the bindings: both are the same from then on.

    Args:
        scene: of the window.
    """
    shared = MjvScene.__new__(MjvScene)
    state = vars(scene)
    for name, kind in (("geom", MjvGeom), ("light", MjvLight), ("camera", MjvGLCamera)):
        state[name if name == "camera" else f"{name}s"] = Rows(kind, state[f"{name}_table"])
    object.__setattr__(shared, "__dict__", state)
    return shared


def launch_passive(
    model: MjModel,
    data: MjData,
    *,
    key_callback: Callable[[int], Any] | None = None,
    show_left_ui: bool = True,
    show_right_ui: bool = True,
) -> Handle:
    """Show a state that you step yourself: `sync` of the handle shows how it is now.

    Args:
        model: the model.
        data: the state.
        key_callback: called with GLFW's number of each key that goes down.
        show_left_ui, show_right_ui: no effect: panels are opened with the tab key.

    Raises:
        OSError: there is no display.
        ValueError: no model, no data, or nothing that can be called.
    """
    if not isinstance(model, MjModel):
        raise ValueError(f"`model` is not a mujoco.MjModel: got {model!r}")
    if not isinstance(data, MjData):
        raise ValueError(f"`data` is not a mujoco.MjData: got {data!r}")
    if key_callback is not None and not callable(key_callback):
        raise ValueError(f"`key_callback` is not callable: got {key_callback!r}")
    mj_forward(model, data)
    viewer = Viewer(model=data.batch.model, data=data.batch, fps=0, key_callback=key_callback)
    return Handle(viewer, model, data)


def launch(
    model: Any = None,
    data: MjData | None = None,
    *,
    loader: Loader | None = None,
    show_left_ui: bool = True,
    show_right_ui: bool = True,
) -> None:
    """Show a model in a window, moving at real speed, until the window is closed.

    Args:
        model: the model, or what gives a model and data when it is called.
        data: the state; None for the initial one.
        loader: what gives a model and data when it is called, in the place of these.
        show_left_ui, show_right_ui: no effect: panels are opened with the tab key.

    Raises:
        OSError: there is no display.
        ValueError: data without a model, or two models, or none.
    """
    # a loader may stand in the place of a model
    if callable(model):
        if data is not None:
            raise ValueError("mjData should not be specified when an mjModel loader is used")
        given: Any = model
        model, loader = None, loader or given
    if loader is not None:
        if model is not None:
            raise ValueError("model and loader are both specified")
        model, data = loader()[:2]
    if model is None:
        if data is not None:
            raise ValueError("mjData is specified but mjModel is not")
        raise ValueError("launch: found no model, expected one, or a loader, or launch_from_path")
    # the window shows what is computed from the present state
    data = MjData(model) if data is None else data
    mj_forward(model, data)
    windows.launch(data.batch.model, data.batch)


def launch_from_path(path: str) -> None:
    """Show the model of a file in a window until it is closed; edits of the file are seen.

    Raises:
        ValueError: the file is no model.
        OSError: it cannot be read, or there is no display.
    """
    windows.launch_from_path(path)


def main() -> None:
    """Show the model of a file that the command line names: `--mjcf=PATH`."""
    parser = argparse.ArgumentParser(prog="mujoco.viewer")
    parser.add_argument("--mjcf", required=True, help="path of an MJCF file")
    launch_from_path(parser.parse_args().mjcf)


if __name__ == "__main__":
    main()
