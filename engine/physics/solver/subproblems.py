"""Constraint problems of single worlds, taken out of the union of a pack.

A pack lists the rows that any of its lanes needs; a world has a fraction of them. An *item* is the
problem of one world and one island with its own rows only, numbered 0, 1, ... in MuJoCo's order.
Items work in the memory `strip`, which numbers side by side fill: a vector over n rows takes
ceil(n / STRIP) strips. The lanes of a strip are rows, not worlds, and as many in every pack: one
world alone is solved as quickly as one of a pack, with the same bits. `number` and `bits` are the
same memory, number by number.
"""

from ...simd.kernel import kernel
from ...simd.lanes import absolute, fma, get_lane, lane_any, mask_not, sqrt, zero_like
from ...simd.record import STRIP
from ...tables.enums import (
    CNSTR_CONTACT_ELLIPTIC,
    CNSTR_CONTACT_PYRAMIDAL,
    CNSTR_EQUALITY,
    CNSTR_FRICTION_TENDON,
    COUNT_BLOCK,
    DSBL_ISLAND,
)
from ..capacity import CAPACITY_STRIP, CAPACITY_SUBPROBLEMROW
from ..constraint.jacobian import block_rows
from ..smooth.inertia import follows_parent
from .scratch import NSUBPROBLEM

# what `subproblem` holds of each item
LANE, ISLAND, NROW, ROWADR, NDOF, DOFADR, NSTRIP, NVISIT = range(8)
ROWS, SLOPE, HALF, INERTIA, NITER = range(8, 13)

# numbers of one row of an item, side by side
R_FORCE, R_LOW, R_HIGH, R_INVERSE, R_DIAGONAL, R_BIAS, R_SOFT, R_SPARE = range(8)
NNUMBER = 8
UNBOUNDED = 1e300
MANY = 64  # strips of an item's Jacobian from which on it pays to look for those of zeros


@kernel
def list_subproblems(m, d):
    """Subproblems of all lanes, with their rows, bounds and inverse inertia A = J M^-1 J'.

    Reads: block_*, row_D, qLD, qLDiagInv.
    Writes: subproblem, subproblem_row, subproblem_block, subproblem_visit, subproblem_dof, strip.
    """
    d.nsubproblem_used[0] = d.nsubproblem_used[1] = 0
    for dof in range(m.nv):
        d.dof_scale[dof] = sqrt(d.qLDiagInv[dof])
    rowadr = 0
    for lane in range(m.width):
        first = d.nsubproblem_used[0]
        find_islands(m, d, lane)
        rowadr = open_subproblems(m, d, lane, rowadr)
        fill_subproblems(m, d, lane)
        for k in range(first, d.nsubproblem_used[0]):
            reduce_jacobian(m, d, k)
            make_inertia(m, d, k)


@kernel
def count_subproblems(m, d):
    """Measure the memory that the subproblems of a large model need.

    Reads: block_*, count.
    Writes: need, tree_root, tree_nrow, tree_ndof, tree_subproblem, dof_place.
    """
    find_islands(m, d, 0)
    nrow = nstrip = 0
    for root in range(m.ntree):
        n = d.tree_nrow[root]
        vector, numbers = (n + STRIP - 1) // STRIP, (n * NNUMBER + STRIP - 1) // STRIP
        nrow, nstrip = nrow + n, nstrip + numbers + (1 + d.tree_ndof[root] + n) * vector
    d.need[CAPACITY_SUBPROBLEMROW], d.need[CAPACITY_STRIP] = nrow, nstrip


@kernel
def bound_subproblems(m, d):
    """Memory of the subproblems of a pack, if as many as can be share the rows of a world.

    Reads: block_D, count.
    Writes: need.
    """
    nrow = nstrip = 0
    for lane in range(m.width):
        n = 0
        for b in range(d.count[COUNT_BLOCK]):
            if get_lane(d.block_D, b, lane) > 0.0:
                n += block_rows(d, b)
        nsubproblem = min(n, m.ntree)
        vector = (n + STRIP - 1) // STRIP + nsubproblem
        numbers = (n * NNUMBER + STRIP - 1) // STRIP + nsubproblem
        nrow, nstrip = nrow + n, nstrip + numbers + (1 + m.nv + n) * vector
    d.need[CAPACITY_SUBPROBLEMROW], d.need[CAPACITY_STRIP] = nrow, nstrip


@kernel
def root_of(d, tree):
    """Tree that stands for the island of a tree."""
    while d.tree_root[tree] != tree:
        tree = d.tree_root[tree]
    return tree


@kernel
def block_tree(m, d, b):
    """Tree that stands for the island of a block."""
    return root_of(d, m.dof_treeid[d.chain_dof[d.block_chainadr[b]]])


@kernel
def find_islands(m, d, lane):
    """Join the trees that a block of this lane ties together; count rows and dofs of islands."""
    split = m.ntree > 1 and not m.opt_disableflags[0] & DSBL_ISLAND
    # every tree by itself, or all of them one island
    for tree in range(m.ntree):
        d.tree_root[tree] = tree if split else 0
        d.tree_nrow[tree] = d.tree_ndof[tree] = 0
        d.tree_subproblem[tree] = -1
    # join the trees of each block
    if split:
        for b in range(d.count[COUNT_BLOCK]):
            if get_lane(d.block_D, b, lane) > 0.0:
                root, last = block_tree(m, d, b), -1
                for x in range(d.block_chainadr[b], d.block_chainadr[b] + d.block_chainnum[b]):
                    tree = m.dof_treeid[d.chain_dof[x]]
                    if tree != last:
                        last, other = tree, root_of(d, tree)
                        # the lowest tree stands for the island
                        low, high = min(root, other), max(root, other)
                        d.tree_root[high] = low
                        root = low
    # rows and dofs of each island
    for b in range(d.count[COUNT_BLOCK]):
        if get_lane(d.block_D, b, lane) > 0.0:
            d.tree_nrow[block_tree(m, d, b)] += block_rows(d, b)
    mark_dofs(m, d, lane)
    for dof in range(m.nv):
        if d.dof_place[dof] >= 0:
            d.tree_ndof[root_of(d, m.dof_treeid[dof])] += 1


@kernel
def mark_dofs(m, d, lane):
    """Enter 0 as the place of the dofs that forces of this lane's rows can reach, -1 of others.

    These are the dofs of its rows and those above them.
    """
    for dof in range(m.nv):
        d.dof_place[dof] = -1
    for b in range(d.count[COUNT_BLOCK]):
        if get_lane(d.block_D, b, lane) > 0.0:
            for x in range(d.block_chainadr[b], d.block_chainadr[b] + d.block_chainnum[b]):
                d.dof_place[d.chain_dof[x]] = 0
    for dof in range(m.nv - 1, -1, -1):
        parent = m.dof_parentid[dof]
        if d.dof_place[dof] == 0 and parent >= 0:
            d.dof_place[parent] = 0


@kernel
def open_subproblems(m, d, lane, rowadr):
    """Give every island of this lane its item and memory.

    Returns:
        First free entry of the lists of rows.
    """
    first, zero = d.nsubproblem_used[0], zero_like(d.strip)
    dofadr = lane * m.nv
    # islands that have rows
    for root in range(m.ntree):
        n, ndof = d.tree_nrow[root], d.tree_ndof[root]
        if n > 0:
            k = d.nsubproblem_used[0]
            d.nsubproblem_used[0] = k + 1
            d.tree_subproblem[root] = k
            # layout of its memory, in strips: rows, slope, half, inertia
            at, start = NSUBPROBLEM * k, d.nsubproblem_used[1]
            nstrip = (n + STRIP - 1) // STRIP
            slope = start + (n * NNUMBER + STRIP - 1) // STRIP
            half = slope + nstrip
            # entries of the item; rows and dofs are counted as they come
            d.subproblem[at + LANE], d.subproblem[at + ISLAND] = lane, k - first
            d.subproblem[at + NROW], d.subproblem[at + ROWADR] = 0, rowadr
            d.subproblem[at + NDOF], d.subproblem[at + DOFADR] = 0, dofadr
            d.subproblem[at + NSTRIP], d.subproblem[at + NVISIT], d.subproblem[at + NITER] = (
                nstrip,
                0,
                0,
            )
            d.subproblem[at + ROWS], d.subproblem[at + SLOPE], d.subproblem[at + HALF] = (
                start,
                slope,
                half,
            )
            d.subproblem[at + INERTIA] = half + ndof * nstrip
            d.nsubproblem_used[1] = half + (ndof + n) * nstrip
            # all but the inertia, which is written whole
            for s in range(start, half + ndof * nstrip):
                d.strip[s] = zero
            rowadr, dofadr = rowadr + n, dofadr + ndof
    # number the dofs within their items
    for tree in range(m.ntree):
        k = d.tree_subproblem[root_of(d, tree)]
        if k >= 0:
            start = m.tree_dofadr[tree]
            for dof in range(start, start + m.tree_dofnum[tree]):
                if d.dof_place[dof] >= 0:
                    place = d.subproblem[NSUBPROBLEM * k + NDOF]
                    d.subproblem[NSUBPROBLEM * k + NDOF] = place + 1
                    d.subproblem_dof[d.subproblem[NSUBPROBLEM * k + DOFADR] + place] = dof
                    d.dof_place[dof] = place
    return rowadr


@kernel
def fill_subproblems(m, d, lane):
    """Rows of the items of one lane: origin, bounds, regularization and Jacobian."""
    for b in range(d.count[COUNT_BLOCK]):
        if get_lane(d.block_D, b, lane) > 0.0:
            # places of the block's rows in its item
            at = NSUBPROBLEM * d.tree_subproblem[block_tree(m, d, b)]
            n, first, kind = d.subproblem[at + NROW], d.subproblem[at + ROWADR], d.block_type[b]
            nrow, step = block_rows(d, b), d.subproblem[at + NSTRIP] * STRIP
            numbers, adr = d.subproblem[at + ROWS] * STRIP + n * NNUMBER, first + n
            # bounds of the forces
            low, high = 0.0, UNBOUNDED
            if kind == CNSTR_EQUALITY:
                low = -UNBOUNDED
            elif kind <= CNSTR_FRICTION_TENDON:
                high = get_lane(d.block_floss, b, lane)
                low = -high
            # origin, bounds and regularization of each row
            for k in range(nrow):
                d.subproblem_row[adr + k], d.subproblem_block[adr + k] = d.block_row[b] + k, b
                if k == 0 or kind != CNSTR_CONTACT_ELLIPTIC:
                    d.subproblem_visit[first + d.subproblem[at + NVISIT]] = n + k
                    d.subproblem[at + NVISIT] += 1
                d.number[numbers + R_LOW] = low
                d.number[numbers + R_HIGH] = high
                d.number[numbers + R_SOFT] = 1.0 / get_lane(d.row_D, d.block_row[b] + k, lane)
                numbers += NNUMBER
            fill_jacobian(d, b, lane, d.subproblem[at + HALF] * STRIP + n, step)
            d.subproblem[at + NROW] = n + nrow


@kernel
def fill_jacobian(d, b, lane, start, step):
    """Jacobian of the rows of a block: element of row k and dof i at start + i * step + k."""
    adr, n, chainadr = d.block_adr[b], d.block_chainnum[b], d.block_chainadr[b]
    pyramid = d.block_type[b] == CNSTR_CONTACT_PYRAMIDAL
    for k in range(d.block_dim[b] - 1 if pyramid else d.block_dim[b]):
        mu = get_lane(d.block_mu, 5 * b + k, lane) if pyramid else 0.0
        for x in range(n):
            at = start + d.dof_place[d.chain_dof[chainadr + x]] * step
            if pyramid:
                normal = get_lane(d.block_jac, adr + x, lane)
                side = mu * get_lane(d.block_jac, adr + (k + 1) * n + x, lane)
                d.number[at + 2 * k] = normal + side
                d.number[at + 2 * k + 1] = normal - side
            else:
                d.number[at + k] = get_lane(d.block_jac, adr + k * n + x, lane)


@kernel
def reduce_jacobian(m, d, k):
    """Back-substitution J M^(-1/2), for all rows of an item."""
    at = NSUBPROBLEM * k
    lane, ndof, dofadr = d.subproblem[at + LANE], d.subproblem[at + NDOF], d.subproblem[at + DOFADR]
    nstrip = d.subproblem[at + NSTRIP]
    for half in range(d.subproblem[at + HALF], d.subproblem[at + HALF] + nstrip):
        i = ndof - 1
        while i >= 0:
            x, dof = d.strip[half + i * nstrip], d.subproblem_dof[dofadr + i]
            # other limbs than those of the rows have none
            if lane_any(mask_not(x == 0.0)):
                if follows_parent(dof, m.M_rownnz, m.M_rowadr, m.M_colind):
                    i -= 1
                    lift_two_strips(m, d, lane, half, i, nstrip, dof - 1)
                else:
                    lift_strip(m, d, lane, half, nstrip, dof, x)
                    d.strip[half + i * nstrip] = x * get_lane(d.dof_scale, dof, lane)
            i -= 1


@kernel
def lift_strip(m, d, lane, half, nstrip, dof, x):
    """Take a dof's strip x of the rows from those of the dofs above it."""
    start = m.M_rowadr[dof]
    for e in range(start, start + m.M_rownnz[dof] - 1):
        j = half + d.dof_place[m.M_colind[e]] * nstrip
        d.strip[j] = fma(-get_lane(d.qLD, e, lane), x, d.strip[j])


@kernel
def lift_two_strips(m, d, lane, half, i, nstrip, dof):
    """The same of dof + 1, then of its parent dof, the item's i-th, and both are scaled.

    What both have above them is loaded and stored once, as in `lift_two` of smooth/inertia.py.
    """
    start, other, n = m.M_rowadr[dof], m.M_rowadr[dof + 1], m.M_rownnz[dof] - 1
    to = half + i * nstrip
    x = d.strip[to + nstrip]
    above = fma(-get_lane(d.qLD, other + n, lane), x, d.strip[to])
    for e in range(n):
        j = half + d.dof_place[m.M_colind[start + e]] * nstrip
        y = fma(-get_lane(d.qLD, other + e, lane), x, d.strip[j])
        d.strip[j] = fma(-get_lane(d.qLD, start + e, lane), above, y)
    d.strip[to] = above * get_lane(d.dof_scale, dof, lane)
    d.strip[to + nstrip] = x * get_lane(d.dof_scale, dof + 1, lane)


@kernel
def pick_dofs(d, first, n, step):
    """List the dofs in which four rows are not all zero; returns how many there are.

    Args:
        d: data.
        first: number of the first of the four for dof 0.
        n: dofs.
        step: numbers from a dof to the next.
    """
    many = 0
    for i in range(n):
        x = first + i * step
        one, two = absolute(d.number[x]), absolute(d.number[x + 1])
        if (one + two) + (absolute(d.number[x + 2]) + absolute(d.number[x + 3])) != 0.0:
            d.subproblem_pick[many] = i
            many += 1
    return many


@kernel
def make_inertia(m, d, k):
    """Inverse inertia A = J M^-1 J' plus regularization; row r has NSTRIP strips."""
    at = NSUBPROBLEM * k
    n, ndof, nstrip = d.subproblem[at + NROW], d.subproblem[at + NDOF], d.subproblem[at + NSTRIP]
    half, inertia, step = d.subproblem[at + HALF], d.subproblem[at + INERTIA], nstrip * STRIP
    # all dofs, or those that matter to four rows where there are many
    picked, many = ndof * nstrip >= MANY, ndof
    for i in range(ndof):
        d.subproblem_pick[i] = i
    # A = half' half from the strip of the diagonal on, four rows at a time
    for r in range(0, n - 3, 4):
        if picked:
            many = pick_dofs(d, half * STRIP + r, ndof, step)
        for s in range(r // STRIP, nstrip):
            a0 = a1 = a2 = a3 = zero_like(d.strip)
            for y in range(many):
                i = d.subproblem_pick[y]
                x, one = d.strip[half + i * nstrip + s], half * STRIP + i * step + r
                a0 = fma(d.number[one], x, a0)
                a1 = fma(d.number[one + 1], x, a1)
                a2 = fma(d.number[one + 2], x, a2)
                a3 = fma(d.number[one + 3], x, a3)
            to = inertia + r * nstrip + s
            d.strip[to], d.strip[to + nstrip] = a0, a1
            d.strip[to + 2 * nstrip], d.strip[to + 3 * nstrip] = a2, a3
    # rows that are left over
    for r in range(n - n % 4, n):
        for s in range(r // STRIP, nstrip):
            a0 = zero_like(d.strip)
            for i in range(ndof):
                one = d.number[half * STRIP + i * step + r]
                a0 = fma(one, d.strip[half + i * nstrip + s], a0)
            d.strip[inertia + r * nstrip + s] = a0
    # the strips before: A is symmetric, to the last bit
    for r in range(STRIP, n):
        x = inertia * STRIP + r
        for c in range(r - r % STRIP):
            d.number[inertia * STRIP + r * step + c] = d.number[x + c * step]
    # regularize the diagonal, and invert it
    for r in range(n):
        x, numbers = inertia * STRIP + r * (step + 1), d.subproblem[at + ROWS] * STRIP + r * NNUMBER
        d.number[x] = d.number[x] + d.number[numbers + R_SOFT]
        d.number[numbers + R_DIAGONAL] = d.number[x]
        d.number[numbers + R_INVERSE] = 1.0 / d.number[x]
