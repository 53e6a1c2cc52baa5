"""The last steps of a reading on its way to sensordata."""

from ...simd.kernel import kernel
from ...simd.lanes import lane_any, select
from ...tables.enums import DATATYPE_POSITIVE, DATATYPE_REAL


@kernel
def put(m, d, sensor, k, value):
    """Store value k of a sensor, kept within its cutoff if it has one."""
    cutoff, kind = m.sensor_cutoff[sensor], m.sensor_datatype[sensor]
    if lane_any(cutoff > 0.0) and kind <= DATATYPE_POSITIVE:
        value = select((cutoff > 0.0) & (value > cutoff), cutoff, value)
        if kind == DATATYPE_REAL:
            value = select((cutoff > 0.0) & (value < -cutoff), -cutoff, value)
    d.sensordata[m.sensor_adr[sensor] + k] = value


@kernel
def put3(m, d, sensor, vector):
    """Store the three values of a sensor."""
    put(m, d, sensor, 0, vector[0])
    put(m, d, sensor, 1, vector[1])
    put(m, d, sensor, 2, vector[2])


@kernel
def put4(m, d, sensor, quat):
    """Store the four values of a sensor; orientations have no cutoff."""
    adr = m.sensor_adr[sensor]
    d.sensordata[adr] = quat[0]
    d.sensordata[adr + 1] = quat[1]
    d.sensordata[adr + 2] = quat[2]
    d.sensordata[adr + 3] = quat[3]
