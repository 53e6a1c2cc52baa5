"""Steps of one world that are ready to run again without Python."""

from typing import TYPE_CHECKING

import numpy as np

from ..run.in_use import alone
from ..run.prepared_program import PreparedProgram, can_prepare
from ..simd.ready_calls import Length, Word
from .skip import known_world

if TYPE_CHECKING:
    from .as_mujoco import MujocoData

# calls, and their programs as `step.run_ready` looks them up
STEPS = {
    "step": ("program", False, True),
    "forward": ("program", False, False),
    "step1": ("first_program",),
    "step2": ("second_program", True),
}
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
    # what was looked at, and what is held, is not to be brought up to date
    same = [(Length(data.fresh), 0), (Length(data.held.arrays), 0)]
    if name == "step2":
        same.append((Word(plan.scratch[0].data.arrays["snapshot_on"]), _SNAPSHOT))
    prepared[name] = PreparedProgram(
        data, program, data.fresh.change, (), same, releases=True, counts=name == "step"
    )


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
    prepared = plan.prepared.get(name)
    if prepared is None or not prepared.takes(nstep):
        return False
    data.forget_lazy()
    held = data.held.take(data._arrays)
    if not prepared.run(data):
        data.held.arrays.update(held)
        return False
    data.bring_up_to_date(held)
    return True
