"""Newton's method of `newton.py` in the space of the constraint rows, world by world.

Started at a = a0 + w, all iterates have the form a = a0 + c w + M^-1 J' y with a number c and a
vector y over the rows (a step reaches a0 + M^-1 J' y* with y* = force; the Woodbury identity). What
a step needs follows from A = J M^-1 J', b = J a0 - aref and u = J w: the violation is
x = b + c u + A y, and the forces that the quadratic model at x makes optimal solve
(A + R) y* = -b over its active rows. A world has a fraction of the rows of its pack, so that small
systems take the place of large ones that are mostly idle. For rows that are independent of each
other only: no elliptic cones.
"""

from ..enums import COUNT_BLOCK, COUNT_ROW, DSBL_ISLAND, NISLAND
from ..inertia import solve_rows
from ..kernel import kernel
from ..lanes import absolute, fma, get_lane, select, set_lane, sqrt, zero_like
from ..rows import add_force, mul_jac
from .items import (
    DOFADR,
    FACTOR,
    INERTIA,
    ISLAND,
    LANE,
    NDOF,
    NITEM,
    NITER,
    NNUMBER,
    NROW,
    NSTRIP,
    R_ACTIVE,
    R_BIAS,
    R_CHANGE,
    R_FORCE,
    R_HIGH,
    R_LOW,
    R_MULTIPLIER,
    R_SOFT,
    R_START,
    R_STIFF,
    R_VIOLATION,
    ROWADR,
    ROWS,
    SLOPE,
    list_items,
)
from .newton import prepare_rows, start_costs, start_point
from .problem import whole_problem

ROUNDING = 1e-14


@kernel
def fwd_constraint_rows(m, d):
    """Acceleration and constraint force.

    Reads: block_*, row_aref, M, qLD, qLDiagInv, qacc_smooth, qfrc_smooth, qacc_warmstart, tree_on.
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
        whole_problem(m, d)
        start_point(m, d, start_costs)
        mul_jac(m, d, d.row_jv, d.qacc_smooth)
        for r in range(d.count[COUNT_ROW]):
            d.row_jv[r] = d.row_jv[r] - d.row_aref[r]
        for dof in range(m.nv):
            d.sol_search[dof] = d.qacc[dof] - d.qacc_smooth[dof]
            d.sol_Mv[dof] = d.sol_Ma[dof] - d.qfrc_smooth[dof]
        list_items(m, d)
        for k in range(d.nitem_used[0]):
            start_rows(m, d, k)
            minimize(m, d, k)
        finish_rows(m, d)


@kernel
def start_rows(m, d, k):
    """Bias and violation of the rows of an item at the start."""
    at = NITEM * k
    lane, first, x = d.item[at + LANE], d.item[at + ROWADR], d.item[at + ROWS] * m.width
    for r in range(d.item[at + NROW]):
        source = d.item_row[first + r]
        bias, violation = get_lane(d.row_jv, source, lane), get_lane(d.row_jar, source, lane)
        d.number[x + R_BIAS], d.number[x + R_VIOLATION] = bias, violation
        d.number[x + R_START], d.number[x + R_ACTIVE] = violation - bias, -1.0
        d.number[x + R_STIFF] = get_lane(d.row_D, source, lane)
        x += NNUMBER


@kernel
def start_energy(m, d, k):
    """The start's share of the cost, w' M w, and the sum of inertias that scales the cost."""
    at = NITEM * k
    lane, dofadr = d.item[at + LANE], d.item[at + DOFADR]
    energy = inertia = 0.0
    for i in range(dofadr, dofadr + d.item[at + NDOF]):
        dof = d.item_dof[i]
        start = get_lane(d.sol_search, dof, lane)
        energy = fma(start, get_lane(d.sol_Mv, dof, lane), energy)
        inertia = inertia + get_lane(d.M, m.M_rowadr[dof] + m.M_rownnz[dof] - 1, lane)
    if m.opt_disableflags[0] & DSBL_ISLAND:
        inertia = get_lane(m.stat_meaninertia, 0, lane) * max(1, m.nv)
    return energy, inertia


@kernel
def minimize(m, d, k):
    """Iterate until the scaled improvement falls below the tolerance or the minimum is met."""
    at, number, share, niter = NITEM * k, d.number, 1.0, 0
    n, rows = d.item[at + NROW], d.item[at + ROWS] * m.width
    energy, inertia = start_energy(m, d, k)
    goal = get_lane(m.opt_tolerance, 0, d.item[at + LANE]) * inertia
    cost, _ = update_rows(d, rows, n, share, energy)
    while niter < m.opt_iterations[0]:
        aim(m, d, k)
        slopes = change_violation(m, d, k, share)
        alpha = search_line(m, d, k, share, energy, slopes, inertia)
        if alpha == 0.0:
            break
        for r in range(n):
            x, v = rows + r * NNUMBER, number[slopes + r]
            number[x + R_VIOLATION] = fma(alpha, v, number[x + R_VIOLATION])
            number[x + R_MULTIPLIER] = fma(alpha, number[x + R_CHANGE], number[x + R_MULTIPLIER])
        share = share - alpha * share
        before = cost
        cost, changed = update_rows(d, rows, n, share, energy)
        niter += 1
        # a full step within the same rows has met the minimum: no gradient is left
        if before - cost < goal or (changed == 0 and alpha == 1.0):
            break
    d.item[at + NITER] = niter
    # the rest of the start that is left in the acceleration
    d.item_share[k] = share


@kernel
def update_rows(d, rows, n, share, energy):
    """Forces and active rows at the present violation.

    Returns:
        Cost, and the number of rows that became active or inactive.
    """
    number, changed = d.number, 0
    cost = work = start = 0.0
    for r in range(n):
        x = rows + r * NNUMBER
        violation, multiplier = number[x + R_VIOLATION], number[x + R_MULTIPLIER]
        low, high, stiff = number[x + R_LOW], number[x + R_HIGH], number[x + R_STIFF]
        free = -stiff * violation
        force = select(free > low, select(free < high, free, high), low)
        active = select((free > low) & (free < high), stiff, 0.0)
        changed += 1 if active != number[x + R_ACTIVE] else 0
        number[x + R_FORCE], number[x + R_ACTIVE] = force, active
        cost = cost - force * fma(0.5 * force, number[x + R_SOFT], violation)
        work = fma(multiplier, violation - number[x + R_BIAS], work)
        start = fma(multiplier, number[x + R_START], start)
    return cost + 0.5 * (share * fma(share, energy, start) + work), changed


@kernel
def aim(m, d, k):
    """Change of the multipliers to the minimum of the quadratic model: (A + R) y* = -b.

    Gaussian elimination of the active rows, the right side as a last column.
    """
    at, width, number, strip = NITEM * k, m.width, d.number, d.strip
    n, rows, listed = d.item[at + NROW], d.item[at + ROWS] * width, d.item_visit
    first, step = d.item[at + ROWADR], d.item[at + NSTRIP] * width
    inertia, factor = d.item[at + INERTIA] * width, d.item[at + FACTOR]
    size = 0
    for r in range(n):
        x = rows + r * NNUMBER
        number[x + R_CHANGE] = number[x + R_FORCE] - number[x + R_MULTIPLIER]
        if number[x + R_ACTIVE] > 0.0:
            listed[first + size] = r
            size += 1
    nstrip = (size + width) // width
    side = nstrip * width
    for i in range(size):
        r, to = listed[first + i], factor * width + i * side
        row, right = inertia + r * step, -number[rows + r * NNUMBER + R_BIAS]
        for j in range(size):
            number[to + j] = number[row + listed[first + j]]
        number[to + size] = right
    if size < n:
        add_saturated(d, rows, n, listed, first, size, factor * width, side, inertia, step)
    for i in range(size):
        row = factor + i * nstrip
        inverse = 1.0 / number[row * width + i]
        for j in range(i + 1, size):
            scale, to = -(number[row * width + j] * inverse), factor + j * nstrip
            for s in range(i // width, nstrip):
                strip[to + s] = fma(scale, strip[row + s], strip[to + s])
    for i in range(size - 1, -1, -1):
        x = rows + listed[first + i] * NNUMBER
        to = factor * width + i * side
        target = number[to + size] / number[to + i]
        number[x + R_CHANGE] = target - number[x + R_MULTIPLIER]
        for j in range(i):
            at = factor * width + j * side
            number[at + size] = fma(-number[at + i], target, number[at + size])


@kernel
def add_saturated(d, rows, n, listed, first, size, factor, side, inertia, step):
    """Move what rows at the bound of dry friction pull to the right side of the active ones."""
    number = d.number
    for r in range(n):
        x = rows + r * NNUMBER
        force = number[x + R_FORCE]
        if number[x + R_ACTIVE] == 0.0 and force != 0.0:
            for i in range(size):
                pull = number[inertia + listed[first + i] * step + r]
                to = factor + i * side + size
                number[to] = fma(-pull, force, number[to])


@kernel
def change_violation(m, d, k, share):
    """Change of the violation in a full step: A times that of the multipliers, less the start.

    Returns:
        Index of the first number of the result.
    """
    at, width, number, strip = NITEM * k, m.width, d.number, d.strip
    n, nstrip, to = d.item[at + NROW], d.item[at + NSTRIP], d.item[at + SLOPE]
    rows, inertia = d.item[at + ROWS] * width, d.item[at + INERTIA]
    for s in range(nstrip):
        strip[to + s] = zero_like(d.qacc)
    for r in range(n):
        change, row = number[rows + r * NNUMBER + R_CHANGE], inertia + r * nstrip
        if change != 0.0:
            for s in range(nstrip):
                strip[to + s] = fma(change, strip[row + s], strip[to + s])
    for r in range(n):
        x, y = rows + r * NNUMBER, to * width + r
        own = fma(-number[x + R_SOFT], number[x + R_CHANGE], number[y])
        number[y] = fma(-share, number[x + R_START], own)
    return to * width


@kernel
def search_line(m, d, k, share, energy, slopes, inertia):
    """Exact minimum along the step, as `newton.line_search`.

    Returns:
        Step length; 0 without progress.
    """
    at, number = NITEM * k, d.number
    n, rows = d.item[at + NROW], d.item[at + ROWS] * m.width
    slope0 = curve0 = start = turn = size = 0.0
    for r in range(n):
        x, v = rows + r * NNUMBER, number[slopes + r]
        change = number[x + R_CHANGE]
        start = fma(number[x + R_START], number[x + R_MULTIPLIER], start)
        turn = fma(number[x + R_START], change, turn)
        slope0 = fma(change, number[x + R_VIOLATION] - number[x + R_BIAS], slope0)
        curve0 = fma(change, v, curve0)
        size = fma(absolute(change), absolute(number[x + R_VIOLATION] - number[x + R_BIAS]), size)
        size = fma(absolute(change) + absolute(number[x + R_FORCE]), absolute(v), size)
    slope0 = slope0 - share * fma(share, energy, start)
    curve0 = curve0 - share * (turn - share * energy)
    # what is left of these differences is their rounding error
    noise = ROUNDING * (size + share * (absolute(turn) + share * energy))
    if noise == 0.0:
        return 0.0
    # length of the step in the mean inertia
    length = sqrt(max(curve0, 0.0) * d.item[at + NDOF] / inertia)
    lane = d.item[at + LANE]
    tolerance = get_lane(m.opt_tolerance, 0, lane) * get_lane(m.opt_ls_tolerance, 0, lane)
    goal = max(noise, tolerance * length * inertia)
    alpha, low, high, last = 1.0, 0.0, 1e300, 1e300
    for _ in range(m.opt_ls_iterations[0]):
        slope, curve = slope_at(d, rows, n, slopes, alpha, slope0, curve0)
        size = absolute(slope)
        if size < goal:
            break
        if slope < 0.0:
            low = alpha
        else:
            high = alpha
        step = alpha - slope / select(curve > 0.0, curve, 1.0)
        # bisect where the slope does not halve
        closed = high < 1e299
        if not (step > low and step < high) or (closed and size > 0.5 * last):
            step = 0.5 * (low + high) if closed else 2.0 * alpha
        last = size
        if step == alpha:
            break
        alpha = step
    return alpha


@kernel
def slope_at(d, rows, n, slopes, alpha, slope0, curve0):
    """First and second derivative of the cost along the step."""
    number, slope, curve = d.number, fma(alpha, curve0, slope0), curve0
    for r in range(n):
        x, v = rows + r * NNUMBER, number[slopes + r]
        low, high, stiff = number[x + R_LOW], number[x + R_HIGH], number[x + R_STIFF]
        free = -stiff * fma(alpha, v, number[x + R_VIOLATION])
        force = select(free > low, select(free < high, free, high), low)
        slope = fma(-force, v, slope)
        curve = fma(select((free > low) & (free < high), stiff, 0.0) * v, v, curve)
    return slope, curve


@kernel
def finish_rows(m, d):
    """Acceleration of the multipliers, then forces and active rows of the pack."""
    enter_rows(m, d, R_MULTIPLIER)
    for dof in range(m.nv):
        d.qacc[dof] = d.qfrc_constraint[dof]
    solve_rows(d.qacc, d.qLD, d.qLDiagInv, m.nv, m.M_rownnz, m.M_rowadr, m.M_colind)
    for dof in range(m.nv):
        d.qacc[dof] = d.qacc_smooth[dof] + d.qacc[dof]
    for r in range(d.count[COUNT_ROW]):
        d.row_active[r] = zero_like(d.qacc)
    for k in range(d.nitem_used[0]):
        at = NITEM * k
        lane, x = d.item[at + LANE], d.item[at + ROWS] * m.width + R_ACTIVE
        for r in range(d.item[at + NROW]):
            row = d.item_row[d.item[at + ROWADR] + r]
            set_lane(d.row_active, row, lane, d.number[x + r * NNUMBER])
        if d.item_share[k] != 0.0:
            for i in range(d.item[at + DOFADR], d.item[at + DOFADR] + d.item[at + NDOF]):
                dof = d.item_dof[i]
                start = get_lane(d.sol_search, dof, lane)
                set_lane(
                    d.qacc, dof, lane, fma(d.item_share[k], start, get_lane(d.qacc, dof, lane))
                )
        if d.item[at + ISLAND] < NISLAND:
            set_lane(d.solver_niter, d.item[at + ISLAND], lane, 1.0 * d.item[at + NITER])
    enter_rows(m, d, R_FORCE)


@kernel
def enter_rows(m, d, which):
    """Enter a number of the items' rows as forces of the pack's rows, and project them."""
    zero = zero_like(d.qacc)
    for r in range(d.count[COUNT_ROW]):
        d.row_force[r] = zero
    for dof in range(m.nv):
        d.qfrc_constraint[dof] = zero
    for k in range(d.nitem_used[0]):
        at = NITEM * k
        lane, x = d.item[at + LANE], d.item[at + ROWS] * m.width + which
        for r in range(d.item[at + NROW]):
            row = d.item_row[d.item[at + ROWADR] + r]
            set_lane(d.row_force, row, lane, d.number[x + r * NNUMBER])
    add_force(m, d, d.qfrc_constraint, 0, d.count[COUNT_BLOCK])
