"""The order in which a sweep visits the blocks: PCG32 and Fisher-Yates.

M. O'Neill, PCG: A Family of Simple Fast Space-Efficient Statistically Good Algorithms for Random
Number Generation. MuJoCo seeds it with the simulation time. The 64-bit state is held as two halves,
so that no product leaves the range of a signed integer.
"""

from ...simd.kernel import kernel
from ...simd.lanes import get_lane
from ...simd.record import STRIP
from .scratch import NSUBPROBLEM
from .subproblems import LANE, NVISIT, R_SPARE, ROWADR, ROWS

FACTOR_HIGH, FACTOR_LOW = 0x5851F42D, 0x4C957F2D
MASK = 0xFFFFFFFF


@kernel
def advance_seed(high, low):
    """Next state of the generator."""
    product = low * FACTOR_LOW + 1
    carry = product >> 32
    high = (carry + ((low * FACTOR_HIGH) & MASK) + ((high * FACTOR_LOW) & MASK)) & MASK
    return high, product & MASK


@kernel
def random_number(high, low):
    """32 random bits of a state."""
    xhigh = high ^ (high >> 18)
    xlow = low ^ (((high << 14) & MASK) | (low >> 18))
    x = ((xhigh << 5) & MASK) | (xlow >> 27)
    turn = high >> 27
    return ((x >> turn) | (x << ((32 - turn) & 31))) & MASK


@kernel
def seed_subproblem(m, d, k):
    """Seed the random numbers of an item from the time of its world."""
    at = d.subproblem[NSUBPROBLEM * k + ROWS] * STRIP + R_SPARE
    d.number[at] = get_lane(d.time, 0, d.subproblem[NSUBPROBLEM * k + LANE])
    seed = d.bits[at]
    high, low = (seed >> 32) & MASK, seed & MASK
    h, g = advance_seed(high, low)
    total = g + low
    h, g = advance_seed((h + high + (total >> 32)) & MASK, total & MASK)
    d.subproblem_seed[2 * k], d.subproblem_seed[2 * k + 1] = h, g


@kernel
def shuffle_visits(d, k):
    """Put the visits of an item into the order of the next sweep."""
    first, n = d.subproblem[NSUBPROBLEM * k + ROWADR], d.subproblem[NSUBPROBLEM * k + NVISIT]
    high, low = d.subproblem_seed[2 * k], d.subproblem_seed[2 * k + 1]
    for i in range(n - 1, 0, -1):
        x = random_number(high, low)
        high, low = advance_seed(high, low)
        # for 32 bits and numbers below 2**20 the rounded quotient is exact
        j = x - int(float(x) / (i + 1.0)) * (i + 1)
        other = d.subproblem_visit[first + j]
        d.subproblem_visit[first + j] = d.subproblem_visit[first + i]
        d.subproblem_visit[first + i] = other
    d.subproblem_seed[2 * k], d.subproblem_seed[2 * k + 1] = high, low
