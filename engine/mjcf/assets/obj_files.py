"""Wavefront OBJ files: vertices, normals, texture coordinates and the triangles of one object.

Lines that start with v, vn, vt, f, l, p, g and o are read, as tinyobjloader reads them; others say
nothing about the shape. No other file is opened.
"""

import re
import warnings
from bisect import bisect
from itertools import chain
from typing import NamedTuple

import numpy as np

from .triangulate import triangulate

STATEMENTS = frozenset({b"f ", b"l ", b"p ", b"g ", b"o "})
WIDTHS = {b"v ": 3, b"vt ": 2, b"vn ": 3}  # numbers of a line
PLAIN = b"+-.0123456789eE "  # characters of plain numbers
LONG = 10**9  # places with more digits are not plain
# what the corners of a file are made of, where all are alike: vertex, texture coordinates, normal
FORMS = {
    (0,): re.compile(rb"(?:\d+[ \n]+)*"),
    (0, 1): re.compile(rb"(?:\d+/\d+[ \n]+)*"),
    (0, 2): re.compile(rb"(?:\d+//\d+[ \n]+)*"),
    (0, 1, 2): re.compile(rb"(?:\d+/\d+/\d+[ \n]+)*"),
}
NUMBER = re.compile(
    rb"[+-]?(?:(0x(?:[0-9a-f]+\.?[0-9a-f]*|\.[0-9a-f]+)(?:p[+-]?\d+)?)"
    rb"|(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|inf|nan)",
    re.IGNORECASE,
)
INTEGER = re.compile(rb"[ \v\f]*([+-]?\d+)")
LARGEST = float(np.finfo(np.float32).max)
WORD = re.compile(rb"[^ ]+")


class ObjError(ValueError):
    """A damaged file; the message says what was found."""


class Obj(NamedTuple):
    """Contents of an OBJ file.

    Attributes:
        vertices, normals: (n, 3) float32.
        texcoords: (n, 2) float32.
        corners: triangles of the first object, (f, 3, 3) int32: for each corner the places of its
            vertex, texture coordinates and normal; -1: none.
    """

    vertices: np.ndarray
    normals: np.ndarray
    texcoords: np.ndarray
    corners: np.ndarray


def read_obj(contents: bytes) -> Obj:
    """Read a file.

    Raises:
        ObjError: a polygon, line or point that names the place 0, or none.
    """
    text = contents.replace(b"\r\n", b"\n").replace(b"\r", b"\n").replace(b"\t", b" ")
    if b"\0" in text:
        text = re.sub(rb"\0.*", b"", text)
    lines = _Lines(text)
    polygons = [s for s in lines.statements if s.kind == b"f"]
    for statement in lines.statements:
        if statement.kind in b"lp":
            lines.corners(statement)
    corners, counts = _corners(lines, polygons)
    vertices, texcoords, normals = (lines.numbers(name) for name in WIDTHS)

    def triangles(first: int, last: int, count: int) -> np.ndarray:
        start, end = counts[:first].sum(), counts[:last].sum()
        return triangulate(corners[start:end], counts[first:last], vertices[:count])

    # an object ends where the next one starts; the first one that has something is the mesh
    first = last = 0
    started = False
    for statement in lines.statements:
        kind = statement.kind
        if kind in b"go":
            found = triangles(first, last, lines.before(b"v ", statement))
            if len(found) or (kind == b"o" and started):
                return Obj(vertices, normals, texcoords, found)
            first, started = last, False
        else:
            started = True
            last += kind == b"f"
    return Obj(vertices, normals, texcoords, triangles(first, last, len(vertices)))


class _Statement(NamedTuple):
    """A line that starts with one of f, l, p, g, o.

    Attributes:
        line: its place among the lines, from 0.
        kind: the letter.
        text: what follows.
    """

    line: int
    kind: bytes
    text: bytes


class _Lines:
    """The lines of a file, without tabs.

    Attributes:
        statements: those that are no numbers.
    """

    def __init__(self, text: bytes):
        self._lines = text.split(b"\n")
        if text[:1] == b" " or b"\n " in text:
            self._lines = [line.lstrip(b" ") for line in self._lines]
        self.statements = [
            _Statement(place, line[:1], line[2:])
            for place, line in enumerate(self._lines)
            if line[:2] in STATEMENTS
        ]
        self._starts: dict[bytes, list[int]] = {}

    def before(self, name: bytes, statement: _Statement) -> int:
        """Number of lines of a kind before another line."""
        if name not in self._starts:
            self._starts[name] = [k for k, one in enumerate(self._lines) if one.startswith(name)]
        return bisect(self._starts[name], statement.line)

    def numbers(self, name: bytes) -> np.ndarray:
        """The first numbers of each line of a kind, (n, width) float32; other words are 0."""
        width, n = WIDTHS[name], len(name)
        rows = [line[n:] for line in self._lines if line.startswith(name)]
        data = _plain_rows(rows, width)
        if data is None:
            fields = [[*WORD.findall(row)[:width], b"", b"", b""][:width] for row in rows]
            data = np.array(list(map(_number, chain.from_iterable(fields))), np.float64)
        data = np.clip(data, -LARGEST, LARGEST)
        return data.astype(np.float32).reshape(-1, width)

    def corners(self, statement: _Statement) -> list[tuple]:
        """Corners of a polygon, line or point, also those that count from the end."""
        counts = [self.before(name, statement) for name in WIDTHS]
        text, at, corners = statement.text, 0, []
        text = text.lstrip(b" ")
        # up to three places, separated by slashes: vertex, texture coordinates, normal
        while at < len(text):
            corner = [-1, -1, -1]
            for k in range(3):
                # the second may be missing: 1//3
                if k == 1 and text[at : at + 1] == b"/":
                    at += 1
                    continue
                match = INTEGER.match(text, at)
                place = int(match[1]) if match else 0
                if not place:
                    found = text.decode("latin-1").strip()
                    raise ObjError(
                        f"line {statement.line + 1}: expected places other than 0, found '{found}'"
                    )
                # places count from 1; negative ones count backwards from the last line read so far
                corner[k] = place - 1 if place > 0 else counts[k] + place
                while at < len(text) and text[at] not in b"/ ":
                    at += 1
                if text[at : at + 1] != b"/" or k == 2:
                    break
                at += 1
            corners.append(tuple(corner))
            while at < len(text) and text[at] in b" ":
                at += 1
        return corners


def _word_starts(text: bytes) -> np.ndarray:
    """Places where words begin."""
    inside = np.frombuffer(text, np.uint8) > ord(" ")
    begins = inside.copy()
    begins[1:] &= ~inside[:-1]
    return np.flatnonzero(begins)


def _plain_rows(rows: list[bytes], width: int) -> np.ndarray | None:
    """Numbers of rows with as many plain ones each; None where a row is another one."""
    if not rows:
        return np.empty(0)
    joined = b" ".join(rows)
    if joined.translate(None, PLAIN):
        return None
    # a mark behind each row tells whether all have their numbers, and each word is one
    joined = b" nan ".join(rows) + b" nan"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        try:
            data = np.fromstring(joined, sep=" ")
        except ValueError:
            return None
    if data.size != len(rows) * (width + 1) or data.size != len(_word_starts(joined)):
        return None
    data = data.reshape(-1, width + 1)
    return data[:, :width].reshape(-1) if np.isnan(data[:, width]).all() else None


def _corners(lines: _Lines, polygons: list[_Statement]) -> tuple[np.ndarray, np.ndarray]:
    """Corners of all polygons, (n, 3): vertex, texture coordinates, normal; how many each has."""
    joined = b"\n".join([polygon.text for polygon in polygons]) + b"\n"
    words = joined.lstrip(b" \n")
    for columns, form in FORMS.items():
        if form.fullmatch(words):
            places = np.fromstring(words.replace(b"/", b" "), np.int64, sep=" ")
            if ((places == 0) | (places >= LONG)).any():
                break
            corners = np.full((len(places) // len(columns), 3), -1)
            corners[:, columns] = places.reshape(-1, len(columns)) - 1
            ends = np.flatnonzero(np.frombuffer(joined, np.uint8) == ord("\n"))
            counts = np.searchsorted(_word_starts(joined), ends[: len(polygons)])
            return corners, np.diff(counts, prepend=0)
    found = [lines.corners(polygon) for polygon in polygons]
    corners = np.array([*chain.from_iterable(found)], np.float64).reshape(-1, 3)
    limit = 2.0**31 - 1
    return corners.clip(-limit, limit).astype(int), np.array([len(f) for f in found], int)


def _number(token: bytes) -> float:
    """The number at the beginning of a word, as strtod reads it; 0 where there is none."""
    match = NUMBER.match(token.lstrip(b"\v\f"))
    if not match:
        return 0.0
    text = match[0].decode()
    return float.fromhex(text) if match[1] else float(text)
