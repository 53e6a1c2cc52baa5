"""Kernels as built-in functions of Python: arguments are looked at in machine code.

A function written in Python checks its arguments in more time than a short kernel takes. Here they
go to a piece of machine code that every such function shares: it compares types, shapes and flags
with a table, enters addresses and numbers in the record of the call, runs the kernel, and makes a
number of its result. Whatever is not exactly as the table says goes to a function written in
Python, which converts or refuses it.

The table is the `__self__` of the function, in words of eight bytes: `HEAD` of them about the call,
then `ROW` of them for each argument.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from .argument_code import MOST_RECORDS, READ, SIZES
from .kernel import address
from .object_code import (
    WRITTEN,
    Table,
    is_known,
    method,
)
from .record import Record
from .shared_code import shared_code

NAME = "check_and_call"
HEAD, ROW = 17, 8
# words of the head
NARG, OTHERWISE, ENTRY, UNUSED, NRECORD, RECORDS = 0, 1, 2, 3, 5, 6
RESULT, IS_WHOLE, REFUSED, APART, RELEASES, OBJECTS, TOLD = range(10, HEAD)
# kinds of arguments
ARRAY, REAL, WHOLE, TEXT = range(4)
UNKNOWN = -1  # of a size that no argument has told yet


class Argument(NamedTuple):
    """An argument of a function.

    Attributes:
        name: of the entry of the call's record that it goes to: an array's address, or a number.
        kind: ARRAY, REAL, WHOLE or TEXT.
        type: of an array's numbers.
        shape: lengths of an array or a text: numbers, or names of sizes of the record, which have
            to be the same wherever they stand.
        written: whether the array is written into.
    """

    name: str
    kind: int
    type: str = "f8"
    shape: tuple[int | str, ...] = ()
    written: bool = False


def builtin(
    otherwise: Callable,
    place: tuple[str, str],
    kernel: Callable,
    kinds: tuple,
    records: Sequence[Record],
    arguments: Sequence[Argument],
    result: str = "None",
    apart: bool = False,
    refuses: bool = True,
    releases: bool = False,
    objects: tuple[np.ndarray, Any] | None = None,
) -> Callable:
    """A kernel as a built-in function.

    Args:
        otherwise: called with the arguments where they are not exactly as expected, or where the
            kernel has refused them.
        place: module and name of the function.
        kernel: takes `records`, the last of which is that of the call; it calls no Python.
        kinds: (layout, width, constant) of each record.
        records: what it is called with, up to MOST_RECORDS.
        arguments: where they go.
        result: "float" or "int" if the call returns the number in the array `result` of the last
            record.
        apart: whether arrays that are written into must not share memory with others.
        refuses: whether the last record has an array `refused`, in which the kernel may say so.
        releases: whether other threads of Python run meanwhile.
        objects: a recipe (result_objects.py) of what the call returns; None instead where the array
            `told` of the last record is not 0 then.

    Returns:
        The function; `otherwise` itself where `is_known` is false.
    """
    if not is_known():
        return otherwise
    # the head of the table
    record = records[-1]
    words = np.zeros(HEAD + ROW * len(arguments), np.int64)
    unused = np.zeros(2, np.int64)  # a result and an exception of numba's, which kernels lack
    words[:RESULT] = (
        len(arguments), id(otherwise), address(kernel, *kinds), unused.ctypes.data,
        unused.ctypes.data + 8, len(records), *(r.address for r in records),
        *(0,) * (MOST_RECORDS - len(records)),
    )  # fmt: skip
    told = record.arrays["result"].ctypes.data if result != "None" else 0
    refused = record.arrays["refused"].ctypes.data if refuses else unused.ctypes.data
    made = objects[0].ctypes.data if objects else 0
    look = record.arrays["told"].ctypes.data if objects else 0
    words[RESULT:HEAD] = told, result == "int", refused, apart, releases, made, look
    # its rows
    for row, argument in zip(words[HEAD:].reshape(-1, ROW), arguments, strict=True):
        row[:] = _row(record, argument)
    # the function; its table keeps all addresses valid
    keep = otherwise, words, unused, tuple(records), objects
    return method(words.view(Table), place, otherwise.__doc__, _machine_code(), keep)


def _row(record: Record, argument: Argument) -> tuple[int, ...]:
    """The row of an argument."""
    entry = record.layout.entries[argument.name]
    # a number that is real goes to an array of one element, others to the record itself
    target = record.address + 8 * entry.slot
    if argument.kind == REAL:
        target = int(record.table[entry.slot])
    sizes = [
        # an address of a size is told from a length by its sign
        n if isinstance(n, int) else -(record.address + 8 * record.layout.entries[n].slot)
        for n in argument.shape
    ]
    sizes += [0] * (ROW - SIZES - len(sizes))
    kind = id(np.dtype(argument.type)) if argument.kind == ARRAY else 0
    flags = WRITTEN if argument.written else READ
    return (argument.kind, target, kind, flags, len(argument.shape), *sizes)


def _machine_code() -> int:
    """Address of the code that all functions share."""
    return shared_code(NAME, _text)


def _text() -> str:
    """The code, which is written once."""
    from .builtin_code import BuiltinCode

    return BuiltinCode(NAME).text()
