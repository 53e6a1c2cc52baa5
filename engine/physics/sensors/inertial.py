"""Sensors mounted at sites: accelerometer, velocimeter, gyro, magnetometer, force and torque."""

from ...simd.kernel import kernel
from ...simd.lanes import load3, load6, load9
from ...simd.spatial import cross, mul_matT3, sub3
from ..smooth.objects import object_acceleration, object_velocity
from .write import put3


@kernel
def accelerometer(m, d, sensor):
    """Linear accelerations of sites in their own frames, gravity included as a push upwards.

    Reads: cacc, cvel, subtree_com, site_xpos, site_xmat.
    Writes: sensordata (m/s^2).
    """
    site = m.sensor_objid[sensor]
    acc = object_acceleration(m, d, m.site_bodyid[site], load3(d.site_xpos, site))
    put3(m, d, sensor, mul_matT3(load9(d.site_xmat, site), (acc[3], acc[4], acc[5])))


@kernel
def velocimeter(m, d, sensor):
    """Linear velocities of sites in their own frames.

    Reads: cvel, subtree_com, site_xpos, site_xmat.
    Writes: sensordata (m/s).
    """
    site = m.sensor_objid[sensor]
    vel = object_velocity(m, d, m.site_bodyid[site], load3(d.site_xpos, site))
    put3(m, d, sensor, mul_matT3(load9(d.site_xmat, site), (vel[3], vel[4], vel[5])))


@kernel
def gyro(m, d, sensor):
    """Angular velocities of sites in their own frames.

    Reads: cvel, subtree_com, site_xpos, site_xmat.
    Writes: sensordata (rad/s).
    """
    site = m.sensor_objid[sensor]
    vel = object_velocity(m, d, m.site_bodyid[site], load3(d.site_xpos, site))
    put3(m, d, sensor, mul_matT3(load9(d.site_xmat, site), (vel[0], vel[1], vel[2])))


@kernel
def magnetometer(m, d, sensor):
    """The magnetic flux in the frames of sites.

    Reads: site_xmat.
    Writes: sensordata (T).
    """
    mat = load9(d.site_xmat, m.sensor_objid[sensor])
    put3(m, d, sensor, mul_matT3(mat, load3(m.opt_magnetic, 0)))


@kernel
def force(m, d, sensor):
    """Forces from children to parents, in the frames of sites of the children.

    Reads: cfrc_int, site_xmat.
    Writes: sensordata (N).
    """
    site = m.sensor_objid[sensor]
    wrench = load6(d.cfrc_int, m.site_bodyid[site])
    pull = (wrench[3], wrench[4], wrench[5])
    put3(m, d, sensor, mul_matT3(load9(d.site_xmat, site), pull))


@kernel
def torque(m, d, sensor):
    """Torques from children to parents about sites of the children, in the frames of these.

    Reads: cfrc_int, subtree_com, site_xpos, site_xmat.
    Writes: sensordata (N m).
    """
    site = m.sensor_objid[sensor]
    body = m.site_bodyid[site]
    wrench = load6(d.cfrc_int, body)
    shift = sub3(load3(d.site_xpos, site), load3(d.subtree_com, m.body_rootid[body]))
    lever = cross(shift, (wrench[3], wrench[4], wrench[5]))
    moment = sub3((wrench[0], wrench[1], wrench[2]), lever)
    put3(m, d, sensor, mul_matT3(load9(d.site_xmat, site), moment))
