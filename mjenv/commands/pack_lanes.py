"""How many lanes a pack should have on this machine: what `mjenv doctor --lanes` measures."""

import time
from typing import Any

import numpy as np

ENVIRONMENTS = ("HalfCheetah-v5", "Ant-v5")
LANES: tuple[int, ...] = (4, 8, 16)
NUM_ENVS = 512  # fill packs of any width
WARM_UP, STEPS, REPEATS = 20, 3, 8
WORTH = 0.03  # gain that is worth a longer compilation


def measured(name: str) -> dict[int, float]:
    """Time of a step of an environment of mjenv, in one thread.

    The widths take turns, so that they see the same noise of the machine.

    Args:
        name: an environment's, without `mjenv/`.

    Returns:
        Microseconds of the processor per step and environment, the best of several repeats, by
        number of lanes.
    """
    import gymnasium

    made: dict[int, Any] = {
        lanes: gymnasium.make_vec(f"mjenv:mjenv/{name}", NUM_ENVS, nthread=1, lanes=lanes)
        for lanes in LANES
    }
    best: dict[int, float] = dict.fromkeys(LANES, np.inf)
    rng = np.random.default_rng(0)
    space = made[LANES[0]].single_action_space
    for envs in made.values():
        envs.reset(seed=0)
    for repeat in range(-WARM_UP, REPEATS):
        actions = rng.uniform(space.low, space.high, (STEPS, NUM_ENVS, *space.shape))
        for lanes, envs in made.items():
            start = time.process_time()
            for action in actions.astype(space.dtype):
                envs.step(action)
            seconds = time.process_time() - start
            if repeat >= 0:
                best[lanes] = min(best[lanes], 1e6 * seconds / (STEPS * NUM_ENVS))
    for envs in made.values():
        envs.close()
    return best


def advice(times: dict[str, dict[int, float]], default: int) -> str:
    """The times, and how many lanes they speak for.

    Args:
        times: microseconds by number of lanes, by environment.
        default: number of lanes if none is asked for.

    Returns:
        One line.
    """
    listed = "; ".join(
        f"{name} " + ", ".join(f"{us:.2f} us with {lanes}" for lanes, us in found.items())
        for name, found in times.items()
    )
    # geometric mean over the environments, relative to the default
    mean = {
        lanes: np.exp(np.mean([np.log(found[lanes] / found[default]) for found in times.values()]))
        for lanes in LANES
    }
    lanes = min(mean, key=lambda lanes: mean[lanes])
    if mean[lanes] > 1.0 - WORTH:
        return f"{listed}: the default, {default}, is right"
    return (
        f"{listed}: {lanes} take {1.0 - mean[lanes]:.0%} less time than the default, {default}; "
        f"make_vec(..., lanes={lanes}) where environments fill packs in all threads"
    )


def lanes() -> str:
    """Measure, and say what follows: a line of the report."""
    from mjenv.engine.run.plan import NATIVE_WIDTH

    return advice({name: measured(name) for name in ENVIRONMENTS}, NATIVE_WIDTH)
