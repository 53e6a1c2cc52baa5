"""Running worlds: step, forward, inverse, reset."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arguments import LARGEST, plain_array, whole
from ..run.execution import execute
from ..run.in_use import alone, check_idle, refuse_busy
from ..run.prepared_program import ROWS, PreparedProgram, can_prepare
from ..run.program import forward_program, inverse_program
from ..simd.ready_calls import Length, Owner, ready_call
from ..tables.enums import STAGE_NONE
from .views import mask_of, takes_views

if TYPE_CHECKING:
    from ..model.model import Model
    from .data import Data

# fields of data -> what keyframes have for them
KEYED = {
    "qpos": "key_qpos",
    "qvel": "key_qvel",
    "act": "key_act",
    "mocap_pos": "key_mpos",
    "mocap_quat": "key_mquat",
    "ctrl": "key_ctrl",
}


def step(
    model: "Model", data: "Data", nstep: int = 1, mask: np.ndarray | None = None, post: bool = False
) -> None:
    """Advance worlds by nstep time steps (mj_step).

    As in MuJoCo, derived fields belong to the last evaluation of forward dynamics: the state
    before the last step (Euler), or its last stage (RK4).

    Args:
        model: the model that the data were made for.
        data: worlds; advanced in place.
        nstep: number of steps.
        mask: bool (nworld,); worlds to advance. None means all.
        post: also compute cacc, cfrc_ext and cfrc_int after the last step (mj_rnePostConstraint).

    Raises:
        ValueError: data of another model, or an argument out of range.
    """
    if type(nstep) is not int or not 0 <= nstep <= LARGEST:
        nstep = whole(nstep, "step", "nstep")
    if not nstep:
        return
    plain = mask is None and not post
    if plain and _repeat(model, data, nstep) is None:
        return
    run_ready(model, data, (forward_program, post, True, False), nstep, mask, "step")
    if plain and data._repeats:
        _prepare_repeat(data)


def forward(
    model: "Model", data: "Data", mask: np.ndarray | None = None, post: bool = False
) -> None:
    """Compute the forward dynamics of the present state and inputs, without a step (mj_forward).

    Args:
        model: the model that the data were made for.
        data: worlds.
        mask: bool (nworld,); worlds to compute. None means all.
        post: also compute cacc, cfrc_ext and cfrc_int (mj_rnePostConstraint).

    Raises:
        ValueError: data of another model, or a mask of the wrong shape.
    """
    run_ready(model, data, (forward_program, post, False, False), 0, mask, "forward")


@takes_views
def inverse(model: "Model", data: "Data", mask: np.ndarray | None = None) -> None:
    """Compute the forces that the present acceleration takes (mj_inverse).

    Writes data.qfrc_inverse, which is qfrc_applied and qfrc_actuator together with the forces of
    xfrc_applied if qacc is what forward dynamics gives, and all that depends on position and
    velocity. With option flag invdiscrete, qacc is the change of velocity in a time step.

    Args:
        model: the model that the data were made for.
        data: worlds, which keep qacc and qfrc_inverse; data.qacc is the acceleration.
        mask: bool (nworld,); worlds to compute. None means all.

    Raises:
        ValueError: data of another model, a mask of the wrong shape, or discrete inverse dynamics
            of an integrator that has none.
        FieldError: the data do not keep qacc or qfrc_inverse.
    """
    run_inverse(model, data, "inverse", mask)


def run_inverse(
    model: "Model",
    data: "Data",
    where: str,
    mask: np.ndarray | None = None,
    actuation: bool = False,
) -> None:
    """Inverse dynamics as in `inverse`; with `actuation`, forces of actuators too."""
    check_data(model, data, where)
    _ = data.qacc, data.qfrc_inverse
    run_program(model, data, (inverse_program, actuation, STAGE_NONE, True), 0, mask, where)
    data.leave_no_islands(mask)


@takes_views
def reset(
    model: "Model", data: "Data", keyframe: int | str | None = None, mask: np.ndarray | None = None
) -> None:
    """Put worlds into their initial state or a keyframe, with zero inputs (mj_resetData).

    Derived fields become zero; call `forward` to compute them.

    Args:
        model: the model that the data were made for.
        data: worlds.
        keyframe: index or name of a keyframe; None means qpos0 at rest.
        mask: bool (nworld,); worlds to reset. None means all.

    Raises:
        KeyError: no such keyframe.
        ValueError: data of another model, or a mask of the wrong shape.
    """
    check_data(model, data, "reset")
    worlds = slice(None) if mask is None else selected(data, mask, "reset")
    if not isinstance(worlds, slice) and not len(worlds):
        return
    data.reset_state(worlds)
    if keyframe is not None:
        k = model.key(keyframe).id
        for name, field in KEYED.items():
            array, of_key = getattr(data, name), data.of_worlds(field, worlds)[..., k, :]
            array[worlds] = of_key.reshape(*of_key.shape[:-1], *array.shape[1:])
        data.time[worlds] = data.of_worlds("key_time", worlds)[..., k]


# ---------------------------------------------------------------- steps that repeat the last one


def _not_ready(model: "Model", data: "Data", nstep: int = 1) -> bool:
    """False: nothing was done."""
    return False


# steps one world as it was stepped last, and returns None, where nothing else has changed
_repeat: Callable[["Model", "Data", int], bool | None] = _not_ready


def _prepare_repeat(data: "Data") -> None:
    """Have a step that has just run made ready, when it comes the second time and can be.

    Args:
        data: one world that lives in the scratch.
    """
    global _repeat
    plan, asked = data.plan, data.plan.prepared.asked
    times = asked["step"] = asked.get("step", 0) + 1
    if times != 2 or plan.contexts:
        return
    program = plan.ready.get((forward_program, False, True, False))
    if program is None or not can_prepare(plan, program):
        return
    # a step drops late outputs that were looked at, in Python: there have to be none
    nothing = [(Length(data.fresh), 0)]
    plan.prepared["step"] = PreparedProgram(
        data, program, data.fresh.change, (), nothing, releases=True, counts=True
    )
    if _repeat is _not_ready:
        owner = Owner(type(data).__new__(type(data)), "_ready", "_model")
        place = __name__, "_repeat"
        _repeat = ready_call(_not_ready, _tell, place, owner, ROWS["step"], "nstep")


def _tell(model: "Model", data: "Data") -> None:
    """Raise the error of a step, or pass on its warnings."""
    data.plan.prepared["step"].tell(data)


# ---------------------------------------------------------------- programs


def check_data(model: "Model", data: "Data", where: str) -> None:
    """Refuse data that another call is working on, and most data of another model."""
    if data.model is not model:
        data.use_model(model, where)
    check_idle(data.plan, where)


def selected(data: "Data", mask: np.ndarray | None, where: str) -> np.ndarray:
    """Indices of the worlds in a mask."""
    mask = plain_array(mask, where, "mask")
    if mask.shape != (data.nworld,) or mask.dtype != np.bool_:
        raise ValueError(
            f"{where}: mask is {mask.dtype} of shape {mask.shape}, "
            f"expected bool of shape ({data.nworld},)"
        )
    return mask.nonzero()[0]


def run_program(
    model: "Model",
    data: "Data",
    kind: tuple,
    nstep: int,
    mask: np.ndarray | None,
    where: str,
) -> None:
    """Run a program; see `run_ready` for the arguments."""
    check_data(model, data, where)
    worlds = None if mask is None else selected(data, mask, where)
    if worlds is not None and not len(worlds):
        return
    alone(data.plan, where, _run_program, data, kind, nstep, worlds)
    data.show_held()


def _run_program(data: "Data", kind: tuple, nstep: int, worlds: np.ndarray | None) -> None:
    """The same while no other call may work on the data."""
    data.plan.refresh()
    program = data.plan.program(kind[0], data.kept, *kind[1:])
    data.forget_lazy()
    execute(data, program, nstep, worlds)


def run_ready(
    model: "Model", data: "Data", kind: tuple, nstep: int, mask: np.ndarray | None, where: str
) -> None:
    """Run one of the programs that steps run, of data or of a view of one world.

    Args:
        model, data, mask: as given by the user.
        kind: the function that makes the program, and its arguments behind `kept`.
        nstep: number of steps; 0 for what is no step.
        where: name of the public function, for messages.
    """
    # on the path of every step: what rarely changes is not called
    if data.model is not model and data.plan is not None:
        check_data(model, data, where)
    plan = data.plan
    if plan is None:
        view: Any = data
        mask = mask_of(view) if view.batch.nworld > 1 else mask
        return run_ready(model, view.batch, kind, nstep, mask, where)
    worlds = None
    if mask is not None:
        worlds = selected(data, mask, where)
        if not len(worlds):
            return None
    # no other call from here on, see run/in_use.py
    if plan.idle:
        plan.idle = False
    else:
        refuse_busy(plan, where)
    try:
        plan.refresh()
        program = plan.ready.get(kind)
        if program is None:
            program = plan.ready[kind] = plan.program(kind[0], data.kept, *kind[1:])
        if data.fresh:
            data.forget_lazy()
        execute(data, program, nstep, worlds)
    finally:
        plan.idle = True
    if data.held:
        data.show_held()
    return None
