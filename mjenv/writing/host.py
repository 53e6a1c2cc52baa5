"""What rules for expressions, statements and the physics ask of the translation that they serve."""

import ast
from typing import Any, Protocol

from mjenv.writing.frames import Frame
from mjenv.writing.values import Rows, Value


class Host(Protocol):
    """A translation, as its parts see it (translation.py)."""

    phase: str
    branches: int
    attributes: dict[tuple[int, str], Value]
    drawn: dict[str, ast.FunctionDef]

    def at(self, node: ast.AST, frame: Frame) -> None:
        """Remember the line."""
        ...

    def effect(self) -> None:
        """Note that something is changed."""
        ...

    def emit(
        self, word: str, code: ast.expr, static: bool = False, draws: bool = False
    ) -> ast.Name:
        """Give a value a name."""
        ...

    def bind(self, target: ast.expr, value: Value, frame: Frame, quiet: bool = False) -> None:
        """Assign a value."""
        ...

    def attribute(self, of: Value, word: str) -> Value:
        """The value of an attribute."""
        ...

    def call(self, function: Value, args: list[Value], options: dict[str, Value]) -> Value:
        """The result of a call."""
        ...

    def with_part(
        self, before: Value, indices: list[tuple[Any, ast.expr]], value: Value, word: str
    ) -> Value:
        """An array with other elements."""
        ...

    def saved(self, frame: Frame) -> tuple[Any, ...]:
        """What statements may change."""
        ...

    def put_back(self, saved: tuple[Any, ...], frame: Frame) -> None:
        """Have all as it was."""
        ...

    def merge(self, condition: Rows, one: tuple[Any, ...], frame: Frame) -> None:
        """Join two branches."""
        ...

    def draws_until(self, node: ast.While, frame: Frame) -> bool:
        """Write a loop that draws."""
        ...

    def freeze(self) -> None:
        """Name what has been computed before the physics."""
        ...
