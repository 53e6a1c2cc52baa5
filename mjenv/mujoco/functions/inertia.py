"""Functions of the inertia matrix, and of inverse dynamics without constraints."""

from collections.abc import Callable

import numpy as np

from mjenv.engine.analysis.inertia import get_totalmass, solve_m2
from mjenv.engine.direct import inertia
from mjenv.engine.direct.call import Direct, on_model, on_world
from mjenv.engine.direct.forces import newton_euler
from mjenv.engine.edit.constants import set_totalmass
from mjenv.engine.model.model import Edits
from mjenv.engine.simd.bound_calls import Given, Told
from mjenv.mujoco.functions.tables import define
from mjenv.mujoco.structs import MjData, MjModel


def _bound(d: MjData, name: str, kernel: Callable, count: int = 1) -> Direct:
    """The kernel of a function of vectors, for data."""
    n = count * d._model.nv
    call = d._direct[name] = on_world(d.batch, kernel, n, n)
    call.ask[0] = count
    return call


def mj_fullM(m: MjModel, dst: np.ndarray, M: np.ndarray) -> None:
    """The inertia matrix as a dense one, from its sparse form qM."""
    calls = m._calls()
    call = calls.get("mj_fullM")
    if call is None:
        call = calls["mj_fullM"] = on_model(m, inertia.full, inertia.FULL_READS, m.nM, m.nv**2)
        call.parts = (call.told.reshape(m.nv, m.nv),)
        call.enter(calls, "mj_fullM", [Told(call.parts[0]), Given(call.given[: m.nM])])
    call.given[:] = M
    call.run()
    dst[...] = call.parts[0]


def _product(name: str, kernel: Callable) -> Callable:
    """A function that multiplies a vector."""

    def compute(m: MjModel, d: MjData, res: np.ndarray, vec: np.ndarray) -> None:
        call = d._direct.get(name)
        if call is None:
            call = _bound(d, name, kernel)
            call.enter(d._direct, name, [Told(call.told), Given(call.given)])
        call.given[:] = vec
        call.run()
        res[:] = call.told

    return compute


_ROWS = {
    "mj_mulM": ("Inertia matrix times a vector.", inertia.multiply),
    "mj_mulM2": ("Root of the inertia matrix times a vector.", inertia.multiply_root),
}
define(globals(), {name: (says, _product(name, run)) for name, (says, run) in _ROWS.items()})


def mj_solveM(m: MjModel, d: MjData, x: np.ndarray, y: np.ndarray) -> None:
    """Inverse inertia matrix times each row of y."""
    call = d._direct.get("mj_solveM")
    if call is None or call.ask[0] != len(y):
        call = _bound(d, "mj_solveM", inertia.solve, len(y))
        call.parts = call.given.reshape(y.shape), call.told.reshape(y.shape)
        call.enter(d._direct, "mj_solveM", [Told(call.parts[1]), Given(call.parts[0])])
    call.parts[0][...] = y
    call.run()
    x[...] = call.parts[1]


def mj_solveM2(m: MjModel, d: MjData, x: np.ndarray, y: np.ndarray, sqrtInvD: np.ndarray) -> None:
    """Half of the inverse inertia matrix times each row of y."""
    x[:] = solve_m2(d.batch.model, d.batch, y[None], sqrtInvD.ravel())[0]


def mj_addM(
    m: MjModel,
    d: MjData,
    dst: np.ndarray,
    rownnz: np.ndarray,
    rowadr: np.ndarray,
    colind: np.ndarray,
) -> None:
    """Add the inertia matrix to a sparse matrix that has its columns."""
    pairs = zip(m.M_rowadr.tolist(), rowadr.tolist(), m.M_rownnz.tolist(), strict=True)
    for start, target, count in pairs:
        dst[target : target + count] += d.M[start : start + count]


def mj_rne(m: MjModel, d: MjData, flg_acc: int, result: np.ndarray) -> None:
    """Forces that the motion takes, by recursive Newton and Euler; qacc counts if asked for."""
    call, plan = d._direct.get("mj_rne") or _bound(d, "mj_rne", newton_euler), d.batch.plan
    if Edits.last is not plan.seen:
        plan.refresh()  # of options
    call.given[:] = d.qacc if flg_acc else 0.0
    call.run()
    result[:] = call.told


def mj_getTotalmass(m: MjModel) -> float:
    """Sum of the masses."""
    return get_totalmass(m)


def mj_setTotalmass(m: MjModel, newmass: float) -> None:
    """Scale masses and inertias to a sum of masses."""
    set_totalmass(m, newmass)
