"""Sensors of subtrees and of whole models: momenta, energies, time, what users fill in."""

from ...simd.kernel import kernel
from ...simd.lanes import load3, zero_like
from .write import put, put3


@kernel
def subtreecom(m, d, sensor):
    """Centers of mass of subtrees.

    Reads: subtree_com.
    Writes: sensordata (m).
    """
    put3(m, d, sensor, load3(d.subtree_com, m.sensor_objid[sensor]))


@kernel
def subtreelinvel(m, d, sensor):
    """Velocities of the centers of mass of subtrees.

    Reads: subtree_linvel.
    Writes: sensordata (m/s).
    """
    put3(m, d, sensor, load3(d.subtree_linvel, m.sensor_objid[sensor]))


@kernel
def subtreeangmom(m, d, sensor):
    """Angular momenta of subtrees about their centers of mass.

    Reads: subtree_angmom.
    Writes: sensordata (kg m^2/s).
    """
    put3(m, d, sensor, load3(d.subtree_angmom, m.sensor_objid[sensor]))


@kernel
def e_potential(m, d, sensor):
    """Potential energy.

    Reads: energy.
    Writes: sensordata (J).
    """
    put(m, d, sensor, 0, d.energy[0])


@kernel
def e_kinetic(m, d, sensor):
    """Kinetic energy.

    Reads: energy.
    Writes: sensordata (J).
    """
    put(m, d, sensor, 0, d.energy[1])


@kernel
def clock(m, d, sensor):
    """Time.

    Reads: time.
    Writes: sensordata (s).
    """
    put(m, d, sensor, 0, d.time[0])


@kernel
def user(m, d, sensor):
    """Readings that are the user's to fill in: zero.

    Writes: sensordata.
    """
    zero = zero_like(d.sensordata)
    adr = m.sensor_adr[sensor]
    for i in range(adr, adr + m.sensor_dim[sensor]):
        d.sensordata[i] = zero
