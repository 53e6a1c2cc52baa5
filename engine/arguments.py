"""Arguments of public functions: what they must be, said in one way where they are not.

numpy converts dates and texts to numbers, and drops imaginary parts; what cannot be meant is
refused here before.
"""

import operator
from collections.abc import Callable, Iterable
from functools import wraps
from inspect import signature
from typing import Any, TypeAlias, TypeVar, cast

import numpy as np

# what users give for arrays of numbers: `of_reals` makes arrays of float64 of it
Numbers: TypeAlias = Any
LARGEST = 2**31 - 1  # of whole numbers


def kind_of(value: Any) -> str:
    """Describe a value in a word."""
    array = value if isinstance(value, np.ndarray) else None
    return type(value).__name__ if array is None else f"an array of {array.dtype.name}"


def reals(value: Any, where: str, name: str) -> np.ndarray:
    """An argument of real numbers, as an array of float64.

    Raises:
        TypeError: it holds something else.
        ValueError: it is ragged.
    """
    array = plain_array(value, where, name)
    if array.dtype.kind not in "fiub":
        found = kind_of(value)
        if not isinstance(value, np.ndarray) and array.dtype.kind != "O":
            found = f"{found} of {array.dtype.name}" if array.ndim else found
        raise TypeError(f"{where}: {name} is {found}, expected real numbers")
    return array.astype(np.float64, copy=False)


def plain_array(value: Any, where: str, name: str) -> np.ndarray:
    """An argument as an array of any type.

    Raises:
        ValueError: it is ragged.
    """
    try:
        return np.asarray(value)
    except (ValueError, TypeError):
        raise ValueError(
            f"{where}: {name}: found rows of different lengths, expected an array"
        ) from None


def texts(value: Any, where: str, name: str) -> tuple[str, ...]:
    """An argument that is one text or several.

    Raises:
        TypeError: it is something else.
    """
    found = (value,) if isinstance(value, str) else value
    if not isinstance(found, Iterable) or isinstance(found, bytes):
        raise TypeError(f"{where}: {name}={value!r}: expected names")
    found = tuple(found)
    for one in found:
        if not isinstance(one, str):
            raise TypeError(f"{where}: {name}: found {one!r}, expected a name")
    return found


def number(value: Any, where: str, name: str) -> float:
    """An argument that is one real number.

    Raises:
        TypeError: it is something else.
        ValueError: it is not one number.
    """
    array = reals(value, where, name)
    if array.size != 1:
        raise ValueError(f"{where}: {name} has shape {array.shape}, expected one number")
    return float(array.reshape(()))


def whole(value: Any, where: str, name: str, low: int = 0, high: int = LARGEST) -> int:
    """An argument that is one whole number.

    Raises:
        TypeError: it is something else.
        ValueError: it is out of range.
    """
    try:
        found = operator.index(value)
    except TypeError:
        raise TypeError(f"{where}: {name}={value!r}: expected a whole number") from None
    if not low <= found <= high:
        limits = f"{low} to {high}" if low < 0 or high < LARGEST else f"at least {low}"
        limits = "0 or more" if limits == "at least 0" else limits
        raise ValueError(f"{where}: {name}={found}: expected {limits}")
    return found


Function = TypeVar("Function", bound=Callable)


def of_reals(function: Function) -> Function:
    """Let a function of numbers get them as arrays of float64, and refuse what does not fit.

    Parameters that are annotated as `Numbers` are of any shape, `float` and `int` are single ones.
    """
    where, parameters = function.__name__, signature(function).parameters
    kinds = {p.name: p.annotation for p in parameters.values()}
    optional = {p.name for p in parameters.values() if p.default is None}

    def converted(name: str, value: Any):
        kind = kinds.get(name)
        if kind is int:
            return whole(value, where, name, -LARGEST)
        if kind not in (Numbers, float) or (value is None and name in optional):
            return value
        return reals(value, where, name)

    @wraps(function)
    def call(*args: Any, **kwargs: Any):
        given = dict(zip(kinds, args, strict=False)) | kwargs
        arrays = {name: converted(name, value) for name, value in given.items()}
        if len(args) > len(kinds) or not kinds.keys() >= arrays.keys():
            return function(*args, **kwargs)  # Python says what is wrong
        try:
            return function(**arrays)
        except (IndexError, ValueError) as error:
            if str(error).startswith(where):
                raise
            shapes = [f"{n} {a.shape}" for n, a in arrays.items() if isinstance(a, np.ndarray)]
            raise ValueError(f"{where}: shapes that do not fit: {', '.join(shapes)}") from error

    return cast(Function, call)
