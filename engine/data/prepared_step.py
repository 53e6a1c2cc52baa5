"""Steps of environments: the same call again and again, looked up once."""

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from ..enums import INT_RK4
from ..run.scratch import raise_shortage
from ..run.simulation_warnings import tell
from ..simd.threads import share
from .step import _run

if TYPE_CHECKING:
    from ..model.model import Model
    from ..run.program import Program
    from .data import Data


class Again:
    """Advances worlds, or computes their forward dynamics, again and again."""

    def __init__(self, model: "Model", data: "Data", nstep: int, post: bool = False):
        """Look up nothing yet.

        Args:
            model: the model that the data were made for.
            data: worlds.
            nstep: number of steps, 0 for forward dynamics.
            post: also compute what `step` computes with it.
        """
        self._model, self._data, self._nstep, self._post = model, data, nstep, post
        self._plan, self._choice = data.plan, None
        self._program: Program | Any = None
        self._short = self._items = self._moves = False
        self._calls: list[Any] = []

    def __call__(self, worlds: np.ndarray | None = None) -> None:
        """Run, after `Plan.refresh`.

        Args:
            worlds: indices, one or more; None for all.
        """
        data, program = self._data, self._program
        if self._plan.choice is not self._choice or program.connected is not data.inputs_in_use:
            self._prepare()
        elif self._short:
            if worlds is not None or not program.all_worlds:
                program.choose(worlds, data.nworld, self._plan.width)
            self._counter[0], self._steps[0] = 0, self._nstep
            if data.fresh:
                data.forget_late()
            if self._items:
                self._call_with_items()
            elif program.npack == 1 or len(self._calls) == 1:
                self._calls[0]()
            else:
                share(self._call, min(len(self._calls), program.npack))
            if program.warned[0]:
                tell(data, program)
            return
        mask = None
        if worlds is not None:
            mask = np.zeros(data.nworld, bool)
            mask[worlds] = True
        _run(self._model, data, self._nstep, mask, self._post, "step")

    def _call(self, k: int) -> None:
        """Take part in a call as thread k."""
        self._calls[k]()

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
        self._counter, self._steps = (program.values[name].data for name in ("counter", "nstep"))
        if self._short:
            self._scratch = plan.threads(min(data.nthread, program.npack))
            self._calls = [
                partial(plan.run, program.record.address, one.model.address, one.data.address)
                for one in self._scratch
            ]
            self._items = plan.uses_items
            copies = data.copy_of_state() if self._items else {}
            self._state = {name: copy for name, copy in copies.items() if copy.size}
            moving = program.npack > 1 or plan.model.opt.integrator == INT_RK4
            self._moves = self._nstep and moving

    def _call_with_items(self) -> None:
        """Run, for solvers that may need more room; the state is put back where there is none."""
        (scratch,), arrays = self._scratch, self._data._arrays
        scratch.save = self._data.copy_of_state
        if self._moves:
            for name, copy in self._state.items():
                copy[...] = arrays[name]
            scratch.saved = self._state
        self._calls[0]()
        if scratch.error is not None or scratch.excess:
            raise_shortage(self._scratch, self._data.put_back)
        scratch.saved, scratch.save = None, dict
