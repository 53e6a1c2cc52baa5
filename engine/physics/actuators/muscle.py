"""Muscles: activation with two time constants, force by length and velocity.

Documentation of MuJoCo, chapter Modeling, section Muscles; time constants after Millard et al.,
Flexing computational muscle (2013).
"""

from ...simd.kernel import kernel
from ...simd.lanes import select
from ...tables.enums import BIAS_MUSCLE, DSBL_ACTUATION, DYN_MUSCLE, GAIN_MUSCLE, MINVAL
from ..smooth.forces import clamp
from .activation import positive
from .force import enabled


@kernel
def muscle_dynamics(m, d):
    """Rates of muscle activations.

    Reads: act_drive, act.
    Writes: act_dot (1/s).
    """
    if m.opt_disableflags[0] & DSBL_ACTUATION:
        return
    for u in range(m.nu):
        if m.actuator_dyntype[u] == DYN_MUSCLE:
            last = m.actuator_actadr[u] + m.actuator_actnum[u] - 1
            prm, act = 10 * u, d.act[last]
            excess = clamp(d.act_drive[u], 0.0, 1.0) - act
            slowness = 0.5 + 1.5 * clamp(act, 0.0, 1.0)
            rise, fall = m.actuator_dynprm[prm] * slowness, m.actuator_dynprm[prm + 1] / slowness
            width = m.actuator_dynprm[prm + 2]
            hard = width < MINVAL
            share = smooth_step(excess / select(hard, 1.0, width) + 0.5)
            tau = select(hard, select(excess > 0.0, rise, fall), fall + (rise - fall) * share)
            d.act_dot[last] = excess / positive(tau)


@kernel
def smooth_step(x):
    """From 0 to 1 over 0..1, with two derivatives that vanish at the ends."""
    x = clamp(x, 0.0, 1.0)
    return x * x * x * (3.0 * x * (2.0 * x - 5.0) + 10.0)


@kernel
def muscle_forces(m, d):
    """Active and passive forces of muscles.

    Reads: act_drive, actuator_length, actuator_velocity.
    Writes: actuator_force (N).
    """
    if m.opt_disableflags[0] & DSBL_ACTUATION:
        return
    for u in range(m.nu):
        if enabled(m, u):
            if m.actuator_gaintype[u] == GAIN_MUSCLE:
                d.actuator_force[u] = d.actuator_force[u] + muscle_gain(m, d, u) * d.act_drive[u]
            if m.actuator_biastype[u] == BIAS_MUSCLE:
                d.actuator_force[u] = d.actuator_force[u] + muscle_bias(m, d, u)


@kernel
def peak_force(m, prm, u):
    """Largest active force at rest: given, or scaled by what a unit force accelerates (N)."""
    force = prm[10 * u + 2]
    return select(force < 0.0, prm[10 * u + 3] / positive(m.actuator_acc0[u]), force)


@kernel
def optimal_length(m, prm, u):
    """Length at which the active force is largest (m)."""
    reach = m.actuator_lengthrange[2 * u + 1] - m.actuator_lengthrange[2 * u]
    return reach / positive(prm[10 * u + 1] - prm[10 * u])


@kernel
def relative_length(m, d, prm, u):
    """Length of a muscle; 1: optimal."""
    over = d.actuator_length[u] - m.actuator_lengthrange[2 * u]
    return prm[10 * u] + over / positive(optimal_length(m, prm, u))


@kernel
def muscle_gain(m, d, u):
    """Active force by unit activation (N), negative: it pulls."""
    prm = m.actuator_gainprm
    stretch = prm[10 * u + 8]
    speed = d.actuator_velocity[u] / positive(optimal_length(m, prm, u) * prm[10 * u + 6])
    span = stretch - 1.0
    near, far = speed + 1.0, span - speed
    by_velocity = select(speed <= span, stretch - far * far / positive(span), stretch)
    by_velocity = select(speed <= 0.0, near * near, by_velocity)
    by_velocity = select(speed <= -1.0, 0.0, by_velocity)
    by_length = length_curve(relative_length(m, d, prm, u), prm[10 * u + 4], prm[10 * u + 5])
    return -peak_force(m, prm, u) * by_length * by_velocity


@kernel
def length_curve(x, low, high):
    """Active force by length: parabolas from 0 at `low` to 1 at the optimum and 0 at `high`."""
    a, b = 0.5 * (low + 1.0), 0.5 * (1.0 + high)
    rise, top = (x - low) / positive(a - low), (1.0 - x) / positive(1.0 - a)
    over, fall = (x - 1.0) / positive(b - 1.0), (high - x) / positive(high - b)
    value = select(x <= b, 1.0 - 0.5 * over * over, 0.5 * fall * fall)
    value = select(x <= 1.0, 1.0 - 0.5 * top * top, value)
    value = select(x <= a, 0.5 * rise * rise, value)
    return select((x >= low) & (x <= high), value, 0.0)


@kernel
def muscle_bias(m, d, u):
    """Passive force (N), negative: it pulls; quadratic from the optimal length, later linear."""
    prm = m.actuator_biasprm
    x, b = relative_length(m, d, prm, u), 0.5 * (1.0 + prm[10 * u + 5])
    peak = peak_force(m, prm, u) * prm[10 * u + 7]
    near, far = (x - 1.0) / positive(b - 1.0), (x - b) / positive(b - 1.0)
    pull = select(x <= b, peak * 0.5 * near * near, peak * (0.5 + far))
    return select(x <= 1.0, 0.0, -pull)
