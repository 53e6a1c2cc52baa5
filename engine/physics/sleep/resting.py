"""Smooth dynamics where trees sleep: what is known of these is not computed again.

Each kernel stands for one of the pipeline and does the same for bodies and dofs in lists: those of
trees that are awake or not known yet, and those that never move. Most are variants of it, in which
the lists are gone over instead of everything. In a single world everything is
known after a step. Trees whose root hangs on a body that is not the world's are always computed.
"""

from ...enums import (
    COUNT_KNOWN,
    DSBL_DAMPER,
    DSBL_EULERDAMP,
    JNT_FREE,
    MINVAL,
)
from ...fields import table
from ...simd.kernel import entry, kernel
from ...simd.lanes import add_block, load3, load4, load10, store
from ...simd.spatial import normalize4, scale3
from ..integrators.euler_rk4 import add_dampers, finish_step, integrate_joint
from ..smooth.forces import fwd_acceleration, rne
from ..smooth.inertia import (
    body_inertia,
    factor_rows,
    factor_span,
    joint_axes,
    make_m,
    solve_listed,
    solve_rows,
)
from ..smooth.kinematics import com_vel, place_body, place_geom, place_site

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


# what is known of bodies and dofs is gone over by the kernels of the pipeline, in these lists


@kernel
def count_busy_bodies(m, d):
    """Number of bodies to compute, of which the first is the world."""
    return d.busy_num[BODY]


@kernel
def busy_body_at(m, d, k):
    """One of these bodies, parents before children."""
    return d.busy_body[k]


@kernel
def count_busy_dofs(m, d):
    """Number of dofs to compute."""
    return d.busy_num[DOF]


@kernel
def busy_dof_at(m, d, k):
    """One of these dofs."""
    return d.busy_dof[k]


@kernel
def start_busy_composites(m, d):
    """Inertias of bodies to compute, to which those of their children are added."""
    for k in range(d.busy_num[BODY]):
        body = d.busy_body[k]
        store(d.crb, body, load10(d.cinert, body))


@kernel
def solve_busy(m, d):
    """Forces in qacc_smooth to accelerations, in trees to compute."""
    solve_listed(
        d.qacc_smooth, d.qLD, d.qLDiagInv, d.busy_dof, 0, d.busy_num[DOF],
        m.M_rownnz, m.M_rowadr, m.M_colind,
    )  # fmt: skip


BODIES = {"count_bodies": count_busy_bodies, "body_at": busy_body_at}
DOFS = {"count_dofs": count_busy_dofs, "dof_at": busy_dof_at}
make_m_resting = entry(
    globals(), "make_m_resting", make_m, **BODIES, **DOFS, start_composites=start_busy_composites
)
com_vel_resting = entry(globals(), "com_vel_resting", com_vel, **BODIES)
rne_resting = entry(globals(), "rne_resting", rne, **BODIES, **DOFS)
acceleration_resting = entry(
    globals(), "acceleration_resting", fwd_acceleration, **BODIES, **DOFS, solve_smooth=solve_busy
)


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
