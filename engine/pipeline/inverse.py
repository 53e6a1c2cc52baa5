"""The pipeline of inverse dynamics, and of its comparison with forward dynamics."""

from ..enums import ENBL_FWDINV, ENBL_INVDISCRETE, INT_EULER, INT_IMPLICIT, INT_IMPLICITFAST
from ..physics import inverse
from .forward import DRIVEN, SOLVED
from .integration import DERIVATIVE
from .stage import Stage, chosen, without


def _has_dampers(conditions) -> bool:
    return conditions["act_on_joint"] > 0


def _moves_alone(conditions) -> bool:
    return not _has_dampers(conditions)


INVERSE = Stage(
    inverse.inv_constraint,
    "qfrc_constraint row_force row_jar row_active row_D row_floss row_bound sol_Ma sol_grad "
    "problem",
)
FINISH_INVERSE = Stage(inverse.finish_inverse, "qfrc_inverse", changes="qacc")
# where velocities are skipped, the force that they take is not, but the field keeps what it held
SAVE_BIAS = Stage(inverse.save_bias, "inv_qfrc")
RESTORE_BIAS = Stage(inverse.restore_bias, "qfrc_bias")
SAVE_FORWARD = Stage(inverse.save_forward, "inv_force inv_jar inv_active inv_qfrc")
COMPARE = Stage(
    inverse.compare_fwd_inv, "solver_fwdinv", changes="qfrc_constraint row_force row_jar row_active"
)
COMPARE_NOTHING = Stage(inverse.compare_nothing, "solver_fwdinv")
# discrete accelerations in continuous time, by integrator
DISCRETE = {
    INT_EULER: (
        Stage(inverse.discrete_euler, "inv_acc qH int_acc", _moves_alone, "qacc"),
        Stage(inverse.discrete_euler_actuators, "inv_acc qH int_acc", _has_dampers, "qacc"),
    ),
    INT_IMPLICIT: (*DERIVATIVE, Stage(inverse.discrete_implicit, "inv_acc", changes="qacc")),
    INT_IMPLICITFAST: (
        *DERIVATIVE,
        Stage(inverse.discrete_implicitfast, "inv_acc qH", changes="qacc"),
    ),
}


def inverse_dynamics(
    forward: tuple[Stage, ...], opt, conditions, actuation: bool
) -> tuple[Stage, ...]:
    """Stages of inverse dynamics up to constraint forces, of a model's stages and options.

    Raises:
        ValueError: discrete inverse dynamics of an integrator that has none.
    """
    # derivatives of an implicit step are those of actuators too
    actuation |= bool(opt.enableflags & ENBL_INVDISCRETE and opt.integrator != INT_EULER)
    left_out = SOLVED if actuation else SOLVED | DRIVEN
    return (*without(forward, left_out), *_given_acceleration(opt, conditions))


def comparison(opt, conditions) -> tuple[Stage, ...]:
    """Stages that compare forward and inverse dynamics; none without option flag fwdinv."""
    return compared(opt, conditions) if opt.enableflags & ENBL_FWDINV else ()


def compared(opt, conditions) -> tuple[Stage, ...]:
    """Stages that compare forward and inverse dynamics."""
    if opt.enableflags & ENBL_INVDISCRETE and opt.integrator not in DISCRETE:
        return (COMPARE_NOTHING,)
    return (SAVE_FORWARD, *_given_acceleration(opt, conditions), FINISH_INVERSE, COMPARE)


def _given_acceleration(opt, conditions) -> tuple[Stage, ...]:
    if not opt.enableflags & ENBL_INVDISCRETE:
        return (INVERSE,)
    if opt.integrator not in DISCRETE:
        raise ValueError(
            "inverse: option flag invdiscrete='enable' with integrator='RK4': expected another "
            "integrator, or invdiscrete='disable'"
        )
    return (*chosen(DISCRETE[opt.integrator], conditions), INVERSE)
