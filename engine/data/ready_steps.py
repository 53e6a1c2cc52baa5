"""Steps of one world that are ready to run again without Python.

Late outputs, which are computed when they are looked at, are dropped by a step: that of users who
look at them before every step is run by Python. So steps compute what was looked at before several
of them in a row, until that has gone on for long enough to see whether anybody still looks.
"""

from typing import TYPE_CHECKING

import numpy as np

from ..run.execution import execute
from ..run.in_use import alone
from ..run.prepared_program import PreparedProgram, can_prepare
from ..run.program import first_program, forward_program, second_program
from ..simd.ready_calls import ALWAYS, Length, Place, Somewhere, Word
from .skip import known_world

if TYPE_CHECKING:
    from ..run.program import Program
    from .as_mujoco import MujocoData

# calls, and their programs as `step.run_ready` looks them up
STEPS = {
    "step": (forward_program, False, True, False),
    "forward": (forward_program, False, False, False),
    "step1": (first_program,),
    "step2": (second_program, True),
}
TIMES = 3  # in a row that users look before a step computes it
EAGER = 256  # calls that then do so, whether they look or not
_SNAPSHOT = int(np.float64(1.0).view(np.int64))  # in `snapshot_on`


def prepare_step(data: "MujocoData", name: str) -> None:
    """Have a call that has just run made ready, when it comes the second time and can be.

    Args:
        data: one world that lives in the scratch.
        name: of the call, one of `STEPS`.
    """
    plan, prepared = data.plan, data.plan.prepared
    times = prepared.asked.get(name, 0)
    if times > 1:
        return
    prepared.asked[name] = times + 1
    if not times or not data._in_place:
        return
    program = plan.ready.get(STEPS[name])
    if program is None or plan.contexts or not can_prepare(plan, program):
        return
    # what was looked at is dropped: there has to be nothing
    same: list[tuple[Somewhere, int]] = [(Length(data.fresh), 0)]
    prepared[name] = prepared.lean[name] = _prepared(data, name, program, same)


def _prepared(
    data: "MujocoData",
    name: str,
    program: "Program",
    same: list[tuple[Somewhere, int]],
    left: int = ALWAYS,
) -> PreparedProgram:
    """A program of a call that has just run, as long as nobody holds what it would make stale."""
    same = [*same, (Length(data.held.arrays), 0)]
    if name == "step2":
        same.append((Word(data.plan.scratch[0].data.arrays["snapshot_on"]), _SNAPSHOT))
    counts = name == "step"
    change = data.fresh.change
    return PreparedProgram(data, program, change, (), same, True, counts, left)


def run_again(data: "MujocoData", name: str, nstep: int = 1) -> bool:
    """Run a call that is ready but for late outputs that were looked at since the last one.

    Args:
        data: one world.
        name: of the call, one of `STEPS`.
        nstep: number of steps.

    Returns:
        False if nothing was done.
    """
    plan = data.plan
    if name not in plan.prepared or not plan.idle:
        return False
    if name == "step2":
        if not known_world(data):
            return False
        alone(plan, name, data.take_edits, name)
    lean = plan.prepared.lean.get(name)
    if lean is None or not lean.takes(nstep):
        return False
    if _looks_again(data, name) and _run_eagerly(data, name, nstep):
        return True
    plan.prepared[name] = lean
    data.forget_lazy()
    held = data.held.take(data._arrays)
    if not lean.run(data):
        data.held.arrays.update(held)
        return False
    data.bring_up_to_date(held)
    return True


def _looks_again(data: "MujocoData", name: str) -> bool:
    """Note what was looked at before a call; true if that was so before several of them."""
    found = frozenset(data.fresh)
    before, times = data.plan.prepared.looked.get(name, (found, 0))
    times = times + 1 if found == before else 1
    again = times > TIMES and not found - data._lazy - {"contact"}
    # the next time it has to be looked at as often again
    data.plan.prepared.looked[name] = found, 0 if again else times
    return again


def _run_eagerly(data: "MujocoData", name: str, nstep: int) -> bool:
    """Run a call with the stages of what users look at every time, and have that ready.

    Returns:
        False if nothing was done.
    """
    plan, own, arrays = data.plan, data.__dict__, data._arrays
    fields = data._lazy.intersection(data.fresh)
    edits = name == "step2" and not data.shown.fields.isdisjoint(fields)
    moved = any(own[field] is not arrays[field] for field in fields)
    if plan.is_behind() or edits or moved or plan.large_model:
        return False
    # what is compared with edits is not copied any more
    data.shown.forget(fields)
    kind = STEPS[name]
    program = plan.program(kind[0], data.kept | fields, *kind[1:])
    alone(plan, name, execute, data, program, nstep if name in ("step", "step2") else 0)
    if can_prepare(plan, program):
        same: list[tuple[Somewhere, int]] = [(Place(data.fresh, "change"), id(data.fresh.change))]
        plan.prepared[name] = _prepared(data, name, program, same, EAGER)
    return True
