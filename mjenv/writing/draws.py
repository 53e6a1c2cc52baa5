"""Loops that draw until something fits: functions of one world's random generator."""

import ast
from typing import Any

import numpy as np

from mjenv.writing.expressions import evaluate
from mjenv.writing.frames import Frame
from mjenv.writing.host import Host
from mjenv.writing.values import (
    Function,
    NotWritten,
    Rows,
    Static,
    attribute,
    called,
    code_of,
    is_static,
    name,
    plain,
)


class _OneWorld(ast.NodeTransformer):
    """A loop's statements with the generator as an argument, and attributes as variables."""

    def __init__(self, translation: Host, frame: Frame, own: set[str]):
        self.t, self.frame, self.own = translation, frame, own
        self.targets: dict[str, None] = {}

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """An attribute that the loop assigns to is a variable; others have their values."""
        of = node.value
        if not (isinstance(of, ast.Name) and of.id == self._self):
            return self.generic_visit(node)
        if node.attr in self.own:
            return ast.Name(node.attr.lstrip("_"), node.ctx)
        value = evaluate(self.t, node, self.frame)
        if isinstance(value, Static) and isinstance(value.value, np.random.Generator):
            return name("generator")
        return self._written(value)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """A variable of the function around has its value."""
        if node.id in self.own or not isinstance(node.ctx, ast.Load):
            return node
        value = self.frame.look_up(node.id)
        if isinstance(value, Function):
            raise NotWritten(f"found {node.id} in a loop that draws, expected numpy's functions")
        return self._written(value)

    def _written(self, value: Any) -> ast.expr:
        if not is_static(value):
            raise NotWritten("found a loop that draws, and reads what was drawn before")
        if isinstance(value, Static) and isinstance(value.value, np.ndarray):
            return code_of(Static(value.value))
        code = code_of(value)
        if any(isinstance(n, ast.Name) and n.id == "self" for n in ast.walk(code)):
            return code_of(Static(plain(value)))
        return code

    @property
    def _self(self) -> str:
        return next(iter(self.frame.names), "self")


def _assigned(node: ast.AST) -> dict[str, bool]:
    """Names of what statements assign to, and whether they are attributes."""
    found: dict[str, bool] = {}
    for one in ast.walk(node):
        if isinstance(one, ast.Name | ast.Attribute) and isinstance(one.ctx, ast.Store):
            found[one.id if isinstance(one, ast.Name) else one.attr] = isinstance(
                one, ast.Attribute
            )
    return found


class _Returning(ast.NodeTransformer):
    """`return` in the place of `break`."""

    def __init__(self, result: ast.expr):
        self.result = result

    def visit_Break(self, node: ast.Break) -> ast.AST:
        return ast.Return(self.result)


def loop_of_draws(t: Host, node: ast.While, frame: Frame) -> bool:
    """Write a `while` that draws random numbers as a function that `rng.each` calls.

    Returns:
        Whether it is such a loop.
    """
    source = ast.unparse(node)
    own = _assigned(node)
    if ("random" not in source and "rng" not in source) or len(own) != 1:
        return False
    word, is_attribute = next(iter(own.items()))
    forever = isinstance(node.test, ast.Constant) and node.test.value is True
    if not forever:
        raise NotWritten("found `while` of a value, expected `while True` with a `break`")
    plain_word = word.lstrip("_")
    loop = ast.parse(source).body[0]
    loop = _OneWorld(t, frame, {word}).visit(loop)
    loop = _Returning(name(plain_word)).visit(loop)
    function = f"_{plain_word}"
    arguments = ast.arguments([], [ast.arg("generator")], None, [], [], None, [])
    made = ast.FunctionDef(function, arguments, [loop], [])
    ast.fix_missing_locations(made)
    t.drawn[function] = made
    # a value of one world, for its shape
    space: dict[str, Any] = {"np": np}
    exec(compile(ast.Module([made], []), "<draw>", "exec"), space)
    value = space[function](np.random.default_rng(0))
    code = called(attribute(name("rng"), "each"), name(function))
    rows = Rows(value, t.emit(plain_word, code, draws=True))
    t.effect()
    if is_attribute:
        t.attributes[id(frame.bound.value), word] = rows  # type: ignore[union-attr]
    else:
        frame.names[word] = rows
    return True
