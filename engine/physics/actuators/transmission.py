"""Transmissions on joints and tendons: lengths of actuators and their gradients (moment arms).

Documentation of MuJoCo, chapter Computation, section Actuation model. Every row of `act_moment` has
room for all dofs that can ever matter; `export_moment` drops what is zero, as MuJoCo does.
"""

from ...simd.kernel import kernel
from ...simd.lanes import get_lane, load6, set_lane, zero_like
from ...simd.spatial import normalize4, quat_vel, rotate
from ...tables.enums import (
    DSBL_ACTUATION,
    JNT_BALL,
    JNT_FREE,
    TRN_BODY,
    TRN_JOINTINPARENT,
    TRN_SITE,
    TRN_SLIDERCRANK,
    TRN_TENDON,
)


@kernel
def joint_transmission(m, d):
    """Actuators on hinges and slides.

    Reads: qpos.
    Writes: actuator_length (m, rad), act_moment.
    """
    zero = zero_like(d.qpos)
    for u in range(m.nu):
        if m.actuator_trntype[u] <= TRN_JOINTINPARENT:
            jnt, gear = m.actuator_trnid[2 * u], m.actuator_gear[6 * u]
            if m.jnt_type[jnt] > JNT_BALL:
                d.actuator_length[u] = d.qpos[m.jnt_qposadr[jnt]] * gear
                d.act_moment[m.act_momentadr[u]] = zero + gear


@kernel
def ball_transmission(m, d):
    """Actuators on ball joints and free joints: a torque or a wrench, in either frame.

    Reads: qpos.
    Writes: actuator_length (rad; 0 on free joints), act_moment.
    """
    for u in range(m.nu):
        jnt = m.actuator_trnid[2 * u]
        if m.actuator_trntype[u] <= TRN_JOINTINPARENT and m.jnt_type[jnt] <= JNT_BALL:
            turned_joint(m, d, u)


@kernel
def turned_joint(m, d, u):
    """Length and moment arms of an actuator on a ball or free joint."""
    zero = zero_like(d.qpos)
    jnt, inparent = m.actuator_trnid[2 * u], m.actuator_trntype[u] == TRN_JOINTINPARENT
    adr, kind, a = m.act_momentadr[u], m.jnt_type[jnt], m.jnt_qposadr[jnt]
    g = load6(m.actuator_gear, u)
    gear = (g[0], g[1], g[2])
    # free joint: the translation has plain moment arms
    if kind == JNT_FREE:
        for k in range(3):
            d.act_moment[adr + k] = zero + m.actuator_gear[6 * u + k]
        gear = (g[3], g[4], g[5])
        a += 3
        adr += 3
    # gear given in the parent's frame, and the rotation as a vector
    quat = normalize4((d.qpos[a], d.qpos[a + 1], d.qpos[a + 2], d.qpos[a + 3]))
    turned = rotate(gear, (quat[0], -quat[1], -quat[2], -quat[3]))
    axis = quat_vel(quat)
    # only a ball joint has a length
    length = zero
    for k in range(3):
        x = turned[k] if inparent else zero + gear[k]
        d.act_moment[adr + k] = x
        if kind == JNT_BALL:
            length = length + axis[k] * x
    d.actuator_length[u] = length


@kernel
def tendon_transmission(m, d):
    """Actuators on tendons.

    Reads: ten_length, ten_J.
    Writes: actuator_length (m, rad), act_moment.
    """
    for u in range(m.nu):
        if m.actuator_trntype[u] == TRN_TENDON:
            ten, gear = m.actuator_trnid[2 * u], m.actuator_gear[6 * u]
            d.actuator_length[u] = d.ten_length[ten] * gear
            for k in range(m.act_dofnum[u]):
                d.act_moment[m.act_momentadr[u] + k] = d.ten_J[m.ten_J_rowadr[ten] + k] * gear


@kernel
def actuator_velocity(m, d):
    """Rates of change of actuator lengths.

    Reads: qvel, act_moment.
    Writes: actuator_velocity (m/s, rad/s).
    """
    zero = zero_like(d.qvel)
    on = not m.opt_disableflags[0] & DSBL_ACTUATION
    for u in range(m.nu):
        s = zero
        if on:
            adr = m.act_momentadr[u]
            for k in range(adr, adr + m.act_dofnum[u]):
                s = s + d.act_moment[k] * d.qvel[m.act_dof[k]]
        d.actuator_velocity[u] = s


@kernel
def export_moment(m, d):
    """Moment arms of each world in MuJoCo's sparse form, lane by lane.

    Of actuators on sites, cranks and bodies, entries that are zero are left out.

    Reads: act_moment.
    Writes: actuator_moment, moment_rownnz, moment_rowadr, moment_colind.
    """
    for lane in range(m.width):
        n = 0
        for u in range(m.nu):
            n = export_row(m, d, u, n, lane)
        for k in range(n, m.nJmom):
            set_lane(d.actuator_moment, k, lane, 0.0)
            set_lane(d.moment_colind, k, lane, 0.0)


@kernel
def export_row(m, d, u, n, lane):
    """Append one row of one world at entry n; returns the end of the row."""
    kind, adr = m.actuator_trntype[u], m.act_momentadr[u]
    whole = kind != TRN_SLIDERCRANK and kind != TRN_SITE and kind != TRN_BODY
    set_lane(d.moment_rowadr, u, lane, 1.0 * n)
    start = n
    for k in range(adr, adr + m.act_dofnum[u]):
        x = get_lane(d.act_moment, k, lane)
        if whole or x != 0.0:
            set_lane(d.actuator_moment, n, lane, x)
            set_lane(d.moment_colind, n, lane, 1.0 * m.act_dof[k])
            n += 1
    set_lane(d.moment_rownnz, u, lane, 1.0 * (n - start))
    return n
