"""Derivatives of what dampers do."""

from ...simd.kernel import kernel
from ...simd.lanes import absolute, lane_any, zero_like
from ...tables.enums import DSBL_DAMPER
from ..smooth.forces import damping_slope
from ..smooth.inertia import add_outer


@kernel
def damper_derivative(m, d):
    """Start with what dampers of dofs do.

    Reads: qvel.
    Writes: qDeriv (N s/m, N m s).
    """
    zero = zero_like(d.qvel)
    for k in range(m.nD):
        d.qDeriv[k] = zero
    if not m.opt_disableflags[0] & DSBL_DAMPER:
        for dof in range(m.nv):
            d.qDeriv[m.D_rowadr[dof] + m.D_diag[dof]] = -damping_slope(m, d, dof)


@kernel
def tendon_derivative(m, d):
    """Add what dampers of tendons do.

    Reads: ten_J, ten_velocity.
    Writes: qDeriv (N s/m, N m s), ten_row.
    """
    if m.opt_disableflags[0] & DSBL_DAMPER:
        return
    for ten in range(m.ntendon):
        speed = absolute(d.ten_velocity[ten])
        poly1, poly2 = m.tendon_dampingpoly[2 * ten], m.tendon_dampingpoly[2 * ten + 1]
        slope = m.tendon_damping[ten] + speed * (2.0 * poly1 + speed * (3.0 * poly2))
        add_tendon(m, d, ten, slope)


@kernel
def add_tendon(m, d, ten, slope):
    """Add a damper along a tendon, whose force falls by `slope` per velocity."""
    if lane_any(slope != 0.0):
        add_outer(
            d.qDeriv, m.D_rownnz, m.D_rowadr, m.D_colind, d.ten_J, m.ten_J_colind,
            m.ten_J_rowadr[ten], m.ten_J_rownnz[ten], -slope, d.ten_row,
        )  # fmt: skip
