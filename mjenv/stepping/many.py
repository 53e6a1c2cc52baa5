"""A step of a task in many worlds: physics and the task's functions, plain or compiled."""

from typing import Any

import numpy as np

from mjenv.engine.data.prepared_step import PreparedStep
from mjenv.engine.run.formulas import Formulas
from mjenv.stepping.counting import Tally
from mjenv.stepping.episodes import Episodes
from mjenv.stepping.infos import Infos, masked, report
from mjenv.stepping.results import Results, ResultsPool
from mjenv.stepping.task_formulas import Compiled
from mjenv.stepping.worlds import Worlds
from mjenv.task import total
from mjenv.tracing.task import TracedTask, TraceError

NOWHERE = np.zeros(2)  # for observations that there are none of
FLOATS = (np.dtype(np.float32), np.dtype(np.float64))


class Step:
    """A step: what it is done with, and what it gave.

    Attributes:
        actions: (n, nu).
        some: (n,) numbers of the worlds; None for all.
        live: (n,) bool, the worlds that step; None for all.
        out: where observations go; None for a new array.
        stepping: whether any world steps.
        tally: what counts it; None for numpy.
        frames: (n, size) observations without noise.
        observations: (n, size) what policies see.
        rewards: (n,) float64.
        terminations: (n,) bool.
        state: infos of the state, (n, ...) each.
        named: infos of the step.
        truncations: (n,) bool.
        ended: (n,) bool, whose episodes are over; None if none is.
        owned: whether infos are new arrays with zeros for worlds that have not stepped.
        results: where formulas write, of all worlds.
        arrays: what these hold.
        again: what advances all worlds.
    """

    results: Results | None = None
    frames: Any = None
    observations: Any = None
    rewards: Any = None
    terminations: Any = None
    state: Any = None
    named: Any = None
    owned = False
    arrays: Any = None
    truncations: Any = None
    ended: Any = None
    again: Any = None

    def __init__(
        self,
        actions: np.ndarray,
        some: np.ndarray | None,
        live: np.ndarray | None,
        out: np.ndarray | None,
        stepping: bool = True,
        tally: Tally | None = None,
    ):
        """Have nothing but what a step is done with."""
        self.actions, self.some, self.live = actions, some, live
        self.out, self.stepping, self.tally = out, stepping, tally


class Starting:
    """Has formulas observe the states of new episodes, inside a `with` statement."""

    def __init__(self, formulas: Formulas | None):
        self._formulas = formulas

    def __enter__(self) -> None:
        if self._formulas is not None:
            self._formulas.choose(None, "start")

    def __exit__(self, *error: object) -> None:
        if self._formulas is not None:
            self._formulas.choose(None, None)


class Logic(Compiled):
    """Steps of a task, whose functions run as numpy over all worlds or as formulas in the engine.

    Attributes:
        compiled: whether they run as formulas.
        reason: why not, if they are to if they can.
    """

    def __init__(
        self,
        worlds: Worlds,
        episodes: Episodes,
        limit: int | None,
        dtype: np.dtype,
        compiled: bool | None = None,
    ):
        """Trace the task's functions, unless plain numpy is asked for.

        Args:
            worlds: the worlds.
            episodes: their episodes.
            limit: steps after which an episode is truncated; None for never.
            dtype: type of observations.
            compiled: True for formulas, False for numpy, None for formulas where they can be.

        Raises:
            TraceError: if formulas are asked for and the functions do what they cannot do.
        """
        self._episodes, self._limit = episodes, limit
        super().__init__(worlds, dtype, compiled)
        if self.compiled:
            self._formulas_for(np.dtype(np.float32))

    def _room(
        self, traced: TracedTask, formulas: Formulas
    ) -> tuple[ResultsPool, Tally, PreparedStep]:
        """Memory for results, and what counts and advances all worlds."""
        pool = ResultsPool(traced, self._worlds.data.nworld, formulas)
        worlds, task = self._worlds, self._worlds.task
        tally = Tally(worlds, self._episodes, traced, formulas, self._limit)
        self._final_pool = ResultsPool(traced, worlds.data.nworld, formulas)
        return pool, tally, PreparedStep(worlds.data, task.frame_skip, worlds.post)

    # steps

    def begin(self, actions: np.ndarray, some: np.ndarray | None, out: np.ndarray | None) -> Step:
        """Set controls and begin a step, before worlds start new episodes.

        Args:
            actions: (n, nu).
            some: (n,) numbers of the worlds; None for all.
            out: where observations go; None for a new array.

        Raises:
            ValueError: if the actions have the wrong shape or are not finite.
        """
        worlds = self._worlds
        # rows one after the other in memory: sums are taken in the same order for any number
        if some is None and self.compiled and not worlds.disturbances.active:
            step = self._begin_counted(actions, out)
            if step is not None:
                return step
        actions = np.ascontiguousarray(actions)
        ended = self._episodes.ended[slice(None) if some is None else some]
        live = ~ended if ended.any() else None
        worlds.set_control(actions, live, some)
        step = Step(actions, some, live, out, live is None or bool(live.any()))
        # formulas, if these are to compute the results
        found = self._formulas_for(actions.dtype) if self.compiled else None
        if found is None:
            return step
        _, formulas, (pool, *_) = found
        # memory for results
        results = pool.take(None if worlds.disturbances.observes else out)
        if live is not None or some is not None:
            # worlds that do not step have rewards of zero
            results.clear()
        if some is None:
            results.mark(live)
        step.results, step.arrays = results, results.arrays
        formulas.write_to(results.places)
        return step

    def _begin_counted(self, actions: np.ndarray, out: np.ndarray | None) -> Step | None:
        """Begin a step of all worlds that compiled code counts; None if that cannot be."""
        worlds = self._worlds
        # what compiled code can count
        if type(actions) is not np.ndarray or actions.dtype not in FLOATS:
            return None
        if actions.shape != worlds.action_shape:
            worlds.check_shape(actions)
        if worlds.unchecked:
            # numpy takes sums in the same order then
            actions = np.ascontiguousarray(actions)
        found = self._formulas_for(actions.dtype)
        if found is None:
            return None
        # set controls, find live worlds, clear the results of others
        pool, tally, again = found.room
        results = pool.take(out)
        nlive, bad = tally.begin(actions, results)
        live = None if nlive == len(actions) else tally.live
        if bad:
            worlds.refuse_not_finite(actions, live)
        step = Step(actions, None, live, out, nlive > 0, tally)
        step.results, step.arrays, step.again = results, results.arrays, again
        return step

    def _new_frames(self, count: int, out: np.ndarray | None) -> np.ndarray:
        """Where observations without noise go."""
        noisy = self._worlds.disturbances.observes
        if out is not None and not noisy and len(out) == count:
            return out
        size = sum(self._worlds.structure.values())
        return np.empty((count, size), np.float64 if noisy else self._dtype)

    def starting(self, step: Step) -> "Starting":
        """While episodes start, their observations become those of a step."""
        formulas = self._worlds.data.plan.formulas
        return Starting(None if step.arrays is None else formulas)

    def run(self, step: Step, mask: np.ndarray | None) -> None:
        """Advance worlds and find out what came of it.

        Args:
            step: the step that was begun.
            mask: bool (nworld,), the worlds that step; None for all.
        """
        if step.tally is None:
            step.actions = self._worlds.disturb(step.actions, step.live, step.some)
        elif not self._worlds.unchecked:
            self._run_counted(step, mask)
            return
        if step.arrays is None:
            self._run_plain(step, mask)
        elif self._worlds.unchecked:
            self._run_both(step, mask)
        else:
            self._run_compiled(step, mask)
        step.observations = step.frames
        if self._worlds.disturbances.observes:
            step.observations = self._see(step.frames, step.out, step.some)

    def _see(self, frames: np.ndarray, out: Any, some: np.ndarray | None) -> np.ndarray:
        """What policies see of observations without noise."""
        worlds = self._worlds
        if out is None or len(out) != len(frames):
            out = np.empty((len(frames), worlds.disturbances.size), self._dtype)
        return worlds.seen(frames, out, some)

    def _run_compiled(self, step: Step, mask: np.ndarray | None) -> None:
        worlds = self._worlds
        formulas = worlds.data.plan.formulas
        if step.tally is None:
            formulas.action[... if step.some is None else step.some] = step.actions
        formulas.choose("before", "after")
        try:
            if step.stepping:
                worlds.step(worlds.task.frame_skip, mask, step.tally is None)
        finally:
            formulas.choose(None, None)
        step.frames, step.rewards, step.terminations = step.arrays[:3]
        if step.some is not None:
            step.frames, step.rewards, step.terminations = (a[step.some] for a in step.arrays[:3])

    def _run_counted(self, step: Step, mask: np.ndarray | None) -> None:
        """Advance worlds with nothing else to do; the plan has been refreshed."""
        formulas = self._worlds.data.plan.formulas
        formulas.choose("before", "after")
        try:
            if step.stepping:
                step.again(None if mask is None else mask.nonzero()[0])
        finally:
            formulas.choose(None, None)
        step.frames, step.rewards, step.terminations = step.arrays[:3]
        step.observations = step.frames

    def finish(self, step: Step) -> np.ndarray | None:
        """Count a step in the episodes of its worlds.

        Returns:
            Which of all worlds have diverged: bool (nworld,), or None if there are none.
        """
        tally, results = step.tally, step.results
        if tally is None or results is None or step.arrays is not results.arrays:
            # also where the first step has shown that formulas give other results
            ended, step.truncations = self._episodes.pass_step(
                step.some, step.live, step.rewards, step.terminations, self._limit
            )
            step.ended = ended if ended.any() else None
            return self._worlds.diverged()
        nended, ndiverged = tally.end()
        step.truncations = results.truncations
        if nended:
            step.ended = self._episodes.ended.copy()
        return self._worlds.diverged() if ndiverged else None

    def name_infos(self, step: Step) -> None:
        """Fill in the infos of a step."""
        if step.state is None:
            traced = self._formulas[step.actions.dtype].traced  # type: ignore[union-attr]
            infos = step.arrays[3:]
            if step.some is not None:
                infos = [info[step.some] for info in infos]
            names = [result.name for result in traced.results[3:]]
            step.state = dict(zip(names[: traced.nstate], infos, strict=False))
            step.named = dict(zip(names[traced.nstate :], infos[traced.nstate :], strict=True))
            step.owned = True

    def report(self, step: Step, infos: Infos) -> None:
        """Report the infos of a step."""
        if step.results is not None and step.some is None:
            infos.update(step.results.infos(step.stepping))
            return
        self.name_infos(step)
        count = len(step.actions)
        report(infos, step.state, None, count, step.owned)
        report(infos, step.named, step.live, count, step.owned)

    def report_ends(self, step: Step, ended: np.ndarray, infos: Infos) -> Infos:
        """Report the infos of a step after which episodes start at once.

        Infos of the state are those of the new episodes, once these have started.

        Args:
            step: the step.
            ended: (n,) bool, whose episodes have ended in it.
            infos: where to report.

        Returns:
            The infos of the last states of these episodes.
        """
        results = step.results
        if step.tally is not None and step.live is None and results is not None:
            final = self._final_pool.take(NOWHERE)
            step.tally.split(results, final)
            infos.update(results.infos(not ended.all()))
            return final.infos(True)
        self.name_infos(step)
        final_info: Infos = {}
        report(final_info, {**step.state, **step.named}, ended, len(ended))
        return final_info

    def _run_plain(self, step: Step, mask: np.ndarray | None) -> None:
        worlds, task, some = self._worlds, self._worlds.task, step.some
        before = worlds.before(worlds.of(some))
        if step.stepping:
            worlds.step(task.frame_skip, mask)
        fields = worlds.of(some)
        self._evaluate(step, fields, before)

    def _evaluate(self, step: Step, fields: Any, before: Any) -> None:
        """What numpy makes of the state after a step."""
        worlds, live, count = self._worlds, step.live, len(step.actions)
        outcome = worlds.outcome(fields, step.actions, before)
        # rewards, and what ends episodes
        step.rewards = masked(total(outcome), count, live).astype(np.float64, copy=False)
        step.terminations = np.zeros(count, dtype=bool)
        reported = np.ones(count, dtype=bool) if live is None else live
        np.logical_and(outcome.terminated, reported, out=step.terminations)
        # infos and observations
        step.named = {**(outcome.info or {}), **outcome.reward}
        step.state = worlds.info(fields)
        step.frames = worlds.observation(self._new_frames(count, step.out), fields)

    def _run_both(self, step: Step, mask: np.ndarray | None) -> None:
        """The first step: numpy finds mistakes in the task, and formulas have to give its bits."""
        worlds, some = self._worlds, step.some
        # the step, by formulas
        before = worlds.before(worlds.of(some))
        self._run_compiled(step, mask)
        self.name_infos(step)
        # the same by numpy, from the state after it
        plain = Step(step.actions, some, step.live, None)
        self._evaluate(plain, worlds.of(some), before)
        difference = _difference(step, plain)
        # from now on numpy alone
        if difference:
            out = step.out
            step.__dict__.clear()
            step.__dict__.update(plain.__dict__, out=out)
            self._give_up(
                TraceError(
                    f"{type(worlds.task).__name__}: found {difference} that differ between numpy "
                    "and formulas, expected results that depend on arguments and parameters only"
                )
            )

    def restarted(self, step: Step, ended: np.ndarray, rows: np.ndarray, infos: Infos) -> None:
        """Observe again in rows whose worlds have started new episodes in this step."""
        self._observe_again(step, rows)
        if step.state is not None:
            report(infos, step.state, None, len(ended), step.owned)
            report(infos, step.named, ~ended, len(ended))

    def _observe_again(self, step: Step, rows: np.ndarray) -> None:
        worlds, some = self._worlds, step.some
        noisy = worlds.disturbances.observes
        begun = rows if some is None else some[rows]
        if step.arrays is not None and some is None:
            # formulas have run while the episodes started
            if noisy:
                step.observations[rows] = worlds.seen(step.frames[rows], None, begun)
            return
        step.observations[rows] = worlds.observe(fields=worlds.of(begun), some=begun)
        step.state = worlds.info(worlds.of(some))
        if step.owned:
            step.state = {n: masked(v, len(step.actions), None) for n, v in step.state.items()}


def _difference(a: Step, b: Step) -> str:
    """Which results of two steps are not of the same type, shape and bits; "" for none."""
    live = slice(None) if a.live is None else a.live
    pairs = {
        "observations": (a.frames[live], b.frames[live]),
        "rewards": (a.rewards, b.rewards),
        "terminations": (a.terminations, b.terminations),
    }
    if [*a.state, *a.named] != [*b.state, *b.named]:
        return "names of infos"
    for name, value in (b.state | b.named).items():
        mine = (a.state | a.named)[name]
        pairs[f"infos {name!r}"] = (mine[live], masked(value, len(mine), None)[live])
    for name, (mine, plain) in pairs.items():
        same = mine.dtype == plain.dtype and mine.shape == plain.shape
        if not same or mine.tobytes() != plain.tobytes():
            return name
    return ""
