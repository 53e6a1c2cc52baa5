"""Memory for the results of steps, which is used again once nobody else refers to it."""

from itertools import islice
from sys import getrefcount
from typing import Any

import numpy as np

from mjenv.engine.run.bytecode import Bytecode
from mjenv.engine.simd.result_objects import (
    CALLED,
    DICT,
    FLOAT,
    ITEM,
    TRUTH,
    WHOLE,
    WHOLE_REAL,
    Part,
    recipe,
)
from mjenv.tracing.task import TracedTask

# what a step of one world gives: observation, reward, terminated, infos
StepResult = tuple[np.ndarray, Any, bool, dict[str, Any]]
# the same with truncated before infos
EnvironmentStep = tuple[np.ndarray, Any, bool, bool, dict[str, Any]]
# what compiled code finds results by, in the order in which `Results.places` has it
PLACES = [
    ("has_results", "size"),
    ("nstate", "size"),
    ("nmask", "size"),
    ("nblock", "size"),
    ("reward", "f8"),
    ("terminated", "u1"),
    ("truncated", "u1"),
    ("block", "i8"),
    ("mask", "u1"),
    # where each info stands in the block of infos, in bytes, and what an environment has there
    ("info_start", "i8"),
    ("info_size", "i8"),
    ("byte", "u1"),
]
SLOT = 8  # bytes, for a number of any type
BLOCK, MASK = (k for k, (name, _) in enumerate(PLACES) if name in ("block", "mask"))


class Results:
    """Arrays for what bytecode writes in a step.

    Attributes:
        arrays: observations, rewards, terminations, then infos, (nworld, ...) each.
        truncations: (nworld,) bool.
        remembered: (nworld, size) the task's own arrays after the step; None if it has none.
        due: (nworld,) bool, where it draws some of them; None for nowhere.
        written: where the arrays lie, for the bytecode.
        places: sizes and addresses of `PLACES`.
        numbers: of one world, those infos that are numbers, in their order.
        named: infos by name.
        shared: whether observations lie in an array that callers keep.
        watched: all arrays that callers get, or parts of them.
        idle: how many refer to each of these while no caller does.
    """

    def __init__(
        self,
        traced: TracedTask,
        nworld: int,
        out: np.ndarray | None,
        bytecode: Bytecode,
    ):
        """Allocate the arrays.

        Args:
            traced: what is computed.
            nworld: number of worlds.
            out: where observations go; None for an array of their own.
            bytecode: what writes them.
        """
        results = traced.results
        # infos lie in one block: a number of each world in the order of infos, then what is longer
        pieces, room = [], SLOT * nworld * len(results[3:])
        for k, (_, shape, dtype) in enumerate(results[3:]):
            size = int(np.prod(shape)) * dtype.itemsize * nworld
            start = SLOT * nworld * k if shape == () else room
            pieces.append((start, start + size, dtype, (nworld, *shape)))
            if shape:
                room += -(-size // SLOT) * SLOT
        self._block = np.zeros(room, np.uint8)
        self._starts = np.array([start for start, *_ in pieces], np.int64)
        self._sizes = np.array([(end - start) // nworld for start, end, *_ in pieces], np.int64)
        self.numbers = self._block.view(np.float64)[: len(pieces)]
        infos = [self._block[a:b].view(dtype).reshape(shape) for a, b, dtype, shape in pieces]
        self.truncations = np.zeros(nworld, bool)
        self._own = [np.zeros(nworld), np.zeros(nworld, bool), *infos]
        # which worlds have each info, as Gymnasium reports it
        self._masks, self._nstate = np.ones((len(infos), nworld), bool), traced.nstate
        pairs = [one for pair in zip(infos, self._masks, strict=True) for one in pair]
        names = [f"{mark}{r.name}" for r in results[3:] for mark in ("", "_")]
        self._infos = dict(zip(names, pairs, strict=True))
        _, shape, dtype = results[0]
        self.named = dict(zip(names[::2], infos, strict=True))
        self.shared = out is not None
        self.arrays = [np.empty((nworld, *shape), dtype) if out is None else out, *self._own]
        # what only the worlds themselves take
        self.remembered = np.empty((nworld, traced.size)) if traced.size else None
        self.due = np.zeros(nworld, bool) if traced.draws else None
        inner = [array for array in (self.remembered, self.due) if array is not None]
        # inputs that the task makes of actions stay in the data
        inner += traced.controls
        self.written = bytecode.places([*self.arrays, *inner])
        lasting = (*self._own[:2], self.truncations, self._block, self._masks)
        lasting += (self._starts, self._sizes, self._block)
        sizes = (1, self._nstate, len(infos), room // SLOT)
        self.places = np.array([*sizes, *(a.ctypes.data for a in lasting)], np.int64)
        shared = [] if self.shared else self.arrays[:1]
        memory = (self._block, self._masks, self.truncations)
        self.watched = (*self._own, *self._infos.values(), *memory, *shared)
        self.idle: list[int] = []

    def infos(self, stepping: bool) -> dict[str, np.ndarray]:
        """Infos of a step by name, each with its mask.

        Args:
            stepping: whether any worlds have stepped; otherwise there are those of the state alone.
        """
        if not stepping:
            return dict(islice(self._infos.items(), 2 * self._nstate))
        return self._infos.copy()


class NumbersOfOne:
    """The results of the only world, as Python sees them."""

    def __init__(self, traced: TracedTask, results: Results):
        """Nothing is known of types yet.

        Args:
            traced: what is computed.
            results: of one world, which each step writes anew.
        """
        self.results, self.names = results, [info.name for info in traced.results[3:]]
        observation, reward, terminated, *self._infos = results.arrays
        self._observation = observation[0]
        # numbers are quicker to read through these
        self._reward, self._terminated = reward.data, terminated.data
        self._numbers = results.numbers
        self._kind: type = np.float64
        self._others: list[tuple[str, Any, Any]] = []

    def learn(self, reward: Any, info: dict[str, Any]) -> None:
        """Give values the types that numpy's have from now on."""
        self._kind = type(reward)
        self._others = []
        for name, array in zip(self.names, self._infos, strict=True):
            kind = type(info[name])
            if kind is np.ndarray:
                self._others.append((name, array[0], None))
            elif kind is not np.float64:
                self._others.append((name, array.data, kind))

    def recipe(self) -> tuple[np.ndarray, Any] | None:
        """How machine code makes what a step of the environment returns; None where it cannot."""
        _, reward, terminated, *infos = self.results.arrays
        kinds = {name: kind for name, _, kind in self._others}
        named: dict[str, Part] = {}
        first = _part(reward, self._kind)
        for name, info in zip(self.names, infos, strict=True):
            part = _part(info, kinds.get(name, np.float64))
            if part is None:
                return None
            named[name] = part
        if first is None:
            return None
        parts = [Part(CALLED, self._observation.copy), first]
        # truncated is what others may make of it
        parts += [Part(TRUTH, terminated), Part(TRUTH, np.zeros(1, bool))]
        parts += [Part(DICT, dict.fromkeys(self.names))]
        return recipe(parts, named)

    def take(self) -> StepResult:
        """Results of the last step."""
        # an argument more would take as long as a number
        info = dict(zip(self.names, self._numbers))  # noqa: B905
        for name, values, kind in self._others:
            info[name] = values.copy() if kind is None else kind(values[0])
        return self._observation.copy(), self._kind(self._reward[0]), self._terminated[0], info

    def take_state(self, count: int) -> tuple[np.ndarray, dict[str, Any]]:
        """Observation and the first infos, which belong to a state."""
        info = self.take()[3] if count else {}
        return self._observation.copy(), {name: info[name] for name in self.names[:count]}


def _part(values: np.ndarray, kind: type | None) -> Part | None:
    """How machine code makes a result of the only world, (1, ...); None where it cannot.

    Args:
        values: where it is.
        kind: its type; None for an array.
    """
    if kind is None:
        return Part(CALLED, values[0].copy)
    if values.ndim != 1:
        return None
    # numpy's own, or Python's of eight bytes
    if kind is values.dtype.type:
        return Part(ITEM, values)
    made = {
        (float, "f8"): FLOAT, (int, "f8"): WHOLE_REAL, (int, "i8"): WHOLE, (bool, "b1"): TRUTH,
    }.get((kind, values.dtype.str[1:]))  # fmt: skip
    return None if made is None else Part(made, values)


class ResultsPool:
    """Results of the last steps.

    In a loop that forgets the results of a step when it has those of the next, two are enough.
    """

    def __init__(self, traced: TracedTask, nworld: int, bytecode: Bytecode):
        self._traced, self._nworld, self._bytecode = traced, nworld, bytecode
        self._last: list[Results] = []

    def take(self, out: np.ndarray | None) -> Results:
        """Arrays for a step, observations in `out` if there is one."""
        for one in self._last:
            free = [*map(getrefcount, one.watched)] == one.idle
            if free and (out is None or one.arrays[0] is out):
                return one
        new = Results(self._traced, self._nworld, out, self._bytecode)
        # counted here, where its constructor refers to nothing any more
        new.idle = [*map(getrefcount, new.watched)]
        self._last = [*self._last[-1:], new]
        return new
