"""Islands of packs: worlds whose trees fall into several constraint problems, solved one by one.

A pack solves all its constraints as one problem. What its islands share then are the step length
and the end of the iterations, which shows where these are cut short: by small caps, by a large
tolerance, or because an island has no finite solution. The lanes in which it would show are solved
island by island, as MuJoCo does: the k-th pass has the k-th island of each of these lanes, and
nothing of others. Conjugate gradients, which take fewer iterations for small problems, solve all
islands so.
"""

from ...simd.kernel import kernel
from ...simd.lanes import absolute, lane_any, mask_not, select, zero_like
from ...tables.enums import COUNT_BLOCK, COUNT_CONE, COUNT_ROW, DSBL_ISLAND
from .cg import conjugate_gradients
from .hessian import make_hessian, solve_hessian
from .newton import newton, prepare_rows, release_idle, start_costs, start_free, start_point
from .problem import END_BLOCK, FIRST_CONE, ISLAND, whole_problem
from .scratch import BRIEF

# with options beyond these, islands are solved one by one from the start
FEW, LOOSE = 10, 1e-6
BAD = 1e100  # sum of the sizes of accelerations whose squares need not be finite


@kernel
def fwd_newton_lane_islands(m, d):
    """Acceleration and constraint force by Newton's method, where worlds may have several islands.

    Reads: block_*, row_aref, M, qLD, qLDiagInv, qacc_smooth, qfrc_smooth, qacc_warmstart, lane_on,
        tree_on.
    Writes: qacc (m/s^2, rad/s^2), qfrc_constraint (N, N m), row_force (N, N m), row_active,
        solver_niter, qacc_smooth (put back), qfrc_smooth (put back), lane_on, tree_on.
    """
    if open_problem(m, d, 0):
        for k in range(-1, m.ntree):
            if not begin_pass(m, d, k):
                break
            newton(m, d, make_hessian, solve_hessian)
            end_pass(m, d, k)
        close_problem(m, d)


@kernel
def fwd_cg_lane_islands(m, d):
    """The same by conjugate gradients.

    Reads: block_*, row_aref, M, qLD, qLDiagInv, qacc_smooth, qfrc_smooth, qacc_warmstart, lane_on,
        tree_on.
    Writes: qacc (m/s^2, rad/s^2), qfrc_constraint (N, N m), row_force (N, N m), row_active,
        solver_niter, qacc_smooth (put back), qfrc_smooth (put back), lane_on, tree_on.
    """
    # many more iterations would be needed for all of them together
    if open_problem(m, d, 1):
        for k in range(-1, m.ntree):
            if not begin_pass(m, d, k):
                break
            conjugate_gradients(m, d)
            end_pass(m, d, k)
        close_problem(m, d)


@kernel
def open_problem(m, d, apart):
    """Start from the better of the last acceleration and the unconstrained one.

    Args:
        apart: 1: islands are solved one by one wherever there are several.

    Returns:
        Whether there are constraints.
    """
    start_free(m, d)
    if d.count[COUNT_BLOCK] == 0:
        return False
    prepare_rows(m, d)
    whole_problem(m, d)
    start_point(m, d, start_costs)
    choose_lanes(m, d, apart)
    return True


@kernel
def choose_lanes(m, d, apart):
    """Find out which lanes are solved island by island from the start.

    Writes: lisl_need, part_num, tree_lisl.
    """
    zero = zero_like(d.qacc)
    size = d.lisl_need[0] = d.part_num[0] = zero
    d.lisl_live[0] = zero
    if m.opt_disableflags[0] & DSBL_ISLAND:
        return
    number_islands(m, d)
    for dof in range(m.nv):
        size = size + absolute(d.qacc_smooth[dof]) + absolute(d.qacc_warmstart[dof])
    several = d.part_num[0] > 1.0
    need = mask_not(size < BAD) | (several & (zero + m.opt_tolerance[0] > LOOSE))
    if apart or m.opt_iterations[0] < FEW or m.opt_ls_iterations[0] < BRIEF:
        need = need | several
    d.lisl_need[0] = select(need & (d.lane_on[0] > 0.0), 1.0, 0.0)


@kernel
def number_islands(m, d):
    """Join the trees that blocks tie together in each lane; number islands by their first tree.

    Writes: tree_lisl, part_num.
    """
    zero = zero_like(d.qacc)
    # every tree stands for itself
    for tree in range(m.ntree):
        d.tree_lisl[tree] = zero + 1.0 * tree
    # join the trees of each block, in the lanes that have it
    for b in range(d.count[COUNT_BLOCK]):
        first, end = d.block_chainadr[b], d.block_chainadr[b] + d.block_chainnum[b]
        tree = m.dof_treeid[d.chain_dof[first]]
        if m.dof_treeid[d.chain_dof[end - 1]] != tree:
            for x in range(first + 1, end):
                other = m.dof_treeid[d.chain_dof[x]]
                if other != tree:
                    join_lanes(m, d, tree, other, d.block_D[b] > 0.0)
                    tree = other
    # a tree that stands for its island has its own number, and is the first one
    for tree in range(m.ntree - 1, -1, -1):
        before = zero
        for other in range(tree):
            stands = (d.tree_lisl[other] == 1.0 * other) & (d.tree_on[other] > 0.0)
            stands = stands & (d.tree_lisl[tree] > 1.0 * other)
            before = before + select(stands, 1.0, 0.0)
        place = select(d.tree_lisl[tree] == 1.0 * tree, before, -1.0)
        d.tree_kept[tree] = select(d.tree_on[tree] > 0.0, place, -1.0)
    # island of each tree, by the tree that stands for it
    for tree in range(m.ntree - 1, -1, -1):
        island = d.tree_kept[tree]
        for other in range(tree):
            island = select(d.tree_lisl[tree] == 1.0 * other, d.tree_kept[other], island)
        d.tree_lisl[tree] = select(d.tree_on[tree] > 0.0, island, -1.0)
        d.part_num[0] = select(island + 1.0 > d.part_num[0], island + 1.0, d.part_num[0])


@kernel
def join_lanes(m, d, tree1, tree2, on):
    """Put two trees into one group in the lanes of a mask; the smaller number stands for it."""
    one, two = d.tree_lisl[tree1], d.tree_lisl[tree2]
    low, high = select(one < two, one, two), select(one < two, two, one)
    for tree in range(m.ntree):
        part = d.tree_lisl[tree]
        d.tree_lisl[tree] = select(on & (part == high), low, part)


@kernel
def begin_pass(m, d, k):
    """Set up the problem of all lanes that need no islands (k = -1), or of the k-th islands.

    Returns:
        Whether there is something to solve.
    """
    if k == -1:
        if lane_any(d.lisl_need[0] > 0.0):
            save_problem(m, d)
            restrict_problem(m, d, k)
        return True
    if k == 0:
        short = (d.lisl_live[0] > 0.0) & (d.part_num[0] > 1.0)
        if lane_any(short):
            if not lane_any(d.lisl_need[0] > 0.0):
                start_again(m, d)
            d.lisl_need[0] = select(short, 1.0, d.lisl_need[0])
            forget_iterations(d, short)
    if not lane_any((d.lisl_need[0] > 0.0) & (d.part_num[0] > 1.0 * k)):
        return False
    restrict_problem(m, d, k)
    return True


@kernel
def forget_iterations(d, mask):
    """No iterations in lanes that start again."""
    d.solver_niter[0] = select(mask, 0.0, d.solver_niter[0])


@kernel
def start_again(m, d):
    """Keep what the whole problem has given, and go back to where it started."""
    keep_results(m, d, -1)
    for dof in range(m.nv):
        d.qacc[dof] = d.qacc_smooth[dof]
    start_point(m, d, start_costs)
    save_start(m, d)


@kernel
def save_problem(m, d):
    """Keep what passes change."""
    zero = zero_like(d.qacc)
    for dof in range(m.nv):
        d.lisl_acc[2 * dof] = d.qacc[dof]
        d.lisl_acc[2 * dof + 1] = zero
    for r in range(d.count[COUNT_ROW]):
        for k in range(3):
            d.lisl_row[3 * r + k] = zero
    save_start(m, d)


@kernel
def save_start(m, d):
    """Keep where the problem starts, and its parts of the lanes."""
    d.lisl_lane[0] = d.lane_on[0]
    for tree in range(m.ntree):
        d.tree_kept[tree] = d.tree_on[tree]
    for dof in range(m.nv):
        d.lisl_acc0[dof], d.lisl_Ma0[dof] = d.qacc[dof], d.sol_Ma[dof]
        d.lisl_smooth[2 * dof], d.lisl_smooth[2 * dof + 1] = d.qacc_smooth[dof], d.qfrc_smooth[dof]
    for r in range(d.count[COUNT_ROW]):
        d.lisl_jar0[r] = d.row_jar[r]


@kernel
def belongs(d, tree, k):
    """Lanes in which a tree takes part in pass k."""
    if k < 0:
        return mask_not(d.lisl_need[0] > 0.0)
    return (d.lisl_need[0] > 0.0) & (d.tree_lisl[tree] == 1.0 * k)


@kernel
def restrict_problem(m, d, k):
    """Leave in the problem what belongs to pass k, and zeros elsewhere."""
    p = d.problem
    # trees and lanes of the pass
    whole_problem(m, d)
    p[ISLAND] = max(k, 0)
    zero = zero_like(d.qacc)
    d.lane_on[0] = zero
    for tree in range(m.ntree):
        here = belongs(d, tree, k) & (d.tree_kept[tree] > 0.0)
        d.tree_on[tree] = select(here, 1.0, 0.0)
        d.lane_on[0] = select(here, 1.0, d.lane_on[0])
    # start and smooth forces of their dofs
    for dof in range(m.nv):
        here = belongs(d, m.dof_treeid[dof], k)
        d.qacc[dof] = select(here, d.lisl_acc0[dof], 0.0)
        d.sol_Ma[dof] = select(here, d.lisl_Ma0[dof], 0.0)
        d.qacc_smooth[dof] = select(here, d.lisl_smooth[2 * dof], 0.0)
        d.qfrc_smooth[dof] = select(here, d.lisl_smooth[2 * dof + 1], 0.0)
    # rows of the other blocks: no stiffness, no violation
    prepare_rows(m, d)
    n = 0
    for b in range(d.count[COUNT_BLOCK]):
        here = belongs(d, m.dof_treeid[d.chain_dof[d.block_chainadr[b]]], k)
        end = d.block_row[b + 1] if b + 1 < d.count[COUNT_BLOCK] else d.count[COUNT_ROW]
        for r in range(d.block_row[b], end):
            d.row_D[r] = select(here, d.row_D[r], 0.0)
            d.row_jar[r] = select(here, d.lisl_jar0[r], 0.0)
            d.row_jv[r] = d.row_force[r] = zero
        # list the blocks of the pass; elliptic cones come last
        if b == d.count[COUNT_CONE]:
            p[FIRST_CONE] = n
        if lane_any(here & (d.block_D[b] > 0.0)):
            d.block_list[n] = b
            n += 1
    p[END_BLOCK] = n
    if d.count[COUNT_CONE] == d.count[COUNT_BLOCK]:
        p[FIRST_CONE] = n


@kernel
def end_pass(m, d, k):
    """Keep the results of a pass, unless it was the only one."""
    if k >= 0 or lane_any(d.lisl_need[0] > 0.0):
        keep_results(m, d, k)


@kernel
def keep_results(m, d, k):
    """Take over the results of the lanes and trees of pass k."""
    for dof in range(m.nv):
        here = belongs(d, m.dof_treeid[dof], k)
        x = 2 * dof
        d.lisl_acc[x] = select(here, d.qacc[dof], d.lisl_acc[x])
        d.lisl_acc[x + 1] = select(here, d.qfrc_constraint[dof], d.lisl_acc[x + 1])
    for b in range(d.count[COUNT_BLOCK]):
        here = belongs(d, m.dof_treeid[d.chain_dof[d.block_chainadr[b]]], k)
        end = d.block_row[b + 1] if b + 1 < d.count[COUNT_BLOCK] else d.count[COUNT_ROW]
        for r in range(d.block_row[b], end):
            x = 3 * r
            d.lisl_row[x] = select(here, d.row_force[r], d.lisl_row[x])
            d.lisl_row[x + 1] = select(here, d.row_active[r], d.lisl_row[x + 1])
            d.lisl_row[x + 2] = select(here, d.row_jar[r], d.lisl_row[x + 2])


@kernel
def close_problem(m, d):
    """Put together what the passes have given."""
    if lane_any(d.lisl_need[0] > 0.0):
        whole_problem(m, d)
        d.lane_on[0] = d.lisl_lane[0]
        for tree in range(m.ntree):
            d.tree_on[tree] = d.tree_kept[tree]
        for dof in range(m.nv):
            d.qacc[dof] = d.lisl_acc[2 * dof]
            d.qfrc_constraint[dof] = d.lisl_acc[2 * dof + 1]
            d.qacc_smooth[dof] = d.lisl_smooth[2 * dof]
            d.qfrc_smooth[dof] = d.lisl_smooth[2 * dof + 1]
        prepare_rows(m, d)
        for r in range(d.count[COUNT_ROW]):
            x = 3 * r
            d.row_force[r], d.row_active[r] = d.lisl_row[x], d.lisl_row[x + 1]
            d.row_jar[r] = d.lisl_row[x + 2]
        for b in range(d.count[COUNT_BLOCK]):
            d.block_list[b] = b
    release_idle(m, d)
