"""Why an answer may differ from MuJoCo's: what is checked before a difference is accepted."""

import copy
from collections.abc import Callable
from contextlib import suppress
from typing import NamedTuple

import mujoco
import numpy as np

import mjenv
from tests.fuzzing import fields
from tests.fuzzing.shapes import CONVEX, contains, overlap
from tests.fuzzing.states import SPEC, place_of, put

SHAKES = 40  # perturbations of MuJoCo's own input
BAD = 1e10  # from here on MuJoCo takes a number of the state for a bad one, and resets it
DISTANCES = (
    mujoco.mjtSensor.mjSENS_GEOMDIST,
    mujoco.mjtSensor.mjSENS_GEOMNORMAL,
    mujoco.mjtSensor.mjSENS_GEOMFROMTO,
)
TINY = 1e-300  # what stands in a row where something may move, and happens not to
AMPLIFIED = 30.0  # how much larger than MuJoCo's own motion a difference may be

# geometry whose last bits decide where faces and edges are parallel
GEOMETRY = (
    "body_pos", "body_quat", "body_ipos", "geom_pos", "geom_quat", "geom_size", "jnt_axis",
    "jnt_pos", "site_pos", "body_mass", "body_inertia", "mesh_vert", "hfield_data",
)  # fmt: skip


class Question(NamedTuple):
    """One answer of MuJoCo, and how to ask for it again.

    Attributes:
        mj: the model.
        row: the state.
        call: computes with data that are in the state.
        names: the compared fields.
        theirs: MuJoCo's answer.
        ours: our answer.
        data, world: our data.
        seed: of the perturbations.
    """

    mj: mujoco.MjModel
    row: np.ndarray
    call: Callable
    names: list[str]
    theirs: dict[str, np.ndarray]
    ours: dict[str, np.ndarray]
    data: object
    world: int
    seed: int

    def answer(self, mj, row) -> dict[str, np.ndarray]:
        """MuJoCo's answer for another model and state."""
        data = mujoco.MjData(mj)
        put(mj, data, row)
        return self.call(mj, data, self.names)


def shaken(question: Question, k: int) -> dict[str, np.ndarray]:
    """MuJoCo's answer to an input that differs by rounding."""
    rng = np.random.default_rng((question.seed, k))
    size = (1e-13, 1e-12, 1e-11, 1e-10)[k % 4]
    mj, row = copy.copy(question.mj), question.row.copy()
    for name in GEOMETRY:
        array = getattr(mj, name)
        array[...] = array * (1 + size * rng.uniform(-1, 1, array.shape))
    noise = rng.uniform(-1, 1, row.shape)
    moved = row * (1 + size * noise) + size * rng.uniform(-1, 1, row.shape)
    # zeros and flags stay what they are
    row[:] = np.where(row == np.round(row), row * (1 + size * noise), moved)
    whole = integer_part(mj)
    row[whole] = question.row[whole]
    return question.answer(mj, row)


def integer_part(mj) -> np.ndarray:
    """Elements of a state that are no reals: what is active, and the cursors of histories."""
    from mujoco import mjtState as State

    chosen = [State.mjSTATE_EQ_ACTIVE, State.mjSTATE_HISTORY, State.mjSTATE_TIME]
    return np.concatenate([np.r_[place_of(mj, component)] for component in chosen]).astype(int)


def rounding(question: Question, wrong: dict[str, float]) -> set[str]:
    """Fields that MuJoCo itself answers otherwise when its input changes by rounding.

    Its own answer moves by a thirtieth of the difference, at least, when inputs change by 1e-10
    of their size or less: the difference is what rounding makes of an ill-conditioned question, or
    the question lies on an edge between two answers.
    """
    return moving(question, wrong, (shaken(question, k) for k in range(SHAKES)))


def unfinished(question: Question, wrong: dict[str, float]) -> set[str]:
    """Solutions that MuJoCo finds otherwise with some iterations less or more.

    Its own answer moves by a thirtieth of the difference, at least, when it may take a tenth of its
    iterations less or more, or solves all islands at once, as is done here outside of scenes, with
    its tolerance or half or twice of it.
    """
    together = int(mujoco.mjtDisableBit.mjDSBL_ISLAND)

    def answers():
        for iterations, flags, tolerance in (
            (0.9, 0, 1), (1.1, 0, 1), (1, together, 1), (1, together, 0.5), (1, together, 2),
        ):  # fmt: skip
            mj = copy.copy(question.mj)
            mj.opt.iterations = int(iterations * mj.opt.iterations)
            mj.opt.tolerance *= tolerance
            mj.opt.disableflags |= flags
            yield question.answer(mj, question.row)

    return moving(question, solved(wrong), answers())


def started_here(question: Question, wrong: dict[str, float]) -> set[str]:
    """Solutions that depend on where MuJoCo starts.

    Its own answer moves by a thirtieth of the difference, at least, when it starts from our
    acceleration, or from none. Costs of 1e20 do that, of rows that move nothing: their rounding
    hides what is left to gain.
    """
    if "qacc" not in question.ours:
        return set()
    flag = int(mujoco.mjtDisableBit.mjDSBL_WARMSTART)

    def answers():
        for start, warm in ((question.ours["qacc"], True), (0.0, True), (0.0, False)):
            mj, row = copy.copy(question.mj), question.row.copy()
            mj.opt.disableflags = (
                mj.opt.disableflags & ~flag if warm else mj.opt.disableflags | flag
            )
            row[place_of(mj, mujoco.mjtState.mjSTATE_WARMSTART)] = start
            yield question.answer(mj, row)

    return moving(question, solved(wrong), answers())


def large_forces(question: Question, wrong: dict[str, float]) -> set[str]:
    """Sums of forces that differ by what rounding takes from forces of rows that move nothing.

    A force of 1e18 of such a row is added to a body and taken from it again, or from another one.
    """
    mj = question.mj
    data = mujoco.MjData(mj)
    put(mj, data, question.row)
    question.call(mj, data, [])
    rows = {name: np.ravel(getattr(data, name)) for name in ROW_FIELDS}
    largest = np.abs(data.efc_force[idle_of(mj, rows, data.nefc)]).max(initial=0)
    names = wrong.keys() & {"cfrc_int", "cfrc_ext", "sensordata"}
    return {
        name
        for name in names
        if np.abs(question.ours[name] - question.theirs[name]).max() <= 1e-15 * largest
    }


def exploded(question: Question, wrong: dict[str, float]) -> set[str]:
    """Answers in states that MuJoCo takes for bad ones: its next step starts from a reset."""

    def is_bad(qpos: np.ndarray, qvel: np.ndarray) -> bool:
        both = np.concatenate([qpos, qvel])
        return not bool(np.all(np.abs(both) <= BAD))

    State = mujoco.mjtState
    given = [
        question.row[place_of(question.mj, component)]
        for component in (State.mjSTATE_QPOS, State.mjSTATE_QVEL)
    ]
    ends = [(answer.get("qpos"), answer.get("qvel")) for answer in (question.ours, question.theirs)]
    ended = all(qpos is not None and qvel is not None and is_bad(qpos, qvel) for qpos, qvel in ends)
    return set(wrong) if is_bad(*given) or ended else set()


def last_stage(question: Question, wrong: dict[str, float]) -> set[str]:
    """What a step of RK4 leaves of its last stage, where the difference is explained in its first.

    Where the first stage is the same, the last one differs by no more than what MuJoCo makes of
    velocities that are off by the tolerance of an acceleration.
    """
    mj, model = question.mj, question.data.model
    if mj.opt.integrator != mujoco.mjtIntegrator.mjINT_RK4 or "qvel" not in question.theirs:
        return set()

    def first(mj, data, names):
        mujoco.mj_forward(mj, data)
        return fields.of_mujoco(data, names)

    data = mjenv.Data(model, 1)
    names = [name for name in question.names if name in fields.kept(data) and name != "qvel"]
    mjenv.set_state(model, data, question.row[None], SPEC)
    mjenv.forward(model, data, post=True)
    asked = question._replace(call=first, names=names, data=data, world=0)
    expected = asked.answer(mj, question.row)
    found = {name: np.array(row) for name, row in fields.of_ours(data, 0, expected).items()}
    others = fields.different(found, expected, mj.opt.timestep)
    if others:
        reasons = explain(asked._replace(theirs=expected, ours=found), others)
        return set(wrong) if all(name in reasons for name in others) else set()
    place = place_of(mj, mujoco.mjtState.mjSTATE_QVEL)
    off = mj.opt.timestep * fields.ROWS["qacc"][1] * (1 + np.abs(expected["qacc"]).max(initial=0))

    def answers():
        for k in range(4):
            row = question.row.copy()
            row[place] += off * np.random.default_rng((question.seed, k)).uniform(-1, 1, mj.nv)
            yield question.answer(mj, row)

    return moving(question, wrong, answers())


def unfinished_search(question: Question, wrong: dict[str, float]) -> set[str]:
    """Places of convex geoms that MuJoCo finds otherwise with some more iterations.

    The search for them ends by the option `ccd_iterations`, somewhere on its way: the answer moves
    by a thirtieth of the difference, at least, when it may take some steps less or more.
    """

    def answers():
        for more in (-2, -1, 1, 2, 100):
            mj = copy.copy(question.mj)
            mj.opt.ccd_iterations = max(1, mj.opt.ccd_iterations + more)
            yield question.answer(mj, question.row)

    names = {"sensordata", "history", *fields.GROUP["contacts"]}
    return moving(question, {n: e for n, e in wrong.items() if n in names}, answers())


def solved(wrong: dict[str, float]) -> dict[str, float]:
    """Those of some fields that a solver finds."""
    names = {"qacc", *fields.GROUP["force"]}
    return {name: size for name, size in wrong.items() if name in names}


def moving(question: Question, wrong: dict[str, float], answers) -> set[str]:
    """Fields that differ from MuJoCo's answer by as much in one of its other answers."""
    left = dict(wrong)
    for other in answers:
        for name, size in list(left.items()):
            moved = np.inf
            if name in other:
                moved = fields.error(other[name], question.theirs[name])
            if moved * AMPLIFIED >= size or np.isinf(moved):
                del left[name]
        if not left:
            break
    return set(wrong) - set(left)


def zeros_of_dense_rows(question: Question, wrong: dict[str, float]) -> set[str]:
    """Islands that equal those which MuJoCo finds when no number of a row happens to be 0.

    With dense Jacobians it looks at the numbers: a tendon or joint whose row happens to be exactly
    0 for a tree does not join that tree. Here, as in its sparse rows, what may move counts. So its
    rows get the smallest numbers where things may move, and MuJoCo looks for islands once more.
    """
    mj, islands = question.mj, [name for name in wrong if name in fields.ISLANDS]
    if mujoco.mj_isSparse(mj) or not islands:
        return set()
    data = mujoco.MjData(mj)
    put(mj, data, question.row)
    question.call(mj, data, [])
    if not data.nefc:
        return set()
    rows = np.ravel(data.efc_J)[: data.nefc * mj.nv].reshape(data.nefc, mj.nv)
    for row, kind, place in zip(rows, data.efc_type, data.efc_id, strict=True):
        dofs = moved_dofs(mj, kind, place)
        row[dofs] = np.where(row[dofs] == 0, TINY, row[dofs])
    mujoco.mj_island(mj, data)
    other = fields.of_mujoco(data, islands)
    ours = fields.of_ours(question.data, question.world, other)
    return {name for name in ours if fields.error(ours[name], other[name]) == 0}


def moved_dofs(mj, kind: int, place: int) -> list[int]:
    """Dofs that may move the tendons or joints of a row; none for rows of other kinds."""
    Kind, Equality = mujoco.mjtConstraint, mujoco.mjtEq
    tendons, joints = [], []
    if kind in (Kind.mjCNSTR_FRICTION_TENDON, Kind.mjCNSTR_LIMIT_TENDON):
        tendons = [place]
    elif kind == Kind.mjCNSTR_EQUALITY:
        ends = [end for end in (mj.eq_obj1id[place], mj.eq_obj2id[place]) if end >= 0]
        tendons = ends if mj.eq_type[place] == Equality.mjEQ_TENDON else []
        joints = ends if mj.eq_type[place] == Equality.mjEQ_JOINT else []
    dofs = [int(mj.jnt_dofadr[joint]) for joint in joints]
    for tendon in tendons:
        adr, num = mj.ten_J_rowadr[tendon], mj.ten_J_rownnz[tendon]
        dofs += mj.ten_J_colind[adr : adr + num].tolist()
    return dofs


def idle_rows(question: Question, wrong: dict[str, float]) -> set[str]:
    """Rows that move nothing, as their Jacobians are what rounding leaves of zero.

    A tendon between sites of one rigid body is such a one. The rows that do move something are the
    same ones, and so is the acceleration, or ours is nearer to the minimum that these rows have:
    the cost of the idle ones may be so large that MuJoCo's search sees no other.
    """
    mj, world = question.mj, question.world
    data = mujoco.MjData(mj)
    put(mj, data, question.row)
    question.call(mj, data, [])
    theirs = {name: np.ravel(getattr(data, name)) for name in ROW_FIELDS}
    ours = {name: np.ravel(getattr(question.data, name)[world]) for name in ROW_FIELDS}
    count = int(question.data.nefc[world])
    mine, idle = idle_of(mj, ours, count), idle_of(mj, theirs, data.nefc)
    if not (mine.any() or idle.any()):
        return set()
    one, two = (
        np.column_stack([rows[name][:n] for name in ("efc_type", "efc_id", "efc_pos")])[~still]
        for rows, n, still in (
            (ours, count, mine),
            (theirs, data.nefc, idle),
        )
    )
    if one.shape != two.shape or not np.allclose(one, two, rtol=1e-6, atol=1e-6):
        return set()
    data.efc_D[idle] = data.efc_frictionloss[idle] = 0
    qacc = question.data.qacc[world]
    same = fields.error(qacc, data.qacc) <= fields.ROWS["qacc"][1]
    if not same and not cost(mj, data, qacc) <= cost(mj, data, data.qacc):
        return set()
    return set(wrong) & set(fields.GROUP["rows"])


ROW_FIELDS = ("efc_J", "efc_J_rownnz", "efc_J_rowadr", "efc_type", "efc_id", "efc_pos")


def idle_of(mj, rows: dict[str, np.ndarray], count: int) -> np.ndarray:
    """Which rows move nothing, bool (count,)."""
    if mujoco.mj_isSparse(mj):
        adr, num = rows["efc_J_rowadr"][:count], rows["efc_J_rownnz"][:count]
    else:
        adr, num = mj.nv * np.arange(count), np.full(count, mj.nv)
    parts = (np.abs(rows["efc_J"][a : a + n]) for a, n in zip(adr, num, strict=True))
    return np.array([part.max(initial=0.0) <= 1e-13 for part in parts], bool)


def cost(mj, data, qacc: np.ndarray) -> float:
    """What the primal solvers minimize, of an acceleration."""
    M, found = np.zeros((mj.nv, mj.nv)), np.zeros(1)
    mujoco.mj_fullM(mj, M, data.qM)
    away = qacc - data.qacc_smooth
    rows = np.zeros(data.nefc)
    mujoco.mj_mulJacVec(mj, data, rows, np.ascontiguousarray(qacc))
    mujoco.mj_constraintUpdate(mj, data, rows - data.efc_aref, found, 0)
    return float(0.5 * away @ M @ away + found[0])


def no_worse(question: Question, wrong: dict[str, float]) -> set[str]:
    """Solutions whose cost is at most MuJoCo's.

    The cost has one minimum; where it is flat, or a solver stops by its tolerances or its number of
    iterations, the last steps on the way there differ. Outside of scenes all islands are one
    problem here, as in MuJoCo with the flag island off, whose answer counts too.
    """
    mj = question.mj
    if mj.opt.solver == mujoco.mjtSolver.mjSOL_PGS or mj.opt.noslip_iterations:
        return set()
    data = mujoco.MjData(mj)
    put(mj, data, question.row)
    mujoco.mj_forward(mj, data)
    if not data.nefc or "qacc" not in question.theirs:
        return set()
    together = copy.copy(mj)
    together.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_ISLAND
    whole = question.answer(together, question.row)
    ours, theirs, at_once = (
        cost(mj, data, q["qacc"]) for q in (question.ours, question.theirs, whole)
    )
    theirs = max(theirs, at_once)
    if data.solver_niter.max() >= mj.opt.iterations:
        # MuJoCo was still on its way
        return set(wrong) & {"qacc", *fields.GROUP["force"]} if ours <= 1.01 * theirs else set()
    # as much as a last iteration may gain
    gain = 10 * mj.opt.tolerance * mj.stat.meaninertia * max(1, mj.nv)
    return (
        set(wrong) & {"qacc", *fields.GROUP["force"]}
        if ours <= theirs + 1e-8 * abs(theirs) + gain
        else set()
    )


def as_near(question: Question, wrong: dict[str, float]) -> set[str]:
    """Contacts of convex geoms whose normals overlap by no more than MuJoCo's.

    Expanding polytopes end at a tolerance, and curved or symmetric shapes have several deepest
    places: of each pair of geoms that differs, our best normal is as good as MuJoCo's.
    """
    mj = question.mj
    data = mujoco.MjData(mj)
    put(mj, data, question.row)
    question.call(mj, data, [])
    if "contact_pos" not in question.theirs:
        return set()
    count = int(question.data.ncon[question.world])
    whole = {
        name: np.ravel(fields.contact_or_field(question.data, name)[question.world, :count])
        for name in ("contact_dist", "contact_pos", "contact_frame", "contact_geom")
    }
    ours, theirs = contacts_by_pair(whole), contacts_by_pair(question.theirs)
    if ours.keys() != theirs.keys():
        return set()
    for pair, found in ours.items():
        expected = theirs[pair]
        if len(found) == len(expected) and np.abs(found - expected).max() < 1e-6:
            continue
        if not all(mj.geom_type[geom] in CONVEX for geom in pair):
            return set()
        here, there = (
            min(overlap(mj, data, *pair, row[4:]) for row in rows) for rows in (found, expected)
        )
        size = 1e-5 * mj.geom_rbound[list(pair)].min()
        if here > there + size or abs(found[:, 0].min() + here) > 10 * size:
            return set()
    return set(wrong) & set(fields.GROUP["contacts"])


def fitted_ellipsoids(question: Question, wrong: dict[str, float]) -> set[str]:
    """Contacts that equal MuJoCo's when ellipsoids forget the meshes that they were fitted to.

    Where such an ellipsoid touches a plane, MuJoCo adds contacts at vertices of the mesh, which
    need not lie on the ellipsoid and may be deeper than its deepest point.
    """
    mj = copy.copy(question.mj)
    fitted = (mj.geom_type == mujoco.mjtGeom.mjGEOM_ELLIPSOID) & (mj.geom_dataid >= 0)
    if not fitted.any():
        return set()
    mj.geom_dataid[fitted] = -1
    names = [name for name in wrong if name in fields.GROUP["contacts"]]
    other = question.answer(mj, question.row)
    other = {name: other[name] for name in names if name in other}
    ours = fields.of_ours(question.data, question.world, other)
    return {name for name in ours if fields.error(ours[name], other[name]) <= fields.ROWS[name][1]}


def contacts_by_pair(answer: dict[str, np.ndarray]) -> dict[tuple[int, int], np.ndarray]:
    """Distance, position and normal of the contacts of each pair of geoms: (n, 7)."""
    n = answer["contact_dist"].size
    pairs = answer["contact_geom"].reshape(n, 2)
    rows = np.column_stack([
        answer["contact_dist"],
        answer["contact_pos"].reshape(n, 3),
        answer["contact_frame"].reshape(n, 9)[:, :3],
    ])  # fmt: skip
    return {tuple(p): rows[(pairs == p).all(axis=1)] for p in map(tuple, pairs)}


def on_an_edge(question: Question, wrong: dict[str, float]) -> set[str]:
    """States of rows whose forces are equal, as they are on both sides of an edge."""
    forces = (
        fields.error(question.ours["efc_force"], question.theirs["efc_force"])
        if "efc_force" in question.theirs
        else 1.0
    )
    return {"efc_state"} & set(wrong) if forces <= fields.ROWS["efc_force"][1] else set()


def of_itself(question: Question, wrong: dict[str, float]) -> set[str]:
    """Distances between things that share a geom, which has no nearest place to itself."""
    mj = question.mj
    return without_sensors(question, wrong, lambda k: bool(set.intersection(*ends_of(mj, k))))


def missed(question: Question, wrong: dict[str, float]) -> set[str]:
    """Distances that MuJoCo's routines miss, as of capsules and boxes that are far apart.

    It finds nothing within the cutoff, though the centres of two of the geoms are nearer.
    """
    mj = question.mj
    data = mujoco.MjData(mj)
    put(mj, data, question.row)
    question.call(mj, data, [])

    def is_missed(k: int) -> bool:
        adr, cutoff = mj.sensor_adr[k], mj.sensor_cutoff[k]
        found = question.theirs["sensordata"][adr : adr + mj.sensor_dim[k]]
        nothing = cutoff if mj.sensor_type[k] == mujoco.mjtSensor.mjSENS_GEOMDIST else 0.0
        one, other = (data.geom_xpos[sorted(geoms)] for geoms in ends_of(mj, k))
        apart = np.linalg.norm(one[:, None] - other[None], axis=-1)
        return bool((found == nothing).all() and apart.min(initial=np.inf) < cutoff)

    return without_sensors(question, wrong, is_missed) if "sensordata" in question.theirs else set()


def proven(question: Question, wrong: dict[str, float]) -> set[str]:
    """Distances that are proven to be ours, where MuJoCo's routines find another.

    The points that ours is between belong to the two geoms, and no points of theirs are nearer, as
    they are on different sides of a layer that is as thick. Where the geoms overlap, the point in
    the middle of ours is inside both, they are as deep along our normal, and MuJoCo says that they
    do not overlap. It misses boxes far away from capsules, and boxes whose faces are parallel.
    """
    mj, model = question.mj, question.data.model
    theirs, ours = mujoco.MjData(mj), mjenv.Data(model, 1)
    put(mj, theirs, question.row)
    mujoco.mj_forward(mj, theirs)
    mjenv.set_state(model, ours, question.row[None], SPEC)
    mjenv.forward(model, ours)

    def is_proven(k: int) -> bool:
        cutoff, points = mj.sensor_cutoff[k], np.zeros(6)
        chosen, nearest = None, cutoff
        for pair in ((a, b) for a in ends_of(mj, k)[0] for b in ends_of(mj, k)[1] if a != b):
            found = mjenv.geom_distance(model, ours, *pair, cutoff)
            if found.dist[0] < nearest:
                chosen, nearest, points = pair, float(found.dist[0]), np.array(found.fromto[0])
        if chosen is None or not all(mj.geom_type[geom] in CONVEX for geom in chosen):
            return False
        away, there = points[3:] - points[:3], np.zeros(6)
        found = mujoco.mj_geomDistance(mj, theirs, *chosen, cutoff, there)
        size = 1e-6 * (1 + abs(nearest))
        normal = away / nearest if nearest else away
        if (
            abs(overlap(mj, theirs, *chosen, normal) + nearest) > size
            or abs(found - nearest) < size
        ):
            return False
        if nearest < 0:
            middle = 0.5 * (points[3:] + points[:3])
            return found >= 0 and all(contains(mj, theirs, g, middle, -size) for g in chosen)
        ends = zip(chosen, (points[:3], points[3:]), strict=True)
        return all(contains(mj, theirs, geom, point, size) for geom, point in ends)

    return without_sensors(question, wrong, is_proven)


def without_sensors(question: Question, wrong: dict[str, float], chosen: Callable) -> set[str]:
    """Readings and histories that agree but for those of chosen sensors of distances."""
    mj = question.mj
    apart = {"sensordata": np.ones(mj.nsensordata, bool), "history": np.ones(mj.nhistory, bool)}
    for k in np.flatnonzero(np.isin(mj.sensor_type, DISTANCES)):
        if chosen(k):
            adr, dim = mj.sensor_adr[k], mj.sensor_dim[k]
            apart["sensordata"][adr : adr + dim] = False
            nsample, adr = mj.sensor_history[k, 0], mj.sensor_historyadr[k]
            if nsample:  # user value, cursor, times and readings
                apart["history"][adr : adr + 2 + nsample * (1 + dim)] = False
    found = set()
    for name in wrong.keys() & apart.keys():
        pair = (answer[name][apart[name]] for answer in (question.ours, question.theirs))
        if not apart[name].all() and fields.error(*pair) <= fields.ROWS[name][1]:
            found.add(name)
    return found


def ends_of(mj, k: int) -> tuple[set[int], set[int]]:
    """The geoms at both ends of a sensor of distances."""
    return (
        geoms_of(mj, mj.sensor_objtype[k], mj.sensor_objid[k]),
        geoms_of(mj, mj.sensor_reftype[k], mj.sensor_refid[k]),
    )


def geoms_of(mj, kind: int, place: int) -> set[int]:
    """The geoms of a geom or a body."""
    if kind == mujoco.mjtObj.mjOBJ_GEOM:
        return {int(place)}
    return set(np.flatnonzero(mj.geom_bodyid == place).tolist())


# name: check, which returns the fields that it explains
EXPLANATIONS: dict[str, Callable[[Question, dict[str, float]], set[str]]] = {
    "exploded": exploded,
    "last stage": last_stage,
    "dense zeros": zeros_of_dense_rows,
    "idle rows": idle_rows,
    "of itself": of_itself,
    "missed": missed,
    "edge": on_an_edge,
    "fitted ellipsoids": fitted_ellipsoids,
    "as near": as_near,
    "rounding": rounding,
    "no worse": no_worse,
    "started here": started_here,
    "large forces": large_forces,
    "unfinished": unfinished,
    "unfinished search": unfinished_search,
    "proven": proven,
}


def explain(question: Question, wrong: dict[str, float]) -> dict[str, str]:
    """The reason of each difference; fields that nothing explains are left out."""
    reasons: dict[str, str] = {}
    followers: set[str] = set()
    for group in fields.ORDER:
        here = {n: e for n, e in wrong.items() if fields.ROWS[n][0] == group}
        if group in followers:
            reasons |= dict.fromkeys(here, "follows")
            continue
        for name, check in EXPLANATIONS.items():
            open_ = {n: e for n, e in here.items() if n not in reasons}
            if open_:
                # a question that MuJoCo gives up on explains nothing
                with suppress(mujoco.FatalError):
                    reasons |= dict.fromkeys(check(question, open_), name)
        if here:
            followers |= fields.behind(group)
            if not all(n in reasons for n in here):
                # what follows from an unexplained difference needs no second report
                reasons |= dict.fromkeys(
                    (n for n in wrong if fields.ROWS[n][0] in followers), "follows"
                )
                break
    return reasons
