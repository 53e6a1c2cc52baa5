"""Integrators that are implicit in velocity: (M - h D) acceleration = force, D = dforce/dvelocity.

MuJoCo's documentation, Computation, "Numerical integration". D is `qDeriv`, which the stages of the
package `derivative` fill; both matrices have the sparsity of the kinematic tree.
"""

from ...simd.kernel import kernel
from ...simd.lanes import fma
from ..smooth.inertia import factor_rows, solve_rows
from .euler_rk4 import advance_state


@kernel
def implicit(m, d):
    """The acceleration that moves qvel, with the full D, by an LU factorization.

    Reads: M, qDeriv, qfrc_smooth, qfrc_constraint.
    Writes: qLU, int_acc (m/s^2, rad/s^2).
    """
    h = m.opt_timestep[0]
    for k in range(m.nD):
        at = m.mapM2D[k]
        d.qLU[k] = -h * d.qDeriv[k]
        if at >= 0:
            d.qLU[k] = d.M[at] + d.qLU[k]
    factor_lu(m, d.qLU)
    for dof in range(m.nv):
        d.int_acc[dof] = d.qfrc_smooth[dof] + d.qfrc_constraint[dof]
    solve_lu(m, d.int_acc, d.qLU)


@kernel
def implicitfast(m, d):
    """The acceleration that moves qvel, with the lower triangle of D taken for both.

    Reads: M, qDeriv, qfrc_smooth, qfrc_constraint.
    Writes: qH, qHDiagInv, int_acc (m/s^2, rad/s^2).
    """
    h = m.opt_timestep[0]
    for k in range(m.nC):
        d.qH[k] = d.M[k] - h * d.qDeriv[m.mapD2M[k]]
    for dof in range(m.nv):
        d.int_acc[dof] = d.qfrc_smooth[dof] + d.qfrc_constraint[dof]
    factor_rows(d.qH, d.qHDiagInv, m.nv, m.M_rownnz, m.M_rowadr, m.M_colind)
    solve_rows(d.int_acc, d.qH, d.qHDiagInv, m.nv, m.M_rownnz, m.M_rowadr, m.M_colind)


@kernel
def advance(m, d):
    """Move the state along int_acc.

    Reads: int_acc, qacc.
    Writes: qpos, qvel, time, qacc_warmstart, int_vel.
    """
    advance_state(m, d)


@kernel
def factor_lu(m, a):
    """In-place U L factorization over full rows of the tree: U has a unit diagonal.

    From the last dof to the first, as in `factor_rows`, so that nothing fills in.
    """
    for i in range(m.nv - 1, -1, -1):
        start = m.D_rowadr[i]
        diagonal = start + m.D_diag[i]
        inverse = 1.0 / a[diagonal]
        for k in range(start, diagonal):
            # in the row of the ancestor: its element of column i, then those left of it
            j = m.D_colind[k]
            target = m.D_rowadr[j]
            at = target + m.D_diag[j] + 1
            while m.D_colind[at] != i:
                at += 1
            scale = a[at] * inverse
            a[at] = scale
            for c in range(start, diagonal):
                while m.D_colind[target] != m.D_colind[c]:
                    target += 1
                a[target] = fma(-scale, a[c], a[target])


@kernel
def solve_lu(m, x, a):
    """Solve in place with the factorization of `factor_lu`."""
    for i in range(m.nv - 1, -1, -1):
        start = m.D_rowadr[i]
        xi = x[i]
        for k in range(start + m.D_diag[i] + 1, start + m.D_rownnz[i]):
            xi = fma(-a[k], x[m.D_colind[k]], xi)
        x[i] = xi
    for i in range(m.nv):
        start = m.D_rowadr[i]
        diagonal = start + m.D_diag[i]
        xi = x[i]
        for k in range(start, diagonal):
            xi = fma(-a[k], x[m.D_colind[k]], xi)
        x[i] = xi / a[diagonal]
