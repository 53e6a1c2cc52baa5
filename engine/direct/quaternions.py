"""Quaternions (w, x, y, z), rotation matrices and poses, given one by one."""

from ..simd.elementary import atan2, sincos
from ..simd.kernel import kernel
from ..simd.lanes import absolute, load3, load4, load6, load9, select, sqrt, store
from ..simd.spatial import (
    add3,
    axis_angle_quat,
    cross,
    dot3,
    mul_matT3,
    mul_quat,
    normalize3,
    normalize4,
    quat_mat,
    quat_vel,
    rotate,
    scale3,
    select3,
    sub3,
)
from ..tables.enums import MINVAL

LETTERS = (120, 121, 122)  # x, y, z
CASE = 32  # the bit that tells lower case from upper
MOST_TURNS, SMALL_TURN = 500, 1e-9  # iterations of `turn_inside`, and the angle (rad) of the last


@kernel
def opposite(q):
    """The opposite rotation."""
    return (q[0], -q[1], -q[2], -q[3])


@kernel
def turned(v, q):
    """A vector turned by a quaternion, exactly the same by the identity."""
    unit = (q[0] == 1.0) & (q[1] == 0.0) & (q[2] == 0.0) & (q[3] == 0.0)
    zero = (v[0] == 0.0) & (v[1] == 0.0) & (v[2] == 0.0)
    return select3(unit | zero, v, rotate(v, q))


@kernel
def quat_of_matrix(m):
    """Quaternion of a rotation matrix, by the largest of its components."""
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
    return normalize4(q)


@kernel
def rotate_vector(c):
    """A vector turned by a quaternion."""
    store(c.res, 0, turned(load3(c.vec, 0), load4(c.quat, 0)))


@kernel
def negate(c):
    """The opposite rotation."""
    store(c.res, 0, opposite(load4(c.quat, 0)))


@kernel
def multiply(c):
    """Product of quaternions: the second rotation, then the first."""
    store(c.res, 0, mul_quat(load4(c.quat1, 0), load4(c.quat2, 0)))


@kernel
def multiply_axis(c):
    """Product of a quaternion and (0, axis)."""
    q, a = load4(c.quat, 0), load3(c.axis, 0)
    product = (
        -q[1] * a[0] - q[2] * a[1] - q[3] * a[2],
        q[0] * a[0] + q[2] * a[2] - q[3] * a[1],
        q[0] * a[1] + q[3] * a[0] - q[1] * a[2],
        q[0] * a[2] + q[1] * a[1] - q[2] * a[0],
    )
    store(c.res, 0, product)


@kernel
def about_axis(c):
    """Rotation about a unit axis by an angle (rad)."""
    store(c.res, 0, axis_angle_quat(load3(c.axis, 0), c.angle[0]))


@kernel
def velocity(c):
    """Angular velocity (rad/s) that gives a rotation within a time, by at most half a turn."""
    turn = quat_vel(load4(c.quat, 0))
    for k in range(3):
        c.res[k] = turn[k] / c.dt[0]


@kernel
def subtract(c):
    """Rotation vector (rad) from the second orientation to the first."""
    store(c.res, 0, quat_vel(mul_quat(opposite(load4(c.qb, 0)), load4(c.qa, 0))))


@kernel
def to_matrix(c):
    """Rotation matrix of a quaternion."""
    store(c.res, 0, quat_mat(load4(c.quat, 0)))


@kernel
def from_matrix(c):
    """Quaternion of a rotation matrix."""
    store(c.quat, 0, quat_of_matrix(load9(c.mat, 0)))


@kernel
def rate(c):
    """Rate of change of an orientation that turns with an angular velocity, local (rad/s)."""
    q, w = load4(c.quat, 0), load3(c.vel, 0)
    change = (
        0.5 * (-w[0] * q[1] - w[1] * q[2] - w[2] * q[3]),
        0.5 * (w[0] * q[0] + w[1] * q[3] - w[2] * q[2]),
        0.5 * (-w[0] * q[3] + w[1] * q[0] + w[2] * q[1]),
        0.5 * (w[0] * q[2] - w[1] * q[1] + w[2] * q[0]),
    )
    store(c.res, 0, change)


@kernel
def integrate(c):
    """Orientation after turning with an angular velocity, local (rad/s), for a time (s)."""
    axis, speed = normalize3(load3(c.vel, 0))
    turn = axis_angle_quat(axis, c.scale[0] * speed)
    store(c.quat, 0, mul_quat(normalize4(load4(c.quat, 0)), turn))


@kernel
def from_euler(c):
    """Rotations about three axes in turn (rad): lower case turning along, upper case fixed."""
    q = (1.0, 0.0, 0.0, 0.0)
    for k in range(3):
        letter = c.seq[k]
        axis = letter | CASE
        if axis < LETTERS[0] or axis > LETTERS[2]:
            c.refused[0] = 1
        s, w = sincos(0.5 * c.euler[k])
        turn = (
            w,
            select(axis == LETTERS[0], s, 0.0),
            select(axis == LETTERS[1], s, 0.0),
            select(axis == LETTERS[2], s, 0.0),
        )
        q = mul_quat(q, turn) if letter == axis else mul_quat(turn, q)
    if c.refused[0] == 0:
        store(c.quat, 0, q)


@kernel
def from_z_axis(c):
    """The shortest rotation of the z axis onto a vector."""
    v, length = normalize3(load3(c.vec, 0))
    axis, sine = normalize3((-v[1], v[0], 0.0))
    q = axis_angle_quat(axis, atan2(sine, v[2]))
    # straight up or down there is no axis
    if sine < MINVAL:
        down = select(v[2] < 0.0, 1.0, 0.0)
        q = (1.0 - down, down, 0.0, 0.0)
    if length < MINVAL:
        q = (1.0, 0.0, 0.0, 0.0)
    store(c.quat, 0, q)


@kernel
def turn_inside(c):
    """The rotation inside a matrix, from a first guess on, and the number of iterations.

    Müller, Bender, Chentanez and Macklin: A robust method to extract the rotational part of
    deformations, 2016.
    """
    m, q = load9(c.mat, 0), load4(c.quat, 0)
    count, angle = 0, 1.0
    while count < MOST_TURNS and angle >= SMALL_TURN:
        r = quat_mat(q)
        total, size = (0.0, 0.0, 0.0), 0.0
        # axes of the present rotation against columns of the matrix
        a, b = (r[0], r[3], r[6]), (m[0], m[3], m[6])
        total, size = add3(total, cross(a, b)), size + dot3(a, b)
        a, b = (r[1], r[4], r[7]), (m[1], m[4], m[7])
        total, size = add3(total, cross(a, b)), size + dot3(a, b)
        a, b = (r[2], r[5], r[8]), (m[2], m[5], m[8])
        total, size = add3(total, cross(a, b)), size + dot3(a, b)
        size = absolute(size) + MINVAL
        axis, angle = normalize3((total[0] / size, total[1] / size, total[2] / size))
        if angle >= SMALL_TURN:
            q = normalize4(mul_quat(axis_angle_quat(axis, angle), q))
            count += 1
    store(c.quat, 0, q)
    c.result[0] = count


# ---------------------------------------------------------------- poses


@kernel
def multiply_poses(c):
    """The second pose, in the frame of the first."""
    quat1, start = load4(c.quat1, 0), load3(c.pos1, 0)
    position = add3(start, turned(load3(c.pos2, 0), quat1))
    quat = normalize4(mul_quat(quat1, load4(c.quat2, 0)))
    store(c.posres, 0, position)
    store(c.quatres, 0, quat)


@kernel
def negate_pose(c):
    """The opposite pose."""
    quat = opposite(load4(c.quat, 0))
    position = scale3(turned(load3(c.pos, 0), quat), -1.0)
    store(c.posres, 0, position)
    store(c.quatres, 0, quat)


@kernel
def transform_point(c):
    """A point of a frame with a pose."""
    store(c.res, 0, add3(load3(c.pos, 0), turned(load3(c.vec, 0), load4(c.quat, 0))))


@kernel
def transform_spatial(c):
    """A spatial vector, of motion or force, at another point and in another frame."""
    vec, arm = load6(c.vec, 0), sub3(load3(c.newpos, 0), load3(c.oldpos, 0))
    rotation = load9(c.rotnew2old, 0)
    first, second = (vec[0], vec[1], vec[2]), (vec[3], vec[4], vec[5])
    # torques change with the point, or else velocities
    if c.flg_force != 0:
        first = sub3(first, cross(arm, second))
    else:
        second = sub3(second, cross(arm, first))
    first, second = mul_matT3(rotation, first), mul_matT3(rotation, second)
    store(c.res, 0, (first[0], first[1], first[2], second[0], second[1], second[2]))
