"""Rays from Python, in all worlds at once."""

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..arguments import LARGEST, number, reals, whole
from ..data.request import call_stages
from ..data.views import takes_views
from ..physics.rays import cast
from ..pipeline.stage import Stage
from ..tables.enums import GEOM_HFIELD, GEOM_MESH

if TYPE_CHECKING:
    from ..data.data import Data
    from ..model.model import Model

RAYS = (Stage(cast.cast_rays),)

READS = "geom_xpos geom_xmat xipos"
TINY = 1e-15  # directions shorter than this have no direction


class Hits(NamedTuple):
    """First hits of rays.

    Attributes:
        dist: (nworld, ...) distance in units of the ray's direction; -1 where nothing is met.
        geomid: (nworld, ...) index of the geom; -1 where nothing is met.
        normal: (nworld, ..., 3) unit normal of the surface; zero where nothing is met.
    """

    dist: np.ndarray
    geomid: np.ndarray
    normal: np.ndarray


@takes_views
def ray(
    model: "Model",
    data: "Data",
    pnt: ArrayLike,
    vec: ArrayLike,
    geomgroup: ArrayLike | None = None,
    flg_static: bool = True,
    bodyexclude: Any = -1,
) -> Hits:
    """Nearest visible geom along one ray in each world (mj_ray).

    Geoms count that are not transparent. Their poses are those of the last call of `forward` or
    `step`.

    Args:
        model: the model that the data were made for.
        data: worlds, which keep geom_xpos, geom_xmat and xipos.
        pnt: start (m), (3,) for all worlds or (nworld, 3).
        vec: direction, (3,) or (nworld, 3); distances are in units of its length.
        geomgroup: 6 truth values, which geom groups count; None counts all.
        flg_static: whether geoms count that never move.
        bodyexclude: id or name of a body whose geoms are left out; -1 or None leaves out none.

    Returns:
        `Hits`: dist (nworld,), geomid (nworld,), normal (nworld, 3).

    Raises:
        ValueError: an argument has the wrong shape, or a direction has no length.
    """
    vec = ray_vectors(data, vec, "ray", "vec", 2)
    if not (np.linalg.norm(vec, axis=-1) >= TINY).all():
        raise ValueError("ray: vec: expected directions of a length of 1e-15 or more")
    pnt = ray_vectors(data, pnt, "ray", "pnt", 2)
    ask = _ask(model, "ray", 1, geomgroup, flg_static, bodyexclude)
    hits = _cast(model, data, "ray", pnt[:, None], vec[:, None], ask)
    return Hits(*(array[:, 0] for array in hits))


@takes_views
def multi_ray(
    model: "Model",
    data: "Data",
    pnt: ArrayLike,
    vec: ArrayLike,
    geomgroup: ArrayLike | None = None,
    flg_static: bool = True,
    bodyexclude: Any = -1,
    cutoff: ArrayLike | None = np.inf,
) -> Hits:
    """Nearest visible geoms along many rays that start at one point of each world (mj_multiRay).

    As in MuJoCo, a body is skipped when the ray misses the sphere around the box of its geoms,
    whose middle is not turned with the body.

    Args:
        model: the model that the data were made for.
        data: worlds, which keep geom_xpos, geom_xmat and xipos.
        pnt: start (m), (3,) for all worlds or (nworld, 3).
        vec: directions, (nray, 3) for all worlds or (nworld, nray, 3); those that are shorter than
            3e-8 meet nothing.
        geomgroup: 6 truth values, which geom groups count; None counts all.
        flg_static: whether geoms count that never move.
        bodyexclude: id or name of a body whose geoms are left out; -1 or None leaves out none.
        cutoff: geoms are left out whose bounding sphere is farther away (m).

    Returns:
        `Hits`: dist (nworld, nray), geomid (nworld, nray), normal (nworld, nray, 3).

    Raises:
        ValueError: an argument has the wrong shape.
    """
    vec = ray_vectors(data, vec, "multi_ray", "vec", 3)
    pnt = ray_vectors(data, pnt, "multi_ray", "pnt", 2)
    ask = _ask(model, "multi_ray", vec.shape[1], geomgroup, flg_static, bodyexclude)
    ask[cast.CULLED] = 1
    start = np.broadcast_to(pnt[:, None], vec.shape)
    return _cast(model, data, "multi_ray", start, vec, ask, cutoff)


def many_rays(
    model: "Model",
    data: "Data",
    pnt: np.ndarray,
    vec: np.ndarray,
    geomgroup: ArrayLike | None = None,
    flg_static: bool = True,
    bodyexclude: Any = -1,
) -> Hits:
    """Nearest visible geoms along rays that start at points of their own, each as in `ray`.

    Args:
        model: the model that the data were made for.
        data: worlds, which keep geom_xpos, geom_xmat and xipos.
        pnt: starts (m), (nworld, nray, 3).
        vec: directions, (nworld, nray, 3); those without a length meet nothing.
        geomgroup, flg_static, bodyexclude: as in `ray`.

    Returns:
        `Hits`: dist (nworld, nray), geomid (nworld, nray), normal (nworld, nray, 3).
    """
    ask = _ask(model, "many_rays", vec.shape[1], geomgroup, flg_static, bodyexclude)
    return _cast(model, data, "many_rays", pnt, vec, ask)


@takes_views
def ray_mesh(model: "Model", data: "Data", geom: Any, pnt: ArrayLike, vec: ArrayLike) -> Hits:
    """Distance along one ray in each world to one mesh (mj_rayMesh).

    Args:
        model: the model that the data were made for.
        data: worlds, which keep geom_xpos, geom_xmat and xipos.
        geom: id or name of a geom of type mesh.
        pnt: start (m), (3,) for all worlds or (nworld, 3).
        vec: direction, (3,) or (nworld, 3).

    Returns:
        `Hits`: dist (nworld,), geomid (nworld,), normal (nworld, 3).

    Raises:
        ValueError: the geom is of another type, or an argument has the wrong shape.
    """
    return _one_geom(model, data, "ray_mesh", geom, GEOM_MESH, "mesh", pnt, vec)


@takes_views
def ray_hfield(model: "Model", data: "Data", geom: Any, pnt: ArrayLike, vec: ArrayLike) -> Hits:
    """Distance along one ray in each world to one height field (mj_rayHfield).

    Args:
        model: the model that the data were made for.
        data: worlds, which keep geom_xpos, geom_xmat and xipos.
        geom: id or name of a geom of type hfield.
        pnt: start (m), (3,) for all worlds or (nworld, 3).
        vec: direction, (3,) or (nworld, 3).

    Returns:
        `Hits`: dist (nworld,), geomid (nworld,), normal (nworld, 3).

    Raises:
        ValueError: the geom is of another type, or an argument has the wrong shape.
    """
    return _one_geom(model, data, "ray_hfield", geom, GEOM_HFIELD, "hfield", pnt, vec)


def _one_geom(
    model: "Model",
    data: "Data",
    where: str,
    geom: Any,
    kind: int,
    name: str,
    pnt: ArrayLike,
    vec: ArrayLike,
) -> Hits:
    geomid = model.geom(geom).id
    if model.geom_type[geomid] != kind:
        raise ValueError(f"{where}: geom={geom!r}: expected a geom of type {name}")
    pnt, vec = ray_vectors(data, pnt, where, "pnt", 2), ray_vectors(data, vec, where, "vec", 2)
    ask = _ask(model, where, 1, None, True, -1)
    ask[cast.GROUPS], ask[cast.FIRST], ask[cast.LAST] = cast.EVERY, geomid, geomid + 1
    hits = _cast(model, data, where, pnt[:, None], vec[:, None], ask)
    return Hits(*(array[:, 0] for array in hits))


def ray_vectors(data: "Data", value: ArrayLike, where: str, name: str, ndim: int) -> np.ndarray:
    """An argument of 3-vectors, one or a row of them for each world."""
    array = reals(value, where, name)
    shape = (data.nworld, *array.shape[-ndim + 1 :])
    if array.shape[-1:] != (3,) or array.ndim not in (ndim - 1, ndim):
        expected = "(3,) or (nworld, 3)" if ndim == 2 else "(nray, 3) or (nworld, nray, 3)"
        raise ValueError(f"{where}: {name} has shape {array.shape}, expected {expected}")
    if array.ndim == ndim and array.shape[0] != data.nworld:
        raise ValueError(f"{where}: {name} has shape {array.shape}, expected {shape}")
    return np.broadcast_to(array, shape)


def _ask(
    model: "Model",
    where: str,
    nray: int,
    geomgroup: ArrayLike | None,
    flg_static: bool,
    bodyexclude: Any,
) -> list[int]:
    """The numbers of `ray_ask`."""
    groups = cast.ALL_GROUPS
    if geomgroup is not None:
        on = reals(geomgroup, where, "geomgroup")
        if on.shape != (cast.NGROUP,):
            raise ValueError(f"{where}: geomgroup has shape {on.shape}, expected ({cast.NGROUP},)")
        groups = sum(1 << k for k in range(cast.NGROUP) if on[k])
    if bodyexclude is None:
        bodyexclude = -1
    if isinstance(bodyexclude, str):
        bodyexclude = model.body(bodyexclude).id
    bodyexclude = whole(bodyexclude, where, "bodyexclude", -LARGEST, model.nbody - 1)
    return [nray, groups, int(bool(flg_static)), int(bodyexclude), 0, 0, model.ngeom]


def _cast(
    model: "Model",
    data: "Data",
    where: str,
    pnt: np.ndarray,
    vec: np.ndarray,
    ask: Any,
    cutoff: ArrayLike | None = np.inf,
) -> Hits:
    nray = vec.shape[1]
    shape = (data.nworld, nray)
    hits = Hits(np.zeros(shape), np.zeros(shape), np.zeros((*shape, 3)))
    far = np.full((data.nworld, 1), number(cutoff, where, "cutoff"))
    given = {"ray_pnt": pnt, "ray_vec": vec, "ray_cutoff": far}
    results = {"ray_dist": hits.dist, "ray_geomid": hits.geomid, "ray_normal": hits.normal}
    call_stages(
        model, data, where, RAYS, reads=READS, given=given, results=results,
        shared={"ray_ask": ask},
    )  # fmt: skip
    return hits._replace(geomid=hits.geomid.astype(np.int32))
