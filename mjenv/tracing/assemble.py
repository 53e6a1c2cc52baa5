"""From a recording to bytecode."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

import numpy as np

from mjenv.engine.bytecode import opcodes
from mjenv.engine.pipeline.layouts import DATA_ARRAYS, DATA_LAYOUT
from mjenv.engine.run.bytecode import ANCHORS, Code
from mjenv.tracing.arrays import Instruction, Recording

FIELDS = frozenset(row.name for row in DATA_ARRAYS)
CONTACT = "contact."  # in the names of what is read of contact slots
_MOST_RUNS = 4  # pieces that a result is written in, before it is gathered first
_STORE = {
    name: getattr(opcodes, name.replace("bytecode", "STORE").upper()) for name in ANCHORS.values()
}


class Store(NamedTuple):
    """A result: which values go into an array of the user's.

    Attributes:
        section: in which section.
        place: number of the array.
        dtype: its type.
        ids: numbers of the values.
        row: numbers in a row of the array; None for those of the values.
        column: the first in which they go.
    """

    section: str
    place: int
    dtype: np.dtype
    ids: np.ndarray
    row: int | None = None
    column: int = 0


class Assignment(NamedTuple):
    """Values that a field has from the end of a section on.

    Attributes:
        section: in which section.
        field: its name.
        ids: numbers of the values.
    """

    section: str
    field: str
    ids: np.ndarray


def assemble(
    recording: Recording,
    stores: list[Store],
    assignments: Sequence[Assignment] = (),
    early: Collection[str] = ("before",),
) -> Code:
    """Instructions of all sections, with loads before and stores after them.

    Args:
        recording: the instructions.
        stores: results.
        assignments: fields that sections assign to.
        early: sections that run before the physics, which has written nothing that they read.
    """
    return _Assembler(recording, stores, assignments, early).code()


class _Assembler:
    def __init__(
        self,
        recording: Recording,
        stores: list[Store],
        assignments: Sequence[Assignment],
        early: Collection[str],
    ):
        self._recording, self._stores = recording, stores
        self._assignments, self._early = assignments, early
        self._nconstant = len(recording.constants)
        self._nvalue = self._nconstant + recording.nvalue
        self._words: list[list[int]] = []
        self._lists: list[int] = []
        self._gathers: list[int] = []
        self._gathered: dict[bytes, tuple[int, int]] = {}
        self._tables: dict[int, np.ndarray] = {}
        self._read: tuple[set[str], set[str]] = set(), set()

    def code(self) -> Code:
        starts = {}
        # sections one behind the other; each ends with STOP
        for section, instructions in self._recording.sections.items():
            starts[section] = len(self._words) * opcodes.LENGTH
            self._gathered.clear()
            self._load(section)
            for instruction in instructions:
                self._compute(instruction)
            for store in self._stores:
                if store.section == section and store.ids.size:
                    self._store(store)
            for one in self._assignments:
                if one.section == section and one.ids.size:
                    slot = DATA_LAYOUT.entries[one.field].slot
                    self._add(opcodes.SET_FIELD, 0, one.ids.size, *self._stride(one.ids), slot, 0)
            self._add(opcodes.STOP)
        # lists of indices lie behind all instructions, so their addresses are known only now
        ends = len(self._words) * opcodes.LENGTH
        for gather in self._gathers:
            self._words[gather][3] += ends
        words = np.array([word for one in self._words for word in one] + self._lists, np.int64)
        ops = {i.op for code in self._recording.sections.values() for i in code}
        return Code(
            words,
            starts,
            np.array(self._recording.constants, np.float64),
            self._nvalue,
            self._types(),
            (frozenset(self._read[0]), frozenset(self._read[1])),
            any(opcodes.SIN <= op <= opcodes.ARCTAN2 for op in ops),
            self._tables,
            any(load.field.startswith(CONTACT) for load in self._recording.loads),
        )

    def _types(self) -> tuple[np.dtype, ...]:
        types = {store.place: store.dtype for store in self._stores}
        return tuple(types[place] for place in sorted(types))

    def _add(self, *words: int | np.integer) -> None:
        self._words.append([*map(int, words)] + [0] * (opcodes.LENGTH - len(words)))

    def _places(self, ids: np.ndarray) -> np.ndarray:
        """Addresses of values: constants come first."""
        return np.where(ids < 0, -1 - ids, ids + self._nconstant)

    def _new(self, count: int) -> int:
        self._nvalue += count
        return self._nvalue - count

    def _load(self, section: str) -> None:
        """Copy what is used of the fields."""
        for place, name, first, size, start in self._recording.loads:
            if place != section:
                continue
            used = self._used()
            used = used[(used >= first) & (used < first + size)]
            if len(used):
                low, high = used.min(), used.max()
                if name.startswith(CONTACT):
                    self._load_contact(name, low, high - low + 1, start + low - first)
                    continue
                slots = (DATA_LAYOUT.entries[n].slot for n in (name, "bytecode_value"))
                target, count = low + self._nconstant, high - low + 1
                self._add(opcodes.LOAD, target, count, *slots, start + low - first)
                if name in FIELDS:
                    self._read[section not in self._early].add(name)

    def _load_contact(self, name: str, low: int, count: int, start: int) -> None:
        """Read numbers of contact slots."""
        what = [*opcodes.CONTACT_SIZES].index(name[len(CONTACT) :])
        self._add(opcodes.CONTACT, low + self._nconstant, count, what, start)

    def _used(self) -> np.ndarray:
        """Numbers of all values that are operands or results."""
        if not hasattr(self, "_all_used"):
            codes = self._recording.sections.values()
            ids = [o.reshape(-1) for code in codes for i in code for o in i.operands]
            ids += [one.ids.reshape(-1) for one in (*self._stores, *self._assignments)]
            self._all_used = np.unique(np.concatenate(ids or [np.zeros(0, np.int64)]))
        return self._all_used

    def _stride(self, ids: np.ndarray) -> tuple[int, int]:
        """First value and step of values (n,), which are gathered if they have no step."""
        places = self._places(ids)
        steps = np.diff(places)
        if not len(steps):
            return int(places[0]), 0
        if np.all(steps == steps[0]):
            return int(places[0]), int(steps[0])
        key = places.tobytes()
        if key not in self._gathered:
            target = self._new(len(places))
            self._gathers.append(len(self._words))
            self._add(opcodes.GATHER, target, len(places), len(self._lists))
            self._lists += places.tolist()
            self._gathered[key] = target, 1
        return self._gathered[key]

    def _compute(self, one: Instruction) -> None:
        target, count = one.target + self._nconstant, len(one.operands[0])
        if opcodes.SUM <= one.op <= opcodes.MIN:
            rows = one.operands[0]
            first, step, length, inside = self._rows(rows)
            self._add(one.op, target, count, first, step, length, inside, one.single)
        elif one.table is not None:
            stride, slot = self._stride(one.operands[0]), DATA_LAYOUT.entries["bytecode_value"].slot
            # the fifth word is filled in when the table's place is known
            self._tables[len(self._words) * opcodes.LENGTH + 5] = one.table
            self._add(one.op, target, count, *stride, 0, len(one.table) - 1, slot)
        else:
            strides = [word for ids in one.operands for word in self._stride(ids)]
            self._add(one.op, target, count, *strides)

    def _rows(self, rows: np.ndarray) -> tuple[int, int, int, int]:
        """First value, step between rows, length of a row, and step in a row."""
        count, length = rows.shape
        places = self._places(rows)
        between = places[1, 0] - places[0, 0] if count > 1 else 0
        inside = places[0, 1] - places[0, 0] if length > 1 else 0
        grid = places[0, 0] + between * np.arange(count)[:, None] + inside * np.arange(length)
        if np.array_equal(grid, places):
            return places[0, 0], between, length, inside
        first, _ = self._stride(rows.reshape(-1))
        return first, length, length, 1

    def _store(self, store: Store) -> None:
        places, op = self._places(store.ids), _STORE[ANCHORS[store.dtype]]
        breaks = np.flatnonzero(np.diff(places) != 1) + 1
        if len(breaks) < _MOST_RUNS:
            runs = [
                (int(run[0]), 1, start, len(run))
                for start, run in zip([0, *breaks], np.split(places, breaks), strict=True)
            ]
        else:
            runs = [(*self._stride(store.ids), 0, len(places))]
        size = len(places) if store.row is None else store.row
        for first, step, column, count in runs:
            self._add(op, store.place, count, first, step, size, store.column + column)
