"""Why an answer may differ from MuJoCo's: what is checked before a difference is accepted."""

from collections.abc import Callable, Iterator
from contextlib import suppress

import mujoco
import numpy as np

import mjenv
from tests.fuzzing import fields
from tests.fuzzing.questions import Question, moving, one_world, shaken
from tests.fuzzing.shape_reasons import (
    as_near,
    felt_flexes,
    fitted_ellipsoids,
    missed,
    of_itself,
    proven,
    stale_volumes,
    unfinished_search,
)
from tests.fuzzing.solver_reasons import (
    as_of_sparse_rows,
    idle_rows,
    large_forces,
    lost_inertia,
    lost_welds,
    no_worse,
    on_an_edge,
    started_here,
    stopped_elsewhere,
    unfinished,
    unset_rotations,
    zeros_of_dense_rows,
)
from tests.fuzzing.states import place_of, put

SHAKES = 40  # perturbations of MuJoCo's own input
BAD = 1e10  # from here on MuJoCo takes a number of the state for a bad one, and resets it


def rounding(question: Question, wrong: dict[str, float]) -> set[str]:
    """Fields that MuJoCo itself answers otherwise when its input changes by rounding.

    Its own answer moves by a thirtieth of the difference, at least, when inputs change by 1e-10
    of their size or less: the difference is what rounding makes of an ill-conditioned question, or
    the question lies on an edge between two answers.
    """
    return moving(question, wrong, (shaken(question, k) for k in range(SHAKES)))


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


def no_number(question: Question, wrong: dict[str, float]) -> set[str]:
    """Steps that MuJoCo begins anew, because its solver found accelerations that are no numbers.

    Ours are numbers in the same state, and what forward dynamics finds there is explained.
    """
    if "qvel" not in question.theirs:
        return set()
    asked, others = forward_question(question)
    theirs, ours = (answer.get("qacc") for answer in (asked.theirs, asked.ours))
    if theirs is None or ours is None or np.isfinite(theirs).all() or not np.isfinite(ours).all():
        return set()
    reasons = explain(asked, others)
    return set(wrong) if all(name in reasons for name in others) else set()


def later_stages(question: Question) -> Iterator[np.ndarray]:
    """States in which a step of RK4 asks for accelerations once more, by MuJoCo's own ones."""
    mj, State = question.mj, mujoco.mjtState
    places = [
        place_of(mj, component)
        for component in (
            State.mjSTATE_TIME,
            State.mjSTATE_QPOS,
            State.mjSTATE_QVEL,
            State.mjSTATE_ACT,
        )
    ]
    time, qpos, qvel, act = (question.row[place] for place in places)
    row = question.row
    for part in (0.5, 0.5, 1.0):
        data, h = mujoco.MjData(mj), part * mj.opt.timestep
        put(mj, data, row)
        mujoco.mj_forward(mj, data)
        there = np.array(qpos)
        mujoco.mj_integratePos(mj, there, data.qvel, h)
        row = question.row.copy()
        new = (time + h, there, qvel + h * data.qacc, act + h * data.act_dot)
        for place, values in zip(places, new, strict=True):
            row[place] = values
        yield row


def forward_question(question: Question) -> tuple[Question, dict[str, float]]:
    """What forward dynamics finds in the state from which a step was taken, and what differs."""
    # several explanations ask the same
    if not any(question is asked for asked, _ in _answered):
        _answered[:] = [(question, _forward_question(question))]
    asked, wrong = _answered[0][1]
    return asked, dict(wrong)


_answered: list[tuple[Question, tuple[Question, dict[str, float]]]] = []


def _forward_question(question: Question) -> tuple[Question, dict[str, float]]:
    def first(mj, data, names):
        mujoco.mj_forward(mj, data)
        mujoco.mj_rnePostConstraint(mj, data)
        return fields.of_mujoco(data, names)

    data = one_world(question)
    kept = set(fields.kept(data)) - {"qvel"}
    names = [name for name in question.names if name in kept]
    mjenv.forward(data.model, data, post=True)
    asked = question._replace(call=first, names=names, data=data, world=0)
    expected = asked.answer(question.mj, question.row)
    found = {name: np.array(row) for name, row in fields.of_ours(data, 0, expected).items()}
    wrong = fields.different(found, expected, question.mj.opt.timestep)
    return asked._replace(theirs=expected, ours=found), wrong


def unset_before(question: Question, wrong: dict[str, float]) -> set[str]:
    """Steps by forces of rows that MuJoCo takes in part from memory that was not set."""
    if "qvel" not in question.theirs:
        return set()
    asked, others = forward_question(question)
    reasons = explain(asked, others)
    unset = "unset memory" in reasons.values() and all(name in reasons for name in others)
    return set(wrong) if unset else set()


def last_stage(question: Question, wrong: dict[str, float]) -> set[str]:
    """What a step of RK4 leaves of its last stage, where the first difference is explained.

    Its stages are looked at one by one, in MuJoCo's states. Where they are the same, the last one
    differs by no more than what MuJoCo makes of velocities that are off by the tolerance of an
    acceleration, or of solvers that stop elsewhere.
    """
    mj = question.mj
    if mj.opt.integrator != mujoco.mjtIntegrator.mjINT_RK4 or "qvel" not in question.theirs:
        return set()
    asked, others = forward_question(question)
    rows = iter(()) if others else later_stages(question)
    while not others and (row := next(rows, None)) is not None:
        asked, others = forward_question(question._replace(row=row))
    if others:
        reasons = explain(asked, others)
        return set(wrong) if all(name in reasons for name in others) else set()
    asked, _ = forward_question(question)
    place = place_of(mj, mujoco.mjtState.mjSTATE_QVEL)
    off = (
        mj.opt.timestep * fields.ROWS["qacc"][1] * (1 + np.abs(asked.theirs["qacc"]).max(initial=0))
    )

    def answers():
        for k in range(4):
            row = question.row.copy()
            row[place] += off * np.random.default_rng((question.seed, k)).uniform(-1, 1, mj.nv)
            yield question.answer(mj, row)
        yield from stopped_elsewhere(question)

    return moving(question, wrong, answers())


# name: check, which returns the fields that it explains
EXPLANATIONS: dict[str, Callable[[Question, dict[str, float]], set[str]]] = {
    "exploded": exploded,
    "no number": no_number,
    "last stage": last_stage,
    "dense zeros": zeros_of_dense_rows,
    "islands of dense zeros": as_of_sparse_rows,
    "unset memory": unset_rotations,
    "unset memory before": unset_before,
    "idle rows": idle_rows,
    "of itself": of_itself,
    "felt flexes": felt_flexes,
    "stale volumes": stale_volumes,
    "missed": missed,
    "edge": on_an_edge,
    "fitted ellipsoids": fitted_ellipsoids,
    "as near": as_near,
    "rounding": rounding,
    "no worse": no_worse,
    "started here": started_here,
    "lost inertia": lost_inertia,
    "lost welds": lost_welds,
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
