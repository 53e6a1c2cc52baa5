"""Normals of meshes, in float32 with MuJoCo's rounding."""

import numpy as np

from ...simd.record import Layout
from ..geometry.pose import EPS
from .compiled import pays, run
from .triangles import MINVAL, apply, cross, dot

LAYOUT = Layout(
    "sums of normals",
    [
        ("nface", "size"), ("sharp", "size"), ("point", "f8", True, False), ("face", "i4"),
        ("mean", "f8", True, False), ("total", "f4", True, False),
    ],
)  # fmt: skip
SMOOTH = 0.8  # faces whose normal has a smaller cosine with that of the vertex make an edge


def smooth(points: np.ndarray, faces: np.ndarray, everywhere: bool) -> np.ndarray:
    """Normals of vertices: of the faces around them, weighted by area.

    Args:
        points: (n, 3) float64.
        faces: (f, 3).
        everywhere: faces at large angles count too.
    """
    normals = _sums(points, faces)
    if not everywhere:
        normals = normals - _sums(points, faces, _unit(normals.astype(float))[0])
    length = np.sqrt(dot(normals, normals))
    return _divided(normals, length > MINVAL, length)


def _sums(points: np.ndarray, faces: np.ndarray, mean: np.ndarray | None = None) -> np.ndarray:
    """Sums of the normals of the faces around vertices, rounded to float32 after each face.

    Args:
        points: (n, 3) float64.
        faces: (f, 3).
        mean: normals of vertices (n, 3): only faces at large angles to them count.
    """
    from .triangle_kernels import add_normals

    sums = np.zeros((len(points), 3), np.float32)
    if pays(add_normals, LAYOUT, len(faces)):
        run(
            add_normals, LAYOUT, nface=len(faces), sharp=int(mean is not None), point=points,
            face=faces.astype(np.int32), mean=points if mean is None else mean, total=sums,
        )  # fmt: skip
        return sums
    a, b, c = (points[faces[:, k]] for k in range(3))
    unit, area = _unit(cross(b - a, c - a))
    vectors, owners = np.repeat(unit * area[:, None], 3, axis=0), faces.ravel()
    if mean is not None:
        cosines = [dot(unit, mean[faces[:, k]]) for k in range(3)]
        sharp = np.stack(cosines, axis=1).ravel() < SMOOTH
        vectors, owners = vectors[sharp], owners[sharp]
    order = np.argsort(owners, kind="stable")
    number = np.bincount(owners, minlength=len(points))
    start = np.cumsum(number) - number
    # the k-th vector of all owners that have so many
    for k in range(int(number.max(initial=0))):
        some = np.flatnonzero(number > k)
        sums[some] += vectors[order[start[some] + k]]
    return sums


def scaled(normals: np.ndarray, turn: tuple | None, scale: tuple) -> np.ndarray:
    """Normals turned by a matrix, scaled and made unit vectors."""
    if turn is not None:
        normals = turned(normals, turn)
    if tuple(scale) != (1.0, 1.0, 1.0):
        normals = (normals * np.array(scale)).astype(np.float32)
    square = dot(normals, normals)
    factor = np.float32(1) / np.sqrt(square)
    unit = normals * factor[:, None]
    unit[~(square > MINVAL)] = (0, 0, 1)
    return unit


def turned(normals: np.ndarray, turn: tuple) -> np.ndarray:
    """Normals turned by a matrix of nine numbers."""
    return apply(turn, normals.astype(float)).astype(np.float32)


def _unit(v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Unit vectors and lengths of float64 rows; rows that are zero or of length 1 stay."""
    square = dot(v, v)
    length = np.where(square < EPS, 0.0, np.sqrt(square))
    other = (square >= EPS) & (np.abs(length - 1) > EPS)
    return np.where(other[:, None], v / np.where(other, length, 1.0)[:, None], v), length


def _divided(v: np.ndarray, large: np.ndarray, length: np.ndarray) -> np.ndarray:
    """Rows over their length; (0, 0, 1) where it is not large."""
    unit = v / np.where(large, length, np.float32(1))[:, None]
    unit[~large] = (0, 0, 1)
    return unit
