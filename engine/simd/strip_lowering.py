"""Strips: packs of `STRIP` numbers of one world, and the LLVM code that loads and gathers them.

Where a large model has a single world, lanes can be rows or dofs. Fields hold them number by
number, so that strips begin anywhere and end within the last one: what lies behind the end is not
touched.
"""

from collections.abc import Iterable

from llvmlite import ir
from numba.core import types
from numba.core.typing.templates import signature

from . import lanes
from .lowering import Pack
from .number_kinds import F64, I32, I64, NOTHING, Call, call_named, define_function, splat
from .record import STRIP
from .record_lowering import FieldType

VECTOR, WHOLE = ir.VectorType(F64, STRIP), ir.VectorType(I64, STRIP)
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
    # number by number: the processor's own gather takes longer, see docs/performance.md
    builder, found = c.builder, ir.Constant(VECTOR, ir.Undefined)
    origin = _place(builder, pointer, start)
    for lane, index in enumerate(_indices(builder, bits, at)):
        number = builder.load(_place(builder, origin, index), align=NUMBER, typ=F64)
        found = builder.insert_element(found, number, I32(lane))
    return found


def _indices(builder: ir.IRBuilder, bits: ir.Value, at: ir.Value) -> list[ir.Value]:
    """The integers of a strip of them, one by one."""
    first = builder.mul(at, I64(STRIP))
    found = []
    for lane in range(STRIP):
        place = builder.gep(bits, [builder.add(first, I64(lane))], inbounds=True, source_etype=I64)
        found.append(builder.load(place, align=NUMBER, typ=I64))
    return found


def _threes_typer(f: types.Type, bits: types.Type, at: types.Type):
    if not _shared(f) or not isinstance(bits, FieldType) or bits.element != "i8":
        return None
    return signature(types.UniTuple(Pack(STRIP), 3), f, bits, types.int64)


def _threes(c: Call, pointer: ir.Value, bits: ir.Value, at: ir.Value):
    builder, four = c.builder, ir.VectorType(F64, 4)
    # one load for the numbers of each lane
    loads = []
    for index in _indices(builder, bits, at):
        where = builder.bitcast(_place(builder, pointer, index), four.as_pointer())
        loads.append(builder.load(where, align=NUMBER, typ=four))
    # side by side in an order in which two interleavings and three choices of halves are enough
    pairs = [_shuffle(builder, loads[k], loads[k + 2], range(8)) for k in (0, 1, 4, 5)]
    low, high = [0, 8, 2, 10, 4, 12, 6, 14], [1, 9, 3, 11, 5, 13, 7, 15]
    xz = [_shuffle(builder, pairs[k], pairs[k + 1], low) for k in (0, 2)]
    y = [_shuffle(builder, pairs[k], pairs[k + 1], high) for k in (0, 2)]
    first, second = [0, 1, 4, 5, 8, 9, 12, 13], [2, 3, 6, 7, 10, 11, 14, 15]
    strips = [
        _shuffle(builder, *xz, first), _shuffle(builder, *y, first), _shuffle(builder, *xz, second)
    ]  # fmt: skip
    return c.context.make_tuple(builder, c.sig.return_type, strips)


def _interleave_typer(x: types.Type, y: types.Type, z: types.Type):
    if any(strip != Pack(STRIP) for strip in (x, y, z)):
        return None
    return signature(types.UniTuple(Pack(STRIP), 4), x, y, z)


def _interleave(c: Call, x: ir.Value, y: ir.Value, z: ir.Value):
    builder, strips = c.builder, []
    for k in range(0, STRIP, 2):
        # x and y of two lanes, then z and 0
        xy = _shuffle(builder, x, y, [k, k + 8, 0, 0, k + 1, k + 9, 0, 0])
        z0 = _shuffle(builder, z, ir.Constant(VECTOR, None), [0, 0, k, 8, 0, 0, k + 1, 8])
        strips.append(_shuffle(builder, xy, z0, [0, 1, 10, 11, 4, 5, 14, 15]))
    return c.context.make_tuple(builder, c.sig.return_type, strips)


def _shuffle(builder: ir.IRBuilder, a: ir.Value, b: ir.Value, order: Iterable[int]):
    """Numbers of two vectors in another order."""
    places = list(order)
    return builder.shuffle_vector(a, b, ir.Constant(ir.VectorType(I32, len(places)), places))


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
define_function(lanes.gather_threes, _threes_typer, _threes)
define_function(lanes.interleave, _interleave_typer, _interleave)
define_function(
    lanes.strip_sum,
    lambda strip: signature(types.float64, strip) if strip == Pack(STRIP) else None,
    _sum,
)
