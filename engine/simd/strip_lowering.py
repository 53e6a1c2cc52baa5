"""Strips: packs of `STRIP` numbers of one world, and the LLVM code that loads and gathers them.

Where a large model has a single world, lanes can be rows or dofs. Fields hold them number by
number, so that strips begin anywhere and end within the last one: what lies behind the end is not
touched.
"""

from collections.abc import Callable, Sequence
from typing import Any

from llvmlite import ir
from numba.core import cgutils, types
from numba.core.base import BaseContext
from numba.core.typing.templates import Signature, signature

from . import lanes
from .lowering import F64, I32, I64, FieldType, Pack, define_function, splat
from .record import STRIP

VECTOR, WHOLE = ir.VectorType(F64, STRIP), ir.VectorType(I64, STRIP)
TRUTHS = ir.VectorType(ir.IntType(1), STRIP)
NUMBER = 8  # bytes


def call_named(builder: ir.IRBuilder, name: str, result: ir.Type, args: Sequence[Any]):
    """Call an LLVM intrinsic by its full name."""
    fnty = ir.FunctionType(result, [x.type for x in args])
    return builder.call(cgutils.get_or_insert_function(builder.module, fnty, name), args)


def _shared(f: Callable[..., Any]) -> bool:
    """True if a field holds reals number by number."""
    return isinstance(f, FieldType) and f.element == "f8" and f.width <= 1


def _within(builder: ir.IRBuilder, n: Any):
    """Mask of the first n lanes."""
    every = ir.Constant(WHOLE, list(range(STRIP)))
    return builder.icmp_signed("<", every, splat(builder, n, STRIP))


def _place(builder: ir.IRBuilder, pointer: ir.Value, start: ir.Value):
    return builder.gep(pointer, [start], inbounds=True, source_etype=F64)


def _load_typer(f: Callable[..., Any], start: ir.Value, n: Any):
    return signature(Pack(STRIP), f, types.int64, types.int64) if _shared(f) else None


def _load_emit(
    context: BaseContext, builder: ir.IRBuilder, sig: Signature, args: Sequence[ir.Value]
):
    pointer, start, n = args
    at = _place(builder, pointer, start)
    rest = [I32(NUMBER), _within(builder, n), ir.Constant(VECTOR, None)]
    return call_named(builder, f"llvm.masked.load.v{STRIP}f64.p0", VECTOR, [at, *rest])


def _store_typer(f: Callable[..., Any], start: ir.Value, n: Any, strip: ir.Value):
    if not _shared(f):
        return None
    return signature(types.none, f, types.int64, types.int64, Pack(STRIP))


def _store_emit(
    context: BaseContext, builder: ir.IRBuilder, sig: Signature, args: Sequence[ir.Value]
):
    pointer, start, n, strip = args
    at = _place(builder, pointer, start)
    rest = [at, I32(NUMBER), _within(builder, n)]
    call_named(builder, f"llvm.masked.store.v{STRIP}f64.p0", ir.VoidType(), [strip, *rest])
    return context.get_dummy_value()


def _gather_typer(f: Callable[..., Any], start: ir.Value, bits: ir.Value, at: Any):
    if not _shared(f) or not isinstance(bits, FieldType) or bits.element != "i8":
        return None
    return signature(Pack(STRIP), f, types.int64, bits, types.int64)


def _gather_emit(context: BaseContext, builder: ir.IRBuilder, sig: Signature, args: Sequence[Any]):
    pointer, start, bits, at = args
    where = builder.bitcast(bits, WHOLE.as_pointer())
    where = builder.gep(where, [at], inbounds=True, source_etype=WHOLE)
    index = builder.load(where, align=STRIP * NUMBER, typ=WHOLE)
    origin = _place(builder, pointer, start)
    pointers = builder.gep(origin, [index], inbounds=True, source_etype=F64)
    pointers.type = ir.VectorType(pointer.type, STRIP)  # llvmlite takes it for one pointer
    rest = [I32(NUMBER), ir.Constant(TRUTHS, [1] * STRIP), ir.Constant(VECTOR, None)]
    name = f"llvm.masked.gather.v{STRIP}f64.v{STRIP}p0"
    return call_named(builder, name, VECTOR, [pointers, *rest])


def _sum_emit(
    context: BaseContext, builder: ir.IRBuilder, sig: Signature, args: Sequence[ir.Value]
):
    (strip,) = args
    undefined = ir.Constant(VECTOR, ir.Undefined)
    for half in (4, 2, 1):
        order = [(k + half) % STRIP for k in range(STRIP)]
        index = ir.Constant(ir.VectorType(I32, STRIP), order)
        strip = builder.fadd(strip, builder.shuffle_vector(strip, undefined, index))
    return builder.extract_element(strip, I32(0))


define_function(lanes.load_strip, _load_typer, _load_emit)
define_function(lanes.store_strip, _store_typer, _store_emit)
define_function(lanes.gather_strip, _gather_typer, _gather_emit)
define_function(
    lanes.strip_sum,
    lambda strip: signature(types.float64, strip) if strip == Pack(STRIP) else None,
    _sum_emit,
)
