"""Convex collision of a pair in all lanes of a pack at once, where worlds share lanes.

Round geoms and boxes that touch do so in many worlds, a cylinder on a table in all of them: their
searches go side by side. Lanes in which a search takes a way of its own, and pairs that few lanes
have, are collided one by one, by `convex`, with the same results to the last bit.
"""

from ...simd.kernel import kernel
from ...simd.lanes import get_lane, lane_any, load3, load9, mask_not, select, set_lane, sqrt, store
from ...tables.enums import DSBL_MULTICCD, GEOM_BOX, GEOM_CYLINDER, GEOM_ELLIPSOID
from .convex import (
    boxes_overlap,
    close_pair,
    convex_lane,
    enter_points,
    keep_distinct,
    open_pair,
    penetration,
    take_pair,
    tangents,
    tilted,
    trial_turns,
)
from .epa import find_witnesses
from .gjk import ITERATIONS
from .pair_epa import pair_epa
from .pair_gjk import pair_gjk, pair_vertex
from .pair_support import one_support, place_pair, take_poses
from .separating_axis import ROUNDING, memory_of, near_origin
from .simplex import parts_of_tetrahedron
from .slots import CONVEX_SLOTS, contact_capacity
from .support import SHAPE, inner, times, to_global, to_local, unit

FEW = 2  # lanes from which on searches go side by side
# what a search has found in a lane: nothing yet, that the geoms are apart or touch; or it is left
# to `convex`
IDLE, APART, TOUCHING, LEFT = range(4)


@kernel
def convex_in_packs(m, d, geom1, geom2, slot, margin, near):
    """Contacts of one pair of convex geoms, as `convex` finds them."""
    open_pair(d, margin, near, CONVEX_SLOTS)
    if boxes_overlap(m, d, geom1, geom2):
        capacity = contact_capacity(m.geom_type[geom1], m.geom_type[geom2])
        if is_known(m.geom_type[geom1]) and is_known(m.geom_type[geom2]) and many_lanes(m, d):
            collide_together(m, d, geom1, geom2, capacity)
        else:
            for lane in range(m.width):
                if get_lane(d.ccd_near, 0, lane) > 0.0:
                    convex_lane(m, d, geom1, geom2, lane)
        close_pair(d, slot, capacity)


@kernel
def is_known(kind):
    """True if geoms of a type have support points in all lanes at once."""
    return kind == GEOM_BOX or kind == GEOM_CYLINDER or kind == GEOM_ELLIPSOID


@kernel
def many_lanes(m, d):
    """True if the pair may touch in so many lanes that they are searched together."""
    n = 0
    for lane in range(m.width):
        if get_lane(d.ccd_near, 0, lane) > 0.0:
            n += 1
    return n >= FEW


@kernel
def collide_together(m, d, geom1, geom2, capacity):
    """Contacts of a pair in all lanes in which its boxes overlap."""
    d.ccd_count[ITERATIONS] = min(m.opt_ccd_iterations[0], m.nccd)
    take_poses(d, geom1, geom2)
    active = d.ccd_near[0] > 0.0
    active = active & mask_not(stay_apart(m, d, geom1, geom2, active))
    if not lane_any(active):
        return
    search(m, d, geom1, geom2, active, True)
    for lane in range(m.width):
        enter_first(m, d, geom1, geom2, lane)
    # one by one where a search was left; that has all contacts of the lane
    for lane in range(m.width):
        if get_lane(d.pair_outcome, 0, lane) == 1.0 * LEFT:
            convex_lane(m, d, geom1, geom2, lane)
    touching = d.pair_outcome[0] == 1.0 * TOUCHING
    if capacity > 1 and not m.opt_disableflags[0] & DSBL_MULTICCD and lane_any(touching):
        more_together(m, d, geom1, geom2, touching)


@kernel
def stay_apart(m, d, geom1, geom2, active):
    """Mask of the lanes in which the axes remembered separate the geoms, as `still_apart`."""
    for lane in range(m.width):
        place = memory_of(m, geom1, geom2, lane)
        for k in range(3):
            set_lane(d.pair_axis, k, lane, d.separating_axis[3 * place + k])
    local = load3(d.pair_axis, 0)
    known = active & ((local[0] != 0.0) | (local[1] != 0.0) | (local[2] != 0.0))
    if not lane_any(known):
        return known
    axis = to_global(load9(d.pair_mat, 0), local)
    low = inner(axis, one_support(m, d, 0, geom1, times(axis, -1.0)))
    high = inner(axis, one_support(m, d, 1, geom2, axis))
    margin = d.ccd_near[1]
    return known & (low - high - 0.5 * (margin + margin) > 3.0 * pair_slack(m))


@kernel
def pair_slack(m):
    """Distance below which geoms may count as touching (m)."""
    return m.opt_ccd_tolerance[0] + ROUNDING


@kernel
def search(m, d, geom1, geom2, active, checked):
    """Search the lanes of a mask: outcomes in `pair_outcome`, faces in `pair_face`.

    Args:
        m: model.
        d: data, with the poses of the pair.
        geom1: first geom.
        geom2: second geom.
        active: mask.
        checked: tetrahedra that come not near the origin are left, see `checked_depth`.
    """
    found, apart = pair_gjk(m, d, geom1, geom2, active)
    if checked:
        found = found & meets_origin(m, d)
    touching = found
    if lane_any(found):
        touching = pair_epa(m, d, geom1, geom2, found)
    left = active & mask_not(apart | touching)
    # axes in the frame of the first geom
    if lane_any(apart):
        store(d.pair_axis, 0, to_local(load9(d.pair_mat, 0), load3(d.pair_axis, 0)))
    outcome = select(apart, 1.0 * APART, 1.0 * IDLE)
    outcome = select(touching, 1.0 * TOUCHING, outcome)
    d.pair_outcome[0] = select(left, 1.0 * LEFT, outcome)


@kernel
def meets_origin(m, d):
    """As `meets` for the tetrahedra of all lanes."""
    a, b = pair_vertex(d, 0), pair_vertex(d, 1)
    c, e = pair_vertex(d, 2), pair_vertex(d, 3)
    w0, w1, w2, w3 = parts_of_tetrahedron(a, b, c, e)
    return near_origin(pair_slack(m), a, b, c, e, w0, w1, w2, w3)


@kernel
def enter_found(d, n, lane, margin):
    """Enter the contact that a search has found in a lane as contact n; returns how many."""
    face = d.pair_face[lane]
    if face < 0:
        return 0
    dist = -sqrt(d.ccd_face[4 * face + 3])
    if not dist < 0.0:
        return 0
    find_witnesses(d, face)
    return enter_points(d, n, lane, margin + dist)


@kernel
def enter_first(m, d, geom1, geom2, lane):
    """Enter the first contact of a lane, and remember by which axis the geoms are apart."""
    outcome = get_lane(d.pair_outcome, 0, lane)
    place = memory_of(m, geom1, geom2, lane)
    if outcome == 1.0 * APART:
        for k in range(3):
            d.separating_axis[3 * place + k] = get_lane(d.pair_axis, k, lane)
    elif outcome == 1.0 * TOUCHING:
        store(d.separating_axis, place, (0.0, 0.0, 0.0))
        if enter_found(d, 0, lane, get_lane(d.ccd_near, 1, lane)) == 0:
            set_lane(d.pair_outcome, 0, lane, 1.0 * APART)


@kernel
def more_together(m, d, geom1, geom2, touching):
    """As `more_contacts` in the lanes of a mask, each of which has a first contact."""
    origin = load3(d.ccd_pos, 0)
    side, other = tangents(unit(load3(d.ccd_axis, 0)))
    for lane in range(m.width):
        d.pair_found[lane] = 1
    for trial in range(4):
        rot, back = trial_turns(trial, side, other)
        take_poses(d, geom1, geom2)
        pos, mat = tilted(load3(d.pair_pos, 0), load9(d.pair_mat, 0), origin, rot)
        place_pair(d, 0, pos, mat)
        pos, mat = tilted(load3(d.pair_pos, 1), load9(d.pair_mat, 1), origin, back)
        place_pair(d, 1, pos, mat)
        search(m, d, geom1, geom2, touching, False)
        for lane in range(m.width):
            if get_lane(d.pair_outcome, 0, lane) == 1.0 * TOUCHING:
                n = d.pair_found[lane]
                if enter_found(d, n, lane, get_lane(d.ccd_near, 1, lane)) > 0:
                    d.pair_found[lane] = keep_distinct(m, d, geom1, geom2, n, lane)
        for lane in range(m.width):
            if get_lane(d.pair_outcome, 0, lane) == 1.0 * LEFT:
                n = d.pair_found[lane]
                if penetrate_alone(m, d, geom1, geom2, n, lane) > 0:
                    d.pair_found[lane] = keep_distinct(m, d, geom1, geom2, n, lane)


@kernel
def penetrate_alone(m, d, geom1, geom2, n, lane):
    """Enter the contact of the pair as it is tilted in a lane as contact n; returns how many."""
    margin = take_pair(m, d, geom1, geom2, lane)
    for o in range(2):
        for k in range(3):
            d.ccd_shape[SHAPE * o + k] = get_lane(d.pair_pos, 3 * o + k, lane)
        for k in range(9):
            d.ccd_shape[SHAPE * o + 3 + k] = get_lane(d.pair_mat, 9 * o + k, lane)
    return penetration(m, d, n, lane, margin)
