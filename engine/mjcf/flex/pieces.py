"""Vertices and elements of a deformable, and those of the shapes that <flexcomp> generates."""

from math import cos, pi, sin
from typing import NamedTuple

import numpy as np

from ..geometry.pose import EPS

# the six tetrahedra of a cube, whose corners go around its bottom and then around its top
CUBE = ((0, 3, 1, 7), (0, 1, 4, 7), (1, 3, 2, 7), (1, 2, 6, 7), (1, 5, 4, 7), (1, 6, 5, 7))
CORNERS = ((0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0, 0, 1), (1, 0, 1), (1, 1, 1), (0, 1, 1))
SQUARE = ((0, 1, 2), (0, 2, 3))
NO_TEXCOORDS = np.zeros((0, 2), np.float32)
NO_ELEMENTS = np.zeros((0, 0), int)


class Pieces(NamedTuple):
    """Vertices and elements of a deformable, with what belongs to them.

    Attributes:
        points: its vertices, (n, 3) (m).
        elements: vertices of each element, (e, dim + 1) int.
        texcoords: texture coordinates, (k, 2) float32, k may be 0.
        element_texcoords: texture coordinates of each element, (e, dim + 1) int, or none.
    """

    points: np.ndarray
    elements: np.ndarray
    texcoords: np.ndarray = NO_TEXCOORDS
    element_texcoords: np.ndarray = NO_ELEMENTS


class Lattice(NamedTuple):
    """Places of vertices along three axes, before they become a shape.

    Attributes:
        count: vertices along each axis.
        spacing: distances between them (m).
    """

    count: tuple[int, int, int]
    spacing: tuple[float, float, float]

    def along(self, axis: int, places: np.ndarray) -> np.ndarray:
        """Coordinates of places along an axis, with the middle at zero (m)."""
        return self.spacing[axis] * (places - 0.5 * (self.count[axis] - 1))

    def half(self) -> np.ndarray:
        """Half sizes (3,) (m)."""
        return np.array([0.5 * s * (n - 1) for s, n in zip(self.spacing, self.count, strict=True)])

    def texcoords(self, x: tuple, y: tuple, precision: type = np.float32) -> np.ndarray:
        """Texture coordinates: places along two axes, from 0 to 1.

        Args:
            x, y: an axis, and places on it.
            precision: in which MuJoCo divides.
        """
        rows = [
            np.asarray(places, precision) / precision(max(self.count[axis] - 1, 1))
            for axis, places in (x, y)
        ]
        return np.stack(rows, axis=1).astype(np.float32)


def generate(kind: str, dim: int, lattice: Lattice, textured: bool) -> Pieces:
    """Vertices and elements of a shape.

    Args:
        kind: type of the <flexcomp>.
        dim: 1 for lines, 2 for triangles, 3 for tetrahedra.
        lattice: how many vertices, and how far apart.
        textured: whether it needs texture coordinates.
    """
    if kind in ("box", "cylinder", "ellipsoid"):
        return _surface(kind, dim, lattice, textured)
    if kind in ("square", "disc") or dim == 2:
        return _sheet(kind, lattice, textured)
    return _line(kind, lattice) if dim == 1 else _block(lattice, textured)


def _line(kind: str, lattice: Lattice) -> Pieces:
    """Vertices along x, or on a circle around z."""
    n, step = lattice.count[0], lattice.spacing[0]
    if kind == "circle":
        n -= 1
        angle = 2 * pi / n if n else 0.0
        radius = step / sin(angle / 2) / 2 if n else 0.0
        rows = [(radius * cos(angle * k), radius * sin(angle * k), 0.0) for k in range(n)]
        ends = [(k, (k + 1) % n) for k in range(n)]
        return Pieces(np.array(rows).reshape(-1, 3), np.array(ends, int).reshape(-1, 2))
    points, first = np.zeros((n, 3)), np.arange(n - 1)
    points[:, 0] = lattice.along(0, np.arange(n))
    return Pieces(points, np.stack([first, first + 1], axis=1))


def _sheet(kind: str, lattice: Lattice, textured: bool) -> Pieces:
    """Vertices in the plane z = 0, each square of them two triangles."""
    nx, ny, nz = lattice.count
    ix, iy = (grid.ravel() for grid in np.indices((nx, ny)))
    points = np.zeros((nx * ny, 3))
    points[:, 0], points[:, 1] = lattice.along(0, ix), lattice.along(1, iy)
    inner = (ix < nx - 1) & (iy < ny - 1)
    around = [nz * (ny * (ix + a) + (iy + b)) for a, b in ((0, 0), (1, 0), (1, 1), (0, 1))]
    corners = np.stack(around, axis=1)[inner]
    chosen = np.array(SQUARE)[None].repeat(len(corners), axis=0)
    if kind == "disc":
        # diagonals point away from the middle
        x, y = points[inner, 0], points[inner, 1]
        turned = ((x < -EPS) & (y > -EPS)) | ((x > -EPS) & (y < -EPS))
        chosen[turned, 0, 2], chosen[turned, 1, 0] = 3, 1
        points[:, :2] = rounded(points[:, :2], lattice.half()[:2])
    elements = np.take_along_axis(corners, chosen.reshape(-1, 6), axis=1).reshape(-1, 3)
    if not textured:
        return Pieces(points, elements)
    return Pieces(points, elements, lattice.texcoords((0, ix), (1, iy), np.float64))


def _block(lattice: Lattice, textured: bool) -> Pieces:
    """Vertices in space, each cube of them six tetrahedra."""
    _, ny, nz = lattice.count
    places = np.indices(lattice.count).reshape(3, -1)
    points = np.stack([lattice.along(k, places[k]) for k in range(3)], axis=1)
    first = np.flatnonzero((places < np.array(lattice.count)[:, None] - 1).all(axis=0))
    corners = np.stack([first + (nz * (ny * a + b) + c) for a, b, c in CORNERS], axis=1)
    elements = corners[:, np.array(CUBE)].reshape(-1, 4)
    if not textured:
        return Pieces(points, elements)
    return Pieces(points, elements, lattice.texcoords((0, places[0]), (1, places[1])))


def _surface(kind: str, dim: int, lattice: Lattice, textured: bool) -> Pieces:
    """Vertices on the sides of a box, made round: tetrahedra that meet in the middle, or triangles.

    A surface of triangles is open at the top. Lines are what MuJoCo makes of them: the corners
    of the triangles of a closed surface, two by two.
    """
    sides = [_side_places(axis, lattice.count, is_open=dim == 2) for axis in (2, 1, 0)]
    places = np.concatenate(sides)
    number = np.zeros(lattice.count, int)
    number[tuple(places.T)] = np.arange(len(places))
    points = _projected(kind, lattice, places)
    elements = np.concatenate([_side(axis, dim, lattice.count, number) for axis in (2, 1, 0)])
    if dim == 3:
        points = np.concatenate([np.zeros((1, 3)), points])
        elements = np.concatenate([np.zeros((len(elements), 1), int), elements + 1], axis=1)
    if dim == 1:
        elements = elements.reshape(-1, 2)
    if not textured:
        return Pieces(points, elements)
    # the middle has texture coordinates also where there is none
    rows = [np.zeros((1, 2), np.float32)]
    for side, (x, y) in zip(sides, ((0, 1), (0, 2), (1, 2)), strict=True):
        rows.append(lattice.texcoords((x, side[:, x]), (y, side[:, y])))
    return Pieces(points, elements, np.concatenate(rows))


def _side_places(axis: int, count: tuple, is_open: bool) -> np.ndarray:
    """Places on the two sides across an axis that are on none of a higher axis, (n, 3).

    Args:
        axis: the axis.
        count: vertices along each axis.
        is_open: whether there is no side at the top.
    """
    ranges = [
        np.array([0, n - 1]) if k == axis else np.arange(1, n - 1) if k > axis else np.arange(n)
        for k, n in enumerate(count)
    ]
    if is_open:
        ranges[2] = np.array([0]) if axis == 2 else np.arange(1, count[2])
    order = [axis, *(k for k in range(3) if k != axis)]
    grid = np.meshgrid(*(ranges[k] for k in order), indexing="ij")
    places = np.empty((grid[0].size, 3), int)
    for k, column in zip(order, grid, strict=True):
        places[:, k] = column.ravel()
    return places


def _projected(kind: str, lattice: Lattice, places: np.ndarray) -> np.ndarray:
    """Points of a box, cylinder or ellipsoid, (n, 3) (m)."""
    points = 2.0 * places / (np.array(lattice.count) - 1) - 1
    if kind == "cylinder":
        points[:, :2] = rounded(points[:, :2], lattice.half()[:2])
        points[:, 2] *= lattice.half()[2]
        return points
    return (_unit(points) if kind == "ellipsoid" else points) * lattice.half()


def rounded(points: np.ndarray, half: np.ndarray) -> np.ndarray:
    """Squares around the middle to ellipses of these half sizes, (n, 2)."""
    farthest = np.maximum(np.abs(points[:, 0]), np.abs(points[:, 1]))
    return _unit(points) * (half * farthest[:, None])


# triangles on a side: for each end of its axis, steps from a place to the corners of both
SIDES = {
    2: (
        (((0, 0, 0), (1, 1, 0), (1, 0, 0)), ((0, 0, 0), (0, 1, 0), (1, 1, 0))),
        (((0, 0, 0), (1, 0, 0), (1, 1, 0)), ((0, 0, 0), (1, 1, 0), (0, 1, 0))),
    ),
    1: (
        (((0, 0, 0), (1, 0, 0), (1, 0, 1)), ((0, 0, 0), (1, 0, 1), (0, 0, 1))),
        (((1, 0, 0), (0, 0, 0), (0, 0, 1)), ((1, 0, 0), (0, 0, 1), (1, 0, 1))),
    ),
    0: (
        (((0, 1, 0), (0, 0, 0), (0, 0, 1)), ((0, 1, 0), (0, 0, 1), (0, 1, 1))),
        (((0, 0, 0), (0, 1, 0), (0, 1, 1)), ((0, 0, 0), (0, 1, 1), (0, 0, 1))),
    ),
}
# the same under tetrahedra, at both ends
BASES = {
    2: (((0, 0, 0), (1, 0, 0), (1, 1, 0)), ((0, 0, 0), (0, 1, 0), (1, 1, 0))),
    1: (((0, 0, 0), (1, 0, 0), (1, 0, 1)), ((0, 0, 0), (0, 0, 1), (1, 0, 1))),
    0: (((0, 0, 0), (0, 1, 0), (0, 1, 1)), ((0, 0, 0), (0, 0, 1), (0, 1, 1))),
}


def _side(axis: int, dim: int, count: tuple, number: np.ndarray) -> np.ndarray:
    """Triangles on both sides across an axis, (e, 3).

    Args:
        axis: the axis.
        dim: 2: triangles; 3: those under tetrahedra.
        count: vertices along each axis.
        number: the vertex at each place, of this shape.
    """
    triangles = []
    for end in (0,) if dim == 2 and axis == 2 else (0, 1):
        steps = np.array(BASES[axis] if dim == 3 else SIDES[axis][end])
        ranges = [range(n - 1) for n in count]
        ranges[axis] = range((count[axis] - 1) * end, (count[axis] - 1) * end + 1)
        places = np.stack(np.meshgrid(*ranges, indexing="ij"), axis=-1).reshape(-1, 1, 1, 3)
        corners = places + steps
        triangles.append(number[tuple(np.moveaxis(corners, -1, 0))].reshape(-1, 3))
    return np.concatenate(triangles)


def _unit(rows: np.ndarray) -> np.ndarray:
    """Rows of length 1; very short ones stay what they are."""
    square = np.zeros(len(rows))
    for column in rows.T:
        square = square + column * column
    length = np.sqrt(square)
    kept = (square < EPS) | (np.abs(length - 1) <= EPS)
    return rows / np.where(kept, 1.0, length)[:, None]
