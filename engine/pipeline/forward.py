"""The pipeline: every stage, what it writes, and when a model needs it.

A stage is a kernel of (model, data). The forward dynamics run the rows of `FORWARD` in order; rows
with a condition (see conditions.py) take part only when it holds, and what does not take part is
never compiled. `AFTER` holds stages whose results nothing else uses: they run once, after the last
step, when one of the fields they write is kept. Names follow MuJoCo's pipeline. Rows of collision,
actuators, solvers and sleep stand in the modules beside this one.
"""

from ..physics.actuators import adhesion, damping, sleeping, transmission
from ..physics.constraint.blocks import clear_rows, make_constraint, reference_constraint
from ..physics.constraint.equality import equality_bias, make_equality
from ..physics.constraint.friction_reference import drag_reference
from ..physics.integrators import euler_rk4
from ..physics.results.awake import export_awake
from ..physics.results.body_forces import rne_postconstraint
from ..physics.results.contacts_and_rows import (
    count_lists,
    export_constraint,
    export_contact,
    export_sparsity,
)
from ..physics.results.islands import export_islands
from ..physics.results.tendons import export_tendon_rows
from ..physics.sleep import falling_asleep, resting, sleep
from ..physics.smooth import (
    energy,
    fluid,
    forces,
    gravcomp,
    inertia,
    kinematics,
    tendon,
    tendon_inertia,
)
from .actuation import ACTUATION, TRANSMISSION
from .collision import COLLISION, MAKE_ROOM, SEARCH
from .conditions import (
    actuators_sleep,
    compensates_gravity,
    equalities_sleep,
    has,
    has_drag_references,
    has_ellipsoids,
    has_tendons,
    in_medium,
    is_scene,
    remembers_inputs,
    sleeps,
    tendons_sleep,
    tendons_weigh,
)
from .seen import see_positions, see_velocities
from .sleep import BUSY, REST_SMOOTH
from .solve import FIND_ISLANDS, ORDER_TREES, SOLVERS
from .stage import Stage

WAKE_TOUCHED = Stage(sleep.wake_touched, f"{BUSY} count", sleeps)
SILENCE = Stage(sleep.silence_sleeping, "block_D tree_on", sleeps)

FORWARD = (
    Stage(falling_asleep.keep_smooth, "kept_smooth kept_forces", sleeps),
    Stage(
        see_positions, "seen_qpos seen_mocap_pos seen_mocap_quat seen_eq_active", remembers_inputs
    ),
    Stage(
        kinematics.kinematics,
        "xpos xquat xmat xanchor xaxis xipos ximat geom_xpos geom_xmat site_xpos site_xmat",
    ),
    Stage(sleep.wake_disturbed, BUSY, sleeps),
    Stage(resting.place_things, "", sleeps, "geom_xpos geom_xmat site_xpos site_xmat"),
    Stage(inertia.com_pos, "subtree_com cinert cdof"),
    Stage(tendon.tendon, "ten_length ten_J wrap_on wrap_touch ten_row", has_tendons),
    *TRANSMISSION,
    Stage(inertia.make_m, "crb M"),
    Stage(damping.joint_armature, "", has("act_on_joint"), "M"),
    Stage(tendon_inertia.tendon_armature, "ten_row", tendons_weigh, "M"),
    Stage(inertia.factor_m, "qLD qLDiagInv"),
    Stage(sleep.wake_by_tendons, BUSY, tendons_sleep),
    *COLLISION,
    WAKE_TOUCHED,
    Stage(sleep.wake_joined, BUSY, equalities_sleep),
    Stage(adhesion.body_transmission, "actuator_length act_moment", has("act_body")),
    Stage(clear_rows, "count lane_on tree_on seen_on"),
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
    Stage(see_velocities, "seen_qvel", remembers_inputs),
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
    Stage(gravcomp.gravcomp, "qfrc_gravcomp", compensates_gravity, "qfrc_passive"),
    FIND_ISLANDS,
    *(MAKE_ROOM, ORDER_TREES) * 3,
    MAKE_ROOM,
    Stage(reference_constraint, "row_vel row_aref"),
    Stage(drag_reference, "block_drag row_aref", has_drag_references),
    Stage(equality_bias, "row_aref", has("neq")),
    Stage(forces.rne, "rne_acc rne_frc qfrc_bias"),
    Stage(tendon_inertia.tendon_bias, "", tendons_weigh, "qfrc_bias"),
    *ACTUATION,
    Stage(forces.fwd_acceleration, "qfrc_smooth qacc_smooth"),
    REST_SMOOTH,
    *SOLVERS,
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
        "contact_flex contact_elem contact_vert contact_exclude contact_efc_address export_num listed",
    ),
    Stage(
        export_constraint,
        "ne nf nl nefc nJ efc_type efc_id efc_J efc_pos efc_margin "
        "efc_frictionloss efc_diagApprox efc_KBIP efc_D efc_R efc_vel efc_aref efc_b efc_state efc_force row_jv export_num listed",
    ),
    Stage(
        export_islands,
        "nisland nidof tree_island island_ntree island_itreeadr map_itree2tree dof_island island_nv island_idofadr "
        "island_dofadr map_dof2idof map_idof2dof efc_island island_ne island_nf island_nefc island_iefcadr map_efc2iefc "
        "map_iefc2efc listed isl_num isl_tree isl_row tree_root tree_isl tree_list block_tree",
        has("ntree"),
    ),
    Stage(
        export_sparsity,
        "efc_J_rownnz efc_J_rowadr efc_J_rowsuper efc_J_colind listed",
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
    Stage(euler_rk4.check_pos, "count warning_number warning_lastinfo warning_reset reset_now"),
    Stage(euler_rk4.check_vel, "count warning_number warning_lastinfo warning_reset reset_now"),
)
CHECK = (
    Stage(euler_rk4.check_acc, "count warning_number warning_lastinfo warning_reset reset_now"),
)


def steps_back(forward: tuple[Stage, ...]) -> int:
    """Stages from behind `WAKE_TOUCHED` back to where collision starts."""
    return forward.index(WAKE_TOUCHED) + 1 - forward.index(SEARCH) if WAKE_TOUCHED in forward else 0


def moved_again(forward: tuple[Stage, ...]) -> tuple[Stage, ...]:
    """Stages of forward dynamics that depend on velocity, where trees may sleep."""
    return forward[forward.index(SILENCE) + 1 :]


# results of forward dynamics that depend on more than position and velocity
DRIVEN = frozenset(("act_drive", "act_dot", "actuator_force", "qfrc_actuator"))
SOLVED = frozenset(("qacc_smooth", "qacc"))
