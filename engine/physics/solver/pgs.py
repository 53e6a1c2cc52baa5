"""Projected Gauss-Seidel on the dual problem: MuJoCo's documentation, Computation, "PGS".

The forces f of a world minimize 1/2 f' (A + R) f + b' f within their bounds, A = J M^-1 J' and
b = J a0 - aref. A sweep visits the rows (elliptic contacts: their rows together) in a random order;
each visit moves to the minimum over that block. The gradient A f + b is kept up to date.
"""

from ...simd.kernel import kernel
from ...simd.lanes import absolute, fma, get_lane, set_lane, sqrt, zero_like
from ...simd.record import STRIP
from ...tables.enums import (
    CNSTR_CONTACT_ELLIPTIC,
    CNSTR_EQUALITY,
    CNSTR_FRICTION_TENDON,
    COUNT_BLOCK,
    COUNT_ROW,
    DSBL_WARMSTART,
    NISLAND,
)
from ..constraint.jacobian import add_force, mul_jac
from ..smooth.inertia import solve_rows
from .cone import MIDDLE
from .islands import island_problem
from .newton import prepare_rows, start_free, update_constraint
from .problem import whole_problem
from .scratch import NSUBPROBLEM
from .subproblems import (
    ISLAND,
    LANE,
    NITER,
    NNUMBER,
    NROW,
    R_BIAS,
    R_FORCE,
    ROWADR,
    ROWS,
    SLOPE,
    list_subproblems,
)
from .sweeps import add_row, sweep_subproblems


@kernel
def fwd_pgs(m, d):
    """Acceleration and constraint force by the dual solver.

    Reads: block_*, row_aref, qLD, qLDiagInv, qacc_smooth, qfrc_smooth, qacc_warmstart, time.
    Writes: qacc (m/s^2, rad/s^2), qfrc_constraint (N, N m), row_force (N, N m), row_active,
        solver_niter.
    """
    start_free(m, d)
    if d.count[COUNT_BLOCK] > 0:
        prepare_rows(m, d)
        list_subproblems(m, d)
        start_forces(m, d)
        sweep_subproblems(m, d)
        finish_forces(m, d)


@kernel
def start_forces(m, d):
    """Start from the forces at the last acceleration, or from none where these cost less."""
    warm = not m.opt_disableflags[0] & DSBL_WARMSTART
    # warm start: forces of the primal problem at the last acceleration
    if warm:
        mul_jac(m, d, d.row_jar, d.qacc_warmstart)
        for r in range(d.count[COUNT_ROW]):
            d.row_jar[r] = d.row_jar[r] - d.row_aref[r]
        if m.is_large_model:
            for k in range(d.isl_num[0]):
                island_problem(d, k)
                update_constraint(m, d)
        else:
            whole_problem(m, d)
            update_constraint(m, d)
    # bias b = J a0 - aref
    mul_jac(m, d, d.row_jv, d.qacc_smooth)
    for r in range(d.count[COUNT_ROW]):
        d.row_jv[r] = d.row_jv[r] - d.row_aref[r]
    # items of each lane; without forces the dual cost is 0
    lane, first = 0, 0
    while first < d.nsubproblem_used[0]:
        lane, end, cost = d.subproblem[NSUBPROBLEM * first + LANE], first, 0.0
        while end < d.nsubproblem_used[0] and d.subproblem[NSUBPROBLEM * end + LANE] == lane:
            cost = cost + start_subproblem(m, d, end, lane, warm)
            end += 1
        if cost > 0.0:
            for k in range(first, end):
                drop_forces(m, d, k)
        first = end


@kernel
def start_subproblem(m, d, k, lane, warm):
    """Bias, force and gradient of an item.

    Returns:
        Dual cost.
    """
    at = NSUBPROBLEM * k
    n, first = d.subproblem[at + NROW], d.subproblem[at + ROWADR]
    rows, slopes, cost = d.subproblem[at + ROWS] * STRIP, d.subproblem[at + SLOPE] * STRIP, 0.0
    for r in range(n):
        source = d.subproblem_row[first + r]
        bias = get_lane(d.row_jv, source, lane)
        d.number[rows + r * NNUMBER + R_BIAS] = d.number[slopes + r] = bias
        if warm:
            d.number[rows + r * NNUMBER + R_FORCE] = get_lane(d.row_force, source, lane)
    if warm:
        for r in range(n):
            add_row(d, k, r, d.number[rows + r * NNUMBER + R_FORCE])
        for r in range(n):
            both = d.number[rows + r * NNUMBER + R_BIAS] + d.number[slopes + r]
            cost = fma(0.5 * d.number[rows + r * NNUMBER + R_FORCE], both, cost)
    return cost


@kernel
def drop_forces(m, d, k):
    """No forces in an item."""
    at = NSUBPROBLEM * k
    rows, slopes = d.subproblem[at + ROWS] * STRIP, d.subproblem[at + SLOPE] * STRIP
    for r in range(d.subproblem[at + NROW]):
        d.number[rows + r * NNUMBER + R_FORCE] = 0.0
        d.number[slopes + r] = d.number[rows + r * NNUMBER + R_BIAS]


@kernel
def finish_forces(m, d):
    """Forces and states of the pack's rows, and what they do to the joints."""
    zero = zero_like(d.qacc)
    # rows of no item have no force
    for r in range(d.count[COUNT_ROW]):
        d.row_force[r] = zero
        d.row_active[r] = zero
    # forces and states, row by row of each item
    for k in range(d.nsubproblem_used[0]):
        at = NSUBPROBLEM * k
        lane, first, n = d.subproblem[at + LANE], d.subproblem[at + ROWADR], d.subproblem[at + NROW]
        if d.subproblem[at + ISLAND] < NISLAND:
            set_lane(
                d.solver_niter, d.subproblem[at + ISLAND], lane, 1.0 * d.subproblem[at + NITER]
            )
        x = d.subproblem[at + ROWS] * STRIP + R_FORCE
        for r in range(n):
            row, force = d.subproblem_row[first + r], d.number[x + r * NNUMBER]
            set_lane(d.row_force, row, lane, force)
            set_lane(d.row_active, row, lane, dual_state(m, d, k, r, force))
    # generalized constraint force
    for dof in range(m.nv):
        d.qfrc_constraint[dof] = zero
    add_force(m, d, d.qfrc_constraint, 0, d.count[COUNT_BLOCK])
    # acceleration
    for dof in range(m.nv):
        d.qacc[dof] = d.qfrc_constraint[dof]
    solve_rows(d.qacc, d.qLD, d.qLDiagInv, m.nv, m.M_rownnz, m.M_rowadr, m.M_colind)
    for dof in range(m.nv):
        d.qacc[dof] = d.qacc_smooth[dof] + d.qacc[dof]


@kernel
def dual_state(m, d, k, r, force):
    """Curvature of a row's cost that belongs to its force, as the primal solvers enter it."""
    at = NSUBPROBLEM * k
    adr, lane = d.subproblem[at + ROWADR], d.subproblem[at + LANE]
    b, row = d.subproblem_block[adr + r], d.subproblem_row[adr + r]
    stiff, kind = get_lane(d.row_D, row, lane), d.block_type[b]
    if kind == CNSTR_CONTACT_ELLIPTIC:
        return cone_state(m, d, k, r - (row - d.block_row[b]), b, stiff)
    if kind == CNSTR_EQUALITY:
        return stiff
    if kind <= CNSTR_FRICTION_TENDON:
        return stiff if absolute(force) < get_lane(d.block_floss, b, lane) else 0.0
    return stiff if force > 0.0 else 0.0


@kernel
def cone_state(m, d, k, r, b, stiff):
    """The same for the rows of an elliptic contact whose first row is r."""
    at = NSUBPROBLEM * k
    lane, x = d.subproblem[at + LANE], d.subproblem[at + ROWS] * STRIP + r * NNUMBER + R_FORCE
    mu, square = get_lane(d.block_cone, b, lane), 0.0
    for j in range(1, d.block_dim[b]):
        t = d.number[x + j * NNUMBER] / get_lane(d.block_mu, 5 * b + j - 1, lane)
        square = square + t * t
    normal, side = d.number[x] / mu, sqrt(square)
    if mu * normal >= side:
        return 0.0
    return stiff if normal + mu * side <= 0.0 else MIDDLE
