"""Stages of trees that sleep: how they lie down, and what they run instead of others."""

from ..physics.sleep import falling_asleep, sleep
from ..physics.sleep.resting import RESTING, place_things
from ..physics.smooth.kinematics import kinematics
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


POSES = "xpos xquat xmat xanchor xaxis xipos ximat"


def at_rest(stages: tuple[Stage, ...]) -> tuple[Stage, ...]:
    """The stages where trees sleep; where others add to their results, they stay as they are."""
    ours = {REST_SMOOTH.kernel, place_things}
    others = (stage for stage in stages if stage.kernel not in ours)
    changed = {name for stage in others for name in stage.changes.split()}
    found = []
    for stage in stages:
        if stage.kernel in RESTING and not changed.intersection(stage.writes.split()):
            # poses of geoms and sites have a stage of their own
            writes = POSES if stage.kernel is kinematics else stage.writes
            stage = stage._replace(kernel=RESTING[stage.kernel], writes=writes)
        found.append(stage)
    return tuple(found)
