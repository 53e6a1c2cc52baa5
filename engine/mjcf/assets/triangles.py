"""Triangles and vectors in arrays, in the order of MuJoCo's operations, so that rounding agrees."""

import numpy as np

from ...tables.enums import MINVAL


def cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Vector products, row by row."""
    after, before = [1, 2, 0], [2, 0, 1]
    return a[..., after] * b[..., before] - a[..., before] * b[..., after]


def dot(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Inner products, row by row."""
    return a[..., 0] * b[..., 0] + a[..., 1] * b[..., 1] + a[..., 2] * b[..., 2]


def apply(matrix: tuple, v: np.ndarray) -> np.ndarray:
    """Matrix of nine numbers times each row."""
    x, y, z = v[:, 0], v[:, 1], v[:, 2]
    rows = (matrix[k] * x + matrix[k + 1] * y + matrix[k + 2] * z for k in (0, 3, 6))
    return np.stack(list(rows), axis=1)


def total(values: np.ndarray) -> np.ndarray:
    """Sum of rows, one after the other."""
    return np.cumsum(values, axis=0)[-1]


def measure(points: np.ndarray, faces: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Areas (m^2), unit normals and centres of triangles.

    Args:
        points: (n, 3).
        faces: (f, 3).
    """
    a, b, c = (points[faces[:, k]] for k in range(3))
    normals = cross(b - a, c - a)
    length = np.sqrt(dot(normals, normals))
    flat = length < MINVAL
    normals[~flat] /= length[~flat, None]
    return np.where(flat, 0.0, 0.5 * length), normals, (a + b + c) / 3
