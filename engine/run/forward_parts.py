"""Parts of forward dynamics: what depends on positions, on velocities, and on forces."""

from ..pipeline.stage import Stage
from ..pipeline.timer_tables import NO_TIMER, POSITION, VELOCITY
from ..tables.enums import STAGE_ACC, STAGE_POS, STAGE_VEL

# results of energy are listed after all else
OF_ENERGY = {
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
        if stage.name in OF_ENERGY:
            part = OF_ENERGY[stage.name]
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


def interleaved(
    forward: tuple[Stage, ...], positions: tuple[Stage, ...], velocities: tuple[Stage, ...]
) -> tuple[Stage, ...]:
    """Forward dynamics with sensors, and energies, behind all that they depend on.

    Args:
        forward: forward dynamics, or a part of it.
        positions: what reads sensors of positions.
        velocities: the same of velocities.
    """
    rest = tuple(stage for stage in forward if stage.name not in OF_ENERGY)
    # islands may be found among velocities, although they depend on positions
    moving = [k for k, part in enumerate(parts(rest)) if part == STAGE_VEL]
    start, end = (moving[0], moving[-1] + 1) if moving else (0, 0)
    before = _untimed(positions + _energies(forward, STAGE_POS))
    behind = _untimed(velocities + _energies(forward, STAGE_VEL))
    return (*rest[:start], *before, *rest[start:end], *behind, *rest[end:])


def _energies(forward: tuple[Stage, ...], part: int) -> tuple[Stage, ...]:
    """Stages of energies that depend on positions, or on velocities."""
    return tuple(stage for stage in forward if OF_ENERGY.get(stage.name) == part)


def _untimed(stages: tuple[Stage, ...]) -> tuple[Stage, ...]:
    """Stages without the timers of those before them."""
    return (stages[0]._replace(timers=NO_TIMER), *stages[1:]) if stages else ()
