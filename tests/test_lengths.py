"""Files, functions and classes do not grow without end; tables of rows may."""

import ast
from pathlib import Path

from tests import layers

FILE, FUNCTION, CLASS = 620, 100, 540  # lines
TABLES = {Path("engine/tables/fields.py"): 1000}  # nothing but rows
PLAN = 400  # of engine/run/plan.py, which everything that runs passes through


def test_files_have_an_end():
    lengths = {
        path: len((layers.ROOT / path).read_text(encoding="utf-8").splitlines())
        for path in layers.files()
    }
    assert {p: n for p, n in lengths.items() if n > TABLES.get(p, FILE)} == {}
    assert lengths[Path("engine/run/plan.py")] <= PLAN


def test_functions_and_classes_have_an_end():
    long = {}
    for path in layers.files():
        for node in ast.walk(ast.parse((layers.ROOT / path).read_text(encoding="utf-8"))):
            most = {ast.FunctionDef: FUNCTION, ast.ClassDef: CLASS}.get(type(node))
            if most is not None:
                lines = node.end_lineno - node.lineno + 1
                if lines > most:
                    long[f"{path}: {node.name}"] = lines
    assert long == {}
