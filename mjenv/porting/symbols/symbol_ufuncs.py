"""Numpy's element-wise functions, sums and products on symbols: what each records.

Element-wise functions and sums are those of `mjenv.tracing`; here they learn numpy's rules for
shapes and axes. Functions whose bits numpy leaves to the processor (sin, dot, norm) are the
engine's own, within rounding of numpy's.
"""

from collections import deque
from collections.abc import Callable
from typing import Any

import numpy as np

from mjenv.porting.symbols.powers import arctan2, cbrt, elementary, exp, log, log_of, power
from mjenv.porting.symbols.protocols import Protocols
from mjenv.porting.symbols.refusals import MissingNumber
from mjenv.porting.symbols.remainders import division, fmod
from mjenv.porting.symbols.small_numbers import in_type, is_small, result_types, wide
from mjenv.porting.symbols.symbol import (
    Maybe,
    Symbol,
    as_symbol,
    constant,
    is_of_numpy,
    refuse_type,
    wrapped,
)
from mjenv.tracing import numpy_functions as traced
from mjenv.tracing.arrays import BOOL, Traced, TraceError


def recording_in(values: Any) -> Any:
    """The recording of a symbol among arguments, also in lists."""
    for value in values:
        if isinstance(value, Symbol | Maybe):
            return value.recording
        if isinstance(value, list | tuple | deque):
            found = recording_in(value)
            if found is not None:
                return found
    return None


def call_ufunc(ufunc: np.ufunc, method: str, inputs: tuple, options: dict[str, Any]) -> Any:
    """Return the result of a ufunc, or of a reduction."""
    missing: Any = next((one for one in inputs if isinstance(one, Maybe)), None)
    if missing is not None:
        return missing.__array_ufunc__(ufunc, method, *inputs, **options)
    recording = recording_in(inputs) or recording_in(options.get("out") or ())
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
    if isinstance(found, Symbol) and not found.ndim and any(map(is_of_numpy, inputs)):
        found.known_type = found.dtype.type
    if out is None:
        return found
    target = out[0]
    if not isinstance(target, Symbol):
        raise TraceError("found an array of numbers that values are written into")
    if not target.ndim and target.known_type is not np.ndarray:
        # a number, which `+=` replaces
        return found
    return target.take_from(found)


# functions that say the same of 0 and False, 1 and True
_OF_TRUTHS = frozenset((
    "logical_and", "logical_or", "logical_xor", "logical_not", "equal", "not_equal", "less",
    "less_equal", "greater", "greater_equal", "isnan", "isfinite", "isinf",
))  # fmt: skip


def _refuse_truths(ufunc: np.ufunc, inputs: tuple) -> None:
    """Refuse arithmetic with numbers that are truth values at times, but with a real number.

    Two truth values are added, and taken to functions, in other types than two numbers.

    Raises:
        TraceError: there is such a number, and none that always is one.
    """
    truths = recording_in(inputs).truths
    if not truths or ufunc.__name__ in _OF_TRUTHS:
        return

    def is_truth(x: Any) -> bool:
        return isinstance(x, Symbol) and not truths.isdisjoint(x.ids.reshape(-1).tolist())

    def is_real(x: Any) -> bool:
        if isinstance(x, list | tuple | deque):
            return any(map(is_real, x))
        kind = x.dtype if isinstance(x, Symbol) else np.asarray(x).dtype
        return kind in (np.float64, np.int64) and not is_truth(x)

    if any(map(is_truth, inputs)) and not any(map(is_real, inputs)):
        raise TraceError(
            f"found numpy.{ufunc.__name__} of a number that is a truth value at times, expected "
            "one or the other"
        )


def _elementwise(ufunc: np.ufunc, recording: Any, inputs: tuple, options: dict[str, Any]) -> Any:
    if ufunc in (np.equal, np.not_equal) and any(x is None for x in inputs):
        # no number is None
        shape = np.broadcast_shapes(*(np.shape(x) for x in inputs if x is not None))
        return constant(recording, np.full(shape, ufunc is np.not_equal))
    if any(x is None for x in inputs):
        raise MissingNumber(f"numpy.{ufunc.__name__} of None")
    numbers = [numbers_of(x) for x in inputs]
    if all(x is not None for x in numbers):
        with np.errstate(all="ignore"):
            return constant(recording, ufunc(*numbers, **options))
    _refuse_truths(ufunc, inputs)
    found = _of_values(ufunc, recording, inputs, options)
    _note_few(ufunc, inputs, numbers, found)
    return found


def _note_few(ufunc: np.ufunc, inputs: tuple, numbers: list[Any], found: Any) -> None:
    """Note which numbers a result may be, of one value that may be few."""
    places = [k for k, number in enumerate(numbers) if number is None]
    if len(places) != 1 or not isinstance(found, Symbol) or found.size != 1:
        return
    one = inputs[places[0]]
    if found.dtype.kind not in "iu" or not isinstance(one, Symbol) or one.size != 1:
        return
    few = found.recording.few
    possible = few.get(int(one.ids.item()))
    if possible is not None:
        numbers[places[0]] = np.asarray(possible)
        with np.errstate(all="ignore"):
            each = np.unique(np.asarray(ufunc(*numbers)).reshape(-1))
        few[int(found.ids.item())] = tuple(each.tolist())


def _signbit(x: Any) -> Any:
    """Whether numbers are negative, or the negative zero."""
    if not isinstance(x, Symbol):
        return np.signbit(x)
    return np.logical_or(x < 0, np.logical_and(x == 0, 1.0 / x < 0))


def _of_values(ufunc: np.ufunc, recording: Any, inputs: tuple, options: dict[str, Any]) -> Any:
    # a list with symbols in it is an array
    inputs = tuple(
        as_symbol(recording, x) if isinstance(x, list | tuple | deque) else x for x in inputs
    )
    for one in inputs:
        if isinstance(one, np.ndarray | np.generic):
            refuse_type(one.dtype)
    if any(map(is_small, inputs)):
        return _of_small(ufunc, recording, inputs, options)
    special = _SPECIAL.get(ufunc.__name__)
    if special is not None:
        return special(*inputs)
    shape = np.broadcast_shapes(*(np.shape(x) for x in inputs))
    found = traced.call_ufunc(ufunc, "__call__", tuple(_aligned(x, shape) for x in inputs), options)
    return wrap(found)


# whose results are no less than 0 where no operand is
_NOT_NEGATIVE = frozenset(("add", "multiply", "maximum", "minimum", "floor_divide", "remainder"))


def _of_small(ufunc: np.ufunc, recording: Any, inputs: tuple, options: dict[str, Any]) -> Any:
    """The result for whole numbers of few bits."""
    types = result_types(ufunc, inputs)
    found = _of_values(ufunc, recording, tuple(map(wide, inputs)), options)
    unsigned = ufunc.__name__ in _NOT_NEGATIVE and all(map(_is_unsigned, inputs))
    parts = [
        in_type(one, dtype, not unsigned) if is_small(dtype) else one.astype(dtype)
        for one, dtype in zip(found if isinstance(found, tuple) else (found,), types, strict=True)
    ]
    return tuple(parts) if isinstance(found, tuple) else parts[0]


def _is_unsigned(x: Any) -> bool:
    if type(x) in (bool, int, float):
        return x >= 0
    return x.dtype.kind in "ub"


def numbers_of(x: Any) -> Any:
    """Return the numbers of an argument; None if it has values in it."""
    if isinstance(x, Symbol):
        numbers = x.recording.numbers(x.ids)
        return None if numbers is None else numbers.astype(x.dtype)
    if isinstance(x, list | tuple) and recording_in(x) is not None:
        return None
    return x


def _aligned(x: Any, shape: tuple[int, ...]) -> Any:
    """An operand with as many axes as the result; plain numbers keep their weak types."""
    if isinstance(x, Symbol):
        ids = traced.of_shape(x.ids, shape)
        return Traced(x.recording, ids, x.dtype, x.bound)
    return x


def wrap(found: Traced) -> Symbol:
    """A traced array as a symbol of its own."""
    return wrapped(Symbol(found.recording, np.array(found.ids), found.dtype, found.bound))


def _without_nan(ufunc: np.ufunc) -> Callable:
    """The better of two numbers; one of them where the other is none."""

    def call(x: Any, y: Any) -> Any:
        return np.where(np.isnan(x), y, np.where(np.isnan(y), x, ufunc(x, y)))

    return call


def _tanh(x: Any) -> Any:
    return 1.0 - 2.0 / (exp(2.0 * x) + 1.0)


def _arcsinh(x: Any) -> Any:
    size = np.abs(x)
    return np.sign(x) * log(size + np.sqrt(size * size + 1.0))


def rounded(x: Symbol, decimals: int = 0) -> Any:
    """Numbers rounded to some decimals, halves to even ones."""
    if decimals == 0:
        return np.rint(x)
    if decimals < 0:
        return np.rint(x / 10.0**-decimals) * 10.0**-decimals
    return np.rint(x * 10.0**decimals) / 10.0**decimals


def matmul(a: Any, b: Any) -> Any:
    """Products of matrices and vectors, summed in the order of their elements."""
    recording = recording_in((a, b))
    a, b = as_symbol(recording, a), as_symbol(recording, b)
    if b.ndim == 1:
        return np.sum(a * b, axis=-1)
    columns = np.moveaxis(b, -1, -2)
    if a.ndim == 1:
        return np.sum(a * columns, axis=-1)
    return np.sum(a[..., :, None, :] * columns[..., None, :, :], axis=-1)


_SPECIAL: dict[str, Callable[..., Any]] = {
    **{name: elementary(name) for name in traced.FUNCTIONS},
    "arctan2": arctan2,
    "power": power,
    "float_power": lambda x, y: power(
        x if isinstance(x, Symbol) else float(x), np.multiply(1.0, y)
    ),
    "tanh": _tanh,
    "matmul": matmul,
    "hypot": lambda x, y: np.sqrt(x * x + y * y),
    "remainder": lambda x, y: division(x, y)[1],
    "floor_divide": lambda x, y: division(x, y)[0],
    "divmod": division,
    "fmod": fmod,
    "deg2rad": lambda x: x * (np.pi / 180),
    "radians": lambda x: x * (np.pi / 180),
    "rad2deg": lambda x: x * (180 / np.pi),
    "degrees": lambda x: x * (180 / np.pi),
    "cosh": lambda x: (exp(x) + exp(-x)) / 2,
    "sinh": lambda x: (exp(x) - exp(-x)) / 2,
    "arcsinh": _arcsinh,
    "expm1": lambda x: exp(x) - 1.0,
    "log1p": lambda x: log(1.0 + x),
    "exp2": lambda x: power(2.0, x),
    "log10": log_of(10.0),
    "log2": log_of(2.0),
    "conjugate": lambda x: x,
    "trunc": lambda x: np.where(x < 0, -np.floor(-x), np.floor(x)),
    "fmax": _without_nan(np.maximum),
    "fmin": _without_nan(np.minimum),
    "signbit": _signbit,
    "copysign": lambda x, y: np.where(_signbit(y), -np.abs(x), np.abs(x)),
    "heaviside": lambda x, h: np.where(x < 0, 0.0, np.where(x > 0, 1.0, np.where(x == 0, h, x))),
    "logaddexp": lambda x, y: np.maximum(x, y) + np.log1p(np.exp(-np.abs(x - y))),
    "cbrt": cbrt,
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
        x = as_symbol(recording_in((x,)), x)
    if dtype is not None:
        x = x.astype(dtype)
    if is_small(x):
        (dtype,) = result_types(lambda y: ufunc.reduce(y.reshape(1), dtype=dtype), (x,))
        found = reduce(ufunc, wide(x), axis, None, keepdims, initial)
        if is_small(dtype):
            return in_type(found, dtype, x.dtype.kind != "u")
        return found.astype(dtype)
    # axes to go and to stay
    axes = range(x.ndim) if axis is None else axis if isinstance(axis, tuple) else (axis,)
    axes = sorted(a % x.ndim for a in axes) if x.ndim else []
    kept = [a for a in range(x.ndim) if a not in axes]
    # one of them as it lies, several as one
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
    # what numpy does with the result
    if initial is not np._NoValue and initial is not None:
        found = ufunc(initial, found)
    if keepdims is True:
        found = found.like(np.expand_dims(found.ids, tuple(axes)))
    return found


def _product(rows: Symbol) -> Any:
    """Products over the last axis."""
    rows = rows.astype(np.int64) if rows.dtype == BOOL else rows
    found: Any = np.ones_like(rows[..., 0]) if rows.shape[-1] else np.ones(rows.shape[:-1])
    for k in range(rows.shape[-1]):
        found = found * rows[..., k]
    return found


Protocols.call_ufunc = staticmethod(call_ufunc)  # type: ignore[assignment]
