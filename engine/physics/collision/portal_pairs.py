"""Collision and distances of convex geoms by `portal`, where the flag nativeccd is off.

Further contacts are looked for by tilting the geoms, whatever their types. Distances are those of
the contacts that a margin of the largest distance of interest would make.
"""

from ...simd.kernel import entry, kernel, variant
from ...simd.lanes import get_lane, load3, set_lane
from ...tables.enums import DSBL_MULTICCD
from .contact import clear_found
from .convex import (
    boxes_overlap,
    close_pair,
    more_contacts,
    open_pair,
    take_pair,
)
from .distance import finish_distance, hfield_distance, keep_nearest, ordered, start_distance
from .hfield import convex_hfield, hfield_lane, prism_contact
from .portal import portal_depth
from .round_normals import round_contact
from .slots import CONVEX_SLOTS, contact_capacity
from .support import KIND

GEOM = 7  # part of ccd_kind


@kernel
def enter_portal(m, d, k, lane, margin):
    """Enter the contact of the two shapes as they stand now as contact k; returns how many."""
    depth, axis, pos = portal_depth(m, d)
    if not depth > 0.0:
        return 0
    set_lane(d.ccd_on, k, lane, 1.0)
    set_lane(d.ccd_dist, k, lane, margin - depth)
    for i in range(3):
        set_lane(d.ccd_pos, 3 * k + i, lane, pos[i])
        set_lane(d.ccd_axis, 3 * k + i, lane, axis[i])
    return 1


@kernel
def enter_rounded(m, d, k, lane, margin):
    """`enter_portal` of two geoms; where one is round, with its normal."""
    if enter_portal(m, d, k, lane, margin) == 0:
        return 0
    round_contact(m, d, d.ccd_kind[GEOM], d.ccd_kind[KIND + GEOM], k, lane)
    return 1


more_portals = variant(more_contacts, penetration=enter_rounded)


@kernel
def name_geoms(d, geom1, geom2):
    """Note which geoms the two shapes are."""
    d.ccd_kind[GEOM], d.ccd_kind[KIND + GEOM] = geom1, geom2


@kernel
def portal_lane(m, d, geom1, geom2, lane):
    """Contacts of one pair in one lane."""
    margin = take_pair(m, d, geom1, geom2, lane)
    name_geoms(d, geom1, geom2)
    if enter_rounded(m, d, 0, lane, margin) == 0:
        return
    capacity = contact_capacity(m.geom_type[geom1], m.geom_type[geom2])
    if capacity > 1 and not m.opt_disableflags[0] & DSBL_MULTICCD:
        more_portals(m, d, geom1, geom2, lane, margin)


@kernel
def portal_convex(m, d, geom1, geom2, slot, margin, near):
    """Contacts of one pair of convex geoms without a special routine, meshes included."""
    open_pair(d, margin, near, CONVEX_SLOTS)
    if boxes_overlap(m, d, geom1, geom2):
        for lane in range(m.width):
            if get_lane(d.ccd_near, 0, lane) > 0.0:
                portal_lane(m, d, geom1, geom2, lane)
        close_pair(d, slot, contact_capacity(m.geom_type[geom1], m.geom_type[geom2]))


enter_prism = variant(prism_contact, penetration=enter_portal)


@kernel
def round_prism(m, d, hfield, n, lane):
    """`prism_contact` by a portal; where the geom is round, with its normal."""
    if enter_prism(m, d, hfield, n, lane) == 0:
        return 0
    round_contact(m, d, hfield, d.ccd_kind[KIND + GEOM], n, lane)
    return 1


hfield_portals = variant(hfield_lane, prism_contact=round_prism)


@kernel
def portal_hfield_lane(m, d, hfield, geom, lane, capacity):
    """`hfield_lane` by portals."""
    name_geoms(d, hfield, geom)
    hfield_portals(m, d, hfield, geom, lane, capacity)


portal_hfield = variant(convex_hfield, hfield_lane=portal_hfield_lane)
portal_hfield_distance = entry(
    globals(), "portal_hfield_distance", hfield_distance, hfield_lane=portal_hfield_lane
)


@kernel
def portal_distance(m, d, geom1, geom2, cutoff):
    """Distance of convex geoms without a special routine; see `contact_distance`."""
    start_distance(d, cutoff)
    first, second = ordered(m, geom1, geom2)
    d.ccd_near[1] = d.near_dist[0]
    clear_found(d, 1)
    for lane in range(m.width):
        margin = take_pair(m, d, first, second, lane)
        name_geoms(d, first, second)
        enter_rounded(m, d, 0, lane, margin)
    axis = load3(d.ccd_axis, 0)
    keep_nearest(d, 0, d.ccd_on[0] > 0.0, d.ccd_dist[0], load3(d.ccd_pos, 0), axis, axis)
    finish_distance(m, d, geom1, geom2)
