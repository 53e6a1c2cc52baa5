"""Calls of compiled kernels at once: in the caller's thread, with one argument to convert.

`kernel.call_of` lets other threads of Python run meanwhile, and passes the addresses of all
records, which takes longer than a short kernel does. Here one address is passed, of a table with
those of the kernel and of its records, to a piece of machine code that takes them from there.
"""

import ctypes
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from .kernel import address, interpreted, link_text

if TYPE_CHECKING:
    from .record import Record

NAME = "take_and_call"


def immediate_call_of(function: Callable, kinds: Any, records: "Sequence[Record]") -> Callable:
    """A kernel with its records, as a Python callable of no arguments that keeps the interpreter.

    Args:
        function: a kernel taking one record for each of `records`; one that runs for long, or calls
            Python, belongs to `kernel.call_of`.
        kinds: (layout, width, constant) of each, as for `kernel.address`.
        records: what it is called with; they have to be kept alive.
    """
    if interpreted():
        return partial(function, *records)
    # where numba's calling convention puts a result and an exception; kernels have neither
    unused = np.zeros(2, np.int64)
    places = [unused.ctypes.data, unused.ctypes.data + unused.itemsize]
    entry = address(function, *kinds)
    table = np.array([entry, *places, *(record.address for record in records)], np.int64)
    call = partial(_caller(len(table) - 1), table.ctypes.data)
    vars(call)["keep"] = unused, table
    return call


@cache
def _caller(count: int) -> Callable:
    """Calls the first address of a table with the next `count` ones as arguments."""
    from llvmlite import ir

    word = ir.IntType(64)
    module = ir.Module(NAME)
    function = ir.Function(module, ir.FunctionType(ir.VoidType(), [word]), NAME)
    builder = ir.IRBuilder(function.append_basic_block())
    table = builder.inttoptr(function.args[0], word.as_pointer())
    words = [
        builder.load(builder.gep(table, [ir.IntType(32)(place)])) for place in range(count + 1)
    ]
    kind = ir.FunctionType(ir.IntType(32), [word] * count)
    builder.call(builder.inttoptr(words[0], kind.as_pointer()), words[1:])
    builder.ret_void()
    place, engine = link_text(str(module), NAME)
    call = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(place)
    vars(call)["keep"] = engine
    return call
