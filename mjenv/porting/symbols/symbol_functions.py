"""Numpy's other functions on symbols: those that join, move, choose and reduce."""

import inspect
from collections.abc import Callable
from functools import cache
from functools import reduce as fold
from typing import Any

import numpy as np

from mjenv.porting.symbols.composed_functions import COMPOSED, array, holds_values
from mjenv.porting.symbols.einsum import einsum
from mjenv.porting.symbols.elimination import determinant, inverse, solve
from mjenv.porting.symbols.protocols import Protocols
from mjenv.porting.symbols.singular_values import pseudo_inverse
from mjenv.porting.symbols.symbol import Symbol, as_symbol, constant
from mjenv.porting.symbols.symbol_ufuncs import matmul, numbers_of, recording_in, reduce, rounded
from mjenv.tracing.arrays import BOOL, TraceError, UnknownFunction


def _dtype_of(x: Any) -> np.dtype:
    return x.dtype if isinstance(x, Symbol) else np.asarray(x).dtype


def _joined(join: Callable) -> Callable:
    """A function that puts arrays together."""

    def call(arrays: Any, *args: Any, dtype: Any = None, **options: Any) -> Any:
        arrays = list(arrays)
        recording = recording_in(arrays)
        out = options.pop("out", None)
        if out is not None and not isinstance(out, Symbol):
            raise TraceError("found an array of numbers that values are written into")
        known = [x if holds_values(x) else np.asarray(x) for x in arrays]
        parts = [x if type(x) is np.ndarray else as_symbol(recording, x) for x in known]
        dtype = np.dtype(dtype or np.result_type(*(part.dtype for part in parts)))
        parts = [as_symbol(recording, part.astype(dtype)) for part in parts]
        ids = join([part.ids for part in parts], *args, **options)
        found = Symbol(recording, ids, dtype, max(part.bound for part in parts))
        return found if out is None else out.take_from(found)

    return call


def _append(x: Any, values: Any, axis: Any = None) -> Any:
    if axis is None:
        return np.concatenate([np.ravel(x), np.ravel(values)])
    return np.concatenate([x, values], axis=axis)


def _moved(function: Callable) -> Callable:
    """A function that only puts elements elsewhere."""

    def call(x: Any, *args: Any, **options: Any) -> Any:
        if not isinstance(x, Symbol):
            x = as_symbol(recording_in((x,)), x)
        found = function(x.ids, *args, **options)
        if isinstance(found, list | tuple):
            return [x.like(part) for part in found]
        return x.like(found)

    return call


def _where(condition: Any, *choice: Any) -> Any:
    recording = recording_in((condition, *choice))
    if len(choice) != 2:
        raise TraceError("found numpy.where(condition), whose length is known only when it runs")
    known = numbers_of(condition)
    shape = np.broadcast_shapes(*(np.shape(x) for x in (condition, *choice)))
    weak = [x if type(x) in (int, float) else _dtype_of(x) for x in choice]
    dtype = np.result_type(*weak)
    picked = [as_symbol(recording, x).astype(dtype) for x in choice]
    ids = [np.broadcast_to(x.ids, shape) for x in picked]
    bound = max(x.bound for x in picked)
    if known is not None:
        return Symbol(recording, np.where(known, *ids), dtype, bound)
    asked = np.broadcast_to(condition.astype(BOOL).ids, shape)
    same = ids[0] == ids[1]
    found = ids[0].copy()
    if not same.all():
        found[~same] = recording.compute(
            "where", asked[~same].ravel(), ids[0][~same].ravel(), ids[1][~same].ravel()
        )
    return Symbol(recording, found, dtype, bound)


def _clip(
    x: Any,
    a_min: Any = None,
    a_max: Any = None,
    out: Any = None,
    min: Any = None,
    max: Any = None,
    dtype: Any = None,
) -> Any:
    low, high = a_min if min is None else min, a_max if max is None else max
    if dtype is not None:
        # numpy converts before it compares
        recording = recording_in((x, low, high))
        x, low, high = (
            y if y is None else as_symbol(recording, y).astype(dtype) for y in (x, low, high)
        )
    if low is None and high is None:
        x = array(x).copy()
    if low is not None:
        x = np.maximum(x, low)
    if high is not None:
        x = np.minimum(x, high)
    return x if out is None else out.take_from(x)


def _norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    x = as_symbol(recording_in((x,)), x)
    several = isinstance(axis, tuple | list)
    if ord == "fro" and (several or (axis is None and x.ndim == 2)):
        ord = None
    if several and ord is not None:
        raise TraceError(f"found numpy.linalg.norm(ord={ord}, axis={axis}) of matrices")
    x = x if x.dtype.kind == "f" else x.astype(float)
    if ord in (None, 2) and (axis is not None or x.ndim == 1 or ord is None):
        return np.sqrt(np.sum(x * x, axis=axis, keepdims=keepdims))
    if ord == 1 and (axis is not None or x.ndim == 1):
        return np.sum(np.abs(x), axis=axis, keepdims=keepdims)
    if ord == np.inf and (axis is not None or x.ndim == 1):
        return np.max(np.abs(x), axis=axis, keepdims=keepdims)
    if ord == -np.inf and (axis is not None or x.ndim == 1):
        return np.min(np.abs(x), axis=axis, keepdims=keepdims)
    raise TraceError(f"found numpy.linalg.norm(ord={ord}, axis={axis}), which cannot be traced")


def _mean(x: Any, axis: Any = None, dtype: Any = None, keepdims: Any = False) -> Any:
    x = as_symbol(recording_in((x,)), x)
    x = x.astype(dtype or (x.dtype if x.dtype.kind == "f" else float))
    return np.sum(x, axis=axis, keepdims=keepdims) / _count(x, axis)


def _count(x: Symbol, axis: Any) -> int:
    """How many elements there are along axes, all of them for None."""
    return x.size if axis is None else int(np.prod([x.shape[a] for a in np.atleast_1d(axis)]))


def _var(x: Any, axis: Any = None, dtype: Any = None, ddof: int = 0, keepdims: Any = False) -> Any:
    x = as_symbol(recording_in((x,)), x)
    x = x.astype(dtype or (x.dtype if x.dtype.kind == "f" else float))
    apart = x - _mean(x, axis, keepdims=True)
    return np.sum(apart * apart, axis=axis, keepdims=keepdims) / (_count(x, axis) - ddof)


def _cross(a: Any, b: Any) -> Any:
    (a0, a1, a2), (b0, b1, b2) = ([array(x)[..., k] for k in range(3)] for x in (a, b))
    return np.stack([a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0], axis=-1)


def _dot(a: Any, b: Any) -> Any:
    return a * b if not np.ndim(a) or not np.ndim(b) else matmul(a, b)


def _inner(a: Any, b: Any) -> Any:
    if np.ndim(b) > 1:
        raise TraceError("found numpy.inner of a matrix, which cannot be traced; use @")
    return _dot(a, b)


def _average(x: Any, axis: Any = None, weights: Any = None) -> Any:
    if weights is None:
        return _mean(x, axis)
    if axis is not None and np.ndim(x) > 1:
        raise TraceError(
            "found numpy.average with axis and weights, expected numpy.sum of products"
        )
    return np.sum(x * weights) / np.sum(weights)


def _diff(x: Any, n: int = 1, axis: int = -1) -> Any:
    if n != 1:
        return _diff(_diff(x, n - 1, axis), 1, axis) if n else x
    moved = np.moveaxis(array(x), axis, -1)
    apart = np.not_equal if moved.dtype == BOOL else np.subtract
    return np.moveaxis(apart(moved[..., 1:], moved[..., :-1]), -1, axis)


def _isclose(
    a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False
) -> Any:
    near = np.logical_and(np.abs(a - b) <= atol + rtol * np.abs(b), np.isfinite(b))
    found = np.logical_or(near, np.equal(a, b))
    return np.logical_or(found, np.logical_and(np.isnan(a), np.isnan(b))) if equal_nan else found


def _reduced(ufunc: np.ufunc) -> Callable:
    def call(x: Any, axis: Any = None, dtype: Any = None, out: Any = None, **options: Any) -> Any:
        if out is not None:
            raise TraceError(f"found numpy.{ufunc.__name__} with out, which cannot be traced")
        return reduce(ufunc, x, axis=axis, dtype=dtype, **options)

    return call


def _copyto(dst: Any, src: Any) -> None:
    if not isinstance(dst, Symbol):
        raise TraceError("found numpy.copyto of values into an array of numbers")
    dst[...] = src


def _like(make: Callable) -> Callable:
    def call(x: Any, *args: Any, dtype: Any = None) -> Any:
        return constant(x.recording, make(x.shape, *args, dtype=dtype or x.dtype))

    return call


def _nan_to_num(
    x: Any, copy: bool = True, nan: float = 0.0, posinf: Any = None, neginf: Any = None
) -> Any:
    x = array(x)
    big = np.finfo(x.dtype).max if x.dtype.kind == "f" else np.inf
    found = np.where(np.isnan(x), nan, x)
    found = np.where(x == np.inf, big if posinf is None else posinf, found)
    found = np.where(x == -np.inf, -big if neginf is None else neginf, found).astype(x.dtype)
    return found if copy else x.take_from(found)


def _arg(better: str) -> Callable:
    def call(x: Any, axis: Any = None, keepdims: bool = False) -> Any:
        x = array(x)
        rows = np.ravel(x) if axis is None else np.moveaxis(x, axis, 0)
        best = (np.max if better == "max" else np.min)(rows, axis=0)
        count = rows.shape[0]
        found: Any = np.full_like(rows[0], count - 1, dtype=int)
        for k in reversed(range(count - 1)):
            # the first one that is no number is better than all numbers
            here = rows[k] == best
            if x.dtype.kind == "f":
                here = np.logical_or(here, np.isnan(rows[k]))
            found = np.where(here, k, found)
        # places in lists, which ways may take one by one
        for value in np.ravel(found.ids).tolist():
            found.recording.few[value] = tuple(range(count))
        if keepdims:
            axes = range(x.ndim) if axis is None else axis
            found = np.expand_dims(found, tuple(axes) if axis is None else axes)
        return found

    return call


def _trace(x: Any, offset: int = 0) -> Any:
    return np.sum(np.diagonal(x, offset), axis=-1)


def _shares(a: Any, b: Any, *_: Any) -> bool:
    both = isinstance(a, Symbol) and isinstance(b, Symbol)
    return both and bool(np.may_share_memory(a.ids, b.ids))


_MOVED = (
    np.squeeze, np.ravel, np.reshape, np.transpose, np.tile, np.repeat, np.expand_dims,
    np.broadcast_to, np.flip, np.fliplr, np.flipud, np.roll, np.moveaxis, np.swapaxes, np.rollaxis,
    np.atleast_1d, np.atleast_2d, np.diagonal, np.split, np.array_split, np.hsplit, np.delete,
    np.take, np.rot90, np.atleast_3d,
)  # fmt: skip
_FUNCTIONS: dict[Any, Callable] = {
    **COMPOSED,
    **{f: _moved(f) for f in _MOVED},
    **{
        f: _joined(f)
        for f in (np.concatenate, np.stack, np.hstack, np.vstack, np.column_stack, np.dstack)
    },
    np.append: _append,
    np.where: _where,
    np.clip: _clip,
    np.linalg.norm: _norm,
    np.mean: _mean,
    np.average: _average,
    np.var: _var,
    np.std: lambda x, *args, **options: np.sqrt(_var(x, *args, **options)),
    np.cross: _cross,
    np.dot: _dot,
    np.einsum: einsum,
    np.inner: _inner,
    np.vdot: lambda a, b: np.sum(np.ravel(a) * np.ravel(b)),
    np.outer: lambda a, b: np.ravel(a)[:, None] * np.ravel(b),
    np.sum: _reduced(np.add),
    np.prod: _reduced(np.multiply),
    np.all: _reduced(np.logical_and),
    np.any: _reduced(np.logical_or),
    np.max: _reduced(np.maximum),
    np.min: _reduced(np.minimum),
    np.amax: _reduced(np.maximum),
    np.amin: _reduced(np.minimum),
    np.argmax: _arg("max"),
    np.argmin: _arg("min"),
    np.isclose: _isclose,
    np.allclose: lambda a, b, *args, **options: np.all(_isclose(a, b, *args, **options)),
    np.array_equal: lambda a, b: np.all(a == b) if np.shape(a) == np.shape(b) else False,
    np.zeros_like: _like(np.zeros),
    np.ones_like: _like(np.ones),
    np.empty_like: _like(np.zeros),
    np.nan_to_num: _nan_to_num,
    np.round: rounded,
    np.around: rounded,
    np.diff: _diff,
    np.copy: lambda x, order="K", subok=False: x.copy(),
    np.copyto: _copyto,
    np.count_nonzero: lambda x, axis=None: np.sum(x != 0, axis=axis),
    np.shape: lambda x: x.shape,
    np.ndim: lambda x: x.ndim,
    np.size: lambda x, axis=None: x.size if axis is None else x.shape[axis],
    np.trace: _trace,
    np.linalg.solve: solve,
    np.linalg.inv: inverse,
    np.linalg.det: determinant,
    np.linalg.pinv: pseudo_inverse,
    np.linalg.multi_dot: lambda arrays: fold(np.dot, arrays),
    np.ndarray.copy: lambda x: x.copy(),
    np.iscomplexobj: lambda x: False,
    np.isrealobj: lambda x: True,
    np.may_share_memory: _shares,
    np.shares_memory: _shares,
}


def call_function(function: Callable, args: tuple, kwargs: dict[str, Any]) -> Any:
    """Return the result of a function of numpy that is no ufunc."""
    if function not in _FUNCTIONS:
        name = getattr(function, "__name__", str(function))
        raise UnknownFunction(f"found numpy.{name} of values, which cannot be traced")
    call = _FUNCTIONS[function]
    # options that are not given, and that no row knows
    given = {
        name: value
        for name, value in kwargs.items()
        if value is not np._NoValue and (value is not None or name == "axis")
    }
    if not _fits(call, len(args), tuple(given)):
        shown = ", ".join(given) or "these arguments"
        raise TraceError(f"found numpy.{function.__name__} with {shown}, which cannot be traced")
    return call(*args, **given)


def is_known(function: Any) -> bool:
    """True for functions of numpy that symbols know."""
    return callable(function) and function in _FUNCTIONS


@cache
def _fits(call: Callable, count: int, names: tuple[str, ...]) -> bool:
    """True if a function takes so many arguments, and options of these names."""
    try:
        inspect.signature(call).bind(*[None] * count, **dict.fromkeys(names))
    except TypeError:
        return False
    return True


Protocols.call_function = staticmethod(call_function)  # type: ignore[assignment]
Protocols.is_known = staticmethod(is_known)  # type: ignore[assignment]
