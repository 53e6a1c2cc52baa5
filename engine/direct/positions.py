"""Differences of positions, and positions after moving."""

from ..simd.kernel import kernel
from ..simd.spatial import axis_angle_quat, mul_quat, normalize3, normalize4, quat_vel
from ..tables.enums import JNT_BALL, JNT_FREE

READS = ("nq", "nv", "njnt", "jnt_type", "jnt_qposadr", "jnt_dofadr")


@kernel
def number_of_lines(kind):
    """Coordinates of a joint that move in lines, or about a fixed axis."""
    lines = 1
    if kind == JNT_FREE:
        lines = 3
    if kind == JNT_BALL:
        lines = 0
    return lines


@kernel
def quat_at(field, start):
    """The quaternion that starts at an element."""
    return (field[start], field[start + 1], field[start + 2], field[start + 3])


@kernel
def difference(m, c):
    """Velocity between two positions that are given in turn, then the time."""
    dt = c.given[2 * m.nq]
    for jnt in range(m.njnt):
        kind, adr, dof = m.jnt_type[jnt], m.jnt_qposadr[jnt], m.jnt_dofadr[jnt]
        lines = number_of_lines(kind)
        for k in range(lines):
            c.told[dof + k] = (c.given[m.nq + adr + k] - c.given[adr + k]) / dt
        if kind == JNT_FREE or kind == JNT_BALL:
            a, b = quat_at(c.given, adr + lines), quat_at(c.given, m.nq + adr + lines)
            turn = quat_vel(mul_quat((a[0], -a[1], -a[2], -a[3]), b))
            for k in range(3):
                c.told[dof + lines + k] = turn[k] / dt


@kernel
def integrate(m, c):
    """Position after moving: what is given is a position, a velocity and the time."""
    dt = c.given[m.nq + m.nv]
    for jnt in range(m.njnt):
        kind, adr, dof = m.jnt_type[jnt], m.jnt_qposadr[jnt], m.jnt_dofadr[jnt]
        lines = number_of_lines(kind)
        for k in range(lines):
            c.told[adr + k] = c.given[adr + k] + dt * c.given[m.nq + dof + k]
        if kind == JNT_FREE or kind == JNT_BALL:
            start = m.nq + dof + lines
            axis, speed = normalize3((c.given[start], c.given[start + 1], c.given[start + 2]))
            turn = axis_angle_quat(axis, speed * dt)
            quat = mul_quat(normalize4(quat_at(c.given, adr + lines)), turn)
            for k in range(4):
                c.told[adr + lines + k] = quat[k]


@kernel
def normalize(m, c):
    """A position with unit quaternions; what is given is one position."""
    for k in range(m.nq):
        c.told[k] = c.given[k]
    for jnt in range(m.njnt):
        kind = m.jnt_type[jnt]
        if kind == JNT_FREE or kind == JNT_BALL:
            start = m.jnt_qposadr[jnt] + number_of_lines(kind)
            quat = normalize4(quat_at(c.given, start))
            for k in range(4):
                c.told[start + k] = quat[k]
