"""Stages of collision: which geoms may touch, then one stage for each routine."""

from ..physics.capacity import make_room
from ..physics.collision import (
    box_box,
    broadphase,
    capsule_box,
    contact,
    convex,
    hfield,
    mesh_faces,
    mujoco_sap,
    plane_and_round,
    plane_mesh,
    portal_pairs,
    primitives,
    scene_candidates,
    sphere_box,
)
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

# one stage for each routine
COLLIDERS = (
    Stage(contact.clear_slots, needed=has("nslot")),
    Stage(primitives.plane_sphere, needed=collider(0)),
    Stage(primitives.plane_capsule, needed=collider(1)),
    Stage(primitives.plane_box, needed=collider(2)),
    Stage(primitives.sphere_sphere, needed=collider(3)),
    Stage(primitives.sphere_capsule, needed=collider(4)),
    Stage(primitives.capsule_capsule, needed=collider(5)),
    Stage(plane_and_round.plane_ellipsoid, needed=collider(6)),
    Stage(plane_and_round.plane_cylinder, needed=collider(7)),
    Stage(plane_and_round.sphere_cylinder, needed=collider(8)),
    Stage(sphere_box.sphere_box, needed=collider(9)),
    Stage(capsule_box.capsule_box, needed=collider(10)),
    Stage(box_box.box_box, needed=collider(11)),
    Stage(convex.convex, needed=searched(convex.CONVEX)),
    Stage(mesh_faces.convex_faces, needed=searched(mesh_faces.CONVEX_FACES)),
    Stage(hfield.convex_hfield, needed=searched(hfield.CONVEX_HFIELD)),
    Stage(portal_pairs.portal_convex, needed=portals(convex.CONVEX, mesh_faces.CONVEX_FACES)),
    Stage(portal_pairs.portal_hfield, needed=portals(hfield.CONVEX_HFIELD)),
    Stage(plane_mesh.plane_mesh, needed=collider(plane_mesh.PLANE_MESH)),
    Stage(mujoco_sap.sweep_contacts, needed=lambda n: n["swept_pairs"]),
)
