"""Why contacts and distances of shapes may differ from MuJoCo's."""

import copy
from collections.abc import Callable

import mujoco
import numpy as np

import mjenv
from tests.fuzzing import fields
from tests.fuzzing.questions import Question, moving, one_world
from tests.fuzzing.shapes import CONVEX, contains, overlap
from tests.fuzzing.states import place_of, put

DISTANCES = (
    mujoco.mjtSensor.mjSENS_GEOMDIST,
    mujoco.mjtSensor.mjSENS_GEOMNORMAL,
    mujoco.mjtSensor.mjSENS_GEOMFROMTO,
)

# sensors that look at the geoms of all contacts; the only plugin of sensors is the touch grid
FEELING = (mujoco.mjtSensor.mjSENS_TACTILE, mujoco.mjtSensor.mjSENS_PLUGIN)
CONTACT_FIELDS = (
    "H", "dim", "dist", "efc_address", "elem", "exclude", "flex", "frame", "friction", "geom",
    "geom1", "geom2", "includemargin", "mu", "pos", "solimp", "solref", "solreffriction", "vert",
)  # fmt: skip


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
    ours = fields.of_ours(question.data, question.world, other)
    errors = {name: fields.error(ours[name], other[name]) for name in names if name in other}
    left = {name: size for name, size in errors.items() if size > fields.ROWS[name][1]}
    found = errors.keys() - left.keys()
    # those of other shapes may differ for reasons of their own
    asked = question._replace(mj=mj, theirs=other, ours=ours)
    for check in (as_near, unfinished_search):
        if left:
            found |= check(asked, left)
            left = {name: size for name, size in left.items() if name not in found}
    return found


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


def stale_volumes(question: Question, wrong: dict[str, float]) -> set[str]:
    """Contacts that MuJoCo finds too when it leaves out its bounding volumes.

    These are those of the compiled model, whatever has been edited since.
    """
    if "ncon" not in wrong:
        return set()
    mj = copy.copy(question.mj)
    mj.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_MIDPHASE)
    found = question.answer(mj, question.row)
    same = np.array_equal(found["ncon"], question.ours["ncon"])
    return {"ncon"} if same else set()


def felt_flexes(question: Question, wrong: dict[str, float]) -> set[str]:
    """Readings that are ours when MuJoCo's tactile sensors and touch grids see no deformables.

    A contact of a deformable has -1 in place of a geom, and what they read there is the body of
    something else. So the sensors read once more, without these contacts, or as if both their geoms
    were the one that there is. Of a history the samples of this time are in question.
    """
    mj = question.mj
    felt = np.flatnonzero(np.isin(mj.sensor_type, FEELING))
    names = wrong.keys() & {"sensordata", "history"}
    if not felt.size or not names or "sensordata" not in question.theirs:
        return set()
    data = mujoco.MjData(mj)
    put(mj, data, question.row)
    mujoco.mj_forward(mj, data)
    geoms = np.array(data.contact.geom)
    if (geoms >= 0).all():
        return set()
    expected = {name: np.array(question.theirs[name]) for name in names}
    places = [slice(mj.sensor_adr[k], mj.sensor_adr[k] + mj.sensor_dim[k]) for k in felt]
    if not all(
        np.array_equal(data.sensordata[place], question.theirs["sensordata"][place])
        for place in places
    ):
        return set()
    unread = copy.copy(mj)  # what sensors put into their histories
    unread.sensor_history[felt] = 0
    both = np.where(geoms < 0, geoms[:, ::-1], geoms), geoms
    shown, sampled = ([read_again(m, data, g) for g in both] for m in (mj, unread))
    # the other sensors are as they were
    for k, place in zip(felt, places, strict=True):
        if "sensordata" in expected:
            put_nearest(expected["sensordata"], question.ours["sensordata"], place, place, shown)
        if "history" in expected:
            for slot in slots_now(question, k):
                put_nearest(expected["history"], question.ours["history"], slot, place, sampled)
    return {
        name
        for name in names
        if fields.error(question.ours[name], expected[name]) <= fields.ROWS[name][1]
    }


def put_nearest(
    expected: np.ndarray, ours: np.ndarray, slot: slice, place: slice, readings: list[np.ndarray]
) -> None:
    """Put one of some readings of a sensor into a slot: the one that is nearest to ours."""
    chosen = (reading[place] for reading in readings)
    expected[slot] = min(chosen, key=lambda read: fields.error(ours[slot], read))


def slots_now(question: Question, k: int) -> list[slice]:
    """Where a sensor's history has samples of the time of a question."""
    mj, history = question.mj, question.theirs["history"]
    nsample, dim, start = mj.sensor_history[k, 0], mj.sensor_dim[k], mj.sensor_historyadr[k]
    now = question.row[place_of(mj, mujoco.mjtState.mjSTATE_TIME)][0]
    times = start + 2 + np.arange(nsample)  # behind the user value and the cursor
    return [
        slice(start + 2 + nsample + n * dim, start + 2 + nsample + (n + 1) * dim)
        for n in np.flatnonzero(history[times] == now)
    ]


def read_again(mj, data, geoms: np.ndarray) -> np.ndarray:
    """Readings of sensors where the geoms of contacts are others, those with -1 taken away."""
    kept = (geoms >= 0).all(axis=1)
    count = data.ncon
    whole = {name: np.array(getattr(data.contact, name)) for name in CONTACT_FIELDS}
    changed = whole | {"geom": geoms, "geom1": geoms[:, 0], "geom2": geoms[:, 1]}
    for name, values in changed.items():
        getattr(data.contact, name)[: kept.sum()] = values[kept]
    data.ncon = kept.sum()
    mujoco.mj_sensorAcc(mj, data)
    data.ncon = count
    for name, values in whole.items():
        getattr(data.contact, name)[:] = values
    return np.array(data.sensordata)


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
    theirs, ours = mujoco.MjData(mj), one_world(question)
    put(mj, theirs, question.row)
    mujoco.mj_forward(mj, theirs)
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
            places = [0.5 * (points[3:] + points[:3]), *theirs.geom_xpos[[*chosen]]]
            common = (all(contains(mj, theirs, g, x, -size) for g in chosen) for x in places)
            return found >= 0 and any(common)
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
