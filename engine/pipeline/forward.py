"""The pipeline: every stage, what it writes, and when a model needs it.

A stage is a kernel of (model, data). The forward dynamics run the rows of `FORWARD` in order; rows
with a condition (see conditions.py) take part only when it holds, and what does not take part is
never compiled. `AFTER` holds stages whose results nothing else uses: they run once, after the last
step, when one of the fields they write is kept. Names follow MuJoCo's pipeline. Rows of collision,
actuators, solvers and sleep stand in the modules beside this one.
"""

from ..physics.results.scratch import MOST_USED
from ..tables.plugin_kinds import CABLE
from .actuation import ACTUATION, TRANSMISSION
from .collision import CANDIDATES, COLLISION, DEFORMABLES, ORDERING, RESERVE_CAPACITY, SEARCHING
from .conditions import (
    actuators_sleep,
    compensates_gravity,
    counts_most_used,
    equalities_sleep,
    has,
    has_ellipsoids,
    has_friction_references_of_geoms,
    has_friction_references_of_sides,
    has_tendons,
    in_medium,
    is_large_model,
    joins_flexes,
    joins_no_flexes,
    lists_flex_contacts,
    lists_no_flex_contacts,
    pushes_passive,
    remembers_inputs,
    sleeps,
    tendons_sleep,
    tendons_weigh,
)
from .sleep import REST_SMOOTH
from .solve import FIND_ISLANDS, ORDER_TREES, SOLVERS
from .stage import Stage, group, without
from .timer_tables import (
    BROAD_PHASE,
    FORCES,
    INERTIA,
    KINEMATICS,
    MOTION,
    NARROW_PHASE,
    NO_TIMER,
    PROJECTION,
    ROWS,
    SOLVING,
)

CONTACTS = (
    "ncon contact_dist contact_pos contact_frame contact_includemargin contact_friction contact_solref "
    "contact_solreffriction contact_solimp contact_mu contact_H contact_dim contact_geom1 contact_geom2 "
    "contact_geom contact_flex contact_elem contact_vert contact_exclude contact_efc_address"
)
WAKE_TOUCHED = Stage("sleep.sleep:wake_touched", "tree_asleep", sleeps)
ACCELERATION = Stage("smooth.forces:fwd_acceleration", "qfrc_smooth qacc_smooth")
SILENCE = Stage("sleep.sleep:deactivate_sleeping", needed=sleeps)

FORWARD = (
    # positions
    *group(
        "kinematics",
        KINEMATICS,
        Stage("sleep.falling_asleep:keep_smooth", needed=sleeps, timers=NO_TIMER),
        Stage(
            "results.seen:snapshot_positions",
            "snapshot_qpos snapshot_mocap_pos snapshot_mocap_quat snapshot_eq_active",
            remembers_inputs,
        ),
        Stage(
            "smooth.kinematics:kinematics",
            "xpos xquat xmat xanchor xaxis xipos ximat geom_xpos geom_xmat site_xpos site_xmat",
        ),
        Stage("sleep.sleep:wake_disturbed", "tree_asleep", sleeps),
        Stage("sleep.resting:place_things", "", sleeps, "geom_xpos geom_xmat site_xpos site_xmat"),
    ),
    *group("com", KINEMATICS, Stage("smooth.inertia:com_pos", "subtree_com cinert cdof")),
    *group(
        "flex",
        KINEMATICS,
        Stage(
            "flex.kinematics:flex",
            "flexvert_xpos flexelem_aabb flexedge_length flexedge_J",
            has("nflex"),
        ),
        Stage(
            "flex.frames:turn_cells",
            needed=lambda given: given["flex_nodes"] and not is_large_model(given),
        ),
        Stage(
            "flex.frame_strips:turn_cells_strips",
            needed=lambda given: given["flex_nodes"] and is_large_model(given),
        ),
        Stage("flex.sheets:strain_sheets", "flexvert_length flexvert_J", has("flex_sheets")),
    ),
    *group("tendon", KINEMATICS, Stage("smooth.tendon:tendon", "ten_length ten_J", has_tendons)),
    *group("transmission", KINEMATICS, *TRANSMISSION),
    *group(
        "crb",
        INERTIA,
        Stage("smooth.inertia:make_m", "crb M"),
        Stage("actuators.damping:joint_armature", "", has("act_on_joint"), "M"),
    ),
    *group(
        "armature", INERTIA, Stage("smooth.tendon_inertia:tendon_armature", "", tendons_weigh, "M")
    ),
    *group(
        "factor",
        INERTIA,
        Stage("smooth.inertia:factor_m", "qLD qLDiagInv"),
        Stage("sleep.sleep:wake_by_tendons", "tree_asleep", tendons_sleep),
    ),
    *group("collision", BROAD_PHASE, *SEARCHING),
    *group("collision", NARROW_PHASE, *DEFORMABLES),
    *group("collision", BROAD_PHASE, *ORDERING),
    *group("collision", NARROW_PHASE, *COLLISION, WAKE_TOUCHED),
    *group("rows", NARROW_PHASE, Stage("sleep.sleep:wake_joined", "tree_asleep", equalities_sleep)),
    *group(
        "transmission",
        KINEMATICS,
        Stage("actuators.adhesion:body_transmission", "actuator_length", has("act_body")),
    ),
    # rows of constraints
    *group(
        "rows",
        ROWS,
        Stage("constraint.blocks:clear_rows", "snapshot_on"),
        Stage("constraint.equality:make_equality", needed=joins_no_flexes),
        Stage(
            "flex.equality:make_flex_equality",
            needed=lambda given: joins_flexes(given) and not is_large_model(given),
        ),
        Stage(
            "flex.edge_strips:make_flex_equality_strips",
            needed=lambda given: joins_flexes(given) and is_large_model(given),
        ),
        Stage("constraint.blocks:make_constraint", needed=lists_no_flex_contacts),
        Stage("flex_contacts.rows:make_flex_contact_constraint", needed=lists_flex_contacts),
        SILENCE,
        Stage("results.most_used:count_most_used", " ".join(MOST_USED), counts_most_used),
    ),
    # velocities
    *group(
        "rates",
        MOTION,
        Stage("results.seen:snapshot_velocities", "snapshot_qvel", remembers_inputs),
        Stage("flex.kinematics:flex_velocity", "flexedge_velocity", has("nflex")),
        Stage("smooth.tendon:tendon_velocity", "ten_velocity", has_tendons),
    ),
    *group(
        "passive",
        MOTION,
        Stage("smooth.tendon:tendon_passive", needed=has_tendons),
        Stage("actuators.damping:tendon_damping", needed=has("act_on_tendon")),
    ),
    *group(
        "rates",
        MOTION,
        Stage("actuators.sleeping:rest_moments", needed=actuators_sleep),
        Stage("actuators.transmission:actuator_velocity", "actuator_velocity", has("nu")),
    ),
    *group("com_vel", MOTION, Stage("smooth.kinematics:com_vel", "cvel cdof_dot")),
    *group(
        "passive",
        MOTION,
        Stage("smooth.forces:passive", "qfrc_spring qfrc_damper qfrc_passive"),
        Stage("flex.forces:flex_forces", "", has("nflex"), "qfrc_spring qfrc_damper qfrc_passive"),
        Stage(
            "flex.cells:cell_forces", "", has("flex_nodes"), "qfrc_spring qfrc_damper qfrc_passive"
        ),
        Stage("flex_contacts.springs:push_passive", "", pushes_passive, "qfrc_spring qfrc_passive"),
        Stage(
            "actuators.damping:joint_damping", "", has("act_on_joint"), "qfrc_damper qfrc_passive"
        ),
        Stage("smooth.fluid:box_fluid", "qfrc_fluid", in_medium),
        Stage("smooth.fluid:ellipsoid_fluid", "", has_ellipsoids, "qfrc_fluid"),
        Stage("smooth.fluid:add_fluid", "", in_medium, "qfrc_passive"),
        Stage("smooth.gravcomp:gravcomp", "qfrc_gravcomp", compensates_gravity, "qfrc_passive"),
        Stage("plugins.cable:cable_forces", "", has(f"plugin_{CABLE}"), "qfrc_passive"),
    ),
    # islands, and the order in which their trees are eliminated
    *group(
        "islands", PROJECTION, FIND_ISLANDS, *(RESERVE_CAPACITY, ORDER_TREES) * 3, RESERVE_CAPACITY
    ),
    *group(
        "reference",
        MOTION,
        Stage("constraint.blocks:reference_constraint"),
        Stage(
            "constraint.friction_reference:set_friction_reference",
            needed=has_friction_references_of_geoms,
        ),
        Stage(
            "flex_contacts.rows:set_flex_friction_reference",
            needed=has_friction_references_of_sides,
        ),
        Stage("constraint.equality:equality_bias", needed=has("neq")),
    ),
    *group(
        "bias",
        MOTION,
        Stage("smooth.forces:rne", "qfrc_bias"),
        Stage("smooth.tendon_inertia:tendon_bias", "", tendons_weigh, "qfrc_bias"),
    ),
    # forces and accelerations
    *group("actuation", FORCES, *ACTUATION),
    *group("acceleration", NO_TIMER, ACCELERATION, REST_SMOOTH),
    *group("constraint", SOLVING, *SOLVERS),
)

AFTER = (
    Stage(
        "results.awake:export_awake",
        "ntree_awake nbody_awake nparent_awake nv_awake tree_awake body_awake body_awake_ind parent_awake_ind "
        "dof_awake_ind",
    ),
    Stage("smooth.kinematics:camlight", "cam_xpos cam_xmat light_xpos light_xdir"),
    Stage("smooth.inertia:scatter_qm", "qM"),
    Stage(
        "actuators.transmission:export_moment",
        "actuator_moment moment_rownnz moment_rowadr moment_colind",
        has("nu"),
    ),
    Stage("smooth.tendon:export_path", "ten_wrapadr ten_wrapnum wrap_obj wrap_xpos", has_tendons),
    Stage("results.tendons:export_tendon_rows", "tendon_efcadr", has_tendons),
    Stage("results.contacts_and_rows:export_contact", CONTACTS, lists_no_flex_contacts),
    Stage("results.flex_contacts:export_flex_contact", CONTACTS, lists_flex_contacts),
    Stage(
        "results.contacts_and_rows:export_constraint",
        "ne nf nl nefc nJ efc_type efc_id efc_J efc_pos efc_margin efc_frictionloss efc_diagApprox efc_KBIP efc_D efc_R efc_vel efc_aref efc_b efc_state efc_force",
    ),
    Stage(
        "results.islands:export_islands",
        "nisland nidof tree_island island_ntree island_itreeadr map_itree2tree dof_island island_nv island_idofadr island_dofadr map_dof2idof map_idof2dof efc_island island_ne island_nf island_nefc island_iefcadr map_efc2iefc map_iefc2efc",
        has("ntree"),
    ),
    Stage(
        "results.contacts_and_rows:export_sparsity",
        "efc_J_rownnz efc_J_rowadr efc_J_rowsuper efc_J_colind",
        lambda n: not n["is_dense"],
    ),
)

# after inverse dynamics
NO_ISLANDS = next(s for s in AFTER if s.name == "export_islands")._replace(
    kernel="results.islands:export_no_islands"
)

# forward dynamics with option flag energy; sensors of energies run them too
ENERGY = group(
    "energy",
    NO_TIMER,
    Stage("smooth.energy:energy_pos", "energy"),
    Stage("flex.forces:flex_energy", "", has("nflex"), "energy"),
    Stage("smooth.energy:energy_vel", "energy"),
)
NO_ENERGY = group("energy", NO_TIMER, Stage("smooth.energy:no_energy", "energy"))

# before the lists of contacts and rows of a large model, whose lengths are not known before
COUNT_LISTS = Stage("results.contacts_and_rows:count_lists", needed=is_large_model)
LISTING = frozenset(
    (
        *("export_contact", "export_flex_contact", "export_constraint", "export_sparsity"),
        *("export_islands", "export_no_islands"),
    )
)

POST = Stage("results.body_forces:rne_postconstraint", "cacc cfrc_int cfrc_ext")

# at the end of a call, so that the next one has packs of worlds that are alike
RATE_LIKENESS = Stage("constraint.likeness:rate_likeness")

BEFORE = (
    Stage("integrators.euler_rk4:check_pos"),
    Stage("integrators.euler_rk4:check_vel"),
)
CHECK = (Stage("integrators.euler_rk4:check_acc"),)


def steps_back(forward: tuple[Stage, ...]) -> int:
    """Stages from behind `WAKE_TOUCHED` back to where collision starts."""
    names = [stage.name for stage in forward]
    if WAKE_TOUCHED.name not in names:
        return 0
    return names.index(WAKE_TOUCHED.name) + 1 - names.index(CANDIDATES[0].name)


def moved_again(forward: tuple[Stage, ...]) -> tuple[Stage, ...]:
    """Stages of forward dynamics that depend on velocity, where trees may sleep."""
    return forward[[stage.name for stage in forward].index(SILENCE.name) + 1 :]


def undriven(stages: tuple[Stage, ...]) -> tuple[Stage, ...]:
    """Those of some stages that compute no forces of actuators."""
    return tuple(s for s in stages if s.timers != FORCES or "ctrl" in s.changes.split())


def unsolved(stages: tuple[Stage, ...]) -> tuple[Stage, ...]:
    """Those of some stages that compute no accelerations."""
    left = without(stages, {"qacc_smooth", "qacc"})
    return tuple(stage for stage in left if stage.timers != SOLVING)
