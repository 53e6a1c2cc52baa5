"""DC motors: up to five activations (slew, integral, temperature, bristle, current) and forces.

Documentation of MuJoCo, chapter XML Reference, element actuator/dcmotor. Which activations a motor
has is a matter of its parameters; `act_slot` holds their places in `act`.
"""

from ...simd.elementary import exp, sin
from ...simd.kernel import kernel
from ...simd.lanes import absolute, select, zero_like
from ...tables.enums import (
    BIAS_DCMOTOR,
    DSBL_ACTUATION,
    DYN_DCMOTOR,
    GAIN_AFFINE,
    GAIN_DCMOTOR,
    GAIN_MUSCLE,
    MINVAL,
)
from ..smooth.forces import clamp
from .activation import positive, settled
from .force import affine, enabled, project
from .muscle import muscle_gain

# places in act_slot
SLEW, INTEGRAL, TEMPERATURE, BRISTLE, CURRENT = range(5)
# what a controller follows, by the whole part of a parameter, in which worlds may differ
INPUT = 8  # in actuator_gainprm
BY_POSITION, BY_VELOCITY, BEYOND = 1.0, 2.0, 3.0  # below: the control is the voltage


@kernel
def dcmotor_dynamics(m, d):
    """Rates of the activations of DC motors; slew limits what drives them.

    Reads: act_drive, act, actuator_length, actuator_velocity.
    Writes: act_drive, act_dot.
    """
    if m.opt_disableflags[0] & DSBL_ACTUATION:
        return
    for u in range(m.nu):
        if m.actuator_dyntype[u] == DYN_DCMOTOR:
            control_rates(m, d, u)
            motor_rates(m, d, u)


@kernel
def control_rates(m, d, u):
    """Rates of the controller's activations: slew and integral."""
    slew, integral = m.act_slot[5 * u + SLEW], m.act_slot[5 * u + INTEGRAL]
    h, prm = m.opt_timestep[0], 10 * u
    if slew >= 0:
        before, most = d.act[slew], m.actuator_dynprm[prm + 7] * h
        reached = clamp(d.act_drive[u], before - most, before + most)
        d.act_dot[slew] = (reached - before) / h
        d.act_drive[u] = reached
    if integral >= 0:
        rate = d.act_drive[u]
        asked = m.actuator_gainprm[prm + INPUT]
        by_position = (asked >= BY_POSITION) & (asked < BY_VELOCITY)
        rate = select(by_position, rate - d.actuator_length[u], rate)
        sum_, most = d.act[integral], m.actuator_dynprm[prm + 8]
        less, more = select(rate < 0.0, rate, 0.0), select(rate > 0.0, rate, 0.0)
        held = select(sum_ >= most, less, select(sum_ <= -most, more, rate))
        d.act_dot[integral] = select(most > 0.0, held, rate)


@kernel
def motor_rates(m, d, u):
    """Rates of the motor's activations: temperature, bristle and current."""
    prm, velocity = 10 * u, d.actuator_velocity[u]
    temperature, bristle = m.act_slot[5 * u + TEMPERATURE], m.act_slot[5 * u + BRISTLE]
    current = m.act_slot[5 * u + CURRENT]
    if temperature >= 0 or current >= 0:
        K, R = m.actuator_gainprm[prm + 1], resistance(m, d, u)
        V = voltage(m, d, u)
        if temperature >= 0:
            i = (V - K * velocity) / R
            if current >= 0:
                i = d.act[current]
            leak = d.act[temperature] / m.actuator_dynprm[prm + 2]
            d.act_dot[temperature] = (R * i * i - leak) / m.actuator_dynprm[prm + 3]
        if current >= 0:
            rate = (V / R - K / R * velocity - d.act[current]) / m.actuator_dynprm[prm]
            most = m.actuator_dynprm[prm + 1]
            d.act_dot[current] = select(most > 0.0, clamp(rate, -most, most), rate)
    if bristle >= 0:
        d.act_dot[bristle] = bristle_decay(m, d, u) * d.act[bristle] + velocity


@kernel
def resistance(m, d, u):
    """Resistance of the winding at its temperature (ohm)."""
    prm, temperature = 10 * u, m.act_slot[5 * u + TEMPERATURE]
    R = zero_like(d.qvel) + m.actuator_gainprm[prm]
    if temperature >= 0:
        above = d.act[temperature] + m.actuator_dynprm[prm + 4] - m.actuator_gainprm[prm + 3]
        R = R * (1.0 + m.actuator_gainprm[prm + 2] * above)
    return R


@kernel
def voltage(m, d, u):
    """Voltage that the controller asks for, within its limits (V)."""
    prm, integral = 10 * u, m.act_slot[5 * u + INTEGRAL]
    kp, ki = m.actuator_gainprm[prm + 4], m.actuator_gainprm[prm + 5]
    kd, most = m.actuator_gainprm[prm + 6], m.actuator_gainprm[prm + 7]
    V, length, velocity = d.act_drive[u], d.actuator_length[u], d.actuator_velocity[u]
    sum_, asked = zero_like(d.qvel), m.actuator_gainprm[prm + INPUT]
    if integral >= 0:
        sum_ = d.act[integral]
    by_position = kp * (V - length) + ki * sum_ - kd * velocity
    by_velocity = kp * (V - velocity) + ki * (sum_ - length)
    followed = select(asked >= BY_VELOCITY, by_velocity, by_position)
    V = select(asked >= BY_POSITION, followed, V)
    return select(most > 0.0, clamp(V, -most, most), V)


@kernel
def bristle_decay(m, d, u):
    """Rate at which the bristle of LuGre friction relaxes, negative (1/s)."""
    prm, velocity = 10 * u, d.actuator_velocity[u]
    coulomb, static = m.actuator_biasprm[prm + 3], m.actuator_biasprm[prm + 4]
    ratio = velocity / positive(m.actuator_biasprm[prm + 5])
    stribeck = coulomb + (static - coulomb) * exp(-ratio * ratio)
    return -m.actuator_dynprm[prm + 5] * absolute(velocity) / positive(stribeck)


@kernel
def next_motor(m, d, u, k, rate):
    """Activation k of a DC motor after a step at a rate of change."""
    h, prm, act = m.opt_timestep[0], 10 * u, d.act[k]
    if k == m.act_slot[5 * u + CURRENT]:
        return act + rate * settled(m.actuator_dynprm[prm], h)
    if k == m.act_slot[5 * u + BRISTLE]:
        # exact for a velocity that does not change
        decay, velocity = bristle_decay(m, d, u), d.actuator_velocity[u]
        kept = exp(decay * h)
        moving = absolute(decay) > MINVAL
        span = select(moving, (kept - 1.0) / select(moving, decay, 1.0), h)
        return kept * act + span * velocity
    act = act + rate * h
    if k == m.act_slot[5 * u + INTEGRAL]:
        most = m.actuator_dynprm[prm + 8]
        act = select(most > 0.0, clamp(act, -most, most), act)
    return act


@kernel
def dcmotor_forces(m, d):
    """Torques of the magnetic field of DC motors.

    Reads: act_drive, act, actuator_length, actuator_velocity.
    Writes: act_drive, actuator_force (N, N m).
    """
    if m.opt_disableflags[0] & DSBL_ACTUATION:
        return
    for u in range(m.nu):
        if enabled(m, u):
            if m.actuator_gaintype[u] == GAIN_DCMOTOR:
                if not m.act_driven[u]:
                    follows = m.actuator_gainprm[10 * u + INPUT] >= BY_POSITION
                    d.act_drive[u] = select(follows, voltage(m, d, u), d.act_drive[u])
                d.actuator_force[u] = d.actuator_force[u] + motor_gain(m, d, u) * d.act_drive[u]
            # where the current is no activation, it is less by what the motion induces
            if m.actuator_biastype[u] == BIAS_DCMOTOR and not m.act_inductive[u]:
                induced = m.actuator_gainprm[10 * u + 1] * d.actuator_velocity[u]
                d.actuator_force[u] = d.actuator_force[u] - motor_gain(m, d, u) * induced


@kernel
def motor_gain(m, d, u):
    """Torque by current (N m/A), or by voltage where the current is no activation (N m/V)."""
    if m.actuator_gaintype[u] == GAIN_MUSCLE:
        return muscle_gain(m, d, u)
    if m.actuator_gaintype[u] == GAIN_AFFINE:
        return affine(m.actuator_gainprm, u, d.actuator_length[u], d.actuator_velocity[u])
    if m.actuator_gaintype[u] != GAIN_DCMOTOR:
        return zero_like(d.qvel) + m.actuator_gainprm[10 * u]
    K = zero_like(d.qvel) + m.actuator_gainprm[10 * u + 1]
    if m.act_slot[5 * u + CURRENT] >= 0:
        return K
    return K / positive(resistance(m, d, u))


@kernel
def drive_motors(m, d):
    """Let the last activation drive a DC motor, as it will be after the step.

    Reads: act, act_dot, actuator_velocity.
    Writes: act_drive.
    """
    if m.opt_disableflags[0] & DSBL_ACTUATION:
        return
    for u in range(m.nu):
        if m.act_driven[u] and m.actuator_dyntype[u] == DYN_DCMOTOR:
            last = m.actuator_actadr[u] + m.actuator_actnum[u] - 1
            d.act_drive[u] = d.act[last]
            if m.actuator_actearly[u]:
                d.act_drive[u] = next_motor(m, d, u, last, d.act_dot[last])


@kernel
def project_motor_forces(m, d):
    """Limits of forces, then cogging and friction of DC motors, and the generalized force of all.

    Reads: actuator_force, actuator_length, act, act_dot, act_moment.
    Writes: actuator_force (N, N m), qfrc_actuator (N, N m).
    """
    if m.opt_disableflags[0] & DSBL_ACTUATION:
        return
    for u in range(m.nu):
        force, prm = d.actuator_force[u], 10 * u
        if m.actuator_forcelimited[u]:
            force = clamp(force, m.actuator_forcerange[2 * u], m.actuator_forcerange[2 * u + 1])
        if m.actuator_biastype[u] == BIAS_DCMOTOR and enabled(m, u):
            teeth, phase = m.actuator_biasprm[prm + 1], m.actuator_biasprm[prm + 2]
            turn = teeth * d.actuator_length[u] + phase
            force = force + m.actuator_biasprm[prm] * sin(turn)
            bristle = m.act_slot[5 * u + BRISTLE]
            if bristle >= 0:
                force = force - (
                    m.actuator_dynprm[prm + 5] * d.act[bristle]
                    + m.actuator_dynprm[prm + 6] * d.act_dot[bristle]
                )
        d.actuator_force[u] = force
    project(m, d, False)


@kernel
def advance_motors(m, d):
    """Activations of DC motors after the step.

    Reads: act_dot, actuator_velocity.
    Writes: act.
    """
    advance_by(m, d, d.act_dot)


@kernel
def rk4_finish_motors(m, d):
    """Activations of DC motors after the step, at the weighted mean of the rates of its stages.

    Reads: rk_act_dot, actuator_velocity.
    Writes: act.
    """
    advance_by(m, d, d.rk_act_dot)


@kernel
def advance_by(m, d, rates):
    """Move the activations of DC motors at given rates; groups that are off rest."""
    if m.opt_disableflags[0] & DSBL_ACTUATION:
        return
    zero = zero_like(d.act)
    for u in range(m.nu):
        if m.actuator_dyntype[u] == DYN_DCMOTOR:
            on = enabled(m, u)
            adr = m.actuator_actadr[u]
            for k in range(adr, adr + m.actuator_actnum[u]):
                d.act[k] = next_motor(m, d, u, k, rates[k] if on else zero)
