"""Solvers that note what each of their iterations did: mjSolverStat.

These are copies of the solvers in which some kernels are replaced by others that call the original
and note what they see; a model whose data do not keep the statistics compiles and runs nothing of
it. The bits of all other results are the same.
"""

from ...simd.kernel import entry, kernel, variant
from ...simd.lanes import absolute, fma, get_lane, select, set_lane, sqrt, zero_like
from ...simd.record import STRIP
from ...tables.enums import CNSTR_FRICTION_TENDON, NISLAND
from . import cg_islands
from .cg import conjugate_gradients, fwd_cg
from .cg_islands import descend, fwd_cg_islands, known_parts, slope_along
from .cone import MIDDLE
from .constraint_shuffle import seed_subproblem
from .lane_islands import fwd_cg_lane_islands, fwd_newton_lane_islands
from .newton import (
    fwd_constraint,
    line_search,
    line_slope,
    newton,
    total_inertia,
    update_constraint,
)
from .newton_islands import fwd_constraint_islands
from .noslip import noslip, remove_slip, sweep_friction
from .pgs import dual_state, fwd_pgs, start_subproblem
from .problem import END_DOF, END_FRICTION, END_ROW, FIRST_DOF, FIRST_ROW
from .problem import ISLAND as P_ISLAND
from .scratch import NSUBPROBLEM
from .solver_stat_tables import NPROGRESS, NSOLVER, NSTAT
from .subproblems import ISLAND, LANE, NNUMBER, NROW, R_FORCE, R_SOFT, ROWADR, ROWS
from .sweeps import continues, start_sweeps, sweep_each, sweep_on

# what `watch` holds: cost of the last point, whether the lane moved, scale, slope and evaluations
# of the line search, the step that it tried last
W_COST, W_MOVED, W_SCALE, W_SLOPE, W_NEVAL, W_TRIED = range(6)
S_ITERATION = 0  # of `watch_step`


@kernel
def clear_progress(m, d):
    """No statistics.

    Writes: solver_stat.
    """
    zero = zero_like(d.qacc)
    for k in range(NPROGRESS):
        d.solver_stat[k] = zero


# ---------------------------------------------------------------- primal solvers


@kernel
def instrumented_inertia(m, d):
    """`total_inertia`, which solvers ask for when they start on a problem."""
    d.watch_step[S_ITERATION] = -1
    return total_inertia(m, d)


@kernel
def instrumented_slope(d, alpha, slope0, curve0):
    """`line_slope`, counted in the lanes that still search."""
    slope, curve = line_slope(d, alpha, slope0, curve0)
    w = d.watch
    new = alpha != w[W_TRIED]
    w[W_SLOPE] = select(new, absolute(slope), w[W_SLOPE])
    w[W_NEVAL] = w[W_NEVAL] + select(new, 1.0, 0.0)
    w[W_TRIED] = select(new, alpha, w[W_TRIED])
    return slope, curve


counted_line_search = variant(line_search, line_slope=instrumented_slope)


@kernel
def search_length(d):
    """Length of the search direction."""
    square, p = zero_like(d.qacc), d.problem
    for k in range(p[FIRST_DOF], p[END_DOF]):
        square = fma(d.sol_search[d.dof_list[k]], d.sol_search[d.dof_list[k]], square)
    return sqrt(square)


@kernel
def known_length(d):
    """The same in large models, which have found it before."""
    return zero_like(d.qacc) + known_parts(d)[2]


@kernel
def instrumented_line_search(m, d, live, scale, first):
    """`line_search`, with the lanes that move."""
    zero, w = zero_like(d.qacc), d.watch
    # the start counts, as in MuJoCo, which evaluates it
    w[W_SLOPE], w[W_NEVAL] = zero, zero + 1.0
    w[W_TRIED] = zero - 1.0
    alpha = counted_line_search(m, d, live, scale, first)
    length = search_length(d)
    w[W_SLOPE] = w[W_SLOPE] * scale / select(length > 0.0, length, 1.0)
    w[W_SCALE] = zero + scale
    w[W_MOVED] = select(live & (alpha != 0.0), 1.0, 0.0)
    return alpha


@kernel
def instrumented_update(m, d):
    """`update_constraint`; what it changed belongs to the last step."""
    cost, square, changed = update_constraint(m, d)
    zero, w, p = zero_like(d.qacc), d.watch, d.problem
    iteration = d.watch_step[S_ITERATION]
    # mjtConstraintState of each row
    nactive = nchange = zero
    for r in range(p[FIRST_ROW], p[END_ROW]):
        active, force = d.row_active[r], d.row_force[r]
        bound = select(force > 0.0, 2.0, select(force < 0.0, 3.0, 0.0))
        state = select(active > 0.0, 1.0, select(active == MIDDLE, 4.0, bound))
        # a row that the lane does not have
        state = select(d.row_D[r] > 0.0, state, 0.0)
        # count active rows, and those of another state than before
        pushes = state > 0.0
        if r < p[END_FRICTION]:
            pushes = d.row_D[r] > 0.0
        nactive = nactive + select(pushes, 1.0, 0.0)
        nchange = nchange + select(state == d.watch_state[r], 0.0, 1.0)
        d.watch_state[r] = state
    # statistics of the last iteration, where the lane moved
    if 0 <= iteration < NSOLVER and p[P_ISLAND] < NISLAND:
        at, moved = NSTAT * (NSOLVER * p[P_ISLAND] + iteration), w[W_MOVED] > 0.0
        note(d, at, moved, w[W_SCALE] * (w[W_COST] - cost))
        note(d, at + 1, moved, w[W_SCALE] * sqrt(square))
        note(d, at + 2, moved, w[W_SLOPE])
        note(d, at + 3, moved, nactive)
        note(d, at + 4, moved, nchange)
        note(d, at + 5, moved, w[W_NEVAL])
    w[W_COST] = cost
    d.watch_step[S_ITERATION] = iteration + 1
    return cost, square, changed


@kernel
def note(d, at, moved, value):
    """Enter a number in the lanes that moved."""
    d.solver_stat[at] = select(moved, value, d.solver_stat[at])


PRIMAL = {
    "total_inertia": instrumented_inertia,
    "line_search": instrumented_line_search,
    "update_constraint": instrumented_update,
}
# the same in large models
ISLAND_SEARCH = variant(
    cg_islands.line_search, line_slope=variant(instrumented_slope, line_slope=slope_along)
)
BY_ISLAND = {
    "total_inertia": instrumented_inertia,
    "line_search": variant(
        instrumented_line_search, counted_line_search=ISLAND_SEARCH, search_length=known_length
    ),
    "update_constraint": variant(
        instrumented_update, update_constraint=cg_islands.update_constraint
    ),
}
instrumented_newton = variant(newton, **PRIMAL)
instrumented_descent = variant(descend, **BY_ISLAND)
instrumented_cg = variant(conjugate_gradients, **PRIMAL)


# ---------------------------------------------------------------- solvers of single worlds


@kernel
def note_subproblem(d, k, improvement, nactive, nchange, neval):
    """Enter an iteration of an item, and count it."""
    at, iteration = NSUBPROBLEM * k, d.watch_step[S_ITERATION]
    if d.subproblem[at + ISLAND] < NISLAND and iteration < NSOLVER:
        lane = d.subproblem[at + LANE]
        to = NSTAT * (NSOLVER * d.subproblem[at + ISLAND] + iteration)
        set_lane(d.solver_stat, to, lane, improvement)
        set_lane(d.solver_stat, to + 3, lane, 1.0 * nactive)
        set_lane(d.solver_stat, to + 4, lane, 1.0 * nchange)
        set_lane(d.solver_stat, to + 5, lane, neval)
    d.watch_step[S_ITERATION] = iteration + 1


@kernel
def dual_states(m, d, k):
    """States of the rows of an item by their forces.

    Returns:
        Rows that push, and rows whose state is another than before.
    """
    at = NSUBPROBLEM * k
    n, x = d.subproblem[at + NROW], d.subproblem[at + ROWS] * STRIP
    nactive = nchange = 0
    for r in range(n):
        b, force = d.subproblem_block[d.subproblem[at + ROWADR] + r], d.number[x + R_FORCE]
        active, pulls = dual_state(m, d, k, r, force), d.block_type[b] <= CNSTR_FRICTION_TENDON
        state = subproblem_state(active, force if pulls else 0.0)
        nactive += 1 if state > 0.0 or pulls else 0
        row = d.subproblem_row[d.subproblem[at + ROWADR] + r]
        nchange += 1 if state != get_lane(d.watch_state, row, d.subproblem[at + LANE]) else 0
        set_lane(d.watch_state, row, d.subproblem[at + LANE], state)
        x += NNUMBER
    return nactive, nchange


@kernel
def subproblem_state(active, force):
    """State of a row: 1 quadratic, 2 and 3 at the bounds, 4 on a cone, 0 without force."""
    if active > 0.0:
        return 1.0
    if active == MIDDLE:
        return 4.0
    return 2.0 if force > 0.0 else (3.0 if force < 0.0 else 0.0)


@kernel
def instrumented_seed(m, d, k):
    """`seed_subproblem`, with which the sweeps of an item start."""
    seed_subproblem(m, d, k)
    dual_states(m, d, k)
    d.watch_step[S_ITERATION] = 0


@kernel
def note_sweep(m, d, k, gain):
    """Enter a sweep of an item."""
    nactive, nchange = dual_states(m, d, k)
    scale = 1.0 / (
        get_lane(m.stat_meaninertia, 0, d.subproblem[NSUBPROBLEM * k + LANE]) * max(1, m.nv)
    )
    note_subproblem(d, k, scale * gain, nactive, nchange, 0.0)


@kernel
def instrumented_count(m, d, k, gain):
    """`continues`, which counts the sweeps of an item."""
    note_sweep(m, d, k, gain)
    return continues(m, d, k, gain)


# one item after another, so that the iterations of each are noted in a row
instrumented_sweeps = variant(
    sweep_each,
    start_sweeps=variant(start_sweeps, seed_subproblem=instrumented_seed),
    sweep_on=variant(sweep_on, continues=instrumented_count),
)


@kernel
def instrumented_start(m, d, k, lane, warm):
    """`start_subproblem`; the sweeps against slip follow those of the solver."""
    cost = start_subproblem(m, d, k, lane, warm)
    dual_states(m, d, k)
    at = NSUBPROBLEM * k
    d.watch_step[S_ITERATION] = 0
    if d.subproblem[at + ISLAND] < NISLAND:
        d.watch_step[S_ITERATION] = int(get_lane(d.solver_niter, d.subproblem[at + ISLAND], lane))
    # without regularization the forces cost less; this counts as improvement of the first sweep
    rows, saved = d.subproblem[at + ROWS] * STRIP, 0.0
    for r in range(d.subproblem[at + NROW]):
        force = d.number[rows + r * NNUMBER + R_FORCE]
        saved = fma(0.5 * force * force, d.number[rows + r * NNUMBER + R_SOFT], saved)
    set_lane(d.watch, W_COST, lane, saved)
    return cost


@kernel
def instrumented_friction(m, d, k):
    """`sweep_friction`."""
    gain, lane = sweep_friction(m, d, k), d.subproblem[NSUBPROBLEM * k + LANE]
    note_sweep(m, d, k, gain + get_lane(d.watch, W_COST, lane))
    set_lane(d.watch, W_COST, lane, 0.0)
    return gain


instrumented_slip = variant(
    remove_slip, start_subproblem=instrumented_start, sweep_friction=instrumented_friction
)


# ---------------------------------------------------------------- stages


# kernels of stages, by the names that these have in the pipeline
_SOLVERS = (
    (fwd_constraint, {"newton": instrumented_newton}),
    (fwd_constraint_islands, {"newton": instrumented_newton}),
    (fwd_newton_lane_islands, {"newton": instrumented_newton}),
    (fwd_cg, {"conjugate_gradients": instrumented_cg}),
    (fwd_cg_islands, {"conjugate_gradients": instrumented_cg, "descend": instrumented_descent}),
    (fwd_cg_lane_islands, {"conjugate_gradients": instrumented_cg}),
    (fwd_pgs, {"sweep_subproblems": instrumented_sweeps}),
    (noslip, {"remove_slip": instrumented_slip}),
)
for _solver, _names in _SOLVERS:
    entry(globals(), f"instrumented_{_solver.__name__}", _solver, **_names)
