"""Accelerations and forces of bodies, computed on demand after the constraint forces are known."""

from ...simd.kernel import kernel
from ...simd.lanes import add_block, load3, load6, store, zero_like
from ...simd.spatial import addscl3, addscl6, cross, scale3, sub3
from ...tables.enums import (
    CNSTR_CONTACT_FRICTIONLESS,
    CNSTR_CONTACT_PYRAMIDAL,
    CNSTR_EQUALITY,
    COUNT_BLOCK,
    COUNT_XFRC,
    DSBL_GRAVITY,
    EQ_JOINT,
    EQ_WELD,
)
from ..collision.contact import between_geoms
from ..collision.own_contacts import FRICTION, own_place
from ..constraint.equality import anchors
from ..smooth.forces import inertial_force


@kernel
def rne_postconstraint(m, d):
    """Accelerations of bodies, external forces, and forces from their parents.

    All about `subtree_com` of their trees.

    Reads: xfrc_applied, xpos, xipos, xmat, site_xpos, subtree_com, con_pos, con_frame, block_*,
        row_force, cdof, cdof_dot, cvel, cinert, qvel, qacc.
    Writes: cacc (rad/s^2, m/s^2), cfrc_ext (N m, N), cfrc_int (N m, N).
    """
    zero = zero_like(d.qvel)
    none = (zero, zero, zero, zero, zero, zero)
    # cfrc_ext: applied wrenches, equality constraints, contacts
    for body in range(m.nbody):
        store(d.cfrc_ext, body, none)
    if d.count[COUNT_XFRC] > 0:
        for body in range(1, m.nbody):
            f = load6(d.xfrc_applied, body)
            add_wrench(
                m, d, body, load3(d.xipos, body), (f[0], f[1], f[2]), (f[3], f[4], f[5]), 1.0
            )
    equality_wrenches(m, d)
    for b in range(d.count[COUNT_BLOCK]):
        contact_wrench(m, d, b)
    # cacc and cfrc_int from the root outward: force of each body alone
    g = load3(m.opt_gravity, 0)
    on = 0.0 if m.opt_disableflags[0] & DSBL_GRAVITY else 1.0
    store(d.cacc, 0, (zero, zero, zero, zero - on * g[0], zero - on * g[1], zero - on * g[2]))
    store(d.cfrc_int, 0, none)
    for body in range(1, m.nbody):
        acc = load6(d.cacc, m.body_parentid[body])
        dofadr = m.body_dofadr[body]
        for dof in range(dofadr, dofadr + m.body_dofnum[body]):
            acc = addscl6(acc, load6(d.cdof_dot, dof), d.qvel[dof])
            acc = addscl6(acc, load6(d.cdof, dof), d.qacc[dof])
        store(d.cacc, body, acc)
        total, outside = inertial_force(d, body, acc), load6(d.cfrc_ext, body)
        for k in range(6):
            d.cfrc_int[6 * body + k] = total[k] - outside[k]
    # forces of subtrees
    for body in range(m.nbody - 1, 0, -1):
        add_block(d.cfrc_int, m.body_parentid[body], load6(d.cfrc_int, body))


@kernel
def add_wrench(m, d, body, point, force, torque, sign):
    """Add a force and a torque at a point to the external force on a body."""
    arm = sub3(point, load3(d.subtree_com, m.body_rootid[body]))
    moment = cross(arm, force)
    add_block(
        d.cfrc_ext,
        body,
        (
            sign * (torque[0] + moment[0]),
            sign * (torque[1] + moment[1]),
            sign * (torque[2] + moment[2]),
            sign * force[0],
            sign * force[1],
            sign * force[2],
        ),
    )


@kernel
def equality_wrenches(m, d):
    """Add the forces of connect and weld to the bodies that they join.

    As in MuJoCo, the forces of a weld's last rows count as a torque.
    """
    b = 0
    while b < d.count[COUNT_BLOCK] and d.block_type[b] == CNSTR_EQUALITY:
        eq, row = d.block_id[b], d.block_row[b]
        b += 1
        if m.eq_type[eq] < EQ_JOINT:
            b += 2
            force = (d.row_force[row], d.row_force[row + 1], d.row_force[row + 2])
            torque = scale3(force, 0.0)
            if m.eq_type[eq] == EQ_WELD:
                torque = (d.row_force[row + 3], d.row_force[row + 4], d.row_force[row + 5])
                b += 3
            point1, point2 = anchors(m, d, eq)
            if m.eq_body1[eq] > 0:
                add_wrench(m, d, m.eq_body1[eq], point1, force, torque, 1.0)
            if m.eq_body2[eq] > 0:
                add_wrench(m, d, m.eq_body2[eq], point2, force, torque, -1.0)


@kernel
def block_force(m, d, b, k):
    """Force along basis direction k of a contact block, also from the forces of pyramid edges."""
    dim, row = d.block_dim[b], d.block_row[b]
    if d.block_type[b] != CNSTR_CONTACT_PYRAMIDAL:
        return d.row_force[row + k]
    if k == 0:
        s = zero_like(d.qvel)
        for edge in range(row, row + 2 * (dim - 1)):
            s = s + d.row_force[edge]
        return s
    edge = row + 2 * (k - 1)
    return (d.row_force[edge] - d.row_force[edge + 1]) * edge_friction(m, d, b, k - 1)


@kernel
def edge_friction(m, d, b, k):
    """Friction coefficient k by which forces of pyramid edges are read: of the contact as it is."""
    own, friction = own_place(m, d, d.slot_cand[d.block_id[b]]), d.block_mu[5 * b + k]
    return d.own_value[own + FRICTION + k] + 0.0 * friction if own >= 0 else friction


@kernel
def contact_wrench(m, d, b):
    """Add the force of a contact block to the two bodies it acts on."""
    if d.block_type[b] >= CNSTR_CONTACT_FRICTIONLESS:
        slot, dim = d.block_id[b], d.block_dim[b]
        pair = d.slot_cand[slot]
        if not between_geoms(d, pair):
            # that of a deformable acts on none, as in MuJoCo
            return
        pos = load3(d.con_pos, slot)
        force = torque = scale3(pos, 0.0)
        for k in range(dim):
            axis = load3(d.con_frame, 3 * slot + k % 3)
            if k < 3:
                force = addscl3(force, axis, block_force(m, d, b, k))
            else:
                torque = addscl3(torque, axis, block_force(m, d, b, k))
        body1, body2 = m.geom_bodyid[d.cand_geom1[pair]], m.geom_bodyid[d.cand_geom2[pair]]
        if body1 > 0:
            add_wrench(m, d, body1, pos, force, torque, -1.0)
        if body2 > 0:
            add_wrench(m, d, body2, pos, force, torque, 1.0)
