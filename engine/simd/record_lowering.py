"""Records and fields: their numba types, and the LLVM code that reads and writes them.

A `Record` is a pointer to a table of int64: sizes stand in it as they are, arrays as addresses. Its
attributes are `Field`s, typed raw pointers. Nothing is reference counted and no array structure is
passed, so that compilation stays cheap and one record type serves every model.

Imported only when something has to be compiled. Every rule here has an interpreted twin in
`lanes.py` and `record.py`.
"""

import operator
from collections.abc import Callable, Sequence
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.base import BaseContext
from numba.core.typing.templates import AttributeTemplate, signature
from numba.extending import infer_getattr, lower_getattr_generic

from . import lanes
from .lowering import Pack
from .number_kinds import (
    F32,
    F64,
    I8,
    I32,
    I64,
    NOTHING,
    Call,
    define_function,
    invariant,
    register,
)
from .record import Entry

ELEMENT = {"f8": F64, "f4": F32, "i4": I32, "i8": I64, "u1": I8}


class FieldType(types.Type):
    """Pointer to elements `[index][lane]`; width 0 means shared by all lanes."""

    def __init__(self, element: str, width: int, constant: bool):
        self.element, self.width, self.constant = element, width, constant
        super().__init__(f"Field({element},{width},{constant})")

    @property
    def value_type(self) -> types.Type:
        """Type of an element."""
        return Pack(self.width) if self.width > 1 else self.number

    @property
    def number(self) -> types.Type:
        """Type of one lane of an element."""
        return types.float64 if self.element in ("f8", "f4") else types.int64


class RecordType(types.Type):
    """Pointer to a table of sizes and addresses, laid out by a `record.Layout`."""

    def __init__(self, layout: Any, width: int, constant: bool):
        self.layout, self.width, self.constant = layout, width, constant
        super().__init__(f"Record({layout.name},{layout.digest},{width},{constant})")

    def field(self, entry: Entry) -> FieldType:
        """Type of an array of the record."""
        return FieldType(entry.element, entry.lanes(self.width), self.constant)


def register_record(record: type[RecordType], field: type[FieldType]) -> None:
    """Make a class of records known, and that of their fields."""
    register(field, lambda t: ELEMENT[t.element].as_pointer())
    register(record, lambda t: I64.as_pointer())


register_record(RecordType, FieldType)


@infer_getattr
class RecordAttribute(AttributeTemplate):
    """Types of the entries of a record."""

    key = RecordType

    def generic_resolve(self, record: RecordType, name: str):
        entry = record.layout.entries.get(name)
        if entry is None:
            return None
        return types.int64 if entry.element == "size" else record.field(entry)


@lower_getattr_generic(RecordType)
def record_getattr(
    context: BaseContext, builder: ir.IRBuilder, record: RecordType, value: ir.Value, name: str
):
    """Load a size, or the address of an array."""
    entry = record.layout.entries[name]
    slot = builder.gep(value, [I64(entry.slot)], inbounds=True, source_etype=I64)
    word = invariant(builder, builder.load(slot, typ=I64))
    if entry.element == "size":
        return word
    return builder.inttoptr(word, ELEMENT[entry.element].as_pointer())


# ---------------------------------------------------------------- elements


def element_pointer(builder: ir.IRBuilder, field: FieldType, pointer: ir.Value, index: ir.Value):
    """Pointer to element `index` of a field: to all lanes of it, or to a shared scalar."""
    element: ir.Type = ELEMENT[field.element]
    if field.width > 1:
        element = ir.VectorType(element, field.width)
        pointer = builder.bitcast(pointer, element.as_pointer())
    return builder.gep(pointer, [index], inbounds=True, source_etype=element)


def load_element(builder: ir.IRBuilder, field: FieldType, pointer: ir.Value, index: ir.Value):
    """The element as int64, float64 or pack."""
    address = element_pointer(builder, field, pointer, index)
    element = ELEMENT[field.element]
    if field.width > 1:
        vector = ir.VectorType(element, field.width)
        value = builder.load(address, align=alignment(field), typ=vector)
    else:
        value = builder.load(address, typ=element)
    if field.constant:
        invariant(builder, value)
    if field.width > 1:
        return value
    widen = {"f4": builder.fpext, "i4": builder.sext, "u1": builder.zext}.get(field.element)
    return widen(value, F64 if field.element == "f4" else I64) if widen else value


def store_element(
    builder: ir.IRBuilder, field: FieldType, pointer: ir.Value, index: ir.Value, value: ir.Value
):
    """Store an int64, float64 or pack."""
    address = element_pointer(builder, field, pointer, index)
    if field.width > 1:
        builder.store(value, address, align=alignment(field))
        return
    if field.element == "f4":
        value = builder.fptrunc(value, F32)
    elif field.element in ("i4", "u1"):
        value = builder.trunc(value, ELEMENT[field.element])
    builder.store(value, address)


def alignment(field: FieldType) -> int:
    """Alignment of a pack in bytes; scratch memory is aligned to 64."""
    return min((4 if field.element == "f4" else 8) * field.width, 64)


def define_field_function(
    function: Callable[..., Any],
    result: Callable[[Any], types.Type],
    emit: Callable[..., ir.Value],
    rest: Callable[[Any], tuple[types.Type, ...]] = lambda f: (),
) -> None:
    """Bind a function of a field, and of other values.

    Args:
        function: of `lanes.py`, or an operator.
        result: type of the field to that of the result.
        emit: (call, *values) to a value.
        rest: type of the field to those of the other arguments.
    """

    def typer(f: types.Type, *args: types.Type):
        return signature(result(f), f, *rest(f)) if isinstance(f, FieldType) else None

    formal = [types.Any] * len(rest(FieldType("f8", 0, False)))
    define_function(function, typer, emit, FieldType, *formal)


def _none(f: FieldType) -> types.Type:
    return types.none


def _set(c: Call, pointer: ir.Value, index: ir.Value, value: ir.Value):
    store_element(c.builder, c.sig.args[0], pointer, index, value)
    return NOTHING


define_field_function(
    operator.getitem,
    lambda f: f.value_type,
    lambda c, pointer, index: load_element(c.builder, c.sig.args[0], pointer, index),
    lambda f: (types.int64,),
)
define_field_function(operator.setitem, _none, _set, lambda f: (types.int64, f.value_type))
define_field_function(
    lanes.zero_like,
    lambda f: f.value_type,
    lambda c, pointer: ir.Constant(c.context.get_value_type(c.sig.return_type), None),
)


# ---------------------------------------------------------------- blocks


def _block_index(builder: ir.IRBuilder, index: ir.Value, n: int, k: int):
    return builder.add(builder.mul(index, I64(n)), I64(k))


def _define_load(function: Callable[..., Any], n: int):
    def emit(c: Call, pointer: ir.Value, index: ir.Value):
        values = [
            load_element(c.builder, c.sig.args[0], pointer, _block_index(c.builder, index, n, k))
            for k in range(n)
        ]
        return c.context.make_tuple(c.builder, c.sig.return_type, values)

    define_field_function(
        function, lambda f: types.UniTuple(f.value_type, n), emit, lambda f: (types.int64,)
    )


_define_load(lanes.load3, 3)
_define_load(lanes.load4, 4)
_define_load(lanes.load6, 6)
_define_load(lanes.load9, 9)
_define_load(lanes.load10, 10)


def _store_typer(f: FieldType, index: types.Type, values: Sequence[types.Type]):
    return signature(types.none, f, types.int64, types.UniTuple(f.value_type, len(values)))


def _store_emit(add: bool):
    def emit(c: Call, pointer: ir.Value, index: ir.Value, values: ir.Value):
        field, n = c.sig.args[0], len(c.sig.args[2])
        for k in range(n):
            at = _block_index(c.builder, index, n, k)
            value = c.builder.extract_value(values, k)
            if add:
                value = c.builder.fadd(load_element(c.builder, field, pointer, at), value)
            store_element(c.builder, field, pointer, at, value)
        return NOTHING

    return emit


define_function(lanes.store, _store_typer, _store_emit(add=False))
define_function(lanes.add_block, _store_typer, _store_emit(add=True))


# ---------------------------------------------------------------- single lanes


def _one_lane(c: Call, pointer: ir.Value, index: ir.Value, lane: ir.Value):
    """A field of single numbers that begins at one lane of an element."""
    field = c.sig.args[0]
    if field.width > 1:
        index = c.builder.add(c.builder.mul(index, I64(field.width)), lane)
    element = ELEMENT[field.element]
    at = c.builder.gep(pointer, [index], inbounds=True, source_etype=element)
    return FieldType(field.element, 0, field.constant), at


def _set_lane(c: Call, pointer: ir.Value, index: ir.Value, lane: ir.Value, value: ir.Value):
    field, at = _one_lane(c, pointer, index, lane)
    store_element(c.builder, field, at, I64(0), value)
    return NOTHING


define_field_function(
    lanes.get_lane,
    lambda f: f.number,
    lambda c, *where: load_element(c.builder, *_one_lane(c, *where), I64(0)),
    lambda f: (types.int64, types.int64),
)
define_field_function(
    lanes.set_lane, _none, _set_lane, lambda f: (types.int64, types.int64, f.number)
)


# ---------------------------------------------------------------- linking and threads


def _call_stage(c: Call, address: ir.Value, m: ir.Value, d: ir.Value):
    """Call a function that numba compiled with the signature none(record, record)."""
    pointer = I8.as_pointer()
    fnty = ir.FunctionType(I32, [pointer, pointer, I64.as_pointer(), I64.as_pointer()])
    function = c.builder.inttoptr(address, fnty.as_pointer())
    result = cgutils.alloca_once(c.builder, pointer)
    exception = cgutils.alloca_once(c.builder, pointer)
    status = c.builder.bitcast(result, pointer), c.builder.bitcast(exception, pointer)
    c.builder.call(function, [*status, m, d])
    return NOTHING


define_function(
    lanes.call_stage,
    lambda address, m, d: signature(types.none, types.int64, m, d),
    _call_stage,
)


def _call_fill(c: Call, address: ir.Value, source: ir.Value, n: ir.Value, place: ir.Value):
    """Call a function in C that writes numbers."""
    fnty = ir.FunctionType(ir.VoidType(), [I64, I64, I64])
    c.builder.call(c.builder.inttoptr(address, fnty.as_pointer()), [source, n, place])
    return NOTHING


define_function(
    lanes.call_fill,
    lambda address, source, n, place: signature(types.none, *[types.int64] * 4),
    _call_fill,
)
define_function(
    lanes.next_pack,
    lambda counter: signature(types.int64, counter),
    lambda c, counter: c.builder.atomic_rmw("add", counter, I64(1), "monotonic"),
)
define_function(
    lanes.record_word,
    lambda record, slot: signature(types.int64, record, types.int64),
    lambda c, record, slot: c.builder.load(
        c.builder.gep(record, [slot], source_etype=I64), typ=I64
    ),
)


def _field_at(function: Callable[..., Any], element: str):
    define_function(
        function,
        lambda address: signature(FieldType(element, 0, False), types.int64),
        lambda c, address: c.builder.inttoptr(address, ELEMENT[element].as_pointer()),
    )


_field_at(lanes.reals_at, "f8")
_field_at(lanes.ints_at, "i4")
_field_at(lanes.longs_at, "i8")
