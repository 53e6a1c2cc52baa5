"""Contacts as MuJoCo lists them, in models whose deformables touch."""

from ...simd.kernel import kernel, named, replaced
from ...simd.lanes import set_lane
from ..collision.own_contacts import own_place
from ..flex_contacts.candidates import flex_contact_of, is_flex_contact, is_passive
from ..flex_contacts.midphase_pairs import part_of
from ..flex_contacts.sides import SIDES
from .contacts_and_rows import exclusion, export_contact, list_side


@kernel
def list_any_side(m, d, c, lane, cand, side):
    """Enter what touches at one side of contact c: a geom, an element or a vertex."""
    if not is_flex_contact(d, cand):
        list_side(m, d, c, lane, cand, side)
        return
    if own_place(m, d, cand) >= 0:
        # its parts are listed with what else it brings
        thing = d.cand_geom1[cand] if side == 0 else d.cand_geom2[cand]
        set_lane(d.contact_geom, 2 * c + side, lane, 1.0 * max(thing, -1))
        return
    fcon = d.fcon_order[flex_contact_of(m, d, cand)]
    thing, part = d.midpair_side[2 * d.fcon_midpair[fcon] + side], part_of(d, fcon, side)
    geom = flex = elem = vert = -1
    if thing >= 0:
        geom = thing
    else:
        flex = -1 - thing
        if part >= 0:
            elem = part
        else:
            vert = -1 - part
    set_lane(d.contact_geom, 2 * c + side, lane, 1.0 * geom)
    set_lane(d.contact_flex, 2 * c + side, lane, 1.0 * flex)
    set_lane(d.contact_elem, 2 * c + side, lane, 1.0 * elem)
    set_lane(d.contact_vert, 2 * c + side, lane, 1.0 * vert)


@kernel
def exclusion_of(m, d, slot, dist, margin):
    """Why a contact has no rows; 4: it is a spring."""
    cand = d.slot_cand[slot]
    if own_place(m, d, cand) >= 0 or not is_passive(m, d, cand):
        return exclusion(m, d, slot, dist, margin)
    return 4.0 if d.cand_chainnum[cand] > 0 else 3.0


export_flex_contact = named(
    globals(),
    "export_flex_contact",
    replaced(export_contact, {**SIDES, list_side: list_any_side, exclusion: exclusion_of}),
)
