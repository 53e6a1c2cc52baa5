"""Sensors of contacts: the normal force in a zone, and what is known of matching contacts."""

from math import inf

from ...simd.kernel import kernel
from ...simd.lanes import (
    get_lane,
    lane_any,
    load3,
    load9,
    select,
    set_lane,
    sqrt,
    zero_like,
)
from ...simd.spatial import add3, addscl3, cross, dot3, mul_matT3, scale3, select3, sub3
from ...tables.enums import (
    CNSTR_CONTACT_FRICTIONLESS,
    COUNT_BLOCK,
    COUNT_SLOT,
    MINVAL,
    OBJ_BODY,
    OBJ_GEOM,
    OBJ_SITE,
    OBJ_UNKNOWN,
    OBJ_XBODY,
    REDUCE_MAXFORCE,
    REDUCE_MINDIST,
    REDUCE_NETFORCE,
)
from ..collision.contact import side_body
from ..rays.primitives import ray_simple
from ..results.body_forces import block_force
from .regions import inside_site
from .write import put


@kernel
def touch(m, d, sensor):
    """Sums of normal forces whose lines meet the zones of sites, on the bodies of these.

    Reads: block_*, row_force, con_pos, con_frame, site_xpos, site_xmat, count.
    Writes: sensordata (N).
    """
    total = zero_like(d.qvel)
    for b in range(d.count[COUNT_BLOCK]):
        if d.block_type[b] >= CNSTR_CONTACT_FRICTIONLESS:
            total = total + force_in_zone(m, d, m.sensor_objid[sensor], b)
    put(m, d, sensor, 0, total)


@kernel
def force_in_zone(m, d, site, b):
    """Normal force of one contact block where it acts on the site's body through its zone."""
    zero = zero_like(d.qvel)
    slot, body = d.block_id[b], m.site_bodyid[site]
    pair = d.slot_cand[slot]
    second = side_body(m, d.cand_geom2[pair]) == body
    if not second and side_body(m, d.cand_geom1[pair]) != body:
        return zero
    force = block_force(m, d, b, 0)
    pushes = (d.block_D[b] > 0.0) & (force > 0.0)
    if not lane_any(pushes):
        return zero
    mat = load9(d.site_xmat, site)
    start = mul_matT3(mat, sub3(load3(d.con_pos, slot), load3(d.site_xpos, site)))
    along = mul_matT3(mat, load3(d.con_frame, 3 * slot))
    if second:
        along = (-along[0], -along[1], -along[2])
    x, _ = ray_simple(m.site_type[site], load3(m.site_size, site), start, along)
    return select(pushes & (x >= 0.0), force, zero)


@kernel
def contact(m, d, sensor):
    """Write the requested fields of the contacts that match two things, in as many slots as it has.

    Reads: con_*, block_*, row_force, site_xpos, site_xmat, count.
    Writes: sensordata, sense_found, sense_rank, sense_force, sense_side.
    """
    zero, adr = zero_like(d.qvel), m.sensor_adr[sensor]
    for i in range(adr, adr + m.sensor_dim[sensor]):
        d.sensordata[i] = zero
    match_contacts(m, d, sensor)
    if m.sensor_intprm[3 * sensor + 1] == REDUCE_NETFORCE:
        write_sum(m, d, sensor)
    else:
        for lane in range(m.width):
            write_lane(m, d, sensor, lane)


@kernel
def match_contacts(m, d, sensor):
    """Find the contacts that a sensor asks for, and in which order they are wanted.

    Writes: sense_found: their number; sense_side: 1, or -1 where a contact lies the other way round
        than the sensor asks, 0 where it does not match; sense_rank: the least first, infinite where
        there is none; sense_force.
    """
    zero, b = zero_like(d.qvel), 0
    d.sense_found[0] = zero
    reduce, kind, ident = (
        m.sensor_intprm[3 * sensor + 1], m.sensor_objtype[sensor], m.sensor_objid[sensor]
    )  # fmt: skip
    for slot in range(d.count[COUNT_SLOT]):
        d.sense_side[slot] = 0
        if d.con_any[slot]:
            # block of the contact, as far as it has one
            while b < d.count[COUNT_BLOCK] and (
                d.block_type[b] < CNSTR_CONTACT_FRICTIONLESS or d.block_id[b] < slot
            ):
                b += 1
            # whether the sensor asks for it, and which way round
            pair = d.slot_cand[slot]
            side = matching_side(m, sensor, d.cand_geom1[pair], d.cand_geom2[pair])
            if side != 0:
                d.sense_side[slot] = side
                on = d.con_on[slot] > 0.0
                if kind == OBJ_SITE:
                    on = on & (inside_site(m, d, ident, load3(d.con_pos, slot)) > 0.0)
                # force, and rank by the way of reduction
                acting = b if b < d.count[COUNT_BLOCK] and d.block_id[b] == slot else -1
                square = store_force(m, d, slot, acting)
                rank = zero + 1.0 * slot
                if reduce == REDUCE_MINDIST:
                    rank = d.con_dist[slot]
                elif reduce == REDUCE_MAXFORCE:
                    rank = -square
                d.sense_rank[slot] = select(on, rank, inf)
                d.sense_found[0] = select(on, d.sense_found[0] + 1.0, d.sense_found[0])


@kernel
def store_force(m, d, slot, b):
    """Store force and torque of a contact in its own frame; b: its block, -1: it has none.

    Returns:
        The sum of their squares.
    """
    square = zero_like(d.qvel)
    for k in range(6):
        d.sense_force[6 * slot + k] = zero_like(d.qvel)
        if b >= 0 and k < d.block_dim[b]:
            value = select(d.block_D[b] > 0.0, block_force(m, d, b, k), 0.0)
            d.sense_force[6 * slot + k] = value
            square = square + value * value
    return square


@kernel
def matching_side(m, sensor, geom1, geom2):
    """1: two geoms touch as a sensor asks; -1: the other way round; 0: they do not match."""
    kind1, ident1 = m.sensor_objtype[sensor], m.sensor_objid[sensor]
    kind2, ident2 = m.sensor_reftype[sensor], m.sensor_refid[sensor]
    first1, second1 = is_part(m, geom1, kind1, ident1), is_part(m, geom2, kind1, ident1)
    first2, second2 = is_part(m, geom1, kind2, ident2), is_part(m, geom2, kind2, ident2)
    if not (first1 or second1) or not (first2 or second2):
        return 0
    if kind1 != OBJ_UNKNOWN and kind2 != OBJ_UNKNOWN:
        if first1 and second2:
            return 1
        return -1 if first2 and second1 else 0
    if kind1 != OBJ_UNKNOWN:
        return 1 if first1 else -1
    if kind2 != OBJ_UNKNOWN:
        return 1 if second2 else -1
    return 1


@kernel
def is_part(m, geom, kind, ident):
    """True if a geom belongs to a thing: the geom itself, one of a body, or of its subtree."""
    if kind == OBJ_GEOM:
        return geom == ident
    body = side_body(m, geom)
    if kind == OBJ_BODY:
        return body == ident
    if kind == OBJ_XBODY:
        while body > ident:
            body = m.body_parentid[body]
        return body == ident
    return kind == OBJ_UNKNOWN or kind == OBJ_SITE


# what a sensor may ask about a contact, one bit each, and its number of values
FOUND, FORCE, TORQUE, DIST, POS, NORMAL, TANGENT = range(7)
SIZES = (1, 3, 3, 1, 3, 3, 3)


@kernel
def write_lane(m, d, sensor, lane):
    """Fill the slots of one sensor in one world."""
    wanted, adr = m.sensor_intprm[3 * sensor], m.sensor_adr[sensor]
    capacity = m.sensor_intprm[3 * sensor + 2]
    found = get_lane(d.sense_found, 0, lane)
    last, previous = -inf, -1
    for _ in range(min(capacity, int(found))):
        best, least = -1, inf
        for slot in range(d.count[COUNT_SLOT]):
            if d.sense_side[slot] != 0:
                rank = get_lane(d.sense_rank, slot, lane)
                if rank < least and (rank > last or (rank == last and slot > previous)):
                    best, least = slot, rank
        if best >= 0:
            adr = write_contact(d, adr, wanted, best, lane, found)
            last, previous = least, best


@kernel
def write_contact(d, adr, wanted, slot, lane, found):
    """Store what is wanted of one contact from `adr` on; returns the address behind it.

    Turned by half a turn about the second tangent where the sensor looks the other way.
    """
    flip = 1.0 if d.sense_side[slot] > 0 else -1.0
    if wanted >> FOUND & 1:
        set_lane(d.sensordata, adr, lane, found)
        adr += 1
    # force and torque in the contact frame
    for what in range(FORCE, TORQUE + 1):
        if wanted >> what & 1:
            for k in range(3):
                value = get_lane(d.sense_force, 6 * slot + 3 * (what - FORCE) + k, lane)
                set_lane(d.sensordata, adr + k, lane, flip * value if k == 2 else value)
            adr += 3
    if wanted >> DIST & 1:
        set_lane(d.sensordata, adr, lane, get_lane(d.con_dist, slot, lane))
        adr += 1
    if wanted >> POS & 1:
        for k in range(3):
            set_lane(d.sensordata, adr + k, lane, get_lane(d.con_pos, 3 * slot + k, lane))
        adr += 3
    # axes of the contact frame
    for what in range(NORMAL, TANGENT + 1):
        if wanted >> what & 1:
            for k in range(3):
                value = get_lane(d.con_frame, 9 * slot + 3 * (what - NORMAL) + k, lane)
                set_lane(d.sensordata, adr + k, lane, flip * value)
            adr += 3
    return adr


@kernel
def write_sum(m, d, sensor):
    """Store the sum of all contacts: one wrench at the center of their forces, in world axes."""
    zero = zero_like(d.qvel)
    # center of the forces, weighted by their sizes
    center, weights = (zero, zero, zero), zero
    for slot in range(d.count[COUNT_SLOT]):
        if d.sense_side[slot] != 0:
            on = d.sense_rank[slot] < inf
            push = load3(d.sense_force, 2 * slot)
            weight = select(on, sqrt(dot3(push, push)), zero)
            center = addscl3(center, load3(d.con_pos, slot), weight)
            weights = weights + weight
    center = scale3(center, 1.0 / select(weights > MINVAL, weights, MINVAL))
    # sum of the wrenches about it
    force = torque = (zero, zero, zero)
    for slot in range(d.count[COUNT_SLOT]):
        if d.sense_side[slot] != 0:
            on, frame = d.sense_rank[slot] < inf, load9(d.con_frame, slot)
            sign = 1.0 * d.sense_side[slot]
            push = scale3(mul_matT3(frame, load3(d.sense_force, 2 * slot)), sign)
            turn = scale3(mul_matT3(frame, load3(d.sense_force, 2 * slot + 1)), sign)
            turn = add3(turn, cross(sub3(load3(d.con_pos, slot), center), push))
            force = select3(on, add3(force, push), force)
            torque = select3(on, add3(torque, turn), torque)
    # what the sensor asks for
    wanted, adr = m.sensor_intprm[3 * sensor], m.sensor_adr[sensor]
    for what in range(len(SIZES)):
        if wanted >> what & 1:
            if what == FOUND:
                d.sensordata[adr] = d.sense_found[0]
            elif what == FORCE:
                store_at(d, adr, force)
            elif what == TORQUE:
                store_at(d, adr, torque)
            elif what == POS:
                store_at(d, adr, center)
            elif what == NORMAL:
                store_at(d, adr, (zero + 1.0, zero, zero))
            elif what == TANGENT:
                store_at(d, adr, (zero, zero + 1.0, zero))
            adr += SIZES[what]


@kernel
def store_at(d, adr, vector):
    """Store three readings from `adr` on."""
    for k in range(3):
        d.sensordata[adr + k] = vector[k]
