"""Numpy's functions on symbols: what each records.

Element-wise functions and sums are those of `mjenv.tracing`; here they learn numpy's rules for
shapes and axes. Functions whose bits numpy leaves to the processor (sin, dot, norm) are the
engine's own, within rounding of numpy's.
"""

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from mjenv import functions
from mjenv.porting.symbols import Symbol, as_symbol, constant
from mjenv.tracing import numpy_functions as traced
from mjenv.tracing.arrays import BOOL, Traced, TraceError


def _recording_in(values: Any) -> Any:
    """The recording of a symbol among arguments, also in lists."""
    for value in values:
        if isinstance(value, Symbol):
            return value.recording
        if isinstance(value, list | tuple):
            found = _recording_in(value)
            if found is not None:
                return found
    return None


# ------------------------------------------------------------ element-wise functions and sums


def call_ufunc(ufunc: np.ufunc, method: str, inputs: tuple, options: dict[str, Any]) -> Any:
    """Return the result of a ufunc, or of a reduction."""
    recording = _recording_in(inputs) or _recording_in(options.get("out") or ())
    out = options.pop("out", None)
    if options.get("where", True) is not True:
        raise TraceError(f"found numpy.{ufunc.__name__} with where, which cannot be traced")
    options = {
        name: value
        for name, value in options.items()
        if (value is not None or name == "axis") and name not in ("where", "casting")
    }
    # casts are numpy's own, by the types of the symbols
    if method == "reduce":
        found = reduce(ufunc, *inputs, **options)
    elif method == "outer":
        found = call_ufunc(ufunc, "__call__", (inputs[0][..., None], inputs[1]), {})
    elif method == "__call__":
        dtype = options.pop("dtype", None)
        found = _elementwise(ufunc, recording, inputs, options)
        found = found if dtype is None else found.astype(dtype)
    else:
        raise TraceError(f"found numpy.{ufunc.__name__}.{method}, which cannot be traced")
    if out is None:
        return found
    target = out[0]
    if not isinstance(target, Symbol):
        raise TraceError("found an array of numbers that values are written into")
    return target.take_from(found)


def _elementwise(ufunc: np.ufunc, recording: Any, inputs: tuple, options: dict[str, Any]) -> Any:
    numbers = [_numbers_of(x) for x in inputs]
    if all(x is not None for x in numbers):
        with np.errstate(all="ignore"):
            return constant(recording, ufunc(*numbers, **options))
    special = _SPECIAL.get(ufunc.__name__)
    if special is not None:
        return special(*inputs)
    # a list with symbols in it is an array
    inputs = tuple(as_symbol(recording, x) if isinstance(x, list | tuple) else x for x in inputs)
    shape = np.broadcast_shapes(*(np.shape(x) for x in inputs))
    found = traced.call_ufunc(ufunc, "__call__", tuple(_aligned(x, shape) for x in inputs), options)
    return wrap(found)


def _numbers_of(x: Any) -> Any:
    """Return the numbers of an argument; None if it has values in it."""
    if isinstance(x, Symbol):
        numbers = x.recording.numbers(x.ids)
        return None if numbers is None else numbers.astype(x.dtype)
    if isinstance(x, list | tuple) and _recording_in(x) is not None:
        return None
    return x


def _aligned(x: Any, shape: tuple[int, ...]) -> Any:
    """An operand with as many axes as the result; plain numbers keep their weak types."""
    if isinstance(x, Symbol):
        ids = np.broadcast_to(x.ids, shape)
        return Traced(x.recording, ids, x.dtype, x.bound)
    return x


def wrap(found: Traced) -> Symbol:
    """A traced array as a symbol of its own."""
    return Symbol(found.recording, np.array(found.ids), found.dtype, found.bound)


def _power(x: Any, exponent: Any) -> Any:
    number = _numbers_of(exponent)
    if number is not None and np.ndim(number) == 0 and isinstance(x, Symbol):
        value = float(number)
        if value == 0.5:
            return np.sqrt(x)
        if value == int(value) and 0 < abs(value) <= 16:
            base = x if x.dtype.kind == "f" or isinstance(number, int) else x.astype(float)
            found = base
            for bit in bin(abs(int(value)))[3:]:
                found = found * found
                found = found * base if bit == "1" else found
            return found if value > 0 else 1.0 / found
        if value == 0:
            return np.ones_like(x)
    return functions_exp(exponent * _function("log")(x))


def _tanh(x: Any) -> Any:
    return 1.0 - 2.0 / (functions_exp(2.0 * x) + 1.0)


def _function(name: str) -> Callable[..., Any]:
    """A function of `mjenv.functions` on symbols."""

    def call(*inputs: Any) -> Any:
        shape = np.broadcast_shapes(*(np.shape(x) for x in inputs))
        arguments = [_aligned(x, shape) for x in inputs]
        if len(arguments) == 2:
            recording = traced.recording_of(arguments)
            arguments = [
                x
                if isinstance(x, Traced)
                else traced.constant(recording, np.asarray(x, np.float64), shape)
                for x in arguments
            ]
        return wrap(getattr(functions, name)(*arguments))

    return call


functions_exp = _function("exp")


def _round(x: Symbol, decimals: int = 0) -> Any:
    if decimals == 0:
        return np.rint(x)
    return np.rint(x * 10.0**decimals) / 10.0**decimals


def _remainder(x: Any, y: Any) -> Any:
    return x - y * np.floor(x / y)


def _matmul(a: Any, b: Any) -> Any:
    """Products of matrices and vectors, summed in the order of their elements."""
    recording = _recording_in((a, b))
    a, b = as_symbol(recording, a), as_symbol(recording, b)
    if b.ndim == 1:
        return np.sum(a * b, axis=-1)
    columns = np.moveaxis(b, -1, -2)
    if a.ndim == 1:
        return np.sum(a * columns, axis=-1)
    return np.sum(a[..., :, None, :] * columns[..., None, :, :], axis=-1)


_SPECIAL: dict[str, Callable[..., Any]] = {
    **{name: _function(name) for name in traced.FUNCTIONS},
    "power": _power,
    "float_power": _power,
    "tanh": _tanh,
    "matmul": _matmul,
    "hypot": lambda x, y: np.sqrt(x * x + y * y),
    "remainder": _remainder,
    "floor_divide": lambda x, y: np.floor(x / y),
    "deg2rad": lambda x: x * (np.pi / 180),
    "radians": lambda x: x * (np.pi / 180),
    "rad2deg": lambda x: x * (180 / np.pi),
    "degrees": lambda x: x * (180 / np.pi),
    "cosh": lambda x: (functions_exp(x) + functions_exp(-x)) / 2,
    "sinh": lambda x: (functions_exp(x) - functions_exp(-x)) / 2,
    "expm1": lambda x: functions_exp(x) - 1.0,
    "log1p": lambda x: _function("log")(1.0 + x),
    "exp2": lambda x: functions_exp(x * np.log(2.0)),
    "log10": lambda x: _function("log")(x) / np.log(10.0),
    "log2": lambda x: _function("log")(x) / np.log(2.0),
    "conjugate": lambda x: x,
    "fmax": lambda x, y: np.maximum(x, y),
    "fmin": lambda x, y: np.minimum(x, y),
    "signbit": lambda x: x < 0,
    "cbrt": lambda x: np.sign(x) * functions_exp(_function("log")(np.abs(x)) / 3),
}


def reduce(
    ufunc: np.ufunc,
    x: Any,
    axis: Any = 0,
    dtype: Any = None,
    keepdims: Any = False,
    initial: Any = np._NoValue,
    where: Any = True,
) -> Any:
    """A reduction over some axes; those in front of others are joined to one."""
    if where is not True and where is not np._NoValue:
        raise TraceError(f"found numpy.{ufunc.__name__} with where, which cannot be traced")
    if not isinstance(x, Symbol):
        x = as_symbol(_recording_in((x,)), x)
    if dtype is not None:
        x = x.astype(dtype)
    axes = range(x.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    axes = sorted(a % x.ndim for a in axes) if x.ndim else []
    kept = [a for a in range(x.ndim) if a not in axes]
    name = ufunc.__name__
    if len(axes) == 1 and name != "multiply":
        found = wrap(traced._reduce(name, Traced(x.recording, x.ids, x.dtype, x.bound),
                                    axis=axes[0] - x.ndim))  # fmt: skip
    else:
        rows = x.ids.transpose(*kept, *axes).reshape(*(x.shape[a] for a in kept), -1)
        if name == "multiply":
            found = _product(x.like(rows))
        else:
            found = wrap(traced._reduce(name, Traced(x.recording, rows, x.dtype, x.bound), axis=-1))
    if initial is not np._NoValue and initial is not None:
        found = ufunc(initial, found)
    if keepdims is True:
        found = found.like(np.expand_dims(found.ids, tuple(axes)))
    return found


def _product(rows: Symbol) -> Any:
    """Products over the last axis."""
    found: Any = np.ones(rows.shape[:-1])
    for k in range(rows.shape[-1]):
        found = found * rows[..., k]
    return found


# ------------------------------------------------------------ other functions of numpy


def _dtype_of(x: Any) -> np.dtype:
    return x.dtype if isinstance(x, Symbol) else np.asarray(x).dtype


def _joined(join: Callable) -> Callable:
    """A function that puts arrays together."""

    def call(arrays: Any, *args: Any, dtype: Any = None, **options: Any) -> Any:
        arrays = list(arrays)
        recording = _recording_in(arrays)
        parts = [as_symbol(recording, x) for x in arrays]
        dtype = dtype or np.result_type(*(part.dtype for part in parts))
        parts = [part.astype(dtype) for part in parts]
        ids = join([part.ids for part in parts], *args, **options)
        return Symbol(recording, ids, dtype, max(part.bound for part in parts))

    return call


def _append(x: Any, values: Any, axis: Any = None) -> Any:
    if axis is None:
        return np.concatenate([np.ravel(x), np.ravel(values)])
    return np.concatenate([x, values], axis=axis)


def _moved(function: Callable) -> Callable:
    """A function that only puts elements elsewhere."""

    def call(x: Any, *args: Any, **options: Any) -> Any:
        if not isinstance(x, Symbol):
            x = as_symbol(_recording_in((x,)), x)
        found = function(x.ids, *args, **options)
        if isinstance(found, list | tuple):
            return [x.like(part) for part in found]
        return x.like(found)

    return call


def _where(condition: Any, *choice: Any) -> Any:
    recording = _recording_in((condition, *choice))
    if len(choice) != 2:
        raise TraceError("found numpy.where(condition), whose length is known only when it runs")
    known = _numbers_of(condition)
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
        recording = _recording_in((x, low, high))
        x, low, high = (
            y if y is None else as_symbol(recording, y).astype(dtype) for y in (x, low, high)
        )
    if low is not None:
        x = np.maximum(x, low)
    if high is not None:
        x = np.minimum(x, high)
    return x if out is None else out.take_from(x)


def _norm(x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    x = as_symbol(_recording_in((x,)), x)
    if ord in (None, 2) and (axis is not None or x.ndim == 1 or ord is None):
        return np.sqrt(np.sum(x * x, axis=axis, keepdims=keepdims))
    if ord == 1 and (axis is not None or x.ndim == 1):
        return np.sum(np.abs(x), axis=axis, keepdims=keepdims)
    if ord == np.inf and (axis is not None or x.ndim == 1):
        return np.max(np.abs(x), axis=axis, keepdims=keepdims)
    raise TraceError(f"found numpy.linalg.norm(ord={ord}, axis={axis}), which cannot be traced")


def _mean(x: Any, axis: Any = None, dtype: None = None, keepdims: Any = False) -> Any:
    x = as_symbol(_recording_in((x,)), x)
    number = x.size if axis is None else int(np.prod([x.shape[a] for a in np.atleast_1d(axis)]))
    return np.sum(x if x.dtype.kind == "f" else x.astype(float), axis=axis,
                  keepdims=keepdims is True) / number  # fmt: skip


def _var(x: Any, axis: Any = None, dtype: None = None, ddof: int = 0, keepdims: Any = False) -> Any:
    x = as_symbol(_recording_in((x,)), x)
    number = x.size if axis is None else x.shape[axis]
    apart = x - _mean(x, axis, keepdims=True)
    return np.sum(apart * apart, axis=axis, keepdims=keepdims is True) / (number - ddof)


def _cross(a: Any, b: Any) -> Any:
    (a0, a1, a2), (b0, b1, b2) = ([x[..., k] for k in range(3)] for x in (a, b))
    return np.stack([a1 * b2 - a2 * b1, a2 * b0 - a0 * b2, a0 * b1 - a1 * b0], axis=-1)


def _dot(a: Any, b: Any) -> Any:
    return a * b if not np.ndim(a) or not np.ndim(b) else _matmul(a, b)


def _inner(a: Any, b: Any) -> Any:
    if np.ndim(b) > 1:
        raise TraceError("found numpy.inner of a matrix, which cannot be traced; use @")
    return _dot(a, b)


def _average(x: Any, axis: Any = None, weights: Any = None) -> Any:
    if weights is None:
        return _mean(x, axis)
    if axis is not None and np.ndim(x) > 1:
        raise TraceError("found numpy.average with axis and weights, which cannot be traced")
    return np.sum(x * weights) / np.sum(weights)


def _diff(x: Any, n: int = 1, axis: int = -1) -> Any:
    if n != 1 or axis not in (-1, x.ndim - 1):
        raise TraceError(f"found numpy.diff(n={n}, axis={axis}), which cannot be traced")
    return x[..., 1:] - x[..., :-1]


def _isclose(a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8) -> Any:
    return np.abs(a - b) <= atol + rtol * np.abs(b)


def _reduced(ufunc: np.ufunc) -> Callable:
    def call(x: Any, axis: Any = None, **options: Any) -> Any:
        if options.pop("out", None) is not None:
            raise TraceError(f"found numpy.{ufunc.__name__} with out, which cannot be traced")
        return reduce(ufunc, x, axis=axis, **options)

    return call


def _like(make: Callable) -> Callable:
    def call(x: Any, *args: Any, dtype: Any = None) -> Any:
        return constant(x.recording, make(x.shape, *args, dtype=dtype or x.dtype))

    return call


def _nan_to_num(x: Any, copy: bool = True, nan: float = 0.0) -> Any:
    big = np.finfo(x.dtype).max
    return np.clip(np.where(np.isnan(x), nan, x), -big, big)


def _arg(better: str) -> Callable:
    def call(x: Any, axis: Any = None) -> Any:
        if axis is not None and x.ndim > 1:
            raise TraceError(f"found numpy.arg{better} with axis, which cannot be traced")
        best = (np.max if better == "max" else np.min)(x)
        found: Any = x.size - 1
        for k in reversed(range(x.size - 1)):
            found = np.where(x.ravel()[k] == best, k, found)
        return found

    return call


def _interp(x: Any, xp: Any, fp: Any) -> Any:
    xp, fp = np.asarray(xp, float), np.asarray(fp, float)
    found = np.where(x >= xp[0], fp[0], fp[0] + 0.0 * x)
    for k in range(len(xp) - 1):
        along = fp[k] + (fp[k + 1] - fp[k]) / (xp[k + 1] - xp[k]) * (x - xp[k])
        found = np.where(x > xp[k], along, found)
    return np.where(x >= xp[-1], fp[-1], found)


def _einsum(subscripts: str, *operands: Any, **options: Any) -> Any:
    """Products of arrays summed over letters that the result lacks."""
    given, arrow, wanted = subscripts.replace(" ", "").partition("->")
    letters = given.split(",")
    if not arrow:
        # numpy's rule: letters that are there once, in the order of the alphabet
        once = [c for c in sorted(set(given) - {",", "."}) if given.count(c) == 1]
        wanted = ("..." if "..." in given else "") + "".join(once)
    # other axes, counted from the last of them, as capital letters of their own
    if "..." in given and not any(c.isupper() for c in given):
        more = [
            np.ndim(x) - len(names.replace("...", ""))
            for names, x in zip(letters, operands, strict=True)
        ]
        axes = "ZYXWVUTSRQPONMLKJIHGFEDCBA"[: max(more)][::-1]
        letters = [
            names.replace("...", axes[len(axes) - n :])
            for names, n in zip(letters, more, strict=True)
        ]
        given, wanted = ",".join(letters), wanted.replace("...", axes)
    if options.keys() - {"optimize"}:
        raise TraceError(f"found numpy.einsum with {', '.join(options)}, which cannot be traced")
    if "." in given or any(len(set(one)) < len(one) for one in letters):
        raise TraceError(f"found numpy.einsum({subscripts!r}), which cannot be traced")
    summed = [c for c in dict.fromkeys("".join(letters)) if c not in wanted]
    order: list[str] = [*wanted, *summed]
    found: Any = None
    for names, x in zip(letters, operands, strict=True):
        kept = [c for c in order if c in names]
        x = np.transpose(x, [names.index(c) for c in kept])
        x = x[tuple(slice(None) if c in names else None for c in order)]
        found = x if found is None else found * x
    if not summed:
        return found
    return np.sum(found, axis=tuple(range(len(wanted), len(order))))


_MOVED = (
    np.squeeze, np.ravel, np.reshape, np.transpose, np.tile, np.repeat, np.expand_dims,
    np.broadcast_to, np.flip, np.fliplr, np.flipud, np.roll, np.moveaxis, np.swapaxes, np.rollaxis,
    np.atleast_1d, np.atleast_2d, np.diagonal, np.split, np.array_split, np.hsplit, np.delete,
    np.take, np.rot90,
)  # fmt: skip
_FUNCTIONS: dict[Any, Callable] = {
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
    np.einsum: _einsum,
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
    np.allclose: lambda a, b, **options: np.all(_isclose(a, b, **options)),
    np.array_equal: lambda a, b: np.all(a == b) if np.shape(a) == np.shape(b) else False,
    np.zeros_like: _like(np.zeros),
    np.ones_like: _like(np.ones),
    np.empty_like: _like(np.zeros),
    np.full_like: _like(np.full),
    np.nan_to_num: _nan_to_num,
    np.round: _round,
    np.around: _round,
    np.interp: _interp,
    np.diff: _diff,
    np.copy: lambda x, **_: x.copy(),
    np.shape: lambda x: x.shape,
    np.ndim: lambda x: x.ndim,
    np.size: lambda x, axis=None: x.size if axis is None else x.shape[axis],
    np.trace: lambda x: np.sum(np.diagonal(x)),
    np.linalg.multi_dot: lambda arrays: __import__("functools").reduce(np.dot, arrays),
    np.ndarray.copy: lambda x: x.copy(),
    np.iscomplexobj: lambda x: False,
    np.isrealobj: lambda x: True,
    np.may_share_memory: lambda a, b, *_: False,
}


def call_function(function: Callable, args: tuple, kwargs: dict[str, Any]) -> Any:
    """Return the result of a function of numpy that is no ufunc."""
    if function not in _FUNCTIONS:
        name = getattr(function, "__name__", str(function))
        raise TraceError(f"found numpy.{name} of values, which cannot be traced")
    call = _FUNCTIONS[function]
    # options that are not given, and that no row knows
    given = {
        name: value
        for name, value in kwargs.items()
        if value is not np._NoValue and (value is not None or name == "axis")
    }
    try:
        inspect.signature(call).bind(*args, **given)
    except TypeError:
        shown = ", ".join(given) or "these arguments"
        raise TraceError(
            f"found numpy.{function.__name__} with {shown}, which cannot be traced"
        ) from None
    return call(*args, **given)
