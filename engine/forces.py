"""Generalized forces without constraints, and the acceleration that they give.

Bias, springs and dampers, actuators, applied forces.
"""

from .enums import (
    BIAS_AFFINE,
    COUNT_WARNED,
    COUNT_XFRC,
    DSBL_ACTUATION,
    DSBL_CLAMPCTRL,
    DSBL_DAMPER,
    DSBL_GRAVITY,
    DSBL_SPRING,
    GAIN_AFFINE,
    JNT_BALL,
    JNT_FREE,
    MAXVAL,
    TRN_JOINTINPARENT,
    TRN_TENDON,
    WARN_BADCTRL,
)
from .inertia import solve_rows
from .kernel import kernel
from .lanes import (
    add_block,
    lane_any,
    load3,
    load6,
    load10,
    mask_not,
    select,
    sqrt,
    store,
    zero_like,
)
from .spatial import (
    add6,
    addscl6,
    cross,
    cross_force,
    dot3,
    dot6,
    mul_inertia,
    normalize4,
    quat_vel,
    rotate,
    sub3,
    sub_quat,
)


@kernel
def rne(m, d):
    """Bias force: Coriolis, centrifugal and gravitational, by the recursive Newton-Euler algorithm.

    Reads: cinert, cdof, cdof_dot, cvel, qvel.
    Writes: qfrc_bias (N, N m).
    """
    zero = zero_like(d.qvel)
    g = load3(m.opt_gravity, 0)
    on = 0.0 if m.opt_disableflags[0] & DSBL_GRAVITY else 1.0
    store(d.rne_acc, 0, (zero, zero, zero, zero - on * g[0], zero - on * g[1], zero - on * g[2]))
    for body in range(1, m.nbody):
        acc = load6(d.rne_acc, m.body_parentid[body])
        dofadr = m.body_dofadr[body]
        for dof in range(dofadr, dofadr + m.body_dofnum[body]):
            acc = addscl6(acc, load6(d.cdof_dot, dof), d.qvel[dof])
        store(d.rne_acc, body, acc)
        store(d.rne_frc, body, inertial_force(d, body, acc))
    for body in range(m.nbody - 1, 0, -1):
        parent = m.body_parentid[body]
        if parent > 0:
            add_block(d.rne_frc, parent, load6(d.rne_frc, body))
    for dof in range(m.nv):
        d.qfrc_bias[dof] = dot6(load6(d.cdof, dof), load6(d.rne_frc, m.dof_bodyid[dof]))


@kernel
def inertial_force(d, body, acc):
    """Force that a body's motion takes: I a + v x (I v)."""
    inertia, vel = load10(d.cinert, body), load6(d.cvel, body)
    return add6(mul_inertia(inertia, acc), cross_force(vel, mul_inertia(inertia, vel)))


@kernel
def passive(m, d):
    """Springs and dampers of joints, dofs and tendons, with polynomial coefficients.

    Reads: qpos, qvel, ten_J, ten_spring, ten_damper.
    Writes: qfrc_spring, qfrc_damper, qfrc_passive (N, N m).
    """
    zero = zero_like(d.qvel)
    for dof in range(m.nv):
        d.qfrc_spring[dof] = zero
        d.qfrc_damper[dof] = zero
    flags = m.opt_disableflags[0]
    if not flags & DSBL_SPRING:
        for jnt in range(m.njnt):
            joint_spring(m, d, jnt)
    if not flags & DSBL_DAMPER:
        for dof in range(m.nv):
            v = d.qvel[dof]
            speed = select(v < 0.0, -v, v)
            k = m.dof_damping[dof] + speed * (
                m.dof_dampingpoly[2 * dof] + speed * m.dof_dampingpoly[2 * dof + 1]
            )
            d.qfrc_damper[dof] = -v * k
    for ten in range(m.ntendon):
        spring, damper = d.ten_spring[ten], d.ten_damper[ten]
        for k in range(m.ten_J_rowadr[ten], m.ten_J_rowadr[ten] + m.ten_J_rownnz[ten]):
            dof = m.ten_J_colind[k]
            d.qfrc_spring[dof] = d.qfrc_spring[dof] + d.ten_J[k] * spring
            d.qfrc_damper[dof] = d.qfrc_damper[dof] + d.ten_J[k] * damper
    for dof in range(m.nv):
        d.qfrc_passive[dof] = d.qfrc_spring[dof] + d.qfrc_damper[dof]


@kernel
def joint_spring(m, d, jnt):
    """Spring force of one joint."""
    a, dof, kind = m.jnt_qposadr[jnt], m.jnt_dofadr[jnt], m.jnt_type[jnt]
    stiffness = m.jnt_stiffness[jnt]
    poly1, poly2 = m.jnt_stiffnesspoly[2 * jnt], m.jnt_stiffnesspoly[2 * jnt + 1]
    idle = (stiffness == 0.0) & (poly1 == 0.0) & (poly2 == 0.0)
    if not lane_any(mask_not(idle)):
        return
    if kind == JNT_FREE or kind == JNT_BALL:
        if kind == JNT_FREE:
            dif = sub3((d.qpos[a], d.qpos[a + 1], d.qpos[a + 2]), spring_pos(m, a))
            add_spring(d, dof, dif, stiffness, poly1, poly2)
            a += 3
            dof += 3
        quat = normalize4((d.qpos[a], d.qpos[a + 1], d.qpos[a + 2], d.qpos[a + 3]))
        rest = (m.qpos_spring[a], m.qpos_spring[a + 1], m.qpos_spring[a + 2], m.qpos_spring[a + 3])
        add_spring(d, dof, sub_quat(quat, rest), stiffness, poly1, poly2)
    else:
        x = d.qpos[a] - m.qpos_spring[a]
        d.qfrc_spring[dof] = -x * (stiffness + x * (poly1 + x * poly2))


@kernel
def spring_pos(m, a):
    """Rest position of a free joint's spring."""
    return (m.qpos_spring[a], m.qpos_spring[a + 1], m.qpos_spring[a + 2])


@kernel
def add_spring(d, dof, dif, stiffness, poly1, poly2):
    """Three-dimensional spring along a displacement."""
    r = sqrt(dot3(dif, dif))
    k = stiffness + r * (poly1 + r * poly2)
    for i in range(3):
        d.qfrc_spring[dof + i] = d.qfrc_spring[dof + i] - dif[i] * k


@kernel
def transmission(m, d):
    """Actuator lengths and moment arms of transmissions on joints and tendons.

    Reads: qpos, ten_length, ten_J.
    Writes: actuator_length (m, rad), actuator_moment.
    """
    for u in range(m.nu):
        if m.actuator_trntype[u] == TRN_TENDON:
            ten, gear = m.actuator_trnid[2 * u], m.actuator_gear[6 * u]
            d.actuator_length[u] = d.ten_length[ten] * gear
            for k in range(m.act_dofnum[u]):
                d.actuator_moment[m.act_momentadr[u] + k] = d.ten_J[m.ten_J_rowadr[ten] + k] * gear
        else:
            joint_transmission(m, d, u)


@kernel
def joint_transmission(m, d, u):
    """Length and moment arms of an actuator on a joint."""
    zero = zero_like(d.qpos)
    jnt, inparent = m.actuator_trnid[2 * u], m.actuator_trntype[u] == TRN_JOINTINPARENT
    adr, kind, a = m.act_momentadr[u], m.jnt_type[jnt], m.jnt_qposadr[jnt]
    g = load6(m.actuator_gear, u)
    if kind == JNT_FREE or kind == JNT_BALL:
        gear = (g[0], g[1], g[2])
        if kind == JNT_FREE:
            for k in range(3):
                d.actuator_moment[adr + k] = zero + m.actuator_gear[6 * u + k]
            gear = (g[3], g[4], g[5])
            a += 3
            adr += 3
        quat = normalize4((d.qpos[a], d.qpos[a + 1], d.qpos[a + 2], d.qpos[a + 3]))
        back = (quat[0], -quat[1], -quat[2], -quat[3])
        turned = rotate(gear, back)
        axis = quat_vel(quat)
        length = zero
        for k in range(3):
            x = turned[k] if inparent else zero + gear[k]
            d.actuator_moment[adr + k] = x
            if kind == JNT_BALL:
                length = length + axis[k] * x
        d.actuator_length[u] = length
    else:
        d.actuator_length[u] = d.qpos[a] * g[0]
        d.actuator_moment[adr] = zero + g[0]


@kernel
def actuator_velocity(m, d):
    """Rates of change of actuator lengths.

    Reads: qvel, actuator_moment.
    Writes: actuator_velocity (m/s, rad/s).
    """
    zero = zero_like(d.qvel)
    on = not m.opt_disableflags[0] & DSBL_ACTUATION
    for u in range(m.nu):
        s = zero
        if on:
            adr = m.act_momentadr[u]
            for k in range(adr, adr + m.act_dofnum[u]):
                s = s + d.actuator_moment[k] * d.qvel[m.act_dof[k]]
        d.actuator_velocity[u] = s


@kernel
def clamp(x, low, high):
    """x, limited to low..high."""
    return select(x < low, low, select(x > high, high, x))


@kernel
def is_bad(x):
    """NaN, infinite or huge."""
    return mask_not((x <= MAXVAL) & (x >= -MAXVAL))


@kernel
def fwd_actuation(m, d):
    """Actuator forces: fixed or affine gain times control, affine bias, and their limits.

    A control that is bad makes all controls of its world zero for this step.

    Reads: ctrl, actuator_length, actuator_velocity, actuator_moment.
    Writes: actuator_force (N, N m), qfrc_actuator, warning_number, warning_lastinfo, count.
    """
    zero = zero_like(d.qvel)
    for dof in range(m.nv):
        d.qfrc_actuator[dof] = zero
    for u in range(m.nu):
        d.actuator_force[u] = zero
    flags = m.opt_disableflags[0]
    if flags & DSBL_ACTUATION or m.nu == 0:
        return
    good = zero
    for u in range(m.nu):
        c = d.ctrl[u]
        if m.actuator_ctrllimited[u] and not flags & DSBL_CLAMPCTRL:
            c = clamp(c, m.actuator_ctrlrange[2 * u], m.actuator_ctrlrange[2 * u + 1])
        bad = is_bad(c)
        if lane_any(bad):
            warn(d, WARN_BADCTRL, bad & (good == 0.0), u)
            good = select(bad, 1.0, good)
    for u in range(m.nu):
        if not (m.opt_disableactuator[0] >> m.actuator_group[u]) & 1 or m.actuator_group[u] > 30:
            d.actuator_force[u] = actuator_force(m, d, u, good == 0.0)
    for ten in range(m.ntendon):
        if m.tendon_actfrclimited[ten]:
            limit_tendon(m, d, ten)
    for u in range(m.nu):
        adr, force = m.act_momentadr[u], d.actuator_force[u]
        for k in range(adr, adr + m.act_dofnum[u]):
            dof = m.act_dof[k]
            d.qfrc_actuator[dof] = d.qfrc_actuator[dof] + d.actuator_moment[k] * force


@kernel
def limit_joints(m, d):
    """Limits of what all actuators together do to a joint.

    Writes: qfrc_actuator (N, N m).
    """
    if m.opt_disableflags[0] & DSBL_ACTUATION:
        return
    for jnt in range(m.njnt):
        if m.jnt_actfrclimited[jnt]:
            dof = m.jnt_dofadr[jnt]
            low, high = m.jnt_actfrcrange[2 * jnt], m.jnt_actfrcrange[2 * jnt + 1]
            d.qfrc_actuator[dof] = clamp(d.qfrc_actuator[dof], low, high)


@kernel
def limit_tendon(m, d, ten):
    """Scale the forces of the actuators on a tendon such that their sum is within its limits."""
    total = zero_like(d.qvel)
    for u in range(m.nu):
        if m.actuator_trntype[u] == TRN_TENDON and m.actuator_trnid[2 * u] == ten:
            total = total + d.actuator_force[u]
    low, high = m.tendon_actfrcrange[2 * ten], m.tendon_actfrcrange[2 * ten + 1]
    outside = (total != 0.0) & mask_not((total >= low) & (total <= high))
    share = clamp(total, low, high) / select(outside, total, 1.0)
    for u in range(m.nu):
        if m.actuator_trntype[u] == TRN_TENDON and m.actuator_trnid[2 * u] == ten:
            d.actuator_force[u] = select(outside, d.actuator_force[u] * share, d.actuator_force[u])


@kernel
def actuator_force(m, d, u, good):
    """Force of one actuator; where not `good`, that of zero control."""
    c = d.ctrl[u]
    if m.actuator_ctrllimited[u] and not m.opt_disableflags[0] & DSBL_CLAMPCTRL:
        c = clamp(c, m.actuator_ctrlrange[2 * u], m.actuator_ctrlrange[2 * u + 1])
    c = select(good, c, 0.0)
    gain = zero_like(d.qvel) + m.actuator_gainprm[10 * u]
    length, velocity = d.actuator_length[u], d.actuator_velocity[u]
    if m.actuator_gaintype[u] == GAIN_AFFINE:
        gain = (
            gain
            + m.actuator_gainprm[10 * u + 1] * length
            + m.actuator_gainprm[10 * u + 2] * velocity
        )
    force = gain * c
    if m.actuator_biastype[u] == BIAS_AFFINE:
        force = force + (
            m.actuator_biasprm[10 * u]
            + m.actuator_biasprm[10 * u + 1] * length
            + m.actuator_biasprm[10 * u + 2] * velocity
        )
    if m.actuator_forcelimited[u]:
        force = clamp(force, m.actuator_forcerange[2 * u], m.actuator_forcerange[2 * u + 1])
    return force


@kernel
def warn(d, kind, mask, info):
    """Count a warning in the lanes of the mask."""
    d.count[COUNT_WARNED] = 1
    d.warning_number[kind] = select(mask, d.warning_number[kind] + 1.0, d.warning_number[kind])
    d.warning_lastinfo[kind] = select(mask, 1.0 * info, d.warning_lastinfo[kind])


@kernel
def fwd_acceleration(m, d):
    """Sum of all forces but those of constraints, and the acceleration they give.

    Reads: qfrc_passive, qfrc_bias, qfrc_actuator, qfrc_applied, xfrc_applied, cdof, xipos,
        subtree_com, qLD, qLDiagInv.
    Writes: qfrc_smooth (N, N m), qacc_smooth (m/s^2, rad/s^2).
    """
    for dof in range(m.nv):
        d.qfrc_smooth[dof] = (
            d.qfrc_passive[dof] - d.qfrc_bias[dof] + d.qfrc_applied[dof] + d.qfrc_actuator[dof]
        )
    if d.count[COUNT_XFRC] > 0:
        for body in range(1, m.nbody):
            apply_wrench(m, d, body)
    for dof in range(m.nv):
        d.qacc_smooth[dof] = d.qfrc_smooth[dof]
    solve_rows(d.qacc_smooth, d.qLD, d.qLDiagInv, m.nv, m.M_rownnz, m.M_rowadr, m.M_colind)


@kernel
def apply_wrench(m, d, body):
    """Add the generalized force of xfrc_applied on one body."""
    f = load6(d.xfrc_applied, body)
    apply_ft(
        m, d, d.qfrc_smooth, body, load3(d.xipos, body), (f[0], f[1], f[2]), (f[3], f[4], f[5])
    )


@kernel
def apply_ft(m, d, qfrc, body, point, force, torque):
    """Add the generalized force of a force (N) at a point (m) of a body and a torque (N m).

    Args:
        qfrc: field over dofs.
    """
    moment = cross(sub3(point, load3(d.subtree_com, m.body_rootid[body])), force)
    wrench = (
        torque[0] + moment[0], torque[1] + moment[1], torque[2] + moment[2],
        force[0], force[1], force[2],
    )  # fmt: skip
    dof = m.body_lastdof[body]
    while dof >= 0:
        qfrc[dof] = qfrc[dof] + dot6(load6(d.cdof, dof), wrench)
        dof = m.dof_parentid[dof]
