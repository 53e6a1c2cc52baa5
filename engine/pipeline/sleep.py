"""Stages of trees that sleep: how they lie down, and what they run instead of others."""

from ..physics.integrators import euler_rk4
from ..physics.sleep import falling_asleep, resting, sleep
from ..physics.smooth import forces, inertia, kinematics
from .conditions import sleeps
from .stage import Stage

BUSY = "tree_asleep tree_up tree_busy busy_num busy_body busy_dof"
FALL_ASLEEP = Stage(sleep.fall_asleep, "tree_asleep count qvel qacc still_qpos")
SETTLE = Stage(falling_asleep.settle, "aside_acc aside_smooth aside_force")
# from the state in which trees fall asleep to where they rest, and what is known about it
LIE_DOWN = (
    FALL_ASLEEP,
    SETTLE,
    Stage(
        falling_asleep.swap, "aside_acc aside_smooth aside_force qacc qfrc_smooth qfrc_constraint"
    ),
    Stage(sleep.note_awake, "tree_up"),
)
REWIND = Stage(falling_asleep.rewind, "qpos qvel time rk_qpos rk_qvel rk_time")
REST = (
    Stage(sleep.keep_still, "qpos qvel"),
    Stage(falling_asleep.finish_settling, "qacc qfrc_smooth qfrc_constraint qacc_warmstart"),
)
REST_SMOOTH = Stage(falling_asleep.rest_smooth, "", sleeps, "qfrc_smooth qacc_smooth")

# what stands for these stages where trees sleep, unless others add to their results
RESTING = {
    kinematics.kinematics: resting.move_bodies,
    inertia.com_pos: resting.com_pos_resting,
    inertia.make_m: resting.make_m_resting,
    inertia.factor_m: resting.factor_m_resting,
    kinematics.com_vel: resting.com_vel_resting,
    forces.rne: resting.rne_resting,
    forces.fwd_acceleration: resting.acceleration_resting,
    euler_rk4.euler: resting.euler_resting,
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
