"""Steps of a task in many worlds: physics and the task's functions, as numpy or as bytecode."""

from typing import Any, NamedTuple

import numpy as np

from mjenv.engine.run.bytecode import Bytecode
from mjenv.stepping.compiled_task import Arrays, CompiledTask, difference, differing
from mjenv.stepping.counting import Counting
from mjenv.stepping.episodes import Episodes
from mjenv.stepping.infos import Infos, masked, report
from mjenv.stepping.results import ResultsPool
from mjenv.stepping.simulation_batch import SimulationBatch
from mjenv.tracing.task import TracedTask

NOWHERE = np.zeros(2)  # for observations that there are none of


class Step:
    """A step: what it is done with, and what it gave.

    Attributes:
        actions: (n, size).
        some: (n,) numbers of the worlds; None for all.
        live: (n,) bool, the worlds that step; None for all.
        out: where observations go; None for a new array.
        found: the bytecode that it was begun with; None if numpy computes the results.
        results: where bytecode writes, of all worlds.
        frames: (n, size) observations without noise.
        observations: (n, size) what policies see.
        rewards: (n,) float64.
        terminations: (n,) bool.
        truncations: (n,) bool.
        ended: (n,) bool, whose episodes are over; None if none is.
        state: infos of the state, (n, ...) each; None where they lie in the results.
        named: infos of the step.
        owned: whether infos are new arrays with zeros for worlds that have not stepped.
        due: (n,) bool, where the task draws values of its own arrays; None for nowhere.
        steps: whether any world steps.
        nwild: how many rewards are not finite.
    """

    # what a step has that has given nothing yet; objects of a million steps are made quickly so
    found: Any = None
    results: Any = None
    frames: Any = None
    observations: Any = None
    rewards: Any = None
    terminations: Any = None
    truncations: Any = None
    ended: np.ndarray | None = None
    state: Any = None
    named: Any = None
    owned = False
    due: Any = None
    steps = True
    nwild = 0

    def __init__(
        self, actions: np.ndarray, some: np.ndarray | None, live: np.ndarray | None, out: Any
    ):
        self.actions, self.some, self.live, self.out = actions, some, live, out

    def take(self, other: "Step") -> None:
        """Give what another one gave."""
        self.found = self.results = None
        for name in ("frames", "rewards", "terminations", "state", "named", "owned", "due"):
            setattr(self, name, getattr(other, name))


class Pools(NamedTuple):
    """Memory for the results of steps, and for infos of the last states of episodes."""

    results: ResultsPool
    final: ResultsPool


class ObservedStart:
    """Has bytecode observe the states of new episodes, inside a `with` statement."""

    def __init__(self, bytecode: Bytecode | None):
        self._bytecode = bytecode

    def __enter__(self) -> None:
        if self._bytecode is not None:
            self._bytecode.choose(None, "start")

    def __exit__(self, *error: object) -> None:
        if self._bytecode is not None:
            self._bytecode.choose(None, None)


class BatchStepper(CompiledTask):
    """Steps of a task, whose functions run as numpy over all worlds or as bytecode in the engine.

    Attributes:
        compiled: whether they run as bytecode.
        reason: why not, if they are to if they can.
    """

    _has_other_worlds = True

    def __init__(
        self,
        worlds: SimulationBatch,
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
            compiled: True for bytecode, False for numpy, None for bytecode where they can be.

        Raises:
            TraceError: if bytecode is asked for and the functions do what they cannot do, or
                if they add up worlds.
        """
        self._episodes = episodes
        super().__init__(worlds, Counting(worlds, episodes, limit), dtype, compiled)
        if self.compiled:
            self._bytecode_for(np.dtype(np.float32))

    def _results_memory(self, traced: TracedTask, bytecode: Bytecode) -> Pools:
        """Memory for results."""
        nworld = self._worlds.data.nworld
        return Pools(*(ResultsPool(traced, nworld, bytecode) for _ in Pools._fields))

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
        actions = np.ascontiguousarray(actions)
        if some is not None or actions.shape != worlds.action_shape or actions.dtype.kind != "f":
            worlds.check_shape(actions, some)
        # memory for results, if bytecode is to compute them
        found, results = self._bytecode_for(actions.dtype) if self.compiled else None, None
        if found is not None:
            results = found.memory.results.take(None if worlds.disturbances.observes else out)
            found.bytecode.write_to(results.written)
        # controls
        live, nlive, bad = self.counting.begin(actions, some, results)
        if bad:
            worlds.refuse_not_finite(actions, live, some)
        step = Step(actions, some, live, out)
        step.found, step.results, step.steps = found, results, nlive > 0
        return step

    def _new_frames(self, count: int, out: np.ndarray | None) -> np.ndarray:
        """Array for observations without noise."""
        noisy = self._worlds.disturbances.observes
        if out is not None and not noisy and len(out) == count:
            return out
        size = sum(self._worlds.structure.values())
        return np.empty((count, size), np.float64 if noisy else self._dtype)

    def starting(self, step: Step) -> "ObservedStart":
        """While episodes start, their observations become those of a step."""
        bytecode = self._worlds.data.plan.bytecode
        return ObservedStart(None if step.results is None else bytecode)

    def run(self, step: Step, mask: np.ndarray | None) -> None:
        """Advance worlds and find out what came of it.

        Args:
            step: the step that was begun.
            mask: bool (nworld,), the worlds that step; None for all.
        """
        worlds = self._worlds
        if worlds.disturbances.active:
            step.actions = worlds.disturb(step.actions, step.live, step.some)
        if step.results is None:
            self._run_numpy(step, mask)
        elif worlds.unchecked:
            self._run_and_verify(step, mask)
        else:
            self._run_bytecode(step, mask)
        if step.due is not None:
            self._draw(step)
        step.observations = step.frames
        if worlds.disturbances.observes:
            step.observations = self._see(step.frames, step.out, step.some)

    def _see(self, frames: np.ndarray, out: Any, some: np.ndarray | None) -> np.ndarray:
        """Observations as policies see them, from those without noise."""
        worlds = self._worlds
        if out is None or len(out) != len(frames):
            out = np.empty((len(frames), worlds.disturbances.size), self._dtype)
        return worlds.seen(frames, out, some)

    def _run_bytecode(self, step: Step, mask: np.ndarray | None) -> None:
        """Advance worlds, whose plan was refreshed when the step was begun."""
        worlds, some = self._worlds, step.some
        bytecode = worlds.data.plan.bytecode
        if worlds.disturbances.active:
            self.counting.action[... if some is None else some] = step.actions
        bytecode.choose("before", "after")
        try:
            if step.steps:
                step.found.advance(None if mask is None else mask.nonzero()[0])
        finally:
            bytecode.choose(None, None)
        if step.steps and worlds.disturbances.active:
            worlds.disturbances.stepped(mask)
        results: Any = step.results
        arrays, due = results.arrays[:3], results.due
        if results.remembered is not None:
            self._worlds.state.take(worlds.data.userdata, results.remembered, some, step.live)
        if some is not None:
            arrays = [array[some] for array in arrays]
            due = None if due is None else due[some]
        step.frames, step.rewards, step.terminations = arrays
        step.due = due

    def _draw(self, step: Step) -> None:
        """Draw values of the task's own arrays where that is due, and observe again there."""
        due = step.due if step.live is None else step.due & step.live
        rows = np.flatnonzero(due)
        if not len(rows):
            return
        worlds, ids = self._worlds, rows if step.some is None else step.some[rows]
        worlds.draw(self._episodes.streams_of(ids.tolist()), ids)
        fields = worlds.of(ids)
        step.frames[rows] = worlds.observation(fields=fields)
        infos = worlds.info(fields)
        if step.state is None:
            traced = step.found.traced
            names = [result.name for result in traced.results[3 : 3 + traced.nstate]]
            arrays = step.results.arrays[3:]
            for name, array in zip(names, arrays, strict=False):
                array[ids] = infos[name]
        else:
            step.state = {**step.state}
            for name, value in infos.items():
                step.state[name] = np.array(step.state[name])
                step.state[name][rows] = value

    def finish(self, step: Step) -> np.ndarray | None:
        """Count a step in the episodes of its worlds.

        Returns:
            Which of all worlds have diverged: bool (nworld,), or None if there are none.
        """
        results = step.results if step.some is None else None
        step.truncations, nended, ndiverged, step.nwild = self.counting.end(
            step.rewards, step.terminations, results
        )
        if nended:
            ended = self._episodes.ended
            step.ended = ended.copy() if step.some is None else ended[step.some]
        if not ndiverged:
            return None
        diverged = self._worlds.diverged()
        if self._worlds.task.terminate_when_diverged:
            self._clear_terms(step, diverged)
        return diverged

    def _clear_terms(self, step: Step, worlds: Any) -> None:
        """Report rewards of 0, term by term, for worlds that have diverged: bool (nworld,)."""
        terms = self._worlds.reward_terms
        if step.results is not None:
            results = step.found.traced.results[3:]
            for (name, *_), array in zip(results, step.results.arrays[3:], strict=True):
                if name in terms:
                    array[worlds] = 0.0
        if step.named is not None:
            here = ~(worlds if step.some is None else worlds[step.some])
            cleared = {name: masked(step.named[name], len(here), here) for name in terms}
            step.named = {**step.named, **cleared}

    def refuse_rewards(self, step: Step) -> None:
        """Name the term of a reward that is not finite.

        Raises:
            NonFiniteError: always, as some are not.
        """
        self.name_infos(step)
        self._worlds.refuse_rewards(step.rewards, step.named, step.some)

    def name_infos(self, step: Step) -> None:
        """Fill in the infos of a step."""
        if step.state is None:
            traced = step.found.traced
            infos = step.results.arrays[3:]
            if step.some is not None:
                infos = [info[step.some] for info in infos]
            names = [result.name for result in traced.results[3:]]
            step.state = dict(zip(names[: traced.nstate], infos, strict=False))
            step.named = dict(zip(names[traced.nstate :], infos[traced.nstate :], strict=True))
            step.owned = True

    def report(self, step: Step, infos: Infos) -> None:
        """Report the infos of a step."""
        if step.results is not None and step.some is None:
            infos.update(step.results.infos(step.steps))
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
        if results is not None and step.some is None and step.live is None:
            final = step.found.memory.final.take(NOWHERE)
            self.counting.split(results, final)
            infos.update(results.infos(not ended.all()))
            return final.infos(True)
        self.name_infos(step)
        final_info: Infos = {}
        report(final_info, {**step.state, **step.named}, ended, len(ended))
        return final_info

    def _run_numpy(self, step: Step, mask: np.ndarray | None) -> None:
        worlds = self._worlds
        before = worlds.before(worlds.of(step.some))
        if step.steps:
            if worlds.drives:
                worlds.drive(worlds.controls(step.actions, step.some), step.some, step.live)
            worlds.step(worlds.task.frame_skip, mask)
        self._evaluate(step, before)

    def _evaluate(self, step: Step, before: Any) -> None:
        """Evaluate the state after a step with numpy."""
        worlds, live, count = self._worlds, step.live, len(step.actions)
        found = worlds.evaluate(step.actions, before, step.some, live)
        # arrays of their own, without gaps, in which they are counted
        rewards = worlds.rows(found.reward, count, live)
        step.rewards = np.ascontiguousarray(rewards, np.float64)
        step.terminations = np.zeros(count, dtype=bool)
        reported = np.ones(count, dtype=bool) if live is None else live
        np.logical_and(found.terminated, reported, out=step.terminations)
        # infos, what is drawn next, and observations
        step.state, step.named, step.due = found.state, found.named, found.due
        step.frames = worlds.observation(self._new_frames(count, step.out), found.fields)

    def _run_and_verify(self, step: Step, mask: np.ndarray | None) -> None:
        """The first step: numpy finds mistakes in the task, and bytecode has to give its bits."""
        worlds, some = self._worlds, step.some
        # the step, by bytecode
        before = worlds.before(worlds.of(some))
        known = worlds.data.userdata.copy()
        driven = worlds.controls(step.actions, some) if worlds.drives and step.steps else {}
        self._run_bytecode(step, mask)
        worlds.refuse_driven(driven, some, step.live)
        self.name_infos(step)
        # the same by numpy, from the state after it
        plain = Step(step.actions, some, step.live, None)
        remembered = worlds.data.userdata.copy()
        worlds.data.userdata[:] = known
        self._evaluate(plain, before)
        live = slice(None) if step.live is None else step.live
        found = difference(self._arrays(step), self._arrays(plain), live)
        found = found or differing({"states": (remembered, worlds.data.userdata)})
        # from now on numpy alone
        if found:
            step.take(plain)
            self._refuse(found)

    def _arrays(self, step: Step) -> Arrays:
        """What a step gave, with a row for each world."""
        infos = {**step.state, **step.named}
        infos = {name: self._worlds.rows(value, len(step.actions)) for name, value in infos.items()}
        return Arrays(step.frames, step.rewards, step.terminations, step.due, infos)

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
        if step.results is not None and some is None:
            # bytecode has run while the episodes started
            if noisy:
                step.observations[rows] = worlds.seen(step.frames[rows], None, begun)
            return
        step.observations[rows] = worlds.observe(fields=worlds.of(begun), some=begun)
        step.state = worlds.info(worlds.of(some))
        if step.owned:
            step.state = {n: masked(v, len(step.actions), None) for n, v in step.state.items()}
