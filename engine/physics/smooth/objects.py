"""Poses and motions of the things that have a frame: bodies, geoms, sites and cameras.

A thing is a type (mjtObj) and an index. `OBJ_BODY` is the inertial frame of a body, `OBJ_XBODY` its
regular frame.
"""

from ...simd.kernel import kernel
from ...simd.lanes import load3, load4, load6, load9, zero_like
from ...simd.spatial import add3, addscl6, cross, cross_motion, mul_quat, sub3
from ...tables.enums import JNT_BALL, JNT_FREE, OBJ_BODY, OBJ_CAMERA, OBJ_GEOM, OBJ_SITE, OBJ_XBODY


@kernel
def object_body(m, kind, ident):
    """Body that carries a thing."""
    if kind == OBJ_GEOM:
        return m.geom_bodyid[ident]
    if kind == OBJ_SITE:
        return m.site_bodyid[ident]
    if kind == OBJ_CAMERA:
        return m.cam_bodyid[ident]
    return ident


@kernel
def object_pos(d, kind, ident):
    """Position of a thing (m)."""
    if kind == OBJ_XBODY:
        return load3(d.xpos, ident)
    if kind == OBJ_BODY:
        return load3(d.xipos, ident)
    if kind == OBJ_GEOM:
        return load3(d.geom_xpos, ident)
    if kind == OBJ_SITE:
        return load3(d.site_xpos, ident)
    return load3(d.cam_xpos, ident)


@kernel
def object_mat(d, kind, ident):
    """Orientation of a thing: rotation matrix to the world."""
    if kind == OBJ_XBODY:
        return load9(d.xmat, ident)
    if kind == OBJ_BODY:
        return load9(d.ximat, ident)
    if kind == OBJ_GEOM:
        return load9(d.geom_xmat, ident)
    if kind == OBJ_SITE:
        return load9(d.site_xmat, ident)
    return load9(d.cam_xmat, ident)


@kernel
def object_quat(m, d, kind, ident):
    """Orientation of a thing: quaternion; of a camera, that of one fixed to its body."""
    quat = load4(d.xquat, object_body(m, kind, ident))
    if kind == OBJ_BODY:
        quat = mul_quat(quat, load4(m.body_iquat, ident))
    elif kind == OBJ_GEOM:
        quat = mul_quat(quat, load4(m.geom_quat, ident))
    elif kind == OBJ_SITE:
        quat = mul_quat(quat, load4(m.site_quat, ident))
    elif kind == OBJ_CAMERA:
        quat = mul_quat(quat, load4(m.cam_quat, ident))
    return quat


@kernel
def carried(v, shift):
    """Velocity or acceleration (rotation, translation) at a point that lies `shift` further on."""
    lever = cross(shift, (v[0], v[1], v[2]))
    return (v[0], v[1], v[2], v[3] - lever[0], v[4] - lever[1], v[5] - lever[2])


@kernel
def object_velocity(m, d, body, pos):
    """Velocity (rad/s, m/s) of a point of a body, in the orientation of the world.

    Args:
        body: the body.
        pos: position of the point (m).
    """
    if m.body_weldid[body] == 0:
        zero = zero_like(d.qvel)
        return (zero, zero, zero, zero, zero, zero)
    shift = sub3(pos, load3(d.subtree_com, m.body_rootid[body]))
    return carried(load6(d.cvel, body), shift)


@kernel
def object_acceleration(m, d, body, pos):
    """Acceleration (rad/s^2, m/s^2) of a point of a body, gravity included as a push upwards.

    In the orientation of the world; as in MuJoCo, zero for what cannot move.
    """
    if m.body_weldid[body] == 0:
        zero = zero_like(d.qvel)
        return (zero, zero, zero, zero, zero, zero)
    shift = sub3(pos, load3(d.subtree_com, m.body_rootid[body]))
    acc, vel = carried(load6(d.cacc, body), shift), carried(load6(d.cvel, body), shift)
    # cacc belongs to a frame at rest: what the point itself feels turns with its velocity
    turn = cross((vel[0], vel[1], vel[2]), (vel[3], vel[4], vel[5]))
    linear = add3((acc[3], acc[4], acc[5]), turn)
    return (acc[0], acc[1], acc[2], linear[0], linear[1], linear[2])


@kernel
def point_bias(m, d, body, point):
    """Acceleration of a point of a body without qacc (m/s^2), and of the body's turning (rad/s^2).

    As in `mj_jacDot`, axes of ball joints turn with their body.
    """
    zero = zero_like(d.qpos)
    bias = (zero, zero, zero, zero, zero, zero)
    dof = m.body_lastdof[body]
    while dof >= 0:
        kind = m.jnt_type[m.dof_jntid[dof]]
        if kind == JNT_BALL or (kind == JNT_FREE and dof >= m.jnt_dofadr[m.dof_jntid[dof]] + 3):
            rate = cross_motion(load6(d.cvel, m.dof_bodyid[dof]), load6(d.cdof, dof))
        else:
            rate = load6(d.cdof_dot, dof)
        bias = addscl6(bias, rate, d.qvel[dof])
        dof = m.dof_parentid[dof]
    vel = load6(d.cvel, body)
    omega, turning = (vel[0], vel[1], vel[2]), (bias[0], bias[1], bias[2])
    offset = sub3(point, load3(d.subtree_com, m.body_rootid[body]))
    move = add3((vel[3], vel[4], vel[5]), cross(omega, offset))
    acc = add3((bias[3], bias[4], bias[5]), cross(turning, offset))
    return add3(acc, cross(omega, move)), turning
