"""Damping and armature that actuators add to their joints and tendons, by gear squared."""

from ...simd.kernel import kernel
from ...simd.lanes import absolute, zero_like
from ...tables.enums import DSBL_DAMPER, DSBL_EULERDAMP, TRN_JOINTINPARENT, TRN_TENDON
from ..integrators.euler_rk4 import add_dampers, advance_state
from ..smooth.inertia import factor_rows, solve_rows


@kernel
def joint_damping(m, d):
    """Dampers of actuators on joints.

    Their derivative is there with the flag damper off too: discrete inverse dynamics takes it.

    Reads: qvel.
    Writes: act_slope (N s/m, N m s/rad), qfrc_damper (N, N m), qfrc_passive (N, N m).
    """
    zero = zero_like(d.qvel)
    for dof in range(m.nv):
        d.act_slope[dof] = zero
    acts = not m.opt_disableflags[0] & DSBL_DAMPER
    for u in range(m.nu):
        if m.actuator_trntype[u] <= TRN_JOINTINPARENT:
            jnt = m.actuator_trnid[2 * u]
            dof = m.jnt_dofadr[jnt]
            while dof < m.nv and m.dof_jntid[dof] == jnt:
                v = d.qvel[dof]
                force, slope = damper(m, u, v)
                d.act_slope[dof] = d.act_slope[dof] + slope
                if acts:
                    d.qfrc_damper[dof] = d.qfrc_damper[dof] + force
                    d.qfrc_passive[dof] = d.qfrc_passive[dof] + force
                dof += 1


@kernel
def tendon_damping(m, d):
    """Dampers of actuators on tendons.

    Reads: ten_velocity.
    Writes: act_ten_slope (N s/m), ten_damper (N).
    """
    zero = zero_like(d.qvel)
    for ten in range(m.ntendon):
        d.act_ten_slope[ten] = zero
    if m.opt_disableflags[0] & DSBL_DAMPER:
        return
    for u in range(m.nu):
        if m.actuator_trntype[u] == TRN_TENDON:
            ten = m.actuator_trnid[2 * u]
            force, slope = damper(m, u, d.ten_velocity[ten])
            d.act_ten_slope[ten] = d.act_ten_slope[ten] + slope
            d.ten_damper[ten] = d.ten_damper[ten] + force


@kernel
def damper(m, u, v):
    """Damping force of an actuator's target at a velocity, and its negative derivative."""
    speed, gear = absolute(v), m.actuator_gear[6 * u]
    linear = m.actuator_damping[u]
    poly1, poly2 = m.actuator_dampingpoly[2 * u], m.actuator_dampingpoly[2 * u + 1]
    force = -v * (linear + speed * (poly1 + speed * poly2))
    slope = linear + speed * (2.0 * poly1 + speed * (3.0 * poly2))
    return gear * gear * force, gear * gear * slope


@kernel
def joint_armature(m, d):
    """Add the armature of actuators on joints to the inertia matrix.

    That of a dof with constant inertia (`dof_simplenum`) has it already.

    Writes: M (kg, kg m^2).
    """
    for u in range(m.nu):
        if m.actuator_trntype[u] <= TRN_JOINTINPARENT:
            jnt, gear = m.actuator_trnid[2 * u], m.actuator_gear[6 * u]
            dof = m.jnt_dofadr[jnt]
            while dof < m.nv and m.dof_jntid[dof] == jnt:
                if m.dof_simplenum[dof] == 0:
                    k = m.M_rowadr[dof] + m.M_rownnz[dof] - 1
                    d.M[k] = d.M[k] + m.actuator_armature[u] * (gear * gear)
                dof += 1


@kernel
def euler_actuators(m, d):
    """Semi-implicit Euler step, implicit in the dampers of joints and of actuators on joints.

    Reads: M, qvel, qpos, qacc, qfrc_smooth, qfrc_constraint, time, act_slope.
    Writes: qpos, qvel, time, qacc_warmstart, qH, qHDiagInv, int_acc.
    """
    h = m.opt_timestep[0]
    if m.opt_disableflags[0] & (DSBL_EULERDAMP | DSBL_DAMPER):
        for dof in range(m.nv):
            d.int_acc[dof] = d.qacc[dof]
    else:
        add_dampers(m, d)
        for dof in range(m.nv):
            k = m.M_rowadr[dof] + m.M_rownnz[dof] - 1
            d.qH[k] = d.qH[k] + h * d.act_slope[dof]
        factor_rows(d.qH, d.qHDiagInv, m.nv, m.M_rownnz, m.M_rowadr, m.M_colind)
        solve_rows(d.int_acc, d.qH, d.qHDiagInv, m.nv, m.M_rownnz, m.M_rowadr, m.M_colind)
    advance_state(m, d)
