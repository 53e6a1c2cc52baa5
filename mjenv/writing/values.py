"""Values of a translation: what an expression is in one world, and how a task writes it."""

import ast
from dataclasses import dataclass
from typing import Any

import numpy as np

MARK = "@"  # between a name and its number, until names are given at the end
_MOST = 64  # numbers of an array that is written out


class NotWritten(ValueError):
    """A part of an environment cannot be written as a task of mjenv."""


@dataclass(eq=False)
class Static:
    """A value that is the same in all worlds.

    Attributes:
        value: it.
        code: how a task writes it; None for what has no words of its own.
    """

    value: Any
    code: ast.expr | None = None


@dataclass(eq=False)
class Rows:
    """A value of which each world has its own.

    Attributes:
        value: in one world: its shape and type count, not its numbers.
        code: how a task writes it, with worlds as leading axes.
        view: the same, for what changes with the data; None for copies.
    """

    value: Any
    code: ast.expr
    view: ast.expr | None = None

    @property
    def ndim(self) -> int:
        """Axes in one world."""
        return int(np.ndim(self.value))


@dataclass(eq=False)
class Several:
    """A tuple, list or dict of values.

    Attributes:
        items: in a list, or by name.
        kind: tuple, list or dict.
    """

    items: Any
    kind: type

    def values(self) -> list["Value"]:
        """What it consists of."""
        return [*self.items.values()] if self.kind is dict else list(self.items)


@dataclass(eq=False)
class Function:
    """A function of the environment's package, and what it is bound to."""

    function: Any
    bound: Static | None = None


@dataclass(eq=False)
class Part:
    """A method of an array that worlds have their own of, before it is called."""

    of: Rows
    name: str


Value = Static | Rows | Several | Function | Part


def name(word: str) -> ast.Name:
    """A name in an expression."""
    return ast.Name(word, ast.Load())


def attribute(of: ast.expr, word: str) -> ast.Attribute:
    """An attribute in an expression."""
    return ast.Attribute(of, word, ast.Load())


def called(function: ast.expr, *args: ast.expr, **keywords: ast.expr) -> ast.Call:
    """A call in an expression."""
    return ast.Call(function, list(args), [ast.keyword(n, v) for n, v in keywords.items()])


def numpy(word: str) -> ast.Attribute:
    """A name of numpy."""
    return attribute(name("np"), word)


def indexed(of: ast.expr, indices: list[ast.expr]) -> ast.expr:
    """An array at indices of its last axes; an index of an index is one."""
    if isinstance(of, ast.Subscript) and isinstance(of.slice, ast.Tuple):
        first, *inner = of.slice.elts
        joined = _joined(inner, indices)
        if isinstance(first, ast.Constant) and first.value is ... and joined is not None:
            return indexed(of.value, joined)
    return ast.Subscript(of, ast.Tuple([ast.Constant(...), *indices], ast.Load()), ast.Load())


def _joined(inner: list[ast.expr], outer: list[ast.expr]) -> list[ast.expr] | None:
    """Indices of what indices have left; None where these are not simple."""
    left = [k for k, one in enumerate(inner) if isinstance(one, ast.Slice)]
    if len(left) != len(outer) or any(_number(one) is None for one in outer):
        return None
    found = list(inner)
    for place, index in zip(left, outer, strict=True):
        part, number = inner[place], _number(index)
        assert isinstance(part, ast.Slice)
        first = 0 if part.lower is None else _number(part.lower)
        if first is None or number is None or number < 0 or part.step is not None:
            return None
        if first < 0 and first + number >= 0:
            return None
        found[place] = literal(first + number)
    return found


def _number(node: ast.expr) -> int | None:
    try:
        found = ast.literal_eval(node)
    except ValueError:
        return None
    return found if isinstance(found, int) else None


def literal(value: Any) -> ast.expr:
    """A value written out.

    Raises:
        NotWritten: it has no short words.
    """
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not np.isfinite(value):
        word = attribute(name("np"), "nan" if value != value else "inf")
        return ast.UnaryOp(ast.USub(), word) if value < 0 else word
    if isinstance(value, bool | int | float) and not isinstance(value, bool) and value < 0:
        return ast.UnaryOp(ast.USub(), ast.Constant(-value))
    if value is None or value is ... or isinstance(value, bool | int | float | str):
        return ast.Constant(value)
    if isinstance(value, tuple | list) and len(value) <= _MOST:
        kind = ast.Tuple if isinstance(value, tuple) else ast.List
        return kind([literal(one) for one in value], ast.Load())
    if isinstance(value, dict) and len(value) <= _MOST:
        return ast.Dict([literal(n) for n in value], [literal(one) for one in value.values()])
    if isinstance(value, np.ndarray) and value.dtype.kind in "fiub" and value.size <= _MOST:
        return called(numpy("array"), literal(value.tolist()), **_type_of(value))
    if isinstance(value, slice):
        raise NotWritten("found a slice that is kept, expected one at its array")
    raise NotWritten(f"found a value of type {type(value).__name__}, expected numbers")


def _type_of(array: np.ndarray) -> dict[str, ast.expr]:
    """What has an array keep its type."""
    if array.dtype == np.asarray(array.tolist()).dtype:
        return {}
    return {"dtype": numpy(array.dtype.name)}


def code_of(value: Value) -> ast.expr:
    """How a task writes a value.

    Raises:
        NotWritten: there are no words for it.
    """
    if isinstance(value, Rows):
        return value.code
    if isinstance(value, Static):
        return literal(value.value) if value.code is None else value.code
    if isinstance(value, Several):
        if value.kind is dict:
            return ast.Dict(
                [literal(n) for n in value.items], [code_of(v) for v in value.items.values()]
            )
        kind = ast.Tuple if value.kind is tuple else ast.List
        return kind([code_of(one) for one in value.items], ast.Load())
    raise NotWritten("found a function as a value, expected its result")


def plain(value: Value) -> Any:
    """The Python object that a value is in one world."""
    if isinstance(value, Several):
        if value.kind is dict:
            return {n: plain(v) for n, v in value.items.items()}
        return value.kind(plain(one) for one in value.items)
    if isinstance(value, Static | Rows):
        return value.value
    if isinstance(value, Function):
        return value.function
    return getattr(value.of.value, value.name)


def is_static(value: Value) -> bool:
    """True for what is the same in all worlds."""
    if isinstance(value, Several):
        return all(is_static(one) for one in value.values())
    return isinstance(value, Static | Function)


def lifted(value: Value, ndim: int) -> ast.expr:
    """How a task writes a value that is combined with others of more axes."""
    code = code_of(value)
    if not isinstance(value, Rows) or value.ndim == ndim:
        return code
    new = [ast.Constant(None)] * (ndim - value.ndim)
    kept = [ast.Slice() for _ in range(value.ndim)]
    return ast.Subscript(code, ast.Tuple([ast.Constant(...), *new, *kept], ast.Load()), ast.Load())


def axes_of(values: list[Value]) -> int:
    """Axes of what values are combined to, in one world."""
    return max((int(np.ndim(plain(one))) for one in values), default=0)
