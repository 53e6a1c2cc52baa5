"""The Hessian of one island in blocks of trees, and its L'DL factorization.

The rows of a tree hold the columns of the neighbours that are eliminated after it (`link_adr`),
then its own lower triangle. Rows are eliminated from the last dof of a tree to its first, trees in
the order of `elimination_order`. An island of one tree whose constraints lie on paths to the root
keeps the sparsity of the tree instead, as in `hessian`.
"""

from ...simd.kernel import kernel
from ...simd.lanes import fma
from ..smooth.inertia import factor_span, solve_span
from .hessian import add_curvature, prepare_block
from .problem import COUPLED, END_BLOCK, END_DOF, FIRST_BLOCK, FIRST_DOF, ISLAND

WIDE = 96  # length of a row from which on runs of zeros are looked for
RUN = 8  # length of a run


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
        for k in range(adr, adr + n * width):
            d.sol_H[k] = 0.0
        for i in range(n):
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
    island, a = d.problem[ISLAND], d.sol_H
    for t in range(d.isl_tree[island], d.isl_tree[island + 1]):
        tree = d.node_order[t]
        n, width, adr = m.tree_dofnum[tree], d.node_width[tree], d.node_adr[tree]
        first, own = m.tree_dofadr[tree], width - n
        for i in range(n - 1, -1, -1):
            row = adr + i * width
            inverse = 1.0 / a[row + own + i]
            d.sol_Hinv[first + i] = inverse
            if own + i < WIDE:
                for k in range(i):
                    subtract_row(a, adr + k * width, row, own + k + 1, a[row + own + k] * inverse)
            else:
                subtract_runs(d, adr, row, (own, i, width), inverse)
        for e in range(d.node_link[tree], d.node_link[tree] + d.node_linknum[tree]):
            update_neighbour(m, d, tree, e)
        for i in range(n):
            row = adr + i * width
            for k in range(row, row + own + i):
                a[k] = a[k] * d.sol_Hinv[first + i]


@kernel
def subtract_row(a, target, source, n, scale):
    """a[target : target + n] -= scale * a[source : source + n]."""
    for c in range(n):
        a[target + c] = fma(-scale, a[source + c], a[target + c])


@kernel
def subtract_runs(d, adr, row, place, inverse):
    """Take a long row from those of its tree before it, without what is zero.

    Of a tree with many branches, few are joined with each other: most of a row is zeros.

    Args:
        adr: first row of the tree in `sol_H`.
        row: the row.
        place: columns before those of the tree; place of the row in the tree; length of rows.
        inverse: of its last element.
    """
    a, own, i, width = d.sol_H, place[0], place[1], place[2]
    # where the row is not zero
    many = 0
    for start in range(0, own + i, RUN):
        some = False
        for c in range(row + start, row + min(start + RUN, own + i)):
            some = some or a[c] != 0.0
        if some:
            d.node_run[many] = start
            many += 1
    # from the rows whose columns are not zero there
    for k in range(i):
        scale = a[row + own + k] * inverse
        if scale != 0.0:
            target, end = adr + k * width, own + k + 1
            for x in range(many):
                start = d.node_run[x]
                if start + RUN <= end:
                    subtract_eight(a, target + start, row + start, scale)
                else:
                    subtract_row(a, target + start, row + start, max(0, end - start), scale)


@kernel
def subtract_eight(a, target, source, scale):
    """As `subtract_row` for RUN elements."""
    x0, x1 = fma(-scale, a[source], a[target]), fma(-scale, a[source + 1], a[target + 1])
    x2, x3 = fma(-scale, a[source + 2], a[target + 2]), fma(-scale, a[source + 3], a[target + 3])
    x4, x5 = fma(-scale, a[source + 4], a[target + 4]), fma(-scale, a[source + 5], a[target + 5])
    x6, x7 = fma(-scale, a[source + 6], a[target + 6]), fma(-scale, a[source + 7], a[target + 7])
    a[target], a[target + 1], a[target + 2], a[target + 3] = x0, x1, x2, x3
    a[target + 4], a[target + 5], a[target + 6], a[target + 7] = x4, x5, x6, x7


@kernel
def update_neighbour(m, d, tree, e):
    """Take the rows of an eliminated tree from those of one neighbour."""
    a, other = d.sol_H, d.link_tree[e]
    n, width, adr = m.tree_dofnum[tree], d.node_width[tree], d.node_adr[tree]
    wide, nother = d.node_width[other], m.tree_dofnum[other]
    for x in range(d.node_link[other], d.node_link[other] + d.node_linknum[other]):
        d.node_spot[d.link_tree[x]] = d.link_adr[x]
    for y in range(d.node_link[tree], d.node_link[tree] + d.node_linknum[tree]):
        third = d.link_tree[y]
        # of two neighbours, the rows belong to the one that is eliminated first
        if third == other or d.node_place[third] > d.node_place[other]:
            spot = wide - nother if third == other else d.node_spot[third]
            for i in range(n):
                row, inverse = adr + i * width, d.sol_Hinv[m.tree_dofadr[tree] + i]
                for r in range(nother):
                    scale = a[row + d.link_adr[e] + r] * inverse
                    many = r + 1 if third == other else m.tree_dofnum[third]
                    target = d.node_adr[other] + r * wide + spot
                    subtract_row(a, target, row + d.link_adr[y], many, scale)


@kernel
def solve_nodes(m, d, x):
    """Solve in place with the factorization of `factor_nodes`."""
    island, a = d.problem[ISLAND], d.sol_H
    first, end = d.isl_tree[island], d.isl_tree[island + 1]
    # x <- L^-T x: own columns, then those of neighbours
    for t in range(first, end):
        tree = d.node_order[t]
        n, width, dof = m.tree_dofnum[tree], d.node_width[tree], m.tree_dofadr[tree]
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
