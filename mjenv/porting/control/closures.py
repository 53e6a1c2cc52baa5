"""Functions as arguments: what they have besides their own, which others may change meanwhile."""

from contextlib import suppress
from functools import partial
from types import FunctionType, MethodType
from typing import Any


def had_by(values: Any) -> list[Any]:
    """What functions in some values have: names of functions around them, defaults, arguments.

    Args:
        values: arguments of a function, in lists, tuples and dicts.
    """
    found: list[Any] = []
    waiting, seen = [values], set[int]()
    while waiting:
        one = waiting.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        if isinstance(one, dict):
            waiting += one.values()
        elif isinstance(one, list | tuple):
            waiting += one
        elif isinstance(one, FunctionType | MethodType | partial):
            inside = parts_of(one)
            found += inside
            waiting += inside
    return found


def parts_of(function: Any) -> list[Any]:
    """What one function has: of a method its function, not what it is bound to."""
    if isinstance(function, MethodType):
        return [function.__func__]
    if isinstance(function, partial):
        return [function.func, *function.args, *function.keywords.values()]
    found = [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
    for cell in function.__closure__ or ():
        with suppress(ValueError):  # a name that has no value yet
            found.append(cell.cell_contents)
    return found
