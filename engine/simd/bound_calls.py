"""Functions of a model, or of a model and its data, whose kernels have records of their own.

A kernel that is bound to the memory of a model and its data is given numbers in arrays of its own
record, and tells others. Here a built-in function copies them there from its arguments and back: an
object holds an array of addresses in a slot (`ready_calls.Owner`), one for each function, of a row
of words (`BoundCall`). What is not exactly as the row says goes to a function written in Python.
"""

import sys
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from .argument_code import FLAGS, KIND, NDIM, READ, SIZES, TARGET, TYPE, ArgumentCode
from .kernel import address
from .object_code import (
    COUNT_AT,
    DATA,
    FIRST_AT,
    VALUE_AT,
    WRITTEN,
    Table,
    is_known,
    method,
)
from .ready_calls import HEAD, OTHERWISE, Finder, Owner, head_of
from .record import Record
from .shared_code import shared_code

NAME = "copy_and_call"
# words of a row before those of arguments
ENTRY, UNUSED, RECORDS, NRECORD, NARG, ARGUMENTS = 0, 1, 3, 7, 8, 9
# kinds of arguments
GIVEN, TOLD, CHANGED, ASKED, REAL = range(5)
# words of an argument, besides those of argument_code.py
RESULT, OPTIONAL, LIMIT, WORDS = 7, 8, SIZES, 16


class Given(NamedTuple):
    """An array that is copied to a part of the record, whose shape it has to have."""

    part: np.ndarray


class Told(NamedTuple):
    """An array that is filled from a part of the record; None is left out if it is optional."""

    part: np.ndarray
    optional: bool = False


class Changed(NamedTuple):
    """An array that is copied to a part of the record, and filled from another one."""

    part: np.ndarray
    told: np.ndarray


class Asked(NamedTuple):
    """A whole number that goes to an int32 (1,) of the record, if it is 0 to `limit` - 1."""

    place: np.ndarray
    limit: int


class Real(NamedTuple):
    """A real number that goes to a float64 (1,) of the record."""

    place: np.ndarray


Bound = Given | Told | Changed | Asked | Real


class BoundCall:
    """A kernel with its records, and what it takes.

    Attributes:
        address: of the words that the machine code reads.
    """

    def __init__(
        self,
        kernel: Callable,
        kinds: tuple,
        records: Sequence[Record],
        arguments: Sequence[Bound],
    ):
        """Enter them.

        Args:
            kernel: takes `records`; it calls no Python.
            kinds: (layout, width, constant) of each record.
            records: up to MOST_RECORDS.
            arguments: of the function, behind the model and the data.
        """
        unused = np.zeros(2, np.int64)  # a result and an exception of numba's, which kernels lack
        words = np.zeros(ARGUMENTS + WORDS * len(arguments), np.int64)
        words[ENTRY] = address(kernel, *kinds)
        words[UNUSED:RECORDS] = unused.ctypes.data, unused.ctypes.data + 8
        words[RECORDS : RECORDS + len(records)] = [record.address for record in records]
        words[NRECORD], words[NARG] = len(records), len(arguments)
        for row, argument in zip(words[ARGUMENTS:].reshape(-1, WORDS), arguments, strict=True):
            _enter(row, argument)
        self._keep = words, unused, tuple(records), tuple(arguments)
        self.address = words.ctypes.data


def _enter(row: np.ndarray, argument: Bound) -> None:
    """Enter an argument in its row."""
    row[TARGET] = argument[0].ctypes.data
    if isinstance(argument, Asked):
        row[KIND], row[LIMIT] = ASKED, argument.limit
    elif isinstance(argument, Real):
        row[KIND] = REAL
    else:
        part, told = argument.part, isinstance(argument, Told)
        row[KIND], row[TYPE] = TOLD if told else GIVEN, id(part.dtype)
        row[FLAGS], row[NDIM] = WRITTEN if told else READ, part.ndim
        row[SIZES : SIZES + part.ndim] = part.shape
        if isinstance(argument, Told):
            row[RESULT], row[OPTIONAL] = row[TARGET], argument.optional
        if isinstance(argument, Changed):
            row[KIND], row[FLAGS], row[RESULT] = CHANGED, WRITTEN, argument.told.ctypes.data


class BoundCalls(dict[Any, Any]):
    """What is bound to an object, by names and what else its functions know it by.

    Attributes:
        rows: int64, addresses of what machine code reads of each function; 0 where there is none.
    """

    def __init__(self, places: dict[str, int]):
        """Bind nothing.

        Args:
            places: of functions in `rows`.
        """
        super().__init__()
        self._places, self.rows = places, np.zeros(len(places), np.int64)

    def enter(self, name: str, call: BoundCall) -> None:
        """Have a function run at once from now on."""
        self.rows[self._places[name]] = call.address
        self["ready", name] = call

    def clear(self) -> None:
        """Bind nothing any more."""
        self.rows[:] = 0
        super().clear()


def bound_call(
    otherwise: Callable[..., Any], place: tuple[str, str], owner: Owner, row: int,
    parameters: Sequence[str],
) -> Callable[..., Any]:  # fmt: skip
    """A built-in function.

    Args:
        otherwise: called with the arguments where no row is as it should be.
        place: module and name of the function.
        owner: slots of the data, or of the model.
        row: its place in the array of addresses.
        parameters: names of all arguments, in whose order those have to stand that are named.

    Returns:
        The function; `otherwise` itself where `is_known` is false.
    """
    if not is_known():
        return otherwise
    names = [sys.intern(name) for name in parameters]
    words = np.zeros(HEAD + len(names), np.int64)
    words[:HEAD] = head_of(otherwise, None, owner, row, "")
    words[HEAD:] = [id(name) for name in names]
    keep = otherwise, words, owner, names
    code = _machine_code(owner.model == "")
    return method(words.view(Table), place, otherwise.__doc__, code, keep)


def _machine_code(of_model: bool) -> int:
    """Address of the code that all functions share."""
    name = f"{NAME}_of_model" if of_model else NAME
    return shared_code(name, lambda: _Writer(name).text(of_model))


class _Writer(Finder, ArgumentCode):
    """Writes the machine code."""

    def text(self, of_model: bool) -> str:
        """All of it, for functions of a model alone or of data too."""
        at = self.at
        self.first = self.number(1 if of_model else 2)
        table = self.load(self.own, DATA)
        total = self.total()
        self.refuse_unless(at.icmp_signed(">=", total, self.first))
        call = self.find_model_row(table) if of_model else self.find_row(table)
        count = self.load(call, 8 * NARG)
        self.refuse_unless(at.icmp_signed("==", total, at.add(count, self.first)))
        self.repeat(at.sub(total, self.count), lambda i: self.compare_name(table, i))
        self.repeat(count, lambda i: self.take(self.row(call, i), self.argument_of(i)))
        self.run_kernel(call, ENTRY, UNUSED, RECORDS, NRECORD)
        self.repeat(count, lambda i: self.give(self.row(call, i), self.argument_of(i)))
        self.return_none()
        return self.finished(OTHERWISE)

    def total(self) -> Any:
        """Number of arguments: those that are named stand behind the others."""
        at, number = self.at, self.scratch()
        self.store(number, 0, self.count)
        with at.if_then(at.icmp_signed("!=", self.names, self.number(0))):
            self.store(number, 0, at.add(self.count, self.load(self.names, COUNT_AT)))
        return self.load(number, 0)

    def compare_name(self, table: Any, i: Any) -> None:
        """Refuse a named argument that is not the next one."""
        at = self.at
        there = at.add(self.names, at.shl(i, self.number(3)))
        place = at.add(table, at.shl(at.add(self.count, i), self.number(3)))
        name = self.load(place, 8 * HEAD)
        self.refuse_unless(at.icmp_signed("==", self.load(there, FIRST_AT), name))

    def argument_of(self, i: Any) -> Any:
        """An argument behind the model and the data."""
        return self.argument(self.at.add(i, self.first))

    def row(self, call: Any, i: Any) -> Any:
        """Address of the row of an argument."""
        arguments = self.at.add(call, self.number(8 * ARGUMENTS))
        return self.at.add(arguments, self.at.mul(i, self.number(8 * WORDS)))

    def take(self, row: Any, found: Any) -> None:
        """Compare an argument with its row, and enter it if it is given."""
        cases = {
            GIVEN: self.take_given, TOLD: self.take_told, CHANGED: self.take_given,
            ASKED: self.take_asked, REAL: self.take_real,
        }  # fmt: skip
        self.take_by_kind(row, found, cases)

    def take_given(self, row: Any, found: Any) -> None:
        """Copy the numbers of an array to the record."""
        self.compare_array(row, found)
        self.copy(self.load(row, 8 * TARGET), self.load(found, DATA), row)

    def take_told(self, row: Any, found: Any) -> None:
        """Compare an array that is filled later."""
        with self.at.if_then(self.at.not_(self.is_left_out(row, found))):
            self.compare_array(row, found)

    def is_left_out(self, row: Any, found: Any) -> Any:
        """True for None where an array need not be given."""
        none = self.at.icmp_signed("==", found, self.python_object(None))
        return self.at.and_(none, self.is_set(row, OPTIONAL))

    def take_asked(self, row: Any, found: Any) -> None:
        """Enter a whole number."""
        at = self.at
        number = self.scratch()
        with at.if_else(self.is_type(found, int)) as (python, other):
            with python:
                self.store(number, 0, self.long_of(found))
            with other, at.if_else(self.is_type(found, np.int64)) as (long, rest):
                with long:
                    self.store(number, 0, self.load(found, VALUE_AT))
                with rest:
                    self.refuse_unless(self.is_type(found, np.int32))
                    value = self.load(found, VALUE_AT, self.half)
                    self.store(number, 0, at.sext(value, self.word))
        value = self.load(number, 0)
        # a negative number is a large one without a sign
        self.refuse_unless(at.icmp_unsigned("<", value, self.load(row, 8 * LIMIT)))
        self.store(self.load(row, 8 * TARGET), 0, at.trunc(value, self.half))

    def copy(self, to: Any, from_: Any, row: Any) -> None:
        """Copy the numbers of an array, of eight bytes each."""
        at, second = self.at, self.load(row, 8 * (SIZES + 1))
        vector = at.icmp_signed("==", self.load(row, 8 * NDIM), self.number(1))
        each = at.select(vector, self.number(1), second)
        count = at.mul(self.load(row, 8 * SIZES), each)

        def one(k: Any) -> None:
            offset = at.shl(k, self.number(3))
            self.store(at.add(to, offset), 0, self.load(at.add(from_, offset), 0))

        self.repeat(count, one)

    def give(self, row: Any, found: Any) -> None:
        """Fill an array."""
        at = self.at
        result = self.load(row, 8 * RESULT)
        told = at.icmp_signed("!=", result, self.number(0))
        with at.if_then(at.and_(told, at.not_(self.is_left_out(row, found)))):
            self.copy(self.load(found, DATA), result, row)
