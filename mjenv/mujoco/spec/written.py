"""Text of MJCF in MuJoCo's form: numbers, attributes that differ from those of a class, nodes."""

import math
import re
from typing import Any

import numpy as np

from mjenv.mujoco.spec.making import words_by_member
from mjenv.mujoco.spec.tables import Field, structures
from mjenv.mujoco.spec.taking import words_of

DIGITS = 6
EPSILON = {"f": float(np.finfo(np.float32).eps)}
DOUBLE = float(np.finfo(float).eps)
LARGEST = 2**31 - 1
# sections, which a blank line stands before; so it does before what begins like them
SECTIONS = re.compile(
    r"\n(?=[^\n]*?(?:<actuator|<asset|<compiler|<contact>|<custom|<default>|<deformable|<equality"
    r"|<extension|<keyframe|<option|<sensor|<size|<statistic|<tendon|<visual|<worldbody))"
)
ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;"}


class Node:
    """An element of the text."""

    def __init__(self, tag: str):
        self.tag = tag
        self.values: dict[str, str] = {}
        self.children: list[Node] = []

    def add(self, tag: str) -> "Node":
        """A new element at the end of it."""
        self.children.append(Node(tag))
        return self.children[-1]

    def set(self, name: str, text: str) -> None:
        """Set an attribute, unless there is nothing to say."""
        if text:
            self.values[name] = text

    def drop_empty(self) -> None:
        """Leave out the last element if it says nothing."""
        if not self.children[-1].values and not self.children[-1].children:
            self.children.pop()

    def lines(self, depth: int = 0) -> list[str]:
        """Its text."""
        pairs = "".join(f' {name}="{escaped(text)}"' for name, text in self.values.items())
        if not self.children:
            return [f"{'  ' * depth}<{self.tag}{pairs}/>"]
        inner = [line for child in self.children for line in child.lines(depth + 1)]
        return [f"{'  ' * depth}<{self.tag}{pairs}>", *inner, f"{'  ' * depth}</{self.tag}>"]


def escaped(text: str) -> str:
    """Text as an attribute holds it."""
    return "".join(ESCAPES.get(letter, letter) for letter in text)


def number(value: float) -> str:
    """A number with six digits; what is almost whole is whole."""
    value = float(value)
    if math.isinf(value) or math.isnan(value):
        return f"{value:g}"
    low, high = math.floor(value), math.ceil(value)
    if -LARGEST < value < LARGEST and min(abs(value - low), abs(value - high)) < 1e-12:
        return str(low if abs(value - low) < abs(value - high) else high)
    return f"{value:.{DIGITS}g}"


def numbers(values: Any) -> str:
    """Numbers as one text."""
    return " ".join(number(value) for value in values)


def plain(values: Any) -> str:
    """Numbers of a list of any length, which are written as they are."""
    return " ".join(f"{value:.{DIGITS}g}" for value in np.asarray(values).tolist())


def same(values: Any, others: Any, kind: str = "d") -> bool:
    """True if numbers are equal, up to rounding."""
    epsilon = EPSILON.get(kind, DOUBLE)
    return all(abs(a - b) <= epsilon for a, b in zip(values, others, strict=False))


def write(node: Node, name: str, values: Any, default: Any = None, kind: str = "d") -> None:
    """Set an attribute of numbers, unless they are those of the default, or unset."""
    values = np.atleast_1d(values).tolist()
    if any(value != value for value in values):
        return
    if default is not None and same(values, np.atleast_1d(default).tolist(), kind):
        return
    node.set(name, numbers(values))


def write_users(node: Node, values: Any, default: Any, size: int) -> None:
    """Set numbers of users, unless they are those of the default."""
    row, other = np.zeros(size), np.zeros(size)
    row[: len(values)] = values[:size]
    if default is not None:
        other[: len(default)] = default[:size]
    if (row != other).any():
        node.set("user", numbers(row))


def word_of(field: Field, value: Any, path: str) -> str:
    """The word of a field that chooses among words, "" where it has none."""
    tag, _, attribute = field.attribute.rpartition(".")
    words = words_of(f"{path}/{tag}" if tag else path, attribute)
    if not words:
        return ""
    if field.kind == "e":
        return words_by_member(field.choices.__name__, words).get(int(value), "")
    return words[int(value)] if 0 <= int(value) < len(words) else ""


def write_fields(node: Node, target: Any, default: Any, rows: str, given: Any = None) -> None:
    """Set attributes in their order, where they differ from those of the default.

    Args:
        node: gets them.
        target: has the fields.
        default: a structure with other values of them.
        rows: attributes; `~` behind one: equal entries at its end are left out; `^`: zeros at its
            end are.
        given: values by attribute that hold in place of the fields.
    """
    structure = structures()[target._structure]
    for row in rows.split():
        mark, name = row[-1] if row[-1] in "~^" else "", row.rstrip("~^")
        field = by_attribute(target._structure, name)
        value = given[name] if given and name in given else target.__dict__[field.name]
        other = default.__dict__[field.name]
        # texts, words of enumerations, numbers: what is as in the defaults is left out
        if field.kind == "s":
            if value != other:
                node.set(name, value)
            continue
        if words_of(structure.path, field.attribute):
            if int(value) != int(other):
                node.set(name, word_of(field, value, structure.path))
            continue
        _write_numbers(node, name, field.kind, value, other, mark)


def _write_numbers(node: Node, name: str, kind: str, value: Any, other: Any, mark: str) -> None:
    values, others = np.atleast_1d(value).tolist(), np.atleast_1d(other).tolist()
    if any(x != x for x in values):
        return
    if mark == "^":
        while len(values) > 1 and values[-1] == 0 == others[len(values) - 1]:
            values.pop()
    if kind == "i" and len(values) == 1:
        if values[0] != others[0]:
            node.set(name, str(int(values[0])))
        return
    if same(values, others, kind):
        return
    if mark == "~":
        while values and values[-1] == others[len(values) - 1]:
            values.pop()
    node.set(name, numbers(values))


def by_attribute(structure: str, attribute: str) -> Field:
    """The field of a structure that an attribute of MJCF says."""
    fields = structures()[structure].fields
    if attribute in fields and fields[attribute].attribute in (attribute, ""):
        return fields[attribute]
    return next(f for f in fields.values() if f.attribute == attribute)


def text_of(root: Node, comment: str) -> str:
    """The whole text, with blank lines before its sections."""
    lines = root.lines()
    if comment:
        if len(lines) == 1:
            lines = [lines[0].removesuffix("/>") + ">", f"</{root.tag}>"]
        lines.insert(1, f"  <!--{comment}-->")
    text = "\n".join(lines) + "\n"
    first = SECTIONS.search(text)
    if first is None:
        return text
    # none before the first one
    head, tail = text[: first.end()], text[first.end() :]
    return head + SECTIONS.sub("\n\n", tail)
