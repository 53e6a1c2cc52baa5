"""Wavefront OBJ files: vertices, normals, texture coordinates and the triangles of one object.

Lines that start with v, vn, vt, f, l, p, g and o are read, as tinyobjloader reads them; others say
nothing about the shape. No other file is opened.
"""

import re
from itertools import chain
from typing import NamedTuple

import numpy as np

from ...simd.record import Layout
from .compiled import pays, run
from .triangulate import triangulate

WIDTHS = {b"v ": 3, b"vt ": 2, b"vn ": 3}  # numbers of a line
NUMBER = re.compile(
    rb"[+-]?(?:(0x(?:[0-9a-f]+\.?[0-9a-f]*|\.[0-9a-f]+)(?:p[+-]?\d+)?)"
    rb"|(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|inf|nan)",
    re.IGNORECASE,
)
INTEGER = re.compile(rb"[ \v\f]*([+-]?\d+)")
LARGEST = float(np.finfo(np.float32).max)
WORD = re.compile(rb"[^ ]+")
LAYOUT = Layout(
    "obj lines",
    [
        ("nline", "size"), ("width", "size"), ("text", "u1"), ("start", "i8"),
        ("power", "f8", True, False), ("number", "f8", True, False), ("state", "i4"),
        ("corner", "i4"), ("count", "i4"),
    ],
)  # fmt: skip
POWERS = np.array([float(f"1e{k}") for k in range(301)])
LAST_PLACES = 1e-15  # what an inexact number may be off, relative to it


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
    corners, counts = lines.polygons()
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

    def numbers(self, name: bytes) -> np.ndarray:
        """The first numbers of each line of a kind, (n, width) float32; other words are 0."""
        width, places = WIDTHS[name], self.of(name)
        data, unusual = self._plain(name)
        for k in unusual.tolist():
            words = WORD.findall(self.rest(name, int(places[k])))[:width]
            data[k] = [*map(_number, words), 0.0, 0.0, 0.0][:width]
        return np.clip(data, -LARGEST, LARGEST).astype(np.float32)

    def _plain(self, name: bytes) -> tuple[np.ndarray, np.ndarray]:
        """Numbers of the lines of a kind by a kernel, and the lines that it left out."""
        from .obj_kernels import INEXACT, UNUSUAL, read_rows

        width, places = WIDTHS[name], self.of(name)
        data, state = np.zeros((len(places), width)), np.full(len(places), UNUSUAL, np.int32)
        if pays(read_rows, LAYOUT, len(places)):
            run(
                read_rows, LAYOUT, nline=len(places), width=width, text=self._codes,
                start=self._starts[places] + len(name), power=POWERS, number=data, state=state,
            )  # fmt: skip
            # an inexact number has to be nearest to the same one of single precision
            rows = np.flatnonzero(state == INEXACT)
            limits = [
                np.clip(data[rows] * factor, -LARGEST, LARGEST).astype(np.float32)
                for factor in (1 - LAST_PLACES, 1 + LAST_PLACES)
            ]
            state[rows[(limits[0] != limits[1]).any(1)]] = UNUSUAL
        return data, np.flatnonzero(state == UNUSUAL)

    def polygons(self) -> tuple[np.ndarray, np.ndarray]:
        """Corners of all polygons, (n, 3): vertex, texture coordinates, normal; each one's number.

        Raises:
            ObjError: as `corners`.
        """
        from .obj_kernels import read_corners

        places = self.of(b"f ")
        if pays(read_corners, LAYOUT, len(places)):
            starts = self._starts[places] + 2
            # a corner takes two characters, or more
            room = int((self._ends[places] - starts).sum()) // 2 + len(places)
            corners, counts = np.empty((room, 3), np.int32), np.empty(len(places), np.int32)
            run(
                read_corners, LAYOUT, nline=len(places), text=self._codes, start=starts,
                corner=corners, count=counts,
            )  # fmt: skip
            if counts[0] >= 0:
                return corners[: counts.sum()], counts.astype(int)
        found = [self.corners(line) for line in places.tolist()]
        every = np.array([*chain.from_iterable(found)], np.float64).reshape(-1, 3)
        limit = 2.0**31 - 1
        return every.clip(-limit, limit).astype(int), np.array([len(f) for f in found], int)

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


def _number(token: bytes) -> float:
    """The number at the beginning of a word, as strtod reads it; 0 where there is none."""
    match = NUMBER.match(token.lstrip(b"\v\f"))
    if not match:
        return 0.0
    text = match[0].decode()
    return float.fromhex(text) if match[1] else float(text)
