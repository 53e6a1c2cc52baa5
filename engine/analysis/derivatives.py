"""Derivatives of a step and of inverse dynamics by finite differences (mjd_transitionFD, ...).

Every perturbation is a world of its own, and all are computed in one call.
"""

from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np

from ..arguments import number
from ..data.data import Data
from ..data.request import check_data
from ..data.step import run_inverse, step
from ..data.views import takes_views
from .positions import differentiate_pos, integrate_pos
from .state import State, get_state, set_state

if TYPE_CHECKING:
    from ..model.model import Model

MOST_WORLDS = 4096  # worlds that perturbations take at a time


class Transition(NamedTuple):
    """Derivatives of a step, for n = 2*nv + na: dx' = A dx + B du, ds = C dx + D du.

    States are positions (in the space of velocities), velocities and activations.

    Attributes:
        A: (nworld, n, n) next state by state.
        B: (nworld, n, nu) next state by control.
        C: (nworld, nsensordata, n) sensors by state.
        D: (nworld, nsensordata, nu) sensors by control.
    """

    A: np.ndarray
    B: np.ndarray
    C: np.ndarray
    D: np.ndarray


class InverseDerivatives(NamedTuple):
    """Derivatives of inverse dynamics; rows are inputs, as in MuJoCo.

    Attributes:
        DfDq, DfDv, DfDa: (nworld, nv, nv) force by position, velocity and acceleration.
        DsDq, DsDv, DsDa: (nworld, nv, nsensordata) sensors by the same.
        DmDq: (nworld, nv, nM) inertia matrix, as in qM, by position.
    """

    DfDq: np.ndarray
    DfDv: np.ndarray
    DfDa: np.ndarray
    DsDq: np.ndarray
    DsDv: np.ndarray
    DsDa: np.ndarray
    DmDq: np.ndarray


@takes_views
def transition_fd(
    model: "Model", data: Data, eps: float = 1e-6, flg_centered: bool = True
) -> Transition:
    """Derivatives of a step and its sensors with respect to state and control (mjd_transitionFD).

    The data stay as they are. Controls at their limits are moved inward only. Unlike MuJoCo's, the
    centered derivatives of sensors with respect to controls have the right sign, and RK4 has
    derivatives too.

    Args:
        model: the model that the data were made for.
        data: worlds.
        eps: size of perturbations, in the units of what is perturbed.
        flg_centered: whether to perturb both ways, which costs twice as much and is more accurate.

    Returns:
        `Transition`, with a leading world axis.

    Raises:
        ValueError: data of another model, or a model with delays.
    """
    check_data(model, data, "transition_fd")
    if model.nhistory:
        raise ValueError("transition_fd: delays: expected a model without history buffers")
    eps = number(eps, "transition_fd", "eps")
    n, nu, ns = 2 * model.nv + model.na, model.nu, model.nsensordata
    result = Transition(
        *(np.zeros((data.nworld, rows, columns)) for rows in (n, ns) for columns in (n, nu))
    )
    columns = 1 + (1 + flg_centered) * n + 2 * nu
    for worlds, work in _batches(model, data, columns, keep=[]):
        _step_worlds(model, data, worlds, work, columns, eps, flg_centered, result)
    return result


@takes_views
def inverse_fd(
    model: "Model", data: Data, eps: float = 1e-6, flg_actuation: bool = False
) -> InverseDerivatives:
    """Derivatives of inverse dynamics and sensors by forward differences (mjd_inverseFD).

    The data stay as they are.

    Args:
        model: the model that the data were made for.
        data: worlds, which keep qacc.
        eps: size of perturbations.
        flg_actuation: whether forces are those besides actuators: qfrc_inverse - qfrc_actuator.

    Returns:
        `InverseDerivatives`, with a leading world axis.

    Raises:
        ValueError: data of another model.
        FieldError: the data do not keep qacc.
    """
    check_data(model, data, "inverse_fd")
    eps = number(eps, "inverse_fd", "eps")
    nv, sizes = model.nv, (model.nv, model.nsensordata)
    # position, velocity and acceleration are each moved along every dof, in copies of a world
    shapes = [(data.nworld, nv, size) for size in sizes for _ in range(3)]
    result = InverseDerivatives(*(np.zeros(s) for s in [*shapes, (data.nworld, nv, model.nM)]))
    columns = 1 + 3 * nv
    keep = ["qacc", "qfrc_inverse", "qfrc_actuator", *(["qM"] if model.nM else [])]
    for worlds, work in _batches(model, data, columns, keep):
        count = len(worlds)
        rows = _rows(work, columns, count)
        _start(model, data, worlds, work, columns)
        acc = rows("qacc")
        acc[:] = data.qacc[worlds, None]
        qpos, qvel = rows("qpos"), rows("qvel")
        q, v, a = (slice(1 + k * nv, 1 + (k + 1) * nv) for k in range(3))
        # row 0 is the state itself
        qpos[:, q] = integrate_pos(model, qpos[:, q], np.eye(nv), eps)
        qvel[:, v] += eps * np.eye(nv)
        acc[:, a] += eps * np.eye(nv)
        if _one_by_one(data):

            def run() -> None:
                run_inverse(model, data, "inverse_fd", None, flg_actuation)

            _run_each(model, data, work, run, ("qacc",), (*keep[1:], "sensordata"))
        else:
            run_inverse(model, work, "inverse_fd", _mask(work, columns * count), flg_actuation)
        force = rows("qfrc_inverse")
        if flg_actuation:
            force = force - rows("qfrc_actuator")
        outputs = (force, rows("sensordata"))
        # forward differences from it
        differences = [
            (values[:, part] - values[:, :1]) / eps for values in outputs for part in (q, v, a)
        ]
        if model.nM:
            inertia = rows("qM")
            differences.append((inertia[:, q] - inertia[:, :1]) / eps)
        for target, values in zip(result, differences, strict=False):
            target[worlds] = values
    return result


_work: WeakKeyDictionary = WeakKeyDictionary()  # data: the worlds of its perturbations


def _batches(model: "Model", data: Data, columns: int, keep: Collection[str]):
    """Yield worlds, some at a time, with data that have `columns` worlds for each of them."""
    size = min(data.nworld, max(1, MOST_WORLDS // columns))
    key, known = (size * columns, tuple(keep)), _work.setdefault(data, {})
    work = known.get(key)
    if work is None:
        options = data._options | {"keep": keep, "nconmax": None, "njmax": None}
        work = known[key] = Data(model, size * columns, **options)
    functions = {} if _one_by_one(data) else data.plan.hooks.functions
    if work.plan.hooks.functions != functions:
        work.change_hooks(functions)
    for start in range(0, data.nworld, size):
        worlds = np.arange(start, min(start + size, data.nworld))
        for name, values in data.varied.items():
            rows = np.repeat(values[worlds], columns, axis=0)
            work.varied[name][: len(rows)] = rows
        yield worlds, work


def _one_by_one(data: Data) -> bool:
    """True if hooks have the data themselves, and know of no other worlds."""
    return data.plan.wanted.hooks_have_data and bool(data.plan.hooks.functions)


def _run_each(
    model: "Model",
    data: Data,
    work: Data,
    run: Callable[[], None],
    inputs: Sequence[str],
    outputs: Sequence[str],
) -> None:
    """Run perturbed worlds one after the other in the data, whose state is put back afterwards.

    Args:
        model: the model.
        data: one world.
        work: worlds with all states and inputs, which get the outputs.
        run: computes something of the data.
        inputs: fields that are no part of the state.
        outputs: fields.
    """
    before = get_state(model, data, State.INTEGRATION)
    kept = [getattr(data, name).copy() for name in inputs]
    for world, state in enumerate(get_state(model, work, State.INTEGRATION)):
        set_state(model, data, state[None], State.INTEGRATION)
        for name in inputs:
            getattr(data, name)[0] = getattr(work, name)[world]
        run()
        for name in outputs:
            getattr(work, name)[world] = getattr(data, name)[0]
    set_state(model, data, before, State.INTEGRATION)
    for name, array in zip(inputs, kept, strict=True):
        getattr(data, name)[...] = array


def _start(model: "Model", data: Data, worlds: np.ndarray, work: Data, columns: int) -> None:
    """Put the perturbed worlds into the states of those that they belong to."""
    states = np.repeat(get_state(model, data, State.INTEGRATION, worlds), columns, axis=0)
    set_state(model, work, states, State.INTEGRATION, np.arange(len(states)))


def _rows(work: Data, columns: int, count: int):
    """A function from the name of a field to its rows, (count, columns, n), a view."""

    def rows(name: str) -> np.ndarray:
        array = getattr(work, name)
        return array[: columns * count].reshape(count, columns, array.shape[1])

    return rows


def _mask(work: Data, count: int):
    return None if count == work.nworld else np.arange(work.nworld) < count


def _step_worlds(
    model: "Model",
    data: Data,
    worlds: np.ndarray,
    work: Data,
    columns: Any,
    eps: Any,
    centered: Any,
    result: Any,
) -> None:
    """Derivatives of a step of some worlds.

    The columns are the unperturbed world, controls forward and backward, then states forward, and
    backward where differences are centered.
    """
    count, nu, n = len(worlds), model.nu, 2 * model.nv + model.na
    rows = _rows(work, columns, count)
    _start(model, data, worlds, work, columns)
    # controls are moved only as far as their range allows
    ctrl = rows("ctrl")
    low, high = model.actuator_ctrlrange.T
    free = model.actuator_ctrllimited == 0
    given = ctrl[:, 0].copy()
    forward = free | ((given >= low) & (given + eps <= high))
    backward = (free | ((given - eps >= low) & (given <= high))) & (centered | ~forward)
    for k in range(nu):
        ctrl[:, 1 + k, k] += eps
        ctrl[:, 1 + nu + k, k] -= eps
    # states move without limits, forwards or both ways
    first = 1 + 2 * nu
    _perturb(model, rows, slice(first, first + n), eps)
    if centered:
        _perturb(model, rows, slice(first + n, first + 2 * n), -eps)
    if _one_by_one(data):
        ends = ("qpos", "qvel", "act", "sensordata")
        _run_each(model, data, work, lambda: step(model, data), (), ends)
    else:
        step(model, work, mask=_mask(work, columns * count))
    sensors, states = rows("sensordata"), (rows("qpos"), rows("qvel"), rows("act"))
    plus = _Ends(model, states, sensors, slice(1, 1 + nu))
    base = _Ends(model, states, sensors, slice(0, 1))
    minus = _Ends(model, states, sensors, slice(1 + nu, first))
    # a control that can be moved neither way has no derivative
    ahead, behind = forward[..., None], backward[..., None]
    for target, difference in ((result.B, _Ends.state), (result.D, _Ends.sensor)):
        one_way = np.where(ahead, difference(plus, base), difference(base, minus)) / eps
        both_ways = difference(plus, minus) / (2 * eps)
        slope = np.where(ahead & behind, both_ways, np.where(ahead | behind, one_way, 0))
        target[worlds] = slope.swapaxes(1, 2)
    plus = _Ends(model, states, sensors, slice(first, first + n))
    start = _Ends(model, states, sensors, slice(first + n, first + 2 * n)) if centered else base
    h = 2 * eps if centered else eps
    result.A[worlds] = (plus.state(start) / h).swapaxes(1, 2)
    result.C[worlds] = (plus.sensor(start) / h).swapaxes(1, 2)


def _perturb(model: "Model", rows: Any, columns: slice, eps: float) -> None:
    """Move position, velocity and activation by eps, each number in a column of its own."""
    nv, start = model.nv, columns.start
    part = slice(start, start + nv)
    qpos = rows("qpos")
    qpos[:, part] = integrate_pos(model, qpos[:, part], np.eye(nv), eps)
    rows("qvel")[:, start + nv : start + 2 * nv] += eps * np.eye(nv)
    if model.na:
        rows("act")[:, start + 2 * nv : columns.stop] += eps * np.eye(model.na)


class _Ends:
    """States and readings that some columns lead to."""

    def __init__(self, model: "Model", states: Any, sensors: Any, columns: slice):
        self.model = model
        self.states = [values[:, columns] for values in states]
        self.sensors = sensors[:, columns]

    def state(self, other: "_Ends") -> np.ndarray:
        """Difference of states from others."""
        (qpos, qvel, act), (qpos0, qvel0, act0) = self.states, other.states
        parts = [differentiate_pos(self.model, 1.0, qpos0, qpos), qvel - qvel0, act - act0]
        return np.concatenate(parts, axis=-1)

    def sensor(self, other: "_Ends") -> np.ndarray:
        """Difference of sensors from others."""
        return self.sensors - other.sensors
