"""Sensors of distances between geoms or bodies, where the option flag nativeccd is off."""

from ...simd.kernel import kernel, variant
from ..collision.distance import BY_BOXES, BY_PORTAL, BY_PORTAL_HFIELD
from ..collision.portal_pairs import box_distance, portal_distance, portal_hfield_distance
from .distances import measure_pairs

measure_hfield_portals = variant(
    measure_pairs, plane_distance=portal_hfield_distance, BY_PLANE=BY_PORTAL_HFIELD
)
measure_portals = variant(measure_pairs, plane_distance=portal_distance, BY_PLANE=BY_PORTAL)
measure_box_pairs = variant(measure_pairs, plane_distance=box_distance, BY_PLANE=BY_BOXES)


@kernel
def near_hfields_by_portal(m, d):
    """Pairs with a height field.

    Reads: geom_xpos, geom_xmat.
    Writes: sense_dist (m), sense_fromto (m), sense_place.
    """
    measure_hfield_portals(m, d)


@kernel
def near_others_by_portal(m, d):
    """Pairs of other convex geoms.

    Reads: geom_xpos, geom_xmat.
    Writes: sense_dist (m), sense_fromto (m), sense_place.
    """
    measure_portals(m, d)


@kernel
def near_boxes(m, d):
    """Pairs of boxes.

    Reads: geom_xpos, geom_xmat.
    Writes: sense_dist (m), sense_fromto (m), sense_place.
    """
    measure_box_pairs(m, d)
