"""Quaternions (w, x, y, z) and poses as tuples of Python's floats.

For single ones that is faster than numpy: a call costs as much as two arrays do.
"""

from math import atan2, cos, pi, sin, sqrt
from typing import Any

from mjenv.engine.simd import spatial
from mjenv.engine.tables.enums import MINVAL

Row = Any  # a tuple or a list of floats

IDENTITY = (1.0, 0.0, 0.0, 0.0)
multiply, cross, matrix = spatial.mul_quat, spatial.cross, spatial.quat_mat


def dot(a: Row, b: Row) -> float:
    """Scalar product of vectors of three."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def unit(v: Row) -> tuple[Row, float]:
    """Unit vector and length; the x axis where there is no direction."""
    length = sqrt(dot(v, v))
    if length < MINVAL:
        return (1.0, 0.0, 0.0), length
    scale = 1.0 / length
    return (v[0] * scale, v[1] * scale, v[2] * scale), length


def unit_quaternion(q: Row) -> Row:
    """Unit quaternion; what is one but for rounding stays as it is."""
    length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    if length < MINVAL:
        return IDENTITY
    if abs(length - 1.0) <= MINVAL:
        return q
    scale = 1.0 / length
    return (q[0] * scale, q[1] * scale, q[2] * scale, q[3] * scale)


def negate(q: Row) -> Row:
    """The opposite rotation."""
    return (q[0], -q[1], -q[2], -q[3])


def rotate(v: Row, q: Row) -> Row:
    """A vector turned by a quaternion, exactly the same by the identity."""
    if (q[0] == 1.0 and q[1] == q[2] == q[3] == 0.0) or v[0] == v[1] == v[2] == 0.0:
        return v
    return spatial.rotate(v, q)


def times_axis(q: Row, a: Row) -> Row:
    """Product of a quaternion and (0, axis)."""
    return (
        -q[1] * a[0] - q[2] * a[1] - q[3] * a[2],
        q[0] * a[0] + q[2] * a[2] - q[3] * a[1],
        q[0] * a[1] + q[3] * a[0] - q[1] * a[2],
        q[0] * a[2] + q[1] * a[1] - q[2] * a[0],
    )


def about(axis: Row, angle: float) -> Row:
    """Rotation about a unit axis by an angle (rad)."""
    if angle == 0.0:
        return IDENTITY
    s = sin(angle * 0.5)
    return (cos(angle * 0.5), axis[0] * s, axis[1] * s, axis[2] * s)


def velocity(q: Row, dt: float) -> Row:
    """Angular velocity (rad/s) that gives a rotation within a time, by at most half a turn."""
    axis, length = unit((q[1], q[2], q[3]))
    speed = 2.0 * atan2(length, q[0])
    if speed > pi:
        speed -= 2.0 * pi
    speed /= dt
    return (axis[0] * speed, axis[1] * speed, axis[2] * speed)


def of_matrix(m: Row) -> Row:
    """Quaternion of a rotation matrix (9,): by the largest of its components."""
    if m[0] + m[4] + m[8] > 0.0:
        w = 0.5 * sqrt(1.0 + m[0] + m[4] + m[8])
        q = (w, 0.25 * (m[7] - m[5]) / w, 0.25 * (m[2] - m[6]) / w, 0.25 * (m[3] - m[1]) / w)
    elif m[0] > m[4] and m[0] > m[8]:
        x = 0.5 * sqrt(1.0 + m[0] - m[4] - m[8])
        q = (0.25 * (m[7] - m[5]) / x, x, 0.25 * (m[1] + m[3]) / x, 0.25 * (m[2] + m[6]) / x)
    elif m[4] > m[8]:
        y = 0.5 * sqrt(1.0 - m[0] + m[4] - m[8])
        q = (0.25 * (m[2] - m[6]) / y, 0.25 * (m[1] + m[3]) / y, y, 0.25 * (m[5] + m[7]) / y)
    else:
        z = 0.5 * sqrt(1.0 - m[0] - m[4] + m[8])
        q = (0.25 * (m[3] - m[1]) / z, 0.25 * (m[2] + m[6]) / z, 0.25 * (m[5] + m[7]) / z, z)
    return unit_quaternion(q)


def rate(q: Row, w: Row) -> Row:
    """Rate of change of an orientation that turns with an angular velocity, local (rad/s)."""
    return (
        0.5 * (-w[0] * q[1] - w[1] * q[2] - w[2] * q[3]),
        0.5 * (w[0] * q[0] + w[1] * q[3] - w[2] * q[2]),
        0.5 * (-w[0] * q[3] + w[1] * q[0] + w[2] * q[1]),
        0.5 * (w[0] * q[2] - w[1] * q[1] + w[2] * q[0]),
    )


def integrate(q: Row, w: Row, scale: float) -> Row:
    """Orientation after turning with an angular velocity, local (rad/s), for a time (s)."""
    x, y, z = w
    speed = sqrt(x * x + y * y + z * z)
    angle = 0.5 * scale * speed
    s, c = (sin(angle) / speed, cos(angle)) if speed >= MINVAL else (0.0, 1.0)
    x, y, z = x * s, y * s, z * s
    # the product, written out: a call of a function takes as long
    a, b, e, f = unit_quaternion(q)
    return (
        a * c - b * x - e * y - f * z,
        a * x + b * c + e * z - f * y,
        a * y - b * z + e * c + f * x,
        a * z + b * y - e * x + f * c,
    )


def of_euler(angles: Row, seq: str) -> Row:
    """Rotations about three axes in turn (rad): lower case turning along, upper case fixed."""
    w, x, y, z = IDENTITY
    for angle, letter in zip(angles, seq, strict=True):
        half = 0.5 * angle
        w, x, y, z = _ABOUT_AXIS[letter](w, x, y, z, cos(half), sin(half))
    return w, x, y, z


# a quaternion after a turn about one axis, by cosine and sine of half the angle
_ABOUT_AXIS = {
    "x": lambda w, x, y, z, c, s: (w * c - x * s, w * s + x * c, y * c + z * s, z * c - y * s),
    "y": lambda w, x, y, z, c, s: (w * c - y * s, x * c - z * s, w * s + y * c, z * c + x * s),
    "z": lambda w, x, y, z, c, s: (w * c - z * s, x * c + y * s, y * c - x * s, w * s + z * c),
    "X": lambda w, x, y, z, c, s: (w * c - x * s, w * s + x * c, y * c - z * s, z * c + y * s),
    "Y": lambda w, x, y, z, c, s: (w * c - y * s, x * c + z * s, w * s + y * c, z * c - x * s),
    "Z": lambda w, x, y, z, c, s: (w * c - z * s, x * c - y * s, y * c + x * s, w * s + z * c),
}


def from_z_axis(v: Row) -> Row:
    """The shortest rotation of the z axis onto a vector."""
    v, length = unit(v)
    if length < MINVAL:
        return IDENTITY
    axis, sine = unit((-v[1], v[0], 0.0))
    if sine < MINVAL:
        return (0.0, 1.0, 0.0, 0.0) if v[2] < 0.0 else IDENTITY
    return about(axis, atan2(sine, v[2]))


def of_deformation(q: Row, m: Row) -> tuple[Row, int]:
    """The rotation inside a matrix (9,), from a first guess on, and the number of iterations.

    Müller, Bender, Chentanez and Macklin: A robust method to extract the rotational part of
    deformations, 2016.
    """
    columns = [(m[k], m[3 + k], m[6 + k]) for k in range(3)]
    for count in range(500):
        r = matrix(q)
        turned = [(r[k], r[3 + k], r[6 + k]) for k in range(3)]
        parts = [cross(a, b) for a, b in zip(turned, columns, strict=True)]
        size = abs(sum(dot(a, b) for a, b in zip(turned, columns, strict=True))) + MINVAL
        axis, angle = unit(tuple((p[0] + p[1] + p[2]) / size for p in zip(*parts, strict=True)))
        if angle < 1e-9:
            return q, count
        q = unit_quaternion(multiply(about(axis, angle), q))
    return q, 500
