"""Steps of environments: the same call again and again, looked up once."""

from functools import partial
from typing import Any

from .enums import INT_RK4
from .scratch import refuse_excess
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
        self._short = self._items = self._moves = False
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
            if self._items:
                self._call_with_items()
            else:
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
        more = plan.joins_tendons or plan.scene or plan.sleeps
        more = more or (plan.uses_items and not plan.keeps_pack)
        more = more or plan.varied or plan.hooks.functions or plan.has_hfields
        self._short = program.compiled and not more
        self._choice, self._program = plan.choice, program
        self._counter, self._steps = (
            memoryview(program.values[name]) for name in ("counter", "nstep")
        )
        if self._short:
            self._scratch = plan.threads(min(data.nthread, program.npack))
            calls = [
                partial(plan.run, program.record.address, one.model.address, one.data.address)
                for one in self._scratch
            ]
            several = partial(share, lambda k: calls[k](), len(calls))
            self._call = calls[0] if len(calls) == 1 else several
            self._items = plan.uses_items
            copies = data.copy_of_state() if self._items else {}
            self._state = {name: copy for name, copy in copies.items() if copy.size}
            self._moves = self._nstep and plan.model.opt.integrator == INT_RK4

    def _call_with_items(self) -> None:
        """Run, for solvers that may need more room; the state is put back where there is none."""
        (scratch,), arrays = self._scratch, self._data._arrays
        scratch.save = self._data.copy_of_state
        if self._moves:
            for name, copy in self._state.items():
                copy[...] = arrays[name]
            scratch.saved = self._state
        self._call()
        if scratch.error is not None or scratch.excess:
            refuse_excess(self._scratch, self._plan.sizes, self._data.put_back)
        scratch.saved, scratch.save = None, dict
