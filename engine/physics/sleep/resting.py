"""Smooth dynamics where trees sleep: what is known of these is not computed again.

Each kernel stands for one of the pipeline and does the same for bodies and dofs in lists: those of
trees that are awake or not known yet, and those that never move. All but that of poses are variants
of it, in which the lists are gone over instead of everything. In a single world everything is
known after a step. Trees whose root hangs on a body that is not the world's are always computed.
"""

from ...simd.kernel import entry, kernel, replaced
from ...simd.lanes import add_block, load3, load4, load10, store
from ...simd.spatial import normalize4
from ...tables.enums import COUNT_KNOWN, JNT_FREE
from ..integrators.euler_rk4 import euler
from ..smooth.all_of import body_at, count_bodies, count_dofs, dof_at, is_computed, moves
from ..smooth.forces import fwd_acceleration, rne, solve_smooth
from ..smooth.inertia import (
    com_pos,
    factor_m,
    joint_axes,
    make_m,
    place_axes,
    solve_listed,
    start_composites,
    sum_moments,
)
from ..smooth.kinematics import com_vel, place_body, place_geom, place_site, turn_joints

BODY, DOF = range(2)


@kernel
def move_bodies(m, d):
    """Poses of all bodies; which sleeping trees have others than before.

    Reads: qpos, mocap_pos, mocap_quat, tree_asleep.
    Writes: xpos, xquat, xmat, xanchor, xaxis, xipos, ximat, tree_busy, turn_sin, turn_cos.
    """
    store(d.xpos, 0, (0.0, 0.0, 0.0))
    store(d.xquat, 0, (1.0, 0.0, 0.0, 0.0))
    store(d.xmat, 0, (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0))
    store(d.xipos, 0, (0.0, 0.0, 0.0))
    store(d.ximat, 0, (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0))
    for tree in range(m.ntree):
        d.tree_busy[tree] = 0
    turn_joints(m, d)
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
    """True if a body with a free joint has the same pose as before."""
    jnt = m.body_jntadr[body]
    if m.body_jntnum[body] != 1 or m.jnt_type[jnt] != JNT_FREE:
        return False
    a = m.jnt_qposadr[jnt]
    for k in range(3):
        if d.qpos[a + k] != d.xpos[3 * body + k]:
            return False
    quat, there = (d.qpos[a + 3], d.qpos[a + 4], d.qpos[a + 5], d.qpos[a + 6]), load4(d.xquat, body)
    # one that is normalized stays as it is
    return quat == there or normalize4(quat) == there


@kernel
def place_things(m, d):
    """Poses of geoms and sites.

    Reads: xpos, xquat, xmat, xipos, ximat, busy_body.
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


@kernel
def sum_busy_moments(m, d):
    """Mass moments of bodies to those of subtrees; trees at rest give what they gave before."""
    for body in range(m.nbody - 1, 0, -1):
        tree = m.body_treeid[body]
        if tree < 0 or d.tree_busy[tree]:
            if tree >= 0 and m.tree_bodyadr[tree] == body:
                store(d.tree_moment, tree, load3(d.subtree_com, body))
            add_block(d.subtree_com, m.body_parentid[body], load3(d.subtree_com, body))
        elif m.tree_bodyadr[tree] == body:
            add_block(d.subtree_com, m.body_parentid[body], load3(d.tree_moment, tree))


@kernel
def place_busy_axes(m, d):
    """Motion axes of the dofs of bodies to compute; the first of these is the world."""
    for k in range(1, d.busy_num[BODY]):
        body = d.busy_body[k]
        first = m.body_jntadr[body]
        for jnt in range(first, first + m.body_jntnum[body]):
            joint_axes(m, d, jnt)


@kernel
def is_busy(m, d, tree):
    """True if a tree is to be computed."""
    return d.tree_busy[tree]


@kernel
def moves_awake(m, d, dof):
    """True if a dof is one of a tree that is awake."""
    return d.tree_up[m.dof_treeid[dof]]


# what stands for each kernel over everything
LISTED = {
    count_bodies: count_busy_bodies,
    body_at: busy_body_at,
    count_dofs: count_busy_dofs,
    dof_at: busy_dof_at,
    is_computed: is_busy,
    moves: moves_awake,
    sum_moments: sum_busy_moments,
    place_axes: place_busy_axes,
    start_composites: start_busy_composites,
    solve_smooth: solve_busy,
}


# kernels of stages where trees sleep
for _function in (com_pos, make_m, factor_m, com_vel, rne, fwd_acceleration, euler):
    entry(globals(), f"{_function.__name__}_resting", replaced(_function, LISTED))
