"""The pipeline: every stage, what it writes, and when a model needs it.

A stage is a kernel of (model, data). The forward dynamics run the rows of `FORWARD` in order; rows
with a condition (see conditions.py) take part only when it holds, and what does not take part is
never compiled. `AFTER` holds stages whose results nothing else uses: they run once, after the last
step, when one of the fields they write is kept. Names follow MuJoCo's pipeline.
"""

from . import (
    energy,
    fluid,
    forces,
    gravcomp,
    inertia,
    integrate,
    kinematics,
    resting,
    settle,
    sleep,
    tendon,
    tendon_inertia,
)
from .actuators import (
    activation,
    adhesion,
    damping,
    dcmotor,
    delays,
    force,
    muscle,
    sites,
    sleeping,
    transmission,
)
from .collision import (
    box_box,
    boxes,
    broadphase,
    capsule_box,
    contact,
    convex,
    cylinders,
    faces,
    hfield,
    meshes,
    order,
    portal_pairs,
    primitives,
    sap,
)
from .conditions import (
    Condition,
    actuators_sleep,
    collider,
    equalities_sleep,
    has,
    has_drag_references,
    has_ellipsoids,
    has_tendons,
    in_medium,
    is_scene,
    lifts_by_actuators,
    limits_joint_forces,
    not_delayed,
    not_plain,
    portals,
    removes_slip,
    searched,
    sleeps,
    solves,
    tendons_sleep,
    tendons_weigh,
    without_motors,
)
from .constraint import clear_rows, make_constraint, reference_constraint
from .drag import drag_reference
from .enums import SOL_CG, SOL_NEWTON, SOL_PGS
from .equality import equality_bias, make_equality
from .export import count_lists, export_constraint, export_contact, export_sparsity
from .export_islands import export_islands
from .export_sleep import export_awake
from .export_tendons import export_tendon_rows
from .islands import find_islands
from .post import rne_postconstraint
from .rooms import make_room
from .solver import items
from .solver.cg import fwd_cg
from .solver.newton import fwd_constraint
from .solver.noslip import noslip
from .solver.ordering import order_trees
from .solver.pgs import fwd_pgs
from .solver.progress import WATCHED, clear_progress
from .solver.scenes import fwd_constraint_islands
from .stage import Stage


def item_room(needed: Condition) -> tuple[Stage, ...]:
    """Stages before those that work world by world: they have memory for all rows."""
    return (
        Stage(
            items.count_items,
            "need tree_root tree_nrow tree_ndof tree_item dof_place",
            lambda given: needed(given) and is_scene(given),
        ),
        Stage(items.bound_items, "need", lambda given: needed(given) and not is_scene(given)),
        Stage(make_room, "need", needed),
    )


MAKE_ROOM = Stage(make_room, "need", is_scene)
SEARCH = Stage(
    broadphase.broadphase,
    "count need found_geom1 found_geom2 found_pair bucket box_low box_high box_on sweep_order sweep_next "
    "strip_adr entry_box entry_strip entry_low entry_bound",
    is_scene,
)

FIND_ISLANDS = Stage(
    find_islands,
    "isl_num isl_tree isl_dof isl_block isl_cone isl_row isl_friction isl_plain isl_coupled tree_root tree_isl tree_list "
    "block_tree block_list dof_list block_row need order_state",
    is_scene,
)
ORDER_TREES = Stage(
    order_trees,
    "order_state node_order node_adr node_width node_link node_linknum node_linkroom node_place node_mark link_tree "
    "link_adr need",
    is_scene,
)

BUSY = "tree_asleep tree_up tree_busy busy_num busy_body busy_dof"
WAKE_TOUCHED = Stage(sleep.wake_touched, f"{BUSY} count", sleeps)
FALL_ASLEEP = Stage(sleep.fall_asleep, "tree_asleep count qvel qacc still_qpos")
SETTLE = Stage(settle.settle, "aside_acc aside_smooth aside_force")
# from the state in which trees fall asleep to where they rest, and what is known about it
LIE_DOWN = (
    FALL_ASLEEP,
    SETTLE,
    Stage(settle.swap, "aside_acc aside_smooth aside_force qacc qfrc_smooth qfrc_constraint"),
    Stage(sleep.note_awake, "tree_up"),
)
REWIND = Stage(settle.rewind, "qpos qvel time rk_qpos rk_qvel rk_time")
REST = (
    Stage(sleep.keep_still, "qpos qvel"),
    Stage(settle.finish_settling, "qacc qfrc_smooth qfrc_constraint qacc_warmstart"),
)
REST_SMOOTH = Stage(settle.rest_smooth, "", sleeps, "qfrc_smooth qacc_smooth")
SILENCE = Stage(sleep.silence_sleeping, "block_D tree_on", sleeps)

FORWARD = (
    Stage(settle.keep_smooth, "kept_smooth kept_forces", sleeps),
    Stage(
        kinematics.kinematics,
        "xpos xquat xmat xanchor xaxis xipos ximat geom_xpos geom_xmat site_xpos site_xmat",
    ),
    Stage(sleep.wake_disturbed, BUSY, sleeps),
    Stage(resting.place_things, "", sleeps, "geom_xpos geom_xmat site_xpos site_xmat"),
    Stage(inertia.com_pos, "subtree_com cinert cdof"),
    Stage(tendon.tendon, "ten_length ten_J wrap_on wrap_touch ten_row", has_tendons),
    Stage(transmission.joint_transmission, "actuator_length act_moment", has("act_joint")),
    Stage(transmission.ball_transmission, "actuator_length act_moment", has("act_ball")),
    Stage(transmission.tendon_transmission, "actuator_length act_moment", has("act_tendon")),
    Stage(sites.site_transmission, "actuator_length act_moment", has("act_site")),
    Stage(sites.relative_transmission, "actuator_length act_moment", has("act_related")),
    Stage(sites.crank_transmission, "actuator_length act_moment", has("act_crank")),
    Stage(inertia.make_m, "crb M"),
    Stage(damping.joint_armature, "", has("act_on_joint"), "M"),
    Stage(tendon_inertia.tendon_armature, "ten_row", tendons_weigh, "M"),
    Stage(inertia.factor_m, "qLD qLDiagInv"),
    Stage(sleep.wake_by_tendons, BUSY, tendons_sleep),
    SEARCH,
    MAKE_ROOM,
    SEARCH,
    Stage(sleep.drop_sleeping_pairs, "found_geom1 found_geom2 found_pair count", sleeps),
    Stage(
        order.order_candidates,
        "count need found_key found_order found_next bucket cand_geom1 cand_geom2 cand_predefined "
        "cand_slotadr cand_chainadr cand_chainnum cand_coupled",
        is_scene,
    ),
    MAKE_ROOM,
    Stage(
        order.fill_candidates,
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
    Stage(cylinders.plane_ellipsoid, "con_any con_on con_dist con_pos con_frame", collider(6)),
    Stage(cylinders.plane_cylinder, "con_any con_on con_dist con_pos con_frame", collider(7)),
    Stage(cylinders.sphere_cylinder, "con_any con_on con_dist con_pos con_frame", collider(8)),
    Stage(boxes.sphere_box, "con_any con_on con_dist con_pos con_frame", collider(9)),
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
        faces.convex_faces,
        "con_any con_on con_dist con_pos con_frame ccd_near ccd_on ccd_dist ccd_pos ccd_axis ccd_shape ccd_kind ccd_tolerance "
        "ccd_count ccd_point1 ccd_point2 ccd_weight ccd_order ccd_height ccd_normal ccd_vertex ccd_corner ccd_face ccd_facet "
        "ccd_map ccd_stack ccd_edge ccd_facing ccd_polygon ccd_end ccd_side ccd_clip",
        searched(faces.CONVEX_FACES),
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
        portals(convex.CONVEX, faces.CONVEX_FACES),
    ),
    Stage(
        portal_pairs.portal_hfield,
        "con_any con_on con_dist con_pos con_frame count ccd_near ccd_on ccd_dist ccd_pos ccd_axis ccd_shape ccd_kind "
        "ccd_tolerance ccd_count ccd_vertex ccd_corner ccd_prism",
        portals(hfield.CONVEX_HFIELD),
    ),
    Stage(
        meshes.plane_mesh,
        "con_any con_on con_dist con_pos con_frame ccd_near ccd_on ccd_dist ccd_pos ccd_axis ccd_shape ccd_kind",
        collider(meshes.PLANE_MESH),
    ),
    Stage(
        sap.sweep_contacts,
        "con_any con_on sap_shallow sap_known sap_axes",
        lambda n: n["swept_pairs"],
    ),
    WAKE_TOUCHED,
    Stage(sleep.wake_joined, BUSY, equalities_sleep),
    Stage(adhesion.body_transmission, "actuator_length act_moment", has("act_body")),
    Stage(clear_rows, "count lane_on tree_on"),
    Stage(
        make_equality,
        "count block_type block_id block_dim block_row block_adr block_chainadr block_chainnum block_jac block_D block_R "
        "block_floss block_bound block_base block_B block_KIP block_pos block_margin lane_on tree_on ten_row",
        has("neq"),
    ),
    Stage(
        make_constraint,
        "count block_type block_id block_dim block_row block_adr block_chainadr block_chainnum block_jac block_D block_R "
        "block_floss block_bound block_drag block_mu block_cone block_base block_B block_KIP block_pos block_margin lane_on tree_on",
    ),
    SILENCE,
    Stage(tendon.tendon_velocity, "ten_velocity", has_tendons),
    Stage(tendon.tendon_passive, "ten_spring ten_damper", has_tendons),
    Stage(damping.tendon_damping, "act_ten_slope", has("act_on_tendon"), "ten_damper"),
    Stage(sleeping.rest_moments, "act_kept", actuators_sleep, "act_moment"),
    Stage(transmission.actuator_velocity, "actuator_velocity", has("nu")),
    Stage(kinematics.com_vel, "cvel cdof_dot"),
    Stage(forces.passive, "qfrc_spring qfrc_damper qfrc_passive"),
    Stage(damping.joint_damping, "act_slope", has("act_on_joint"), "qfrc_damper qfrc_passive"),
    Stage(fluid.box_fluid, "qfrc_fluid", in_medium),
    Stage(fluid.ellipsoid_fluid, "", has_ellipsoids, "qfrc_fluid"),
    Stage(fluid.add_fluid, "", in_medium, "qfrc_passive"),
    Stage(gravcomp.gravcomp, "qfrc_gravcomp", lambda n: n["model"].ngravcomp > 0, "qfrc_passive"),
    FIND_ISLANDS,
    *(MAKE_ROOM, ORDER_TREES) * 3,
    MAKE_ROOM,
    Stage(reference_constraint, "row_vel row_aref"),
    Stage(drag_reference, "block_drag row_aref", has_drag_references),
    Stage(equality_bias, "row_aref", has("neq")),
    Stage(forces.rne, "rne_acc rne_frc qfrc_bias"),
    Stage(tendon_inertia.tendon_bias, "", tendons_weigh, "qfrc_bias"),
    Stage(
        force.fwd_actuation,
        "act_drive actuator_force qfrc_actuator count warning_number warning_lastinfo",
        has("act_plain"),
    ),
    Stage(
        force.read_controls,
        "act_drive act_dot actuator_force qfrc_actuator count warning_number warning_lastinfo",
        not_delayed,
    ),
    Stage(
        delays.read_delayed_controls,
        "act_past act_delay act_drive act_dot actuator_force qfrc_actuator count warning_number "
        "warning_lastinfo",
        has("act_delayed"),
    ),
    Stage(activation.linear_dynamics, "act_dot", has("act_linear")),
    Stage(muscle.muscle_dynamics, "act_dot", has("act_muscle_dyn")),
    Stage(dcmotor.dcmotor_dynamics, "act_dot", has("act_dcmotor_dyn"), "act_drive"),
    Stage(activation.drive_by_activation, "", has("act_settling"), "act_drive"),
    Stage(dcmotor.drive_motors, "", has("act_dcmotor_dyn"), "act_drive"),
    Stage(force.affine_forces, "", not_plain("act_affine"), "actuator_force"),
    Stage(muscle.muscle_forces, "", has("act_muscle"), "actuator_force"),
    Stage(dcmotor.dcmotor_forces, "", has("act_dcmotor"), "act_drive actuator_force"),
    Stage(force.limit_tendon_forces, "", has("act_limit"), "actuator_force"),
    Stage(force.project_forces, "", without_motors, "actuator_force qfrc_actuator"),
    Stage(dcmotor.project_motor_forces, "", has("act_dcmotor"), "actuator_force qfrc_actuator"),
    Stage(sleeping.rest_forces, "", actuators_sleep, "actuator_force act_dot"),
    Stage(gravcomp.actuator_gravcomp, "", lifts_by_actuators, "qfrc_actuator"),
    Stage(force.limit_joint_forces, "", limits_joint_forces, "qfrc_actuator"),
    Stage(forces.fwd_acceleration, "qfrc_smooth qacc_smooth"),
    REST_SMOOTH,
    Stage(
        fwd_constraint,
        "qacc qfrc_constraint solver_niter row_D row_floss row_bound row_jar row_jv row_active row_force "
        "sol_Ma sol_Mv sol_grad sol_search sol_H sol_Hinv cone_jac cone_unit cone_weight cone_pull problem cone_across "
        "fill_on fill_run fill_num",
        solves(SOL_NEWTON, in_scenes=False),
    ),
    Stage(
        fwd_constraint_islands,
        "qacc qfrc_constraint solver_niter row_D row_floss row_bound row_jar row_jv row_active row_force "
        "sol_Ma sol_Mv sol_grad sol_search sol_H sol_Hinv cone_jac cone_unit cone_weight cone_pull problem cone_across "
        "hess_rownnz hess_rowadr node_spot",
        solves(SOL_NEWTON, in_scenes=True),
    ),
    Stage(
        fwd_cg,
        "qacc qfrc_constraint solver_niter row_D row_floss row_bound row_jar row_jv row_active row_force problem "
        "sol_Ma sol_Mv sol_grad sol_search cg_Mgrad cg_gradold cg_Mgradold",
        solves(SOL_CG),
    ),
    *item_room(solves(SOL_PGS)),
    Stage(
        fwd_pgs,
        "qacc qfrc_constraint solver_niter row_D row_floss row_bound row_jar row_jv row_active row_force problem sol_grad "
        "strip number nitem_used item item_row item_block item_visit item_dof item_seed tree_root tree_nrow "
        "tree_ndof tree_item dof_place dof_scale slip",
        solves(SOL_PGS),
    ),
    *item_room(removes_slip),
    Stage(
        noslip,
        "row_jv strip number nitem_used item item_row item_block item_visit item_dof tree_root tree_nrow tree_ndof "
        "tree_item dof_place dof_scale slip",
        removes_slip,
        "qacc qfrc_constraint solver_niter row_force row_active",
    ),
)

AFTER = (
    Stage(
        export_awake,
        "ntree_awake nbody_awake nparent_awake nv_awake tree_awake body_awake body_awake_ind parent_awake_ind "
        "dof_awake_ind",
    ),
    Stage(kinematics.camlight, "cam_xpos cam_xmat light_xpos light_xdir"),
    Stage(inertia.scatter_qm, "qM"),
    Stage(
        transmission.export_moment,
        "actuator_moment moment_rownnz moment_rowadr moment_colind",
        has("nu"),
    ),
    Stage(tendon.export_path, "ten_wrapadr ten_wrapnum wrap_obj wrap_xpos", has_tendons),
    Stage(export_tendon_rows, "tendon_efcadr", has_tendons),
    Stage(
        export_contact,
        "ncon contact_dist contact_pos contact_frame contact_includemargin contact_friction contact_solref "
        "contact_solreffriction contact_solimp contact_mu contact_H contact_dim contact_geom1 contact_geom2 contact_geom "
        "contact_flex contact_elem contact_vert contact_exclude contact_efc_address export_num",
    ),
    Stage(
        export_constraint,
        "ne nf nl nefc nJ efc_type efc_id efc_J efc_pos efc_margin "
        "efc_frictionloss efc_diagApprox efc_KBIP efc_D efc_R efc_vel efc_aref efc_b efc_state efc_force row_jv export_num",
    ),
    Stage(
        export_islands,
        "nisland nidof tree_island island_ntree island_itreeadr map_itree2tree dof_island island_nv island_idofadr "
        "island_dofadr map_dof2idof map_idof2dof efc_island island_ne island_nf island_nefc island_iefcadr map_efc2iefc "
        "map_iefc2efc isl_num isl_tree isl_row tree_root tree_isl tree_list block_tree",
        has("ntree"),
    ),
    Stage(
        export_sparsity,
        "efc_J_rownnz efc_J_rowadr efc_J_rowsuper efc_J_colind",
        lambda n: not n["is_dense"],
    ),
)

# forward dynamics with option flag energy; sensors of energies run them too
ENERGY = (
    Stage(energy.energy_pos, "energy"),
    Stage(energy.energy_vel, "energy sense_momentum"),
)
NO_ENERGY = (Stage(energy.no_energy, "energy"),)

# before the lists of contacts and rows of a scene, whose lengths are not known before
COUNT_LISTS = Stage(count_lists, "need", is_scene)
LISTING = frozenset({export_contact, export_constraint, export_sparsity, export_islands})

POST = Stage(rne_postconstraint, "cacc cfrc_int cfrc_ext")

BEFORE = (
    Stage(integrate.check_pos, "count warning_number warning_lastinfo warning_reset"),
    Stage(integrate.check_vel, "count warning_number warning_lastinfo warning_reset"),
)
CHECK = (Stage(integrate.check_acc, "count warning_number warning_lastinfo warning_reset"),)


def steps_back(forward: tuple[Stage, ...]) -> int:
    """Stages from behind `WAKE_TOUCHED` back to where collision starts."""
    return forward.index(WAKE_TOUCHED) + 1 - forward.index(SEARCH) if WAKE_TOUCHED in forward else 0


# what stands for these stages where trees sleep, unless others add to their results
RESTING = {
    kinematics.kinematics: resting.move_bodies,
    inertia.com_pos: resting.com_pos_resting,
    inertia.make_m: resting.make_m_resting,
    inertia.factor_m: resting.factor_m_resting,
    kinematics.com_vel: resting.com_vel_resting,
    forces.rne: resting.rne_resting,
    forces.fwd_acceleration: resting.acceleration_resting,
    integrate.euler: resting.euler_resting,
}
# what they fill besides
RESTED = {
    resting.move_bodies: " tree_busy",
    resting.com_pos_resting: " tree_moment",
}


def at_rest(stages: tuple[Stage, ...]) -> tuple[Stage, ...]:
    """The stages where trees sleep."""
    ours = {REST_SMOOTH.kernel, resting.place_things}
    others = (stage for stage in stages if stage.kernel not in ours)
    changed = {name for stage in others for name in stage.changes.split()}
    found = []
    for stage in stages:
        kernel = RESTING.get(stage.kernel)
        if kernel is not None and not changed.intersection(stage.writes.split()):
            stage = stage._replace(kernel=kernel, writes=stage.writes + RESTED.get(kernel, ""))
        found.append(stage)
    return tuple(found)


def moved_again(forward: tuple[Stage, ...]) -> tuple[Stage, ...]:
    """Stages of forward dynamics that depend on velocity, where trees may sleep."""
    return forward[forward.index(SILENCE) + 1 :]


def watched(stages: tuple[Stage, ...]) -> tuple[Stage, ...]:
    """The stages with solvers that note what each iteration did."""
    clear, found = Stage(clear_progress, "solver_stat"), []
    for stage in stages:
        if stage.kernel in WATCHED:
            # the sweeps of noslip are noted behind those of the solver
            found += () if clear in found else (clear,)
            stage = stage._replace(kernel=WATCHED[stage.kernel])
        found.append(stage)
    return tuple(found)


# results of forward dynamics that depend on more than position and velocity
DRIVEN = frozenset(("act_drive", "act_dot", "actuator_force", "qfrc_actuator"))
SOLVED = frozenset(("qacc_smooth", "qacc"))
