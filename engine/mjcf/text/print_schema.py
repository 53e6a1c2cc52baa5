"""The table of MJCF elements as text or as a table of HTML, laid out as MuJoCo does."""

import os
from typing import Any

from ...whole_files import written
from .schema import kinds

COLUMN, FULL = 30, 60  # where attributes start, and after which no other one does


def print_schema(
    html: bool = False, pad: bool = False, file: str | os.PathLike | None = None
) -> str:
    """Elements of MJCF with their cardinality and attributes, as `mj_printSchema` prints them.

    Args:
        html: a table of HTML instead of plain text.
        pad: in HTML, indent by the style of a cell instead of by spaces.
        file: a file to write the text to.

    Returns:
        The text. Cardinality: `!` once, `?` at most once, `*` any number, `R` any number and
        nested in itself.
    """
    lines: list[str] = []
    for kind in kinds().values():
        if kind.meta:
            continue
        level = 0 if kind.path == "mujoco" else kind.path.count("/") + 1
        name = "(world)body" if kind.path == "body" else kind.tag
        lines += _cells(name, kind, level, pad) if html else _lines(name, kind, level)
    if html:
        lines = ['<table border="1">', *lines, "</table>"]
    return written(lines, file)


def _lines(name: str, kind: Any, level: int) -> list[str]:
    head = f"{' ' * 3 * level}{name} ({kind.cardinality})"
    column = max(COLUMN, len(head))
    lines = [head.ljust(column)]
    for attribute in sorted(kind.attributes):
        if len(lines[-1]) > FULL:
            lines.append(" " * column)
        lines[-1] += attribute + " "
    return lines


def _cells(name: str, kind: Any, level: int, pad: bool) -> list[str]:
    style = f'style="padding-left:{5 + 15 * level}" ' if pad else ""
    indent = "" if pad else "&nbsp;" * 4 * level
    attributes = "".join(attribute + " " for attribute in sorted(kind.attributes))
    if not attributes:
        attributes = '<span style="color:black"><i>no attributes</i></span>'
    return [
        "<tr>",
        f'\t<td {style}bgcolor="#EEEEEE" class="el">{indent}{name}</td>',
        f'\t<td class="ty">{kind.cardinality}</td>',
        f'\t<td class="at">{attributes}</td>',
        "</tr>",
    ]
