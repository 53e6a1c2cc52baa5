"""Sparsity of the factorized Hessian of coupled trees, pack by pack.

Elimination of dof i, from the last to the first, joins all the dofs of its row: the row of the last
of them takes over the others. So a contact enters its dofs in the row of its last one only, and the
rest follows (George and Liu, Computer Solution of Large Sparse Positive Definite Systems, chapter
5). Rows are stored densely; loops go over runs of columns, which are long as dofs are numbered
depth first.
"""

from ...simd.kernel import kernel
from ...simd.lanes import fma, zero_like
from .problem import COUPLED, END_BLOCK, FIRST_BLOCK

KNOWN = 2  # of COUPLED: the problem's runs are listed


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
    row, n, count, inside, last = m.dense_rowadr[dof], 0, 0, False, -1
    for j in range(dof):
        if d.fill_on[row + j]:
            last = j
            if not inside:
                d.fill_run[row + 2 * n] = j
                n += 1
            d.fill_run[row + 2 * n - 1] = j + 1
            count += 1
        inside = d.fill_on[row + j] > 0
    d.fill_num[dof], d.fill_on[row + dof] = n, count
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
    """In-place L'DL of a matrix with the runs of `find_fill`; 1/D goes to diaginv.

    Neighbours with the same columns are eliminated together, as in `factor_span`.
    """
    i = m.nv - 1
    while i >= 0:
        row, other, n = m.dense_rowadr[i], m.dense_rowadr[max(i - 1, 0)], d.fill_num[i]
        inverse = 1.0 / a[row + i]
        diaginv[i] = inverse
        # the row of the neighbour has these columns at least, so that counting them is enough
        joined = n > 0 and d.fill_on[row + i] == d.fill_on[other + i - 1] + 1
        if joined and d.fill_run[row + 2 * n - 1] == i:
            scale = -(a[row + i - 1] * inverse)
            subtract_row(d, a, row, other, i - 1, scale)
            second = 1.0 / a[other + i - 1]
            diaginv[i - 1] = second
            for r in range(row, row + 2 * n, 2):
                for k in range(d.fill_run[r], min(d.fill_run[r + 1], i - 1)):
                    scale, factor = -(a[row + k] * inverse), -(a[other + k] * second)
                    subtract_rows(d, a, row, other, m.dense_rowadr[k], k, scale, factor)
            scale_row(d, a, row, n, inverse)
            scale_row(d, a, other, d.fill_num[i - 1], second)
            i -= 2
        else:
            for r in range(row, row + 2 * n, 2):
                for k in range(d.fill_run[r], d.fill_run[r + 1]):
                    subtract_row(d, a, row, m.dense_rowadr[k], k, -(a[row + k] * inverse))
            scale_row(d, a, row, n, inverse)
            i -= 1


@kernel
def subtract_row(d, a, row, target, last, scale):
    """Add scale times a row, up to a column that it has, to another one."""
    r = row
    while d.fill_run[r] <= last:
        for c in range(d.fill_run[r], min(d.fill_run[r + 1], last + 1)):
            a[target + c] = fma(scale, a[row + c], a[target + c])
        if d.fill_run[r + 1] > last:
            break
        r += 2


@kernel
def subtract_rows(d, a, row, other, target, last, scale, factor):
    """The same with two rows that have the same columns."""
    r = row
    while d.fill_run[r] <= last:
        for c in range(d.fill_run[r], min(d.fill_run[r + 1], last + 1)):
            x = fma(scale, a[row + c], a[target + c])
            a[target + c] = fma(factor, a[other + c], x)
        if d.fill_run[r + 1] > last:
            break
        r += 2


@kernel
def scale_row(d, a, row, n, factor):
    """Multiply the n runs of a row."""
    for r in range(row, row + 2 * n, 2):
        for k in range(row + d.fill_run[r], row + d.fill_run[r + 1]):
            a[k] = a[k] * factor


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
