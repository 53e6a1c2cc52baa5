"""Transmission on a body by its contacts: adhesion."""

from ...simd.kernel import kernel
from ...simd.lanes import load3, mask_not, select, zero_like
from ...simd.spatial import dot3
from ...tables.enums import COUNT_SLOT, DSBL_CONSTRAINT, DSBL_CONTACT, TRN_BODY
from ..collision.contact import between_geoms, include_margin, is_included, next_contact
from ..collision.own_contacts import EXCLUDE, own_place
from .sites import shift


@kernel
def body_transmission(m, d):
    """Actuators on a body: their moment is the mean of the normals of its contacts, inwards.

    Contacts within their margin that make no constraint count as well. The rows of a friction
    pyramid have the normal as their mean.

    Reads: con_any, con_on, con_dist, con_pos, con_frame, slot_*, cand_*, chain_*, cdof,
        subtree_com.
    Writes: actuator_length (0), act_moment.
    """
    zero = zero_like(d.qpos)
    for u in range(m.nu):
        if m.actuator_trntype[u] == TRN_BODY:
            adr = m.act_momentadr[u]
            for k in range(m.nv):
                d.act_moment[adr + k] = zero
            d.actuator_length[u] = zero
            if not m.opt_disableflags[0] & (DSBL_CONSTRAINT | DSBL_CONTACT):
                mean_normal(m, d, m.actuator_trnid[2 * u], adr)


@kernel
def mean_normal(m, d, body, adr):
    """Mean of the gradients of the distances in all contacts of a body, negative."""
    number = zero_like(d.qpos)
    slot = next_contact(d, 0)
    while slot < d.count[COUNT_SLOT]:
        pair = d.slot_cand[slot]
        if between_geoms(d, pair):
            body1 = m.geom_bodyid[d.cand_geom1[pair]]
            body2 = m.geom_bodyid[d.cand_geom2[pair]]
            if body1 == body or body2 == body:
                number = number + add_normal(m, d, slot, pair, adr)
        slot = next_contact(d, slot + 1)
    for k in range(adr, adr + m.nv):
        d.act_moment[k] = select(
            number > 0.0, -d.act_moment[k] / select(number > 0.0, number, 1.0), 0.0
        )


@kernel
def add_normal(m, d, slot, pair, adr):
    """Add the gradient of the distance in one contact; returns 1 where there is the contact."""
    counted = d.con_on[slot] > 0.0
    if d.cand_chainnum[pair] == 0:
        # a contact of what cannot move counts only while it makes no constraint
        margin = include_margin(m, d, pair)
        counted = counted & mask_not(is_included(m, d, pair, d.con_dist[slot], margin))
    own = own_place(m, d, pair)
    if own >= 0:
        # those that users leave out for other reasons than a gap do not count
        counted = counted & (0.0 * d.con_dist[slot] + d.own_value[own + EXCLUDE] <= 1.0)
    one = select(counted, 1.0, zero_like(d.qpos))
    normal, point = load3(d.con_frame, 3 * slot), load3(d.con_pos, slot)
    start = d.cand_chainadr[pair]
    for k in range(start, start + d.cand_chainnum[pair]):
        dof, side = d.chain_dof[k], d.chain_side[k]
        if side < 3:
            sign = one if side == 2 else -one
            moved = select(counted, dot3(normal, shift(m, d, dof, point)), 0.0)
            d.act_moment[adr + dof] = d.act_moment[adr + dof] + sign * moved
    return one
