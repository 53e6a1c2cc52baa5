"""Contacts of deformables that users have added or edited: what they move, where they are now."""

from ...simd.kernel import kernel
from ...simd.lanes import load3
from ..collision.own_contacts import ADDRESS, ELEM, EXCLUDE, VERT, own_place
from .candidates import enter_moved_chain, fill_flex_contact_chain, flex_contact_of, is_passive
from .weights import weigh_contact


@kernel
def enter_own(m, d, cand, slot):
    """Enter the bodies and dofs that a contact of users moves, as rows are made."""
    weigh_own(m, d, cand, slot)
    enter_moved_chain(m, d, cand, flex_contact_of(m, d, cand))
    fill_flex_contact_chain(m, d, cand)
    if is_passive(m, d, cand):
        # a spring from now on
        own = own_place(m, d, cand)
        d.own_value[own + EXCLUDE] = 4.0 if d.cand_chainnum[cand] > 0 else 3.0
        d.own_value[own + ADDRESS] = -1.0


@kernel
def weigh_own(m, d, cand, slot):
    """Enter the bodies that a contact of users moves, and their weights."""
    own, t = own_place(m, d, cand), flex_contact_of(m, d, cand)
    side1, side2 = d.cand_geom1[cand], d.cand_geom2[cand]
    part1, part2 = own_part(d, own, 0), own_part(d, own, 1)
    weigh_contact(m, d, t, side1, part1, side2, part2, load3(d.con_pos, slot))


@kernel
def own_part(d, own, side):
    """Part of one side of a contact of users: an element, or a vertex v as -1 - v; 0: of a geom."""
    vert = int(d.own_value[own + VERT + side])
    return -1 - vert if vert >= 0 else max(int(d.own_value[own + ELEM + side]), 0)
