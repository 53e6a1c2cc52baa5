"""Packs of float32, twice as many lanes: the numba types, and the LLVM code of their operations.

For kernels whose lanes are pixels. A record of width `SINGLE` has packs of LANES float32 where its
layout says "f4" and does not share; shared reals are numbers as everywhere. `Ints` holds an int32
per lane, for addresses of texels and for the bits of a float. The lanes are as many on every
processor, so that pictures have the same bits everywhere.
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
from numba.extending import infer_getattr, lower_builtin, lower_cast, models, register_model

from . import lanes
from .lowering import F32, I32, I64, FieldType, RecordType, invariant, splat, to_i1
from .record import SINGLES

LANES = SINGLES
VECTOR, WHOLE = ir.VectorType(F32, LANES), ir.VectorType(I32, LANES)
TRUTHS = ir.VectorType(ir.IntType(1), LANES)


class Single(types.Type):
    """A float32 per lane."""

    own_rules = True

    def __init__(self):
        super().__init__("Single")

    def can_convert_from(self, typingctx: TypingContext, other: types.Type):
        return Conversion.safe if isinstance(other, types.Number) else None

    def unify(self, typingctx: TypingContext, other: types.Type):
        return self if isinstance(other, types.Number) else None


class Ints(types.Type):
    """An int32 per lane."""

    own_rules = True

    def __init__(self):
        super().__init__("Ints")

    def can_convert_from(self, typingctx: TypingContext, other: types.Type):
        return Conversion.safe if isinstance(other, types.Integer) else None

    def unify(self, typingctx: TypingContext, other: types.Type):
        return self if isinstance(other, types.Integer) else None


class SingleMask(types.Type):
    """One truth value per lane."""

    own_rules = True

    def __init__(self):
        super().__init__("SingleMask")

    def can_convert_from(self, typingctx: TypingContext, other: types.Type):
        return Conversion.safe if isinstance(other, types.Boolean) else None

    def unify(self, typingctx: TypingContext, other: types.Type):
        return self if isinstance(other, types.Boolean) else None


SINGLE, INTS, MASK = Single(), Ints(), SingleMask()


class SingleFieldType(types.Type):
    """Pointer to packs of float32."""

    own_rules = True
    value_type = SINGLE

    def __init__(self, constant: bool):
        self.constant = constant
        super().__init__(f"SingleField({constant})")


class SingleRecordType(RecordType):
    """A record whose packs are of single precision."""

    def __init__(self, layout: Any, constant: bool):
        super().__init__(layout, LANES, constant)
        self.name = f"Single{self.name}"


@register_model(Single)
class SingleModel(models.PrimitiveModel):
    """The layout of a number of one world in memory."""

    def __init__(self, manager: DataModelManager, fe_type: types.Type):
        super().__init__(manager, fe_type, VECTOR)


@register_model(Ints)
class IntsModel(models.PrimitiveModel):
    """The layout of integers of one world in memory."""

    def __init__(self, manager: DataModelManager, fe_type: types.Type):
        super().__init__(manager, fe_type, WHOLE)


@register_model(SingleMask)
class SingleMaskModel(models.PrimitiveModel):
    """The layout of a mask of one world in memory."""

    def __init__(self, manager: DataModelManager, fe_type: types.Type):
        super().__init__(manager, fe_type, TRUTHS)


@register_model(SingleFieldType)
class SingleFieldModel(models.PrimitiveModel):
    """The layout of a field of one world in memory."""

    def __init__(self, manager: DataModelManager, fe_type: types.Type):
        super().__init__(manager, fe_type, F32.as_pointer())


@register_model(SingleRecordType)
class SingleRecordModel(models.PrimitiveModel):
    """The layout of a record of one world in memory."""

    def __init__(self, manager: DataModelManager, fe_type: types.Type):
        super().__init__(manager, fe_type, I64.as_pointer())


@infer_getattr
class SingleRecordAttribute(AttributeTemplate):
    """Types of the entries of a record."""

    key = SingleRecordType

    def generic_resolve(self, record: ir.Value, name: Any):
        entry = record.layout.entries.get(name)
        if entry is None:
            return None
        if entry.element == "size":
            return types.int64
        if entry.element == "f4" and not entry.shared:
            return SingleFieldType(record.constant)
        return FieldType(entry.element, 0, record.constant)


@lower_cast(types.Number, Single)
def cast_number(
    context: BaseContext, builder: ir.IRBuilder, fromty: types.Type, toty: types.Type, x: ir.Value
):
    """The same number in every lane, rounded once."""
    return splat(builder, context.cast(builder, x, fromty, types.float32), LANES)


@lower_cast(types.Integer, Ints)
def cast_integer(
    context: BaseContext, builder: ir.IRBuilder, fromty: types.Type, toty: types.Type, k: Any
):
    """The same integer in every lane."""
    return splat(builder, context.cast(builder, k, fromty, types.int32), LANES)


@lower_cast(types.Boolean, SingleMask)
def cast_boolean(
    context: BaseContext,
    builder: ir.IRBuilder,
    fromty: types.Type,
    toty: types.Type,
    truth: ir.Value,
):
    """The same truth value in every lane."""
    return splat(builder, to_i1(builder, truth), LANES)


# ---------------------------------------------------------------- operators


def _define_operator(
    op: Callable[..., Any],
    kind: Any,
    scalar: ir.Value,
    emit: Callable[..., Any],
    result: ir.Value = None,
):
    """Give an operator a meaning when one argument at least is of a kind."""
    result = result or kind

    @infer_global(op)
    class Operator(AbstractTemplate):
        def generic(self, args: Sequence[ir.Value], kws: dict[str, types.Type]):
            if kind in args and all(t == kind or isinstance(t, scalar) for t in args):
                return signature(result, *[kind] * len(args))

    arity = 1 if op is operator.neg else 2
    formal = [type(kind)] * arity
    lower_builtin(op, *formal)(lambda context, builder, sig, args: emit(builder, *args))


def _define_comparison(op: Callable[..., Any], sign: str, ordered: bool = True):
    """A comparison of reals and of integers."""

    def emit(b: ir.Value, x: ir.Value, y: ir.Value):
        return (b.fcmp_ordered if ordered else b.fcmp_unordered)(sign, x, y)

    _define_operator(op, SINGLE, types.Number, emit, MASK)
    _define_operator(op, INTS, types.Integer, lambda b, x, y: b.icmp_signed(sign, x, y), MASK)


for _op, _name in ((operator.add, "add"), (operator.sub, "sub"), (operator.mul, "mul")):
    _define_operator(_op, SINGLE, types.Number, lambda b, x, y, n="f" + _name: getattr(b, n)(x, y))
    _define_operator(_op, INTS, types.Integer, lambda b, x, y, n=_name: getattr(b, n)(x, y))
_define_operator(operator.truediv, SINGLE, types.Number, lambda b, x, y: b.fdiv(x, y))
_define_operator(operator.neg, SINGLE, types.Number, lambda b, x: b.fneg(x))
_define_operator(operator.and_, INTS, types.Integer, lambda b, x, y: b.and_(x, y))
_define_operator(operator.or_, INTS, types.Integer, lambda b, x, y: b.or_(x, y))
_define_operator(operator.rshift, INTS, types.Integer, lambda b, x, y: b.lshr(x, y))
_define_operator(operator.lshift, INTS, types.Integer, lambda b, x, y: b.shl(x, y))
_define_operator(operator.and_, MASK, types.Boolean, lambda b, x, y: b.and_(x, y))
_define_operator(operator.or_, MASK, types.Boolean, lambda b, x, y: b.or_(x, y))
_define_comparison(operator.lt, "<")
_define_comparison(operator.le, "<=")
_define_comparison(operator.gt, ">")
_define_comparison(operator.ge, ">=")
_define_comparison(operator.eq, "==")
_define_comparison(operator.ne, "!=", ordered=False)


# ---------------------------------------------------------------- functions of lanes.py


def _define(
    function: Callable[..., Any], typer: Callable[..., Any], formal: Any, emit: Callable[..., Any]
):
    """Bind a function of `lanes.py`: (context, builder, sig, args) to a value."""

    class Function(AbstractTemplate):
        def generic(self, args: Sequence[ir.Value], kws: dict[str, types.Type]):
            return typer(*args)

    infer_global(function)(Function)
    lower_builtin(function, *formal)(emit)


def _intrinsic(
    builder: ir.IRBuilder, name: str, args: Sequence[ir.Value], result: ir.Value = VECTOR
):
    fnty = ir.FunctionType(result, [arg.type for arg in args])
    return builder.call(cgutils.get_or_insert_function(builder.module, fnty, name), args)


def _reals(*args: Any):
    """All arguments as packs, if one is."""
    return signature(SINGLE, *[SINGLE] * len(args)) if SINGLE in args else None


def _define_intrinsic(function: Callable[..., Any], name: str, arity: int):
    def emit(context: BaseContext, builder: ir.IRBuilder, sig: Signature, args: Sequence[ir.Value]):
        return _intrinsic(builder, f"llvm.{name}.v{LANES}f32", args)

    _define(function, _reals, [Single] * arity, emit)


_define_intrinsic(lanes.sqrt, "sqrt", 1)
_define_intrinsic(lanes.absolute, "fabs", 1)
_define_intrinsic(lanes.floor, "floor", 1)
_define_intrinsic(lanes.rint, "rint", 1)
_define_intrinsic(lanes.fma, "fma", 3)


def _select_typer(mask: ir.Value, x: ir.Value, y: ir.Value):
    for kind in (SINGLE, INTS):
        if kind in (x, y):
            return signature(kind, mask, kind, kind)
    if mask == MASK and isinstance(x, types.Number) and isinstance(y, types.Number):
        return signature(SINGLE, mask, SINGLE, SINGLE)
    return None


def _select_emit(
    context: BaseContext, builder: ir.IRBuilder, sig: Signature, args: Sequence[ir.Value]
):
    condition = args[0] if sig.args[0] == MASK else to_i1(builder, args[0])
    return builder.select(condition, args[1], args[2])


for _kind in (Single, Ints):
    _define(lanes.select, _select_typer, [types.Any, _kind, _kind], _select_emit)


def _define_reduction(function: Callable[..., Any], name: str):
    """Smallest or largest lane; no lane is NaN, so any order gives the same."""

    def emit(context: BaseContext, builder: ir.IRBuilder, sig: Signature, args: Sequence[ir.Value]):
        number = _intrinsic(builder, f"llvm.vector.reduce.{name}.v{LANES}f32", args, F32)
        number.fastmath.add("nnan")
        return builder.fpext(number, ir.DoubleType())

    def typer(x: types.Type):
        return signature(types.float64, x) if x == SINGLE else None

    _define(function, typer, [Single], emit)


_define_reduction(lanes.lane_min, "fmin")
_define_reduction(lanes.lane_max, "fmax")


def _define_truth(function: Callable[..., Any], result: ir.Value, emit: Callable[..., Any]):
    """A function of a mask: (builder, the lanes as bits, its mask) to a value."""

    def lower(
        context: BaseContext, builder: ir.IRBuilder, sig: Signature, args: Sequence[ir.Value]
    ):
        return emit(builder, builder.bitcast(args[0], ir.IntType(LANES)), args[0])

    def typer(mask: types.Type):
        return signature(result, mask) if mask == MASK else None

    _define(function, typer, [SingleMask], lower)


_define_truth(lanes.lane_any, types.boolean, lambda b, v, m: b.icmp_unsigned("!=", v, v.type(0)))
_define_truth(lanes.lane_all, types.boolean, lambda b, v, m: b.icmp_signed("==", v, v.type(-1)))
_define_truth(lanes.mask_not, MASK, lambda b, v, m: b.not_(m))
_define_truth(lanes.mask_bits, types.int64, lambda b, v, m: b.zext(v, I64))


def _lowest_bit_emit(
    context: BaseContext, builder: ir.IRBuilder, sig: Signature, args: Sequence[ir.Value]
):
    return _intrinsic(builder, "llvm.cttz.i64", [args[0], ir.Constant(ir.IntType(1), 1)], I64)


_define(
    lanes.lowest_bit,
    lambda bits: signature(types.int64, types.int64) if isinstance(bits, types.Integer) else None,
    [types.Integer],
    _lowest_bit_emit,
)


def _define_conversion(
    function: Callable[..., Any], source: Any, target: Any, emit: Callable[..., Any]
):
    def typer(x: types.Type):
        return signature(target, source) if x == source else None

    _define(function, typer, [type(source)], lambda context, b, sig, args: emit(b, *args))


_define_conversion(lanes.to_ints, SINGLE, INTS, lambda b, x: b.fptosi(x, WHOLE))
_define_conversion(lanes.to_reals, INTS, SINGLE, lambda b, x: b.sitofp(x, VECTOR))
_define_conversion(lanes.bits_of, SINGLE, INTS, lambda b, x: b.bitcast(x, WHOLE))
_define_conversion(lanes.from_bits, INTS, SINGLE, lambda b, x: b.bitcast(x, VECTOR))


def _define_gather(
    function: Callable[..., Any], element: str, scalar: ir.Value, vector: ir.Value, result: ir.Value
):
    """Elements at an index per lane."""

    def emit(context: BaseContext, builder: ir.IRBuilder, sig: Signature, args: Sequence[ir.Value]):
        pointer, index = args
        pointers = builder.gep(pointer, [index], inbounds=True, source_etype=scalar)
        pointers.type = ir.VectorType(pointer.type, LANES)  # llvmlite takes it for one pointer
        suffix = f"v{LANES}{'f32' if scalar is F32 else 'i32'}.v{LANES}p0"
        every = ir.Constant(TRUTHS, [1] * LANES)
        return _intrinsic(
            builder,
            f"llvm.masked.gather.{suffix}",
            [pointers, I32(4), every, ir.Constant(vector, ir.Undefined)],
            vector,
        )

    def typer(f: Callable[..., Any], index: ir.Value):
        if isinstance(f, FieldType) and f.element == element and index == INTS:
            return signature(result, f, index)
        return None

    _define(function, typer, [FieldType, Ints], emit)


_define_gather(lanes.gather_ints, "i4", I32, WHOLE, INTS)
_define_gather(lanes.gather_reals, "f4", F32, VECTOR, SINGLE)


def _store_ints_typer(f: Callable[..., Any], start: ir.Value, k: Any):
    if isinstance(f, FieldType) and f.element == "i4" and k == INTS:
        return signature(types.none, f, types.int64, INTS)
    return None


def _store_ints_emit(
    context: BaseContext, builder: ir.IRBuilder, sig: Signature, args: Sequence[ir.Value]
):
    pointer, start, k = args
    at = builder.gep(pointer, [start], inbounds=True, source_etype=I32)
    builder.store(k, builder.bitcast(at, WHOLE.as_pointer()), align=4)
    return context.get_dummy_value()


_define(lanes.store_ints, _store_ints_typer, [FieldType, types.Integer, Ints], _store_ints_emit)


# ---------------------------------------------------------------- fields


def _pointer(builder: ir.IRBuilder, pointer: ir.Value, index: ir.Value):
    pointer = builder.bitcast(pointer, VECTOR.as_pointer())
    return builder.gep(pointer, [index], inbounds=True, source_etype=VECTOR)


def _load(builder: ir.IRBuilder, field: SingleFieldType, pointer: ir.Value, index: ir.Value):
    value = builder.load(_pointer(builder, pointer, index), align=64, typ=VECTOR)
    return invariant(builder, value) if field.constant else value


@infer_global(operator.getitem)
class SingleFieldGet(AbstractTemplate):
    """Type of an element."""

    def generic(self, args: Sequence[ir.Value], kws: dict[str, types.Type]):
        if isinstance(args[0], SingleFieldType):
            return signature(SINGLE, args[0], types.int64)


@lower_builtin(operator.getitem, SingleFieldType, types.Integer)
def field_get(
    context: BaseContext, builder: ir.IRBuilder, sig: Signature, args: Sequence[ir.Value]
):
    """Load all lanes of an element."""
    return _load(builder, sig.args[0], *args)


@infer_global(operator.setitem)
class SingleFieldSet(AbstractTemplate):
    """Type of a store."""

    def generic(self, args: Sequence[ir.Value], kws: dict[str, types.Type]):
        if isinstance(args[0], SingleFieldType):
            return signature(types.none, args[0], types.int64, SINGLE)


@lower_builtin(operator.setitem, SingleFieldType, types.Integer, types.Any)
def field_set(
    context: BaseContext, builder: ir.IRBuilder, sig: Signature, args: Sequence[ir.Value]
):
    """Store all lanes of an element."""
    pointer, index, value = args
    builder.store(value, _pointer(builder, pointer, index), align=64)
    return context.get_dummy_value()


def _lane_pointer(builder: ir.IRBuilder, pointer: ir.Value, index: ir.Value, lane: ir.Value):
    at = builder.add(builder.mul(index, I64(LANES)), lane)
    return builder.gep(pointer, [at], inbounds=True, source_etype=F32)


def _get_lane_emit(
    context: BaseContext, builder: ir.IRBuilder, sig: Signature, args: Sequence[ir.Value]
):
    number = builder.load(_lane_pointer(builder, *args), typ=F32)
    return builder.fpext(number, ir.DoubleType())


def _set_lane_emit(
    context: BaseContext, builder: ir.IRBuilder, sig: Signature, args: Sequence[ir.Value]
):
    *where, value = args
    builder.store(builder.fptrunc(value, F32), _lane_pointer(builder, *where))
    return context.get_dummy_value()


def _if_single(result: ir.Value, *rest: Any):
    def typer(f: Callable[..., Any], *args: Any):
        return signature(result, f, *rest) if isinstance(f, SingleFieldType) else None

    return typer


_at = (types.int64, types.int64)
_define(lanes.get_lane, _if_single(types.float64, *_at), [SingleFieldType, *_at], _get_lane_emit)
_define(
    lanes.set_lane,
    _if_single(types.none, *_at, types.float64),
    [SingleFieldType, *_at, types.float64],
    _set_lane_emit,
)
_define(
    lanes.zero_like,
    lambda f: signature(SINGLE, f) if isinstance(f, SingleFieldType) else None,
    [SingleFieldType],
    lambda context, builder, sig, args: ir.Constant(VECTOR, None),
)
