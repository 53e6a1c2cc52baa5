"""Values as text: Python's literals and mjenv's distributions, for command lines and records."""

import ast
import json
import os
from collections.abc import Callable, Iterable
from difflib import get_close_matches
from pathlib import Path
from typing import Any

_NUMBERS = {"inf": float("inf"), "nan": float("nan")}
_WORDS = {"true": True, "false": False, "null": None, "none": None}
_SYNTAX = frozenset("()[]{}'\",")


def _classes() -> dict[str, Callable[..., Any]]:
    """Classes that a text may call."""
    from mjenv.randomization.channels import Channel
    from mjenv.randomization.distributions import Every, LogUniform, Normal, Uniform
    from mjenv.randomization.events import Kick, Push

    known = (Uniform, LogUniform, Normal, Every, Push, Kick, Channel)
    return {one.__name__: one for one in known}


def read(text: str) -> Any:
    """The value of a text such as `0.5`, `(1, 2)`, `{"body_mass": Uniform(0.8, 1.25)}`.

    Raises:
        ValueError: it is something else.
    """
    try:
        return _value(ast.parse(text.strip(), mode="eval").body, text)
    except (SyntaxError, TypeError) as error:
        raise ValueError(
            f"found {text!r}, expected a value in Python's notation: {error}"
        ) from None


def _value(node: ast.expr, text: str) -> Any:
    # constants, containers, signs, inf and nan, and distributions such as Uniform(0, 1)
    match node:
        case ast.Constant():
            return node.value
        case ast.Tuple() | ast.List():
            values = [_value(item, text) for item in node.elts]
            return tuple(values) if isinstance(node, ast.Tuple) else values
        case ast.Dict() if None not in node.keys:
            pairs = zip(node.keys, node.values, strict=True)
            return {_value(key, text): _value(item, text) for key, item in pairs if key}
        case ast.UnaryOp(op=ast.USub() | ast.UAdd()):
            number = _value(node.operand, text)
            return -number if isinstance(node.op, ast.USub) else +number
        case ast.Name(id="inf" | "nan"):
            return _NUMBERS[node.id]
        case ast.Call(
            func=ast.Name(id=name) | ast.Attribute(value=ast.Name(id="mjenv"), attr=name)
        ):
            values = [_value(item, text) for item in node.args]
            named = {str(word.arg): _value(word.value, text) for word in node.keywords}
            return _class(name, text)(*values, **named)
    raise ValueError(
        f"found {ast.unparse(node)!r} in {text!r}, expected numbers, strings, tuples, lists, "
        f"dictionaries and {', '.join(_classes())}"
    )


def _class(name: str, text: str) -> Callable[..., Any]:
    known = _classes()
    if name not in known:
        near = get_close_matches(name, known, 1)
        hint = f"did you mean {near[0]!r}?" if near else f"expected one of {', '.join(known)}"
        raise ValueError(f"found {name!r} in {text!r}; {hint}")
    return known[name]


def read_argument(text: str) -> Any:
    """The value of a word of the command line, where strings need no quotes.

    Raises:
        ValueError: it looks like a value, but is none.
    """
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    try:
        return read(text)
    except ValueError:
        if _SYNTAX.isdisjoint(text):
            return text
        raise


def read_pairs(option: str, words: Iterable[str], within: str = "") -> dict[str, Any]:
    """Values by name, from words such as `name:value` or `name=value`, or a JSON file of them.

    Args:
        option: what the words are given to, for errors.
        words: the words; one that ends with `.json` is a file.
        within: name under which files may have the values, beside others that do not count.

    Raises:
        ValueError: a word is something else, or a name is given twice.
        OSError: the file cannot be read.
    """
    pairs: list[tuple[str, Any]] = []
    # files of pairs, or name=value
    for word in words:
        if word.endswith(".json"):
            content = read_file(word)
            pairs += content.get(within, content).items()
            continue
        places = [word.index(mark) for mark in ":=" if mark in word]
        name = word[: min(places, default=0)]
        if not name.isidentifier():
            raise ValueError(f"{option}: found {word!r}, expected name:value, or a .json file")
        try:
            pairs.append((name, read_argument(word[len(name) + 1 :])))
        except ValueError as error:
            raise ValueError(f"{option}: {name}: {error}") from None
    # given twice: no guess which one was meant
    values: dict[str, Any] = {}
    for name, value in pairs:
        if name in values:
            raise ValueError(f"{option}: {name} is given twice; remove one")
        values[name] = value
    return values


def read_file(path: str | Path) -> dict[str, Any]:
    """Values by name from a JSON file; strings that call a distribution are read as such.

    Raises:
        ValueError: it holds something else.
        OSError: it cannot be read.
    """
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{path}: found no JSON: {error}") from None
    if not isinstance(content, dict):
        raise ValueError(f"{path}: found {type(content).__name__}, expected an object with names")
    return {name: deep(value) for name, value in content.items()}


def deep(value: Any) -> Any:
    """A value of JSON, with the distributions that its strings call."""
    if isinstance(value, dict):
        return {name: deep(item) for name, item in value.items()}
    if isinstance(value, list):
        return tuple(map(deep, value))
    if isinstance(value, str) and value.partition("(")[0].removeprefix("mjenv.") in _classes():
        return read(value)
    return value


def write(name: str, value: Any) -> str:
    """The text of a value, from which `read` makes it again.

    Raises:
        ValueError: there is none.
    """
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    if hasattr(value, "item") and getattr(value, "ndim", None) == 0:
        value = value.item()
    text = repr(value)
    try:
        same = read(text) == value
    except ValueError:
        same = False
    if not same:
        raise ValueError(
            f"{name}: found {text}, expected a value that can be written down: numbers, strings, "
            "tuples, lists, dictionaries and mjenv's distributions"
        )
    return text
