"""A step of an environment of its own that repeats the last one, with little done in Python.

Between two calls of the engine, the host's code and data have left the processor's caches: what a
step does in Python costs more than it seems to. So one built-in function takes the action, advances
the world, counts the step, and makes the objects that the environment returns.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from mjenv.engine.model.model import Edits
from mjenv.engine.run.driver import run_packs
from mjenv.engine.run.execution import fail_or_warn, keep_state, run_in_contexts
from mjenv.engine.run.in_use import refuse_busy
from mjenv.engine.run.prepared_program import model_memory
from mjenv.engine.run.program import PLAN_KIND
from mjenv.engine.run.spans import COLUMNS
from mjenv.engine.simd.builtin import builtin
from mjenv.engine.simd.kernel import kernel
from mjenv.engine.simd.object_code import is_known
from mjenv.engine.simd.progress import progress
from mjenv.stepping.counting import (
    DIVERGED,
    KINDS,
    WILD,
    CountingOne,
    begin_double,
    begin_single,
    end_step,
    not_taken,
)
from mjenv.stepping.results import NumbersOfOne


@kernel
def step_single(plan, m, d, t):
    """A step under an action of single precision."""
    begin_single(t)
    run_and_count(plan, m, d, t)


@kernel
def step_double(plan, m, d, t):
    """A step under an action of double precision."""
    begin_double(t)
    run_and_count(plan, m, d, t)


@kernel
def run_and_count(plan, m, d, t):
    """Advance the only world and count the step, unless it was refused when it began."""
    if t.refused[0] == 0:
        plan.counter[0] = 0
        run_packs(plan, m, d)
        end_step(t)
        t.told[0] = 1 if t.found[DIVERGED] + t.found[WILD] != 0 else 0


STEPS: dict[Any, Callable[..., Any]] = {
    np.dtype(np.float32): step_single,
    np.dtype(np.float64): step_double,
}


class QuickStep:
    """A step as the last one, as long as nothing else has changed than arrays of the data."""

    def __init__(
        self,
        advance: Any,
        counting: CountingOne,
        numbers: NumbersOfOne,
        dtype: np.dtype,
        memory: tuple,
    ):
        """Bind what is called; see `quick_step`."""
        self._data, self._program = advance.data, advance.program
        # attributes of the data, which take longer to look up where `__getattr__` is
        self._own = vars(self._data)
        self._plan = plan = self._data.plan
        self._choice, self._nstep = plan.choice, self._program.nstep
        self._contexts = plan.contexts
        # what is compared
        spans, self._keep = memory
        record = counting.record
        record.set_size("nspan", spans.nspan)
        for name in COLUMNS:
            record.set_array(name, spans.arrays[name])
        self._refused = record.arrays["refused"]
        # the step; without a recipe Python is told of every one
        function, objects = STEPS[dtype], numbers.recipe()
        first = plan.threads(1)[0]
        self._step = builtin(
            not_taken, (__name__, function.__name__), function,
            (PLAN_KIND, *plan.records, *KINDS),
            [self._program.record, first.model, first.data, record],
            [counting.argument(dtype)],
            releases=self._program.run is not self._program.brief, objects=objects,
        )  # fmt: skip
        progress.done()

    @property
    def is_old(self) -> bool:
        """True if the last action was taken, but refused: another one may know the model."""
        return bool(self._refused[0])

    def run(self, action: Any) -> Any:
        """Advance the world, and count the step.

        Args:
            action: (nu,) of the type of the last one, or whatever else was given.

        Returns:
            All that a step of the environment returns. None where it was made, but the world has
            diverged, the reward is not finite, or Python has to make the results. False where
            something has changed: nothing has been done then but to set controls.

        Raises:
            DataInUse: another call is working on the data.
        """
        own, plan, program = self._own, self._plan, self._program
        # what others may have changed: models, options, hooks, inputs looked at, another call
        same = (
            Edits.last is plan.seen
            and plan.choice is self._choice
            and program.connected is own["inputs_in_use"]
            and program.nstep == self._nstep
            and program.all_worlds
        )
        if not same:
            return False
        # no other call from here on, see engine/run/in_use.py
        if plan.idle:
            plan.idle = False
        else:
            refuse_busy(plan, "step")
        try:
            if own["fresh"]:
                self._data.forget_lazy()
            # physics with the bytecode, as `execute` runs it
            if self._contexts:
                run = partial(self._step, action)
                given = run_in_contexts(plan, self._data, program, self._contexts, run)
            else:
                given = self._step(action)
            if plan.failed or program.warned[0]:
                fail_or_warn(plan, self._data, program)
        finally:
            plan.idle = True
        return given


def quick_step(
    advance: Any, counting: CountingOne, numbers: NumbersOfOne, dtype: np.dtype
) -> QuickStep | None:
    """What repeats the step that has just been made.

    Args:
        advance: what has advanced the world, `PreparedStep`.
        counting: takes in the action, and counts the step.
        numbers: what it gives.
        dtype: type of actions.

    Returns:
        None where other things have to be done besides.
    """
    plan, program = advance.data.plan, advance.program
    plain = program.all_worlds and not plan.varied and {*plan.contexts} <= {keep_state}
    # calls that take no time to speak of, in which Python is not called
    short = program.run in (program.brief, program.short) and plan.driver is run_packs
    watched = plan.hooks.functions or plan.plugins.in_python
    known = is_known() and dtype in STEPS
    memory = model_memory(plan) if plain and short and not watched and known else None
    return QuickStep(advance, counting, numbers, dtype, memory) if memory else None
