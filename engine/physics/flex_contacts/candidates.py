"""Candidates of models whose deformables touch: geom pairs, and each contact of a deformable.

Such a contact is a candidate of its own with one slot. Its geoms are its two sides, of which a
deformable f is the number -1 - f; its predefined pair is FIRST_FLEX_CONTACT minus its place. Those
that users own have their places behind the others.
"""

from ...simd.kernel import entry, kernel, replaced
from ...simd.lanes import load3
from ...simd.spatial import scale3
from ...tables.enums import COUNT_CAND, COUNT_FOUND, COUNT_KEPT
from ..collision.contact import between_geoms, put_contact
from ..collision.dynamic_candidates import (
    candidate_capacity,
    candidate_dim,
    candidate_kind,
    enter_candidate,
    enter_chain,
    enter_needs,
    fill_candidates,
    fill_chain,
    same_bodies,
    sort_found,
)
from ..collision.own_contacts import EXCLUDE, own_place
from .narrow_phase import VERTEX_FACE
from .sides import condim_of, priority_of

FIRST_FLEX_CONTACT = -2


@kernel
def flex_contact_of(m, d, cand):
    """Place of the contact of a deformable that a candidate is."""
    predefined = d.cand_predefined[cand]
    if predefined >= 0:
        return d.count[COUNT_KEPT] + predefined - m.npair
    return FIRST_FLEX_CONTACT - predefined


@kernel
def is_flex_contact(d, cand):
    """True if a candidate is the contact of a deformable."""
    return not between_geoms(d, cand)


@kernel
def is_passive(m, d, cand):
    """True if a candidate is the contact of a deformable whose contacts are springs."""
    flex1, flex2 = -1 - d.cand_geom1[cand], -1 - d.cand_geom2[cand]
    return (flex1 >= 0 and m.flex_passive[flex1]) or (flex2 >= 0 and m.flex_passive[flex2])


@kernel
def is_spring(m, d, cand):
    """True if a candidate pushes: one of users' own does once rows were made."""
    own = own_place(m, d, cand)
    return is_passive(m, d, cand) and (own < 0 or d.own_value[own + EXCLUDE] == 4.0)


@kernel
def share_bodies(m, d, cand, other):
    """True if two candidates are geom pairs of the same two bodies in the same order."""
    return (
        not is_flex_contact(d, cand)
        and not is_flex_contact(d, other)
        and same_bodies(m, d, cand, other)
    )


enter_pair_chain = replaced(enter_chain, {same_bodies: share_bodies})


@kernel
def order_flex_candidates(m, d):
    """Put geom pairs and contacts of deformables in order; count slots, and room for what follows.

    Both are in order by themselves: by bodies, where deformables count behind all bodies.

    Reads: found_geom1, found_geom2, found_pair, fcon_*, moved_*.
    Writes: count, need, found_key, found_order, found_next, bucket, cand_geom1, cand_geom2,
        cand_predefined, cand_slotadr, cand_chainadr, cand_chainnum, cand_coupled, moved_dof.
    """
    n, nfcon = d.count[COUNT_FOUND], d.count[COUNT_KEPT]
    sort_found(m, d, n)
    slots, chains, rows, elements = 0, m.nfixedchain, 0, 0
    ncand = k = t = 0
    while k < n or t < nfcon:
        capacity = 1
        # the next pair of geoms, or the next contact of a deformable
        if t < nfcon and (k == n or comes_first(m, d, t, d.found_order[k])):
            enter_flex_contact(m, d, ncand, t, chains)
            t += 1
        else:
            k += 1
            if not enter_candidate(m, d, ncand, d.found_order[k - 1]):
                continue
            enter_pair_chain(m, d, ncand, chains)
            capacity = candidate_capacity(m, d, ncand)
        chains = max(chains, d.cand_chainadr[ncand] + d.cand_chainnum[ncand])
        # slots, rows and Jacobian that its contacts may take
        dim = fcon_dim(m, d, ncand)
        d.cand_slotadr[ncand] = slots
        slots += capacity
        rows += capacity * max(1, 2 * (dim - 1))
        elements += capacity * dim * d.cand_chainnum[ncand]
        ncand += 1
    enter_needs(m, d, ncand, slots, chains, rows, elements)


@kernel
def comes_first(m, d, t, found):
    """True if the contact of a deformable stands before a pair of geoms."""
    group = d.fcon_group[t]
    body1, body2 = m.geom_bodyid[d.found_geom1[found]], m.geom_bodyid[d.found_geom2[found]]
    low, high = min(body1, body2), max(body1, body2)
    return m.group_low[group] < low or (m.group_low[group] == low and m.group_high[group] < high)


@kernel
def enter_flex_contact(m, d, cand, t, chainadr):
    """Enter the contact of a deformable as a candidate."""
    midpair = d.fcon_midpair[d.fcon_order[t]]
    d.cand_geom1[cand] = d.midpair_side[2 * midpair]
    d.cand_geom2[cand] = d.midpair_side[2 * midpair + 1]
    d.cand_predefined[cand] = FIRST_FLEX_CONTACT - t
    d.cand_chainadr[cand] = chainadr
    enter_moved_chain(m, d, cand, t)


@kernel
def enter_moved_chain(m, d, cand, t):
    """Enter the length of the chain of contact t of a deformable, which moves its bodies."""
    start_chain(m, d, t)
    n = 0
    while next_dof(m, d, t) >= 0:
        n += 1
    # nothing moves it: rows of zeros, as MuJoCo has them where rows are dense
    d.cand_chainnum[cand] = max(n, m.is_dense)
    d.cand_coupled[cand] = 0


@kernel
def start_chain(m, d, t):
    """Start from the last dofs of the bodies of a contact."""
    for i in range(d.moved_num[t]):
        d.moved_dof[i] = m.body_lastdof[d.moved_body[t * m.nfconpart + i]]


@kernel
def next_dof(m, d, t):
    """The last dof of the bodies of a contact that was not yet looked at; -1: none is left."""
    last = -1
    if d.moved_pair[t] and d.moved_dof[0] == d.moved_dof[1]:
        # the rest moves both sides
        return last
    for i in range(d.moved_num[t]):
        last = max(last, d.moved_dof[i])
    for i in range(d.moved_num[t]):
        if last >= 0 and d.moved_dof[i] == last:
            d.moved_dof[i] = m.dof_parentid[last]
    return last


@kernel
def fcon_dim(m, d, cand):
    """Dimensions of the contact force (condim) of a candidate."""
    if not is_flex_contact(d, cand):
        return candidate_dim(m, d, cand)
    if d.midpair_kind[d.fcon_midpair[d.fcon_order[flex_contact_of(m, d, cand)]]] == VERTEX_FACE:
        return 1
    side1, side2 = d.cand_geom1[cand], d.cand_geom2[cand]
    priority1, priority2 = priority_of(m, side1), priority_of(m, side2)
    if priority1 > priority2:
        return condim_of(m, side1)
    if priority1 < priority2:
        return condim_of(m, side2)
    return max(condim_of(m, side1), condim_of(m, side2))


@kernel
def fcon_capacity(m, d, cand):
    """Slots of a candidate: one for a contact of a deformable."""
    return 1 if is_flex_contact(d, cand) else candidate_capacity(m, d, cand)


@kernel
def fcon_kind(m, d, cand):
    """Narrow phase of a candidate; -1: its contact is known."""
    return -1 if is_flex_contact(d, cand) else candidate_kind(m, d, cand)


@kernel
def fill_side_chain(m, d, cand):
    """Dofs of a candidate, unless they are those of the geom pair before."""
    if is_flex_contact(d, cand):
        fill_flex_contact_chain(m, d, cand)
    elif cand == 0 or not share_bodies(m, d, cand, cand - 1):
        fill_chain(m, d, cand)


@kernel
def fill_flex_contact_chain(m, d, cand):
    """Dofs that move the contact of a deformable, in increasing order."""
    t, adr, n = flex_contact_of(m, d, cand), d.cand_chainadr[cand], d.cand_chainnum[cand]
    start_chain(m, d, t)
    above = -1
    for k in range(adr + n - 1, adr - 1, -1):
        dof = next_dof(m, d, t)
        # a dof that does not hang from the one before it starts another branch
        if above >= 0 and m.dof_parentid[above] != dof:
            d.cand_coupled[cand] = 1
        d.chain_dof[k], d.chain_side[k] = max(dof, 0), 2 if dof >= 0 else 3
        above = dof


@kernel
def put_flex_contacts(m, d):
    """Enter the contacts of deformables in their slots.

    Reads: cand_*, fcon_*.
    Writes: con_any, con_on, con_dist, con_pos, con_frame.
    """
    for cand in range(d.count[COUNT_CAND]):
        if is_flex_contact(d, cand):
            fcon = d.fcon_order[flex_contact_of(m, d, cand)]
            normal = load3(d.fcon_normal, fcon)
            put_contact(
                d, d.cand_slotadr[cand], True, d.fcon_dist[fcon],
                load3(d.fcon_pos, fcon), normal, scale3(normal, 0.0),
            )  # fmt: skip


fill_flex_candidates = entry(
    globals(),
    "fill_flex_candidates",
    fill_candidates,
    candidate_dim=fcon_dim,
    candidate_capacity=fcon_capacity,
    candidate_kind=fcon_kind,
    fill_own_chain=fill_side_chain,
)
fill_flex_candidates.__doc__ = (fill_candidates.__doc__ or "").replace(
    "Writes: ", "Writes: cand_coupled, moved_dof, "
)
