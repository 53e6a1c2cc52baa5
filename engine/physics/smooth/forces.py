"""Generalized forces without constraints, and the acceleration that they give.

Bias, springs and dampers, applied forces.
"""

from ...simd.kernel import kernel
from ...simd.lanes import (
    absolute,
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
from ...simd.spatial import (
    add6,
    addscl6,
    cross,
    cross_force,
    dot3,
    dot6,
    mul_inertia,
    normalize4,
    sub3,
    sub_quat,
)
from ...tables.enums import (
    COUNT_RERUN,
    COUNT_WARNED,
    COUNT_XFRC,
    DSBL_DAMPER,
    DSBL_GRAVITY,
    DSBL_SPRING,
    JNT_BALL,
    JNT_FREE,
    MAXVAL,
)
from .all_of import body_at, count_bodies, count_dofs, dof_at
from .inertia import solve_rows


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
    # accelerations of bodies and the forces that they take, from parents to children
    for k in range(1, count_bodies(m, d)):
        body = body_at(m, d, k)
        acc = load6(d.rne_acc, m.body_parentid[body])
        dofadr = m.body_dofadr[body]
        for dof in range(dofadr, dofadr + m.body_dofnum[body]):
            acc = addscl6(acc, load6(d.cdof_dot, dof), d.qvel[dof])
        store(d.rne_acc, body, acc)
        store(d.rne_frc, body, inertial_force(d, body, acc))
    # forces of whole subtrees, and their parts along the dofs
    for k in range(count_bodies(m, d) - 1, 0, -1):
        body = body_at(m, d, k)
        parent = m.body_parentid[body]
        if parent > 0:
            add_block(d.rne_frc, parent, load6(d.rne_frc, body))
    for k in range(count_dofs(m, d)):
        dof = dof_at(m, d, k)
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
    # springs of joints
    if not flags & DSBL_SPRING:
        for jnt in range(m.njnt):
            joint_spring(m, d, jnt)
    # dampers of dofs, with polynomial coefficients
    if not flags & DSBL_DAMPER:
        for dof in range(m.nv):
            v = d.qvel[dof]
            speed = select(v < 0.0, -v, v)
            k = m.dof_damping[dof] + speed * (
                m.dof_dampingpoly[2 * dof] + speed * m.dof_dampingpoly[2 * dof + 1]
            )
            d.qfrc_damper[dof] = -v * k
    # springs and dampers of tendons
    for ten in range(m.ntendon):
        spring, damper = d.ten_spring[ten], d.ten_damper[ten]
        acts = (spring != 0.0) | (damper != 0.0)
        for k in range(m.ten_J_rowadr[ten], m.ten_J_rowadr[ten] + m.ten_J_rownnz[ten]):
            dof = m.ten_J_colind[k]
            steep = select(acts, d.ten_J[k], zero)
            d.qfrc_spring[dof] = d.qfrc_spring[dof] + steep * spring
            d.qfrc_damper[dof] = d.qfrc_damper[dof] + steep * damper
    for dof in range(m.nv):
        d.qfrc_passive[dof] = d.qfrc_spring[dof] + d.qfrc_damper[dof]


@kernel
def damping_slope(m, d, dof):
    """Derivative of the damping force of a dof with respect to its velocity, negated."""
    speed = absolute(d.qvel[dof])
    poly1, poly2 = m.dof_dampingpoly[2 * dof], m.dof_dampingpoly[2 * dof + 1]
    return m.dof_damping[dof] + speed * (2.0 * poly1 + speed * (3.0 * poly2))


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
def clamp(x, low, high):
    """x, limited to low..high."""
    return select(x < low, low, select(x > high, high, x))


@kernel
def is_bad(x):
    """NaN, infinite or huge."""
    return mask_not((x <= MAXVAL) & (x >= -MAXVAL))


@kernel
def warn(d, kind, mask, info):
    """Count a warning in the lanes of the mask.

    Forward dynamics that run again for worlds that were reset have warned about the others before.
    """
    if d.count[COUNT_RERUN]:
        mask = mask & (d.reset_now[0] > 0.0)
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
    for k in range(count_dofs(m, d)):
        dof = dof_at(m, d, k)
        d.qfrc_smooth[dof] = (
            d.qfrc_passive[dof] - d.qfrc_bias[dof] + d.qfrc_applied[dof] + d.qfrc_actuator[dof]
        )
    if d.count[COUNT_XFRC] > 0:
        for k in range(1, count_bodies(m, d)):
            apply_wrench(m, d, body_at(m, d, k))
    for k in range(count_dofs(m, d)):
        dof = dof_at(m, d, k)
        d.qacc_smooth[dof] = d.qfrc_smooth[dof]
    solve_smooth(m, d)


@kernel
def solve_smooth(m, d):
    """Forces in qacc_smooth to accelerations."""
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
