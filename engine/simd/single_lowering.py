"""Packs of float32, twice as many lanes: the numba types, and the LLVM code of their operations.

For kernels whose lanes are pixels. A record of width `SINGLE` has packs of LANES float32 where its
layout says "f4" and does not share; shared reals are numbers as everywhere. `Ints` holds an int32
per lane, for addresses of texels and for the bits of a float. The lanes are as many on every
processor, so that pictures have the same bits everywhere.
"""

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.typing.templates import signature

from . import lanes
from .number_kinds import (
    COMPARISONS,
    F32,
    F64,
    I1,
    I32,
    I64,
    NOTHING,
    Call,
    Lanes,
    call_intrinsic,
    call_named,
    compare,
    define_function,
    define_operator,
    register,
    splat,
    to_i1,
)
from .record import SINGLES, Entry
from .record_lowering import FieldType, RecordType, register_record

LANES = SINGLES
VECTOR, WHOLE = ir.VectorType(F32, LANES), ir.VectorType(I32, LANES)
TRUTHS = ir.VectorType(I1, LANES)


class Single(Lanes):
    """A float32 per lane."""

    own_rules = True

    def __init__(self):
        super().__init__("Single")


class Ints(Lanes):
    """An int32 per lane."""

    own_rules, scalar = True, types.Integer

    def __init__(self):
        super().__init__("Ints")


class SingleMask(Lanes):
    """One truth value per lane."""

    own_rules, scalar = True, types.Boolean

    def __init__(self):
        super().__init__("SingleMask")


SINGLE, INTS, MASK = Single(), Ints(), SingleMask()


class SingleFieldType(FieldType):
    """Pointer to packs of float32."""

    value_type = SINGLE

    def __init__(self, constant: bool):
        super().__init__("f4", LANES, constant)
        self.name = f"SingleField({constant})"


class SingleRecordType(RecordType):
    """A record whose packs are of single precision."""

    def __init__(self, layout: Any, constant: bool):
        super().__init__(layout, LANES, constant)
        self.name = f"Single{self.name}"

    def field(self, entry: Entry) -> FieldType:
        if entry.element == "f4" and not entry.shared:
            return SingleFieldType(self.constant)
        return FieldType(entry.element, 0, self.constant)


def _spread(number: types.Type) -> Callable[..., ir.Value]:
    """The same number in every lane, rounded once."""
    return lambda c, to, value: splat(
        c.builder, c.context.cast(c.builder, value, c.sig.args[0], number), LANES
    )


register(Single, lambda t: VECTOR, _spread(types.float32))
register(Ints, lambda t: WHOLE, _spread(types.int32))
register(
    SingleMask,
    lambda t: TRUTHS,
    lambda c, to, value: splat(c.builder, to_i1(c.builder, value), LANES),
)
register_record(SingleRecordType, SingleFieldType)


# ---------------------------------------------------------------- operators

for _op, _name in ((operator.add, "add"), (operator.sub, "sub"), (operator.mul, "mul")):
    define_operator(_op, Single, lambda b, x, y, n="f" + _name: getattr(b, n)(x, y))
    define_operator(_op, Ints, lambda b, x, y, n=_name: getattr(b, n)(x, y))
define_operator(operator.truediv, Single, lambda b, x, y: b.fdiv(x, y))
define_operator(operator.neg, Single, lambda b, x: b.fneg(x))
define_operator(operator.rshift, Ints, lambda b, x, y: b.lshr(x, y))
define_operator(operator.lshift, Ints, lambda b, x, y: b.shl(x, y))
for _kind in (Ints, SingleMask):
    define_operator(operator.and_, _kind, lambda b, x, y: b.and_(x, y))
    define_operator(operator.or_, _kind, lambda b, x, y: b.or_(x, y))
for _op, _sign in COMPARISONS.items():
    define_operator(_op, Single, compare(_sign), lambda t: MASK)
    define_operator(
        _op, Ints, lambda b, x, y, sign=_sign: b.icmp_signed(sign, x, y), lambda t: MASK
    )


# ---------------------------------------------------------------- functions of lanes.py


def _reals(*args: types.Type):
    """All arguments as packs, if one is."""
    return signature(SINGLE, *[SINGLE] * len(args)) if SINGLE in args else None


def _define_intrinsic(function: Callable[..., Any], name: str, arity: int):
    define_function(
        function,
        _reals,
        lambda c, *args: call_intrinsic(c.builder, f"llvm.{name}", args),
        *[Single] * arity,
    )


_define_intrinsic(lanes.sqrt, "sqrt", 1)
_define_intrinsic(lanes.absolute, "fabs", 1)
_define_intrinsic(lanes.floor, "floor", 1)
_define_intrinsic(lanes.rint, "rint", 1)
_define_intrinsic(lanes.fma, "fma", 3)


def _select_typer(mask: types.Type, x: types.Type, y: types.Type):
    for kind in (SINGLE, INTS):
        if kind in (x, y):
            return signature(kind, mask, kind, kind)
    if mask == MASK and isinstance(x, types.Number) and isinstance(y, types.Number):
        return signature(SINGLE, mask, SINGLE, SINGLE)
    return None


def _select(c: Call, mask: ir.Value, x: ir.Value, y: ir.Value):
    condition = mask if c.sig.args[0] == MASK else to_i1(c.builder, mask)
    return c.builder.select(condition, x, y)


for _kind in (Single, Ints):
    define_function(lanes.select, _select_typer, _select, types.Any, _kind, _kind)


def _define_reduction(function: Callable[..., Any], name: str):
    """Smallest or largest lane; no lane is NaN, so any order gives the same."""

    def emit(c: Call, x: ir.Value):
        number = call_named(c.builder, f"llvm.vector.reduce.{name}.v{LANES}f32", F32, [x])
        number.fastmath.add("nnan")
        return c.builder.fpext(number, F64)

    _define_unary(function, SINGLE, types.float64, emit)


def _define_unary(
    function: Callable[..., Any],
    source: types.Type,
    target: types.Type,
    emit: Callable[..., ir.Value],
):
    """A function of one kind: (call, value) to a value."""

    def typer(x: types.Type):
        return signature(target, source) if x == source else None

    define_function(function, typer, emit, type(source))


_define_reduction(lanes.lane_min, "fmin")
_define_reduction(lanes.lane_max, "fmax")


def _define_truth(function: Callable[..., Any], result: types.Type, emit: Callable[..., ir.Value]):
    """A function of a mask: (builder, the lanes as bits, its mask) to a value."""
    _define_unary(
        function,
        MASK,
        result,
        lambda c, mask: emit(c.builder, c.builder.bitcast(mask, ir.IntType(LANES)), mask),
    )


_define_truth(lanes.lane_any, types.boolean, lambda b, v, m: b.icmp_unsigned("!=", v, v.type(0)))
_define_truth(lanes.lane_all, types.boolean, lambda b, v, m: b.icmp_signed("==", v, v.type(-1)))
_define_truth(lanes.mask_not, MASK, lambda b, v, m: b.not_(m))
_define_truth(lanes.mask_bits, types.int64, lambda b, v, m: b.zext(v, I64))
_define_unary(lanes.to_ints, SINGLE, INTS, lambda c, x: c.builder.fptosi(x, WHOLE))
_define_unary(lanes.to_reals, INTS, SINGLE, lambda c, x: c.builder.sitofp(x, VECTOR))
_define_unary(lanes.bits_of, SINGLE, INTS, lambda c, x: c.builder.bitcast(x, WHOLE))
_define_unary(lanes.from_bits, INTS, SINGLE, lambda c, x: c.builder.bitcast(x, VECTOR))


def _define_gather(
    function: Callable[..., Any], element: str, vector: ir.VectorType, result: types.Type
):
    """Elements at an index per lane."""

    def emit(c: Call, pointer: ir.Value, index: ir.Value):
        scalar = vector.element
        pointers = c.builder.gep(pointer, [index], inbounds=True, source_etype=scalar)
        pointers.type = ir.VectorType(pointer.type, LANES)  # llvmlite takes it for one pointer
        name = f"llvm.masked.gather.v{LANES}{'f32' if scalar is F32 else 'i32'}.v{LANES}p0"
        rest = [I32(4), ir.Constant(TRUTHS, [1] * LANES), ir.Constant(vector, ir.Undefined)]
        return call_named(c.builder, name, vector, [pointers, *rest])

    def typer(f: types.Type, index: types.Type):
        if isinstance(f, FieldType) and f.element == element and index == INTS:
            return signature(result, f, index)
        return None

    define_function(function, typer, emit, FieldType, Ints)


_define_gather(lanes.gather_ints, "i4", WHOLE, INTS)
_define_gather(lanes.gather_reals, "f4", VECTOR, SINGLE)


def _store_ints_typer(f: types.Type, start: types.Type, k: types.Type):
    if isinstance(f, FieldType) and f.element == "i4" and k == INTS:
        return signature(types.none, f, types.int64, INTS)
    return None


def _store_ints(c: Call, pointer: ir.Value, start: ir.Value, k: ir.Value):
    at = c.builder.gep(pointer, [start], inbounds=True, source_etype=I32)
    c.builder.store(k, c.builder.bitcast(at, WHOLE.as_pointer()), align=4)
    return NOTHING


define_function(lanes.store_ints, _store_ints_typer, _store_ints, FieldType, types.Integer, Ints)
