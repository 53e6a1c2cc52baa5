"""Equality constraints: bodies or sites pinned or welded together, coupled joints and tendons.

MuJoCo's documentation, Computation, "Equality". Each row is a block of its own, a dry friction that
no force overcomes; the rows of one constraint share an impedance, that of the length of its error.
"""

from ...simd.kernel import kernel
from ...simd.lanes import absolute, lane_any, load3, load4, load6, load9, select, sqrt, zero_like
from ...simd.spatial import add3, cross, dot3, mul_mat3, mul_quat, scale3, sub3
from ...tables.enums import (
    CNSTR_EQUALITY,
    COUNT_BLOCK,
    COUNT_COUPLED,
    COUNT_JACOBIAN,
    DSBL_CONSTRAINT,
    DSBL_EQUALITY,
    EQ_JOINT,
    EQ_TENDON,
    EQ_WELD,
    OBJ_BODY,
)
from ..smooth.objects import point_bias
from .blocks import new_block, touch_tree, where_moved
from .impedance import put_response, response_of

UNLIMITED = 1e300  # bound within which the cost of a row is quadratic


@kernel
def make_equality(m, d):
    """Rows of the equality constraints that are on, before all others.

    Reads: eq_active, qpos, xpos, xquat, xmat, site_xpos, cdof, subtree_com, ten_length, ten_J.
    Writes: block_type, block_id, block_dim, block_row, block_adr, block_chainadr, block_chainnum,
        block_jac, block_D, block_floss, block_bound, block_base, block_B, block_pos, block_margin,
        block_K, block_I, block_P, block_R, tree_on, lane_on, count, ten_row.
    """
    if m.opt_disableflags[0] & (DSBL_CONSTRAINT | DSBL_EQUALITY):
        return
    for eq in range(m.neq):
        on = d.eq_active[eq] > 0.0
        if lane_any(on) and m.eq_chainnum[eq] > 0:
            rigid_equality(m, d, eq, on)


@kernel
def rigid_equality(m, d, eq, on):
    """Rows of one constraint of joints, tendons, bodies or sites."""
    if m.eq_type[eq] == EQ_JOINT:
        joint_equality(m, d, eq, on)
    elif m.eq_type[eq] == EQ_TENDON:
        tendon_equality(m, d, eq, on)
    else:
        pose_equality(m, d, eq, on)


@kernel
def joint_equality(m, d, eq, on):
    """One joint fixed, or following a polynomial of another."""
    jnt1, jnt2 = m.eq_obj1id[eq], m.eq_obj2id[eq]
    a1 = m.jnt_qposadr[jnt1]
    dof1 = m.jnt_dofadr[jnt1]
    touch_tree(d, m.dof_treeid[dof1], on)
    zero = zero_like(d.qpos)
    c = 11 * eq
    # joint 1 less its offset
    error = d.qpos[a1] - m.qpos0[a1] - m.eq_data[c]
    weight = m.dof_invweight0[dof1] + zero
    steep = zero
    # polynomial of joint 2
    if jnt2 >= 0:
        a2, dof2 = m.jnt_qposadr[jnt2], m.jnt_dofadr[jnt2]
        touch_tree(d, m.dof_treeid[dof2], on)
        value, steep = quartic(m, eq, d.qpos[a2] - m.qpos0[a2])
        error = error - value
        weight = weight + m.dof_invweight0[dof2]
    # Jacobian: 1 for joint 1, less the slope for joint 2
    adr, chainadr = d.count[COUNT_JACOBIAN], m.eq_chainadr[eq]
    for k in range(m.eq_chainnum[eq]):
        side = d.chain_side[chainadr + k]
        value = zero
        if side & 1:
            value = value + 1.0
        if side & 2:
            value = value - steep
        d.block_jac[adr + k] = value
    equality_rows(m, d, eq, on, (error, zero, zero, zero, zero, zero), (weight, weight), 1)


@kernel
def quartic(m, eq, x):
    """Value and slope of the polynomial that couples two lengths, without its constant."""
    c = 11 * eq
    c1, c2, c3, c4 = m.eq_data[c + 1], m.eq_data[c + 2], m.eq_data[c + 3], m.eq_data[c + 4]
    value = x * (c1 + x * (c2 + x * (c3 + x * c4)))
    return value, c1 + x * (2.0 * c2 + x * (3.0 * c3 + x * (4.0 * c4)))


@kernel
def tendon_equality(m, d, eq, on):
    """The length of one tendon fixed, or following a polynomial of another's."""
    ten1, ten2 = m.eq_obj1id[eq], m.eq_obj2id[eq]
    zero = zero_like(d.qpos)
    # tendon 1 less its offset
    error = d.ten_length[ten1] - m.tendon_length0[ten1] - m.eq_data[11 * eq]
    weight = m.tendon_invweight0[ten1] + zero
    add_gradient(m, d, ten1, zero + 1.0)
    # polynomial of tendon 2
    if ten2 >= 0:
        value, steep = quartic(m, eq, d.ten_length[ten2] - m.tendon_length0[ten2])
        error = error - value
        weight = weight + m.tendon_invweight0[ten2]
        add_gradient(m, d, ten2, -steep)
    # Jacobian: gathered by dof, entered by chain
    adr, chainadr = d.count[COUNT_JACOBIAN], m.eq_chainadr[eq]
    size = zero
    for k in range(m.eq_chainnum[eq]):
        dof = d.chain_dof[chainadr + k]
        d.block_jac[adr + k] = d.ten_row[dof]
        size = size + absolute(d.ten_row[dof])
        d.ten_row[dof] = zero
    # lanes and trees with the constraint
    on = where_moved(m, on, size)
    if not lane_any(on):
        return
    for k in range(m.eq_chainnum[eq]):
        touch_tree(d, m.dof_treeid[d.chain_dof[chainadr + k]], on)
    equality_rows(m, d, eq, on, (error, zero, zero, zero, zero, zero), (weight, weight), 1)


@kernel
def add_gradient(m, d, ten, scale):
    """Add the gradient of a tendon's length, times a real, to `ten_row`."""
    for k in range(m.ten_J_rowadr[ten], m.ten_J_rowadr[ten] + m.ten_J_rownnz[ten]):
        dof = m.ten_J_colind[k]
        d.ten_row[dof] = d.ten_row[dof] + scale * d.ten_J[k]


@kernel
def pose_equality(m, d, eq, on):
    """Two anchors at one place (connect), in one orientation (weld)."""
    zero = zero_like(d.qpos)
    body1, body2 = m.eq_body1[eq], m.eq_body2[eq]
    # violation and Jacobian of the position
    anchor1, anchor2 = anchors(m, d, eq)
    error = sub3(anchor1, anchor2)
    turned = (zero, zero, zero)
    dim = 3
    size = translation_jacobian(m, d, eq, anchor1, anchor2)
    # of the orientation
    if m.eq_type[eq] == EQ_WELD:
        left, right = orientations(m, d, eq)
        scale = m.eq_data[11 * eq + 10]
        q = mul_quat(left, right)
        turned = (q[1] * scale, q[2] * scale, q[3] * scale)
        size = size + rotation_jacobian(m, d, eq, left, right, 0.5 * scale)
        dim = 6
    # lanes and trees with the constraint
    on = where_moved(m, on, size)
    if not lane_any(on):
        return
    touch_tree(d, m.body_treeid[body1], on)
    touch_tree(d, m.body_treeid[body2], on)
    # inverse weights and rows
    weight = (
        m.body_invweight0[2 * body1] + m.body_invweight0[2 * body2] + zero,
        m.body_invweight0[2 * body1 + 1] + m.body_invweight0[2 * body2 + 1] + zero,
    )
    error6 = (error[0], error[1], error[2], turned[0], turned[1], turned[2])
    equality_rows(m, d, eq, on, error6, weight, dim)


@kernel
def equality_rows(m, d, eq, on, error, weight, dim):
    """Append `dim` rows whose Jacobian is already in place.

    Args:
        error: how far the constraint is violated; zero beyond `dim` (m, or no unit).
        weight: approximate inverse inertia of the first three rows and of the others.
    """
    zero = zero_like(d.qpos)
    solref = (m.eq_solref[2 * eq], m.eq_solref[2 * eq + 1])
    solimp = (
        m.eq_solimp[5 * eq], m.eq_solimp[5 * eq + 1], m.eq_solimp[5 * eq + 2],
        m.eq_solimp[5 * eq + 3], m.eq_solimp[5 * eq + 4],
    )  # fmt: skip
    # impedance by the violation of all rows together
    gap = error[0]
    if dim > 1:
        first, second = (error[0], error[1], error[2]), (error[3], error[4], error[5])
        gap = sqrt(dot3(first, first) + dot3(second, second))
    response = response_of(m, zero, solref, solimp, gap)
    # one block for each row
    chainadr, chainnum = m.eq_chainadr[eq], m.eq_chainnum[eq]
    if m.eq_coupled[eq]:
        d.count[COUNT_COUPLED] = 1
    for k in range(dim):
        b = new_block(m, d, CNSTR_EQUALITY, eq, 1, 1, chainadr, chainnum, on)
        r = put_response(d, b, response, error[k], zero, weight[1 if k > 2 else 0])
        d.block_R[b] = r
        d.block_D[b] = select(on, 1.0 / r, 0.0)
        d.block_floss[b] = zero
        d.block_bound[b] = zero + UNLIMITED


@kernel
def anchors(m, d, eq):
    """The two points that shall coincide (m)."""
    obj1, obj2 = m.eq_obj1id[eq], m.eq_obj2id[eq]
    if m.eq_objtype[eq] == OBJ_BODY:
        # a weld keeps the anchor of the second body first
        first = 1 if m.eq_type[eq] == EQ_WELD else 0
        local1 = anchor_data(m, eq, 3 * first)
        local2 = anchor_data(m, eq, 3 - 3 * first)
        return (
            add3(mul_mat3(load9(d.xmat, obj1), local1), load3(d.xpos, obj1)),
            add3(mul_mat3(load9(d.xmat, obj2), local2), load3(d.xpos, obj2)),
        )
    return load3(d.site_xpos, obj1), load3(d.site_xpos, obj2)


@kernel
def anchor_data(m, eq, k):
    """A vector among the parameters of a constraint."""
    return (m.eq_data[11 * eq + k], m.eq_data[11 * eq + k + 1], m.eq_data[11 * eq + k + 2])


@kernel
def orientations(m, d, eq):
    """The orientation of a weld's second frame, inverted, and that of the first."""
    obj1, obj2 = m.eq_obj1id[eq], m.eq_obj2id[eq]
    first, second = load4(d.xquat, m.eq_body1[eq]), load4(d.xquat, m.eq_body2[eq])
    if m.eq_objtype[eq] == OBJ_BODY:
        c = 11 * eq
        relative = (m.eq_data[c + 6], m.eq_data[c + 7], m.eq_data[c + 8], m.eq_data[c + 9])
        first = mul_quat(first, relative)
    else:
        first = mul_quat(first, load4(m.site_quat, obj1))
        second = mul_quat(second, load4(m.site_quat, obj2))
    return (second[0], -second[1], -second[2], -second[3]), first


@kernel
def translation_jacobian(m, d, eq, anchor1, anchor2):
    """Jacobian of the distance between the anchors, first minus second.

    Returns:
        Sum of the sizes of its elements.
    """
    offset1 = sub3(anchor1, load3(d.subtree_com, m.body_rootid[m.eq_body1[eq]]))
    offset2 = sub3(anchor2, load3(d.subtree_com, m.body_rootid[m.eq_body2[eq]]))
    adr, chainadr, n = d.count[COUNT_JACOBIAN], m.eq_chainadr[eq], m.eq_chainnum[eq]
    size = zero_like(d.qpos)
    for x in range(n):
        axis = load6(d.cdof, d.chain_dof[chainadr + x])
        turn, shift = (axis[0], axis[1], axis[2]), (axis[3], axis[4], axis[5])
        side = d.chain_side[chainadr + x]
        if side == 1:
            move = add3(shift, cross(turn, offset1))
        elif side == 2:
            move = scale3(add3(shift, cross(turn, offset2)), -1.0)
        else:
            move = cross(turn, sub3(offset1, offset2))
        for k in range(3):
            d.block_jac[adr + k * n + x] = move[k]
            size = size + absolute(move[k])
    return size


@kernel
def rotation_jacobian(m, d, eq, left, right, scale):
    """Jacobian of the difference of orientations, below that of the anchors.

    The difference is the vector part of left * right; a turn w of the first frame relative to the
    second changes it by that of left * w * right / 2.

    Returns:
        Sum of the sizes of its elements.
    """
    adr, chainadr, n = d.count[COUNT_JACOBIAN], m.eq_chainadr[eq], m.eq_chainnum[eq]
    effect = between(left, right, scale)
    zero = zero_like(d.qpos)
    size = zero
    for x in range(n):
        dof, side = d.chain_dof[chainadr + x], d.chain_side[chainadr + x]
        # what moves both frames turns neither against the other
        sign = 1.0 if side == 1 else (-1.0 if side == 2 else 0.0)
        turn = scale3(load3(d.cdof, 2 * dof), sign)
        change = mul_mat3(effect, turn)
        for k in range(3):
            d.block_jac[adr + (3 + k) * n + x] = change[k]
            size = size + absolute(change[k])
    return size


@kernel
def between(left, right, scale):
    """Matrix of w to the vector part of scale * left * w * right (left, right: quaternions)."""
    i = mul_quat(mul_quat(left, (0.0, scale, 0.0, 0.0)), right)
    j = mul_quat(mul_quat(left, (0.0, 0.0, scale, 0.0)), right)
    k = mul_quat(mul_quat(left, (0.0, 0.0, 0.0, scale)), right)
    return (i[1], j[1], k[1], i[2], j[2], k[2], i[3], j[3], k[3])


@kernel
def equality_bias(m, d):
    """Take away what the rows of connect and weld accelerate while qacc is zero: dJ/dt qvel.

    Reads: cvel, cdof, cdof_dot, qvel, xpos, xquat, xmat, site_xpos, subtree_com.
    Writes: row_aref.
    """
    b = 0
    while b < d.count[COUNT_BLOCK] and d.block_type[b] == CNSTR_EQUALITY:
        eq = d.block_id[b]
        if m.eq_type[eq] >= EQ_JOINT:
            b += 1
        else:
            bias_of_pose(m, d, eq, d.block_row[b])
            b += 6 if m.eq_type[eq] == EQ_WELD else 3


@kernel
def bias_of_pose(m, d, eq, row):
    """Bias of the rows of one connect or weld."""
    body1, body2 = m.eq_body1[eq], m.eq_body2[eq]
    anchor1, anchor2 = anchors(m, d, eq)
    acc1, turning1 = point_bias(m, d, body1, anchor1)
    acc2, turning2 = point_bias(m, d, body2, anchor2)
    acc = sub3(acc1, acc2)
    for k in range(3):
        d.row_aref[row + k] = d.row_aref[row + k] - acc[k]
    if m.eq_type[eq] == EQ_WELD:
        left, right = orientations(m, d, eq)
        omega1, omega2 = load3(d.cvel, 2 * body1), load3(d.cvel, 2 * body2)
        relative = sub3(omega1, omega2)
        scale = 0.5 * m.eq_data[11 * eq + 10]
        # second derivative of left * right: turning about w, and the pull -|w|^2 / 2 towards zero
        turning = add3(sub3(turning1, turning2), cross(omega1, omega2))
        middle = (-0.5 * dot3(relative, relative), turning[0], turning[1], turning[2])
        q = mul_quat(mul_quat(left, middle), right)
        for k in range(3):
            d.row_aref[row + 3 + k] = d.row_aref[row + 3 + k] - scale * q[1 + k]
