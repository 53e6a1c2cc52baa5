"""A step of an environment of its own that repeats the last one, with little done in Python.

Between two calls of the engine, the host's code and data have left the processor's caches: what a
step does in Python costs more than it seems to.
"""

from typing import Any

import numpy as np

from mjenv.engine.model.model import Edits
from mjenv.engine.run.execution import fail_or_warn
from mjenv.engine.run.in_use import refuse_busy
from mjenv.engine.run.prepared_program import model_memory
from mjenv.engine.run.spans import COLUMNS
from mjenv.engine.simd.object_code import is_known
from mjenv.stepping.counting import TAKERS, CountingOne


class QuickStep:
    """A step as the last one, as long as nothing else has changed than arrays of the data."""

    def __init__(self, advance: Any, counting: CountingOne, dtype: np.dtype, memory: tuple):
        """Bind what is called; see `quick_step`."""
        self._data, self._program = advance.data, advance.program
        self._plan, self._counting = self._data.plan, counting
        self._choice, self._nstep = self._plan.choice, self._program.nstep
        # what is compared
        spans, self._keep = memory
        record = counting.record
        record.set_size("nspan", spans.nspan)
        for name in COLUMNS:
            record.set_array(name, spans.arrays[name])
        self._refused = record.arrays["refused"]
        # the actions that are taken
        self._begin = counting.taker(dtype)

    @property
    def is_old(self) -> bool:
        """True if the last action was taken, but refused: another one may know the model."""
        return bool(self._refused[0])

    def run(self, action: Any) -> bool:
        """Advance the world, and count the step.

        Args:
            action: (nu,) of the type of the last one, or whatever else was given.

        Returns:
            False where something has changed: nothing has been done then but to set controls.

        Raises:
            DataInUse: another call is working on the data.
        """
        data, plan, program = self._data, self._plan, self._program
        # what others may have changed: models, options, hooks, inputs looked at, another call
        same = (
            Edits.last is plan.seen
            and plan.choice is self._choice
            and program.connected is data.inputs_in_use
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
            # the action, and the memory of the model
            if self._begin(action) is not None:
                return False
            if data.fresh:
                data.forget_lazy()
            # physics with the bytecode, as `execute` runs it
            program.counter[0] = 0
            try:
                program.run()
            except BaseException as error:
                plan.threads(1)[0].stop(error)
            if plan.failed or program.warned[0]:
                fail_or_warn(plan, data, program)
        finally:
            plan.idle = True
        # in the episode
        self._counting.end_one()
        return True


def quick_step(advance: Any, counting: CountingOne, dtype: np.dtype) -> QuickStep | None:
    """What repeats the step that has just been made.

    Args:
        advance: what has advanced the world, `PreparedStep`.
        counting: takes in the action, and counts the step.
        dtype: type of actions.

    Returns:
        None where other things have to be done besides.
    """
    plan, program = advance.data.plan, advance.program
    plain = program.all_worlds and not (plan.varied or plan.contexts)
    memory = model_memory(plan) if plain and is_known() and dtype in TAKERS else None
    return QuickStep(advance, counting, dtype, memory) if memory else None
