"""Equality constraints of models with deformables: edges keep their lengths.

MuJoCo's documentation, Computation, "Equality".
"""

from ...enums import (
    CNSTR_EQUALITY,
    COUNT_COUPLED,
    COUNT_JACOBIAN,
    DSBL_CONSTRAINT,
    DSBL_EQUALITY,
    EQ_FLEX,
    EQ_JOINT,
    EQ_TENDON,
)
from ...simd.kernel import kernel
from ...simd.lanes import absolute, lane_any, select, zero_like
from .blocks import new_block, touch_tree, where_moved
from .equality import UNLIMITED, joint_equality, pose_equality, tendon_equality
from .impedance import put_response, response_of


@kernel
def make_flex_equality(m, d):
    """Rows of the equality constraints that are on, those of deformables too, before all others.

    Reads: eq_active, qpos, xpos, xquat, xmat, site_xpos, cdof, subtree_com, ten_length, ten_J,
        flexedge_length, flexedge_J.
    Writes: block_type, block_id, block_dim, block_row, block_adr, block_chainadr, block_chainnum,
        block_jac, block_D, block_floss, block_bound, block_base, block_B, block_pos, block_margin,
        block_KIP, block_R, tree_on, lane_on, count, ten_row.
    """
    if m.opt_disableflags[0] & (DSBL_CONSTRAINT | DSBL_EQUALITY):
        return
    for eq in range(m.neq):
        on = d.eq_active[eq] > 0.0
        if lane_any(on) and m.eq_chainnum[eq] > 0:
            if m.eq_type[eq] == EQ_FLEX:
                for e in range(m.flex_edgenum[m.eq_obj1id[eq]]):
                    edge_equality(m, d, eq, m.flex_edgeadr[m.eq_obj1id[eq]] + e, on)
            elif m.eq_type[eq] == EQ_JOINT:
                joint_equality(m, d, eq, on)
            elif m.eq_type[eq] == EQ_TENDON:
                tendon_equality(m, d, eq, on)
            else:
                pose_equality(m, d, eq, on)


@kernel
def edge_equality(m, d, eq, edge, on):
    """An edge that keeps its length at qpos0, unless one body has both ends."""
    if m.flexedge_rigid[edge] or m.flexedge_chainnum[edge] == 0:
        return
    zero = zero_like(d.qpos)
    chainadr, count = m.flexedge_chainadr[edge], m.flexedge_chainnum[edge]
    # Jacobian
    adr, size = d.count[COUNT_JACOBIAN], zero
    for k in range(count):
        value = d.flexedge_J[m.flexedge_J_rowadr[edge] + k]
        d.block_jac[adr + k] = value
        size = size + absolute(value)
    on = where_moved(m, on, size)
    if not lane_any(on):
        return
    # trees with the constraint
    for k in range(count):
        touch_tree(d, m.dof_treeid[d.chain_dof[chainadr + k]], on)
    if m.flexedge_coupled[edge]:
        d.count[COUNT_COUPLED] = 1
    # one row
    solref = (m.eq_solref[2 * eq], m.eq_solref[2 * eq + 1])
    solimp = (
        m.eq_solimp[5 * eq], m.eq_solimp[5 * eq + 1], m.eq_solimp[5 * eq + 2],
        m.eq_solimp[5 * eq + 3], m.eq_solimp[5 * eq + 4],
    )  # fmt: skip
    error = d.flexedge_length[edge] - m.flexedge_length0[edge]
    response = response_of(m, zero, solref, solimp, error)
    b = new_block(m, d, CNSTR_EQUALITY, eq, 1, 1, chainadr, count, on)
    r = put_response(d, b, response, error, zero, m.flexedge_invweight0[edge] + zero)
    d.block_R[b] = r
    d.block_D[b] = select(on, 1.0 / r, 0.0)
    d.block_floss[b] = zero
    d.block_bound[b] = zero + UNLIMITED
