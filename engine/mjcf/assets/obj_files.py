"""Wavefront OBJ files: vertices, normals, texture coordinates and the triangles of one object.

Lines that start with v, vn, vt, f, l, p, g and o are read, as tinyobjloader reads them; others say
nothing about the shape. No other file is opened.
"""

import re
import warnings
from itertools import chain
from typing import NamedTuple

import numpy as np

from .triangulate import triangulate

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
    for line in sorted([*lines.of(b"l "), *lines.of(b"p ")]):
        lines.corners(line)
    corners, counts = _corners(lines)
    vertices, texcoords, normals = (lines.numbers(name) for name in WIDTHS)

    def triangles(first: int, last: int, count: int) -> np.ndarray:
        start, end = counts[:first].sum(), counts[:last].sum()
        return triangulate(corners[start:end], counts[first:last], vertices[:count])

    # an object ends where the next one starts; the first one that has something is the mesh
    first = done = 0
    objects = set(lines.of(b"o ").tolist())
    for line in sorted([*lines.of(b"g ").tolist(), *objects]):
        last = lines.before(b"f ", line)
        shapes = last + lines.before(b"l ", line) + lines.before(b"p ", line)
        found = triangles(first, last, lines.before(b"v ", line))
        if len(found) or (line in objects and shapes > done):
            return Obj(vertices, normals, texcoords, found)
        first, done = last, shapes
    return Obj(vertices, normals, texcoords, triangles(first, len(counts), len(vertices)))


class _Lines:
    """The lines of a file without tabs, by how they begin."""

    def __init__(self, text: bytes):
        if text[:1] == b" " or b"\n " in text:
            text = b"\n".join([line.lstrip(b" ") for line in text.split(b"\n")])
        self._text = text
        self._codes = np.frombuffer(text + b"\n\n\n", np.uint8)
        self._ends = np.flatnonzero(self._codes[: len(text) + 1] == ord("\n"))
        self._starts = np.append(0, self._ends[:-1] + 1)
        self._pairs = _pair(self._codes[self._starts], self._codes[self._starts + 1])
        self._found: dict[bytes, np.ndarray] = {}

    def of(self, name: bytes) -> np.ndarray:
        """Places of the lines that begin with a name of two or three characters."""
        if name not in self._found:
            found = np.flatnonzero(self._pairs == _pair(*np.frombuffer(name[:2], np.uint8)))
            if len(name) == 3:
                found = found[self._codes[self._starts[found] + 2] == name[2]]
            self._found[name] = found
        return self._found[name]

    def before(self, name: bytes, line: int) -> int:
        """Number of lines of a kind before another line."""
        return int(np.searchsorted(self.of(name), line))

    def rest(self, name: bytes, line: int) -> bytes:
        """Return the rest of a line after the name."""
        return self._text[self._starts[line] + len(name) : self._ends[line]]

    def block(self, name: bytes) -> bytes:
        """All lines of a kind, each with a line break before it."""
        places = self.of(name)
        if not len(places):
            return b""
        gaps = np.flatnonzero(np.diff(places) > 1)
        first = self._starts[places[np.append(0, gaps + 1)]].tolist()
        last = self._ends[places[np.append(gaps, len(places) - 1)]].tolist()
        runs = [self._text[start:end] for start, end in zip(first, last, strict=True)]
        return b"\n" + b"\n".join(runs)

    def numbers(self, name: bytes) -> np.ndarray:
        """The first numbers of each line of a kind, (n, width) float32; other words are 0."""
        width, places = WIDTHS[name], self.of(name)
        data = _plain_rows(self.block(name), name, len(places), width)
        if data is None:
            rows = [self.rest(name, line) for line in places.tolist()]
            fields = [[*WORD.findall(row)[:width], b"", b"", b""][:width] for row in rows]
            data = np.array(list(map(_number, chain.from_iterable(fields))), np.float64)
        data = np.clip(data, -LARGEST, LARGEST)
        return data.astype(np.float32).reshape(-1, width)

    def corners(self, line: int) -> list[tuple]:
        """Corners of a polygon, line or point, also those that count from the end."""
        counts = [self.before(name, line) for name in WIDTHS]
        text, at, corners = self.rest(b"f ", line), 0, []
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
                        f"line {line + 1}: expected places other than 0, found '{found}'"
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


def _pair(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Two characters as one number."""
    return np.asarray(first, np.uint16) << 8 | np.asarray(second, np.uint16)


def _word_starts(text: bytes) -> np.ndarray:
    """Places where words begin."""
    inside = np.frombuffer(text, np.uint8) > ord(" ")
    begins = inside.copy()
    begins[1:] &= ~inside[:-1]
    return np.flatnonzero(begins)


def _plain_rows(block: bytes, name: bytes, count: int, width: int) -> np.ndarray | None:
    """Numbers of lines that have as many plain ones each; None where a line is another one.

    Args:
        block: the lines, each with a line break before it.
        name: what they begin with.
        count, width: how many there are, and numbers of each.
    """
    if not count:
        return np.empty(0)
    start = b"\n" + name
    if block.replace(start, b" ").translate(None, PLAIN):
        return None
    # a mark behind each line tells whether all have their numbers, and each word is one
    words = block[len(start) :].replace(start, b" nan ") + b" nan"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        try:
            data = np.fromstring(words, sep=" ")
        except ValueError:
            return None
    if data.size != count * (width + 1) or data.size != len(_word_starts(words)):
        return None
    data = data.reshape(count, width + 1)
    return data[:, :width].reshape(-1) if np.isnan(data[:, width]).all() else None


def _corners(lines: _Lines) -> tuple[np.ndarray, np.ndarray]:
    """Corners of all polygons, (n, 3): vertex, texture coordinates, normal; how many each has."""
    polygons = lines.of(b"f ")
    joined = lines.block(b"f ").replace(b"\nf ", b"\n")[1:] + b"\n"
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
    found = [lines.corners(line) for line in polygons.tolist()]
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
