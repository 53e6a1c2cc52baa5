"""The Hessian of the constraint problem, M + J' D J over the active rows, and its factorization.

Contacts with the world keep the sparsity of the kinematic tree: row i holds the ancestors of dof i
(`chain_*` structure).
A contact between branches couples them; then the pack uses the dense structure. Both eliminate in
the same order, and what
only the dense one computes is exactly zero, so the choice does not show in the result.
"""

from ..inertia import factor_rows, solve_rows
from ..kernel import kernel
from ..lanes import fma, lane_any, zero_like
from .cone import add_cone, is_elliptic
from .problem import COUPLED, END_BLOCK, FIRST_BLOCK


@kernel
def make_hessian(m, d):
    """Assemble and factorize.

    Reads: M, block_jac, row_active.
    Writes: sol_H, sol_Hinv.
    """
    if d.problem[COUPLED]:
        assemble(m, d, m.dense_rownnz, m.dense_rowadr, m.ndense)
        factor_rows(d.sol_H, d.sol_Hinv, m.nv, m.dense_rownnz, m.dense_rowadr, m.dense_colind)
    else:
        assemble(m, d, m.chain_rownnz, m.chain_rowadr, m.nchain)
        factor_rows(d.sol_H, d.sol_Hinv, m.nv, m.chain_rownnz, m.chain_rowadr, m.chain_colind)


@kernel
def solve_hessian(m, d):
    """Solve with the factorization of `make_hessian`, in place in `sol_search`."""
    x, a, diaginv = d.sol_search, d.sol_H, d.sol_Hinv
    if d.problem[COUPLED]:
        solve_rows(x, a, diaginv, m.nv, m.dense_rownnz, m.dense_rowadr, m.dense_colind)
    else:
        solve_rows(x, a, diaginv, m.nv, m.chain_rownnz, m.chain_rowadr, m.chain_colind)


@kernel
def assemble(m, d, rownnz, rowadr, nnz):
    """Sum of inertia matrix and active rows; column j is at offset rownnz[j] - 1 of its row."""
    zero = zero_like(d.qacc)
    for k in range(nnz):
        d.sol_H[k] = zero
    for dof in range(m.nv):
        for k in range(m.M_rowadr[dof], m.M_rowadr[dof] + m.M_rownnz[dof]):
            d.sol_H[rowadr[dof] + rownnz[m.M_colind[k]] - 1] = d.M[k]
    for i in range(d.problem[FIRST_BLOCK], d.problem[END_BLOCK]):
        b = d.block_list[i]
        dim, row = d.block_dim[b], d.block_row[b]
        if is_elliptic(d, b):
            add_cone(m, d, b, rownnz, rowadr)
        elif dim == 1:
            weight = d.row_active[row]
            if lane_any(weight > 0.0):
                add_scalar(m, d, b, weight, rownnz, rowadr)
        elif dim == 3:
            w1, w2, w3, w4 = (
                d.row_active[row],
                d.row_active[row + 1],
                d.row_active[row + 2],
                d.row_active[row + 3],
            )
            total = (w1 + w2) + (w3 + w4)
            if lane_any(total > 0.0):
                mu1, mu2 = d.block_mu[5 * b], d.block_mu[5 * b + 1]
                add_contact3(
                    m, d, b, total, mu1 * (w1 - w2), mu2 * (w3 - w4),
                    mu1 * mu1 * (w1 + w2), mu2 * mu2 * (w3 + w4), rownnz, rowadr,
                )  # fmt: skip
        else:
            add_contact(m, d, b, rownnz, rowadr)


@kernel
def add_scalar(m, d, b, weight, rownnz, rowadr):
    """Add weight J'J of a block with one row."""
    adr, n, chainadr = d.block_adr[b], d.block_chainnum[b], d.block_chainadr[b]
    for i in range(n):
        dof = d.chain_dof[chainadr + i]
        scaled = d.block_jac[adr + i] * weight
        for j in range(i + 1):
            h = rowadr[dof] + rownnz[d.chain_dof[chainadr + j]] - 1
            d.sol_H[h] = fma(scaled, d.block_jac[adr + j], d.sol_H[h])


@kernel
def add_contact3(m, d, b, nn, ns, no, ss, oo, rownnz, rowadr):
    """Add J'SJ of a contact with two tangents; S couples the normal with each tangent."""
    adr, n, chainadr = d.block_adr[b], d.block_chainnum[b], d.block_chainadr[b]
    for i in range(n):
        dof = d.chain_dof[chainadr + i]
        jn, js, jo = d.block_jac[adr + i], d.block_jac[adr + n + i], d.block_jac[adr + 2 * n + i]
        wn = fma(no, jo, fma(ns, js, nn * jn))
        ws = fma(ss, js, ns * jn)
        wo = fma(oo, jo, no * jn)
        start = rowadr[dof] - 1
        for j in range(i + 1):
            h = start + rownnz[d.chain_dof[chainadr + j]]
            s = fma(wn, d.block_jac[adr + j], d.sol_H[h])
            s = fma(ws, d.block_jac[adr + n + j], s)
            d.sol_H[h] = fma(wo, d.block_jac[adr + 2 * n + j], s)


@kernel
def add_contact(m, d, b, rownnz, rowadr):
    """Add J'SJ of a contact with any number of dimensions, one pair of pyramid edges at a time."""
    adr, n, chainadr = d.block_adr[b], d.block_chainnum[b], d.block_chainadr[b]
    dim, row = d.block_dim[b], d.block_row[b]
    for k in range(dim - 1):
        plus, minus, mu = (
            d.row_active[row + 2 * k],
            d.row_active[row + 2 * k + 1],
            d.block_mu[5 * b + k],
        )
        both = plus + minus
        if lane_any(both > 0.0):
            side = adr + (k + 1) * n
            cross, square = mu * (plus - minus), mu * mu * both
            for i in range(n):
                dof = d.chain_dof[chainadr + i]
                jn, js = d.block_jac[adr + i], d.block_jac[side + i]
                wn, ws = fma(cross, js, both * jn), fma(square, js, cross * jn)
                for j in range(i + 1):
                    h = rowadr[dof] + rownnz[d.chain_dof[chainadr + j]] - 1
                    s = fma(wn, d.block_jac[adr + j], d.sol_H[h])
                    d.sol_H[h] = fma(ws, d.block_jac[side + j], s)
