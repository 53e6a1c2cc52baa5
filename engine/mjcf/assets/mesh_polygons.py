"""Flat sides of a convex hull: its triangles of nearly equal normals, joined to polygons.

The order of MuJoCo's polygons is that of a hash table of the C++ library, which is followed here.
"""

from itertools import chain
from math import acos, atan2, floor, pi
from typing import NamedTuple

import numpy as np

from .distinct import distinct
from .triangles import MINVAL, cross, dot

ANGLE = 0.01  # directions are rounded to multiples of this (rad)
POLE = 1e-7  # a normal this close to the z axis has no azimuth
EMPTY = -2  # a bucket without entries
HALF = 1e-9  # this close to a half, the C library's functions decide how an angle is rounded


class Lists(NamedTuple):
    """Lists of whole numbers.

    Attributes:
        counts: their lengths.
        entries: one list after the other.
    """

    counts: np.ndarray
    entries: np.ndarray


def polygons(points: np.ndarray, faces: np.ndarray) -> Lists:
    """Polygons as lists of vertices.

    Args:
        points: (n, 3).
        faces: triangles of the hull, (f, 3).
    """
    known, directions = _directions(points, faces)
    faces, directions = faces[known], directions[known]
    one = directions[:, 0] * 1000 + directions[:, 1]  # polar angles are below 1000
    first, place = distinct(one)
    by_appearance = np.argsort(first)
    hashes = _hashes(directions[first[by_appearance]])
    # sides in the order of the table, and the triangles of each
    rank = np.empty_like(by_appearance)
    rank[by_appearance[np.array(_table_order(hashes), int)]] = np.arange(len(first))
    side = rank[place]
    faces = faces[np.argsort(side, kind="stable")]
    return _joined(faces, np.bincount(side, minlength=len(first)))


def _joined(faces: np.ndarray, counts: np.ndarray) -> Lists:
    """Outlines of sides.

    Args:
        faces: triangles, side after side, (f, 3).
        counts: how many each side has, (n,).
    """
    start = np.cumsum(counts) - counts
    # most sides are a triangle, or two that share an edge
    two = np.flatnonzero(counts == 2)
    outlines, right = _quadrangles(faces[start[two]], faces[start[two] + 1])
    quads = two[right]
    some = counts > 2
    some[two[~right]] = True
    others = np.flatnonzero(some)
    triangles = faces.tolist() if len(others) else []
    paths = [_paths(triangles[start[k] : start[k] + counts[k]]) for k in others.tolist()]
    # how many outlines a side has, and how many vertices these have
    number, length = np.ones(len(counts), int), np.full(len(counts), 3)
    length[quads] = 4
    number[others] = list(map(len, paths))
    length[others] = [sum(map(len, own)) for own in paths]
    row, place = np.cumsum(number) - number, np.cumsum(length) - length
    found = Lists(np.full(number.sum(), 3), np.empty(length.sum(), int))
    found.counts[row[quads]] = 4
    single = np.flatnonzero(counts == 1)
    found.entries[place[single][:, None] + np.arange(3)] = faces[start[single]]
    found.entries[place[quads][:, None] + np.arange(4)] = outlines[right]
    for k, own in zip(others.tolist(), paths, strict=True):
        found.counts[row[k] : row[k] + number[k]] = list(map(len, own))
        found.entries[place[k] : place[k] + length[k]] = [*chain.from_iterable(own)]
    return found


def _quadrangles(faces: np.ndarray, others: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Outlines of pairs of triangles, (n, 4), and whether the two share one edge, (n,)."""
    apart = (others[:, :, None] != faces[:, None, :]).all(axis=2)
    rows, k = np.arange(len(faces)), apart.argmax(axis=1)
    new = others[rows, k]
    # the edge of the second triangle across from its own vertex, as the first one has it
    start, end = others[rows, k - 1], others[rows, k - 2]
    edge = (faces == start[:, None]) & (faces[:, [1, 2, 0]] == end[:, None])
    right = (apart.sum(axis=1) == 1) & edge.any(axis=1)
    # the new vertex goes between the ends of the edge; outlines of the first edge begin behind it
    a, b, c = faces.T
    which = edge.argmax(axis=1)
    outlines = np.stack(
        [
            np.where(which == 0, b, a),
            np.where(which == 0, c, b),
            np.where(which == 0, a, np.where(which == 1, new, c)),
            np.where(which == 1, c, new),
        ],
        axis=1,
    )
    return outlines, right


def normals(points: np.ndarray, sides: Lists) -> np.ndarray:
    """Unit normals of polygons from their first three vertices, (n, 3)."""
    first = (np.cumsum(sides.counts) - sides.counts)[:, None] + np.arange(3)
    first = sides.entries[first]
    a, b, c = (points[first[:, k]] for k in range(3))
    normal = cross(b - a, c - a)
    length = np.sqrt(dot(normal, normal))
    normal[length < 1e-14] = (1, 0, 0)
    return normal / length[:, None]


def at_vertices(sides: Lists, count: int) -> Lists:
    """The polygons around each of `count` vertices."""
    owners = np.repeat(np.arange(len(sides.counts)), sides.counts)
    order = np.argsort(sides.entries, kind="stable")
    return Lists(np.bincount(sides.entries, minlength=count), owners[order])


def _directions(points: np.ndarray, faces: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rounded azimuth and polar angle of each triangle's normal.

    Returns:
        Which triangles have an area, (f,) bool, and the angles in multiples of `ANGLE`, (f, 2).
    """
    a, b, c = (points[faces[:, k]] for k in range(3))
    normal = cross(b - a, c - a)
    length = np.sqrt(dot(normal, normal))
    # adding zero takes the sign off a zero
    x, y, z = (normal / length[:, None] + 0.0).T
    azimuth, polar = np.arctan2(y, x) / ANGLE, np.arccos(np.clip(z, -1, 1)) / ANGLE
    unsure = np.abs(np.abs(azimuth) % 1 - 0.5) < HALF
    unsure |= np.abs(polar % 1 - 0.5) < HALF
    for k in np.flatnonzero(unsure):
        azimuth[k], polar[k] = atan2(y[k], x[k]) / ANGLE, acos(z[k]) / ANGLE
    angles = np.stack([_round(azimuth), _round(polar)], axis=1)
    pole = np.abs(z) > 1.0 - POLE
    angles[pole] = 0.0
    angles[pole & (z < 0), 1] = floor(pi / ANGLE + 0.5)
    return ~(length < MINVAL), angles


def _round(x: np.ndarray) -> np.ndarray:
    """Nearest whole numbers, halves away from zero."""
    whole = np.floor(np.abs(x))
    return np.copysign(whole + (np.abs(x) - whole >= 0.5), x) + 0.0


def _hashes(directions: np.ndarray) -> np.ndarray:
    """The bits of two numbers, combined by exclusive or, (n,) uint64."""
    bits = directions.view(np.uint64)
    return bits[:, 0] ^ bits[:, 1]


def _paths(faces: list) -> list[list[int]]:
    """Outlines of several triangles of one direction."""
    side = _Side(faces[0])
    for face in faces[1:]:
        side.insert(face)
    return [path for path in side.paths() if len(path) > 2]


class _Side:
    """Outline of triangles of one direction, which may lie in several islands.

    Attributes:
        edges: island of each edge of the outline, in the order in which they came.
        count: islands.
    """

    def __init__(self, face: list[int]):
        a, b, c = face
        self.edges = {(a, b): 0, (b, c): 0, (c, a): 0}
        self.count = 1

    def insert(self, face: list[int]) -> None:
        """Add a triangle: edges that it shares with the outline vanish, the others join it."""
        a, b, c = face
        island, new = -1, []
        for start, end in ((a, b), (b, c), (c, a)):
            other = self.edges.get((end, start))
            if other is None:
                new.append((start, end))
                continue
            if island == -1:
                island = other
            elif other != island:
                island = self._join(island, other)
            del self.edges[end, start]
        if island == -1:
            island = self.count
            self.count += 1
        for edge in new:
            self.edges[edge] = island

    def _join(self, one: int, other: int) -> int:
        """Make two islands one, which has the smaller number; later ones move up."""
        low, high = min(one, other), max(one, other)
        for edge, k in self.edges.items():
            self.edges[edge] = low if k == high else k - (k > high)
        self.count -= 1
        return low

    def paths(self) -> list[list[int]]:
        """Vertices along the outline of each island."""
        if len(self.edges) == 3:
            return [[start for start, _ in self.edges]]
        islands: list[list] = [[] for _ in range(self.count)]
        for edge, k in self.edges.items():
            islands[k].append(edge)
        very_first = next(iter(self.edges), None)
        paths = [_walk(edges, very_first) for edges in islands if edges]
        return [path for path in paths if path]


def _walk(edges: list, skipped: tuple | None) -> list[int]:
    """Vertices from the first edge on until the start comes again; empty where it does not."""
    after: dict[int, int] = {}
    for start, end in edges:
        if (start, end) != skipped:
            after.setdefault(start, end)
    path = list(edges[0])
    for _ in edges:
        end = after.get(path[-1])
        if end == path[0]:
            return path
        if end is None:
            break
        path.append(end)
    return []


def _table_order(hashes: np.ndarray) -> list[int]:
    """Order in which libc++'s `std::unordered_map` shows entries that were added one by one.

    All entries hang in one list, those of a bucket behind each other. A new entry becomes the first
    of its bucket; a bucket that was empty comes first in the list.
    """
    after = [-1] * (len(hashes) + 1)  # the next entry; the last place is for the head, -1
    before: list[int] = []  # the entry before the first of each bucket
    place: list[int] = []  # the bucket of each entry
    for entry in range(len(hashes)):
        if entry + 1 > len(before):
            before, place = _grown(hashes, after, len(before), entry + 1)
        bucket = place[entry]
        last = before[bucket]
        if last == EMPTY:
            before[bucket] = -1
            first = after[entry] = after[-1]
            after[-1] = entry
            if first != -1:
                before[place[first]] = entry
        else:
            after[entry], after[last] = after[last], entry
    order = []
    entry = after[-1]
    while entry != -1:
        order.append(entry)
        entry = after[entry]
    return order


def _grown(
    hashes: np.ndarray, after: list[int], count: int, least: int
) -> tuple[list[int], list[int]]:
    """More buckets, twice as many or the next prime number; entries of a bucket come together.

    Returns:
        The entry before the first of each bucket, and the bucket of each entry until more are made.
    """
    # the growth of std::unordered_map of the library that MuJoCo is built with: its order of
    # iteration is the order of polygons
    power = count > 2 and not count & (count - 1)
    size = max(2 * count + (not power), least)
    size = 2 if size == 1 else size
    if size & (size - 1):
        while not _is_prime(size):
            size += 1
    # entries are linked in one list; those of a bucket follow one another
    before = [EMPTY] * size
    buckets: list[int] = (hashes[: size + 1] % np.uint64(size)).tolist()
    entry = after[-1]
    if entry == -1:
        return before, buckets
    last = buckets[entry]
    before[last] = -1
    # the list is walked once, and each entry goes behind the last of its new bucket
    behind, entry = entry, after[entry]
    while entry != -1:
        place = buckets[entry]
        if place == last:
            behind = entry
        elif before[place] == EMPTY:
            before[place], behind, last = behind, entry, place
        else:
            after[behind] = after[entry]
            after[entry], after[before[place]] = after[before[place]], entry
        entry = after[behind]
    return before, buckets


def _is_prime(n: int) -> bool:
    return n > 1 and all(n % k for k in range(2, int(n**0.5) + 1))
