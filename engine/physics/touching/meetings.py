"""The list of meetings: elements and vertices, and what they may touch."""

from ...simd.kernel import kernel
from ...tables.enums import COUNT_MEET, COUNT_TOUCH
from ..capacity import ROOM_MEET, ROOM_TOUCH
from .narrow import CONTACTS


@kernel
def add_meeting(d, kind, side1, part1, side2, part2):
    """Note a meeting if there is room, and count it and its contacts anyway."""
    n, adr = d.count[COUNT_MEET], d.count[COUNT_TOUCH]
    end = adr + CONTACTS[kind]
    if n < d.room[ROOM_MEET] and end <= d.room[ROOM_TOUCH]:
        d.meet_kind[n], d.meet_adr[n] = kind, adr
        d.meet_side[2 * n], d.meet_side[2 * n + 1] = side1, side2
        d.meet_part[2 * n], d.meet_part[2 * n + 1] = part1, part2
        for touch in range(adr, end):
            d.touch_on[touch], d.touch_meet[touch], d.touch_elem[touch] = 0, n, -1
    d.count[COUNT_MEET], d.count[COUNT_TOUCH] = n + 1, end


@kernel
def part_of(d, touch, side):
    """Part of one side of a contact: an element, or a vertex v as -1 - v; 0: of a geom."""
    if side == 1 and d.touch_elem[touch] >= 0:
        return d.touch_elem[touch]
    return d.meet_part[2 * d.touch_meet[touch] + side]
