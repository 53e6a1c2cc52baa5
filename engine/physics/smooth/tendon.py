"""Tendons: their paths, lengths, and how these change with motion.

A fixed tendon is a weighted sum of joint coordinates; a spatial one runs in straight lines from
site to site and over geoms on the way (documentation of MuJoCo, chapter Computation, section
Tendons). Pulleys divide what follows them by a number.
"""

from ...simd.kernel import kernel
from ...simd.lanes import (
    absolute,
    get_lane,
    lane_any,
    load3,
    load6,
    mask_not,
    select,
    set_lane,
    store,
    zero_like,
)
from ...simd.spatial import add3, cross, dot3, normalize3, select3, sub3
from ...tables.enums import DSBL_DAMPER, DSBL_SPRING, WRAP_JOINT, WRAP_PULLEY, WRAP_SITE
from .wrapping import wrap

SITE, PULLEY = -1, -2  # what stands in wrap_obj where there is no geom


@kernel
def tendon(m, d):
    """Lengths of tendons and their gradients with respect to motion.

    Reads: qpos, site_xpos, geom_xpos, geom_xmat, cdof, subtree_com.
    Writes: ten_length (m), ten_J, wrap_on, wrap_touch (m), ten_row.
    """
    zero = zero_like(d.qpos)
    for ten in range(m.ntendon):
        start = m.ten_J_rowadr[ten]
        end = start + m.ten_J_rownnz[ten]
        for k in range(start, end):
            d.ten_row[m.ten_J_colind[k]] = zero
        if m.wrap_type[m.tendon_adr[ten]] == WRAP_JOINT:
            d.ten_length[ten] = sum_of_joints(m, d, ten)
        else:
            d.ten_length[ten] = follow_path(m, d, ten)
        for k in range(start, end):
            # where a joint stands twice in the structure, the first entry counts
            dof = m.ten_J_colind[k]
            d.ten_J[k] = d.ten_row[dof]
            d.ten_row[dof] = zero


@kernel
def sum_of_joints(m, d, ten):
    """Length of a fixed tendon; its gradient is added to `ten_row`."""
    length = zero_like(d.qpos)
    adr = m.tendon_adr[ten]
    for k in range(adr, adr + m.tendon_num[ten]):
        jnt, coef = m.wrap_objid[k], m.wrap_prm[k]
        dof = m.jnt_dofadr[jnt]
        length = length + coef * d.qpos[m.jnt_qposadr[jnt]]
        d.ten_row[dof] = d.ten_row[dof] + coef
    return length


@kernel
def follow_path(m, d, ten):
    """Length of a spatial tendon; its gradient is added to `ten_row`."""
    length = zero_like(d.qpos)
    share = length + 1.0
    k = m.tendon_adr[ten]
    last = k + m.tendon_num[ten] - 1
    while k < last:
        if m.wrap_type[k] == WRAP_PULLEY:
            share = 1.0 / (zero_like(d.qpos) + m.wrap_prm[k])
            k += 1
        elif m.wrap_type[k + 1] == WRAP_PULLEY:
            k += 1
        elif m.wrap_type[k + 1] == WRAP_SITE:
            length = length + share * straight(m, d, k, k + 1, share)
            k += 1
        else:
            length = length + share * over_geom(m, d, k + 1, share)
            k += 2
    return length


@kernel
def straight(m, d, k1, k2, share):
    """Length of the line between two sites of a path."""
    site1, site2 = m.wrap_objid[k1], m.wrap_objid[k2]
    body1, body2 = m.site_bodyid[site1], m.site_bodyid[site2]
    return line(m, d, body1, load3(d.site_xpos, site1), body2, load3(d.site_xpos, site2), share)


@kernel
def over_geom(m, d, stop, share):
    """Length of the path from a site over a geom to a site, wrapped or not."""
    zero = zero_like(d.qpos)
    on, arc, first, last = wrap(m, d, stop)
    d.wrap_on[stop] = select(on, zero + 1.0, zero)
    length = zero
    if lane_any(on):
        site1, site2 = m.wrap_objid[stop - 1], m.wrap_objid[stop + 1]
        body = m.geom_bodyid[m.wrap_objid[stop]]
        start, end = load3(d.site_xpos, site1), load3(d.site_xpos, site2)
        first, last = select3(on, first, end), select3(on, last, start)
        store(d.wrap_touch, 2 * stop, first)
        store(d.wrap_touch, 2 * stop + 1, last)
        # the part on the geom stays as long as it is, to first order
        part = select(on, share, zero)
        before = line(m, d, m.site_bodyid[site1], start, body, first, part)
        after = line(m, d, body, last, m.site_bodyid[site2], end, part)
        length = select(on, before + arc + after, zero)
    if lane_any(mask_not(on)):
        direct = straight(m, d, stop - 1, stop + 1, select(on, zero, share))
        length = select(on, length, direct)
    return length


@kernel
def line(m, d, body1, point1, body2, point2, share):
    """Distance of two points of bodies; its gradient times `share` is added to `ten_row`.

    What moves both points together changes nothing: the walk towards the root ends where the
    chains of both bodies meet.
    """
    direction, length = normalize3(sub3(point2, point1))
    dof1, dof2 = m.body_lastdof[body1], m.body_lastdof[body2]
    while dof1 != dof2:
        dof = max(dof1, dof2)
        axis = load6(d.cdof, dof)
        origin = load3(d.subtree_com, m.body_rootid[m.dof_bodyid[dof]])
        offset = sub3(point1 if dof == dof1 else point2, origin)
        move = add3((axis[3], axis[4], axis[5]), cross((axis[0], axis[1], axis[2]), offset))
        change = share * dot3(direction, move)
        if dof == dof1:
            d.ten_row[dof] = d.ten_row[dof] - change
            dof1 = m.dof_parentid[dof]
        else:
            d.ten_row[dof] = d.ten_row[dof] + change
            dof2 = m.dof_parentid[dof]
    return length


@kernel
def tendon_velocity(m, d):
    """Rates of change of tendon lengths.

    Reads: qvel, ten_J.
    Writes: ten_velocity (m/s).
    """
    for ten in range(m.ntendon):
        s = zero_like(d.qvel)
        start = m.ten_J_rowadr[ten]
        for k in range(start, start + m.ten_J_rownnz[ten]):
            s = s + d.ten_J[k] * d.qvel[m.ten_J_colind[k]]
        d.ten_velocity[ten] = s


@kernel
def tendon_passive(m, d):
    """Forces of springs and dampers along tendons; springs rest between two lengths.

    Reads: ten_length, ten_velocity.
    Writes: ten_spring, ten_damper (N).
    """
    flags = m.opt_disableflags[0]
    for ten in range(m.ntendon):
        zero = zero_like(d.qvel)
        spring, damper, weight = zero, zero, zero
        if not flags & DSBL_SPRING:
            length = d.ten_length[ten]
            short, long = m.tendon_lengthspring[2 * ten], m.tendon_lengthspring[2 * ten + 1]
            # a band without width has derivatives at rest too, unless it is infinitely long
            below = (length < short) | ((short == long) & (long - long == 0.0))
            x = select(length > long, length - long, select(below, length - short, zero))
            poly1, poly2 = m.tendon_stiffnesspoly[2 * ten], m.tendon_stiffnesspoly[2 * ten + 1]
            spring = -x * (m.tendon_stiffness[ten] + x * (poly1 + x * poly2))
            weight = absolute(m.tendon_stiffness[ten]) + absolute(poly1) + absolute(poly2)
        if not flags & DSBL_DAMPER:
            v = d.ten_velocity[ten]
            speed = absolute(v)
            poly1, poly2 = m.tendon_dampingpoly[2 * ten], m.tendon_dampingpoly[2 * ten + 1]
            damper = -v * (m.tendon_damping[ten] + speed * (poly1 + speed * poly2))
            weight = weight + absolute(m.tendon_damping[ten]) + absolute(poly1) + absolute(poly2)
        # one without coefficients has no forces, also where its length is infinite
        d.ten_spring[ten] = select(weight == 0.0, zero, spring)
        d.ten_damper[ten] = select(weight == 0.0, zero, damper)


@kernel
def export_path(m, d):
    """Points along the tendons of each world, lane by lane; what is not used is zero.

    Reads: site_xpos, wrap_on, wrap_touch.
    Writes: ten_wrapadr, ten_wrapnum, wrap_obj, wrap_xpos (m).
    """
    zero = zero_like(d.qpos)
    for k in range(2 * m.nwrap):
        d.wrap_obj[k] = zero
        store(d.wrap_xpos, k, (zero, zero, zero))
    for lane in range(m.width):
        adr = 0
        for ten in range(m.ntendon):
            n = 0
            if m.wrap_type[m.tendon_adr[ten]] != WRAP_JOINT:
                n = export_tendon(m, d, ten, adr, lane)
            set_lane(d.ten_wrapadr, ten, lane, 1.0 * adr)
            set_lane(d.ten_wrapnum, ten, lane, 1.0 * n)
            adr += n


@kernel
def export_tendon(m, d, ten, adr, lane):
    """List the points of one spatial tendon in one world from `adr` on; returns their number."""
    n = 0
    start = m.tendon_adr[ten]
    end = start + m.tendon_num[ten]
    for k in range(start, end):
        kind = m.wrap_type[k]
        if kind == WRAP_PULLEY:
            # one at the end divides nothing
            if k < end - 1:
                set_lane(d.wrap_obj, adr + n, lane, 1.0 * PULLEY)
                n += 1
        elif kind == WRAP_SITE:
            # a site between pulleys alone is no path
            if alone(m, k, start, end) == 0:
                set_lane(d.wrap_obj, adr + n, lane, 1.0 * SITE)
                for i in range(3):
                    x = get_lane(d.site_xpos, 3 * m.wrap_objid[k] + i, lane)
                    set_lane(d.wrap_xpos, 3 * (adr + n) + i, lane, x)
                n += 1
        elif get_lane(d.wrap_on, k, lane) > 0.0:
            for j in range(2):
                set_lane(d.wrap_obj, adr + n, lane, 1.0 * m.wrap_objid[k])
                for i in range(3):
                    x = get_lane(d.wrap_touch, 6 * k + 3 * j + i, lane)
                    set_lane(d.wrap_xpos, 3 * (adr + n) + i, lane, x)
                n += 1
    return n


@kernel
def alone(m, k, start, end):
    """1: a site with neither a site nor a geom beside it along its path."""
    before = k > start and m.wrap_type[k - 1] != WRAP_PULLEY
    after = k < end - 1 and m.wrap_type[k + 1] != WRAP_PULLEY
    return 0 if before or after else 1
