"""What stands for numpy, math and a few of Python's own names in a package while it is followed.

Functions that make arrays (`numpy.array`, `numpy.zeros`) have no symbols among their arguments, or
do not ask them; `float(x)` and `isinstance(x, float)` are Python's own. In the modules of the
package that is followed, and only while it is, these names mean functions that know symbols.
"""

import builtins
import math
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from mjenv.porting.symbols import Symbol, as_symbol, constant, has_symbols
from mjenv.tracing.arrays import TraceError

_MAKERS = ("zeros", "ones", "empty", "full", "eye", "identity")


class _Arrays(type):
    """The type of what stands for `numpy.ndarray`: symbols are arrays, too."""

    def __instancecheck__(cls, value: Any) -> bool:
        return isinstance(value, np.ndarray | Symbol)


class Numpy:
    """Numpy, with functions that make arrays of symbols."""

    def __init__(self, recording: Any):
        self._recording = recording
        members: dict[str, Any] = {"zeros_like": self._zeros_like}
        for name in ("array", "asarray", "asanyarray", "ascontiguousarray"):
            members[name] = self._converting(name)
        for name in _MAKERS:
            members[name] = self._making(name)
        for name in ("float64", "float32", "bool_", "int64", "int32"):
            members[name] = _number_type(getattr(np, name))
        members["ndarray"] = _Arrays("ndarray", (), {})
        vars(self).update(members)

    def __getattr__(self, name: str) -> Any:
        return getattr(np, name)

    def _converting(self, name: str) -> Any:
        real = getattr(np, name)

        def convert(value: Any, dtype: Any = None, *args: Any, **options: Any) -> Any:
            dtype = _dtype(dtype)
            if not has_symbols(value):
                return real(value, dtype, *args, **options)
            made = as_symbol(self._recording, value)
            made = made if dtype is None else made.astype(dtype)
            return made.copy() if name == "array" else made

        return convert

    def _making(self, name: str) -> Any:
        real = getattr(np, name)

        def make(*args: Any, dtype: Any = None, **options: Any) -> Any:
            if name == "full" and has_symbols(args[1:2]):
                made = as_symbol(self._recording, args[1])
                ids = np.array(np.broadcast_to(made.ids, args[0]))
                return Symbol(self._recording, ids, made.dtype)
            options |= {} if dtype is None else {"dtype": _dtype(dtype)}
            args = tuple(_dtype(one) for one in args)
            made = real(*args, **options)
            return constant(self._recording, made) if made.dtype.kind in "fiub" else made

        return make

    def _zeros_like(self, x: Any, dtype: Any = None, **_: Any) -> Any:
        return constant(self._recording, np.zeros(np.shape(x), _dtype(dtype) or x.dtype))


def _dtype(dtype: Any) -> Any:
    return getattr(dtype, "real_type", dtype) if isinstance(dtype, type) else dtype


def _number_type(real: Any) -> type:
    """A type of numbers whose constructor leaves symbols symbols."""

    class Kind(type):
        """Knows symbols of the type as instances."""

        def __instancecheck__(cls, value: Any) -> bool:
            if isinstance(value, Symbol):
                return value.ndim == 0 and value.dtype.kind == np.dtype(real).kind
            return isinstance(value, real)

    class Number(real if real not in (bool, np.bool_) else object, metaclass=Kind):  # type: ignore
        """Stands for the type."""

        real_type = real
        dtype = np.dtype(real)

        def __new__(cls, *values: Any, **options: Any) -> Any:
            """A number, or a symbol of one."""
            if values and isinstance(values[0], Symbol):
                if real in (float, int) and values[0].size != 1:
                    raise TypeError("only length-1 arrays can be converted to Python scalars")
                found = values[0].astype(real)
                return found.reshape(()) if real in (float, int) else found
            return real(*values, **options)

    Number.__name__ = real.__name__
    return Number


class Math:
    """The module math, whose functions take symbols."""

    def __getattr__(self, name: str) -> Any:
        real = getattr(math, name)
        same = {"pow": "power", "asin": "arcsin", "acos": "arccos", "atan": "arctan",
                "atan2": "arctan2", "fabs": "abs", "dist": None, "isclose": "isclose"}  # fmt: skip

        def call(*args: Any) -> Any:
            if not has_symbols(args):
                return real(*args)
            found = getattr(np, same.get(name, name) or "", None)
            if found is None:
                raise TraceError(f"found math.{name} of values, which cannot be traced")
            return found(*args)

        return call if callable(real) else real


def _extreme(real: Any, better: Any) -> Any:
    def call(*values: Any, **options: Any) -> Any:
        several = list(values[0]) if len(values) == 1 else list(values)
        if options or not has_symbols(several):
            return real(*values, **options)
        best = several[0]
        for one in several[1:]:
            best = np.where(better(one, best), one, best)
        return best

    return call


def _isinstance(value: Any, kinds: Any) -> bool:
    if isinstance(value, Symbol):
        for kind in kinds if isinstance(kinds, tuple) else (kinds,):
            kind = getattr(kind, "real_type", kind)
            number = {float: "f", int: "i", bool: "b"}.get(kind)
            if value.ndim == 0 and number == value.dtype.kind:
                return True
    return isinstance(value, kinds)


def names(recording: Any) -> dict[str, Any]:
    """What names mean: those of modules under which they are found, and Python's own."""
    return {
        "float": _number_type(float),
        "int": _number_type(int),
        "max": _extreme(builtins.max, lambda one, best: one > best),
        "min": _extreme(builtins.min, lambda one, best: one < best),
        "isinstance": _isinstance,
    }


@contextmanager
def substituted(recording: Any, spaces: Iterable[dict[str, Any]]) -> Iterator[None]:
    """While it lasts, names of modules mean what knows symbols.

    Args:
        recording: of the symbols.
        spaces: the names of the modules that are followed.
    """
    numpy, maths, own = Numpy(recording), Math(), names(recording)
    changed: list[tuple[dict, str, Any]] = []
    missing = object()
    for space in spaces:
        new = {n: numpy for n, v in space.items() if v is np}
        new |= {n: maths for n, v in space.items() if v is math}
        new |= {n: v for n, v in own.items() if n not in space}
        for name, value in new.items():
            changed.append((space, name, space.get(name, missing)))
            space[name] = value
    try:
        yield
    finally:
        for space, name, value in changed:
            if value is missing:
                space.pop(name, None)
            else:
                space[name] = value
