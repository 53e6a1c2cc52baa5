"""The order in which a sweep visits the blocks: PCG32 and Fisher-Yates.

M. O'Neill, PCG: A Family of Simple Fast Space-Efficient Statistically Good Algorithms for Random
Number Generation. MuJoCo seeds it with the simulation time.
"""

from ...simd.kernel import kernel
from ...simd.lanes import get_lane, rotate_right, wrapping_multiply_add
from ...simd.record import STRIP
from .scratch import NSUBPROBLEM
from .subproblems import LANE, NVISIT, R_SPARE, ROWADR, ROWS

MULTIPLIER, INCREMENT = 0x5851F42D4C957F2D, 1
# rows whose order fits into a number, bits of a row in it, and a mask of these
SMALL, BITS, LOWEST = 15, 4, 15
LOW46, LOW5 = (1 << 46) - 1, 31  # masks of the lowest bits: shifts fill with the sign


@kernel
def random_number(seed):
    """32 random bits of a state."""
    return rotate_right((((seed >> 18) & LOW46) ^ seed) >> 27, (seed >> 59) & LOW5)


@kernel
def seed_subproblem(m, d, k):
    """Seed the random numbers of an item from the time of its world."""
    at = d.subproblem[NSUBPROBLEM * k + ROWS] * STRIP + R_SPARE
    d.number[at] = get_lane(d.time, 0, d.subproblem[NSUBPROBLEM * k + LANE])
    # the state after 0, and the seed, and the state after their sum
    d.subproblem_seed[k] = wrapping_multiply_add(
        wrapping_multiply_add(d.bits[at], MULTIPLIER + 1, INCREMENT), MULTIPLIER, INCREMENT
    )


@kernel
def draw_place(i, seed):
    """A random number from 0 to i."""
    x = random_number(seed)
    # for 32 bits and numbers below 2**20 the rounded quotient is exact
    return x - int(float(x) / (i + 1.0)) * (i + 1)


@kernel
def draw_visit(d, first, i, seed):
    """Draw which of the visits up to i comes at place i, for a list from `first` on.

    Returns:
        Next state of the random numbers.
    """
    j = draw_place(i, seed)
    other = d.subproblem_visit[first + j]
    d.subproblem_visit[first + j] = d.subproblem_visit[first + i]
    d.subproblem_visit[first + i] = other
    return wrapping_multiply_add(seed, MULTIPLIER, INCREMENT)


@kernel
def shuffle_visits(d, k):
    """Put the visits of an item into the order of the next sweep."""
    first, n = d.subproblem[NSUBPROBLEM * k + ROWADR], d.subproblem[NSUBPROBLEM * k + NVISIT]
    seed = d.subproblem_seed[k]
    for i in range(n - 1, 0, -1):
        seed = draw_visit(d, first, i, seed)
    d.subproblem_seed[k] = seed


# ---------------------------------------------------------------- orders of a sweep and the next

# Each of these has a twin for items of few rows, whose order is a number, of BITS bits for a row.


@kernel
def open_sweep(d, k):
    """Fix the order of a sweep, so that the next one can be drawn meanwhile.

    Returns:
        The order, if it is a number.
    """
    n, first = d.subproblem[NSUBPROBLEM * k + NVISIT], d.subproblem[NSUBPROBLEM * k + ROWADR]
    for v in range(first, first + n):
        d.subproblem_turn[v] = d.subproblem_visit[v]
    return 0


@kernel
def row_at(d, first, order, v):
    """Row at a place of the order of this sweep."""
    return d.subproblem_turn[first + v]


@kernel
def draw_next(d, first, i, coming, seed):
    """Draw which of the visits up to i comes at place i in the next sweep.

    Returns:
        The order of that sweep, if it is a number, and the next state of the random numbers.
    """
    return coming, draw_visit(d, first, i, seed)


@kernel
def pack_visits(d, k):
    """The order of the first sweep as a number, if it fits."""
    n, first = d.subproblem[NSUBPROBLEM * k + NVISIT], d.subproblem[NSUBPROBLEM * k + ROWADR]
    order = 0
    if n <= SMALL:
        for v in range(n):
            order = order | (d.subproblem_visit[first + v] << (BITS * v))
    d.subproblem_order[k] = order


@kernel
def open_packed(d, k):
    """`open_sweep`."""
    return d.subproblem_order[k]


@kernel
def packed_row(d, first, order, v):
    """`row_at`."""
    return (order >> (BITS * v)) & LOWEST


@kernel
def draw_packed(d, first, i, coming, seed):
    """`draw_next`."""
    here, there = BITS * i, BITS * draw_place(i, seed)
    swap = ((coming >> here) ^ (coming >> there)) & LOWEST
    coming = coming ^ ((swap << here) | (swap << there))
    return coming, wrapping_multiply_add(seed, MULTIPLIER, INCREMENT)
