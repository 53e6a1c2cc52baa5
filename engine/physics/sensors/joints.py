"""Sensors of joints, tendons and actuators: coordinates, rates, forces, limits."""

from ...simd.kernel import kernel
from ...simd.lanes import select, zero_like
from ...simd.spatial import normalize4
from ...tables.enums import (
    CNSTR_LIMIT_JOINT,
    CNSTR_LIMIT_TENDON,
    COUNT_BLOCK,
    TRN_TENDON,
)
from .write import put, put3, put4


@kernel
def jointpos(m, d, sensor):
    """Positions of slide and hinge joints.

    Reads: qpos.
    Writes: sensordata (m, rad).
    """
    put(m, d, sensor, 0, d.qpos[m.jnt_qposadr[m.sensor_objid[sensor]]])


@kernel
def jointvel(m, d, sensor):
    """Velocities of slide and hinge joints.

    Reads: qvel.
    Writes: sensordata (m/s, rad/s).
    """
    put(m, d, sensor, 0, d.qvel[m.jnt_dofadr[m.sensor_objid[sensor]]])


@kernel
def tendonpos(m, d, sensor):
    """Lengths of tendons.

    Reads: ten_length.
    Writes: sensordata (m).
    """
    put(m, d, sensor, 0, d.ten_length[m.sensor_objid[sensor]])


@kernel
def tendonvel(m, d, sensor):
    """Rates of change of tendon lengths.

    Reads: ten_velocity.
    Writes: sensordata (m/s).
    """
    put(m, d, sensor, 0, d.ten_velocity[m.sensor_objid[sensor]])


@kernel
def actuatorpos(m, d, sensor):
    """Lengths of actuators.

    Reads: actuator_length.
    Writes: sensordata (m, rad).
    """
    put(m, d, sensor, 0, d.actuator_length[m.sensor_objid[sensor]])


@kernel
def actuatorvel(m, d, sensor):
    """Rates of change of actuator lengths.

    Reads: actuator_velocity.
    Writes: sensordata (m/s, rad/s).
    """
    put(m, d, sensor, 0, d.actuator_velocity[m.sensor_objid[sensor]])


@kernel
def actuatorfrc(m, d, sensor):
    """Forces of actuators.

    Reads: actuator_force.
    Writes: sensordata (N, N m).
    """
    put(m, d, sensor, 0, d.actuator_force[m.sensor_objid[sensor]])


@kernel
def jointactuatorfrc(m, d, sensor):
    """Forces of all actuators on joints.

    Reads: qfrc_actuator.
    Writes: sensordata (N, N m).
    """
    put(m, d, sensor, 0, d.qfrc_actuator[m.jnt_dofadr[m.sensor_objid[sensor]]])


@kernel
def tendonactuatorfrc(m, d, sensor):
    """Forces of all actuators on tendons.

    Reads: actuator_force.
    Writes: sensordata (N).
    """
    ten, total = m.sensor_objid[sensor], zero_like(d.qvel)
    for u in range(m.nu):
        if m.actuator_trntype[u] == TRN_TENDON and m.actuator_trnid[2 * u] == ten:
            total = total + d.actuator_force[u]
    put(m, d, sensor, 0, total)


@kernel
def ballquat(m, d, sensor):
    """Orientations of ball joints.

    Reads: qpos.
    Writes: sensordata.
    """
    a = m.jnt_qposadr[m.sensor_objid[sensor]]
    quat = (d.qpos[a], d.qpos[a + 1], d.qpos[a + 2], d.qpos[a + 3])
    put4(m, d, sensor, normalize4(quat))


@kernel
def ballangvel(m, d, sensor):
    """Angular velocities of ball joints, in the frame of the moving body.

    Reads: qvel.
    Writes: sensordata (rad/s).
    """
    a = m.jnt_dofadr[m.sensor_objid[sensor]]
    put3(m, d, sensor, (d.qvel[a], d.qvel[a + 1], d.qvel[a + 2]))


# what a sensor of a limit tells of the constraint
LIMIT_POS, LIMIT_VEL, LIMIT_FORCE = range(3)


@kernel
def limit_reading(d, kind, ident, what):
    """Distance beyond the margin, velocity or force of the first active limit; 0: none is active.

    Args:
        kind: type of the constraint.
        ident: joint or tendon.
        what: one of the three.
    """
    found = zero_like(d.qvel)
    # lane by lane the first one counts: it is looked at last
    for b in range(d.count[COUNT_BLOCK] - 1, -1, -1):
        if d.block_type[b] == kind and d.block_id[b] == ident:
            if what == LIMIT_POS:
                value = d.block_pos[b] - d.block_margin[b]
            elif what == LIMIT_VEL:
                value = d.row_vel[d.block_row[b]]
            else:
                value = d.row_force[d.block_row[b]]
            found = select(d.block_D[b] > 0.0, value, found)
    return found


@kernel
def jointlimitpos(m, d, sensor):
    """Distances of joints to their limits, beyond the margin.

    Reads: block_*, count.
    Writes: sensordata (m, rad).
    """
    value = limit_reading(d, CNSTR_LIMIT_JOINT, m.sensor_objid[sensor], LIMIT_POS)
    put(m, d, sensor, 0, value)


@kernel
def jointlimitvel(m, d, sensor):
    """Velocities of joints away from their active limits.

    Reads: block_*, row_vel, count.
    Writes: sensordata (m/s, rad/s).
    """
    value = limit_reading(d, CNSTR_LIMIT_JOINT, m.sensor_objid[sensor], LIMIT_VEL)
    put(m, d, sensor, 0, value)


@kernel
def jointlimitfrc(m, d, sensor):
    """Forces of active limits of joints.

    Reads: block_*, row_force, count.
    Writes: sensordata (N, N m).
    """
    value = limit_reading(d, CNSTR_LIMIT_JOINT, m.sensor_objid[sensor], LIMIT_FORCE)
    put(m, d, sensor, 0, value)


@kernel
def tendonlimitpos(m, d, sensor):
    """Distances of tendon lengths to their limits, beyond the margin.

    Reads: block_*, count.
    Writes: sensordata (m).
    """
    value = limit_reading(d, CNSTR_LIMIT_TENDON, m.sensor_objid[sensor], LIMIT_POS)
    put(m, d, sensor, 0, value)


@kernel
def tendonlimitvel(m, d, sensor):
    """Velocities of tendon lengths away from their active limits.

    Reads: block_*, row_vel, count.
    Writes: sensordata (m/s).
    """
    value = limit_reading(d, CNSTR_LIMIT_TENDON, m.sensor_objid[sensor], LIMIT_VEL)
    put(m, d, sensor, 0, value)


@kernel
def tendonlimitfrc(m, d, sensor):
    """Forces of active limits of tendons.

    Reads: block_*, row_force, count.
    Writes: sensordata (N).
    """
    value = limit_reading(d, CNSTR_LIMIT_TENDON, m.sensor_objid[sensor], LIMIT_FORCE)
    put(m, d, sensor, 0, value)
