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
def is_joined(m, d, i):
    """True if row i - 1 has the columns of row i."""
    row, n = m.dense_rowadr[i], d.fill_num[i]
    if n == 0 or d.fill_run[row + 2 * n - 1] != i:
        return False
    # it has these columns at least, so that counting them is enough
    return d.fill_on[row + i] == d.fill_on[m.dense_rowadr[i - 1] + i - 1] + 1


@kernel
def count_joined(m, d, i):
    """Number of rows, from row i down, that have the same columns: 4, 2 or 1."""
    if not is_joined(m, d, i):
        return 1
    return 4 if is_joined(m, d, i - 1) and is_joined(m, d, i - 2) else 2


@kernel
def factor_filled(m, d, a, diaginv):
    """In-place L'DL of a matrix with the runs of `find_fill`; 1/D goes to diaginv.

    Neighbours with the same columns are eliminated together, as in `factor_span`.
    """
    i = m.nv - 1
    while i >= 0:
        row, n = m.dense_rowadr[i], d.fill_num[i]
        njoined = count_joined(m, d, i)
        first = i + 1 - njoined
        # from each other
        for j in range(i, first - 1, -1):
            own = m.dense_rowadr[j]
            diaginv[j] = 1.0 / a[own + j]
            for k in range(j - 1, first - 1, -1):
                subtract_row(d, a, own, m.dense_rowadr[k], k, -(a[own + k] * diaginv[j]))
        # from the rows of their columns
        for r in range(row, row + 2 * n, 2):
            for k in range(d.fill_run[r], min(d.fill_run[r + 1], first)):
                if njoined == 4:
                    subtract_four(m, d, a, diaginv, i, k)
                elif njoined == 2:
                    subtract_two(m, d, a, diaginv, i, k)
                else:
                    subtract_row(d, a, row, m.dense_rowadr[k], k, -(a[row + k] * diaginv[i]))
        for j in range(first, i + 1):
            scale_row(d, a, m.dense_rowadr[j], d.fill_num[j], diaginv[j])
        i = first - 1


@kernel
def subtract_four(m, d, a, diaginv, i, k):
    """Eliminate rows i to i - 3, which have the same columns, from row k."""
    row0, row1 = m.dense_rowadr[i], m.dense_rowadr[i - 1]
    row2, row3 = m.dense_rowadr[i - 2], m.dense_rowadr[i - 3]
    scale0, scale1 = -(a[row0 + k] * diaginv[i]), -(a[row1 + k] * diaginv[i - 1])
    scale2, scale3 = -(a[row2 + k] * diaginv[i - 2]), -(a[row3 + k] * diaginv[i - 3])
    r, target = row0, m.dense_rowadr[k]
    while d.fill_run[r] <= k:
        for c in range(d.fill_run[r], min(d.fill_run[r + 1], k + 1)):
            x = fma(scale1, a[row1 + c], fma(scale0, a[row0 + c], a[target + c]))
            a[target + c] = fma(scale3, a[row3 + c], fma(scale2, a[row2 + c], x))
        if d.fill_run[r + 1] > k:
            break
        r += 2


@kernel
def subtract_two(m, d, a, diaginv, i, k):
    """Eliminate rows i and i - 1, which have the same columns, from row k."""
    row, other = m.dense_rowadr[i], m.dense_rowadr[i - 1]
    scale, factor = -(a[row + k] * diaginv[i]), -(a[other + k] * diaginv[i - 1])
    r, target = row, m.dense_rowadr[k]
    while d.fill_run[r] <= k:
        for c in range(d.fill_run[r], min(d.fill_run[r + 1], k + 1)):
            x = fma(scale, a[row + c], a[target + c])
            a[target + c] = fma(factor, a[other + c], x)
        if d.fill_run[r + 1] > k:
            break
        r += 2


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
def scale_row(d, a, row, n, factor):
    """Multiply the n runs of a row."""
    for r in range(row, row + 2 * n, 2):
        for k in range(row + d.fill_run[r], row + d.fill_run[r + 1]):
            a[k] = a[k] * factor


@kernel
def solve_filled(m, d, x, a, diaginv):
    """Solve in place with the factorization of `factor_filled`.

    Two neighbours with the same columns go together, as no sum of one needs those of the other.
    """
    solve_transposed(m, d, x, a)
    solve_unit_lower(m, d, x, a, diaginv)


@kernel
def solve_transposed(m, d, x, a):
    """Solve with L', in place."""
    i = m.nv - 1
    while i >= 0:
        row, n, xi = m.dense_rowadr[i], d.fill_num[i], -x[i]
        if is_joined(m, d, i):
            other = m.dense_rowadr[i - 1]
            x[i - 1] = fma(a[row + i - 1], xi, x[i - 1])
            xo = -x[i - 1]
            for r in range(row, row + 2 * n, 2):
                for j in range(d.fill_run[r], min(d.fill_run[r + 1], i - 1)):
                    x[j] = fma(a[other + j], xo, fma(a[row + j], xi, x[j]))
            i -= 2
        else:
            for r in range(row, row + 2 * n, 2):
                for j in range(d.fill_run[r], d.fill_run[r + 1]):
                    x[j] = fma(a[row + j], xi, x[j])
            i -= 1


@kernel
def solve_unit_lower(m, d, x, a, diaginv):
    """Divide by D and solve with L, in place."""
    i = 0
    while i < m.nv:
        row, n, xi = m.dense_rowadr[i], d.fill_num[i], x[i] * diaginv[i]
        if i + 1 < m.nv and is_joined(m, d, i + 1):
            other, xo = m.dense_rowadr[i + 1], x[i + 1] * diaginv[i + 1]
            for r in range(row, row + 2 * n, 2):
                for j in range(d.fill_run[r], d.fill_run[r + 1]):
                    xi = fma(-a[row + j], x[j], xi)
                    xo = fma(-a[other + j], x[j], xo)
            x[i], x[i + 1] = xi, fma(-a[other + i], xi, xo)
            i += 2
        else:
            for r in range(row, row + 2 * n, 2):
                for j in range(d.fill_run[r], d.fill_run[r + 1]):
                    xi = fma(-a[row + j], x[j], xi)
            x[i] = xi
            i += 1
