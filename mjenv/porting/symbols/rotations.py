"""SciPy's rotations of values: the class Rotation, in the place of which this stands.

A rotation is a quaternion x y z w of length 1. The formulas are those of SciPy's documentation and
of the papers that it names; its results are met but for rounding.
"""

from typing import Any

import numpy as np

from mjenv.porting.symbols.composed_functions import array
from mjenv.porting.symbols.symbol import has_symbols
from mjenv.tracing.arrays import TraceError

_SMALL = 1e-3  # angle below which series stand for quotients
_LOCKED = 1e-7  # distance of the second Euler angle from where the others are not determined


class Rotation:
    """In the place of SciPy's class: rotations of values are `Rotated`, all others SciPy's own."""

    def __init__(self, real: Any):
        self._real = real

    def __instancecheck__(self, value: Any) -> bool:
        return isinstance(value, Rotated | self._real)

    def __call__(self, *args: Any, **options: Any) -> Any:
        return self.from_quat(*args, **options)

    def __getattr__(self, name: str) -> Any:
        real, made = getattr(self._real, name), _MAKERS.get(name)

        def call(*args: Any, **options: Any) -> Any:
            if not has_symbols([*args, options]):
                return real(*args, **options)
            if made is None:
                raise TraceError(f"found Rotation.{name} of values, which cannot be traced")
            return made(*args, **options)

        return call


class Rotated:
    """A rotation of values.

    Attributes:
        quat: (..., 4), x y z w.
    """

    def __init__(self, quat: Any):
        self.quat = quat

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise TraceError(f"found .{name} of a rotation of values, which cannot be traced")

    def __len__(self) -> int:
        if len(self.quat.shape) < 2:
            raise TypeError("Single rotation has no len().")
        return int(self.quat.shape[0])

    def __getitem__(self, index: Any) -> "Rotated":
        return Rotated(self.quat[index])

    # as numbers

    def as_quat(self, canonical: bool = False, *, scalar_first: bool = False) -> Any:
        """Quaternions (..., 4), of which the canonical one has a positive w."""
        q = self.quat
        if canonical:
            q = q * np.where(q[..., 3:] < 0.0, -1.0, 1.0)
        return np.concatenate([q[..., 3:], q[..., :3]], axis=-1) if scalar_first else q.copy()

    def as_matrix(self) -> Any:
        """Matrices (..., 3, 3)."""
        x, y, z, w = (self.quat[..., k] for k in range(4))
        xx, yy, zz, ww = x * x, y * y, z * z, w * w
        xy, zw, xz, yw, yz, xw = x * y, z * w, x * z, y * w, y * z, x * w
        rows = (
            (xx - yy - zz + ww, 2.0 * (xy - zw), 2.0 * (xz + yw)),
            (2.0 * (xy + zw), -xx + yy - zz + ww, 2.0 * (yz - xw)),
            (2.0 * (xz - yw), 2.0 * (yz + xw), -xx - yy + zz + ww),
        )
        return np.stack([np.stack([*row], axis=-1) for row in rows], axis=-2)

    def as_rotvec(self, degrees: bool = False) -> Any:
        """Vectors (..., 3) along the axis, as long as the angle."""
        q = self.as_quat(canonical=True)
        sine = _norm(q[..., :3])
        angle = 2.0 * np.arctan2(sine, q[..., 3:])
        square = angle * angle
        series = 2.0 + square / 12.0 + 7.0 * square * square / 2880.0
        small = angle <= _SMALL
        scale = np.where(small, series, angle / np.sin(np.where(small, 1.0, angle) / 2.0))
        found = scale * q[..., :3]
        return np.degrees(found) if degrees else found

    def magnitude(self) -> Any:
        """Angles (...)."""
        return (2.0 * np.arctan2(_norm(self.quat[..., :3]), np.abs(self.quat[..., 3:])))[..., 0]

    def as_euler(self, seq: str, degrees: bool = False, *, suppress_warnings: bool = False) -> Any:
        """Angles (..., 3) about three axes, after Bernardes and Viollet (2022).

        Args:
            seq: the axes; capitals: those that turn with the body.
            degrees: whether they are in degrees.
            suppress_warnings: worlds are never warned of.
        """
        # axes in the order in which the body turns about those that stay
        extrinsic, (i, j, k) = _axes(seq, 3)
        first, third = (0, 2) if extrinsic else (2, 0)
        i, k = (i, k) if extrinsic else (k, i)
        symmetric = i == k
        k = 3 - i - j if symmetric else k
        sign = (i - j) * (j - k) * (k - i) // 2
        # half of the sum and of the difference of the outer angles, and the middle one
        q = self.quat
        a, b, c, d = q[..., 3], q[..., i], q[..., j], sign * q[..., k]
        if not symmetric:
            a, b, c, d = a - c, b + d, c + a, d - b
        middle = 2.0 * np.arctan2(np.sqrt(c * c + d * d), np.sqrt(a * a + b * b))
        total, apart = np.arctan2(b, a), np.arctan2(d, c)
        # where the middle one leaves only a sum or a difference, the last angle is 0
        angles: list[Any] = [None] * 3
        low, high = np.abs(middle) <= _LOCKED, np.abs(middle - np.pi) <= _LOCKED
        locked = np.logical_or(low, high)
        one = np.where(low, 2.0 * total, (-2.0 if extrinsic else 2.0) * apart)
        angles[first], angles[third] = total - apart, total + apart
        angles[0] = np.where(locked, one, angles[0])
        angles[2] = np.where(locked, 0.0, angles[2])
        # of three axes, and within half a turn
        if not symmetric:
            angles[third] = sign * angles[third]
            middle = middle - np.pi / 2.0
        angles[1] = middle
        turned = [np.where(x < -np.pi, x + 2.0 * np.pi, x) for x in angles]
        turned = [np.where(x > np.pi, x - 2.0 * np.pi, x) for x in turned]
        found = np.stack(turned, axis=-1)
        return np.degrees(found) if degrees else found

    # of other rotations, and of vectors

    def inv(self) -> "Rotated":
        """The opposite rotation."""
        return Rotated(self.quat * np.array([-1.0, -1.0, -1.0, 1.0]))

    def __mul__(self, other: Any) -> "Rotated":
        return Rotated(_product(self.quat, _quat_of(other)))

    def __rmul__(self, other: Any) -> "Rotated":
        return Rotated(_product(_quat_of(other), self.quat))

    def apply(self, vectors: Any, inverse: bool = False) -> Any:
        """Vectors (..., 3), turned."""
        matrix = self.as_matrix()
        if inverse:
            matrix = np.swapaxes(matrix, -1, -2)
        given = array(vectors)
        x, y, z = (given[..., k : k + 1] for k in range(3))
        return matrix[..., 0] * x + matrix[..., 1] * y + matrix[..., 2] * z


def _norm(x: Any) -> Any:
    return np.sqrt((x * x).sum(axis=-1, keepdims=True))


def _product(p: Any, q: Any) -> Any:
    """Quaternions of one rotation after another."""
    px, py, pz, pw = (p[..., k] for k in range(4))
    qx, qy, qz, qw = (q[..., k] for k in range(4))
    made = (
        pw * qx + qw * px + py * qz - pz * qy,
        pw * qy + qw * py + pz * qx - px * qz,
        pw * qz + qw * pz + px * qy - py * qx,
        pw * qw - px * qx - py * qy - pz * qz,
    )
    return _unit(np.stack([*made], axis=-1))


def _unit(q: Any) -> Any:
    return q / _norm(q)


def _quat_of(rotation: Any) -> Any:
    return rotation.quat if isinstance(rotation, Rotated) else rotation.as_quat()


def _axes(seq: str, most: int) -> tuple[bool, list[int]]:
    """Whether axes stay as they are, and their numbers.

    Raises:
        ValueError: they are none.
    """
    extrinsic = seq == seq.lower()
    if not 1 <= len(seq) <= most or {*seq} - {*("xyz" if extrinsic else "XYZ")}:
        raise ValueError(f"Expected axes from 'xyz' or 'XYZ', got {seq}")
    return extrinsic, ["xyz".index(axis) for axis in seq.lower()]


# ------------------------------------------------------------ from numbers


def _from_quat(quat: Any, *, scalar_first: bool = False) -> Rotated:
    q = array(quat)
    if scalar_first:
        q = np.concatenate([q[..., 1:], q[..., :1]], axis=-1)
    return Rotated(_unit(q))


def _from_rotvec(rotvec: Any, degrees: bool = False) -> Rotated:
    v = array(rotvec)
    v = np.radians(v) if degrees else v
    angle = _norm(v)
    square, small = angle * angle, angle <= _SMALL
    series = 0.5 - square / 48.0 + square * square / 3840.0
    scale = np.where(small, series, np.sin(angle / 2.0) / np.where(small, 1.0, angle))
    return Rotated(np.concatenate([scale * v, np.cos(angle / 2.0)], axis=-1))


def _from_euler(seq: str, angles: Any, degrees: bool = False) -> Rotated:
    extrinsic, axes = _axes(seq, 3)
    given = array(angles)
    given = np.radians(given) if degrees else given
    if len(axes) == 1 and not given.ndim:
        parts = [given]
    elif given.shape[-1] != len(axes):
        raise TraceError(f"found Rotation.from_euler of shape {given.shape} for {seq!r}")
    else:
        parts = [given[..., n] for n in range(len(axes))]
    found: Any = None
    for axis, angle in zip(axes, parts, strict=True):
        zero = angle * 0.0
        quat = [zero, zero, zero, np.cos(angle / 2.0)]
        quat[axis] = np.sin(angle / 2.0)
        one = np.stack(quat, axis=-1)
        if found is None:
            found = one
        else:
            found = _product(one, found) if extrinsic else _product(found, one)
    return Rotated(found)


def _from_matrix(matrix: Any, *, assume_valid: bool = False) -> Rotated:
    """By the largest of the diagonal and its sum, which is divided by."""
    if np.shape(matrix) != (3, 3):
        raise TraceError(f"found Rotation.from_matrix of shape {np.shape(matrix)}")
    m = array(matrix)
    diagonal = [m[0, 0], m[1, 1], m[2, 2]]
    total = diagonal[0] + diagonal[1] + diagonal[2]
    parts = [m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1], 1.0 + total]
    found, largest = np.stack(parts), total
    for i in (2, 1, 0):
        # of equal ones the first counts
        found = np.where(diagonal[i] >= largest, _by_axis(m, i, total), found)
        largest = np.maximum(largest, diagonal[i])
    return Rotated(_unit(found))


def _by_axis(m: Any, i: int, total: Any) -> Any:
    j, k = (i + 1) % 3, (i + 2) % 3
    parts: list[Any] = [None] * 4
    parts[i] = 1.0 - total + 2.0 * m[i, i]
    parts[j], parts[k] = m[j, i] + m[i, j], m[k, i] + m[i, k]
    parts[3] = m[k, j] - m[j, k]
    return np.stack(parts)


_MAKERS = {
    "from_quat": _from_quat, "from_rotvec": _from_rotvec, "from_euler": _from_euler,
    "from_matrix": _from_matrix,
}  # fmt: skip
