"""Vectors, quaternions and poses as tuples of floats.

For a few dozen elements this is faster than numpy. A pose is a position and a unit quaternion
(w, x, y, z) that maps the inner frame to the outer one.
"""

from collections.abc import Iterable
from math import atan2, cos, isfinite, nan, pi, sin, sqrt

EPS = 1e-14  # below this a length counts as zero, as in MuJoCo's compiler
IDENTITY = (1.0, 0.0, 0.0, 0.0)
ZERO = (0.0, 0.0, 0.0)


def total_of(values: Iterable[float]) -> float:
    """Sum of numbers, one after the other: `sum` rounds otherwise from Python 3.12 on."""
    total = 0.0
    for value in values:
        total += value
    return total


def normalize(v: tuple) -> tuple[tuple, float]:
    """Unit vector and length; a vector of length zero stays, one of length 1 is not touched."""
    square = 0.0
    for x in v:  # `sum` rounds in another way from Python 3.12 on
        square += x * x
    if square < EPS:
        return tuple(v), 0.0
    length = sqrt(square)
    if abs(length - 1) > EPS:
        v = tuple(x / length for x in v)
    return tuple(v), length


def add(a: tuple, b: tuple) -> tuple:
    """Sum of two vectors."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


def sub(a: tuple, b: tuple) -> tuple:
    """Difference of two vectors."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


def dot(a: tuple, b: tuple) -> float:
    """Inner product of two vectors."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def cross(a: tuple, b: tuple) -> tuple:
    """Vector product."""
    return (
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    )


def multiply(a: tuple, b: tuple) -> tuple:
    """Product of two unit quaternions, normalized."""
    product = (
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )
    return normalize(product)[0]


def conjugate(q: tuple) -> tuple:
    """Quaternion of the inverse rotation."""
    return (q[0], -q[1], -q[2], -q[3])


def matrix(q: tuple) -> tuple:
    """Rotation matrix of a quaternion, nine numbers by rows."""
    if q == IDENTITY:
        return (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
    w, x, y, z = q
    ww, xx, yy, zz = w * w, x * x, y * y, z * z
    return (
        ww + xx - yy - zz, 2 * (x * y - w * z), 2 * (x * z + w * y),
        2 * (x * y + w * z), ww - xx + yy - zz, 2 * (y * z - w * x),
        2 * (x * z - w * y), 2 * (y * z + w * x), ww - xx - yy + zz,
    )  # fmt: skip


def apply(m: tuple, v: tuple) -> tuple:
    """Matrix times vector."""
    return (
        m[0] * v[0] + m[1] * v[1] + m[2] * v[2],
        m[3] * v[0] + m[4] * v[1] + m[5] * v[2],
        m[6] * v[0] + m[7] * v[1] + m[8] * v[2],
    )


def rotate(v: tuple, q: tuple) -> tuple:
    """Vector rotated by a quaternion."""
    if q == IDENTITY:
        return tuple(v)
    w, x, y, z = q
    a, b, c = v
    # w v + q x v, in MuJoCo's order of operations, so that ties fall alike
    t = (w * a + y * c - z * b, w * b + z * a - x * c, w * c + x * b - y * a)
    d, e, f = cross((x, y, z), t)
    return (a + 2 * d, b + 2 * e, c + 2 * f)


def compose(outer: tuple, inner: tuple) -> tuple:
    """Pose of an inner frame, given in the outer one, in the frame around that."""
    (pos, quat), (p, q) = outer, inner
    return add(pos, apply(matrix(quat), p)), multiply(quat, q)


def invert(pose: tuple) -> tuple:
    """Pose of the outer frame in the inner one."""
    pos, quat = pose
    inverse = conjugate(quat)
    x, y, z = apply(matrix(inverse), pos)
    return (-x, -y, -z), inverse


def from_z(z: tuple) -> tuple:
    """Smallest rotation that turns (0, 0, 1) to a direction."""
    axis, s = normalize(cross((0.0, 0.0, 1.0), z))
    if s < 1e-10:
        axis = (1.0, 0.0, 0.0)
    half = atan2(s, z[2]) / 2
    return (cos(half), axis[0] * sin(half), axis[1] * sin(half), axis[2] * sin(half))


def from_axes(x: tuple, y: tuple, z: tuple) -> tuple:
    """Quaternion of a matrix with these columns, from its largest component (Shepperd)."""
    if x[0] + y[1] + z[2] > 0:
        w = 0.5 * sqrt(1 + x[0] + y[1] + z[2])
        q = (w, 0.25 * (y[2] - z[1]) / w, 0.25 * (z[0] - x[2]) / w, 0.25 * (x[1] - y[0]) / w)
    elif x[0] > y[1] and x[0] > z[2]:
        a = 0.5 * sqrt(1 + x[0] - y[1] - z[2])
        q = (0.25 * (y[2] - z[1]) / a, a, 0.25 * (y[0] + x[1]) / a, 0.25 * (z[0] + x[2]) / a)
    elif y[1] > z[2]:
        b = 0.5 * sqrt(1 - x[0] + y[1] - z[2])
        q = (0.25 * (z[0] - x[2]) / b, 0.25 * (y[0] + x[1]) / b, b, 0.25 * (z[1] + y[2]) / b)
    else:
        c = 0.5 * sqrt(1 - x[0] - y[1] + z[2])
        q = (0.25 * (x[1] - y[0]) / c, 0.25 * (z[0] + x[2]) / c, 0.25 * (z[1] + y[2]) / c, c)
    return normalize(q)[0]


def half_turn(angle: float) -> tuple[float, float]:
    """Cosine and sine of half an angle; of an infinite one, no numbers."""
    return (cos(angle / 2), sin(angle / 2)) if isfinite(angle) else (nan, nan)


def from_euler(angles: tuple, sequence: str) -> tuple:
    """Three rotations in a row, about moving axes (lower case letters) or fixed ones."""
    quat = IDENTITY
    for angle, letter in zip(angles, sequence, strict=True):
        c, s = half_turn(angle)
        turn = [c, 0.0, 0.0, 0.0]
        turn["xyz".index(letter.lower()) + 1] = s
        quat = multiply(quat, tuple(turn)) if letter.islower() else multiply(tuple(turn), quat)
    return normalize(quat)[0]


def radians(angle: float, degree: bool) -> float:
    """Angle in radians, of one in degrees or radians."""
    return angle / 180.0 * pi if degree else angle
