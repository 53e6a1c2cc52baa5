"""Nonlinear conjugate gradients on the primal problem, preconditioned by the inertia matrix.

The problem and its line search are those of `newton.py`; directions follow Polak and Ribiere
(J. Nocedal and S. Wright, Numerical Optimization, section 5.2), restarted where their factor is
negative. No matrix is factored.
"""

from ...simd.kernel import kernel
from ...simd.lanes import fma, lane_any, mask_not, select, sqrt, zero_like
from ...tables.enums import COUNT_BLOCK, MINVAL
from ..smooth.inertia import solve_listed
from .newton import (
    ROUNDING,
    advance,
    apply_direction,
    direction_parts,
    expected_gain,
    finish_problem,
    line_search,
    line_slope,
    prepare_rows,
    release_idle,
    start_costs,
    start_free,
    start_point,
    total_inertia,
    update_constraint,
)
from .problem import END_DOF, FIRST_DOF, whole_problem


@kernel
def fwd_cg(m, d):
    """Acceleration and constraint force by conjugate gradients.

    Reads: block_*, row_aref, M, qLD, qLDiagInv, qacc_smooth, qfrc_smooth, qacc_warmstart, lane_on,
        tree_on.
    Writes: qacc (m/s^2, rad/s^2), qfrc_constraint (N, N m), row_force (N, N m), row_active,
        solver_niter.
    """
    start_free(m, d)
    if d.count[COUNT_BLOCK] > 0:
        prepare_rows(m, d)
        whole_problem(m, d)
        start_point(m, d, start_costs)
        conjugate_gradients(m, d)
        release_idle(m, d)


@kernel
def conjugate_gradients(m, d):
    """Iterate until the scaled improvement or gradient falls below the tolerance."""
    live, p = d.lane_on[0] > 0.0, d.problem
    scale, tolerance = 1.0 / total_inertia(m, d), m.opt_tolerance[0]
    # start; the first direction is the preconditioned gradient, downhill
    cost, square, _ = update_constraint(m, d)
    niter = zero = zero_like(d.qacc)
    precondition(m, d)
    for k in range(p[FIRST_DOF], p[END_DOF]):
        d.sol_search[d.dof_list[k]] = -d.cg_Mgrad[d.dof_list[k]]
    for _ in range(m.opt_iterations[0]):
        # minimum along the search direction
        apply_direction(m, d)
        alpha = line_search(m, d, live, scale, first_step(d))
        live = live & (alpha != 0.0)
        if not lane_any(live):
            break
        # gradient before the step, for the factor of Polak and Ribiere
        for k in range(p[FIRST_DOF], p[END_DOF]):
            dof = d.dof_list[k]
            d.cg_gradold[dof], d.cg_Mgradold[dof] = d.sol_grad[dof], d.cg_Mgrad[dof]
        # as in Newton's method
        hidden = live & (scale * cost * ROUNDING > tolerance)
        before, gain = cost, zero
        if lane_any(hidden):
            gain = expected_gain(d, alpha)
        # step to the new point; improvement
        advance(d, live, alpha)
        cost, square, _ = update_constraint(m, d)
        niter = niter + select(live, 1.0, 0.0)
        gain = select(hidden, gain, before - cost)
        # converged
        done = (scale * gain < tolerance) | (scale * sqrt(square) < tolerance)
        live = live & mask_not(done)
        if not lane_any(live):
            break
        # next direction
        precondition(m, d)
        turn_direction(d)
    finish_problem(d, niter, live)


@kernel
def first_step(d):
    """Newton's step along the search direction, with the curvature of the rows at its start.

    Where stiff rows are active it is many orders shorter than the direction.
    """
    slope0, curve0, _ = direction_parts(d)
    slope, curve = line_slope(d, zero_like(d.qacc), slope0, curve0)
    return select((slope < 0.0) & (curve > 0.0), -slope / curve, 1.0)


@kernel
def precondition(m, d):
    """Gradient times the inverse inertia matrix."""
    p = d.problem
    for k in range(p[FIRST_DOF], p[END_DOF]):
        d.cg_Mgrad[d.dof_list[k]] = d.sol_grad[d.dof_list[k]]
    solve_listed(
        d.cg_Mgrad, d.qLD, d.qLDiagInv, d.dof_list, p[FIRST_DOF], p[END_DOF],
        m.M_rownnz, m.M_rowadr, m.M_colind,
    )  # fmt: skip


@kernel
def turn_direction(d):
    """Next search direction, conjugate to the last one where the cost is a parabola."""
    p = d.problem
    above = below = zero_like(d.qacc)
    for k in range(p[FIRST_DOF], p[END_DOF]):
        dof = d.dof_list[k]
        above = fma(d.sol_grad[dof], d.cg_Mgrad[dof] - d.cg_Mgradold[dof], above)
        below = fma(d.cg_gradold[dof], d.cg_Mgradold[dof], below)
    beta = above / select(below > MINVAL, below, MINVAL)
    beta = select(beta < 0.0, 0.0, beta)
    for k in range(p[FIRST_DOF], p[END_DOF]):
        dof = d.dof_list[k]
        d.sol_search[dof] = fma(beta, d.sol_search[dof], -d.cg_Mgrad[dof])
