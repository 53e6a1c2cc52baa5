"""The order in which worlds run: those with like constraint rows go together, most rows first."""

from ..simd.kernel import kernel
from ..simd.lanes import reals_at
from ..simd.ordering import sort_order


@kernel
def order_worlds(plan):
    """Sort the worlds to run by what the last call has rated them, among neighbours.

    The packs that take longest come first: threads that share them then end at about the same time.

    Args:
        plan: their program.
    """
    rating, count = reals_at(plan.rating[0]), plan.nactive[0]
    for start in range(0, count, plan.neighbours[0]):
        end = min(start + plan.neighbours[0], count)
        sort_order(plan.world, plan.spare, rating, 1, 0, start, end)
