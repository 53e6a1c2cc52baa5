"""Inverse dynamics: the forces that a given acceleration takes.

MuJoCo's documentation, Computation, "Inverse dynamics". Constraint forces follow row by row from
the acceleration, without iterations.
"""

from ..simd.kernel import kernel
from ..simd.lanes import fma, lane_any, select, sqrt, zero_like
from ..simd.spatial import copy_elements
from ..tables.enums import COUNT_BLOCK, COUNT_ROW, DSBL_EULERDAMP, ENBL_INVDISCRETE
from .constraint.jacobian import mul_jac
from .integrators.euler_rk4 import add_dampers
from .smooth.inertia import mul_rows, solve_rows
from .solver.islands import island_problem
from .solver.newton import prepare_rows, update_constraint
from .solver.problem import whole_problem

NAN = float("nan")


@kernel
def discrete_euler(m, d):
    """Turn the acceleration of an Euler step into that of continuous time.

    The step is implicit in the joint dampers: M a = (M + h B) (v' - v) / h.

    Reads: qacc, qvel, qfrc_smooth, qfrc_constraint, M, qLD, qLDiagInv.
    Writes: qacc, inv_acc, qH, int_acc.
    """
    damped = False
    for dof in range(m.nv):
        d.inv_acc[dof] = d.qacc[dof]
        p1, p2 = m.dof_dampingpoly[2 * dof], m.dof_dampingpoly[2 * dof + 1]
        if lane_any((m.dof_damping[dof] > 0.0) | (p1 != 0.0) | (p2 != 0.0)):
            damped = True
    if damped and not m.opt_disableflags[0] & DSBL_EULERDAMP:
        add_dampers(m, d)
        undo_dampers(m, d)


@kernel
def discrete_euler_actuators(m, d):
    """The same in a model with dampers of actuators on joints.

    Reads: qacc, qvel, qfrc_smooth, qfrc_constraint, M, qLD, qLDiagInv, act_slope.
    Writes: qacc, inv_acc, qH, int_acc.
    """
    copy_elements(d.inv_acc, d.qacc, m.nv)
    if not m.opt_disableflags[0] & DSBL_EULERDAMP:
        add_dampers(m, d)
        for dof in range(m.nv):
            k = m.M_rowadr[dof] + m.M_rownnz[dof] - 1
            d.qH[k] = d.qH[k] + m.opt_timestep[0] * d.act_slope[dof]
        undo_dampers(m, d)


@kernel
def discrete_implicit(m, d):
    """Turn the acceleration of an implicit step into that of continuous time.

    M a = (M - h D) (v' - v) / h.

    Reads: qacc, M, qDeriv, qLD, qLDiagInv.
    Writes: qacc, inv_acc.
    """
    h = m.opt_timestep[0]
    copy_elements(d.inv_acc, d.qacc, m.nv)
    mul_rows(d.qacc, d.M, d.inv_acc, m.nv, m.M_rownnz, m.M_rowadr, m.M_colind)
    for i in range(m.nv):
        for k in range(m.D_rowadr[i], m.D_rowadr[i] + m.D_rownnz[i]):
            d.qacc[i] = fma(-h * d.qDeriv[k], d.inv_acc[m.D_colind[k]], d.qacc[i])
    solve_rows(d.qacc, d.qLD, d.qLDiagInv, m.nv, m.M_rownnz, m.M_rowadr, m.M_colind)


@kernel
def discrete_implicitfast(m, d):
    """The same with the lower triangle of D taken for both.

    Reads: qacc, M, qDeriv, qLD, qLDiagInv.
    Writes: qacc, inv_acc, qH.
    """
    copy_elements(d.inv_acc, d.qacc, m.nv)
    for k in range(m.nC):
        d.qH[k] = d.M[k] - m.opt_timestep[0] * d.qDeriv[m.mapD2M[k]]
    undo_dampers(m, d)


@kernel
def undo_dampers(m, d):
    """qacc = inv(M) H inv_acc, with H, the matrix of the step, in qH.

    Writes: qacc.
    """
    mul_rows(d.qacc, d.qH, d.inv_acc, m.nv, m.M_rownnz, m.M_rowadr, m.M_colind)
    solve_rows(d.qacc, d.qLD, d.qLDiagInv, m.nv, m.M_rownnz, m.M_rowadr, m.M_colind)


@kernel
def inv_constraint(m, d):
    """Constraint forces of an acceleration (mj_invConstraint).

    Reads: qacc, qacc_smooth, qfrc_smooth, M, block_*, isl_*, row_aref.
    Writes: qfrc_constraint (N, N m), row_force, row_jar, row_active, sol_Ma, sol_grad.
    """
    zero = zero_like(d.qacc)
    for dof in range(m.nv):
        d.qfrc_constraint[dof] = zero
    mul_rows(d.sol_Ma, d.M, d.qacc, m.nv, m.M_rownnz, m.M_rowadr, m.M_colind)
    if d.count[COUNT_BLOCK] > 0:
        prepare_rows(m, d)
        mul_jac(m, d, d.row_jar, d.qacc)
        for r in range(d.count[COUNT_ROW]):
            d.row_jar[r] = d.row_jar[r] - d.row_aref[r]
            d.row_active[r] = zero
        if m.is_large_model:
            # rows are in the order of islands
            for k in range(d.isl_num[0]):
                island_problem(d, k)
                update_constraint(m, d)
        else:
            whole_problem(m, d)
            update_constraint(m, d)


@kernel
def finish_inverse(m, d):
    """Force that an acceleration takes besides passive and constraint forces.

    Reads: sol_Ma, qfrc_bias, qfrc_passive, qfrc_constraint, inv_acc.
    Writes: qfrc_inverse (N, N m), qacc.
    """
    for dof in range(m.nv):
        rest = d.qfrc_passive[dof] + d.qfrc_constraint[dof]
        d.qfrc_inverse[dof] = d.qfrc_bias[dof] + d.sol_Ma[dof] - rest
    if m.opt_enableflags[0] & ENBL_INVDISCRETE:
        copy_elements(d.qacc, d.inv_acc, m.nv)


@kernel
def save_bias(m, d):
    """Put aside the bias force that forward dynamics has found.

    Reads: qfrc_bias.
    Writes: inv_bias.
    """
    copy_elements(d.inv_bias, d.qfrc_bias, m.nv)


@kernel
def restore_bias(m, d):
    """Put the same bias force back.

    Reads: inv_bias.
    Writes: qfrc_bias.
    """
    copy_elements(d.qfrc_bias, d.inv_bias, m.nv)


@kernel
def save_forward(m, d):
    """Put aside what forward dynamics has found and inverse dynamics overwrites.

    Reads: row_force, row_jar, row_active, qfrc_constraint, qfrc_inverse.
    Writes: inv_force, inv_jar, inv_active, inv_qfrc, inv_old.
    """
    copy_elements(d.inv_old, d.qfrc_inverse, m.nv)
    copy_elements(d.inv_force, d.row_force, d.count[COUNT_ROW])
    copy_elements(d.inv_jar, d.row_jar, d.count[COUNT_ROW])
    copy_elements(d.inv_active, d.row_active, d.count[COUNT_ROW])
    copy_elements(d.inv_qfrc, d.qfrc_constraint, m.nv)


@kernel
def compare_nothing(m, d):
    """No comparison of steps by RK4 with discrete inverse dynamics, which has no such step.

    As in MuJoCo there is nothing to compare without constraints. With constraints, where MuJoCo
    ends the program, the differences are no numbers.

    Reads: lane_on.
    Writes: solver_fwdinv.
    """
    zero = zero_like(d.qacc)
    on = zero > 1.0
    if d.count[COUNT_BLOCK] > 0:
        on = d.lane_on[0] > 0.0
    for k in range(2):
        d.solver_fwdinv[k] = select(on, NAN, zero)


@kernel
def compare_fwd_inv(m, d):
    """Differences between forward and inverse dynamics (mj_compareFwdInv).

    Without constraints there are none, and nothing is left of inverse dynamics.

    Reads: qfrc_inverse, qfrc_constraint, qfrc_smooth, qfrc_passive, qfrc_bias, inv_force, inv_jar,
        inv_active, inv_qfrc, inv_old, lane_on.
    Writes: solver_fwdinv (N, N m), qfrc_constraint, qfrc_inverse, row_force, row_jar, row_active.
    """
    zero = zero_like(d.qacc)
    constraint = applied = zero
    for dof in range(m.nv):
        dif = d.inv_qfrc[dof] - d.qfrc_constraint[dof]
        constraint = constraint + dif * dif
        # forces of the user and of actuators
        given = d.qfrc_smooth[dof] - d.qfrc_passive[dof] + d.qfrc_bias[dof]
        dif = given - d.qfrc_inverse[dof]
        applied = applied + dif * dif
        d.qfrc_constraint[dof] = d.inv_qfrc[dof]
    on = zero > 1.0
    if d.count[COUNT_BLOCK] > 0:
        on = d.lane_on[0] > 0.0
    d.solver_fwdinv[0] = select(on, sqrt(constraint), 0.0)
    d.solver_fwdinv[1] = select(on, sqrt(applied), 0.0)
    for dof in range(m.nv):
        d.qfrc_inverse[dof] = select(on, d.qfrc_inverse[dof], d.inv_old[dof])
    copy_elements(d.row_force, d.inv_force, d.count[COUNT_ROW])
    copy_elements(d.row_jar, d.inv_jar, d.count[COUNT_ROW])
    copy_elements(d.row_active, d.inv_active, d.count[COUNT_ROW])
