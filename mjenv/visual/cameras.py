"""From abstract cameras to eyes: frames, openings, averages, the mouse, Gymnasium's framing."""

import math
from copy import copy
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from mjenv import mju
from mjenv.engine.data.views import takes_views
from mjenv.engine.errors import nearest_or_all
from mjenv.engine.products import dot, norm
from mjenv.engine.tables.enums import PROJ_PERSPECTIVE

from .names import CAMERA, MINVAL, MOUSE
from .settings import MjvCamera, MjvGLCamera
from .single_world import SingleWorld, single

if TYPE_CHECKING:
    from mjenv.engine.data.data import Data
    from mjenv.engine.model.model import Model

    from .scene import MjvScene

FREE, TRACKING, FIXED, USER = (
    int(CAMERA[f"mjCAMERA_{name}"]) for name in ("FREE", "TRACKING", "FIXED", "USER")
)
# the mouse moves an orthographic picture by this much of what it moves one in perspective
ORTHOGRAPHIC_PACE = 0.15
TURNS = (int(MOUSE.mjMOUSE_ROTATE_V), int(MOUSE.mjMOUSE_ROTATE_H))
SHIFTS = (int(MOUSE.mjMOUSE_MOVE_V), int(MOUSE.mjMOUSE_MOVE_H))
OWN_SHIFTS = (int(MOUSE.mjMOUSE_MOVE_V_REL), int(MOUSE.mjMOUSE_MOVE_H_REL))
ZOOM = int(MOUSE.mjMOUSE_ZOOM)
UPRIGHT = (int(MOUSE.mjMOUSE_MOVE_V), int(MOUSE.mjMOUSE_MOVE_V_REL))


class Frame(NamedTuple):
    """Pose of a camera: position (3,), m, and unit vectors (3,)."""

    pos: np.ndarray
    forward: np.ndarray
    up: np.ndarray
    right: np.ndarray


class Frustum(NamedTuple):
    """Opening of a camera: (2,) each, float32.

    Attributes:
        vertical: from the middle down and up, m on the near plane; half the height, m, of
            orthographic cameras.
        horizontal: to the left and to the right; zero where the picture's shape decides.
        clip: distances of the near and the far plane, m.
    """

    vertical: np.ndarray
    horizontal: np.ndarray
    clip: np.ndarray


def _refuse_type(where: str, cam: MjvCamera) -> ValueError:
    return ValueError(f"{where}: camera of type {cam.type}, expected free, tracking or fixed")


def _fixed_camera(model: "Model", cam: MjvCamera, where: str) -> int:
    """The camera of the model that a fixed camera stands for."""
    if not 0 <= cam.fixedcamid < model.ncam:
        raise ValueError(f"{where}: fixedcamid={cam.fixedcamid}, expected 0 to {model.ncam - 1}")
    return cam.fixedcamid


@takes_views
def mjv_cameraFrame(model: "Model", data: "Data", cam: MjvCamera, world: int = 0) -> Frame:
    """Pose of a camera in one world.

    Raises:
        ValueError: no such camera, or one of the user.
    """
    if cam.type == FIXED:
        camid = _fixed_camera(model, cam, "mjv_cameraFrame")
        mat = np.reshape(data.cam_xmat[world, camid], (3, 3))
        return Frame(np.array(data.cam_xpos[world, camid]), -mat[:, 2], mat[:, 1], mat[:, 0])
    if cam.type not in (FREE, TRACKING):
        raise _refuse_type("mjv_cameraFrame", cam)
    azimuth, elevation = cam.azimuth / 180.0 * math.pi, cam.elevation / 180.0 * math.pi
    ca, sa = math.cos(azimuth), math.sin(azimuth)
    ce, se = math.cos(elevation), math.sin(elevation)
    forward = np.array([ce * ca, ce * sa, se])
    return Frame(
        cam.lookat - cam.distance * forward, forward,
        np.array([-se * ca, -se * sa, ce]), np.array([sa, -ca, 0.0]),
    )  # fmt: skip


def mjv_cameraFrustum(
    model: "Model", cam: MjvCamera, data: "Data | None" = None, world: int = 0
) -> Frustum:
    """Opening of a camera.

    Args:
        model: the model.
        cam: the camera.
        data: worlds, for fields of cameras in which they differ.
        world: which of them.

    Raises:
        ValueError: no such camera, or one of the user.
    """
    # fields of this world, if they differ between worlds
    m = model if data is None else SingleWorld(model, data, world, "mjv_cameraFrustum").m
    near = single(single(model.vis.map.znear) * model.stat.extent)
    far = single(single(model.vis.map.zfar) * model.stat.extent)
    clip = np.array([near, far], np.float32)
    # projection and opening by the type of the camera
    settings, intrinsic, size = model.vis.global_, None, None
    if cam.type in (FREE, TRACKING):
        orthographic, fovy = settings.orthographic, single(settings.fovy)
    elif cam.type == FIXED:
        camid = _fixed_camera(model, cam, "mjv_cameraFrustum")
        orthographic = m.cam_projection[camid] != PROJ_PERSPECTIVE
        fovy = float(m.cam_fovy[camid])
        size, intrinsic = m.cam_sensorsize[camid], m.cam_intrinsic[camid]
    else:
        raise _refuse_type("mjv_cameraFrustum", cam)
    # half heights and widths at the near plane
    vertical, horizontal = np.zeros(2, np.float32), np.zeros(2, np.float32)
    if orthographic:
        vertical[:] = fovy / 2
    elif size is not None and size[1]:
        vertical, horizontal = of_sensor(near, intrinsic, size)
    else:
        vertical[:] = near * math.tan(fovy * math.pi / 360.0)
    return Frustum(vertical, horizontal, clip)


def of_sensor(near: float, intrinsic: Any, size: Any) -> tuple[np.ndarray, np.ndarray]:
    """Vertical and horizontal opening (2,) of a camera with a focal length, a centre and a size."""
    intrinsic, half = np.asarray(intrinsic, np.float32), np.asarray(size, np.float32) / 2
    scale = np.float32(near) / intrinsic[:2]
    less, more = scale * (half - intrinsic[2:]), scale * (half + intrinsic[2:])
    return np.array([less[1], more[1]]), np.array([less[0], more[0]])


@takes_views
def mjv_updateCamera(
    model: "Model", data: "Data", cam: MjvCamera, scn: "MjvScene", world: int = 0
) -> None:
    """Set the eyes of a scene to what a camera sees in one world.

    Nothing changes for cameras of type user. Tracking moves `cam.lookat`.

    Raises:
        ValueError: no such camera or body.
    """
    if cam.type == USER:
        return
    if cam.type == TRACKING:
        if not 0 <= cam.trackbodyid < model.nbody:
            raise ValueError(
                f"mjv_updateCamera: trackbodyid={cam.trackbodyid}, expected 0 to {model.nbody - 1}"
            )
        cam.lookat = data.subtree_com[world, cam.trackbodyid]
    frame = mjv_cameraFrame(model, data, cam, world=world)
    opening = mjv_cameraFrustum(model, cam, data, world)
    m = SingleWorld(model, data, world, "mjv_updateCamera").m
    if cam.type == FIXED:
        apart = float(m.cam_ipd[cam.fixedcamid])
        orthographic = m.cam_projection[cam.fixedcamid] != PROJ_PERSPECTIVE
    else:
        apart, orthographic = single(m.vis.global_.ipd), m.vis.global_.orthographic
    eyes = scn.camera_table
    # the left eye, then the right
    eyes["pos"] = frame.pos + np.array([[-apart], [apart]]) * 0.5 * frame.right
    eyes["forward"], eyes["up"] = frame.forward, frame.up
    eyes["orthographic"] = orthographic
    eyes["frustum_top"], eyes["frustum_bottom"] = opening.vertical[0], -opening.vertical[1]
    left, right = opening.horizontal
    eyes["frustum_center"], eyes["frustum_width"] = (right - left) / 2, (right + left) / 2
    eyes["frustum_near"], eyes["frustum_far"] = opening.clip
    scn.enabletransform = 0


# ---------------------------------------------------------------- eyes of a scene


def normalized(vector: np.ndarray) -> np.ndarray:
    """A unit vector; (1, 0, 0) of those without a length."""
    length = norm(vector)
    return np.array([1.0, 0, 0]) if length < MINVAL else vector / length


def _refuse_flat(scn: "MjvScene", where: str) -> None:
    if (scn.camera_table["frustum_near"] < MINVAL).any():
        raise ValueError(f"{where}: the scene has no camera yet; call mjv_updateCamera first")


def mjv_room2model(
    roompos: ArrayLike, roomquat: ArrayLike, scn: "MjvScene"
) -> tuple[np.ndarray, np.ndarray]:
    """A pose of the room, position (3,) and quaternion (4,), in the model's space.

    Raises:
        ValueError: the scene's scale is zero.
    """
    if scn.scale < MINVAL:
        raise ValueError(f"mjv_room2model: scale={scn.scale}, expected more than 1e-15")
    pos, quat = np.array(roompos, np.float64), np.array(roomquat, np.float64)
    if not scn.enabletransform:
        return pos, quat
    back = mju.neg_pose(scn.translate.astype(np.float64), scn.rotate.astype(np.float64))
    pos, quat = mju.mul_pose(*back, pos, quat)
    return pos / scn.scale, quat


def mjv_model2room(
    modelpos: ArrayLike, modelquat: ArrayLike, scn: "MjvScene"
) -> tuple[np.ndarray, np.ndarray]:
    """A pose of the model's space, position (3,) and quaternion (4,), in the room.

    Raises:
        ValueError: the scene's scale is zero.
    """
    if scn.scale < MINVAL:
        raise ValueError(f"mjv_model2room: scale={scn.scale}, expected more than 1e-15")
    pos, quat = np.array(modelpos, np.float64), np.array(modelquat, np.float64)
    if not scn.enabletransform:
        return pos, quat
    there = scn.translate.astype(np.float64), scn.rotate.astype(np.float64)
    pos, quat = mju.mul_pose(*there, pos, quat)
    return pos * scn.scale, quat


def mjv_cameraInModel(scn: "MjvScene") -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Position (m), forward and up (3,) of a scene's camera in the model's space.

    The camera is midway between the eyes.

    Raises:
        ValueError: the scene has no camera yet.
    """
    _refuse_flat(scn, "mjv_cameraInModel")
    pos, forward, up = np.zeros(3), np.zeros(3), np.zeros(3)
    for eye in scn.camera_table:
        ahead = normalized(eye["forward"].astype(np.float64))
        upward = normalized(eye["up"].astype(np.float64))
        place = eye["pos"].astype(np.float64)
        if scn.enabletransform:
            left = normalized(np.cross(upward, ahead))
            quat = mju.mat2quat(np.stack([left, upward, ahead], axis=-1))
            place, turn = mjv_room2model(place, quat, scn)
            _, upward, ahead = mju.quat2mat(turn).T
        pos += 0.5 * place
        forward += 0.5 * ahead
        up += 0.5 * upward
    return pos, normalized(forward), normalized(up)


def mjv_cameraInRoom(scn: "MjvScene") -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Position (m), forward and up (3,) of a scene's camera in the room, midway between the eyes.

    Raises:
        ValueError: the scene has no camera yet.
    """
    _refuse_flat(scn, "mjv_cameraInRoom")
    mean = (0.5 * scn.camera_table[name].astype(np.float64) for name in ("pos", "forward", "up"))
    pos, forward, up = (pair[0] + pair[1] for pair in mean)
    return pos, normalized(forward), normalized(up)


def mjv_averageCamera(cam1: MjvGLCamera, cam2: MjvGLCamera) -> MjvGLCamera:
    """The camera midway between two.

    Raises:
        ValueError: only one of them is orthographic.
    """
    if cam1.orthographic != cam2.orthographic:
        raise ValueError(
            "mjv_averageCamera: found a perspective and an orthographic camera, expected the same "
            "projection"
        )
    found, real = MjvGLCamera(), np.float64
    found.pos = 0.5 * (cam1.pos.astype(real) + cam2.pos)
    forward = normalized(cam1.forward.astype(real) + cam2.forward)
    up = cam1.up.astype(real) + cam2.up
    found.forward, found.up = forward, normalized(up - dot(up, forward) * forward)
    for name in ("bottom", "top", "center", "width", "near", "far"):
        name = f"frustum_{name}"
        setattr(found, name, np.float32(0.5) * (cam1._row[name] + cam2._row[name]))
    found.orthographic = cam1.orthographic
    return found


def eye_in_model(eye: MjvGLCamera, scn: "MjvScene") -> MjvGLCamera:
    """Camera that sees the model as an eye in the room sees it where the scene puts it.

    Args:
        eye: of the scene, or midway between two.
        scn: the scene.

    Returns:
        The eye itself where the scene's transformation is off. Lengths are those of the model: the
        room's are `scale` times as long.
    """
    if not scn.enabletransform:
        return eye
    found = copy(eye)
    ahead, upward = (normalized(v.astype(np.float64)) for v in (eye.forward, eye.up))
    axes = np.stack([normalized(np.cross(upward, ahead)), upward, ahead], axis=-1)
    place, turn = mjv_room2model(eye.pos, mju.mat2quat(axes), scn)
    found.pos = place
    _, found.up, found.forward = mju.quat2mat(turn).T
    for name in ("center", "width", "bottom", "top", "near", "far"):
        name = f"frustum_{name}"
        setattr(found, name, getattr(eye, name) / scn.scale)
    return found


def mjv_frustumHeight(scn: "MjvScene") -> float:
    """Height of what a scene's camera sees at a distance of 1 m; at all of an orthographic one.

    Raises:
        ValueError: the scene has no camera yet, or eyes of two kinds.
    """
    eyes = scn.camera_table
    if eyes["orthographic"][0] != eyes["orthographic"][1]:
        raise ValueError("mjv_frustumHeight: a perspective and an orthographic camera")
    height = eyes["frustum_top"] - eyes["frustum_bottom"]
    if not eyes["orthographic"][0]:
        _refuse_flat(scn, "mjv_frustumHeight")
        height = height / eyes["frustum_near"]
    return 0.5 * float(height[0] + height[1])


def mjv_alignToCamera(vec: ArrayLike, forward: ArrayLike) -> np.ndarray:
    """A vector (3,) turned about the vertical so that y becomes the camera's horizontal forward."""
    vec, ahead = np.asarray(vec, np.float64), np.array(np.asarray(forward)[:2], np.float64)
    length = norm(ahead)
    ahead = np.array([1.0, 0.0]) if length < MINVAL else ahead / length
    x = vec[0] * ahead[1] + vec[1] * ahead[0]
    y = -vec[0] * ahead[0] + vec[1] * ahead[1]
    return np.array([x, y, vec[2]], np.float64)


def mouse_vector(action: int, dx: float, dy: float, forward: np.ndarray) -> np.ndarray:
    """The motion (3,) of the mouse as seen from a camera that looks forward.

    Raises:
        ValueError: no such action.
    """
    if action in TURNS:
        vector = [dy, 0, dx] if action == TURNS[0] else [dy, dx, 0]
    elif action in SHIFTS or action in OWN_SHIFTS:
        vector = [dx, 0, -dy] if action in UPRIGHT else [dx, -dy, 0]
    elif action == ZOOM:
        vector = [0, 0, 0]
    else:
        raise ValueError(f"action={action}, expected one of mjenv.mjtMouse but mjMOUSE_NONE")
    return mjv_alignToCamera(vector, forward)


def mjv_moveCamera(
    model: "Model", action: int, reldx: float, reldy: float, scn: "MjvScene", cam: MjvCamera
) -> None:
    """Move a free or tracking camera as the mouse says; a fixed one stays.

    Args:
        model: the model.
        action: mjtMouse.
        reldx, reldy: way of the mouse, in heights of the picture.
        scn: the scene, with the camera that it was made with.
        cam: the camera.

    Raises:
        ValueError: no such action.
    """
    if cam.type == FIXED:
        return
    extent = model.stat.extent
    if action in TURNS:
        cam.azimuth -= reldx * 180.0
        cam.elevation -= reldy * 180.0
    elif action == ZOOM:
        pace = math.log(1 + cam.distance / extent / 3)
        cam.distance -= pace * reldy * 9 * extent
    elif action in SHIFTS or action in OWN_SHIFTS:
        if cam.type == TRACKING:
            return
        cam.lookat += _shift(action, reldx, reldy, scn, cam)
    else:
        raise ValueError(
            f"mjv_moveCamera: action={action}, expected one of mjenv.mjtMouse but mjMOUSE_NONE"
        )
    # keep angles and distance in range
    if cam.azimuth > 180:
        cam.azimuth -= 360
    if cam.azimuth < -180:
        cam.azimuth += 360
    cam.elevation = min(max(cam.elevation, -89.0), 89.0)
    cam.distance = min(max(cam.distance, 0.01 * extent), 100 * extent)


def _shift(action: int, dx: float, dy: float, scn: "MjvScene", cam: MjvCamera) -> np.ndarray:
    """Way (3,) of the point that a free camera looks at."""
    pos, forward, up = mjv_cameraInModel(scn)
    if action in OWN_SHIFTS:
        ahead = up if action in UPRIGHT else forward
        return dy * ahead + dx * np.cross(forward, up)
    scale = mjv_frustumHeight(scn) * float(dot(cam.lookat - pos, forward))
    if cam.orthographic:
        scale *= ORTHOGRAPHIC_PACE
    return -scale * mouse_vector(action, dx, dy, forward)


# ---------------------------------------------------------------- Gymnasium's framing


def default_camera(
    model: "Model", data: "Data", config: dict[str, Any] | None = None, world: int = 0
) -> MjvCamera:
    """The free camera that Gymnasium's pictures are taken with.

    It looks at the median of the geoms where they are now, from as far as the model's extent.
    Gymnasium makes it at the first picture and leaves it there.

    Args:
        model: the model.
        data: worlds, which keep geom_xpos.
        config: fields of the camera, `default_camera_config`. As in Gymnasium, the camera stays
            free: type and fixedcamid are overwritten, and trackbodyid has no effect.
        world: which world it looks at.

    Raises:
        ValueError: no field of cameras has that name.
    """
    cam = MjvCamera()
    places = np.reshape(data.geom_xpos[world], (-1, 3))
    if len(places):
        cam.lookat = np.median(places, axis=0)
    cam.distance = model.stat.extent
    for name, value in (config or {}).items():
        if name not in (MjvCamera.DTYPE.names or ()):
            hint = nearest_or_all(name, MjvCamera.DTYPE.names or ())
            raise ValueError(f"default_camera_config: {name!r}: no such setting{hint}")
        setattr(cam, name, value)
    cam.type, cam.fixedcamid = FREE, -1
    return cam
