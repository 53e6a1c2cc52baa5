"""Cameras and lights of many worlds at once."""

from copy import copy
from typing import TYPE_CHECKING, Any

import numpy as np

from mjenv.engine.tables.enum_tables import enumeration

from ..visual.cameras import mjv_cameraFrame, mjv_cameraFrustum
from ..visual.lights import OF_ALL, OF_SPOTS, SPOT
from ..visual.names import CAMERA, MAXLIGHT, SENS, TRN, VIS
from ..visual.records import GLCAMERA
from ..visual.records import LIGHT as LIGHT_ROW
from ..visual.settings import MjvCamera, MjvOption

if TYPE_CHECKING:
    from mjenv.engine.data.data import Data
    from mjenv.engine.model.model import Model

WRAP: Any = enumeration("mjtWrap")
FIXED, TRACKING = int(CAMERA.mjCAMERA_FIXED), int(CAMERA.mjCAMERA_TRACKING)
# flags that add nothing to the geoms and sites of a model, or are looked at by themselves
QUIET = [
    int(VIS[f"mjVIS_{name}"])
    for name in (
        *("TEXTURE", "STATIC", "TRANSPARENT", "CONVEXHULL", "PERTOBJ", "PERTFORCE", "ACTIVATION"),
        *("SKIN", "TENDON", "RANGEFINDER", "FLEXVERT", "FLEXEDGE", "FLEXFACE", "FLEXSKIN"),
    )
]


def is_plain(model: "Model", option: MjvOption) -> bool:
    """True if pictures show nothing but geoms and sites."""
    flags = np.array(option.flags)
    flags[QUIET] = 0
    if flags.any() or option.label or option.frame or model.nskin or model.nflex:
        return False
    if option.flags[VIS.mjVIS_TENDON] and (model.wrap_type == int(WRAP.mjWRAP_SITE)).any():
        return False
    if (model.actuator_trntype == int(TRN.mjTRN_SLIDERCRANK)).any():
        return False
    rays = (model.sensor_type == int(SENS.mjSENS_RANGEFINDER)).any()
    return not (option.flags[VIS.mjVIS_RANGEFINDER] and rays)


def cameras_of_worlds(model: "Model", data: "Data", worlds: Any, camera: MjvCamera) -> np.ndarray:
    """Eyes of a camera in many worlds: rows of mjvGLCamera, (n,), or (1,) where all are alike."""
    # the frame of one world, and rows for the others if they have their own
    numbers = np.arange(data.nworld)[worlds]
    n, first = len(numbers), int(numbers[0])
    frame = mjv_cameraFrame(model, data, copy(camera), world=first)
    varied = camera.type == FIXED and any(name.startswith("cam_") for name in data.varied)
    rows = np.zeros(n if camera.type in (FIXED, TRACKING) else 1, GLCAMERA)
    rows["forward"], rows["up"] = frame.forward, frame.up
    rows["pos"] = frame.pos
    # cameras of the model are where they are in each world
    if camera.type == FIXED:
        turn = data.cam_xmat[worlds][:, camera.fixedcamid].reshape(n, 3, 3)
        rows["pos"] = data.cam_xpos[worlds][:, camera.fixedcamid]
        rows["forward"], rows["up"] = -turn[:, :, 2], turn[:, :, 1]
    elif camera.type == TRACKING:
        centre = data.subtree_com[worlds][:, camera.trackbodyid]
        rows["pos"] = centre - camera.distance * frame.forward
    # the opening: once, unless cameras differ between worlds
    for k in range(len(rows) if varied else 1):
        world = int(numbers[k])
        opening = mjv_cameraFrustum(model, camera, data, world)
        left, right = opening.horizontal
        row = rows[k : k + 1] if varied else rows
        row["frustum_top"], row["frustum_bottom"] = opening.vertical[0], -opening.vertical[1]
        row["frustum_center"], row["frustum_width"] = (right - left) / 2, (right + left) / 2
        row["frustum_near"], row["frustum_far"] = opening.clip
    if camera.type == FIXED:
        rows["orthographic"] = model.cam_projection[camera.fixedcamid] != 0
    else:
        rows["orthographic"] = model.vis.global_.orthographic
    return rows


def lights_of_worlds(model: "Model", data: "Data", worlds: Any, cameras: np.ndarray) -> np.ndarray:
    """Lights that are on, the headlight first: rows of mjvLight, (n, nlight)."""
    # rows: one where nothing differs
    n = len(np.arange(data.nworld)[worlds])
    head = int(bool(model.vis.headlight.active))
    ids = np.flatnonzero(model.light_active)[: MAXLIGHT - head]
    alike = len(cameras) == 1 and not len(ids)
    rows = np.zeros((1 if alike else n, head + len(ids)), LIGHT_ROW)
    # the headlight is at the camera
    if head:
        rows["id"][:, 0], rows["type"][:, 0], rows["headlight"][:, 0] = -1, 1, 1
        rows["pos"][:, 0], rows["dir"][:, 0] = cameras["pos"], cameras["forward"]
        for name in ("ambient", "diffuse", "specular"):
            rows[name][:, 0] = getattr(model.vis.headlight, name)
    # lights of the model, by the fields that their type has
    if len(ids):
        own = rows[:, head:]
        own["id"] = ids
        for name in OF_ALL:
            own[name] = (
                data.of_worlds(f"light_{name}", worlds)[..., ids, :]
                if name in COLOURS
                else (data.of_worlds(f"light_{name}", worlds)[..., ids])
            )
        spots = np.flatnonzero(np.asarray(model.light_type)[ids] == SPOT)
        for name in OF_SPOTS:
            values = data.of_worlds(f"light_{name}", worlds)
            if name == "attenuation":
                own[name][:, spots] = values[..., ids[spots], :]
            else:
                own[name][:, spots] = values[..., ids[spots]]
        own["pos"], own["dir"] = data.light_xpos[worlds][:, ids], data.light_xdir[worlds][:, ids]
    return rows


COLOURS = ("ambient", "diffuse", "specular")
