"""Readings of the past: sensors with delays, intervals or a history."""

from typing import TYPE_CHECKING

from ...simd.kernel import entry, kernel
from ...simd.lanes import get_lane, set_lane, zero_like
from ...simd.spatial import copy_elements
from ...tables.enums import (
    DSBL_SENSOR,
    SENS_PLUGIN,
    SENS_USER,
    STAGE_ACC,
    STAGE_POS,
)
from ..results.body_forces import rne_postconstraint
from ..smooth.delay_buffers import insert_sample, read_history
from .sleeping import disturbed
from .tables import READ_PAST

if TYPE_CHECKING:
    # set in each variant
    FIRST, LAST = STAGE_POS, STAGE_ACC


@kernel
def read_past(m, d):
    """Put aside the present readings of sensors with a history; deliver the past where due.

    Of sensors that need stages in a range (mjtStage).

    Reads: history, time.
    Writes: sensordata, sense_fresh, sense_times.
    """
    for sensor in range(m.nsensor):
        n, stage = m.sensor_history[2 * sensor], m.sensor_needstage[sensor]
        if n > 0 and stage >= FIRST and stage <= LAST:
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
    """True if a sensor reads at a time: always without an interval."""
    interval = get_lane(d.sense_times, 1, lane)
    return interval <= 0.0 or get_lane(d.history, buffer, lane) + interval <= time


@kernel
def remember(m, d):
    """Append readings that are due to the histories of their sensors, before a step is made.

    Those without delay are remembered as users see them: of sleeping trees, as they were.

    Reads: time, sense_fresh, sensordata.
    Writes: history, sense_times.
    """
    for sensor in range(m.nsensor):
        n = m.sensor_history[2 * sensor]
        if n > 0:
            load_times(m, d, sensor)
            for lane in range(m.width):
                remember_reading(m, d, sensor, n, lane)


@kernel
def remember_reading(m, d, sensor, n, lane):
    """Append the reading of a sensor in one world to its history, if it is due."""
    time, delay = get_lane(d.time, 0, lane), get_lane(d.sense_times, 0, lane)
    interval, buffer = get_lane(d.sense_times, 1, lane), m.sensor_historyadr[sensor]
    dim, adr = m.sensor_dim[sensor], m.sensor_adr[sensor]
    if is_due(d, buffer, time, lane):
        if interval > 0.0:
            set_lane(d.history, buffer, lane, get_lane(d.history, buffer, lane) + interval)
        target = insert_sample(d, buffer, n, dim, time, lane)
        for i in range(dim):
            fresh = get_lane(d.sense_fresh, adr + i, lane)
            value = fresh if delay > 0.0 else get_lane(d.sensordata, adr + i, lane)
            set_lane(d.history, target + i, lane, value)


@kernel
def hide_readings(m, d):
    """Put aside what users see, before delayed sensors are read for the future alone.

    Reads: sensordata.
    Writes: sense_now.
    """
    copy_elements(d.sense_now, d.sensordata, m.nsensordata)


@kernel
def show_readings(m, d):
    """Put aside what delayed sensors read for the future; users see what they saw.

    Reads: sense_now.
    Writes: sense_fresh, sensordata.
    """
    copy_elements(d.sense_fresh, d.sensordata, m.nsensordata)
    copy_elements(d.sensordata, d.sense_now, m.nsensordata)


@kernel
def body_forces_once(m, d):
    """Accelerations and forces of bodies, in worlds where no sensor has needed them so far.

    What a sensor needed after forward dynamics is not computed again after the stages of RK4.

    Reads: cacc, cfrc_int, cfrc_ext, time, history, xfrc_applied, xpos, xipos, xmat, site_xpos,
        subtree_com, con_pos, con_frame, block_*, row_force, cdof, cdof_dot, cvel, cinert, qvel,
        qacc.
    Writes: cacc, cfrc_int, cfrc_ext, past_cacc, past_cfrc_int, past_cfrc_ext, sense_times.
    """
    n = 6 * m.nbody
    copy_elements(d.past_cacc, d.cacc, n)
    copy_elements(d.past_cfrc_int, d.cfrc_int, n)
    copy_elements(d.past_cfrc_ext, d.cfrc_ext, n)
    rne_postconstraint(m, d)
    for lane in range(m.width):
        if knows_forces(m, d, lane):
            for k in range(n):
                set_lane(d.cacc, k, lane, get_lane(d.past_cacc, k, lane))
                set_lane(d.cfrc_int, k, lane, get_lane(d.past_cfrc_int, k, lane))
                set_lane(d.cfrc_ext, k, lane, get_lane(d.past_cfrc_ext, k, lane))


@kernel
def knows_forces(m, d, lane):
    """True if a sensor of one world has needed accelerations of bodies after forward dynamics."""
    if m.opt_disableflags[0] & DSBL_SENSOR:
        return False
    for sensor in range(m.nsensor):
        # those of plugins and users are theirs to fill in, whenever that is
        given = m.sensor_type[sensor] == SENS_PLUGIN or m.sensor_type[sensor] == SENS_USER
        if m.sensor_forces[sensor] and (given or was_read(m, d, sensor, lane)):
            return True
    return False


@kernel
def was_read(m, d, sensor, lane):
    """True if a sensor was read after forward dynamics: awake, not delayed, and due."""
    if m.nsenserest > 0 and m.sensor_rests[sensor] and not disturbed(m, d, sensor):
        return False
    if m.sensor_history[2 * sensor] <= 0:
        return True
    load_times(m, d, sensor)
    time, delay = get_lane(d.time, 0, lane), get_lane(d.sense_times, 0, lane)
    return delay <= 0.0 and is_due(d, m.sensor_historyadr[sensor], time, lane)


# kernels of stages, by the first and the last stage that is read
for (_first, _last), _name in READ_PAST.items():
    entry(globals(), _name, read_past, FIRST=_first, LAST=_last)
