"""Poses of bodies, joints, geoms, sites, cameras and lights, and how they move."""

from ...simd.elementary import sincos
from ...simd.kernel import kernel
from ...simd.lanes import absolute, lane_all, load3, load4, load6, load9, store, zero_like
from ...simd.spatial import (
    add3,
    addscl3,
    addscl6,
    cross,
    cross_motion,
    mul_mat3,
    mul_quat,
    normalize3,
    normalize4,
    quat_mat,
    rotate,
    sub3,
)
from ...tables.enums import (
    CAMLIGHT_FIXED,
    CAMLIGHT_TARGETBODY,
    CAMLIGHT_TARGETBODYCOM,
    CAMLIGHT_TRACK,
    CAMLIGHT_TRACKCOM,
    JNT_BALL,
    JNT_FREE,
    JNT_SLIDE,
)
from .all_of import body_at, count_bodies


@kernel
def kinematics(m, d):
    """Poses of bodies, joint anchors and axes, inertial frames, geoms and sites.

    Bodies follow their parents in the list, so one forward pass is enough. Each body starts from
    its constant pose in the parent, then every joint moves it in turn; a free joint sets the pose
    itself.

    Reads: qpos, mocap_pos, mocap_quat.
    Writes: xpos (m), xquat, xmat, xanchor (m), xaxis, xipos (m), ximat, geom_xpos (m), geom_xmat,
        site_xpos (m), site_xmat, turn_sin, turn_cos.
    """
    zero = zero_like(d.qpos)
    one = zero + 1.0
    identity = (one, zero, zero, zero, one, zero, zero, zero, one)
    store(d.xpos, 0, (zero, zero, zero))
    store(d.xquat, 0, (one, zero, zero, zero))
    store(d.xmat, 0, identity)
    store(d.xipos, 0, (zero, zero, zero))
    store(d.ximat, 0, identity)
    turn_joints(m, d)
    for body in range(1, m.nbody):
        place_body(m, d, body)
    for geom in range(m.ngeom):
        place_geom(m, d, geom)
    for site in range(m.nsite):
        place_site(m, d, site)


@kernel
def place_geom(m, d, geom):
    """Pose of one geom on its body."""
    body = m.geom_bodyid[geom]
    local, turn = load3(m.geom_pos, geom), load4(m.geom_quat, geom)
    # most geoms lie in the inertial frame of their body
    at = same3(local, load3(m.body_ipos, body))
    if lane_all(at & same4(turn, load4(m.body_iquat, body))):
        store(d.geom_xpos, geom, load3(d.xipos, body))
        store(d.geom_xmat, geom, load9(d.ximat, body))
    else:
        pos = add3(load3(d.xpos, body), mul_mat3(load9(d.xmat, body), local))
        store(d.geom_xpos, geom, pos)
        store(d.geom_xmat, geom, quat_mat(mul_quat(load4(d.xquat, body), turn)))


@kernel
def same3(a, b):
    """Where two vectors have the same numbers."""
    return (a[0] == b[0]) & (a[1] == b[1]) & (a[2] == b[2])


@kernel
def same4(a, b):
    """Where two quaternions have the same numbers."""
    return (a[0] == b[0]) & (a[1] == b[1]) & (a[2] == b[2]) & (a[3] == b[3])


@kernel
def place_site(m, d, site):
    """Pose of one site on its body."""
    body = m.site_bodyid[site]
    pos = add3(load3(d.xpos, body), mul_mat3(load9(d.xmat, body), load3(m.site_pos, site)))
    store(d.site_xpos, site, pos)
    quat = mul_quat(load4(d.xquat, body), load4(m.site_quat, site))
    store(d.site_xmat, site, quat_mat(quat))


@kernel
def turn_joints(m, d):
    """Sine and cosine of half the angle of every hinge, and of what lies between hinges.

    All at once, as none waits for another: a vector of joints where one world has no lanes.
    """
    for jnt in range(m.firsthinge, m.endhinge):
        a = m.jnt_qposadr[jnt]
        d.turn_sin[jnt] = 0.5 * (d.qpos[a] - m.qpos0[a])
    for jnt in range(m.firsthinge, m.endhinge):
        d.turn_sin[jnt], d.turn_cos[jnt] = sincos(d.turn_sin[jnt])


@kernel
def place_body(m, d, body):
    """Pose of one body, its joints and its inertial frame."""
    jntnum, jntadr = m.body_jntnum[body], m.body_jntadr[body]
    # free joint: the pose is qpos
    if jntnum == 1 and m.jnt_type[jntadr] == JNT_FREE:
        a = m.jnt_qposadr[jntadr]
        pos = (d.qpos[a], d.qpos[a + 1], d.qpos[a + 2])
        quat = normalize4((d.qpos[a + 3], d.qpos[a + 4], d.qpos[a + 5], d.qpos[a + 6]))
        zero = zero_like(d.qpos)
        store(d.xanchor, jntadr, pos)
        store(d.xaxis, jntadr, add3((zero, zero, zero), load3(m.jnt_axis, jntadr)))
    else:
        parent = m.body_parentid[body]
        mocap = m.body_mocapid[body]
        parent_quat = load4(d.xquat, parent)
        # from the pose of the parent, or of a mocap body in its frame
        if mocap >= 0:
            pos = add3(
                load3(d.xpos, parent), mul_mat3(load9(d.xmat, parent), load3(d.mocap_pos, mocap))
            )
            quat = mul_quat(parent_quat, normalize4(load4(d.mocap_quat, mocap)))
        else:
            pos = add3(
                load3(d.xpos, parent), mul_mat3(load9(d.xmat, parent), load3(m.body_pos, body))
            )
            quat = mul_quat(parent_quat, load4(m.body_quat, body))
        # motions of the joints, one after the other
        for jnt in range(jntadr, jntadr + jntnum):
            pos, quat = apply_joint(m, d, jnt, pos, quat)
        quat = normalize4(quat)
    # body frame and inertial frame
    mat = quat_mat(quat)
    store(d.xpos, body, pos)
    store(d.xquat, body, quat)
    store(d.xmat, body, mat)
    store(d.xipos, body, add3(pos, mul_mat3(mat, load3(m.body_ipos, body))))
    store(d.ximat, body, quat_mat(mul_quat(quat, load4(m.body_iquat, body))))


@kernel
def apply_joint(m, d, jnt, pos, quat):
    """Move a body pose by one joint; record the joint's anchor and axis before the motion."""
    kind, a = m.jnt_type[jnt], m.jnt_qposadr[jnt]
    local, zero = load3(m.jnt_pos, jnt), zero_like(d.qpos)
    axis = rotate(load3(m.jnt_axis, jnt), quat)
    # most joints lie in the origin of their body
    offset = (zero, zero, zero)
    apart = not lane_all(same3(local, (0.0, 0.0, 0.0)))
    if apart:
        offset = rotate(local, quat)
    anchor = add3(offset, pos)
    store(d.xanchor, jnt, anchor)
    store(d.xaxis, jnt, axis)
    if kind == JNT_SLIDE:
        pos = addscl3(pos, axis, d.qpos[a] - m.qpos0[a])
    else:
        if kind == JNT_BALL:
            turn = normalize4((d.qpos[a], d.qpos[a + 1], d.qpos[a + 2], d.qpos[a + 3]))
        else:
            own, sine = load3(m.jnt_axis, jnt), d.turn_sin[jnt]
            turn = (d.turn_cos[jnt], own[0] * sine, own[1] * sine, own[2] * sine)
        quat = mul_quat(quat, turn)
        # the anchor stays where it was; a turn that is no number leaves no position
        if apart:
            offset = rotate(local, quat)
        else:
            lost = absolute(zero * quat[0])
            offset = (lost, lost, lost)
        pos = sub3(anchor, offset)
    return pos, quat


@kernel
def camlight(m, d):
    """Poses of cameras and lights, by their tracking mode.

    Reads: xpos, xquat, xmat, subtree_com.
    Writes: cam_xpos (m), cam_xmat, light_xpos (m), light_xdir.
    """
    # cameras; fixed mode: the frame of the body
    for cam in range(m.ncam):
        body, target, mode = m.cam_bodyid[cam], m.cam_targetbodyid[cam], m.cam_mode[cam]
        zero = zero_like(d.qpos)
        pos = add3(load3(d.xpos, body), mul_mat3(load9(d.xmat, body), load3(m.cam_pos, cam)))
        mat = quat_mat(mul_quat(load4(d.xquat, body), load4(m.cam_quat, cam)))
        # tracking: orientation and offset of the reference pose
        if mode == CAMLIGHT_TRACK or mode == CAMLIGHT_TRACKCOM:
            for k in range(9):
                d.cam_xmat[9 * cam + k] = zero + m.cam_mat0[9 * cam + k]
            if mode == CAMLIGHT_TRACK:
                pos = add3(load3(d.xpos, body), load3(m.cam_pos0, cam))
            else:
                pos = add3(load3(d.subtree_com, body), load3(m.cam_poscom0, cam))
        elif (mode == CAMLIGHT_TARGETBODY or mode == CAMLIGHT_TARGETBODYCOM) and target >= 0:
            look = (
                load3(d.xpos, target)
                if mode == CAMLIGHT_TARGETBODY
                else load3(d.subtree_com, target)
            )
            # targeting: the optical axis points at the body, x is level
            back, _ = normalize3(sub3(pos, look))
            right, _ = normalize3(cross((0.0, 0.0, 1.0), back))
            up, _ = normalize3(cross(back, right))
            store(
                d.cam_xmat,
                cam,
                (right[0], up[0], back[0], right[1], up[1], back[1], right[2], up[2], back[2]),
            )
        else:
            store(d.cam_xmat, cam, mat)
        store(d.cam_xpos, cam, pos)
    # lights; fixed mode: the frame of the body
    for light in range(m.nlight):
        body, target, mode = m.light_bodyid[light], m.light_targetbodyid[light], m.light_mode[light]
        zero = zero_like(d.qpos)
        pos = add3(load3(d.xpos, body), mul_mat3(load9(d.xmat, body), load3(m.light_pos, light)))
        direction = rotate(load3(m.light_dir, light), load4(d.xquat, body))
        # tracking: direction and offset of the reference pose
        if mode == CAMLIGHT_TRACK or mode == CAMLIGHT_TRACKCOM:
            direction = add3((zero, zero, zero), load3(m.light_dir0, light))
            if mode == CAMLIGHT_TRACK:
                pos = add3(load3(d.xpos, body), load3(m.light_pos0, light))
            else:
                pos = add3(load3(d.subtree_com, body), load3(m.light_poscom0, light))
        elif mode != CAMLIGHT_FIXED and target >= 0:
            look = (
                load3(d.xpos, target)
                if mode == CAMLIGHT_TARGETBODY
                else load3(d.subtree_com, target)
            )
            # targeting: towards the body
            direction = sub3(look, pos)
        direction, _ = normalize3(direction)
        store(d.light_xpos, light, pos)
        store(d.light_xdir, light, direction)


@kernel
def com_vel(m, d):
    """Velocities of bodies and rates of change of the joint axes, in the frames of `subtree_com`.

    Reads: qvel, cdof.
    Writes: cvel (rad/s, m/s), cdof_dot.
    """
    zero = zero_like(d.qvel)
    still = (zero, zero, zero, zero, zero, zero)
    store(d.cvel, 0, still)
    for k in range(1, count_bodies(m, d)):
        body_velocity(m, d, body_at(m, d, k))


@kernel
def body_velocity(m, d, body):
    """Velocity of one body, whose parent's is known, and rates of change of its joint axes."""
    zero = zero_like(d.qvel)
    still = (zero, zero, zero, zero, zero, zero)
    vel = load6(d.cvel, m.body_parentid[body])
    for jnt in range(m.body_jntadr[body], m.body_jntadr[body] + m.body_jntnum[body]):
        dof, kind = m.jnt_dofadr[jnt], m.jnt_type[jnt]
        if kind == JNT_FREE:
            for k in range(dof, dof + 3):
                store(d.cdof_dot, k, still)
                vel = addscl6(vel, load6(d.cdof, k), d.qvel[k])
            dof += 3
        n = 3 if kind == JNT_FREE or kind == JNT_BALL else 1
        # the axes of one joint move with the velocity before it
        before = vel
        for k in range(dof, dof + n):
            axis = load6(d.cdof, k)
            store(d.cdof_dot, k, cross_motion(before, axis))
            vel = addscl6(vel, axis, d.qvel[k])
    store(d.cvel, body, vel)
