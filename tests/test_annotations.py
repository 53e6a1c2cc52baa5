"""Parameters that stand for the same thing everywhere say its class."""

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.kept import of_texts
from tests.layers import ROOT, files

TOPS = ("engine", "mjenv", "envs", "training")
# what these names stand for has a class; other names may stand for anything
NAMES = {
    *("model", "data", "plan", "program", "scratch", "draft", "part", "element", "spec"),
    *("task", "env", "envs", "worlds", "rng"),
}


def is_kernel(function: ast.AST) -> bool:
    """Whether a function is compiled: its parameters are records then."""
    marks = getattr(function, "decorator_list", ())
    return any("kernel" in ast.unparse(mark) for mark in marks)


def untyped(source: str) -> Iterator[str]:
    """Functions of a module with their parameters of these names that say no class."""

    def visit(node: ast.AST) -> Iterator[str]:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.expr):
                continue
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef):
                if is_kernel(child):
                    continue
                given = child.args
                for one in (*given.posonlyargs, *given.args, *given.kwonlyargs):
                    if one.arg in NAMES and one.annotation is None:
                        yield f"{child.name}({one.arg})"
            yield from visit(child)

    yield from visit(ast.parse(source))


def test_parameters_say_their_classes():
    found = of_texts(untyped_in, ROOT, [path for path in files() if path.parts[0] in TOPS])
    told = [f"{path}: {place}" for path, places in found.items() for place in places]
    assert not told, "expected annotations: " + ", ".join(told)


def untyped_in(_: Path, text: str) -> list[str]:
    """The same of a file."""
    return [*untyped(text)]


def test_a_parameter_without_a_class_is_found():
    source = """
class Camera:
    def look(self, model: "Model", data, *, worlds=None, count=1):
        def inner(plan): ...

@kernel
def stage(model, data): ...
"""
    assert [*untyped(source)] == ["look(data)", "look(worlds)", "inner(plan)"]
