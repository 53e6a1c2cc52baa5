"""The list of pairs of the mid phase: elements and vertices, and what they may touch."""

from ...simd.kernel import kernel
from ...tables.enums import COUNT_FLEX_CONTACT, COUNT_MIDPAIR
from ..capacity import CAPACITY_FLEX_CONTACT, CAPACITY_MIDPAIR
from .narrow_phase import CONTACTS


@kernel
def add_midphase_pair(d, kind, side1, part1, side2, part2):
    """Note a pair if there is room, and count it and its contacts anyway."""
    n, adr = d.count[COUNT_MIDPAIR], d.count[COUNT_FLEX_CONTACT]
    end = adr + CONTACTS[kind]
    if n < d.capacity[CAPACITY_MIDPAIR] and end <= d.capacity[CAPACITY_FLEX_CONTACT]:
        d.midpair_kind[n], d.midpair_adr[n] = kind, adr
        d.midpair_side[2 * n], d.midpair_side[2 * n + 1] = side1, side2
        d.midpair_part[2 * n], d.midpair_part[2 * n + 1] = part1, part2
        for fcon in range(adr, end):
            d.fcon_on[fcon], d.fcon_midpair[fcon], d.fcon_elem[fcon] = 0, n, -1
    d.count[COUNT_MIDPAIR], d.count[COUNT_FLEX_CONTACT] = n + 1, end


@kernel
def part_of(d, fcon, side):
    """Part of one side of a contact: an element, or a vertex v as -1 - v; 0: of a geom."""
    if side == 1 and d.fcon_elem[fcon] >= 0:
        return d.fcon_elem[fcon]
    return d.midpair_part[2 * d.fcon_midpair[fcon] + side]
