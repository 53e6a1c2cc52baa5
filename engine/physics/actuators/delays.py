"""Delayed controls: read from the past, and remembered for the future."""

from ...simd.kernel import kernel
from ...simd.lanes import get_lane, set_lane, zero_like
from ..smooth.delay_buffers import insert_sample, read_history
from .force import rest, take_controls


@kernel
def read_delayed_controls(m, d):
    """Clear the forces; take the controls, delayed ones from their past, within their limits.

    Reads: ctrl, history, time.
    Writes: act_past, act_delay, act_drive, act_dot, actuator_force, qfrc_actuator, warning_number,
        warning_lastinfo, count.
    """
    zero = zero_like(d.time)
    for u in range(m.nu):
        d.act_past[u] = d.ctrl[u]
        n, order = m.actuator_history[2 * u], m.actuator_history[2 * u + 1]
        if n > 0:
            d.act_delay[0] = zero + m.actuator_delay[u]
            for lane in range(m.width):
                delay = get_lane(d.act_delay, 0, lane)
                if delay != 0.0:
                    time, adr = get_lane(d.time, 0, lane) - delay, m.actuator_historyadr[u]
                    value = read_history(d, adr, n, 1, 0, order, time, lane)
                    set_lane(d.act_past, u, lane, value)
    if not take_controls(m, d, d.act_past):
        rest(m, d)


@kernel
def remember_controls(m, d):
    """Append the controls to their histories, before a step is made.

    Reads: ctrl, time.
    Writes: history.
    """
    append_controls(m, d, d.time)


@kernel
def rk4_remember_controls(m, d):
    """Append the controls to their histories, after all stages of a step have read these.

    Reads: ctrl, rk_time.
    Writes: history.
    """
    append_controls(m, d, d.rk_time)


@kernel
def append_controls(m, d, times):
    """Append the controls of a time."""
    for u in range(m.nu):
        n = m.actuator_history[2 * u]
        if n > 0:
            for lane in range(m.width):
                time, adr = get_lane(times, 0, lane), m.actuator_historyadr[u]
                place = insert_sample(d, adr, n, 1, time, lane)
                set_lane(d.history, place, lane, get_lane(d.ctrl, u, lane))
