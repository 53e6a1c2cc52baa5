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

MAKE_ROOM = Stage(make_room, "need", is_scene)
SEARCH = Stage(
    broadphase.broadphase,
    "count need found_geom1 found_geom2 found_pair bucket box_low box_high box_on sweep_order sweep_next "
    "strip_adr entry_box entry_strip entry_low entry_bound",
    is_scene,
)

COLLISION = (
    SEARCH,
    MAKE_ROOM,
    SEARCH,
    Stage(sleep.drop_sleeping_pairs, "found_geom1 found_geom2 found_pair count", sleeps),
    Stage(
        scene_candidates.order_candidates,
        "count need found_key found_order found_next bucket cand_geom1 cand_geom2 cand_predefined "
        "cand_slotadr cand_chainadr cand_chainnum cand_coupled",
        is_scene,
    ),
    MAKE_ROOM,
    Stage(
        scene_candidates.fill_candidates,
        "slot_cand slot_dim chain_dof chain_side collider_adr collider_num collider_pair",
        is_scene,
    ),
    Stage(contact.clear_slots, "con_any", has("nslot")),
    Stage(primitives.plane_sphere, "con_any con_on con_dist con_pos con_frame", collider(0)),
    Stage(primitives.plane_capsule, "con_any con_on con_dist con_pos con_frame", collider(1)),
    Stage(primitives.plane_box, "con_any con_on con_dist con_pos con_frame", collider(2)),
    Stage(primitives.sphere_sphere, "con_any con_on con_dist con_pos con_frame", collider(3)),
    Stage(primitives.sphere_capsule, "con_any con_on con_dist con_pos con_frame", collider(4)),
    Stage(primitives.capsule_capsule, "con_any con_on con_dist con_pos con_frame", collider(5)),
    Stage(
        plane_and_round.plane_ellipsoid, "con_any con_on con_dist con_pos con_frame", collider(6)
    ),
    Stage(plane_and_round.plane_cylinder, "con_any con_on con_dist con_pos con_frame", collider(7)),
    Stage(
        plane_and_round.sphere_cylinder, "con_any con_on con_dist con_pos con_frame", collider(8)
    ),
    Stage(sphere_box.sphere_box, "con_any con_on con_dist con_pos con_frame", collider(9)),
    Stage(capsule_box.capsule_box, "con_any con_on con_dist con_pos con_frame", collider(10)),
    Stage(
        box_box.box_box,
        "con_any con_on con_dist con_pos con_frame box_count box_new box_point box_dist box_good",
        collider(11),
    ),
    Stage(
        convex.convex,
        "con_any con_on con_dist con_pos con_frame ccd_near ccd_on ccd_dist ccd_pos ccd_axis ccd_shape ccd_kind ccd_tolerance "
        "ccd_count ccd_point1 ccd_point2 ccd_weight ccd_order ccd_height ccd_normal ccd_vertex ccd_corner ccd_face ccd_facet "
        "ccd_map ccd_stack ccd_edge",
        searched(convex.CONVEX),
    ),
    Stage(
        mesh_faces.convex_faces,
        "con_any con_on con_dist con_pos con_frame ccd_near ccd_on ccd_dist ccd_pos ccd_axis ccd_shape ccd_kind ccd_tolerance "
        "ccd_count ccd_point1 ccd_point2 ccd_weight ccd_order ccd_height ccd_normal ccd_vertex ccd_corner ccd_face ccd_facet "
        "ccd_map ccd_stack ccd_edge ccd_facing ccd_polygon ccd_end ccd_side ccd_clip",
        searched(mesh_faces.CONVEX_FACES),
    ),
    Stage(
        hfield.convex_hfield,
        "con_any con_on con_dist con_pos con_frame count ccd_near ccd_on ccd_dist ccd_pos ccd_axis ccd_shape ccd_kind "
        "ccd_tolerance ccd_count ccd_point1 ccd_point2 ccd_weight ccd_order ccd_height ccd_normal ccd_vertex ccd_corner "
        "ccd_face ccd_facet ccd_map ccd_stack ccd_edge ccd_prism",
        searched(hfield.CONVEX_HFIELD),
    ),
    Stage(
        portal_pairs.portal_convex,
        "con_any con_on con_dist con_pos con_frame ccd_near ccd_on ccd_dist ccd_pos ccd_axis ccd_shape ccd_kind ccd_tolerance "
        "ccd_count ccd_vertex ccd_corner",
        portals(convex.CONVEX, mesh_faces.CONVEX_FACES),
    ),
    Stage(
        portal_pairs.portal_hfield,
        "con_any con_on con_dist con_pos con_frame count ccd_near ccd_on ccd_dist ccd_pos ccd_axis ccd_shape ccd_kind "
        "ccd_tolerance ccd_count ccd_vertex ccd_corner ccd_prism",
        portals(hfield.CONVEX_HFIELD),
    ),
    Stage(
        plane_mesh.plane_mesh,
        "con_any con_on con_dist con_pos con_frame ccd_near ccd_on ccd_dist ccd_pos ccd_axis ccd_shape ccd_kind",
        collider(plane_mesh.PLANE_MESH),
    ),
    Stage(
        mujoco_sap.sweep_contacts,
        "con_any con_on sap_shallow sap_known sap_axes",
        lambda n: n["swept_pairs"],
    ),
)
