"""Pictures of an environment's worlds, in the modes of Gymnasium."""

from numbers import Integral
from typing import TYPE_CHECKING, Any

from mjenv.randomization.distributions import nearest

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
METADATA: dict[str, Any] = {"render_modes": MODES}


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
        width: int,
        height: int,
        camera_id: int | None = None,
        camera_name: str | None = None,
        fps: int = 60,
    ):
        """Remember what to draw and from where.

        Raises:
            ValueError: if the camera is given both by number and by name, or there is no such
                camera, or for sizes or settings that make no sense.
        """
        for name, value in (("width", width), ("height", height)):
            if not isinstance(value, Integral) or value < 1:
                raise ValueError(f"render: {name}={value!r}, expected a positive integer")
        if camera_id is not None and not -1 <= camera_id < model.ncam:
            raise ValueError(
                f"render: camera_id={camera_id}, expected 0 to {model.ncam - 1}, or -1 for the "
                "free camera"
            )
        names = [model.camera(i).name for i in range(model.ncam)]
        if camera_name is not None and camera_name not in names:
            raise ValueError(
                f"render: camera_name={camera_name!r}, expected one of {names}"
                f"{nearest(camera_name, names)}"
            )
        for name in default_cam_config or ():
            if name not in SETTINGS:
                raise ValueError(
                    f"render: default_camera_config: found {name!r}, expected some of "
                    f"{list(SETTINGS)}{nearest(name, SETTINGS)}"
                )
        if camera_id is not None and camera_name is not None:
            raise ValueError(
                f"render: camera_id={camera_id} and camera_name={camera_name!r}, "
                "expected only one of the two"
            )
        self.model, self.data = model, data
        self.default_cam_config = default_cam_config
        self.width, self.height, self.fps = width, height, fps
        self.camera_id = -1 if camera_id is None else camera_id
        self.camera_name = camera_name
        self._renderer: Any = None
        self._window: Any = None

    def render(self, render_mode: str, world: int = 0) -> Any:
        """A picture of one world.

        Args:
            render_mode: "rgb_array" for uint8 (height, width, 3), "depth_array" for float32
                (height, width) in meters, "rgbd_tuple" for both, "human" to show it in a window.
            world: which world.

        Raises:
            ValueError: for another mode.
        """
        if render_mode not in MODES:
            raise ValueError(f"render: render_mode={render_mode!r}, expected one of {MODES}")
        if self._renderer is None:
            from mjenv.render import Renderer

            self._renderer = Renderer(self.model, self.height, self.width)
        view = {
            "world": world,
            "camera_id": self.camera_id,
            "camera_name": self.camera_name,
            "camera_config": self.default_cam_config,
        }
        if render_mode == "depth_array":
            return self._renderer.depth(self.data, **view)
        picture = self._renderer.render(self.data, **view)
        if render_mode == "rgb_array":
            return picture
        if render_mode == "rgbd_tuple":
            return picture, self._renderer.depth(self.data, **view)
        return self._show(picture)

    def _show(self, picture: Any) -> None:
        if self._window is None:
            from mjenv.render.window import Window

            self._window = Window(self.width, self.height, self.fps)
        self._window.show(picture)

    def close(self) -> None:
        """Close the window, if there is one."""
        if self._window is not None:
            self._window.close()
        self._window = self._renderer = None
