"""Stages of actuators: lengths and moments, then controls, activations and forces."""

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
    Stage("actuators.transmission:joint_transmission", "actuator_length", has("act_joint")),
    Stage("actuators.transmission:ball_transmission", "actuator_length", has("act_ball")),
    Stage("actuators.transmission:tendon_transmission", "actuator_length", has("act_tendon")),
    Stage("actuators.sites:site_transmission", "actuator_length", has("act_site")),
    Stage("actuators.sites:relative_transmission", "actuator_length", has("act_related")),
    Stage("actuators.sites:crank_transmission", "actuator_length", has("act_crank")),
)

ACTUATION = (
    Stage(
        "actuators.force:fwd_actuation",
        "actuator_force qfrc_actuator",
        has("act_plain"),
    ),
    Stage(
        "actuators.force:read_controls",
        "act_dot actuator_force qfrc_actuator",
        not_delayed,
    ),
    Stage(
        "actuators.delays:read_delayed_controls",
        "act_dot actuator_force qfrc_actuator",
        has("act_delayed"),
    ),
    Stage("actuators.activation:linear_dynamics", "act_dot", has("act_linear")),
    Stage("actuators.muscle:muscle_dynamics", "act_dot", has("act_muscle_dyn")),
    Stage("actuators.dcmotor:dcmotor_dynamics", "act_dot", has("act_dcmotor_dyn")),
    Stage("plugins.pid:pid_dynamics", "", has(f"plugin_{PID}"), "act_dot"),
    Stage("actuators.activation:drive_by_activation", needed=has("act_settling")),
    Stage("actuators.dcmotor:drive_motors", needed=has("act_dcmotor_dyn")),
    Stage("actuators.force:affine_forces", "", not_plain("act_affine"), "actuator_force"),
    Stage("actuators.muscle:muscle_forces", "", has("act_muscle"), "actuator_force"),
    Stage("actuators.dcmotor:dcmotor_forces", "", has("act_dcmotor"), "actuator_force"),
    Stage("plugins.pid:pid_forces", "", has(f"plugin_{PID}"), "actuator_force"),
    Stage("actuators.force:limit_tendon_forces", "", has("act_limit"), "actuator_force"),
    Stage("actuators.force:project_forces", "", without_motors, "actuator_force qfrc_actuator"),
    Stage(
        "actuators.dcmotor:project_motor_forces",
        "",
        has("act_dcmotor"),
        "actuator_force qfrc_actuator",
    ),
    Stage("actuators.sleeping:rest_forces", "", actuators_sleep, "actuator_force act_dot"),
    Stage("smooth.gravcomp:actuator_gravcomp", "", lifts_by_actuators, "qfrc_actuator"),
    Stage("actuators.force:limit_joint_forces", "", limits_joint_forces, "qfrc_actuator"),
)
