"""Stages of trees that sleep: how they lie down, and what they run instead of others."""

from typing import Any

from .conditions import sleeps
from .stage import Stage

FALL_ASLEEP = Stage("sleep.sleep:fall_asleep", "tree_asleep qvel qacc")
SLEEP_TRANSITION = Stage("sleep.falling_asleep:sleep_transition")
# from the state in which trees fall asleep to where they rest, and what is known about it
ENTER_SLEEP = (
    FALL_ASLEEP,
    SLEEP_TRANSITION,
    Stage("sleep.falling_asleep:swap", "qacc qfrc_smooth qfrc_constraint"),
    Stage("sleep.sleep:note_fallen"),
)
REWIND = Stage("sleep.falling_asleep:rewind", "qpos qvel time")
REST = (
    Stage("sleep.sleep:freeze_sleeping", "qpos qvel"),
    Stage(
        "sleep.falling_asleep:finish_sleep_transition",
        "qacc qfrc_smooth qfrc_constraint qacc_warmstart",
    ),
)
REST_SMOOTH = Stage("sleep.falling_asleep:rest_smooth", "", sleeps, "qfrc_smooth qacc_smooth")


# what stands for a stage where trees sleep: the same over lists of bodies and dofs
RESTING: dict[Any, str] = {
    "smooth.kinematics:kinematics": "sleep.resting:move_bodies",
    "smooth.inertia:com_pos": "sleep.resting:com_pos_resting",
    "smooth.inertia:make_m": "sleep.resting:make_m_resting",
    "smooth.inertia:factor_m": "sleep.resting:factor_m_resting",
    "smooth.kinematics:com_vel": "sleep.resting:com_vel_resting",
    "smooth.forces:rne": "sleep.resting:rne_resting",
    "smooth.forces:fwd_acceleration": "sleep.resting:fwd_acceleration_resting",
    "integrators.euler_rk4:euler": "sleep.resting:euler_resting",
}
POSES = "xpos xquat xmat xanchor xaxis xipos ximat"


def at_rest(stages: tuple[Stage, ...]) -> tuple[Stage, ...]:
    """The stages where trees sleep; where others add to their results, they stay as they are."""
    ours = {REST_SMOOTH.name, "place_things"}
    others = (stage for stage in stages if stage.name not in ours)
    changed = {name for stage in others for name in stage.changes.split()}
    found = []
    for stage in stages:
        if stage.kernel in RESTING and not changed.intersection(stage.writes.split()):
            # poses of geoms and sites have a stage of their own
            writes = POSES if stage.name == "kinematics" else stage.writes
            stage = stage._replace(kernel=RESTING[stage.kernel], writes=writes)
        found.append(stage)
    return tuple(found)
