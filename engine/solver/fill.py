"""Where the Hessian of coupled trees is not zero: the sparsity of its factorization, pack by pack.

Elimination of dof i, from the last to the first, joins all the dofs of its row: the row of the last
of them takes over the others. So a contact enters its dofs in the row of its last one only, and the
rest follows (George and Liu, Computer Solution of Large Sparse Positive Definite Systems, chapter
5). Rows are stored densely; loops go over runs of columns, which are long as dofs are numbered
depth first.
"""

from ..fields import table
from ..kernel import kernel
from ..lanes import fma, zero_like
from .problem import COUPLED, END_BLOCK, FIRST_BLOCK

KNOWN = 2  # of COUPLED: the problem's runs are listed

FILL_DATA = table("""
fill_on          int   ndense      1: the element of the dense lower triangle may differ from zero
fill_run         int   ndense      by row: first column and end of each of its runs
fill_num         int   nv          runs of each row, without the diagonal
""")


@kernel
def find_fill(m, d):
    """List the runs of columns of each row of the problem's Hessian, and of its factorization.

    Reads: chain_*, block_*, problem.
    Writes: fill_on, fill_run, fill_num, problem.
    """
    for k in range(m.ndense):
        d.fill_on[k] = 0
    for dof in range(m.nv):
        for k in range(m.chain_rowadr[dof], m.chain_rowadr[dof] + m.chain_rownnz[dof]):
            d.fill_on[m.dense_rowadr[dof] + m.chain_colind[k]] = 1
    for i in range(d.problem[FIRST_BLOCK], d.problem[END_BLOCK]):
        b = d.block_list[i]
        adr, last = d.block_chainadr[b], d.block_chainnum[b] - 1
        row = m.dense_rowadr[d.chain_dof[adr + last]]
        for x in range(adr, adr + last):
            d.fill_on[row + d.chain_dof[x]] = 1
    for dof in range(m.nv - 1, -1, -1):
        list_runs(m, d, dof)
    d.problem[COUPLED] = KNOWN


@kernel
def list_runs(m, d, dof):
    """List the runs of a row, and enter them in the row that eliminating it changes first."""
    row, n, inside, last = m.dense_rowadr[dof], 0, False, -1
    for j in range(dof):
        if d.fill_on[row + j]:
            last = j
            if not inside:
                d.fill_run[row + 2 * n] = j
                n += 1
            d.fill_run[row + 2 * n - 1] = j + 1
        inside = d.fill_on[row + j] > 0
    d.fill_num[dof] = n
    if last >= 0:
        target = m.dense_rowadr[last]
        for j in range(last):
            d.fill_on[target + j] = max(d.fill_on[target + j], d.fill_on[row + j])


@kernel
def clear_filled(m, d, a):
    """Zero where the matrix may differ from it."""
    zero = zero_like(d.qacc)
    for i in range(m.nv):
        row = m.dense_rowadr[i]
        for r in range(row, row + 2 * d.fill_num[i], 2):
            for k in range(row + d.fill_run[r], row + d.fill_run[r + 1]):
                a[k] = zero
        a[row + i] = zero


@kernel
def factor_filled(m, d, a, diaginv):
    """In-place L'DL of a matrix with the runs of `find_fill`; 1/D goes to diaginv."""
    for i in range(m.nv - 1, -1, -1):
        row = m.dense_rowadr[i]
        first, end = row, row + 2 * d.fill_num[i]
        inverse = 1.0 / a[row + i]
        diaginv[i] = inverse
        for r in range(first, end, 2):
            for k in range(d.fill_run[r], d.fill_run[r + 1]):
                # row of dof k -= scale * the same part of row i
                target, scale = m.dense_rowadr[k], -(a[row + k] * inverse)
                for q in range(first, r, 2):
                    for c in range(d.fill_run[q], d.fill_run[q + 1]):
                        a[target + c] = fma(scale, a[row + c], a[target + c])
                for c in range(d.fill_run[r], k + 1):
                    a[target + c] = fma(scale, a[row + c], a[target + c])
        for r in range(first, end, 2):
            for k in range(row + d.fill_run[r], row + d.fill_run[r + 1]):
                a[k] = a[k] * inverse


@kernel
def solve_filled(m, d, x, a, diaginv):
    """Solve in place with the factorization of `factor_filled`."""
    for i in range(m.nv - 1, -1, -1):
        row, xi = m.dense_rowadr[i], -x[i]
        for r in range(row, row + 2 * d.fill_num[i], 2):
            for j in range(d.fill_run[r], d.fill_run[r + 1]):
                x[j] = fma(a[row + j], xi, x[j])
    for i in range(m.nv):
        row, xi = m.dense_rowadr[i], x[i] * diaginv[i]
        for r in range(row, row + 2 * d.fill_num[i], 2):
            for j in range(d.fill_run[r], d.fill_run[r + 1]):
                xi = fma(-a[row + j], x[j], xi)
        x[i] = xi
