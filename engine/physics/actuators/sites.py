"""Transmissions on sites: wrenches in the frame of a site or of a reference site, slider-cranks."""

from ...simd.kernel import kernel
from ...simd.lanes import load3, load4, load6, load9, select, sqrt, zero_like
from ...simd.spatial import (
    add3,
    addscl3,
    cross,
    dot3,
    mul_mat3,
    mul_matT3,
    mul_quat,
    scale3,
    select3,
    sub3,
    sub_quat,
)
from ...tables.enums import TRN_SITE, TRN_SLIDERCRANK


@kernel
def site_transmission(m, d):
    """Actuators that pull at a site, with a wrench in its frame.

    Reads: site_xpos, site_xmat, cdof, subtree_com.
    Writes: actuator_length (0), act_moment.
    """
    for u in range(m.nu):
        if m.actuator_trntype[u] == TRN_SITE and m.actuator_trnid[2 * u + 1] < 0:
            site, gear = m.actuator_trnid[2 * u], load6(m.actuator_gear, u)
            frame, point = load9(d.site_xmat, site), load3(d.site_xpos, site)
            force = mul_mat3(frame, (gear[0], gear[1], gear[2]))
            torque = mul_mat3(frame, (gear[3], gear[4], gear[5]))
            d.actuator_length[u] = zero_like(d.qpos)
            adr = m.act_momentadr[u]
            for k in range(adr, adr + m.act_dofnum[u]):
                dof = m.act_dof[k]
                d.act_moment[k] = dot3(shift(m, d, dof, point), force) + dot3(turn(d, dof), torque)


@kernel
def relative_transmission(m, d):
    """Actuators that move a site in the frame of a reference site.

    What moves both sites does not count.

    Reads: site_xpos, site_xmat, xquat, cdof, subtree_com.
    Writes: actuator_length (m, rad), act_moment.
    """
    for u in range(m.nu):
        if m.actuator_trntype[u] == TRN_SITE and m.actuator_trnid[2 * u + 1] >= 0:
            site, other = m.actuator_trnid[2 * u], m.actuator_trnid[2 * u + 1]
            g = load6(m.actuator_gear, u)
            move, twist = (g[0], g[1], g[2]), (g[3], g[4], g[5])
            frame = load9(d.site_xmat, other)
            point, origin = load3(d.site_xpos, site), load3(d.site_xpos, other)
            # as MuJoCo compares orientations: factors in this order
            quat = mul_quat(load4(m.site_quat, site), load4(d.xquat, m.site_bodyid[site]))
            rest = mul_quat(load4(m.site_quat, other), load4(d.xquat, m.site_bodyid[other]))
            offset = mul_matT3(frame, sub3(point, origin))
            d.actuator_length[u] = dot3(offset, move) + dot3(sub_quat(quat, rest), twist)
            force, torque = mul_mat3(frame, move), mul_mat3(frame, twist)
            adr = m.act_momentadr[u]
            for k in range(adr, adr + m.act_dofnum[u]):
                dof = m.act_dof[k]
                if m.act_side[k] == 1:
                    moved = dot3(shift(m, d, dof, point), force) + dot3(turn(d, dof), torque)
                else:
                    moved = -dot3(shift(m, d, dof, origin), force) - dot3(turn(d, dof), torque)
                d.act_moment[k] = moved


@kernel
def crank_transmission(m, d):
    """Sliders on an axis that a rod joins to the pin of a crank.

    Where the rod is too short to reach the axis, the slider is at the pin's foot on it.

    Reads: site_xpos, site_xmat, cdof, subtree_com.
    Writes: actuator_length (m), act_moment.
    """
    for u in range(m.nu):
        if m.actuator_trntype[u] == TRN_SLIDERCRANK:
            # vector from the slider's origin to the pin, and axis of the slider
            pin, slider = m.actuator_trnid[2 * u], m.actuator_trnid[2 * u + 1]
            gear, rod = m.actuator_gear[6 * u], m.actuator_cranklength[u]
            point, origin = load3(d.site_xpos, pin), load3(d.site_xpos, slider)
            frame = load9(d.site_xmat, slider)
            axis, vec = (frame[2], frame[5], frame[8]), sub3(point, origin)
            # length: the root that lies before the pin; the rod may not reach
            along = dot3(vec, axis)
            square = along * along + rod * rod - dot3(vec, vec)
            reached = square > 0.0
            root = sqrt(select(reached, square, 1.0))
            d.actuator_length[u] = gear * select(reached, along - root, along)
            # gradients of the length by that vector and by the axis
            share = 1.0 - along / root
            by_vec = select3(reached, addscl3(scale3(axis, share), vec, 1.0 / root), axis)
            by_axis = select3(reached, scale3(vec, share), vec)
            # moment arms: motions of the pin, of the origin and of the axis
            adr = m.act_momentadr[u]
            for k in range(adr, adr + m.act_dofnum[u]):
                dof, side = m.act_dof[k], m.act_side[k]
                moved = zero_like(d.qpos)
                if side & 1:
                    moved = moved + dot3(by_vec, shift(m, d, dof, point))
                if side & 2:
                    moved = moved - dot3(by_vec, shift(m, d, dof, origin))
                    moved = moved + dot3(by_axis, cross(turn(d, dof), axis))
                d.act_moment[k] = gear * moved


@kernel
def turn(d, dof):
    """Rotation axis of a dof."""
    return load3(d.cdof, 2 * dof)


@kernel
def shift(m, d, dof, point):
    """Velocity of a point of a body per velocity of a dof that carries it."""
    origin = load3(d.subtree_com, m.body_rootid[m.dof_bodyid[dof]])
    return add3(load3(d.cdof, 2 * dof + 1), cross(load3(d.cdof, 2 * dof), sub3(point, origin)))
