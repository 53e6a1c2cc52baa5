"""Pieces of the pipeline that can be called one by one, under the names of MuJoCo's functions."""

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from ..pipeline.forward import AFTER, BEFORE, CHECK, ENERGY, FORWARD, POST
from ..pipeline.integration import integration
from ..pipeline.inverse import INVERSE, compared
from ..pipeline.sensors import remembering
from ..pipeline.stage import Stage, chosen
from ..pipeline.timer_tables import POSITION, SOLVING, VELOCITY
from ..tables.enums import (
    ENBL_ENERGY,
    INT_EULER,
    INT_IMPLICIT,
    INT_IMPLICITFAST,
    INT_RK4,
    STAGE_ACC,
    STAGE_POS,
    STAGE_VEL,
)

if TYPE_CHECKING:
    from .plan import Plan


CLEAR_FORCES = Stage("results.rows:clear_forces", timers=SOLVING)
CLEAR_ROWS = Stage("constraint.blocks:clear_rows", "snapshot_on")
NEW_ROWS = (CLEAR_FORCES, Stage("results.rows:clear_motion"))

# groups of forward dynamics, by what they depend on
_POSITION = tuple({stage.group: None for stage in FORWARD if POSITION in (stage.timers or ())})
_VELOCITY = tuple({stage.group: None for stage in FORWARD if VELOCITY in (stage.timers or ())})


def _written(*names: str) -> tuple[str, ...]:
    """Fields of users that the stages of these names fill, when they are looked at."""
    fields = [s.writes.split() for s in AFTER if s.name in names]
    return tuple(name for row in fields for name in row)


INERTIA = "constraint_inertia"  # what makes the fields of it
_INERTIA = ("nA", "efc_AR", "efc_AR_rownnz", "efc_AR_rowadr", "efc_AR_colind")
_EFC = _written("export_constraint", "export_sparsity", "export_tendon_rows")
_ISLANDS = _written("export_islands")
_CAMLIGHT, _PATH = _written("camlight"), _written("export_path")
_MOMENT, _CONTACT = _written("export_moment"), _written("export_contact", "export_flex_contact")
_OF_POSITION = (*_CAMLIGHT, *_PATH, *_MOMENT, *_CONTACT, *_EFC, *_INERTIA, "qM")
NO_ISLAND = frozenset({"tree_island", "dof_island"})  # -1 where there are none


class StageFunction(NamedTuple):
    """Parts of one of MuJoCo's stage functions.

    Attributes:
        parts: groups of forward dynamics, or the kind of another part of the pipeline.
        late: fields that follow from them and are computed when they are looked at.
        emptied: fields of what is gone afterwards, lists and counts.
    """

    parts: tuple[str, ...]
    late: tuple[str, ...] = ()
    emptied: tuple[str, ...] = ()


# functions by name; those with other parts than groups are the rows of `_other_stages`
STAGE_FUNCTIONS = {
    "fwd_kinematics":  StageFunction(("kinematics", "com", "flex", "tendon"), _CAMLIGHT + _PATH),
    "kinematics":           StageFunction(("kinematics",)),
    "com_pos":              StageFunction(("com",)),
    "camlight":             StageFunction((), _CAMLIGHT),
    "flex":                 StageFunction(("flex",)),
    "tendon":               StageFunction(("tendon",), _PATH),
    "crb":                  StageFunction(("crb",)),
    "make_m":               StageFunction(("crb", "armature"), ("qM",)),
    "factor_m":             StageFunction(("factor",)),
    "transmission":         StageFunction(("transmission",), _MOMENT),
    "collision": StageFunction(("collision", "no_rows"), _CONTACT, _EFC + _ISLANDS + _INERTIA),
    "make_constraint":      StageFunction(("rows", "new_rows"),
                                  (*_EFC, "contact_efc_address", "contact_mu", "contact_H",
                                   "contact_exclude")),
    "island":               StageFunction(("islands",), _ISLANDS),
    "project_constraint":   StageFunction((), _INERTIA),
    "fwd_position":         StageFunction((*_POSITION, "new_rows"), _OF_POSITION + _ISLANDS),
    "com_vel":              StageFunction(("com_vel",)),
    "passive":              StageFunction(("passive",)),
    "reference_constraint": StageFunction(("reference",), ("efc_vel", "efc_aref")),
    "fwd_velocity":         StageFunction(_VELOCITY, ("efc_vel", "efc_aref")),
    "fwd_actuation":        StageFunction(("actuation",)),
    "fwd_acceleration":     StageFunction(("acceleration",)),
    "fwd_constraint":       StageFunction(("islands", "constraint"),
                                  ("efc_b", "efc_force", "efc_state", "contact_H")),
    "rne_post_constraint":  StageFunction(("post",)),
    "sensor_pos":           StageFunction(("sensor_pos",)),
    "sensor_vel":           StageFunction(("sensor_vel",)),
    "sensor_acc":           StageFunction(("sensor_acc",)),
    "check_pos":            StageFunction(("check_pos",)),
    "check_vel":            StageFunction(("check_vel",)),
    "check_acc":            StageFunction(("check_acc",)),
    "euler":                StageFunction(("euler",)),
    "runge_kutta":          StageFunction(("runge_kutta",), _OF_POSITION + _ISLANDS),
    "implicit":             StageFunction(("implicit",)),
    "inv_position":         StageFunction((*_POSITION, "new_rows"), _OF_POSITION, _ISLANDS),
    "inv_velocity":         StageFunction(_VELOCITY, ("efc_vel", "efc_aref")),
    "inv_constraint":       StageFunction(("inverse",), ("efc_force", "efc_state", "contact_H")),
    "compare_fwd_inv":      StageFunction(("compare",)),
    "energy_pos":           StageFunction(("potential",)),
    "energy_vel":           StageFunction(("kinetic",)),
    "subtree_vel":          StageFunction(("subtrees",)),
}  # fmt: skip
_LISTS = "export_tendon_rows export_contact export_flex_contact export_constraint export_islands"
_ROWS = f"{_LISTS} export_sparsity {INERTIA}"
# late outputs that are made of what the stages of a part fill, by the stages that make them: they
# are computed before these run. Parts that are not here may fill anything.
DISTURBED = {
    "kinematics": "export_awake camlight export_path", "com": "camlight", "flex": "",
    "tendon": "export_path", "transmission": "export_moment", "rates": "export_moment",
    "crb": "scatter_qm", "armature": "scatter_qm", "factor": f"export_awake {INERTIA}",
    "collision": f"export_awake {_ROWS}", "no_rows": _ROWS,
    "rows": f"export_awake {_ROWS}",
    "new_rows": f"export_contact export_flex_contact export_constraint {INERTIA}",
    "islands": "export_contact export_flex_contact export_constraint export_islands",
    "reference": "export_constraint", "acceleration": "export_constraint",
    "com_vel": "", "passive": "", "bias": "", "actuation": "",
    "potential": "", "kinetic": "", "subtrees": "",
    "constraint": "export_contact export_flex_contact export_constraint export_islands",
}  # fmt: skip


@cache
def disturbed(name: str) -> tuple[str, ...] | None:
    """Stages of late outputs that a function would change which it has to leave as they are.

    Args:
        name: of the function.

    Returns:
        Names of the stages, and `INERTIA`; None where it may be any.
    """
    function = STAGE_FUNCTIONS[name]
    if not DISTURBED.keys() >= set(function.parts):
        return None
    gone = {*function.late, *function.emptied}
    found = set(" ".join(DISTURBED[part] for part in function.parts).split())
    replaced = {stage.name for stage in AFTER if gone.issuperset(stage.writes.split())}
    inertia = (INERTIA,) if INERTIA in found and not gone.issuperset(_INERTIA) else ()
    return (*(s.name for s in AFTER if s.name in found - replaced), *inertia)


# no functions of users, see single_worlds.py and own_contacts.py
STAGE_FUNCTIONS["take_forces"] = StageFunction(("forces",))
STAGE_FUNCTIONS["clear_efc"] = StageFunction(("no_rows",), _CONTACT, _EFC + _ISLANDS + _INERTIA)


def stages_of(plan: "Plan", name: str) -> tuple[Stage, ...]:
    """Stages of a function, in the order of the plan's forward dynamics."""
    parts, stages, group = STAGE_FUNCTIONS[name].parts, [], ""
    for stage in plan.forward:
        if "ctrl" in stage.changes.split():
            continue  # the control hook is called by forward dynamics, not by its parts
        group = stage.group or group
        if group in parts:
            stages.append(stage)
    for part in parts:
        stages += _other_stages(plan, part)
    return tuple(stages)


def _other_stages(plan: "Plan", part: str) -> tuple[Stage, ...]:
    """Stages of a part that is no group of forward dynamics; none for others."""
    from .program import readings

    if part in _INTEGRATORS:
        integrator = _INTEGRATORS[part]
        if part == "implicit" and plan.model.opt.integrator == INT_IMPLICITFAST:
            integrator = INT_IMPLICITFAST
        energy = bool(plan.model.opt.enableflags & ENBL_ENERGY)
        past = remembering(plan.model, part == "runge_kutta", energy)
        return integration({**plan.conditions, "integrator": integrator}, plan.forward, True, past)
    if part in _READINGS:
        return readings(plan, _READINGS[part], _READINGS[part])
    # the rest are stages of the tables
    fixed = {
        "post": (POST,),
        "no_rows": (CLEAR_ROWS,),
        "new_rows": NEW_ROWS,
        "check_pos": BEFORE[:1],
        "check_vel": BEFORE[1:],
        "check_acc": CHECK,
        "inverse": (INVERSE,),
        "forces": (Stage("results.rows:take_forces"),),
        "potential": chosen(ENERGY[:-1], plan.conditions),
        "kinetic": ENERGY[-1:],
        "subtrees": (Stage("smooth.energy:subtree_vel", "subtree_linvel subtree_angmom"),),
    }
    if part == "compare":
        bias = [s for s in plan.forward if "qfrc_bias" in (s.writes + " " + s.changes).split()]
        return compared(plan.model.opt, plan.conditions, tuple(bias))
    return fixed.get(part, ())


_INTEGRATORS = {"euler": INT_EULER, "runge_kutta": INT_RK4, "implicit": INT_IMPLICIT}
_READINGS = {"sensor_pos": STAGE_POS, "sensor_vel": STAGE_VEL, "sensor_acc": STAGE_ACC}
