"""Inertia along tendons (armature): it weighs on every dof that changes the length.

A tendon of length L with inertia a has the kinetic energy a (dL/dt)^2 / 2. With J the gradient of
L, this adds a J'J to the inertia matrix and a J' (dJ/dt qvel) to the bias force.
"""

from ...simd.kernel import kernel
from ...simd.lanes import lane_any, load3, select, zero_like
from ...simd.spatial import dot3, normalize3, sub3
from ...tables.enums import MINVAL, TRN_TENDON, WRAP_JOINT, WRAP_PULLEY
from .inertia import add_outer
from .objects import object_velocity, point_bias


@kernel
def armature_of(m, ten):
    """Inertia of a tendon and of the actuators that pull on it (kg)."""
    armature = 1.0 * m.tendon_armature[ten]
    if m.tendon_actuatorid[ten] != -1:
        for u in range(m.nu):
            if m.actuator_trntype[u] == TRN_TENDON and m.actuator_trnid[2 * u] == ten:
                gear = m.actuator_gear[6 * u]
                armature = armature + m.actuator_armature[u] * (gear * gear)
    return armature


@kernel
def tendon_armature(m, d):
    """Add the inertia of tendons where the inertia matrix has an element for it.

    Reads: ten_J.
    Writes: M, ten_row.
    """
    for ten in range(m.ntendon):
        armature = armature_of(m, ten)
        if lane_any(armature != 0.0):
            adr, n = m.ten_J_rowadr[ten], m.ten_J_rownnz[ten]
            add_outer(
                d.M, m.M_rownnz, m.M_rowadr, m.M_colind,
                d.ten_J, m.ten_J_colind, adr, n, armature, d.ten_row,
            )  # fmt: skip


@kernel
def tendon_bias(m, d):
    """Add the force that keeps the inertia of tendons on its course while their gradients change.

    Reads: ten_J, site_xpos, cvel, cdof, cdof_dot, qvel, subtree_com.
    Writes: qfrc_bias.
    """
    for ten in range(m.ntendon):
        armature = armature_of(m, ten)
        if lane_any(armature != 0.0) and m.wrap_type[m.tendon_adr[ten]] != WRAP_JOINT:
            force = armature * path_bias(m, d, ten)
            for k in range(m.ten_J_rowadr[ten], m.ten_J_rowadr[ten] + m.ten_J_rownnz[ten]):
                dof = m.ten_J_colind[k]
                d.qfrc_bias[dof] = d.qfrc_bias[dof] + d.ten_J[k] * force


@kernel
def path_bias(m, d, ten):
    """Acceleration of the length of a spatial tendon without qacc (m/s^2); it wraps no geom."""
    total = zero_like(d.qvel)
    share = total + 1.0
    start = m.tendon_adr[ten]
    for k in range(start, start + m.tendon_num[ten] - 1):
        if m.wrap_type[k] == WRAP_PULLEY:
            share = 1.0 / (zero_like(d.qvel) + m.wrap_prm[k])
        elif m.wrap_type[k + 1] != WRAP_PULLEY:
            total = total + share * segment_bias(m, d, m.wrap_objid[k], m.wrap_objid[k + 1])
    return total


@kernel
def segment_bias(m, d, site1, site2):
    """Acceleration of the distance of two sites without qacc (m/s^2).

    What moves apart sideways also moves away: |v|^2 / length for the part of the relative velocity
    across the line.
    """
    body1, body2 = m.site_bodyid[site1], m.site_bodyid[site2]
    zero = zero_like(d.qvel)
    if body1 == body2:
        return zero
    point1, point2 = load3(d.site_xpos, site1), load3(d.site_xpos, site2)
    direction, length = normalize3(sub3(point2, point1))
    acc1, _ = point_bias(m, d, body1, point1)
    acc2, _ = point_bias(m, d, body2, point2)
    vel1, vel2 = object_velocity(m, d, body1, point1), object_velocity(m, d, body2, point2)
    vel = (vel2[3] - vel1[3], vel2[4] - vel1[4], vel2[5] - vel1[5])
    along = dot3(direction, vel)
    apart = length > MINVAL
    sideways = (dot3(vel, vel) - along * along) / select(apart, length, 1.0)
    return dot3(direction, sub3(acc2, acc1)) + select(apart, sideways, zero)
