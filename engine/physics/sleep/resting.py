"""Smooth dynamics where trees sleep: what is known of these is not computed again.

Each kernel stands for one of the pipeline and does the same for bodies and dofs in lists: those of
trees that are awake or not known yet, and those that never move. In a single world everything is
known after a step. Trees whose root hangs on a body that is not the world's are always computed.
"""

from ...enums import (
    COUNT_KNOWN,
    COUNT_XFRC,
    DSBL_DAMPER,
    DSBL_EULERDAMP,
    DSBL_GRAVITY,
    JNT_FREE,
    MINVAL,
)
from ...fields import table
from ...simd.kernel import kernel
from ...simd.lanes import add_block, load3, load4, load6, load10, store
from ...simd.spatial import addscl6, dot6, normalize4, scale3
from ..integrators.euler_rk4 import add_dampers, finish_step, integrate_joint
from ..smooth.forces import apply_wrench, inertial_force
from ..smooth.inertia import (
    body_inertia,
    factor_rows,
    factor_span,
    inertia_row,
    joint_axes,
    solve_listed,
    solve_rows,
)
from ..smooth.kinematics import body_velocity, place_body, place_geom, place_site

RESTING_DATA = table("""
tree_busy        int   ntree       1: the tree is awake or not known; before: its pose has changed
busy_num         int   2           bodies and dofs to compute
busy_body        int   nbody       bodies that never move, and those of busy trees
busy_dof         int   nv          dofs of busy trees
tree_moment      real  ntree*3     mass times center of mass (kg m)
""")
BODY, DOF = range(2)


@kernel
def move_bodies(m, d):
    """Poses of all bodies; which sleeping trees have others than before.

    Reads: qpos, mocap_pos, mocap_quat, tree_asleep.
    Writes: xpos, xquat, xmat, xanchor, xaxis, xipos, ximat, tree_busy.
    """
    store(d.xpos, 0, (0.0, 0.0, 0.0))
    store(d.xquat, 0, (1.0, 0.0, 0.0, 0.0))
    store(d.xmat, 0, (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0))
    store(d.xipos, 0, (0.0, 0.0, 0.0))
    store(d.ximat, 0, (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0))
    for tree in range(m.ntree):
        d.tree_busy[tree] = 0
    for body in range(1, m.nbody):
        tree = m.body_treeid[body]
        if tree >= 0 and d.tree_asleep[tree] >= 0.0:
            if d.count[COUNT_KNOWN] and floats_there(m, d, body):
                continue
            pos, quat = load3(d.xpos, body), load4(d.xquat, body)
            place_body(m, d, body)
            if pos != load3(d.xpos, body) or quat != load4(d.xquat, body):
                d.tree_busy[tree] = 1
        else:
            place_body(m, d, body)


@kernel
def floats_there(m, d, body):
    """Whether a body with a free joint has the same pose as before."""
    jnt = m.body_jntadr[body]
    if m.body_jntnum[body] != 1 or m.jnt_type[jnt] != JNT_FREE:
        return False
    a = m.jnt_qposadr[jnt]
    for k in range(3):
        if d.qpos[a + k] != d.xpos[3 * body + k]:
            return False
    quat = normalize4((d.qpos[a + 3], d.qpos[a + 4], d.qpos[a + 5], d.qpos[a + 6]))
    return quat == load4(d.xquat, body)


@kernel
def place_things(m, d):
    """Poses of geoms and sites.

    Reads: xpos, xquat, xmat, busy_body.
    Writes: geom_xpos, geom_xmat, site_xpos, site_xmat.
    """
    for k in range(d.busy_num[BODY]):
        body = d.busy_body[k]
        for geom in range(m.body_geomadr[body], m.body_geomadr[body] + m.body_geomnum[body]):
            place_geom(m, d, geom)
    for site in range(m.nsite):
        tree = m.body_treeid[m.site_bodyid[site]]
        if tree < 0 or d.tree_busy[tree]:
            place_site(m, d, site)


@kernel
def com_pos_resting(m, d):
    """Subtree centers of mass; spatial inertias and joint axes about those of whole trees.

    Reads: xipos, ximat, xmat, xanchor, xaxis, busy_body, tree_busy.
    Writes: subtree_com (m), cinert (kg m^2, kg m, kg), cdof, tree_moment.
    """
    # mass moments of bodies
    for k in range(d.busy_num[BODY]):
        body = d.busy_body[k]
        store(d.subtree_com, body, scale3(load3(d.xipos, body), m.body_mass[body]))
    # sums over subtrees; trees at rest give what they gave before
    for body in range(m.nbody - 1, 0, -1):
        tree = m.body_treeid[body]
        if tree < 0 or d.tree_busy[tree]:
            if tree >= 0 and m.tree_bodyadr[tree] == body:
                store(d.tree_moment, tree, load3(d.subtree_com, body))
            add_block(d.subtree_com, m.body_parentid[body], load3(d.subtree_com, body))
        elif m.tree_bodyadr[tree] == body:
            add_block(d.subtree_com, m.body_parentid[body], load3(d.tree_moment, tree))
    # centers of mass
    for k in range(d.busy_num[BODY]):
        body = d.busy_body[k]
        mass = m.body_subtreemass[body]
        if mass < MINVAL:
            store(d.subtree_com, body, load3(d.xipos, body))
        else:
            store(d.subtree_com, body, scale3(load3(d.subtree_com, body), 1.0 / mass))
    # inertias and joint axes
    for k in range(10):
        d.cinert[k] = 0.0
    for k in range(d.busy_num[BODY]):
        body = d.busy_body[k]
        if body > 0:
            store(d.cinert, body, body_inertia(m, d, body))
            first = m.body_jntadr[body]
            for jnt in range(first, first + m.body_jntnum[body]):
                joint_axes(m, d, jnt)


@kernel
def make_m_resting(m, d):
    """Joint-space inertia matrix by the composite rigid body algorithm.

    Reads: cinert, cdof, busy_body, busy_dof.
    Writes: crb, M (lower triangle by rows; kg, kg m, kg m^2).
    """
    for i in range(d.busy_num[BODY]):
        body = d.busy_body[i]
        for k in range(10 * body, 10 * body + 10):
            d.crb[k] = d.cinert[k]
    for i in range(d.busy_num[BODY] - 1, 0, -1):
        body = d.busy_body[i]
        parent = m.body_parentid[body]
        if parent > 0:
            add_block(d.crb, parent, load10(d.crb, body))
    for k in range(d.busy_num[DOF]):
        inertia_row(m, d, d.busy_dof[k])


@kernel
def factor_m_resting(m, d):
    """L'DL factorization of the inertia matrix.

    Reads: M, tree_busy.
    Writes: qLD, qLDiagInv.
    """
    for tree in range(m.ntree):
        if d.tree_busy[tree]:
            first = m.tree_dofadr[tree]
            end = first + m.tree_dofnum[tree]
            last = m.M_rowadr[end - 1] + m.M_rownnz[end - 1]
            for k in range(m.M_rowadr[first], last):
                d.qLD[k] = d.M[k]
            factor_span(d.qLD, d.qLDiagInv, first, end, m.M_rownnz, m.M_rowadr, m.M_colind)


@kernel
def com_vel_resting(m, d):
    """Velocities of bodies and rates of change of the joint axes, in the frames of `subtree_com`.

    Reads: qvel, cdof, busy_body.
    Writes: cvel (rad/s, m/s), cdof_dot.
    """
    store(d.cvel, 0, (0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    for k in range(1, d.busy_num[BODY]):
        body_velocity(m, d, d.busy_body[k])


@kernel
def rne_resting(m, d):
    """Bias force: Coriolis, centrifugal and gravitational, by the recursive Newton-Euler algorithm.

    Reads: cinert, cdof, cdof_dot, cvel, qvel, busy_body, busy_dof.
    Writes: qfrc_bias (N, N m).
    """
    g = load3(m.opt_gravity, 0)
    on = 0.0 if m.opt_disableflags[0] & DSBL_GRAVITY else 1.0
    store(d.rne_acc, 0, (0.0, 0.0, 0.0, 0.0 - on * g[0], 0.0 - on * g[1], 0.0 - on * g[2]))
    for k in range(1, d.busy_num[BODY]):
        body = d.busy_body[k]
        acc, dofadr = load6(d.rne_acc, m.body_parentid[body]), m.body_dofadr[body]
        for dof in range(dofadr, dofadr + m.body_dofnum[body]):
            acc = addscl6(acc, load6(d.cdof_dot, dof), d.qvel[dof])
        store(d.rne_acc, body, acc)
        store(d.rne_frc, body, inertial_force(d, body, acc))
    for k in range(d.busy_num[BODY] - 1, 0, -1):
        body = d.busy_body[k]
        parent = m.body_parentid[body]
        if parent > 0:
            add_block(d.rne_frc, parent, load6(d.rne_frc, body))
    for k in range(d.busy_num[DOF]):
        dof = d.busy_dof[k]
        d.qfrc_bias[dof] = dot6(load6(d.cdof, dof), load6(d.rne_frc, m.dof_bodyid[dof]))


@kernel
def acceleration_resting(m, d):
    """Sum of all forces but those of constraints, and the acceleration they give.

    Reads: qfrc_passive, qfrc_bias, qfrc_actuator, qfrc_applied, xfrc_applied, cdof, xipos,
        subtree_com, qLD, qLDiagInv, busy_body, busy_dof.
    Writes: qfrc_smooth (N, N m), qacc_smooth (m/s^2, rad/s^2).
    """
    ndof = d.busy_num[DOF]
    for k in range(ndof):
        dof = d.busy_dof[k]
        d.qfrc_smooth[dof] = (
            d.qfrc_passive[dof] - d.qfrc_bias[dof] + d.qfrc_applied[dof] + d.qfrc_actuator[dof]
        )
    if d.count[COUNT_XFRC] > 0:
        for k in range(1, d.busy_num[BODY]):
            apply_wrench(m, d, d.busy_body[k])
    for k in range(ndof):
        d.qacc_smooth[d.busy_dof[k]] = d.qfrc_smooth[d.busy_dof[k]]
    solve_listed(
        d.qacc_smooth, d.qLD, d.qLDiagInv, d.busy_dof, 0, ndof,
        m.M_rownnz, m.M_rowadr, m.M_colind,
    )  # fmt: skip


@kernel
def euler_resting(m, d):
    """Semi-implicit Euler step of trees that are awake, implicit in the joint dampers.

    Reads: M, qvel, qpos, qacc, qfrc_smooth, qfrc_constraint, time, tree_up.
    Writes: qpos, qvel, time, qacc_warmstart, qH, qHDiagInv, int_acc, int_vel.
    """
    # whether any dof is damped whose tree is awake
    damped, h = False, m.opt_timestep[0]
    if not m.opt_disableflags[0] & (DSBL_EULERDAMP | DSBL_DAMPER):
        for dof in range(m.nv):
            p1, p2 = m.dof_dampingpoly[2 * dof], m.dof_dampingpoly[2 * dof + 1]
            if m.dof_damping[dof] > 0.0 or p1 != 0.0 or p2 != 0.0:
                damped = damped or d.tree_up[m.dof_treeid[dof]] > 0
    # acceleration, implicit in the dampers
    if damped:
        add_dampers(m, d)
        factor_rows(d.qH, d.qHDiagInv, m.nv, m.M_rownnz, m.M_rowadr, m.M_colind)
        solve_rows(d.int_acc, d.qH, d.qHDiagInv, m.nv, m.M_rownnz, m.M_rowadr, m.M_colind)
    else:
        for dof in range(m.nv):
            d.int_acc[dof] = d.qacc[dof]
    # velocities, then positions
    for dof in range(m.nv):
        if d.tree_up[m.dof_treeid[dof]]:
            d.qvel[dof] = d.qvel[dof] + h * d.int_acc[dof]
            d.int_vel[dof] = d.qvel[dof]
    for jnt in range(m.njnt):
        if d.tree_up[m.dof_treeid[m.jnt_dofadr[jnt]]]:
            integrate_joint(m, d, jnt, h)
    finish_step(m, d)
