"""The constraint solver of large models: island by island."""

from ...simd.kernel import kernel
from ...simd.lanes import zero_like
from ...tables.enums import COUNT_BLOCK
from .islands import island_problem
from .newton import newton, prepare_rows, start_costs, start_free, start_point
from .supernodes import make_island_hessian, solve_island


@kernel
def fwd_constraint_islands(m, d):
    """Acceleration and constraint force, one island after the other.

    Reads: block_*, isl_*, node_*, link_*, row_aref, M, qLD, qLDiagInv, qacc_smooth, qfrc_smooth,
        qacc_warmstart.
    Writes: qacc (m/s^2, rad/s^2), qfrc_constraint (N, N m), row_force (N, N m), row_active,
        solver_niter.
    """
    start_free(m, d)
    if d.count[COUNT_BLOCK] > 0:
        prepare_rows(m, d)
        start_point(m, d, start_costs_of_islands)
        for k in range(d.isl_num[0]):
            island_problem(d, k)
            newton(m, d, make_island_hessian, solve_island)


@kernel
def start_costs_of_islands(m, d):
    """Costs of all rows at `row_jar` and at `row_jv`."""
    cold = warm = zero_like(d.qacc)
    for k in range(d.isl_num[0]):
        island_problem(d, k)
        first, second = start_costs(m, d)
        cold, warm = cold + first, warm + second
    return cold, warm
