"""Dual numbers as the reals of kernels: the numba type, and the LLVM code of its operations.

A dual number is a value and its derivatives along LANES - 1 directions (forward mode of automatic
differentiation; Griewank and Walther, "Evaluating Derivatives"). It lies in memory as a pack does,
lane 0 is the value. Everything that kernels decide, they decide by the value alone, so comparisons
give plain booleans. Values have the bits of width 1.
"""

import operator
from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.typing.templates import signature

from . import lanes
from .lowering import exponent_of, scaled
from .number_kinds import (
    COMPARISONS,
    F64,
    I32,
    Lanes,
    call_intrinsic,
    compare,
    define_function,
    define_operator,
    register,
    splat,
    to_i1,
)
from .record import Entry
from .record_lowering import FieldType, RecordType, register_record

LANES = 8
VECTOR = ir.VectorType(F64, LANES)


class Dual(Lanes):
    """A value and LANES - 1 derivatives."""

    own_rules = True

    def __init__(self):
        super().__init__("Dual")


DUAL = Dual()


class DualFieldType(FieldType):
    """Pointer to dual numbers."""

    value_type = DUAL

    def __init__(self, constant: bool):
        super().__init__("f8", LANES, constant)
        self.name = f"Dual{self.name}"


class DualRecordType(RecordType):
    """A record whose reals are dual numbers."""

    def __init__(self, layout: Any, constant: bool):
        super().__init__(layout, LANES, constant)
        self.name = f"Dual{self.name}"

    def field(self, entry: Entry) -> FieldType:
        if entry.element == "f8" and not entry.shared:
            return DualFieldType(self.constant)
        return FieldType(entry.element, 0, self.constant)


# ---------------------------------------------------------------- parts of a dual number


def value(builder: ir.IRBuilder, x: ir.Value):
    """The value: a float64."""
    return builder.extract_element(x, I32(0))


def head(builder: ir.IRBuilder, x: ir.Value):
    """The value in every lane."""
    return splat(builder, value(builder, x), LANES)


def with_value(builder: ir.IRBuilder, number: ir.Value, x: ir.Value):
    """The derivatives of x with another value."""
    return builder.insert_element(x, number, I32(0))


def constant(builder: ir.IRBuilder, number: ir.Value):
    """A number that depends on nothing."""
    return with_value(builder, number, ir.Constant(VECTOR, None))


register(
    Dual,
    lambda t: VECTOR,
    lambda c, to, x: constant(
        c.builder, c.context.cast(c.builder, x, c.sig.args[0], types.float64)
    ),
)
register_record(DualRecordType, DualFieldType)


# ---------------------------------------------------------------- operators


def multiply(b: ir.IRBuilder, x: ir.Value, y: ir.Value):
    """Product rule."""
    slopes = b.fadd(b.fmul(head(b, x), y), b.fmul(x, head(b, y)))
    return with_value(b, b.fmul(value(b, x), value(b, y)), slopes)


def divide(b: ir.IRBuilder, x: ir.Value, y: ir.Value):
    """Quotient rule."""
    quotient = b.fdiv(value(b, x), value(b, y))
    slopes = b.fdiv(b.fsub(x, b.fmul(splat(b, quotient, LANES), y)), head(b, y))
    return with_value(b, quotient, slopes)


def compare_values(sign: str) -> Callable[..., ir.Value]:
    """A comparison of values."""
    test = compare(sign)
    return lambda b, x, y: test(b, value(b, x), value(b, y))


define_operator(operator.add, Dual, lambda b, x, y: b.fadd(x, y))
define_operator(operator.sub, Dual, lambda b, x, y: b.fsub(x, y))
define_operator(operator.neg, Dual, lambda b, x: b.fneg(x))
define_operator(operator.mul, Dual, multiply)
define_operator(operator.truediv, Dual, divide)
for _op, _sign in COMPARISONS.items():
    define_operator(_op, Dual, compare_values(_sign), lambda t: types.boolean)


# ---------------------------------------------------------------- functions of lanes.py


def _typer(*args: types.Type):
    return signature(DUAL, *[DUAL] * len(args)) if DUAL in args else None


def define_dual(function: Callable[..., Any], emit: Callable[..., ir.Value], arity: int = 1):
    """Bind a function of `lanes.py` to its form for dual numbers: (builder, *args) to a value."""
    define_function(function, _typer, lambda c, *args: emit(c.builder, *args), *[Dual] * arity)


def root(b: ir.IRBuilder, x: ir.Value):
    """Square root; where it is 0 its derivatives, which do not exist, are 0 too."""
    number = call_intrinsic(b, "llvm.sqrt", [value(b, x)])
    slope = b.fdiv(F64(0.5), number)
    slope = b.select(b.fcmp_ordered("==", number, F64(0)), F64(0), slope)
    return with_value(b, number, b.fmul(x, splat(b, slope, LANES)))


def magnitude(b: ir.IRBuilder, x: ir.Value):
    """Absolute value."""
    return b.select(b.fcmp_ordered("<", value(b, x), F64(0)), b.fneg(x), x)


def rounded(intrinsic: str):
    """A function whose derivatives are 0."""
    return lambda b, x: constant(b, call_intrinsic(b, intrinsic, [value(b, x)]))


def multiply_add(b: ir.IRBuilder, x: ir.Value, y: ir.Value, z: ir.Value):
    """The value of the fused operation, and the product rule."""
    number = call_intrinsic(b, "llvm.fma", [value(b, one) for one in (x, y, z)])
    inner = call_intrinsic(b, "llvm.fma", [x, head(b, y), z])
    return with_value(b, number, call_intrinsic(b, "llvm.fma", [head(b, x), y, inner]))


def _select_typer(mask: types.Type, x: types.Type, y: types.Type):
    return signature(DUAL, mask, DUAL, DUAL) if DUAL in (x, y) else None


define_dual(lanes.sqrt, root)
define_dual(lanes.absolute, magnitude)
define_dual(lanes.floor, rounded("llvm.floor"))
define_dual(lanes.rint, rounded("llvm.rint"))
define_dual(lanes.fma, multiply_add, 3)
define_dual(lanes.exponent, lambda b, x: constant(b, exponent_of(b, value(b, x))))
define_dual(lanes.scale2, lambda b, x, k: scaled(b, x, head(b, k)), 2)
define_function(
    lanes.select,
    _select_typer,
    lambda c, mask, x, y: c.builder.select(to_i1(c.builder, mask), x, y),
    types.Any,
    Dual,
    Dual,
)
