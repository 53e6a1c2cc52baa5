"""The Hessian of one island in blocks of trees, and its L'DL factorization.

The rows of a tree hold the columns of the neighbours that are eliminated after it (`link_adr`),
then its own lower triangle. Rows are eliminated from the last dof of a tree to its first, trees in
the order of `elimination_order`. An island of one tree whose constraints lie on paths to the root
keeps the sparsity of the tree instead, as in `hessian`.

Of a large tree with many branches, such as a deformable body, few dofs are joined with each other:
most of a row is zeros. The rows of such a tree without neighbours are worked on in runs of `RUN`
columns of which one is not zero; they are listed when a row is eliminated.
"""

from ...simd.kernel import kernel
from ...simd.lanes import fma, lane_any, load_strip, mask_not, store_strip
from ..smooth.inertia import factor_span, solve_span
from .elimination_order import RUN, runs_of
from .hessian import add_curvature, prepare_block
from .problem import COUPLED, END_BLOCK, END_DOF, FIRST_BLOCK, FIRST_DOF, ISLAND


@kernel
def make_island_hessian(m, d):
    """Assemble and factorize the Hessian of the island that is the problem.

    Reads: M, block_jac, row_active, node_*, link_*.
    Writes: sol_H, sol_Hinv, hess_rownnz, hess_rowadr, node_spot.
    """
    if d.problem[COUPLED]:
        clear_nodes(m, d)
        for i in range(d.problem[FIRST_BLOCK], d.problem[END_BLOCK]):
            if prepare_block(d, d.block_list[i]):
                add_between(m, d, d.block_list[i])
        factor_nodes(m, d)
    else:
        clear_tree(m, d)
        for i in range(d.problem[FIRST_BLOCK], d.problem[END_BLOCK]):
            b = d.block_list[i]
            if prepare_block(d, b):
                n = d.block_chainnum[b]
                add_curvature(m, d, b, (0, n, 0, n), m.chain_rownnz, m.chain_rowadr)
        first, end = only_tree(d)
        factor_span(d.sol_H, d.sol_Hinv, first, end, m.chain_rownnz, m.chain_rowadr, m.chain_colind)


@kernel
def solve_island(m, d):
    """Solve with the factorization of `make_island_hessian`, in place in `sol_search`."""
    if d.problem[COUPLED]:
        solve_nodes(m, d, d.sol_search)
    else:
        first, end = only_tree(d)
        solve_span(
            d.sol_search, d.sol_H, d.sol_Hinv, first, end,
            m.chain_rownnz, m.chain_rowadr, m.chain_colind,
        )  # fmt: skip


@kernel
def only_tree(d):
    """First and end of the dofs of an island of one tree."""
    p = d.problem
    first = d.dof_list[p[FIRST_DOF]]
    return first, first + p[END_DOF] - p[FIRST_DOF]


@kernel
def clear_tree(m, d):
    """Inertia matrix of an island of one tree, in the structure of the tree."""
    first, end = only_tree(d)
    for k in range(m.chain_rowadr[first], m.chain_rowadr[end - 1] + m.chain_rownnz[end - 1]):
        d.sol_H[k] = 0.0
    for dof in range(first, end):
        for k in range(m.M_rowadr[dof], m.M_rowadr[dof] + m.M_rownnz[dof]):
            d.sol_H[m.chain_rowadr[dof] + m.chain_rownnz[m.M_colind[k]] - 1] = d.M[k]


@kernel
def clear_nodes(m, d):
    """Inertia matrix of all trees of the island, in blocks of trees."""
    island = d.problem[ISLAND]
    for t in range(d.isl_tree[island], d.isl_tree[island + 1]):
        tree = d.node_order[t]
        adr, width = d.node_adr[tree], d.node_width[tree]
        first, n = m.tree_dofadr[tree], m.tree_dofnum[tree]
        for i in range(n):
            for k in range(adr + i * width, adr + i * width + width - n + i + 1):
                d.sol_H[k] = 0.0
            dof = first + i
            start = adr + i * width + width - n - first
            for k in range(m.M_rowadr[dof], m.M_rowadr[dof] + m.M_rownnz[dof]):
                d.sol_H[start + m.M_colind[k]] = d.M[k]


@kernel
def add_between(m, d, b):
    """Add the curvature of one block, for each pair of its trees."""
    chainadr, n = d.block_chainadr[b], d.block_chainnum[b]
    i0 = 0
    while i0 < n:
        i1 = segment_end(m, d, chainadr, i0, n)
        j0 = 0
        while j0 <= i0:
            j1 = segment_end(m, d, chainadr, j0, n)
            aim(m, d, d.chain_dof[chainadr + i0], d.chain_dof[chainadr + j0])
            add_curvature(m, d, b, (i0, i1, j0, j1), d.hess_rownnz, d.hess_rowadr)
            j0 = j1
        i0 = i1


@kernel
def segment_end(m, d, chainadr, start, n):
    """End of the dofs of one tree in a chain."""
    tree, x = m.dof_treeid[d.chain_dof[chainadr + start]], start + 1
    while x < n and m.dof_treeid[d.chain_dof[chainadr + x]] == tree:
        x += 1
    return x


@kernel
def aim(m, d, dof1, dof2):
    """Enter where the elements between the trees of two dofs lie.

    Element (i, j) is at hess_rowadr[i] + hess_rownnz[j] - 1; of two trees it belongs to the rows of
    the one that is eliminated first.

    Writes: hess_rowadr, hess_rownnz.
    """
    tree1, tree2 = m.dof_treeid[dof1], m.dof_treeid[dof2]
    first1, first2 = m.tree_dofadr[tree1], m.tree_dofadr[tree2]
    at = find_link(d, tree1, tree2)
    if tree1 == tree2 or at >= 0:
        width = d.node_width[tree1]
        column = width - m.tree_dofnum[tree1] if tree1 == tree2 else d.link_adr[at]
        for i in range(m.tree_dofnum[tree1]):
            d.hess_rowadr[first1 + i] = d.node_adr[tree1] + i * width
        for j in range(m.tree_dofnum[tree2]):
            d.hess_rownnz[first2 + j] = column + j + 1
    else:
        width, column = d.node_width[tree2], d.link_adr[find_link(d, tree2, tree1)]
        for i in range(m.tree_dofnum[tree1]):
            d.hess_rowadr[first1 + i] = d.node_adr[tree2] + column + i
        for j in range(m.tree_dofnum[tree2]):
            d.hess_rownnz[first2 + j] = j * width + 1


@kernel
def find_link(d, tree, other):
    """Entry of a tree in the list of another; -1 when there is none."""
    for e in range(d.node_link[tree], d.node_link[tree] + d.node_linknum[tree]):
        if d.link_tree[e] == other:
            return e
    return -1


@kernel
def factor_nodes(m, d):
    """L'DL in place, tree by tree."""
    island = d.problem[ISLAND]
    for t in range(d.isl_tree[island], d.isl_tree[island + 1]):
        tree = d.node_order[t]
        if d.node_runadr[tree] >= 0:
            factor_runs(m, d, tree)
        else:
            factor_node(m, d, tree)


@kernel
def factor_node(m, d, tree):
    """L'DL of the rows of a tree, and what that changes in those of its neighbours."""
    a, n, width, adr = d.sol_H, m.tree_dofnum[tree], d.node_width[tree], d.node_adr[tree]
    first, own = m.tree_dofadr[tree], width - n
    for i in range(n - 1, -1, -1):
        row = adr + i * width
        inverse = 1.0 / a[row + own + i]
        d.sol_Hinv[first + i] = inverse
        for k in range(i):
            subtract_row(a, adr + k * width, row, own + k + 1, a[row + own + k] * inverse)
    for e in range(d.node_link[tree], d.node_link[tree] + d.node_linknum[tree]):
        update_neighbour(m, d, tree, e)
    for i in range(n):
        row = adr + i * width
        for k in range(row, row + own + i):
            a[k] = a[k] * d.sol_Hinv[first + i]


@kernel
def factor_runs(m, d, tree):
    """L'DL of the rows of a tree without neighbours, in runs.

    Writes: node_run, node_runnum.
    """
    a, n, adr, first = d.sol_H, m.tree_dofnum[tree], d.node_adr[tree], m.tree_dofadr[tree]
    width = d.node_width[tree]
    own = width - n
    for i in range(n - 1, -1, -1):
        row, runs, end = adr + i * width, first_run(m, d, tree, i), own + i
        inverse = 1.0 / a[row + end]
        many = list_runs(d, row, end, runs)
        d.sol_Hinv[first + i], d.node_runnum[first + i] = inverse, many
        # from the rows whose columns are not zero here
        for x in range(many):
            start = d.node_run[runs + x]
            for c in range(max(start, own), min(start + RUN, end)):
                scale = a[row + c] * inverse
                if scale != 0.0:
                    subtract_runs(d, adr + (c - own) * width, row, (runs, x, c + 1), scale)
        for x in range(many):
            start = d.node_run[runs + x]
            c, left = row + start, end - start
            store_strip(a, c, left, load_strip(a, c, left) * inverse)


@kernel
def first_run(m, d, tree, i):
    """Where the runs of row i of a tree are listed."""
    return d.node_runadr[tree] + i * runs_of(m.tree_dofnum[tree])


@kernel
def list_runs(d, row, n, runs):
    """List the first columns of runs among n columns of a row; returns how many there are."""
    many = 0
    for start in range(0, n, RUN):
        if lane_any(mask_not(load_strip(d.sol_H, row + start, n - start) == 0.0)):
            d.node_run[runs + many] = start
            many += 1
    return many


@kernel
def subtract_runs(d, target, source, place, scale):
    """Take a row from one before it.

    Args:
        d: data.
        target: first element of the row that changes.
        source: first element of the other.
        place: where the runs of the other are listed, the last of them that matters, and columns
            of the row that changes.
        scale: what the other is multiplied by.
    """
    a, runs, last, n = d.sol_H, place[0], place[1], place[2]
    for x in range(last):
        start = d.node_run[runs + x]
        subtract_strip(a, target + start, source + start, RUN, scale)
    start = d.node_run[runs + last]
    subtract_strip(a, target + start, source + start, n - start, scale)


@kernel
def subtract_row(a, target, source, n, scale):
    """a[target : target + n] -= scale * a[source : source + n]."""
    for c in range(0, n, RUN):
        subtract_strip(a, target + c, source + c, n - c, scale)


@kernel
def subtract_strip(a, target, source, n, scale):
    """As `subtract_row`, of at most RUN elements."""
    found = fma(-scale, load_strip(a, source, n), load_strip(a, target, n))
    store_strip(a, target, n, found)


@kernel
def update_neighbour(m, d, tree, e):
    """Take the rows of an eliminated tree from those of one neighbour."""
    other = d.link_tree[e]
    wide, nother = d.node_width[other], m.tree_dofnum[other]
    for x in range(d.node_link[other], d.node_link[other] + d.node_linknum[other]):
        d.node_spot[d.link_tree[x]] = d.link_adr[x]
    for y in range(d.node_link[tree], d.node_link[tree] + d.node_linknum[tree]):
        third = d.link_tree[y]
        # of two neighbours, the rows belong to the one that is eliminated first
        if third == other or d.node_place[third] > d.node_place[other]:
            spot = wide - nother if third == other else d.node_spot[third]
            for r in range(nother):
                many = r + 1 if third == other else m.tree_dofnum[third]
                target = d.node_adr[other] + r * wide + spot
                for c in range(0, many, RUN):
                    place = d.link_adr[e] + r, d.link_adr[y] + c, many - c
                    subtract_tree(m, d, tree, target + c, place)


@kernel
def subtract_tree(m, d, tree, target, place):
    """Take all rows of an eliminated tree from at most RUN elements of a row.

    Args:
        m: model.
        d: data.
        tree: the tree.
        target: the first of these elements.
        place: of the rows, the column that says how often each is taken, and the first of those
            that are; how many are.
    """
    a, row, n = d.sol_H, d.node_adr[tree], place[2]
    found, first = load_strip(a, target, n), m.tree_dofadr[tree]
    for dof in range(first, first + m.tree_dofnum[tree]):
        scale = a[row + place[0]] * d.sol_Hinv[dof]
        found = fma(-scale, load_strip(a, row + place[1], n), found)
        row += d.node_width[tree]
    store_strip(a, target, n, found)


@kernel
def solve_nodes(m, d, x):
    """Solve in place with the factorization of `factor_nodes`."""
    island, a = d.problem[ISLAND], d.sol_H
    first, end = d.isl_tree[island], d.isl_tree[island + 1]
    # x <- L^-T x: own columns, then those of neighbours
    for t in range(first, end):
        tree = d.node_order[t]
        n, width, dof = m.tree_dofnum[tree], d.node_width[tree], m.tree_dofadr[tree]
        if d.node_runadr[tree] >= 0:
            spread_runs(m, d, tree, x)
            continue
        for i in range(n - 1, -1, -1):
            row, xi = d.node_adr[tree] + i * width, x[dof + i]
            for k in range(i):
                x[dof + k] = fma(-a[row + width - n + k], xi, x[dof + k])
            for e in range(d.node_link[tree], d.node_link[tree] + d.node_linknum[tree]):
                other, column = m.tree_dofadr[d.link_tree[e]], row + d.link_adr[e]
                for k in range(m.tree_dofnum[d.link_tree[e]]):
                    x[other + k] = fma(-a[column + k], xi, x[other + k])
    # x <- L^-1 D^-1 x: neighbours first, then own columns
    for t in range(end - 1, first - 1, -1):
        tree = d.node_order[t]
        n, width, dof = m.tree_dofnum[tree], d.node_width[tree], m.tree_dofadr[tree]
        if d.node_runadr[tree] >= 0:
            gather_runs(m, d, tree, x)
            continue
        for i in range(n):
            row = d.node_adr[tree] + i * width
            xi = x[dof + i] * d.sol_Hinv[dof + i]
            for e in range(d.node_link[tree], d.node_link[tree] + d.node_linknum[tree]):
                other, column = m.tree_dofadr[d.link_tree[e]], row + d.link_adr[e]
                for k in range(m.tree_dofnum[d.link_tree[e]]):
                    xi = fma(-a[column + k], x[other + k], xi)
            for k in range(i):
                xi = fma(-a[row + width - n + k], x[dof + k], xi)
            x[dof + i] = xi


@kernel
def spread_runs(m, d, tree, x):
    """x <- L^-T x of a tree whose rows are in runs."""
    a, n, width = d.sol_H, m.tree_dofnum[tree], d.node_width[tree]
    own, dof = width - n, m.tree_dofadr[tree]
    for i in range(n - 1, -1, -1):
        row, xi, runs = d.node_adr[tree] + i * width + own, x[dof + i], first_run(m, d, tree, i)
        for y in range(runs, runs + d.node_runnum[dof + i]):
            k = max(d.node_run[y] - own, 0)
            left = min(d.node_run[y] - own + RUN, i) - k
            found = fma(-load_strip(a, row + k, left), xi, load_strip(x, dof + k, left))
            store_strip(x, dof + k, left, found)


@kernel
def gather_runs(m, d, tree, x):
    """x <- L^-1 D^-1 x of a tree whose rows are in runs."""
    a, n, width = d.sol_H, m.tree_dofnum[tree], d.node_width[tree]
    own, dof = width - n, m.tree_dofadr[tree]
    for i in range(n):
        row, runs = d.node_adr[tree] + i * width + own, first_run(m, d, tree, i)
        xi = x[dof + i] * d.sol_Hinv[dof + i]
        for y in range(runs, runs + d.node_runnum[dof + i]):
            start = d.node_run[y] - own
            for k in range(max(start, 0), min(start + RUN, i)):
                xi = fma(-a[row + k], x[dof + k], xi)
        x[dof + i] = xi
