"""A start of the only environment's episode that repeats the last one, with little done in Python.

As in a step (quick_step.py), what Python does takes longer than the work: the world is cleared and
its state is drawn in one call of compiled code (quick_start.py), and followed by forward dynamics
in another.
"""

import time
from typing import Any

from mjenv.engine.run.execution import fail_or_warn
from mjenv.engine.run.in_use import refuse_busy
from mjenv.stepping.quick_start import QuickStart
from mjenv.stepping.single_stepper import CompiledStep, SingleStepper


class QuickRestart:
    """Begins an episode as the last one, as long as nothing else has changed."""

    def __init__(self, start: QuickStart, stepper: SingleStepper, last: CompiledStep, forward: Any):
        """Bind what the start that was just made has called.

        Args:
            start: clears the world, and draws its state.
            stepper: knows whether steps are still compiled ones.
            last: the compiled steps that have begun the episode.
            forward: the prepared call of forward dynamics, which has run.
        """
        self._stepper, self._last = stepper, last
        self._task: Any = start.task
        self._data = start.data
        # attributes of the data, which take longer to look up where `__getattr__` is
        self._own, self._plan = vars(self._data), self._data.plan
        self._program, self._bytecode = forward.program, last.bytecode
        self._start, self._now, self._drawn = start.bound, start.now, start.drawn
        # memory that is cleared
        self._public, self._narray = self._plan.scratch[0].public, len(self._own["_arrays"])
        self._known: tuple[Any, ...] = ()

    def note(self, generator: Any) -> bool:
        """Note what has to be as it is now.

        Args:
            generator: what states are drawn from.

        Returns:
            False if such a start has more to do.
        """
        self._known = self._seen(generator)
        return self._same_arrays() and not self._plan.stepless_contexts

    def _seen(self, generator: Any) -> tuple[Any, ...]:
        """What may be another object, or number, in the next start."""
        plan, task = self._plan, self._task
        return (
            plan.followed, plan.choice, plan.last_scalars, plan.bytecode, self._stepper.last,
            self._own["inputs_in_use"], task._revision, type(task).reset, task.reset_noise_scale,
            generator,
        )  # fmt: skip

    def _same_arrays(self) -> bool:
        """True if what is cleared and drawn is where task and data have it."""
        drawn, task, own = self._drawn, self._task, self._own
        return (
            self._plan.scratch[0].public is self._public
            and len(own["_arrays"]) == self._narray
            and own["qpos"] is drawn["qpos"]
            and own["qvel"] is drawn["qvel"]
            and task.init_qpos is drawn["init_qpos"]
            and task.init_qvel is drawn["init_qvel"]
        )

    def run(self, generator: Any) -> tuple[Any, dict[str, Any]] | None:
        """Begin an episode.

        Args:
            generator: what its state is drawn from.

        Returns:
            Observation and infos; None if something has changed: nothing has been done then.

        Raises:
            DataInUse: another call is working on the data.
        """
        plan, program, bytecode = self._plan, self._program, self._bytecode
        plan.refresh_idle()
        known = self._seen(generator) == self._known and program.nstep == 0
        if not (known and self._same_arrays() and self._last.depends_on_same()):
            return None
        # no other call from here on, see engine/run/in_use.py
        if plan.idle:
            plan.idle = False
        else:
            refuse_busy(plan, "reset")
        try:
            self._now[0] = time.perf_counter()
            self._start()
            if self._own["fresh"]:
                self._data.forget_lazy()
            # forward dynamics, with the observation
            bytecode.choose(None, "start")
            program.counter[0] = 0
            program.run()
            if plan.failed or program.warned[0]:
                fail_or_warn(plan, self._data, program)
        finally:
            bytecode.choose("before", "after")
            plan.idle = True
        return self._last.begun()


def quick_restart(
    start: QuickStart, stepper: SingleStepper, forward: Any, generator: Any
) -> QuickRestart | None:
    """What repeats the start that has just been made.

    Args:
        start, stepper, forward: see `QuickRestart`.
        generator: what its state was drawn from.

    Returns:
        None where other things have to be done besides.
    """
    last = stepper.last
    if last is None or start.bound is None or not last.valid():
        return None
    found = QuickRestart(start, stepper, last, forward)
    return found if found.note(generator) else None
