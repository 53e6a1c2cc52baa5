"""`Renderer`: pictures of a model's states as arrays."""

from typing import Any

import numpy as np

from mjenv.mujoco import enumerations
from mjenv.mujoco.gl_context import GLContext
from mjenv.mujoco.pictures import mjr_functions, mjv_functions
from mjenv.mujoco.pictures.canvas import Rect
from mjenv.mujoco.pictures.context import MjrContext
from mjenv.mujoco.pictures.drawing import IDCOLOR, SEGMENT, metres
from mjenv.mujoco.structs import MjData, MjModel, MjrRect, MjvCamera, MjvOption, MjvScene
from mjenv.visual.cameras import mjv_averageCamera

FREE, FIXED = (int(enumerations.mjtCamera[f"mjCAMERA_{name}"]) for name in ("FREE", "FIXED"))
ALL = int(enumerations.mjtCatBit.mjCAT_ALL)
FAR_IS_ZERO = int(enumerations.mjtDepthMap.mjDEPTH_ZEROFAR)
COLOUR, DEPTH, SEGMENTATION = "colour", "depth", "segmentation"


class Renderer:
    """Draws states of a model.

    Args:
        model: the model.
        height: rows of a picture.
        width: columns of a picture.
        max_geom: most geoms of a scene.
        font_scale: size of letters.

    Raises:
        ValueError: the picture is larger than the model's off-screen buffer.
    """

    _mjr_context: MjrContext | None = None
    _gl_context: GLContext | None = None

    def __init__(
        self,
        model: MjModel,
        height: int = 240,
        width: int = 320,
        max_geom: int = 10000,
        font_scale: Any = enumerations.mjtFontScale.mjFONTSCALE_150,
    ):
        buffer = model.vis.global_
        for what, found, most in (
            ("width", width, buffer.offwidth), ("height", height, buffer.offheight),
        ):  # fmt: skip
            if found > most:
                raise ValueError(
                    f"Image {what} {found} > framebuffer {what} {most}. Either reduce the image "
                    f"{what} or specify a larger offscreen framebuffer in the model XML using the "
                    f'clause:\n<visual>\n  <global off{what}="my_{what}"/>\n</visual>'
                )
        # a scene, and a context that needs no OpenGL
        self._width, self._height, self._model = width, height, model
        self._scene, self._scene_option = MjvScene(model, max_geom), MjvOption()
        self._rect = MjrRect(0, 0, width, height)
        self._gl_context = GLContext(width, height)
        self._mjr_context = MjrContext(model, int(font_scale))
        self._mjr_context.readDepthMap = FAR_IS_ZERO
        self._kind = COLOUR

    @property
    def model(self) -> MjModel:
        """The model."""
        return self._model

    @property
    def scene(self) -> MjvScene:
        """Scene of the next picture; geoms may be added to it after `update_scene`."""
        return self._scene

    @property
    def height(self) -> int:
        """Rows of a picture."""
        return self._height

    @property
    def width(self) -> int:
        """Columns of a picture."""
        return self._width

    def enable_depth_rendering(self) -> None:
        """Draw distances from the camera's plane from now on."""
        self._kind = DEPTH

    def disable_depth_rendering(self) -> None:
        """Draw no distances."""
        if self._kind == DEPTH:
            self._kind = COLOUR

    def enable_segmentation_rendering(self) -> None:
        """Draw numbers and types of objects from now on."""
        self._kind = SEGMENTATION

    def disable_segmentation_rendering(self) -> None:
        """Draw no numbers."""
        if self._kind == SEGMENTATION:
            self._kind = COLOUR

    def update_scene(
        self,
        data: MjData,
        camera: int | str | MjvCamera = -1,
        scene_option: MjvOption | None = None,
    ) -> None:
        """Take what a state looks like now.

        Args:
            data: the state; poses must have been computed.
            camera: number or name of a camera of the model, -1 for the free one, or a camera.
            scene_option: what is drawn; None for the default.

        Raises:
            ValueError: no such camera.
        """
        mjv_functions.mjv_updateScene(
            self._model, data, scene_option or self._scene_option, None, self._camera(camera), ALL,
            self._scene,
        )  # fmt: skip

    def _camera(self, camera: int | str | MjvCamera) -> MjvCamera:
        """The camera that a name, a number or a camera stands for."""
        if isinstance(camera, MjvCamera):
            return camera
        number = camera
        if isinstance(camera, str):
            names = [self._model.camera(k).name for k in range(self._model.ncam)]
            if camera not in names:
                raise ValueError(f'The camera "{camera}" does not exist.')
            number = names.index(camera)
        if not -1 <= int(number) < self._model.ncam:
            raise ValueError(f"The camera id {camera} is out of range [-1, {self._model.ncam}).")
        found = MjvCamera()
        if int(number) == -1:
            mjv_functions.mjv_defaultFreeCamera(self._model, found)
        else:
            found.type, found.fixedcamid = FIXED, int(number)
        return found

    def render(self, *, out: np.ndarray | None = None) -> np.ndarray:
        """Draw the scene.

        Args:
            out: array to draw into; None for a new one.

        Returns:
            uint8 (height, width, 3); with depth rendering float32 (height, width), m; with
            segmentation int32 (height, width, 2), numbers and types (mjtObj), -1 for nothing.

        Raises:
            RuntimeError: the renderer is closed.
            ValueError: the array is of another shape.
        """
        if self._mjr_context is None:
            raise RuntimeError("render cannot be called after close.")
        shape = (self._height, self._width)
        # shape and type follow from what is rendered
        last, dtype = {
            COLOUR: ((3,), np.uint8), DEPTH: ((), np.float32), SEGMENTATION: ((2,), np.int32),
        }[self._kind]  # fmt: skip
        if out is not None and out.shape not in {(*shape, *last), (*shape, 3)[: 2 + bool(last)]}:
            raise ValueError(
                f"Renderer.render: out has shape {out.shape}, expected {(*shape, *last)}"
            )
        picture = self._drawn(self._mjr_context)[::-1]
        if out is None or out.shape != picture.shape:
            return np.ascontiguousarray(picture, dtype)
        out[...] = picture
        return out

    def _drawn(self, context: MjrContext) -> np.ndarray:
        """The picture, the lowest row first."""
        flags, kept = self._scene.flags, self._scene.flags.copy()
        if self._kind != COLOUR:
            flags[[SEGMENT, IDCOLOR]] = 1
        try:
            mjr_functions.mjr_render(self._rect, self._scene, context)
        finally:
            flags[:] = kept
        canvas = context._canvas()
        here, _ = canvas.common(Rect.of(self._rect))
        if self._kind == DEPTH:
            eyes = self._scene.camera
            return metres(canvas.depth[here], mjv_averageCamera(eyes[0], eyes[1]))
        return self._objects(canvas.rgb[here]) if self._kind == SEGMENTATION else canvas.rgb[here]

    def _objects(self, rgb: np.ndarray) -> np.ndarray:
        """Numbers and types of objects from colours that number geoms."""
        number = rgb.astype(np.int64) @ (1 << np.array([0, 8, 16])) - 1
        rows = self._scene.geom_table[: self._scene.ngeom]
        rows = rows[rows["segid"] >= 0]
        # the last row is for what shows nothing
        table = np.full((self._scene.ngeom + 1, 2), -1, np.int32)
        table[rows["segid"], 0], table[rows["segid"], 1] = rows["objid"], rows["objtype"]
        return table[number]

    def close(self) -> None:
        """Let go of everything; pictures can no longer be drawn. Closing twice is no error."""
        if self._gl_context is not None:
            self._gl_context.free()
        if self._mjr_context is not None:
            self._mjr_context.free()
        self._gl_context = self._mjr_context = None

    def __enter__(self) -> "Renderer":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __del__(self) -> None:
        self.close()
