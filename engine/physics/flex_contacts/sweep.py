"""Elements of a deformable that may touch each other, by sweeping their boxes along an axis.

Sweep and prune (Cohen et al.: I-COLLIDE, 1995) with MuJoCo's order: ends of boxes in single
precision, of equal ones those of the element with the smaller number first. An element is compared
with eight others at a time.
"""

from ...simd.kernel import kernel
from ...simd.lanes import load_strip, lowest_bit, mask_bits, mask_not
from ...simd.record import STRIP
from ..collision.mujoco_sap import single
from .end_order import order_ends
from .flex_pairs import is_active, pair_elements

MOST_PAIRS = 1000000  # pairs that MuJoCo looks at
ENDED = -1  # in place of an element
NOWHERE = -1  # in place of a body
ROOM = STRIP  # places of elements that have ended, beside a quarter of those that have not


@kernel
def sweep_elements(m, d, f):
    """Active elements of a deformable with each other."""
    axis = longest_axis(m, d, f)
    n = list_ends(m, d, f, axis)
    if n < 4:
        return
    order_ends(d, n)
    # between its two ends, an element may touch those that have begun and not ended
    begun, open_num, left = 0, 0, min(n // 2 * (n // 2 - 1) // 2, MOST_PAIRS)
    for i in range(n):
        end = d.end_order[i]
        e = d.end_elem[end]
        if end % 2:
            if d.end_place[e] != ENDED:
                d.end_begun[d.end_place[e]] = ENDED
                open_num -= 1
        else:
            if begun > open_num + open_num // 4 + ROOM:
                begun = leave_out_ended(m, d, begun)
            left = begin(m, d, f, e, begun, axis, left)
            if left == 0:
                return
            begun += 1
            open_num += 1


@kernel
def begin(m, d, f, e, begun, axis, left):
    """Pair an element with those that have begun, and put it among them.

    Returns:
        How many pairs are left to be looked at, of `left`.
    """
    at, box, room = 6 * (m.flex_elemadr[f] + e), d.flexelem_aabb, m.nelemend
    one, other = (1 if axis == 0 else 0), (1 if axis == 2 else 2)
    low, high = box[at + one] - box[at + one + 3], box[at + one] + box[at + one + 3]
    near, far = box[at + other] - box[at + other + 3], box[at + other] + box[at + other + 3]
    # with eight of them at a time
    bodies, joined = bodies_of(m, f, e), 0
    for start in range(0, begun, STRIP):
        n = begun - start
        beside = (
            (load_strip(d.end_bound, start, n) > high)
            | (low > load_strip(d.end_bound, room + start, n))
            | (load_strip(d.end_bound, 2 * room + start, n) > far)
            | (near > load_strip(d.end_bound, 3 * room + start, n))
        )
        met = mask_bits(mask_not(beside)) & ((1 << min(n, STRIP)) - 1)
        if met:
            joined = share_bodies(m, d, bodies, start, n)
        while met:
            k = lowest_bit(met)
            met = met & (met - 1)
            earlier = d.end_begun[start + k]
            if earlier != ENDED:
                if not (joined >> k) & 1:
                    pair_elements(m, d, f, earlier, f, e)
                left -= 1
                if left == 0:
                    return 0
    # among them from now on
    d.end_begun[begun], d.end_place[e] = e, begun
    d.end_bound[begun], d.end_bound[room + begun] = low, high
    d.end_bound[2 * room + begun], d.end_bound[3 * room + begun] = near, far
    for k in range(4):
        d.end_body[k * room + begun] = bodies[k]
    return left


@kernel
def bodies_of(m, f, e):
    """Bodies of the vertices of an element, of at most four; NOWHERE where there are fewer."""
    n, adr = m.flex_dim[f] + 1, m.flex_elemdataadr[f] + e * (m.flex_dim[f] + 1)
    first = m.flex_vertadr[f]
    one = m.flex_vertbodyid[first + m.flex_elem[adr]]
    two = m.flex_vertbodyid[first + m.flex_elem[adr + 1]]
    three, four = NOWHERE, NOWHERE
    if n > 2:
        three = m.flex_vertbodyid[first + m.flex_elem[adr + 2]]
    if n > 3:
        four = m.flex_vertbodyid[first + m.flex_elem[adr + 3]]
    return one, two, three, four


@kernel
def share_bodies(m, d, bodies, start, n):
    """Bits of those of the next eight elements that have vertices in some bodies."""
    joined = 0
    for i in range(4):
        other = load_strip(d.end_body, i * m.nelemend + start, n)
        for k in range(4):
            # vertices that follow nodes have no bodies
            if bodies[k] >= 0:
                joined = joined | mask_bits(other == 1.0 * bodies[k])
    return joined


@kernel
def leave_out_ended(m, d, begun):
    """Close the gaps of elements that have ended; returns how many are left."""
    left = 0
    for place in range(begun):
        e = d.end_begun[place]
        if e != ENDED:
            d.end_begun[left], d.end_place[e] = e, left
            for k in range(4):
                row = k * m.nelemend
                d.end_bound[row + left] = d.end_bound[row + place]
                d.end_body[row + left] = d.end_body[row + place]
            left += 1
    return left


@kernel
def longest_axis(m, d, f):
    """Axis along which a deformable is longest."""
    at = 6 * (m.flex_bvhadr[f] - m.nbvhstatic) + 3
    x, y, z = d.bvh_aabb_dyn[at], d.bvh_aabb_dyn[at + 1], d.bvh_aabb_dyn[at + 2]
    if x > y and x > z:
        return 0
    return 1 if y > z else 2


@kernel
def list_ends(m, d, f, axis):
    """Both ends of the boxes of all active elements along an axis; returns their number."""
    n, box = 0, d.flexelem_aabb
    for e in range(m.flex_elemnum[f]):
        if is_active(m, f, e):
            at = 6 * (m.flex_elemadr[f] + e) + axis
            d.end_value[n] = single(box[at] - box[at + 3])
            d.end_value[n + 1] = single(box[at] + box[at + 3])
            d.end_elem[n], d.end_elem[n + 1] = e, e
            d.end_place[e] = ENDED
            n += 2
    return n
