"""Derivatives of what actuators do: gains and biases that depend on velocity."""

from ...simd.elementary import exp
from ...simd.kernel import kernel
from ...simd.lanes import lane_any, select, zero_like
from ...tables.enums import (
    BIAS_AFFINE,
    BIAS_DCMOTOR,
    DSBL_ACTUATION,
    DSBL_DAMPER,
    DYN_NONE,
    GAIN_AFFINE,
    GAIN_DCMOTOR,
    GAIN_MUSCLE,
)
from ..actuators.activation import positive
from ..actuators.dcmotor import BEYOND, BY_POSITION, BY_VELOCITY, INPUT
from ..actuators.force import enabled
from ..actuators.muscle import length_curve, optimal_length, peak_force, relative_length
from ..smooth.inertia import add_outer
from .passive import add_tendon


@kernel
def actuator_derivative(m, d):
    """Add what actuators with affine gains or biases do while their force is within its limits.

    As in MuJoCo, controls count as they were set, not as they were clamped.

    Reads: ctrl, act_drive, actuator_force, act_moment.
    Writes: qDeriv (N s/m, N m s), ten_row.
    """
    if m.opt_disableflags[0] & DSBL_ACTUATION:
        return
    for u in range(m.nu):
        if enabled(m, u):
            slope = zero_like(d.qvel)
            if m.actuator_biastype[u] == BIAS_AFFINE:
                slope = slope + m.actuator_biasprm[10 * u + 2]
            if m.actuator_gaintype[u] == GAIN_AFFINE:
                slope = slope + m.actuator_gainprm[10 * u + 2] * driven_by(m, d, u)
            add_actuator(m, d, u, slope)


@kernel
def muscle_derivative(m, d):
    """Add what muscles do by the velocity curve of their active force.

    Reads: ctrl, act_drive, actuator_length, actuator_velocity, actuator_force, act_moment.
    Writes: qDeriv (N s/m, N m s), ten_row.
    """
    if m.opt_disableflags[0] & DSBL_ACTUATION:
        return
    for u in range(m.nu):
        if enabled(m, u) and m.actuator_gaintype[u] == GAIN_MUSCLE:
            add_actuator(m, d, u, muscle_slope(m, d, u) * driven_by(m, d, u))


@kernel
def muscle_slope(m, d, u):
    """Derivative of `muscle_gain` with respect to velocity."""
    prm = m.actuator_gainprm
    unit = positive(optimal_length(m, prm, u) * prm[10 * u + 6])
    speed, span = d.actuator_velocity[u] / unit, prm[10 * u + 8] - 1.0
    steep = select(speed <= span, 2.0 * (span - speed) / positive(span), 0.0)
    steep = select(speed <= 0.0, 2.0 * speed + 2.0, steep)
    steep = select(speed <= -1.0, 0.0, steep)
    by_length = length_curve(relative_length(m, d, prm, u), prm[10 * u + 4], prm[10 * u + 5])
    return -peak_force(m, prm, u) * by_length * steep / unit


@kernel
def dcmotor_derivative(m, d):
    """Add what DC motors do: induced voltage, controllers that follow velocity, damped bristles.

    As in MuJoCo, with the resistance of a cold winding, and while nothing limits the voltage.

    Reads: actuator_force, act_moment.
    Writes: qDeriv (N s/m, N m s), ten_row.
    """
    if m.opt_disableflags[0] & DSBL_ACTUATION:
        return
    for u in range(m.nu):
        gain, prm = m.actuator_gaintype[u], 10 * u
        R, K = positive(m.actuator_gainprm[prm]), m.actuator_gainprm[prm + 1]
        # induced voltage
        slope = zero_like(d.qvel)
        if m.actuator_biastype[u] == BIAS_DCMOTOR and not m.act_inductive[u]:
            slope = slope - K * K / R
        if gain == GAIN_DCMOTOR:
            # voltage that the controller asks for by velocity
            zero, follows = zero_like(d.qvel), m.actuator_gainprm[prm + INPUT]
            by_velocity = select(follows < BEYOND, zero - m.actuator_gainprm[prm + 4], zero)
            by_position = zero - m.actuator_gainprm[prm + 6]
            followed = select(follows >= BY_VELOCITY, by_velocity, by_position)
            asked = select(follows >= BY_POSITION, followed, zero)
            # current, which follows at once or within the step
            if m.act_inductive[u]:
                kept = exp(-m.opt_timestep[0] / m.actuator_dynprm[prm])
                slope = slope + K * (asked - K) * (1.0 - kept) / R
            else:
                slope = slope + K * asked / R
            slope = slope - m.actuator_dynprm[prm + 6]
        if enabled(m, u):
            add_actuator(m, d, u, slope)


@kernel
def joint_damper_derivative(m, d):
    """Add what dampers of actuators on joints do.

    Reads: act_slope.
    Writes: qDeriv (N s/m, N m s).
    """
    if m.opt_disableflags[0] & DSBL_DAMPER:
        return
    for dof in range(m.nv):
        k = m.D_rowadr[dof] + m.D_diag[dof]
        d.qDeriv[k] = d.qDeriv[k] - d.act_slope[dof]


@kernel
def tendon_damper_derivative(m, d):
    """Add what dampers of actuators on tendons do.

    Reads: ten_J, act_ten_slope.
    Writes: qDeriv (N s/m, N m s), ten_row.
    """
    for ten in range(m.ntendon):
        add_tendon(m, d, ten, d.act_ten_slope[ten])


@kernel
def driven_by(m, d, u):
    """Factor of the gain of an actuator: its control, or its activation."""
    return d.ctrl[u] if m.actuator_dyntype[u] == DYN_NONE else d.act_drive[u]


@kernel
def add_actuator(m, d, u, slope):
    """Add an actuator whose force changes by `slope` per velocity, unless the force is limited."""
    if m.actuator_forcelimited[u]:
        force = d.actuator_force[u]
        low, high = m.actuator_forcerange[2 * u], m.actuator_forcerange[2 * u + 1]
        slope = select((force > low) & (force < high), slope, 0.0)
    if lane_any(slope != 0.0):
        add_outer(
            d.qDeriv, m.D_rownnz, m.D_rowadr, m.D_colind, d.act_moment, m.act_dof,
            m.act_momentadr[u], m.act_dofnum[u], slope, d.ten_row,
        )  # fmt: skip
