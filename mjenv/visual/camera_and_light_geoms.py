"""Geoms of cameras, with their frustums, and of lights."""

import math

import numpy as np

from mjenv import mju
from mjenv.engine.tables.enums import PROJ_PERSPECTIVE

from .cameras import of_sensor
from .geom_builders import frames, in_turn, lines, new_rows, place, triangles
from .names import FRAME, GEOM, LABEL, OBJ
from .scene_context import SceneContext
from .single_world import single

OBJ_CAMERA, OBJ_LIGHT = int(OBJ.mjOBJ_CAMERA), int(OBJ.mjOBJ_LIGHT)
BOX, CYLINDER, LINE = (int(GEOM[f"mjGEOM_{name}"]) for name in ("BOX", "CYLINDER", "LINE"))
BODY, LENS = (1.0, 0.8, 0.4), (0.4, 0.4, 0.3)  # sizes of a camera and its lens
LENS_AHEAD = 0.6  # of a camera's middle
CLEAR = 0.3  # alpha of cameras whose frustum is drawn
LIGHT_SIZE = (0.8, 0.8, 1.0)
LIGHT_BACK = 0.0001  # m that lights are drawn behind their place, so that they have no shadow
CORNERS = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]])  # right, up


def camera_rows(context: SceneContext) -> np.ndarray:
    """Cameras of the model: a box and a lens, and what those see that have a resolution."""
    if not context.on("CAMERA"):
        return new_rows(0)
    return np.concatenate([new_rows(0), *(_camera(context, k) for k in range(context.m.ncam))])


def _camera(context: SceneContext, camid: int) -> np.ndarray:
    m, d = context.m, context.d
    colour = context.colour("camera").copy()
    parts, scale = [], context.length("camera")
    if (m.cam_resolution[camid] > 1).any():
        colour[3] = CLEAR
        parts.append(_frustum(context, camid))
    pos, mat = d.cam_xpos[camid], np.reshape(d.cam_xmat[camid], (3, 3))
    for size, ahead, shade in ((BODY, 0.0, 1.0), (LENS, LENS_AHEAD, 0.5)):
        row = new_rows(1, camid, objtype=OBJ_CAMERA)
        place(row, BOX if size is BODY else CYLINDER, None, pos - ahead * scale * mat[:, 2], mat)
        row["size"] = scale * np.array(size, np.float32)
        row["rgba"] = colour * np.array([shade, shade, shade, 1], np.float32)
        parts.append(row)
    if context.option.label == LABEL.mjLABEL_CAMERA:
        parts[-2]["label"] = context.labels(OBJ_CAMERA, [camid])
    if context.option.frame == FRAME.mjFRAME_CAMERA:
        length, width = context.length("framelength"), context.length("framewidth")
        parts.append(frames(camid, pos, mat, length, width))
    return np.concatenate(parts)


def _frustum(context: SceneContext, camid: int) -> np.ndarray:
    """Faces and edges of the pyramid, or the box, that a camera sees."""
    m, d = context.m, context.d
    # opening at the near plane, and how much wider it is at the far end
    near, far = single(m.vis.map.znear) * m.stat.extent, context.length("frustum")
    fovy, aspect = float(m.cam_fovy[camid]), np.float32(np.divide(*m.cam_resolution[camid]))
    if m.cam_projection[camid] != PROJ_PERSPECTIVE:
        up = np.array([fovy / 2, fovy / 2], np.float32)
        side = np.array([fovy * aspect / 2] * 2, np.float32)
        grown, far = 1.0, float(side[0] + up[0]) / 2
    elif m.cam_sensorsize[camid].all():
        up, side = of_sensor(near, m.cam_intrinsic[camid], m.cam_sensorsize[camid])
        grown = far / near
    else:
        up = np.array([near * math.tan(fovy * math.pi / 360)] * 2, np.float32)
        side, grown = up * aspect, far / near
    # corners of the two ends
    axes = np.reshape(d.cam_xmat[camid], (3, 3)).T
    at_near, at_far = (
        d.cam_xpos[camid] - distance * axes[2] + _corners(up * times, side * times, axes)
        for distance, times in ((near, 1.0), (far, grown))
    )
    # sides and edges between them
    next_near, next_far = np.roll(at_near, -1, axis=0), np.roll(at_far, -1, axis=0)
    rgba, what = context.colour("frustum"), {"objid": camid, "objtype": OBJ_CAMERA}
    sides = (at_near, at_far, next_near), (at_far, next_far, next_near)
    edges = (at_near, next_near), (at_far, next_far), (at_near, at_far)
    faces = [triangles(np.stack(corners, axis=1), rgba, **what) for corners in sides]
    lined = [lines(LINE, 3, start, end, rgba, **what) for start, end in edges]
    return in_turn(*((rows, np.arange(4)) for rows in (*faces, *lined)))


def _corners(up: np.ndarray, side: np.ndarray, axes: np.ndarray) -> np.ndarray:
    """Corners (4, 3) around a centre: openings below and above, left and right, along axes."""
    right = np.where(CORNERS[:, 0] < 0, -side[0], side[1])
    upward = np.where(CORNERS[:, 1] < 0, -up[0], up[1])
    return right[:, None] * axes[0] + upward[:, None] * axes[1]


def light_rows(context: SceneContext) -> np.ndarray:
    """Cylinders at the model's lights."""
    if not context.on("LIGHT") or not context.m.nlight:
        return new_rows(0)
    d, ids, scale = context.d, np.arange(context.m.nlight), context.length("light")
    mat = mju.quat2mat(mju.quat_z2vec(d.light_xdir))
    rows = new_rows(len(ids), ids, objtype=OBJ_LIGHT)
    place(rows, CYLINDER, None, d.light_xpos - (scale + LIGHT_BACK) * d.light_xdir, mat)
    rows["size"] = scale * np.array(LIGHT_SIZE, np.float32)
    rows["rgba"] = context.colour("light")
    if context.option.label == LABEL.mjLABEL_LIGHT:
        rows["label"] = context.labels(OBJ_LIGHT, ids)
    if context.option.frame != FRAME.mjFRAME_LIGHT:
        return rows
    length, width = context.length("framelength"), context.length("framewidth")
    axes = frames(ids, d.light_xpos, mat, length, width)
    return in_turn((rows, ids), (axes, axes["objid"]))
