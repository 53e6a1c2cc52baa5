"""Lists, tuples and dicts of values, as Python's own functions make and change them."""

import ast
from typing import Any

from mjenv.writing.expressions import items_of
from mjenv.writing.values import NotWritten, Several, Static, Value, literal, plain


def of_python(function: Any, args: list[Value], options: dict[str, Value]) -> Value | None:
    """`zip`, `enumerate` and the like; None for what is the same in all worlds."""
    if function is dict and options:
        first = of_python(dict, args, {}) if args else Several({}, dict)
        if not isinstance(first, Several):
            first = Several({n: Static(v) for n, v in dict(plain(args[0])).items()}, dict)
        return Several({**first.items, **options}, dict)
    if all(isinstance(one, Static) for one in args):
        return None if function is not enumerate and function is not zip else Static(
            list(function(*(plain(one) for one in args))))  # fmt: skip
    if function is zip:
        rows = zip(*(items_of(one) for one in args), strict=False)
        return Several([Several(list(row), tuple) for row in rows], list)
    if function is enumerate:
        pairs = enumerate(items_of(args[0]))
        return Several([Several([Static(k, literal(k)), one], tuple) for k, one in pairs], list)
    if function is reversed:
        return Several(items_of(args[0])[::-1], list)
    if function in (list, tuple):
        return Several(items_of(args[0]), function)
    if function is dict and isinstance(args[0], Several):
        if args[0].kind is dict:
            return Several(dict(args[0].items), dict)
        pairs_ = [items_of(one) for one in args[0].items]
        return Several({plain(a): b for a, b in pairs_}, dict)
    return None


def of_several(of: Several, word: str, args: list[Value], may_change: bool) -> Value:
    """A method of a list or dict.

    Args:
        of: it.
        word: the method.
        args: what it is given.
        may_change: whether it may be changed in place.

    Raises:
        NotWritten: there is no rule for it.
    """
    if of.kind is dict:
        pairs = [(Static(n, literal(n)), v) for n, v in of.items.items()]
        if word == "items":
            return Several([Several(list(pair), tuple) for pair in pairs], list)
        if word in ("values", "keys"):
            return Several([pair[word == "values"] for pair in pairs], list)
        if word == "copy":
            return Several(dict(of.items), dict)
        if word == "get":
            default = args[1] if len(args) > 1 else Static(None, ast.Constant(None))
            return of.items.get(plain(args[0]), default)
        if word == "update" and may_change and isinstance(args[0], Several):
            of.items.update(args[0].items)
            return Static(None)
    if word in ("append", "extend") and of.kind is list and may_change:
        of.items.extend(args if word == "append" else items_of(args[0]))
        return Static(None)
    raise NotWritten(f"found .{word}() of a {of.kind.__name__} of values")
