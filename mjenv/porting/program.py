"""A followed step as a program: its operations run with numpy over all worlds at once.

Values are the rows of one table, with a column for each world, so that an operation is a function
of numpy on contiguous rows. Sums are taken in the order in which numpy takes them in one world, so
that a world's numbers are those of the environment's own code.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from mjenv.engine.bytecode import functions, opcodes
from mjenv.porting.following import Followed
from mjenv.porting.symbols import Symbol, has_symbols

_BINARY: dict[int, Callable] = {
    opcodes.ADD: np.add,
    opcodes.SUBTRACT: np.subtract,
    opcodes.MULTIPLY: np.multiply,
    opcodes.DIVIDE: np.divide,
    opcodes.MAXIMUM: np.maximum,
    opcodes.MINIMUM: np.minimum,
    opcodes.LESS: np.less,
    opcodes.LESS_EQUAL: np.less_equal,
    opcodes.EQUAL: np.equal,
    opcodes.NOT_EQUAL: np.not_equal,
    opcodes.LOGICAL_AND: np.logical_and,
    opcodes.LOGICAL_OR: np.logical_or,
}
_UNARY: dict[int, Callable] = {
    opcodes.NEGATIVE: np.negative,
    opcodes.ABSOLUTE: np.absolute,
    opcodes.SQRT: np.sqrt,
    opcodes.FLOOR: np.floor,
    opcodes.RINT: np.rint,
    opcodes.LOGICAL_NOT: np.logical_not,
    opcodes.ISFINITE: np.isfinite,
    opcodes.ISNAN: np.isnan,
    opcodes.SINGLE: lambda x: x.astype(np.float32),
    opcodes.COPY: np.positive,
}
_REDUCED: dict[int, Callable] = {
    opcodes.ALL: np.logical_and.reduce,
    opcodes.ANY: np.logical_or.reduce,
    opcodes.MAX: np.maximum.reduce,
    opcodes.MIN: np.minimum.reduce,
}


class Output(NamedTuple):
    """An array of results.

    Attributes:
        places: rows of the table, one for each element.
        shape: in one world.
        dtype: its type.
    """

    places: np.ndarray
    shape: tuple[int, ...]
    dtype: np.dtype

    def of(self, table: np.ndarray) -> np.ndarray:
        """The results of all worlds, (nworld, *shape)."""
        rows = table[self.places]
        return np.ascontiguousarray(rows.T).reshape(-1, *self.shape).astype(self.dtype, copy=False)


class Load(NamedTuple):
    """Rows that are read from a field: `table[rows] = field[:, columns].T`."""

    field: str
    rows: slice
    columns: slice


class Program:
    """Computations of a step between calls of the physics.

    Attributes:
        followed: what it was made of.
        loads: for each section, what it reads.
        observation: results by the keys of dicts that lead to them, as `Output`s or constants.
        info, attributes: likewise, by name.
        reward, terminated, truncated, raised: likewise.
        writes: for each section, what it writes into fields.
    """

    def __init__(self, followed: Followed):
        """Leave out what nobody needs.

        Args:
            followed: the step.
        """
        self.followed = followed
        recording = followed.recording
        self._nconstant = len(recording.constants)
        self._size = self._nconstant + recording.nvalue
        self._constants = np.asarray(recording.constants, np.float64)
        self.writes = [
            {name: self._output(value) for name, value in call.writes.items()}
            for call in followed.calls
        ]
        named = leaves(followed.observation)
        self.observation = {name: self._output(value) for name, value in named.items()}
        self.info = {n: self._output(v) for n, v in followed.info.items() if _is_numeric(v)}
        self.left_out = [n for n in followed.info if n not in self.info]
        self.reward, self.terminated, self.truncated, self.raised = map(
            self._output,
            (followed.reward, followed.terminated, followed.truncated, followed.raised),
        )
        attributes = {n: self._output(v) for n, v in followed.attributes.items()}
        needed = self._needed({n: o for n, o in attributes.items() if isinstance(o, Output)})
        self._code = [
            [self._operation(one) for one in recording.sections[str(k)] if one.target in needed]
            for k in range(len(followed.calls))
        ]
        self.loads = [self._loads(str(k), needed) for k in range(len(followed.calls))]
        read = {load.field for loads in self.loads for load in loads}
        # what no step reads need not be remembered
        self.attributes = {n: o for n, o in attributes.items() if n in read}
        self.slots = [slot for slot in followed.slots if slot.field in read]

    @property
    def fields(self) -> tuple[str, ...]:
        """Fields of the data that are read."""
        names = {load.field for loads in self.loads for load in loads}
        return tuple(sorted(n for n in names if not n.startswith(("self", "@", "model."))))

    @property
    def noperation(self) -> int:
        """Number of operations."""
        return sum(map(len, self._code))

    def _output(self, value: Any) -> Any:
        """Results, or what is the same for all worlds."""
        if isinstance(value, list | tuple) and has_symbols(value):
            from mjenv.porting.following import original_recording
            from mjenv.porting.symbols import as_symbol

            value = as_symbol(original_recording(value), value)
        if not isinstance(value, Symbol):
            return value
        return Output(self._places(value.ids.reshape(-1)), value.shape, value.dtype)

    def _places(self, ids: np.ndarray) -> np.ndarray:
        """Rows of values: constants come first."""
        return np.where(ids < 0, -1 - ids, ids + self._nconstant)

    def _outputs(self) -> Iterator[Output]:
        for group in (*self.writes, self.observation, self.info):
            yield from (one for one in group.values() if isinstance(one, Output))
        for one in (self.reward, self.terminated, self.truncated, self.raised):
            if isinstance(one, Output):
                yield one

    def _needed(self, attributes: dict[str, Output]) -> set[int]:
        """First values of the operations that results need; of attributes, those that are read."""
        recording = self.followed.recording
        code = [one for k in range(len(self.followed.calls)) for one in recording.sections[str(k)]]
        wanted = np.zeros(self._size, bool)
        for output in self._outputs():
            wanted[output.places] = True
        loads = {name: (first, size) for _, name, first, size in recording.loads}
        done: set[str] = set()
        while True:
            needed = set()
            for one in reversed(code):
                target, count = one.target + self._nconstant, _count(one)
                # results that are rounded are computed in place
                if wanted[target : target + count].any():
                    needed.add(one.target)
                    for ids in one.operands:
                        wanted[self._places(ids.reshape(-1))] = True
            more = [
                name for name, output in attributes.items()
                if name not in done and name in loads
                and wanted[self._nconstant + loads[name][0] :][: loads[name][1]].any()
            ]  # fmt: skip
            if not more:
                self._wanted = wanted
                return needed
            for name in more:
                done.add(name)
                wanted[attributes[name].places] = True

    def _loads(self, section: str, needed: set[int]) -> list[Load]:
        found = []
        for place, name, first, size in self.followed.recording.loads:
            start = self._nconstant + first
            used = np.flatnonzero(self._wanted[start : start + size])
            if place == section and len(used):
                low, high = int(used[0]), int(used[-1]) + 1
                found.append(Load(name, slice(start + low, start + high), slice(low, high)))
        return found

    # ------------------------------------------------------------ what runs

    def _operation(self, one: Any) -> Callable[[np.ndarray], None]:
        """A function that computes rows of the table."""
        target = one.target + self._nconstant
        if opcodes.SUM <= one.op <= opcodes.MIN:
            return _reduction(one, target, self._places(one.operands[0]))
        rows = slice(target, target + len(one.operands[0]))
        reads = [_index(self._places(ids)) for ids in one.operands]
        if one.table is not None:
            return _look_up(one.table, rows, reads[0])
        if one.op == opcodes.WHERE:
            return _where(rows, *reads)
        if one.op in _UNARY:
            return _unary(_UNARY[one.op], rows, *reads)
        if one.op in _BINARY:
            return _binary(_BINARY[one.op], rows, *reads)
        return _elementary(one.op, rows, reads)

    def table(self, nworld: int) -> np.ndarray:
        """Memory for values, (rows, nworld), with the constants in it."""
        table = np.zeros((self._size, nworld))
        table[: self._nconstant] = self._constants[:, None]
        return table

    def run(self, section: int, table: np.ndarray, read: Callable[[str], np.ndarray]) -> None:
        """Compute the values of a section.

        Args:
            section: its number.
            table: see `table`.
            read: gives a field, (nworld, ...).
        """
        for load in self.loads[section]:
            field = read(load.field)
            table[load.rows] = field.reshape(len(field), -1)[:, load.columns].T
        with np.errstate(all="ignore"):
            for operation in self._code[section]:
                operation(table)


def leaves(value: Any, way: tuple = ()) -> dict[tuple, Any]:
    """Return the values in dicts of dicts, by the keys that lead to them; () without a dict."""
    if not isinstance(value, dict):
        return {way: value}
    return {k: v for name, one in value.items() for k, v in leaves(one, (*way, name)).items()}


def _count(one: Any) -> int:
    return len(one.operands[0])


def _is_numeric(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return all(map(_is_numeric, value)) and len(value) > 0
    return isinstance(value, Symbol | np.ndarray | int | float | np.generic)


def _index(places: np.ndarray) -> Any:
    """Rows as a slice where they follow one another."""
    if len(places) and np.all(np.diff(places) == 1):
        return slice(int(places[0]), int(places[-1]) + 1)
    return places


def _unary(function: Callable, rows: slice, a: Any) -> Callable[[np.ndarray], None]:
    def run(table: np.ndarray) -> None:
        table[rows] = function(table[a])

    return run


def _binary(function: Callable, rows: slice, a: Any, b: Any) -> Callable[[np.ndarray], None]:
    if isinstance(a, slice) and isinstance(b, slice):

        def run_in_place(table: np.ndarray) -> None:
            function(table[a], table[b], out=table[rows], casting="unsafe")

        return run_in_place

    def run(table: np.ndarray) -> None:
        table[rows] = function(table[a], table[b])

    return run


def _where(rows: slice, condition: Any, a: Any, b: Any) -> Callable[[np.ndarray], None]:
    def run(table: np.ndarray) -> None:
        table[rows] = np.where(table[condition] != 0, table[a], table[b])

    return run


def _elementary(op: int, rows: slice, reads: list[Any]) -> Callable[[np.ndarray], None]:
    def run(table: np.ndarray) -> None:
        table[rows] = functions.call(op, *(np.ascontiguousarray(table[x]) for x in reads))

    return run


def _look_up(numbers: np.ndarray, rows: slice, x: Any) -> Callable[[np.ndarray], None]:
    def run(table: np.ndarray) -> None:
        places = np.fmin(np.fmax(table[x], 0.0), len(numbers) - 1.0)
        table[rows] = numbers[places.astype(np.int64)]

    return run


def _reduction(one: Any, target: int, places: np.ndarray) -> Callable[[np.ndarray], None]:
    rows, dtype = slice(target, target + len(places)), np.float32 if one.single else np.float64

    def run(table: np.ndarray) -> None:
        # (elements of a row, rows, worlds)
        parts = table[places.T]
        if one.op in _REDUCED:
            table[rows] = _REDUCED[one.op](parts, axis=0)
            return
        if one.single:
            parts = parts.astype(dtype)
        table[rows] = _sum(parts) if one.op == opcodes.SUM else _sum_in_order(parts)

    return run


def _sum_in_order(parts: Any) -> Any:
    found = parts[0].copy()
    for part in parts[1:]:
        found += part
    return found


def _sum(parts: Any) -> Any:
    """Numpy's sum of up to 128 numbers: eight sums of every eighth, joined in pairs."""
    n = len(parts)
    if n < 8:
        return _sum_in_order(parts)
    sums = [parts[k].copy() for k in range(8)]
    whole = n - n % 8
    for start in range(8, whole, 8):
        for k in range(8):
            sums[k] += parts[start + k]
    found = ((sums[0] + sums[1]) + (sums[2] + sums[3])) + (
        (sums[4] + sums[5]) + (sums[6] + sums[7])
    )
    for part in parts[whole:]:
        found = found + part
    return found
