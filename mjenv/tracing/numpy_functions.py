"""Numpy's functions on traced arrays: which there are, and what they record."""

from collections.abc import Callable
from typing import Any

import numpy as np

from mjenv.tracing.arrays import (
    BOOL,
    DOUBLE,
    INT,
    SINGLE,
    OtherWorldsError,
    Traced,
    TraceError,
    recording_of,
)

# ufunc -> operation, and whether the operands change places
_BINARY = {
    "add":           ("add", False),
    "subtract":      ("subtract", False),
    "multiply":      ("multiply", False),
    "divide":        ("divide", False),
    "maximum":       ("maximum", False),
    "minimum":       ("minimum", False),
    "less":          ("less", False),
    "less_equal":    ("less_equal", False),
    "greater":       ("less", True),
    "greater_equal": ("less_equal", True),
    "equal":         ("equal", False),
    "not_equal":     ("not_equal", False),
    "logical_and":   ("logical_and", False),
    "logical_or":    ("logical_or", False),
    "logical_xor":   ("not_equal", False),
    "bitwise_and":   ("logical_and", False),
    "bitwise_or":    ("logical_or", False),
    "bitwise_xor":   ("not_equal", False),
}  # fmt: skip
_UNARY = {
    "negative":    "negative",
    "positive":    "copy",
    "absolute":    "absolute",
    "fabs":        "absolute",
    "sqrt":        "sqrt",
    "floor":       "floor",
    "rint":        "rint",
    "logical_not": "logical_not",
    "invert":      "logical_not",
    "isfinite":    "isfinite",
    "isnan":       "isnan",
}  # fmt: skip
_REDUCTIONS = {
    "add": "sum", "logical_and": "all", "logical_or": "any", "maximum": "max", "minimum": "min",
}  # fmt: skip
_ROUNDED = {"add", "subtract", "multiply", "divide", "sqrt", "sum"}
_ON_BOOL = {"add": "logical_or", "multiply": "logical_and"}
_BLOCK = 128  # numbers whose sum numpy takes without halving

# functions whose bits depend on the processor, and what has the same bits everywhere
FUNCTIONS = ("sin", "cos", "tan", "exp", "log", "arcsin", "arccos", "arctan", "arctan2")
_ELSEWHERE = {name: f"mjenv.functions.{name}" for name in FUNCTIONS} | {
    "power": "products, or mjenv.functions.exp(y * mjenv.functions.log(x))",
    "tanh": "1 - 2 / (mjenv.functions.exp(2 * x) + 1)",
    "hypot": "numpy.sqrt(x * x + y * y)",
    "dot": "(x * y).sum(axis=-1)",
    "matmul": "(x * y).sum(axis=-1)",
    "vecdot": "(x * y).sum(axis=-1)",
    "inner": "(x * y).sum(axis=-1)",
    "einsum": "(x * y).sum(axis=-1)",
}


def _refuse(name: str) -> TraceError:
    known = _ELSEWHERE.get(name)
    hint = f"; write {known}" if known else "; docs/task-reference.md lists them"
    return TraceError(f"found numpy.{name}, expected functions that can be traced{hint}")


# ---------------------------------------------------------------- element-wise functions


def call_ufunc(ufunc: np.ufunc, method: str, inputs: tuple, options: dict[str, Any]) -> Any:
    """Trace a ufunc, or its reduction over the last axis."""
    name = ufunc.__name__
    # reductions; accumulate, outer, at and the like have no instruction
    if method == "reduce" and name in _REDUCTIONS:
        return _reduce(name, *inputs, **options)
    if method != "__call__":
        raise TraceError(
            f"found numpy.{name}.{method}, expected numpy.{name} or a function of mjenv.functions"
        )
    if {n for n, v in options.items() if v is not None}:
        raise TraceError(f"found numpy.{name}({', '.join(options)}=...), expected no options")
    # functions that are others in disguise
    if name == "square":
        return call_ufunc(np.multiply, method, (*inputs, *inputs), {})
    if name == "reciprocal":
        return call_ufunc(np.divide, method, (1.0, *inputs), {})
    if name == "ceil":
        return -np.floor(-inputs[0])
    if name == "isinf":
        return ~(np.isfinite(inputs[0]) | np.isnan(inputs[0]))
    if name == "sign":
        x = inputs[0]
        signs = np.where(x < 0, x.dtype.type(-1), x.dtype.type(0))
        return np.where(np.isnan(x), x, np.where(x > 0, x.dtype.type(1), signs))
    # one instruction each
    if name in _BINARY:
        op, swapped = _BINARY[name]
        return _elementwise(ufunc, op, inputs, swapped)
    if name in _UNARY:
        return _elementwise(ufunc, _UNARY[name], inputs, False)
    raise _refuse(name)


def _elementwise(ufunc: np.ufunc, op: str, inputs: tuple, swapped: bool) -> Traced:
    """Record an operation in the types that numpy computes it in."""
    types = tuple(type(x) if type(x) in (int, float) else _dtype(x) for x in inputs)
    *wanted, dtype = ufunc.resolve_dtypes((*types, None))
    if ufunc.__name__.startswith("logical"):
        wanted = [BOOL for _ in wanted]
    elif BOOL in wanted:
        op = _ON_BOOL.get(op, op)
    elif ufunc.__name__.startswith(("bitwise", "invert")):
        raise TraceError(f"found numpy.{ufunc.__name__} of integers, expected truth values")
    operands = numbered(inputs, wanted)
    arrays = operands[::-1] if swapped else operands
    single = dtype == SINGLE and op in _ROUNDED
    recording = recording_of(inputs)
    ids = recording.compute(op, *(a.ids for a in arrays), single=single)
    bounds = [a.bound for a in operands]
    bound = 1
    for b in bounds:
        bound = bound * b if op == "multiply" else bound + b
    ordered = all(x.ordered for x in inputs if isinstance(x, Traced))
    return Traced(recording, ids, dtype, bound, ordered)


def _dtype(x: Any) -> np.dtype:
    return x.dtype if isinstance(x, Traced) else np.asarray(x).dtype


def numbered(inputs: tuple, wanted: list[np.dtype]) -> list[Traced]:
    """Operands as traced arrays of the types wanted and of one shape.

    Raises:
        TraceError: if arrays of worlds differ in their number of axes.
    """
    # arrays of worlds: as many axes, or worlds would be mixed up
    recording = recording_of(inputs)
    traced = [x for x in inputs if isinstance(x, Traced)]
    if len({x.ndim for x in traced}) > 1:
        shapes = " and ".join(str(("nworld", *x.shape)).replace("'", "") for x in traced)
        raise TraceError(
            f"found arrays of shapes {shapes} combined, expected as many axes; keep the last "
            "axis: x[..., :1], or add one: x[..., None]"
        )
    # constants: no more axes than these
    shape = np.broadcast_shapes(*(np.shape(x) for x in inputs))
    if len(shape) > traced[0].ndim:
        raise TraceError(
            f"found a constant of shape {shape} combined with one of shape {traced[0].shape} of "
            "each world, expected no more axes"
        )
    # all of one type and shape
    operands = []
    for x, dtype in zip(inputs, wanted, strict=True):
        if isinstance(x, Traced):
            x = x.astype(dtype)
            ids = of_shape(x.ids, shape)
            operands.append(Traced(recording, ids, dtype, x.bound, x.ordered))
        else:
            operands.append(constant(recording, np.asarray(x).astype(dtype), shape))
    return operands


def of_shape(array: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """An array, which is broadcast where it has another shape."""
    return array if array.shape == shape else np.broadcast_to(array, shape)


def constant(recording: Any, value: np.ndarray, shape: tuple[int, ...]) -> Traced:
    """Constant numbers as a traced array of a shape."""
    bound = 1
    if value.dtype.kind == "i" and value.size:
        bound = int(np.abs(value.astype(float)).max()) + 1
    numbers = value.astype(np.float64)
    # one number for all, where there is but one
    same = numbers.size and np.all(numbers.view(np.int64) == numbers.view(np.int64).flat[0])
    source = numbers.reshape(-1)[0] if same else of_shape(numbers, shape)
    ids = of_shape(recording.constant(source), shape)
    return Traced(recording, ids, value.dtype, bound)


# ---------------------------------------------------------------- over the last axis


def _reduce(
    name: str,
    x: Traced,
    axis: Any = 0,
    dtype: Any = None,
    out: Any = None,
    keepdims: bool = False,
    **options: Any,
) -> Traced:
    """Record a reduction over one axis, counted from the end."""
    if axis is not None and isinstance(axis, tuple) and len(axis) == 1:
        axis = axis[0]
    if not isinstance(axis, int) or axis >= 0 or axis < -x.ndim:
        # among many worlds the first axis is theirs, and all axes are also that
        over = axis is None or axis == 0 or (isinstance(axis, int) and axis < -x.ndim)
        shape = ", ".join(["...", *map(str, x.shape)])
        raise (OtherWorldsError if over else TraceError)(
            f"found a sum or its like over axis={axis} of an array of shape ({shape}), "
            "which has to do with other worlds, expected one axis counted from the end: axis=-1; "
            "x[..., None] gives numbers such an axis, flat(x) joins two"
        )
    unknown = [n for n, v in options.items() if v is not np._NoValue and v is not True]
    if dtype is not None or out is not None or unknown:
        raise TraceError(f"found options of numpy.{name}.reduce, expected axis and keepdims only")
    op, recording = _REDUCTIONS[name], x.recording
    if op in ("all", "any"):
        x = x.astype(BOOL)
    if op == "sum" and x.dtype.kind not in "fi":
        x = x.astype(np.int64)
    rows = np.moveaxis(x.ids, axis, -1)
    length = rows.shape[-1]
    if op in ("max", "min") and not length:
        raise TraceError(f"found numpy.{name}.reduce of no numbers, expected at least one")
    # numpy adds along the last axis in blocks, across others in order
    inner = x.ids.shape[x.ndim + axis + 1 :]
    if op != "sum":
        neutral = {"all": 1.0, "any": 0.0}
        ids = recording.compute(op, rows) if length else _filled(recording, rows, neutral[op])
    elif np.prod(inner, dtype=int) != 1:
        ids = _from_zero(recording, "sum_in_order", rows, x.dtype == SINGLE)
    else:
        if not x.ordered and length >= 8:
            raise TraceError(
                "found a sum of elements that a list of indices has picked, whose order in memory "
                "numpy chooses, expected slices; or write .copy()"
            )
        ids = _from_zero(recording, "sum", rows, x.dtype == SINGLE)
    if keepdims:
        ids = np.expand_dims(ids, axis)
    kind = INT if x.dtype.kind == "i" and op == "sum" else x.dtype
    return Traced(recording, ids, kind, x.bound * max(length, 1), x.ordered)


def _filled(recording: Any, rows: np.ndarray, value: float) -> np.ndarray:
    return np.broadcast_to(recording.constant(np.float64(value)), rows.shape[:-1])


def _from_zero(recording: Any, op: str, rows: np.ndarray, single: bool) -> np.ndarray:
    """Numpy's sum of rows, which starts from 0."""
    zeros = _filled(recording, rows, 0.0)
    if not rows.shape[-1] or not rows.size:
        return zeros
    total = _blocks(recording, rows, single) if op == "sum" else None
    if total is None:
        total = recording.compute(op, rows, single=single)
    # makes a difference for minus zero only
    return recording.compute("add", zeros, total)


def _blocks(recording: Any, rows: np.ndarray, single: bool) -> np.ndarray:
    """Sums of rows; long ones are halved until they fit a block."""
    n = rows.shape[-1]
    if n <= _BLOCK:
        return recording.compute("sum", rows, single=single)
    half = n // 2 - n // 2 % 8
    parts = (_blocks(recording, part, single) for part in (rows[..., :half], rows[..., half:]))
    return recording.compute("add", *parts, single=single)


# ---------------------------------------------------------------- other functions of numpy


def _join(arrays: Any, axis: Any, join: Callable, dtype: Any = None, **options: Any) -> Traced:
    arrays = tuple(arrays)
    if options or dtype is not None:
        raise TraceError(f"found options of numpy.{join.__name__}, expected axis only")
    if not isinstance(axis, int) or axis >= 0:
        raise TraceError(
            f"found numpy.{join.__name__} along axis={axis}, which has to do with other worlds, "
            "expected axis=-1"
        )
    recording = recording_of(arrays)
    dtype = np.result_type(*(_dtype(x) for x in arrays))
    parts = [
        x.astype(dtype) if isinstance(x, Traced) else
        constant(recording, np.asarray(x).astype(dtype), np.shape(x))
        for x in arrays
    ]  # fmt: skip
    ids = join([p.ids for p in parts], axis=axis)
    return Traced(recording, ids, dtype, max(p.bound for p in parts), all(p.ordered for p in parts))


def _concatenate(arrays: Any, axis: Any = 0, out: Any = None, **options: Any) -> Traced:
    return _join(arrays, axis, np.concatenate, **options)


def _stack(arrays: Any, axis: Any = 0, out: Any = None, **options: Any) -> Traced:
    return _join(arrays, axis, np.stack, **options)


def _where(condition: Any, *choice: Any) -> Traced:
    if len(choice) != 2:
        raise TraceError("found numpy.where(condition), expected two values to choose from")
    weak = [x if type(x) in (int, float) else _dtype(x) for x in choice]
    dtype = np.result_type(*weak)
    inputs = (condition, *choice)
    recording = recording_of(inputs)
    operands = numbered(inputs, [BOOL, dtype, dtype])
    ids = recording.compute("where", *(x.ids for x in operands))
    bound = max(x.bound for x in operands[1:])
    return Traced(recording, ids, dtype, bound, all(x.ordered for x in operands))


def _clip(x: Any, a_min: Any = None, a_max: Any = None, **options: Any) -> Any:
    low, high = options.pop("min", a_min), options.pop("max", a_max)
    if options:
        raise TraceError(f"found numpy.clip({', '.join(options)}=...), expected limits only")
    if low is not None:
        x = np.maximum(low, x)
    return x if high is None else np.minimum(high, x)


def _norm(x: Traced, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    if ord not in (None, 2) or axis is None:
        raise TraceError(
            f"found numpy.linalg.norm(ord={ord}, axis={axis}), expected Euclid's along an axis: "
            "axis=-1"
        )
    return np.sqrt(np.add.reduce(x * x, axis=axis, keepdims=keepdims))


def _mean(x: Traced, axis: Any = None, keepdims: Any = False, **options: Any) -> Any:
    if options:
        raise TraceError("found options of numpy.mean, expected axis and keepdims only")
    numbers: Any = x.astype(x.dtype if x.dtype.kind == "f" else DOUBLE)
    kept: Any = bool(keepdims) and keepdims is not np._NoValue
    total = np.add.reduce(numbers, axis=axis, keepdims=kept)
    return total / x.shape[axis]


def _full_like(x: Traced, value: Any, dtype: Any = None, **_: Any) -> Traced:
    numbers = np.full(x.shape, value, dtype=x.dtype if dtype is None else dtype)
    # an array of its own, whose elements may be assigned to
    return constant(x.recording, numbers, x.shape).copy()


_METHODS = {np.sum: "sum", np.all: "all", np.any: "any", np.max: "max", np.min: "min"}
_NUMPY = {
    np.concatenate: _concatenate,
    np.stack: _stack,
    np.where: _where,
    np.clip: _clip,
    np.linalg.norm: _norm,
    np.mean: _mean,
    np.full_like: _full_like,
    np.ones_like: lambda x, dtype=None, **_: _full_like(x, 1, dtype),
    np.zeros_like: lambda x, dtype=None, **_: _full_like(x, 0, dtype),
    np.reshape: lambda x, shape, **_: x.reshape(shape),
    np.copy: lambda x, **_: x.copy(),
    np.shape: lambda x: x.shape,
    np.ndim: lambda x: x.ndim,
    np.size: lambda x, axis=None: x.size if axis is None else x.shape[axis],
    np.expand_dims: lambda x, axis: x.like(np.expand_dims(x.ids, axis)),
}


def call_function(function: Callable, args: tuple, kwargs: dict[str, Any]) -> Any:
    """Trace a function of numpy that is no ufunc."""
    if function in _METHODS:
        return getattr(args[0], _METHODS[function])(*args[1:], **kwargs)
    if function not in _NUMPY:
        raise _refuse(function.__name__)
    return _NUMPY[function](*args, **kwargs)
