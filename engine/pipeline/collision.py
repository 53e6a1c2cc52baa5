"""Stages of collision: which geoms may touch, then one stage for each row of the colliders."""

from collections.abc import Iterator

from ..physics.collision.colliders import COLLIDE, COLLIDE_BY_PORTAL, COLLIDE_IN_PACKS, NUMBER
from ..physics.flex_contacts.narrow_phase import NARROW_PHASE_BY_PORTAL, NARROW_PHASE_STAGES
from .conditions import (
    collider,
    has_flex_contacts,
    has_midphase_pairs,
    has_slots,
    is_large_model,
    large_without_flex_contacts,
    one_world,
    portals,
    searched,
    shared_lanes,
    sleeps,
)
from .stage import Stage

RESERVE_CAPACITY = Stage("capacity:reserve_capacity", needed=is_large_model)
SEARCH = Stage("collision.broadphase:broadphase", needed=is_large_model)


def _midphase_pairs() -> Iterator[Stage]:
    """One stage for each narrow phase of deformables, or two, as of colliders."""
    for kind, name in enumerate(NARROW_PHASE_STAGES):
        other = NARROW_PHASE_BY_PORTAL.get(kind)
        yield Stage(
            f"flex_contacts.narrow_phase_stages:{name}",
            needed=has_midphase_pairs(kind, None if other is None else False),
        )
        if other is not None:
            yield Stage(
                f"flex_contacts.narrow_phase_stages:{other}", needed=has_midphase_pairs(kind, True)
            )


MID_PHASE = Stage("flex_contacts.midphase:find_midphase_pairs", needed=has_flex_contacts)

# contacts of deformables, which are found before there are candidates: each is one of its own
DEFORMABLES = (
    Stage("flex_contacts.trees:box_trees", "bvh_aabb_dyn", has_flex_contacts),
    MID_PHASE,
    Stage("capacity:reserve_capacity", needed=has_flex_contacts),
    MID_PHASE,
    *_midphase_pairs(),
    Stage("flex_contacts.contact_limit:limit_flex_contacts", needed=has_flex_contacts),
    Stage("capacity:reserve_capacity", needed=has_flex_contacts),
    Stage("flex_contacts.weights:weigh_flex_contacts", needed=has_flex_contacts),
    Stage("flex_contacts.candidates:order_flex_candidates", needed=has_flex_contacts),
)

# which geoms may touch
SEARCHING = (
    SEARCH,
    RESERVE_CAPACITY,
    SEARCH,
    Stage("sleep.sleep:drop_sleeping_pairs", needed=sleeps),
)
ORDERING = (
    Stage("collision.dynamic_candidates:order_candidates", needed=large_without_flex_contacts),
    RESERVE_CAPACITY,
    Stage("collision.dynamic_candidates:fill_candidates", needed=large_without_flex_contacts),
    Stage("flex_contacts.candidates:fill_flex_candidates", needed=has_flex_contacts),
)


def _stages() -> Iterator[Stage]:
    """One stage for each collider; others where it has other routines for packs, or by portals."""
    for name, (row, _) in COLLIDE.items():
        k, packed, portal = NUMBER[row], f"{name}_in_packs", f"{name}_by_portal"
        needed = searched(k) if portal in COLLIDE_BY_PORTAL else collider(k)
        if packed in COLLIDE_IN_PACKS:
            yield Stage(f"collision.collide:{name}", needed=one_world(needed))
            yield Stage(f"collision.collide:{packed}", needed=shared_lanes(needed))
        else:
            yield Stage(f"collision.collide:{name}", needed=needed)
        if portal in COLLIDE_BY_PORTAL:
            yield Stage(f"collision.collide:{portal}", needed=portals(k))


CANDIDATES = (*SEARCHING, *DEFORMABLES, *ORDERING)

# where they touch
COLLISION = (
    Stage("collision.contact:clear_slots", needed=has_slots),
    *_stages(),
    Stage("flex_contacts.candidates:put_flex_contacts", needed=has_flex_contacts),
    Stage("collision.mujoco_sap:sweep_contacts", needed=lambda n: n["swept_pairs"]),
)
