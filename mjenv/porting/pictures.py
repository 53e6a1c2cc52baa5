"""Pictures of a port's worlds, seen as the environment's own renderer would see one."""

from typing import Any

from mjenv.engine.data.data import Data
from mjenv.porting.original import Original
from mjenv.render.frames import MODES, Frames, RenderSettings

# there is no window
PICTURE_MODES = [mode for mode in MODES if mode != "human"]
# arguments of Gymnasium's environments, which worlds that are drawn take in their place
_ARGUMENTS = ("width", "height", "camera_id", "camera_name")


def settings_of(render_mode: str | None, kwargs: dict[str, Any]) -> RenderSettings:
    """Settings of pictures, of which those of a size and a camera leave the arguments.

    Raises:
        ValueError: there are no pictures of that mode.
    """
    if render_mode is None:
        return RenderSettings()
    if render_mode not in PICTURE_MODES:
        raise ValueError(
            f"PortedVectorEnv: render_mode={render_mode!r}, expected None or one of {PICTURE_MODES}"
        )
    given = {name: kwargs.pop(name) for name in _ARGUMENTS if name in kwargs}
    return RenderSettings(render_mode, **given)


def frames_of(original: Original, data: Data, settings: RenderSettings) -> Frames:
    """What draws worlds of an environment, from its own camera where the settings name none."""
    renderer = getattr(original.inner, "mujoco_renderer", None)
    config = getattr(renderer, "default_cam_config", None)
    number = getattr(renderer, "camera_id", None)
    if settings.camera_id is None and settings.camera_name is None and number is not None:
        settings = settings._replace(camera_id=int(number))
    return Frames(data.model, data, config, settings)
