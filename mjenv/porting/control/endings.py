"""How bodies of loops and branches end, where they have become functions."""

import ast
from typing import Any

FOLD = "__mjenv_fold__"  # what runs loops, in the names of the module


class Ended(ast.Return):
    """The end of a loop's body as it stands: not a `return` of the function around it."""


class Endings(ast.NodeTransformer):
    """Has `continue`, `break` and `return` of a loop return from the function of its body."""

    def __init__(self, state: ast.expr, of_branch: bool = False):
        self._state, self._inside, self._of_branch = state, 0, of_branch

    def end(self, kind: str, value: ast.expr | None = None) -> ast.Return:
        """Return how the body has ended, with which result, and the state."""
        code = ast.Attribute(load(FOLD), kind, ast.Load())
        absent = ast.Attribute(load(FOLD), "ABSENT", ast.Load())
        return ast.Return(ast.Tuple([code, value or absent, self._state], ast.Load()))

    def visit_Continue(self, node: ast.Continue) -> ast.AST:
        """The next item."""
        kind = "CONTINUE" if self._of_branch else "NEXT"
        return node if self._inside else ast.copy_location(self.end(kind), node)

    def visit_Break(self, node: ast.Break) -> ast.AST:
        """No more items."""
        return node if self._inside else ast.copy_location(self.end("BREAK"), node)

    def visit_Ended(self, node: Ended) -> ast.AST:
        """The end of a body, as its last branch says."""
        assert node.value is not None
        node.value = call("ended", node.value, self._state)
        return node

    def visit_Return(self, node: ast.Return) -> ast.AST:
        """The end of the whole function."""
        value = node.value or ast.Constant(None)
        return ast.copy_location(self.end("RETURN", value), node)

    def _loop(self, node: Any) -> Any:
        self._inside += 1
        self.generic_visit(node)
        self._inside -= 1
        return node

    visit_For = visit_While = _loop

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        """Functions inside return for themselves."""
        return node

    visit_Lambda = visit_FunctionDef  # type: ignore[assignment]


def load(name: str) -> ast.Name:
    """A name as a value."""
    return ast.Name(name, ast.Load())


def call(function: str, *args: ast.expr) -> ast.Call:
    """A call of what runs loops."""
    return ast.Call(ast.Attribute(load(FOLD), function, ast.Load()), [*args], [])
