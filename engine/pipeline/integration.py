"""The table of integrators: the stages that advance the state."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ..tables.enums import INT_EULER, INT_IMPLICIT, INT_IMPLICITFAST, INT_RK4, JNT_FREE
from .conditions import has, has_ellipsoids, has_tendons, in_medium
from .sleep import ENTER_SLEEP, REST, RESTING, REWIND, at_rest
from .stage import Stage, chosen


def _is_fully_implicit(conditions: Mapping[str, Any]) -> bool:
    return conditions["integrator"] == INT_IMPLICIT


def _pushes_bodies(conditions: Mapping[str, Any]) -> bool:
    return in_medium(conditions) or _is_fully_implicit(conditions)


def _turns_freely(conditions: Mapping[str, Any]) -> bool:
    """True if a free joint is the only one of its tree, and the integrator treats it apart."""
    model = conditions["model"]
    trees = model.dof_treeid[model.jnt_dofadr[model.jnt_type == JNT_FREE]]
    apart = conditions["integrator"] == INT_IMPLICITFAST and (model.tree_dofnum[trees] == 6).any()
    return bool(apart)


def _moves_at_once(conditions: Mapping[str, Any]) -> bool:
    return not _turns_freely(conditions)


EULER = Stage("integrators.euler_rk4:euler", "qpos qvel time qacc_warmstart qH qHDiagInv")
EULER_ACTUATORS = Stage(
    "actuators.damping:euler_actuators", "qpos qvel time qacc_warmstart qH qHDiagInv"
)
RK4 = (
    Stage("integrators.euler_rk4:rk4_begin", "qpos qvel time"),
    Stage("integrators.euler_rk4:rk4_second", "qpos qvel time"),
    Stage("integrators.euler_rk4:rk4_third", "qpos qvel time"),
    Stage("integrators.euler_rk4:rk4_finish", "qpos qvel time qacc_warmstart"),
)
# of those that run forward dynamics within a step: after these, before anything else changes
RETURN_FAILED = (
    Stage("actuators.activation:return_failed_activation", "", has("na"), "act"),
    Stage("integrators.euler_rk4:return_failed", "qpos qvel time"),
)


# what moves activations and past controls, beside what moves the rest: in Euler's step, and in
# those of RK4
ADVANCE = (
    Stage("actuators.delays:remember_controls", "", has("act_delayed"), "history"),
    Stage("actuators.activation:advance_activation", "", has("act_settling"), "act"),
    Stage("actuators.dcmotor:advance_motors", "", has("act_dcmotor_dyn"), "act"),
)
RK4_BEGIN = (Stage("actuators.activation:rk4_begin_activation", "", has("na"), "act"),)
RK4_SECOND = (Stage("actuators.activation:rk4_second_activation", "", has("na"), "act"),)
RK4_THIRD = (Stage("actuators.activation:rk4_third_activation", "", has("na"), "act"),)
RK4_FINISH = (
    Stage("actuators.delays:rk4_remember_controls", "", has("act_delayed"), "history"),
    Stage("actuators.activation:rk4_finish_activation", "", has("na"), "act"),
    Stage("actuators.dcmotor:rk4_finish_motors", "", has("act_dcmotor_dyn"), "act"),
)


# derivatives of smooth forces with respect to velocities (mjd_smooth_vel), for implicit integrators
DERIVATIVE = (
    Stage("derivative.passive:damper_derivative", "qDeriv"),
    Stage("derivative.passive:tendon_derivative", "", has_tendons, "qDeriv"),
    Stage("flex.implicit:edge_derivative", "", has("flex_damps"), "qDeriv"),
    Stage("derivative.actuators:joint_damper_derivative", "", has("act_on_joint"), "qDeriv"),
    Stage("derivative.actuators:tendon_damper_derivative", "", has("act_on_tendon"), "qDeriv"),
    Stage("derivative.actuators:actuator_derivative", "", has("act_affine"), "qDeriv"),
    Stage("derivative.actuators:muscle_derivative", "", has("act_muscle"), "qDeriv"),
    Stage("derivative.actuators:dcmotor_derivative", "", has("act_dcmotor"), "qDeriv"),
    Stage("derivative.bodies:clear_bodies", needed=_pushes_bodies),
    Stage("derivative.fluid:box_derivative", needed=in_medium),
    Stage("derivative.fluid:ellipsoid_derivative", needed=has_ellipsoids),
    Stage("derivative.bodies:bias_derivative", needed=_is_fully_implicit),
    Stage("derivative.bodies:project_bodies", "", _pushes_bodies, "qDeriv"),
    Stage("derivative.bodies:axis_derivative", "", _is_fully_implicit, "qDeriv"),
)
IMPLICIT = (
    Stage("integrators.implicit:implicit", "qLU", _is_fully_implicit),
    Stage("integrators.implicit:implicitfast", "qH qHDiagInv", lambda n: not _is_fully_implicit(n)),
    Stage("flex.implicit:solve_nodes", needed=has("nnodedof")),
    Stage("integrators.implicit:advance", "qpos qvel time qacc_warmstart", _moves_at_once),
    Stage(
        "integrators.midpoint:advance_midpoint",
        "qpos qvel time qacc_warmstart",
        _turns_freely,
        "qacc",
    ),
)


def _euler(
    conditions: Mapping[str, Any], forward: tuple[Stage, ...], remembering: tuple[Stage, ...]
) -> tuple[Stage, ...]:
    damped = conditions["act_on_joint"] > 0
    move = EULER_ACTUATORS if damped else EULER
    return (*remembering, *chosen(ADVANCE, conditions), move)


def _implicit(
    conditions: Mapping[str, Any], forward: tuple[Stage, ...], remembering: tuple[Stage, ...]
) -> tuple[Stage, ...]:
    solve, *move = chosen(IMPLICIT, conditions)
    act = chosen(ADVANCE, conditions)
    return (*remembering, *chosen(DERIVATIVE, conditions), solve, *act, *move)


def _rk4(
    conditions: Mapping[str, Any], forward: tuple[Stage, ...], remembering: tuple[Stage, ...]
) -> tuple[Stage, ...]:
    acts = [chosen(row, conditions) for row in (RK4_BEGIN, RK4_SECOND, RK4_THIRD, RK4_FINISH)]
    begin, second, third, finish = ((*act, stage) for act, stage in zip(acts, RK4, strict=True))
    return (*begin, *forward, *second, *forward, *third, *forward, *remembering, *finish)


class Integrator(NamedTuple):
    """An integrator: a row of the table.

    Attributes:
        word: its value of the attribute `integrator` in MJCF.
        stages: gives the stages of a step after its first forward dynamics, of: the model's
            conditions, the stages of forward dynamics, and those that remember readings at the
            start of the step, once forward dynamics has run for the last time. Activations, those
            of DC motors and histories of controls advance by stages of their own (`ADVANCE`,
            `RK4_FINISH`), and plugins after all of them; the last stage is the one that moves
            positions and velocities for good.
        repeats: whether it runs forward dynamics again, at states within the step. Then its first
            stage saves the start of the step in rk_qpos, rk_qvel and rk_time (and rk_act), and its
            last stage starts from these; Euler's integrator stands for it in second halves.
    """

    word: str
    stages: Callable[[Mapping[str, Any], tuple[Stage, ...], tuple[Stage, ...]], tuple[Stage, ...]]
    repeats: bool = False


# by their numbers (mjtIntegrator)
INTEGRATORS = {
    INT_EULER:        Integrator("Euler", _euler),
    INT_RK4:          Integrator("RK4", _rk4, repeats=True),
    INT_IMPLICIT:     Integrator("implicit", _implicit),
    INT_IMPLICITFAST: Integrator("implicitfast", _implicit),
}  # fmt: skip
REPEATING = {number: row.word for number, row in INTEGRATORS.items() if row.repeats}


def integration(
    conditions: Mapping[str, Any],
    forward: tuple[Stage, ...],
    whole: bool = True,
    remembering: tuple[Stage, ...] = (),
) -> tuple[Stage, ...]:
    """Stages that advance the state, after forward dynamics at the present one.

    Args:
        conditions: what the model and its options need.
        forward: stages of forward dynamics.
        whole: False for the second half of a step, in which Euler's integrator stands for those
            that repeat forward dynamics.
        remembering: stages that remember readings, at the start of the step, when all is known.
    """
    row = INTEGRATORS[conditions["integrator"]]
    if row.repeats and not whole:
        row = INTEGRATORS[INT_EULER]
    if row.repeats:
        past = (REWIND, *remembering, REWIND) if remembering else ()
        remembering = (*chosen(RETURN_FAILED, conditions), *past)
    stages = row.stages(conditions, forward, remembering)
    if not conditions["sleeps"]:
        return stages
    *before, move = at_rest(stages)
    down = (REWIND, *ENTER_SLEEP, REWIND) if row.repeats else ENTER_SLEEP
    # one that moves nothing asleep has nothing to undo
    rest = REST[1:] if move.kernel == RESTING[EULER.kernel] else REST
    return (*before, *down, move, *rest)
