"""Sensors of subtrees and of whole models: momenta, energies, time, what users fill in."""

from ...enums import (
    SENS_CLOCK,
    SENS_E_KINETIC,
    SENS_E_POTENTIAL,
    SENS_SUBTREEANGMOM,
    SENS_SUBTREECOM,
    SENS_SUBTREELINVEL,
    SENS_USER,
)
from ...simd.kernel import kernel
from ...simd.lanes import load3, zero_like
from .write import put, put3


@kernel
def subtreecom(m, d):
    """Centers of mass of subtrees.

    Reads: subtree_com.
    Writes: sensordata (m).
    """
    for k in range(m.sensor_typeadr[SENS_SUBTREECOM], m.sensor_typeadr[SENS_SUBTREECOM + 1]):
        sensor = m.sensor_order[k]
        put3(m, d, sensor, load3(d.subtree_com, m.sensor_objid[sensor]))


@kernel
def subtreelinvel(m, d):
    """Velocities of the centers of mass of subtrees.

    Reads: subtree_linvel.
    Writes: sensordata (m/s).
    """
    for k in range(m.sensor_typeadr[SENS_SUBTREELINVEL], m.sensor_typeadr[SENS_SUBTREELINVEL + 1]):
        sensor = m.sensor_order[k]
        put3(m, d, sensor, load3(d.subtree_linvel, m.sensor_objid[sensor]))


@kernel
def subtreeangmom(m, d):
    """Angular momenta of subtrees about their centers of mass.

    Reads: subtree_angmom.
    Writes: sensordata (kg m^2/s).
    """
    for k in range(m.sensor_typeadr[SENS_SUBTREEANGMOM], m.sensor_typeadr[SENS_SUBTREEANGMOM + 1]):
        sensor = m.sensor_order[k]
        put3(m, d, sensor, load3(d.subtree_angmom, m.sensor_objid[sensor]))


@kernel
def potential(m, d):
    """Potential energy.

    Reads: energy.
    Writes: sensordata (J).
    """
    for k in range(m.sensor_typeadr[SENS_E_POTENTIAL], m.sensor_typeadr[SENS_E_POTENTIAL + 1]):
        put(m, d, m.sensor_order[k], 0, d.energy[0])


@kernel
def kinetic(m, d):
    """Kinetic energy.

    Reads: energy.
    Writes: sensordata (J).
    """
    for k in range(m.sensor_typeadr[SENS_E_KINETIC], m.sensor_typeadr[SENS_E_KINETIC + 1]):
        put(m, d, m.sensor_order[k], 0, d.energy[1])


@kernel
def clock(m, d):
    """Time.

    Reads: time.
    Writes: sensordata (s).
    """
    for k in range(m.sensor_typeadr[SENS_CLOCK], m.sensor_typeadr[SENS_CLOCK + 1]):
        put(m, d, m.sensor_order[k], 0, d.time[0])


@kernel
def user(m, d):
    """Readings that are the user's to fill in: zero.

    Writes: sensordata.
    """
    zero = zero_like(d.sensordata)
    for k in range(m.sensor_typeadr[SENS_USER], m.sensor_typeadr[SENS_USER + 1]):
        sensor = m.sensor_order[k]
        adr = m.sensor_adr[sensor]
        for i in range(adr, adr + m.sensor_dim[sensor]):
            d.sensordata[i] = zero
