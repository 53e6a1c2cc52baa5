"""Initial camera of the window: it follows what travels, so that it stays in the picture."""

from collections.abc import Sequence
from copy import copy
from typing import TYPE_CHECKING, Any

import numpy as np

from mjenv.training.films.cameras import TRACK, check_camera
from mjenv.visual.cameras import FIXED, TRACKING, mjv_cameraFrame
from mjenv.visual.settings import MjvCamera, mjv_defaultFreeCamera

if TYPE_CHECKING:
    from mjenv.engine.data.data import Data
    from mjenv.engine.model.model import Model

TRACKCOM = 2  # mode of a camera that goes with a subtree's centre of mass (mjtCamLight)
CLOSEST = 0.1  # of the model's extent: what a camera looks at is at least so far away


def first_view(
    model: "Model",
    data: "Data",
    words: Sequence[str] = (),
    config: dict[str, Any] | None = None,
    follow: bool = False,
) -> MjvCamera:
    """The camera that a window starts with.

    Args:
        model: the model.
        data: its worlds, of which the first is looked at.
        words: for the camera, as in `mjenv.training.films.cameras.check_camera`.
        config: settings of the free camera, `Task.default_camera_config`.
        follow: whether the camera goes with what travels where no word says otherwise.

    Returns:
        A camera that the mouse can turn, unless the words name one of the model's.

    Raises:
        ValueError: a word stands for nothing, or a setting has no effect.
    """
    # words name a camera of the model, or settings of the free one
    camera, settings = check_camera(model, words)
    free = MjvCamera()
    mjv_defaultFreeCamera(model, free)
    for name, value in (config or {}).items():
        if name not in ("type", "fixedcamid", "trackbodyid") and value is not None:
            setattr(free, name, value)
    # what moves is followed unless a word says otherwise
    if isinstance(camera, tuple):
        free.type, free.trackbodyid = TRACKING, camera[1]
    elif camera is not None and camera >= 0:
        free.type, free.fixedcamid = FIXED, camera
    elif camera is None and follow:
        free = _beside(model, data, free)
    for name, value in settings.items():
        setattr(free, name, value)
    return free


def _beside(model: "Model", data: "Data", free: MjvCamera) -> MjvCamera:
    """A camera that stands where the model's "track", or its first that travels, does.

    Where the model has none it is the free one.
    """
    names = [model.camera(k).name for k in range(model.ncam)]
    travels = (model.cam_mode == TRACKCOM) & (model.cam_bodyid > 0)
    chosen = [names.index(TRACK)] if TRACK in names else np.flatnonzero(travels)[:1].tolist()
    if not chosen:
        return free
    (camid,) = chosen
    fixed, found = MjvCamera(), copy(free)
    fixed.type, fixed.fixedcamid = FIXED, camid
    frame = mjv_cameraFrame(model, data, fixed)
    target = model.stat.center
    if travels[camid]:
        found.type, found.trackbodyid = TRACKING, int(model.cam_bodyid[camid])
        target = data.subtree_com[0, found.trackbodyid]
    # as far away as the target is, seen along the camera's axis
    depth = max(float((target - frame.pos) @ frame.forward), CLOSEST * float(model.stat.extent))
    found.lookat, found.distance = frame.pos + depth * frame.forward, depth
    found.azimuth = np.degrees(np.arctan2(frame.forward[1], frame.forward[0]))
    found.elevation = np.degrees(np.arcsin(np.clip(frame.forward[2], -1.0, 1.0)))
    return found
