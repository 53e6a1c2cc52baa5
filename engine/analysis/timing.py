"""The time of a step, stage by stage."""

from collections.abc import Callable
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arguments import whole
from ..data.data import Data
from ..data.request import check_data
from ..data.step import step
from ..data.views import takes_views
from ..pipeline.layouts import PHASES
from ..run.program import forward_program
from ..simd.kernel import call_of, kernel
from .state import State, get_state, set_state

if TYPE_CHECKING:
    from ..model.model import Model
    from ..run.plan import Plan
    from ..run.scratch import Scratch


@kernel
def idle(m, d):
    """Nothing, to know what calls take."""


@takes_views
def profile(model: "Model", data: Data, nstep: int = 100) -> dict[str, float]:
    """Median time of every stage of a step, per world (s).

    Steps one pack of worlds in one thread, from the states of the first worlds; the data stay as
    they are. The times of a stage that a step runs several times (RK4) are summed. Reading and
    writing the arrays of the data is left out.

    Args:
        model: the model that the data were made for.
        data: worlds.
        nstep: number of steps to look at.

    Returns:
        Names of the stages in their order, with seconds per step and world.

    Raises:
        ValueError: data of another model, or no steps.
    """
    check_data(model, data, "profile")
    whole(nstep, "profile", "nstep", 1)
    # a copy of one pack in one thread: the users' data stay as they are
    width = data.plan.width
    options: dict = {**data._options, "keep": [], "nthread": 1, "width": width}
    options |= {"nconmax": None, "njmax": None}
    work = Data(model, width, **options)
    work.change_hooks(data.plan.hooks.functions)
    for name, values in data.varied.items():
        work.varied[name][:] = values[[k % data.nworld for k in range(width)]]
    worlds = [k % data.nworld for k in range(width)]
    set_state(model, work, get_state(model, data, State.INTEGRATION, worlds), State.INTEGRATION)
    # a step leaves the worlds in the scratch, where the stages go on with them
    step(model, work)
    plan = work.plan
    program = plan.program(forward_program, work.kept, False, True, False)
    scratch = plan.threads(1)[0]
    # stages as a step runs them, each with the cost of its call taken off
    phases = [phase.name for phase in PHASES if phase.in_steps]
    stages = [stage for phase in phases for stage in program.phases.get(phase, ())]
    entries = [_entry(plan, scratch, stage.function) for stage in stages]
    empty = _entry(plan, scratch, idle)
    times = np.zeros((nstep, len(stages)))
    for k in range(nstep):
        for i, entry in enumerate(entries):
            start = perf_counter()
            empty()
            middle = perf_counter()
            entry()
            times[k, i] = perf_counter() - middle - (middle - start)
    # the median, because another process may take the processor away
    total = dict.fromkeys((stage.name for stage in stages), 0.0)
    for stage, time in zip(stages, np.median(times, axis=0), strict=True):
        total[stage.name] += max(float(time), 0.0) / width
    return total


def _entry(plan: "Plan", scratch: "Scratch", function: Any) -> Callable[[], Any]:
    """A stage with the records of a thread."""
    return call_of(function, plan.records, (scratch.model, scratch.data))
