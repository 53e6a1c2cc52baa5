"""Wavefront OBJ files: vertices, normals, texture coordinates and the triangles of one object.

Lines that start with v, vn, vt, f, l, p, g and o are read, as tinyobjloader reads them; others say
nothing about the shape. No other file is opened.
"""

import re
from bisect import bisect
from itertools import chain
from typing import NamedTuple

import numpy as np

from .triangulate import triangulate

STATEMENT = re.compile(rb"^[ \t]*([flpgo])[ \t](.*)", re.MULTILINE)
WIDTHS = {"v": 3, "vt": 2, "vn": 3}  # numbers of a line
# what the corners of a file are made of, where all are alike: vertex, texture coordinates, normal
FORMS = {
    (0,): re.compile(rb"(?:\d+[ \t\n]+)*"),
    (0, 1): re.compile(rb"(?:\d+/\d+[ \t\n]+)*"),
    (0, 2): re.compile(rb"(?:\d+//\d+[ \t\n]+)*"),
    (0, 1, 2): re.compile(rb"(?:\d+/\d+/\d+[ \t\n]+)*"),
}
NUMBER = re.compile(
    rb"[+-]?(?:(0x(?:[0-9a-f]+\.?[0-9a-f]*|\.[0-9a-f]+)(?:p[+-]?\d+)?)"
    rb"|(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|inf|nan)",
    re.IGNORECASE,
)
INTEGER = re.compile(rb"[ \t\v\f]*([+-]?\d+)")
LARGEST = float(np.finfo(np.float32).max)
WORD = re.compile(rb"[^ \t]+")


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
    text = contents.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    if b"\0" in text:
        text = re.sub(rb"\0.*", b"", text)
    lines = _Lines(text)
    statements = list(STATEMENT.finditer(text))
    polygons = [s for s in statements if s[1] == b"f"]
    for statement in statements:
        if statement[1] in b"lp":
            lines.corners(statement)
    corners, counts = _corners(lines, polygons)
    vertices, texcoords, normals = (lines.numbers(name) for name in WIDTHS)

    def triangles(first: int, last: int, count: int) -> np.ndarray:
        start, end = counts[:first].sum(), counts[:last].sum()
        return triangulate(corners[start:end], counts[first:last], vertices[:count])

    # an object ends where the next one starts; the first one that has something is the mesh
    first = last = 0
    started = False
    for statement in statements:
        kind = statement[1]
        if kind in b"go":
            found = triangles(first, last, lines.before("v", statement))
            if len(found) or (kind == b"o" and started):
                return Obj(vertices, normals, texcoords, found)
            first, started = last, False
        else:
            started = True
            last += kind == b"f"
    return Obj(vertices, normals, texcoords, triangles(first, last, len(vertices)))


class _Lines:
    """The text of a file, and where its lines with numbers are."""

    def __init__(self, text: bytes):
        self.text = text
        self._starts: dict[str, list[int]] = {}

    def before(self, name: str, statement: re.Match) -> int:
        """Number of lines of a kind before another line."""
        if name not in self._starts:
            pattern = rb"^[ \t]*" + name.encode() + rb"[ \t]"
            found = re.finditer(pattern, self.text, re.MULTILINE)
            self._starts[name] = [match.start() for match in found]
        return bisect(self._starts[name], statement.start())

    def numbers(self, name: str) -> np.ndarray:
        """The first numbers of each line of a kind, (n, width) float32; other words are 0."""
        width = WIDTHS[name]
        start = rb"^[ \t]*" + name.encode() + rb"[ \t]"
        plain = rb"[ \t]*([-+.\deE]+)" + rb"[ \t]+([-+.\deE]+)" * (width - 1) + rb"[ \t]*$"
        rows = re.findall(start + rb"(.*)", self.text, re.MULTILINE)
        words = re.findall(start + plain, self.text, re.MULTILINE)
        try:
            if len(words) != len(rows):
                raise ValueError
            numbers = list(map(float, chain.from_iterable(words)))
        except ValueError:
            fields = [[*WORD.findall(row)[:width], b"", b"", b""][:width] for row in rows]
            numbers = list(map(_number, chain.from_iterable(fields)))
        data = np.clip(np.array(numbers, np.float64), -LARGEST, LARGEST)
        return data.astype(np.float32).reshape(-1, width)

    def corners(self, statement: re.Match) -> list[tuple]:
        """Corners of a polygon, line or point, also those that count from the end."""
        counts = [self.before(name, statement) for name in WIDTHS]
        text, at, corners = statement[2], 0, []
        text = text.lstrip(b" \t")
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
                    line = self.text.count(b"\n", 0, statement.start()) + 1
                    found = text.decode("latin-1").strip()
                    raise ObjError(f"line {line}: expected places other than 0, found '{found}'")
                # places count from 1; negative ones count backwards from the last line read so far
                corner[k] = place - 1 if place > 0 else counts[k] + place
                while at < len(text) and text[at] not in b"/ \t":
                    at += 1
                if text[at : at + 1] != b"/" or k == 2:
                    break
                at += 1
            corners.append(tuple(corner))
            while at < len(text) and text[at] in b" \t":
                at += 1
        return corners


def _corners(lines: _Lines, polygons: list[re.Match]) -> tuple[np.ndarray, np.ndarray]:
    """Corners of all polygons, (n, 3): vertex, texture coordinates, normal; how many each has."""
    texts = [polygon[2] for polygon in polygons]
    joined = b"\n".join(texts).lstrip(b" \t\n") + b"\n"
    for columns, form in FORMS.items():
        if form.fullmatch(joined):
            words = joined.replace(b"/", b" ").split()
            if max(map(len, words), default=0) > 9:
                break
            places = np.array(list(map(int, words)), np.int64).reshape(-1, len(columns))
            if (places == 0).any():
                break
            corners = np.full((len(places), 3), -1)
            corners[:, columns] = places - 1
            return corners, np.array([len(text.split()) for text in texts], int)
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
