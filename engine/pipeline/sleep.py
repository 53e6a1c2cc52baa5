"""Stages of trees that sleep: how they lie down, and what they run instead of others."""

from ..physics.integrators import euler_rk4
from ..physics.sleep import falling_asleep, resting, sleep
from ..physics.smooth import forces, inertia, kinematics
from .conditions import sleeps
from .stage import Stage

FALL_ASLEEP = Stage(sleep.fall_asleep, "tree_asleep qvel qacc")
SETTLE = Stage(falling_asleep.settle)
# from the state in which trees fall asleep to where they rest, and what is known about it
LIE_DOWN = (
    FALL_ASLEEP,
    SETTLE,
    Stage(falling_asleep.swap, "qacc qfrc_smooth qfrc_constraint"),
    Stage(sleep.note_awake),
)
REWIND = Stage(falling_asleep.rewind, "qpos qvel time")
REST = (
    Stage(sleep.keep_still, "qpos qvel"),
    Stage(falling_asleep.finish_settling, "qacc qfrc_smooth qfrc_constraint qacc_warmstart"),
)
REST_SMOOTH = Stage(falling_asleep.rest_smooth, "", sleeps, "qfrc_smooth qacc_smooth")

# what stands for these stages where trees sleep, unless others add to their results
RESTING = {
    kinematics.kinematics: Stage(resting.move_bodies, "xpos xquat xmat xanchor xaxis xipos ximat"),
    inertia.com_pos: Stage(resting.com_pos_resting, "subtree_com cinert cdof"),
    inertia.make_m: Stage(resting.make_m_resting, "crb M"),
    inertia.factor_m: Stage(resting.factor_m_resting, "qLD qLDiagInv"),
    kinematics.com_vel: Stage(resting.com_vel_resting, "cvel cdof_dot"),
    forces.rne: Stage(resting.rne_resting, "qfrc_bias"),
    forces.fwd_acceleration: Stage(resting.acceleration_resting, "qfrc_smooth qacc_smooth"),
    euler_rk4.euler: Stage(resting.euler_resting, "qpos qvel time qacc_warmstart qH qHDiagInv"),
}


def at_rest(stages: tuple[Stage, ...]) -> tuple[Stage, ...]:
    """The stages where trees sleep."""
    ours = {REST_SMOOTH.kernel, resting.place_things}
    others = (stage for stage in stages if stage.kernel not in ours)
    changed = {name for stage in others for name in stage.changes.split()}
    found = []
    for stage in stages:
        rest = RESTING.get(stage.kernel)
        if rest is not None and not changed.intersection(stage.writes.split()):
            stage = rest._replace(needed=stage.needed, timers=stage.timers)
        found.append(stage)
    return tuple(found)
