"""Numba types for packs, masks, fields and records, and the LLVM code of their operations.

Imported only when something has to be compiled. Every rule here has an interpreted twin in
`lanes.py` and `record.py`.

A `Record` is a pointer to a table of int64: sizes stand in it as they are, arrays as addresses. Its
attributes are `Field`s, typed raw pointers. Nothing is reference counted and no array structure is
passed, so that compilation stays cheap and one record type serves every model.
"""

import operator
from collections.abc import Callable, Sequence
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.base import BaseContext
from numba.core.datamodel.manager import DataModelManager
from numba.core.typeconv import Conversion
from numba.core.typing.context import BaseContext as TypingContext
from numba.core.typing.templates import (
    AbstractTemplate,
    AttributeTemplate,
    Signature,
    infer_global,
    signature,
)
from numba.extending import (
    infer_getattr,
    lower_builtin,
    lower_cast,
    lower_getattr_generic,
    models,
    register_model,
)

from . import lanes

I1, I8, I32, I64 = ir.IntType(1), ir.IntType(8), ir.IntType(32), ir.IntType(64)
F32, F64 = ir.FloatType(), ir.DoubleType()
ELEMENT = {"f8": F64, "f4": F32, "i4": I32, "i8": I64, "u1": I8}


class Pack(types.Type):
    """One float64 per lane."""

    def __init__(self, width: int):
        self.width = width
        super().__init__(f"Pack({width})")

    def can_convert_from(self, typingctx: TypingContext, other: types.Type):
        return Conversion.safe if isinstance(other, types.Number) else None

    def unify(self, typingctx: TypingContext, other: types.Type):
        return self if isinstance(other, types.Number) else None


class Mask(types.Type):
    """One truth value per lane."""

    def __init__(self, width: int):
        self.width = width
        super().__init__(f"Mask({width})")

    def can_convert_from(self, typingctx: TypingContext, other: types.Type):
        return Conversion.safe if isinstance(other, types.Boolean) else None

    def unify(self, typingctx: TypingContext, other: types.Type):
        return self if isinstance(other, types.Boolean) else None


class FieldType(types.Type):
    """Pointer to elements `[index][lane]`; width 0 means shared by all lanes."""

    def __init__(self, element: str, width: int, constant: bool):
        self.element, self.width, self.constant = element, width, constant
        super().__init__(f"Field({element},{width},{constant})")

    @property
    def value_type(self):
        if self.element in ("f8", "f4"):
            return Pack(self.width) if self.width > 1 else types.float64
        return types.int64


class RecordType(types.Type):
    """Pointer to a table of sizes and addresses, laid out by a `record.Layout`."""

    def __init__(self, layout: Any, width: int, constant: bool):
        self.layout, self.width, self.constant = layout, width, constant
        super().__init__(f"Record({layout.name},{layout.digest},{width},{constant})")


@register_model(Pack)
class PackModel(models.PrimitiveModel):
    def __init__(self, manager: DataModelManager, fe_type: types.Type):
        super().__init__(manager, fe_type, ir.VectorType(F64, fe_type.width))


@register_model(Mask)
class MaskModel(models.PrimitiveModel):
    def __init__(self, manager: DataModelManager, fe_type: types.Type):
        super().__init__(manager, fe_type, ir.VectorType(I1, fe_type.width))


@register_model(FieldType)
class FieldModel(models.PrimitiveModel):
    def __init__(self, manager: DataModelManager, fe_type: types.Type):
        super().__init__(manager, fe_type, ELEMENT[fe_type.element].as_pointer())


@register_model(RecordType)
class RecordModel(models.PrimitiveModel):
    def __init__(self, manager: DataModelManager, fe_type: types.Type):
        super().__init__(manager, fe_type, I64.as_pointer())


# ---------------------------------------------------------------- conversions


def splat(builder: ir.IRBuilder, value: ir.Value, width: int):
    """The same scalar in every lane."""
    vector = ir.VectorType(value.type, width)
    undefined = ir.Constant(vector, ir.Undefined)
    one = builder.insert_element(undefined, value, ir.Constant(I32, 0))
    return builder.shuffle_vector(
        one, undefined, ir.Constant(ir.VectorType(I32, width), [0] * width)
    )


def to_pack(
    context: BaseContext, builder: ir.IRBuilder, ty: types.Type, value: ir.Value, width: int
):
    """A value of a numeric or pack type as a pack."""
    if isinstance(ty, Pack):
        return value
    return splat(builder, context.cast(builder, value, ty, types.float64), width)


@lower_cast(types.Number, Pack)
def cast_number(
    context: BaseContext,
    builder: ir.IRBuilder,
    fromty: types.Type,
    toty: types.Type,
    value: ir.Value,
):
    return to_pack(context, builder, fromty, value, toty.width)


@lower_cast(types.Boolean, Mask)
def cast_boolean(
    context: BaseContext,
    builder: ir.IRBuilder,
    fromty: types.Type,
    toty: types.Type,
    value: ir.Value,
):
    return splat(builder, to_i1(builder, value), toty.width)


def to_i1(builder: ir.IRBuilder, value: ir.Value):
    return value if value.type == I1 else builder.icmp_unsigned("!=", value, value.type(0))


def width_of(args: Sequence[ir.Value]) -> int:
    """Width of the packs or masks among argument types; 0 when there are none."""
    return next((t.width for t in args if isinstance(t, (Pack, Mask))), 0)


# ---------------------------------------------------------------- operators


def define_operator(
    op: Callable[..., Any],
    emit: Callable[..., Any],
    result: ir.Value = None,
    kind: Any = Pack,
    scalar: ir.Value = types.Number,
):
    """Give an operator a meaning when one argument at least is a pack (or a mask)."""
    result = result or kind

    @infer_global(op)
    class Operator(AbstractTemplate):
        def generic(self, args: Sequence[ir.Value], kws: dict[str, types.Type]):
            if any(isinstance(t, kind) for t in args) and all(
                isinstance(t, (kind, scalar)) for t in args
            ):
                width = width_of(args)
                return signature(result(width), *[kind(width)] * len(args))

    def lower(
        context: BaseContext, builder: ir.IRBuilder, sig: Signature, args: Sequence[ir.Value]
    ):
        return emit(builder, *args)

    lower_builtin(op, *[kind] * operator_arity(op))(lower)


def operator_arity(op: Callable[..., Any]) -> int:
    return 1 if op in (operator.neg, operator.pos) else 2


define_operator(operator.add, lambda b, x, y: b.fadd(x, y))
define_operator(operator.sub, lambda b, x, y: b.fsub(x, y))
define_operator(operator.mul, lambda b, x, y: b.fmul(x, y))
define_operator(operator.truediv, lambda b, x, y: b.fdiv(x, y))
define_operator(operator.neg, lambda b, x: b.fneg(x))
define_operator(operator.lt, lambda b, x, y: b.fcmp_ordered("<", x, y), Mask)
define_operator(operator.le, lambda b, x, y: b.fcmp_ordered("<=", x, y), Mask)
define_operator(operator.gt, lambda b, x, y: b.fcmp_ordered(">", x, y), Mask)
define_operator(operator.ge, lambda b, x, y: b.fcmp_ordered(">=", x, y), Mask)
define_operator(operator.eq, lambda b, x, y: b.fcmp_ordered("==", x, y), Mask)
define_operator(operator.ne, lambda b, x, y: b.fcmp_unordered("!=", x, y), Mask)
define_operator(operator.and_, lambda b, x, y: b.and_(x, y), kind=Mask, scalar=types.Boolean)
define_operator(operator.or_, lambda b, x, y: b.or_(x, y), kind=Mask, scalar=types.Boolean)


# ---------------------------------------------------------------- functions of lanes.py


def define_function(
    function: Callable[..., Any], typer: Callable[..., Any], emit: Callable[..., Any]
):
    """Bind a function of `lanes.py` to its compiled form.

    Args:
        function: the interpreted form, the object that kernels name.
        typer: argument types to a signature, or None when they do not fit.
        emit: (context, builder, sig, args) to an LLVM value.
    """

    class Function(AbstractTemplate):
        def generic(self, args: Sequence[ir.Value], kws: dict[str, types.Type]):
            # dual numbers have rules of their own, see dual_lowering.py
            return None if any(hasattr(t, "own_rules") for t in args) else typer(*args)

    infer_global(function)(Function)
    lower_builtin(function, types.VarArg(types.Any))(emit)


def call_intrinsic(builder: ir.IRBuilder, name: str, args: Sequence[ir.Value]):
    """Call an LLVM intrinsic over float64 or packs, all of the same type."""
    t = args[0].type
    suffix = f"v{t.count}f64" if isinstance(t, ir.VectorType) else "f64"
    fnty = ir.FunctionType(t, [t] * len(args))
    return builder.call(
        cgutils.get_or_insert_function(builder.module, fnty, f"{name}.{suffix}"), args
    )


def _unary(function: Callable[..., Any], intrinsic: str):
    def typer(x: ir.Value):
        t = x if isinstance(x, Pack) else types.float64
        return signature(t, t)

    def emit(context: BaseContext, builder: ir.IRBuilder, sig: Signature, args: Sequence[ir.Value]):
        return call_intrinsic(builder, intrinsic, args)

    define_function(function, typer, emit)


_unary(lanes.sqrt, "llvm.sqrt")
_unary(lanes.absolute, "llvm.fabs")
_unary(lanes.floor, "llvm.floor")
_unary(lanes.rint, "llvm.rint")


def _fma_typer(a: ir.Value, b: ir.Value, c: ir.Value):
    width = width_of((a, b, c))
    t = Pack(width) if width else types.float64
    return signature(t, t, t, t)


def _fma_emit(
    context: BaseContext, builder: ir.IRBuilder, sig: Signature, args: Sequence[ir.Value]
):
    return call_intrinsic(builder, "llvm.fma", args)


define_function(lanes.fma, _fma_typer, _fma_emit)


def _select_typer(mask: ir.Value, a: ir.Value, b: ir.Value):
    width = width_of((mask, a, b))
    t = Pack(width) if width else types.float64
    return signature(t, mask, t, t)


def _select_emit(
    context: BaseContext, builder: ir.IRBuilder, sig: Signature, args: Sequence[ir.Value]
):
    condition = args[0] if isinstance(sig.args[0], Mask) else to_i1(builder, args[0])
    return builder.select(condition, args[1], args[2])


define_function(lanes.select, _select_typer, _select_emit)


def _reduce(function: Callable[..., Any], combine: Callable[..., Any]):
    def emit(context: BaseContext, builder: ir.IRBuilder, sig: Signature, args: Sequence[ir.Value]):
        if not isinstance(sig.args[0], Mask):
            return args[0]
        bits = ir.IntType(sig.args[0].width)
        return combine(builder, builder.bitcast(args[0], bits), bits)

    define_function(function, lambda mask: signature(types.boolean, mask), emit)


_reduce(lanes.lane_any, lambda b, v, bits: b.icmp_unsigned("!=", v, bits(0)))
_reduce(lanes.lane_all, lambda b, v, bits: b.icmp_signed("==", v, bits(-1)))


def _not_emit(
    context: BaseContext, builder: ir.IRBuilder, sig: Signature, args: Sequence[ir.Value]
):
    return builder.not_(args[0] if isinstance(sig.args[0], Mask) else to_i1(builder, args[0]))


define_function(lanes.mask_not, lambda mask: signature(mask, mask), _not_emit)


# ---------------------------------------------------------------- fields


def invariant(builder: ir.IRBuilder, load: Callable[..., Any]):
    """Mark a load of memory that no kernel writes, so that it can be hoisted out of loops."""
    load.set_metadata("invariant.load", builder.module.add_metadata([]))
    return load


def element_pointer(builder: ir.IRBuilder, field: FieldType, pointer: ir.Value, index: ir.Value):
    """Pointer to element `index` of a field: to all lanes of it, or to a shared scalar."""
    if field.width > 1:
        vector = ir.VectorType(F64, field.width)
        pointer = builder.bitcast(pointer, vector.as_pointer())
        return builder.gep(pointer, [index], inbounds=True, source_etype=vector)
    return builder.gep(pointer, [index], inbounds=True, source_etype=ELEMENT[field.element])


def load_element(builder: ir.IRBuilder, field: FieldType, pointer: ir.Value, index: ir.Value):
    """The element as int64, float64 or pack."""
    address = element_pointer(builder, field, pointer, index)
    if field.width > 1:
        value = builder.load(
            address, align=alignment(field.width), typ=ir.VectorType(F64, field.width)
        )
    else:
        value = builder.load(address, typ=ELEMENT[field.element])
    if field.constant:
        invariant(builder, value)
    if field.element == "f4":
        value = builder.fpext(value, F64)
    elif field.element == "i4":
        value = builder.sext(value, I64)
    elif field.element == "u1":
        value = builder.zext(value, I64)
    return value


def store_element(
    builder: ir.IRBuilder, field: FieldType, pointer: ir.Value, index: ir.Value, value: ir.Value
):
    """Store an int64, float64 or pack."""
    address = element_pointer(builder, field, pointer, index)
    if field.width > 1:
        builder.store(value, address, align=alignment(field.width))
        return
    if field.element == "f4":
        value = builder.fptrunc(value, F32)
    elif field.element in ("i4", "u1"):
        value = builder.trunc(value, ELEMENT[field.element])
    builder.store(value, address)


def alignment(width: int) -> int:
    """Alignment of a pack in bytes; scratch memory is aligned to 64."""
    return min(8 * width, 64)


@infer_global(operator.getitem)
class FieldGet(AbstractTemplate):
    def generic(self, args: Sequence[ir.Value], kws: dict[str, types.Type]):
        if isinstance(args[0], FieldType):
            return signature(args[0].value_type, args[0], types.int64)


@lower_builtin(operator.getitem, FieldType, types.Integer)
def field_get(
    context: BaseContext, builder: ir.IRBuilder, sig: Signature, args: Sequence[ir.Value]
):
    return load_element(builder, sig.args[0], *args)


@infer_global(operator.setitem)
class FieldSet(AbstractTemplate):
    def generic(self, args: Sequence[ir.Value], kws: dict[str, types.Type]):
        if isinstance(args[0], FieldType):
            return signature(types.none, args[0], types.int64, args[0].value_type)


@lower_builtin(operator.setitem, FieldType, types.Integer, types.Any)
def field_set(
    context: BaseContext, builder: ir.IRBuilder, sig: Signature, args: Sequence[ir.Value]
):
    pointer, index, value = args
    store_element(builder, sig.args[0], pointer, index, value)
    return context.get_dummy_value()


def _block_index(builder: ir.IRBuilder, index: ir.Value, n: int, k: int):
    return builder.add(builder.mul(index, I64(n)), I64(k))


def _define_load(function: Callable[..., Any], n: int):
    def typer(f: Callable[..., Any], index: ir.Value):
        return signature(types.UniTuple(f.value_type, n), f, types.int64)

    def emit(context: BaseContext, builder: ir.IRBuilder, sig: Signature, args: Sequence[ir.Value]):
        field, (pointer, index) = sig.args[0], args
        values = [
            load_element(builder, field, pointer, _block_index(builder, index, n, k))
            for k in range(n)
        ]
        return context.make_tuple(builder, sig.return_type, values)

    define_function(function, typer, emit)


for _function, _n in (
    (lanes.load3, 3),
    (lanes.load4, 4),
    (lanes.load6, 6),
    (lanes.load9, 9),
    (lanes.load10, 10),
):
    _define_load(_function, _n)


def _store_typer(f: Callable[..., Any], index: ir.Value, values: ir.Value):
    return signature(types.none, f, types.int64, types.UniTuple(f.value_type, len(values)))


def _store_emit(add: bool):
    def emit(context: BaseContext, builder: ir.IRBuilder, sig: Signature, args: Sequence[ir.Value]):
        field, (pointer, index, values) = sig.args[0], args
        n = len(sig.args[2])
        for k in range(n):
            at = _block_index(builder, index, n, k)
            value = builder.extract_value(values, k)
            if add:
                value = builder.fadd(load_element(builder, field, pointer, at), value)
            store_element(builder, field, pointer, at, value)
        return context.get_dummy_value()

    return emit


define_function(lanes.store, _store_typer, _store_emit(add=False))
define_function(lanes.add_block, _store_typer, _store_emit(add=True))


def _zero_emit(
    context: BaseContext, builder: ir.IRBuilder, sig: Signature, args: Sequence[ir.Value]
):
    return ir.Constant(context.get_value_type(sig.return_type), None)


define_function(lanes.zero_like, lambda f: signature(f.value_type, f), _zero_emit)


def _lane_pointer(
    builder: ir.IRBuilder, field: FieldType, pointer: ir.Value, index: ir.Value, lane: ir.Value
):
    """Pointer to one lane of an element."""
    if field.width > 1:
        index = builder.add(builder.mul(index, I64(field.width)), lane)
    return builder.gep(pointer, [index], inbounds=True, source_etype=ELEMENT[field.element])


def _get_lane_emit(
    context: BaseContext, builder: ir.IRBuilder, sig: Signature, args: Sequence[ir.Value]
):
    field, (pointer, index, lane) = sig.args[0], args
    scalar = FieldType(field.element, 0, field.constant)
    at = _lane_pointer(builder, field, pointer, index, lane)
    return load_element(builder, scalar, at, I64(0))


def _set_lane_emit(
    context: BaseContext, builder: ir.IRBuilder, sig: Signature, args: Sequence[ir.Value]
):
    field, (pointer, index, lane, value) = sig.args[0], args
    scalar = FieldType(field.element, 0, field.constant)
    at = _lane_pointer(builder, field, pointer, index, lane)
    store_element(builder, scalar, at, I64(0), value)
    return context.get_dummy_value()


def _scalar_type(f: FieldType):
    return types.float64 if f.element in ("f8", "f4") else types.int64


define_function(
    lanes.get_lane,
    lambda f, index, lane: signature(_scalar_type(f), f, types.int64, types.int64),
    _get_lane_emit,
)
define_function(
    lanes.set_lane,
    lambda f, index, lane, value: signature(
        types.none, f, types.int64, types.int64, _scalar_type(f)
    ),
    _set_lane_emit,
)


# ---------------------------------------------------------------- records


@infer_getattr
class RecordAttribute(AttributeTemplate):
    key = RecordType

    def generic_resolve(self, record: ir.Value, name: Any):
        entry = record.layout.entries.get(name)
        if entry is None:
            return None
        if entry.element == "size":
            return types.int64
        return FieldType(entry.element, entry.lanes(record.width), record.constant)


@lower_getattr_generic(RecordType)
def record_getattr(
    context: BaseContext, builder: ir.IRBuilder, record: ir.Value, value: ir.Value, name: Any
):
    entry = record.layout.entries[name]
    slot = builder.gep(value, [I64(entry.slot)], inbounds=True, source_etype=I64)
    word = invariant(builder, builder.load(slot, typ=I64))
    if entry.element == "size":
        return word
    return builder.inttoptr(word, ELEMENT[entry.element].as_pointer())


# ---------------------------------------------------------------- linking and threads


def _call_stage_emit(
    context: BaseContext, builder: ir.IRBuilder, sig: Signature, args: Sequence[ir.Value]
):
    """Call a function that numba compiled with the signature none(record, record)."""
    address, m, d = args
    pointer = I8.as_pointer()
    fnty = ir.FunctionType(I32, [pointer, pointer, I64.as_pointer(), I64.as_pointer()])
    function = builder.inttoptr(address, fnty.as_pointer())
    result = cgutils.alloca_once(builder, pointer)
    exception = cgutils.alloca_once(builder, pointer)
    status = builder.bitcast(result, pointer), builder.bitcast(exception, pointer)
    builder.call(function, [*status, m, d])
    return context.get_dummy_value()


define_function(
    lanes.call_stage,
    lambda address, m, d: signature(types.none, types.int64, m, d),
    _call_stage_emit,
)


def _next_pack_emit(
    context: BaseContext, builder: ir.IRBuilder, sig: Signature, args: Sequence[ir.Value]
):
    return builder.atomic_rmw("add", args[0], I64(1), "monotonic")


define_function(lanes.next_pack, lambda counter: signature(types.int64, counter), _next_pack_emit)


def _field_at(function: Callable[..., Any], element: str):
    field = FieldType(element, 0, False)

    def emit(context: BaseContext, builder: ir.IRBuilder, sig: Signature, args: Sequence[ir.Value]):
        return builder.inttoptr(args[0], ELEMENT[element].as_pointer())

    define_function(function, lambda address: signature(field, types.int64), emit)


_field_at(lanes.reals_at, "f8")
_field_at(lanes.ints_at, "i4")


def _record_word_emit(
    context: BaseContext, builder: ir.IRBuilder, sig: Signature, args: Sequence[ir.Value]
):
    return builder.load(builder.gep(args[0], [args[1]], source_etype=I64), typ=I64)


define_function(
    lanes.record_word,
    lambda record, slot: signature(types.int64, record, types.int64),
    _record_word_emit,
)


def _exponent_emit(
    context: BaseContext, builder: ir.IRBuilder, sig: Signature, args: Sequence[ir.Value]
):
    """Read the exponent bits; they are biased by 1023."""
    x = args[0]
    whole = ir.VectorType(I64, x.type.count) if isinstance(x.type, ir.VectorType) else I64
    bits = builder.lshr(builder.bitcast(x, whole), _whole(whole, 52))
    bits = builder.sub(builder.and_(bits, _whole(whole, 0x7FF)), _whole(whole, 1023))
    return builder.sitofp(bits, x.type)


def _scale2_emit(
    context: BaseContext, builder: ir.IRBuilder, sig: Signature, args: Sequence[ir.Value]
):
    """Multiply by a power of two made from its exponent bits."""
    x, k = args
    whole = ir.VectorType(I64, x.type.count) if isinstance(x.type, ir.VectorType) else I64
    bits = builder.add(builder.fptosi(k, whole), _whole(whole, 1023))
    return builder.fmul(x, builder.bitcast(builder.shl(bits, _whole(whole, 52)), x.type))


def _whole(t: Any, value: int):
    return ir.Constant(t, [value] * t.count) if isinstance(t, ir.VectorType) else t(value)


def _same_typer(*args: Any):
    width = width_of(args)
    t = Pack(width) if width else types.float64
    return signature(t, *[t] * len(args))


define_function(lanes.exponent, _same_typer, _exponent_emit)
define_function(lanes.scale2, _same_typer, _scale2_emit)
