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
def draw_visit(d, first, i, seed):
    """Draw which of the visits up to i comes at place i, for a list from `first` on.

    Returns:
        Next state of the random numbers.
    """
    x = random_number(seed)
    # for 32 bits and numbers below 2**20 the rounded quotient is exact
    j = x - int(float(x) / (i + 1.0)) * (i + 1)
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
