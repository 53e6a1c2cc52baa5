"""Checks of the state, and the integrators.

MuJoCo's documentation, Computation, "Numerical integration".
"""

from ...simd.kernel import kernel
from ...simd.lanes import absolute, lane_any, select, zero_like
from ...simd.spatial import axis_angle_quat, mul_quat, normalize3, normalize4
from ...tables.enums import (
    COUNT_FAILED,
    COUNT_JUMP,
    COUNT_RERUN,
    DSBL_AUTORESET,
    DSBL_DAMPER,
    DSBL_EULERDAMP,
    JNT_BALL,
    JNT_FREE,
    JUMP_OUT,
    NWARNING,
    WARN_BADQACC,
    WARN_BADQPOS,
    WARN_BADQVEL,
)
from ..smooth.all_of import moves
from ..smooth.forces import damping_slope, is_bad, warn
from ..smooth.inertia import factor_rows, solve_rows


@kernel
def check_pos(m, d):
    """Reset worlds with a bad position.

    Reads: qpos.
    Writes: warning_number, warning_lastinfo, warning_reset, count, and the state where bad.
    """
    check(m, d, d.qpos, m.nq, WARN_BADQPOS)


@kernel
def check_vel(m, d):
    """Reset worlds with a bad velocity.

    Reads: qvel.
    Writes: warning_number, warning_lastinfo, warning_reset, count, and the state where bad.
    """
    check(m, d, d.qvel, m.nv, WARN_BADQVEL)


@kernel
def check_acc(m, d):
    """Reset worlds with a bad acceleration, and ask for their forward dynamics again.

    Reads: qacc.
    Writes: warning_number, warning_lastinfo, warning_reset, count, and the state where bad.
    """
    d.count[COUNT_RERUN] = check(m, d, d.qacc, m.nv, WARN_BADQACC)


@kernel
def check(m, d, values, n, kind):
    """Reset the worlds in which any of n values is bad; count and note the first.

    Returns:
        Whether any world was reset.
    """
    zero = zero_like(values)
    # four sums side by side, which do not wait for each other
    s0 = s1 = s2 = s3 = zero
    for i in range(0, n - 3, 4):
        s0, s1 = s0 + absolute(values[i]), s1 + absolute(values[i + 1])
        s2, s3 = s2 + absolute(values[i + 2]), s3 + absolute(values[i + 3])
    for i in range(n - n % 4, n):
        s0 = s0 + absolute(values[i])
    sum_of_sizes = (s0 + s1) + (s2 + s3)
    # a sum is bad when any term is; a large sum of good terms is settled below
    if not lane_any(is_bad(sum_of_sizes)):
        return False
    first = zero - 1.0
    for i in range(n):
        first = select(is_bad(values[i]) & (first < 0.0), 1.0 * i, first)
    bad = first >= 0.0
    if not lane_any(bad):
        return False
    reset = not m.opt_disableflags[0] & DSBL_AUTORESET
    if reset:
        reset_lanes(m, d, bad)
    else:
        # as in MuJoCo, which warns, resets or not, and then counts again what a reset has cleared
        warn(d, kind, bad, first)
    warn(d, kind, bad, first)
    return reset


@kernel
def reset_lanes(m, d, mask):
    """Initial state, zero inputs, no warnings and no counts in the lanes of a mask."""
    # state and inputs
    clear(d.time, 1, mask)
    for i in range(m.nq):
        d.qpos[i] = select(mask, m.qpos0[i], d.qpos[i])
    clear(d.qvel, m.nv, mask)
    clear(d.act, m.na, mask)
    clear(d.qacc, m.nv, mask)
    clear(d.qacc_warmstart, m.nv, mask)
    clear(d.ctrl, m.nu, mask)
    clear(d.qfrc_applied, m.nv, mask)
    clear(d.xfrc_applied, 6 * m.nbody, mask)
    clear(d.plugin_state, m.npluginstate, mask)
    for k in range(m.nhistory):
        d.history[k] = select(mask, m.history0[k], d.history[k])
    for eq in range(m.neq):
        d.eq_active[eq] = select(mask, 1.0 * m.eq_active0[eq], d.eq_active[eq])
    # the most contacts and rows so far
    clear(d.maxuse_con, 1, mask)
    clear(d.maxuse_efc, 1, mask)
    # warnings; those of a reset world are told apart
    clear(d.warning_number, NWARNING, mask)
    clear(d.warning_lastinfo, NWARNING, mask)
    d.warning_reset[0] = select(mask, 1.0, d.warning_reset[0])
    d.reset_now[0] = select(mask, 1.0, 0.0)
    # poses of mocap bodies
    for body in range(1, m.nbody):
        mocap = m.body_mocapid[body]
        if mocap >= 0:
            for k in range(3):
                d.mocap_pos[3 * mocap + k] = select(
                    mask, m.body_pos[3 * body + k], d.mocap_pos[3 * mocap + k]
                )
            for k in range(4):
                d.mocap_quat[4 * mocap + k] = select(
                    mask, m.body_quat[4 * body + k], d.mocap_quat[4 * mocap + k]
                )


@kernel
def clear(values, n, mask):
    """Zero n values in the lanes of a mask."""
    for i in range(n):
        values[i] = select(mask, 0.0, values[i])


@kernel
def euler(m, d):
    """Semi-implicit Euler step, implicit in the joint dampers.

    Reads: M, qvel, qpos, qacc, qfrc_smooth, qfrc_constraint, time.
    Writes: qpos, qvel, time, qacc_warmstart, qH, qHDiagInv, int_acc.
    """
    # whether any dof that moves is damped
    damped = False
    if not m.opt_disableflags[0] & (DSBL_EULERDAMP | DSBL_DAMPER):
        for dof in range(m.nv):
            p1, p2 = m.dof_dampingpoly[2 * dof], m.dof_dampingpoly[2 * dof + 1]
            if lane_any((m.dof_damping[dof] > 0.0) | (p1 != 0.0) | (p2 != 0.0)):
                damped = damped or moves(m, d, dof)
    # acceleration, implicit in the dampers
    if damped:
        add_dampers(m, d)
        factor_rows(d.qH, d.qHDiagInv, m.nv, m.M_rownnz, m.M_rowadr, m.M_colind)
        solve_rows(d.int_acc, d.qH, d.qHDiagInv, m.nv, m.M_rownnz, m.M_rowadr, m.M_colind)
    else:
        for dof in range(m.nv):
            d.int_acc[dof] = d.qacc[dof]
    advance_state(m, d)


@kernel
def add_dampers(m, d):
    """Matrix and forces of the step that is implicit in the dampers: qH and int_acc."""
    h = m.opt_timestep[0]
    for k in range(m.nC):
        d.qH[k] = d.M[k]
    for dof in range(m.nv):
        k = m.M_rowadr[dof] + m.M_rownnz[dof] - 1
        d.qH[k] = d.qH[k] + h * damping_slope(m, d, dof)
        d.int_acc[dof] = d.qfrc_smooth[dof] + d.qfrc_constraint[dof]


@kernel
def advance_state(m, d):
    """Move the state at the acceleration int_acc, positions with the velocity after the step."""
    h = m.opt_timestep[0]
    for dof in range(m.nv):
        if moves(m, d, dof):
            d.qvel[dof] = d.qvel[dof] + h * d.int_acc[dof]
            d.int_vel[dof] = d.qvel[dof]
    integrate_pos(m, d, h)
    finish_step(m, d)


@kernel
def finish_step(m, d):
    """Advance time and save the acceleration for the solver's next start."""
    d.time[0] = d.time[0] + m.opt_timestep[0]
    for dof in range(m.nv):
        d.qacc_warmstart[dof] = d.qacc[dof]


@kernel
def integrate_pos(m, d, h):
    """Move qpos along the velocity int_vel for a time h."""
    for jnt in range(m.njnt):
        if moves(m, d, m.jnt_dofadr[jnt]):
            integrate_joint(m, d, jnt, h)


@kernel
def integrate_joint(m, d, jnt, h):
    """Move the position of one joint along the velocity int_vel for a time h."""
    kind, a, dof = m.jnt_type[jnt], m.jnt_qposadr[jnt], m.jnt_dofadr[jnt]
    if kind == JNT_FREE or kind == JNT_BALL:
        if kind == JNT_FREE:
            for k in range(3):
                d.qpos[a + k] = d.qpos[a + k] + h * d.int_vel[dof + k]
            a += 3
            dof += 3
        axis, speed = normalize3((d.int_vel[dof], d.int_vel[dof + 1], d.int_vel[dof + 2]))
        quat = normalize4((d.qpos[a], d.qpos[a + 1], d.qpos[a + 2], d.qpos[a + 3]))
        quat = mul_quat(quat, axis_angle_quat(axis, h * speed))
        for k in range(4):
            d.qpos[a + k] = quat[k]
    else:
        d.qpos[a] = d.qpos[a] + h * d.int_vel[dof]


# classical Runge-Kutta: times of the stages, and their weights in the result
RK4_TIME = (0.0, 0.5, 0.5, 1.0)
RK4_WEIGHT = (1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0)


@kernel
def rk4_begin(m, d):
    """Save the state, start the weighted sums, and go to the second stage.

    Reads: qpos, qvel, qacc, time.
    Writes: rk_qpos, rk_qvel, rk_time, rk_vel, rk_acc, qpos, qvel, time.
    """
    zero = zero_like(d.qvel)
    d.rk_time[0] = d.time[0]
    for i in range(m.nq):
        d.rk_qpos[i] = d.qpos[i]
    for dof in range(m.nv):
        d.rk_qvel[dof] = d.qvel[dof]
        d.rk_vel[dof] = zero
        d.rk_acc[dof] = zero
    rk4_advance(m, d, 0)


@kernel
def rk4_second(m, d):
    """From the second stage to the third.

    Reads: qvel, qacc. Writes: rk_vel, rk_acc, qpos, qvel, time.
    """
    rk4_advance(m, d, 1)


@kernel
def rk4_third(m, d):
    """From the third stage to the fourth.

    Reads: qvel, qacc. Writes: rk_vel, rk_acc, qpos, qvel, time.
    """
    rk4_advance(m, d, 2)


@kernel
def rk4_advance(m, d, stage):
    """Add one stage's derivatives to the sums and go to the state of the next one."""
    h, ahead, weight = m.opt_timestep[0], RK4_TIME[stage + 1], RK4_WEIGHT[stage]
    for i in range(m.nq):
        d.qpos[i] = d.rk_qpos[i]
    for dof in range(m.nv):
        vel, acc = d.qvel[dof], d.qacc[dof]
        d.rk_vel[dof] = d.rk_vel[dof] + weight * vel
        d.rk_acc[dof] = d.rk_acc[dof] + weight * acc
        d.int_vel[dof] = ahead * vel
        d.qvel[dof] = d.rk_qvel[dof] + h * (ahead * acc)
    integrate_pos(m, d, h)
    d.time[0] = d.rk_time[0] + ahead * h


@kernel
def return_failed(m, d):
    """Go back to the start of a step within which something has failed, and end it there.

    Reads: rk_qpos, rk_qvel, rk_time.
    Writes: qpos, qvel, time, count.
    """
    if not d.count[COUNT_FAILED]:
        return
    for i in range(m.nq):
        d.qpos[i] = d.rk_qpos[i]
    for dof in range(m.nv):
        d.qvel[dof] = d.rk_qvel[dof]
    d.time[0] = d.rk_time[0]
    d.count[COUNT_JUMP] = JUMP_OUT


@kernel
def rk4_finish(m, d):
    """The step along the weighted mean of the stages; derived fields stay those of the last.

    Reads: qvel, qacc, rk_qpos, rk_qvel, rk_time, rk_vel, rk_acc.
    Writes: qpos, qvel, time, qacc_warmstart.
    """
    h = m.opt_timestep[0]
    for i in range(m.nq):
        d.qpos[i] = d.rk_qpos[i]
    for dof in range(m.nv):
        d.int_vel[dof] = d.rk_vel[dof] + RK4_WEIGHT[3] * d.qvel[dof]
        d.qvel[dof] = d.rk_qvel[dof] + h * (d.rk_acc[dof] + RK4_WEIGHT[3] * d.qacc[dof])
    integrate_pos(m, d, h)
    d.time[0] = d.rk_time[0]
    finish_step(m, d)
