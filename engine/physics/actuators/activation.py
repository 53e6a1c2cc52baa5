"""Activations: the state of actuators, how controls move it, and what it does to the force.

Documentation of MuJoCo, chapter Computation, section Actuation model. The dynamics of muscles and
DC motors are in modules of their own.
"""

from ...simd.elementary import exp
from ...simd.kernel import kernel
from ...simd.lanes import select, zero_like
from ...tables.enums import (
    COUNT_FAILED,
    DSBL_ACTUATION,
    DYN_DCMOTOR,
    DYN_FILTER,
    DYN_FILTEREXACT,
    DYN_INTEGRATOR,
    MINVAL,
)
from ..integrators.euler_rk4 import RK4_TIME, RK4_WEIGHT
from ..smooth.forces import clamp
from .force import enabled


@kernel
def linear_dynamics(m, d):
    """Integrators and filters.

    Reads: act_drive, act.
    Writes: act_dot (1/s).
    """
    if m.opt_disableflags[0] & DSBL_ACTUATION:
        return
    for u in range(m.nu):
        kind, last = m.actuator_dyntype[u], m.actuator_actadr[u] + m.actuator_actnum[u] - 1
        if kind == DYN_INTEGRATOR:
            d.act_dot[last] = d.act_drive[u]
        elif kind == DYN_FILTER or kind == DYN_FILTEREXACT:
            d.act_dot[last] = (d.act_drive[u] - d.act[last]) / positive(m.actuator_dynprm[10 * u])


@kernel
def positive(x):
    """x, but at least `MINVAL`."""
    return select(x > MINVAL, x, MINVAL)


@kernel
def drive_by_activation(m, d):
    """Let the activation drive the force, as it is or as it will be after the step (actearly).

    Reads: act, act_dot.
    Writes: act_drive.
    """
    if m.opt_disableflags[0] & DSBL_ACTUATION:
        return
    for u in range(m.nu):
        if m.act_driven[u] and m.actuator_dyntype[u] != DYN_DCMOTOR:
            last = m.actuator_actadr[u] + m.actuator_actnum[u] - 1
            d.act_drive[u] = d.act[last]
            if m.actuator_actearly[u]:
                d.act_drive[u] = next_activation(m, d, u, last, d.act_dot[last])


@kernel
def next_activation(m, d, u, k, rate):
    """Activation k after a step at a rate of change, within its limits (not of a DC motor)."""
    h = m.opt_timestep[0]
    if m.actuator_dyntype[u] == DYN_FILTEREXACT:
        act = d.act[k] + rate * settled(m.actuator_dynprm[10 * u], h)
    else:
        act = d.act[k] + rate * h
    if m.actuator_actlimited[u]:
        act = clamp(act, m.actuator_actrange[2 * u], m.actuator_actrange[2 * u + 1])
    return act


@kernel
def settled(tau, h):
    """Time for which a filter that decays exactly moves at its initial rate in a step (s)."""
    tau = positive(tau)
    return tau * (1.0 - exp(-h / tau))


@kernel
def advance_activation(m, d):
    """Activations after the step.

    Reads: act_dot.
    Writes: act.
    """
    advance(m, d, d.act_dot)


@kernel
def advance(m, d, rates):
    """Move all activations but those of DC motors at given rates; groups that are off rest."""
    if m.opt_disableflags[0] & DSBL_ACTUATION:
        return
    zero = zero_like(d.act)
    for u in range(m.nu):
        if m.actuator_dyntype[u] != DYN_DCMOTOR:
            on = enabled(m, u)
            adr = m.actuator_actadr[u]
            for k in range(adr, adr + m.actuator_actnum[u]):
                d.act[k] = next_activation(m, d, u, k, rates[k] if on else zero)


@kernel
def rk4_begin_activation(m, d):
    """Save activations, start the weighted sum of their rates, and go to the second stage.

    Reads: act, act_dot.
    Writes: rk_act, rk_act_dot, act.
    """
    zero = zero_like(d.act)
    for k in range(m.na):
        d.rk_act[k] = d.act[k]
        d.rk_act_dot[k] = zero
    rk4_advance_activation(m, d, 0)


@kernel
def rk4_second_activation(m, d):
    """From the second stage to the third.

    Reads: act_dot. Writes: rk_act_dot, act.
    """
    rk4_advance_activation(m, d, 1)


@kernel
def rk4_third_activation(m, d):
    """From the third stage to the fourth.

    Reads: act_dot. Writes: rk_act_dot, act.
    """
    rk4_advance_activation(m, d, 2)


@kernel
def rk4_advance_activation(m, d, stage):
    """Add the rates of one stage to the sum and go to the activations of the next one."""
    ahead = m.opt_timestep[0] * RK4_TIME[stage + 1]
    for k in range(m.na):
        d.rk_act_dot[k] = d.rk_act_dot[k] + RK4_WEIGHT[stage] * d.act_dot[k]
        d.act[k] = d.rk_act[k] + ahead * d.act_dot[k]


@kernel
def return_failed_activation(m, d):
    """Go back to the activations at the start of a step within which something has failed.

    Reads: rk_act.
    Writes: act.
    """
    if d.count[COUNT_FAILED]:
        for k in range(m.na):
            d.act[k] = d.rk_act[k]


@kernel
def rk4_finish_activation(m, d):
    """Activations after the step, at the weighted mean of the rates of its stages.

    Reads: rk_act, rk_act_dot, act_dot.
    Writes: rk_act_dot, act.
    """
    for k in range(m.na):
        d.rk_act_dot[k] = d.rk_act_dot[k] + RK4_WEIGHT[3] * d.act_dot[k]
        d.act[k] = d.rk_act[k]
    advance(m, d, d.rk_act_dot)
