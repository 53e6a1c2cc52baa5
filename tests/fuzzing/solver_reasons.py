"""Why rows of constraints, their forces and accelerations may differ from MuJoCo's."""

import copy
from collections.abc import Iterator

import mujoco
import numpy as np

from tests.fuzzing import fields
from tests.fuzzing.questions import Question, moving
from tests.fuzzing.states import place_of, put

TINY = 1e-300  # what stands in a row where something may move, and happens not to
ROW_FIELDS = ("efc_J", "efc_J_rownnz", "efc_J_rowadr", "efc_type", "efc_id", "efc_pos")


def unfinished(question: Question, wrong: dict[str, float]) -> set[str]:
    """Solutions that MuJoCo finds otherwise with some iterations less or more.

    Its own answer moves by a thirtieth of the difference, at least, when it may take a tenth of its
    iterations less or more, or solves all islands at once, as is done here outside of large models,
    with its tolerance or half or twice of it, or that below which rounding of the cost, which may
    be 1e9, decides whether an iteration was the last one.
    """
    return moving(question, solved(wrong), stopped_elsewhere(question))


def stopped_elsewhere(question: Question) -> Iterator[dict[str, np.ndarray]]:
    """MuJoCo's answers where its solver may take another number of steps."""
    together = int(mujoco.mjtDisableBit.mjDSBL_ISLAND)
    for iterations, flags, tolerance in (
        (0.9, 0, 1), (1.1, 0, 1), (1, together, 1), (1, together, 0.5), (1, together, 2),
    ):  # fmt: skip
        mj = copy.copy(question.mj)
        mj.opt.iterations = int(iterations * mj.opt.iterations)
        mj.opt.tolerance *= tolerance
        mj.opt.disableflags |= flags
        yield question.answer(mj, question.row)
    mj = copy.copy(question.mj)
    mj.opt.disableflags |= together
    data = mujoco.MjData(mj)
    put(mj, data, question.row)
    mujoco.mj_forward(mj, data)
    if data.nefc:
        lost = 16 * np.finfo(float).eps * abs(cost(mj, data, data.qacc))
        mj.opt.tolerance = max(mj.opt.tolerance, lost / (mj.stat.meaninertia * max(1, mj.nv)))
        yield question.answer(mj, question.row)


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


def lost_inertia(question: Question, wrong: dict[str, float]) -> set[str]:
    """Solutions where rounding of the Hessian is larger than the inertia of something that moves.

    Rows of weights of 1e15, whose diagonal MuJoCo approximates by next to nothing, take all digits
    from what M adds; steps of Newton's method are then made of rounding.
    """
    mj, data = question.mj, mujoco.MjData(question.mj)
    if mj.opt.solver != mujoco.mjtSolver.mjSOL_NEWTON or not mj.nv:
        return set()
    put(mj, data, question.row)
    question.call(mj, data, [])
    inertia = np.zeros((mj.nv, mj.nv))
    mujoco.mj_fullM(mj, inertia, data.qM)
    if not data.nefc or not np.isfinite(inertia).all():
        return set()
    rows = np.zeros((data.nefc, mj.nv))
    if mujoco.mj_isSparse(mj):
        places = data.efc_J_rownnz, data.efc_J_rowadr, data.efc_J_colind
        mujoco.mju_sparse2dense(rows, data.efc_J, *places)
    else:
        rows.ravel()[:] = data.efc_J[: rows.size]
    hessian = inertia + rows.T @ (data.efc_D[:, None] * rows)
    if not np.isfinite(hessian).all():
        return set()
    lost = np.finfo(float).eps * np.linalg.eigvalsh(hessian)[-1]
    return {*solved(wrong)} if lost > np.linalg.eigvalsh(inertia)[0] else set()


def lost_welds(question: Question, wrong: dict[str, float]) -> set[str]:
    """Forces of bodies that are joined by connect or weld, behind strains of several cells.

    Each cell is an equality constraint, at which MuJoCo leaves out the rows of all cells: it then
    misses the rows of later constraints. All other bodies have the same external forces.
    """
    mj = question.mj
    strains = mj.eq_obj1id[mj.eq_type == mujoco.mjtEq.mjEQ_FLEXSTRAIN]
    if "cfrc_ext" not in wrong or not (mj.flex_cellnum[strains].prod(axis=1) > 1).any():
        return set()
    joined = set()
    for k in np.flatnonzero(mj.eq_type <= int(mujoco.mjtEq.mjEQ_WELD)):
        ends = (mj.eq_obj1id[k], mj.eq_obj2id[k])
        sites = mj.eq_objtype[k] == mujoco.mjtObj.mjOBJ_SITE
        joined.update(int(mj.site_bodyid[end]) if sites else int(end) for end in ends)
    others = [k for k in range(mj.nbody) if k not in joined]
    pair = (
        np.reshape(each["cfrc_ext"], (-1, 6))[others] for each in (question.ours, question.theirs)
    )
    same = fields.error(*pair) <= fields.ROWS["cfrc_ext"][1]
    return {"cfrc_ext", "cfrc_int"} & wrong.keys() if same else set()


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


def solved(wrong: dict[str, float]) -> dict[str, float]:
    """Those of some fields that a solver finds."""
    names = {"qacc", *fields.GROUP["force"]}
    return {name: size for name, size in wrong.items() if name in names}


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


def as_of_sparse_rows(question: Question, wrong: dict[str, float]) -> set[str]:
    """Solutions that MuJoCo finds, too, where it writes its rows as sparse matrices.

    Rows that happen to be 0 for a tree split islands of dense rows. What is left when the solver
    ends, because of the number of its iterations or of rounding, differs with the islands.
    """
    mj, names = question.mj, solved(wrong)
    if mujoco.mj_isSparse(mj) or not names:
        return set()
    mj = copy.copy(mj)
    mj.opt.jacobian = mujoco.mjtJacobian.mjJAC_SPARSE
    other = question.answer(mj, question.row)
    return {
        name
        for name in names
        if fields.error(question.ours[name], other[name]) < fields.ROWS[name][1]
    }


def unset_rotations(question: Question, wrong: dict[str, float]) -> set[str]:
    """Rows that MuJoCo's sparse Jacobians take from memory that was not set: dense ones are ours.

    These are the rotations of deformables (condim 4 and 6), and contacts of two of them.
    """
    if "efc_J" not in wrong or not mujoco.mj_isSparse(question.mj):
        return set()
    mj = copy.copy(question.mj)
    mj.opt.jacobian = mujoco.mjtJacobian.mjJAC_DENSE
    data = mujoco.MjData(mj)
    put(mj, data, question.row)
    question.call(mj, data, [])
    # in question are contacts of certain kinds
    flexes = data.contact.flex.reshape(-1, 2) >= 0
    if not np.any(flexes.all(1) | (flexes.any(1) & (data.contact.dim > 3))):
        return set()
    ours, world = question.data, question.world
    if ours.nefc[world] != data.nefc or mujoco.mj_isSparse(mj):
        return set()
    # our rows without gaps
    found = np.zeros((data.nefc, mj.nv))
    for k, row in enumerate(found):
        start, count = ours.efc_J_rowadr[world, k], ours.efc_J_rownnz[world, k]
        row[ours.efc_J_colind[world, start : start + count]] = ours.efc_J[
            world, start : start + count
        ]
    theirs = data.efc_J[: found.size].reshape(found.shape)
    same = fields.error(found, theirs) <= fields.ROWS["efc_J"][1]
    return {"efc_J"} if same else set()


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
    iterations, the last steps on the way there differ. Outside of large models all islands are one
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


def on_an_edge(question: Question, wrong: dict[str, float]) -> set[str]:
    """States of rows whose forces are equal, as they are on both sides of an edge."""
    forces = (
        fields.error(question.ours["efc_force"], question.theirs["efc_force"])
        if "efc_force" in question.theirs
        else 1.0
    )
    return {"efc_state"} & set(wrong) if forces <= fields.ROWS["efc_force"][1] else set()
