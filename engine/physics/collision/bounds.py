"""Bounding boxes of geoms: along the axes of the world for the broad phase, and oriented ones."""

from ...simd.kernel import kernel
from ...simd.lanes import absolute, load3, load9
from ...simd.spatial import add3, mul_mat3, sub3
from ...tables.enums import ENBL_OVERRIDE, ENBL_SLEEP
from ..sleep.sleep import is_up

AWAY, REST, MOVING = range(3)  # no box is needed; a box at rest near moving ones; a moving one
PAD = 1e-9  # what rounding may take from a box (m)
# vertices of meshes are rounded to single precision after their box was found
GROW = 1.0 + 2.0**-23
FAR = 1e300


@kernel
def find_boxes(m, d):
    """Boxes of all geoms that move, and of those at rest that are near any of them.

    Returns:
        Number of boxes.
    """
    n = 0
    # geoms that move
    for i in range(m.nsweep):
        d.box_on[i] = REST
        if moves(m, d, i):
            find_box(m, d, i)
            d.box_on[i] = MOVING
            n += 1
    # geoms at rest within reach of these
    x1, x2 = reach_of_moving(m, d, 0)
    y1, y2 = reach_of_moving(m, d, 1)
    z1, z2 = reach_of_moving(m, d, 2)
    for i in range(m.nsweep):
        if d.box_on[i] == REST:
            geom = m.sweep_geom[i]
            x, y, z = load3(d.geom_xpos, geom)
            reach = grown_radius(m, geom) + half_margin(m, geom) + PAD
            away = x - reach > x2 or x + reach < x1 or y - reach > y2 or y + reach < y1
            if away or z - reach > z2 or z + reach < z1:
                d.box_on[i] = AWAY
            else:
                find_box(m, d, i)
                n += 1
    return n


@kernel
def moves(m, d, i):
    """True if a geom may move in this step: it is not fixed to the world, and awake."""
    if m.opt_enableflags[0] & ENBL_SLEEP:
        return is_up(m, d, m.sweep_geom[i])
    return i < m.nmoving


@kernel
def half_margin(m, geom):
    """Share of a geom in the distance below which its contacts are detected (m)."""
    margin = m.geom_margin[geom]
    if m.opt_enableflags[0] & ENBL_OVERRIDE:
        margin = 0.5 * m.opt_o_margin[0]
    return margin


@kernel
def grown_radius(m, geom):
    """Radius of a geom's bounding sphere with room for rounding (m); large where it has none."""
    radius = m.geom_rbound[geom]
    return GROW * radius if radius > 0.0 else FAR


@kernel
def find_box(m, d, i):
    """Bounding box of a geom along the axes of the world, with its margin."""
    geom = m.sweep_geom[i]
    radius, margin = grown_radius(m, geom), half_margin(m, geom) + PAD
    for k in range(3):
        center, half = d.geom_xpos[3 * geom + k], 0.0
        low, high = center - radius, center + radius
        for j in range(3):
            turn = d.geom_xmat[9 * geom + 3 * k + j]
            center = center + turn * m.geom_aabb[6 * geom + j]
            half = half + absolute(turn) * (GROW * m.geom_aabb[6 * geom + 3 + j])
        d.box_low[3 * i + k] = max(low, center - half) - margin
        d.box_high[3 * i + k] = min(high, center + half) + margin


@kernel
def leave_out_alone(m, d):
    """Leave out the boxes that meet no box around all those of another of the few bodies.

    Returns:
        Number of boxes that are left; 0 if none of them moves.
    """
    box_bodies(m, d)
    for body in range(m.nrigid):
        for other in range(body):
            if boxes_meet(d.rigid_low, d.rigid_high, body, d.rigid_low, d.rigid_high, other):
                d.rigid_met[body] = d.rigid_met[other] = 1
    n = nmoving = 0
    for i in range(m.nsweep):
        if d.box_on[i] != AWAY:
            if meets_other(m, d, i):
                n += 1
                nmoving += 1 if d.box_on[i] == MOVING else 0
            else:
                d.box_on[i] = AWAY
    return n if nmoving > 0 else 0


@kernel
def box_bodies(m, d):
    """Boxes around the boxes of each of the few bodies."""
    for k in range(3 * m.nrigid):
        d.rigid_low[k], d.rigid_high[k] = FAR, -FAR
    for body in range(m.nrigid):
        d.rigid_met[body] = 0
    for i in range(m.nsweep):
        if d.box_on[i] != AWAY:
            for k in range(3):
                j = 3 * m.sweep_rigid[i] + k
                d.rigid_low[j] = min(d.rigid_low[j], d.box_low[3 * i + k])
                d.rigid_high[j] = max(d.rigid_high[j], d.box_high[3 * i + k])


@kernel
def meets_other(m, d, i):
    """True if a box meets the box around another body than its own."""
    own, low, high = m.sweep_rigid[i], d.rigid_low, d.rigid_high
    if d.rigid_met[own]:
        for body in range(m.nrigid):
            if body != own and boxes_meet(d.box_low, d.box_high, i, low, high, body):
                return True
    return False


@kernel
def boxes_meet(low1, high1, i, low2, high2, j):
    """True if box i of one list meets box j of another; also where a number is none."""
    for k in range(3):
        if low1[3 * i + k] > high2[3 * j + k] or low2[3 * j + k] > high1[3 * i + k]:
            return False
    return True


@kernel
def reach_of_moving(m, d, axis):
    """Lowest and highest end of all moving boxes along an axis (m)."""
    low, high = 1e300, -1e300
    for i in range(m.nsweep):
        if d.box_on[i] == MOVING:
            low, high = min(low, d.box_low[3 * i + axis]), max(high, d.box_high[3 * i + axis])
    return low, high


@kernel
def spread(m, d, axis):
    """Variance of the centers of moving boxes along an axis, in a unit that all axes share."""
    total = square = count = 0.0
    for i in range(m.nsweep):
        if d.box_on[i] == MOVING:
            center = d.box_low[3 * i + axis] + d.box_high[3 * i + axis]
            total, square = total + center, square + center * center
            count = count + 1.0
    return square - total * total / count


@kernel
def is_beside(m, d, geom, other, margin):
    """True if a face of the box around a geom, in its own frame, parts it from that of another.

    Gottschalk, Lin, Manocha: OBBTree, 1996; without the axes of pairs of edges.
    """
    gap = sub3(box_center(m, d, other), box_center(m, d, geom))
    reach = margin + PAD
    return (
        parts(m, d, geom, other, 0, gap, reach)
        | parts(m, d, geom, other, 1, gap, reach)
        | parts(m, d, geom, other, 2, gap, reach)
    )


@kernel
def is_above(m, d, plane, geom, margin):
    """True if a plane lies farther than the margin below the box around a geom."""
    x, y, z = d.geom_xmat[9 * plane + 2], d.geom_xmat[9 * plane + 5], d.geom_xmat[9 * plane + 8]
    gap = sub3(box_center(m, d, geom), load3(d.geom_xpos, plane))
    t, half = load9(d.geom_xmat, geom), load3(m.geom_aabb, 2 * geom + 1)
    reach = margin + PAD
    for k in range(3):
        reach = reach + absolute(x * t[k] + y * t[3 + k] + z * t[6 + k]) * half[k]
    return x * gap[0] + y * gap[1] + z * gap[2] > GROW * reach


@kernel
def parts(m, d, geom, other, k, gap, reach):
    """True if the boxes of two geoms are farther apart than `reach` along axis k of the first."""
    t = load9(d.geom_xmat, other)
    x, y, z = m.geom_aabb[6 * other + 3], m.geom_aabb[6 * other + 4], m.geom_aabb[6 * other + 5]
    a, b = d.geom_xmat[9 * geom + k], d.geom_xmat[9 * geom + 3 + k]
    c = d.geom_xmat[9 * geom + 6 + k]
    reach = reach + m.geom_aabb[6 * geom + 3 + k]
    reach = reach + absolute(a * t[0] + b * t[3] + c * t[6]) * x
    reach = reach + absolute(a * t[1] + b * t[4] + c * t[7]) * y
    reach = reach + absolute(a * t[2] + b * t[5] + c * t[8]) * z
    return absolute(a * gap[0] + b * gap[1] + c * gap[2]) > GROW * reach


@kernel
def box_center(m, d, geom):
    """Center of the box around a geom (m)."""
    local = (m.geom_aabb[6 * geom], m.geom_aabb[6 * geom + 1], m.geom_aabb[6 * geom + 2])
    return add3(load3(d.geom_xpos, geom), mul_mat3(load9(d.geom_xmat, geom), local))
