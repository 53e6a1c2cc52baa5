"""Constants that follow from the rest of a model: inertia and references at qpos0, statistics."""

from typing import TYPE_CHECKING

import numpy as np

from ...tables.enums import JNT_BALL, JNT_FREE, JNT_HINGE, MINVAL, TRN_JOINT, TRN_JOINTINPARENT
from ..geometry import pose
from .configuration import Configuration
from .inverse import InverseInertia, Trees

if TYPE_CHECKING:
    from ...model.model import Model

AUTO, AUTO_NEVER, AUTO_ALLOWED = range(3)  # mjtSleepPolicy


def set_const(model: "Model") -> None:
    """Set all constants of a model that its other fields define."""
    _set_fixed(model)
    reference = Configuration(model, model.qpos0)
    # lengths and moment arms at qpos0
    tendon_state = model.tendon_length0, jacobians = _tendon_lengths(model, reference)
    armature, moments = np.zeros(model.njnt), np.zeros((model.nu, model.nv))
    if model.nu:
        from .transmission import joint_armature, transmission

        armature = joint_armature(model)
        model.actuator_length0, moments = transmission(model, reference, tendon_state)
    inverse = InverseInertia(model, reference, armature, _coupling(model, jacobians))
    # inverse weights: how easily bodies, dofs and tendons are accelerated by a unit force
    model.dof_M0 = inverse.rigid
    model.body_invweight0[:] = 0
    for trees in inverse.shapes:
        _tree_weights(model, inverse, trees)
    _joint_weights(model)
    if model.nflex:
        from . import flex_constants, flex_patterns

        flex_patterns.set_patterns(model)
        flex_constants.set_edges(model, reference, inverse)
    # references and scales that follow from the above
    if model.ntendon:
        from . import tendon_constants as tendons

        tendons.set_weights(model, inverse, jacobians)
        tendons.set_springs(model)
    if model.nu:
        from .transmission import solvable

        model.actuator_acc0 = np.linalg.norm(inverse.solve(solvable(model, moments)), axis=1)
    if model.neq:
        from .equality_data import set_equalities

        set_equalities(model, reference)
    _set_views(model, reference)
    _set_damping(model, moments)
    _set_statistic(model, reference, inverse.diagonal)


# files of what few models have are imported where there is some


def _tendon_lengths(model: "Model", reference: Configuration) -> tuple[np.ndarray, np.ndarray]:
    """Lengths (ntendon,) and gradients (ntendon, nv) at qpos0."""
    if not model.ntendon:
        return np.zeros(0), np.zeros((0, model.nv))
    from .tendon_paths import tendon_lengths

    return tendon_lengths(model, reference)


def _coupling(model: "Model", jacobians: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Armatures of tendons (n,) and their gradients (n, nv).

    They couple the joints that tendons cross, so they are part of the inertia.
    """
    if not model.ntendon:
        return np.zeros(0), jacobians
    from .tendon_constants import armatures

    inertia = armatures(model)
    heavy = np.flatnonzero(inertia)
    return inertia[heavy], jacobians[heavy]


def _moved_trees(model: "Model") -> list[int]:
    """Trees that actuators move, or tendons couple; notes what tendons touch."""
    moved: list[int] = []
    if model.nu:
        from .transmission import moved_trees

        moved += [tree for i in range(model.nu) for tree in moved_trees(model, i)]
    if model.ntendon:
        from . import tendon_constants as tendons

        tendons.set_fixed(model)
        moved += [tree for i in range(model.ntendon) for tree in tendons.coupled_trees(model, i)]
    return moved


def _set_fixed(model: "Model") -> None:
    """Masses of subtrees, ranges of trees, what actuators add to joints, sleep policies."""
    # children have larger ids than their parents, so one backward pass sums subtrees
    mass = model.body_mass.copy()
    for i in range(model.nbody - 1, 0, -1):
        mass[model.body_parentid[i]] += mass[i]
    model.body_subtreemass = mass
    vars(model)["ngravcomp"] = int(np.count_nonzero(model.body_gravcomp > 0))
    for name, ids in (("body", model.body_treeid), ("dof", model.dof_treeid)):
        inside = ids[ids >= 0]
        counts = np.bincount(inside, minlength=model.ntree)
        first = np.full(model.ntree, len(ids))
        np.minimum.at(first, inside, np.flatnonzero(ids >= 0))
        vars(model)[f"tree_{name}adr"][:], vars(model)[f"tree_{name}num"][:] = first, counts
    # -1: no actuator adds to this joint; -2: several do
    model.jnt_actuatorid[:] = -1
    for i in range(model.nu):
        adds = model.actuator_damping[i] or model.actuator_armature[i]
        on_joint = model.actuator_trntype[i] in (TRN_JOINT, TRN_JOINTINPARENT)
        if on_joint and (adds or model.actuator_dampingpoly[i].any()):
            joint = model.actuator_trnid[i, 0]
            model.jnt_actuatorid[joint] = i if model.jnt_actuatorid[joint] == -1 else -2
    # trees that actuators move, or tendons and deformables join, do not fall asleep
    moved = _moved_trees(model)
    if model.nflex:
        from .flex_constants import bodies_of

        moved += [tree for tree in model.body_treeid[bodies_of(model)].tolist() if tree != -1]
    policy = model.tree_sleep_policy
    policy[[tree for tree in moved if policy[tree] == AUTO]] = AUTO_NEVER
    policy[policy == AUTO] = AUTO_ALLOWED


def _tree_weights(model: "Model", inverse: InverseInertia, trees: Trees) -> None:
    """body_invweight0 and dof_invweight0: means of the diagonal of J W J' over axes."""
    bodies, (motion, diagonal) = trees.bodies, inverse.motion_squares(trees)
    model.dof_invweight0[trees.dofs] = diagonal
    for k in range(2):
        model.body_invweight0[bodies, k] = _means(motion[k])
    sliding = bodies[model.body_simple[bodies] == 2]
    model.body_invweight0[sliding, 0] = 1 / np.maximum(MINVAL, model.body_mass[sliding])
    model.body_invweight0[sliding, 1] = 0


def _joint_weights(model: "Model") -> None:
    """dof_invweight0 averaged over the axes of a joint."""
    weights, adr = model.dof_invweight0, model.jnt_dofadr
    alone = model.body_simple[model.jnt_bodyid] == 2
    mass = model.body_mass[model.jnt_bodyid[alone]]
    weights[adr[alone]] = 1 / np.maximum(MINVAL, mass)
    free = adr[model.jnt_type == JNT_FREE]
    for first in (free, free + 3, adr[model.jnt_type == JNT_BALL]):
        places = first[:, None] + np.arange(3)
        weights[places] = _means(weights[places])[:, None]


def _means(axes: np.ndarray) -> np.ndarray:
    """Means over the last axis, of three numbers."""
    return (axes[..., 0] + axes[..., 1] + axes[..., 2]) / 3


def _set_views(model: "Model", reference: Configuration) -> None:
    """Offsets of cameras and lights in the world at qpos0."""
    for prefix, count in (("cam", model.ncam), ("light", model.nlight)):
        if not count:
            continue
        bodies = getattr(model, f"{prefix}_bodyid")
        targets = getattr(model, f"{prefix}_targetbodyid")
        place = reference.place(bodies, getattr(model, f"{prefix}_pos"))
        setattr(model, f"{prefix}_pos0", place - reference.xpos[bodies])
        setattr(
            model,
            f"{prefix}_poscom0",
            place - reference.com[np.where(targets >= 0, targets, bodies)],
        )
    for i in range(model.ncam):
        quat = pose.multiply(
            reference.xquat[model.cam_bodyid[i]], tuple(model.cam_quat[i].tolist())
        )
        model.cam_mat0[i] = pose.matrix(quat)
    for i in range(model.nlight):
        turned = pose.rotate(
            tuple(model.light_dir[i].tolist()), reference.xquat[model.light_bodyid[i]]
        )
        model.light_dir0[i] = pose.normalize(turned)[0]


def _set_damping(model: "Model", moments: np.ndarray) -> None:
    """Damping of position actuators from their damping ratio (a positive third bias parameter)."""
    for i in range(model.nu):
        gain, bias = model.actuator_gainprm[i], model.actuator_biasprm[i]
        if gain[0] != -bias[1] or bias[2] <= 0:
            continue
        square = moments[i] ** 2
        acts = square > MINVAL
        mass = np.sum(model.dof_M0[acts] / square[acts])
        bias[2] = -bias[2] * 2 * np.sqrt(gain[0] * mass)


def start_statistic(model: "Model") -> None:
    """Default statistics of a model without bodies, or with none that moves."""
    stat = model.stat
    stat.extent, stat.meaninertia, stat.meanmass, stat.meansize = 2.0, 1.0, 1.0, 0.2


def _set_statistic(model: "Model", reference: Configuration, diagonal: np.ndarray) -> None:
    """Extent, centre and means over the model; typical lengths of rotations."""
    stat, centres = model.stat, reference.xipos[1:]
    low, high = limits(model, reference)
    low = np.minimum(low, centres.min(axis=0, initial=1e10))
    high = np.maximum(high, centres.max(axis=0, initial=-1e10))
    stat.center = (low + high) * 0.5
    if high[0] > low[0]:
        stat.extent = max(1e-5, float(np.max(high - low)))
    size = _body_sizes(model, reference, reference.geom_xpos)
    if model.nbody > 1:
        stat.meansize = np.sum(size[1:] / (model.nbody - 1))
        stat.meanmass = np.sum(model.body_mass[1:]) / (model.nbody - 1)
    model.dof_length = np.where(turning(model), size[model.dof_bodyid], 1.0)
    stat.extent = max(stat.extent, 2 * stat.meansize)
    if model.nv:
        stat.meaninertia = np.sum(diagonal) / model.nv


def limits(model: "Model", reference: Configuration) -> tuple[np.ndarray, np.ndarray]:
    """Corners (3,) of a box around all bodies, joints, sites and geoms, but centres of mass."""
    geoms, sites = reference.geom_xpos, reference.site_xpos
    around = np.where(model.geom_rbound > 0, model.geom_rbound, 0.0)
    for i in np.flatnonzero((model.geom_rbound <= 0) & (model.geom_type == 0)):
        around[i] = model.geom_size[i, :2].max() * 0.1 if model.geom_size[i, :2].any() else 1.0
    points = np.concatenate([reference.xpos[1:], reference.xanchor, sites, geoms])
    radii = np.concatenate([np.zeros(len(points) - len(geoms)), around])[:, None]
    low = np.min(points - radii, axis=0, initial=1e10)
    return low, np.max(points + radii, axis=0, initial=-1e10)


def turning(model: "Model") -> np.ndarray:
    """Mask of the dofs that are rotations (nv,)."""
    kinds = model.jnt_type[model.dof_jntid]
    offset = np.arange(model.nv) - model.jnt_dofadr[model.dof_jntid]
    return np.isin(kinds, (JNT_BALL, JNT_HINGE)) | ((kinds == JNT_FREE) & (offset >= 3))


def _body_sizes(model: "Model", reference: Configuration, geoms: np.ndarray) -> np.ndarray:
    """Length of every body: farthest joint or geom from its centre of mass."""
    size = np.zeros(model.nbody)
    own = model.jnt_bodyid
    for bodies in (own, model.body_parentid[own]):
        np.maximum.at(
            size, bodies, np.linalg.norm(reference.xipos[bodies] - reference.xanchor, axis=1)
        )
    size[0] = 0
    solid = np.flatnonzero((model.geom_rbound > 0) & (model.geom_bodyid > 0))
    bodies = model.geom_bodyid[solid]
    reach = np.linalg.norm(reference.xipos[bodies] - geoms[solid], axis=1)
    np.fmax.at(size, bodies, model.geom_rbound[solid] + reach)
    if model.nflex:
        from .flex_constants import extend_sizes

        extend_sizes(model, reference, size)
    size[1:] = np.maximum(size[1:], 1e-5)
    return size
