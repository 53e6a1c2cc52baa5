"""The pipeline of inverse dynamics, and of its comparison with forward dynamics."""

from collections.abc import Mapping
from typing import Any

from ..tables.enums import ENBL_FWDINV, ENBL_INVDISCRETE, INT_EULER, INT_IMPLICIT, INT_IMPLICITFAST
from .forward import NO_ENERGY, undriven, unsolved
from .integration import DERIVATIVE, INTEGRATORS
from .stage import Stage, chosen
from .timer_tables import SOLVING


def _has_dampers(conditions: Mapping[str, Any]) -> bool:
    return conditions["act_on_joint"] > 0


def _moves_alone(conditions: Mapping[str, Any]) -> bool:
    return not _has_dampers(conditions)


INVERSE = Stage("inverse:inv_constraint", "qfrc_constraint", timers=SOLVING)
FINISH_INVERSE = Stage("inverse:finish_inverse", "qfrc_inverse", changes="qacc")
# where the bias force is found once more, for velocities that are skipped or were edited, the field
# keeps what it held
SAVE_BIAS = Stage("inverse:save_bias")
RESTORE_BIAS = Stage("inverse:restore_bias", "qfrc_bias")
SAVE_FORWARD = Stage("inverse:save_forward")
COMPARE = Stage("inverse:compare_fwd_inv", "solver_fwdinv", changes="qfrc_constraint qfrc_inverse")
COMPARE_NOTHING = Stage("inverse:compare_nothing", "solver_fwdinv")
# discrete accelerations in continuous time, by integrator
DISCRETE = {
    INT_EULER: (
        Stage("inverse:discrete_euler", "qH", _moves_alone, "qacc", SOLVING),
        Stage("inverse:discrete_euler_actuators", "qH", _has_dampers, "qacc", SOLVING),
    ),
    INT_IMPLICIT: (*DERIVATIVE, Stage("inverse:discrete_implicit", changes="qacc", timers=SOLVING)),
    INT_IMPLICITFAST: (
        *DERIVATIVE,
        Stage("inverse:discrete_implicitfast", "qH", changes="qacc", timers=SOLVING),
    ),
}


def inverse_dynamics(
    forward: tuple[Stage, ...], opt: Any, conditions: Mapping[str, Any], actuation: bool
) -> tuple[Stage, ...]:
    """Stages of inverse dynamics up to constraint forces, of a model's stages and options.

    Raises:
        ValueError: discrete inverse dynamics of an integrator that has none.
    """
    # derivatives of an implicit step are those of actuators too
    actuation |= bool(opt.enableflags & ENBL_INVDISCRETE and opt.integrator != INT_EULER)
    stages = unsolved(forward if actuation else undriven(forward))
    # energies that nobody asks for stay as they are
    stages = tuple(stage for stage in stages if stage not in NO_ENERGY)
    return (*stages, *_given_acceleration(opt, conditions))


def comparison(opt: Any, conditions: Mapping[str, Any]) -> tuple[Stage, ...]:
    """Stages that compare forward and inverse dynamics; none without option flag fwdinv."""
    return compared(opt, conditions) if opt.enableflags & ENBL_FWDINV else ()


def compared(
    opt: Any, conditions: Mapping[str, Any], bias: tuple[Stage, ...] = ()
) -> tuple[Stage, ...]:
    """Stages that compare forward and inverse dynamics.

    Args:
        opt: options of the model.
        conditions: those of its stages.
        bias: stages that find the bias force once more, where velocities may have been edited.
    """
    if opt.enableflags & ENBL_INVDISCRETE and opt.integrator not in DISCRETE:
        return (COMPARE_NOTHING,)
    inverse = (*_given_acceleration(opt, conditions), FINISH_INVERSE)
    if bias:
        inverse = (SAVE_BIAS, *bias, *inverse, RESTORE_BIAS)
    return (SAVE_FORWARD, *inverse, COMPARE)


def _given_acceleration(opt: Any, conditions: Mapping[str, Any]) -> tuple[Stage, ...]:
    if not opt.enableflags & ENBL_INVDISCRETE:
        return (INVERSE,)
    if opt.integrator not in DISCRETE:
        raise ValueError(
            "inverse: option flag invdiscrete='enable' with "
            f"integrator={INTEGRATORS[opt.integrator].word!r}: expected another integrator, or "
            "invdiscrete='disable'"
        )
    return (*chosen(DISCRETE[opt.integrator], conditions), INVERSE)
