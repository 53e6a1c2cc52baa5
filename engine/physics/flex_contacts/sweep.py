"""Elements of a deformable that may touch each other, by sweeping their boxes along an axis.

Sweep and prune (Cohen et al.: I-COLLIDE, 1995) with MuJoCo's order: ends of boxes in single
precision, of equal ones those of the element with the smaller number first.
"""

from ...simd.kernel import kernel
from ..collision.mujoco_sap import single
from .flex_pairs import is_active, pair_elements

MOST_PAIRS = 1000000  # pairs that MuJoCo looks at


@kernel
def sweep_elements(m, d, f):
    """Active elements of a deformable with each other."""
    axis = longest_axis(m, d, f)
    n = list_ends(m, d, f, axis)
    if n < 4:
        return
    sort_ends(d, n)
    # between its two ends, an element may touch those that have begun and not ended
    begun, left = 0, min(n // 2 * (n // 2 - 1) // 2, MOST_PAIRS)
    for i in range(n):
        end = d.end_order[i]
        e = d.end_elem[end]
        if end % 2:
            begun = forget(d, begun, e)
            continue
        bounds = begin(m, d, f, e, begun, axis)
        for j in range(begun):
            if not are_beside(d, j, bounds):
                pair_elements(m, d, f, d.end_begun[j], f, e)
                left -= 1
                if left == 0:
                    return
        begun += 1


@kernel
def begin(m, d, f, e, place, axis):
    """Put an element among those that have begun; returns its ends along the two other axes (m)."""
    at, box = 6 * (m.flex_elemadr[f] + e), d.flexelem_aabb
    one, other = (1 if axis == 0 else 0), (1 if axis == 2 else 2)
    bounds = (
        box[at + one] - box[at + one + 3],
        box[at + one] + box[at + one + 3],
        box[at + other] - box[at + other + 3],
        box[at + other] + box[at + other + 3],
    )
    d.end_begun[place] = e
    for k in range(4):
        d.end_bound[4 * place + k] = bounds[k]
    return bounds


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
            n += 2
    return n


@kernel
def sort_ends(d, n):
    """Order of n ends, by merging runs of growing length; equal ones keep theirs."""
    for i in range(n):
        d.end_order[i] = i
    run = 1
    while run < n:
        for start in range(0, n, 2 * run):
            middle, end = min(start + run, n), min(start + 2 * run, n)
            i, j = start, middle
            for k in range(start, end):
                second = i == middle
                if i < middle and j < end:
                    second = d.end_value[d.end_order[j]] < d.end_value[d.end_order[i]]
                if second:
                    d.end_next[k] = d.end_order[j]
                    j += 1
                else:
                    d.end_next[k] = d.end_order[i]
                    i += 1
        for k in range(n):
            d.end_order[k] = d.end_next[k]
        run = 2 * run


@kernel
def are_beside(d, place, bounds):
    """True if the box of an element that has begun is beside another along one of two axes."""
    at = 4 * place
    return (
        d.end_bound[at] > bounds[1]
        or bounds[0] > d.end_bound[at + 1]
        or d.end_bound[at + 2] > bounds[3]
        or bounds[2] > d.end_bound[at + 3]
    )


@kernel
def forget(d, begun, e):
    """Take an element out of those that have begun; returns how many are left."""
    place = 0
    while place < begun and d.end_begun[place] != e:
        place += 1
    for j in range(place + 1, begun):
        d.end_begun[j - 1] = d.end_begun[j]
        for k in range(4):
            d.end_bound[4 * (j - 1) + k] = d.end_bound[4 * j + k]
    return begun - 1 if place < begun else begun
