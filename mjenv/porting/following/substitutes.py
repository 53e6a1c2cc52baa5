"""Substitutes for numpy, math and a few of Python's own names in a package while it is traced.

Functions that make arrays (`numpy.array`, `numpy.zeros`) have no symbols among their arguments, or
do not ask them; `float(x)` and `isinstance(x, float)` are Python's own. In the modules of the
package that is followed, and only while it is, these names mean functions that know symbols.
"""

import builtins
import math
import sys
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from types import BuiltinFunctionType, ModuleType
from typing import Any

import numpy as np

from mjenv.porting.control.endings import FOLD
from mjenv.porting.control.folding import Fold
from mjenv.porting.environment.common_generators import CommonModule, module_of
from mjenv.porting.environment.generators import Refused, is_random
from mjenv.porting.symbols.composed_functions import array
from mjenv.porting.symbols.mathematics import Math, on_symbols
from mjenv.porting.symbols.rotations import Rotation
from mjenv.porting.symbols.symbol import Symbol, as_symbol, constant, has_symbols
from mjenv.porting.varying.histories import History, Tail
from mjenv.porting.varying.kinds import (
    NUMBERS,
    has_attribute,
    is_instance,
    is_scalar,
    number_type,
    type_of,
)
from mjenv.porting.varying.loop_functions import (
    all_of,
    any_of,
    extreme,
    in_order,
    number_of,
    numbered,
    total,
)
from mjenv.porting.varying.symbolic_contacts import Count, Possible, numbers
from mjenv.tracing.arrays import TraceError

# functions of lists of arrays
_TAKE_LISTS = frozenset(
    ("concatenate", "stack", "hstack", "vstack", "column_stack", "dstack", "broadcast_arrays",
     "multi_dot", "select", "polyval")
)  # fmt: skip
# functions that give arrays also of one number
_ZERO_AXES = frozenset((np.where, np.squeeze, np.reshape, np.broadcast_to, np.full_like,
                        np.zeros_like, np.ones_like, np.copy, np.nan_to_num))  # fmt: skip
_MAKERS = ("zeros", "ones", "empty", "full", "eye", "identity")
# names of what `from numpy import ...` and `from numpy.linalg import ...` give, by its identity
_OF_NUMPY = {
    **{id(value): ("linalg", name) for name, value in vars(np.linalg).items() if callable(value)},
    **{id(value): (name,) for name, value in vars(np).items() if callable(value)},
    **{id(value): (name,) for name, value in (("linalg", np.linalg), ("r_", np.r_), ("c_", np.c_))},
}


class _Arrays(type):
    """The type of what stands for `numpy.ndarray`: symbols are arrays, too."""

    make: Any  # numpy.empty, for symbols

    def __call__(cls, shape: Any, dtype: Any = float, *args: Any, **options: Any) -> Any:
        """An array without values yet."""
        if args or options.keys() - {"order"}:
            raise TraceError("found numpy.ndarray of a buffer, expected numpy.empty")
        return cls.make(shape, dtype=dtype)

    def __instancecheck__(cls, value: Any) -> bool:
        return is_instance(value, np.ndarray)


class _Random(CommonModule):
    """The module numpy.random; generators that a reset makes without a seed are those of worlds."""

    def __init__(self, recording: Any):
        super().__init__("numpy.random", np.random, lambda name: recording.paths.common[name])
        self._recording = recording

    def __getattr__(self, name: str) -> Any:
        if name not in ("default_rng", "RandomState"):
            return super().__getattr__(name)

        def make(seed: Any = None) -> Any:
            made = self._recording.paths.made
            if seed is not None or made is None:
                raise TraceError(
                    f"found numpy.random.{name} in the step, expected generators that are made "
                    "once, or by resets without a seed"
                )
            return made(name)

        return make


def _of_random(recording: Any, name: str, value: Any) -> Any:
    """What stands for a generator, one of its methods, or a module that has one.

    Args:
        recording: of the symbols.
        name: by which it is known.
        value: itself.
    """
    if value is np.random:
        return _Random(recording)

    def common(module: str) -> Any:
        return recording.paths.common[module]

    if isinstance(value, ModuleType):
        return CommonModule(value.__name__, value, common)
    module = module_of(value)
    if not module:
        return Refused(name)
    return lambda *args, **options: getattr(common(module), value.__name__)(*args, **options)


class _Part:
    """A module of numpy, whose functions take lists of symbols."""

    def __init__(self, real: Any, recording: Any):
        self._real, self._recording = real, recording

    def __getattr__(self, name: str) -> Any:
        real = getattr(self._real, name)
        plain = isinstance(real, type) or not callable(real) or name in _TAKE_LISTS
        return real if plain else _WithLists(real, self._recording)


class _WithLists:
    """A function of numpy for which lists with symbols in them are arrays."""

    def __init__(self, real: Any, recording: Any):
        self._real, self._recording = real, recording

    def __call__(self, *args: Any, **options: Any) -> Any:
        args = tuple(map(self._array, args))
        _refuse_out(self._real, args, options)
        found = self._real(*args, **options)
        if isinstance(found, Symbol) and not found.ndim and found.known_type is None:
            found.known_type = np.ndarray if self._real in _ZERO_AXES else found.dtype.type
        return found

    def _array(self, value: Any) -> Any:
        if isinstance(value, History):
            return value.chosen()
        listed = isinstance(value, list | tuple | deque) and has_symbols(value)
        return as_symbol(self._recording, value) if listed else value

    def __getattr__(self, name: str) -> Any:
        # such as reductions of functions of two numbers
        return getattr(self._real, name)


def _refuse_out(real: Any, args: tuple, options: dict[str, Any]) -> None:
    """Refuse a number to write into: of some, nobody knows whether it is an array.

    Raises:
        TraceError: there is one.
    """
    given = args[real.nin :] if isinstance(real, np.ufunc) else ()
    for one in (*given, options.get("out")):
        if isinstance(one, Symbol) and not one.ndim and one.known_type is not np.ndarray:
            raise TraceError("found out= of a number, expected an array")


class _Joined:
    """`numpy.r_` and `numpy.c_`, of arrays and numbers."""

    def __init__(self, real: Any):
        self._real = real

    def __getitem__(self, items: Any) -> Any:
        parts = items if isinstance(items, tuple) else (items,)
        if not has_symbols([*parts]):
            return self._real[items]
        if any(isinstance(one, slice | str) for one in parts):
            raise TraceError("found numpy.r_ of ranges and values, expected numpy.concatenate")
        if self._real is np.c_:
            return np.column_stack(parts)
        return np.concatenate([np.atleast_1d(array(one)) for one in parts])


class _Vectorized:
    """`numpy.vectorize`: a function of one number, of each element."""

    def __init__(self, function: Any, *args: Any, **options: Any):
        self._function, self._rest = function, (args, options)

    def __call__(self, *arrays: Any) -> Any:
        if not has_symbols([*arrays]):
            args, options = self._rest
            return np.vectorize(self._function, *args, **options)(*arrays)
        if self._rest != ((), {}):
            raise TraceError("found numpy.vectorize with options, expected a function alone")
        shape = np.broadcast_shapes(*map(np.shape, arrays))
        flat = [np.ravel(np.broadcast_to(one, shape)) for one in arrays]
        found = [self._function(*one) for one in zip(*flat, strict=True)]
        return np.stack(found).reshape(shape)


class Numpy:
    """Numpy, with functions that make arrays of symbols."""

    def __init__(self, recording: Any):
        self._recording = recording
        members: dict[str, Any] = {"zeros_like": self._zeros_like}
        for name in ("array", "asarray", "asanyarray", "ascontiguousarray"):
            members[name] = self._converting(name)
        for name in _MAKERS:
            members[name] = self._making(name)
        members["isscalar"] = is_scalar
        members |= {"r_": _Joined(np.r_), "c_": _Joined(np.c_), "vectorize": _Vectorized}
        made = {"make": staticmethod(self._making("empty")), "real_type": np.ndarray}
        members["ndarray"] = _Arrays("ndarray", (), made)
        vars(self).update(members)

    def __getattr__(self, name: str) -> Any:
        real = getattr(np, name)
        if name == "random":
            return _Random(self._recording)
        if isinstance(real, type) and real in NUMBERS:
            return number_type(real)
        if name == "linalg":
            return _Part(real, self._recording)
        plain = isinstance(real, type) or not callable(real) or name in _TAKE_LISTS
        return real if plain else _WithLists(real, self._recording)

    def one(self, *names: str) -> Any:
        """What `from numpy import ...` gives: a member, or a member of one."""
        found: Any = self
        for name in names:
            found = getattr(found, name)
        return found

    def _converting(self, name: str) -> Any:
        real = getattr(np, name)

        def convert(value: Any, dtype: Any = None, *args: Any, **options: Any) -> Any:
            dtype = _dtype(dtype)
            if isinstance(value, History):
                found = value.chosen()
                return found if dtype is None else found.astype(dtype)
            if not has_symbols(value):
                return real(value, dtype, *args, **options)
            if args or options.keys() - {"copy", "order", "subok", "ndmin"}:
                raise TraceError(f"found numpy.{name} of values with {', '.join(options)}")
            made = as_symbol(self._recording, value)
            made = made if dtype is None else made.astype(dtype, copy=False)
            copies = options.get("copy", True if name == "array" else None)
            shape = (1,) * (options.get("ndmin", 0) - made.ndim) + made.shape
            contiguous = name != "ascontiguousarray" or made.ids.flags.c_contiguous
            number = not made.ndim and made.known_type is not np.ndarray
            if (copies or not contiguous or number) and made is value:
                made = made.copy()
            return made.reshape(shape) if shape != made.shape or not shape else made

        return convert

    def _making(self, name: str) -> Any:
        real = getattr(np, name)

        def make(*args: Any, dtype: Any = None, **options: Any) -> Any:
            value = args[1:2] or [options.get("fill_value")]
            if name == "full" and has_symbols([*value]):
                made = as_symbol(self._recording, value[0])
                dtype = dtype if len(args) < 3 else args[2]
                made = made if dtype is None else made.astype(_dtype(dtype))
                shape = args[0] if args else options["shape"]
                ids = np.array(np.broadcast_to(made.ids, shape))
                return Symbol(self._recording, ids, made.dtype, made.bound)
            options |= {} if dtype is None else {"dtype": _dtype(dtype)}
            args = tuple(_dtype(one) for one in args)
            made: Any = real(*args, **options)
            if made.dtype.kind not in "fiub":
                return made
            found = constant(self._recording, made)
            return found.reshape(()) if not found.ndim else found

        return make

    def _zeros_like(self, x: Any, dtype: Any = None, **_: Any) -> Any:
        return constant(self._recording, np.zeros(np.shape(x), _dtype(dtype) or x.dtype))


def _dtype(dtype: Any) -> Any:
    return getattr(dtype, "real_type", dtype) if isinstance(dtype, type) else dtype


def _extreme(real: Any, better: Any) -> Any:
    def call(*values: Any, **options: Any) -> Any:
        if len(values) == 1 and isinstance(values[0], Possible):
            return extreme(values[0], better, options)
        several = list(values[0]) if len(values) == 1 else list(values)
        if options or not has_symbols(several):
            # an iterator has been used up
            return real(several, **options)
        best = several[0]
        for one in several[1:]:
            best = np.where(better(one, best), one, best)
        return best

    return call


def names(recording: Any) -> dict[str, Any]:
    """Return the substitutes of names: of modules under which they are found, and Python's own."""
    return {
        "bool": number_type(bool),
        "float": number_type(float),
        "int": number_type(int),
        "max": _extreme(builtins.max, lambda one, best: one > best),
        "min": _extreme(builtins.min, lambda one, best: one < best),
        "isinstance": is_instance,
        "type": type_of,
        "hasattr": has_attribute,
        "sum": _of_possible(builtins.sum, total),
        "any": _of_possible(builtins.any, any_of),
        "all": _of_possible(builtins.all, all_of),
        "len": _of_possible(builtins.len, number_of),
        "enumerate": _of_possible(builtins.enumerate, numbered),
        "sorted": _of_possible(builtins.sorted, in_order),
        "range": _range,
        FOLD: Fold(recording),
    }


def _of_possible(real: Any, ours: Any) -> Any:
    """A function of what can be looped over, also for what a world may have."""

    def call(*args: Any, **options: Any) -> Any:
        if args and isinstance(args[0], Tail):
            args = (args[0].as_list(), *args[1:])
        return (ours if args and isinstance(args[0], Possible) else real)(*args, **options)

    return call


def _range(*args: Any) -> Any:
    """`range`, also up to the number of contacts."""
    if isinstance(args[-1], Count) and (len(args) == 1 or (len(args) == 2 and args[0] == 0)):
        return numbers(args[-1].contacts)
    return builtins.range(*args)


def _is_of_math(value: Any) -> bool:
    """True for a function of the module math."""
    return type(value) is BuiltinFunctionType and value.__module__ == "math"


def _is_rotation(value: Any) -> bool:
    """True if it is SciPy's class of rotations."""
    if not isinstance(value, type) or value.__name__ != "Rotation":
        return False
    return value.__module__.startswith("scipy.")


def _importing(modules: dict[str, Any], spaces: Sequence[dict[str, Any]]) -> Any:
    """`import` inside of functions that are followed: a substitute for a module that has one.

    Args:
        modules: what stands for a module, by its name.
        spaces: the names of the modules of these functions.
    """
    real, followed = builtins.__import__, {id(space) for space in spaces}

    def find(
        name: str, globals: Any = None, locals: Any = None, fromlist: Any = (), level: int = 0
    ) -> Any:
        found = real(name, globals, locals, fromlist, level)
        top, *parts = name.split(".")
        if level or top not in modules or id(globals) not in followed:
            return found
        found = modules[top]
        # `import numpy.linalg` gives numpy, `from numpy.linalg import norm` numpy.linalg
        return found.one(*parts) if fromlist and parts else found

    return find


@contextmanager
def substituted(recording: Any, spaces: Iterable[dict[str, Any]]) -> Iterator[None]:
    """While it lasts, names of modules mean what knows symbols.

    Args:
        recording: of the symbols.
        spaces: the names of the modules that are followed.
    """
    spaces = [*spaces]
    numpy, maths, own = Numpy(recording), Math(), names(recording)
    changed: list[tuple[dict, str, Any]] = []
    missing = object()
    for space in spaces:
        new = {n: numpy for n, v in space.items() if v is np}
        new |= {n: numpy.one(*at) for n, v in space.items() if (at := _OF_NUMPY.get(id(v)))}
        new |= {n: maths for n, v in space.items() if v is math}
        new |= {n: on_symbols(v.__name__) for n, v in space.items() if _is_of_math(v)}
        new |= {n: Rotation(v) for n, v in space.items() if _is_rotation(v)}
        new |= {n: _of_random(recording, n, v) for n, v in space.items() if is_random(v)}
        new |= {n: v for n, v in own.items() if n not in space}
        for name, value in new.items():
            changed.append((space, name, space.get(name, missing)))
            space[name] = value
    # functions may import it when they run
    module = sys.modules.get("scipy.spatial.transform")
    if module is not None:
        changed.append((vars(module), "Rotation", module.Rotation))
        vars(module)["Rotation"] = Rotation(module.Rotation)
    changed.append((builtins.__dict__, "__import__", builtins.__import__))
    builtins.__import__ = _importing({"numpy": numpy, "math": maths}, spaces)
    try:
        yield
    finally:
        for space, name, value in changed:
            if value is missing:
                space.pop(name, None)
            else:
                space[name] = value
