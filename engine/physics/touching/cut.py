"""What is left of the contacts of each group: at most as many as MuJoCo keeps, far from each other.

Of too many, the deepest one stays, then always the one that is farthest from those that stay
(Gonzalez: Clustering to minimize the maximum intercluster distance, 1985).
"""

from ...simd.kernel import kernel
from ...simd.lanes import load3
from ...simd.spatial import plain_dot, sub3
from ...tables.enums import COUNT_FOUND, COUNT_KEPT
from ..capacity import ROOM_CAND, ROOM_KEPT
from .meetings import part_of
from .narrow import CONTACTS
from .tables import MOST

FAR = 1e10  # squared distance of what is alone (m^2)


@kernel
def keep_touches(m, d):
    """List the contacts that stay, group by group, in contact order.

    Reads: met_adr, met_num, meet_adr, touch_on, touch_dist, touch_pos.
    Writes: count, need, touch_order, touch_group, touch_kept, touch_far.
    """
    first = 0
    for group in range(m.ntouchgroup):
        n = gather(d, group, first)
        if n > MOST:
            cut_down(d, first, n)
            n = MOST
        if m.group_sorted[group]:
            sort_touches(d, first, n)
        for k in range(first, first + n):
            d.touch_group[k] = group
        first += n
    d.count[COUNT_KEPT] = first
    d.need[ROOM_CAND], d.need[ROOM_KEPT] = d.count[COUNT_FOUND] + first, first


@kernel
def gather(d, group, first):
    """List all contacts of a group from a place on; returns their number."""
    n = 0
    for meeting in range(d.met_adr[group], d.met_adr[group] + d.met_num[group]):
        adr = d.meet_adr[meeting]
        for touch in range(adr, adr + CONTACTS[d.meet_kind[meeting]]):
            if d.touch_on[touch]:
                d.touch_order[first + n] = touch
                n += 1
    return n


@kernel
def cut_down(d, first, n):
    """Put those that stay of n contacts from a place on before all others.

    Which places are taken, and how far they are from what stays, is MuJoCo's bookkeeping: it does
    not move along where contacts change their places.
    """
    best = 0
    for k in range(n):
        d.touch_kept[k], d.touch_far[k] = 0, FAR
        if d.touch_dist[d.touch_order[first + k]] < d.touch_dist[d.touch_order[first + best]]:
            best = k
    kept = 0
    while kept < MOST and best >= 0:
        d.touch_kept[best] = 1
        after = farthest(d, first, n, load3(d.touch_pos, d.touch_order[first + best]))
        if kept < MOST - 1:
            # into the place behind those before
            moved = d.touch_order[first + kept]
            d.touch_order[first + kept] = d.touch_order[first + best]
            d.touch_order[first + best] = moved
            if after == kept:
                after = best
        kept += 1
        best = after


@kernel
def farthest(d, first, n, pos):
    """Contact that is farthest from those that stay, of which the last one is at a position."""
    after, most = -1, -1.0
    for k in range(n):
        if not d.touch_kept[k]:
            way = sub3(load3(d.touch_pos, d.touch_order[first + k]), pos)
            square = plain_dot(way, way)
            if square < d.touch_far[k]:
                d.touch_far[k] = square
            if d.touch_far[k] > most:
                after, most = k, d.touch_far[k]
    return after


@kernel
def place_in(d, touch, side):
    """Number of a geom, element or vertex, by which contacts are sorted."""
    thing, part = d.meet_side[2 * d.touch_meet[touch] + side], part_of(d, touch, side)
    if thing >= 0:
        return thing
    return part if part >= 0 else -1 - part


@kernel
def sort_touches(d, first, n):
    """Sort n contacts from a place on by what they touch; of the same, the order stays."""
    for k in range(first + 1, first + n):
        touch, j = d.touch_order[k], k
        one, two = place_in(d, touch, 0), place_in(d, touch, 1)
        while j > first:
            before = d.touch_order[j - 1]
            other1, other2 = place_in(d, before, 0), place_in(d, before, 1)
            if other1 < one or (other1 == one and other2 <= two):
                break
            d.touch_order[j] = before
            j -= 1
        d.touch_order[j] = touch
