"""Builtin meshes: spheres, cones, superellipsoids, supertori, and the patches of touch sensors.

Vertices and triangles come in MuJoCo's order and with its rounding.
"""

from itertools import pairwise
from math import copysign, cos, inf, isfinite, pi, prod, sin
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..geometry.pose import cross, normalize
from .raw_mesh import RawMesh

if TYPE_CHECKING:
    from ..draft.draft import Part
    from ..text.element import Element

LARGEST = 1 << 18  # vertices of a mesh
# vertices and triangles of an icosahedron
GOLDEN = np.float32((1.0 + 5.0**0.5) / 2.0)
ICOSAHEDRON = [
    (-1, GOLDEN, 0), (1, GOLDEN, 0), (-1, -GOLDEN, 0), (1, -GOLDEN, 0), (0, -1, GOLDEN),
    (0, 1, GOLDEN), (0, -1, -GOLDEN), (0, 1, -GOLDEN), (GOLDEN, 0, -1), (GOLDEN, 0, 1),
    (-GOLDEN, 0, -1), (-GOLDEN, 0, 1),
]  # fmt: skip
SIDES = [
    (0, 11, 5), (0, 5, 1), (0, 1, 7), (0, 7, 10), (0, 10, 11), (1, 5, 9), (5, 11, 4), (11, 10, 2),
    (10, 7, 6), (7, 1, 8), (3, 9, 4), (3, 4, 2), (3, 2, 6), (3, 6, 8), (3, 8, 9), (4, 9, 5),
    (2, 4, 11), (6, 2, 10), (8, 6, 7), (9, 8, 1),
]  # fmt: skip


class Parameter(NamedTuple):
    """One of the numbers in `params`.

    Attributes:
        name: what it says.
        whole: whether decimals are cut off.
        low, high: what it may be.
        above: whether `low` itself is too low.
    """

    name: str
    whole: bool
    low: float
    high: float = inf
    above: bool = False


def shape_mesh(part: "Part", inline: RawMesh) -> RawMesh:
    """Data of a mesh with the attribute `builtin`.

    Args:
        part: the mesh; a plate makes its inertia that of a shell.
        inline: what its attributes say, kept where the shape has nothing of the kind.

    Raises:
        MjcfError: wrong parameters, or vertices of a file or attribute beside them.
    """
    # one source of vertices only
    name, element = part["builtin"], part.element
    for other, found in (("file", "file" in part.values), ("vertex", len(inline.vertices))):
        if found:
            raise element.error(f"builtin and {other}: expected one of them, found both")
    if name not in SHAPES:
        raise element.error(f"builtin='{name}': expected one of {', '.join(SHAPES)}")
    # parameters by the table of shapes
    make, parameters = SHAPES[name]
    given = part.values.get("params") or ()
    if len(given) != len(parameters):
        raise element.error(
            f"params: expected {', '.join(p.name for p in parameters)}, found {len(given)} numbers"
        )
    numbers = [_checked(element, p, x) for p, x in zip(parameters, given, strict=True)]
    size = prod(x for p, x in zip(parameters, numbers, strict=True) if p.whole)
    if size ** (2 if name.startswith("super") else 1) > LARGEST:
        raise element.unsupported(f"builtin='{name}' with more than {LARGEST} vertices")
    # single precision, as in the arrays of the model
    vertices, faces, normals = make(*numbers)
    vertices = np.asarray(vertices).astype(np.float32).reshape(-1, 3)
    if not np.isfinite(vertices).all():
        raise element.error("params: expected numbers that make finite vertices")
    # what the shape does not have (texture coordinates, normals) is taken from the attributes
    if name == "plate":
        part.values["inertia"] = "shell"
    mesh = inline._replace(vertices=vertices)
    if len(faces):
        mesh = mesh._replace(faces=np.asarray(faces, np.int32).reshape(-1, 3))
    if len(normals):
        mesh = mesh._replace(normals=np.asarray(normals).astype(np.float32).reshape(-1, 3))
    return mesh


def _checked(element: "Element", parameter: Parameter, value: float) -> float:
    """A parameter without its decimals, where they say nothing."""
    name, whole, low, high, above = parameter
    if whole and isfinite(value):
        value = int(value)
    if low <= value <= high and not (above and value == low):
        return value
    if low == -inf and not whole:
        return value
    bounds = [f"more than {low:g}" if above else f"at least {low:g}"]
    bounds += [f"at most {high:g}"] * (high < inf)
    raise element.error(
        f"params: {name}: expected a number of {' and '.join(bounds)}, found {value:g}"
    )


def _hemisphere(rows: int) -> tuple:
    """Octahedron's upper half, each side cut into rows, pushed out to the sphere; with a floor."""
    # rings of points around the pole: ring `row` has 4 * row of them
    pole = np.array([0.0, 0.0, 1.0])
    equator = np.array([[1.0, 0, 0], [0, 1, 0], [-1, 0, 0], [0, -1, 0]])
    vertices = [pole[None]]
    for row in range(1, rows + 2):
        corners = pole + row / (rows + 1) * (equator - pole)
        steps = (np.roll(corners, -1, axis=0) - corners) / row
        points = corners[:, None] + np.arange(row)[:, None] * steps[:, None]
        x, y, z = points.reshape(-1, 3).T
        vertices.append(points.reshape(-1, 3) / np.sqrt(x * x + y * y + z * z)[:, None])
    vertices.append(np.zeros((1, 3)))
    # triangles between a ring and the next one, by quarters
    faces = [(0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 1)]
    for row in range(1, rows + 1):
        here = 2 * row * (row - 1) + 1
        size, below = 4 * row, here + 4 * row
        for side in range(4):
            for i in range(row + 1):
                a, b = i + row * side, i + (row + 1) * side
                a0, a1 = here + a % size, here + (a + 1) % size
                b0, b1 = below + b % (size + 4), below + (b + 1) % (size + 4)
                faces.append((a0, b0, b1))
                if i < row:
                    faces.append((a0, b1, a1))
    # the floor is a fan around its centre
    start, size = 2 * rows * (rows + 1) + 1, 4 * (rows + 1)
    faces += [(start + i, start + size, start + (i + 1) % size) for i in range(size)]
    return np.concatenate(vertices), faces, ()


def _sphere(subdivisions: int) -> tuple:
    """Icosahedron whose triangles are cut into four, again and again; in single precision."""
    # points are rounded after each operation, as MuJoCo's are
    norm = np.sqrt(1.0 + np.float64(GOLDEN * GOLDEN))
    points = [tuple(p) for p in (np.array(ICOSAHEDRON, np.float32) / norm).astype(np.float32)]
    faces = SIDES
    for _ in range(subdivisions):
        middles: dict[tuple, int] = {}

        def middle(a: int, b: int, middles: Any = middles) -> int:
            key = (min(a, b), max(a, b))
            if key not in middles:
                middles[key] = len(points)
                x, y, z = (
                    (p + q) / np.float32(2) for p, q in zip(points[a], points[b], strict=True)
                )
                length = np.sqrt(x * x + y * y + z * z)
                points.append((x / length, y / length, z / length))
            return middles[key]

        # new points are shared by the two triangles of an edge
        cut = []
        for a, b, c in faces:
            ab, bc, ca = middle(a, b), middle(b, c), middle(c, a)
            cut += [(a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca)]
        faces = cut
    return points, faces, ()


def _waves(angles: list[float], power: float) -> tuple[np.ndarray, np.ndarray]:
    """Cosines and sines raised to a power, with their signs."""
    pairs = [[copysign(abs(f(a)) ** power, f(a)) for a in angles] for f in (cos, sin)]
    return np.array(pairs[0]), np.array(pairs[1])


def _rings(count: int, size: int, first: int, closed: bool) -> np.ndarray:
    """Two triangles for each cell between rings of vertices."""
    i, j = np.meshgrid(np.arange(count if closed else count - 1), np.arange(size), indexing="ij")
    above, beside = (i + 1) % count, (j + 1) % size
    a, b = first + i * size + j, first + i * size + beside
    c, d = first + above * size + beside, first + above * size + j
    if closed:
        b, d = d, b
    return np.stack([a, b, d, b, c, d], axis=-1).reshape(-1, 3)


def _supersphere(size: int, e: float, n: float) -> tuple:
    """Superellipsoid: squares to spheres to stars, along and across its axis (A. Barr, 1981)."""
    up, height = _waves([-pi / 2 + i * pi / size for i in range(1, size)], n)
    x, y = _waves([-pi + j * 2 * pi / size for j in range(size)], e)
    rings = np.stack(
        np.broadcast_arrays(up[:, None] * x, up[:, None] * y, height[:, None]), axis=-1
    )
    vertices = np.concatenate([[[0, 0, -1]], rings.reshape(-1, 3), [[0, 0, 1]]])
    j = np.arange(size)
    south = np.stack([0 * j, 1 + (j + 1) % size, 1 + j], axis=-1)
    last = 1 + (size - 2) * size
    north = np.stack([last + j, last + (j + 1) % size, 0 * j + len(vertices) - 1], axis=-1)
    return vertices, np.concatenate([south, _rings(size - 1, size, 1, False), north]), ()


def _supertorus(size: int, radius: float, s: float, t: float) -> tuple:
    """Supertoroid: a superellipse turned around along another one (A. Barr, 1981)."""
    angles = [2 * pi * i / size for i in range(size)]
    x, y = _waves(angles, t)
    out, up = _waves(angles, s)
    out = 1 + radius * out
    vertices = np.stack(
        np.broadcast_arrays(out * x[:, None], out * y[:, None], radius * up), axis=-1
    )
    return vertices, _rings(size, size, 0, True), ()


def _edges(count: int, width: float, gamma: float) -> np.ndarray:
    """Middles of cells over (-width, width), smaller in the middle with a larger gamma."""
    step = 2.0 / count
    edges, x = [], -1.0
    for _ in range(count + 1):
        edges.append((gamma * x**5 + (1 - gamma) * x if gamma else x) * width)
        x += step
    return np.array([0.5 * (b + a) for a, b in pairwise(edges)])


def _wedge(columns: int, rows: int, wide: float, high: float, gamma: float) -> tuple:
    """Part of the unit sphere as seen from its centre, with the axes of each vertex."""
    azimuths = _edges(columns, wide * pi / 180, gamma)
    elevations = _edges(rows, high * pi / 180, gamma)
    vertices, normals = [], []
    for a in azimuths:
        for e in elevations:
            vertices.append((cos(e) * sin(a), sin(e), -cos(e) * cos(a)))
            right = normalize((cos(e) * cos(a), 0.0, cos(e) * sin(a)))[0]
            up = normalize((-sin(e) * sin(a), cos(e), sin(e) * cos(a)))[0]
            normals += [cross(up, right), right, up]
    return vertices, (), normals


def _plate(columns: int, rows: int) -> tuple:
    """Middles of the cells of a square, and triangles between them."""
    x = -1 + (np.arange(columns) + 0.5) * (2.0 / columns)
    y = -1 + (np.arange(rows) + 0.5) * (2.0 / rows)
    vertices = np.stack(np.broadcast_arrays(x[:, None], y, -1.0), axis=-1)
    i, j = np.meshgrid(np.arange(columns - 1), np.arange(rows - 1), indexing="ij")
    a = i * rows + j
    b, c, d = a + rows, a + 1, a + rows + 1
    faces = np.stack([a, b, c, d, c, b], axis=-1)
    return vertices, faces, np.tile(np.eye(3), (columns * rows, 1))


def _cone(edges: int, radius: float) -> tuple:
    """A polygon, and above it another one or a point; its hull is the mesh."""
    turns = [2 * i * pi / edges for i in range(2 * edges)]
    vertices = [(cos(a), sin(a), -1.0) for a in turns[:edges]]
    if radius > 0:
        vertices += [(radius * cos(a), radius * sin(a), 1.0) for a in turns[edges:]]
    else:
        vertices.append((0.0, 0.0, 1.0))
    return vertices, (), ()


# shape: what makes its vertices, triangles and normals, from these parameters
SHAPES = {
    "sphere": (_sphere, [Parameter("subdivision", True, 0, 4)]),
    "hemisphere": (_hemisphere, [Parameter("resolution", True, 0, 10)]),
    "cone": (_cone, [Parameter("nedge", True, 1), Parameter("radius", False, -inf)]),
    "supertorus": (
        _supertorus,
        [
            Parameter("resolution", True, 3),
            Parameter("radius", False, 0, 1, above=True),
            Parameter("s", False, 0, above=True),
            Parameter("t", False, 0, above=True),
        ],
    ),
    "supersphere": (
        _supersphere,
        [Parameter("resolution", True, 3), Parameter("e", False, 0), Parameter("n", False, 0)],
    ),
    "wedge": (
        _wedge,
        [
            Parameter("columns", True, 1),
            Parameter("rows", True, 1),
            Parameter("width", False, 0, 180, above=True),
            Parameter("height", False, 0, 90, above=True),
            Parameter("gamma", False, 0, 1),
        ],
    ),
    "plate": (_plate, [Parameter("columns", True, 1), Parameter("rows", True, 1)]),
}
