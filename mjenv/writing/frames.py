"""Functions of an environment's package: their source, and the names that they see."""

import ast
import builtins
import inspect
import textwrap
from functools import cache
from types import FunctionType
from typing import Any

import numpy as np

from mjenv.writing.values import NotWritten, Several, Static, Value, literal, name


@cache
def source_of(function: Any) -> ast.FunctionDef:
    """A function's source, with the lines of its file.

    Raises:
        NotWritten: it has none, or is no plain function.
    """
    where = f"{function.__module__}.{function.__qualname__}"
    try:
        lines, first = inspect.getsourcelines(function)
    except (OSError, TypeError):
        raise NotWritten(f"{where}: found no source, expected a function of a file") from None
    try:
        found = ast.parse(textwrap.dedent("".join(lines))).body[0]
    except SyntaxError:
        raise NotWritten(f"{where}: found other lines in its file, expected its source") from None
    if not isinstance(found, ast.FunctionDef):
        raise NotWritten(f"{where}: found {type(found).__name__}, expected a plain function")
    ast.increment_lineno(found, first - 1)
    return found


def body_of(function: Any) -> list[ast.stmt]:
    """Statements of a function, without its docstring."""
    body = source_of(function).body
    return body[1:] if ast.get_docstring(source_of(function)) is not None else body


class Frame:
    """A call of a function that is being followed.

    Attributes:
        function: it.
        bound: its `self`, if it has one.
        owner: the class that it is of, for `super()`.
        names: its variables.
        constants: constants of its module that have names of their own, and their values.
    """

    def __init__(self, function: Any, bound: Static | None, constants: dict[str, Any]):
        self.function, self.bound, self.constants = function, bound, constants
        self.names: dict[str, Value] = {}
        self.owner = None if bound is None else _owner(function, type(bound.value))
        self.space = dict(function.__globals__)
        for word, cell in zip(
            function.__code__.co_freevars, function.__closure__ or (), strict=True
        ):
            if word != "__class__":
                self.space[word] = cell.cell_contents

    def inner(self) -> "Frame":
        """The frame of a comprehension, which sees the names of this one."""
        twin = Frame(self.function, self.bound, self.constants)
        twin.names = dict(self.names)
        return twin

    def look_up(self, word: str) -> Value:
        """The value of a name.

        Raises:
            NotWritten: there is none.
        """
        if word in self.names:
            return self.names[word]
        if word in self.space:
            return self._global(word, self.space[word])
        if hasattr(builtins, word):
            return Static(getattr(builtins, word), name(word))
        raise NotWritten(f"found no value of {word}")

    def _global(self, word: str, value: Any) -> Static:
        if value is np:
            return Static(value, name("np"))
        if isinstance(value, bool | int | float | tuple | list | np.ndarray) and word.isupper():
            try:
                literal(value)
            except NotWritten:
                return Static(value)
            if self.constants.setdefault(word, value) is value:
                return Static(value, name(word))
        return Static(value)


def _owner(function: Any, kind: type) -> type | None:
    """The class whose body has a function."""
    for one in kind.__mro__:
        for found in vars(one).values():
            inner = found.fget if isinstance(found, property) else found
            inner = getattr(inner, "__func__", inner)
            while inner is not None:
                if inner is function:
                    return one
                inner = getattr(inner, "__wrapped__", None)
    return None


def is_function(value: Any) -> bool:
    """True for functions that are written in Python."""
    return isinstance(value, FunctionType)


def arguments_of(
    function: Any, bound: Static | None, args: list[Value], options: dict[str, Value]
) -> dict[str, Value]:
    """Arguments by their names."""
    given = args if bound is None else [bound, *args]
    signature = inspect.signature(function, follow_wrapped=False)
    try:
        found = signature.bind(*given, **options)
    except TypeError as error:
        raise NotWritten(f"{function.__qualname__}: found other arguments ({error})") from None
    values: dict[str, Value] = {}
    for word, parameter in signature.parameters.items():
        if word not in found.arguments:
            if parameter.kind is parameter.VAR_POSITIONAL:
                values[word] = Several([], tuple)
            elif parameter.kind is parameter.VAR_KEYWORD:
                values[word] = Several({}, dict)
            else:
                values[word] = Static(parameter.default)
        elif parameter.kind is parameter.VAR_POSITIONAL:
            values[word] = Several(list(found.arguments[word]), tuple)
        elif parameter.kind is parameter.VAR_KEYWORD:
            values[word] = Several(dict(found.arguments[word]), dict)
        else:
            values[word] = found.arguments[word]
    return values
