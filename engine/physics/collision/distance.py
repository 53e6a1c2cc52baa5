"""Smallest distance of two geoms, by the routine that collides geoms of their types.

Special routines list contacts with the largest distance of interest as margin; the nearest one
counts. They are the kernels of the narrow phase, in which `put_contact` keeps the nearest contact
instead. Convex geoms without special routines, and boxes, are searched lane by lane.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ...simd.kernel import kernel, replaced, variant
from ...simd.lanes import get_lane, lane_any, load3, load9, select, set_lane, zero_like
from ...simd.spatial import add3, addscl3, mul_mat3, normalize3, scale3, sub3
from .capsule_box import capsule_box, turn_back
from .contact import axis_z, clear_found, put_contact
from .convex import take_pair
from .gjk import POINTS
from .hfield import hfield_lane
from .nearest import proven_signed_distance
from .primitives import clip
from .slots import HFIELD_SLOTS
from .sphere_box import ball_on_box

if TYPE_CHECKING:
    # routine of a narrow phase, set in each variant
    from .capsule_box import capsule_box as contacts

HALVINGS = 60  # of a segment, until nothing is left of it


@kernel
def keep_nearest(d, slot, on, dist, pos, normal, tangent):
    """Keep a contact in the lanes of the mask `on` where it is the nearest one so far.

    The arguments are those of `put_contact`.
    """
    nearer = on & (dist < d.near_dist[0])
    if not lane_any(nearer):
        return
    normal, _ = normalize3(normal)
    first, second = addscl3(pos, normal, -0.5 * dist), addscl3(pos, normal, 0.5 * dist)
    d.near_dist[0] = select(nearer, dist, d.near_dist[0])
    for k in range(3):
        d.near_fromto[k] = select(nearer, first[k], d.near_fromto[k])
        d.near_fromto[3 + k] = select(nearer, second[k], d.near_fromto[3 + k])


@kernel
def start_distance(d, cutoff):
    """Nothing is near yet."""
    d.near_dist[0] = cutoff + zero_like(d.near_dist)
    for k in range(6):
        d.near_fromto[k] = zero_like(d.near_dist)


@kernel
def ordered(m, geom1, geom2):
    """The geom of the smaller type, then the other one."""
    if m.geom_type[geom1] > m.geom_type[geom2]:
        return geom2, geom1
    return geom1, geom2


@kernel
def finish_distance(m, d, geom1, geom2):
    """Let the two points stand in the order in which the geoms were given."""
    if m.geom_type[geom1] > m.geom_type[geom2]:
        for k in range(3):
            point = d.near_fromto[k]
            d.near_fromto[k] = d.near_fromto[3 + k]
            d.near_fromto[3 + k] = point


@kernel
def contact_distance(m, d, geom1, geom2, cutoff):
    """Distance of two geoms by the contacts that a margin as large as the cutoff would make.

    Args:
        m: model.
        d: data; `near_dist` becomes the distance, `near_fromto` the points, zero beyond the cutoff.
        geom1: first geom.
        geom2: second geom.
        cutoff: distance from which on none is needed (m).
    """
    start_distance(d, cutoff)
    first, second = ordered(m, geom1, geom2)
    margin = d.near_dist[0]
    contacts(m, d, first, second, 0, margin, margin == margin)
    finish_distance(m, d, geom1, geom2)


def nearest(routine: Callable[..., Any]):
    """The narrow phase `routine` as a measure of distance, where `keep_nearest` takes contacts."""
    found = variant(contact_distance, contacts=replaced(routine, {put_contact: keep_nearest}))
    found.__name__ = f"{routine.__name__}_distance"
    return found


nearest_capsule_box = nearest(capsule_box)


@kernel
def capsule_box_distance(m, d, geom1, geom2, cutoff):
    """Distance of a capsule from a box; see `contact_distance`."""
    first, second = ordered(m, geom1, geom2)
    nearest_capsule_box(m, d, first, second, cutoff)
    capsule_beside_box(m, d, first, second)
    finish_distance(m, d, geom1, geom2)


@kernel
def capsule_beside_box(m, d, capsule, box):
    """Nearest point of a capsule outside of a box, where contacts do not tell it.

    Their routine leaves out edges of the box that are parallel to the capsule, and all that is far
    apart: it takes the margin for a squared distance.
    """
    apart = d.near_dist[0] > 0.0
    if not lane_any(apart):
        return
    radius, length = m.geom_size[3 * capsule], m.geom_size[3 * capsule + 1]
    size, place, mat = load3(m.geom_size, box), load3(d.geom_xpos, box), load9(d.geom_xmat, box)
    pos = turn_back(mat, sub3(load3(d.geom_xpos, capsule), place))
    half = scale3(turn_back(mat, axis_z(d, capsule)), length)
    point = addscl3(pos, half, nearest_to_box(pos, half, size))
    ball, limit = add3(mul_mat3(mat, point), place), d.near_dist[0]
    touch, dist, pos, normal = ball_on_box(ball, radius, place, mat, size, limit)
    keep_nearest(d, 0, apart & touch, dist, pos, normal, normal)


@kernel
def nearest_to_box(pos, half, size):
    """Position x of the point of pos + x half, -1 <= x <= 1, nearest to a box around the origin.

    The distance is convex along the segment: the sign of its slope halves what is left.
    """
    zero = 0.0 * (pos[0] + half[0] + size[0])
    low, high = zero - 1.0, zero + 1.0
    for _ in range(HALVINGS):
        x = 0.5 * (low + high)
        rises = beyond_box(pos, half, size, x) > 0.0
        low, high = select(rises, low, x), select(rises, x, high)
    # an end is met exactly
    low = select(beyond_box(pos, half, size, zero - 1.0) >= 0.0, -1.0, low)
    return select(beyond_box(pos, half, size, zero + 1.0) <= 0.0, 1.0, low)


@kernel
def beyond_box(pos, half, size, x):
    """Slope of half the squared distance from a box along a segment."""
    point = addscl3(pos, half, x)
    slope = 0.0 * x
    for k in range(3):
        slope = slope + half[k] * (point[k] - clip(point[k], -size[k], size[k]))
    return slope


@kernel
def hfield_distance(m, d, geom1, geom2, cutoff):
    """Distance of a height field from another geom; see `contact_distance`.

    As in MuJoCo, the field is raised by the cutoff, and the geom is thickened by half of it; how
    deep they then penetrate counts as negative distance.
    """
    start_distance(d, cutoff)
    hfield, geom = ordered(m, geom1, geom2)
    d.ccd_near[1] = d.near_dist[0]
    clear_found(d, HFIELD_SLOTS)
    for lane in range(m.width):
        hfield_lane(m, d, hfield, geom, lane, HFIELD_SLOTS)
    for k in range(HFIELD_SLOTS):
        axis = load3(d.ccd_axis, k)
        keep_nearest(d, k, d.ccd_on[k] > 0.0, d.ccd_dist[k], load3(d.ccd_pos, k), axis, axis)
    finish_distance(m, d, geom1, geom2)


@kernel
def search_distance(m, d, geom1, geom2, cutoff):
    """Distance of convex geoms without a special routine, and of boxes; see `contact_distance`."""
    start_distance(d, cutoff)
    d.ccd_near[1] = zero_like(d.ccd_near)
    for lane in range(m.width):
        limit = get_lane(d.near_dist, 0, lane)
        take_pair(m, d, geom1, geom2, lane)
        dist = proven_signed_distance(m, d, limit)
        if d.ccd_count[POINTS] > 0:
            first, second = load3(d.ccd_point1, 0), load3(d.ccd_point2, 0)
            for k in range(3):
                set_lane(d.near_fromto, k, lane, first[k])
                set_lane(d.near_fromto, 3 + k, lane, second[k])
        if dist < limit:
            set_lane(d.near_dist, 0, lane, dist)
