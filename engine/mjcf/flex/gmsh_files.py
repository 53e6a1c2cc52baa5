"""GMSH files, versions 2.2 and 4.1, as text or binary: vertices and elements of deformables."""

import re
from typing import NamedTuple

import numpy as np

MOST = 2**31 - 1
CORNERS = {1: (1, 2), 2: (2, 3), 4: (3, 4)}  # type of an element: its dimension, its vertices


class GmshError(ValueError):
    """A damaged GMSH file; the message says what was found."""


class Gmsh(NamedTuple):
    """Contents of a GMSH file.

    Attributes:
        points: vertices, (n, 3) (m).
        elements: vertices of each element, (e, dim + 1) int.
        dim: 1 for lines, 2 for triangles, 3 for tetrahedra.
    """

    points: np.ndarray
    elements: np.ndarray
    dim: int


def read_gmsh(contents: bytes) -> Gmsh:
    """Vertices and elements of a file.

    Raises:
        GmshError: the file is damaged, or of another version.
    """
    if not contents.startswith(b"$MeshFormat"):
        raise GmshError(f"expected $MeshFormat at the beginning, found {contents[:11]!r}")
    header = re.match(rb"\s*(\S+)\s+(\d+)", contents[11:])
    try:
        version = round(100 * float(header[1])) if header else 0
    except ValueError:
        version = 0
    if header is None or version not in (220, 410):
        found = header[1].decode(errors="replace") if header else "nothing"
        raise GmshError(f"expected version 2.2 or 4.1, found {found}")
    nodes, elements = (_section(contents, name) for name in (b"Nodes", b"Elements"))
    reader = READERS[version, header[2] != b"0"]
    return reader(nodes, elements)


def _section(contents: bytes, name: bytes) -> bytes:
    """Text between $Name, the end of its line, and $EndName."""
    begin, end = contents.find(b"$" + name), contents.find(b"$End" + name)
    if begin < 0 or end < begin:
        missing = b"$" + name if begin < 0 else b"$End" + name
        raise GmshError(f"expected {missing.decode()}, found none")
    return contents[begin + len(name) + 2 : end]


class _Numbers:
    """Numbers of a text, from the first to the last."""

    def __init__(self, text: bytes, what: str):
        self.words, self.at, self.what = text.split(), 0, what

    def take(self, count: int, kind: type = np.int64) -> np.ndarray:
        """The next numbers."""
        words = self.words[self.at : self.at + count]
        self.at += count
        if len(words) < count:
            raise GmshError(f"{self.what}: expected {count - len(words)} more numbers, found none")
        try:
            return np.array(words, dtype=bytes).astype(kind) if count else np.zeros(0, kind)
        except (ValueError, OverflowError):
            raise GmshError(f"{self.what}: expected numbers, found other text") from None


def _count(number: int, what: str) -> int:
    if not 0 <= number < MOST // 4:
        raise GmshError(f"{what}: expected a number of them, found {number}")
    return int(number)


def _check_block(blocks: int, number: int, in_block: int, what: str) -> None:
    if blocks != 1 or number != in_block:
        raise GmshError(f"{what}: expected all in one block, found {blocks} blocks")


def _checked_41(header: tuple, tags: np.ndarray) -> None:
    """Refuse nodes in several blocks, or with gaps between their tags."""
    _, _, first, _ = header
    if len(tags) and not np.array_equal(tags, np.arange(len(tags)) + first):
        raise GmshError("$Nodes: expected tags that follow each other")


def _check_dim(dim: int, kind: int, of_nodes: int) -> None:
    if not 1 <= of_nodes <= 3:
        raise GmshError(f"$Nodes: expected 1, 2 or 3 dimensions, found {of_nodes}")
    if dim != of_nodes:
        raise GmshError(f"$Elements: expected {of_nodes} dimensions as of nodes, found {dim}")
    if CORNERS.get(kind, (0, 0))[0] != dim:
        raise GmshError(f"$Elements: expected a type of {dim} dimensions, found {kind}")


def _text_41(nodes: bytes, elements: bytes) -> Gmsh:
    """Version 4.1 as text."""
    numbers = _Numbers(nodes, "$Nodes")
    blocks, count, first, last = numbers.take(4)
    dim, _, _, in_block = numbers.take(4)
    _check_block(blocks, _count(count, "$Nodes"), in_block, "$Nodes")
    if last != in_block:
        raise GmshError(f"$Nodes: expected the last tag {in_block}, found {last}")
    _checked_41((blocks, count, first, last), numbers.take(count))
    points = numbers.take(3 * count, np.float64).reshape(-1, 3)
    numbers = _Numbers(elements, "$Elements")
    blocks, count, _, _ = numbers.take(4)
    dim_elements, _, kind, in_block = numbers.take(4)
    _check_block(blocks, _count(count, "$Elements"), in_block, "$Elements")
    _check_dim(dim_elements, kind, dim)
    rows = numbers.take((dim + 2) * count).reshape(-1, dim + 2)
    return Gmsh(points, rows[:, 1:] - first, int(dim))


def _bytes(data: bytes, kind: str | np.dtype, count: int, start: int, what: str) -> np.ndarray:
    """Binary numbers from a place on."""
    if start + count * np.dtype(kind).itemsize > len(data):
        raise GmshError(f"{what}: expected more bytes than {len(data)}")
    return np.frombuffer(data, kind, count, start)


def _binary_41(nodes: bytes, elements: bytes) -> Gmsh:
    """Version 4.1 as binary numbers."""
    blocks, count, first, last = (int(x) for x in _bytes(nodes, "<u8", 4, 0, "$Nodes"))
    dim = int(_bytes(nodes, "<i4", 3, 32, "$Nodes")[0])
    in_block = int(_bytes(nodes, "<u8", 1, 44, "$Nodes")[0])
    _check_block(blocks, _count(count, "$Nodes"), in_block, "$Nodes")
    tags = _bytes(nodes, "<u8", count, 52, "$Nodes").astype(np.int64)
    _checked_41((blocks, count, first, last), tags)
    points = _bytes(nodes, "<f8", 3 * count, 52 + 8 * count, "$Nodes").reshape(-1, 3)
    blocks, count = (int(x) for x in _bytes(elements, "<u8", 2, 0, "$Elements"))
    dim_elements, _, kind = (int(x) for x in _bytes(elements, "<i4", 3, 32, "$Elements"))
    in_block = int(_bytes(elements, "<u8", 1, 44, "$Elements")[0])
    _check_block(blocks, _count(count, "$Elements"), in_block, "$Elements")
    _check_dim(dim_elements, kind, dim)
    rows = _bytes(elements, "<u8", (dim + 2) * count, 52, "$Elements").astype(np.int64)
    return Gmsh(points.copy(), rows.reshape(-1, dim + 2)[:, 1:] - first, dim)


def _corners(kind: int) -> tuple[int, int]:
    if kind not in (2, 4):
        raise GmshError(f"$Elements: expected triangles (2) or tetrahedra (4), found type {kind}")
    return CORNERS[kind]


def _check_tags(tags: np.ndarray, most: int) -> None:
    wrong = tags[(tags < 1) | (tags > most)]
    if wrong.size:
        raise GmshError(f"$Elements: expected nodes from 1 to {most}, found {wrong.flat[0]}")


def _text_22(nodes: bytes, elements: bytes) -> Gmsh:
    """Version 2.2 as text."""
    for text, what in ((nodes, "$Nodes"), (elements, "$Elements")):
        first = text.lstrip(b"\r\n").partition(b"\n")[0].strip(b"\r")
        if not first.isdigit():
            raise GmshError(f"{what}: expected a number in the first line, found {first[:20]!r}")
    numbers = _Numbers(nodes, "$Nodes")
    count = _count(numbers.take(1)[0], "$Nodes")
    points = numbers.take(4 * count, np.float64).reshape(-1, 4)[:, 1:]
    numbers = _Numbers(elements, "$Elements")
    number = _count(numbers.take(1)[0], "$Elements")
    if not number:
        raise GmshError("$Elements: expected some, found none")
    _, kind, _ = numbers.take(3)
    numbers.at -= 3
    dim, corners = _corners(int(kind))
    rows = []
    for _ in range(number):
        ntags = numbers.take(3)[2]
        numbers.take(2 if ntags > 0 else 0)
        rows.append(numbers.take(corners))
    found = np.array(rows, int).reshape(-1, corners)
    _check_tags(found, count)
    return Gmsh(points.copy(), found - 1, dim)


def _header_22(data: bytes, what: str) -> tuple[int, int]:
    """The number in the first line of a section, and where binary numbers begin."""
    found = re.match(rb"\s*(\d{1,9})\n?", data[:12])
    if found is None:
        raise GmshError(f"{what}: expected a number in the first line, found {data[:10]!r}")
    return int(found[1]), found.end()


def _binary_22(nodes: bytes, elements: bytes) -> Gmsh:
    """Version 2.2 as binary numbers, as gmsh writes them, or as fTetWild does."""
    count, start = _header_22(nodes, "$Nodes")
    node = np.dtype([("tag", "<i4"), ("at", "<f8", 3)])
    points = _bytes(nodes, node, count, start, "$Nodes")["at"]
    number, start = _header_22(elements, "$Elements")
    if not number:
        raise GmshError("$Elements: expected some, found none")
    kind, _, ntags = (int(x) for x in _bytes(elements, "<i4", 3, start, "$Elements"))
    dim, corners = _corners(kind)
    if ntags > 0:
        # every element with a header, two tags and its vertices
        width = 6 + corners
        rows = _bytes(elements, "<i4", number * width, start, "$Elements").reshape(-1, width)
        found = rows[:, 6:].astype(int)
    else:
        # one header for all
        width = 1 + corners
        rows = _bytes(elements, "<i4", number * width, start + 12, "$Elements")
        found = rows.reshape(-1, width)[:, 1:].astype(int)
    _check_tags(found, count)
    return Gmsh(points.copy(), found - 1, dim)


READERS = {
    (220, False): _text_22,
    (220, True): _binary_22,
    (410, False): _text_41,
    (410, True): _binary_41,
}
