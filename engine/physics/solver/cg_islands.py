"""Conjugate gradients in large models, island by island: in large islands, lanes are rows or dofs.

The method is that of `cg.py`. Sums over rows or dofs are kept in the lanes of a strip, and added up
at their ends. Equalities are parabolas without bounds: along a direction their cost is one
parabola, whose slope and curvature are summed up once.
"""

from ...simd.kernel import kernel, variant
from ...simd.lanes import (
    absolute,
    fma,
    load_strip,
    mask_not,
    select,
    sqrt,
    store_strip,
    strip_sum,
    zero_like,
)
from ...simd.record import STRIP
from ...tables.enums import COUNT_BLOCK, MINVAL
from . import cg, newton
from .cg import conjugate_gradients
from .cone import cone_slope, update_cone
from .island_strips import (
    END_EQUALITY,
    GROUPED,
    NBASE,
    NROWSTRIP,
    PYRAMID,
    PYRAMID_BASE,
    fill_strips,
    has_few_rows,
    join_pyramids,
    mul_inertia_places,
    push_places,
    row_product,
    solve_inertia_places,
    spread_pyramids,
    spread_threes,
)
from .islands import island_problem
from .newton import (
    ROUNDING,
    finish_problem,
    prepare_rows,
    start_free,
    start_point,
    total_inertia,
)
from .newton_islands import start_costs_of_islands
from .problem import (
    END_BLOCK,
    END_DOF,
    END_FRICTION,
    END_PLAIN,
    END_ROW,
    FIRST_CONE,
    FIRST_DOF,
    FIRST_ROW,
)

STEP = 3  # index into `search_part`: length of the step to take
STILL = -0.0  # times 0, added to x, is x, signs of zeros included


@kernel
def fwd_cg_islands(m, d):
    """Acceleration and constraint force by conjugate gradients, one island after the other.

    Reads: block_*, isl_*, row_aref, M, qLD, qLDiagInv, qacc_smooth, qfrc_smooth, qacc_warmstart,
        lane_on, tree_on, dof_at, place_dof, place_num.
    Writes: qacc (m/s^2, rad/s^2), qfrc_constraint (N, N m), row_force (N, N m), row_active,
        solver_niter.
    """
    start_free(m, d)
    if d.count[COUNT_BLOCK] > 0:
        prepare_rows(m, d)
        start_point(m, d, start_costs_of_islands)
        for k in range(d.isl_num[0]):
            island_problem(d, k)
            if has_few_rows(d, k):
                conjugate_gradients(m, d)
            else:
                descend(m, d)


@kernel
def descend(m, d):
    """Iterate until the scaled improvement or gradient falls below the tolerance."""
    live, niter = d.lane_on[0] > 0.0, 0.0
    scale, tolerance = 1.0 / total_inertia(m, d), m.opt_tolerance[0]
    fill_strips(m, d)
    # start; the first direction is the preconditioned gradient, downhill
    stand_still(d)
    cost, square, _ = update_constraint(m, d)
    _, below = precondition(m, d)
    turn_direction(d, STILL)
    for _ in range(m.opt_iterations[0]):
        # minimum along the search direction
        apply_direction(m, d)
        alpha = line_search(m, d, live, scale, first_step(d))
        live = live & (alpha != 0.0)
        if not live:
            break
        # as in Newton's method
        hidden = live & (scale * cost * ROUNDING > tolerance)
        before, gain = cost, 0.0
        if hidden:
            gain = expected_gain(d, alpha)
        # step to the new point; improvement
        d.search_part[STEP] = alpha
        cost, square, _ = update_constraint(m, d)
        niter = niter + 1.0
        if not hidden:
            gain = before - cost
        # converged
        live = live & mask_not((scale * gain < tolerance) | (scale * sqrt(square) < tolerance))
        if not live:
            break
        # factor of Polak and Ribiere
        above, size = precondition(m, d)
        beta = above / select(below > MINVAL, below, MINVAL)
        turn_direction(d, select(beta < 0.0, 0.0, beta))
        below = size
    finish_places(d)
    finish_problem(d, niter, live)


@kernel
def stand_still(d):
    """A step that changes no bit of any number, for the first look; equalities are always active.

    Writes: row_jv, row_active, place_search, place_Mv, search_part.
    """
    p, zero, end = d.problem, zero_like(d.strip), d.isl_strip[END_EQUALITY]
    for r in range(p[FIRST_ROW], end, STRIP):
        store_strip(d.row_active, r, end - r, load_strip(d.row_D, r, end - r))
    for r in range(p[FIRST_ROW], p[END_ROW], STRIP):
        store_strip(d.row_jv, r, p[END_ROW] - r, zero)
    for k in range(p[FIRST_DOF], p[END_DOF], STRIP):
        store_strip(d.place_search, k, p[END_DOF] - k, zero)
        store_strip(d.place_Mv, k, p[END_DOF] - k, zero)
    d.search_part[STEP] = STILL


@kernel
def stepped(x, v, k, n, alpha):
    """A strip of x + alpha v, which is stored in x."""
    value = fma(alpha, load_strip(v, k, n), load_strip(x, k, n))
    store_strip(x, k, n, value)
    return value


@kernel
def update_constraint(m, d):
    """Step along the search direction; forces, states and cost there as in Newton's method.

    Writes: row_jar, row_force, row_active, place_acc, place_Ma, place_frc, place_grad.

    Returns:
        Cost, squared norm of the gradient, and False.
    """
    p, shape, zero, alpha = d.problem, d.isl_strip, zero_like(d.strip), d.search_part[STEP]
    cost, total, square = zero, 0.0, zero
    # equalities: parabolas
    for r in range(p[FIRST_ROW], shape[END_EQUALITY], STRIP):
        n = shape[END_EQUALITY] - r
        x, stiff = stepped(d.row_jar, d.row_jv, r, n, alpha), load_strip(d.row_D, r, n)
        cost = fma(0.5 * stiff * x, x, cost)
        store_strip(d.row_force, r, n, -stiff * x)
    # dry friction: Huber functions
    for r in range(shape[END_EQUALITY], p[END_FRICTION], STRIP):
        n = p[END_FRICTION] - r
        x, stiff = stepped(d.row_jar, d.row_jv, r, n, alpha), load_strip(d.row_D, r, n)
        bound, loss = load_strip(d.row_bound, r, n), load_strip(d.row_floss, r, n)
        size = absolute(x)
        # NaN is inside, so that it shows
        inside = mask_not(size >= bound)
        cost = cost + select(inside, 0.5 * stiff * x * x, loss * (size - 0.5 * bound))
        store_strip(d.row_force, r, n, select(inside, -stiff * x, select(x > 0.0, -loss, loss)))
        store_strip(d.row_active, r, n, select(inside, stiff, 0.0))
    # limits and contacts without elliptic cone: one-sided parabolas
    for r in range(p[END_FRICTION], p[END_PLAIN], STRIP):
        n = p[END_PLAIN] - r
        x = stepped(d.row_jar, d.row_jv, r, n, alpha)
        active = select(x < 0.0, load_strip(d.row_D, r, n), 0.0)
        force = -active * x
        cost = fma(-0.5 * force, x, cost)
        store_strip(d.row_force, r, n, force)
        store_strip(d.row_active, r, n, active)
    # elliptic cones
    for r in range(p[END_PLAIN], p[END_ROW], STRIP):
        stepped(d.row_jar, d.row_jv, r, p[END_ROW] - r, alpha)
    for i in range(p[FIRST_CONE], p[END_BLOCK]):
        part, _ = update_cone(d, d.block_list[i])
        total = total + part
    # generalized constraint force, cost of inertia, and gradient
    forces = d.row_force
    if shape[PYRAMID] < p[END_BLOCK]:
        join_pyramids(d)
        forces = d.base_force
    push_places(d, forces, p[FIRST_ROW])
    for k in range(p[FIRST_DOF], p[END_DOF], STRIP):
        n = p[END_DOF] - k
        push = load_strip(d.place_frc, k, n)
        pull = stepped(d.place_Ma, d.place_Mv, k, n, alpha) - load_strip(d.place_frc0, k, n)
        acc = stepped(d.place_acc, d.place_search, k, n, alpha)
        moved = acc - load_strip(d.place_acc0, k, n)
        cost, grad = fma(0.5 * pull, moved, cost), pull - push
        square = fma(grad, grad, square)
        store_strip(d.place_grad, k, n, grad)
    return total + strip_sum(cost), strip_sum(square), False


@kernel
def apply_direction(m, d):
    """M and J applied to the search direction, and what is the same all along it.

    Writes: place_Mv, row_jv, search_part.
    """
    p, shape, zero = d.problem, d.isl_strip, zero_like(d.strip)
    slope = curve = square = zero
    # inertia
    mul_inertia_places(m, d)
    for k in range(p[FIRST_DOF], p[END_DOF], STRIP):
        n = p[END_DOF] - k
        v = load_strip(d.place_search, k, n)
        moved = own_or_shared(d, k, n, load_strip(d.place_M, k, n) * v, d.place_Mv)
        store_strip(d.place_Mv, k, n, moved)
        slope = fma(v, load_strip(d.place_Ma, k, n) - load_strip(d.place_frc0, k, n), slope)
        curve = fma(v, moved, curve)
        square = fma(v, v, square)
    # rows; pyramids have more of them than directions
    first, rows, nbase = p[FIRST_ROW], d.row_jv, shape[NBASE]
    neq = shape[END_EQUALITY] - first
    if shape[PYRAMID] < p[END_BLOCK]:
        rows = d.base_jv
    if shape[GROUPED]:
        spread_threes(d)
    for s in range(shape[NROWSTRIP]):
        base = STRIP * s
        v = row_product(d, s)
        store_strip(rows, first + base, nbase - base, v)
        # equalities
        if base < neq:
            pull = load_strip(d.row_D, first + base, neq - base) * v
            slope = fma(pull, load_strip(d.row_jar, first + base, neq - base), slope)
            curve = fma(pull, v, curve)
    if shape[PYRAMID] < p[END_BLOCK]:
        n = shape[PYRAMID_BASE]
        for k in range(0, n, STRIP):
            store_strip(d.row_jv, first + k, n - k, load_strip(d.base_jv, first + k, n - k))
        spread_pyramids(d)
    part = d.search_part
    part[0], part[1], part[2] = strip_sum(slope), strip_sum(curve), sqrt(strip_sum(square))


@kernel
def own_or_shared(d, k, n, own, shared):
    """Numbers of a strip of dofs: their own, or those of dofs that share inertia."""
    if d.place_shares[(k - d.problem[FIRST_DOF]) // STRIP]:
        return select(load_strip(d.place_lone, k, n) > 0.0, own, load_strip(shared, k, n))
    return own


@kernel
def known_parts(d):
    """Slope and curvature by inertia and equalities, and the length of the search direction."""
    return d.search_part[0], d.search_part[1], d.search_part[2]


@kernel
def slope_along(d, alpha, slope0, curve0):
    """As `line_slope`, of the rows that are no equalities."""
    p, shape, zero = d.problem, d.isl_strip, zero_like(d.strip)
    slopes = curves = zero
    # dry friction
    for r in range(shape[END_EQUALITY], p[END_FRICTION], STRIP):
        n = p[END_FRICTION] - r
        v, stiff = load_strip(d.row_jv, r, n), load_strip(d.row_D, r, n)
        loss = load_strip(d.row_floss, r, n)
        x = fma(alpha, v, load_strip(d.row_jar, r, n))
        inside = absolute(x) < load_strip(d.row_bound, r, n)
        force = select(inside, stiff * x, select(x > 0.0, loss, -loss))
        slopes = fma(v, force, slopes)
        curves = fma(v * select(inside, stiff, 0.0), v, curves)
    # limits and contacts without elliptic cone
    for r in range(p[END_FRICTION], p[END_PLAIN], STRIP):
        n = p[END_PLAIN] - r
        v = load_strip(d.row_jv, r, n)
        x = fma(alpha, v, load_strip(d.row_jar, r, n))
        pull = select(x < 0.0, load_strip(d.row_D, r, n), 0.0) * v
        slopes, curves = fma(pull, x, slopes), fma(pull, v, curves)
    slope = fma(alpha, curve0, slope0) + strip_sum(slopes)
    curve = curve0 + strip_sum(curves)
    # elliptic cones
    for i in range(p[FIRST_CONE], p[END_BLOCK]):
        first, second = cone_slope(d, d.block_list[i], alpha)
        slope, curve = slope + first, curve + second
    return slope, curve


SEARCHED = {"direction_parts": known_parts, "line_slope": slope_along}
line_search = variant(newton.line_search, **SEARCHED)
first_step = variant(cg.first_step, **SEARCHED)


@kernel
def expected_gain(d, alpha):
    """Decrease of a quadratic cost by a step along the search direction, from its slope."""
    end, slope = d.problem[END_DOF], zero_like(d.strip)
    for k in range(d.problem[FIRST_DOF], end, STRIP):
        v = load_strip(d.place_search, k, end - k)
        slope = fma(v, load_strip(d.place_grad, k, end - k), slope)
    return -0.5 * alpha * strip_sum(slope)


@kernel
def precondition(m, d):
    """Inverse of M times the gradient.

    Writes: place_Mgrad.

    Returns:
        Gradient times the change of that product since the last point, and times the product.
    """
    end, above = d.problem[END_DOF], zero_like(d.strip)
    size = above
    solve_inertia_places(m, d)
    for k in range(d.problem[FIRST_DOF], end, STRIP):
        n = end - k
        grad, old = load_strip(d.place_grad, k, n), load_strip(d.place_Mgrad, k, n)
        own = grad * load_strip(d.place_invD, k, n)
        step = own_or_shared(d, k, n, own, d.place_step)
        store_strip(d.place_Mgrad, k, n, step)
        above, size = fma(grad, step - old, above), fma(grad, step, size)
    return strip_sum(above), strip_sum(size)


@kernel
def turn_direction(d, beta):
    """Next search direction, conjugate to the last one where the cost is a parabola.

    Args:
        d: data.
        beta: factor of the last direction.

    Writes: place_search.
    """
    first, end = d.problem[FIRST_DOF], d.problem[END_DOF]
    for k in range(first, end, STRIP):
        n = end - k
        v = fma(beta, load_strip(d.place_search, k, n), -load_strip(d.place_Mgrad, k, n))
        store_strip(d.place_search, k, n, v)


@kernel
def finish_places(d):
    """Acceleration and force of the problem's dofs, where they belong.

    Writes: qacc, qfrc_constraint.
    """
    for k in range(d.problem[FIRST_DOF], d.problem[END_DOF]):
        dof = d.place_dof[k]
        d.qacc[dof], d.qfrc_constraint[dof] = d.place_acc[k], d.place_frc[k]
