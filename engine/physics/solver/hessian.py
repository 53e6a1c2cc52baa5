"""The Hessian of the constraint problem, M + J' D J over the active rows, and its factorization.

Contacts with the world keep the sparsity of the kinematic tree: row i holds the ancestors of dof i
(`chain_*` structure). A contact between branches couples them; then rows are those of the dense
triangle, with the runs of columns that the pack's contacts fill (see fill_in.py). Both eliminate in
the same order, and what only one of them computes is exactly zero, so the choice does not show in
the result.
"""

from ...simd.kernel import kernel
from ...simd.lanes import fma, lane_any, zero_like
from ..constraint.jacobian import block_rows
from ..smooth.inertia import factor_rows, solve_rows
from .cone import add_cone, is_elliptic, prepare_cone
from .fill_in import KNOWN, clear_filled, factor_filled, find_fill, solve_filled
from .problem import COUPLED, END_BLOCK, FIRST_BLOCK


@kernel
def make_hessian(m, d):
    """Assemble and factorize.

    Reads: M, block_jac, row_active.
    Writes: sol_H, sol_Hinv.
    """
    if d.problem[COUPLED]:
        if d.problem[COUPLED] != KNOWN:
            find_fill(m, d)
        clear_filled(m, d, d.sol_H)
        enter_inertia(m, d, m.dense_rownnz, m.dense_rowadr)
        add_blocks(m, d, m.dense_rownnz, m.dense_rowadr)
        factor_filled(m, d, d.sol_H, d.sol_Hinv)
    else:
        if m.nC == m.nchain:
            # no row of M is shortened, so that both have the same layout
            for k in range(m.nC):
                d.sol_H[k] = d.M[k]
        else:
            zero = zero_like(d.qacc)
            for k in range(m.nchain):
                d.sol_H[k] = zero
            enter_inertia(m, d, m.chain_rownnz, m.chain_rowadr)
        add_blocks(m, d, m.chain_rownnz, m.chain_rowadr)
        factor_rows(d.sol_H, d.sol_Hinv, m.nv, m.chain_rownnz, m.chain_rowadr, m.chain_colind)


@kernel
def solve_hessian(m, d):
    """Solve with the factorization of `make_hessian`, in place in `sol_search`."""
    x, a, diaginv = d.sol_search, d.sol_H, d.sol_Hinv
    if d.problem[COUPLED]:
        solve_filled(m, d, x, a, diaginv)
    else:
        solve_rows(x, a, diaginv, m.nv, m.chain_rownnz, m.chain_rowadr, m.chain_colind)


@kernel
def enter_inertia(m, d, rownnz, rowadr):
    """Start from the inertia matrix; column j is at offset rownnz[j] - 1 of its row."""
    for dof in range(m.nv):
        for k in range(m.M_rowadr[dof], m.M_rowadr[dof] + m.M_rownnz[dof]):
            d.sol_H[rowadr[dof] + rownnz[m.M_colind[k]] - 1] = d.M[k]


@kernel
def add_blocks(m, d, rownnz, rowadr):
    """Add the active rows."""
    for i in range(d.problem[FIRST_BLOCK], d.problem[END_BLOCK]):
        b = d.block_list[i]
        n = d.block_chainnum[b]
        if prepare_block(d, b):
            add_curvature(m, d, b, (0, n, 0, n), rownnz, rowadr)


@kernel
def prepare_block(d, b):
    """True if a block has curvature in any lane; an elliptic cone enters its parts."""
    if is_elliptic(d, b):
        return prepare_cone(d, b)
    row = d.block_row[b]
    found = d.row_active[row] > 0.0
    for k in range(row + 1, row + block_rows(d, b)):
        found = found | (d.row_active[k] > 0.0)
    return lane_any(found)


@kernel
def add_curvature(m, d, b, span, rownnz, rowadr):
    """Add J'SJ of a block to `sol_H`.

    Args:
        m: model.
        d: data, after `prepare_block`.
        b: block.
        span: positions in the block's chain: first and end of the dofs whose rows, first and end
            of those whose columns are added to. Only columns up to the row's own dof are.
        rownnz: by dof, the place of its column in a row, and 1.
        rowadr: by dof, where its row starts.
    """
    dim, row = d.block_dim[b], d.block_row[b]
    if is_elliptic(d, b):
        add_cone(m, d, b, span, rownnz, rowadr)
    elif dim == 1:
        add_scalar(m, d, b, span, d.row_active[row], rownnz, rowadr)
    elif dim == 3:
        # pyramid of condim 3: curvatures of its edges to the contact frame
        w1, w2, w3, w4 = (
            d.row_active[row],
            d.row_active[row + 1],
            d.row_active[row + 2],
            d.row_active[row + 3],
        )
        total = (w1 + w2) + (w3 + w4)
        mu1, mu2 = d.block_mu[5 * b], d.block_mu[5 * b + 1]
        add_contact3(
            m, d, b, span, total, mu1 * (w1 - w2), mu2 * (w3 - w4),
            mu1 * mu1 * (w1 + w2), mu2 * mu2 * (w3 + w4), rownnz, rowadr,
        )  # fmt: skip
    else:
        add_contact(m, d, b, span, rownnz, rowadr)


@kernel
def add_scalar(m, d, b, span, weight, rownnz, rowadr):
    """Add weight J'J of a block with one row."""
    adr, chainadr = d.block_adr[b], d.block_chainadr[b]
    for i in range(span[0], span[1]):
        dof = d.chain_dof[chainadr + i]
        scaled = d.block_jac[adr + i] * weight
        for j in range(span[2], min(i + 1, span[3])):
            h = rowadr[dof] + rownnz[d.chain_dof[chainadr + j]] - 1
            d.sol_H[h] = fma(scaled, d.block_jac[adr + j], d.sol_H[h])


@kernel
def add_contact3(m, d, b, span, nn, ns, no, ss, oo, rownnz, rowadr):
    """Add J'SJ of a contact with two tangents; S couples the normal with each tangent."""
    adr, n, chainadr = d.block_adr[b], d.block_chainnum[b], d.block_chainadr[b]
    for i in range(span[0], span[1]):
        dof = d.chain_dof[chainadr + i]
        jn, js, jo = d.block_jac[adr + i], d.block_jac[adr + n + i], d.block_jac[adr + 2 * n + i]
        wn = fma(no, jo, fma(ns, js, nn * jn))
        ws = fma(ss, js, ns * jn)
        wo = fma(oo, jo, no * jn)
        start = rowadr[dof] - 1
        for j in range(span[2], min(i + 1, span[3])):
            h = start + rownnz[d.chain_dof[chainadr + j]]
            s = fma(wn, d.block_jac[adr + j], d.sol_H[h])
            s = fma(ws, d.block_jac[adr + n + j], s)
            d.sol_H[h] = fma(wo, d.block_jac[adr + 2 * n + j], s)


@kernel
def add_contact(m, d, b, span, rownnz, rowadr):
    """Add J'SJ of a contact with any number of dimensions, one pair of pyramid edges at a time."""
    adr, n, chainadr = d.block_adr[b], d.block_chainnum[b], d.block_chainadr[b]
    dim, row = d.block_dim[b], d.block_row[b]
    for k in range(dim - 1):
        # curvatures of the two edges, to normal and tangent
        plus, minus, mu = (
            d.row_active[row + 2 * k],
            d.row_active[row + 2 * k + 1],
            d.block_mu[5 * b + k],
        )
        both = plus + minus
        if lane_any(both > 0.0):
            side = adr + (k + 1) * n
            cross, square = mu * (plus - minus), mu * mu * both
            # products with the normal and the tangent
            for i in range(span[0], span[1]):
                dof = d.chain_dof[chainadr + i]
                jn, js = d.block_jac[adr + i], d.block_jac[side + i]
                wn, ws = fma(cross, js, both * jn), fma(square, js, cross * jn)
                for j in range(span[2], min(i + 1, span[3])):
                    h = rowadr[dof] + rownnz[d.chain_dof[chainadr + j]] - 1
                    s = fma(wn, d.block_jac[adr + j], d.sol_H[h])
                    d.sol_H[h] = fma(ws, d.block_jac[side + j], s)
