"""Projected Gauss-Seidel on the dual problem: MuJoCo's documentation, Computation, "PGS".

The forces f of a world minimize 1/2 f' (A + R) f + b' f within their bounds, A = J M^-1 J' and
b = J a0 - aref. A sweep visits the rows (elliptic contacts: their rows together) in a random order;
each visit moves to the minimum over that block. The gradient A f + b is kept up to date. The items
of a pack take turns visit by visit: their chains of operations are independent and overlap.
"""

from ..enums import (
    CNSTR_CONTACT_ELLIPTIC,
    CNSTR_EQUALITY,
    CNSTR_FRICTION_TENDON,
    COUNT_BLOCK,
    COUNT_ROW,
    DSBL_WARMSTART,
    NISLAND,
)
from ..inertia import solve_rows
from ..islands import island_problem
from ..kernel import kernel
from ..lanes import absolute, fma, get_lane, set_lane, sqrt, zero_like
from ..rows import add_force, mul_jac
from .cone import MIDDLE
from .dual_cone import visit_cone
from .items import (
    INERTIA,
    ISLAND,
    LANE,
    LIVE,
    NITEM,
    NITER,
    NROW,
    NSTRIP,
    NVISIT,
    ROWADR,
    V_BIAS,
    V_DIAGONAL,
    V_FORCE,
    V_HIGH,
    V_INVERSE,
    V_LOW,
    V_RESIDUAL,
    VECTORS,
    list_items,
)
from .newton import prepare_rows, update_constraint
from .problem import whole_problem
from .shuffle import seed_item, shuffle_visits

WORSE = 1e-10  # a visit that raises the cost by more is taken back


@kernel
def fwd_pgs(m, d):
    """Acceleration and constraint force by the dual solver.

    Reads: block_*, row_aref, M, qLD, qLDiagInv, qacc_smooth, qfrc_smooth, qacc_warmstart, time.
    Writes: qacc (m/s^2, rad/s^2), qfrc_constraint (N, N m), row_force (N, N m), row_active,
        solver_niter.
    """
    zero = zero_like(d.qacc)
    for k in range(NISLAND):
        d.solver_niter[k] = zero
    for dof in range(m.nv):
        d.qacc[dof] = d.qacc_smooth[dof]
        d.qfrc_constraint[dof] = zero
    if d.count[COUNT_BLOCK] > 0:
        prepare_rows(m, d)
        list_items(m, d)
        start_forces(m, d)
        sweep_items(m, d)
        finish_forces(m, d)


@kernel
def start_forces(m, d):
    """Start from the forces at the last acceleration, or from none where these cost less."""
    warm = not m.opt_disableflags[0] & DSBL_WARMSTART
    if warm:
        mul_jac(m, d, d.row_jar, d.qacc_warmstart)
        for r in range(d.count[COUNT_ROW]):
            d.row_jar[r] = d.row_jar[r] - d.row_aref[r]
        if m.is_scene:
            for k in range(d.isl_num[0]):
                island_problem(d, k)
                update_constraint(m, d)
        else:
            whole_problem(m, d)
            update_constraint(m, d)
    mul_jac(m, d, d.row_jv, d.qacc_smooth)
    for r in range(d.count[COUNT_ROW]):
        d.row_jv[r] = d.row_jv[r] - d.row_aref[r]
    lane, first = 0, 0
    while first < d.nitem_used[0]:
        lane, end, cost = d.item[NITEM * first + LANE], first, 0.0
        while end < d.nitem_used[0] and d.item[NITEM * end + LANE] == lane:
            cost = cost + start_item(m, d, end, lane, warm)
            end += 1
        if cost > 0.0:
            for k in range(first, end):
                drop_forces(d, k)
        first = end


@kernel
def start_item(m, d, k, lane, warm):
    """Bias, force and gradient of an item.

    Returns:
        Dual cost.
    """
    at, width = NITEM * k, m.width
    nstrip, n, first = d.item[at + NSTRIP], d.item[at + NROW], d.item[at + ROWADR]
    step, start = nstrip * width, d.item[at + VECTORS] * width
    for r in range(n):
        source = d.item_row[first + r]
        bias = get_lane(d.row_jv, source, lane)
        d.number[start + V_BIAS * step + r] = bias
        d.number[start + V_RESIDUAL * step + r] = bias
        if warm:
            d.number[start + V_FORCE * step + r] = get_lane(d.row_force, source, lane)
    cost = 0.0
    if warm:
        for r in range(n):
            add_row(d, k, r, d.number[start + V_FORCE * step + r])
        for r in range(n):
            both = d.number[start + V_BIAS * step + r] + d.number[start + V_RESIDUAL * step + r]
            cost = fma(0.5 * d.number[start + V_FORCE * step + r], both, cost)
    return cost


@kernel
def drop_forces(d, k):
    """No forces in an item."""
    at = NITEM * k
    nstrip, start = d.item[at + NSTRIP], d.item[at + VECTORS]
    for s in range(start, start + nstrip):
        d.strip[s + V_FORCE * nstrip] = zero_like(d.qacc)
        d.strip[s + V_RESIDUAL * nstrip] = d.strip[s + V_BIAS * nstrip]


@kernel
def add_row(d, k, r, change):
    """Change the force of a row: add its column of A + R to the gradient."""
    at = NITEM * k
    nstrip = d.item[at + NSTRIP]
    row, to = d.item[at + INERTIA] + r * nstrip, d.item[at + VECTORS] + V_RESIDUAL * nstrip
    for s in range(nstrip):
        d.strip[to + s] = fma(change, d.strip[row + s], d.strip[to + s])


@kernel
def sweep_items(m, d):
    """Sweep all items until the improvement by a sweep, scaled, falls below the tolerance."""
    scale = 1.0 / (m.stat_meaninertia[0] * max(1, m.nv))
    nitem = d.nitem_used[0]
    for k in range(nitem):
        seed_item(m, d, k)
    for _ in range(m.opt_iterations[0]):
        nvisit = 0
        for k in range(nitem):
            if d.item[NITEM * k + LIVE]:
                shuffle_visits(d, k)
                d.item_gain[k] = 0.0
                nvisit = max(nvisit, d.item[NITEM * k + NVISIT])
        if nvisit == 0:
            break
        for v in range(nvisit):
            for k in range(nitem):
                at = NITEM * k
                if d.item[at + LIVE] and v < d.item[at + NVISIT]:
                    visit(m, d, k, d.item_visit[d.item[at + ROWADR] + v])
        for k in range(nitem):
            at = NITEM * k
            if d.item[at + LIVE]:
                d.item[at + NITER] += 1
                if scale * d.item_gain[k] < m.opt_tolerance[0]:
                    d.item[at + LIVE] = 0


@kernel
def visit(m, d, k, r):
    """Move the force of one row, or of one elliptic contact, to its minimum within the bounds."""
    at = NITEM * k
    b = d.item_block[d.item[at + ROWADR] + r]
    if d.block_type[b] == CNSTR_CONTACT_ELLIPTIC:
        visit_cone(m, d, k, r, b, add_row)
        return
    step = d.item[at + NSTRIP] * m.width
    x = d.item[at + VECTORS] * m.width + r
    before, slope = d.number[x + V_FORCE * step], d.number[x + V_RESIDUAL * step]
    force = before - slope * d.number[x + V_INVERSE * step]
    force = max(min(force, d.number[x + V_HIGH * step]), d.number[x + V_LOW * step])
    change = force - before
    cost = change * (0.5 * change * d.number[x + V_DIAGONAL * step] + slope)
    if change != 0.0 and not cost > WORSE:
        d.item_gain[k] -= cost
        d.number[x + V_FORCE * step] = force
        add_row(d, k, r, change)


@kernel
def finish_forces(m, d):
    """Forces and states of the pack's rows, and what they do to the joints."""
    zero = zero_like(d.qacc)
    for r in range(d.count[COUNT_ROW]):
        d.row_force[r] = zero
        d.row_active[r] = zero
    for k in range(d.nitem_used[0]):
        at = NITEM * k
        lane, first, n = d.item[at + LANE], d.item[at + ROWADR], d.item[at + NROW]
        if d.item[at + ISLAND] < NISLAND:
            set_lane(d.solver_niter, d.item[at + ISLAND], lane, 1.0 * d.item[at + NITER])
        x = (d.item[at + VECTORS] + V_FORCE * d.item[at + NSTRIP]) * m.width
        for r in range(n):
            row, force = d.item_row[first + r], d.number[x + r]
            set_lane(d.row_force, row, lane, force)
            set_lane(d.row_active, row, lane, dual_state(m, d, k, r, force))
    for dof in range(m.nv):
        d.qfrc_constraint[dof] = zero
    add_force(m, d, d.qfrc_constraint, 0, d.count[COUNT_BLOCK])
    for dof in range(m.nv):
        d.qacc[dof] = d.qfrc_constraint[dof]
    solve_rows(d.qacc, d.qLD, d.qLDiagInv, m.nv, m.M_rownnz, m.M_rowadr, m.M_colind)
    for dof in range(m.nv):
        d.qacc[dof] = d.qacc_smooth[dof] + d.qacc[dof]


@kernel
def dual_state(m, d, k, r, force):
    """Curvature of a row's cost that belongs to its force, as the primal solvers enter it."""
    at = NITEM * k
    adr, lane = d.item[at + ROWADR], d.item[at + LANE]
    b, row = d.item_block[adr + r], d.item_row[adr + r]
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
    at = NITEM * k
    lane, x = d.item[at + LANE], (d.item[at + VECTORS] + V_FORCE * d.item[at + NSTRIP]) * m.width
    mu, square = get_lane(d.block_cone, b, lane), 0.0
    for j in range(1, d.block_dim[b]):
        t = d.number[x + r + j] / get_lane(d.block_mu, 5 * b + j - 1, lane)
        square = square + t * t
    normal, side = d.number[x + r] / mu, sqrt(square)
    if mu * normal >= side:
        return 0.0
    return stiff if normal + mu * side <= 0.0 else MIDDLE
