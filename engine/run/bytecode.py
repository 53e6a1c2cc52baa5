"""Bytecode attached to data: its instructions, inputs and the places of its results."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ..bytecode.interpreter import run_bytecode, run_functions
from ..bytecode.opcodes import LENGTH, STOP
from ..pipeline.layouts import DATA_LAYOUT
from ..pipeline.stage import Stage

if TYPE_CHECKING:
    from .host import Host
    from .scratch import Scratch

# type of results -> the entry that anchors them
ANCHORS = {
    np.dtype(np.float64): "bytecode_double",
    np.dtype(np.float32): "bytecode_single",
    np.dtype(np.int64): "bytecode_long",
    np.dtype(np.bool_): "bytecode_byte",
}
# the interpreter, by whether there are elementary functions, and whether contacts are read
STAGES = {
    (False, False): (Stage(run_bytecode),),
    (True, False): (Stage(run_functions),),
    (False, True): (Stage("results.contact_values:run_contacts"),),
    (True, True): (Stage("results.contact_values:run_contacts_and_functions"),),
}


class Code(NamedTuple):
    """Instructions.

    Attributes:
        words: (n,) int64; lists of instructions, each ended by STOP, and lists of values.
        starts: where lists of instructions start, by name.
        constants: the first of the values, which the instructions do not change.
        nvalue: number of values, with constants.
        results: type of the array that each place is for.
        reads: fields that are read before the steps, and after them.
        has_functions: whether there are elementary functions.
        tables: (n,) float64 each, by the word that is to have their place from the anchor.
        has_contacts: whether contacts are read.
    """

    words: np.ndarray
    starts: dict[str, int]
    constants: np.ndarray
    nvalue: int
    results: tuple[np.dtype, ...]
    reads: tuple[frozenset[str], frozenset[str]]
    has_functions: bool
    tables: dict[int, np.ndarray]
    has_contacts: bool = False


class Bytecode:
    """The bytecode of data, which runs with every step or forward dynamics when it is chosen.

    Attributes:
        given: (nworld, n) float64, the field `bytecode_input`; written before a call.
        stages: the stages of the interpreter.
        gathered: what the interpreter reads from users' arrays; see `transfers.enter`.
    """

    def __init__(self, data: "Host", code: Code, given: np.ndarray):
        self.code, self.given = code, given
        self.stages = STAGES[code.has_functions, code.has_contacts]
        # the word after the last instruction of all: nothing to do
        self._words = np.append(code.words, [STOP] + [0] * LENGTH)
        self._nothing = len(code.words)
        self._entry = np.full(2, self._nothing, np.int64)
        self._enter = self._entry.data
        self._place = np.zeros(len(code.results), np.int64)
        self._anchors = {name: np.zeros(1, dtype) for dtype, name in ANCHORS.items()}
        self._bytes = self._anchors["bytecode_byte"].view(np.uint8)
        self._from = [
            (self._anchors[ANCHORS[dtype]].ctypes.data, dtype.itemsize) for dtype in code.results
        ]
        anchor = self._anchors["bytecode_double"].ctypes.data
        for word, table in code.tables.items():
            self._words[word] = (table.ctypes.data - anchor) // table.itemsize
        world = np.arange(data.nworld, dtype=np.float64)
        self.gathered = [
            (array, DATA_LAYOUT.entries[name].slot)
            for name, array in (("bytecode_world", world), ("bytecode_input", given))
            if array.size
        ]

    def inputs(self, written: frozenset[str]) -> list[str]:
        """Fields to gather, for a program that writes certain fields."""
        before, after = self.code.reads
        return sorted(before | (after - written))

    def attach(self, scratch: "Scratch") -> None:
        """Enter the instructions in the memory of a thread."""
        from ..simd.record import aligned_zeros

        record, code = scratch.data, self.code
        for name, array in {
            **self._anchors,
            "bytecode_byte": self._bytes,
            "bytecode_word": self._words,
            "bytecode_entry": self._entry,
            "bytecode_place": self._place,
        }.items():
            record.set_array(name, array)
        width = record.lanes
        value = aligned_zeros((code.nvalue, width) if width > 1 else (code.nvalue,))
        constants = code.constants
        value[: len(constants)] = constants[:, None] if width > 1 else constants
        record.set_array("bytecode_value", value)
        given = self.given.shape[-1]
        record.set_array("bytecode_input", aligned_zeros((given, width) if width > 1 else (given,)))
        record.arrays["bytecode_phase"][0] = 0

    def choose(self, before: str | None, after: str | None) -> None:
        """Say which instructions run before and after the steps of the following calls."""
        starts, entry = self.code.starts, self._enter
        entry[0] = starts[before] if before else self._nothing
        entry[1] = starts[after] if after else self._nothing

    @property
    def chosen(self) -> bool:
        """True if instructions run before or after the steps of the following calls."""
        return bool((self._entry != self._nothing).any())

    def places(self, results: list[np.ndarray]) -> np.ndarray:
        """Places of results: arrays (nworld, ...) of the types in the code."""
        return np.array(
            [
                (array.ctypes.data - start) // size
                for array, (start, size) in zip(results, self._from, strict=True)
            ],
            np.int64,
        )

    def write_to(self, places: np.ndarray) -> None:
        """Say where the results of the following calls go."""
        self._place[:] = places
