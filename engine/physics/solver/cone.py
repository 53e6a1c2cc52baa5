"""Elliptic friction cones in the primal problem.

MuJoCo's documentation, Computation, "Constraint model", friction cones. Of the violation
x = J a - aref of a contact, let n = mu x_normal and t = (friction_k x_k). Where n >= mu |t| the
contact is free (top zone); where mu n + |t| <= 0 the rows are separate parabolas (bottom zone);
between, the cost is D (n - mu |t|)^2 / (2 mu^2 (1 + mu^2)). It is convex, its gradient continuous.
"""

from ...simd.kernel import kernel
from ...simd.lanes import fma, lane_any, mask_not, select, sqrt, zero_like
from ...tables.enums import CNSTR_CONTACT_ELLIPTIC

MIDDLE = -2.0  # what row_active holds in the middle zone


@kernel
def cone_point(d, b, rows):
    """Normal part n and length of the tangential part |t| at the violation in a field of rows."""
    row = d.block_row[b]
    square = zero_like(d.qacc)
    for k in range(1, d.block_dim[b]):
        t = d.block_mu[5 * b + k - 1] * rows[row + k]
        square = fma(t, t, square)
    return d.block_cone[b] * rows[row], sqrt(square)


@kernel
def middle_stiffness(d, b):
    """Stiffness D / (mu^2 (1 + mu^2)) of the middle zone."""
    square = d.block_cone[b] * d.block_cone[b]
    return d.row_D[d.block_row[b]] / (square * (1.0 + square))


@kernel
def cone_cost(d, b, rows):
    """Cost of a contact at the violation in a field of rows."""
    row, dim = d.block_row[b], d.block_dim[b]
    x = rows[row]
    separate = 0.5 * d.row_D[row] * x * x
    if dim == 1:
        return select(x < 0.0, separate, 0.0)
    for k in range(1, dim):
        x = rows[row + k]
        separate = separate + 0.5 * d.row_D[row + k] * x * x
    normal, side = cone_point(d, b, rows)
    mu = d.block_cone[b]
    gap = normal - mu * side
    cost = select(mu * normal + side <= 0.0, separate, 0.5 * middle_stiffness(d, b) * gap * gap)
    return select(gap >= 0.0, 0.0, cost)


@kernel
def cone_cost_along(d, b, alpha):
    """Cost of a contact at a step along the search direction."""
    row, dim, mu = d.block_row[b], d.block_dim[b], d.block_cone[b]
    x = fma(alpha, d.row_jv[row], d.row_jar[row])
    separate = 0.5 * d.row_D[row] * x * x
    if dim == 1:
        return select(x < 0.0, separate, 0.0)
    normal, square = mu * x, zero_like(d.qacc)
    for k in range(1, dim):
        x = fma(alpha, d.row_jv[row + k], d.row_jar[row + k])
        separate = separate + 0.5 * d.row_D[row + k] * x * x
        t = d.block_mu[5 * b + k - 1] * x
        square = fma(t, t, square)
    side = sqrt(square)
    gap = normal - mu * side
    cost = select(mu * normal + side <= 0.0, separate, 0.5 * middle_stiffness(d, b) * gap * gap)
    return select(gap >= 0.0, 0.0, cost)


@kernel
def update_cone(d, b):
    """Force and state of a contact at `row_jar`.

    Returns:
        Cost, and 1 in the lanes where the curvature is another than before.
    """
    row, dim = d.block_row[b], d.block_dim[b]
    cost = cone_cost(d, b, d.row_jar)
    # no friction: a one-sided parabola
    if dim == 1:
        x = d.row_jar[row]
        active = select(x < 0.0, d.row_D[row], 0.0)
        changed = select(active == d.row_active[row], 0.0, 1.0)
        d.row_force[row] = -active * x
        d.row_active[row] = active
        return cost, changed
    # zone of the cone
    normal, side = cone_point(d, b, d.row_jar)
    mu = d.block_cone[b]
    gap = normal - mu * side
    top, bottom = gap >= 0.0, mu * normal + side <= 0.0
    middle = mask_not(top | bottom) & (d.row_D[row] > 0.0)
    # force and state in the middle zone
    push = -middle_stiffness(d, b) * gap * mu
    slip = -push / select(side > 0.0, side, 1.0)
    code = select(middle, MIDDLE, select(top, 0.0, d.row_D[row]))
    changed = select((code == d.row_active[row]) & mask_not(middle), 0.0, 1.0)
    # force of each row: middle zone, bottom zone or none
    for k in range(dim):
        x, force = d.row_jar[row + k], push
        if k > 0:
            friction = d.block_mu[5 * b + k - 1]
            force = slip * (friction * friction) * x
        force = select(bottom, -d.row_D[row + k] * x, force)
        d.row_force[row + k] = select(top, 0.0, force)
        d.row_active[row + k] = code
    return cost, changed


@kernel
def cone_slope(d, b, alpha):
    """First and second derivative of a contact's cost along the search direction."""
    row, dim = d.block_row[b], d.block_dim[b]
    # normal row
    v = d.row_jv[row]
    x = fma(alpha, v, d.row_jar[row])
    pull = d.row_D[row] * v
    slope, curve = pull * x, pull * v
    if dim == 1:
        on = x < 0.0
        return select(on, slope, 0.0), select(on, curve, 0.0)
    # friction rows: their parabolas, and products for the length of t
    mu = d.block_cone[b]
    normal, speed = mu * x, mu * v
    xx = xv = vv = zero_like(d.qacc)
    for k in range(1, dim):
        friction = d.block_mu[5 * b + k - 1]
        v = d.row_jv[row + k]
        x = fma(alpha, v, d.row_jar[row + k])
        pull = d.row_D[row + k] * v
        slope, curve = fma(pull, x, slope), fma(pull, v, curve)
        x, v = friction * x, friction * v
        xx, xv, vv = fma(x, x, xx), fma(x, v, xv), fma(v, v, vv)
    # rate of the gap n - mu |t|, and its curvature
    side = sqrt(xx)
    inverse = 1.0 / select(side > 0.0, side, 1.0)
    gap, rate = normal - mu * side, xv * inverse
    closing, stiff = speed - mu * rate, middle_stiffness(d, b)
    bend = closing * closing - gap * mu * (vv - rate * rate) * inverse
    # zone of the cone
    bottom, top = mu * normal + side <= 0.0, gap >= 0.0
    slope = select(bottom, slope, stiff * gap * closing)
    curve = select(bottom, curve, stiff * bend)
    return select(top, 0.0, slope), select(top, 0.0, curve)


@kernel
def prepare_cone(d, b):
    """Stiffness and gradients of a contact with an elliptic cone, for `add_cone`.

    In the middle zone, with the unit vector u = t / |t| and c = mu (mu |t| - n) / |t|, the Hessian
    is that of the rank-one term g = mu (J_normal - h), h = sum of u_k friction_k J_k, plus c times
    that of the rows friction_k J_k less h.

    Writes: cone_unit, cone_weight, cone_jac, cone_across.

    Returns:
        Whether the contact has curvature in any lane.
    """
    dim, row = d.block_dim[b], d.block_row[b]
    state = d.row_active[row]
    middle, bottom = state == MIDDLE, state > 0.0
    if not lane_any(middle | bottom):
        return False
    # stiffness of the middle zone along the slip and across it
    normal, side = cone_point(d, b, d.row_jar)
    mu = d.block_cone[b]
    inverse = 1.0 / select(side > 0.0, side, 1.0)
    stiff = select(middle, middle_stiffness(d, b), 0.0)
    across = stiff * mu * (mu - normal * inverse)
    d.cone_across[0], d.cone_across[1] = stiff, across
    # unit vector, and weight of each row
    for k in range(dim):
        weight = zero_like(d.qacc)
        if k > 0:
            friction = d.block_mu[5 * b + k - 1]
            weight = friction * friction * across
            d.cone_unit[k] = friction * friction * d.row_jar[row + k] * inverse
        d.cone_weight[k] = select(bottom, d.row_D[row + k], weight)
    # gradients of the middle zone by dof
    adr, n = d.block_adr[b], d.block_chainnum[b]
    for i in range(n):
        h = zero_like(d.qacc)
        for k in range(1, dim):
            h = fma(d.cone_unit[k], d.block_jac[adr + k * n + i], h)
        d.cone_jac[2 * i] = mu * (d.block_jac[adr + i] - h)
        d.cone_jac[2 * i + 1] = h
    return True


@kernel
def add_cone(m, d, b, span, rownnz, rowadr):
    """Add J'HJ of a contact with an elliptic cone; see `prepare_cone` and `add_curvature`."""
    dim, stiff, across = d.block_dim[b], d.cone_across[0], d.cone_across[1]
    adr, n, chainadr = d.block_adr[b], d.block_chainnum[b], d.block_chainadr[b]
    for i in range(span[0], span[1]):
        start = rowadr[d.chain_dof[chainadr + i]] - 1
        for k in range(dim):
            d.cone_pull[k] = d.cone_weight[k] * d.block_jac[adr + k * n + i]
        along, less = stiff * d.cone_jac[2 * i], -across * d.cone_jac[2 * i + 1]
        for j in range(span[2], min(i + 1, span[3])):
            at = start + rownnz[d.chain_dof[chainadr + j]]
            s = fma(along, d.cone_jac[2 * j], d.sol_H[at])
            s = fma(less, d.cone_jac[2 * j + 1], s)
            for k in range(dim):
                s = fma(d.cone_pull[k], d.block_jac[adr + k * n + j], s)
            d.sol_H[at] = s


@kernel
def is_elliptic(d, b):
    """True if a block is a contact with an elliptic cone."""
    return d.block_type[b] == CNSTR_CONTACT_ELLIPTIC
