"""In which order the trees of an island are eliminated from the Hessian, and what that fills in.

Trees are the nodes of a graph; a constraint between two joins them. Eliminating a node joins all
its neighbours. The node with the fewest neighbours goes first (minimum degree: George and Liu, The
evolution of the minimum degree ordering algorithm, 1989). What remains of a node's list when its
turn comes are the blocks of its rows in the factorization.

Lists lie in a pool; a list that grows moves to the end. When the pool is too small, `order_trees`
says how much it needs and is run again after `reserve_capacity`.
"""

import numpy as np

from ...simd.kernel import kernel
from ...tables.enums import COUNT_BLOCK
from ..capacity import CAPACITY_HESSIAN, CAPACITY_LINK

DONE, POOL, MARK, ATTEMPT = range(4)
WIDE = 96  # dofs of a tree from which on its rows are worked on in runs
RUN = 8  # columns of a run


def run_room(dofnum: np.ndarray) -> int:
    """Room for the lists of runs of trees with so many dofs, (ntree,)."""
    wide = np.asarray(dofnum, np.int64)
    return int((wide * -(-wide // RUN))[wide >= WIDE].sum())


@kernel
def count_links(m, d):
    """Room that the lists of neighbours take at first.

    Writes: need, order_state.
    """
    n = 0
    for b in range(d.count[COUNT_BLOCK]):
        ntree = trees_of(m, d, b)
        n += ntree * (ntree - 1)
    d.need[CAPACITY_LINK] = 4 * n
    d.order_state[DONE] = d.order_state[ATTEMPT] = 0


@kernel
def trees_of(m, d, b):
    """Number of trees that a block moves."""
    n, last = 0, -1
    chainadr = d.block_chainadr[b]
    for x in range(chainadr, chainadr + d.block_chainnum[b]):
        tree = m.dof_treeid[d.chain_dof[x]]
        if tree != last:
            n, last = n + 1, tree
    return n


@kernel
def order_trees(m, d):
    """Order the trees of all islands, unless that is done.

    Reads: block_*, block_list, isl_*, tree_list.
    Writes: order_state, node_*, link_tree, link_adr, need.
    """
    if d.order_state[DONE]:
        return
    d.order_state[POOL] = d.order_state[MARK] = 0
    for tree in range(m.ntree):
        d.node_mark[tree] = 0
    largest = 0
    for k in range(d.isl_num[0]):
        if not link_trees(m, d, k) or not eliminate_trees(d, k):
            d.order_state[ATTEMPT] = d.order_state[ATTEMPT] + 1
            # first much more, then what suffices if everything fills in
            most = 4 * m.ntree * (m.ntree + 4)
            d.need[CAPACITY_LINK] = (
                8 * d.capacity[CAPACITY_LINK] + 64 if d.order_state[ATTEMPT] == 1 else most
            )
            return
        largest = max(largest, place_nodes(m, d, k))
    d.need[CAPACITY_HESSIAN] = max(largest, m.nchain)
    d.order_state[DONE] = 1


@kernel
def link_trees(m, d, k):
    """Lists of the trees that constraints join in island k; False when the pool is too small."""
    # empty lists
    for t in range(d.isl_tree[k], d.isl_tree[k + 1]):
        tree = d.tree_list[t]
        d.node_linknum[tree] = d.node_linkroom[tree] = 0
        d.node_link[tree] = d.order_state[POOL]
    for i in range(d.isl_block[k], d.isl_block[k + 1]):
        # trees of a block, each linked with those before it
        b = d.block_list[i]
        start, end = d.block_chainadr[b], d.block_chainadr[b] + d.block_chainnum[b]
        last = -1
        for x in range(start, end):
            tree = m.dof_treeid[d.chain_dof[x]]
            if tree != last:
                other = -1
                for y in range(start, x):
                    before = m.dof_treeid[d.chain_dof[y]]
                    if before != other:
                        if not link(m, d, tree, before) or not link(m, d, before, tree):
                            return False
                        other = before
                last = tree
    return True


@kernel
def link(m, d, tree, other):
    """Put a tree into the list of another once; False when the pool is too small."""
    start, n = d.node_link[tree], d.node_linknum[tree]
    # contacts of two bodies follow each other: look at the end first
    for e in range(start + n - 1, start - 1, -1):
        if d.link_tree[e] == other:
            return True
    if n == d.node_linkroom[tree] and not move_list(d, tree, 2 * n + 4):
        return False
    d.link_tree[d.node_link[tree] + n] = other
    d.node_linknum[tree] = n + 1
    return True


@kernel
def move_list(d, tree, capacity):
    """Give a list more room at the end of the pool; False when that is too small."""
    start, target = d.node_link[tree], d.order_state[POOL]
    if target + capacity > d.capacity[CAPACITY_LINK]:
        return False
    for e in range(d.node_linknum[tree]):
        d.link_tree[target + e] = d.link_tree[start + e]
    d.node_link[tree], d.node_linkroom[tree] = target, capacity
    d.order_state[POOL] = target + capacity
    return True


@kernel
def eliminate_trees(d, k):
    """Order the trees of island k by degree; False when the pool is too small."""
    first, end = d.isl_tree[k], d.isl_tree[k + 1]
    for t in range(first, end):
        d.node_order[t] = d.tree_list[t]
    for t in range(first, end):
        best = t
        for other in range(t + 1, end):
            if d.node_linknum[d.node_order[other]] < d.node_linknum[d.node_order[best]]:
                best = other
        tree = d.node_order[best]
        d.node_order[best], d.node_order[t] = d.node_order[t], tree
        d.node_place[tree] = t
        for e in range(d.node_linknum[tree]):
            if not merge_lists(d, d.link_tree[d.node_link[tree] + e], tree):
                return False
    return True


@kernel
def merge_lists(d, tree, gone):
    """Replace a neighbour that is eliminated by its own neighbours; False without room."""
    # neighbours so far, without the one that goes
    mark = d.order_state[MARK] + 1
    d.order_state[MARK] = mark
    start, n = d.node_link[tree], d.node_linknum[tree]
    d.node_mark[tree] = d.node_mark[gone] = mark
    kept = 0
    for e in range(start, start + n):
        other = d.link_tree[e]
        d.node_mark[other] = mark
        if other != gone:
            d.link_tree[start + kept] = other
            kept += 1
    d.node_linknum[tree] = kept
    # fill-in: its neighbours that are new
    for e in range(d.node_linknum[gone]):
        other = d.link_tree[d.node_link[gone] + e]
        if d.node_mark[other] != mark:
            if kept == d.node_linkroom[tree] and not move_list(d, tree, 2 * kept + 4):
                return False
            d.link_tree[d.node_link[tree] + kept] = other
            kept += 1
            d.node_linknum[tree] = kept
    return True


@kernel
def place_nodes(m, d, k):
    """Lay out the rows of the trees of island k in sol_H; returns the number of elements."""
    adr = run = 0
    for t in range(d.isl_tree[k], d.isl_tree[k + 1]):
        tree = d.node_order[t]
        width = 0
        for e in range(d.node_link[tree], d.node_link[tree] + d.node_linknum[tree]):
            d.link_adr[e] = width
            width += m.tree_dofnum[d.link_tree[e]]
        # rows of a large tree without neighbours are worked on in runs, which cache lines hold
        n = m.tree_dofnum[tree]
        d.node_runadr[tree] = -1
        if width == 0 and n >= WIDE:
            adr, width = runs_of(adr) * RUN, runs_of(n) * RUN - n
            d.node_runadr[tree] = run
            run += n * runs_of(n)
        width += n
        d.node_adr[tree], d.node_width[tree] = adr, width
        adr += width * n
    return adr


@kernel
def runs_of(n):
    """Runs that n columns lie in."""
    return (n + RUN - 1) // RUN
