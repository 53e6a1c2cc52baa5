"""Models and data as text for people: sizes, options, one section per object, arrays."""

import os
from collections.abc import Iterator
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np

from ..arguments import whole
from ..model.model import ARRAYS, NAMED, TEXTS
from ..tables.fields import CONTACT, DATA, MODEL, OPTION, STATISTIC, VISUAL
from ..whole_files import written
from .memory import NO_ARENA
from .views import takes_views

if TYPE_CHECKING:
    from ..model.model import Model
    from .data import Data

WIDTH = 100  # of a line
INDENT = 24  # where values start
MOST = 500  # values of one array that are listed

# objects without names that have sections too: size, prefix of their fields
UNNAMED = {"dof": ("nv", "dof"), "tree": ("ntree", "tree")}


def print_model(model: "Model", file: str | os.PathLike | None = None, digits: int = 6) -> str:
    """List a model: its sizes, options and statistics, every object with its fields, other arrays.

    Args:
        model: a `Model`.
        file: a file to write the text to.
        digits: significant digits of real numbers.

    Returns:
        The text. Of very long arrays only the beginning is listed.
    """
    digits = whole(digits, "print_model", "digits", 1, 17)
    name = model.names.partition(b"\0")[0].decode()
    lines = [f"MODEL '{name}'"]
    # sizes, options, statistics, settings of pictures
    lines += _section("SIZES", ((f.name, getattr(model, f.name)) for f in _sizes(model)), digits)
    for title, fields, structure in (
        ("OPTIONS", OPTION, model.opt),
        ("STATISTICS", STATISTIC, model.stat),
    ):
        lines += _section(title, ((f.name, getattr(structure, f.name)) for f in fields), digits)
    picture = []
    for field in VISUAL:
        group, _, key = field.name.partition(".")
        group = getattr(model.vis, "global_" if group == "global" else group)
        picture.append((field.name, getattr(group, key)))
    lines += _section("PICTURE", picture, digits)
    # objects one by one, with the fields that begin with their prefix
    listed = set()
    for kind, (size, prefix) in (NAMED | UNNAMED).items():
        fields = [f for f in ARRAYS if f.name.startswith(f"{prefix}_") and f.shape[0] == size]
        listed |= {field.name for field in fields} | {f"name_{prefix}adr"}
        for place in range(getattr(model, size)):
            name = model.name(kind, place) if kind in NAMED else ""
            title = f"{kind.upper()} {place}" + (f" '{name}'" if name else "")
            rows = ((f.name[len(prefix) + 1 :], getattr(model, f.name)[place]) for f in fields)
            lines += _section(title, rows, digits)
    # the arrays and texts that are left
    others = [f.name for f in ARRAYS if f.name not in listed and f.name not in TEXTS]
    lines += _section("ARRAYS", ((n, getattr(model, n)) for n in others), digits)
    texts = [(n, getattr(model, n).rstrip(b"\0").split(b"\0")) for n in TEXTS]
    lines += ["", "TEXTS"]
    for key, words in texts:
        text = " ".join(repr(word.decode(errors="replace")) for word in words)
        lines += _row(key, text)
    return written(lines, file)


@takes_views
def print_data(
    model: "Model",
    data: "Data",
    world: int = 0,
    file: str | os.PathLike | None = None,
    digits: int = 6,
) -> str:
    """List the data of one world: every field that is kept, and the contacts.

    Args:
        model: a `Model`.
        data: its `Data`.
        world: which world.
        file: a file to write the text to.
        digits: significant digits of real numbers.

    Returns:
        The text. Of very long arrays only the beginning is listed.
    """
    digits = whole(digits, "print_data", "digits", 1, 17)
    from .requested_fields import LAZY_INPUTS

    # zeros, always or as long as nobody looks
    unused = {*NO_ARENA, *LAZY_INPUTS} - set(data.inputs_in_use)
    lines = [f"DATA of world {world} of {data.nworld}"]
    counts, rows = {}, []
    for field in DATA:
        value = None if field.name in unused else getattr(data, field.name, None)
        if not isinstance(value, np.ndarray) or len(value) != data.nworld:
            continue
        value = value[world]
        if not value.shape:
            counts[field.name] = int(value) if value.dtype.kind == "i" else value
        elif value.dtype.names is None:
            rows.append((field.name, value[: counts.get(field.shape[0])]))
    lines += _section("NUMBERS", counts.items(), digits)
    lines += _section("ARRAYS", rows, digits)
    contacts = getattr(data, "contact", None)
    for place in range(counts.get("ncon", 0) if contacts is not None else 0):
        fields = ((f.name, getattr(contacts, f.name, None)) for f in CONTACT)
        values = ((key, array[world, place]) for key, array in fields if array is not None)
        lines += _section(f"CONTACT {place}", values, digits)
    return written(lines, file)


def _sizes(model: "Model") -> Iterator:
    return (f for f in MODEL if f.type == "size" and getattr(model, f.name))


def _section(title: str, rows: Any, digits: int) -> list[str]:
    lines = ["", title]
    for name, value in rows:
        array = np.asarray(value)
        if not array.size:
            continue
        if array.ndim < 2:
            lines += _row(name, _numbers(array, digits))
            continue
        lines.append(f"  {name}")
        for k, row in enumerate(array[: max(1, MOST // array.shape[1])]):
            lines += _row(f"  {k}", _numbers(row, digits))
        if k + 1 < len(array):
            lines.append(f"    ... {len(array)} rows")
    return lines


def _numbers(array: np.ndarray, digits: int) -> str:
    """Values of an array, of which there may be too many."""
    values = array.reshape(-1)[:MOST].tolist()
    text = " ".join(f"{x:.{digits}g}" if isinstance(x, float) else str(x) for x in values)
    return text + (f" ... {array.size} values" if array.size > MOST else "")


def _row(name: str, text: str) -> list[str]:
    head = f"  {name}".ljust(INDENT - 1) + " "
    inner = " " * INDENT
    return wrap(text, WIDTH, initial_indent=head, subsequent_indent=inner) or [head.rstrip()]
