"""Line searches with an iteration cap: the step length that MuJoCo returns after few points.

A search that may go on finds the minimum along its direction, whichever way it goes. One that ends
after `ls_iterations` points returns a point of its own way, which is MuJoCo's here: Newton's steps
from the start until the slope changes its sign, then a bracket whose ends, Newton's steps from them
and the middle take turns. Where it is cut before it has a bracket, it returns the last point, even
one that costs more than the start; later the better end, or 0.

A point along the direction is a tuple: step length, cost (beyond what is the same for all), slope
and curvature.
"""

from ...simd.kernel import entry, kernel, variant
from ...simd.lanes import absolute, fma, lane_any, mask_not, select, zero_like
from ...tables.enums import MINVAL
from .cg import conjugate_gradients, fwd_cg
from .cg_islands import descend, fwd_cg_islands, known_parts, slope_along
from .cone import cone_cost_along
from .island_strips import END_EQUALITY
from .lane_islands import fwd_cg_lane_islands, fwd_newton_lane_islands
from .newton import direction_parts, fwd_constraint, line_slope, newton, row_cost
from .newton_islands import fwd_constraint_islands
from .problem import END_BLOCK, END_PLAIN, FIRST_CONE, FIRST_ROW
from .solver_stat import (
    BY_ISLAND,
    PRIMAL,
    W_NEVAL,
    W_SLOPE,
    instrumented_line_search,
    known_length,
)


@kernel
def capped_line_search(m, d, live, scale, first):
    """Step length of a line search with an iteration cap; it begins with Newton's step from 0.

    Returns:
        Step length; 0 in lanes without progress.
    """
    zero, most = zero_like(d.qacc), m.opt_ls_iterations[0]
    limit = zero + 1.0 * most
    slope0, curve0, length = direction_parts(d)
    # NaN moves on, so that a bad acceleration shows
    searching = live & mask_not(length < MINVAL)
    goal = m.opt_tolerance[0] * m.opt_ls_tolerance[0] * length / scale
    # the start, and one Newton step from it
    start = point(d, zero, slope0, curve0)
    one = point(d, newton_step(start), slope0, curve0)
    ntried = zero + 2.0
    chosen = select_point(searching, one, start)
    searching = searching & mask_not(absolute(one[2]) < goal)
    # further ones, until the slope changes its sign
    side, two, outside = select(one[2] < 0.0, 1.0, -1.0), start, searching
    for _ in range(2, most):
        outside = outside & (one[2] * side <= -goal)
        if not lane_any(outside):
            break
        two = select_point(outside, one, two)
        one = point(d, select(outside, newton_step(one), one[0]), slope0, curve0)
        ntried = ntried + select(outside, 1.0, 0.0)
        chosen = select_point(outside, one, chosen)
        found = outside & (absolute(one[2]) < goal)
        searching, outside = searching & mask_not(found), outside & mask_not(found)
    # cut before there is a bracket
    searching = searching & (ntried < limit)
    if lane_any(searching):
        # Newton's steps from the ends of the bracket; the other end was one
        next2 = one
        next1 = point(d, newton_step(one), slope0, curve0)
        ntried = ntried + select(searching, 1.0, 0.0)
        for _ in range(3, most):
            running = searching & (ntried < limit)
            if not lane_any(running):
                break
            middle = point(d, 0.5 * (one[0] + two[0]), slope0, curve0)
            ntried = ntried + select(running, 1.0, 0.0)
            # a point without slope, the cheapest of several
            flat = running & (absolute(next1[2]) < goal)
            chosen = select_point(flat, next1, chosen)
            better = running & (absolute(next2[2]) < goal)
            better = better & mask_not(flat & (next2[1] >= chosen[1]))
            chosen, flat = select_point(better, next2, chosen), flat | better
            better = running & (absolute(middle[2]) < goal)
            better = better & mask_not(flat & (middle[1] >= chosen[1]))
            chosen, flat = select_point(better, middle, chosen), flat | better
            searching, running = searching & mask_not(flat), running & mask_not(flat)
            # narrow the bracket
            end1 = narrowed(narrowed(narrowed(one, next1), next2), middle)
            end2 = narrowed(narrowed(narrowed(two, next1), next2), middle)
            moved1 = running & (absolute(end1[2]) < absolute(one[2]))
            moved2 = running & (absolute(end2[2]) < absolute(two[2]))
            one, two = select_point(moved1, end1, one), select_point(moved2, end2, two)
            if lane_any(moved1):
                next1 = select_point(moved1, point(d, newton_step(one), slope0, curve0), next1)
            if lane_any(moved2):
                next2 = select_point(moved2, point(d, newton_step(two), slope0, curve0), next2)
            ntried = ntried + select(moved1, 1.0, 0.0) + select(moved2, 1.0, 0.0)
            # no number lies between: the middle
            stuck = running & mask_not(moved1 | moved2)
            chosen = select_point(stuck, middle, chosen)
            searching = searching & mask_not(stuck)
        # cut: the better end, if it is better than the start
        better1 = (one[1] <= two[1]) & (one[1] < start[1])
        better2 = mask_not(better1) & (two[1] <= one[1]) & (two[1] < start[1])
        best = select_point(better1, one, select_point(better2, two, start))
        chosen = select_point(searching, best, chosen)
    note_search(d, ntried, absolute(chosen[2]))
    return chosen[0]


@kernel
def point(d, alpha, slope0, curve0):
    """A point along the search direction."""
    p = d.problem
    slope, curve = line_slope(d, alpha, slope0, curve0)
    # inertia
    cost = alpha * fma(0.5 * alpha, curve0, slope0)
    # rows of their own
    for r in range(first_plain(d), p[END_PLAIN]):
        cost = cost + row_cost(d, r, fma(alpha, d.row_jv[r], d.row_jar[r]))
    # elliptic cones
    for i in range(p[FIRST_CONE], p[END_BLOCK]):
        cost = cost + cone_cost_along(d, d.block_list[i], alpha)
    return alpha, cost, slope, select(curve > 0.0, curve, MINVAL)


@kernel
def first_plain(d):
    """First row whose cost is still to be found."""
    return d.problem[FIRST_ROW]


@kernel
def after_equalities(d):
    """The same in large models."""
    return d.isl_strip[END_EQUALITY]


@kernel
def newton_step(x):
    """Step length at which a parabola with slope and curvature of a point ends."""
    return x[0] - x[2] / x[3]


@kernel
def select_point(mask, a, b):
    """`a` where the mask holds, else `b`."""
    return (
        select(mask, a[0], b[0]),
        select(mask, a[1], b[1]),
        select(mask, a[2], b[2]),
        select(mask, a[3], b[3]),
    )


@kernel
def narrowed(end, x):
    """The point if it is on the same side as an end of the bracket, and less steep."""
    below = (end[2] < 0.0) & (x[2] < 0.0) & (end[2] < x[2])
    above = (end[2] > 0.0) & (x[2] > 0.0) & (end[2] > x[2])
    return select_point(below | above, x, end)


@kernel
def note_search(d, ntried, slope):
    """Note nothing of a search; the variant for statistics does."""


@kernel
def note_instrumented_search(d, ntried, slope):
    """Points that a search tried, and the slope at its end."""
    d.watch[W_NEVAL], d.watch[W_SLOPE] = ntried, slope


# ---------------------------------------------------------------- stages

SEARCHES = {
    "capped": {"line_search": capped_line_search},
    "instrumented_capped": {
        **PRIMAL,
        "line_search": variant(
            instrumented_line_search,
            counted_line_search=variant(capped_line_search, note_search=note_instrumented_search),
        ),
    },
}
# the same in large models, where what equalities cost is known
island_search = variant(
    capped_line_search,
    direction_parts=known_parts,
    point=variant(point, line_slope=slope_along, first_plain=after_equalities),
)
ISLAND_SEARCHES = {
    "capped": {"line_search": island_search},
    "instrumented_capped": {
        **BY_ISLAND,
        "line_search": variant(
            instrumented_line_search,
            counted_line_search=variant(island_search, note_search=note_instrumented_search),
            search_length=known_length,
        ),
    },
}
# what a step gains, or loses, decides as in MuJoCo, however short it is and however large the cost
METHODS = {
    kind: {
        "newton": variant(newton, SHORT=-1e300, ROUNDING=0.0, **names),
        "conjugate_gradients": variant(conjugate_gradients, ROUNDING=0.0, **names),
        "descend": variant(descend, ROUNDING=0.0, **ISLAND_SEARCHES[kind]),
    }
    for kind, names in SEARCHES.items()
}


# kernels of stages: the methods of each solver, as it is and instrumented
_METHODS = {
    fwd_constraint: ("newton",),
    fwd_constraint_islands: ("newton",),
    fwd_newton_lane_islands: ("newton",),
    fwd_cg: ("conjugate_gradients",),
    fwd_cg_islands: ("conjugate_gradients", "descend"),
    fwd_cg_lane_islands: ("conjugate_gradients",),
}
for _kind, _methods in METHODS.items():
    for _solver, _names in _METHODS.items():
        _given = {name: _methods[name] for name in _names}
        entry(globals(), f"{_kind}_{_solver.__name__}", _solver, **_given)
