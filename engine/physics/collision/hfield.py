"""Contacts of height fields with convex geoms: one for every prism that the geom enters.

Each cell of the grid is two prisms, from the bottom of the field up to three of its samples. The
geom is moved into the frame of the field, where the cells under its bounding box are looked at in
order, lane by lane.
"""

from ...simd.kernel import kernel
from ...simd.lanes import floor, get_lane, load3, set_lane
from ...simd.spatial import add3, sub3
from ...tables.enums import COUNT_FULL, COUNT_SLOT
from ..rays.heights import sample
from .convex import close_pair, lane_vector, open_pair, penetration, take_pair
from .slots import HFIELD_SLOTS
from .support import (
    MARGIN,
    geom_support,
    lane_pose,
    place_shape,
    shape_mat,
    shape_pos,
    times,
    to_global,
    to_local,
)

TOP = 3  # first of the upper vertices of a prism


@kernel
def convex_hfield(m, d, hfield, geom, slot, margin, near):
    """Contacts of one height field with a geom that has a volume."""
    capacity = pair_capacity(d, slot)
    open_pair(d, margin, near, capacity)
    for lane in range(m.width):
        if get_lane(d.ccd_near, 0, lane) > 0.0:
            hfield_lane(m, d, hfield, geom, lane, capacity)
    close_pair(d, slot, capacity)


@kernel
def pair_capacity(d, slot):
    """Number of slots of the candidate pair whose first slot is given."""
    n, end = 0, d.count[COUNT_SLOT]
    while slot + n < end and d.slot_cand[slot + n] == d.slot_cand[slot]:
        n += 1
    return n


@kernel
def field_size(m, field, lane):
    """Half sizes along x and y, height of the top, depth of the base (m)."""
    return (
        get_lane(m.hfield_size, 4 * field, lane),
        get_lane(m.hfield_size, 4 * field + 1, lane),
        get_lane(m.hfield_size, 4 * field + 2, lane),
        get_lane(m.hfield_size, 4 * field + 3, lane),
    )


@kernel
def hfield_lane(m, d, hfield, geom, lane, capacity):
    """Contacts of one pair in one lane.

    Args:
        m: model.
        d: data.
        hfield: geom of the height field.
        geom: the other geom.
        lane: lane of the pack.
        capacity: slots of the pair.
    """
    # geom in the frame of the height field
    margin = take_pair(m, d, hfield, geom, lane)
    field = m.geom_dataid[hfield]
    x, y, top, base = field_size(m, field, lane)
    enter_frame(d)
    pos = shape_pos(d, 1)
    # bounding sphere beside the field
    reach = get_lane(m.geom_rbound, geom, lane) + margin
    if beyond(pos[0], pos[0], reach, -x, x) or beyond(pos[1], pos[1], reach, -y, y):
        return
    if beyond(pos[2], pos[2], reach, -base, top):
        return
    # the bounding box, in MuJoCo's order, as the search on a mesh starts where the last one ended
    xmax = geom_support(m, d, 1, (1.0, 0.0, 0.0))[0]
    xmin = geom_support(m, d, 1, (-1.0, 0.0, 0.0))[0]
    ymax = geom_support(m, d, 1, (0.0, 1.0, 0.0))[1]
    ymin = geom_support(m, d, 1, (0.0, -1.0, 0.0))[1]
    zmax = geom_support(m, d, 1, (0.0, 0.0, 1.0))[2]
    zmin = geom_support(m, d, 1, (0.0, 0.0, -1.0))[2]
    # bounding box beside the field
    if beyond(xmin, xmax, margin, -x, x) or beyond(ymin, ymax, margin, -y, y):
        return
    if beyond(zmin, zmax, margin, -base, top):
        return
    # cells under the bounding box
    ncol, nrow = m.hfield_ncol[field], m.hfield_nrow[field]
    first, last = cells(xmin, xmax, x, ncol - 1)
    low, high = cells(ymin, ymax, y, nrow - 1)
    for k in range(3):
        d.ccd_prism[3 * k + 2] = -base
    # prisms along each row of cells, two for each cell
    n = 0
    for row in range(low, high):
        add_sample(m, d, field, row + 1, first, lane, margin)
        add_sample(m, d, field, row, first, lane, margin)
        for col in range(first + 1, last + 1):
            for i in range(2):
                add_sample(m, d, field, row + 1 - i, col, lane, margin)
                if below(d, zmin):
                    continue
                if n < capacity:
                    n += prism_contact(m, d, hfield, n, lane)
                elif capacity < HFIELD_SLOTS:
                    d.count[COUNT_FULL] = 1


@kernel
def enter_frame(d):
    """Move the second shape into the frame of the first."""
    mat, r = shape_mat(d, 0), shape_mat(d, 1)
    pos = to_local(mat, sub3(shape_pos(d, 1), shape_pos(d, 0)))
    x = to_local(mat, (r[0], r[3], r[6]))
    y = to_local(mat, (r[1], r[4], r[7]))
    z = to_local(mat, (r[2], r[5], r[8]))
    place_shape(d, 1, pos, (x[0], y[0], z[0], x[1], y[1], z[1], x[2], y[2], z[2]))
    # the margin is that of the geom alone; prisms are raised by it
    d.ccd_shape[MARGIN] = 0.0


@kernel
def beyond(low, high, margin, least, most):
    """True if an interval, widened by a margin, lies outside of another."""
    return low - margin > most or high + margin < least


@kernel
def cells(low, high, half, number):
    """Range of samples that surround an interval.

    Args:
        low: start of the interval (m).
        high: its end (m).
        half: half size of the field (m).
        number: cells of the field.
    """
    first = int(floor((low + half) / (2.0 * half) * number))
    last = int(-floor(-((high + half) / (2.0 * half) * number)))
    return max(0, first), min(number, last)


@kernel
def add_sample(m, d, field, row, col, lane, margin):
    """Replace the oldest edge of the prism by the one under a sample, raised by the margin."""
    x, y, top, _ = field_size(m, field, lane)
    ncol, nrow = m.hfield_ncol[field], m.hfield_nrow[field]
    for k in range(2):
        for i in range(3):
            d.ccd_prism[3 * k + i] = d.ccd_prism[3 * k + 3 + i]
            d.ccd_prism[3 * (TOP + k) + i] = d.ccd_prism[3 * (TOP + k) + 3 + i]
    here = (2.0 * x) / (ncol - 1) * col - x
    there = (2.0 * y) / (nrow - 1) * row - y
    for k in range(2):
        d.ccd_prism[6 + 9 * k] = here
        d.ccd_prism[7 + 9 * k] = there
    d.ccd_prism[17] = sample(m, d, field, row, col, lane) * top + margin


@kernel
def below(d, height):
    """True if the prism ends below a height."""
    return d.ccd_prism[11] < height and d.ccd_prism[14] < height and d.ccd_prism[17] < height


@kernel
def prism_contact(m, d, hfield, n, lane):
    """Enter the contact of the prism with the geom as contact n; returns how many there are."""
    center = (0.0, 0.0, 0.0)
    for k in range(6):
        center = add3(center, load3(d.ccd_prism, k))
    place_shape(d, 0, times(center, 1.0 / 6.0), (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0))
    if penetration(m, d, n, lane, 0.0) == 0:
        return 0
    pos, mat = lane_pose(d, hfield, lane)
    axis = to_global(mat, lane_vector(d.ccd_axis, n, lane))
    point = add3(to_global(mat, lane_vector(d.ccd_pos, n, lane)), pos)
    for i in range(3):
        set_lane(d.ccd_axis, 3 * n + i, lane, axis[i])
        set_lane(d.ccd_pos, 3 * n + i, lane, point[i])
    return 1
