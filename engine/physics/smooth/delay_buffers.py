"""Delay buffers: past values of controls and sensors, and readings between them.

A buffer of n samples of dim values takes 2 + n + n*dim elements of `history`: a number of its
user's (of a sensor with an interval: when it was last due), the place of the newest sample, n times
and n samples. Samples lie in a ring: the oldest one stands behind the newest. Worlds advance on
their own, so that buffers are read and written lane by lane.
"""

from typing import TYPE_CHECKING

import numpy as np

from ...simd.kernel import kernel
from ...simd.lanes import get_lane, set_lane
from ...tables.enums import MINVAL

if TYPE_CHECKING:
    from ...model.model import Model

ZERO_ORDER_HOLD, LINEAR = range(2)  # how readings between samples are found; else by cubic splines


@kernel
def ring_place(d, adr, n, k, lane):
    """Place of the k-th sample of a buffer, counted from the oldest."""
    return (int(get_lane(d.history, adr + 1, lane)) + 1 + k) % n


@kernel
def sample_time(d, adr, n, k, lane):
    """Time of the k-th sample of a buffer (s)."""
    return get_lane(d.history, adr + 2 + ring_place(d, adr, n, k, lane), lane)


@kernel
def find_sample(d, adr, n, time, lane):
    """Number of samples of a buffer that are older than a time (s)."""
    if time <= sample_time(d, adr, n, 0, lane):
        return 0
    if time > sample_time(d, adr, n, n - 1, lane):
        return n
    low, high = 0, n - 1
    while high - low > 1:
        middle = (low + high) // 2
        if sample_time(d, adr, n, middle, lane) < time:
            low = middle
        else:
            high = middle
    return high


@kernel
def sample_value(d, adr, n, dim, k, i, lane):
    """Value i of the k-th sample of a buffer."""
    place = ring_place(d, adr, n, k, lane)
    return get_lane(d.history, adr + 2 + n + place * dim + i, lane)


@kernel
def read_history(d, adr, n, dim, i, order, time, lane):
    """Value i of a buffer at a time, in one world.

    Before the oldest and after the newest sample their values hold.

    Args:
        d: data.
        adr: first element of the buffer.
        n: number of samples.
        dim: values of a sample.
        i: which value.
        order: `ZERO_ORDER_HOLD`, `LINEAR`, or cubic.
        time: when (s).
        lane: which world.
    """
    # before the first sample and after the last one
    if time <= sample_time(d, adr, n, 0, lane) + MINVAL:
        return sample_value(d, adr, n, dim, 0, i, lane)
    if time >= sample_time(d, adr, n, n - 1, lane) - MINVAL:
        return sample_value(d, adr, n, dim, n - 1, i, lane)
    # samples on both sides
    k = find_sample(d, adr, n, time, lane)
    after, end = sample_value(d, adr, n, dim, k, i, lane), sample_time(d, adr, n, k, lane)
    if abs(time - end) < MINVAL:
        return after
    before = sample_value(d, adr, n, dim, k - 1, i, lane)
    start = sample_time(d, adr, n, k - 1, lane)
    if order == ZERO_ORDER_HOLD:
        return before
    x = (time - start) / (end - start)
    if order == LINEAR:
        return before + x * (after - before)
    # Hermite's cubic; slopes from the neighbours on both sides, zero at the ends
    slope1 = slope2 = 0.0
    if k > 1:
        rise = after - sample_value(d, adr, n, dim, k - 2, i, lane)
        slope1 = rise / (end - sample_time(d, adr, n, k - 2, lane))
    if k < n - 1:
        rise = sample_value(d, adr, n, dim, k + 1, i, lane) - before
        slope2 = rise / (sample_time(d, adr, n, k + 1, lane) - start)
    # basis functions
    x2 = x * x
    x3 = x2 * x
    turn1, turn2 = (end - start) * slope1, (end - start) * slope2
    value = (2.0 * x3 - 3.0 * x2 + 1.0) * before + (x3 - 2.0 * x2 + x) * turn1
    return value + (3.0 * x2 - 2.0 * x3) * after + (x3 - x2) * turn2


@kernel
def insert_sample(d, adr, n, dim, time, lane):
    """Make room for the sample of a time in one world; the oldest one goes.

    Returns:
        First of the dim elements of `history` that take its values.
    """
    k = find_sample(d, adr, n, time, lane)
    if k < n and abs(time - sample_time(d, adr, n, k, lane)) < MINVAL:
        return adr + 2 + n + ring_place(d, adr, n, k, lane) * dim
    if k == n:
        # the oldest one becomes the newest
        place = ring_place(d, adr, n, 0, lane)
        set_lane(d.history, adr + 1, lane, 1.0 * place)
    else:
        # out of order: what is older moves towards the oldest
        for j in range(k - 1):
            move_sample(d, adr, n, dim, j + 1, j, lane)
        place = ring_place(d, adr, n, max(k - 1, 0), lane)
    set_lane(d.history, adr + 2 + place, lane, time)
    return adr + 2 + n + place * dim


@kernel
def move_sample(d, adr, n, dim, source, target, lane):
    """Copy one sample of a buffer over another."""
    place = ring_place(d, adr, n, target, lane)
    set_lane(d.history, adr + 2 + place, lane, sample_time(d, adr, n, source, lane))
    for i in range(dim):
        value = sample_value(d, adr, n, dim, source, i, lane)
        set_lane(d.history, adr + 2 + n + place * dim + i, lane, value)


def initial_history(model: "Model") -> np.ndarray:
    """Buffers at time 0: samples of zeros at the steps, or intervals, before it.

    Returns:
        (nhistory,).

    Raises:
        ValueError: the time step is not positive.
    """
    history, dt = np.zeros(model.nhistory), model.opt.timestep
    if model.nhistory and dt <= 0:
        raise ValueError(f"Data: option timestep={dt}: delay buffers expect a positive one")
    for n, adr in zip(model.actuator_history[:, 0], model.actuator_historyadr, strict=True):
        if n > 0:
            history[adr + 1] = n - 1
            history[adr + 2 : adr + 2 + n] = -(n - np.arange(n)) * dt
    for sensor in np.flatnonzero(model.sensor_history[:, 0] > 0):
        n, adr = model.sensor_history[sensor, 0], model.sensor_historyadr[sensor]
        period, phase = model.sensor_interval[sensor]
        times, last = -(n - np.arange(n)) * dt, -dt
        if period > 0:
            # the first reading falls due at the phase; times lie on steps
            last = phase if phase else -period
            times = np.ceil((last - (n - 1 - np.arange(n)) * period) / dt) * dt
        history[adr : adr + 2] = last, n - 1
        history[adr + 2 : adr + 2 + n] = times
    return history
