"""Dual numbers as the reals of kernels: the numba type, and the LLVM code of its operations.

A dual number is a value and its derivatives along LANES - 1 directions (forward mode of automatic
differentiation; Griewank and Walther, "Evaluating Derivatives"). It lies in memory as a pack does,
lane 0 is the value. Everything that kernels decide, they decide by the value alone, so comparisons
give plain booleans. Values have the bits of width 1.
"""

import operator
from collections.abc import Callable, Sequence
from typing import Any

from llvmlite import ir
from numba.core import types
from numba.core.base import BaseContext
from numba.core.datamodel.manager import DataModelManager
from numba.core.typeconv import Conversion
from numba.core.typing.context import BaseContext as TypingContext
from numba.core.typing.templates import AbstractTemplate, AttributeTemplate, infer_global, signature
from numba.extending import infer_getattr, lower_builtin, lower_cast, models, register_model

from . import lanes
from .lowering import (
    F64,
    I32,
    FieldType,
    RecordType,
    _exponent_emit,
    _scale2_emit,
    call_intrinsic,
    splat,
    to_i1,
)

LANES = 8
VECTOR = ir.VectorType(F64, LANES)


class Dual(types.Type):
    """A value and LANES - 1 derivatives."""

    own_rules = True

    def __init__(self):
        super().__init__("Dual")

    def can_convert_from(self, typingctx: TypingContext, other: types.Type):
        return Conversion.safe if isinstance(other, types.Number) else None

    def unify(self, typingctx: TypingContext, other: types.Type):
        return self if isinstance(other, types.Number) else None


DUAL = Dual()


class DualFieldType(FieldType):
    """Pointer to dual numbers."""

    def __init__(self, element: str, constant: bool):
        super().__init__(element, LANES, constant)
        self.name = f"Dual{self.name}"

    @property
    def value_type(self):
        return DUAL


class DualRecordType(RecordType):
    """A record whose reals are dual numbers."""

    def __init__(self, layout: Any, constant: bool):
        super().__init__(layout, LANES, constant)
        self.name = f"Dual{self.name}"


@register_model(Dual)
class DualModel(models.PrimitiveModel):
    """The layout of a dual number in memory."""

    def __init__(self, manager: DataModelManager, fe_type: types.Type):
        super().__init__(manager, fe_type, VECTOR)


@register_model(DualFieldType)
class DualFieldModel(models.PrimitiveModel):
    """The layout of a field of dual numbers in memory."""

    def __init__(self, manager: DataModelManager, fe_type: types.Type):
        super().__init__(manager, fe_type, F64.as_pointer())


@register_model(DualRecordType)
class DualRecordModel(models.PrimitiveModel):
    """The layout of a record of dual numbers in memory."""

    def __init__(self, manager: DataModelManager, fe_type: types.Type):
        super().__init__(manager, fe_type, ir.IntType(64).as_pointer())


@infer_getattr
class DualRecordAttribute(AttributeTemplate):
    """Types of the entries of a record."""

    key = DualRecordType

    def generic_resolve(self, record: ir.Value, name: Any):
        entry = record.layout.entries.get(name)
        if entry is None:
            return None
        if entry.element == "size":
            return types.int64
        if entry.element == "f8" and not entry.shared:
            return DualFieldType(entry.element, record.constant)
        return FieldType(entry.element, 0, record.constant)


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


@lower_cast(types.Number, Dual)
def cast_number(
    context: BaseContext, builder: ir.IRBuilder, fromty: types.Type, toty: types.Type, x: ir.Value
):
    """A number that depends on nothing, of any numeric type."""
    return constant(builder, context.cast(builder, x, fromty, types.float64))


# ---------------------------------------------------------------- operators


def define_operator(op: Callable[..., Any], emit: Callable[..., Any], result: ir.Value = DUAL):
    """Give an operator a meaning when one argument at least is a dual number."""

    @infer_global(op)
    class Operator(AbstractTemplate):
        def generic(self, args: Sequence[ir.Value], kws: dict[str, types.Type]):
            if DUAL in args and all(t == DUAL or isinstance(t, types.Number) for t in args):
                return signature(result, *[DUAL] * len(args))

    arity = 1 if op in (operator.neg, operator.pos) else 2
    lower_builtin(op, *[Dual] * arity)(lambda context, builder, sig, args: emit(builder, *args))


def multiply(b: ir.Value, x: ir.Value, y: ir.Value):
    """Product rule."""
    slopes = b.fadd(b.fmul(head(b, x), y), b.fmul(x, head(b, y)))
    return with_value(b, b.fmul(value(b, x), value(b, y)), slopes)


def divide(b: ir.Value, x: ir.Value, y: ir.Value):
    """Quotient rule."""
    quotient = b.fdiv(value(b, x), value(b, y))
    slopes = b.fdiv(b.fsub(x, b.fmul(splat(b, quotient, LANES), y)), head(b, y))
    return with_value(b, quotient, slopes)


def compare(op: Callable[..., Any], sign: str, ordered: bool = True):
    """A comparison of values."""

    def emit(b: ir.Value, x: ir.Value, y: ir.Value):
        test = b.fcmp_ordered if ordered else b.fcmp_unordered
        return test(sign, value(b, x), value(b, y))

    define_operator(op, emit, types.boolean)


define_operator(operator.add, lambda b, x, y: b.fadd(x, y))
define_operator(operator.sub, lambda b, x, y: b.fsub(x, y))
define_operator(operator.neg, lambda b, x: b.fneg(x))
define_operator(operator.mul, multiply)
define_operator(operator.truediv, divide)
compare(operator.lt, "<")
compare(operator.le, "<=")
compare(operator.gt, ">")
compare(operator.ge, ">=")
compare(operator.eq, "==")
compare(operator.ne, "!=", ordered=False)


# ---------------------------------------------------------------- functions of lanes.py


def _typer(*args: Any):
    if DUAL in args:
        return signature(DUAL, *[DUAL] * len(args))
    return None


def define_dual(
    function: Callable[..., Any], emit: Callable[..., Any], typer: Callable[..., Any] = _typer
):
    """Bind a function of `lanes.py` to its form for dual numbers: (builder, *args) to a value."""

    class Function(AbstractTemplate):
        def generic(self, args: Sequence[ir.Value], kws: dict[str, types.Type]):
            return typer(*args)

    infer_global(function)(Function)
    arity = {lanes.fma: 3, lanes.select: 3, lanes.scale2: 2}.get(function, 1)
    first = [types.Any] if function is lanes.select else []
    formal = first + [Dual] * (arity - len(first))
    lower_builtin(function, *formal)(lambda context, builder, sig, args: emit(builder, *args))


def root(b: ir.Value, x: ir.Value):
    """Square root; where it is 0 its derivatives, which do not exist, are 0 too."""
    number = call_intrinsic(b, "llvm.sqrt", [value(b, x)])
    slope = b.fdiv(F64(0.5), number)
    slope = b.select(b.fcmp_ordered("==", number, F64(0)), F64(0), slope)
    return with_value(b, number, b.fmul(x, splat(b, slope, LANES)))


def magnitude(b: ir.Value, x: ir.Value):
    """Absolute value."""
    return b.select(b.fcmp_ordered("<", value(b, x), F64(0)), b.fneg(x), x)


def rounded(intrinsic: str):
    """A function whose derivatives are 0."""
    return lambda b, x: constant(b, call_intrinsic(b, intrinsic, [value(b, x)]))


def multiply_add(b: ir.Value, x: ir.Value, y: ir.Value, z: ir.Value):
    """The value of the fused operation, and the product rule."""
    number = call_intrinsic(b, "llvm.fma", [value(b, one) for one in (x, y, z)])
    inner = call_intrinsic(b, "llvm.fma", [x, head(b, y), z])
    return with_value(b, number, call_intrinsic(b, "llvm.fma", [head(b, x), y, inner]))


def choose(b: ir.Value, mask: ir.Value, x: ir.Value, y: ir.Value):
    """Value and derivatives of one of two numbers."""
    return b.select(to_i1(b, mask), x, y)


def _select_typer(mask: ir.Value, x: ir.Value, y: ir.Value):
    if DUAL in (x, y):
        return signature(DUAL, mask, DUAL, DUAL)
    return None


define_dual(lanes.sqrt, root)
define_dual(lanes.absolute, magnitude)
define_dual(lanes.floor, rounded("llvm.floor"))
define_dual(lanes.rint, rounded("llvm.rint"))
define_dual(lanes.fma, multiply_add)
define_dual(lanes.select, choose, _select_typer)
define_dual(lanes.exponent, lambda b, x: constant(b, _exponent_emit(None, b, None, [value(b, x)])))
define_dual(
    lanes.scale2,
    lambda b, x, k: _scale2_emit(None, b, None, [x, head(b, k)]),
)
