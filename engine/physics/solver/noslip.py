"""Removal of slip: the friction forces again, without regularization, at fixed normal forces.

MuJoCo's documentation, Computation, "Noslip solver". After any solver, Gauss-Seidel sweeps in the
order of the rows minimize 1/2 f' A f + b' f over dry friction, over the difference of opposite
edges of a pyramid, and over the friction part of elliptic contacts.
"""

from ...simd.kernel import kernel
from ...simd.lanes import fma, get_lane
from ...simd.record import STRIP
from ...tables.enums import (
    CNSTR_CONTACT_ELLIPTIC,
    CNSTR_CONTACT_PYRAMIDAL,
    CNSTR_EQUALITY,
    CNSTR_FRICTION_TENDON,
    COUNT_BLOCK,
    COUNT_ROW,
    MINVAL,
    NISLAND,
)
from ..constraint.jacobian import mul_jac
from .dual_cone import LINEAR, MATRIX, OLD, SIZE, TINY, WORSE, set_friction
from .pgs import finish_forces, start_subproblem
from .scratch import NSUBPROBLEM
from .subproblems import (
    INERTIA,
    ISLAND,
    LANE,
    NITER,
    NNUMBER,
    NROW,
    NSTRIP,
    R_FORCE,
    R_HIGH,
    R_LOW,
    R_SOFT,
    ROWADR,
    ROWS,
    SLOPE,
    list_subproblems,
)
from .sweeps import add_row


@kernel
def noslip(m, d):
    """Forces without slip, and the acceleration that they give.

    Reads: block_*, row_aref, qLD, qLDiagInv, qacc_smooth, row_force.
    Writes: qacc (m/s^2, rad/s^2), qfrc_constraint (N, N m), row_force (N, N m), row_active,
        solver_niter.
    """
    if d.count[COUNT_BLOCK] > 0:
        list_subproblems(m, d)
        mul_jac(m, d, d.row_jv, d.qacc_smooth)
        for r in range(d.count[COUNT_ROW]):
            d.row_jv[r] = d.row_jv[r] - d.row_aref[r]
        for k in range(d.nsubproblem_used[0]):
            remove_slip(m, d, k)
        finish_forces(m, d)


@kernel
def remove_slip(m, d, k):
    """Sweep one item until the improvement by a sweep, scaled, falls below the tolerance."""
    at = NSUBPROBLEM * k
    n, step = d.subproblem[at + NROW], d.subproblem[at + NSTRIP] * STRIP
    rows, inertia = d.subproblem[at + ROWS] * STRIP, d.subproblem[at + INERTIA] * STRIP
    # the diagonal is A's from here on
    for r in range(n):
        x = inertia + r * (step + 1)
        d.number[x] = d.number[x] - d.number[rows + r * NNUMBER + R_SOFT]
    # gradient of the forces that the solver left
    start_subproblem(m, d, k, d.subproblem[at + LANE], True)
    lane = d.subproblem[at + LANE]
    scale = get_lane(m.stat_meaninertia, 0, lane) * max(1, m.nv)
    goal = get_lane(m.opt_noslip_tolerance, 0, lane) * scale
    # the first improvement counts the cost of the regularization, which goes
    niter, gain = 0, 0.0
    for r in range(n):
        force = d.number[rows + r * NNUMBER + R_FORCE]
        gain = fma(0.5 * force * force, d.number[rows + r * NNUMBER + R_SOFT], gain)
    while niter < m.opt_noslip_iterations[0]:
        gain = gain + sweep_friction(m, d, k)
        niter += 1
        if gain < goal:
            break
        gain = 0.0
    d.subproblem[at + NITER] = niter
    if d.subproblem[at + ISLAND] < NISLAND:
        before = get_lane(d.solver_niter, d.subproblem[at + ISLAND], d.subproblem[at + LANE])
        d.subproblem[at + NITER] = niter + int(before)


@kernel
def sweep_friction(m, d, k):
    """Visit dry friction, then the friction of contacts.

    Returns:
        Improvement.
    """
    at, r, gain = NSUBPROBLEM * k, 0, 0.0
    while r < d.subproblem[at + NROW]:
        b = d.subproblem_block[d.subproblem[at + ROWADR] + r]
        kind, nrow = d.block_type[b], 1
        if kind == CNSTR_CONTACT_PYRAMIDAL:
            nrow = 2
            gain = gain - visit_edges(m, d, k, r)
        elif kind == CNSTR_CONTACT_ELLIPTIC:
            nrow = d.block_dim[b]
            gain = gain - visit_slip(m, d, k, r, b)
        elif kind != CNSTR_EQUALITY and kind <= CNSTR_FRICTION_TENDON:
            gain = gain - visit_friction(m, d, k, r)
        r += nrow
    return gain


@kernel
def visit_friction(m, d, k, r):
    """Move a dry friction force to its minimum within the bounds.

    Returns:
        Change of the cost.
    """
    at = NSUBPROBLEM * k
    step = d.subproblem[at + NSTRIP] * STRIP
    x, a = d.subproblem[at + ROWS] * STRIP + r * NNUMBER, d.subproblem[at + INERTIA] * STRIP
    bend, slope = (
        max(MINVAL, d.number[a + r * (step + 1)]),
        d.number[d.subproblem[at + SLOPE] * STRIP + r],
    )
    before = d.number[x + R_FORCE]
    force = max(min(before - slope / bend, d.number[x + R_HIGH]), d.number[x + R_LOW])
    change = force - before
    d.number[x + R_FORCE] = force
    add_row(d, k, r, change)
    return change * fma(0.5 * change, bend, slope)


@kernel
def visit_edges(m, d, k, r):
    """Move force between the opposite edges r and r + 1 of a pyramid.

    Returns:
        Change of the cost.
    """
    at = NSUBPROBLEM * k
    step = d.subproblem[at + NSTRIP] * STRIP
    # where forces and gradients are, and the inertia of both rows
    x, slopes = (
        d.subproblem[at + ROWS] * STRIP + r * NNUMBER + R_FORCE,
        d.subproblem[at + SLOPE] * STRIP + r,
    )
    a = d.subproblem[at + INERTIA] * STRIP + r * (step + 1)
    a00, a11 = max(TINY, d.number[a]), max(TINY, d.number[a + step + 1])
    a01, res0, res1 = d.number[a + 1], d.number[slopes], d.number[slopes + 1]
    f0, f1 = d.number[x], d.number[x + NNUMBER]
    # minimum with the same sum of forces, none negative
    middle, bend = 0.5 * (f0 + f1), a00 + a11 - 2.0 * a01
    new0 = middle
    if bend >= MINVAL:
        slope = middle * (a00 - a11) + (res0 - (a00 * f0 + a01 * f1))
        slope = slope - (res1 - (a01 * f0 + a11 * f1))
        new0 = middle + min(max(-slope / bend, -middle), middle)
    new1 = 2.0 * middle - new0
    c0, c1 = new0 - f0, new1 - f1
    # change of the cost
    cost = 0.5 * (a00 * c0 * c0 + 2.0 * a01 * c0 * c1 + a11 * c1 * c1) + c0 * res0 + c1 * res1
    if cost > WORSE:
        return 0.0
    # forces, and gradient of all rows
    d.number[x], d.number[x + NNUMBER] = new0, new1
    add_row(d, k, r, c0)
    add_row(d, k, r + 1, c1)
    return cost


@kernel
def visit_slip(m, d, k, r, b):
    """Move the friction part of an elliptic contact, first row r, to its minimum within the cone.

    Returns:
        Change of the cost.
    """
    at, n, w = NSUBPROBLEM * k, d.block_dim[b] - 1, d.slip
    # where force, gradient and inertia of the contact are
    step = d.subproblem[at + NSTRIP] * STRIP
    f, res = (
        d.subproblem[at + ROWS] * STRIP + r * NNUMBER + R_FORCE,
        d.subproblem[at + SLOPE] * STRIP + r,
    )
    a = d.subproblem[at + INERTIA] * STRIP + (r + 1) * (step + 1)
    # friction force before
    for i in range(n):
        w[OLD + i] = d.number[f + NNUMBER * (i + 1)]
    # quadratic of the friction part
    for i in range(n):
        s = d.number[res + i + 1]
        for j in range(n):
            w[MATRIX + SIZE * i + j] = friction_inertia(d, a, step, i, j)
            s = s - w[MATRIX + SIZE * i + j] * w[OLD + j]
        w[LINEAR + i] = s
    # friction within the cone at this normal force
    set_friction(d, b, d.subproblem[at + LANE], f, n + 1)
    # change of the cost
    cost = 0.0
    for i in range(n):
        s = 0.0
        for j in range(n):
            change = d.number[f + NNUMBER * (j + 1)] - w[OLD + j]
            s = s + friction_inertia(d, a, step, i, j) * change
        cost = cost + (d.number[f + NNUMBER * (i + 1)] - w[OLD + i]) * (
            0.5 * s + d.number[res + i + 1]
        )
    # a step that raises it is taken back
    for i in range(n):
        if cost > WORSE:
            d.number[f + NNUMBER * (i + 1)] = w[OLD + i]
        else:
            add_row(d, k, r + 1 + i, d.number[f + NNUMBER * (i + 1)] - w[OLD + i])
    return cost if cost <= WORSE else 0.0


@kernel
def friction_inertia(d, a, step, i, j):
    """Element of A among the friction rows of a contact; the diagonal is kept positive."""
    element = d.number[a + i * step + j]
    return max(TINY, element) if i == j else element
