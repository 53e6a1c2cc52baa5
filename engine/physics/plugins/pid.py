"""mujoco.pid: controllers with an integral, and with bounds on how fast the set point may move.

Documentation of MuJoCo, plugin/actuator/README. Among the activations of an actuator come first
the integral of the error, then the set point of the step before, then what the type of its dynamics
has.
"""

from ...simd.kernel import kernel
from ...simd.lanes import reals_at, select, zero_like
from ...tables.enums import DSBL_ACTUATION, DYN_NONE
from ...tables.plugin_kinds import PID
from ..actuators.activation import next_activation
from ..smooth.forces import clamp
from .tables import IMAX, KD, KI, KP, SLEW


@kernel
def pid_dynamics(m, d):
    """Rates of the integral and of the set point.

    Reads: plugin, ctrl, act, act_dot, actuator_length, time.
    Writes: act_dot (1/s).
    """
    if m.opt_disableflags[0] & DSBL_ACTUATION:
        return
    for u in range(m.nu):
        instance = m.actuator_plugin[u]
        if instance >= 0 and m.plugin[instance] == PID:
            prm, h = reals_at(m.plug_address[instance]), m.opt_timestep[0]
            goal = set_point(m, d, u, prm, False)
            k = m.actuator_actadr[u]
            if prm[KI] != 0.0:
                integral = integrate(m, d, u, prm, goal - d.actuator_length[u])
                d.act_dot[k] = (integral - d.act[k]) / h
                k += 1
            if prm[SLEW] >= 0.0:
                d.act_dot[k] = (goal - d.act[k]) / h


@kernel
def pid_forces(m, d):
    """Forces of controllers, in place of gains and biases.

    Reads: plugin, ctrl, act, act_dot, actuator_length, actuator_velocity, time.
    Writes: actuator_force (N, N m).
    """
    if m.opt_disableflags[0] & DSBL_ACTUATION:
        return
    for u in range(m.nu):
        instance = m.actuator_plugin[u]
        if instance >= 0 and m.plugin[instance] == PID:
            prm = reals_at(m.plug_address[instance])
            goal = set_point(m, d, u, prm, m.actuator_actearly[u])
            error = goal - d.actuator_length[u]
            # rate of the error, of which the set point has one where it is an activation
            rate = zero_like(d.qvel)
            if m.actuator_dyntype[u] != DYN_NONE:
                rate = d.act_dot[m.actuator_actadr[u] + m.actuator_actnum[u] - 1]
            rate = rate - d.actuator_velocity[u]
            # integral of the error
            integral = zero_like(d.qvel)
            if prm[KI] != 0.0:
                integral = integrate(m, d, u, prm, error)
            d.actuator_force[u] = prm[KP] * error + prm[KD] * rate + prm[KI] * integral


@kernel
def set_point(m, d, u, prm, early):
    """Set point of a controller: its control or activation, no faster than it may move.

    Args:
        early: whether to take the activation after the step.
    """
    goal = d.ctrl[u]
    if m.actuator_dyntype[u] == DYN_NONE:
        if m.actuator_ctrllimited[u]:
            goal = clamp(goal, m.actuator_ctrlrange[2 * u], m.actuator_ctrlrange[2 * u + 1])
    else:
        k = m.actuator_actadr[u] + m.actuator_actnum[u] - 1
        goal = d.act[k]
        if early:
            goal = next_activation(m, d, u, k, d.act_dot[k])
    if prm[SLEW] >= 0.0:
        before = d.act[m.actuator_actadr[u] + (1 if prm[KI] != 0.0 else 0)]
        reach = prm[SLEW] * m.opt_timestep[0]
        goal = select(d.time[0] > 0.0, clamp(goal, before - reach, before + reach), goal)
    return goal


@kernel
def integrate(m, d, u, prm, error):
    """Integral of the error after the step, within its bounds."""
    integral = d.act[m.actuator_actadr[u]] + error * m.opt_timestep[0]
    return clamp(integral, -prm[IMAX], prm[IMAX])
