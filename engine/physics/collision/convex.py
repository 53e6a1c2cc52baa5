"""General convex collision: pairs of types without a routine of their own, lane by lane.

Distances come from `gjk`, depths from `epa`. Spheres and capsules take part as points and segments
as long as these are apart, which is exact and fast.
"""

from ...simd.elementary import sincos
from ...simd.kernel import kernel, variant
from ...simd.lanes import (
    get_lane,
    lane_any,
    load3,
    mask_not,
    select,
    set_lane,
    sqrt,
    store,
    zero_like,
)
from ...simd.spatial import add3, cross, quat_mat, scale3, sub3
from ...tables.enums import DSBL_MULTICCD, GEOM_CAPSULE, GEOM_SPHERE
from .bounds import is_beside
from .contact import clear_found, put_contact
from .epa import epa
from .gjk import ITERATIONS, POINTS, SIMPLEX, gjk
from .separating_axis import checked_depth, memory_of, remember, still_apart
from .simplex import FAR
from .slots import CONVEX_SLOTS, contact_capacity
from .support import (
    KIND,
    LINE,
    MARGIN,
    POINT,
    SHAPE,
    SIZE,
    TYPE,
    inner,
    lane_pose,
    place_shape,
    shape_mat,
    shape_pos,
    take_shape,
    times,
    to_global,
    unit,
)

DISTINCT = 1e-3  # distance of further contacts, relative to the smaller bounding sphere
TILT = 1e-3  # rotation that looks for further contacts (rad)


@kernel
def convex(m, d, geom1, geom2, slot, margin, near):
    """Contacts of one pair of convex geoms without a special routine.

    Gilbert, Johnson and Keerthi: A fast procedure for computing the distance between complex
    objects, 1988; van den Bergen: Proximity queries and penetration depth computation on 3D game
    objects, 2001.
    """
    open_pair(d, margin, near, CONVEX_SLOTS)
    if boxes_overlap(m, d, geom1, geom2):
        for lane in range(m.width):
            if get_lane(d.ccd_near, 0, lane) > 0.0:
                convex_lane(m, d, geom1, geom2, lane)
        close_pair(d, slot, contact_capacity(m.geom_type[geom1], m.geom_type[geom2]))


@kernel
def open_pair(d, margin, near, capacity):
    """Make ready for some contacts of a pair in the lanes of the mask `near`."""
    d.ccd_near[0] = select(near, 1.0, 0.0) + zero_like(d.ccd_near)
    d.ccd_near[1] = margin + zero_like(d.ccd_near)
    clear_found(d, capacity)


@kernel
def boxes_overlap(m, d, geom1, geom2):
    """Drop lanes in which oriented boxes are apart; returns whether any lane remains."""
    margin = d.ccd_near[1]
    near = (d.ccd_near[0] > 0.0) & mask_not(is_beside(m, d, geom1, geom2, margin))
    if not lane_any(near):
        return False
    near = near & mask_not(is_beside(m, d, geom2, geom1, margin))
    d.ccd_near[0] = select(near, 1.0, 0.0) + zero_like(d.ccd_near)
    return lane_any(near)


@kernel
def close_pair(d, slot, capacity):
    """Put what was found in all lanes into the slots of a pair."""
    for k in range(capacity):
        axis = load3(d.ccd_axis, k)
        put_contact(
            d, slot + k, d.ccd_on[k] > 0.0, d.ccd_dist[k],
            load3(d.ccd_pos, k), axis, scale3(axis, 0.0),
        )  # fmt: skip


@kernel
def take_pair(m, d, geom1, geom2, lane):
    """Copy two geoms and the options out of a lane; returns the margin (m)."""
    margin = get_lane(d.ccd_near, 1, lane)
    d.ccd_tolerance[0] = get_lane(m.opt_ccd_tolerance, 0, lane)
    # scratch has room for as many iterations as the option had when the data were made
    d.ccd_count[ITERATIONS] = min(m.opt_ccd_iterations[0], m.nccd)
    take_shape(m, d, 0, geom1, lane, margin)
    take_shape(m, d, 1, geom2, lane, margin)
    return margin


@kernel
def convex_lane(m, d, geom1, geom2, lane):
    """Contacts of one pair in one lane."""
    margin = take_pair(m, d, geom1, geom2, lane)
    place = memory_of(m, geom1, geom2, lane)
    if still_apart(m, d, place):
        return
    found = checked_penetration(m, d, 0, lane, margin)
    remember(d, place, found == 0)
    capacity = contact_capacity(m.geom_type[geom1], m.geom_type[geom2])
    if found == 1 and capacity > 1 and not m.opt_disableflags[0] & DSBL_MULTICCD:
        more_contacts(m, d, geom1, geom2, lane, margin)


@kernel
def penetration(m, d, first, lane, margin):
    """Enter the contacts of the two shapes as they stand now; returns their number.

    Args:
        m: model.
        d: data.
        first: index of the first contact to enter.
        lane: lane of the pack.
        margin: distance from which on there is no contact (m).
    """
    dist, _ = signed_distance(m, d, 0.0)
    if not dist < 0.0:
        return 0
    return enter_points(d, first, lane, margin + dist)


@kernel
def enter_points(d, first, lane, dist):
    """Enter a contact for every pair of witness points; returns their number."""
    n = d.ccd_count[POINTS]
    for k in range(n):
        point1, point2 = load3(d.ccd_point1, k), load3(d.ccd_point2, k)
        pos, axis = times(add3(point1, point2), 0.5), unit(sub3(point1, point2))
        set_lane(d.ccd_on, first + k, lane, 1.0)
        set_lane(d.ccd_dist, first + k, lane, dist)
        for i in range(3):
            set_lane(d.ccd_pos, 3 * (first + k) + i, lane, pos[i])
            set_lane(d.ccd_axis, 3 * (first + k) + i, lane, axis[i])
    return n


@kernel
def is_swept(kind):
    """True if a geom of a type is a point or a segment with a radius."""
    return kind == GEOM_SPHERE or kind == GEOM_CAPSULE


@kernel
def shrink(d, o):
    """Replace a sphere or capsule by its core; returns its radius, with the margin (m)."""
    kind = d.ccd_kind[KIND * o + TYPE]
    if not is_swept(kind):
        return 0.0
    radius = d.ccd_shape[SHAPE * o + SIZE] + 0.5 * d.ccd_shape[SHAPE * o + MARGIN]
    d.ccd_kind[KIND * o + TYPE] = POINT if kind == GEOM_SPHERE else LINE
    d.ccd_shape[SHAPE * o + MARGIN] = 0.0
    return radius


@kernel
def signed_distance(m, d, cutoff):
    """Distance of the two shapes, negative in penetration, with their witness points (m).

    Args:
        m: model.
        d: data.
        cutoff: distance from which on none is needed (m); 0: only penetration matters.

    Returns:
        Distance and, after an expansion of polytopes, the face that holds the witness points; -1.
    """
    kind1, kind2 = d.ccd_kind[TYPE], d.ccd_kind[KIND + TYPE]
    store(d.ccd_point1, 0, shape_pos(d, 0))
    store(d.ccd_point2, 0, shape_pos(d, 1))
    if is_swept(kind1) or is_swept(kind2):
        margin1, margin2 = d.ccd_shape[MARGIN], d.ccd_shape[SHAPE + MARGIN]
        radius1, radius2 = shrink(d, 0), shrink(d, 1)
        dist = gjk(m, d, cutoff + (radius1 + radius2))
        d.ccd_kind[TYPE], d.ccd_kind[KIND + TYPE] = kind1, kind2
        d.ccd_shape[MARGIN], d.ccd_shape[SHAPE + MARGIN] = margin1, margin2
        if dist > d.ccd_tolerance[0]:
            # the cores are apart: surfaces lie a radius away along the normal
            point1, point2 = load3(d.ccd_point1, 0), load3(d.ccd_point2, 0)
            normal = unit(sub3(point2, point1))
            store(d.ccd_point1, 0, add3(point1, times(normal, radius1)))
            store(d.ccd_point2, 0, sub3(point2, times(normal, radius2)))
            dist = dist - (radius1 + radius2)
            return FAR if dist > cutoff else dist, -1
        store(d.ccd_point1, 0, shape_pos(d, 0))
        store(d.ccd_point2, 0, shape_pos(d, 1))
    dist, face = gjk(m, d, cutoff), -1
    if dist <= d.ccd_tolerance[0] and d.ccd_count[SIMPLEX] > 1:
        dist, face = epa(m, d, d.ccd_count[SIMPLEX])
    return dist, face


checked_signed_distance = variant(signed_distance, epa=checked_depth)
checked_penetration = variant(penetration, signed_distance=checked_signed_distance)


@kernel
def tangents(normal):
    """Two tangents of a contact, as the frame of a contact has them; any reals."""
    flat = (normal[1] > -0.5) & (normal[1] < 0.5)
    guess = (select(flat, 0.0, 0.0), select(flat, 1.0, 0.0), select(flat, 0.0, 1.0))
    side = unit(sub3(guess, times(normal, inner(normal, guess))))
    return side, cross(normal, side)


@kernel
def lane_vector(f, index, lane):
    """Block `index` of a field of 3-vectors, in one lane."""
    return (
        get_lane(f, 3 * index, lane),
        get_lane(f, 3 * index + 1, lane),
        get_lane(f, 3 * index + 2, lane),
    )


@kernel
def more_contacts(m, d, geom1, geom2, lane, margin):
    """Contacts that appear when the geoms are tilted a little about the tangents of the first one.

    They get the distance of the first contact.
    """
    origin = lane_vector(d.ccd_pos, 0, lane)
    side, other = tangents(unit(lane_vector(d.ccd_axis, 0, lane)))
    n = 1
    # tilt the geoms against each other, about both tangents
    for trial in range(4):
        rot, back = trial_turns(trial, side, other)
        tilt(d, 0, origin, rot)
        tilt(d, 1, origin, back)
        if penetration(m, d, n, lane, margin) > 0:
            n = keep_distinct(m, d, geom1, geom2, n, lane)
        # back to their poses
        pos, mat = lane_pose(d, geom1, lane)
        place_shape(d, 0, pos, mat)
        pos, mat = lane_pose(d, geom2, lane)
        place_shape(d, 1, pos, mat)


@kernel
def trial_turns(trial, side, other):
    """Rotations of the two geoms in a trial of 0 to 3: about one tangent, then about the other."""
    s, c = sincos(0.5 * TILT)
    s = s if trial % 2 else -s
    axis = side if trial < 2 else other
    rot = quat_mat((c, s * axis[0], s * axis[1], s * axis[2]))
    return rot, (rot[0], rot[3], rot[6], rot[1], rot[4], rot[7], rot[2], rot[5], rot[8])


@kernel
def tilt(d, o, origin, rot):
    """Rotate a shape about a point."""
    pos, mat = tilted(shape_pos(d, o), shape_mat(d, o), origin, rot)
    place_shape(d, o, pos, mat)


@kernel
def tilted(pos, r, origin, rot):
    """A pose turned about a point; any reals."""
    x = to_global(rot, (r[0], r[3], r[6]))
    y = to_global(rot, (r[1], r[4], r[7]))
    z = to_global(rot, (r[2], r[5], r[8]))
    arm = sub3(origin, pos)
    pos = sub3(pos, sub3(to_global(rot, arm), arm))
    return pos, (x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2])


@kernel
def keep_distinct(m, d, geom1, geom2, n, lane):
    """Keep contact n, with the distance of the first one, unless it lies near one before it.

    Returns:
        Number of contacts.
    """
    smaller = min(get_lane(m.geom_rbound, geom1, lane), get_lane(m.geom_rbound, geom2, lane))
    if not is_distinct(d, n, lane, DISTINCT * smaller):
        set_lane(d.ccd_on, n, lane, 0.0)
        return n
    set_lane(d.ccd_dist, n, lane, get_lane(d.ccd_dist, 0, lane))
    return n + 1


@kernel
def is_distinct(d, n, lane, distance):
    """True if contact n is farther than a distance from all before it."""
    pos = lane_vector(d.ccd_pos, n, lane)
    for k in range(n):
        gap = sub3(pos, lane_vector(d.ccd_pos, k, lane))
        if sqrt(inner(gap, gap)) <= distance:
            return False
    return True
