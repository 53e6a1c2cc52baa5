"""Newton's method on the primal problem: MuJoCo's documentation, Computation, "Constraint solver".

The acceleration minimizes 1/2 (a - a0)' M (a - a0) + s(J a - aref), where a0 is the unconstrained
acceleration and s a sum of
parabolas (equalities: a Huber function without bound), one-sided parabolas (limits, contacts) and
Huber functions (dry friction). The lanes of a pack share the iterations; a lane that has converged
is frozen, so that its result is the one it would have alone. All rows of the pack take part in all
lanes; where `block_D` is 0 a row adds exactly nothing.
"""

from ...simd.kernel import kernel
from ...simd.lanes import absolute, fma, lane_any, mask_not, select, sqrt, zero_like
from ...tables.enums import (
    CNSTR_FRICTION_TENDON,
    COUNT_BLOCK,
    COUNT_ROW,
    DSBL_ISLAND,
    DSBL_WARMSTART,
    MINVAL,
    NISLAND,
)
from ..constraint.jacobian import add_force, block_rows, mul_blocks, mul_jac, row_stiffness
from ..smooth.inertia import mul_listed, mul_rows, solve_listed
from .cone import cone_cost, cone_slope, update_cone
from .hessian import make_hessian, solve_hessian
from .problem import (
    END_BLOCK,
    END_DOF,
    END_FRICTION,
    END_PLAIN,
    END_ROW,
    FIRST_BLOCK,
    FIRST_CONE,
    FIRST_DOF,
    FIRST_ROW,
    ISLAND,
    whole_problem,
)

ROUNDING = 1e-15  # of a sum, relative
SHORT = 1e-3  # part of Newton's step from which on its gain tells how near the minimum is
MUCH = 1e-3  # part of the cost that is worth more steps where a gain tells nothing
MINUTE = 1e-6  # step below which a minimum is looked for among magnitudes, not by halves


@kernel
def fwd_constraint(m, d):
    """Acceleration and constraint force.

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
        newton(m, d, make_hessian, solve_hessian)
        release_idle(m, d)


@kernel
def start_free(m, d):
    """Motion without constraints: the smooth acceleration, no force and no iteration."""
    zero = zero_like(d.qacc)
    for k in range(NISLAND):
        d.solver_niter[k] = zero
    for dof in range(m.nv):
        d.qacc[dof] = d.qacc_smooth[dof]
        d.qfrc_constraint[dof] = zero


@kernel
def prepare_rows(m, d):
    """Copy the inverse regularization of each block to its rows."""
    for b in range(d.count[COUNT_BLOCK]):
        row, stiff = d.block_row[b], d.block_D[b]
        for k in range(block_rows(d, b)):
            d.row_D[row + k] = stiff * row_stiffness(m, d, b, k)
        if d.block_type[b] <= CNSTR_FRICTION_TENDON:
            d.row_floss[row] = d.block_floss[b]
            d.row_bound[row] = d.block_bound[b]


@kernel
def start_point(m, d, costs):
    """Start from the better of the last acceleration and the unconstrained one.

    Writes: qacc, sol_Ma = M qacc, row_jar = J qacc - aref.

    Args:
        m: model.
        d: data.
        costs: kernel that returns the cost of all rows at `row_jar` and at `row_jv`.
    """
    nrow = d.count[COUNT_ROW]
    # cold start: unconstrained acceleration
    mul_jac(m, d, d.row_jar, d.qacc_smooth)
    for r in range(nrow):
        d.row_jar[r] = d.row_jar[r] - d.row_aref[r]
    for dof in range(m.nv):
        d.sol_Ma[dof] = d.qfrc_smooth[dof]
    if m.opt_disableflags[0] & DSBL_WARMSTART:
        return
    # warm start: last acceleration
    for tree in range(m.ntree):
        warm_start(m, d, m.tree_dofadr[tree], m.tree_dofadr[tree] + m.tree_dofnum[tree])
    mul_jac(m, d, d.row_jv, d.qacc)
    mul_rows(d.sol_Mv, d.M, d.qacc, m.nv, m.M_rownnz, m.M_rowadr, m.M_colind)
    for r in range(nrow):
        d.row_jv[r] = d.row_jv[r] - d.row_aref[r]
    # costs of both, of constraints and of inertia
    cold, warm = costs(m, d)
    for dof in range(m.nv):
        dif = d.qacc[dof] - d.qacc_smooth[dof]
        warm = warm + 0.5 * (d.sol_Mv[dof] - d.qfrc_smooth[dof]) * dif
    # take the better one
    better = mask_not(warm > cold)
    for r in range(nrow):
        d.row_jar[r] = select(better, d.row_jv[r], d.row_jar[r])
    for dof in range(m.nv):
        # trees without constraints have the unconstrained acceleration
        use = better & (d.tree_on[m.dof_treeid[dof]] > 0.0)
        d.qacc[dof] = select(use, d.qacc[dof], d.qacc_smooth[dof])
        d.sol_Ma[dof] = select(use, d.sol_Mv[dof], d.sol_Ma[dof])


@kernel
def warm_start(m, d, first, end):
    """Last acceleration of a tree; at rest none.

    What is left of the motion of a tree at rest is less than the tolerance. Kept over steps in
    which it passes for the minimum, it would add up, be taken back and add up again.
    """
    size = bound = zero_like(d.qacc)
    for dof in range(first, end):
        inertia = d.M[m.M_rowadr[dof] + m.M_rownnz[dof] - 1]
        size = fma(inertia * d.qacc_warmstart[dof], d.qacc_warmstart[dof], size)
        bound = bound + inertia
    rests = size < bound * (m.opt_tolerance[0] * m.opt_tolerance[0])
    for dof in range(first, end):
        d.qacc[dof] = select(rests, 0.0, d.qacc_warmstart[dof])


@kernel
def start_costs(m, d):
    """Costs of the problem's rows at `row_jar` and at `row_jv`."""
    p = d.problem
    cold = warm = zero_like(d.qacc)
    for r in range(p[FIRST_ROW], p[END_PLAIN]):
        cold = cold + row_cost(d, r, d.row_jar[r])
        warm = warm + row_cost(d, r, d.row_jv[r])
    for i in range(p[FIRST_CONE], p[END_BLOCK]):
        cold = cold + cone_cost(d, d.block_list[i], d.row_jar)
        warm = warm + cone_cost(d, d.block_list[i], d.row_jv)
    return cold, warm


@kernel
def row_cost(d, r, x):
    """Cost of one row at violation x = J a - aref."""
    stiff = d.row_D[r]
    if r < d.problem[END_FRICTION]:
        size, bound = absolute(x), d.row_bound[r]
        return select(size < bound, 0.5 * stiff * x * x, d.row_floss[r] * (size - 0.5 * bound))
    return select(x < 0.0, 0.5 * stiff * x * x, 0.0)


@kernel
def update_constraint(m, d):
    """Forces, states and cost at the current point.

    Writes: row_force, row_active (the curvature of each row), qfrc_constraint, sol_grad.

    Returns:
        Cost, squared norm of the gradient, and the mask of lanes in which a row became active or
        inactive.
    """
    zero, p = zero_like(d.qacc), d.problem
    cost = changed = zero
    # equalities and dry friction: Huber functions
    for r in range(p[FIRST_ROW], p[END_FRICTION]):
        x, stiff, bound, loss = d.row_jar[r], d.row_D[r], d.row_bound[r], d.row_floss[r]
        # NaN is inside, so that it shows
        inside = mask_not(absolute(x) >= bound)
        active = select(inside, stiff, 0.0)
        cost = cost + row_cost(d, r, x)
        d.row_force[r] = select(inside, -stiff * x, select(x > 0.0, -loss, loss))
        changed = select(active == d.row_active[r], changed, 1.0)
        d.row_active[r] = active
    # limits and contacts without elliptic cone: one-sided parabolas
    for r in range(p[END_FRICTION], p[END_PLAIN]):
        x = d.row_jar[r]
        active = select(x < 0.0, d.row_D[r], 0.0)
        force = -active * x
        cost = fma(-0.5 * force, x, cost)
        d.row_force[r] = force
        changed = select(active == d.row_active[r], changed, 1.0)
        d.row_active[r] = active
    # elliptic cones
    for i in range(p[FIRST_CONE], p[END_BLOCK]):
        part, other = update_cone(d, d.block_list[i])
        cost, changed = cost + part, changed + other
    # generalized constraint force
    for k in range(p[FIRST_DOF], p[END_DOF]):
        d.qfrc_constraint[d.dof_list[k]] = zero
    add_force(m, d, d.qfrc_constraint, p[FIRST_BLOCK], p[END_BLOCK])
    # cost of inertia, and gradient
    square = zero
    for k in range(p[FIRST_DOF], p[END_DOF]):
        dof = d.dof_list[k]
        pull = d.sol_Ma[dof] - d.qfrc_smooth[dof]
        cost = fma(0.5 * pull, d.qacc[dof] - d.qacc_smooth[dof], cost)
        grad = pull - d.qfrc_constraint[dof]
        d.sol_grad[dof] = grad
        square = fma(grad, grad, square)
    return cost, square, changed > 0.0


@kernel
def newton(m, d, make, solve):
    """Iterate until the scaled improvement or gradient falls below the tolerance.

    Lanes in which the start is proven to be the minimum take no step.

    Args:
        m: model.
        d: data; `problem` says what to solve.
        make: kernel that assembles and factorizes the Hessian of the problem.
        solve: kernel that solves with it, in place in `sol_search`.
    """
    zero, p = zero_like(d.qacc), d.problem
    # no state is known, so that the first Hessian is made
    for r in range(p[FIRST_ROW], p[END_ROW]):
        d.row_active[r] = zero - 1.0
    live = d.lane_on[0] > 0.0
    scale = 1.0 / total_inertia(m, d)
    tolerance = m.opt_tolerance[0]
    # start; lanes in which it is the minimum are done
    cost, square, changed = update_constraint(m, d)
    live = live & mask_not(at_minimum(m, d, live & (scale * sqrt(square) < tolerance), scale))
    niter = zero
    for _ in range(m.opt_iterations[0]):
        if not lane_any(live):
            break
        # Hessian, where states of rows have changed
        if lane_any(live & changed):
            make(m, d)
        # Newton direction and step length
        search_direction(m, d, solve)
        alpha = line_search(m, d, live, scale, zero + 1.0)
        live = live & (alpha != 0.0)
        if not lane_any(live):
            break
        # the rounding of large costs, as of what nothing can push apart, hides what a step gains
        hidden = live & (scale * cost * ROUNDING > tolerance)
        before, gain, left = cost, zero, zero
        if lane_any(hidden):
            gain = expected_gain(d, alpha)
        short = live & (alpha < SHORT)
        if lane_any(short):
            left = expected_gain(d, zero + 1.0)
        # step
        advance(d, live, alpha)
        cost, square, changed = update_constraint(m, d)
        niter = niter + select(live, 1.0, 0.0)
        gain = select(hidden, gain, before - cost)
        # what a row that became active has cut short says nothing about what is left to gain
        stuck = short & (gain > 0.0) & (left > MUCH * cost)
        done = (mask_not(stuck) & (scale * gain < tolerance)) | (scale * sqrt(square) < tolerance)
        live = live & mask_not(done)
    finish_problem(d, niter, live)


@kernel
def finish_problem(d, niter, live):
    """Note the iterations that a problem took, and the lanes that would have gone on."""
    island = d.problem[ISLAND]
    if island < NISLAND:
        d.solver_niter[island] = d.solver_niter[island] + niter
    d.lisl_live[0] = select(live, 1.0, 0.0)


@kernel
def expected_gain(d, alpha):
    """Decrease of a quadratic cost by a step along the search direction, from its slope."""
    slope, p = zero_like(d.qacc), d.problem
    for k in range(p[FIRST_DOF], p[END_DOF]):
        slope = fma(d.sol_search[d.dof_list[k]], d.sol_grad[d.dof_list[k]], slope)
    return -0.5 * alpha * slope


@kernel
def at_minimum(m, d, near, scale):
    """Lanes of a mask in which the present point is proven to be the minimum.

    All curvatures of the cost are at least M. So with a gradient g the cost exceeds its minimum by
    at most g' M^-1 g / 2, the duality gap at the present forces, and the acceleration is off by at
    most sqrt(g' M^-1 g) in the norm of M. The bound on the latter, scaled to an acceleration, is
    the tolerance: 1e-9 of gravity. What is off is less, as rows are stiffer than M.

    Args:
        m: model.
        d: data, after `update_constraint`.
        near: mask of the lanes to be looked at.
        scale: inverse of the inertia that stands for the problem's dofs.

    Returns:
        Mask.
    """
    if lane_any(near):
        p, gap, bound = d.problem, zero_like(d.qacc), m.opt_tolerance[0]
        for k in range(p[FIRST_DOF], p[END_DOF]):
            d.sol_search[d.dof_list[k]] = d.sol_grad[d.dof_list[k]]
        solve_listed(
            d.sol_search, d.qLD, d.qLDiagInv, d.dof_list, p[FIRST_DOF], p[END_DOF],
            m.M_rownnz, m.M_rowadr, m.M_colind,
        )  # fmt: skip
        for k in range(p[FIRST_DOF], p[END_DOF]):
            gap = fma(d.sol_grad[d.dof_list[k]], d.sol_search[d.dof_list[k]], gap)
        near = near & (scale * gap < bound * bound)
    return near


@kernel
def advance(d, live, alpha):
    """Take a step along the search direction in live lanes."""
    p = d.problem
    for r in range(p[FIRST_ROW], p[END_ROW]):
        d.row_jar[r] = select(live, fma(alpha, d.row_jv[r], d.row_jar[r]), d.row_jar[r])
    for k in range(p[FIRST_DOF], p[END_DOF]):
        dof = d.dof_list[k]
        d.qacc[dof] = select(live, fma(alpha, d.sol_search[dof], d.qacc[dof]), d.qacc[dof])
        d.sol_Ma[dof] = select(live, fma(alpha, d.sol_Mv[dof], d.sol_Ma[dof]), d.sol_Ma[dof])


@kernel
def release_idle(m, d):
    """Unconstrained acceleration in the lanes without constraints."""
    idle = mask_not(d.lane_on[0] > 0.0)
    if lane_any(idle):
        for dof in range(m.nv):
            d.qacc[dof] = select(idle, d.qacc_smooth[dof], d.qacc[dof])
            d.qfrc_constraint[dof] = select(idle, 0.0, d.qfrc_constraint[dof])


@kernel
def total_inertia(m, d):
    """Inertia that scales cost and gradient: of the problem's constrained trees, or the mean."""
    if m.opt_disableflags[0] & DSBL_ISLAND:
        return m.stat_meaninertia[0] * max(1, m.nv) + zero_like(d.qacc)
    s, p = zero_like(d.qacc), d.problem
    for k in range(p[FIRST_DOF], p[END_DOF]):
        dof = d.dof_list[k]
        diagonal = d.M[m.M_rowadr[dof] + m.M_rownnz[dof] - 1]
        s = s + select(d.tree_on[m.dof_treeid[dof]] > 0.0, diagonal, 0.0)
    return select(s > 0.0, s, 1.0)


@kernel
def search_direction(m, d, solve):
    """Newton direction, with M and J applied to it."""
    p = d.problem
    for k in range(p[FIRST_DOF], p[END_DOF]):
        dof = d.dof_list[k]
        d.sol_search[dof] = -d.sol_grad[dof]
    solve(m, d)
    apply_direction(m, d)


@kernel
def apply_direction(m, d):
    """M and J applied to the search direction."""
    p = d.problem
    mul_listed(
        d.sol_Mv, d.M, d.sol_search, d.dof_list, p[FIRST_DOF], p[END_DOF],
        m.M_rownnz, m.M_rowadr, m.M_colind,
    )  # fmt: skip
    mul_blocks(m, d, d.row_jv, d.sol_search, p[FIRST_BLOCK], p[END_BLOCK])


@kernel
def line_search(m, d, live, scale, first):
    """Exact minimum along the search direction, by safeguarded Newton iterations on the slope.

    Args:
        m: model.
        d: data.
        live: mask of the lanes that search.
        scale: of costs, 1 / total inertia.
        first: step length that is tried first.

    Returns:
        Step length; 0 in lanes without progress.
    """
    zero = zero_like(d.qacc)
    slope0, curve0, length = direction_parts(d)
    # NaN moves on, so that a bad acceleration shows
    moving = live & mask_not(length < MINVAL)
    goal = m.opt_tolerance[0] * m.opt_ls_tolerance[0] * length / scale
    # an open bracket
    alpha, low, high = first, zero, zero + 1e300
    searching, last, best, least = moving, high, alpha, high
    for _ in range(m.opt_ls_iterations[0]):
        slope, curve = line_slope(d, alpha, slope0, curve0)
        searching = searching & mask_not(absolute(slope) < goal)
        if not lane_any(searching):
            break
        # what counts where the goal lies below rounding, or the iterations end
        size = absolute(slope)
        better = size < least
        best, least = select(better, alpha, best), select(better, size, least)
        # narrow the bracket
        down = slope < 0.0
        low = select(searching & down, alpha, low)
        high = select(searching & mask_not(down), alpha, high)
        # Newton's step on the slope
        step = alpha - slope / select(curve > 0.0, curve, 1.0)
        # bisect where the slope does not halve: its kinks can send Newton's steps to and fro
        closed = high < 1e299
        inside = (step > low) & (step < high) & mask_not(closed & (size > 0.5 * last))
        last = size
        middle = select(closed, 0.5 * (low + high), 2.0 * alpha)
        # along preconditioned gradients, stiff rows may leave steps of 1e-12 only; not of NaN
        minute = closed & (high < MINUTE) & (low < 1e-3 * high) & (size >= 0.0)
        if lane_any(minute):
            middle = select(minute, select(low > 0.0, sqrt(low * high), high * high), middle)
        step = select(inside, step, middle)
        # bracket exhausted: no better number lies between
        searching = searching & (step != alpha)
        alpha = select(searching, step, alpha)
    alpha = select(searching, best, alpha)
    return select(moving, alpha, 0.0)


@kernel
def direction_parts(d):
    """Slope and curvature of the cost by inertia, and the length of the search direction."""
    p, slope0 = d.problem, zero_like(d.qacc)
    curve0 = square = slope0
    for k in range(p[FIRST_DOF], p[END_DOF]):
        dof = d.dof_list[k]
        v = d.sol_search[dof]
        slope0 = fma(v, d.sol_Ma[dof] - d.qfrc_smooth[dof], slope0)
        curve0 = fma(v, d.sol_Mv[dof], curve0)
        square = fma(v, v, square)
    return slope0, curve0, sqrt(square)


@kernel
def line_slope(d, alpha, slope0, curve0):
    """First and second derivative of the cost along the search direction."""
    # inertia
    slope, curve, p = fma(alpha, curve0, slope0), curve0, d.problem
    # equalities and dry friction
    for r in range(p[FIRST_ROW], p[END_FRICTION]):
        v, stiff, loss = d.row_jv[r], d.row_D[r], d.row_floss[r]
        x = fma(alpha, v, d.row_jar[r])
        inside = absolute(x) < d.row_bound[r]
        slope = fma(v, select(inside, stiff * x, select(x > 0.0, loss, -loss)), slope)
        curve = fma(v * select(inside, stiff, 0.0), v, curve)
    # limits and contacts without elliptic cone
    for r in range(p[END_FRICTION], p[END_PLAIN]):
        v = d.row_jv[r]
        x = fma(alpha, v, d.row_jar[r])
        pull = select(x < 0.0, d.row_D[r], 0.0) * v
        slope = fma(pull, x, slope)
        curve = fma(pull, v, curve)
    # elliptic cones
    for i in range(p[FIRST_CONE], p[END_BLOCK]):
        first, second = cone_slope(d, d.block_list[i], alpha)
        slope, curve = slope + first, curve + second
    return slope, curve
