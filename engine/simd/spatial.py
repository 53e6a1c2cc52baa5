"""Vectors, quaternions and spatial algebra on tuples of reals.

Quaternions are (w, x, y, z), matrices row-major 9-tuples. Spatial vectors are (rotation,
translation); spatial inertias are the 10-tuples of `cinert`: the six moments (xx, yy, zz, xy, xz,
yz), mass times offset, mass.
"""

from ..tables.enums import MINVAL
from .elementary import atan2, sincos
from .kernel import kernel
from .lanes import absolute, fma, lane_all, select, sqrt

PI = 3.141592653589793


@kernel
def add3(a, b):
    """a + b."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2])


@kernel
def sub3(a, b):
    """a - b."""
    return (a[0] - b[0], a[1] - b[1], a[2] - b[2])


@kernel
def scale3(a, s):
    """a*s."""
    return (a[0] * s, a[1] * s, a[2] * s)


@kernel
def addscl3(a, b, s):
    """a + b*s."""
    return (fma(b[0], s, a[0]), fma(b[1], s, a[1]), fma(b[2], s, a[2]))


@kernel
def dot3(a, b):
    """Scalar product."""
    return fma(a[2], b[2], fma(a[1], b[1], a[0] * b[0]))


@kernel
def plain_dot(a, b):
    """Scalar product, rounded in the plain order of products and sums."""
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel
def cross(a, b):
    """Vector product a x b."""
    return (
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    )


@kernel
def select3(mask, a, b):
    """a where the mask holds, else b."""
    return (select(mask, a[0], b[0]), select(mask, a[1], b[1]), select(mask, a[2], b[2]))


@kernel
def normalize3(v):
    """Unit vector and length; (1, 0, 0) where the length is below MINVAL."""
    length = sqrt(dot3(v, v))
    ok = length >= MINVAL
    s = 1.0 / select(ok, length, 1.0)
    return select3(ok, scale3(v, s), (1.0, 0.0, 0.0)), length


@kernel
def mul_quat(a, b):
    """Product of quaternions: the rotation b, then a."""
    return (
        a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    )


@kernel
def normalize4(q):
    """Unit quaternion; the identity where the length is below MINVAL.

    One that is a unit but for rounding stays as it is, as in MuJoCo: where things just touch, the
    last bit decides.
    """
    length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3])
    a, b, c, d = q[0] * 1.0, q[1] * 1.0, q[2] * 1.0, q[3] * 1.0
    # a branch that is foreseen costs less than to wait for a root and a division
    if not lane_all(absolute(length - 1.0) <= MINVAL):
        ok = length >= MINVAL
        s = 1.0 / select(ok & (absolute(length - 1.0) > MINVAL), length, 1.0)
        a, b = select(ok, q[0] * s, 1.0), select(ok, q[1] * s, 0.0)
        c, d = select(ok, q[2] * s, 0.0), select(ok, q[3] * s, 0.0)
    return a, b, c, d


@kernel
def rotate(v, q):
    """Vector v turned by the unit quaternion q."""
    t = (
        q[0] * v[0] + q[2] * v[2] - q[3] * v[1],
        q[0] * v[1] + q[3] * v[0] - q[1] * v[2],
        q[0] * v[2] + q[1] * v[1] - q[2] * v[0],
    )
    return (
        v[0] + 2.0 * (q[2] * t[2] - q[3] * t[1]),
        v[1] + 2.0 * (q[3] * t[0] - q[1] * t[2]),
        v[2] + 2.0 * (q[1] * t[1] - q[2] * t[0]),
    )


@kernel
def axis_angle_quat(axis, angle):
    """Quaternion of a rotation by `angle` (rad) about a unit axis."""
    s, c = sincos(0.5 * angle)
    return (c, axis[0] * s, axis[1] * s, axis[2] * s)


@kernel
def quat_vel(q):
    """Rotation vector (rad) of a unit quaternion, of at most half a turn."""
    axis, s = normalize3((q[1], q[2], q[3]))
    angle = 2.0 * atan2(s, q[0])
    return scale3(axis, select(angle > PI, angle - 2.0 * PI, angle))


@kernel
def sub_quat(a, b):
    """Rotation vector from orientation b to a, in the frame of b."""
    return quat_vel(mul_quat((b[0], -b[1], -b[2], -b[3]), a))


@kernel
def quat_mat(q):
    """Rotation matrix of a unit quaternion."""
    q00, q11, q22, q33 = q[0] * q[0], q[1] * q[1], q[2] * q[2], q[3] * q[3]
    q01, q02, q03 = q[0] * q[1], q[0] * q[2], q[0] * q[3]
    q12, q13, q23 = q[1] * q[2], q[1] * q[3], q[2] * q[3]
    return (
        q00 + q11 - q22 - q33,
        2.0 * (q12 - q03),
        2.0 * (q13 + q02),
        2.0 * (q12 + q03),
        q00 - q11 + q22 - q33,
        2.0 * (q23 - q01),
        2.0 * (q13 - q02),
        2.0 * (q23 + q01),
        q00 - q11 - q22 + q33,
    )


@kernel
def mul_mat3(r, v):
    """Matrix times vector."""
    return (dot3((r[0], r[1], r[2]), v), dot3((r[3], r[4], r[5]), v), dot3((r[6], r[7], r[8]), v))


@kernel
def mul_matT3(r, v):
    """Transposed matrix times vector."""
    return (dot3((r[0], r[3], r[6]), v), dot3((r[1], r[4], r[7]), v), dot3((r[2], r[5], r[8]), v))


@kernel
def add6(a, b):
    """a + b."""
    return (a[0] + b[0], a[1] + b[1], a[2] + b[2], a[3] + b[3], a[4] + b[4], a[5] + b[5])


@kernel
def addscl6(a, b, s):
    """a + b*s."""
    return (
        fma(b[0], s, a[0]),
        fma(b[1], s, a[1]),
        fma(b[2], s, a[2]),
        fma(b[3], s, a[3]),
        fma(b[4], s, a[4]),
        fma(b[5], s, a[5]),
    )


@kernel
def dot6(a, b):
    """Scalar product of a motion and a force vector."""
    # two chains of three, so that the additions overlap
    upper = fma(a[2], b[2], fma(a[1], b[1], a[0] * b[0]))
    lower = fma(a[5], b[5], fma(a[4], b[4], a[3] * b[3]))
    return upper + lower


@kernel
def cross_motion(v, s):
    """Rate of change of the motion vector s carried by a frame that moves with v."""
    return (
        v[1] * s[2] - v[2] * s[1],
        v[2] * s[0] - v[0] * s[2],
        v[0] * s[1] - v[1] * s[0],
        v[1] * s[5] - v[2] * s[4] + v[4] * s[2] - v[5] * s[1],
        v[2] * s[3] - v[0] * s[5] + v[5] * s[0] - v[3] * s[2],
        v[0] * s[4] - v[1] * s[3] + v[3] * s[1] - v[4] * s[0],
    )


@kernel
def cross_force(v, f):
    """Rate of change of the force vector f carried by a frame that moves with v."""
    return (
        v[1] * f[2] - v[2] * f[1] + v[4] * f[5] - v[5] * f[4],
        v[2] * f[0] - v[0] * f[2] + v[5] * f[3] - v[3] * f[5],
        v[0] * f[1] - v[1] * f[0] + v[3] * f[4] - v[4] * f[3],
        v[1] * f[5] - v[2] * f[4],
        v[2] * f[3] - v[0] * f[5],
        v[0] * f[4] - v[1] * f[3],
    )


@kernel
def mul_inertia(i, v):
    """Spatial inertia times motion vector: a force vector."""
    return (
        i[0] * v[0] + i[3] * v[1] + i[4] * v[2] - i[8] * v[4] + i[7] * v[5],
        i[3] * v[0] + i[1] * v[1] + i[5] * v[2] + i[8] * v[3] - i[6] * v[5],
        i[4] * v[0] + i[5] * v[1] + i[2] * v[2] - i[7] * v[3] + i[6] * v[4],
        i[8] * v[1] - i[7] * v[2] + i[9] * v[3],
        i[6] * v[2] - i[8] * v[0] + i[9] * v[4],
        i[7] * v[0] - i[6] * v[1] + i[9] * v[5],
    )


@kernel
def copy_elements(target, source, n):
    """Copy the first n elements of a field into another one."""
    for k in range(n):
        target[k] = source[k]
