"""Functions of rays: against geoms, meshes, height fields, deformables and single shapes."""

import numpy as np

from mjenv import mju
from mjenv.engine.analysis.flex_rays import ray_flex
from mjenv.engine.direct import rays
from mjenv.engine.direct.call import Direct, on_world
from mjenv.engine.errors import UnsupportedFeature
from mjenv.engine.physics.rays.cast import ALL_GROUPS, EVERY
from mjenv.engine.tables.enums import GEOM_HFIELD, GEOM_MESH
from mjenv.mujoco.structs import MjData, MjModel

Output = np.ndarray | None
TINY = 1e-15  # directions shorter than this have no direction


def _bound(d: MjData, name: str, nray: int = 1) -> Direct:
    """The kernel of rays, for data."""
    call = d._direct[name] = on_world(d.batch, rays.cast_rays, 6 + 3 * nray, rays.TOLD * nray)
    call.ask[rays.NRAY], call.ask[rays.CULLED] = nray, name == "mj_multiRay"
    call.ask[rays.LAST] = d._model.ngeom
    found = call.told.reshape(nray, rays.TOLD)
    call.parts = call.given[3:6], call.given[6:], found[:, 0], found[:, 1], found[:, 2:]
    return call


def _ask(call: Direct, geomgroup: Output, flg_static: int, bodyexclude: int) -> None:
    """Enter the geoms that rays may meet: their groups, one bit each, and their bodies."""
    groups = ALL_GROUPS
    if geomgroup is not None:
        groups = sum(1 << group for group, on in enumerate(geomgroup.tolist()) if on)
    ask = call.ask
    ask[rays.GROUPS] = groups
    ask[rays.STATIC] = flg_static != 0
    ask[rays.EXCLUDE] = bodyexclude


def _cast_one(
    d: MjData, call: Direct, pnt: np.ndarray, vec: np.ndarray, geomid: Output, normal: Output
) -> float:
    """Cast one ray, and give its results: the outputs, and its length."""
    parts, told = call.parts, call.told
    parts[0][:] = pnt
    parts[1][:] = vec
    _follow(d)
    call.run()
    if geomid is not None:
        geomid[0] = told[1]
    if normal is not None:
        normal[:] = parts[4][0]
    return told[0]


def _follow(d: MjData) -> None:
    """Have edits of the kinds of geoms count; rays read their sizes where they are edited."""
    plan = d.batch.plan
    if plan.watch.held != plan.watch.memory:
        plan.refresh()


def mj_ray(
    m: MjModel,
    d: MjData,
    pnt: np.ndarray,
    vec: np.ndarray,
    geomgroup: np.ndarray | None,
    flg_static: int,
    bodyexclude: int,
    geomid: Output,
    normal: Output,
) -> float:
    """Distance to the nearest visible geom along a ray; -1 where there is none."""
    call = d._direct.get("mj_ray") or _bound(d, "mj_ray")
    x, y, z = vec.tolist()
    if x * x + y * y + z * z < TINY**2:
        raise ValueError("mj_ray: vec: expected a direction of a length of 1e-15 or more")
    _ask(call, geomgroup, flg_static, bodyexclude)
    return _cast_one(d, call, pnt, vec, geomid, normal)


def mj_multiRay(
    m: MjModel,
    d: MjData,
    pnt: np.ndarray,
    vec: np.ndarray,
    geomgroup: np.ndarray | None,
    flg_static: int,
    bodyexclude: int,
    geomid: np.ndarray,
    dist: np.ndarray,
    normal: Output,
    nray: int,
    cutoff: float,
) -> None:
    """Distances to the nearest visible geoms along rays that start at one point."""
    # room for as many rays as in the last call
    call = d._direct.get("mj_multiRay")
    if call is None or call.ask[rays.NRAY] != nray:
        call = _bound(d, "mj_multiRay", nray)
    _ask(call, geomgroup, flg_static, bodyexclude)
    start, directions, lengths, geoms, across = call.parts
    call.given[0], start[:], directions[:] = cutoff, pnt, vec
    _follow(d)
    call.run()
    geomid[:], dist[:] = geoms, lengths
    if normal is not None:
        normal[:] = across.reshape(-1)


def _of_geom(
    m: MjModel,
    d: MjData,
    name: str,
    geom: int,
    kind: int,
    pnt: np.ndarray,
    vec: np.ndarray,
    normal: Output,
) -> float:
    """Cast a ray against one geom."""
    if not 0 <= geom < m.ngeom or m.geom_type[geom] != kind:
        word = {GEOM_MESH: "mesh", GEOM_HFIELD: "hfield"}[kind]
        raise ValueError(f"{name}: geomid={geom}: expected a geom of type {word}")
    call = d._direct.get("mj_rayMesh") or _bound(d, "mj_rayMesh")
    call.ask[: rays.LAST + 1] = 1, EVERY, 1, -1, 0, geom, geom + 1
    return _cast_one(d, call, pnt, vec, None, normal)


def mj_rayMesh(
    m: MjModel, d: MjData, geomid: int, pnt: np.ndarray, vec: np.ndarray, normal: Output
) -> float:
    """Distance to a mesh along a ray; -1 where it is not met."""
    return _of_geom(m, d, "mj_rayMesh", geomid, GEOM_MESH, pnt, vec, normal)


def mj_rayHfield(
    m: MjModel, d: MjData, geomid: int, pnt: np.ndarray, vec: np.ndarray, normal: Output
) -> float:
    """Distance to a height field along a ray; -1 where it is not met."""
    return _of_geom(m, d, "mj_rayHfield", geomid, GEOM_HFIELD, pnt, vec, normal)


_NO_LAYER = 2**31 - 1  # that elements of no deformable are in


def mj_rayFlex(
    m: MjModel,
    d: MjData,
    flex_layer: int,
    flg_vert: int,
    flg_edge: int,
    flg_face: int,
    flg_skin: int,
    flexid: int,
    pnt: np.ndarray,
    vec: np.ndarray,
    vertid: Output,
    normal: Output,
) -> float:
    """Distance to a deformable along a ray; -1 where it is not met."""
    layer = flex_layer if flex_layer >= 0 else _NO_LAYER
    hits = ray_flex(
        d.batch.model, d.batch, layer, bool(flg_vert), bool(flg_edge), bool(flg_face),
        bool(flg_skin), flexid, pnt, vec,
    )  # fmt: skip
    if vertid is not None:
        vertid[:] = hits.vertid
    if normal is not None:
        normal[:] = hits.normal[0]
    return hits.dist[0]


def mju_rayGeom(
    pos: np.ndarray,
    mat: np.ndarray,
    size: np.ndarray,
    pnt: np.ndarray,
    vec: np.ndarray,
    geomtype: int,
    normal: Output,
) -> float:
    """Distance to a simple shape along a ray; -1 where it is not met."""
    found, across = mju.ray_geom(pos, mat.reshape(3, 3), size, pnt, vec, geomtype)
    if normal is not None:
        normal[:] = across
    return float(found)


def mju_raySkin(
    nface: int,
    nvert: int,
    face: int,
    vert: float,
    pnt: np.ndarray,
    vec: np.ndarray,
    vertid: np.ndarray,
) -> float:
    """Distance to a skin along a ray; -1 where it has no faces.

    The bindings take single numbers for the arrays of faces and vertices, and MuJoCo reads what
    lies behind them: more than no faces are refused.
    """
    if nface <= 0:
        return -1.0
    raise UnsupportedFeature(
        f"mju_raySkin: nface={nface}: the bindings take single numbers for the arrays of faces and "
        "vertices; expected mjenv.mju.ray_skin(face, vert, pnt, vec)"
    )
