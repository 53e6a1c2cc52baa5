"""Impedance, stiffness and damping of constraint blocks.

MuJoCo's documentation, Computation, "Constraint model".
"""

from ...simd.elementary import larger, power
from ...simd.kernel import kernel
from ...simd.lanes import absolute, lane_all, select, zero_like
from ...tables.enums import DSBL_REFSAFE, MAXIMP, MINIMP, MINVAL


@kernel
def set_reference(m, d, b, solref, solimp, pos, margin, weight):
    """Impedance, stiffness and damping of a block of which all rows have one position.

    Args:
        solref: (timeconst, dampratio), or (-stiffness, -damping).
        solimp: (dmin, dmax, width, midpoint, power).
        pos, margin: constraint position and margin.
        weight: approximate inverse inertia in the direction of the constraint.

    Returns:
        Regularization R.
    """
    response = response_of(m, zero_like(d.qpos), solref, solimp, pos - margin)
    return put_response(d, b, response, pos, margin, weight)


@kernel
def response_of(m, zero, solref, solimp, gap):
    """Softness of a constraint that is violated by `gap`.

    Returns:
        Stiffness, damping, impedance, and the derivative of the impedance.
    """
    t, ratio = solref[0] + zero, solref[1] + zero
    mixed = ((t > 0.0) & (ratio <= 0.0)) | ((t <= 0.0) & (ratio > 0.0))
    t, ratio = select(mixed, 0.02, t), select(mixed, 1.0, ratio)
    if not m.opt_disableflags[0] & DSBL_REFSAFE:
        t = select(t > 0.0, larger(t, 2.0 * m.opt_timestep[0]), t)
    dmin = limit_impedance(solimp[0])
    dmax = limit_impedance(solimp[1])
    width = larger(solimp[2], 0.0)
    imp, slope = impedance(
        dmin, dmax, width, limit_impedance(solimp[3]), larger(solimp[4], 1.0), gap
    )
    standard = t > 0.0
    direct = 1.0 / larger(dmax * dmax, MINVAL)
    stiffness = select(
        standard, 1.0 / larger(dmax * dmax * t * t * ratio * ratio, MINVAL), -t * direct
    )
    damping = select(ratio > 0.0, 2.0 / larger(dmax * t, MINVAL), -ratio / larger(dmax, MINVAL))
    return stiffness, damping, imp, slope


@kernel
def put_response(d, b, response, pos, margin, weight):
    """Store the response and the position of a block.

    Returns:
        Regularization R.
    """
    zero = zero_like(d.qpos)
    stiffness, damping, imp, slope = response
    d.block_K[b], d.block_B[b] = stiffness, damping
    d.block_I[b], d.block_P[b] = imp, slope
    d.block_pos[b] = pos + zero
    d.block_margin[b] = margin + zero
    d.block_base[b] = -stiffness * imp * (pos - margin)
    return regularization(imp, weight)


@kernel
def regularization(imp, weight):
    """Regularization of a constraint, from its impedance and approximate inverse inertia."""
    return larger((1.0 - imp) * weight / imp, MINVAL)


@kernel
def limit_impedance(x):
    """An impedance within its bounds."""
    return larger(select(x < MAXIMP, x, MAXIMP), MINIMP)


@kernel
def impedance(dmin, dmax, width, mid, exponent, gap):
    """Impedance of a constraint that is violated by `gap`, and its derivative."""
    flat = (dmin == dmax) | (width <= MINVAL)
    inverse = 1.0 / select(flat, 1.0, width)
    x = gap * inverse
    sign = select(x < 0.0, -1.0, 1.0)
    x = absolute(x)
    near = x <= mid
    side, edge = select(near, x, 1.0 - x), select(near, mid, 1.0 - mid)
    if lane_all((exponent == 2.0) | (exponent == 1.0)):
        rise, steep = side * side / edge, 2.0 * side / edge
    else:
        square = exponent == 2.0
        # side may be negative beyond saturation, where the result is not used
        base = larger(side, 0.0)
        scale = select(square, edge, power(edge, exponent - 1.0))
        rise = select(square, side * side, power(base, exponent)) / scale
        steep = select(square, 2.0 * side, exponent * power(base, exponent - 1.0)) / scale
    linear = exponent == 1.0
    y = select(linear, x, select(near, rise, 1.0 - rise))
    slope = select(linear, 1.0, steep) * sign * (dmax - dmin) * inverse
    value = dmin + y * (dmax - dmin)
    full, none = x >= 1.0, x <= 0.0
    value = select(flat, 0.5 * (dmin + dmax), select(full, dmax, select(none, dmin, value)))
    return value, select(flat | full | none, 0.0, slope)
