"""Steps of the single environment whose task runs as bytecode in the engine."""

from typing import Any

import numpy as np

from mjenv.engine.run.bytecode import Bytecode
from mjenv.stepping.compiled_task import (
    Arrays,
    CompiledFunctions,
    CompiledTask,
    difference,
    differing,
)
from mjenv.stepping.counting import DIVERGED, CountingOne
from mjenv.stepping.episodes import Episodes
from mjenv.stepping.quick_step import QuickStep, quick_step
from mjenv.stepping.results import EnvironmentStep, NumbersOfOne, Results, StepResult
from mjenv.stepping.simulation_batch import SimulationBatch
from mjenv.tracing.task import TracedTask

_PATIENCE = 8  # how often bytecode is made as soon as parameters last for one step


class CompiledStep:
    """Steps of a task for actions of one type.

    Attributes:
        bytecode: what runs with the physics.
        verified: whether a step has had the bits of numpy.
        draws: whether the task may draw values of its own arrays after a step.
    """

    def __init__(self, stepper: "SingleStepper", found: CompiledFunctions, dtype: np.dtype):
        self._worlds = worlds = stepper._worlds
        self._stepper = stepper
        self._counting: CountingOne = stepper.counting
        self._task, self._plan = worlds.task, worlds.data.plan
        self.bytecode, self._numbers = found.bytecode, found.memory
        self._results: Results = found.memory.results
        self._places = self._results.places
        self._keeps_nothing = self._results.remembered is None
        self._dtype, self._nstate = dtype, found.traced.nstate
        self._revision, self._scalars = self._task._revision, self._plan.last_scalars
        depends = found.traced.depends
        self._depends = depends if depends.any else None
        self._advance = found.advance
        self.verified, self.draws = False, found.traced.draws
        # what repeats a step, and for which choice of stages that was asked for
        self._quick: QuickStep | None = None
        self._asked: Any = None
        self.bytecode.write_to(self._results.written)

    def valid(self, dtype: np.dtype | None = None) -> bool:
        """True if the bytecode is that of the present parameters and options.

        Args:
            dtype: type of the next action; None if there is none.
        """
        plan = self._plan
        plan.refresh_idle()
        return (
            self._revision == self._task._revision
            and self._scalars is plan.last_scalars
            and plan.bytecode is self.bytecode
            and self.depends_on_same()
            and (dtype is None or dtype is self._dtype)
        )

    def depends_on_same(self) -> bool:
        """True if what may change in place, and the functions depend on, is as it was."""
        return self._depends is None or self._depends.same()

    def attach(self, starts: bool = False) -> None:
        """Have the bytecode run with the physics: of steps, or of the start of an episode."""
        if starts:
            self.bytecode.choose(None, "start")
        else:
            self.bytecode.choose("before", "after")

    def step(self, action: np.ndarray) -> StepResult:
        """Advance the world by one step.

        Args:
            action: (nu,).

        Raises:
            ValueError: if the action has the wrong shape or is not finite.
        """
        counting, results = self._counting, self._results
        counting.set_control(action, self._places)
        if self._worlds.drives:
            # numpy may have done so in the last step
            self.attach()
        # physics with the bytecode, and what these give
        self._advance()
        quick = self._quick
        if self._asked is not self._plan.choice or (quick is not None and quick.is_old):
            self._asked = self._plan.choice
            self._quick = quick_step(self._advance, counting, self._numbers, self._dtype)
        if results.remembered is not None:
            self._worlds.state.take(self._worlds.data.userdata, results.remembered, None, None)
        if counting.count():
            return counting.given_up(self._numbers.take())
        return self._numbers.take()

    def step_again(self, action: Any) -> EnvironmentStep | None:
        """The same, at once, where nothing else has changed since the last step.

        Args:
            action: (nu,), or whatever else was given.

        Returns:
            All that a step of the environment returns; None where nothing was done.
        """
        quick = self._quick
        same = (
            quick is not None
            and self._stepper.last is self
            and self._task._revision == self._revision
            and self._counting.written is self._places
            and (self._depends is None or self._depends.same())
        )
        if not same:
            return None
        given = quick.run(action)
        # the usual case
        if given and self._keeps_nothing:
            return given
        return self._finish(given)

    def _finish(self, given: Any) -> EnvironmentStep | None:
        """What is left to do after `QuickStep.run`, which has returned something."""
        if given is False:
            return None
        results, counting = self._results, self._counting
        if results.remembered is not None:
            self._worlds.state.take(self._worlds.data.userdata, results.remembered, None, None)
        if given is None:
            found = self._numbers.take()
            if counting.counts[DIVERGED]:
                found = counting.given_up(found)
            observation, reward, terminated, info = found
            given = observation, reward, terminated, False, info
        return given

    def begun(self) -> tuple[np.ndarray, dict[str, Any]]:
        """Observation and infos of the state that forward dynamics was computed of."""
        return self._numbers.take_state(self._nstate)

    def verify(self, given: StepResult, due: bool) -> str:
        """Compare what numpy has made of a step with what bytecode has.

        Args:
            given: observation, reward, terminated, info.
            due: whether the task draws values of its own arrays.

        Returns:
            What differs; "" for nothing.
        """
        observation, reward, terminated, info = given
        results, rows = self._results, self._worlds.rows
        infos = {name: rows(value, 1) for name, value in info.items()}
        ends = np.array([reward], np.float64), np.array([terminated])
        draws = np.array([due]) if results.due is not None else None
        frames, rewards, terminations = results.arrays[:3]
        mine = Arrays(frames, rewards, terminations, results.due, results.named)
        found = difference(mine, Arrays(observation[None], *ends, draws, infos))
        # arrays of the task's own are compared too
        if not found and results.remembered is not None:
            own = self._worlds.state.own(self._worlds.data.userdata)
            found = differing({"states": (results.remembered, own)})
        # this step becomes the pattern of types
        self.verified = not found
        if self.verified:
            self._numbers.learn(reward, info)
        return found

    @property
    def due(self) -> bool:
        """True if the task draws values of its own arrays after the last step."""
        return self._results.due is not None and bool(self._results.due[0])


class SingleStepper(CompiledTask):
    """Finds out when the steps of a single environment can be compiled ones.

    Bytecode are made in the first step whose parameters and options are those of the step before,
    and compared with numpy in that step. Where parameters change often, more steps have to pass.

    Attributes:
        last: compiled steps as of the last step, if it was one.
    """

    def __init__(self, worlds: SimulationBatch, episodes: Episodes, compiled: bool | None):
        """Trace the task's functions if it is asked for.

        Args:
            worlds: the world.
            episodes: its episode.
            compiled: True for bytecode, False for numpy, None for bytecode where they can be.

        Raises:
            TraceError: if bytecode is asked for and the functions do what they cannot do.
        """
        counting = CountingOne(worlds, episodes)
        super().__init__(worlds, counting, np.dtype(np.float64), compiled)
        self._compiled_step: dict[np.dtype, CompiledStep] = {}
        self._last: tuple[int, Any] = (-1, None)
        self._unchanged, self._ntrace = 0, 0
        self.last: CompiledStep | None = None
        self._traced = False
        if compiled:
            self.find()

    def _results_memory(self, traced: TracedTask, bytecode: Bytecode) -> NumbersOfOne:
        return NumbersOfOne(traced, Results(traced, 1, None, bytecode))

    def find(self) -> bool:
        """True if there is bytecode; it is made if nobody has asked yet."""
        if self.compiled and not self._traced:
            self._traced = True
            self._bytecode_for(np.dtype(np.float32))
        return self.compiled

    def detach(self) -> None:
        """Have no bytecode run with the next steps, which numpy makes the inputs of."""
        bytecode = self._worlds.data.plan.bytecode
        if bytecode is not None:
            bytecode.choose(None, None)
        self.last = None

    def compiled_step(self, action: np.ndarray) -> CompiledStep | None:
        """Steps for actions such as this one, or None if they have to be plain."""
        self.last = None
        if not self.compiled:
            return None
        compiled_step = self._compiled_step.get(action.dtype)
        if compiled_step is None or not compiled_step.valid(action.dtype):
            compiled_step = self._find(action.dtype)
        if compiled_step is not None and compiled_step.verified:
            self.last = compiled_step
        return compiled_step

    def _find(self, dtype: np.dtype) -> CompiledStep | None:
        """Make bytecode, if it may last for a while."""
        plan = self._worlds.data.plan
        plan.refresh_idle()
        revision, scalars = self._worlds.task._revision, plan.last_scalars
        same = revision == self._last[0] and scalars is self._last[1] and self._as_traced()
        if not same:
            self._forget()
        self._last = revision, scalars
        self._unchanged = self._unchanged + 1 if same else 0
        if self._unchanged < 2 ** max(0, self._ntrace - _PATIENCE) or not self.find():
            return None
        found = self._bytecode_for(dtype)
        if found is None:
            return None
        compiled_step = self._compiled_step.get(dtype)
        if compiled_step is None or compiled_step.bytecode is not found.bytecode:
            self._ntrace += 1
            compiled_step = self._compiled_step[dtype] = CompiledStep(self, found, dtype)
        compiled_step.attach()
        return compiled_step

    def verify(self, compiled_step: CompiledStep, given: StepResult, due: bool) -> None:
        """Compare the step that numpy has computed with bytecode; go on with numpy if they differ.

        Raises:
            TraceError: if bytecode is asked for.
        """
        found = compiled_step.verify(given, due)
        if found:
            self._compiled_step.clear()
            self.last = None
            self._refuse(found)
