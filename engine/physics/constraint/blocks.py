"""Constraint rows: which are active, their Jacobians, impedances and reference accelerations.

Rows come in *blocks*: one direction of an equality, one dry-friction dof, one joint limit, or one
contact. A block has `block_dim` basis directions,
whose Jacobian is stored over the dofs of its chain (`chain_dof[block_chainadr : ... +
block_chainnum]`). A scalar block has one row, the basis itself, and so has each direction of a
contact with an elliptic cone; a contact with a pyramidal cone has the rows normal +- friction *
tangent, so the rows follow from the basis and only the basis is stored. A block is present when any
lane needs it; where a lane does not, its `block_D` is 0.
"""

from ...simd.elementary import larger
from ...simd.kernel import kernel
from ...simd.lanes import (
    absolute,
    lane_any,
    load3,
    load6,
    mask_not,
    select,
    sqrt,
    zero_like,
)
from ...simd.spatial import add3, cross, dot3, normalize3, normalize4, quat_vel, sub3
from ...tables.enums import (
    CNSTR_CONTACT_ELLIPTIC,
    CNSTR_CONTACT_FRICTIONLESS,
    CNSTR_CONTACT_PYRAMIDAL,
    CNSTR_FRICTION_DOF,
    CNSTR_FRICTION_TENDON,
    CNSTR_LIMIT_JOINT,
    CNSTR_LIMIT_TENDON,
    CONE_PYRAMIDAL,
    COUNT_BLOCK,
    COUNT_CONE,
    COUNT_COUPLED,
    COUNT_FRICTION,
    COUNT_JACOBIAN,
    COUNT_PLAIN,
    COUNT_ROW,
    COUNT_SLOT,
    DSBL_CONSTRAINT,
    DSBL_CONTACT,
    DSBL_FRICTIONLOSS,
    DSBL_LIMIT,
    JAC_AUTO,
    JAC_DENSE,
    JNT_BALL,
    JNT_HINGE,
    JNT_SLIDE,
    MAX_DENSE,
    MINVAL,
)
from ..collision.contact import contact_parameters, include_margin, is_included, next_contact
from ..collision.own_contacts import ADDRESS, EXCLUDE, own_place
from .impedance import set_reference
from .jacobian import block_rows, mul_jac, where_there

FAR = 1e100  # sum of the sizes of positions, beyond which products with them need not be finite


@kernel
def clear_rows(m, d):
    """No rows yet; what follows from positions is known from here on.

    Writes: count, tree_on, lane_on, snapshot_on.
    """
    zero = zero_like(d.qpos)
    for k in range(COUNT_BLOCK, COUNT_CONE + 1):
        d.count[k] = 0
    for tree in range(m.ntree):
        d.tree_on[tree] = zero
    d.lane_on[0] = zero
    d.snapshot_on[0] = zero + 1.0


@kernel
def make_constraint(m, d):
    """Blocks of dry friction, limits and contacts, in this order, after the equalities.

    Reads: qpos, mocap_pos, ten_length, ten_J, con_any, con_on, con_dist, con_pos, con_frame, cdof,
        subtree_com.
    Writes: block_type, block_id, block_dim, block_row, block_adr, block_chainadr, block_chainnum,
        block_jac, block_D, block_floss, block_bound, block_mu, block_base, block_B, block_pos,
        block_margin, block_K, block_I, block_P, tree_on, lane_on, block_cone, block_frictionref,
        block_R, count, own_value.
    """
    flags = m.opt_disableflags[0]
    if flags & DSBL_CONSTRAINT:
        return
    # dry friction of dofs and tendons
    if not flags & DSBL_FRICTIONLOSS:
        for dof in range(m.nv):
            if lane_any(m.dof_frictionloss[dof] > 0.0):
                friction_block(m, d, dof)
        for ten in range(m.ntendon):
            loss = m.tendon_frictionloss[ten] + zero_like(d.qpos)
            if m.ten_chainnum[ten] > 0 and lane_any(loss > 0.0):
                tendon_friction(m, d, ten, loss)
    d.count[COUNT_FRICTION] = d.count[COUNT_ROW]
    # limits of joints and tendons
    if not flags & DSBL_LIMIT:
        for jnt in range(m.njnt):
            if m.jnt_limited[jnt]:
                limit_blocks(m, d, jnt)
        for ten in range(m.ntendon):
            if m.tendon_limited[ten] and m.ten_chainnum[ten] > 0:
                tendon_limits(m, d, ten)
    # contacts; rows of pyramids are plain, elliptic cones are not
    d.count[COUNT_PLAIN], d.count[COUNT_CONE] = d.count[COUNT_ROW], d.count[COUNT_BLOCK]
    if not flags & DSBL_CONTACT:
        slot = next_contact(d, 0)
        while slot < d.count[COUNT_SLOT]:
            contact_block(m, d, slot)
            slot = next_contact(d, slot + 1)
    if m.opt_cone[0] == CONE_PYRAMIDAL:
        d.count[COUNT_PLAIN], d.count[COUNT_CONE] = d.count[COUNT_ROW], d.count[COUNT_BLOCK]
    clear_absent(m, d)


@kernel
def clear_absent(m, d):
    """Zero the Jacobians of lanes without a block where positions are not finite.

    Elsewhere they add exactly nothing as they are, and a single world has all its blocks.
    """
    if m.width == 1:
        return
    size = zero_like(d.qpos)
    for i in range(m.nq):
        size = size + absolute(d.qpos[i])
    for i in range(3 * m.nmocap):
        size = size + absolute(d.mocap_pos[i])
    if lane_any(mask_not(size < FAR)):
        for b in range(d.count[COUNT_BLOCK]):
            on = d.block_D[b] > 0.0
            for x in range(d.block_adr[b], d.block_adr[b] + d.block_dim[b] * d.block_chainnum[b]):
                d.block_jac[x] = select(on, d.block_jac[x], 0.0)


@kernel
def new_block(m, d, kind, ident, dim, nrow, chainadr, chainnum, on):
    """Append a block; its Jacobian is still to be filled in.

    Returns:
        Index of the block.
    """
    b, row, adr = d.count[COUNT_BLOCK], d.count[COUNT_ROW], d.count[COUNT_JACOBIAN]
    d.block_type[b] = kind
    d.block_id[b] = ident
    d.block_dim[b] = dim
    d.block_row[b] = row
    d.block_adr[b] = adr
    d.block_chainadr[b] = chainadr
    d.block_chainnum[b] = chainnum
    d.count[COUNT_BLOCK] = b + 1
    d.count[COUNT_ROW] = row + nrow
    d.count[COUNT_JACOBIAN] = adr + dim * chainnum
    d.lane_on[0] = select(on, 1.0, d.lane_on[0])
    return b


@kernel
def touch_tree(d, tree, on):
    """Note that a tree (-1: none) is constrained in the lanes of a mask."""
    if tree >= 0:
        d.tree_on[tree] = select(on, 1.0, d.tree_on[tree])


@kernel
def set_friction(d, b, r, loss, on):
    """Regularization and bounds of dry friction of size `loss` in one block."""
    zero = zero_like(d.qpos)
    d.block_K[b] = zero
    d.block_base[b] = zero
    d.block_R[b] = r
    d.block_D[b] = select(on, 1.0 / r, 0.0)
    d.block_floss[b] = loss
    d.block_bound[b] = r * loss


@kernel
def friction_block(m, d, dof):
    """Dry friction of one dof."""
    loss = m.dof_frictionloss[dof] + zero_like(d.qpos)
    on = loss > 0.0
    b = new_block(m, d, CNSTR_FRICTION_DOF, dof, 1, 1, dof, 1, on)
    touch_tree(d, m.dof_treeid[dof], on)
    d.block_jac[d.block_adr[b]] = zero_like(d.qpos) + 1.0
    zero = zero_like(d.qpos)
    solref = (m.dof_solref[2 * dof], m.dof_solref[2 * dof + 1])
    solimp = (
        m.dof_solimp[5 * dof], m.dof_solimp[5 * dof + 1], m.dof_solimp[5 * dof + 2],
        m.dof_solimp[5 * dof + 3], m.dof_solimp[5 * dof + 4],
    )  # fmt: skip
    r = set_reference(m, d, b, solref, solimp, zero, zero, m.dof_invweight0[dof])
    set_friction(d, b, r, loss, on)


@kernel
def limit_blocks(m, d, jnt):
    """Active limits of one joint: lower and upper, or the angle of a ball joint."""
    kind, a = m.jnt_type[jnt], m.jnt_qposadr[jnt]
    margin, one = m.jnt_margin[jnt], zero_like(d.qpos) + 1.0
    low, high = m.jnt_range[2 * jnt], m.jnt_range[2 * jnt + 1]
    if kind == JNT_SLIDE or kind == JNT_HINGE:
        rise, fall = d.qpos[a] - low, high - d.qpos[a]
        lower, upper = rise < margin, fall < margin
        if lane_any(lower & upper):
            limit_block(m, d, jnt, rise, lower, one)
            limit_block(m, d, jnt, fall, upper, -one)
        else:
            # no world is at both, so that they share a block
            sign = select(lower, one, -one)
            limit_block(m, d, jnt, select(lower, rise, fall), lower | upper, sign)
    elif kind == JNT_BALL:
        quat = normalize4((d.qpos[a], d.qpos[a + 1], d.qpos[a + 2], d.qpos[a + 3]))
        axis, angle = normalize3(quat_vel(quat))
        dist = select(low > high, low, high) - angle
        on = dist < margin
        if lane_any(on):
            b = new_block(m, d, CNSTR_LIMIT_JOINT, jnt, 1, 1, m.jnt_dofadr[jnt], 3, on)
            for k in range(3):
                d.block_jac[d.block_adr[b] + k] = -axis[k]
            finish_limit(m, d, b, jnt, dist, on)


@kernel
def limit_block(m, d, jnt, dist, on, sign):
    """Limit of a slide or hinge joint, if active in any lane: 1 the lower one, -1 the upper."""
    if lane_any(on):
        b = new_block(m, d, CNSTR_LIMIT_JOINT, jnt, 1, 1, m.jnt_dofadr[jnt], 1, on)
        d.block_jac[d.block_adr[b]] = sign
        finish_limit(m, d, b, jnt, dist, on)


@kernel
def finish_limit(m, d, b, jnt, dist, on):
    """Impedance and reference of a limit block."""
    touch_tree(d, m.dof_treeid[m.jnt_dofadr[jnt]], on)
    solref = (m.jnt_solref[2 * jnt], m.jnt_solref[2 * jnt + 1])
    solimp = (
        m.jnt_solimp[5 * jnt], m.jnt_solimp[5 * jnt + 1], m.jnt_solimp[5 * jnt + 2],
        m.jnt_solimp[5 * jnt + 3], m.jnt_solimp[5 * jnt + 4],
    )  # fmt: skip
    r = set_reference(
        m, d, b, solref, solimp, dist, m.jnt_margin[jnt], m.dof_invweight0[m.jnt_dofadr[jnt]]
    )
    d.block_R[b] = r
    d.block_D[b] = select(on, 1.0 / r, 0.0)


@kernel
def where_moved(m, on, size):
    """True where MuJoCo keeps a constraint: with dense Jacobians, only while something moves it.

    Between bodies that no dof moves against each other, the Jacobian is what rounding leaves of
    zero. Whether a constraint has rows then changes with the last bit of the position, and they
    move nothing: such numbers of rows are not MuJoCo's, and MuJoCo's mean nothing.

    Args:
        size: sum of the sizes of the Jacobian's elements.
    """
    kind = m.opt_jacobian[0]
    if kind == JAC_DENSE or (kind == JAC_AUTO and m.nv < MAX_DENSE):
        return on & (size > 0.0)
    return on


@kernel
def where_tendon_moves(m, d, ten, on):
    """`where_moved` for a constraint along one tendon."""
    size = zero_like(d.qpos)
    for k in range(m.ten_J_rowadr[ten], m.ten_J_rowadr[ten] + m.ten_J_rownnz[ten]):
        size = size + absolute(d.ten_J[k])
    return where_moved(m, on, size)


@kernel
def tendon_block(m, d, kind, ten, sign, on):
    """Append a block along a tendon; its Jacobian is that of the length, times a sign."""
    b = new_block(m, d, kind, ten, 1, 1, m.ten_chainadr[ten], m.ten_chainnum[ten], on)
    if m.ten_coupled[ten]:
        d.count[COUNT_COUPLED] = 1
    start, x = m.ten_J_rowadr[ten], d.block_adr[b]
    for k in range(start, start + m.ten_J_rownnz[ten]):
        dof = m.ten_J_colind[k]
        # a joint that stands twice has one entry here
        if k == start or dof != m.ten_J_colind[k - 1]:
            d.block_jac[x] = sign * d.ten_J[k]
            touch_tree(d, m.dof_treeid[dof], on)
            x += 1
    return b


@kernel
def tendon_friction(m, d, ten, loss):
    """Dry friction along one tendon."""
    on, zero = where_tendon_moves(m, d, ten, loss > 0.0), zero_like(d.qpos)
    if not lane_any(on):
        return
    b = tendon_block(m, d, CNSTR_FRICTION_TENDON, ten, 1.0, on)
    solref = (m.tendon_solref_fri[2 * ten], m.tendon_solref_fri[2 * ten + 1])
    solimp = (
        m.tendon_solimp_fri[5 * ten], m.tendon_solimp_fri[5 * ten + 1],
        m.tendon_solimp_fri[5 * ten + 2], m.tendon_solimp_fri[5 * ten + 3],
        m.tendon_solimp_fri[5 * ten + 4],
    )  # fmt: skip
    r = set_reference(m, d, b, solref, solimp, zero, zero, m.tendon_invweight0[ten])
    set_friction(d, b, r, loss, on)


@kernel
def tendon_limits(m, d, ten):
    """Active limits of one tendon's length; sides that no world has both of share a block."""
    one, margin = zero_like(d.qpos) + 1.0, m.tendon_margin[ten]
    rise = d.ten_length[ten] - m.tendon_range[2 * ten]
    fall = m.tendon_range[2 * ten + 1] - d.ten_length[ten]
    lower = where_tendon_moves(m, d, ten, rise < margin)
    upper = where_tendon_moves(m, d, ten, fall < margin)
    if lane_any(lower & upper):
        tendon_limit(m, d, ten, rise, lower, one)
        tendon_limit(m, d, ten, fall, upper, -one)
    else:
        sign = select(lower, one, -one)
        tendon_limit(m, d, ten, select(lower, rise, fall), lower | upper, sign)


@kernel
def tendon_limit(m, d, ten, dist, on, sign):
    """Limit of a tendon's length, if active in any lane: 1 the lower one, -1 the upper."""
    margin = m.tendon_margin[ten]
    if lane_any(on):
        b = tendon_block(m, d, CNSTR_LIMIT_TENDON, ten, sign, on)
        solref = (m.tendon_solref_lim[2 * ten], m.tendon_solref_lim[2 * ten + 1])
        solimp = (
            m.tendon_solimp_lim[5 * ten], m.tendon_solimp_lim[5 * ten + 1],
            m.tendon_solimp_lim[5 * ten + 2], m.tendon_solimp_lim[5 * ten + 3],
            m.tendon_solimp_lim[5 * ten + 4],
        )  # fmt: skip
        r = set_reference(m, d, b, solref, solimp, dist, margin, m.tendon_invweight0[ten])
        d.block_R[b] = r
        d.block_D[b] = select(on, 1.0 / r, 0.0)


@kernel
def contact_block(m, d, slot):
    """Block of one contact: frictionless, or with a friction cone."""
    pair, dim = d.slot_cand[slot], d.slot_dim[slot]
    chainnum = d.cand_chainnum[pair]
    # in which lanes the contact is included
    dist, margin = d.con_dist[slot], include_margin(m, d, pair)
    on = (d.con_on[slot] > 0.0) & is_included(m, d, pair, dist, margin)
    if chainnum == 0:
        leave_out(m, d, pair)
    if chainnum == 0 or not lane_any(on):
        return
    # type and number of rows
    pyramidal = dim > 1 and m.opt_cone[0] == CONE_PYRAMIDAL
    kind, nrow = CNSTR_CONTACT_FRICTIONLESS, dim
    if pyramidal:
        kind, nrow = CNSTR_CONTACT_PYRAMIDAL, 2 * (dim - 1)
    elif dim > 1:
        kind = CNSTR_CONTACT_ELLIPTIC
    # new block, and the trees that it ties together
    b = new_block(m, d, kind, slot, dim, nrow, d.cand_chainadr[pair], chainnum, on)
    if d.cand_coupled[pair]:
        d.count[COUNT_COUPLED] = 1
    tie_trees(m, d, pair, on)
    # impedance and regularization of the normal row
    friction, solref, solimp = contact_parameters(m, d, pair)
    weight = pair_weight(m, d, pair)
    if pyramidal:
        weight = weight + friction[0] * friction[0] * weight
    r = set_reference(m, d, b, solref, solimp, dist, margin, weight)
    # friction, and the cone's mu after impratio
    if dim > 1:
        for k in range(5):
            d.block_mu[5 * b + k] = friction[k] + 0.0 * dist
        tangential = r / larger(m.opt_impratio[0], MINVAL)
        mu = friction[0] * sqrt(tangential / r)
        d.block_cone[b] = mu
        d.block_frictionref[b] = d.block_B[b]
    if pyramidal:
        # one regularization for all edges, so that it matches the elliptic cone in friction
        r = 2.0 * mu * mu * r
    d.block_R[b] = r
    d.block_D[b] = select(on, 1.0 / r, 0.0)
    contact_jacobian(m, d, b, slot, pair, dim)


@kernel
def leave_out(m, d, pair):
    """Note that nothing moves a contact of users, so that it makes no rows."""
    own = own_place(m, d, pair)
    if own >= 0 and d.own_value[own + EXCLUDE] == 0.0:
        d.own_value[own + EXCLUDE], d.own_value[own + ADDRESS] = 3.0, -1.0


@kernel
def tie_trees(m, d, pair, on):
    """Note that the trees of a candidate are constrained in the lanes of a mask."""
    touch_tree(d, m.body_treeid[m.geom_bodyid[d.cand_geom1[pair]]], on)
    touch_tree(d, m.body_treeid[m.geom_bodyid[d.cand_geom2[pair]]], on)


@kernel
def pair_weight(m, d, pair):
    """Approximate inverse inertia of the two sides of a candidate."""
    body1, body2 = m.geom_bodyid[d.cand_geom1[pair]], m.geom_bodyid[d.cand_geom2[pair]]
    return m.body_invweight0[2 * body1] + m.body_invweight0[2 * body2]


@kernel
def contact_jacobian(m, d, b, slot, pair, dim):
    """Jacobian of the relative motion at a contact, in its frame: translations, then rotations."""
    # contact point in the frames of cdof, and contact frame
    pos = load3(d.con_pos, slot)
    body1, body2 = m.geom_bodyid[d.cand_geom1[pair]], m.geom_bodyid[d.cand_geom2[pair]]
    offset1 = sub3(pos, load3(d.subtree_com, m.body_rootid[body1]))
    offset2 = sub3(pos, load3(d.subtree_com, m.body_rootid[body2]))
    normal, side, other = (
        load3(d.con_frame, 3 * slot),
        load3(d.con_frame, 3 * slot + 1),
        load3(d.con_frame, 3 * slot + 2),
    )
    chainadr, n, adr = d.block_chainadr[b], d.block_chainnum[b], d.block_adr[b]
    for x in range(n):
        # motion of the contact point by this dof
        axis = load6(d.cdof, d.chain_dof[chainadr + x])
        turn, shift = (axis[0], axis[1], axis[2]), (axis[3], axis[4], axis[5])
        if d.chain_side[chainadr + x] == 2:
            move = add3(shift, cross(turn, offset2))
        elif d.chain_side[chainadr + x] == 3:
            turn, move = sub3(turn, turn), sub3(shift, shift)
        else:
            # motion of the first body counts negative
            turn = (-turn[0], -turn[1], -turn[2])
            move = sub3(cross(turn, offset1), shift)
        # in the contact frame, as far as condim goes
        d.block_jac[adr + x] = dot3(move, normal)
        if dim > 1:
            d.block_jac[adr + n + x] = dot3(move, side)
            d.block_jac[adr + 2 * n + x] = dot3(move, other)
        if dim > 3:
            d.block_jac[adr + 3 * n + x] = dot3(turn, normal)
        if dim > 4:
            d.block_jac[adr + 4 * n + x] = dot3(turn, side)
            d.block_jac[adr + 5 * n + x] = dot3(turn, other)


@kernel
def reference_constraint(m, d):
    """Velocities and reference accelerations of the rows.

    Reads: block_jac, block_B, block_base, qvel.
    Writes: row_vel, row_aref.
    """
    mul_jac(m, d, d.row_vel, d.qvel)
    for b in range(d.count[COUNT_BLOCK]):
        on = d.block_D[b] > 0.0
        damping, base = d.block_B[b], where_there(m, on, d.block_base[b])
        row = d.block_row[b]
        for k in range(row, row + block_rows(d, b)):
            if k > row and d.block_type[b] == CNSTR_CONTACT_ELLIPTIC:
                # nothing draws friction back
                base = zero_like(d.qpos)
            d.row_aref[k] = base - damping * d.row_vel[k]
