"""Jacobians and rays of many simulations, from their states alone."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mjenv.engine.analysis.jacobians import jac
from mjenv.engine.analysis.rays import many_rays
from mjenv.engine.data.request import call_stages
from mjenv.engine.model.model import Model
from mjenv.engine.pipeline.forward import FORWARD
from mjenv.mujoco.batch.arguments import whole_numbers
from mjenv.mujoco.batch.groups import SimulationData

STAGES = tuple(stage for stage in FORWARD if stage.name in ("kinematics", "com_pos"))
_WRITTEN = (
    "xpos", "xquat", "xmat", "xipos", "ximat", "geom_xpos", "geom_xmat", "subtree_com", "cdof",
)  # fmt: skip


def jacobians(
    batch: Any, ids: np.ndarray | None, body: ArrayLike, point: ArrayLike
) -> tuple[np.ndarray, np.ndarray]:
    """Jacobians of points on bodies, see `Batch.jac`."""
    model = batch.model
    n = batch.nsim if ids is None else len(ids)
    bodies = whole_numbers(body, (n,), 0, model.nbody, "body")
    points = np.broadcast_to(np.asarray(point, np.float64), (n, 3))
    jacp, jacr = np.zeros((2, n, 3, model.nv))
    places = _places(batch.nsim, ids)

    def work(model: Model, data: Any, mask: np.ndarray | None, sims: np.ndarray) -> None:
        probe = _posed(model, data)
        called = np.flatnonzero(np.ones(data.nworld, bool) if mask is None else mask)
        rows = places[sims[called]]
        at = np.zeros((data.nworld, 3))
        at[called] = points[rows]
        # the engine takes one body for all worlds
        for number in np.unique(bodies[rows]):
            found = jac(model, probe, at, int(number))
            here = bodies[rows] == number
            for target, source in zip((jacp, jacr), found, strict=True):
                target[rows[here]] = source[called[here]]

    batch._look(ids, work)
    return jacp, jacr


def rays(
    batch: Any, ids: np.ndarray | None, pnt: ArrayLike, vec: ArrayLike, which: tuple
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Geoms that rays meet, see `Batch.ray`; which are geomgroup, flg_static and bodyexclude."""
    geomgroup, flg_static, bodyexclude = which
    n = batch.nsim if ids is None else len(ids)
    pnt, vec = (np.atleast_2d(np.asarray(a, np.float64)) for a in (pnt, vec))
    nray = np.broadcast_shapes(pnt.shape[:-1], vec.shape[:-1])[-1]
    pnt, vec = (np.broadcast_to(a, (n, nray, 3)) for a in (pnt, vec))
    passed = whole_numbers(bodyexclude, (n, nray), -1, batch.model.nbody, "bodyexclude")
    dist, geomid = np.zeros((n, nray)), np.zeros((n, nray), np.int32)
    normals, places = np.zeros((n, nray, 3)), _places(batch.nsim, ids)

    def work(model: Model, data: Any, mask: np.ndarray | None, sims: np.ndarray) -> None:
        probe = _posed(model, data)
        called = np.flatnonzero(np.ones(data.nworld, bool) if mask is None else mask)
        rows = places[sims[called]]
        start, along = np.zeros((2, data.nworld, nray, 3))
        start[called], along[called] = pnt[rows], vec[rows]
        # the engine leaves out one body for all rays
        for number in np.unique(passed[rows]):
            hits = many_rays(model, probe, start, along, geomgroup, flg_static, int(number))
            which, ray = np.nonzero(passed[rows] == number)
            for target, source in zip((dist, geomid, normals), hits, strict=True):
                target[rows[which], ray] = source[called[which], ray]

    batch._look(ids, work)
    return dist, geomid, normals


def _places(nsim: int, ids: np.ndarray | None) -> np.ndarray:
    """Places of simulations among those of a call."""
    places = np.zeros(nsim, np.int64)
    chosen = np.arange(nsim) if ids is None else ids
    places[chosen] = np.arange(len(chosen))
    return places


def _posed(model: Model, data: Any) -> SimulationData:
    """Other worlds with the poses that follow from the positions of some."""
    probe = SimulationData(model, data.nworld, keep=_WRITTEN, vary=tuple(data.varied))
    for name, array in data.varied.items():
        probe.varied[name][...] = array
    for name in ("qpos", "mocap_pos", "mocap_quat"):
        getattr(probe, name)[...] = getattr(data, name)
    reads = " ".join(n for n in ("qpos", "mocap_pos", "mocap_quat") if getattr(probe, n).size)
    results = {name: _rows(getattr(probe, name)) for name in _WRITTEN}
    results = {name: array for name, array in results.items() if array.size}
    call_stages(model, probe, "kinematics", STAGES, reads=reads, results=results)
    return probe


def _rows(array: np.ndarray) -> np.ndarray:
    return array.reshape(len(array), -1)
