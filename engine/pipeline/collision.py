"""Stages of collision: which geoms may touch, then one stage for each row of the colliders."""

from collections.abc import Iterator

from ..physics.capacity import make_room
from ..physics.collision import broadphase, contact, mujoco_sap, scene_candidates
from ..physics.collision.colliders import COLLIDE, COLLIDE_BY_PORTAL, NUMBER
from ..physics.sleep import sleep
from ..physics.touching import candidates, cut, pairs, trees, weights
from ..physics.touching.narrow import TOUCH, TOUCH_BY_PORTAL
from .conditions import (
    collider,
    has,
    is_scene,
    meets,
    portals,
    scene_without_touch,
    searched,
    sleeps,
    touches,
)
from .stage import Stage

MAKE_ROOM = Stage(make_room, needed=is_scene)
SEARCH = Stage(broadphase.broadphase, needed=is_scene)


def _meetings() -> Iterator[Stage]:
    """One stage for each narrow phase of deformables, or two, as of colliders."""
    for kind, stage in enumerate(TOUCH):
        other = TOUCH_BY_PORTAL.get(kind)
        yield Stage(stage, needed=meets(kind, None if other is None else False))
        if other is not None:
            yield Stage(other, needed=meets(kind, True))


MEET = Stage(pairs.find_meetings, needed=touches)

# contacts of deformables, which are found before there are candidates: each is one of its own
DEFORMABLES = (
    Stage(trees.box_trees, "bvh_aabb_dyn", touches),
    MEET,
    Stage(make_room, needed=touches),
    MEET,
    *_meetings(),
    Stage(cut.keep_touches, needed=touches),
    Stage(make_room, needed=touches),
    Stage(weights.weigh_touches, needed=touches),
    Stage(candidates.order_touching, needed=touches),
)

# which geoms may touch
SEARCHING = (SEARCH, MAKE_ROOM, SEARCH, Stage(sleep.drop_sleeping_pairs, needed=sleeps))
ORDERING = (
    Stage(scene_candidates.order_candidates, needed=scene_without_touch),
    MAKE_ROOM,
    Stage(scene_candidates.fill_candidates, needed=scene_without_touch),
    Stage(candidates.fill_touching, needed=touches),
)


def _stages() -> Iterator[Stage]:
    """One stage for each collider; a second one where it has another routine without nativeccd."""
    for row, k in NUMBER.items():
        if row in COLLIDE_BY_PORTAL:
            yield Stage(COLLIDE[row], needed=searched(k))
            yield Stage(COLLIDE_BY_PORTAL[row], needed=portals(k))
        else:
            yield Stage(COLLIDE[row], needed=collider(k))


CANDIDATES = (*SEARCHING, *DEFORMABLES, *ORDERING)

# where they touch
COLLISION = (
    Stage(contact.clear_slots, needed=has("nslot")),
    *_stages(),
    Stage(candidates.put_touches, needed=touches),
    Stage(mujoco_sap.sweep_contacts, needed=lambda n: n["swept_pairs"]),
)
