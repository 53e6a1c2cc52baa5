"""The Jacobian of one island of a scene in strips, by rows and by dofs, and products with it.

A scene has one world, so that lanes can be rows or dofs. `STRIP` basis directions of blocks side by
side, or `STRIP` dofs, make one strip of a matrix. It has as many entries as the longest row among
them, each of which takes two strips of the memory `strip`: places of the operands as integers, and
elements, 0 behind the end of a shorter row. So a product gathers operands, and adds them up in the
order of the row, as `jacobian.py` does.

Vectors over dofs lie here in the order of `dof_list`; the *place* of a dof is its index there. Rows
stay where they are. A basis direction has the number of its row, until pyramids begin, which have
more rows than directions.
"""

from ...enums import CNSTR_CONTACT_PYRAMIDAL, CNSTR_EQUALITY
from ...fields import table
from ...simd.kernel import kernel
from ...simd.lanes import fma, gather_strip, load_strip, store_strip, zero_like
from ...simd.record import STRIP
from ..capacity import ROOM_STRIP
from .problem import END_BLOCK, END_DOF, FIRST_BLOCK, FIRST_DOF, FIRST_ROW

# indices into `isl_strip`: basis directions, end of the rows of equalities, place in block_list and
# number of the first pyramid, strips of rows, where the starts of strips of dofs lie, end of the
# list of dofs whose inertia is no number of their own
NBASE, END_EQUALITY, PYRAMID, PYRAMID_BASE, NROWSTRIP, DOFHEAD, END_WIDE = range(7)

STRIP_DATA = table("""
isl_strip        int     7       numbers of one island's strips, see solver/island_strips.py
dof_at           int     nv      place of the dof in dof_list
place_num        int     nv      elements of the Jacobian that the dof at a place has
place_next       int     nv      how many of them are listed
place_wide       int     nv      places of dofs that share inertia with others
place_M          scalar  nv      diagonal of the inertia matrix
place_invD       scalar  nv      inverse diagonal of its factorization
place_acc0       scalar  nv      unconstrained acceleration
place_frc0       scalar  nv      smooth force
place_acc        scalar  nv      acceleration
place_Ma         scalar  nv      M times it
place_frc        scalar  nv      force of constraints
place_grad       scalar  nv      gradient
place_Mgrad      scalar  nv      inverse of M times it
place_search     scalar  nv      search direction
place_Mv         scalar  nv      M times it
base_jv          real    nrow    basis directions times the search direction
base_force       real    nrow    forces along basis directions
search_part      scalar  3       slope and curvature at the start of a search, its length
""")


# ---------------------------------------------------------------- room


@kernel
def count_strips(m, d):
    """How much memory the strips of the largest island need.

    Reads: block_*, isl_*, dof_list, block_list.
    Writes: need, dof_at, place_num.
    """
    for k in range(m.nv):
        d.dof_at[d.dof_list[k]] = k
        d.place_num[k] = 0
    most = 0
    for island in range(d.isl_num[0]):
        nbase = longest = entries = 0
        for i in range(d.isl_block[island], d.isl_block[island + 1]):
            b = d.block_list[i]
            n, chainadr, dim = d.block_chainnum[b], d.block_chainadr[b], d.block_dim[b]
            # elements of each dof
            for x in range(chainadr, chainadr + n):
                k = d.dof_at[d.chain_dof[x]]
                d.place_num[k] = d.place_num[k] + dim
            # entries of strips of rows
            for _ in range(dim):
                if nbase % STRIP == 0:
                    entries, longest = entries + longest, 0
                longest, nbase = max(longest, n), nbase + 1
        entries += longest
        # entries of strips of dofs
        first, end = d.isl_dof[island], d.isl_dof[island + 1]
        for k in range(first, end, STRIP):
            entries += longest_list(d, k, end)
        nhead = strips_of(nbase) + strips_of(end - first) + 2
        most = max(most, strips_of(nhead) + 2 * entries)
    d.need[ROOM_STRIP] = most


@kernel
def strips_of(n):
    """Strips that n numbers fill."""
    return (n + STRIP - 1) // STRIP


@kernel
def longest_list(d, k, end):
    """Most elements of a dof of the strip that begins at a place."""
    longest = 0
    for other in range(k, min(k + STRIP, end)):
        longest = max(longest, d.place_num[other])
    return longest


# ---------------------------------------------------------------- filling


@kernel
def fill_strips(m, d):
    """List the Jacobian of the problem by rows and by dofs, and what its dofs have.

    Writes: isl_strip, strip, place_*.
    """
    p = d.problem
    lay_out(d)
    # elements: all behind the ends of rows are 0
    shape = d.isl_strip
    first, base = p[FIRST_DOF], 0
    for i in range(p[FIRST_BLOCK], p[END_BLOCK]):
        b = d.block_list[i]
        n, adr, chainadr = d.block_chainnum[b], d.block_adr[b], d.block_chainadr[b]
        for _ in range(d.block_dim[b]):
            to = STRIP * d.bits[base // STRIP] + base % STRIP
            for x in range(n):
                k = d.dof_at[d.chain_dof[chainadr + x]] - first
                # by rows
                d.bits[to], d.number[to + STRIP] = k, d.block_jac[adr + x]
                to += 2 * STRIP
                # by dofs
                head, listed = d.bits[shape[DOFHEAD] + k // STRIP], d.place_next[first + k]
                at = STRIP * (head + 2 * listed) + k % STRIP
                d.bits[at], d.number[at + STRIP] = base, d.block_jac[adr + x]
                d.place_next[first + k] = listed + 1
            adr, base = adr + n, base + 1
    # vectors over dofs
    shape[END_WIDE] = first
    for k in range(first, p[END_DOF]):
        dof = d.dof_list[k]
        d.place_M[k] = d.M[m.M_rowadr[dof] + m.M_rownnz[dof] - 1]
        d.place_invD[k] = d.qLDiagInv[dof]
        d.place_acc0[k], d.place_frc0[k] = d.qacc_smooth[dof], d.qfrc_smooth[dof]
        d.place_acc[k], d.place_Ma[k] = d.qacc[dof], d.sol_Ma[dof]
        if m.M_rownnz[dof] > 1:
            d.place_wide[shape[END_WIDE]] = k
            shape[END_WIDE] += 1


@kernel
def lay_out(d):
    """Where strips start, in strips of the memory: first those of rows, then those of dofs.

    Writes: isl_strip, strip, place_next.
    """
    p, shape = d.problem, d.isl_strip
    # numbers of directions, equalities and pyramids
    nbase, row = 0, p[FIRST_ROW]
    shape[PYRAMID], shape[PYRAMID_BASE] = p[END_BLOCK], -1
    for i in range(p[FIRST_BLOCK], p[END_BLOCK]):
        b = d.block_list[i]
        if d.block_type[b] == CNSTR_EQUALITY:
            row += d.block_dim[b]
        if d.block_type[b] == CNSTR_CONTACT_PYRAMIDAL and shape[PYRAMID_BASE] < 0:
            shape[PYRAMID], shape[PYRAMID_BASE] = i, nbase
        nbase += d.block_dim[b]
    if shape[PYRAMID_BASE] < 0:
        shape[PYRAMID_BASE] = nbase
    shape[NBASE], shape[END_EQUALITY] = nbase, row
    # starts of strips of rows, each known when its last row is
    first, end = p[FIRST_DOF], p[END_DOF]
    nrow, ndof = strips_of(nbase), strips_of(end - first)
    shape[NROWSTRIP], shape[DOFHEAD] = nrow, nrow + 1
    start, base, longest = strips_of(nrow + ndof + 2), 0, 0
    used = start
    d.bits[0] = start
    for i in range(p[FIRST_BLOCK], p[END_BLOCK]):
        n = d.block_chainnum[d.block_list[i]]
        for _ in range(d.block_dim[d.block_list[i]]):
            longest, base = max(longest, n), base + 1
            if base % STRIP == 0 or base == nbase:
                used, longest = used + 2 * longest, 0
                d.bits[strips_of(base)] = used
    # starts of strips of dofs
    for k in range(ndof):
        d.bits[nrow + 1 + k] = used
        used += 2 * longest_list(d, first + STRIP * k, end)
    d.bits[nrow + 1 + ndof] = used
    # nothing is listed yet
    zero = zero_like(d.strip)
    for k in range(start, used):
        d.strip[k] = zero
    for k in range(first, end):
        d.place_next[k] = 0


# ---------------------------------------------------------------- products


@kernel
def row_product(d, strip):
    """Products of one strip of basis directions with the search direction."""
    s, first = zero_like(d.strip), d.problem[FIRST_DOF]
    for at in range(d.bits[strip], d.bits[strip + 1], 2):
        s = fma(d.strip[at + 1], gather_strip(d.place_search, first, d.bits, at), s)
    return s


@kernel
def dof_product(d, strip, force, first):
    """Sums of forces along basis directions, `force[first]` and following, at a strip of dofs."""
    s, head = zero_like(d.strip), d.isl_strip[DOFHEAD] + strip
    for at in range(d.bits[head], d.bits[head + 1], 2):
        s = fma(d.strip[at + 1], gather_strip(force, first, d.bits, at), s)
    return s


@kernel
def spread_pyramids(d):
    """Rows of pyramids from their basis directions, which are in `base_jv`.

    Writes: row_jv.
    """
    p, shape = d.problem, d.isl_strip
    base = p[FIRST_ROW] + shape[PYRAMID_BASE]
    for i in range(shape[PYRAMID], p[END_BLOCK]):
        b = d.block_list[i]
        dim, row, normal = d.block_dim[b], d.block_row[b], d.base_jv[base]
        if d.block_type[b] == CNSTR_CONTACT_PYRAMIDAL:
            # edges: normal plus and minus friction
            for k in range(dim - 1):
                side = d.base_jv[base + k + 1] * d.block_mu[5 * b + k]
                d.row_jv[row + 2 * k], d.row_jv[row + 2 * k + 1] = normal + side, normal - side
        else:
            for k in range(dim):
                d.row_jv[row + k] = d.base_jv[base + k]
        base += dim


@kernel
def join_pyramids(d):
    """Forces along basis directions from those of rows.

    Writes: base_force.
    """
    p, shape = d.problem, d.isl_strip
    first, n = p[FIRST_ROW], shape[PYRAMID_BASE]
    for k in range(0, n, STRIP):
        store_strip(d.base_force, first + k, n - k, load_strip(d.row_force, first + k, n - k))
    base = first + n
    for i in range(shape[PYRAMID], p[END_BLOCK]):
        b = d.block_list[i]
        dim, row = d.block_dim[b], d.block_row[b]
        if d.block_type[b] == CNSTR_CONTACT_PYRAMIDAL:
            # of both edges of each side
            normal = 0.0
            for k in range(dim - 1):
                plus, minus = d.row_force[row + 2 * k], d.row_force[row + 2 * k + 1]
                normal = normal + (plus + minus)
                d.base_force[base + k + 1] = (plus - minus) * d.block_mu[5 * b + k]
            d.base_force[base] = normal
        else:
            for k in range(dim):
                d.base_force[base + k] = d.row_force[row + k]
        base += dim


@kernel
def mul_inertia_places(m, d):
    """M times the search direction: the diagonal in strips, then what dofs share.

    Writes: place_Mv.
    """
    first, end = d.problem[FIRST_DOF], d.problem[END_DOF]
    for k in range(first, end, STRIP):
        v = load_strip(d.place_search, k, end - k)
        store_strip(d.place_Mv, k, end - k, load_strip(d.place_M, k, end - k) * v)
    for i in range(first, d.isl_strip[END_WIDE]):
        k = d.place_wide[i]
        dof, v = d.dof_list[k], d.place_search[k]
        s, start = d.place_Mv[k], m.M_rowadr[dof]
        for e in range(start, start + m.M_rownnz[dof] - 1):
            j = d.dof_at[m.M_colind[e]]
            s = fma(d.M[e], d.place_search[j], s)
            d.place_Mv[j] = fma(d.M[e], v, d.place_Mv[j])
        d.place_Mv[k] = s


@kernel
def solve_inertia_places(m, d):
    """Inverse of M times the gradient.

    Writes: place_Mgrad.
    """
    first, end, last = d.problem[FIRST_DOF], d.problem[END_DOF], d.isl_strip[END_WIDE]
    for k in range(first, end, STRIP):
        store_strip(d.place_Mgrad, k, end - k, load_strip(d.place_grad, k, end - k))
    # upwards, where dofs share inertia
    for i in range(last - 1, first - 1, -1):
        k = d.place_wide[i]
        dof, x = d.dof_list[k], -d.place_Mgrad[k]
        start = m.M_rowadr[dof]
        for e in range(start, start + m.M_rownnz[dof] - 1):
            j = d.dof_at[m.M_colind[e]]
            d.place_Mgrad[j] = fma(d.qLD[e], x, d.place_Mgrad[j])
    # the diagonal
    for k in range(first, end, STRIP):
        x = load_strip(d.place_Mgrad, k, end - k)
        store_strip(d.place_Mgrad, k, end - k, x * load_strip(d.place_invD, k, end - k))
    # and down again
    for i in range(first, last):
        k = d.place_wide[i]
        dof, x = d.dof_list[k], d.place_Mgrad[k]
        start = m.M_rowadr[dof]
        for e in range(start, start + m.M_rownnz[dof] - 1):
            x = fma(-d.qLD[e], d.place_Mgrad[d.dof_at[m.M_colind[e]]], x)
        d.place_Mgrad[k] = x
