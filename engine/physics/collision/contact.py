"""Contact slots, and the parameters of a contact.

Every candidate pair owns as many slots as its narrow phase can return contacts, in the order in
which MuJoCo lists them. A slot is used in a pack when any lane has that contact; `con_on` says in
which lanes. Slots are therefore the union of the contacts of a pack, and no contact can overflow.
"""

from ...simd.elementary import larger, smaller
from ...simd.kernel import kernel
from ...simd.lanes import lane_any, load3, load9, mask_not, select, store, zero_like
from ...simd.spatial import addscl3, cross, dot3, normalize3, plain_dot, select3, sub3
from ...tables.enums import COUNT_OWN, COUNT_SLOT, ENBL_OVERRIDE, GEOM_PLANE, MINMU, MINVAL
from .own_contacts import (
    EXCLUDE,
    MARGIN,
    SOLREFFRICTION,
    forget_own,
    own_parameters,
    own_place,
)

PART_BITS, NPART = 5, 512  # slots come in parts of 2^5, of which every 512th shares a mark


@kernel
def clear_slots(m, d):
    """Empty all contact slots, and forget those that users own.

    Reads: own_slot, own_before.
    Writes: con_any, con_part, slot_cand, slot_dim, count.
    """
    for slot in range(d.count[COUNT_SLOT]):
        d.con_any[slot] = 0
    for part in range(min((d.count[COUNT_SLOT] + (1 << PART_BITS) - 1) >> PART_BITS, NPART)):
        d.con_part[part] = 0
    if d.count[COUNT_OWN] > 0:
        forget_own(m, d)


@kernel
def part_of(slot):
    """Place of the mark that a slot, or one that shares the mark, is used."""
    return (slot >> PART_BITS) & (NPART - 1)


@kernel
def next_contact(d, slot):
    """The first used slot from one on; the number of slots if there is none.

    Few of the slots of a model with many pairs are used, so parts without a mark are passed over.
    """
    n = d.count[COUNT_SLOT]
    while slot < n:
        if not d.con_part[part_of(slot)]:
            slot = ((slot >> PART_BITS) + 1) << PART_BITS
        elif d.con_any[slot]:
            return slot
        else:
            slot += 1
    return n


@kernel
def put_contact(d, slot, on, dist, pos, normal, tangent):
    """Fill a slot in the lanes of the mask `on`; lanes filled before keep their contact.

    Args:
        slot: contact slot.
        on: mask of lanes that have the contact.
        dist: distance, negative in penetration (m).
        pos: midpoint between the surfaces (m).
        normal: from the first geom to the second.
        tangent: direction near which the first tangent shall lie; zero for a default.
    """
    if not lane_any(on):
        return
    # first tangent: the given one, or the y or z axis, made orthogonal
    normal, _ = normalize3(normal)
    given = dot3(tangent, tangent) >= 0.25
    level = (normal[1] < 0.5) & (normal[1] > -0.5)
    zero = 0.0 * dist
    guess = (zero, select(level, 1.0, 0.0) + zero, select(level, 0.0, 1.0) + zero)
    side = select3(given, tangent, guess)
    side, _ = normalize3(addscl3(side, normal, -dot3(normal, side)))
    other = cross(normal, side)
    # rows of the contact frame
    frame = (
        normal[0], normal[1], normal[2], side[0], side[1], side[2], other[0], other[1], other[2],
    )  # fmt: skip
    # other lanes keep what they have
    if d.con_any[slot]:
        old = load9(d.con_frame, slot)
        for k in range(9):
            d.con_frame[9 * slot + k] = select(on, frame[k], old[k])
        d.con_dist[slot] = select(on, dist, d.con_dist[slot])
        store(d.con_pos, slot, select3(on, pos, load3(d.con_pos, slot)))
        d.con_on[slot] = select(on, 1.0, d.con_on[slot])
    else:
        store(d.con_frame, slot, frame)
        d.con_dist[slot] = dist
        store(d.con_pos, slot, pos)
        d.con_on[slot] = select(on, 1.0, 0.0) + zero
        d.con_any[slot] = 1
        d.con_part[part_of(slot)] = 1


# ---------------------------------------------------------------- what a geom brings to a contact


@kernel
def side_margin(m, geom):
    """Distance below which contacts of a geom are detected (m)."""
    return m.geom_margin[geom]


@kernel
def side_gap(m, geom):
    """Part of the margin in which contacts make no rows (m)."""
    return m.geom_gap[geom]


@kernel
def side_priority(m, geom):
    """The object of higher priority sets the contact."""
    return m.geom_priority[geom]


@kernel
def side_solmix(m, geom):
    """Weight of a geom's solver parameters."""
    return m.geom_solmix[geom]


@kernel
def side_friction(m, geom):
    """Sliding, torsional and rolling friction."""
    return load3(m.geom_friction, geom)


@kernel
def side_solref(m, geom, k):
    """Reference parameter k."""
    return m.geom_solref[2 * geom + k]


@kernel
def side_solimp(m, geom, k):
    """Impedance parameter k."""
    return m.geom_solimp[5 * geom + k]


# ---------------------------------------------------------------- parameters of candidates


@kernel
def between_geoms(d, pair):
    """True if both sides of a candidate are geoms; deformables are numbers below 0."""
    return d.cand_geom1[pair] >= 0 and d.cand_geom2[pair] >= 0


@kernel
def side_body(m, side):
    """Body of one side of a candidate; -1: that of a deformable, which moves many."""
    return m.geom_bodyid[side] if side >= 0 else -1


@kernel
def pair_margin(m, d, pair):
    """Distance below which a contact of a candidate pair is detected (m)."""
    geom1, geom2 = d.cand_geom1[pair], d.cand_geom2[pair]
    if m.opt_enableflags[0] & ENBL_OVERRIDE:
        return m.opt_o_margin[0] + 0.0 * side_margin(m, geom1)
    predefined = d.cand_predefined[pair]
    if predefined >= 0:
        return m.pair_margin[predefined] + 0.0 * side_margin(m, geom1)
    return side_margin(m, geom1) + side_margin(m, geom2)


@kernel
def include_margin(m, d, pair):
    """Distance below which a contact makes constraint rows (m)."""
    own = own_place(m, d, pair)
    if own >= 0:
        return d.own_value[own + MARGIN] + 0.0 * side_margin(m, d.cand_geom1[pair])
    predefined = d.cand_predefined[pair]
    if predefined >= 0:
        return pair_margin(m, d, pair) - m.pair_gap[predefined]
    geom1, geom2 = d.cand_geom1[pair], d.cand_geom2[pair]
    return pair_margin(m, d, pair) - (side_gap(m, geom1) + side_gap(m, geom2))


@kernel
def is_included(m, d, pair, dist, margin):
    """Mask of lanes in which a contact makes constraint rows; those of users say so themselves."""
    own = own_place(m, d, pair)
    if own >= 0:
        return 0.0 * dist + d.own_value[own + EXCLUDE] == 0.0
    return dist < margin


@kernel
def mix_weight(m, geom1, geom2):
    """Weight of the first geom's solver parameters, by priority and solmix."""
    first, second = side_priority(m, geom1), side_priority(m, geom2)
    mix1, mix2 = side_solmix(m, geom1), side_solmix(m, geom2)
    if first > second:
        return 1.0 + 0.0 * mix1
    if first < second:
        return 0.0 * mix1
    none1, none2 = mix1 < MINVAL, mix2 < MINVAL
    total = mix1 + mix2
    mixed = mix1 / select(none1 & none2, 1.0, total)
    return select(none1, select(none2, 0.5, 0.0), select(none2, 1.0, mixed))


@kernel
def contact_parameters(m, d, pair):
    """Five friction coefficients, solref and solimp of a contact of a candidate pair."""
    zero = 0.0 * side_margin(m, d.cand_geom1[pair])
    own = own_place(m, d, pair)
    if own >= 0:
        return own_parameters(d, own, zero)
    solimp = (
        pair_solimp(m, d, pair, 0), pair_solimp(m, d, pair, 1),
        pair_solimp(m, d, pair, 2), pair_solimp(m, d, pair, 3),
        pair_solimp(m, d, pair, 4),
    )  # fmt: skip
    return pair_friction(m, d, pair), pair_solref(m, d, pair), solimp


@kernel
def pair_friction(m, d, pair):
    """Five friction coefficients: two tangential, one torsional, two rolling."""
    predefined = d.cand_predefined[pair]
    geom1, geom2 = d.cand_geom1[pair], d.cand_geom2[pair]
    # global override
    if m.opt_enableflags[0] & ENBL_OVERRIDE:
        f = (
            m.opt_o_friction[0],
            m.opt_o_friction[1],
            m.opt_o_friction[2],
            m.opt_o_friction[3],
            m.opt_o_friction[4],
        )
    elif predefined >= 0:
        f = (
            m.pair_friction[5 * predefined],
            m.pair_friction[5 * predefined + 1],
            m.pair_friction[5 * predefined + 2],
            m.pair_friction[5 * predefined + 3],
            m.pair_friction[5 * predefined + 4],
        )
    else:
        # of the geom with priority, else the larger of both
        a, b = side_friction(m, geom1), side_friction(m, geom2)
        first, second = side_priority(m, geom1), side_priority(m, geom2)
        if first > second:
            g = a
        elif first < second:
            g = b
        else:
            g = (larger(a[0], b[0]), larger(a[1], b[1]), larger(a[2], b[2]))
        f = (g[0], g[0], g[1], g[2], g[2])
    # as large as MuJoCo wants it at least
    return (
        larger(f[0], MINMU),
        larger(f[1], MINMU),
        larger(f[2], MINMU),
        larger(f[3], MINMU),
        larger(f[4], MINMU),
    )


@kernel
def pair_solref(m, d, pair):
    """Reference parameters of a contact: mixed, or the smaller ones if given directly (< 0)."""
    if m.opt_enableflags[0] & ENBL_OVERRIDE:
        return (m.opt_o_solref[0], m.opt_o_solref[1])
    predefined = d.cand_predefined[pair]
    if predefined >= 0:
        return (m.pair_solref[2 * predefined], m.pair_solref[2 * predefined + 1])
    geom1, geom2 = d.cand_geom1[pair], d.cand_geom2[pair]
    w = mix_weight(m, geom1, geom2)
    a0, a1 = side_solref(m, geom1, 0), side_solref(m, geom1, 1)
    b0, b1 = side_solref(m, geom2, 0), side_solref(m, geom2, 1)
    if side_priority(m, geom1) == side_priority(m, geom2):
        standard = (a0 > 0.0) & (b0 > 0.0)
        return (
            select(standard, w * a0 + (1.0 - w) * b0, smaller(a0, b0)),
            select(standard, w * a1 + (1.0 - w) * b1, smaller(a1, b1)),
        )
    return (w * a0 + (1.0 - w) * b0, w * a1 + (1.0 - w) * b1)


@kernel
def pair_solreffriction(m, d, pair):
    """Reference parameters of friction in elliptic cones; zeros: as of the normal."""
    zero = 0.0 * m.opt_o_solref[0]
    own = own_place(m, d, pair)
    if own >= 0:
        k = own + SOLREFFRICTION
        return (d.own_value[k] + zero, d.own_value[k + 1] + zero)
    if m.opt_enableflags[0] & ENBL_OVERRIDE:
        return (m.opt_o_solref[0], m.opt_o_solref[1])
    predefined = d.cand_predefined[pair]
    if predefined >= 0:
        return (m.pair_solreffriction[2 * predefined], m.pair_solreffriction[2 * predefined + 1])
    return (zero, zero)


@kernel
def pair_solimp(m, d, pair, k):
    """Impedance parameter k of a contact, mixed."""
    geom1, geom2 = d.cand_geom1[pair], d.cand_geom2[pair]
    if m.opt_enableflags[0] & ENBL_OVERRIDE:
        return m.opt_o_solimp[k] + 0.0 * side_solimp(m, geom1, k)
    predefined = d.cand_predefined[pair]
    if predefined >= 0:
        return m.pair_solimp[5 * predefined + k] + 0.0 * side_solimp(m, geom1, k)
    w = mix_weight(m, geom1, geom2)
    return w * side_solimp(m, geom1, k) + (1.0 - w) * side_solimp(m, geom2, k)


@kernel
def apart(m, d, geom1, geom2, margin):
    """Mask of lanes in which the bounding spheres of two geoms without planes are apart.

    A geom with radius 0 has no bounding sphere.
    """
    dif = sub3(load3(d.geom_xpos, geom1), load3(d.geom_xpos, geom2))
    radius1, radius2 = m.geom_rbound[geom1], m.geom_rbound[geom2]
    bound = radius1 + radius2 + margin
    return (plain_dot(dif, dif) > bound * bound) & (radius1 > 0.0) & (radius2 > 0.0)


@kernel
def over_plane(m, d, plane, geom, margin):
    """Mask of lanes in which the bounding sphere of a geom reaches a plane."""
    height = dot3(sub3(load3(d.geom_xpos, geom), load3(d.geom_xpos, plane)), axis_z(d, plane))
    radius = m.geom_rbound[geom]
    return (height <= margin + radius) | (radius <= 0.0)


@kernel
def are_near(m, d, geom1, geom2, margin):
    """Mask of lanes in which the bounding spheres of two geoms without planes are near."""
    return mask_not(apart(m, d, geom1, geom2, margin))


@kernel
def may_touch(m, d, geom1, geom2, margin):
    """Mask of lanes in which bounding spheres are near, the geom of the smaller type first."""
    if m.geom_type[geom1] == GEOM_PLANE:
        return over_plane(m, d, geom1, geom2, margin)
    return are_near(m, d, geom1, geom2, margin)


@kernel
def axis_z(d, geom):
    """Third axis of a geom's frame."""
    return (d.geom_xmat[9 * geom + 2], d.geom_xmat[9 * geom + 5], d.geom_xmat[9 * geom + 8])


@kernel
def halfway(normal, pos, dist, radius):
    """Midpoint of a contact whose first surface point is `pos` + `radius` * `normal`."""
    return addscl3(pos, normal, radius + 0.5 * dist)


@kernel
def clear_found(d, n):
    """Empty the first n contacts that are found lane by lane for one pair."""
    for k in range(n):
        d.ccd_on[k] = zero_like(d.ccd_on)
        d.ccd_dist[k] = zero_like(d.ccd_on)
        for i in range(3):
            d.ccd_pos[3 * k + i] = zero_like(d.ccd_on)
            d.ccd_axis[3 * k + i] = zero_like(d.ccd_on)
