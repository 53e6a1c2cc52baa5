"""Pictures of an environment's worlds, in the modes of Gymnasium."""

from numbers import Integral
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mjenv.engine.errors import nearest
from mjenv.engine.tables.enum_tables import enumeration

if TYPE_CHECKING:
    from mjenv.engine.data.data import Data
    from mjenv.engine.model.model import Model

# settings of the free camera
SETTINGS = (
    "lookat",
    "distance",
    "azimuth",
    "elevation",
    "trackbodyid",
    "type",
    "fixedcamid",
    "orthographic",
)
MODES = ["human", "rgb_array", "depth_array", "rgbd_tuple"]
NVISFLAG = int(enumeration("mjtVisFlag").mjNVISFLAG)
METADATA: dict[str, Any] = {"render_modes": MODES}


class RenderSettings(NamedTuple):
    """Settings of pictures of an environment: keyword arguments of `Env` and `VectorEnv`.

    Attributes:
        render_mode: "human", "rgb_array", "depth_array", "rgbd_tuple" or None.
        width: columns of a picture.
        height: rows of a picture.
        camera_id: number of the model's camera to draw from; the free camera by default.
        camera_name: name of that camera, instead of its number.
        max_geom: most geoms of a scene, as Gymnasium has it; more are drawn all the same where
            pictures show geoms and sites alone.
        visual_options: flags of mjtVisFlag (numbers) and whether they are on.
    """

    render_mode: str | None = None
    width: int = 480
    height: int = 480
    camera_id: int | None = None
    camera_name: str | None = None
    max_geom: int = 1000
    visual_options: dict[int, bool] | None = None

    def check_words(self) -> "RenderSettings":
        """Refuse what makes sense for no model; returns the settings.

        Raises:
            ValueError: for another mode, or for options that are no flags.
        """
        mode, options = self.render_mode, self.visual_options
        if mode is not None and mode not in MODES:
            raise ValueError(
                f"render_mode={mode!r}, expected None or one of {MODES}{nearest(str(mode), MODES)}"
            )
        if options is not None:
            flags = set(range(NVISFLAG))
            if not isinstance(options, dict) or not flags.issuperset(options):
                raise ValueError(
                    f"visual_options={options!r}, expected a dict from flags of mjtVisFlag, "
                    f"0 to {NVISFLAG - 1}, to whether they are on"
                )
        return self

    def check(self, model: "Model") -> None:
        """Refuse invalid sizes, and cameras that a model does not have.

        Raises:
            ValueError: also if the camera is given both by number and by name.
        """
        for name in ("width", "height"):
            value = getattr(self, name)
            if not isinstance(value, Integral) or value < 1:
                raise ValueError(f"render: {name}={value!r}, expected a positive integer")
        number, name = self.camera_id, self.camera_name
        if number is not None and not -1 <= number < model.ncam:
            raise ValueError(
                f"render: camera_id={number}, expected 0 to {model.ncam - 1}, or -1 for the "
                "free camera"
            )
        names = [model.camera(i).name for i in range(model.ncam)]
        if name is not None and name not in names:
            raise ValueError(
                f"render: camera_name={name!r}, expected one of {names}{nearest(str(name), names)}"
            )
        if number is not None and name is not None:
            raise ValueError(
                f"render: camera_id={number} and camera_name={name!r}, expected only one of the two"
            )


class Frames:
    """Draws worlds; the renderer and the window are made when they are first needed.

    Attributes:
        default_cam_config: settings of the free camera, as in `Task.default_camera_config`.
        width: columns of a picture.
        height: rows of a picture.
    """

    def __init__(
        self,
        model: "Model",
        data: "Data",
        default_cam_config: dict[str, Any] | None,
        settings: RenderSettings,
        fps: int = 60,
    ):
        """Remember what to draw and from where.

        Args:
            model: the model.
            data: its worlds.
            default_cam_config: settings of the free camera.
            settings: of the pictures.
            fps: pictures per second of the window.

        Raises:
            ValueError: if there is no such camera, or for invalid sizes or settings.
        """
        # arguments are checked now, not at the first picture
        settings.check(model)
        for name in default_cam_config or ():
            if name not in SETTINGS:
                raise ValueError(
                    f"render: default_camera_config: found {name!r}, expected some of "
                    f"{list(SETTINGS)}{nearest(str(name), SETTINGS)}"
                )
        self.model, self.data = model, data
        self.default_cam_config = default_cam_config
        self.width, self.height, self.fps = settings.width, settings.height, fps
        self.camera_id = -1 if settings.camera_id is None else settings.camera_id
        self.camera_name = settings.camera_name
        self.max_geom = settings.max_geom
        self.visual_options = dict(settings.visual_options or {})
        # made by the first picture: a renderer takes time and memory
        self._camera: Any = None
        self._option: Any = None
        self._renderer: Any = None
        self._window: Any = None

    def render(self, render_mode: str, world: int = 0) -> Any:
        """A picture of one world.

        Args:
            render_mode: as in `render_worlds`; "human" shows the picture in a window.
            world: which world.

        Raises:
            ValueError: for another mode.
        """
        pictures = self.render_worlds(render_mode, np.array([world]))
        if render_mode == "human":
            return self._show(pictures[0])
        if render_mode == "rgbd_tuple":
            return pictures[0][0], pictures[1][0]
        return pictures[0]

    def render_worlds(self, render_mode: str, worlds: np.ndarray) -> Any:
        """Pictures of some worlds, drawn at once.

        Args:
            render_mode: "rgb_array" or "human" for uint8 (n, height, width, 3), "depth_array" for
                float32 (n, height, width) as in a buffer of depths, from 0 at the near plane to 1
                at the far one; "rgbd_tuple" for both.
            worlds: their numbers, (n,).

        Raises:
            ValueError: for another mode.
        """
        if render_mode not in MODES:
            raise ValueError(f"render: render_mode={render_mode!r}, expected one of {MODES}")
        # the first picture makes the renderer
        if self._renderer is None:
            self._start()
        size = (len(worlds), self.height, self.width)
        rgb = None if render_mode == "depth_array" else np.empty((*size, 3), np.uint8)
        deep = "depth" in render_mode or render_mode == "rgbd_tuple"
        depth = np.empty(size, np.float32) if deep else None
        # all worlds in one call, by threads
        from mjenv.render.caster import Pictures

        self._renderer.draw_worlds(
            self.data, self._camera, self._option, worlds, Pictures(rgb, depth)
        )
        # depths as OpenGL's buffer has them, which Gymnasium returns
        if depth is not None:
            depth = self._as_buffer(depth)
        if render_mode == "rgbd_tuple":
            return rgb, depth
        return depth if render_mode == "depth_array" else rgb

    def _start(self) -> None:
        """Make the renderer, and the camera as it stays from the first picture on."""
        from mjenv.render import Renderer
        from mjenv.visual import MjvOption, default_camera

        self._renderer = Renderer(self.model, self.height, self.width, self.max_geom, limited=False)
        self._option = MjvOption()
        for flag, value in self.visual_options.items():
            self._option.flags[flag] = value
        if self.camera_name is not None:
            self._camera = self._renderer.camera_of(self.camera_name)
        elif self.camera_id >= 0:
            self._camera = self._renderer.camera_of(self.camera_id)
        else:
            config = {
                name: value for name, value in (self.default_cam_config or {}).items()
                if value is not None
            }  # fmt: skip
            self._camera = default_camera(self.model, self.data, config)

    def _as_buffer(self, depth: np.ndarray) -> np.ndarray:
        """Distances (m) as the buffer of depths of OpenGL has them, as in Gymnasium."""
        extent, clip = self.model.stat.extent, self.model.vis.map
        near, far = np.float32(clip.znear * extent), np.float32(clip.zfar * extent)
        scaled = (1.0 - near / np.maximum(depth, near)) * (far / (far - near))
        return np.clip(scaled, 0.0, 1.0).astype(np.float32)

    def _show(self, picture: Any) -> None:
        if self._window is None:
            from mjenv.render.window import Window

            self._window = Window(self.width, self.height, self.fps)
        self._window.show(picture)

    def close(self) -> None:
        """Close the window, if there is one."""
        if self._window is not None:
            self._window.close()
        self._window = self._renderer = self._camera = None
