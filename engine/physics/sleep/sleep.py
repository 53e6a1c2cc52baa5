"""Sleeping: trees at rest stand still, without constraints, until something disturbs them.

MuJoCo's documentation, Computation, "Sleeping islands". `tree_asleep` is the state: negative while
a tree is awake (it counts from -11 up to -1, ready to sleep, in steps of slow motion), else the
next tree of those that fell asleep together, in a cycle. In one world, what is known of sleeping
trees is not computed again (resting.py); in several worlds it is, and is thrown away. Contacts and
the solver's work are saved in both. Only large models sleep.
"""

from ...simd.kernel import kernel
from ...simd.lanes import absolute
from ...simd.spatial import copy_elements
from ...tables.enums import (
    COUNT_BLOCK,
    COUNT_FOUND,
    COUNT_JUMP,
    COUNT_KNOWN,
    COUNT_SEARCH,
    COUNT_SLEPT,
    COUNT_SLOT,
    COUNT_XFRC,
    DSBL_ISLAND,
    ENBL_SLEEP,
    EQ_JOINT,
    EQ_WELD,
    JUMP_BACK,
    SLEEP_AUTO_NEVER,
    SLEEP_NEVER,
)
from .scratch import AWAKE, READY


@kernel
def wake_disturbed(m, d):
    """Wake trees whose position, velocity or applied forces somebody has changed.

    Reads: tree_asleep, tree_busy, qvel, xfrc_applied, qfrc_applied.
    Writes: tree_asleep, tree_up, tree_busy, busy_num, busy_body, busy_dof.
    """
    enabled = m.opt_enableflags[0] & ENBL_SLEEP
    for tree in range(m.ntree):
        if not enabled:
            d.tree_asleep[tree] = 1.0 * AWAKE
        elif d.tree_asleep[tree] >= 0.0 and (d.tree_busy[tree] or not may_rest(m, d, tree, 0.0)):
            wake(d, tree, AWAKE)
    note_awake(m, d)


@kernel
def note_awake(m, d):
    """Enter which trees are awake.

    Reads: tree_asleep.
    Writes: tree_up, tree_busy, busy_num, busy_body, busy_dof.
    """
    known = d.count[COUNT_KNOWN]
    n = k = 0
    for tree in range(m.ntree):
        d.tree_up[tree] = 1 if d.tree_asleep[tree] < 0.0 else 0
        # what hangs on other bodies has centers of mass together with other trees
        hangs = m.body_parentid[m.tree_bodyadr[tree]] > 0
        d.tree_busy[tree] = 1 if d.tree_up[tree] or hangs or not known else 0
        if d.tree_busy[tree]:
            for dof in range(m.tree_dofadr[tree], m.tree_dofadr[tree] + m.tree_dofnum[tree]):
                d.busy_dof[k] = dof
                k += 1
    for body in range(m.nbody):
        tree = m.body_treeid[body]
        if tree < 0 or d.tree_busy[tree]:
            d.busy_body[n] = body
            n += 1
    d.busy_num[0], d.busy_num[1] = n, k


@kernel
def note_fallen(m, d):
    """Enter which trees are awake, if one fell asleep.

    Reads: count, tree_asleep.
    Writes: tree_up, tree_busy, busy_num, busy_body, busy_dof.
    """
    if d.count[COUNT_SLEPT]:
        note_awake(m, d)


@kernel
def may_rest(m, d, tree, tolerance):
    """True if a tree is allowed to sleep, no force is applied to it, and it is slow.

    As in MuJoCo, a force of -0.0 is a force, and a velocity of -0.0 is one without tolerance: users
    wake trees with it.

    Args:
        m: model.
        d: data.
        tree: tree.
        tolerance: speed below which it is slow (m/s); 0: it must not move at all.
    """
    policy = m.tree_sleep_policy[tree]
    if policy == SLEEP_NEVER or policy == SLEEP_AUTO_NEVER:
        return False
    first = 6 * m.tree_bodyadr[tree]
    if d.count[COUNT_XFRC] > 0:
        for k in range(first, first + 6 * m.tree_bodynum[tree]):
            if d.xfrc_applied_bits[k] != 0:
                return False
    first = m.tree_dofadr[tree]
    for dof in range(first, first + m.tree_dofnum[tree]):
        speed = absolute(d.qvel[dof]) * m.dof_length[dof]
        fast = speed >= tolerance if tolerance != 0.0 else d.qvel_bits[dof] != 0
        if d.qfrc_applied_bits[dof] != 0 or fast:
            return False
    return True


@kernel
def wake(d, tree, value):
    """Wake a tree and those that sleep with it; one that is awake moves on to `value` at most."""
    if d.tree_asleep[tree] < 0.0:
        d.tree_asleep[tree] = min(d.tree_asleep[tree], 1.0 * value)
        return
    other = tree
    while d.tree_asleep[other] >= 0.0:
        following = int(d.tree_asleep[other])
        d.tree_asleep[other] = 1.0 * value
        other = following


@kernel
def wake_both(d, tree1, tree2):
    """Wake a sleeping tree that something awake pulls at."""
    if d.tree_up[tree1] != d.tree_up[tree2]:
        asleep, up = (tree2, tree1) if d.tree_up[tree1] else (tree1, tree2)
        wake(d, asleep, int(d.tree_asleep[up]))


@kernel
def wake_by_tendons(m, d):
    """Wake trees that a tendon at its limit joins to one that is awake.

    Reads: ten_length, tree_up.
    Writes: tree_asleep, tree_up.
    """
    for ten in range(m.ntendon):
        if m.tendon_treenum[ten] == 2 and m.tendon_limited[ten]:
            low = d.ten_length[ten] - m.tendon_range[2 * ten]
            high = m.tendon_range[2 * ten + 1] - d.ten_length[ten]
            if min(low, high) < m.tendon_margin[ten]:
                wake_both(d, m.tendon_treeid[2 * ten], m.tendon_treeid[2 * ten + 1])
    note_awake(m, d)


@kernel
def drop_sleeping_pairs(m, d):
    """Forget pairs of geoms of which neither is awake.

    Reads: found_geom1, found_geom2, found_pair, tree_up.
    Writes: found_geom1, found_geom2, found_pair, count.
    """
    kept = 0
    for k in range(d.count[COUNT_FOUND]):
        if is_up(m, d, d.found_geom1[k]) or is_up(m, d, d.found_geom2[k]):
            d.found_geom1[kept] = d.found_geom1[k]
            d.found_geom2[kept] = d.found_geom2[k]
            d.found_pair[kept] = d.found_pair[k]
            kept += 1
    d.count[COUNT_FOUND] = kept


@kernel
def is_up(m, d, geom):
    """True if a geom is on a tree that is awake, or on a body that the user moves."""
    return body_is_up(m, d, m.geom_bodyid[geom])


@kernel
def body_is_up(m, d, body):
    """True if a body is of a tree that is awake, or moved by the user; what never moves is not."""
    tree = m.body_treeid[body]
    if tree < 0:
        return m.body_mocapid[m.body_rootid[body]] >= 0
    return d.tree_up[tree] > 0


@kernel
def wake_touched(m, d):
    """Wake trees that touch one that is awake; then collision starts again.

    Reads: con_any, slot_cand, cand_geom1, cand_geom2, tree_up.
    Writes: tree_asleep, tree_up, count.
    """
    woken = False
    for slot in range(d.count[COUNT_SLOT]):
        pair = d.slot_cand[slot]
        if d.con_any[slot] and min(d.cand_geom1[pair], d.cand_geom2[pair]) >= 0:
            tree1 = m.body_treeid[m.geom_bodyid[d.cand_geom1[pair]]]
            tree2 = m.body_treeid[m.geom_bodyid[d.cand_geom2[pair]]]
            if tree1 >= 0 and tree2 >= 0 and d.tree_up[tree1] != d.tree_up[tree2]:
                wake_both(d, tree1, tree2)
                woken = True
    if woken:
        note_awake(m, d)
        d.count[COUNT_JUMP], d.count[COUNT_SEARCH] = JUMP_BACK, 0


@kernel
def wake_joined(m, d):
    """Wake trees that an equality constraint joins to others that do not sleep with them.

    Reads: eq_active, tree_up.
    Writes: tree_asleep, tree_up.
    """
    for eq in range(m.neq):
        if d.eq_active[eq] > 0.0 and m.eq_type[eq] <= EQ_JOINT:
            tree1, tree2 = trees_joined(m, eq)
            if tree1 >= 0 and tree2 >= 0 and tree1 != tree2:
                up1, up2 = d.tree_asleep[tree1] < 0.0, d.tree_asleep[tree2] < 0.0
                if up1 != up2:
                    wake(d, tree2 if up1 else tree1, AWAKE)
                elif not up1 and not sleep_together(d, tree1, tree2):
                    wake(d, tree1, AWAKE)
                    wake(d, tree2, AWAKE)
    note_awake(m, d)


@kernel
def trees_joined(m, eq):
    """Trees of the two things that an equality constraint joins; -1: none."""
    if m.eq_type[eq] <= EQ_WELD:
        return m.body_treeid[m.eq_body1[eq]], m.body_treeid[m.eq_body2[eq]]
    other = m.eq_obj2id[eq]
    tree1 = m.body_treeid[m.jnt_bodyid[m.eq_obj1id[eq]]]
    return tree1, (m.body_treeid[m.jnt_bodyid[other]] if other >= 0 else -1)


@kernel
def sleep_together(d, tree1, tree2):
    """True if two sleeping trees are in one cycle."""
    tree = int(d.tree_asleep[tree1])
    while tree != tree1 and tree != tree2:
        tree = int(d.tree_asleep[tree])
    return tree == tree2


@kernel
def deactivate_sleeping(m, d):
    """Switch off the constraints of trees that all sleep.

    Reads: block_*, tree_up.
    Writes: block_D, tree_on.
    """
    for tree in range(m.ntree):
        if not d.tree_up[tree]:
            d.tree_on[tree] = 0.0
    for b in range(d.count[COUNT_BLOCK]):
        up, chainadr = False, d.block_chainadr[b]
        for x in range(chainadr, chainadr + d.block_chainnum[b]):
            up = up or d.tree_up[m.dof_treeid[d.chain_dof[x]]] > 0
        if not up:
            d.block_D[b] = 0.0


@kernel
def fall_asleep(m, d):
    """Count slow steps, and put islands to sleep that are slow as a whole.

    Where constraints are not told apart by islands, nothing that they hold falls asleep; nor does,
    in such a step, anything else.

    Reads: tree_asleep, isl_*, tree_list, qvel, qpos, xfrc_applied, qfrc_applied.
    Writes: tree_asleep, qvel, qacc, still_qpos, count.
    """
    d.count[COUNT_SLEPT] = 0
    if m.opt_enableflags[0] & ENBL_SLEEP and not (
        m.opt_disableflags[0] & DSBL_ISLAND and d.isl_num[0] > 0
    ):
        for tree in range(m.ntree):
            asleep = d.tree_asleep[tree]
            if asleep < 0.0:
                slow = may_rest(m, d, tree, m.opt_sleep_tolerance[0])
                d.tree_asleep[tree] = min(asleep + 1.0, 1.0 * READY) if slow else 1.0 * AWAKE
        end_islands(m, d)
    copy_elements(d.still_qpos, d.qpos, m.nq)


@kernel
def end_islands(m, d):
    """Put islands to sleep of which all trees are ready, and such trees of none."""
    start = 0
    for k in range(d.isl_num[0]):
        ready, start = True, d.isl_tree[k + 1]
        for t in range(d.isl_tree[k], start):
            ready = ready and d.tree_asleep[d.tree_list[t]] == READY
        if ready:
            enter_sleep(m, d, d.isl_tree[k], start)
    for t in range(start, m.ntree):
        if d.tree_asleep[d.tree_list[t]] == READY:
            enter_sleep(m, d, t, t + 1)


@kernel
def enter_sleep(m, d, first, end):
    """Put the trees in a range of tree_list to sleep together."""
    d.count[COUNT_SLEPT] = 1
    for t in range(first, end):
        tree = d.tree_list[t]
        d.tree_asleep[tree] = 1.0 * d.tree_list[t + 1 if t + 1 < end else first]
        start = m.tree_dofadr[tree]
        for dof in range(start, start + m.tree_dofnum[tree]):
            d.qvel[dof] = 0.0
            d.qacc[dof] = 0.0


@kernel
def freeze_sleeping(m, d):
    """Undo what the integrator did to sleeping trees.

    Reads: tree_up, still_qpos.
    Writes: qpos, qvel.
    """
    for jnt in range(m.njnt):
        dof, a = m.jnt_dofadr[jnt], m.jnt_qposadr[jnt]
        if not d.tree_up[m.dof_treeid[dof]]:
            end = m.jnt_qposadr[jnt + 1] if jnt + 1 < m.njnt else m.nq
            for k in range(a, end):
                d.qpos[k] = d.still_qpos[k]
            end = m.jnt_dofadr[jnt + 1] if jnt + 1 < m.njnt else m.nv
            for k in range(dof, end):
                d.qvel[k] = 0.0
