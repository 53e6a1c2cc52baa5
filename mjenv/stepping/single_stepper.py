"""Steps of the single environment whose task runs as bytecode in the engine."""

from typing import Any

import numpy as np

from mjenv.engine.run.bytecode import Bytecode
from mjenv.engine.tables.enums import COUNT_WARNED
from mjenv.stepping.compiled_task import CompiledFunctions, CompiledTask, differing
from mjenv.stepping.simulation_batch import SimulationBatch
from mjenv.tracing.task import TracedTask

_PATIENCE = 8  # how often bytecode is made as soon as parameters last for one step
# what a step gives: observation, reward, terminated, infos
StepResult = tuple[np.ndarray, Any, bool, dict[str, Any]]


class SingleResults:
    """Memory for the results of a step of one world, and their values as Python sees them.

    Attributes:
        arrays: observation, reward, termination, then infos, (1, ...) each.
        names: of the infos.
        remembered: (1, size) the task's own arrays after a step; None if it has none.
        due: (1,) bool, whether it draws some of them; None for never.
    """

    def __init__(self, traced: TracedTask, bytecode: Bytecode):
        """Allocate the arrays."""
        infos = traced.results[3:]
        self.names = [info.name for info in infos]
        _, shape, dtype = traced.results[0]
        # infos that are float64 lie one after the other
        self._numbers = np.zeros(len(infos))
        numbers = [self._numbers[i : i + 1] for i in range(len(infos))]
        self.arrays = [np.zeros((1, *shape), dtype), np.zeros(1), np.zeros(1, bool)]
        for (_, shape, dtype), number in zip(infos, numbers, strict=True):
            single = shape == () and dtype == np.float64
            self.arrays.append(number if single else np.zeros((1, *shape), dtype))
        self._observation = self.arrays[0][0]
        # what only the world itself takes
        self.remembered = np.zeros((1, traced.size)) if traced.size else None
        self.due = np.zeros(1, bool) if traced.draws else None
        inner = [array for array in (self.remembered, self.due) if array is not None]
        # numbers are quicker to read through these
        self._reward, self._terminated = self.arrays[1].data, self.arrays[2].data
        self._kind: type = np.float64
        self._others: list[tuple[str, Any, Any]] = []
        self.places = bytecode.places([*self.arrays, *inner])

    def learn(self, reward: Any, info: dict[str, Any]) -> None:
        """Give values the types that numpy's have from now on."""
        self._kind = type(reward)
        self._others = []
        for name, array in zip(self.names, self.arrays[3:], strict=True):
            kind = type(info[name])
            if kind is np.ndarray:
                self._others.append((name, array[0], None))
            elif kind is not np.float64:
                self._others.append((name, array.data, kind))

    def take(self) -> StepResult:
        """Results of the last step."""
        info = dict(zip(self.names, self._numbers, strict=False))
        for name, values, kind in self._others:
            info[name] = values.copy() if kind is None else kind(values[0])
        return self._observation.copy(), self._kind(self._reward[0]), self._terminated[0], info

    def take_state(self, count: int) -> tuple[np.ndarray, dict[str, Any]]:
        """Observation and the first infos, which belong to a state."""
        info = self.take()[3] if count else {}
        return self._observation.copy(), {name: info[name] for name in self.names[:count]}


class CompiledStep:
    """Steps of a task for actions of one type.

    Attributes:
        bytecode: what runs with the physics.
        verified: whether a step has had the bits of numpy.
        draws: whether the task may draw values of its own arrays after a step.
    """

    def __init__(self, worlds: SimulationBatch, found: CompiledFunctions, dtype: np.dtype):
        task, data = worlds.task, worlds.data
        self._worlds, self._task, self._plan = worlds, task, data.plan
        self.bytecode, self._results = found.bytecode, found.memory
        self._dtype, self._nstate = dtype, found.traced.nstate
        self._revision, self._scalars = task._revision, data.plan.last_scalars
        depends = found.traced.depends
        self._depends = depends if depends.any else None
        self._advance = found.advance
        self._count = data.plan.threads(1)[0].data.arrays["count"].data
        self.verified, self.draws = False, found.traced.draws
        self.bytecode.write_to(self._results.places)

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
            and (self._depends is None or self._depends.same())
            and (dtype is None or dtype is self._dtype)
        )

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
        worlds = self._worlds
        worlds.set_control(action)
        # physics with the bytecode, and what these give
        self._advance()
        results = self._results
        given = results.take()
        if results.remembered is not None:
            self._worlds.state.take(self._worlds.data.userdata, results.remembered, None, None)
        if self._count[COUNT_WARNED] and worlds.diverged() is not None:
            given[3]["diverged"] = True
            return worlds.given_up(given)
        return given

    def begun(self) -> tuple[np.ndarray, dict[str, Any]]:
        """Observation and infos of the state that forward dynamics was computed of."""
        return self._results.take_state(self._nstate)

    def verify(self, given: StepResult) -> str:
        """Compare what numpy has made of a step with what bytecode has.

        Returns:
            What differs; "" for nothing.
        """
        # infos by name: bytecode has a place for each
        observation, reward, terminated, info = given
        info = {name: value for name, value in info.items() if name != "diverged"}
        results = self._results
        if list(info) != results.names:
            return "names of infos"
        # this step becomes the pattern of types and shapes, then each number is compared
        results.learn(reward, info)
        mine = results.take()
        pairs = {
            "observations": (mine[0], observation),
            "rewards": (mine[1], reward),
            "terminations": (mine[2], terminated),
        }
        pairs.update((f"infos {name!r}", (mine[3][name], info[name])) for name in info)
        difference = differing(pairs)
        # arrays of the task's own are compared too
        if not difference and results.remembered is not None:
            own = self._worlds.state.own(self._worlds.data.userdata)
            difference = differing({"states": (results.remembered, own)})
        self.verified = not difference
        return difference

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

    def __init__(self, worlds: SimulationBatch, compiled: bool | None):
        """Trace the task's functions if it is asked for.

        Args:
            worlds: the world.
            compiled: True for bytecode, False for numpy, None for bytecode where they can be.

        Raises:
            TraceError: if bytecode is asked for and the functions do what they cannot do.
        """
        super().__init__(worlds, np.dtype(np.float64), compiled)
        self._compiled_step: dict[np.dtype, CompiledStep] = {}
        self._last: tuple[int, Any] = (-1, None)
        self._unchanged, self._ntrace = 0, 0
        self.last: CompiledStep | None = None
        self._traced = False
        if compiled:
            self.find()

    def _actions(self) -> Any:
        # without disturbances, controls are what was asked for
        return self._worlds.data.ctrl

    def _results_memory(self, traced: TracedTask, bytecode: Bytecode) -> SingleResults:
        return SingleResults(traced, bytecode)

    def find(self) -> bool:
        """True if there is bytecode; it is made if nobody has asked yet."""
        if self.compiled and not self._traced:
            self._traced = True
            self._bytecode_for(np.dtype(np.float32))
        return self.compiled

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
            compiled_step = self._compiled_step[dtype] = CompiledStep(self._worlds, found, dtype)
        compiled_step.attach()
        return compiled_step

    def verify(self, compiled_step: CompiledStep, given: StepResult) -> None:
        """Compare the step that numpy has computed with bytecode; go on with numpy if they differ.

        Raises:
            TraceError: if bytecode is asked for.
        """
        difference = compiled_step.verify(given)
        if difference:
            self._compiled_step.clear()
            self.last = None
            self._refuse(difference)
