"""What stands around the lines of the package that run: messages of errors, and `except`.

Texts of values are not known. In a message of an error, or of a log, nobody computes with them. And
where the package catches an error that Python raises for some numbers, it waits for what symbols,
which have none, never do.
"""

import ast
import linecache
import sys
import sysconfig
from collections.abc import Iterator
from functools import cache
from pathlib import Path as File

_PACKAGE = str(File(__file__).parents[2])
_LIBRARY = sysconfig.get_paths()["stdlib"]
_LOGGING = ("debug", "info", "warning", "warn", "error", "critical", "exception", "log")


def makes_message() -> bool:
    """True if the text that is being made is part of a message only, or is this package's own."""
    for filename, line in _lines():
        if filename.startswith(_PACKAGE) or "/logging/" in filename:
            return True
        # such as the text of a dataclass
        if not filename.startswith("<") and not _is_library(filename):
            return _around(filename, line)[0]
    return True


def is_caught(*errors: str) -> bool:
    """True if a function of the package that runs catches one of some errors, by its name."""
    return any(
        not filename.startswith(_PACKAGE) and not _around(filename, line)[1].isdisjoint(errors)
        for filename, line in _lines()
    )


def _lines() -> Iterator[tuple[str, int]]:
    """Files and lines of the functions that run, from the inside, but for those of symbols."""
    frame = sys._getframe(1)
    while frame is not None:
        filename = frame.f_code.co_filename
        if not filename.endswith(("porting/symbols/callers.py", "porting/symbols/symbol.py")):
            yield filename, frame.f_lineno
        frame = frame.f_back  # type: ignore[assignment]


def _is_library(filename: str) -> bool:
    return filename.startswith(_LIBRARY) and "site-packages" not in filename


@cache
def _tree(filename: str) -> ast.Module:
    try:
        return ast.parse("".join(linecache.getlines(filename)))
    except (SyntaxError, ValueError):
        return ast.Module([], [])


@cache
def _around(filename: str, line: int) -> tuple[bool, frozenset[str]]:
    """Whether texts made in a line are messages only; names of errors that are caught there."""
    message, caught = False, set()
    for node in ast.walk(_tree(filename)):
        if not isinstance(node, ast.stmt) or not _has(node, line):
            continue
        if isinstance(node, ast.Try) and any(_has(one, line) for one in node.body):
            caught.update(name for one in node.handlers for name in _names(one.type))
        message |= isinstance(node, ast.Raise) or _is_message(node)
        # what stands in front of `raise` is what is raised
        for block in (getattr(node, name, []) for name in ("body", "orelse", "finalbody")):
            simple = [one for one in block if _has(one, line) and not hasattr(one, "body")]
            message |= bool(simple) and isinstance(block[-1], ast.Raise)
    return message, frozenset(caught)


def _has(node: ast.stmt, line: int) -> bool:
    return node.lineno <= line <= (node.end_lineno or node.lineno)


def _is_message(node: ast.stmt) -> bool:
    """True for `assert` with a message, and for what is only printed or logged."""
    if isinstance(node, ast.Assert):
        return node.msg is not None
    if not isinstance(node, ast.Expr) or not isinstance(node.value, ast.Call):
        return False
    called = node.value.func
    if isinstance(called, ast.Attribute):
        return called.attr in _LOGGING
    return isinstance(called, ast.Name) and called.id == "print"


def _names(node: ast.expr | None) -> list[str]:
    """Names of the classes of errors behind `except`."""
    if isinstance(node, ast.Tuple):
        return [name for one in node.elts for name in _names(one)]
    if isinstance(node, ast.Attribute):
        return [node.attr]
    return [node.id] if isinstance(node, ast.Name) else []
