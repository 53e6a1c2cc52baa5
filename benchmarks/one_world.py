"""One world beside MuJoCo's: `mjenv.step` and `mj_step` on every model of a folder.

    python -m benchmarks.one_world FOLDER [PART_OF_A_PATH ...]

Both engines step each model from its initial state, or its first keyframe, in one thread, in short
bursts in turns, with the same controls: random ones in the middle third between the limits, held
for a burst. Each burst of mjenv starts from the state that MuJoCo's does, but where trees sleep,
which no state tells. Times are of the processor. Worlds that explode in MuJoCo are not measured.
"""

import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .models import SEED

BURSTS = 16
SECONDS = 0.02  # that a burst of MuJoCo's takes, about
MOST = 2000  # steps of a burst
WARMUP = 5  # bursts that are not counted
STATE = ("qpos", "qvel", "act", "qacc_warmstart", "ctrl")


class Times(NamedTuple):
    """Microseconds of processor time per step, medians of the bursts."""

    ours: float
    theirs: float

    @property
    def ratio(self) -> float:
        """How many times as fast mjenv is."""
        return self.theirs / self.ours


def main(arguments: list[str]) -> int:
    """Print a table of the models below a folder, and the geometric mean of the ratios.

    Args:
        arguments: the folder; then parts of paths, of which a model's has to contain one.

    Returns:
        Exit status: 0, or 2 where there is nothing to measure.
    """
    import mujoco

    if not arguments:
        print(__doc__, file=sys.stderr)
        return 2
    folder, *names = arguments
    paths = [p for p in sorted(Path(folder).rglob("*.xml")) if _chosen(p, names)]
    if not paths:
        print(f"benchmarks: {folder} has no such model", file=sys.stderr)
        return 2
    print("| model | mjenv, us | `mj_step`, us | ratio |\n|---|--:|--:|--:|")
    found = []
    for path in paths:
        name = path.relative_to(folder).with_suffix("")
        try:
            times = measure(path)
        except (ValueError, mujoco.FatalError) as error:
            print(f"{name}: not measured: {str(error).splitlines()[0]}", file=sys.stderr)
            continue
        found.append(times.ratio)
        print(f"| {name} | {times.ours:.3g} | {times.theirs:.3g} | {times.ratio:.2f} |", flush=True)
    if found:
        mean, slower = statistics.geometric_mean(found), sum(x < 1.0 for x in found)
        print(f"\n{len(found)} models, geometric mean {mean:.2f}, least {min(found):.2f}, ", end="")
        print(f"{slower} slower than MuJoCo")
    return 0


def measure(path: Path) -> Times:
    """Times of a step of both engines.

    Raises:
        ValueError: one of them does not compile the model, or nothing in it moves.
        mujoco.FatalError: MuJoCo has no memory for what happens there.
    """
    import mujoco

    import mjenv

    # models, and data at their start
    theirs = mujoco.MjModel.from_xml_path(str(path))
    if not theirs.nv:
        raise ValueError("nothing in it moves")
    ours = mjenv.Model.from_xml_path(path)
    mine, other = mjenv.Data(ours, nthread=1), mujoco.MjData(theirs)
    if theirs.nkey:
        mujoco.mj_resetDataKeyframe(theirs, other, 0)
        mjenv.reset(ours, mine, keyframe=0)
    # bursts in turns; the first tell how many steps one has
    sleeps = theirs.opt.enableflags & mujoco.mjtEnableBit.mjENBL_SLEEP
    random, nstep, seconds = np.random.default_rng(SEED), 1, []
    while len(seconds) < WARMUP + BURSTS:
        action = _controls(theirs, random)
        other.ctrl[:] = action
        for name in STATE if not sleeps else ("ctrl",):
            getattr(mine, name)[:] = getattr(other, name)
        taken = [0.0, 0.0]
        for k in (0, 1) if len(seconds) % 2 else (1, 0):
            step, of = ((mjenv.step, (ours, mine)), (mujoco.mj_step, (theirs, other)))[k]
            taken[k] = timed(step, of, nstep)
        if taken[1] < SECONDS / 4 and nstep < MOST:
            nstep = min(MOST, max(2 * nstep, int(nstep * SECONDS / max(taken[1], 1e-6) / 2)))
            continue
        seconds.append((taken[0] / nstep, taken[1] / nstep))
    return Times(
        *(1e6 * statistics.median(column) for column in zip(*seconds[WARMUP:], strict=True))
    )


def timed(step: Callable[..., Any], of: tuple[Any, Any], nstep: int) -> float:
    """Seconds of the processor that steps of a model and its data take."""
    start = time.process_time()
    for _ in range(nstep):
        step(*of)
    return time.process_time() - start


def _controls(model: Any, random: np.random.Generator) -> np.ndarray:
    """Random controls of a MuJoCo model, (nu,); without limits, these are -1 and 1."""
    limited = model.actuator_ctrllimited[:, None] > 0
    low, high = np.where(limited, model.actuator_ctrlrange, (-1.0, 1.0)).T
    return random.uniform((2 * low + high) / 3, (low + 2 * high) / 3)


def _chosen(path: Path, names: list[str]) -> bool:
    return not names or any(name in str(path) for name in names)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
