"""Flat sides of a convex hull: its triangles of nearly equal normals, joined to polygons.

The order of MuJoCo's polygons is that of a hash table of the C++ library, which is followed here.
"""

import struct
from math import acos, atan2, floor, pi

import numpy as np

from .triangles import MINVAL, cross, dot

ANGLE = 0.01  # directions are rounded to multiples of this (rad)
POLE = 1e-7  # a normal this close to the z axis has no azimuth


def polygons(points: np.ndarray, faces: np.ndarray) -> list[list[int]]:
    """Polygons as lists of vertices.

    Args:
        points: (n, 3).
        faces: triangles of the hull, (f, 3).
    """
    table = _Table()
    for key, face in zip(_directions(points, faces), faces.tolist(), strict=True):
        if key is None:
            continue
        side = table.find(key)
        if side is None:
            table.add(key, _Side(face))
        else:
            side.insert(face)
    return [path for side in table for path in side.paths() if len(path) > 2]


def normals(points: np.ndarray, sides: list[list[int]]) -> np.ndarray:
    """Unit normals of polygons from their first three vertices, (n, 3)."""
    first = np.array([side[:3] for side in sides], int).reshape(-1, 3)
    a, b, c = (points[first[:, k]] for k in range(3))
    normal = cross(b - a, c - a)
    length = np.sqrt(dot(normal, normal))
    normal[length < 1e-14] = (1, 0, 0)
    return normal / length[:, None]


def at_vertices(sides: list[list[int]], count: int) -> list[list[int]]:
    """The polygons around each of `count` vertices."""
    around: list[list[int]] = [[] for _ in range(count)]
    for k, side in enumerate(sides):
        for vertex in side:
            around[vertex].append(k)
    return around


def _directions(points: np.ndarray, faces: np.ndarray) -> list:
    """Rounded azimuth and polar angle of each triangle's normal; None where it has no area."""
    a, b, c = (points[faces[:, k]] for k in range(3))
    normal = cross(b - a, c - a)
    length = np.sqrt(dot(normal, normal))
    keys = []
    unit = normal / length[:, None]
    for (x, y, z), size in zip(unit.tolist(), length.tolist(), strict=True):
        if size < MINVAL:
            keys.append(None)
        elif abs(z) > 1.0 - POLE:
            keys.append((0.0, _round(pi / ANGLE) if z < 0 else 0.0))
        else:
            # adding zero takes the sign off a zero
            keys.append((_round(atan2(y + 0.0, x + 0.0) / ANGLE), _round(acos(z) / ANGLE)))
    return keys


def _round(x: float) -> float:
    """Nearest whole number, halves away from zero."""
    whole = floor(abs(x))
    whole += abs(x) - whole >= 0.5
    return float(-whole if x < 0 else whole)


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


def _walk(edges: list, skipped: tuple) -> list[int]:
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


class _Table:
    """Hash table of sides by direction, in the order of libc++'s `std::unordered_map`.

    All entries hang in one list, those of a bucket behind each other. A new entry becomes the first
    of its bucket; a bucket that was empty comes first in the list.
    """

    def __init__(self):
        self.sides: dict[tuple, _Side] = {}
        self.keys: list[tuple] = []
        self.hashes: list[int] = []
        self.after: list[int] = [-1]  # next entry; the last of this list is for the head
        self.buckets: list[int | None] = []  # the entry before the first of a bucket

    def __iter__(self):
        entry = self.after[-1]
        while entry != -1:
            yield self.sides[self.keys[entry]]
            entry = self.after[entry]

    def find(self, key: tuple) -> _Side | None:
        return self.sides.get(key)

    def add(self, key: tuple, side: _Side) -> None:
        """Add an entry for a key that is not there."""
        entry, count = len(self.keys), len(self.buckets)
        self.sides[key] = side
        self.keys.append(key)
        self.hashes.append(_hash(key[0]) ^ _hash(key[1]))
        self.after.insert(entry, -1)
        if entry + 1 > count:
            power = count > 2 and not count & (count - 1)
            self._grow(max(2 * count + (not power), entry + 1))
        place = self._bucket(entry)
        before = self.buckets[place]
        if before is None:
            self.buckets[place] = -1
            first = self.after[entry] = self.after[-1]
            self.after[-1] = entry
            if first != -1:
                self.buckets[self._bucket(first)] = entry
        else:
            self.after[entry], self.after[before] = self.after[before], entry

    def _bucket(self, entry: int) -> int:
        return self.hashes[entry] % len(self.buckets)

    def _grow(self, least: int) -> None:
        """More buckets: 2, or a prime number, or the power of two that is asked for."""
        size = 2 if least == 1 else least
        if size & (size - 1):
            while not _is_prime(size):
                size += 1
        self.buckets = [None] * size
        before, entry = -1, self.after[-1]
        if len(self.keys) < 2:
            return
        last = self._bucket(entry)
        self.buckets[last] = -1
        before, entry = entry, self.after[entry]
        while entry != -1:
            place = self._bucket(entry)
            first = self.buckets[place]
            if place == last:
                before = entry
            elif first is None:
                self.buckets[place], before, last = before, entry, place
            else:
                # behind the one before the bucket's first
                self.after[before] = self.after[entry]
                self.after[entry], self.after[first] = self.after[first], entry
            entry = self.after[before]


def _hash(x: float) -> int:
    """The bits of a number; 0 for both zeros."""
    return struct.unpack("<Q", struct.pack("<d", x))[0] if x else 0


def _is_prime(n: int) -> bool:
    return n > 1 and all(n % k for k in range(2, int(n**0.5) + 1))
