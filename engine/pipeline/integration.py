"""The stages that advance the state, by integrator."""

from collections.abc import Mapping
from typing import Any

from ..tables.enums import INT_EULER, INT_IMPLICIT, INT_IMPLICITFAST, INT_RK4, JNT_FREE
from .conditions import has, has_ellipsoids, has_tendons, in_medium
from .sleep import ENTER_SLEEP, REST, RESTING, REWIND, at_rest
from .stage import Stage, chosen


def _is_fully_implicit(conditions: Mapping[str, Any]) -> bool:
    return conditions["integrator"] == INT_IMPLICIT


def _pushes_bodies(conditions: Mapping[str, Any]) -> bool:
    return in_medium(conditions) or _is_fully_implicit(conditions)


def _turns_freely(conditions: Mapping[str, Any]) -> bool:
    """Whether a free joint is the only one of its tree, and the integrator treats it apart."""
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
        whole: False for the second half of a step, in which RK4 becomes Euler's integrator.
        remembering: stages that remember readings, at the start of the step, when all is known.
    """
    stages = _integration(conditions, forward, whole, remembering)
    if not conditions["sleeps"]:
        return stages
    *before, move = at_rest(stages)
    down = (REWIND, *ENTER_SLEEP, REWIND) if move.name == "rk4_finish" else ENTER_SLEEP
    # one that moves nothing asleep has nothing to undo
    rest = REST[1:] if move.kernel == RESTING[EULER.kernel] else REST
    return (*before, *down, move, *rest)


def _integration(
    conditions: Mapping[str, Any],
    forward: tuple[Stage, ...],
    whole: bool,
    remembering: tuple[Stage, ...],
) -> tuple[Stage, ...]:
    integrator = conditions["integrator"]
    if integrator == INT_EULER or (integrator == INT_RK4 and not whole):
        damped = conditions["act_on_joint"] > 0
        move = EULER_ACTUATORS if damped else EULER
        return (*remembering, *chosen(ADVANCE, conditions), move)
    if integrator in (INT_IMPLICIT, INT_IMPLICITFAST):
        solve, *move = chosen(IMPLICIT, conditions)
        act = chosen(ADVANCE, conditions)
        return (*remembering, *chosen(DERIVATIVE, conditions), solve, *act, *move)
    if integrator == INT_RK4:
        acts = [chosen(row, conditions) for row in (RK4_BEGIN, RK4_SECOND, RK4_THIRD, RK4_FINISH)]
        begin, second, third, finish = ((*act, stage) for act, stage in zip(acts, RK4, strict=True))
        past = (REWIND, *remembering, REWIND) if remembering else ()
        return (*begin, *forward, *second, *forward, *third, *forward, *past, *finish)
    raise AssertionError("unsupported integrators are refused when data are made")
