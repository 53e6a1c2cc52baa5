"""Machine code that looks at objects of Python: words behind addresses, types, calls, jumps.

It is written as LLVM's intermediate representation, as a function that built-in functions of Python
share (`METH_FASTCALL` with keywords). What an object must look like for that, `is_known` compares.
"""

import ctypes
import sys
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from .kernel import interpreted

# where numpy's arrays have what the machine code reads (bytes); `is_known` compares
DATA, NDIM_AT, SHAPE, DESCR, FLAGS_AT, TYPE_AT = 16, 24, 32, 56, 64, 8
VALUE_AT = 16  # numbers of numpy's whole scalars
COUNT_AT, FIRST_AT = 16, 24  # lengths of tuples, lists and dicts; the first object of a tuple
WRITTEN = 0x0501  # flags of numpy's arrays: contiguous, aligned and writeable
METH_FASTCALL, METH_KEYWORDS = 0x80, 0x02
OUTSIDE = "outside"  # the array of addresses that differ between processes: of these objects,
OBJECTS = (
    None, True, False, int, float, str, np.ndarray, np.float64, np.int64, np.int32,
)  # fmt: skip
# and of these functions of Python's own
FUNCTIONS = (
    "Py_IncRef", "Py_DecRef", "PyObject_Vectorcall", "PyLong_AsLongLongAndOverflow",
    "PyLong_FromLongLong", "PyFloat_AsDouble", "PyFloat_FromDouble", "PyUnicode_AsUTF8AndSize",
    "PyErr_Clear", "PyEval_SaveThread", "PyEval_RestoreThread", "PyTuple_New", "PyTuple_SetItem",
    "PyDict_Copy", "PyDict_SetItem", "PySequence_GetItem",
)  # fmt: skip


class Table(np.ndarray):
    """The table of a function, and what it keeps alive.

    Attributes:
        keep: anything.
        place: module and name by which another process finds the function.
    """

    keep: tuple
    place: tuple[str, str]

    def __reduce__(self) -> Any:
        return table_at, self.place

    def __getattr__(self, name: str) -> Any:
        # pickle asks for a built-in function by its name, of its `__self__`
        if name == vars(self).get("place", ("", ""))[1]:
            return getattr(sys.modules[self.place[0]], name)
        raise AttributeError(name)


def table_at(module: str, name: str) -> Any:
    """The table of a function of a module."""
    __import__(module)
    return getattr(sys.modules[module], name).__self__


class _Method(ctypes.Structure):
    """PyMethodDef."""

    _fields_ = (
        ("name", ctypes.c_char_p), ("call", ctypes.c_void_p), ("flags", ctypes.c_int),
        ("text", ctypes.c_char_p),
    )  # fmt: skip


@cache
def is_known() -> bool:
    """True if objects of this interpreter lie in memory as the machine code takes them to do.

    Interpreted kernels, interpreters without a lock or with counted references in other places,
    those that lack a function (Python 3.10), and versions of numpy with other arrays are not known.
    """
    if interpreted() or not getattr(sys, "_is_gil_enabled", lambda: True)():
        return False
    if sys.implementation.name != "cpython" or object.__basicsize__ != DATA:
        return False
    if not all(hasattr(ctypes.pythonapi, name) for name in FUNCTIONS):
        return False
    array = np.zeros((3, 5))[1:]
    there = (ctypes.c_char * (FLAGS_AT + 4)).from_address(id(array))
    places = (TYPE_AT, DATA, NDIM_AT, DESCR, FLAGS_AT, SHAPE)
    kind, data, ndim, dtype, flags, shape = (
        int.from_bytes(there[at : at + (4 if at in (NDIM_AT, FLAGS_AT) else 8)], sys.byteorder)
        for at in places
    )
    found = (kind, data, ndim, dtype, flags & WRITTEN)
    expected = (id(np.ndarray), array.ctypes.data, 2, id(np.dtype("f8")), WRITTEN)
    if found != expected or tuple((ctypes.c_int64 * 2).from_address(shape)) != (2, 5):
        return False
    pair = table_at, None
    lengths = [word_at(id(x), COUNT_AT) for x in (pair, [1, 2, 3], {1: 1}, {})]
    scalars = [word_at(id(x), VALUE_AT) & 0xFFFFFFFF for x in (np.int32(-2), np.int64(-3))]
    found = (lengths, scalars, word_at(id(pair), FIRST_AT))
    return found == ([2, 3, 1, 0], [0xFFFFFFFE, 0xFFFFFFFD], id(table_at))


def word_at(where: int, offset: int = 0) -> int:
    """The word that stands some bytes behind an address."""
    return ctypes.c_int64.from_address(where + offset).value


def slot_offset(owner: Any, name: str) -> int:
    """Where an object has what one of its `__slots__` holds, in bytes behind its address.

    Args:
        owner: an object whose slot has no value, or one that may be set.
        name: of the slot.

    Raises:
        RuntimeError: there is no such place.
    """
    known, mark = hasattr(owner, name), object()
    before = getattr(owner, name, None)
    object.__setattr__(owner, name, mark)
    places = range(DATA, type(owner).__basicsize__, 8)
    found = next((place for place in places if word_at(id(owner), place) == id(mark)), 0)
    if known:
        object.__setattr__(owner, name, before)
    else:
        object.__delattr__(owner, name)
    if not found:
        raise RuntimeError(f"{type(owner).__name__}.{name}: found no place of it, expected a slot")
    return found


def outside() -> list[int]:
    """The addresses that machine code reads from its array."""
    functions = (getattr(ctypes.pythonapi, name) for name in FUNCTIONS)
    there = [ctypes.cast(function, ctypes.c_void_p).value or 0 for function in functions]
    return [*map(id, OBJECTS), *there]


def method(
    table: Table, place: tuple[str, str], doc: str | None, code: int, keep: tuple
) -> Callable[..., Any]:
    """A built-in function.

    Args:
        table: its `__self__`, which the machine code reads.
        place: module and name of the function.
        doc: its docstring.
        code: address of the machine code.
        keep: what has to live as long.
    """
    row = _Method(place[1].encode(), code, METH_FASTCALL | METH_KEYWORDS, (doc or "").encode())
    table.keep = *keep, row
    table.place = place
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype, make.argtypes = ctypes.py_object, (ctypes.c_void_p,) + (ctypes.py_object,) * 2
    return make(ctypes.addressof(row), table, place[0])


class ObjectCode:
    """Writes the machine code of a function, as LLVM's intermediate representation.

    Attributes:
        own, given, count, names: what Python calls it with: `__self__`, the address of its
            arguments, their number without those that are named, and a tuple of the names or 0.
        otherwise: the block that gives the call to Python.
    """

    def __init__(self, name: str) -> None:
        """Begin a function.

        Args:
            name: of the function.
        """
        from llvmlite import ir

        self.ir, self.word, self.half = ir, ir.IntType(64), ir.IntType(32)
        self.module = ir.Module(name)
        kind = ir.FunctionType(self.word, [self.word] * 4)
        self.function = ir.Function(self.module, kind, name)
        self.own, self.given, self.count, self.names = self.function.args
        self.at = ir.IRBuilder(self.function.append_basic_block("begin"))
        words = ir.ArrayType(self.word, len(OBJECTS) + len(FUNCTIONS))
        self.outside: Any = ir.GlobalVariable(self.module, words, OUTSIDE)
        self.outside.initializer = ir.Constant(words, None)
        self.otherwise = self.function.append_basic_block("otherwise")

    def argument(self, i: Any) -> Any:
        """Address of an argument, an object."""
        return self.load(self.at.add(self.given, self.at.shl(i, self.number(3))), 0)

    def return_none(self) -> None:
        """Return None."""
        none = self.python_object(None)
        self.count_up(none)
        self.at.ret(none)

    def count_up(self, found: Any) -> None:
        """One more reference to an object."""
        self.tell(self.api("Py_IncRef"), found)

    def count_down(self, found: Any) -> None:
        """One reference to an object less."""
        self.tell(self.api("Py_DecRef"), found)

    def tell(self, where: Any, *given: Any) -> None:
        """Call a function of C that returns nothing."""
        kind = self.ir.FunctionType(self.ir.VoidType(), [self.word] * len(given))
        self.call(where, *given, kind=kind)

    def call_python(self, function: Any, count: Any, names: Any) -> None:
        """Return what a function of Python's does with the arguments as they came."""
        vectorcall = self.api("PyObject_Vectorcall")
        self.at.ret(self.call(vectorcall, function, self.given, count, names))

    def finished(self, otherwise: int) -> str:
        """The text of the machine code; what is refused goes to a function written in Python.

        Args:
            otherwise: which word of the function's table is its address.
        """
        self.at.position_at_end(self.otherwise)
        python = self.load(self.load(self.own, DATA), 8 * otherwise)
        self.call_python(python, self.count, self.names)
        return str(self.module)

    def long_of(self, found: Any) -> Any:
        """The value of an int; one of more than 64 bits is refused."""
        large = self.scratch()
        value = self.call(self.api("PyLong_AsLongLongAndOverflow"), found, large)
        overflow = self.load(large, 0, self.half)
        zero = self.ir.Constant(self.half, 0)
        self.refuse_unless(self.at.icmp_signed("==", overflow, zero))
        return value

    def store_real(self, target: Any, found: Any) -> None:
        """Write the value of a float, or of an int."""
        at = self.at
        with at.if_else(self.is_type(found, int)) as (whole, other):
            with whole:
                value = at.sitofp(self.long_of(found), self.ir.DoubleType())
                self.store(target, 0, value)
            with other:
                # numpy's are floats of Python's too
                real = at.or_(self.is_type(found, float), self.is_type(found, np.float64))
                self.refuse_unless(real)
                kind = self.ir.FunctionType(self.ir.DoubleType(), [self.word])
                self.store(target, 0, self.call(self.api("PyFloat_AsDouble"), found, kind=kind))

    # ------------------------------------------------------------ words and jumps

    def number(self, value: int) -> Any:
        """A constant."""
        return self.ir.Constant(self.word, value)

    def api(self, name: str) -> Any:
        """Address of a function of Python's own."""
        return self.word_outside(len(OBJECTS) + FUNCTIONS.index(name))

    def python_object(self, found: Any) -> Any:
        """Address of one of `OBJECTS`."""
        return self.word_outside(next(k for k, one in enumerate(OBJECTS) if one is found))

    def word_outside(self, k: int) -> Any:
        """One of the words that differ between processes."""
        place = self.at.gep(self.outside, [self.number(0), self.number(k)])
        return self.at.load(place)

    def pointer(self, where: Any, offset: int, kind: Any) -> Any:
        """A pointer to what stands some bytes behind an address."""
        there = self.at.add(where, self.number(offset)) if offset else where
        return self.at.inttoptr(there, kind.as_pointer())

    def load(self, where: Any, offset: int, kind: Any = None) -> Any:
        """Value some bytes behind an address."""
        return self.at.load(self.pointer(where, offset, kind or self.word))

    def store(self, where: Any, offset: int, value: Any) -> None:
        """Write some bytes behind an address."""
        self.at.store(value, self.pointer(where, offset, value.type))

    def scratch(self) -> Any:
        """Address of a word of the stack, which holds 0."""
        with self.at.goto_entry_block():
            place = self.at.alloca(self.word)
        self.at.store(self.number(0), place)
        return self.at.ptrtoint(place, self.word)

    def call(self, where: Any, *given: Any, kind: Any = None) -> Any:
        """Call a function of C by its address; of words, if nothing else is said."""
        kind = kind or self.ir.FunctionType(self.word, [self.word] * len(given))
        return self.at.call(self.at.inttoptr(where, kind.as_pointer()), given)

    def is_set(self, table: Any, word: int) -> Any:
        """True if a word of the table is not 0."""
        return self.at.icmp_signed("!=", self.load(table, 8 * word), self.number(0))

    def is_type(self, found: Any, kind: type) -> Any:
        """True if an object is of exactly a type."""
        return self.at.icmp_signed("==", self.load(found, TYPE_AT), self.python_object(kind))

    def refuse_unless(self, good: Any) -> None:
        """Go on if that is true, or else with the function written in Python."""
        there = self.function.append_basic_block("good")
        self.at.cbranch(good, there, self.otherwise)
        self.at.position_at_end(there)

    def repeat(self, count: Any, body: Callable[[Any], None]) -> None:
        """Write a loop over numbers below a count."""
        at = self.at
        blocks = [self.function.append_basic_block(name) for name in ("again", "body", "after")]
        again, inside, after = blocks
        before = at.block
        at.branch(again)
        at.position_at_end(again)
        i = at.phi(self.word)
        i.add_incoming(self.number(0), before)
        at.cbranch(at.icmp_signed("<", i, count), inside, after)
        at.position_at_end(inside)
        body(i)
        i.add_incoming(at.add(i, self.number(1)), at.block)
        at.branch(again)
        at.position_at_end(after)
