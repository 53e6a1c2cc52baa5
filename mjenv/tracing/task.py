"""A task's functions traced: the bytecode of its observations, rewards, ends and infos."""

import traceback
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mjenv.engine.data.requested_fields import INTEGERS
from mjenv.engine.run.bytecode import ANCHORS, Code
from mjenv.task.controls import action_size, has_control, inputs
from mjenv.task.task import Outcome, Task, total
from mjenv.task.task_state import StateView, TaskState
from mjenv.task.world_view import finder
from mjenv.tracing.arrays import (
    BOOL,
    DOUBLE,
    SINGLE,
    OtherWorldsError,
    Recording,
    Traced,
    TraceError,
)
from mjenv.tracing.assemble import Assignment, Store, assemble
from mjenv.tracing.dependencies import Dependencies, DependencyError
from mjenv.tracing.dry_run import refuse_changes
from mjenv.tracing.numpy_functions import constant

if TYPE_CHECKING:
    from mjenv.engine.data.data import Data

_TOP = Path(__file__).parents[1]
# folders of the framework, not of tasks
_OURS = {_TOP, *(_TOP / name for name in ("gym", "task", "stepping", "tracing"))}


class Result(NamedTuple):
    """An array of results.

    Attributes:
        name: name in infos; "" for observations, rewards and terminations.
        shape: shape in one world.
        dtype: type.
    """

    name: str
    shape: tuple[int, ...]
    dtype: np.dtype


class TracedTask(NamedTuple):
    """The bytecode of a task.

    The sections of the code are "before" and "after" a step, and "start" for the start of episodes.

    Attributes:
        code: the instructions.
        results: what they write: observations, rewards, terminations, then infos.
        nstate: number of infos that belong to a state, not to a step; they come first.
        size: of the task's own arrays after a step, (nworld, size) float64, whose place comes after
            the results; 0 if there are none.
        draws: whether the next place is for where it draws some of them, (nworld,) bool.
        controls: arrays of the data, (nworld, ...) float64, with inputs that the task makes of
            actions before a step; their places are the last.
        depends: what the bytecode depends on besides assigned parameters and options.
    """

    code: Code
    results: list[Result]
    nstate: int
    size: int
    draws: bool
    controls: list[np.ndarray]
    depends: Dependencies


class TracedData:
    """The data of one world, whose fields are traced arrays."""

    def __init__(self, recording: Recording, data: "Data", state: TaskState | None = None):
        vars(self).update(_recording=recording, _data=data, _model=data.model, model=data.model)
        if state is not None:
            vars(self)["state"] = StateView(state, self)

    def __getattr__(self, name: str) -> Any:
        found = finder(self, name)
        if found is not None:
            return found
        if name.startswith("_"):
            raise AttributeError(name)
        if name == "contact":
            raise TraceError(
                "found data.contact, whose rows are of other geoms in each world and step; sensors "
                "(touch, contact) tell the same to compiled tasks"
            )
        array = getattr(self._data, name)
        if not isinstance(array, np.ndarray) or self._data._arrays.get(name) is not array:
            raise TraceError(f"found data.{name}, expected a field of numbers")
        if name in self._data._lazy:
            raise TraceError(f"found data.{name}, which a single world computes when it is read")
        dtype = np.dtype(np.int32) if name in INTEGERS else DOUBLE
        return self._recording.field(name, array.shape[1:], dtype)

    def __setattr__(self, name: str, value: Any) -> None:
        raise TraceError(f"found an assignment to data.{name}, expected functions that only read")


def trace(task: Task, data: "Data", action: np.dtype, observation: np.dtype) -> TracedTask:
    """Trace a task's functions.

    Args:
        task: the task.
        data: the worlds that it is for.
        action: type of actions.
        observation: type of observations.

    Raises:
        TraceError: if the functions do what bytecode cannot do.
    """
    if action not in (SINGLE, DOUBLE):
        raise TraceError(f"actions: found type {action}, expected float32 or float64")
    traced = _follow(task, data, action, observation, False)
    # what counts calls or draws numbers is different the second time
    again = _follow(task, data, action, observation, True)
    if not _same(traced.code, again.code):
        raise TraceError(
            f"{type(task).__name__}: found functions that do something else when called again, "
            "expected results that depend on their arguments only"
        )
    return again


def _follow(
    task: Task, data: "Data", action: np.dtype, observation: np.dtype, again: bool
) -> TracedTask:
    """Trace a task's functions and what they depend on; what they change is put back."""
    depends = Dependencies(task)
    try:
        with depends.following():
            traced = _trace(task, data, action, observation, depends)
        depends.refuse_excess()
        refuse_changes("functions", depends, again)
    except Exception as error:
        depends.restore()
        if isinstance(error, DependencyError):
            raise TraceError(f"{type(task).__name__}: {error}") from error
        raise
    return traced


def _same(a: Code, b: Code) -> bool:
    constants = a.constants.tobytes() == b.constants.tobytes()
    return constants and np.array_equal(a.words, b.words) and a.results == b.results


def _trace(
    task: Task, data: "Data", action: np.dtype, observation: np.dtype, depends: Dependencies
) -> TracedTask:
    recording = Recording()
    writer, state = _Writer(recording), task._own_state if task._own_state.size else None
    recording.begin("before")
    asked = recording.field("bytecode_input", (action_size(task),), action)
    fields = TracedData(recording, data, state)
    remembered = _call(task, "before", fields)
    driven = writer.control(task, data, fields, asked) if has_control(task) else []

    # what a step gave, and what the task remembers of it
    recording.begin("after")
    fields = TracedData(recording, data, state)
    outcome = _call(task, "outcome", fields, asked, remembered)
    if not isinstance(outcome, Outcome) or not isinstance(outcome.reward, dict):
        raise TraceError(f"{type(task).__name__}.outcome: expected mjenv.Outcome(reward={{...}})")
    due = None
    if state is not None:
        own = writer.update(task, state, fields, _call(task, "update", fields, asked, remembered))
        due = _call(task, "due", fields)
    writer.observe(task, fields, observation)
    nstate = len(writer.results) - 3
    with _explained(task, "outcome"):
        writer.write(1, total(outcome), DOUBLE, ())
        writer.write(2, outcome.terminated, BOOL, ())
        step = {**(outcome.info or {}), **outcome.reward}
        for name, value in step.items():
            if any(result.name == name for result in writer.results):
                raise TraceError(
                    f"found {name!r} both in `info` and in `outcome`, expected different names"
                )
            writer.info(name, value)
    # behind the results of steps
    place = len(writer.results)
    if state is not None:
        writer.store(place, own, DOUBLE)
    if due is not None:
        with _explained(task, "due"):
            writer.store(place + 1, writer.ids(due, BOOL), BOOL)

    # inputs are written where the pack has them, and where the user does
    place = len({store.place for store in writer.stores})
    for k, one in enumerate(driven):
        writer.stores.append(Store("before", place + k, DOUBLE, one.ids))
    arrays = [getattr(data, one.field) for one in driven]

    recording.begin("start")
    writer.observe(task, TracedData(recording, data, state), observation)
    code = assemble(recording, writer.stores, driven)
    size, draws = task._own_state.size, due is not None
    return TracedTask(code, writer.results, nstate, size, draws, arrays, depends)


class _Writer:
    """Decides where results go."""

    def __init__(self, recording: Recording):
        self.stores: list[Store] = []
        self.results = [Result("", (), dtype) for dtype in (DOUBLE, DOUBLE, BOOL)]
        self._recording = recording
        self._named: dict[str, int] = {}

    def observe(self, task: Task, fields: TracedData, dtype: np.dtype) -> None:
        """Observation and info of a state."""
        parts = _call(task, "observation", fields)
        with _explained(task, "observation"):
            arrays = [self._traced(part) for part in parts.values()]
            ids = np.concatenate([array.ids for array in arrays], axis=-1)
            self._store(0, ids, ids.shape, dtype)
        infos = _call(task, "info", fields)
        with _explained(task, "info"):
            for name, value in infos.items():
                self.info(name, value)

    def update(
        self, task: Task, state: TaskState, fields: TracedData, given: dict[str, Any]
    ) -> np.ndarray:
        """Values (size,) of the task's own arrays; what comes next in this section reads them."""
        with _explained(task, "update"):
            given = state.values("update", given, ())
            parts = {name: state.part(state.own(fields.userdata), name) for name in state.names}
            parts.update(given)
            own = [self.ids(parts[name], DOUBLE, state.shape(name)) for name in state.names]
        known = fields.userdata.ids[: state.start]
        ids = np.concatenate([known, *(one.reshape(-1) for one in own)])
        self._recording.replace("userdata", ids)
        return ids[state.start :]

    def control(
        self, task: Task, data: "Data", fields: TracedData, action: Traced
    ) -> list[Assignment]:
        """Inputs that the task makes of an action, as the end of this section assigns them."""
        given = _call(task, "control", fields, action)
        with _explained(task, "control"):
            return [
                Assignment("before", name, self.ids(value, DOUBLE, value.shape).reshape(-1))
                for name, value in inputs(task, data, given, ()).items()
            ]

    def ids(self, value: Any, dtype: np.dtype, shape: tuple[int, ...] = ()) -> np.ndarray:
        """Numbers of values in a type, of a shape that they are spread to."""
        return np.broadcast_to(self._traced(value).astype(dtype).ids, shape)

    def store(self, place: int, ids: np.ndarray, dtype: np.dtype) -> None:
        """Values that go to a place behind the results."""
        section = next(reversed(self._recording.sections))
        self.stores.append(Store(section, place, dtype, ids.reshape(-1)))

    def info(self, name: str, value: Any) -> None:
        """An info of a state or of a step."""
        array = self._traced(value)
        if name not in self._named:
            self._named[name] = len(self.results)
            self.results.append(Result(name, (), array.dtype))
        self._store(self._named[name], array.ids, array.shape, array.dtype)

    def write(self, place: int, value: Any, dtype: np.dtype, shape: tuple[int, ...]) -> None:
        """Rewards or terminations."""
        array = self._traced(value).astype(dtype)
        if array.shape != shape:
            raise TraceError(f"found shape {array.shape} in each world, expected {shape}")
        self._store(place, array.ids, shape, dtype)

    def _traced(self, value: Any) -> Traced:
        if isinstance(value, Traced):
            return value
        array = np.asarray(value)
        if array.dtype.kind not in "fib":
            raise TraceError(f"found {value!r}, expected numbers")
        return constant(self._recording, array, array.shape)

    def _store(self, place: int, ids: np.ndarray, shape: tuple, dtype: np.dtype) -> None:
        if dtype not in ANCHORS:
            raise TraceError(f"found results of type {dtype}, expected {[*map(str, ANCHORS)]}")
        self.results[place] = Result(self.results[place].name, shape, dtype)
        self.store(place, ids, dtype)


def _call(task: Task, method: str, *arguments: Any) -> Any:
    with _explained(task, method):
        return getattr(task, method)(*arguments)


@contextmanager
def _explained(task: Task, method: str) -> Any:
    """Errors say in which function and line of a task they are."""
    where = f"{type(task).__name__}.{method}"
    try:
        yield
    except Exception as error:
        line = _line_of(error)
        found = str(error) if isinstance(error, TraceError) else f"{type(error).__name__}: {error}"
        kind = OtherWorldsError if isinstance(error, OtherWorldsError) else TraceError
        raise kind(f"{where}{line}: {found}") from error


def _line_of(error: BaseException) -> str:
    """The line of the user's code, if it is known."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [f for f in frames if Path(f.filename).parent not in _OURS and "numpy" not in f.filename]
    return f" ({Path(own[-1].filename).name}:{own[-1].lineno})" if own else ""
