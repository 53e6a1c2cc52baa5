"""Functions of a model and its data as built-in functions: what is ready runs without Python.

An object of data holds an array of addresses in a slot, one for each of these functions: 0, or that
of a row of words (`Ready`), which says what has to be as it was when the row was made, and what
runs then. The machine code compares, runs and returns None. Every other call goes to a function
written in Python, which makes the row once it can.
"""

import sys
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from .kernel import address
from .object_code import (
    COUNT_AT,
    DATA,
    FIRST_AT,
    TYPE_AT,
    ObjectCode,
    Table,
    is_known,
    method,
    slot_offset,
)
from .record import Record
from .shared_code import shared_code

NAME = "compare_and_run"
NRECORD = 4
# words of a function's table
OTHERWISE, AFTER, KIND, MODEL, CALLBACKS, LATEST, ROWS, PLACE, STEPS, HEAD = range(10)
# words of a row
ENTRY, UNUSED, RECORDS, DIFFERS, TOLD, NSTEP, MOST, IDLE, SELF, LEFT, NSAME, SAME = (
    0, 1, 3, 7, 8, 10, 11, 12, 13, 14, 15, 16,
)  # fmt: skip
ALWAYS = 1 << 62  # calls


class Place(NamedTuple):
    """A slot of an object: who has it, and its name."""

    owner: Any
    name: str

    @property
    def address(self) -> int:
        """Where the object has the address of what the slot holds."""
        return id(self.owner) + slot_offset(self.owner, self.name)


class Length(NamedTuple):
    """The number of things in a list or a dict."""

    owner: Any

    @property
    def address(self) -> int:
        """Where the object has it."""
        return id(self.owner) + COUNT_AT


class Word(NamedTuple):
    """The first eight bytes of an array."""

    owner: np.ndarray

    @property
    def address(self) -> int:
        """Where they are."""
        return self.owner.ctypes.data


Somewhere = Place | Length | Word


class Ready:
    """What has to be the same for a kernel to run at once, and the kernel.

    Attributes:
        address: of the words that the machine code reads.
    """

    def __init__(
        self,
        kernel: Callable,
        kinds: tuple,
        records: Sequence[Record],
        same: Sequence[tuple[Somewhere, Somewhere | int]],
        differs: Word,
        told: tuple[Somewhere, Somewhere],
        nstep: Word | None = None,
        most: int = 1,
        idle: Place | None = None,
        left: int = ALWAYS,
    ):
        """Note places, whose owners have to live as long as the row is found.

        Args:
            kernel: takes `records`, NRECORD of them.
            kinds: (layout, width, constant) of each record.
            records: what it is called with.
            same: places, each with another one that has to hold the same, or with what it has to
                hold: a number, the address of an object.
            differs: not 0 after a call in which the kernel has done nothing.
            told: any of them not 0 after a call about which Python has something to tell.
            nstep: number of steps that the kernel takes, if that is an argument of the function.
            most: steps that a call may take.
            idle: True where no call is under way. Others may run during the call, which find False
                there; None keeps the interpreter.
            left: number of calls after which it has to be made again.
        """
        held = np.array([x if isinstance(x, int) else 0 for _, x in same], np.int64)
        unused = np.zeros(2, np.int64)  # a result and an exception of numba's, which kernels lack
        words = np.zeros(SAME + 2 * len(same), np.int64).view(Table)
        words[ENTRY] = address(kernel, *kinds)
        words[UNUSED:RECORDS] = unused.ctypes.data, unused.ctypes.data + 8
        words[RECORDS:DIFFERS] = [record.address for record in records]
        words[DIFFERS] = differs.address
        words[TOLD:NSTEP] = [place.address for place in told]
        words[NSTEP] = nstep.address if nstep else 0
        words[MOST], words[IDLE] = most, idle.address if idle else 0
        words[SELF], words[LEFT], words[NSAME] = id(words), left, len(same)
        for k, (one, other) in enumerate(same):
            there = held.ctypes.data + 8 * k if isinstance(other, int) else other.address
            words[SAME + 2 * k : SAME + 2 * k + 2] = one.address, there
        words.keep = unused, held, tuple(records)
        self._words = words
        self.address = words.ctypes.data


class Owner(NamedTuple):
    """Slots of the objects that functions take as their second argument, or as the first.

    Attributes:
        sample: an object of exactly their type.
        rows: the array of addresses of rows, int64.
        model: the first argument that they belong to; "" where they are the first argument.
        callbacks: what has to be the same as in `latest`.
        latest: a place; None if nothing has to be.
    """

    sample: Any
    rows: str
    model: str = ""
    callbacks: str = ""
    latest: Place | None = None


def ready_call(
    otherwise: Callable[..., Any],
    after: Callable[..., Any],
    place: tuple[str, str],
    owner: Owner,
    row: int,
    steps: str = "",
) -> Callable[..., Any]:
    """A built-in function of a model and data.

    Args:
        otherwise: called with the arguments where no row is as it should be.
        after: called with the model and the data where a row has told something.
        place: module and name of the function.
        owner: slots of the data.
        row: its place in the array of addresses.
        steps: name of a third argument, an int, which is 1 if it is not given.

    Returns:
        The function; `otherwise` itself where `is_known` is false.
    """
    if not is_known():
        return otherwise
    name = sys.intern(steps)
    words = np.zeros(HEAD, np.int64)
    words[:] = head_of(otherwise, after, owner, row, name)
    keep = otherwise, after, words, name, owner
    return method(words.view(Table), place, otherwise.__doc__, _machine_code(), keep)


def head_of(
    otherwise: Callable[..., Any], after: Callable[..., Any] | None, owner: Owner, row: int,
    steps: str,
) -> tuple[int, ...]:  # fmt: skip
    """The words of the table of a function, see `ready_call`."""
    sample, of_data = owner.sample, owner.model != ""
    return (
        id(otherwise), id(after), id(type(sample)),
        slot_offset(sample, owner.model) if of_data else 0,
        slot_offset(sample, owner.callbacks) if owner.latest else 0,
        owner.latest.address if owner.latest else 0, slot_offset(sample, owner.rows), 8 * row,
        id(steps) if steps else 0,
    )  # fmt: skip


def _machine_code() -> int:
    """Address of the code that all functions share."""
    return shared_code(NAME, lambda: _Writer(NAME).text())


class Finder(ObjectCode):
    """Writes how the row of an object is found."""

    def find_row(self, table: Any) -> Any:
        """Address of the row of the data, which belong to the model and the present callbacks."""
        at = self.at
        model, data = (self.argument(self.number(k)) for k in range(2))
        self.refuse_unless(
            at.icmp_signed("==", self.load(data, TYPE_AT), self.load(table, 8 * KIND))
        )
        self.refuse_unless(at.icmp_signed("==", self.load_at(data, table, MODEL), model))
        latest = self.load(table, 8 * LATEST)
        with at.if_then(at.icmp_signed("!=", latest, self.number(0))):
            mine = self.load_at(data, table, CALLBACKS)
            self.refuse_unless(at.icmp_signed("==", mine, self.load(latest, 0)))
        return self.row_of(data, table)

    def find_model_row(self, table: Any) -> Any:
        """Address of the row of the model, which is the first argument."""
        model = self.argument(self.number(0))
        kind = self.load(table, 8 * KIND)
        self.refuse_unless(self.at.icmp_signed("==", self.load(model, TYPE_AT), kind))
        return self.row_of(model, table)

    def row_of(self, owner: Any, table: Any) -> Any:
        """Address of the row of an object."""
        at, rows = self.at, self.load_at(owner, table, ROWS)
        self.refuse_unless(at.icmp_signed("!=", rows, self.number(0)))
        row = self.load(at.add(self.load(rows, DATA), self.load(table, 8 * PLACE)), 0)
        self.refuse_unless(at.icmp_signed("!=", row, self.number(0)))
        return row

    def load_at(self, owner: Any, table: Any, word: int) -> Any:
        """What an object holds as many bytes behind its address as a word of the table says."""
        return self.load(self.at.add(owner, self.load(table, 8 * word)), 0)


class _Writer(Finder):
    """Writes the machine code."""

    def text(self) -> str:
        """All of it."""
        at = self.at
        table = self.load(self.own, DATA)
        nstep = self.take_steps(table)
        row = self.find_row(table)
        self.compare_steps(row, nstep)
        left = self.load(row, 8 * LEFT)
        self.refuse_unless(at.icmp_signed(">", left, self.number(0)))
        self.store(row, 8 * LEFT, at.sub(left, self.number(1)))
        self.repeat(self.load(row, 8 * NSAME), lambda k: self.compare(row, k))
        differs, told = self.run(row)
        self.refuse_unless(at.icmp_signed("==", self.load(differs, 0), self.number(0)))
        with at.if_then(at.icmp_signed("!=", self.load(told, 0), self.number(0))):
            # names, if there are any, belong to the steps
            self.call_python(self.load(table, 8 * AFTER), self.number(2), self.number(0))
        self.return_none()
        return self.finished(OTHERWISE)

    def take_steps(self, table: Any) -> Any:
        """Address of the number of steps."""
        at, nstep = self.at, self.scratch()
        unnamed = at.icmp_signed("==", self.names, self.number(0))
        two = at.icmp_signed("==", self.count, self.number(2))
        with at.if_else(at.and_(unnamed, two)) as (one, given):
            with one:
                self.store(nstep, 0, self.number(1))
            with given:
                name = self.load(table, 8 * STEPS)
                self.refuse_unless(at.icmp_signed("!=", name, self.number(0)))
                three = at.icmp_signed("==", self.count, self.number(3))
                with at.if_then(at.not_(at.and_(unnamed, three))):
                    self.refuse_unless(at.and_(at.not_(unnamed), two))
                    number = self.load(self.names, COUNT_AT)
                    self.refuse_unless(at.icmp_signed("==", number, self.number(1)))
                    self.refuse_unless(at.icmp_signed("==", self.load(self.names, FIRST_AT), name))
                found = self.argument(self.number(2))
                self.refuse_unless(self.is_type(found, int))
                self.store(nstep, 0, self.long_of(found))
        return nstep

    def compare_steps(self, row: Any, nstep: Any) -> None:
        """Refuse another number of steps than the kernel is set to take, and many."""
        at, place, number = self.at, self.load(row, 8 * NSTEP), self.load(nstep, 0)
        with at.if_then(at.icmp_signed("!=", place, self.number(0))):
            self.refuse_unless(at.icmp_signed("==", self.load(place, 0), number))
            self.refuse_unless(at.icmp_signed(">=", self.load(row, 8 * MOST), number))

    def compare(self, row: Any, k: Any) -> None:
        """Refuse what is not the same at two places."""
        pair = self.at.add(row, self.at.shl(k, self.number(4)))
        one, other = (self.load(self.load(pair, 8 * (SAME + j)), 0) for j in range(2))
        self.refuse_unless(self.at.icmp_signed("==", one, other))

    def run(self, row: Any) -> tuple[Any, Any]:
        """Run the kernel; addresses of what says that nothing was done, and that Python tells."""
        at, differs, told = self.at, self.scratch(), self.scratch()
        idle = self.load(row, 8 * IDLE)
        with at.if_else(at.icmp_signed("!=", idle, self.number(0))) as (others_run, kept):
            with others_run:
                owner = self.load(row, 8 * SELF)
                self.count_up(owner)
                self.put(idle, False, True)
                state = self.call(self.api("PyEval_SaveThread"))
                self.call_kernel(row)
                self.tell(self.api("PyEval_RestoreThread"), state)
                self.put(idle, True, False)
                self.look(row, differs, told)
                self.count_down(owner)
            with kept:
                self.call_kernel(row)
                self.look(row, differs, told)
        return differs, told

    def call_kernel(self, row: Any) -> None:
        """Run the kernel on its records."""
        words = [self.load(row, 8 * (UNUSED + k)) for k in range(DIFFERS - UNUSED)]
        kind = self.ir.FunctionType(self.half, [self.word] * len(words))
        self.call(self.load(row, 8 * ENTRY), *words, kind=kind)

    def look(self, row: Any, differs: Any, told: Any) -> None:
        """Note what the kernel has told."""
        self.store(differs, 0, self.load(self.load(row, 8 * DIFFERS), 0))
        both = [self.load(self.load(row, 8 * (TOLD + k)), 0) for k in range(2)]
        self.store(told, 0, self.at.or_(*both))

    def put(self, slot: Any, new: bool, old: bool) -> None:
        """Have True or False in a slot that holds the other one."""
        self.count_up(self.python_object(new))
        self.store(slot, 0, self.python_object(new))
        self.count_down(self.python_object(old))
