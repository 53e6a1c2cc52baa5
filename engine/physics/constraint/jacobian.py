"""Products with the constraint Jacobian, block by block.

A block holds the Jacobians of its basis directions (a contact: normal, tangents, rotations); the
rows of a pyramidal contact are sums and differences of these.
"""

from ...simd.elementary import larger
from ...simd.kernel import kernel
from ...simd.lanes import fma, select, zero_like
from ...tables.enums import CNSTR_CONTACT_ELLIPTIC, CNSTR_CONTACT_PYRAMIDAL, COUNT_BLOCK, MINVAL


@kernel
def block_rows(d, b):
    """Number of rows of a block."""
    dim = d.block_dim[b]
    return 2 * (dim - 1) if d.block_type[b] == CNSTR_CONTACT_PYRAMIDAL else dim


@kernel
def row_stiffness(m, d, b, k):
    """Inverse regularization of row k of a block, relative to its first row."""
    one = zero_like(d.qpos) + 1.0
    if k == 0 or d.block_type[b] != CNSTR_CONTACT_ELLIPTIC:
        return one
    ratio = d.block_mu[5 * b + k - 1] / d.block_mu[5 * b]
    return ratio * ratio * larger(m.opt_impratio[0], MINVAL)


@kernel
def mul_jac(m, d, rows, vector):
    """rows = J vector, for all rows; `rows` and `vector` are fields."""
    mul_blocks(m, d, rows, vector, 0, d.count[COUNT_BLOCK])


@kernel
def where_there(m, on, x):
    """A number of a block in the lanes that have it, else 0; a single world has all its blocks."""
    if m.width > 1:
        return select(on, x, 0.0)
    return x


@kernel
def mul_blocks(m, d, rows, vector, first, end):
    """rows = J vector for a range of `block_list`; `rows` and `vector` are fields.

    In lanes without the block they are 0, also where the vector is not finite.
    """
    for i in range(first, end):
        b = d.block_list[i]
        adr, n, chainadr = d.block_adr[b], d.block_chainnum[b], d.block_chainadr[b]
        dim, row, on = d.block_dim[b], d.block_row[b], d.block_D[b] > 0.0
        # everything but pyramids: row by row
        if d.block_type[b] != CNSTR_CONTACT_PYRAMIDAL:
            for k in range(dim):
                s0 = chain_product(m, d, adr + k * n, n, chainadr, vector)
                rows[row + k] = where_there(m, on, s0)
        elif dim == 3:
            # pyramid of condim 3: its three products at once
            x = vector[d.chain_dof[chainadr]]
            s0, s1, s2 = (
                d.block_jac[adr] * x,
                d.block_jac[adr + n] * x,
                d.block_jac[adr + 2 * n] * x,
            )
            for k in range(1, n):
                x = vector[d.chain_dof[chainadr + k]]
                s0 = fma(d.block_jac[adr + k], x, s0)
                s1 = fma(d.block_jac[adr + n + k], x, s1)
                s2 = fma(d.block_jac[adr + 2 * n + k], x, s2)
            # edges: normal plus and minus friction
            s0 = where_there(m, on, s0)
            s1 = where_there(m, on, s1 * d.block_mu[5 * b])
            s2 = where_there(m, on, s2 * d.block_mu[5 * b + 1])
            rows[row], rows[row + 1], rows[row + 2], rows[row + 3] = (
                s0 + s1,
                s0 - s1,
                s0 + s2,
                s0 - s2,
            )
        else:
            # other pyramids
            normal = where_there(m, on, chain_product(m, d, adr, n, chainadr, vector))
            for k in range(dim - 1):
                s = (
                    chain_product(m, d, adr + (k + 1) * n, n, chainadr, vector)
                    * d.block_mu[5 * b + k]
                )
                s = where_there(m, on, s)
                rows[row + 2 * k] = normal + s
                rows[row + 2 * k + 1] = normal - s


@kernel
def chain_product(m, d, adr, n, chainadr, vector):
    """Product of one basis direction with a vector over dofs."""
    s = d.block_jac[adr] * vector[d.chain_dof[chainadr]]
    for k in range(1, n):
        s = fma(d.block_jac[adr + k], vector[d.chain_dof[chainadr + k]], s)
    return s


@kernel
def add_force(m, d, result, first, end):
    """result += J' row_force for a range of `block_list`."""
    for i in range(first, end):
        b = d.block_list[i]
        adr, n, chainadr = d.block_adr[b], d.block_chainnum[b], d.block_chainadr[b]
        dim, row = d.block_dim[b], d.block_row[b]
        # everything but pyramids: row by row
        if d.block_type[b] != CNSTR_CONTACT_PYRAMIDAL:
            for k in range(dim):
                add_chain(m, d, result, adr + k * n, n, chainadr, d.row_force[row + k])
        elif dim == 3:
            # pyramid of condim 3: forces of its edges to the contact frame
            f1, f2, f3, f4 = (
                d.row_force[row],
                d.row_force[row + 1],
                d.row_force[row + 2],
                d.row_force[row + 3],
            )
            normal = (f1 + f2) + (f3 + f4)
            side, other = (f1 - f2) * d.block_mu[5 * b], (f3 - f4) * d.block_mu[5 * b + 1]
            for k in range(n):
                dof = d.chain_dof[chainadr + k]
                s = fma(d.block_jac[adr + k], normal, result[dof])
                s = fma(d.block_jac[adr + n + k], side, s)
                result[dof] = fma(d.block_jac[adr + 2 * n + k], other, s)
        else:
            # other pyramids
            normal = zero_like(d.qacc)
            for k in range(dim - 1):
                plus, minus = d.row_force[row + 2 * k], d.row_force[row + 2 * k + 1]
                normal = normal + (plus + minus)
                add_chain(
                    m,
                    d,
                    result,
                    adr + (k + 1) * n,
                    n,
                    chainadr,
                    (plus - minus) * d.block_mu[5 * b + k],
                )
            add_chain(m, d, result, adr, n, chainadr, normal)


@kernel
def add_chain(m, d, result, adr, n, chainadr, force):
    """Add the generalized force of one basis direction."""
    for k in range(n):
        dof = d.chain_dof[chainadr + k]
        result[dof] = fma(d.block_jac[adr + k], force, result[dof])
