"""The Jacobian of one island in strips, by rows and by dofs, and products with it.

A large model has one world, so that lanes can be rows or dofs. `STRIP` basis directions of blocks
side by side, or `STRIP` dofs, make one strip of a matrix. It has as many entries as the longest row
among them, each of which takes two strips of the memory `strip`: places of the operands as
integers, and elements, 0 behind the end of a shorter row. So a product gathers operands, and adds
them up in the order of the row, as `jacobian.py` does.

Vectors over dofs lie here island by island; the *place* of a dof is its index there. Where all rows
of an island have dofs by threes, as of vertices that slide along x, y and z, `STRIP` threes make a
*group*: x of all of them, then y, then z, which share the places of their operands; so entries of
rows and of groups take four strips, places and three elements. Two threes of a group may have far
more entries than its others, as of a body that lies on many vertices: what these have beyond the
others stands behind the strips, entry by entry. In other islands dofs lie as in `dof_list`. Rows
stay where they are. A basis direction has the number of its row, until pyramids begin, which have
more rows than directions.
"""

from ...simd.kernel import kernel
from ...simd.lanes import (
    fma,
    gather_strip,
    gather_threes,
    interleave,
    load_strip,
    store_strip,
    zero_like,
)
from ...simd.record import STRIP
from ...tables.enums import CNSTR_CONTACT_PYRAMIDAL, CNSTR_EQUALITY
from ..capacity import CAPACITY_STRIP
from .problem import END_BLOCK, END_DOF, FIRST_BLOCK, FIRST_DOF, FIRST_ROW, ISLAND

# indices into `isl_strip`: basis directions, end of the rows of equalities, place in block_list and
# number of the first pyramid, strips of rows, where the starts of strips of dofs lie, ends of the
# lists of dofs that share inertia (`place_wide`, `place_tied`), whether dofs lie in groups, threes
# with entries behind the strips
NBASE, END_EQUALITY, PYRAMID, PYRAMID_BASE, NROWSTRIP, DOFHEAD, END_WIDE, GROUPED = range(8)
END_TIED, NLONG = range(8, 10)
GROUP = 3 * STRIP  # dofs of a group
MANY = 8  # entries that are worth a list of their own
FEW_ROWS = 64  # of islands for which filling strips takes longer than it saves


# ---------------------------------------------------------------- room


@kernel
def count_strips(m, d):
    """Measure the memory for strips of the largest island, and place the dofs of all with strips.

    Reads: block_*, isl_*, dof_list, block_list.
    Writes: need, isl_group, dof_at, place_dof, place_num.
    """
    most = 0
    for island in range(d.isl_num[0]):
        if has_few_rows(d, island):
            continue
        order_places(d, island)
        nbase = longest = entries = 0
        for i in range(d.isl_block[island], d.isl_block[island + 1]):
            b = d.block_list[i]
            n, chainadr, dim = d.block_chainnum[b], d.block_chainadr[b], d.block_dim[b]
            # elements of each dof, or of the first of three
            for x in range(chainadr, chainadr + n, 3 if d.isl_group[island] else 1):
                k = d.dof_at[d.chain_dof[x]]
                d.place_num[k] = d.place_num[k] + dim
            # entries of strips of rows
            for _ in range(dim):
                if nbase % STRIP == 0:
                    entries, longest = entries + longest, 0
                longest, nbase = max(longest, n), nbase + 1
        nstrip = 2 * (entries + longest)
        # those of groups, or of strips of dofs
        first, end = d.isl_dof[island], d.isl_dof[island + 1]
        if d.isl_group[island]:
            rest, nstrip = 0, 4 * (entries + longest) // 3
            for k in range(first, end, GROUP):
                n, more = group_length(d, k, end)
                nstrip, rest = nstrip + 4 * n, rest + more
            nstrip += strips_of(4 * rest)
        else:
            for k in range(first, end, STRIP):
                nstrip += 2 * longest_list(d, k, end)
        nhead = strips_of(nbase) + strips_of(end - first) + 2
        most = max(most, strips_of(nhead) + nstrip)
    d.need[CAPACITY_STRIP] = most


@kernel
def has_few_rows(d, island):
    """True if an island is solved without strips."""
    return d.isl_row[island + 1] - d.isl_row[island] < FEW_ROWS


@kernel
def order_places(d, island):
    """Give the dofs of an island their places.

    Writes: isl_group, dof_at, place_dof, place_num.
    """
    first, end = d.isl_dof[island], d.isl_dof[island + 1]
    for k in range(first, end):
        d.dof_at[d.dof_list[k]] = k
        d.place_num[k] = 0
    # groups, if all rows have dofs by threes
    grouped = (end - first) % 3 == 0
    for i in range(d.isl_block[island], d.isl_block[island + 1]):
        grouped = grouped and has_threes(d, d.block_list[i], first)
    d.isl_group[island] = 1 if grouped else 0
    for k in range(first, end):
        dof, at = d.dof_list[k], k
        if grouped:
            x = (k - first) % GROUP
            at = k - x + threes_at(k - x, end) * (x % 3) + x // 3
        d.dof_at[dof], d.place_dof[at] = at, dof


@kernel
def threes_at(k, end):
    """Threes of dofs in the group that begins at a place."""
    return min(STRIP, (end - k) // 3)


@kernel
def has_threes(d, b, first):
    """True if the dofs of a block are threes of neighbours, counted from the island's first one."""
    n, chainadr = d.block_chainnum[b], d.block_chainadr[b]
    if n % 3 != 0:
        return False
    for x in range(chainadr, chainadr + n, 3):
        dof = d.chain_dof[x]
        if d.chain_dof[x + 1] != dof + 1 or d.chain_dof[x + 2] != dof + 2:
            return False
        if (d.dof_at[dof] - first) % 3 != 0:
            return False
    return True


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


@kernel
def group_length(d, k, end):
    """Entries that the group from a place on has in strips, and number of those behind them."""
    longest = second = third = 0
    for other in range(k, min(k + STRIP, end)):
        n = d.place_num[other]
        if n > longest:
            longest, second, third = n, longest, second
        elif n > second:
            second, third = n, second
        elif n > third:
            third = n
    if longest - third < MANY:
        return longest, 0
    return third, longest + second - 2 * third


# ---------------------------------------------------------------- filling


@kernel
def fill_strips(m, d):
    """List the Jacobian of the problem by rows and by dofs, and what its dofs have.

    Writes: isl_strip, strip, place_*.
    """
    p, shape, first = d.problem, d.isl_strip, d.problem[FIRST_DOF]
    lay_out(d)
    # elements: all behind the ends of rows are 0
    base = 0
    for i in range(p[FIRST_BLOCK], p[END_BLOCK]):
        b = d.block_list[i]
        adr = d.block_adr[b]
        for _ in range(d.block_dim[b]):
            if d.isl_strip[GROUPED]:
                list_threes(d, b, base, adr)
            else:
                list_dofs(d, b, base, adr)
            adr, base = adr + d.block_chainnum[b], base + 1
    # vectors over dofs
    shape[END_WIDE] = shape[END_TIED] = first
    for i in range(first, p[END_DOF]):
        dof = d.dof_list[i]
        k = d.dof_at[dof]
        d.place_lone[k], d.place_shares[(i - first) // STRIP] = 1.0, 0
        d.place_M[k] = d.M[m.M_rowadr[dof] + m.M_rownnz[dof] - 1]
        d.place_invD[k] = d.qLDiagInv[dof]
        d.place_acc0[k], d.place_frc0[k] = d.qacc_smooth[dof], d.qfrc_smooth[dof]
        d.place_acc[k], d.place_Ma[k] = d.qacc[dof], d.sol_Ma[dof]
        if m.M_rownnz[dof] > 1:
            d.place_wide[shape[END_WIDE]] = k
            shape[END_WIDE] += 1
    # what shares inertia: these dofs and those of their rows
    for i in range(first, shape[END_WIDE]):
        dof = d.place_dof[d.place_wide[i]]
        start = m.M_rowadr[dof]
        for e in range(start, start + m.M_rownnz[dof]):
            k = d.dof_at[m.M_colind[e]]
            if d.place_lone[k] > 0.0:
                d.place_lone[k], d.place_shares[(k - first) // STRIP] = 0.0, 1
                d.place_tied[shape[END_TIED]] = k
                shape[END_TIED] += 1


@kernel
def list_threes(d, b, base, adr):
    """List a basis direction with its elements from `adr` on, where dofs lie in groups.

    Writes: bits, number, place_next, place_num.
    """
    chainadr = d.block_chainadr[b]
    to = STRIP * d.bits[base // STRIP] + base % STRIP
    for x in range(0, d.block_chainnum[b], 3):
        k = d.dof_at[d.chain_dof[chainadr + x]]
        at, left = d.place_next[k], d.place_num[k]
        one, two, three = d.block_jac[adr + x], d.block_jac[adr + x + 1], d.block_jac[adr + x + 2]
        # of the row
        d.bits[to], d.number[to + STRIP] = d.place_four[k], one
        d.number[to + 2 * STRIP], d.number[to + 3 * STRIP] = two, three
        to += 4 * STRIP
        # of the three: in strips, then behind them
        d.bits[at] = base
        if left > 0:
            d.number[at + STRIP], d.number[at + 2 * STRIP] = one, two
            d.number[at + 3 * STRIP] = three
            d.place_num[k], at = left - 1, at + 4 * STRIP
            if left == 1:
                at = d.place_tail[k]
        else:
            d.number[at + 1], d.number[at + 2], d.number[at + 3] = one, two, three
            at += 4
        d.place_next[k] = at


@kernel
def list_dofs(d, b, base, adr):
    """The same where dofs do not lie in groups.

    Writes: bits, number, place_next.
    """
    first, chainadr = d.problem[FIRST_DOF], d.block_chainadr[b]
    to = STRIP * d.bits[base // STRIP] + base % STRIP
    for x in range(d.block_chainnum[b]):
        k = d.dof_at[d.chain_dof[chainadr + x]]
        at, value = d.place_next[k], d.block_jac[adr + x]
        d.bits[at], d.number[at + STRIP] = base, value
        d.bits[to], d.number[to + STRIP] = k - first, value
        d.place_next[k] = at + 2 * STRIP
        to += 2 * STRIP


@kernel
def lay_out(d):
    """Lay out strips in the memory: first those of rows, then those of dofs.

    Writes: isl_strip, strip, place_*.
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
    shape[NROWSTRIP], shape[DOFHEAD], shape[GROUPED] = nrow, nrow + 1, d.isl_group[p[ISLAND]]
    start, base, longest = strips_of(nrow + ndof + 2), 0, 0
    used = start
    d.bits[0] = start
    for i in range(p[FIRST_BLOCK], p[END_BLOCK]):
        n = d.block_chainnum[d.block_list[i]]
        for _ in range(d.block_dim[d.block_list[i]]):
            longest, base = max(longest, n), base + 1
            if base % STRIP == 0 or base == nbase:
                used, longest = used + (4 * longest // 3 if shape[GROUPED] else 2 * longest), 0
                d.bits[strips_of(base)] = used
    # starts of groups, or of strips of dofs
    head, shape[NLONG] = nrow + 1, 0
    if shape[GROUPED]:
        for k in range(first, end, GROUP):
            d.bits[head] = used
            used, head = used + 4 * group_length(d, k, end)[0], head + 1
        d.bits[head] = used
        lay_out_threes(d, used)
    else:
        for k in range(first, end, STRIP):
            d.bits[head] = used
            for other in range(k, min(k + STRIP, end)):
                d.place_next[other] = STRIP * used + other - k
            used, head = used + 2 * longest_list(d, k, end), head + 1
        d.bits[head] = used
    # nothing is listed yet
    zero = zero_like(d.strip)
    for k in range(start, used):
        d.strip[k] = zero


@kernel
def lay_out_threes(d, used):
    """Where the entries of each three begin; those that are no part of strips follow these.

    Writes: place_next, place_num, place_four, place_tail, place_end, place_long, isl_strip.
    """
    shape, first, end = d.isl_strip, d.problem[FIRST_DOF], d.problem[END_DOF]
    tail, head = STRIP * used, shape[DOFHEAD]
    for k in range(first, end, GROUP):
        room, four = (d.bits[head + 1] - d.bits[head]) // 4, 4 * STRIP * ((k - first) // GROUP)
        for i in range(threes_at(k, end)):
            d.place_next[k + i], d.place_four[k + i] = STRIP * d.bits[head] + i, four + 4 * i
            if d.place_num[k + i] > room:
                d.place_tail[k + i] = tail
                tail += 4 * (d.place_num[k + i] - room)
                d.place_end[k + i], d.place_num[k + i] = tail, room
                d.place_long[shape[NLONG]] = k + i
                shape[NLONG] += 1
                if room == 0:
                    d.place_next[k + i] = d.place_tail[k + i]
        head += 1


# ---------------------------------------------------------------- products


@kernel
def row_product(d, strip):
    """Products of one strip of basis directions with the search direction."""
    s, first, at, end = zero_like(d.strip), d.problem[FIRST_DOF], d.bits[strip], d.bits[strip + 1]
    if d.isl_strip[GROUPED]:
        for k in range(at, end, 4):
            x, y, z = gather_threes(d.three_search, d.bits, k)
            s = fma(d.strip[k + 3], z, fma(d.strip[k + 2], y, fma(d.strip[k + 1], x, s)))
    else:
        for k in range(at, end, 2):
            s = fma(d.strip[k + 1], gather_strip(d.place_search, first, d.bits, k), s)
    return s


@kernel
def spread_threes(d):
    """The search direction three by three, where dofs lie in groups.

    Writes: three_search.
    """
    first, end, to = d.problem[FIRST_DOF], d.problem[END_DOF], 0
    for k in range(first, end, GROUP):
        n, x = threes_at(k, end), d.place_search
        strips = interleave(
            load_strip(x, k, n), load_strip(x, k + n, n), load_strip(x, k + 2 * n, n)
        )
        for i in range(4):
            store_strip(d.three_search, to + STRIP * i, 4 * n - STRIP * i, strips[i])
        to += 4 * STRIP


@kernel
def push_places(d, force, start):
    """Forces of dofs by those along basis directions, `force[start]` and following.

    Writes: place_frc.
    """
    first, end, head = d.problem[FIRST_DOF], d.problem[END_DOF], d.isl_strip[DOFHEAD]
    zero = zero_like(d.strip)
    # threes of neighbours share the places of their entries
    if d.isl_strip[GROUPED]:
        for k in range(first, end, GROUP):
            x = y = z = zero
            for at in range(d.bits[head], d.bits[head + 1], 4):
                f = gather_strip(force, start, d.bits, at)
                x, y = fma(d.strip[at + 1], f, x), fma(d.strip[at + 2], f, y)
                z = fma(d.strip[at + 3], f, z)
            n = threes_at(k, end)
            store_strip(d.place_frc, k, n, x)
            store_strip(d.place_frc, k + n, n, y)
            store_strip(d.place_frc, k + 2 * n, n, z)
            head += 1
        for i in range(d.isl_strip[NLONG]):
            push_long(d, force, start, d.place_long[i])
    else:
        for k in range(first, end, STRIP):
            x = zero
            for at in range(d.bits[head], d.bits[head + 1], 2):
                x = fma(d.strip[at + 1], gather_strip(force, start, d.bits, at), x)
            store_strip(d.place_frc, k, end - k, x)
            head += 1


@kernel
def push_long(d, force, start, k):
    """Add the entries of one three that are no part of strips.

    Writes: place_frc.
    """
    first, f = d.problem[FIRST_DOF], d.place_frc
    n = threes_at(k - (k - first) % GROUP, d.problem[END_DOF])
    x, y, z = f[k], f[k + n], f[k + 2 * n]
    for at in range(d.place_tail[k], d.place_end[k], 4):
        push = force[start + d.bits[at]]
        x, y = fma(d.number[at + 1], push, x), fma(d.number[at + 2], push, y)
        z = fma(d.number[at + 3], push, z)
    f[k], f[k + n], f[k + 2 * n] = x, y, z


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
    """M times the search direction, of dofs that share inertia.

    Writes: place_Mv.
    """
    first, shape = d.problem[FIRST_DOF], d.isl_strip
    for i in range(first, shape[END_TIED]):
        k = d.place_tied[i]
        d.place_Mv[k] = d.place_M[k] * d.place_search[k]
    for i in range(first, shape[END_WIDE]):
        k = d.place_wide[i]
        dof, v = d.place_dof[k], d.place_search[k]
        s, start = d.place_Mv[k], m.M_rowadr[dof]
        for e in range(start, start + m.M_rownnz[dof] - 1):
            j = d.dof_at[m.M_colind[e]]
            s = fma(d.M[e], d.place_search[j], s)
            d.place_Mv[j] = fma(d.M[e], v, d.place_Mv[j])
        d.place_Mv[k] = s


@kernel
def solve_inertia_places(m, d):
    """Inverse of M times the gradient, of dofs that share inertia.

    Writes: place_step.
    """
    first, last, tied = d.problem[FIRST_DOF], d.isl_strip[END_WIDE], d.isl_strip[END_TIED]
    for i in range(first, tied):
        d.place_step[d.place_tied[i]] = d.place_grad[d.place_tied[i]]
    # upwards
    for i in range(last - 1, first - 1, -1):
        k = d.place_wide[i]
        dof, x = d.place_dof[k], -d.place_step[k]
        start = m.M_rowadr[dof]
        for e in range(start, start + m.M_rownnz[dof] - 1):
            j = d.dof_at[m.M_colind[e]]
            d.place_step[j] = fma(d.qLD[e], x, d.place_step[j])
    # the diagonal
    for i in range(first, tied):
        k = d.place_tied[i]
        d.place_step[k] = d.place_step[k] * d.place_invD[k]
    # and down again
    for i in range(first, last):
        k = d.place_wide[i]
        dof, x = d.place_dof[k], d.place_step[k]
        start = m.M_rowadr[dof]
        for e in range(start, start + m.M_rownnz[dof] - 1):
            x = fma(-d.qLD[e], d.place_step[d.dof_at[m.M_colind[e]]], x)
        d.place_step[k] = x
