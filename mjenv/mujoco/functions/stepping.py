"""The functions that run the pipeline: steps, forward and inverse dynamics, resets."""

from typing import Any

from mjenv.engine.data.halves import step1, step2
from mjenv.engine.data.ready_steps import STEPS, prepare_step, run_again
from mjenv.engine.data.skip import forward_skip, inverse_skip
from mjenv.engine.data.step import forward, inverse, reset, step
from mjenv.mujoco.callbacks import Installed
from mjenv.mujoco.functions import arguments
from mjenv.mujoco.functions.wrapping import attach, raise_fatal
from mjenv.mujoco.structs import MjData, MjModel


def runner(name: str, run: Any, call: str) -> Any:
    """A function that runs a program on data, with few checks: they are called for every step.

    Args:
        name: of the function.
        run: runs it on a model and data of the engine.
        call: what it is to `prepared_program.ROWS`; "" if it is none of these.
    """
    unwrapped, is_step = getattr(run, "__wrapped__", run), call in STEPS

    def function(m: MjModel, d: MjData) -> None:
        # what is no model or no data lacks an attribute: only then it is looked at
        try:
            if d._model is not m or d._callbacks is not Installed.last:
                attach(m, d, name)
            batch = d.batch
        except AttributeError:
            arguments.model(m, name, "m")
            arguments.struct(d, MjData, name, "d")
            raise
        try:
            if is_step and batch.fresh and run_again(batch, call):
                return
            unwrapped(batch.model, batch)
        except ValueError as error:
            raise_fatal(error)
        if is_step:
            prepare_step(batch, call)

    function.__name__ = function.__qualname__ = name
    vars(function).update(checks_itself=True, call=call)
    return function


mj_forward = runner("mj_forward", forward, "forward")
mj_forward.__doc__ = "Compute all that follows from the present state and inputs."
mj_inverse = runner("mj_inverse", inverse, "")
mj_inverse.__doc__ = "Compute the forces that the present acceleration takes."
mj_step1 = runner("mj_step1", step1, "step1")
mj_step1.__doc__ = "The first half of a step: what depends on the state alone."
mj_step2 = runner("mj_step2", step2, "step2")
mj_step2.__doc__ = "The second half of a step: forces, acceleration, the next state."


def mj_step(m: MjModel, d: MjData, nstep: int = 1) -> None:
    """Advance the state by a time step. Optionally, repeat nstep times."""
    try:
        if d._model is not m or d._callbacks is not Installed.last:
            attach(m, d, "mj_step")
        batch = d.batch
    except AttributeError:
        arguments.model(m, "mj_step", "m")
        arguments.struct(d, MjData, "mj_step", "d")
        raise
    if type(nstep) is not int:
        nstep = arguments.whole(nstep, "mj_step", "nstep")
    try:
        if batch.fresh and run_again(batch, "step", nstep):
            return
        # callbacks may change what is read at the beginning of a run
        alone = nstep > 1 and d._callbacks is not None
        for number in (1,) * nstep if alone else (max(nstep, 0),):
            step(batch.model, batch, number)
    except ValueError as error:
        raise_fatal(error)
    prepare_step(batch, "step")


vars(mj_step).update(checks_itself=True, call="step", steps="nstep")


def mj_forwardSkip(m: MjModel, d: MjData, skipstage: int, skipsensor: int) -> None:
    """Forward dynamics without the stages up to one (mjtStage), or without sensors."""
    forward_skip(d.batch.model, d.batch, skipstage, bool(skipsensor))


def mj_inverseSkip(m: MjModel, d: MjData, skipstage: int, skipsensor: int) -> None:
    """Inverse dynamics without the stages up to one (mjtStage), or without sensors."""
    inverse_skip(d.batch.model, d.batch, skipstage, bool(skipsensor))


def mj_resetData(m: MjModel, d: MjData) -> None:
    """Put data into their initial state, with zero inputs and results."""
    reset(d.batch.model, d.batch)


def mj_resetDataDebug(m: MjModel, d: MjData, debug_value: int) -> None:
    """As mj_resetData; the value would fill memory that is not used."""
    reset(d.batch.model, d.batch)


def mj_resetDataKeyframe(m: MjModel, d: MjData, key: int) -> None:
    """Put data into the state of a keyframe; into the initial state where there is none."""
    reset(d.batch.model, d.batch, key if 0 <= key < m.nkey else None)
