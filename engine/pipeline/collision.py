"""Stages of collision: which geoms may touch, then one stage for each row of the colliders."""

from collections.abc import Iterator

from ..physics.capacity import make_room
from ..physics.collision import broadphase, contact, mujoco_sap, scene_candidates
from ..physics.collision.colliders import COLLIDE, COLLIDE_BY_PORTAL, NUMBER
from ..physics.sleep import sleep
from .conditions import collider, has, is_scene, portals, searched, sleeps
from .stage import Stage

MAKE_ROOM = Stage(make_room, needed=is_scene)
SEARCH = Stage(broadphase.broadphase, needed=is_scene)

# which geoms may touch
CANDIDATES = (
    SEARCH,
    MAKE_ROOM,
    SEARCH,
    Stage(sleep.drop_sleeping_pairs, needed=sleeps),
    Stage(scene_candidates.order_candidates, needed=is_scene),
    MAKE_ROOM,
    Stage(scene_candidates.fill_candidates, needed=is_scene),
)


def _stages() -> Iterator[Stage]:
    """One stage for each collider; a second one where it has another routine without nativeccd."""
    for row, k in NUMBER.items():
        if row in COLLIDE_BY_PORTAL:
            yield Stage(COLLIDE[row], needed=searched(k))
            yield Stage(COLLIDE_BY_PORTAL[row], needed=portals(k))
        else:
            yield Stage(COLLIDE[row], needed=collider(k))


# where they touch
COLLISION = (
    Stage(contact.clear_slots, needed=has("nslot")),
    *_stages(),
    Stage(mujoco_sap.sweep_contacts, needed=lambda n: n["swept_pairs"]),
)
