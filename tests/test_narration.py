"""Long functions are narrated: short lines say what each block computes.

A function of 25 lines or more needs one comment line for every 15 lines of its body, rounded down.
Lines of the docstring, comments and blank lines are not counted.
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.kept import of_texts
from tests.layers import ROOT, files

LONG = 25  # lines from which on a function is long
PART = 15  # lines for each of which there is a comment line
EXAMPLE = """
@kernel
def settle(m, d):
    '''Add numbers.'''
{comments}{lines}
"""


def comment_lines(text: str, tree: ast.AST) -> set[int]:
    """Numbers of the lines that hold nothing but a comment."""
    lines = enumerate(text.splitlines(), 1)
    found = {number for number, line in lines if re.match(r"\s*#", line)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant | ast.JoinedStr) and node.end_lineno > node.lineno:
            found -= {*range(node.lineno + 1, node.end_lineno + 1)}
    return found


def functions(node: ast.AST) -> Iterator[ast.FunctionDef]:
    """Functions of a module, also in classes and functions; expressions have none."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt | ast.ExceptHandler):
            if isinstance(child, ast.FunctionDef):
                yield child
            yield from functions(child)


def silent(text: str) -> Iterator[str]:
    """Long functions of a module with too few comment lines."""
    lines = text.splitlines()
    for function in functions(ast.parse(text)):
        body = function.body
        first = body[0].lineno
        if ast.get_docstring(function) is not None:
            first = body[0].end_lineno + 1
        inside = range(first, function.end_lineno + 1)
        if len(inside) < LONG:
            continue
        said = len(comment_lines(text, function).intersection(inside))
        code = sum(bool(lines[k - 1].strip()) for k in inside) - said
        if code >= LONG and said < code // PART:
            yield function.name


def offenders() -> list[str]:
    """`file: function` for each long function that is not narrated."""
    tops = ("engine", "envs", "mjenv", "training")
    found = of_texts(silent_in, ROOT, [path for path in files() if path.parts[0] in tops])
    return [f"{path.as_posix()}: {name}" for path, names in found.items() for name in names]


def silent_in(_: Path, text: str) -> list[str]:
    """The same of a file."""
    return [*silent(text)]


def test_long_functions_are_narrated():
    assert not offenders()


@pytest.mark.parametrize(
    ("ncode", "ncomment", "found"),
    [(24, 0, []), (25, 0, ["settle"]), (29, 1, []), (30, 1, ["settle"]), (30, 2, [])],
)
def test_a_silent_function_is_found(ncode, ncomment, found):
    text = EXAMPLE.format(comments="    # sum\n" * ncomment, lines="    d.x[0] += 1.0\n" * ncode)
    assert list(silent(text)) == found


def test_functions_that_are_no_kernels_are_found_too():
    text = EXAMPLE.format(comments="", lines="    d.x[0] += 1.0  # no line\n" * 24)
    plain = text.replace("@kernel", "")
    assert not list(silent(plain))
    assert list(silent(plain + "    d.x[0] += 1.0\n")) == ["settle"]


def test_lines_of_texts_are_no_comments():
    text = 'x = """\n# a heading\n"""\n# a comment\ny = f"""{x}\n# another\n"""  # behind code\n'
    assert comment_lines(text, ast.parse(text)) == {4}
