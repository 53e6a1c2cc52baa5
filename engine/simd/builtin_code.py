"""Machine code of kernels as built-in functions, see builtin.py."""

from typing import Any

from .argument_code import FLAGS, KIND, NDIM, SIZES, TARGET, ArgumentCode
from .builtin import (
    APART,
    ARRAY,
    ENTRY,
    HEAD,
    IS_WHOLE,
    NARG,
    NRECORD,
    OBJECTS,
    OTHERWISE,
    REAL,
    RECORDS,
    REFUSED,
    RELEASES,
    RESULT,
    ROW,
    TEXT,
    TOLD,
    UNKNOWN,
    UNUSED,
    WHOLE,
)
from .object_code import DATA, SHAPE, WRITTEN
from .result_objects import ResultCode


class BuiltinCode(ArgumentCode, ResultCode):
    """Writes the machine code, as LLVM's intermediate representation."""

    def text(self) -> str:
        """All of it."""
        at = self.at
        table = self.load(self.own, DATA)
        self.refuse_unless(at.icmp_signed("==", self.names, self.number(0)))
        self.refuse_unless(at.icmp_signed("==", self.count, self.load(table, 8 * NARG)))
        rows = at.add(table, self.number(8 * HEAD))
        self.repeat(self.count, lambda i: self.forget_sizes(self.row(rows, i)))
        self.repeat(self.count, lambda i: self.take(self.row(rows, i), self.argument(i)))
        with at.if_then(self.is_set(table, APART)):
            self.repeat(self.count, lambda i: self.keep_apart(rows, i))
        self.call_kernel(table)
        self.give_result(table)
        return self.finished(OTHERWISE)

    def row(self, rows: Any, i: Any) -> Any:
        """Address of the row of an argument."""
        return self.at.add(rows, self.at.mul(i, self.number(8 * ROW)))

    def forget_sizes(self, row: Any) -> None:
        """Sizes that arguments tell are not known before."""
        for k in range(ROW - SIZES):
            size = self.load(row, 8 * (SIZES + k))
            with self.at.if_then(self.at.icmp_signed("<", size, self.number(0))):
                self.store(self.at.neg(size), 0, self.number(UNKNOWN))

    def take(self, row: Any, found: Any) -> None:
        """Enter an argument where its row says, if it is as the row says."""
        cases = {
            ARRAY: self.take_array, REAL: self.take_real, WHOLE: self.take_whole,
            TEXT: self.take_text,
        }  # fmt: skip
        self.take_by_kind(row, found, cases)

    def take_array(self, row: Any, found: Any) -> None:
        """Enter the address of an array's numbers."""
        self.compare_array(row, found)
        self.store(self.load(row, 8 * TARGET), 0, self.load(found, DATA))

    def compare_size(self, row: Any, k: int, found: Any) -> None:
        """Compare a size with what is expected; keep it if it is the first of its name."""
        at, size = self.at, self.load(row, 8 * (SIZES + k))
        with at.if_else(at.icmp_signed("<", size, self.number(0))) as (named, given):
            with named:
                place = at.neg(size)
                known = self.load(place, 0)
                first = at.icmp_signed("==", known, self.number(UNKNOWN))
                self.refuse_unless(at.or_(first, at.icmp_signed("==", known, found)))
                self.store(place, 0, found)
            with given:
                self.refuse_unless(at.icmp_signed("==", size, found))

    def take_whole(self, row: Any, found: Any) -> None:
        """Enter an int of Python's that fits 32 bits."""
        at = self.at
        self.refuse_unless(self.is_type(found, int))
        value = self.long_of(found)
        fits = at.icmp_signed("==", at.sext(at.trunc(value, self.half), self.word), value)
        self.refuse_unless(fits)
        self.store(self.load(row, 8 * TARGET), 0, value)

    def take_text(self, row: Any, found: Any) -> None:
        """Enter the address of a text's bytes."""
        self.refuse_unless(self.is_type(found, str))
        length = self.scratch()
        place = self.call(self.api("PyUnicode_AsUTF8AndSize"), found, length)
        with self.at.if_then(self.at.icmp_signed("==", place, self.number(0))):
            # half a pair of surrogates has no bytes
            self.call(self.api("PyErr_Clear"))
            self.at.branch(self.otherwise)
        self.compare_size(row, 0, self.load(length, 0))
        self.store(self.load(row, 8 * TARGET), 0, place)

    def keep_apart(self, rows: Any, i: Any) -> None:
        """Refuse an array that is written into and begins inside of another, or the reverse."""
        at, row = self.at, self.row(rows, i)
        array = at.icmp_signed("==", self.load(row, 8 * KIND), self.number(ARRAY))
        written = at.icmp_signed("==", self.load(row, 8 * FLAGS), self.number(WRITTEN))
        with at.if_then(at.and_(array, written)):
            start, end = self.span(row, i)

            def compare(j: Any) -> None:
                other = self.row(rows, j)
                is_array = at.icmp_signed("==", self.load(other, 8 * KIND), self.number(ARRAY))
                different = at.icmp_signed("!=", i, j)
                with at.if_then(at.and_(is_array, different)):
                    from_, to = self.span(other, j)
                    before = at.icmp_unsigned("<=", to, start)
                    behind = at.icmp_unsigned(">=", from_, end)
                    self.refuse_unless(at.or_(before, behind))

            self.repeat(self.count, compare)

    def span(self, row: Any, i: Any) -> tuple[Any, Any]:
        """Begin and end of the memory of an array, if its numbers take eight bytes."""
        at, found = self.at, self.argument(i)
        start, shape = self.load(found, DATA), self.load(found, SHAPE)
        matrix = at.icmp_signed("==", self.load(row, 8 * NDIM), self.number(2))
        # a vector has no second length: its first one is read twice
        place = at.select(matrix, at.add(shape, self.number(8)), shape)
        second = at.select(matrix, self.load(place, 0), self.number(1))
        count = at.mul(self.load(shape, 0), second)
        return start, at.add(start, at.shl(count, self.number(3)))

    def call_kernel(self, table: Any) -> None:
        """Run the kernel with as many records as it takes."""
        at = self.at
        refused = self.load(table, 8 * REFUSED)
        zero = self.ir.Constant(self.half, 0)
        self.store(refused, 0, zero)
        state = self.scratch()
        with at.if_then(self.is_set(table, RELEASES)):
            self.store(state, 0, self.call(self.api("PyEval_SaveThread")))
        self.run_kernel(table, ENTRY, UNUSED, RECORDS, NRECORD)
        with at.if_then(self.is_set(table, RELEASES)):
            self.tell(self.api("PyEval_RestoreThread"), self.load(state, 0))
        self.refuse_unless(at.icmp_signed("==", self.load(refused, 0, self.half), zero))

    def give_result(self, table: Any) -> None:
        """Return the objects of the recipe, or the number that the kernel tells, or None."""
        at, double = self.at, self.ir.DoubleType()
        with at.if_then(self.is_set(table, OBJECTS)):
            told = self.load(self.load(table, 8 * TOLD), 0, self.half)
            with at.if_then(at.icmp_signed("==", told, self.ir.Constant(self.half, 0))):
                self.give_objects(self.load(table, 8 * OBJECTS))
        with at.if_then(self.is_set(table, RESULT)):
            value = self.load(self.load(table, 8 * RESULT), 0, double)
            with at.if_then(self.is_set(table, IS_WHOLE)):
                number = at.fptosi(value, self.word)
                at.ret(self.call(self.api("PyLong_FromLongLong"), number))
            kind = self.ir.FunctionType(self.word, [double])
            at.ret(self.call(self.api("PyFloat_FromDouble"), value, kind=kind))
        self.return_none()
