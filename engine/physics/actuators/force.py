"""Forces of actuators: gains and biases that are constant or affine, limits, sums over dofs.

A model of plain actuators runs `fwd_actuation` alone; where actuators have state, delays or other
gains, the same parts run as stages of their own, with theirs in between.
"""

from ...simd.kernel import kernel
from ...simd.lanes import lane_any, mask_not, select, zero_like
from ...tables.enums import (
    BIAS_AFFINE,
    DSBL_ACTUATION,
    DSBL_CLAMPCTRL,
    GAIN_AFFINE,
    GAIN_FIXED,
    TRN_TENDON,
    WARN_BADCTRL,
)
from ..smooth.forces import clamp, is_bad, warn


@kernel
def fwd_actuation(m, d):
    """Forces of plain actuators: gain times control plus bias, within their limits.

    Reads: ctrl, actuator_length, actuator_velocity, act_moment.
    Writes: act_drive, actuator_force (N, N m), qfrc_actuator, warning_number, warning_lastinfo,
        count.
    """
    if take_controls(m, d, d.ctrl):
        add_affine(m, d)
        project(m, d, True)


@kernel
def read_controls(m, d):
    """Clear the forces; take the controls, within their limits.

    Reads: ctrl.
    Writes: act_drive, act_dot, actuator_force, qfrc_actuator, warning_number, warning_lastinfo,
        count.
    """
    if not take_controls(m, d, d.ctrl):
        rest(m, d)


@kernel
def affine_forces(m, d):
    """Gains and biases that are constant, or affine in length and velocity.

    Reads: act_drive, actuator_length, actuator_velocity.
    Writes: actuator_force (N, N m).
    """
    if not m.opt_disableflags[0] & DSBL_ACTUATION:
        add_affine(m, d)


@kernel
def project_forces(m, d):
    """Limits of the forces of single actuators, and the generalized force of all.

    Reads: actuator_force, act_moment.
    Writes: actuator_force (N, N m), qfrc_actuator (N, N m).
    """
    if not m.opt_disableflags[0] & DSBL_ACTUATION:
        project(m, d, True)


@kernel
def limit_joint_forces(m, d):
    """Limits of the sum of actuator forces on a joint.

    Reads: qfrc_actuator.
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
def limit_tendon_forces(m, d):
    """Scale the forces of the actuators on a tendon such that their sum is within its limits.

    Reads: actuator_force.
    Writes: actuator_force (N, N m).
    """
    if m.opt_disableflags[0] & DSBL_ACTUATION:
        return
    for ten in range(m.ntendon):
        if m.tendon_actfrclimited[ten]:
            limit_tendon(m, d, ten)


@kernel
def rest(m, d):
    """Let all activations rest."""
    zero = zero_like(d.act)
    for k in range(m.na):
        d.act_dot[k] = zero


@kernel
def take_controls(m, d, controls):
    """Clear the forces and take the controls; returns whether actuation is on."""
    zero = zero_like(d.qvel)
    for dof in range(m.nv):
        d.qfrc_actuator[dof] = zero
    for u in range(m.nu):
        d.actuator_force[u] = zero
        d.act_drive[u] = controls[u]
    on = not m.opt_disableflags[0] & DSBL_ACTUATION
    if on:
        check_controls(m, d)
    return on


@kernel
def check_controls(m, d):
    """Clamp what drives the actuators; where a control is bad, all of its world become zero."""
    limited = not m.opt_disableflags[0] & DSBL_CLAMPCTRL
    good = zero_like(d.qvel) + 1.0
    for u in range(m.nu):
        c = d.act_drive[u]
        if limited and m.actuator_ctrllimited[u]:
            c = clamp(c, m.actuator_ctrlrange[2 * u], m.actuator_ctrlrange[2 * u + 1])
            d.act_drive[u] = c
        bad = is_bad(c)
        if lane_any(bad):
            warn(d, WARN_BADCTRL, bad & (good > 0.0), u)
            good = select(bad, 0.0, good)
    if lane_any(good == 0.0):
        for u in range(m.nu):
            d.act_drive[u] = select(good > 0.0, d.act_drive[u], 0.0)


@kernel
def enabled(m, u):
    """True if an actuator is in no group that is switched off (option disableactuator)."""
    group = m.actuator_group[u]
    return group < 0 or group > 30 or not (m.opt_disableactuator[0] >> group) & 1


@kernel
def affine(prm, u, length, velocity):
    """Constant plus terms in length and velocity, with the parameters of an actuator."""
    return prm[10 * u] + prm[10 * u + 1] * length + prm[10 * u + 2] * velocity


@kernel
def add_affine(m, d):
    """Add gain times drive, and bias, of actuators where they are constant or affine."""
    for u in range(m.nu):
        if enabled(m, u):
            length, velocity = d.actuator_length[u], d.actuator_velocity[u]
            force = d.actuator_force[u]
            if m.actuator_gaintype[u] == GAIN_FIXED:
                force = force + m.actuator_gainprm[10 * u] * d.act_drive[u]
            elif m.actuator_gaintype[u] == GAIN_AFFINE:
                force = force + affine(m.actuator_gainprm, u, length, velocity) * d.act_drive[u]
            if m.actuator_biastype[u] == BIAS_AFFINE:
                force = force + affine(m.actuator_biasprm, u, length, velocity)
            d.actuator_force[u] = force


@kernel
def project(m, d, limited):
    """Add the forces, times their moment arms, over dofs; first keep them within their limits."""
    for u in range(m.nu):
        adr, force = m.act_momentadr[u], d.actuator_force[u]
        if limited and m.actuator_forcelimited[u]:
            force = clamp(force, m.actuator_forcerange[2 * u], m.actuator_forcerange[2 * u + 1])
            d.actuator_force[u] = force
        for k in range(adr, adr + m.act_dofnum[u]):
            dof = m.act_dof[k]
            d.qfrc_actuator[dof] = d.qfrc_actuator[dof] + d.act_moment[k] * force


@kernel
def limit_tendon(m, d, ten):
    """Scale the forces of the actuators on one tendon."""
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
