"""Functions given as rows of a table: what they do in a few words, and what does it."""

from collections.abc import Callable, Mapping
from typing import Any


def define(scope: dict[str, Any], rows: Mapping[str, tuple[str, Callable]]) -> None:
    """Give a module the functions of a table.

    Args:
        scope: globals of the module.
        rows: name -> (summary, function of the reference's arguments in their order).
    """
    for name, (summary, function) in rows.items():
        function.__name__ = function.__qualname__ = name
        function.__doc__ = summary
        scope[name] = function
