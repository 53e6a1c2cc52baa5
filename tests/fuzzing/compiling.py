"""Constants that a compiler finds by simulation: how far MuJoCo's own move by rounding."""

import copy
from collections.abc import Iterator

import mujoco
import numpy as np

import mjenv
from mjenv.engine.model.model import ARRAYS, SIZES

SHAKES = 36  # perturbations of a document
AMPLIFIED = 30.0  # how much larger than MuJoCo's own motion a difference may be
# what comes of simulated ranges of length, of a root that may be of nothing, and of the difference
# of two places that is nearly 0
SIMULATED = ("actuator_lengthrange", "actuator_length0", "actuator_acc0", "flex_vert0")

LENGTHS = ("flexedge_length0", "dof_length", "meansize", "extent")
VOLUMES = ("bvh_depth", "bvh_child", "bvh_nodeid", "flex_bvhadr")
# dofs of joints whose weights are means of three
MEANS = {int(mujoco.mjtJoint.mjJNT_FREE): 6, int(mujoco.mjtJoint.mjJNT_BALL): 3}
ENERGIES = (mujoco.mjtSensor.mjSENS_E_POTENTIAL, mujoco.mjtSensor.mjSENS_E_KINETIC)


def shaken(made: mujoco.MjSpec, seed: int) -> Iterator[mujoco.MjModel | None]:
    """Models of a specification whose numbers differ by rounding; None where MuJoCo refuses one."""
    for k in range(SHAKES):
        rng = np.random.default_rng((seed, k))
        size = (1e-16, 1e-15, 1e-14, 1e-13, 1e-12, 1e-11, 1e-10)[k % 7]

        def moved(array, rng=rng, size=size):
            return np.asarray(array) * (1 + size * rng.uniform(-1, 1, np.shape(array)))

        spec = made.copy()
        spec.option.gravity = moved(spec.option.gravity)
        for part in (*spec.bodies[1:], *spec.geoms, *spec.sites, *spec.joints):
            part.pos = moved(part.pos)
        for geom in spec.geoms:
            geom.size = moved(geom.size)
        for actuator in spec.actuators:
            actuator.gear, actuator.cranklength = moved(actuator.gear), moved(actuator.cranklength)
        try:
            yield spec.compile()
        except ValueError:
            yield None


def moves_by_rounding(made: mujoco.MjSpec, seed: int, mj, ours, name: str) -> bool:
    """Whether MuJoCo's own constant moves by a thirtieth of the difference, at least."""
    theirs = getattr(mj, name)
    apart = float(np.abs(getattr(ours, name) - theirs).max())
    for other in shaken(made, seed):
        if other is None or np.abs(getattr(other, name) - theirs).max() * AMPLIFIED >= apart:
            return True
    return False


def lost_digits(mj, ours, name: str) -> bool:
    """Whether weights differ by no more than rounding takes from the inverse of the inertia.

    They are means of elements of J inv(M) J', where a relative change of eps of all elements of M
    moves them by up to eps |J| |inv(M)| |M| |inv(M)| |J'| (Higham, Accuracy and Stability of
    Numerical Algorithms, section 7.2). M and its factor are both rounded, in both engines. Springs
    and dampers that are asked for by time constants are inverses of weights.
    """
    if name not in ("body_invweight0", "dof_invweight0", "jnt_stiffness", "dof_damping"):
        return False
    data = mujoco.MjData(mj)  # at qpos0
    for stage in (mujoco.mj_kinematics, mujoco.mj_comPos, mujoco.mj_makeM):
        stage(mj, data)
    inertia = np.zeros((mj.nv, mj.nv))
    mujoco.mj_fullM(mj, inertia, data.qM)
    inverse = np.abs(np.linalg.inv(inertia))
    lost = 4 * np.finfo(float).eps * inverse @ np.abs(inertia) @ inverse
    if name != "body_invweight0":
        bound = np.diag(lost).copy()
        for start, kind in zip(mj.jnt_dofadr, mj.jnt_type, strict=True):
            for at in range(start, start + MEANS.get(kind, 0), 3):
                bound[at : at + 3] = bound[at : at + 3].mean()
    else:
        bound, both = np.zeros((mj.nbody, 2)), np.zeros((2, 3, mj.nv))
        for body in range(1, mj.nbody):
            mujoco.mj_jacBodyCom(mj, data, *both, body)
            bound[body] = [np.einsum("ij,jk,ik", J, lost, J) / 3 for J in np.abs(both)]
        bound = bound.ravel()
    theirs, mine = (np.ravel(getattr(each, name)) for each in (mj, ours))
    if name in ("jnt_stiffness", "dof_damping"):
        share = bound / mj.dof_invweight0  # of joints: that of the dof that loses most
        if name == "jnt_stiffness":
            share = np.maximum.reduceat(share, mj.jnt_dofadr)
        shape = (share.size, -1)
        bound = (share[:, None] * np.abs(theirs.reshape(shape))).ravel()
    return bool((np.abs(mine - theirs) <= np.maximum(bound, 1e-12 * np.abs(theirs))).all())


def moves_by_tolerance(made: mujoco.MjSpec, spec: mjenv.Spec, mj, ours) -> bool:
    """Whether a range of length is MuJoCo's by a thirtieth of the difference without tolerances.

    Ranges of length are simulated: of both engines, a step's acceleration is that at which the
    solver stops, by its tolerance or out of iterations. Without a tolerance, after many more of
    them, ours or MuJoCo's agree.
    """
    made, spec = made.copy(), spec.copy()
    made.option.tolerance = spec.option.tolerance = 0
    made.option.iterations = spec.option.iterations = 10 * made.option.iterations
    exact, model = made.compile().actuator_lengthrange, spec.compile()
    apart = float(np.abs(ours.actuator_lengthrange - mj.actuator_lengthrange).max())
    found = [each.actuator_lengthrange for each in (ours, model)]
    return AMPLIFIED * min(float(np.abs(each - exact).max()) for each in found) <= apart


def refused_sparse(made: mujoco.MjSpec) -> bool:
    """Whether MuJoCo refuses a document, too, when it writes Jacobians as sparse matrices."""
    spec = made.copy()
    spec.option.jacobian = mujoco.mjtJacobian.mjJAC_SPARSE
    try:
        mujoco.MjData(spec.compile())
    except (ValueError, mujoco.FatalError):
        return True
    return False


def written_over(made: mujoco.MjSpec, mj, ours, name: str) -> bool:
    """Whether MuJoCo wrote beside an array, and the field is ours where it does not.

    Trees of deformables begin where those of bodies and meshes end, though bodies that were fused
    still count in `nbvhstatic`: boxes that move are then written in front of their array. Gradients
    of edges of a rigid deformable, of which there are none, are written over the lengths behind,
    from which lengths of bodies follow.
    """
    stale = mj.nbvhstatic - mj.body_bvhnum.sum() - mj.mesh_bvhnum.sum()
    if name in VOLUMES and stale > 0 and mj.nbvhdynamic:
        theirs, mine = (getattr(each, name) for each in (mj, ours))
        if name == "flex_bvhadr":
            return np.array_equal(np.where(theirs >= 0, theirs + stale, theirs), mine)
        start = mj.nbvhstatic - stale
        return np.array_equal(theirs[start : start + mj.nbvhdynamic], mine[mj.nbvhstatic :])
    if name in LENGTHS and mj.flex_rigid.any():
        spec = made.copy()
        for f in np.flatnonzero(mj.flex_rigid):
            spec.flexes[f].damping = spec.flexes[f].edgedamping = spec.flexes[f].edgestiffness = 0
        exact = spec.compile()
        place = (lambda each: each.stat) if name in ("meansize", "extent") else lambda each: each
        values = (getattr(place(each), name) for each in (exact, ours))
        return np.allclose(*values, 1e-9, 1e-12)
    return False


def listed_once(mj, ours):
    """MuJoCo's model without dofs that it lists twice; None where it lists none twice.

    It does so for edges whose ends both belong to one simple body, and has no room for them: rows
    of later edges are written over the arrays behind, in the model and in its data. So the mark of
    these bodies is taken away, and MuJoCo finds the constants once more.
    """
    more = np.flatnonzero(mj.flexedge_J_rownnz != ours.flexedge_J_rownnz)
    flex = np.searchsorted(mj.flex_edgeadr, more, "right") - 1
    bodies = mj.flex_vertbodyid[mj.flex_vertadr[flex][:, None] + mj.flex_edge[more]]
    twice = mj.flexedge_J_rownnz[more] == 2 * ours.flexedge_J_rownnz[more]
    if not (len(more) and twice.all() and (bodies[:, 0] == bodies[:, 1]).all()
            and mj.body_simple[bodies].all()):  # fmt: skip
        return None
    once = copy.copy(mj)
    once.body_simple[bodies] = 0
    mujoco.mj_setConst(once, mujoco.MjData(once))
    return once


def lost_in_text(made: mujoco.MjSpec) -> set[str]:
    """Fields that MuJoCo's own text of a model does not say, as no attribute can."""
    made = made.copy()
    for sensor in list(made.sensors):
        if sensor.type in ENERGIES:
            made.delete(sensor)  # it writes elements of other names, and cannot read its text
    mj, names = made.compile(), {*SIZES, *(field.name for field in ARRAYS)}
    try:
        again = mujoco.MjModel.from_xml_string(made.to_xml())
    except ValueError as error:
        # it does not write instances of composites behind others that have no name
        unwritten = "for plugin instance" in str(error)
        plugins = {name for name in names if "plugin" in name}
        return plugins | {"names", "names_map"} if unwritten else set()

    def differs(name: str) -> bool:
        a, b = getattr(mj, name), getattr(again, name)
        if not isinstance(a, np.ndarray):
            return a != b
        # it is written with six digits
        return a.shape != b.shape or not np.allclose(a, b, 1e-3, 1e-3, equal_nan=True)

    return {name for name in names if differs(name)}


def accepted_by_rounding(made: mujoco.MjSpec, seed: int) -> bool:
    """Whether MuJoCo accepts a document that it refuses when its numbers change by rounding."""
    return any(other is not None for other in shaken(made, seed))


def refused_by_rounding(made: mujoco.MjSpec, seed: int) -> bool:
    """Whether MuJoCo refuses a document that it accepts when its numbers change by rounding."""
    return any(other is None for other in shaken(made, seed))
