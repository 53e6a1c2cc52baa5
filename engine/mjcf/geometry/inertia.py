"""Inertia matrices: principal axes, turned frames, parallel axes."""

from math import sqrt

from .pose import IDENTITY, apply, conjugate, dot, matrix, multiply, normalize


def principal(full: tuple) -> tuple[tuple, tuple]:
    """Principal moments, largest first, and the quaternion of their axes, by Jacobi's rotations.

    MuJoCo's order of rotations and rule for ties, because axes of equal moments are arbitrary.

    Args:
        full: xx, yy, zz, xy, xz, yz.
    """
    xx, yy, zz, xy, xz, yz = full
    given = (xx, xy, xz, xy, yy, yz, xz, yz, zz)
    quat, tiny = IDENTITY, 1e-12
    for _ in range(500):
        d = _rotated(given, quat)
        # the largest entry off the diagonal, and the axis that turns it away
        if abs(d[1]) > abs(d[2]) and abs(d[1]) > abs(d[5]):
            row, col, axis = 0, 1, 2
        elif abs(d[2]) > abs(d[5]):
            row, col, axis = 0, 2, 1
        else:
            row, col, axis = 1, 2, 0
        off = d[3 * row + col]
        if abs(off) < tiny:
            break
        tau = (d[4 * col] - d[4 * row]) / (2 * off)
        t = 1.0 / (tau + sqrt(1 + tau * tau)) if tau >= 0 else -1.0 / (-tau + sqrt(1 + tau * tau))
        c = 1.0 / sqrt(1 + t * t)
        if c > 1.0 - tiny:
            break
        half = -sqrt(0.5 - 0.5 * c) if tau >= 0 else sqrt(0.5 - 0.5 * c)
        turn = [0.0, 0.0, 0.0, 0.0]
        turn[axis + 1] = -half if axis == 1 else half
        turn[0] = sqrt(1.0 - half * half)
        quat = normalize(multiply(quat, normalize(tuple(turn))[0]))[0]
    # the moments in descending order; each exchange is a quarter turn
    moments = [d[0], d[4], d[8]]
    for k, axis in ((0, 3), (1, 1), (0, 3)):
        if moments[k] + tiny < moments[k + 1]:
            moments[k], moments[k + 1] = moments[k + 1], moments[k]
            turn = [0.707106781186548, 0.0, 0.0, 0.0]
            turn[axis] = turn[0]
            quat = normalize(multiply(quat, tuple(turn)))[0]
    return tuple(moments), quat


def _rotated(m: tuple, quat: tuple) -> tuple:
    """R' m R for the rotation R of a quaternion."""
    columns = [apply(matrix(conjugate(quat)), (m[k], m[3 + k], m[6 + k])) for k in range(3)]
    x, y, z = zip(*columns, strict=True)
    rot = matrix(conjugate(quat))
    return (*apply(rot, x), *apply(rot, y), *apply(rot, z))


def turned(moments: tuple, quat: tuple) -> tuple:
    """Principal moments as a full matrix (xx, yy, zz, xy, xz, yz) in the outer frame."""
    m = matrix(quat)
    rows = m[0:3], m[3:6], m[6:9]
    scaled = [tuple(x * moment for x, moment in zip(row, moments, strict=True)) for row in rows]
    pairs = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))
    return tuple(dot(rows[i], scaled[j]) for i, j in pairs)


def shifted(mass: float, offset: tuple) -> tuple:
    """Inertia of a mass away from the centre (parallel axes): xx, yy, zz, xy, xz, yz."""
    x, y, z = offset
    return (
        mass * (y * y + z * z),
        mass * (x * x + z * z),
        mass * (x * x + y * y),
        -mass * x * y,
        -mass * x * z,
        -mass * y * z,
    )
