"""Sweeps of the dual problem: every item until a sweep improves little.

What a visit waits for is the slope that the visit before it left, through some ten dependent
operations. So two items are swept side by side, a visit of one beside a visit of the other, and
with each visit goes a step of drawing the order of the next sweep. Every item has the operations
that it has alone, in their order.
"""

from ...simd.kernel import kernel, replaced
from ...simd.lanes import fma, get_lane, select
from ...simd.record import STRIP
from ...tables.enums import CNSTR_CONTACT_ELLIPTIC, CONE_PYRAMIDAL
from .constraint_shuffle import (
    SMALL,
    draw_next,
    draw_packed,
    open_packed,
    open_sweep,
    pack_visits,
    packed_row,
    row_at,
    seed_subproblem,
    shuffle_visits,
)
from .dual_cone import visit_cone
from .scratch import NSUBPROBLEM
from .subproblems import (
    INERTIA,
    LANE,
    NITER,
    NNUMBER,
    NROW,
    NSTRIP,
    NVISIT,
    R_DIAGONAL,
    R_FORCE,
    R_HIGH,
    R_INVERSE,
    R_LOW,
    R_SPARE,
    ROWADR,
    ROWS,
    SLOPE,
)

WORSE = 1e-10  # a visit that raises the cost by more is taken back


@kernel
def sweep_subproblems(m, d):
    """Sweep every item until the improvement by a sweep, scaled, falls below the tolerance."""
    if m.opt_cone[0] == CONE_PYRAMIDAL:
        sweep_small_pairs(m, d)
        sweep_pairs(m, d)
    else:
        sweep_each(m, d)


@kernel
def sweep_each(m, d):
    """Sweep one item after another."""
    for k in range(d.nsubproblem_used[0]):
        if start_sweeps(m, d, k):
            sweep_on(m, d, k)


@kernel
def sweep_pairs(m, d):
    """Sweep the items two at a time; the next takes the place of the one that has converged."""
    one, two, following = -1, -1, 0
    while True:
        if one < 0:
            one, following = next_item(m, d, following)
        if two < 0:
            two, following = next_item(m, d, following)
        if one < 0 or two < 0:
            break
        gain, other = sweep_two(d, one, two)
        one = one if continues(m, d, one, gain) else -1
        two = two if continues(m, d, two, other) else -1
    if max(one, two) >= 0:
        sweep_on(m, d, max(one, two))


@kernel
def next_item(m, d, k):
    """The next item to sweep, from k on, or -1; and where to look for the one behind it."""
    while k < d.nsubproblem_used[0]:
        if takes(d, k) and start_sweeps(m, d, k):
            return k, k + 1
        k += 1
    return -1, k


@kernel
def takes(d, k):
    """True if an item has too many rows for their order to fit into one number."""
    return d.subproblem[NSUBPROBLEM * k + NROW] > SMALL


@kernel
def takes_small(d, k):
    """True if an item has so few rows that their order fits into one number."""
    return d.subproblem[NSUBPROBLEM * k + NROW] <= SMALL


@kernel
def start_sweeps(m, d, k):
    """Draw the order of an item's first sweep; returns whether it is to be swept at all."""
    seed_subproblem(m, d, k)
    d.subproblem[NSUBPROBLEM * k + NITER] = 0
    if m.opt_iterations[0] > 0:
        shuffle_visits(d, k)
        pack_visits(d, k)
    return m.opt_iterations[0] > 0


@kernel
def continues(m, d, k, gain):
    """Count a sweep that improved by so much; returns whether the item is swept again."""
    at = NSUBPROBLEM * k
    scale = get_lane(m.stat_meaninertia, 0, d.subproblem[at + LANE]) * max(1, m.nv)
    goal = get_lane(m.opt_tolerance, 0, d.subproblem[at + LANE]) * scale
    d.subproblem[at + NITER] += 1
    return not gain < goal and d.subproblem[at + NITER] < m.opt_iterations[0]


@kernel
def sweep_on(m, d, k):
    """Sweep one item to its end."""
    plain, going = m.opt_cone[0] == CONE_PYRAMIDAL, True
    while going:
        going = continues(m, d, k, sweep_rows(d, k) if plain else sweep_blocks(m, d, k))


# ---------------------------------------------------------------- rows


@kernel
def sweep_rows(d, k):
    """Move the force of each row to its minimum within the bounds, in an item without cones.

    Returns:
        Improvement.
    """
    at = NSUBPROBLEM * k
    first, order = d.subproblem[at + ROWADR], open_sweep(d, k)
    r = row_at(d, first, order, 0)
    slope = d.number[d.subproblem[at + SLOPE] * STRIP + r]
    return finish_sweep(d, k, 1, r, slope, 0.0, d.subproblem_seed[k], order, order)


@kernel
def sweep_two(d, k, other):
    """The same in two items: what is said twice is done in each.

    Returns:
        Improvement of each.
    """
    # what does not change during a sweep
    at, at2 = NSUBPROBLEM * k, NSUBPROBLEM * other
    n, first = d.subproblem[at + NVISIT], d.subproblem[at + ROWADR]
    n2, first2 = d.subproblem[at2 + NVISIT], d.subproblem[at2 + ROWADR]
    rows, rows2 = d.subproblem[at + ROWS] * STRIP, d.subproblem[at2 + ROWS] * STRIP
    to, to2 = d.subproblem[at + SLOPE], d.subproblem[at2 + SLOPE]
    inertia, inertia2 = d.subproblem[at + INERTIA], d.subproblem[at2 + INERTIA]
    nstrip, nstrip2 = d.subproblem[at + NSTRIP], d.subproblem[at2 + NSTRIP]
    # orders of this sweep and of the next, first rows, and random numbers
    order, order2 = open_sweep(d, k), open_sweep(d, other)
    coming, coming2 = order, order2
    r, r2, gain, gain2 = row_at(d, first, order, 0), row_at(d, first2, order2, 0), 0.0, 0.0
    slope, slope2 = d.number[to * STRIP + r], d.number[to2 * STRIP + r2]
    seed, seed2 = d.subproblem_seed[k], d.subproblem_seed[other]
    both = min(n, n2)
    for v in range(1, both):
        # forces
        change, cost = move_force(d.number, rows + r * NNUMBER, slope)
        change2, cost2 = move_force(d.number, rows2 + r2 * NNUMBER, slope2)
        gain, gain2 = gain - cost, gain2 - cost2
        # slopes of the next rows, before the gradients
        row, row2 = inertia + r * nstrip, inertia2 + r2 * nstrip2
        r, r2 = row_at(d, first, order, v), row_at(d, first2, order2, v)
        slope = fma(change, d.number[row * STRIP + r], d.number[to * STRIP + r])
        slope2 = fma(change2, d.number[row2 * STRIP + r2], d.number[to2 * STRIP + r2])
        add_multiple(d.strip, to, row, nstrip, change)
        add_multiple(d.strip, to2, row2, nstrip2, change2)
        # orders of the next sweeps
        coming, seed = draw_next(d, first, n - v, coming, seed)
        coming2, seed2 = draw_next(d, first2, n2 - v, coming2, seed2)
    gain = finish_sweep(d, k, both, r, slope, gain, seed, order, coming)
    return gain, finish_sweep(d, other, both, r2, slope2, gain2, seed2, order2, coming2)


@kernel
def finish_sweep(d, k, start, r, slope, gain, seed, order, coming):
    """Visit row r, whose slope is given, and those from a place of the order on.

    The slope of a row is taken over from the change of the row before it at once, before the
    gradient of all rows is updated: that is the longest chain of operations.

    Returns:
        Improvement by the sweep.
    """
    at = NSUBPROBLEM * k
    n, first = d.subproblem[at + NVISIT], d.subproblem[at + ROWADR]
    rows, to = d.subproblem[at + ROWS] * STRIP, d.subproblem[at + SLOPE]
    inertia, nstrip = d.subproblem[at + INERTIA], d.subproblem[at + NSTRIP]
    for v in range(start, n):
        change, cost = move_force(d.number, rows + r * NNUMBER, slope)
        gain = gain - cost
        row = inertia + r * nstrip
        r = row_at(d, first, order, v)
        slope = fma(change, d.number[row * STRIP + r], d.number[to * STRIP + r])
        add_multiple(d.strip, to, row, nstrip, change)
        coming, seed = draw_next(d, first, n - v, coming, seed)
    d.subproblem_seed[k], d.subproblem_order[k] = seed, coming
    change, cost = move_force(d.number, rows + r * NNUMBER, slope)
    add_multiple(d.strip, to, inertia + r * nstrip, nstrip, change)
    return gain - cost


@kernel
def move_force(number, x, slope):
    """Move the force of the row at x to its minimum within the bounds.

    Returns:
        Change of the force, and of the cost.
    """
    before = number[x + R_FORCE]
    force = fma(-slope, number[x + R_INVERSE], before)
    force = select(force < number[x + R_HIGH], force, number[x + R_HIGH])
    force = select(force > number[x + R_LOW], force, number[x + R_LOW])
    change = force - before
    cost = change * fma(0.5 * change, number[x + R_DIAGONAL], slope)
    if cost > WORSE:
        # by rounding; to store something keeps this a branch, off the chain of operations
        number[x + R_SPARE] = cost
        force, change, cost = before, 0.0, 0.0
    number[x + R_FORCE] = force
    return change, cost


@kernel
def add_multiple(strip, to, row, nstrip, factor):
    """Add a multiple of a vector to another."""
    strip[to] = fma(factor, strip[row], strip[to])
    for s in range(1, nstrip):
        strip[to + s] = fma(factor, strip[row + s], strip[to + s])


# ---------------------------------------------------------------- blocks


@kernel
def add_row(d, k, r, change):
    """Change the force of a row: add its column of A + R to the gradient."""
    at = NSUBPROBLEM * k
    nstrip = d.subproblem[at + NSTRIP]
    row = d.subproblem[at + INERTIA] + r * nstrip
    add_multiple(d.strip, d.subproblem[at + SLOPE], row, nstrip, change)


@kernel
def sweep_blocks(m, d, k):
    """Move the force of each block, one row or one elliptic contact, to its minimum.

    Returns:
        Improvement.
    """
    at, gain = NSUBPROBLEM * k, 0.0
    for v in range(d.subproblem[at + NVISIT]):
        r = d.subproblem_visit[d.subproblem[at + ROWADR] + v]
        b = d.subproblem_block[d.subproblem[at + ROWADR] + r]
        if d.block_type[b] == CNSTR_CONTACT_ELLIPTIC:
            gain = gain - visit_cone(m, d, k, r, b, add_row)
        else:
            gain = gain - move_row(m, d, k, r)
    shuffle_visits(d, k)
    return gain


@kernel
def move_row(m, d, k, r):
    """Move the force of one row to its minimum within the bounds.

    Returns:
        Change of the cost.
    """
    at = NSUBPROBLEM * k
    x, slope = d.subproblem[at + ROWS] * STRIP + r * NNUMBER, d.subproblem[at + SLOPE] * STRIP + r
    change, cost = move_force(d.number, x, d.number[slope])
    if change != 0.0:
        add_row(d, k, r, change)
    return cost


# ---------------------------------------------------------------- few rows

# orders of few rows are one number each, in registers: a list in memory waits for its own stores
sweep_small_pairs = replaced(
    sweep_pairs,
    {takes: takes_small, open_sweep: open_packed, row_at: packed_row, draw_next: draw_packed},
)
