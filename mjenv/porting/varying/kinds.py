"""Types of numbers: what `isinstance`, `type` and `hasattr` say of values.

A symbol stands for a number of Python, for one of numpy, or for an array. Which of them is known
where the package itself says so (`float(x)`, `x[0]`, `numpy.array(x)`); of what is computed it is
not. A question is answered where the answer is the same for all that it may be.
"""

import builtins
from collections.abc import Iterable
from functools import cache
from types import UnionType
from typing import Any, get_args

import numpy as np

from mjenv.porting.symbols.refusals import MissingNumber
from mjenv.porting.symbols.small_numbers import SMALL
from mjenv.porting.symbols.symbol import Maybe, Symbol
from mjenv.porting.varying.histories import History
from mjenv.porting.varying.registers import Register
from mjenv.porting.varying.rosters import Roster
from mjenv.porting.varying.words import Word
from mjenv.tracing.arrays import TraceError

_PLAIN = {"f": float, "i": int, "b": bool}  # Python's types
NUMBERS = (bool, int, float, np.bool_, np.int32, np.int64, np.float32, np.float64,
           *(dtype.type for dtype in SMALL))  # fmt: skip


def types_of(value: Any) -> set[type]:
    """The types of what a value may stand for; its own if it stands for nothing."""
    if isinstance(value, Symbol):
        if value.ndim:
            return {np.ndarray}
        if value.known_type is not None:
            return {value.known_type}
        alike = value.dtype in (np.float64, np.int64, np.bool_)
        return {value.dtype.type, *([_PLAIN[value.dtype.kind]] if alike else [])}
    if isinstance(value, Word):
        return {*map(type, value.items)}
    if isinstance(value, Roster):
        return {value.kind}
    if isinstance(value, Register):
        return {value.kind[0]}
    if isinstance(value, History):
        return {list}
    return {type(value)}


def _agreed(what: str, answers: Iterable[Any]) -> Any:
    """The answer that is the same for all.

    Raises:
        TraceError: there are several.
    """
    first, *others = set(answers)
    if others:
        raise TraceError(
            f"found {what} of a number that may be Python's or numpy's, expected one that is the "
            "same for both, such as isinstance(x, (int, numpy.integer))"
        )
    return first


def is_instance(value: Any, kinds: Any) -> bool:
    """`isinstance(value, kinds)`, of what a value stands for."""
    real = _real(kinds)
    if isinstance(value, Symbol | Word | Roster | Register | History):
        # what stands for other classes is no class
        classes = tuple(one for one in real if isinstance(one, type))
        return _agreed("isinstance", [issubclass(one, classes) for one in types_of(value)])
    return isinstance(value, real)


def _real(kinds: Any) -> tuple:
    """Classes themselves, for what stands for them."""
    if isinstance(kinds, tuple | UnionType):
        parts = kinds if isinstance(kinds, tuple) else get_args(kinds)
        return tuple(one for part in parts for one in _real(part))
    if kinds is type_of:
        return (type,)
    return (getattr(kinds, "real_type", kinds) if isinstance(kinds, type) else kinds,)


def type_of(*args: Any, **options: Any) -> Any:
    """`type(value)`, or a new class."""
    if len(args) != 1 or options:
        return builtins.type(*args, **options)
    found = _agreed("type", types_of(args[0]))
    if found is np.ndarray:
        raise TraceError("found type() of an array, expected isinstance")
    return number_type(found) if found in NUMBERS else found


def has_attribute(value: Any, name: str) -> bool:
    """`hasattr(value, name)`."""
    if not isinstance(value, Symbol):
        return hasattr(value, name)
    return _agreed("hasattr", [hasattr(one, name) for one in types_of(value)])


def is_scalar(value: Any) -> bool:
    """`numpy.isscalar`."""
    if isinstance(value, Symbol):
        return np.ndarray not in types_of(value)
    return isinstance(value, Word) or np.isscalar(value)


class Kind(type):
    """A type of numbers, whose instances symbols may be."""

    real_type: Any

    def __instancecheck__(cls, value: Any) -> bool:
        return is_instance(value, cls.real_type)

    def __eq__(cls, other: Any) -> bool:
        return cls.real_type is getattr(other, "real_type", other)

    def __hash__(cls) -> int:
        return hash(cls.real_type)


@cache
def number_type(real: Any) -> type:
    """A type of numbers whose constructor leaves symbols symbols."""

    class Number(real if real not in (bool, np.bool_) else object, metaclass=Kind):  # type: ignore
        """Stands for the type."""

        real_type = real
        dtype = np.dtype(real)

        def __new__(cls, *values: Any, **options: Any) -> Any:
            """A number, or a symbol of one."""
            plain = real in (float, int, bool)
            if values and values[0] is None and real in (float, int):
                raise MissingNumber(f"{real.__name__}() of None")
            if values and isinstance(values[0], Maybe | Word):
                one = values[0]
                values = (one.value() if isinstance(one, Word) else one.number(), *values[1:])
            if not values or not isinstance(values[0], Symbol):
                return real(*values, **options)
            if plain and values[0].size != 1:
                raise TypeError("only length-1 arrays can be converted to Python scalars")
            found = values[0].astype(real)
            found = found.reshape(()) if plain else found
            found.known_type = None if found.ndim else real
            return found

    Number.__name__ = real.__name__
    return Number
