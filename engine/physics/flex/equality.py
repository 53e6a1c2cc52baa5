"""Equality constraints of models with deformables: lengths of edges, strain of sheets and cells.

MuJoCo's documentation, Computation, "Equality".
"""

from ...simd.kernel import kernel
from ...simd.lanes import absolute, lane_any, load3, select, store, zero_like
from ...simd.spatial import add3, cross, dot3, rotate, sub3
from ...tables.enums import (
    CNSTR_EQUALITY,
    COUNT_COUPLED,
    COUNT_JACOBIAN,
    DSBL_CONSTRAINT,
    DSBL_EQUALITY,
    EQ_FLEX,
    EQ_FLEXSTRAIN,
    EQ_FLEXVERT,
)
from ..constraint.blocks import new_block, touch_tree, where_moved
from ..constraint.equality import UNLIMITED, rigid_equality
from ..constraint.impedance import put_response, response_of
from .cells import cell_node, count_nodes, frame_of, shift_nodes


@kernel
def make_flex_equality(m, d):
    """Rows of the equality constraints that are on, those of deformables too, before all others.

    Reads: eq_active, qpos, xpos, xquat, xmat, site_xpos, cdof, subtree_com, ten_length, ten_J,
        flexedge_length, flexedge_J, flexvert_length, flexvert_J, flexnode_pos.
    Writes: block_type, block_id, block_dim, block_row, block_adr, block_chainadr, block_chainnum,
        block_jac, block_D, block_floss, block_bound, block_base, block_B, block_pos, block_margin,
        block_K, block_I, block_P, block_R, tree_on, lane_on, count, ten_row, flexcell_shift,
        flexcell_vel, strain_move.
    """
    if m.opt_disableflags[0] & (DSBL_CONSTRAINT | DSBL_EQUALITY):
        return
    for eq in range(m.neq):
        on = d.eq_active[eq] > 0.0
        if lane_any(on) and m.eq_chainnum[eq] > 0:
            f = m.eq_obj1id[eq]
            if m.eq_type[eq] == EQ_FLEX:
                edge_equalities(m, d, eq, f, on)
            elif m.eq_type[eq] == EQ_FLEXVERT:
                for v in range(m.flex_vertadr[f], m.flex_vertadr[f] + m.flex_vertnum[f]):
                    vertex_equality(m, d, eq, v, on)
            elif m.eq_type[eq] == EQ_FLEXSTRAIN:
                strain_equality(m, d, eq, f, on)
            else:
                rigid_equality(m, d, eq, on)


@kernel
def edge_equalities(m, d, eq, f, on):
    """Edges that keep their lengths at qpos0."""
    for edge in range(m.flex_edgeadr[f], m.flex_edgeadr[f] + m.flex_edgenum[f]):
        if has_row(m, edge):
            size, error = copy_edge(m, d, edge), edge_error(m, d, edge)
            append_row(m, d, eq, on, size, edge_chain(m, edge), error, m.flexedge_invweight0[edge])


@kernel
def has_row(m, edge):
    """True if something moves the ends of an edge against each other: one body has not both."""
    return not m.flexedge_rigid[edge] and m.flexedge_chainnum[edge] > 0


@kernel
def edge_chain(m, edge):
    """First entry in `chain_dof`, number of dofs, and whether two branches have them."""
    return m.flexedge_chainadr[edge], m.flexedge_chainnum[edge], m.flexedge_coupled[edge]


@kernel
def edge_error(m, d, edge):
    """Length of an edge beyond its length at qpos0 (m)."""
    return d.flexedge_length[edge] - m.flexedge_length0[edge]


@kernel
def copy_edge(m, d, edge):
    """Put the Jacobian of an edge's length in its place; returns the sum of its sizes."""
    adr, size = d.count[COUNT_JACOBIAN], zero_like(d.qpos)
    for k in range(m.flexedge_chainnum[edge]):
        value = d.flexedge_J[m.flexedge_J_rowadr[edge] + k]
        d.block_jac[adr + k] = value
        size = size + absolute(value)
    return size


@kernel
def vertex_equality(m, d, eq, v, on):
    """Both invariants of the strain of a sheet around a vertex."""
    count = m.flexvert_chainnum[v]
    if count == 0:
        return
    weight = m.body_invweight0[2 * m.flex_vertbodyid[v]]
    for row in range(2 * v, 2 * v + 2):
        adr, size = d.count[COUNT_JACOBIAN], zero_like(d.qpos)
        for k in range(count):
            value = d.flexvert_J[m.flexvert_J_rowadr[row] + k]
            d.block_jac[adr + k] = value
            size = size + absolute(value)
        chain = (m.flexvert_chainadr[v], count, m.flexvert_coupled[v])
        append_row(m, d, eq, on, size, chain, d.flexvert_length[row], weight)


@kernel
def strain_equality(m, d, eq, f, on):
    """The strains of a cell along the eigenvectors of its stiffness, in the cell's own frame."""
    cell, zero = m.eq_cell[eq], zero_like(d.qpos)
    nodes, size = count_nodes(m, f), 3 * count_nodes(m, f)
    # displacements of nodes, and what each dof does to each node
    quat = frame_of(m, d, f, cell)
    back = (quat[0], -quat[1], -quat[2], -quat[3])
    shift_nodes(m, d, f, cell, quat)
    move_nodes(m, d, eq, f, cell)
    weight = zero
    for k in range(nodes):
        body = m.flex_nodebodyid[m.flex_nodeadr[f] + cell_node(m, f, cell, k)]
        weight = weight + m.body_invweight0[2 * body]
    weight = weight / (1.0 * nodes)
    # one row for each strain
    count, first = m.eq_chainnum[eq], m.eq_entryadr[eq]
    for mode in range(m.eq_modenum[eq]):
        at = m.flex_stiffnessadr[f] + cell * size * size + 1 + mode * size
        error = zero
        for k in range(nodes):
            local = (
                m.flex_stiffness[at + 3 * k] + zero,
                m.flex_stiffness[at + 3 * k + 1] + zero,
                m.flex_stiffness[at + 3 * k + 2] + zero,
            )
            error = error + dot3(local, load3(d.flexcell_shift, k))
            store(d.flexcell_vel, k, rotate(local, back))
        # Jacobian
        adr, moved = d.count[COUNT_JACOBIAN], zero
        for x in range(count):
            d.block_jac[adr + x] = zero
        for entry in range(m.eq_entrynum[eq]):
            x = m.strain_place[first + entry]
            along = load3(d.flexcell_vel, m.strain_node[first + entry])
            d.block_jac[adr + x] = d.block_jac[adr + x] + dot3(along, load3(d.strain_move, entry))
        for x in range(count):
            moved = moved + absolute(d.block_jac[adr + x])
        chain = (m.eq_chainadr[eq], count, m.eq_coupled[eq])
        append_row(m, d, eq, on, moved, chain, error, weight)


@kernel
def move_nodes(m, d, eq, f, cell):
    """Velocities of the nodes of a cell per velocity of each dof of its chain."""
    for entry in range(m.eq_entrynum[eq]):
        at = m.eq_entryadr[eq] + entry
        dof = d.chain_dof[m.eq_chainadr[eq] + m.strain_place[at]]
        node = m.flex_nodeadr[f] + cell_node(m, f, cell, m.strain_node[at])
        origin = load3(d.subtree_com, m.body_rootid[m.dof_bodyid[dof]])
        turn, shift = load3(d.cdof, 2 * dof), load3(d.cdof, 2 * dof + 1)
        arm = sub3(load3(d.flexnode_pos, node), origin)
        store(d.strain_move, entry, add3(shift, cross(turn, arm)))


@kernel
def append_row(m, d, eq, on, size, chain, error, weight):
    """Append one row whose Jacobian is already in place.

    Args:
        size: sum of the sizes of the Jacobian's elements.
        chain: first entry in `chain_dof`, number of dofs, whether two branches have them.
        error: how far the constraint is violated (m, or no unit).
        weight: approximate inverse inertia.
    """
    on = where_moved(m, on, size)
    if not lane_any(on):
        return
    zero, b = zero_like(d.qpos), begin_row(m, d, eq, on, chain)
    # impedance, and a dry friction that no force overcomes
    solref, solimp = softness(m, eq, zero)
    response = response_of(m, zero, solref, solimp, error)
    r = put_response(d, b, response, error, zero, weight + zero)
    d.block_R[b] = r
    d.block_D[b] = select(on, 1.0 / r, 0.0)
    d.block_floss[b] = zero
    d.block_bound[b] = zero + UNLIMITED


@kernel
def begin_row(m, d, eq, on, chain):
    """Append a block of one row, whose trees have a constraint; returns its index."""
    chainadr, count, coupled = chain
    last = -1
    for k in range(count):
        tree = m.dof_treeid[d.chain_dof[chainadr + k]]
        if tree != last:
            touch_tree(d, tree, on)
            last = tree
    if coupled:
        d.count[COUNT_COUPLED] = 1
    return new_block(m, d, CNSTR_EQUALITY, eq, 1, 1, chainadr, count, on)


@kernel
def softness(m, eq, zero):
    """`solref` and `solimp` of an equality, as reals with the lanes of `zero`."""
    solref = m.eq_solref[2 * eq] + zero, m.eq_solref[2 * eq + 1] + zero
    solimp = (
        m.eq_solimp[5 * eq] + zero, m.eq_solimp[5 * eq + 1] + zero, m.eq_solimp[5 * eq + 2] + zero,
        m.eq_solimp[5 * eq + 3] + zero, m.eq_solimp[5 * eq + 4] + zero,
    )  # fmt: skip
    return solref, solimp
