"""The stages of forward dynamics that a model and its options need, in the form that they need."""

from typing import TYPE_CHECKING, Any

from ..model.reference_rules import known_kinds
from ..model.validation import ValidationError
from ..physics.collision.flex_masks import NO_CONTACT
from ..physics.solver.scratch import BRIEF
from ..pipeline.forward import AFTER, ENERGY, NO_ENERGY
from ..pipeline.sleep import at_rest
from ..pipeline.solve import solving
from ..pipeline.stage import Stage
from ..tables.enums import DSBL_NATIVECCD, DSBL_SENSOR, ENBL_ENERGY

if TYPE_CHECKING:
    from ..model.model import Option

# flags that decide which stages there are
CHOOSING = NO_CONTACT | DSBL_SENSOR | DSBL_NATIVECCD


def enter_options(conditions: dict[str, Any], opt: "Option") -> None:
    """Enter the conditions of stages that options decide."""
    try:
        known_kinds(opt)
    except ValidationError as error:
        raise ValueError(f"model.{error}") from None
    conditions["medium"] |= bool(opt.density or opt.viscosity)
    conditions["integrator"] = opt.integrator
    conditions["collides"] = not opt.disableflags & NO_CONTACT
    conditions["solver"] = opt.solver
    conditions["noslip"] = opt.noslip_iterations > 0


def in_form(
    stages: tuple[Stage, ...], opt: "Option", sleeps: bool, noted: bool
) -> tuple[Stage, ...]:
    """The chosen stages of forward dynamics, in the form that sleep and statistics need.

    Args:
        stages: the stages.
        opt: options of the model.
        sleeps: whether trees may sleep.
        noted: whether solvers note what each iteration did.
    """
    return solving(at_rest(stages) if sleeps else stages, noted, _is_brief(opt))


def energies(conditions: dict[str, Any], opt: "Option") -> tuple[Stage, ...]:
    """Stages of energies; once computed, their fields are cleared without the flag."""
    if opt.enableflags & ENBL_ENERGY:
        conditions["energy"] = True
        return ENERGY
    return NO_ENERGY if conditions["energy"] else ()


def late_fields(
    after: tuple[Stage, ...],
) -> tuple[dict[str, tuple[Stage, frozenset[str]]], frozenset[str]]:
    """Stages of late outputs by name, with their fields; fields that none of these stages fills.

    MuJoCo does not fill these either for such a model.
    """
    late = {stage.name: (stage, frozenset(stage.writes.split())) for stage in after}
    filled = frozenset().union(*(fields for _, fields in late.values()))
    return late, frozenset(name for stage in AFTER for name in stage.writes.split()) - filled


def choice_of(conditions: dict[str, Any], opt: "Option") -> tuple:
    """All of the options that tells one choice of stages from others."""
    flags = (opt.disableflags & CHOOSING, opt.enableflags)
    asked = tuple(conditions[name] for name in ("medium", "energy", "owns_contacts", "noslip"))
    return (opt.integrator, opt.solver, *asked, _is_brief(opt), flags)


def _is_brief(opt: "Option") -> bool:
    """True if line searches are cut short."""
    return opt.ls_iterations < BRIEF
