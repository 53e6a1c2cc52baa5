"""Open-loop trajectories of all worlds at once, as mujoco.rollout makes them."""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ..arguments import reals, whole
from ..data.request import check_data
from ..data.step import step
from ..data.views import takes_views
from .state import State, get_state, set_state, state_size

if TYPE_CHECKING:
    from ..data.data import Data
    from ..model.model import Model


@takes_views
def rollout(
    model: "Model",
    data: "Data",
    control: ArrayLike | None = None,
    nstep: int | None = None,
    *,
    initial_state: ArrayLike | None = None,
    control_spec: int = State.CTRL,
    initial_warmstart: ArrayLike | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """Step all worlds under given controls, and record states and sensors.

    Without an initial state the worlds continue from where they are, with their inputs. With one,
    inputs that are not controlled and the warm start are put back first, as in mujoco.rollout. A
    world that gets a warning (a bad state, say) stops: its last record fills the rest.

    Args:
        model: the model that the data were made for.
        data: worlds, advanced in place; steps are fastest with `Data(..., keep=[])`.
        control: (nworld or 1, nstep or 1, ncontrol), (nstep, ncontrol) for all worlds, or None to
            leave the inputs as they are.
        nstep: number of steps; None takes that of the controls.
        initial_state: (nworld or 1, nstate) or (nstate,), of the components FULLPHYSICS.
        control_spec: components of the state that the controls are, flags of `State`.
        initial_warmstart: (nworld or 1, nv) or (nv,), acceleration that the solver starts from;
            only with an initial state.

    Returns:
        state: (nworld, nstep, nstate) after each step, the components FULLPHYSICS.
        sensordata: (nworld, nstep, nsensordata) of each step.

    Raises:
        ValueError: data of another model, controls that are no inputs, or an argument of the wrong
            shape.
    """
    check_data(model, data, "rollout")
    if nstep is not None:
        nstep = whole(nstep, "rollout", "nstep")
    if whole(control_spec, "rollout", "control_spec") & ~int(State.USER):
        raise ValueError("rollout: control_spec: expected flags of State.USER")
    ncontrol = state_size(model, control_spec)
    control, nstep = _controls(data, control, nstep, ncontrol)
    if initial_state is not None:
        _start(model, data, initial_state, initial_warmstart, control_spec)
    elif initial_warmstart is not None:
        raise ValueError("rollout: initial_warmstart: expected an initial_state as well")
    states = np.zeros((data.nworld, nstep, state_size(model, State.FULLPHYSICS)))
    sensordata = np.zeros((data.nworld, nstep, model.nsensordata))
    before, mask = data._warn_number.copy(), None
    for k in range(nstep):
        if control is not None:
            _control(model, data, control[:, min(k, control.shape[1] - 1)], control_spec, mask)
        step(model, data, mask=mask)
        states[:, k] = get_state(model, data, State.FULLPHYSICS)
        sensordata[:, k] = data.sensordata
        # as MuJoCo's rollout: a world that diverged stays as it is, and repeats its last row
        warned = (data._warn_number != before).any(axis=1)
        if warned.any():
            mask = ~warned
    return states, sensordata


def _controls(
    data: "Data", control: ArrayLike | None, nstep: int | None, ncontrol: int
) -> tuple[np.ndarray | None, int]:
    """Controls as (nworld or 1, nstep or 1, ncontrol), and the number of steps."""
    if control is None:
        if nstep is None:
            raise ValueError("rollout: nstep: expected a number of steps, or controls")
        return None, nstep
    control = reals(control, "rollout", "control")
    if control.ndim == 2:
        control = control[None]
    long = control.shape[1] if control.ndim == 3 else 0
    steps = long if nstep is None else nstep
    if (
        control.ndim != 3
        or control.shape[0] not in (1, data.nworld)
        or long not in (1, steps)
        or control.shape[2] != ncontrol
    ):
        raise ValueError(
            f"rollout: control has shape {control.shape}, expected "
            f"({data.nworld}, {'nstep' if nstep is None else nstep}, {ncontrol}), or 1 for the "
            "number of worlds or steps"
        )
    return control, steps


def _start(
    model: "Model",
    data: "Data",
    initial_state: ArrayLike | None,
    initial_warmstart: ArrayLike | None,
    control_spec: int,
) -> None:
    """Put worlds into their initial states, with inputs as after a reset."""
    nstate = state_size(model, State.FULLPHYSICS)
    states = _rows(data, initial_state, "initial_state", nstate)
    warmstart = 0 if initial_warmstart is None else initial_warmstart
    if initial_warmstart is not None:
        warmstart = _rows(data, warmstart, "initial_warmstart", model.nv)
    userdata = data.userdata.copy()
    data.reset_state(np.arange(data.nworld))
    if not int(control_spec) & State.USERDATA:
        data.userdata[:] = userdata
    set_state(model, data, states, State.FULLPHYSICS)
    data.qacc_warmstart[:] = warmstart


def _rows(data: "Data", value: ArrayLike | None, name: str, size: int) -> np.ndarray:
    value = reals(value, "rollout", name)
    if value.shape not in ((size,), (1, size), (data.nworld, size)):
        raise ValueError(
            f"rollout: {name} has shape {value.shape}, expected ({data.nworld}, {size}), or 1 for "
            "the number of worlds"
        )
    return np.broadcast_to(value, (data.nworld, size))


def _control(
    model: "Model", data: "Data", rows: np.ndarray, spec: int, mask: np.ndarray | None
) -> None:
    """Enter the controls of one step in the worlds that still run."""
    chosen = None if mask is None else np.flatnonzero(mask)
    worlds = slice(None) if chosen is None else chosen
    if int(spec) == State.CTRL:
        data.ctrl[worlds] = rows[0] if len(rows) == 1 else rows[worlds]
        return
    rows = np.broadcast_to(rows, (data.nworld, rows.shape[1]))
    set_state(model, data, rows[worlds], spec, chosen)
