"""Steps of environments: the same call again and again, looked up once."""

from functools import partial
from typing import Any

from .step import _run
from .threads import share


class Again:
    """Advances all worlds, or computes their forward dynamics, again and again."""

    def __init__(self, model, data, nstep: int, post: bool = False):
        """Look up nothing yet.

        Args:
            model: the model that the data were made for.
            data: worlds.
            nstep: number of steps, 0 for forward dynamics.
            post: also compute what `step` computes with it.
        """
        self._model, self._data, self._nstep, self._post = model, data, nstep, post
        self._plan, self._choice, self._program = data.plan, None, None
        self._short = False
        self._call: Any = None

    def __call__(self) -> None:
        """Run, after `Plan.refresh`."""
        data, program = self._data, self._program
        if (
            self._plan.choice is not self._choice
            or program.connected is not data.inputs_in_use
            or not program.all_worlds
        ):
            self._prepare()
        elif self._short:
            self._counter[0], self._steps[0] = 0, self._nstep
            if data.fresh:
                data.forget_late()
            self._call()
            return
        _run(self._model, data, self._nstep, None, self._post, "step")

    def _prepare(self) -> None:
        """Look up what the next calls need; this one takes the long way."""
        plan, data = self._plan, self._data
        program = plan.program(data.kept, self._post, self._nstep > 0)
        if program.connected is not data.inputs_in_use:
            data.connect(program)
        program.choose(None, data.nworld, plan.width)
        # what `Plan.execute` does besides
        more = plan.joins_tendons or plan.scene or plan.uses_items or plan.sleeps
        more = more or plan.varied or plan.hooks.functions or plan.has_hfields
        self._short = program.compiled and not more
        self._choice, self._program = plan.choice, program
        self._counter, self._steps = (
            memoryview(program.values[name]) for name in ("counter", "nstep")
        )
        if self._short:
            calls = [
                partial(plan.run, program.record.address, one.model.address, one.data.address)
                for one in plan.threads(min(data.nthread, program.npack))
            ]
            several = partial(share, lambda k: calls[k](), len(calls))
            self._call = calls[0] if len(calls) == 1 else several
