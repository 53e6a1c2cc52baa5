"""The reference's interface as recorded facts: functions, constants, enumerations, classes.

`api.json` is written by `tests/mjenv/mujoco/record.py`, which says what its lines mean.
"""

import json
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

REQUIRED = object()  # the default of parameters that have none


class Parameter(NamedTuple):
    """A parameter of a function.

    Attributes:
        name: as in calls with keywords.
        kind: "int", "float", "str", "bool", "object", a class's name, or a type of numbers as in
            numpy, such as "f8", for arrays.
        shape: of arrays, a number or a letter for each axis: ("3", "1"), ("m", "n").
        output: whether the array is written into.
        optional: whether None is taken.
        default: its value where it is left out, or `REQUIRED`.
    """

    name: str
    kind: str
    shape: tuple[str, ...]
    output: bool
    optional: bool
    default: Any


class Signature(NamedTuple):
    """Parameters of a function, and the type of its result as text."""

    parameters: tuple[Parameter, ...]
    result: str


@cache
def facts() -> dict[str, Any]:
    """All that is recorded, by "functions", "constants", "enumerations", "classes", "version"."""
    return json.loads(Path(__file__).with_name("api.json").read_text(encoding="utf-8"))


def signature(name: str) -> Signature:
    """The signature of a function of the module.

    Raises:
        KeyError: there is no such function.
    """
    return parse(facts()["functions"][name])


def parse(line: str) -> Signature:
    """A signature from its recorded line."""
    head, _, result = line.rpartition(" -> ")
    return Signature(tuple(_parameter(part) for part in split(head)), result)


def split(text: str) -> list[str]:
    """Parts between commas that stand outside brackets."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "[(") - (letter in "])")
        if letter == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += letter
    return [part.strip() for part in parts if part.strip()]


def _parameter(text: str) -> Parameter:
    name, _, kind = text.partition(": ")
    kind, equals, value = kind.partition(" = ")
    optional = kind.endswith("?")
    kind = kind.removesuffix("?")
    output = kind.startswith(">")
    kind, bracket, shape = kind.lstrip(">").partition("[")
    shape = tuple(filter(None, shape.rstrip("]").split(","))) if bracket else ()
    default = {"None": None, "''": ""}.get(value, value) if equals else REQUIRED
    if kind == "int" and isinstance(default, str):
        default = int(default)
    return Parameter(name, kind, shape, output, optional, default)
