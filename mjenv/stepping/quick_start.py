"""Starts of episodes in one call of compiled code: worlds are cleared and drawn, episodes begin.

In most steps of many worlds some episodes begin, each in a few of them. What Python does for that
takes longer than the work itself.
"""

import time
from typing import Any

import numpy as np

from mjenv.engine.data.chosen_worlds import CHOSEN_KIND, ChosenWorlds
from mjenv.engine.data.masked_reset import CLEARING_KIND, clear_rows
from mjenv.engine.run.in_use import refuse_busy
from mjenv.engine.simd.immediate import immediate_call_of
from mjenv.engine.simd.kernel import kernel
from mjenv.engine.simd.progress import progress
from mjenv.engine.simd.record import Layout, Record
from mjenv.stepping.episodes import Episodes, Generators
from mjenv.stepping.noise_reset import DRAWING_KIND, NoiseReset, draw_rows
from mjenv.stepping.simulation_batch import SimulationBatch

LAYOUT = Layout(
    "episodes",
    [
        ("elapsed", "i8"),
        ("returns", "f8"),
        ("begun", "f8"),
        ("ended", "u1"),
        ("unstarted", "u1"),
        ("fresh", "u1"),
        ("now", "f8"),  # s
    ],
)
KINDS = (CHOSEN_KIND, CLEARING_KIND, DRAWING_KIND, (LAYOUT, 0, False))


@kernel
def start_rows(w, c, s, e):
    """Begin episodes in some worlds: what `clear`, `draw` and `Episodes.start` do there.

    Args:
        w: the chosen worlds.
        c: what they are cleared to.
        s: what their states are drawn from.
        e: the episodes.
    """
    clear_rows(w, c)
    draw_rows(w, s)
    for k in range(w.nchosen):
        i = w.chosen[k]
        e.elapsed[i] = 0
        e.returns[i] = 0.0
        e.begun[i] = e.now[0]
        e.ended[i] = 0
        e.unstarted[i] = 0
        e.fresh[i] = 0


class QuickStart:
    """Begins episodes as a batch and its episodes would, where nothing else has to be done.

    Attributes:
        task, data: of the worlds.
        now: one number: when the next start is made (s).
    """

    def __init__(self, worlds: SimulationBatch, episodes: Episodes):
        """Bind nothing yet.

        Args:
            worlds: the worlds.
            episodes: their episodes.
        """
        self._worlds = worlds
        self.task, self.data = worlds.task, worlds.data
        # whether there is one world, which lives in the scratch
        self._is_one = worlds.nworld is None
        self._has_equalities = worlds.task.model.neq > 0
        self._chosen = ChosenWorlds(episodes.num_envs)
        self.record = record = Record(LAYOUT)
        for name in ("elapsed", "returns", "begun"):
            record.set_array(name, getattr(episodes, name))
        for name in ("ended", "unstarted", "fresh"):
            record.set_array(name, getattr(episodes, name).view(np.uint8))
        record.set_array("now", np.zeros(1))
        self.now: Any = record.arrays["now"].data
        # what has to be as it was when the call was bound
        self._known: tuple[Any, ...] = ()
        self._run: Any = None
        self._drawing: Any = None

    def start(self, worlds: np.ndarray, generators: Generators) -> bool:
        """Begin episodes, whose states are still to be followed by forward dynamics.

        Args:
            worlds: indices, each once.
            generators: those of all worlds.

        Returns:
            Whether compiled code could do so; if not, nothing has been done.

        Raises:
            DataInUse: another call is working on the data.
        """
        data, one = self.data, self._is_one
        if len(worlds) >= data.nworld and not one:
            return False
        plan = data.plan
        plan.refresh_idle()
        # no other call from here on, see engine/run/in_use.py
        if plan.idle:
            plan.idle = False
        else:
            refuse_busy(plan, "reset")
        try:
            # what the call depends on besides the task: the model, and the arrays that there are
            known = plan.followed, data.reset_of_one() if one else data.masked_reset()
            if self._has_equalities:
                # which no kernel reads, so that no edit of them is followed
                known += (data.model.eq_active0.tobytes(),)
            if known != self._known:
                self._known = known
                self._run = self._bound(worlds)
            if self._run is None or not self._draws(generators):
                return False
            self._chosen.enter(worlds)
            self.now[0] = time.perf_counter()
            self._run()
            if data.fresh:
                data.forget_lazy()
        finally:
            plan.idle = True
        return True

    @property
    def bound(self) -> Any:
        """The call that starts what was started last; None if it asks for more than its arrays."""
        return None if self._has_equalities else self._run

    @property
    def drawn(self) -> dict[str, Any]:
        """Arrays that states are drawn from, and into which, by name."""
        return self._drawing.record.arrays

    def _draws(self, generators: Generators) -> bool:
        """True if compiled code draws all states, from what it is told now."""
        drawing: NoiseReset = self._drawing
        draws = drawing.enter(generators)
        return draws and drawing.draws_all and drawing.reads_live

    def _bound(self, worlds: np.ndarray) -> Any:
        """The call, if it does all there is to do."""
        batch, task = self._worlds, self.task
        more = batch.disturbances.active or batch.state is not None or batch.initial.last.asked
        if more or task._reset_with_physics is not None or task.varies:
            return None
        clearing = self._known[1]
        drawing = batch.initial.noise_reset(self.data)
        if not clearing.possible:
            return None
        clearing.refill(self.data, worlds)
        self._drawing = drawing
        records = (self._chosen.record, clearing.record, drawing.record, self.record)
        run = immediate_call_of(start_rows, KINDS, records)
        progress.done()
        return run
