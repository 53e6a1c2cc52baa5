"""Islands: kinematic trees that constraints tie together, each a constraint problem of its own.

Large models are solved island by island. Blocks, rows and dofs keep MuJoCo's order within an
island; islands are numbered by their first tree. Trees without constraints belong to none.
"""

from ...simd.kernel import kernel
from ...simd.lanes import get_lane
from ...tables.enums import CNSTR_FRICTION_TENDON, COUNT_BLOCK, COUNT_CONE, DSBL_ISLAND
from ..constraint.jacobian import block_rows
from .elimination_order import count_links
from .problem import (
    COUPLED,
    END_BLOCK,
    END_DOF,
    END_FRICTION,
    END_PLAIN,
    END_ROW,
    FIRST_BLOCK,
    FIRST_CONE,
    FIRST_DOF,
    FIRST_ROW,
    ISLAND,
)


@kernel
def find_islands(m, d):
    """Group constrained trees of a single world, and list dofs and blocks group by group.

    With islands disabled, all constrained trees are one group.

    Reads: block_*, count.
    Writes: isl_*, tree_root, tree_isl, tree_list, block_tree, block_list, dof_list, block_row,
        need, order_state.
    """
    join_trees(m, d, 0)
    number_islands(m, d)
    list_dofs(m, d)
    list_blocks(m, d)
    count_links(m, d)


@kernel
def find_root(d, tree):
    """The tree that stands for all that are joined to a tree."""
    while d.tree_root[tree] != tree:
        # halve the path on the way
        d.tree_root[tree] = d.tree_root[d.tree_root[tree]]
        tree = d.tree_root[tree]
    return tree


@kernel
def join_trees(m, d, lane):
    """Join the trees of a lane's blocks; `tree_isl` becomes 0 where a tree has one, else -1."""
    for tree in range(m.ntree):
        d.tree_root[tree] = tree
        d.tree_isl[tree] = -1
    first = -1
    for b in range(d.count[COUNT_BLOCK]):
        if get_lane(d.block_D, b, lane) > 0.0:
            tree = join_block(m, d, b)
            if m.opt_disableflags[0] & DSBL_ISLAND:
                first = tree if first < 0 else first
                join(d, first, tree)


@kernel
def join_block(m, d, b):
    """Join the trees of one block; returns one of them."""
    chainadr, last = d.block_chainadr[b], -1
    for x in range(chainadr, chainadr + d.block_chainnum[b]):
        tree = m.dof_treeid[d.chain_dof[x]]
        if tree != last:
            d.tree_isl[tree] = 0
            if last >= 0:
                join(d, tree, last)
            last = tree
    d.block_tree[b] = last
    return last


@kernel
def join(d, tree1, tree2):
    """Put two trees into one group; the smaller number stands for it."""
    root1, root2 = find_root(d, tree1), find_root(d, tree2)
    d.tree_root[max(root1, root2)] = min(root1, root2)


@kernel
def number_islands(m, d):
    """Number the groups by their first tree, and list their trees."""
    # number each root, and count the trees of islands
    nisland = 0
    for tree in range(m.ntree):
        if d.tree_isl[tree] == 0:
            root = find_root(d, tree)
            if root == tree:
                d.tree_isl[tree] = nisland
                d.isl_tree[nisland] = 0
                nisland += 1
            else:
                d.tree_isl[tree] = d.tree_isl[root]
            d.isl_tree[d.tree_isl[tree]] = d.isl_tree[d.tree_isl[tree]] + 1
    d.isl_num[0] = nisland
    # first place of each island in the list of trees
    start = 0
    for k in range(nisland):
        n = d.isl_tree[k]
        d.isl_tree[k] = start
        start += n
    d.isl_tree[nisland] = start
    # places shift by one island while they are filled, and back afterwards
    for tree in range(m.ntree):
        k = d.tree_isl[tree]
        if k >= 0:
            d.tree_list[d.isl_tree[k]] = tree
            d.isl_tree[k] = d.isl_tree[k] + 1
        else:
            d.tree_list[start] = tree
            start += 1
    for k in range(nisland - 1, 0, -1):
        d.isl_tree[k] = d.isl_tree[k - 1]
    if nisland > 0:
        d.isl_tree[0] = 0


@kernel
def list_dofs(m, d):
    """List dofs island by island, those of unconstrained trees last."""
    n = 0
    for k in range(d.isl_num[0]):
        d.isl_dof[k] = n
        for t in range(d.isl_tree[k], d.isl_tree[k + 1]):
            n = append_dofs(m, d, d.tree_list[t], n)
    d.isl_dof[d.isl_num[0]] = n
    for t in range(d.isl_tree[d.isl_num[0]] if d.isl_num[0] > 0 else 0, m.ntree):
        n = append_dofs(m, d, d.tree_list[t], n)


@kernel
def append_dofs(m, d, tree, n):
    """List the dofs of a tree from place n on; returns the next place."""
    dof = m.tree_dofadr[tree]
    for k in range(m.tree_dofnum[tree]):
        d.dof_list[n + k] = dof + k
    return n + m.tree_dofnum[tree]


@kernel
def list_blocks(m, d):
    """List blocks island by island, and number their rows in this order."""
    nisland, nblock = d.isl_num[0], d.count[COUNT_BLOCK]
    # count the blocks of islands
    for k in range(nisland + 1):
        d.isl_block[k] = 0
    for b in range(nblock):
        if d.block_D[b] > 0.0:
            k = d.tree_isl[d.block_tree[b]]
            d.isl_block[k] = d.isl_block[k] + 1
    # first place of each island in the list of blocks
    start = 0
    for k in range(nisland):
        n = d.isl_block[k]
        d.isl_block[k] = d.isl_cone[k] = start
        start += n
    d.isl_block[nisland] = start
    # list the blocks
    for b in range(nblock):
        if d.block_D[b] > 0.0:
            k = d.tree_isl[d.block_tree[b]]
            d.block_list[d.isl_cone[k]] = b
            d.isl_cone[k] = d.isl_cone[k] + 1
        else:
            # without effect: behind all islands
            d.block_list[start] = b
            start += 1
    # number the rows in the order of the list
    row = 0
    for k in range(nisland):
        row = number_rows(m, d, k, row)
    d.isl_row[nisland] = row
    for i in range(d.isl_block[nisland], nblock):
        d.block_row[d.block_list[i]] = row
        row += block_rows(d, d.block_list[i])


@kernel
def number_rows(m, d, k, row):
    """Number the rows of one island from `row` on; returns the next number."""
    d.isl_row[k] = d.isl_friction[k] = d.isl_plain[k] = row
    d.isl_cone[k] = d.isl_block[k]
    d.isl_coupled[k] = 1 if d.isl_tree[k + 1] - d.isl_tree[k] > 1 else 0
    for i in range(d.isl_block[k], d.isl_block[k + 1]):
        b = d.block_list[i]
        d.block_row[b] = row
        row += block_rows(d, b)
        if d.block_type[b] <= CNSTR_FRICTION_TENDON:
            d.isl_friction[k] = row
        if b < d.count[COUNT_CONE]:
            d.isl_plain[k] = row
            d.isl_cone[k] = i + 1
        if not d.isl_coupled[k] and not is_path(m, d, b):
            d.isl_coupled[k] = 1
    return row


@kernel
def is_path(m, d, b):
    """True if the dofs of a block lie on one path to the root of their tree."""
    chainadr, n = d.block_chainadr[b], d.block_chainnum[b]
    dof = d.chain_dof[chainadr + n - 1]
    for x in range(chainadr + n - 1, chainadr - 1, -1):
        while dof > d.chain_dof[x]:
            dof = m.dof_parentid[dof]
        if dof != d.chain_dof[x]:
            return False
    return True


@kernel
def island_problem(d, k):
    """Make island k the problem to solve.

    Writes: problem.
    """
    p = d.problem
    p[FIRST_BLOCK], p[FIRST_CONE], p[END_BLOCK] = d.isl_block[k], d.isl_cone[k], d.isl_block[k + 1]
    p[FIRST_ROW], p[END_FRICTION] = d.isl_row[k], d.isl_friction[k]
    p[END_PLAIN], p[END_ROW] = d.isl_plain[k], d.isl_row[k + 1]
    p[FIRST_DOF], p[END_DOF] = d.isl_dof[k], d.isl_dof[k + 1]
    p[COUPLED], p[ISLAND] = d.isl_coupled[k], k
