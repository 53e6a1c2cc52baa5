"""Implicit integrators with deformables: damped edges, and nodes whose elasticity is implicit.

Damping along edges is a derivative like others. Forces of cells depend on positions: over a step of
length h, with K the stiffness of all nodes in the frames of their cells (negative) and c their
damping, the acceleration a of the dofs of nodes solves

    (M - h D - (h^2 + h c) J'KJ) a = f + h J'KJ v

Like MuJoCo's, the matrix is banded in the order of the nodes, and other dofs keep the acceleration
that the integrator finds without it. The velocity's factor is that of the first deformable.
"""

from ...simd.kernel import kernel
from ...simd.lanes import add_block, fma, lane_any, load3, select, sqrt, store, zero_like
from ...simd.spatial import add3, cross, dot3, mul_mat3, mul_matT3, quat_mat, scale3, sub3
from ...tables.enums import DSBL_DAMPER, INT_IMPLICIT, MINVAL
from ..smooth.inertia import add_outer
from .cells import cell_node, count_cells, count_nodes, frame_of, node_velocities


@kernel
def edge_derivative(m, d):
    """Add what dampers along edges do to the derivatives of forces.

    Reads: flexedge_J.
    Writes: qDeriv (N s/m, N m s), ten_row.
    """
    if m.opt_disableflags[0] & DSBL_DAMPER:
        return
    for f in range(m.nflex):
        damping = m.flex_edgedamping[f] + zero_like(d.qvel)
        if not m.flex_rigid[f] and lane_any(damping != 0.0):
            for e in range(m.flex_edgeadr[f], m.flex_edgeadr[f] + m.flex_edgenum[f]):
                if not m.flexedge_rigid[e]:
                    add_outer(
                        d.qDeriv, m.D_rownnz, m.D_rowadr, m.D_colind, d.flexedge_J,
                        m.flexedge_J_colind, m.flexedge_J_rowadr[e], m.flexedge_J_rownnz[e],
                        -damping, d.ten_row,
                    )  # fmt: skip


@kernel
def solve_nodes(m, d):
    """The accelerations of nodes, with their elasticity at the end of the step.

    Nothing changes in a world in which a tree sleeps, as in MuJoCo.

    Reads: M, qDeriv, qfrc_smooth, qfrc_constraint, cdof, cvel, subtree_com, flexnode_pos,
        flexcell_quat, tree_asleep.
    Writes: int_acc (m/s^2, rad/s^2), node_H, node_rhs, node_move, flexnode_vel, flexnode_spring,
        flexnode_damper.
    """
    if m.may_sleep:
        for tree in range(m.ntree):
            if lane_any(d.tree_asleep[tree] >= 0.0):
                return
    # matrix and forces without elasticity
    for k in range(m.nnodedof * m.nnodeband):
        d.node_H[k] = zero_like(d.qvel)
    for i in range(m.nnodedof):
        gather_dof(m, d, i)
    # elasticity
    h = m.opt_timestep[0]
    first = h * h + h * m.flex_damping[0] + zero_like(d.qvel)
    share = select(first > MINVAL, h / select(first > MINVAL, first, 1.0), 0.0)
    for f in range(m.nflex):
        if m.flex_implicit[f]:
            stiff = m.flex_stiffness[m.flex_stiffnessadr[f]] + zero_like(d.qvel) != 0.0
            if lane_any(stiff):
                weight = select(stiff, h * h + h * m.flex_damping[f], 0.0)
                stiffen_nodes(m, d, f, weight)
                pull_nodes(m, d, f, weight * share)
    # accelerations
    factor_band(d.node_H, m.nnodedof, m.nnodeband)
    solve_band(d.node_rhs, d.node_H, m.nnodedof, m.nnodeband)
    for i in range(m.nnodedof):
        d.int_acc[m.nodedof_dof[i]] = d.node_rhs[i]


@kernel
def gather_dof(m, d, i):
    """Row of M - h D and the force of one dof, less what dofs of other things do to it."""
    dof, h, band = m.nodedof_dof[i], m.opt_timestep[0], m.nnodeband
    full = m.opt_integrator[0] == INT_IMPLICIT
    force = d.qfrc_smooth[dof] + d.qfrc_constraint[dof]
    for k in range(m.D_rowadr[dof], m.D_rowadr[dof] + m.D_rownnz[dof]):
        column, at = m.D_colind[k], m.mapM2D[k]
        j = m.dof_nodedof[column]
        # implicitfast has the lower triangle of M only
        if full or (column <= dof and at >= 0):
            value = -h * d.qDeriv[k]
            if at >= 0:
                value = d.M[at] + value
            if j < 0:
                force = fma(-value, d.int_acc[column], force)
            elif i >= j:
                d.node_H[band * j + i - j] = value
            elif not full:
                d.node_H[band * i + j - i] = value
    d.node_rhs[i] = force


@kernel
def stiffen_nodes(m, d, f, weight):
    """Take away J'KJ, weighted, from the matrix, and add up K v at the nodes of a deformable."""
    node_velocities(m, d, f)
    for n in range(m.flex_nodeadr[f], m.flex_nodeadr[f] + m.flex_nodenum[f]):
        for entry in range(m.node_entryadr[n], m.node_entryadr[n] + m.node_entrynum[n]):
            dof = m.nodedof_dof[m.nodeentry_dof[entry]]
            origin = load3(d.subtree_com, m.body_rootid[m.dof_bodyid[dof]])
            turn, shift = load3(d.cdof, 2 * dof), load3(d.cdof, 2 * dof + 1)
            move = add3(shift, cross(turn, sub3(load3(d.flexnode_pos, n), origin)))
            store(d.node_move, entry, move)
    for cell in range(count_cells(m, f)):
        stiffen_cell(m, d, f, cell, weight)


@kernel
def stiffen_cell(m, d, f, cell, weight):
    """Add the stiffness of one cell, pair by pair of its nodes."""
    count, first = count_nodes(m, f), m.flex_nodeadr[f]
    size = 3 * count
    adr = m.flex_stiffnessadr[f] + cell * size * size
    if not lane_any(zero_like(d.qpos) + m.flex_stiffness[adr] != 0.0):
        return
    turn = quat_mat(frame_of(m, d, f, cell))
    for a in range(count):
        node = first + cell_node(m, f, cell, a)
        for b in range(count):
            other = first + cell_node(m, f, cell, b)
            block = turned_block(m, d, adr + 3 * a * size + 3 * b, size, turn)
            add_block(d.flexnode_damper, node, mul_mat3(block, load3(d.flexnode_vel, other)))
            stiffen_pair(m, d, node, other, block, weight)


@kernel
def stiffen_pair(m, d, node, other, block, weight):
    """Subtract the stiffness between two nodes from the lower triangle of the matrix."""
    for y in range(m.node_entryadr[other], m.node_entryadr[other] + m.node_entrynum[other]):
        j = m.nodeentry_dof[y]
        pull = scale3(mul_mat3(block, load3(d.node_move, y)), weight)
        for x in range(m.node_entryadr[node], m.node_entryadr[node] + m.node_entrynum[node]):
            i = m.nodeentry_dof[x]
            if i >= j:
                at = m.nnodeband * j + i - j
                d.node_H[at] = d.node_H[at] - dot3(load3(d.node_move, x), pull)


@kernel
def turned_block(m, d, at, size, turn):
    """The stiffness between two nodes of a cell, from the cell's frame to the world's: R'KR."""
    x = stiffness_row(m, d, at, turn)
    y = stiffness_row(m, d, at + size, turn)
    z = stiffness_row(m, d, at + 2 * size, turn)
    a = mul_matT3(turn, (x[0], y[0], z[0]))
    b = mul_matT3(turn, (x[1], y[1], z[1]))
    c = mul_matT3(turn, (x[2], y[2], z[2]))
    return (a[0], b[0], c[0], a[1], b[1], c[1], a[2], b[2], c[2])


@kernel
def stiffness_row(m, d, at, turn):
    """Three numbers of a stiffness, a force in the cell's frame, by displacements in the world."""
    zero = zero_like(d.qpos)
    row = (
        m.flex_stiffness[at] + zero,
        m.flex_stiffness[at + 1] + zero,
        m.flex_stiffness[at + 2] + zero,
    )
    return mul_matT3(turn, row)


@kernel
def pull_nodes(m, d, f, weight):
    """Add the forces J'K v of a deformable, weighted."""
    for n in range(m.flex_nodeadr[f], m.flex_nodeadr[f] + m.flex_nodenum[f]):
        force = scale3(load3(d.flexnode_damper, n), weight)
        for entry in range(m.node_entryadr[n], m.node_entryadr[n] + m.node_entrynum[n]):
            i = m.nodeentry_dof[entry]
            d.node_rhs[i] = d.node_rhs[i] + dot3(load3(d.node_move, entry), force)


@kernel
def factor_band(a, n, band):
    """Cholesky factorization in place, a = L L'.

    Args:
        a: columns of the lower triangle from the diagonal down, `band` elements each.
        n: number of rows.
    """
    for j in range(n):
        top = band * j
        below = min(band, n - j)
        diagonal = sqrt(a[top])
        inverse = 1.0 / diagonal
        a[top] = diagonal
        for k in range(1, below):
            a[top + k] = a[top + k] * inverse
        # what is right of it
        for k in range(1, below):
            scale, column = -a[top + k], band * (j + k) - k
            for i in range(k, below):
                a[column + i] = fma(scale, a[top + i], a[column + i])


@kernel
def solve_band(x, a, n, band):
    """Solve in place with the factorization of `factor_band`."""
    for j in range(n):
        top, below = band * j, min(band, n - j)
        xj = x[j] / a[top]
        x[j] = xj
        for k in range(1, below):
            x[j + k] = fma(-a[top + k], xj, x[j + k])
    for j in range(n - 1, -1, -1):
        top, below = band * j, min(band, n - j)
        xj = x[j]
        for k in range(1, below):
            xj = fma(-a[top + k], x[j + k], xj)
        x[j] = xj / a[top]
