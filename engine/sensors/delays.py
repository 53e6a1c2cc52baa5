"""Readings of the past: sensors with delays, intervals or a history."""

from ..history import insert_sample, read_history
from ..kernel import kernel
from ..lanes import get_lane, set_lane, zero_like


@kernel
def read_past(m, d):
    """Put aside the present readings of sensors with a history; deliver the past where due.

    Reads: history, time.
    Writes: sensordata, sense_fresh, sense_times.
    """
    for sensor in range(m.nsensor):
        n = m.sensor_history[2 * sensor]
        if n > 0:
            adr = m.sensor_adr[sensor]
            for i in range(adr, adr + m.sensor_dim[sensor]):
                d.sense_fresh[i] = d.sensordata[i]
            load_times(m, d, sensor)
            for lane in range(m.width):
                deliver_past(m, d, sensor, n, adr, lane)


@kernel
def load_times(m, d, sensor):
    """Delay and interval of a sensor in every world.

    Writes: sense_times (s).
    """
    zero = zero_like(d.time)
    d.sense_times[0] = zero + m.sensor_delay[sensor]
    d.sense_times[1] = zero + m.sensor_interval[2 * sensor]


@kernel
def deliver_past(m, d, sensor, n, adr, lane):
    """Replace the reading of a sensor in one world if it is delayed or not due yet."""
    time, delay = get_lane(d.time, 0, lane), get_lane(d.sense_times, 0, lane)
    dim, order = m.sensor_dim[sensor], m.sensor_history[2 * sensor + 1]
    buffer = m.sensor_historyadr[sensor]
    if delay > 0.0 or not is_due(d, buffer, time, lane):
        for i in range(dim):
            value = read_history(d, buffer, n, dim, i, order, time - delay, lane)
            set_lane(d.sensordata, adr + i, lane, value)


@kernel
def is_due(d, buffer, time, lane):
    """Whether a sensor reads at a time: always without an interval."""
    interval = get_lane(d.sense_times, 1, lane)
    return interval <= 0.0 or get_lane(d.history, buffer, lane) + interval <= time


@kernel
def remember(m, d):
    """Append readings that are due to the histories of their sensors, before a step is made.

    Reads: time, sense_fresh.
    Writes: history, sense_times.
    """
    for sensor in range(m.nsensor):
        n = m.sensor_history[2 * sensor]
        if n > 0:
            load_times(m, d, sensor)
            buffer, dim, adr = (
                m.sensor_historyadr[sensor],
                m.sensor_dim[sensor],
                m.sensor_adr[sensor],
            )
            for lane in range(m.width):
                time, interval = get_lane(d.time, 0, lane), get_lane(d.sense_times, 1, lane)
                if is_due(d, buffer, time, lane):
                    if interval > 0.0:
                        last = get_lane(d.history, buffer, lane)
                        set_lane(d.history, buffer, lane, last + interval)
                    target = insert_sample(d, buffer, n, dim, time, lane)
                    for i in range(dim):
                        value = get_lane(d.sense_fresh, adr + i, lane)
                        set_lane(d.history, target + i, lane, value)
