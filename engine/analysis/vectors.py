"""Small vector algebra over worlds, and arguments with a world axis.

Sums are written out, so that the bits of a world do not depend on how many there are.
"""

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ..arguments import reals

if TYPE_CHECKING:
    from ..data.data import Data


def rows_of(data: "Data", value: ArrayLike, where: str, name: str, *shape: int) -> np.ndarray:
    """An argument of one shape for all worlds, or with a leading world axis: (nworld, *shape).

    Raises:
        ValueError: the shape is another one.
    """
    array = reals(value, where, name)
    if array.shape not in (shape, (data.nworld, *shape)):
        many = ", ".join(str(n) for n in (data.nworld, *shape))
        one = ", ".join(str(n) for n in shape) + ("," if len(shape) == 1 else "")
        raise ValueError(f"{where}: {name} has shape {array.shape}, expected ({one}) or ({many})")
    return np.broadcast_to(array, (data.nworld, *shape))


def cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Vector product along the last axis."""
    x = a[..., 1] * b[..., 2] - a[..., 2] * b[..., 1]
    y = a[..., 2] * b[..., 0] - a[..., 0] * b[..., 2]
    z = a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]
    return np.stack([x, y, z], axis=-1)


def matrices(rows: np.ndarray) -> np.ndarray:
    """Row-major 3x3 matrices: (..., 9) to (..., 3, 3)."""
    return rows.reshape(*rows.shape[:-1], 3, 3)


def turn(mat: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Matrix times vector: (..., 3, 3) and (..., 3)."""
    v = v[..., None, :]
    return mat[..., 0] * v[..., 0] + mat[..., 1] * v[..., 1] + mat[..., 2] * v[..., 2]


def turn_back(mat: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Transposed matrix times vector: (..., 3, 3) and (..., 3)."""
    v = v[..., None]
    return (
        mat[..., 0, :] * v[..., 0, :]
        + mat[..., 1, :] * v[..., 1, :]
        + mat[..., 2, :] * v[..., 2, :]
    )


def moved(spatial: np.ndarray, to: np.ndarray, origin: np.ndarray) -> np.ndarray:
    """A motion vector (..., 6) about `origin`, about another point `to`: (..., 3) both."""
    rot, lin = spatial[..., :3], spatial[..., 3:]
    return np.concatenate([rot, lin - cross(to - origin, rot)], axis=-1)


def mul_quat(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Product of quaternions (..., 4): the rotation b, then a."""
    a, b = np.moveaxis(a, -1, 0), np.moveaxis(b, -1, 0)
    return np.stack(
        [
            a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
            a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
            a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
            a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
        ],
        axis=-1,
    )


def quat_mat(q: np.ndarray) -> np.ndarray:
    """Rotation matrices of unit quaternions: (..., 4) to (..., 3, 3)."""
    w, x, y, z = np.moveaxis(q, -1, 0)
    rows = [
        w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y),
        2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x),
        2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z,
    ]  # fmt: skip
    return matrices(np.stack(rows, axis=-1))


def rotation_vector(q: np.ndarray) -> np.ndarray:
    """Rotation vectors (rad) of unit quaternions, of at most half a turn: (..., 4) to (..., 3)."""
    axis, sine = unit(q[..., 1:])
    angle = 2 * np.arctan2(sine, np.array(q[..., 0], order="C"))
    angle = np.where(angle > np.pi, angle - 2 * np.pi, angle)
    return axis * angle[..., None]


def rotation_quat(v: np.ndarray) -> np.ndarray:
    """Quaternions of rotation vectors (rad): (..., 3) to (..., 4)."""
    axis, angle = unit(v)
    half = 0.5 * angle
    return np.concatenate([np.cos(half)[..., None], axis * np.sin(half)[..., None]], axis=-1)


def unit(v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Unit vectors along the last axis and their lengths; (1, 0, ...) for lengths below 1e-15."""
    square = v[..., 0] * v[..., 0]
    for k in range(1, v.shape[-1]):
        square = square + v[..., k] * v[..., k]
    length = np.sqrt(square)
    short = length < 1e-15
    first = np.zeros(v.shape[-1])
    first[0] = 1
    return np.where(short[..., None], first, v / np.where(short, 1, length)[..., None]), length
