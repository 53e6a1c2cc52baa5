"""Kinds of numbers in kernels: what each of their numba types needs, said once.

A kind is a class below `Lanes`: how its values lie in LLVM, and which plain numbers stand for one.
`register` gives it its place in memory and its conversion, `define_operator` and `define_function`
its operations, of which all are given as a function of the LLVM builder.

Imported only when something has to be compiled.
"""

import operator
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.base import BaseContext
from numba.core.datamodel.manager import DataModelManager
from numba.core.typeconv import Conversion
from numba.core.typing.context import BaseContext as TypingContext
from numba.core.typing.templates import AbstractTemplate, Signature, infer_global, signature
from numba.extending import lower_builtin, lower_cast, models, register_model

I1, I8, I32, I64 = ir.IntType(1), ir.IntType(8), ir.IntType(32), ir.IntType(64)
F32, F64 = ir.FloatType(), ir.DoubleType()
NOTHING = ir.Constant(I8.as_pointer(), None)  # what a function returns that returns nothing
UNARY = (operator.neg, operator.pos)
COMPARISONS = {
    operator.lt: "<", operator.le: "<=", operator.gt: ">", operator.ge: ">=", operator.eq: "==",
    operator.ne: "!=",
}  # fmt: skip


class Lanes(types.Type):
    """A number per lane, for which a plain number of the type `scalar` may stand."""

    scalar: Any = types.Number

    def can_convert_from(self, typingctx: TypingContext, other: types.Type):
        return Conversion.safe if isinstance(other, self.scalar) else None

    def unify(self, typingctx: TypingContext, other: types.Type):
        return self if isinstance(other, self.scalar) else None


class Call(NamedTuple):
    """A call that is being compiled.

    Attributes:
        context: numba's.
        builder: of LLVM, which writes the code.
        sig: types of the arguments and of the result.
    """

    context: BaseContext
    builder: ir.IRBuilder
    sig: Signature


def register(
    kind: type[types.Type],
    layout: Callable[[Any], ir.Type],
    spread: Callable[[Call, Any, ir.Value], ir.Value] | None = None,
) -> None:
    """Make a class of numba types known.

    Args:
        kind: the class.
        layout: a type of the class to that of its values in LLVM.
        spread: makes one of a plain number, which has the type `scalar` of the class; (call, type
            to make, number) to a value. None: it is made of none.
    """

    @register_model(kind)
    class Model(models.PrimitiveModel):
        def __init__(self, manager: DataModelManager, fe_type: types.Type):
            super().__init__(manager, fe_type, layout(fe_type))

    if spread is not None:

        @lower_cast(kind.scalar, kind)
        def cast(
            context: BaseContext,
            builder: ir.IRBuilder,
            fromty: types.Type,
            toty: types.Type,
            value: ir.Value,
        ):
            return spread(Call(context, builder, signature(toty, fromty)), toty, value)


def define_operator(
    op: Callable[..., Any],
    kind: type[Lanes],
    emit: Callable[..., ir.Value],
    result: Callable[[Any], types.Type] | None = None,
) -> None:
    """Give an operator a meaning when one argument at least is of a kind.

    Args:
        op: of the module operator.
        kind: the class.
        emit: (builder, *values of the kind) to a value.
        result: type of the kind to that of the result; None: the same.
    """

    @infer_global(op)
    class Operator(AbstractTemplate):
        def generic(self, args: Sequence[types.Type], kws: dict[str, types.Type]):
            found = next((t for t in args if isinstance(t, kind)), None)
            if found is not None and all(isinstance(t, (kind, kind.scalar)) for t in args):
                return signature(result(found) if result else found, *[found] * len(args))

    def lower(
        context: BaseContext, builder: ir.IRBuilder, sig: Signature, args: Sequence[ir.Value]
    ):
        return emit(builder, *args)

    lower_builtin(op, *[kind] * (1 if op in UNARY else 2))(lower)


def compare(sign: str) -> Callable[..., ir.Value]:
    """A comparison of reals; whatever is not a number is unequal to all."""

    def emit(b: ir.IRBuilder, x: ir.Value, y: ir.Value):
        return (b.fcmp_unordered if sign == "!=" else b.fcmp_ordered)(sign, x, y)

    return emit


def define_function(
    function: Callable[..., Any],
    typer: Callable[..., Signature | None],
    emit: Callable[..., ir.Value],
    *formal: Any,
) -> None:
    """Bind a function of `lanes.py` to a compiled form of it.

    Args:
        function: the interpreted form, the object that kernels name.
        typer: argument types to a signature, or None when they do not fit.
        emit: (call, *values) to a value.
        formal: classes of argument types that this form is for; none: all that have no `own_rules`.
    """

    class Function(AbstractTemplate):
        def generic(self, args: Sequence[types.Type], kws: dict[str, types.Type]):
            if not formal and any(hasattr(t, "own_rules") for t in args):
                return None
            return typer(*args)

    def lower(
        context: BaseContext, builder: ir.IRBuilder, sig: Signature, args: Sequence[ir.Value]
    ):
        return emit(Call(context, builder, sig), *args)

    infer_global(function)(Function)
    lower_builtin(function, *(formal or (types.VarArg(types.Any),)))(lower)


# ---------------------------------------------------------------- LLVM


def splat(builder: ir.IRBuilder, value: ir.Value, width: int) -> ir.Value:
    """The same scalar in every lane."""
    vector = ir.VectorType(value.type, width)
    undefined = ir.Constant(vector, ir.Undefined)
    one = builder.insert_element(undefined, value, ir.Constant(I32, 0))
    return builder.shuffle_vector(
        one, undefined, ir.Constant(ir.VectorType(I32, width), [0] * width)
    )


def to_i1(builder: ir.IRBuilder, value: ir.Value) -> ir.Value:
    """A plain truth value as one bit."""
    return value if value.type == I1 else builder.icmp_unsigned("!=", value, value.type(0))


def call_named(
    builder: ir.IRBuilder, name: str, result: ir.Type, args: Sequence[ir.Value]
) -> ir.Value:
    """Call an LLVM intrinsic by its full name."""
    fnty = ir.FunctionType(result, [x.type for x in args])
    return builder.call(cgutils.get_or_insert_function(builder.module, fnty, name), args)


def call_intrinsic(builder: ir.IRBuilder, name: str, args: Sequence[ir.Value]) -> ir.Value:
    """Call an LLVM intrinsic over reals or vectors of them, all of the same type."""
    t = args[0].type
    element = t.element if isinstance(t, ir.VectorType) else t
    suffix = f"f{64 if element == F64 else 32}"
    suffix = f"v{t.count}{suffix}" if isinstance(t, ir.VectorType) else suffix
    return call_named(builder, f"{name}.{suffix}", t, args)


def invariant(builder: ir.IRBuilder, load: Any) -> Any:
    """Mark a load of memory that no kernel writes, so that it can be hoisted out of loops."""
    load.set_metadata("invariant.load", builder.module.add_metadata([]))
    return load
