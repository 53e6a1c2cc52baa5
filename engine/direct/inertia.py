"""Products with the inertia matrix, its roots and inverses, of one vector or few."""

from ..physics.smooth.inertia import mul_rows, solve_rows
from ..simd.kernel import kernel
from ..simd.lanes import fma, sqrt


@kernel
def multiply(m, d, c):
    """Inertia matrix times the vector that is given."""
    mul_rows(c.told, d.M, c.given, m.nv, m.M_rownnz, m.M_rowadr, m.M_colind)


@kernel
def multiply_root(m, d, c):
    """D^(1/2) L times the vector that is given; the matrix is L' D L."""
    for dof in range(m.nv):
        start = m.M_rowadr[dof]
        end = start + m.M_rownnz[dof] - 1
        s = c.given[dof]
        for e in range(start, end):
            s = fma(d.qLD[e], c.given[m.M_colind[e]], s)
        c.told[dof] = s * sqrt(d.qLD[end])


@kernel
def solve(m, d, c):
    """Inverse of the inertia matrix times ask[0] vectors."""
    for k in range(c.ask[0]):
        for dof in range(m.nv):
            c.work[dof] = c.given[k * m.nv + dof]
        solve_rows(c.work, d.qLD, d.qLDiagInv, m.nv, m.M_rownnz, m.M_rowadr, m.M_colind)
        for dof in range(m.nv):
            c.told[k * m.nv + dof] = c.work[dof]


FULL_READS = ("nv", "dof_Madr", "dof_parentid")


@kernel
def full(m, c):
    """The full inertia matrix from what is given, its sparse form qM."""
    for k in range(m.nv * m.nv):
        c.told[k] = 0.0
    for dof in range(m.nv):
        place, other = m.dof_Madr[dof], dof
        while other >= 0:
            c.told[dof * m.nv + other] = c.given[place]
            c.told[other * m.nv + dof] = c.given[place]
            place += 1
            other = m.dof_parentid[other]
