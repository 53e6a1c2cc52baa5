"""The bytecode of a task: traced, attached to its worlds, and made anew when parameters change."""

from typing import Any, NamedTuple

import numpy as np

from mjenv.engine.data.prepared_step import PreparedStep
from mjenv.engine.run.bytecode import Bytecode
from mjenv.engine.simd.kernel import interpreted
from mjenv.stepping.counting import Counting
from mjenv.stepping.simulation_batch import SimulationBatch
from mjenv.tracing.dependencies import Dependencies
from mjenv.tracing.task import OtherWorldsError, TracedTask, TraceError, trace


class CompiledFunctions(NamedTuple):
    """The bytecode of a task, for actions of one type.

    Attributes:
        traced: what they compute.
        bytecode: the same, attached to the worlds.
        memory: memory for results, and what else goes with them.
        advance: advances the worlds by a step of the environment.
    """

    traced: TracedTask
    bytecode: Bytecode
    memory: Any
    advance: PreparedStep


def differing(pairs: dict[str, tuple[Any, Any]]) -> str:
    """The first of pairs that are not of the same type, shape and bits, by name; "" for none."""
    for name, pair in pairs.items():
        one, other = map(np.asarray, pair)
        same = one.dtype == other.dtype and one.shape == other.shape
        if not same or one.tobytes() != other.tobytes():
            return name
    return ""


class Arrays(NamedTuple):
    """What a step gave, as arrays with a row for each world.

    Attributes:
        observations: (n, size).
        rewards: (n,).
        terminations: (n,) bool.
        due: (n,) bool, where the task draws values of its own arrays; None for nowhere.
        infos: of the state, then of the step, by name, (n, ...) each.
    """

    observations: np.ndarray
    rewards: np.ndarray
    terminations: np.ndarray
    due: np.ndarray | None
    infos: dict[str, np.ndarray]


def difference(mine: Arrays, theirs: Arrays, live: Any = slice(None)) -> str:
    """Name the results that are not of the same type, shape and bits in live rows; "" for none."""
    if [*mine.infos] != [*theirs.infos]:
        return "names of infos"
    pairs: dict[str, tuple[Any, Any]] = {
        "observations": (mine.observations, theirs.observations),
        "rewards": (mine.rewards, theirs.rewards),
        "terminations": (mine.terminations, theirs.terminations),
    }
    if mine.due is not None or theirs.due is not None:
        pairs["draws"] = mine.due, theirs.due
    for name, array in mine.infos.items():
        pairs[f"infos {name!r}"] = array, theirs.infos[name]
    return differing({name: (a[live], b[live]) for name, (a, b) in pairs.items()})


class CompiledTask:
    """Finds the bytecode of a task's functions, if they can be bytecode.

    Attributes:
        compiled: whether they run as bytecode.
        reason: why not, if they are to if they can.
    """

    # whether there are other worlds, which functions have to leave alone
    _has_other_worlds = False

    def __init__(
        self, worlds: SimulationBatch, counting: Counting, dtype: np.dtype, compiled: bool | None
    ):
        """Trace nothing yet.

        Args:
            worlds: the worlds.
            counting: takes in actions, and counts steps.
            dtype: type of observations.
            compiled: True for bytecode, False for numpy, None for bytecode where they can be.
        """
        self._worlds, self._dtype, self._asked = worlds, dtype, compiled
        self.counting: Any = counting
        self.compiled, self.reason = compiled is not False, None
        self._bytecode: dict[np.dtype, CompiledFunctions | None] = {}
        # what may change in place
        self._depends: list[Dependencies] = []
        self._revision, self._scalars = -1, None

    def _results_memory(self, traced: TracedTask, bytecode: Bytecode) -> Any:
        """Memory for results."""
        raise NotImplementedError

    def _bytecode_for(self, action: np.dtype) -> CompiledFunctions | None:
        """Bytecode for actions of a type, or None if there are none."""
        worlds = self._worlds
        plan = worlds.data.plan
        plan.refresh_idle()
        revision, scalars = worlds.task._revision, plan.last_scalars
        same = self._revision == revision and self._scalars is scalars
        if not same or (self._depends and not self._as_traced()):
            # parameters or options have changed
            self._revision, self._scalars = revision, scalars
            self._forget()
        if action not in self._bytecode:
            self._bytecode[action] = self._trace(action)
        found = self._bytecode[action]
        if found is not None and plan.bytecode is not found.bytecode:
            plan.set_bytecode(found.bytecode)
        return found

    def _as_traced(self) -> bool:
        """True if what can change in place is as it was when the functions were traced."""
        return all(depends.same() for depends in self._depends)

    def _forget(self) -> None:
        """Have the functions traced anew."""
        self._bytecode.clear()
        self._depends.clear()

    def _trace(self, action: np.dtype) -> CompiledFunctions | None:
        worlds = self._worlds
        try:
            if interpreted():
                raise TraceError("found NUMBA_DISABLE_JIT, expected compiled code")
            noisy = worlds.disturbances.observes
            dtype = np.dtype(np.float64) if noisy else self._dtype
            traced = trace(worlds.task, worlds.data, action, dtype)
        except TraceError as error:
            if action == np.float32:
                self._give_up(error)
            return None
        if traced.depends.any:
            self._depends.append(traced.depends)
        bytecode = Bytecode(worlds.data, traced.code, self.counting.action)
        memory = self._results_memory(traced, bytecode)
        return CompiledFunctions(traced, bytecode, memory, worlds.call(worlds.task.frame_skip))

    def _refuse(self, difference: str) -> None:
        """Go on with numpy, from which the bytecode differs, or say so where they are asked for."""
        self._give_up(
            TraceError(
                f"{type(self._worlds.task).__name__}: found {difference} that differ between numpy "
                "and bytecode, expected results that depend on arguments and parameters only"
            )
        )

    def _give_up(self, error: TraceError) -> None:
        """Go on with numpy, or raise the reason."""
        self.compiled, self.reason = False, str(error)
        self._worlds.data.plan.set_bytecode(None)
        if self._asked or (self._has_other_worlds and isinstance(error, OtherWorldsError)):
            raise error
