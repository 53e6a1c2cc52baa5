"""Packs and masks of float64: their numba types, and the LLVM code of their operations.

Imported only when something has to be compiled. Every rule here has an interpreted twin in
`lanes.py`.
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
    F64,
    I1,
    I32,
    I64,
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


class Pack(Lanes):
    """One float64 per lane."""

    def __init__(self, width: int):
        self.width = width
        super().__init__(f"Pack({width})")


class Mask(Lanes):
    """One truth value per lane."""

    scalar = types.Boolean

    def __init__(self, width: int):
        self.width = width
        super().__init__(f"Mask({width})")


def _spread_number(c: Call, to: Pack, value: ir.Value):
    number = c.context.cast(c.builder, value, c.sig.args[0], types.float64)
    return splat(c.builder, number, to.width)


register(Pack, lambda t: ir.VectorType(F64, t.width), _spread_number)
register(
    Mask,
    lambda t: ir.VectorType(I1, t.width),
    lambda c, to, value: splat(c.builder, to_i1(c.builder, value), to.width),
)


def width_of(args: Any) -> int:
    """Width of the packs or masks among argument types; 0 when there are none."""
    return next((t.width for t in args if isinstance(t, (Pack, Mask))), 0)


def real_of(args: Any) -> types.Type:
    """Type of the reals that go with argument types."""
    width = width_of(args)
    return Pack(width) if width else types.float64


# ---------------------------------------------------------------- operators

define_operator(operator.add, Pack, lambda b, x, y: b.fadd(x, y))
define_operator(operator.sub, Pack, lambda b, x, y: b.fsub(x, y))
define_operator(operator.mul, Pack, lambda b, x, y: b.fmul(x, y))
define_operator(operator.truediv, Pack, lambda b, x, y: b.fdiv(x, y))
define_operator(operator.neg, Pack, lambda b, x: b.fneg(x))
define_operator(operator.and_, Mask, lambda b, x, y: b.and_(x, y))
define_operator(operator.or_, Mask, lambda b, x, y: b.or_(x, y))
for _op, _sign in COMPARISONS.items():
    define_operator(_op, Pack, compare(_sign), lambda t: Mask(t.width))


# ---------------------------------------------------------------- functions of lanes.py


def _same(*args: types.Type):
    """Reals to a real of the same kind."""
    real = real_of(args)
    return signature(real, *[real] * len(args))


def _define_intrinsic(function: Callable[..., Any], name: str):
    define_function(function, _same, lambda c, *args: call_intrinsic(c.builder, name, args))


_define_intrinsic(lanes.sqrt, "llvm.sqrt")
_define_intrinsic(lanes.absolute, "llvm.fabs")
_define_intrinsic(lanes.floor, "llvm.floor")
_define_intrinsic(lanes.rint, "llvm.rint")
_define_intrinsic(lanes.fma, "llvm.fma")


def _condition(c: Call, mask: ir.Value):
    """The first argument as a vector of bits, or as one."""
    return mask if isinstance(c.sig.args[0], Mask) else to_i1(c.builder, mask)


def _select_typer(mask: types.Type, a: types.Type, b: types.Type):
    real = real_of((mask, a, b))
    return signature(real, mask, real, real)


define_function(
    lanes.select,
    _select_typer,
    lambda c, mask, a, b: c.builder.select(_condition(c, mask), a, b),
)
define_function(
    lanes.mask_not,
    lambda mask: signature(mask, mask),
    lambda c, mask: c.builder.not_(_condition(c, mask)),
)


def _reduce(function: Callable[..., Any], combine: Callable[..., ir.Value]):
    def emit(c: Call, mask: ir.Value):
        if not isinstance(c.sig.args[0], Mask):
            return mask
        bits = ir.IntType(c.sig.args[0].width)
        return combine(c.builder, c.builder.bitcast(mask, bits), bits)

    define_function(function, lambda mask: signature(types.boolean, mask), emit)


_reduce(lanes.lane_any, lambda b, v, bits: b.icmp_unsigned("!=", v, bits(0)))
_reduce(lanes.lane_all, lambda b, v, bits: b.icmp_signed("==", v, bits(-1)))


def exponent_of(builder: ir.IRBuilder, x: ir.Value):
    """Read the exponent bits; they are biased by 1023."""
    whole = _whole_like(x)
    bits = builder.lshr(builder.bitcast(x, whole), _whole(whole, 52))
    bits = builder.sub(builder.and_(bits, _whole(whole, 0x7FF)), _whole(whole, 1023))
    return builder.sitofp(bits, x.type)


def scaled(builder: ir.IRBuilder, x: ir.Value, k: ir.Value):
    """Multiply by a power of two made from its exponent bits."""
    whole = _whole_like(x)
    bits = builder.add(builder.fptosi(k, whole), _whole(whole, 1023))
    return builder.fmul(x, builder.bitcast(builder.shl(bits, _whole(whole, 52)), x.type))


def _whole_like(x: ir.Value):
    """Integers of the size of reals."""
    return ir.VectorType(I64, x.type.count) if isinstance(x.type, ir.VectorType) else I64


def _whole(t: Any, value: int):
    return ir.Constant(t, [value] * t.count) if isinstance(t, ir.VectorType) else t(value)


define_function(lanes.exponent, _same, lambda c, x: exponent_of(c.builder, x))
define_function(lanes.scale2, _same, lambda c, x, k: scaled(c.builder, x, k))


# ---------------------------------------------------------------- whole numbers

define_function(
    lanes.mask_bits,
    lambda mask: signature(types.int64, mask) if isinstance(mask, Mask) else None,
    lambda c, mask: c.builder.zext(c.builder.bitcast(mask, ir.IntType(c.sig.args[0].width)), I64),
    Mask,
)
define_function(
    lanes.lowest_bit,
    lambda bits: signature(types.int64, types.int64) if isinstance(bits, types.Integer) else None,
    lambda c, bits: call_named(c.builder, "llvm.cttz.i64", I64, [bits, ir.Constant(I1, 1)]),
    types.Integer,
)


def _whole_numbers(*args: types.Type):
    """Whole numbers to a whole number."""
    if all(isinstance(t, types.Integer) for t in args):
        return signature(types.int64, *[types.int64] * len(args))
    return None


def _turn(c: Call, x: ir.Value, n: ir.Value):
    word, by = c.builder.trunc(x, I32), c.builder.trunc(n, I32)
    return c.builder.zext(call_named(c.builder, "llvm.fshr.i32", I32, [word, word, by]), I64)


define_function(
    lanes.wrapping_multiply_add,
    _whole_numbers,
    lambda c, a, b, k: c.builder.add(c.builder.mul(a, b), k),
)
define_function(lanes.rotate_right, _whole_numbers, _turn)
