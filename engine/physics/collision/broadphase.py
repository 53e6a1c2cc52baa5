"""Broad phase of large models: pairs of geoms whose bounding boxes overlap.

Sweep and prune (Cohen et al.: I-COLLIDE, 1995): boxes sorted along one axis overlap only in a
window of that order. Space is cut into strips along a second axis, and each strip is swept by
itself, so that the work grows with the number of boxes as long as these are of similar size. Both
axes are those along which the boxes are spread most. Planes meet every geom, by their distance.
"""

from ...simd.kernel import kernel
from ...simd.lanes import load3
from ...simd.ordering import sort_order
from ...simd.spatial import dot3, sub3
from ...tables.enums import (
    COUNT_FOUND,
    COUNT_SEARCH,
    DSBL_CONSTRAINT,
    DSBL_CONTACT,
    DSBL_FILTERPARENT,
    DSBL_MIDPHASE,
    ENBL_OVERRIDE,
    GEOM_CAPSULE,
    GEOM_HFIELD,
    GEOM_PLANE,
)
from ..capacity import CAPACITY_CAND, CAPACITY_FOUND
from .bounds import AWAY, MOVING, PAD, find_boxes, is_beside, leave_out_alone, spread
from .contact import apart, axis_z

COMPLETE, AGAIN = 1, 2  # the search of this step is done; or it found more than it had room for


@kernel
def broadphase(m, d):
    """Pairs of geoms that may touch, in no order.

    Runs twice in every step, with `reserve_capacity` between: the second time it has something to
    do only if there was not enough room.

    Reads: geom_xpos, geom_xmat, capacity.
    Writes: count, need, found_geom1, found_geom2, found_pair, bucket, box_low, box_high,
        box_on, rigid_low, rigid_high, rigid_met, sweep_order, sweep_next, strip_adr, entry_box,
        entry_strip, entry_low, entry_bound.
    """
    state = d.count[COUNT_SEARCH]
    d.count[COUNT_SEARCH] = 0
    if state == COMPLETE:
        return
    d.count[COUNT_FOUND] = 0
    if not m.opt_disableflags[0] & (DSBL_CONTACT | DSBL_CONSTRAINT):
        find_given(m, d)
        if m.nmoving > 0:
            nbox = find_boxes(m, d)
            find_on_planes(m, d)
            if m.nrigid > 0 and nbox > 1:
                nbox = leave_out_alone(m, d)
            if nbox > 1:
                sweep_boxes(m, d)
    n = d.count[COUNT_FOUND]
    d.need[CAPACITY_FOUND] = d.need[CAPACITY_CAND] = n
    if state != AGAIN:
        d.count[COUNT_SEARCH] = COMPLETE if n <= d.capacity[CAPACITY_FOUND] else AGAIN
    d.count[COUNT_FOUND] = min(n, d.capacity[CAPACITY_FOUND])


@kernel
def add_found(d, geom1, geom2, pair):
    """Note a pair if there is room, and count it anyway."""
    n = d.count[COUNT_FOUND]
    if n < d.capacity[CAPACITY_FOUND]:
        d.found_geom1[n] = geom1
        d.found_geom2[n] = geom2
        d.found_pair[n] = pair
    d.count[COUNT_FOUND] = n + 1


@kernel
def add_pair(m, d, geom1, geom2):
    """Note a pair that passed the filters, its geoms in the order by which contacts are sorted.

    That is by types; without mid phase MuJoCo takes geoms as they come.
    """
    first, second = min(geom1, geom2), max(geom1, geom2)
    swap = m.geom_type[first] > m.geom_type[second]
    if swap and not m.opt_disableflags[0] & DSBL_MIDPHASE:
        first, second = second, first
    add_found(d, first, second, -1)


@kernel
def find_given(m, d):
    """Find predefined pairs, which pass no filter."""
    for k in range(m.ngiven):
        pair = m.given_pair[k]
        geom1, geom2 = m.pair_geom1[pair], m.pair_geom2[pair]
        margin = m.pair_margin[pair]
        if m.opt_enableflags[0] & ENBL_OVERRIDE:
            margin = m.opt_o_margin[0]
        if is_near(m, d, geom1, geom2, margin):
            add_found(d, geom1, geom2, pair)


@kernel
def find_on_planes(m, d):
    """Find geoms near planes."""
    for k in range(m.nplane):
        plane = m.plane_geom[k]
        for i in range(m.nmoving):
            geom = m.sweep_geom[i]
            if d.box_on[i] != MOVING or not may_touch(m, plane, geom):
                continue
            if is_near(m, d, plane, geom, geom_margin(m, plane, geom)):
                add_pair(m, d, plane, geom)


@kernel
def geom_margin(m, geom1, geom2):
    """Distance below which a contact of two geoms is detected (m)."""
    margin = m.geom_margin[geom1] + m.geom_margin[geom2]
    if m.opt_enableflags[0] & ENBL_OVERRIDE:
        margin = m.opt_o_margin[0]
    return margin


@kernel
def is_near(m, d, geom1, geom2, margin):
    """True if bounding spheres, or a plane and a bounding sphere, are within a margin (m)."""
    if m.geom_type[geom1] == GEOM_PLANE:
        return plane_is_near(m, d, geom1, geom2, margin)
    if m.geom_type[geom2] == GEOM_PLANE:
        return plane_is_near(m, d, geom2, geom1, margin)
    return not apart(m, d, geom1, geom2, margin)


@kernel
def plane_is_near(m, d, plane, geom, margin):
    """True if the bounding sphere of a geom is within a margin of a plane (m)."""
    height = dot3(sub3(load3(d.geom_xpos, geom), load3(d.geom_xpos, plane)), axis_z(d, plane))
    radius = m.geom_rbound[geom]
    return radius <= 0.0 or not height > margin + radius + PAD


@kernel
def may_touch(m, geom1, geom2):
    """True if two geoms pass the filters of bodies and bits, and have no predefined pair."""
    weld1, weld2 = m.geom_weldid[geom1], m.geom_weldid[geom2]
    if weld1 == weld2:
        return False
    joined = weld1 == m.geom_upid[geom2] or weld2 == m.geom_upid[geom1]
    if joined and weld1 and weld2 and not m.opt_disableflags[0] & DSBL_FILTERPARENT:
        return False
    meets = m.geom_contype[geom1] & m.geom_conaffinity[geom2]
    if not meets | (m.geom_contype[geom2] & m.geom_conaffinity[geom1]):
        return False
    if m.geom_type[geom1] <= GEOM_HFIELD and m.geom_type[geom2] <= GEOM_HFIELD:
        return False
    body1, body2 = m.geom_bodyid[geom1], m.geom_bodyid[geom2]
    meets = m.body_contype[body1] & m.body_conaffinity[body2]
    if not meets | (m.body_contype[body2] & m.body_conaffinity[body1]):
        return False
    if is_among(m.apart_body, m.apart_adr[body1], m.apart_num[body1], body2):
        return False
    return not is_among(m.given_geom, m.given_adr[geom1], m.given_num[geom1], geom2)


@kernel
def is_among(partners, adr, n, thing):
    """True if a thing is among n of a list from a place on."""
    found = False
    for k in range(adr, adr + n):
        found = found or partners[k] == thing
    return found


@kernel
def sweep_boxes(m, d):
    """Find overlapping boxes."""
    x, y, z = spread(m, d, 0), spread(m, d, 1), spread(m, d, 2)
    axis = 0 if x >= y and x >= z else (1 if y >= z else 2)
    side = (1 if y >= z else 2) if axis == 0 else (0 if x >= z else 2)
    if axis == 2:
        side = 0 if x >= y else 1
    # boxes hardly move in a step
    sort_order(d.sweep_order, d.sweep_next, d.box_low, 3, axis, 0, m.nsweep)
    nstrip = fill_strips(m, d, axis, side)
    for strip in range(nstrip):
        sweep_strip(m, d, strip)


@kernel
def strip_at(place, nstrip):
    """Strip at a place in units of strips; what is no number lies in the first."""
    if not place >= 1.0:
        return 0
    return nstrip - 1 if place >= nstrip else int(place)


@kernel
def count_strips(m, d, side, low, scale, nstrip):
    """Count the boxes that meet each strip; returns their sum."""
    total = 0
    for k in range(nstrip + 1):
        d.strip_adr[k] = 0
    for i in range(m.nsweep):
        if d.box_on[i] != AWAY:
            first = strip_at(scale * (d.box_low[3 * i + side] - low), nstrip)
            last = strip_at(scale * (d.box_high[3 * i + side] - low), nstrip)
            total += last - first + 1
            for k in range(first, last + 1):
                d.strip_adr[k + 1] = d.strip_adr[k + 1] + 1
    return total


@kernel
def fill_strips(m, d, axis, side):
    """Cut space into strips, twice as wide as a box is on average, and list the boxes of each.

    Returns:
        Number of strips.
    """
    low, high, length, n = 1e300, -1e300, 0.0, 0
    for i in range(m.nsweep):
        if d.box_on[i] != AWAY:
            one, other = d.box_low[3 * i + side], d.box_high[3 * i + side]
            low, high = min(low, one), max(high, other)
            length, n = length + (other - one), n + 1
    ratio = (high - low) * n / (2.0 * length)
    nstrip = int(ratio) if 1.0 <= ratio < n else (1 if ratio < 1.0 else n)
    scale = nstrip / (high - low)
    if count_strips(m, d, side, low, scale, nstrip) > m.nentry:
        # boxes without end
        nstrip = 1
        count_strips(m, d, side, low, 0.0, nstrip)
    for k in range(nstrip):
        d.strip_adr[k + 1] = d.strip_adr[k + 1] + d.strip_adr[k]
        d.bucket[k] = d.strip_adr[k]
    for k in range(m.nsweep):
        box = d.sweep_order[k]
        if d.box_on[box] != AWAY:
            first = strip_at(scale * (d.box_low[3 * box + side] - low), nstrip)
            last = strip_at(scale * (d.box_high[3 * box + side] - low), nstrip)
            for strip in range(first, last + 1):
                enter_box(d, box, strip, first, axis, side)
    return nstrip


@kernel
def enter_box(d, box, strip, first, axis, side):
    """Append a box to a strip."""
    entry, other = d.bucket[strip], 3 - axis - side
    d.bucket[strip] = entry + 1
    d.entry_box[entry] = box
    d.entry_strip[entry] = first
    d.entry_low[entry] = d.box_low[3 * box + axis]
    d.entry_bound[5 * entry] = d.box_high[3 * box + axis]
    d.entry_bound[5 * entry + 1] = d.box_low[3 * box + side]
    d.entry_bound[5 * entry + 2] = d.box_high[3 * box + side]
    d.entry_bound[5 * entry + 3] = d.box_low[3 * box + other]
    d.entry_bound[5 * entry + 4] = d.box_high[3 * box + other]


@kernel
def sweep_strip(m, d, strip):
    """Find overlapping boxes of a strip; two that meet several strips count in the first."""
    end = d.strip_adr[strip + 1]
    for i in range(d.strip_adr[strip], end):
        reach = d.entry_bound[5 * i]
        low1, high1 = d.entry_bound[5 * i + 1], d.entry_bound[5 * i + 2]
        low2, high2 = d.entry_bound[5 * i + 3], d.entry_bound[5 * i + 4]
        for j in range(i + 1, end):
            if d.entry_low[j] > reach:
                break
            if d.entry_bound[5 * j + 1] > high1 or d.entry_bound[5 * j + 2] < low1:
                continue
            if d.entry_bound[5 * j + 3] > high2 or d.entry_bound[5 * j + 4] < low2:
                continue
            if max(d.entry_strip[i], d.entry_strip[j]) == strip:
                try_pair(m, d, d.entry_box[i], d.entry_box[j])


@kernel
def try_pair(m, d, box1, box2):
    """Note the geoms of two boxes if one moves, they pass the filters and are near."""
    if max(d.box_on[box1], d.box_on[box2]) != MOVING:
        return
    geom1, geom2 = m.sweep_geom[box1], m.sweep_geom[box2]
    margin = geom_margin(m, geom1, geom2)
    if not may_touch(m, geom1, geom2) or apart(m, d, geom1, geom2, margin):
        return
    # worth a closer look before an expensive narrow phase
    costly = max(m.geom_type[geom1], m.geom_type[geom2]) > GEOM_CAPSULE
    if costly and is_beside(m, d, geom1, geom2, margin):
        return
    if not (costly and is_beside(m, d, geom2, geom1, margin)):
        add_pair(m, d, geom1, geom2)
