"""Strips: packs of `STRIP` numbers of one world, and the LLVM code that loads and gathers them.

Where a large model has a single world, lanes can be rows or dofs. Fields hold them number by
number, so that strips begin anywhere and end within the last one: what lies behind the end is not
touched.
"""

from llvmlite import ir
from numba.core import types
from numba.core.typing.templates import signature

from . import lanes
from .lowering import Pack
from .number_kinds import F64, I1, I32, I64, NOTHING, Call, call_named, define_function, splat
from .record import STRIP
from .record_lowering import FieldType

VECTOR, WHOLE = ir.VectorType(F64, STRIP), ir.VectorType(I64, STRIP)
TRUTHS = ir.VectorType(I1, STRIP)
NUMBER = 8  # bytes


def _shared(f: types.Type) -> bool:
    """True if a field holds reals number by number."""
    return isinstance(f, FieldType) and f.element == "f8" and f.width <= 1


def _within(builder: ir.IRBuilder, n: ir.Value):
    """Mask of the first n lanes."""
    every = ir.Constant(WHOLE, list(range(STRIP)))
    return builder.icmp_signed("<", every, splat(builder, n, STRIP))


def _place(builder: ir.IRBuilder, pointer: ir.Value, start: ir.Value):
    return builder.gep(pointer, [start], inbounds=True, source_etype=F64)


def _load_typer(f: types.Type, start: types.Type, n: types.Type):
    return signature(Pack(STRIP), f, types.int64, types.int64) if _shared(f) else None


def _load(c: Call, pointer: ir.Value, start: ir.Value, n: ir.Value):
    at = _place(c.builder, pointer, start)
    rest = [I32(NUMBER), _within(c.builder, n), ir.Constant(VECTOR, None)]
    return call_named(c.builder, f"llvm.masked.load.v{STRIP}f64.p0", VECTOR, [at, *rest])


def _store_typer(f: types.Type, start: types.Type, n: types.Type, strip: types.Type):
    if not _shared(f):
        return None
    return signature(types.none, f, types.int64, types.int64, Pack(STRIP))


def _store(c: Call, pointer: ir.Value, start: ir.Value, n: ir.Value, strip: ir.Value):
    at = _place(c.builder, pointer, start)
    rest = [at, I32(NUMBER), _within(c.builder, n)]
    name = f"llvm.masked.store.v{STRIP}f64.p0"
    call_named(c.builder, name, ir.VoidType(), [strip, *rest])
    return NOTHING


def _gather_typer(f: types.Type, start: types.Type, bits: types.Type, at: types.Type):
    if not _shared(f) or not isinstance(bits, FieldType) or bits.element != "i8":
        return None
    return signature(Pack(STRIP), f, types.int64, bits, types.int64)


def _gather(c: Call, pointer: ir.Value, start: ir.Value, bits: ir.Value, at: ir.Value):
    where = c.builder.bitcast(bits, WHOLE.as_pointer())
    where = c.builder.gep(where, [at], inbounds=True, source_etype=WHOLE)
    index = c.builder.load(where, align=STRIP * NUMBER, typ=WHOLE)
    origin = _place(c.builder, pointer, start)
    pointers = c.builder.gep(origin, [index], inbounds=True, source_etype=F64)
    pointers.type = ir.VectorType(pointer.type, STRIP)  # llvmlite takes it for one pointer
    rest = [I32(NUMBER), ir.Constant(TRUTHS, [1] * STRIP), ir.Constant(VECTOR, None)]
    name = f"llvm.masked.gather.v{STRIP}f64.v{STRIP}p0"
    return call_named(c.builder, name, VECTOR, [pointers, *rest])


def _sum(c: Call, strip: ir.Value):
    undefined = ir.Constant(VECTOR, ir.Undefined)
    for half in (4, 2, 1):
        order = [(k + half) % STRIP for k in range(STRIP)]
        index = ir.Constant(ir.VectorType(I32, STRIP), order)
        strip = c.builder.fadd(strip, c.builder.shuffle_vector(strip, undefined, index))
    return c.builder.extract_element(strip, I32(0))


define_function(lanes.load_strip, _load_typer, _load)
define_function(lanes.store_strip, _store_typer, _store)
define_function(lanes.gather_strip, _gather_typer, _gather)
define_function(
    lanes.strip_sum,
    lambda strip: signature(types.float64, strip) if strip == Pack(STRIP) else None,
    _sum,
)
