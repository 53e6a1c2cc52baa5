"""Conditions of stages on what a model holds and what its options ask for.

A condition is a function of the plan's conditions: a mapping with its sizes, `model`, and what
options ask for (see `Plan`). Some conditions are made for the name of a size, or for a kind.
"""

from collections.abc import Callable, Mapping
from typing import Any

from ..tables.enums import DSBL_NATIVECCD

Condition = Callable[[Mapping], bool]


def has(name: str) -> Condition:
    """True if a size is above 0."""
    return lambda given: given[name] > 0


def differs_or_is(given: Mapping[str, Any], name: str) -> bool:
    """True if a field of the model differs between worlds, or has other values than zeros."""
    return name in given["varied"] or bool(getattr(given["model"], name).any())


def is_large_model(given: Mapping[str, Any]) -> bool:
    """True if a broad phase finds the geoms that are near in every step."""
    return given["is_large_model"] > 0


# ---------------------------------------------------------------- contacts and constraint rows


def collider(kind: int) -> Condition:
    """True if a narrow phase has candidates, and contacts are not switched off."""
    return lambda given: given["collides"] and given["collider_num"][kind] > 0


def searched(kind: int) -> Condition:
    """True if a narrow phase has candidates, and the flag nativeccd is on."""
    return lambda given: not by_portal(given) and collider(kind)(given)


def portals(kind: int) -> Condition:
    """True if a narrow phase has candidates, and the flag nativeccd is off."""
    return lambda given: by_portal(given) and collider(kind)(given)


def one_world(needed: Condition) -> Condition:
    """True if a condition holds where each world is computed alone."""
    return lambda given: given["width"] <= 1 and needed(given)


def shared_lanes(needed: Condition) -> Condition:
    """True if a condition holds where worlds share the lanes of a pack."""
    return lambda given: given["width"] > 1 and needed(given)


def by_portal(given: Mapping[str, Any]) -> bool:
    """True if convex geoms are collided by refining portals: the flag nativeccd is off."""
    return bool(given["model"].opt.disableflags & DSBL_NATIVECCD)


def has_friction_references(given: Mapping[str, Any]) -> bool:
    """True if friction of predefined pairs has a reference of its own."""
    return differs_or_is(given, "pair_solreffriction") or given["owns_contacts"]


def has_friction_references_of_geoms(given: Mapping[str, Any]) -> bool:
    """The same where no contact is one of a deformable."""
    return has_friction_references(given) and not lists_flex_contacts(given)


def has_friction_references_of_sides(given: Mapping[str, Any]) -> bool:
    """The same where contacts may be those of deformables."""
    return has_friction_references(given) and lists_flex_contacts(given)


def has_slots(given: Mapping[str, Any]) -> bool:
    """True if there may be contacts: of geoms, or of users."""
    return given["nslot"] > 0 or given["owns_contacts"]


def solves(solver: int, large: bool | None = None) -> Condition:
    """True if a solver is chosen, in large models or elsewhere (None: in both)."""
    return lambda given: given["solver"] == solver and large in (None, given["is_large_model"] > 0)


def may_split(given: Mapping[str, Any]) -> bool:
    """True if worlds of a pack may have several islands."""
    return given["ntree"] > 1 and not is_large_model(given)


def removes_slip(given: Mapping[str, Any]) -> bool:
    """True if slip is removed after the solver."""
    return given["noslip"]


# ---------------------------------------------------------------- deformables


def joins_flexes(given: Mapping[str, Any]) -> bool:
    """True if edges of deformables are constrained."""
    return given["joins_flexes"] > 0


def joins_no_flexes(given: Mapping[str, Any]) -> bool:
    """True if there are equality constraints, none of them of deformables."""
    return given["neq"] > 0 and not joins_flexes(given)


def has_flex_contacts(given: Mapping[str, Any]) -> bool:
    """True if deformables may touch something."""
    return given["nfcongroup"] > 0


def lists_flex_contacts(given: Mapping[str, Any]) -> bool:
    """True if there may be contacts of deformables: found ones, or those of users."""
    return has_flex_contacts(given) or bool(given["owns_contacts"] and given["nflex"])


def lists_no_flex_contacts(given: Mapping[str, Any]) -> bool:
    """True if there is no contact of a deformable."""
    return not lists_flex_contacts(given)


def large_without_flex_contacts(given: Mapping[str, Any]) -> bool:
    """True if there is a broad phase, and no deformable may touch anything."""
    return is_large_model(given) and not has_flex_contacts(given)


def pushes_passive(given: Mapping[str, Any]) -> bool:
    """True if contacts of some deformable that touches something are springs."""
    return lists_flex_contacts(given) and bool(given["model"].flex_passive.any())


def has_midphase_pairs(kind: int, portal: bool | None = None) -> Condition:
    """True if parts of deformables may meet what a narrow phase serves.

    Args:
        kind: the narrow phase.
        portal: whether the flag nativeccd is off then; None: it may be on or off.
    """
    return lambda given: (
        kind in given.get("midpair_kinds", ()) and portal in (None, by_portal(given))
    )


# ---------------------------------------------------------------- actuators


def not_plain(name: str = "nu") -> Condition:
    """Some of these actuators, in a model where not all actuators are plain."""
    return lambda given: given[name] > 0 and not given["act_plain"]


def not_delayed(given: Mapping[str, Any]) -> bool:
    """Actuators that are not all plain, none of them with delayed controls."""
    return not_plain()(given) and not given["act_delayed"]


def without_motors(given: Mapping[str, Any]) -> bool:
    """Actuators that are not all plain, none of them a DC motor."""
    return not_plain()(given) and not given["act_dcmotor"]


def compensates_gravity(given: Mapping[str, Any]) -> bool:
    """True if gravity on some body is compensated."""
    return given["model"].ngravcomp > 0 or "body_gravcomp" in given["varied"]


def lifts_by_actuators(given: Mapping[str, Any]) -> bool:
    """True if compensation of gravity counts as forces of actuators in some joint."""
    model = given["model"]
    return compensates_gravity(given) and model.nu > 0 and bool(model.jnt_actgravcomp.any())


def limits_joint_forces(given: Mapping[str, Any]) -> bool:
    """True if the sum of the actuators' forces on some joint has limits."""
    return given["nu"] > 0 and bool(given["model"].jnt_actfrclimited.any())


# ---------------------------------------------------------------- tendons and passive forces

has_tendons = has("ntendon")


def tendons_weigh(given: Mapping[str, Any]) -> bool:
    """True if some tendon has armature, of its own or by an actuator."""
    joined = (given["model"].tendon_actuatorid != -1).any()
    return bool(joined) or differs_or_is(given, "tendon_armature")


def in_medium(given: Mapping[str, Any]) -> bool:
    """True if bodies move in a medium with density or viscosity."""
    return given["medium"]


def has_ellipsoids(given: Mapping[str, Any]) -> bool:
    """True if some geom feels the medium as an ellipsoid."""
    ellipsoids = "geom_fluid" in given["varied"] or (given["model"].geom_fluid[:, 0] > 0).any()
    return given["medium"] and bool(ellipsoids)


# ---------------------------------------------------------------- results of earlier calls


def remembers_inputs(given: Mapping[str, Any]) -> bool:
    """True if it is remembered what positions and velocities results belong to."""
    return given["remembers_inputs"]


def counts_most_used(given: Mapping[str, Any]) -> bool:
    """True if the most contacts and rows so far are counted."""
    return given["counts_most_used"]


# ---------------------------------------------------------------- sleep


def sleeps(given: Mapping[str, Any]) -> bool:
    """True if trees may fall asleep."""
    return given["sleeps"]


def tendons_sleep(given: Mapping[str, Any]) -> bool:
    """True if trees with tendons may fall asleep."""
    return given["sleeps"] and given["ntendon"] > 0


def actuators_sleep(given: Mapping[str, Any]) -> bool:
    """True if trees with actuators may fall asleep."""
    return given["sleeps"] and given["nu"] > 0


def equalities_sleep(given: Mapping[str, Any]) -> bool:
    """True if trees that equalities join may fall asleep."""
    return given["sleeps"] and given["neq"] > 0
