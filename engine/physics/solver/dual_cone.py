"""Elliptic friction cones in the dual problem.

The force of a contact lies in the cone f_normal >= 0, sum of (f_k / friction_k)^2 <= f_normal^2. A
visit first moves the force along its own ray, then its friction part, at a fixed normal force, to
the minimum of a quadratic within an ellipsoid: a Newton search for the multiplier of the bound
(J. Nocedal and S. Wright, Numerical Optimization, section 4.3).
"""

from ...simd.kernel import kernel
from ...simd.lanes import fma, get_lane, sqrt
from ...simd.record import STRIP
from ...tables.enums import MINVAL
from .scratch import NSUBPROBLEM
from .subproblems import INERTIA, LANE, NNUMBER, NSTRIP, R_FORCE, R_INVERSE, ROWS, SLOPE

WORSE = 1e-10  # a visit that raises the cost by more is taken back
TINY = 1e-10  # pivots, determinants, steps and violations below it count as zero
MAXITER = 20
SIZE = 5  # most friction directions

# numbers in `slip`: matrix, its factor, linear term, solution, a vector, old force, axes
MATRIX, FACTOR, LINEAR, SLIP, OTHER, OLD, AXIS = 0, 25, 50, 55, 60, 65, 71


@kernel
def visit_cone(m, d, k, r, b, add_row):
    """Move the force of one elliptic contact, first row r, to its minimum within the cone.

    Returns:
        Change of the cost.
    """
    at, dim, w = NSUBPROBLEM * k, d.block_dim[b], d.slip
    # where force, gradient and inertia of the contact are
    step = d.subproblem[at + NSTRIP] * STRIP
    f, res = (
        d.subproblem[at + ROWS] * STRIP + r * NNUMBER + R_FORCE,
        d.subproblem[at + SLOPE] * STRIP + r,
    )
    a = d.subproblem[at + INERTIA] * STRIP + r * (step + 1)
    # force before
    for j in range(dim):
        w[OLD + j] = d.number[f + NNUMBER * j]
    # normal force, or all of the force along its ray
    if d.number[f] < MINVAL:
        d.number[f] = max(d.number[f] - d.number[res] * d.number[f + R_INVERSE - R_FORCE], 0.0)
        for j in range(1, dim):
            d.number[f + NNUMBER * j] = 0.0
    else:
        move_along_ray(d, f, res, a, step, dim)
    # quadratic of the friction part at this normal force
    for i in range(dim - 1):
        s = d.number[res + i + 1]
        for j in range(dim - 1):
            element = d.number[a + (i + 1) * step + j + 1]
            w[MATRIX + SIZE * i + j] = element
            s = s - element * w[OLD + j + 1]
        s = s + d.number[a + (i + 1) * step] * (d.number[f] - w[OLD])
        w[LINEAR + i] = s
    # friction within the cone
    set_friction(d, b, d.subproblem[at + LANE], f, dim)
    # change of the cost; a step that raises it is taken back
    cost = 0.0
    for i in range(dim):
        s = 0.0
        for j in range(dim):
            s = s + d.number[a + i * step + j] * (d.number[f + NNUMBER * j] - w[OLD + j])
        cost = cost + (d.number[f + NNUMBER * i] - w[OLD + i]) * (0.5 * s + d.number[res + i])
    if cost > WORSE:
        for j in range(dim):
            d.number[f + NNUMBER * j] = w[OLD + j]
        return 0.0
    # gradient of all rows
    for j in range(dim):
        add_row(d, k, r + j, d.number[f + NNUMBER * j] - w[OLD + j])
    return cost


@kernel
def move_along_ray(d, f, res, a, step, dim):
    """Scale the force of a contact so that its cost is least, the normal force not negative."""
    bend = slope = 0.0
    for i in range(dim):
        s = 0.0
        for j in range(dim):
            s = s + d.number[a + i * step + j] * d.number[f + NNUMBER * j]
        bend = bend + s * d.number[f + NNUMBER * i]
        slope = slope + d.number[f + NNUMBER * i] * d.number[res + i]
    if bend >= MINVAL:
        move = max(-slope / bend, -1.0)
        for j in range(dim):
            d.number[f + NNUMBER * j] = d.number[f + NNUMBER * j] + move * d.number[f + NNUMBER * j]


@kernel
def set_friction(d, b, lane, f, dim):
    """Friction part of a contact's force at its normal force, from the quadratic in `slip`."""
    w, n, normal = d.slip, dim - 1, d.number[f]
    if normal < MINVAL:
        for j in range(n):
            d.number[f + NNUMBER * (j + 1)] = 0.0
        return
    for j in range(n):
        w[AXIS + j] = get_lane(d.block_mu, 5 * b + j, lane)
    if within_ellipsoid(d, n, normal):
        s = 0.0
        for j in range(n):
            s = s + w[SLIP + j] * w[SLIP + j] / (w[AXIS + j] * w[AXIS + j])
        s = sqrt(normal * normal / max(MINVAL, s))
        for j in range(n):
            w[SLIP + j] = w[SLIP + j] * s
    for j in range(n):
        d.number[f + NNUMBER * (j + 1)] = w[SLIP + j]


@kernel
def within_ellipsoid(d, n, radius):
    """Minimize 1/2 x'Ax + b'x within sum of (x_i / axis_i)^2 <= radius^2.

    Reads: slip.
    Writes: slip.

    Returns:
        1 when x lies on the ellipsoid.
    """
    w = d.slip
    # scale the axes, so that the ellipsoid is a ball
    for i in range(n):
        w[LINEAR + i] = w[LINEAR + i] * w[AXIS + i]
        for j in range(n):
            at = MATRIX + SIZE * i + j
            w[at] = w[at] * w[AXIS + i] * w[AXIS + j]
    # Newton's method on the multiplier of the radius
    multiplier = 0.0
    for _ in range(MAXITER):
        # minimum at this multiplier
        if factor_shifted(d, n, multiplier):
            for i in range(n):
                w[SLIP + i] = 0.0
            return 0
        for i in range(n):
            w[SLIP + i] = -w[LINEAR + i]
        solve_factor(d, n, SLIP)
        # how far it is outside the ball
        outside = -radius * radius
        for i in range(n):
            outside = outside + w[SLIP + i] * w[SLIP + i]
        if outside < TINY:
            break
        # change of that by the multiplier
        for i in range(n):
            w[OTHER + i] = w[SLIP + i]
        solve_factor(d, n, OTHER)
        slope = 0.0
        for i in range(n):
            slope = slope - 2.0 * w[SLIP + i] * w[OTHER + i]
        change = -outside / slope
        if change < TINY:
            break
        multiplier = multiplier + change
    # back to friction forces
    for i in range(n):
        w[SLIP + i] = w[SLIP + i] * w[AXIS + i]
    return 1 if multiplier != 0.0 else 0


@kernel
def factor_shifted(d, n, shift):
    """Factorize A + shift as L D L'.

    Returns:
        1 for a matrix that counts as singular: up to three dimensions by its determinant.
    """
    w, det = d.slip, 1.0
    for i in range(n):
        for j in range(i + 1):
            s = w[MATRIX + SIZE * i + j]
            if i == j:
                s = s + shift
            for c in range(j):
                s = s - w[FACTOR + SIZE * i + c] * w[FACTOR + SIZE * j + c] * w[FACTOR + 6 * c]
            if i == j:
                det = det * s
                if (n > 3 and s < TINY) or s <= 0.0:
                    return 1
                w[FACTOR + 6 * i] = s
            else:
                w[FACTOR + SIZE * i + j] = s / w[FACTOR + 6 * j]
    return 1 if n <= 3 and det < TINY else 0


@kernel
def solve_factor(d, n, x):
    """Solve with the factorization of `factor_shifted`, in place at x in `slip`."""
    w = d.slip
    for i in range(n):
        for j in range(i):
            w[x + i] = fma(-w[FACTOR + SIZE * i + j], w[x + j], w[x + i])
    for i in range(n):
        w[x + i] = w[x + i] / w[FACTOR + 6 * i]
    for i in range(n - 1, -1, -1):
        for j in range(i + 1, n):
            w[x + i] = fma(-w[FACTOR + SIZE * j + i], w[x + j], w[x + i])
