"""Decor of sensors: rays of range finders, shortest lines between geoms, tactile surfaces."""

from typing import Any

import numpy as np

from mjenv.engine.tables.enums import (
    PROJ_PERSPECTIVE,
    SENS_GEOMFROMTO,
    SENS_RANGEFINDER,
    SENS_TACTILE,
)

from .geom_builders import in_turn, lines, new_rows, place, triangles
from .names import GEOM, MINVAL, OBJ
from .scene_context import SceneContext

OBJ_SITE, OBJ_CAMERA, OBJ_SENSOR = (int(OBJ[f"mjOBJ_{n}"]) for n in ("SITE", "CAMERA", "SENSOR"))
LINE, ARROW1, SPHERE = (int(GEOM[f"mjGEOM_{name}"]) for name in ("LINE", "ARROW1", "SPHERE"))
# what a range finder says of a ray, and how many numbers that are, in order (mjtRayDataField)
RAY_DATA = (("dist", 1), ("dir", 3), ("origin", 3), ("point", 3), ("normal", 3), ("depth", 1))
PIXELS = 3  # width of rays


def sensor_rows(context: SceneContext) -> np.ndarray:
    """Rays of range finders, and lines between geoms."""
    if not context.on("RANGEFINDER"):
        return new_rows(0)
    m, parts = context.m, [new_rows(0)]
    drawn = (m.sensor_type == SENS_RANGEFINDER) | (m.sensor_type == SENS_GEOMFROMTO)
    for sensor in np.flatnonzero(drawn).tolist():
        if m.sensor_type[sensor] == SENS_GEOMFROMTO:
            parts.append(_fromto(context, sensor))
        elif m.sensor_objtype[sensor] == OBJ_SITE:
            parts.append(_rays(context, sensor, *_site_ray(context, m.sensor_objid[sensor]), 1.5))
        elif m.sensor_objtype[sensor] == OBJ_CAMERA:
            parts.append(_rays(context, sensor, *camera_rays(context, m.sensor_objid[sensor]), 1.3))
    return np.concatenate(parts)


def _values(context: SceneContext, sensor: int) -> np.ndarray:
    """Reading of a sensor."""
    adr, dim = context.m.sensor_adr[sensor], context.m.sensor_dim[sensor]
    return context.d.sensordata[adr : adr + dim]


def _fromto(context: SceneContext, sensor: int) -> np.ndarray:
    ends = _values(context, sensor)
    if not ends.any():
        return new_rows(0)
    rgba = context.colour("rangefinder")
    return lines(LINE, PIXELS, ends[None, :3], ends[None, 3:], rgba, **_of(sensor))


def _of(sensor: int) -> dict[str, Any]:
    """Object of a sensor's decoration."""
    return {"objid": sensor, "objtype": OBJ_SENSOR}


def _site_ray(context: SceneContext, site: int) -> tuple[np.ndarray, np.ndarray]:
    """Origin and direction (1, 3) of the ray along a site's z axis."""
    mat = np.reshape(context.d.site_xmat[site], (3, 3))
    return context.d.site_xpos[site][None], mat[None, :, 2]


def camera_rays(context: SceneContext, camid: int) -> tuple[np.ndarray, np.ndarray]:
    """Origins and directions (n, 3) of the rays through a camera's pixels, row by row."""
    m, d = context.m, context.d
    width, height = (int(n) for n in m.cam_resolution[camid])
    pos, mat = d.cam_xpos[camid], np.reshape(d.cam_xmat[camid], (3, 3))
    focal, centre = _intrinsics(context, camid, width, height)
    column, row = np.meshgrid(np.arange(width), np.arange(height))
    pixel = np.stack([column.ravel(), row.ravel()], axis=-1) + 0.5 - centre
    aside = pixel / focal * [1, -1]
    if m.cam_projection[camid] == PROJ_PERSPECTIVE:
        way = np.concatenate([aside, np.full((len(aside), 1), -1.0)], axis=-1) @ mat.T
        way /= np.sqrt((way * way).sum(-1, keepdims=True))
        return np.broadcast_to(pos, way.shape), way
    start = pos + (aside * (m.cam_fovy[camid] / 2)) @ mat[:, :2].T
    return start, np.broadcast_to(-mat[:, 2], start.shape)


def _intrinsics(
    context: SceneContext, camid: int, width: int, height: int
) -> tuple[np.ndarray, np.ndarray]:
    """Focal lengths and centre (2,) of a camera, pixels; half sizes of orthographic ones."""
    m, half = context.m, np.array([width, height]) / 2
    if m.cam_projection[camid] != PROJ_PERSPECTIVE:
        return half, half
    size = m.cam_sensorsize[camid]
    if size.all():
        scaled = m.cam_intrinsic[camid].reshape(2, 2) / size * np.array([width, height], np.float32)
        return scaled[0].astype(np.float64), scaled[1].astype(np.float64)
    return np.full(2, 0.5 / np.tan(m.cam_fovy[camid] * np.pi / 360) * height), half


def _rays(
    context: SceneContext, sensor: int, origin: np.ndarray, way: np.ndarray, ball: float
) -> np.ndarray:
    """Rays with their ends and normals, as far as the sensor says them.

    Args:
        context: what is seen.
        sensor: which sensor.
        origin, way: (n, 3) starts and directions of its rays.
        ball: radius of a ball at an end, in widths of frames.
    """
    # readings of each ray, in the order of their bits
    n, bits = len(origin), int(context.m.sensor_intprm[sensor, 0])
    data, said, at = _values(context, sensor).reshape(n, -1), {}, 0
    for k, (name, size) in enumerate(RAY_DATA):
        if bits >> k & 1:
            said[name] = data[:, at : at + size]
            at += size
    # ends: at the distance, or where the sensor says the point is
    dist = said["dist"][:, 0] if "dist" in said else np.full(n, -1.0)
    met = dist >= 0
    point = np.where(met[:, None], origin + way * dist[:, None], 0.0)
    rgba, width = context.colour("rangefinder"), context.length("framewidth")
    groups = [(lines(LINE, PIXELS, origin[met], point[met], rgba, **_of(sensor)), met)]
    # balls at points, arrows along normals
    if "point" in said:
        there = (said["point"] != 0).any(-1)
        point = np.where(there[:, None], said["point"], point)
        balls = new_rows(int(there.sum()), **_of(sensor))
        place(balls, SPHERE, np.full(3, ball * width), point[there])
        balls["rgba"] = rgba
        groups.append((balls, there))
    if "normal" in said:
        there = met | (point != 0).any(-1)
        end = point + 2 * context.length("framelength") * said["normal"]
        groups.append((lines(ARROW1, width, point[there], end[there], rgba, **_of(sensor)), there))
    return in_turn(*((rows, np.flatnonzero(there)) for rows, there in groups))


def tactile_rows(context: SceneContext) -> np.ndarray:
    """Triangles of tactile surfaces, coloured by pressure and slip."""
    m = context.m
    if not context.on("CONTACTPOINT"):
        return new_rows(0)
    sensors = np.flatnonzero(m.sensor_type == SENS_TACTILE)
    return np.concatenate(
        [new_rows(0), *(_tactile(context, sensor) for sensor in sensors.tolist())]
    )


def _tactile(context: SceneContext, sensor: int) -> np.ndarray:
    m, d = context.m, context.d
    mesh, geom = m.sensor_objid[sensor], m.sensor_refid[sensor]
    values = np.abs(_values(context, sensor).reshape(-1, m.mesh_vertnum[mesh]))
    largest = values[0].max()
    if not largest or m.geom_rbound[geom] < MINVAL:
        return new_rows(0)
    first, adr = m.mesh_vertadr[mesh], m.mesh_faceadr[mesh]
    faces = m.mesh_face[adr : adr + m.mesh_facenum[mesh]]
    mat = np.reshape(d.geom_xmat[geom], (3, 3))
    corners = m.mesh_vert[first + faces].astype(np.float64) @ mat.T + d.geom_xpos[geom]
    # red, green and blue are means of the channels over the corners that feel something
    rgba = np.zeros((len(faces), 4))
    for channel, felt in enumerate(values[:3, faces]):
        count = (felt != 0).sum(-1)
        rgba[:, channel] = felt.sum(-1) / largest / np.maximum(count, 1)
    rgba[:, 3] = np.where(rgba.any(-1), 1.0, 0.1)
    return triangles(corners, rgba, **_of(sensor))
