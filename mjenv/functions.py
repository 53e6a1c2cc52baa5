"""Elementary functions for tasks, with the same bits on every processor and in compiled tasks.

numpy's own (`numpy.sin`, ...) come from libraries that differ in the last bit from machine to
machine. These are the functions of the physics, to about 2 units in the last place. They take
numbers and arrays, and give arrays of the type of their argument.
"""

from typing import Any

import numpy as np

from mjenv.engine.bytecode import functions, opcodes
from mjenv.tracing.arrays import DOUBLE, SINGLE, Traced

_NUMBERS = {
    name: getattr(opcodes, name.upper())
    for name in ("sin", "cos", "arcsin", "arccos", "arctan2", "exp", "log")
}


def sin(x: Any) -> Any:
    """Sine of an angle in radians."""
    return _apply("sin", x)


def cos(x: Any) -> Any:
    """Cosine of an angle in radians."""
    return _apply("cos", x)


def tan(x: Any) -> Any:
    """Tangent of an angle in radians."""
    return _apply("sin", x) / _apply("cos", x)


def arcsin(x: Any) -> Any:
    """Angle whose sine is x, -pi/2 to pi/2."""
    return _apply("arcsin", x)


def arccos(x: Any) -> Any:
    """Angle whose cosine is x, 0 to pi."""
    return _apply("arccos", x)


def arctan(x: Any) -> Any:
    """Angle whose tangent is x, -pi/2 to pi/2."""
    return _apply("arctan2", x, np.ones_like(x))


def arctan2(y: Any, x: Any) -> Any:
    """Angle of the point (x, y), -pi to pi."""
    return _apply("arctan2", y, x)


def exp(x: Any) -> Any:
    """e to the x."""
    return _apply("exp", x)


def log(x: Any) -> Any:
    """Natural logarithm: -infinity of 0, NaN of negative numbers."""
    return _apply("log", x)


def lookup(table: Any, index: Any) -> Any:
    """Numbers of a table at indices that are known only when the task runs.

    Args:
        table: numbers (n,), the same for all worlds.
        index: (...), whole numbers; those beyond the ends count as the ends, NaN as 0.

    Returns:
        float64 of the shape of `index`.

    Raises:
        ValueError: the table is no list of numbers.
    """
    numbers = np.ascontiguousarray(table, np.float64)
    if numbers.ndim != 1 or not numbers.size:
        raise ValueError(f"lookup: found a table of shape {numbers.shape}, expected (n,)")
    if isinstance(index, Traced):
        ids = index.recording.look_up(numbers, index.ids)
        return Traced(index.recording, ids, DOUBLE, 1, index.ordered)
    places = np.fmin(np.fmax(np.asarray(index, np.float64), 0.0), len(numbers) - 1.0)
    return numbers[places.astype(np.int64)]


def _apply(name: str, *arguments: Any) -> Any:
    """A function of arrays, or of traced arrays."""
    first = arguments[0]
    if type(first) is np.ndarray and first.dtype == np.float64 and len(arguments) == 1:
        return functions.call(_NUMBERS[name], first)
    if any(isinstance(x, Traced) for x in arguments):
        return _record(name, arguments)
    arrays = [np.asarray(x) for x in arguments]
    dtype = np.result_type(*arguments) if len(arrays) > 1 else arrays[0].dtype
    if len(arrays) > 1:
        arrays = np.broadcast_arrays(*arrays)
    numbers = [array.astype(np.float64, copy=False) for array in arrays]
    result = functions.call(_NUMBERS[name], *numbers)
    return result.astype(np.float32) if dtype == SINGLE else result


def _record(name: str, arguments: tuple) -> Traced:
    from mjenv.tracing.numpy_functions import numbered

    weak = [type(x) if type(x) in (int, float) else x.dtype for x in arguments]
    dtype = np.arctan2.resolve_dtypes((*weak, *weak, None)[-3:])[-1]
    operands = numbered(arguments, [dtype] * len(arguments))
    recording = operands[0].recording
    ids = recording.compute(name, *(x.ids for x in operands), single=dtype == SINGLE)
    ordered = all(x.ordered for x in operands)
    return Traced(recording, ids, dtype, 1, ordered)
