"""Stages of actuators: lengths and moments, then controls, activations and forces."""

from ..physics.actuators import (
    activation,
    dcmotor,
    delays,
    force,
    muscle,
    sites,
    sleeping,
    transmission,
)
from ..physics.plugins import pid
from ..physics.smooth import gravcomp
from ..tables.plugin_kinds import PID
from .conditions import (
    actuators_sleep,
    has,
    lifts_by_actuators,
    limits_joint_forces,
    not_delayed,
    not_plain,
    without_motors,
)
from .stage import Stage

TRANSMISSION = (
    Stage(transmission.joint_transmission, "actuator_length", has("act_joint")),
    Stage(transmission.ball_transmission, "actuator_length", has("act_ball")),
    Stage(transmission.tendon_transmission, "actuator_length", has("act_tendon")),
    Stage(sites.site_transmission, "actuator_length", has("act_site")),
    Stage(sites.relative_transmission, "actuator_length", has("act_related")),
    Stage(sites.crank_transmission, "actuator_length", has("act_crank")),
)

ACTUATION = (
    Stage(
        force.fwd_actuation,
        "actuator_force qfrc_actuator",
        has("act_plain"),
    ),
    Stage(
        force.read_controls,
        "act_dot actuator_force qfrc_actuator",
        not_delayed,
    ),
    Stage(
        delays.read_delayed_controls,
        "act_dot actuator_force qfrc_actuator",
        has("act_delayed"),
    ),
    Stage(activation.linear_dynamics, "act_dot", has("act_linear")),
    Stage(muscle.muscle_dynamics, "act_dot", has("act_muscle_dyn")),
    Stage(dcmotor.dcmotor_dynamics, "act_dot", has("act_dcmotor_dyn")),
    Stage(pid.pid_dynamics, "", has(f"plugin_{PID}"), "act_dot"),
    Stage(activation.drive_by_activation, needed=has("act_settling")),
    Stage(dcmotor.drive_motors, needed=has("act_dcmotor_dyn")),
    Stage(force.affine_forces, "", not_plain("act_affine"), "actuator_force"),
    Stage(muscle.muscle_forces, "", has("act_muscle"), "actuator_force"),
    Stage(dcmotor.dcmotor_forces, "", has("act_dcmotor"), "actuator_force"),
    Stage(pid.pid_forces, "", has(f"plugin_{PID}"), "actuator_force"),
    Stage(force.limit_tendon_forces, "", has("act_limit"), "actuator_force"),
    Stage(force.project_forces, "", without_motors, "actuator_force qfrc_actuator"),
    Stage(dcmotor.project_motor_forces, "", has("act_dcmotor"), "actuator_force qfrc_actuator"),
    Stage(sleeping.rest_forces, "", actuators_sleep, "actuator_force act_dot"),
    Stage(gravcomp.actuator_gravcomp, "", lifts_by_actuators, "qfrc_actuator"),
    Stage(force.limit_joint_forces, "", limits_joint_forces, "qfrc_actuator"),
)
