"""Parts of forward dynamics: what depends on positions, on velocities, and on forces."""

from ..pipeline.stage import Stage
from ..pipeline.timer_tables import POSITION, VELOCITY
from ..tables.enums import STAGE_ACC, STAGE_POS, STAGE_VEL

# results of energy are listed after all else
_ENERGY = {
    "energy_pos": STAGE_POS,
    "flex_energy": STAGE_POS,
    "no_energy": STAGE_POS,
    "energy_vel": STAGE_VEL,
}


def parts(forward: tuple[Stage, ...]) -> list[int]:
    """Phase (mjtStage) in which the results of each stage of forward dynamics become known."""
    found, timers = [], ()
    for stage in forward:
        timers = timers if stage.timers is None else stage.timers
        part = STAGE_ACC
        if stage.name in _ENERGY:
            part = _ENERGY[stage.name]
        elif POSITION in timers:
            part = STAGE_POS
        elif VELOCITY in timers:
            part = STAGE_VEL
        found.append(part)
    return found


def split(forward: tuple[Stage, ...], skipped: int) -> tuple[tuple, tuple]:
    """Stages whose results are known after a stage (mjtStage), and all others."""
    known, others = [], []
    for stage, part in zip(forward, parts(forward), strict=True):
        (known if part <= skipped else others).append(stage)
    return tuple(known), tuple(others)
