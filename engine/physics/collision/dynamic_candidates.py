"""Candidate pairs of large models in contact order, with their slots and chains of dofs."""

from ...simd.kernel import kernel
from ...tables.enums import COUNT_CAND, COUNT_FOUND, COUNT_SLOT, GEOM_HFIELD
from ..capacity import CAPACITY_BLOCK, CAPACITY_CHAIN, CAPACITY_JAC, CAPACITY_ROW, CAPACITY_SLOT
from .colliders import NCOLLIDER
from .slots import NTYPE


@kernel
def order_candidates(m, d):
    """Sort what the broad phase found; count slots, and room for what follows from them.

    Order is by bodies, of two bodies predefined pairs come first, then by geoms.

    Reads: found_geom1, found_geom2, found_pair.
    Writes: count, need, found_key, found_order, found_next, bucket, cand_geom1, cand_geom2,
        cand_predefined, cand_slotadr, cand_chainadr, cand_chainnum, cand_coupled.
    """
    n = d.count[COUNT_FOUND]
    sort_found(m, d, n)
    slots, chains, rows, elements = 0, m.nfixedchain, 0, 0
    ncand = 0
    # candidates in order, with their chains and slots
    for k in range(n):
        found = d.found_order[k]
        if not enter_candidate(m, d, ncand, found):
            continue
        enter_chain(m, d, ncand, chains)
        chains = max(chains, d.cand_chainadr[ncand] + d.cand_chainnum[ncand])
        dim = candidate_dim(m, d, ncand)
        # slots, rows and Jacobian that its contacts may take
        capacity = candidate_capacity(m, d, ncand)
        d.cand_slotadr[ncand] = slots
        slots += capacity
        rows += capacity * max(1, 2 * (dim - 1))
        elements += capacity * dim * d.cand_chainnum[ncand]
        ncand += 1
    enter_needs(m, d, ncand, slots, chains, rows, elements)


@kernel
def enter_needs(m, d, ncand, slots, chains, rows, elements):
    """Sizes of the lists of candidates, and the capacity that they need."""
    d.count[COUNT_CAND] = ncand
    d.count[COUNT_SLOT] = slots
    d.need[CAPACITY_SLOT] = slots
    d.need[CAPACITY_CHAIN] = chains
    d.need[CAPACITY_BLOCK] = m.nfixedblock + slots
    d.need[CAPACITY_ROW] = m.nfixedrow + rows
    d.need[CAPACITY_JAC] = m.nfixedjac + elements


@kernel
def sort_found(m, d, n):
    """Order of the pairs by four passes of a counting sort, the most important key last."""
    for k in range(n):
        d.found_order[k] = k
    for k in range(n):
        d.found_key[k] = 0 if d.found_pair[k] >= 0 else d.found_geom2[k] + 1
    sort_pass(d, n, m.ngeom + 1, d.found_order, d.found_next)
    for k in range(n):
        d.found_key[k] = 0 if d.found_pair[k] >= 0 else d.found_geom1[k] + 1
    sort_pass(d, n, m.ngeom + 1, d.found_next, d.found_order)
    for k in range(n):
        d.found_key[k] = max(m.geom_bodyid[d.found_geom1[k]], m.geom_bodyid[d.found_geom2[k]])
    sort_pass(d, n, m.nbody, d.found_order, d.found_next)
    for k in range(n):
        d.found_key[k] = min(m.geom_bodyid[d.found_geom1[k]], m.geom_bodyid[d.found_geom2[k]])
    sort_pass(d, n, m.nbody, d.found_next, d.found_order)


@kernel
def sort_pass(d, n, nkey, before, after):
    """One pass of a counting sort: stable, by `found_key`."""
    for key in range(nkey + 1):
        d.bucket[key] = 0
    for k in range(n):
        d.bucket[d.found_key[k] + 1] = d.bucket[d.found_key[k] + 1] + 1
    for key in range(nkey):
        d.bucket[key + 1] = d.bucket[key + 1] + d.bucket[key]
    for k in range(n):
        found = before[k]
        place = d.bucket[d.found_key[found]]
        d.bucket[d.found_key[found]] = place + 1
        after[place] = found


@kernel
def enter_candidate(m, d, cand, found):
    """Enter a pair, the smaller type first; returns whether there is a narrow phase for it."""
    geom1, geom2 = d.found_geom1[found], d.found_geom2[found]
    type1, type2 = m.geom_type[geom1], m.geom_type[geom2]
    if m.type_collider[NTYPE * type1 + type2] < 0:
        return False
    d.cand_geom1[cand] = geom2 if type1 > type2 else geom1
    d.cand_geom2[cand] = geom1 if type1 > type2 else geom2
    d.cand_predefined[cand] = d.found_pair[found]
    return True


@kernel
def candidate_capacity(m, d, cand):
    """Most contacts of a candidate."""
    geom1, geom2 = d.cand_geom1[cand], d.cand_geom2[cand]
    if m.geom_type[geom1] == GEOM_HFIELD:
        return m.field_capacity[m.geom_field[geom1] + geom2]
    return m.type_capacity[NTYPE * m.geom_type[geom1] + m.geom_type[geom2]]


@kernel
def candidate_dim(m, d, cand):
    """Dimensions of the contact force (condim) of a candidate: given, or by priority."""
    if d.cand_predefined[cand] >= 0:
        return m.pair_dim[d.cand_predefined[cand]]
    geom1, geom2 = d.cand_geom1[cand], d.cand_geom2[cand]
    if m.geom_priority[geom1] > m.geom_priority[geom2]:
        return m.geom_condim[geom1]
    if m.geom_priority[geom1] < m.geom_priority[geom2]:
        return m.geom_condim[geom2]
    return max(m.geom_condim[geom1], m.geom_condim[geom2])


@kernel
def same_bodies(m, d, cand, other):
    """True if two candidates join the same two bodies in the same order."""
    body1, body2 = m.geom_bodyid[d.cand_geom1[cand]], m.geom_bodyid[d.cand_geom2[cand]]
    return (
        body1 == m.geom_bodyid[d.cand_geom1[other]] and body2 == m.geom_bodyid[d.cand_geom2[other]]
    )


@kernel
def enter_chain(m, d, cand, chainadr):
    """Enter the place and the length of a candidate's chain; neighbours of one kind share it."""
    if cand > 0 and same_bodies(m, d, cand, cand - 1):
        d.cand_chainadr[cand] = d.cand_chainadr[cand - 1]
        d.cand_chainnum[cand] = d.cand_chainnum[cand - 1]
        d.cand_coupled[cand] = d.cand_coupled[cand - 1]
        return
    dof1 = m.body_lastdof[m.geom_bodyid[d.cand_geom1[cand]]]
    dof2 = m.body_lastdof[m.geom_bodyid[d.cand_geom2[cand]]]
    n, sides = 0, 0
    while dof1 != dof2:
        n += 1
        if dof1 > dof2:
            dof1, sides = m.dof_parentid[dof1], sides | 1
        else:
            dof2, sides = m.dof_parentid[dof2], sides | 2
    d.cand_chainadr[cand] = chainadr
    # nothing moves one geom only: rows of zeros, as MuJoCo has them where rows are dense
    d.cand_chainnum[cand] = max(n, m.is_dense)
    d.cand_coupled[cand] = 1 if sides == 3 else 0


@kernel
def fill_candidates(m, d):
    """Slots and chains of the candidates, and candidates by narrow phase, if they have one.

    Reads: cand_*.
    Writes: slot_cand, slot_dim, chain_dof, chain_side, collider_adr, collider_num,
        collider_pair.
    """
    ncand = d.count[COUNT_CAND]
    # slots, chains, and how many candidates each narrow phase has
    for kind in range(NCOLLIDER):
        d.collider_num[kind] = 0
    for cand in range(ncand):
        dim, slot = candidate_dim(m, d, cand), d.cand_slotadr[cand]
        for k in range(slot, slot + candidate_capacity(m, d, cand)):
            d.slot_cand[k] = cand
            d.slot_dim[k] = dim
        fill_own_chain(m, d, cand)
        kind = candidate_kind(m, d, cand)
        if kind >= 0:
            d.collider_num[kind] = d.collider_num[kind] + 1
    # list candidates by narrow phase
    first = 0
    for kind in range(NCOLLIDER):
        d.collider_adr[kind] = first
        first += d.collider_num[kind]
        d.collider_num[kind] = 0
    for cand in range(ncand):
        kind = candidate_kind(m, d, cand)
        if kind >= 0:
            d.collider_pair[d.collider_adr[kind] + d.collider_num[kind]] = cand
            d.collider_num[kind] = d.collider_num[kind] + 1


@kernel
def fill_own_chain(m, d, cand):
    """Dofs of a candidate, unless they are those of the one before."""
    if cand == 0 or not same_bodies(m, d, cand, cand - 1):
        fill_chain(m, d, cand)


@kernel
def candidate_kind(m, d, cand):
    """Narrow phase of a candidate."""
    type1, type2 = m.geom_type[d.cand_geom1[cand]], m.geom_type[d.cand_geom2[cand]]
    return m.type_collider[NTYPE * type1 + type2]


@kernel
def fill_chain(m, d, cand):
    """Dofs that move one geom of a candidate, in increasing order."""
    dof1 = m.body_lastdof[m.geom_bodyid[d.cand_geom1[cand]]]
    dof2 = m.body_lastdof[m.geom_bodyid[d.cand_geom2[cand]]]
    adr, n = d.cand_chainadr[cand], d.cand_chainnum[cand]
    if dof1 == dof2 and n > 0:
        d.chain_dof[adr] = max(dof1, 0)
        d.chain_side[adr] = 3
        return
    for k in range(adr + n - 1, adr - 1, -1):
        d.chain_dof[k] = max(dof1, dof2)
        if dof1 > dof2:
            d.chain_side[k] = 1
            dof1 = m.dof_parentid[dof1]
        else:
            d.chain_side[k] = 2
            dof2 = m.dof_parentid[dof2]
