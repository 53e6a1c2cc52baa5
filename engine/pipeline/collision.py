"""Stages of collision: which geoms may touch, then one stage for each row of the colliders."""

from collections.abc import Iterator

from ..physics.collision.colliders import COLLIDE, COLLIDE_BY_PORTAL, NUMBER
from ..physics.touching.narrow import TOUCH, TOUCH_BY_PORTAL
from .conditions import (
    collider,
    has,
    is_large_model,
    large_without_flex_contacts,
    meets,
    portals,
    searched,
    sleeps,
    touches,
)
from .stage import Stage

MAKE_ROOM = Stage("capacity:make_room", needed=is_large_model)
SEARCH = Stage("collision.broadphase:broadphase", needed=is_large_model)


def _meetings() -> Iterator[Stage]:
    """One stage for each narrow phase of deformables, or two, as of colliders."""
    for kind, name in enumerate(TOUCH):
        other = TOUCH_BY_PORTAL.get(kind)
        yield Stage(f"touching.touch:{name}", needed=meets(kind, None if other is None else False))
        if other is not None:
            yield Stage(f"touching.touch:{other}", needed=meets(kind, True))


MEET = Stage("touching.pairs:find_meetings", needed=touches)

# contacts of deformables, which are found before there are candidates: each is one of its own
DEFORMABLES = (
    Stage("touching.trees:box_trees", "bvh_aabb_dyn", touches),
    MEET,
    Stage("capacity:make_room", needed=touches),
    MEET,
    *_meetings(),
    Stage("touching.cut:keep_touches", needed=touches),
    Stage("capacity:make_room", needed=touches),
    Stage("touching.weights:weigh_touches", needed=touches),
    Stage("touching.candidates:order_touching", needed=touches),
)

# which geoms may touch
SEARCHING = (SEARCH, MAKE_ROOM, SEARCH, Stage("sleep.sleep:drop_sleeping_pairs", needed=sleeps))
ORDERING = (
    Stage("collision.dynamic_candidates:order_candidates", needed=large_without_flex_contacts),
    MAKE_ROOM,
    Stage("collision.dynamic_candidates:fill_candidates", needed=large_without_flex_contacts),
    Stage("touching.candidates:fill_touching", needed=touches),
)


def _stages() -> Iterator[Stage]:
    """One stage for each collider; a second one where it has another routine without nativeccd."""
    for name, (row, _) in COLLIDE.items():
        k, other = NUMBER[row], f"{name}_by_portal"
        if other in COLLIDE_BY_PORTAL:
            yield Stage(f"collision.collide:{name}", needed=searched(k))
            yield Stage(f"collision.collide:{other}", needed=portals(k))
        else:
            yield Stage(f"collision.collide:{name}", needed=collider(k))


CANDIDATES = (*SEARCHING, *DEFORMABLES, *ORDERING)

# where they touch
COLLISION = (
    Stage("collision.contact:clear_slots", needed=has("nslot")),
    *_stages(),
    Stage("touching.candidates:put_touches", needed=touches),
    Stage("collision.mujoco_sap:sweep_contacts", needed=lambda n: n["swept_pairs"]),
)
