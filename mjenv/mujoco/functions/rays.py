"""Functions of rays: against geoms, meshes, height fields, deformables and single shapes."""

import numpy as np

from mjenv import mju
from mjenv.engine.analysis import rays
from mjenv.engine.analysis.flex_rays import ray_flex
from mjenv.engine.errors import UnsupportedFeature
from mjenv.mujoco.structs import MjData, MjModel

Output = np.ndarray | None


def _told(hits, geomid: Output, normal: Output) -> float:
    """Give the results of a ray: the outputs, and its length."""
    if geomid is not None:
        geomid[:] = hits.geomid
    if normal is not None:
        normal[:] = hits.normal[0]
    return hits.dist[0]


def mj_ray(
    m: MjModel, d: MjData, pnt, vec, geomgroup, flg_static: int, bodyexclude: int, geomid: Output,
    normal: Output,
) -> float:  # fmt: skip
    """Distance to the nearest visible geom along a ray; -1 where there is none."""
    hits = rays.ray(
        d.batch.model, d.batch, pnt, vec, geomgroup, bool(flg_static), bodyexclude
    )  # fmt: skip
    return _told(hits, geomid, normal)


def mj_multiRay(
    m: MjModel, d: MjData, pnt, vec, geomgroup, flg_static: int, bodyexclude: int, geomid, dist,
    normal: Output, nray: int, cutoff: float,
) -> None:  # fmt: skip
    """Distances to the nearest visible geoms along rays that start at one point."""
    hits = rays.multi_ray(
        d.batch.model, d.batch, pnt, vec.reshape(nray, 3), geomgroup, bool(flg_static),
        bodyexclude, cutoff,
    )  # fmt: skip
    geomid[:], dist[:] = hits.geomid[0], hits.dist[0]
    if normal is not None:
        normal[:] = hits.normal[0].reshape(-1)


def mj_rayMesh(m: MjModel, d: MjData, geomid: int, pnt, vec, normal: Output) -> float:
    """Distance to a mesh along a ray; -1 where it is not met."""
    return _told(rays.ray_mesh(d.batch.model, d.batch, geomid, pnt, vec), None, normal)


def mj_rayHfield(m: MjModel, d: MjData, geomid: int, pnt, vec, normal: Output) -> float:
    """Distance to a height field along a ray; -1 where it is not met."""
    return _told(rays.ray_hfield(d.batch.model, d.batch, geomid, pnt, vec), None, normal)


def mj_rayFlex(
    m: MjModel, d: MjData, flex_layer: int, flg_vert: int, flg_edge: int, flg_face: int,
    flg_skin: int, flexid: int, pnt, vec, vertid: Output, normal: Output,
) -> float:  # fmt: skip
    """Distance to a deformable along a ray; -1 where it is not met."""
    flags = (bool(flag) for flag in (flg_vert, flg_edge, flg_face, flg_skin))
    hits = ray_flex(d.batch.model, d.batch, flex_layer, *flags, flexid, pnt, vec)
    if vertid is not None:
        vertid[:] = hits.vertid
    if normal is not None:
        normal[:] = hits.normal[0]
    return hits.dist[0]


def mju_rayGeom(pos, mat, size, pnt, vec, geomtype: int, normal: Output) -> float:
    """Distance to a simple shape along a ray; -1 where it is not met."""
    found, across = mju.ray_geom(pos, mat.reshape(3, 3), size, pnt, vec, geomtype)
    if normal is not None:
        normal[:] = across
    return found


def mju_raySkin(nface: int, nvert: int, face: int, vert: float, pnt, vec, vertid) -> float:
    """Distance to a skin along a ray; the bindings have no way to pass its arrays."""
    raise UnsupportedFeature(
        "mju_raySkin: the bindings take single numbers for the arrays of faces and vertices; "
        "expected mjenv.mju.ray_skin(face, vert, pnt, vec)"
    )
