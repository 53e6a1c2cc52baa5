"""Lists of the trees, bodies and dofs that are awake, as MuJoCo has them."""

from typing import TYPE_CHECKING

import numpy as np

from ...simd.kernel import kernel
from ...simd.lanes import get_lane, set_lane

if TYPE_CHECKING:
    from ...model.model import Model

ASLEEP, STATIC, AWAKE = 0, -1, 1  # mjtSleepState


@kernel
def export_awake(m, d):
    """Sleep states of trees, bodies and dofs.

    Reads: tree_asleep.
    Writes: ntree_awake, nbody_awake, nparent_awake, nv_awake, tree_awake, body_awake,
        body_awake_ind, parent_awake_ind, dof_awake_ind.
    """
    for lane in range(m.width):
        count = 0
        for tree in range(m.ntree):
            awake = 1 if get_lane(d.tree_asleep, tree, lane) < 0.0 or not m.may_sleep else 0
            set_lane(d.tree_awake, tree, lane, 1.0 * awake)
            count += awake
        set_lane(d.ntree_awake, 0, lane, 1.0 * count)
        export_bodies(m, d, lane)
        count = 0
        for dof in range(m.nv):
            if get_lane(d.tree_awake, m.dof_treeid[dof], lane) > 0.0:
                set_lane(d.dof_awake_ind, count, lane, 1.0 * dof)
                count += 1
        set_lane(d.nv_awake, 0, lane, 1.0 * count)
        for k in range(count, m.nv):
            set_lane(d.dof_awake_ind, k, lane, 0.0)


@kernel
def export_bodies(m, d, lane):
    """Bodies that are not asleep, and those whose parents are not."""
    nbody = nparent = 0
    for body in range(m.nbody):
        tree, state = m.body_treeid[body], STATIC
        if tree >= 0:
            state = AWAKE if get_lane(d.tree_awake, tree, lane) > 0.0 else ASLEEP
        elif m.body_mocapid[m.body_rootid[body]] >= 0:
            state = AWAKE
        set_lane(d.body_awake, body, lane, 1.0 * state)
        if state != ASLEEP:
            set_lane(d.body_awake_ind, nbody, lane, 1.0 * body)
            nbody += 1
        if body > 0 and get_lane(d.body_awake, m.body_parentid[body], lane) != ASLEEP:
            set_lane(d.parent_awake_ind, nparent, lane, 1.0 * body)
            nparent += 1
    set_lane(d.nbody_awake, 0, lane, 1.0 * nbody)
    set_lane(d.nparent_awake, 0, lane, 1.0 * nparent)
    for k in range(nbody, m.nbody):
        set_lane(d.body_awake_ind, k, lane, 0.0)
    for k in range(nparent, m.nbody):
        set_lane(d.parent_awake_ind, k, lane, 0.0)


def awake_lists(model: "Model", tree_asleep: np.ndarray) -> dict[str, np.ndarray]:
    """The same for one world of which only the state is known: `AWAKE_FIELDS` by name.

    Args:
        model: its model.
        tree_asleep: (ntree,).
    """
    tree_awake = (np.asarray(tree_asleep) < 0).astype(np.int32)
    tree = model.body_treeid
    moved = model.body_mocapid[model.body_rootid] >= 0
    # bodies of no tree pick the last entry
    states = np.append(np.where(tree_awake, AWAKE, ASLEEP), STATIC)[tree]
    body_awake = np.where((tree < 0) & moved, AWAKE, states)
    lists = {
        "nbody_awake": ("body_awake_ind", body_awake != ASLEEP),
        "nparent_awake": ("parent_awake_ind", body_awake[model.body_parentid] != ASLEEP),
        "nv_awake": ("dof_awake_ind", tree_awake[model.dof_treeid] > 0),
    }
    lists["nparent_awake"][1][0] = False
    found = {"tree_awake": tree_awake, "ntree_awake": tree_awake.sum(), "body_awake": body_awake}
    for count, (name, chosen) in lists.items():
        numbers = np.flatnonzero(chosen)
        found[count] = np.int32(len(numbers))
        found[name] = np.pad(numbers, (0, len(chosen) - len(numbers)))
    return found
