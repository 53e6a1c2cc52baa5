"""Results of a kernel as new objects of Python, made in machine code: a tuple, with a dict in it.

Looking up attributes, calling methods and making numbers in Python takes longer than a short
kernel does. Here a recipe says what to make of which memory, in words of eight bytes: `COUNTS` of
them, the number of parts of the tuple and of its dict, then `ROW` of them for each part.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .object_code import ObjectCode

COUNTS, ROW = 2, 3
KIND, SOURCE, NAME = range(ROW)  # words of a row
# what is made of a source: what calling it gives, the first item of an array; of what stands there,
# a float, an int of a real or of an int, or a truth value; and a copy of a dict in which the parts
# behind the tuple's get values
CALLED, ITEM, FLOAT, WHOLE_REAL, WHOLE, TRUTH, DICT = range(7)


class Part(NamedTuple):
    """A part of a result.

    Attributes:
        kind: how it is made, CALLED to DICT.
        source: a function without arguments; an array, for ITEM of one axis; or a dict.
    """

    kind: int
    source: Any


def recipe(parts: Sequence[Part], named: dict[str, Part]) -> tuple[np.ndarray, Any]:
    """The words of a recipe, and what has to live as long as they are read.

    Args:
        parts: of the tuple.
        named: of the dict, if one of the parts is one: it has all of these names.
    """
    rows = [(part, 0) for part in parts] + [(part, id(name)) for name, part in named.items()]
    words = np.zeros(COUNTS + ROW * len(rows), np.int64)
    words[:COUNTS] = len(parts), len(named)
    for row, (part, name) in zip(words[COUNTS:].reshape(-1, ROW), rows, strict=True):
        in_memory = part.kind in (FLOAT, WHOLE_REAL, WHOLE, TRUTH)
        row[:] = part.kind, part.source.ctypes.data if in_memory else id(part.source), name
    return words, (list(parts), named)


class ResultCode(ObjectCode):
    """Writes how the objects of a recipe are made."""

    def give_objects(self, words: Any) -> None:
        """Return the tuple of the recipe at an address."""
        at = self.at
        count, named = self.load(words, 0), self.load(words, 8)
        rows = at.add(words, self.number(8 * COUNTS))
        behind = self.row_at(rows, count)
        found, part = self.call(self.api("PyTuple_New"), count), self.scratch()
        self.give_up_unless(found)

        def fill(i: Any) -> None:
            row = self.row_at(rows, i)
            is_dict = at.icmp_signed("==", self.load(row, 8 * KIND), self.number(DICT))
            with at.if_else(is_dict) as (one, other):
                with one:
                    self.make_dict(row, behind, named, part, found)
                with other:
                    self.make(row, part)
            made = self.load(part, 0)
            self.give_up_unless(made, found)
            # it belongs to the tuple from here on
            self.call(self.api("PyTuple_SetItem"), found, i, made)

        self.repeat(count, fill)
        at.ret(found)

    def row_at(self, rows: Any, i: Any) -> Any:
        """Address of a row."""
        return self.at.add(rows, self.at.mul(i, self.number(8 * ROW)))

    def make(self, row: Any, part: Any) -> None:
        """Make a part that is no dict, and write where it is; 0 where there is no memory for it."""
        at, double, byte = self.at, self.ir.DoubleType(), self.ir.IntType(8)
        kind, source, zero = self.load(row, 8 * KIND), self.load(row, 8 * SOURCE), self.number(0)
        with at.if_then(at.icmp_signed("==", kind, self.number(CALLED))):
            called = self.call(self.api("PyObject_Vectorcall"), source, zero, zero, zero)
            self.store(part, 0, called)
        with at.if_then(at.icmp_signed("==", kind, self.number(ITEM))):
            self.store(part, 0, self.call(self.api("PySequence_GetItem"), source, zero))
        with at.if_then(at.icmp_signed("==", kind, self.number(FLOAT))):
            real = self.ir.FunctionType(self.word, [double])
            value = self.load(source, 0, double)
            self.store(part, 0, self.call(self.api("PyFloat_FromDouble"), value, kind=real))
        for whole, there in ((WHOLE_REAL, double), (WHOLE, self.word)):
            with at.if_then(at.icmp_signed("==", kind, self.number(whole))):
                number = self.load(source, 0, there)
                if there is double:
                    number = at.fptosi(number, self.word)
                self.store(part, 0, self.call(self.api("PyLong_FromLongLong"), number))
        with at.if_then(at.icmp_signed("==", kind, self.number(TRUTH))):
            holds = at.icmp_signed("!=", self.load(source, 0, byte), self.ir.Constant(byte, 0))
            truth = at.select(holds, self.python_object(True), self.python_object(False))
            self.count_up(truth)
            self.store(part, 0, truth)

    def make_dict(self, row: Any, rows: Any, count: Any, part: Any, outer: Any) -> None:
        """Make a copy of the dict of a row, with the values of the rows at an address.

        Args:
            row: of the dict.
            rows: of its values.
            count: how many there are.
            part: where to write where it is.
            outer: what is forgotten if there is no memory for it.
        """
        value = self.scratch()
        made = self.call(self.api("PyDict_Copy"), self.load(row, 8 * SOURCE))
        self.give_up_unless(made, outer)

        def fill(k: Any) -> None:
            there = self.row_at(rows, k)
            self.make(there, value)
            found = self.load(value, 0)
            self.give_up_unless(found, made, outer)
            # names are those that it has
            self.call(self.api("PyDict_SetItem"), made, self.load(there, 8 * NAME), found)
            self.count_down(found)

        self.repeat(count, fill)
        self.store(part, 0, made)

    def give_up_unless(self, made: Any, *others: Any) -> None:
        """Go on if something was made; else forget others, and leave the error to the caller."""
        with self.at.if_then(self.at.icmp_signed("==", made, self.number(0))):
            for other in others:
                self.count_down(other)
            self.at.ret(self.number(0))
