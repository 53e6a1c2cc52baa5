"""The table of the structures of MjSpec, read from `fields.txt`."""

import re
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from mjenv.mujoco.enumerations import enumeration

_TYPE = re.compile(r"([a-z]+?)(\d*)$")
DTYPES = {"d": np.float64, "n": np.float64, "f": np.float32, "i": np.int32, "b": np.uint8}


class Field(NamedTuple):
    """A field of a structure.

    Attributes:
        name: its name.
        attribute: the attribute of MJCF that says it, `contact.gap` for one of an element inside
            it; "": none says it alone.
        kind: "d", "n", "f", "i", "b" numbers, "s" text, "c" letters, the same with "v" behind it
            for lists, "e" a member of an enumeration, or the name of a structure.
        count: how many, for arrays of a fixed length and lists that begin with one; 0: a single
            one.
        default: what it is at first.
        choices: the enumeration of a field of kind "e".
    """

    name: str
    attribute: str
    kind: str
    count: int
    default: Any
    choices: Any = None

    @property
    def is_array(self) -> bool:
        """True if it is a numpy array of a fixed length."""
        return self.count > 0 and self.kind in DTYPES


class Structure(NamedTuple):
    """A structure: its name, the path of its element in MJCF or "", its fields by name."""

    name: str
    path: str
    fields: dict[str, Field]


def _number(kind: str, text: str) -> float | int:
    if kind == "f":
        return float(np.float32(text))
    return int(text) if kind in "ib" else float(text)


def _default(kind: str, count: int, words: list[str]) -> Any:
    """Initial value of a field of a type."""
    if kind == "c":
        return list(words[0])
    if kind == "sv":
        return [""] * count
    if kind == "bv":
        return b""
    if kind in ("ivv", "fvv"):
        return []
    if len(kind) == 2 and kind[1] == "v":
        return np.zeros(0, DTYPES[kind[0]])
    if kind == "s":
        return ""
    numbers = [_number(kind, word) for word in words]
    if count:
        return np.array(numbers + [0] * (count - len(numbers)), DTYPES[kind])
    return numbers[0] if numbers else _number(kind, "0")


def _field(text: str) -> Field:
    """A field as the table writes it: `name=attribute type default`."""
    name, kind, *words = text.split()
    name, _, attribute = name.partition("=")
    attribute = "" if attribute == "-" else attribute or name
    if kind.startswith("mjt"):
        choices = enumeration(kind)
        return Field(name, attribute, "e", 0, choices(int(words[0]) if words else 0), choices)
    match = _TYPE.match(kind)
    assert match is not None, text
    letters, count = match.group(1), int(match.group(2) or 0)
    if letters in ("orientation", "plugin", "lengthrange"):
        return Field(name, attribute, letters, 0, None)
    return Field(name, attribute, letters, count, _default(letters, count, words))


@cache
def structures() -> dict[str, Structure]:
    """All structures by name."""
    text = Path(__file__).with_name("fields.txt").read_text(encoding="utf-8")
    found = {}
    for block in re.split(r"\n(?=\w)", text[text.index("\nbody") + 1 :]):
        head, _, rows = block.partition("\n")
        name, path = head.split()
        fields = [_field(item) for item in rows.split(";") if item.strip()]
        path = "" if path == "-" else path
        found[name] = Structure(name, path, {field.name: field for field in fields})
    return found
