"""Velocities and forces computed again after trees have fallen asleep, now that they rest.

As in MuJoCo, what depends on velocity is computed once more in the step in which a tree falls
asleep, sensors too, while the state moves on by the forces from before.
"""

from ...simd.kernel import kernel
from ...simd.lanes import call_stage, longs_at
from ...simd.spatial import copy_elements
from ...tables.enums import COUNT_SLEPT


@kernel
def sleep_transition(m, d):
    """Compute again what depends on velocity, if a tree fell asleep.

    Reads: count, again_at, qacc, qfrc_smooth, qfrc_constraint.
    Writes: aside_acc, aside_smooth, aside_force, and all that depends on velocity.
    """
    if d.count[COUNT_SLEPT]:
        copy_elements(d.aside_acc, d.qacc, m.nv)
        copy_elements(d.aside_smooth, d.qfrc_smooth, m.nv)
        copy_elements(d.aside_force, d.qfrc_constraint, m.nv)
        stages = longs_at(d.again_at[0])
        for k in range(d.again_num[0]):
            call_stage(stages[k], m, d)


@kernel
def swap(m, d):
    """Exchange the forces that move the state and those of trees at rest, if a tree fell asleep.

    Reads: aside_acc, aside_smooth, aside_force.
    Writes: the same, qacc, qfrc_smooth, qfrc_constraint.
    """
    if d.count[COUNT_SLEPT]:
        for dof in range(m.nv):
            d.aside_acc[dof], d.qacc[dof] = d.qacc[dof], d.aside_acc[dof]
            d.aside_smooth[dof], d.qfrc_smooth[dof] = d.qfrc_smooth[dof], d.aside_smooth[dof]
            d.aside_force[dof], d.qfrc_constraint[dof] = (
                d.qfrc_constraint[dof],
                d.aside_force[dof],
            )


@kernel
def finish_sleep_transition(m, d):
    """Have the results of before settling again, from which the solver starts in the next step.

    Reads: aside_acc, aside_smooth, aside_force.
    Writes: the same, qacc, qfrc_smooth, qfrc_constraint, qacc_warmstart.
    """
    if d.count[COUNT_SLEPT]:
        swap(m, d)
        copy_elements(d.qacc_warmstart, d.qacc, m.nv)


@kernel
def rewind(m, d):
    """Back from the last state within a step to the one at its start, or there again.

    Reads: qpos, qvel, time, rk_qpos, rk_qvel, rk_time.
    Writes: qpos, qvel, time, rk_qpos, rk_qvel, rk_time.
    """
    for i in range(m.nq):
        d.qpos[i], d.rk_qpos[i] = d.rk_qpos[i], d.qpos[i]
    for dof in range(m.nv):
        d.qvel[dof], d.rk_qvel[dof] = d.rk_qvel[dof], d.qvel[dof]
    d.time[0], d.rk_time[0] = d.rk_time[0], d.time[0]


@kernel
def keep_smooth(m, d):
    """Put aside the forces and accelerations of the last step.

    Reads: qacc_smooth, qfrc_smooth.
    Writes: kept_smooth, kept_forces.
    """
    copy_elements(d.kept_smooth, d.qacc_smooth, m.nv)
    copy_elements(d.kept_forces, d.qfrc_smooth, m.nv)


@kernel
def rest_smooth(m, d):
    """Sleeping trees keep the forces and accelerations of the step in which they fell asleep.

    Reads: tree_up, tree_busy, kept_smooth, kept_forces.
    Writes: qacc_smooth, qfrc_smooth.
    """
    for tree in range(m.ntree):
        if d.tree_busy[tree] and not d.tree_up[tree]:
            first = m.tree_dofadr[tree]
            for dof in range(first, first + m.tree_dofnum[tree]):
                d.qacc_smooth[dof] = d.kept_smooth[dof]
                d.qfrc_smooth[dof] = d.kept_forces[dof]
