"""Constants of tendons that follow from the rest of a model: trees, armature, weights, springs."""

from typing import TYPE_CHECKING

import numpy as np

from ...tables.enums import TRN_TENDON, WRAP_CYLINDER, WRAP_JOINT, WRAP_SITE, WRAP_SPHERE
from .configuration import Configuration
from .tendon_paths import tendon_lengths

if TYPE_CHECKING:
    from ...model.model import Model
    from .inverse import InverseInertia


def set_fixed(model: "Model") -> None:
    """Trees that each tendon touches, and the actuator that adds damping or armature to it."""
    model.tendon_treeid[:] = -1
    model.tendon_actuatorid[:] = -1
    for i in range(model.ntendon):
        trees = path_trees(model, i)
        model.tendon_treenum[i] = len(trees)
        model.tendon_treeid[i, : min(len(trees), 2)] = trees[:2]
    for k in np.flatnonzero(model.actuator_trntype == TRN_TENDON):
        adds = model.actuator_damping[k] or model.actuator_armature[k]
        if adds or model.actuator_dampingpoly[k].any():
            tendon = model.actuator_trnid[k, 0]
            first = model.tendon_actuatorid[tendon] == -1
            model.tendon_actuatorid[tendon] = k if first else -2


def path_trees(model: "Model", i: int) -> list[int]:
    """Kinematic trees along the path of a tendon, in its order."""
    bodies = {
        WRAP_JOINT: model.jnt_bodyid,
        WRAP_SITE: model.site_bodyid,
        WRAP_SPHERE: model.geom_bodyid,
        WRAP_CYLINDER: model.geom_bodyid,
    }
    trees = []
    for k in range(model.tendon_adr[i], model.tendon_adr[i] + model.tendon_num[i]):
        if model.wrap_type[k] in bodies:
            body = bodies[model.wrap_type[k]][model.wrap_objid[k]]
            trees.append(int(model.body_treeid[body]))
    return [tree for tree in dict.fromkeys(trees) if tree != -1]


def coupled_trees(model: "Model", i: int) -> list[int]:
    """Trees that cannot sleep, because a tendon carries forces between them."""
    trees = path_trees(model, i)
    passive = any(
        np.any(getattr(model, f"tendon_{name}")[i])
        for name in ("stiffness", "stiffnesspoly", "damping", "dampingpoly")
    )
    if len(trees) > 2 or (len(trees) == 2 and (passive or model.tendon_actuatorid[i] != -1)):
        return trees
    return []


def armatures(model: "Model") -> np.ndarray:
    """Armature of every tendon (kg), with what actuators add (ntendon,)."""
    total, acts = model.tendon_armature.copy(), model.actuator_trntype == TRN_TENDON
    added = model.actuator_armature * model.actuator_gear[:, 0] ** 2
    np.add.at(total, model.actuator_trnid[acts, 0], added[acts])
    return total


def set_weights(model: "Model", inverse: "InverseInertia", jacobians: np.ndarray) -> None:
    """tendon_invweight0: J W J' of every tendon.

    Args:
        model: the model.
        inverse: its `InverseInertia` at qpos0.
        jacobians: ten_J there (ntendon, nv).
    """
    model.tendon_invweight0 = inverse.squares(distinct(model, jacobians))


def distinct(model: "Model", jacobians: np.ndarray) -> np.ndarray:
    """A copy of ten_J at qpos0 (ntendon, nv) without what is twice in a row."""
    rows = jacobians.copy()
    for i in range(model.ntendon):
        adr = model.ten_J_rowadr[i]
        dofs = model.ten_J_colind[adr : adr + model.ten_J_rownnz[i]]
        # MuJoCo takes the last entry, which is empty
        rows[i, dofs[1:][dofs[1:] == dofs[:-1]]] = 0
    return rows


def set_springs(model: "Model") -> None:
    """Lengths at which springs rest, where they are not given: those at qpos_spring."""
    unset = (model.tendon_lengthspring == -1).all(axis=1)
    if unset.any():
        lengths, _ = tendon_lengths(model, Configuration(model, model.qpos_spring))
        model.tendon_lengthspring[unset] = lengths[unset, None]
