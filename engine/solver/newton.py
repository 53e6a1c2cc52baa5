"""Newton's method on the primal problem: MuJoCo's documentation, Computation, "Constraint solver".

The acceleration minimizes 1/2 (a - a0)' M (a - a0) + s(J a - aref), where a0 is the unconstrained
acceleration and s a sum of
parabolas (equalities: a Huber function without bound), one-sided parabolas (limits, contacts) and
Huber functions (dry friction). The lanes of a pack share
the iterations;
a lane that has converged is frozen, so that its result is the one it would have alone. All rows of
the pack take part in
all lanes; where `block_D` is 0 a row adds exactly nothing.
"""

from ..constraint import block_rows, mul_jac, row_stiffness
from ..enums import (
    CNSTR_CONTACT_PYRAMIDAL,
    COUNT_BLOCK,
    COUNT_CONE,
    COUNT_COUPLED,
    COUNT_FRICTION,
    COUNT_PLAIN,
    COUNT_ROW,
    DSBL_ISLAND,
    DSBL_WARMSTART,
)
from ..inertia import mul_rows, solve_rows
from ..kernel import kernel
from ..lanes import MINVAL, absolute, fma, lane_any, mask_not, select, sqrt, zero_like
from .cone import cone_cost, cone_slope, update_cone
from .hessian import make_hessian


@kernel
def fwd_constraint(m, d):
    """Acceleration and constraint force.

    Reads: block_*, row_aref, M, qLD, qLDiagInv, qacc_smooth, qfrc_smooth, qacc_warmstart, lane_on,
        tree_on.
    Writes: qacc (m/s^2, rad/s^2), qfrc_constraint (N, N m), row_force (N, N m), row_active,
        solver_niter.
    """
    zero = zero_like(d.qacc)
    d.solver_niter[0] = zero
    for dof in range(m.nv):
        d.qacc[dof] = d.qacc_smooth[dof]
        d.qfrc_constraint[dof] = zero
    if d.count[COUNT_BLOCK] > 0:
        prepare_rows(m, d)
        start_point(m, d)
        newton(m, d)


@kernel
def prepare_rows(m, d):
    """Copy the inverse regularization of each block to its rows."""
    for b in range(d.count[COUNT_BLOCK]):
        row, stiff = d.block_row[b], d.block_D[b]
        for k in range(block_rows(d, b)):
            d.row_D[row + k] = stiff * row_stiffness(m, d, b, k)
        if row < d.count[COUNT_FRICTION]:
            d.row_floss[row] = d.block_floss[b]
            d.row_bound[row] = d.block_bound[b]


@kernel
def start_point(m, d):
    """Start from the better of the last acceleration and the unconstrained one.

    Writes: qacc, sol_Ma = M qacc, row_jar = J qacc - aref.
    """
    zero = zero_like(d.qacc)
    nrow = d.count[COUNT_ROW]
    mul_jac(m, d, d.row_jar, d.qacc_smooth)
    for r in range(nrow):
        d.row_jar[r] = d.row_jar[r] - d.row_aref[r]
    for dof in range(m.nv):
        d.sol_Ma[dof] = d.qfrc_smooth[dof]
    if m.opt_disableflags[0] & DSBL_WARMSTART:
        return
    mul_jac(m, d, d.row_jv, d.qacc_warmstart)
    mul_rows(d.sol_Mv, d.M, d.qacc_warmstart, m.nv, m.M_rownnz, m.M_rowadr, m.M_colind)
    cold = warm = zero
    for r in range(nrow):
        d.row_jv[r] = d.row_jv[r] - d.row_aref[r]
    for r in range(d.count[COUNT_PLAIN]):
        cold = cold + row_cost(d, r, d.row_jar[r])
        warm = warm + row_cost(d, r, d.row_jv[r])
    for b in range(d.count[COUNT_CONE], d.count[COUNT_BLOCK]):
        cold = cold + cone_cost(d, b, d.row_jar)
        warm = warm + cone_cost(d, b, d.row_jv)
    for dof in range(m.nv):
        dif = d.qacc_warmstart[dof] - d.qacc_smooth[dof]
        warm = warm + 0.5 * (d.sol_Mv[dof] - d.qfrc_smooth[dof]) * dif
    better = mask_not(warm > cold)
    for r in range(nrow):
        d.row_jar[r] = select(better, d.row_jv[r], d.row_jar[r])
    for dof in range(m.nv):
        # trees without constraints have the unconstrained acceleration
        use = better & (d.tree_on[m.dof_treeid[dof]] > 0.0)
        d.qacc[dof] = select(use, d.qacc_warmstart[dof], d.qacc_smooth[dof])
        d.sol_Ma[dof] = select(use, d.sol_Mv[dof], d.sol_Ma[dof])


@kernel
def row_cost(d, r, x):
    """Cost of one row at violation x = J a - aref."""
    stiff = d.row_D[r]
    if r < d.count[COUNT_FRICTION]:
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
    zero = zero_like(d.qacc)
    cost = changed = zero
    nfriction = d.count[COUNT_FRICTION]
    for r in range(nfriction):
        x, stiff, bound, loss = d.row_jar[r], d.row_D[r], d.row_bound[r], d.row_floss[r]
        inside = absolute(x) < bound
        active = select(inside, stiff, 0.0)
        cost = cost + row_cost(d, r, x)
        d.row_force[r] = select(inside, -stiff * x, select(x > 0.0, -loss, loss))
        changed = select(active == d.row_active[r], changed, 1.0)
        d.row_active[r] = active
    for r in range(nfriction, d.count[COUNT_PLAIN]):
        x = d.row_jar[r]
        active = select(x < 0.0, d.row_D[r], 0.0)
        force = -active * x
        cost = fma(-0.5 * force, x, cost)
        d.row_force[r] = force
        changed = select(active == d.row_active[r], changed, 1.0)
        d.row_active[r] = active
    for b in range(d.count[COUNT_CONE], d.count[COUNT_BLOCK]):
        part, other = update_cone(d, b)
        cost, changed = cost + part, changed + other
    for dof in range(m.nv):
        d.qfrc_constraint[dof] = zero
    add_jacT(m, d, d.qfrc_constraint)
    square = zero
    for dof in range(m.nv):
        pull = d.sol_Ma[dof] - d.qfrc_smooth[dof]
        cost = fma(0.5 * pull, d.qacc[dof] - d.qacc_smooth[dof], cost)
        grad = pull - d.qfrc_constraint[dof]
        d.sol_grad[dof] = grad
        square = fma(grad, grad, square)
    return cost, square, changed > 0.0


@kernel
def add_jacT(m, d, result):
    """result += J' row_force."""
    for b in range(d.count[COUNT_BLOCK]):
        adr, n, chainadr = d.block_adr[b], d.block_chainnum[b], d.block_chainadr[b]
        dim, row = d.block_dim[b], d.block_row[b]
        if d.block_type[b] != CNSTR_CONTACT_PYRAMIDAL:
            for k in range(dim):
                add_chain(m, d, result, adr + k * n, n, chainadr, d.row_force[row + k])
        elif dim == 3:
            f1, f2, f3, f4 = (
                d.row_force[row],
                d.row_force[row + 1],
                d.row_force[row + 2],
                d.row_force[row + 3],
            )
            normal = (f1 + f2) + (f3 + f4)
            side, other = (f1 - f2) * d.block_mu[5 * b], (f3 - f4) * d.block_mu[5 * b + 1]
            for k in range(n):
                dof = d.chain_dof[chainadr + k]
                s = fma(d.block_jac[adr + k], normal, result[dof])
                s = fma(d.block_jac[adr + n + k], side, s)
                result[dof] = fma(d.block_jac[adr + 2 * n + k], other, s)
        else:
            normal = zero_like(d.qacc)
            for k in range(dim - 1):
                plus, minus = d.row_force[row + 2 * k], d.row_force[row + 2 * k + 1]
                normal = normal + (plus + minus)
                add_chain(
                    m,
                    d,
                    result,
                    adr + (k + 1) * n,
                    n,
                    chainadr,
                    (plus - minus) * d.block_mu[5 * b + k],
                )
            add_chain(m, d, result, adr, n, chainadr, normal)


@kernel
def add_chain(m, d, result, adr, n, chainadr, force):
    """Add the generalized force of one basis direction."""
    for k in range(n):
        dof = d.chain_dof[chainadr + k]
        result[dof] = fma(d.block_jac[adr + k], force, result[dof])


@kernel
def newton(m, d):
    """Iterate until the scaled improvement or gradient falls below the tolerance."""
    zero = zero_like(d.qacc)
    nrow = d.count[COUNT_ROW]
    for r in range(nrow):
        d.row_active[r] = zero - 1.0
    live = d.lane_on[0] > 0.0
    scale = 1.0 / total_inertia(m, d)
    tolerance = m.opt_tolerance[0]
    cost, square, changed = update_constraint(m, d)
    for _ in range(m.opt_iterations[0]):
        if lane_any(live & changed):
            make_hessian(m, d)
        search_direction(m, d)
        alpha = line_search(m, d, live, scale)
        live = live & (alpha != 0.0)
        if not lane_any(live):
            break
        for r in range(nrow):
            d.row_jar[r] = select(live, fma(alpha, d.row_jv[r], d.row_jar[r]), d.row_jar[r])
        for dof in range(m.nv):
            d.qacc[dof] = select(live, fma(alpha, d.sol_search[dof], d.qacc[dof]), d.qacc[dof])
            d.sol_Ma[dof] = select(live, fma(alpha, d.sol_Mv[dof], d.sol_Ma[dof]), d.sol_Ma[dof])
        before = cost
        cost, square, changed = update_constraint(m, d)
        d.solver_niter[0] = d.solver_niter[0] + select(live, 1.0, 0.0)
        done = (scale * (before - cost) < tolerance) | (scale * sqrt(square) < tolerance)
        live = live & mask_not(done)
        if not lane_any(live):
            break
    idle = mask_not(d.lane_on[0] > 0.0)
    if lane_any(idle):
        for dof in range(m.nv):
            d.qacc[dof] = select(idle, d.qacc_smooth[dof], d.qacc[dof])
            d.qfrc_constraint[dof] = select(idle, 0.0, d.qfrc_constraint[dof])


@kernel
def total_inertia(m, d):
    """Inertia that scales cost and gradient: of the constrained trees, or the model's mean."""
    if m.opt_disableflags[0] & DSBL_ISLAND:
        return m.stat_meaninertia[0] * max(1, m.nv) + zero_like(d.qacc)
    s = zero_like(d.qacc)
    for dof in range(m.nv):
        diagonal = d.M[m.M_rowadr[dof] + m.M_rownnz[dof] - 1]
        s = s + select(d.tree_on[m.dof_treeid[dof]] > 0.0, diagonal, 0.0)
    return select(s > 0.0, s, 1.0)


@kernel
def search_direction(m, d):
    """Newton direction, with M and J applied to it."""
    for dof in range(m.nv):
        d.sol_search[dof] = -d.sol_grad[dof]
    if d.count[COUNT_COUPLED]:
        solve_rows(
            d.sol_search, d.sol_H, d.sol_Hinv, m.nv, m.dense_rownnz, m.dense_rowadr, m.dense_colind
        )
    else:
        solve_rows(
            d.sol_search, d.sol_H, d.sol_Hinv, m.nv, m.chain_rownnz, m.chain_rowadr, m.chain_colind
        )
    mul_rows(d.sol_Mv, d.M, d.sol_search, m.nv, m.M_rownnz, m.M_rowadr, m.M_colind)
    mul_jac(m, d, d.row_jv, d.sol_search)


@kernel
def line_search(m, d, live, scale):
    """Exact minimum along the search direction, by safeguarded Newton iterations on the slope.

    Returns:
        Step length; 0 in lanes without progress.
    """
    zero = zero_like(d.qacc)
    slope0 = curve0 = square = zero
    for dof in range(m.nv):
        v = d.sol_search[dof]
        slope0 = fma(v, d.sol_Ma[dof] - d.qfrc_smooth[dof], slope0)
        curve0 = fma(v, d.sol_Mv[dof], curve0)
        square = fma(v, v, square)
    length = sqrt(square)
    # NaN moves on, so that a bad acceleration shows
    moving = live & mask_not(length < MINVAL)
    goal = m.opt_tolerance[0] * m.opt_ls_tolerance[0] * length / scale
    alpha, low, high = zero + 1.0, zero, zero + 1e300
    searching, last = moving, high
    for _ in range(m.opt_ls_iterations[0]):
        slope, curve = line_slope(d, alpha, slope0, curve0)
        searching = searching & mask_not(absolute(slope) < goal)
        if not lane_any(searching):
            break
        down = slope < 0.0
        low = select(searching & down, alpha, low)
        high = select(searching & mask_not(down), alpha, high)
        step = alpha - slope / select(curve > 0.0, curve, 1.0)
        # bisect where the slope does not halve: its kinks can send Newton's steps to and fro
        size, closed = absolute(slope), high < 1e299
        inside = (step > low) & (step < high) & mask_not(closed & (size > 0.5 * last))
        last = size
        middle = select(closed, 0.5 * (low + high), 2.0 * alpha)
        step = select(inside, step, middle)
        # bracket exhausted: no better number lies between
        searching = searching & (step != alpha)
        alpha = select(searching, step, alpha)
    return select(moving, alpha, 0.0)


@kernel
def line_slope(d, alpha, slope0, curve0):
    """First and second derivative of the cost along the search direction."""
    slope, curve = fma(alpha, curve0, slope0), curve0
    nfriction = d.count[COUNT_FRICTION]
    for r in range(nfriction):
        v, stiff, loss = d.row_jv[r], d.row_D[r], d.row_floss[r]
        x = fma(alpha, v, d.row_jar[r])
        inside = absolute(x) < d.row_bound[r]
        slope = fma(v, select(inside, stiff * x, select(x > 0.0, loss, -loss)), slope)
        curve = fma(v * select(inside, stiff, 0.0), v, curve)
    for r in range(nfriction, d.count[COUNT_PLAIN]):
        v = d.row_jv[r]
        x = fma(alpha, v, d.row_jar[r])
        pull = select(x < 0.0, d.row_D[r], 0.0) * v
        slope = fma(pull, x, slope)
        curve = fma(pull, v, curve)
    for b in range(d.count[COUNT_CONE], d.count[COUNT_BLOCK]):
        first, second = cone_slope(d, b, alpha)
        slope, curve = slope + first, curve + second
    return slope, curve
