"""Selection of contacts of each group: at most as many as MuJoCo keeps, far from each other.

Of too many, the deepest one stays, then always the one that is farthest from those that stay
(Gonzalez: Clustering to minimize the maximum intercluster distance, 1985).
"""

from ...simd.kernel import kernel
from ...simd.lanes import load3
from ...simd.spatial import plain_dot, sub3
from ...tables.enums import COUNT_FOUND, COUNT_KEPT
from ..capacity import CAPACITY_CAND, CAPACITY_KEPT
from .midphase_pairs import part_of
from .narrow_phase import CONTACTS
from .tables import MOST

FAR = 1e10  # squared distance of what is alone (m^2)


@kernel
def limit_flex_contacts(m, d):
    """List the contacts that stay, group by group, in contact order.

    Reads: midpair_groupadr, midpair_groupnum, midpair_adr, fcon_on, fcon_dist, fcon_pos.
    Writes: count, need, fcon_order, fcon_group, fcon_kept, fcon_far.
    """
    first = 0
    for group in range(m.nfcongroup):
        n = gather(d, group, first)
        if n > MOST:
            cut_down(d, first, n)
            n = MOST
        if m.group_sorted[group]:
            sort_flex_contacts(d, first, n)
        for k in range(first, first + n):
            d.fcon_group[k] = group
        first += n
    d.count[COUNT_KEPT] = first
    d.need[CAPACITY_CAND], d.need[CAPACITY_KEPT] = d.count[COUNT_FOUND] + first, first


@kernel
def gather(d, group, first):
    """List all contacts of a group from a place on; returns their number."""
    n = 0
    for midpair in range(
        d.midpair_groupadr[group], d.midpair_groupadr[group] + d.midpair_groupnum[group]
    ):
        adr = d.midpair_adr[midpair]
        for fcon in range(adr, adr + CONTACTS[d.midpair_kind[midpair]]):
            if d.fcon_on[fcon]:
                d.fcon_order[first + n] = fcon
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
        d.fcon_kept[k], d.fcon_far[k] = 0, FAR
        if d.fcon_dist[d.fcon_order[first + k]] < d.fcon_dist[d.fcon_order[first + best]]:
            best = k
    kept = 0
    while kept < MOST and best >= 0:
        d.fcon_kept[best] = 1
        after = farthest(d, first, n, load3(d.fcon_pos, d.fcon_order[first + best]))
        if kept < MOST - 1:
            # into the place behind those before
            moved = d.fcon_order[first + kept]
            d.fcon_order[first + kept] = d.fcon_order[first + best]
            d.fcon_order[first + best] = moved
            if after == kept:
                after = best
        kept += 1
        best = after


@kernel
def farthest(d, first, n, pos):
    """Contact that is farthest from those that stay, of which the last one is at a position."""
    after, most = -1, -1.0
    for k in range(n):
        if not d.fcon_kept[k]:
            way = sub3(load3(d.fcon_pos, d.fcon_order[first + k]), pos)
            square = plain_dot(way, way)
            if square < d.fcon_far[k]:
                d.fcon_far[k] = square
            if d.fcon_far[k] > most:
                after, most = k, d.fcon_far[k]
    return after


@kernel
def place_in(d, fcon, side):
    """Number of a geom, element or vertex, by which contacts are sorted."""
    thing, part = d.midpair_side[2 * d.fcon_midpair[fcon] + side], part_of(d, fcon, side)
    if thing >= 0:
        return thing
    return part if part >= 0 else -1 - part


@kernel
def sort_flex_contacts(d, first, n):
    """Sort n contacts from a place on by what they touch; of the same, the order stays."""
    for k in range(first + 1, first + n):
        fcon, j = d.fcon_order[k], k
        one, two = place_in(d, fcon, 0), place_in(d, fcon, 1)
        while j > first:
            before = d.fcon_order[j - 1]
            other1, other2 = place_in(d, before, 0), place_in(d, before, 1)
            if other1 < one or (other1 == one and other2 <= two):
                break
            d.fcon_order[j] = before
            j -= 1
        d.fcon_order[j] = fcon
