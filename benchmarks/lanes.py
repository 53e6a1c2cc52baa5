"""Where the lanes of a pack wait: rows and iterations of its worlds beside what the pack does.

    python -m benchmarks.lanes [model ...]

512 worlds step in one thread with actions that wander as a policy's do; worlds that have fallen
start anew. A step is timed beside one of packs that hold eight copies of one world each: nothing
waits there, which is the bound for any choice of worlds. Times are of the processor.
"""

import sys
import time
from typing import Any, NamedTuple

import numpy as np

from .models import load
from .rows import Row

NWORLD, WIDTH = 512, 8
WARMUP, CALLS, REPEATS = 25, 5, 3
STATE = ("qpos", "qvel", "qacc_warmstart", "time", "ctrl")


class Walk(NamedTuple):
    """A model, the steps that an action is held for, and heights between which it has not fallen.

    Attributes:
        model: stem of its file in `xml/`.
        nstep: steps of a call.
        place: element of qpos that is the height of its torso.
        heights: lowest and highest (m).
    """

    model: str
    nstep: int
    place: int
    heights: tuple[float, float]


WALKS = (
    Walk("half_cheetah", 5, 1, (-9.0, 9.0)),
    Walk("ant",          5, 2, (0.2, 1.0)),
    Walk("humanoid",     5, 2, (1.0, 2.0)),
    Walk("walker2d_v5",  4, 1, (0.8, 2.0)),
    Walk("hopper",       4, 1, (0.7, 9.0)),
)  # fmt: skip


class Lanes(NamedTuple):
    """Means over packs.

    Attributes:
        rows: constraint rows of a world.
        fullest: of the world of a pack that has most.
        union: rows that some world of a pack has; all lanes compute these.
        iterations: of the solver, of a world.
        slowest: of the world of a pack that takes most.
    """

    rows: float
    fullest: float
    union: float
    iterations: float
    slowest: float


class Worlds:
    """Worlds of a walk under way."""

    def __init__(self, walk: Walk):
        """Start all worlds, and step until they have spread out."""
        import mjenv

        self.walk, self.random = walk, np.random.default_rng(20)
        self.model = load(mjenv.Model, Row("physics", walk.model, NWORLD))
        self.data = mjenv.Data(self.model, NWORLD, keep=[], width=WIDTH, nthread=1)
        self.action = np.zeros((NWORLD, self.model.nu))
        self._start(np.ones(NWORLD, bool))
        for _ in range(WARMUP):
            self.call()

    def _start(self, mask: np.ndarray) -> None:
        import mjenv

        mjenv.reset(self.model, self.data, mask=mask)
        noise = self.random.normal(0.0, 0.1, (int(mask.sum()), self.model.nv))
        self.data.qvel[mask] = noise

    def act(self) -> None:
        """Let the actions wander."""
        noise = self.random.normal(size=self.action.shape)
        self.action = np.clip(0.6 * self.action + 0.6 * noise, -1.0, 1.0)
        low, high = self.model.actuator_ctrlrange.T
        self.data.ctrl[:] = 0.5 * (low + high) + 0.5 * (high - low) * self.action

    def call(self) -> float:
        """One call, then new starts.

        Returns:
            Seconds of the processor.
        """
        self.act()
        seconds = self.step(self.walk.nstep)
        height = self.data.qpos[:, self.walk.place]
        low, high = self.walk.heights
        fallen = (height < low) | (height > high)
        if fallen.any():
            self._start(fallen)
        return seconds

    def step(self, nstep: int, mask: np.ndarray | None = None) -> float:
        """Steps of some worlds, in seconds of the processor."""
        import mjenv

        start = time.process_time()
        mjenv.step(self.model, self.data, nstep=nstep, mask=mask)
        return time.process_time() - start

    def time(self) -> float:
        """Microseconds of a step of a world, the best of several repeats."""
        best = min(sum(self.call() for _ in range(CALLS)) for _ in range(REPEATS))
        return 1e6 * best / (CALLS * self.walk.nstep * NWORLD)

    def bound(self) -> float:
        """The same in packs of copies of one world; the worlds stay as they are."""
        kept = {name: getattr(self.data, name).copy() for name in STATE}
        copies, seconds = np.repeat(np.arange(0, NWORLD, WIDTH), WIDTH), []
        for _ in range(CALLS * REPEATS):
            for name, values in kept.items():
                getattr(self.data, name)[:] = values[copies]
            seconds.append(self.step(self.walk.nstep))
        for name, values in kept.items():
            getattr(self.data, name)[:] = values
        return 1e6 * min(seconds) / (self.walk.nstep * NWORLD)

    def lanes(self) -> Lanes:
        """What worlds and packs do in the next step, with the packs of the last one."""
        from mjenv.engine.run.program import forward_program

        data = self.data
        program = data.plan.program(forward_program, data.kept, False, True, False)
        packs = program.chosen().reshape(-1, WIDTH)
        self.act()
        return Lanes(*np.mean([self._pack(worlds) for worlds in packs], axis=0))

    def _pack(self, worlds: np.ndarray) -> tuple[float, ...]:
        from mjenv.engine.tables.enums import COUNT_BLOCK, COUNT_ROW

        mask = np.zeros(NWORLD, bool)
        mask[worlds] = True
        self.step(1, mask)
        arrays: Any = self.data.plan.threads(1)[0].data.arrays
        nblock, union = arrays["count"][COUNT_BLOCK], arrays["count"][COUNT_ROW]
        rows = np.diff(arrays["block_row"][:nblock], append=union)
        mine = rows @ (arrays["block_D"][:nblock] > 0.0)
        niter = arrays["solver_niter"][0]
        return mine.mean(), mine.max(), union, niter.mean(), niter.max()


def report(walk: Walk) -> str:
    """A line of the table."""
    worlds = Worlds(walk)
    now, bound, lanes = worlds.time(), worlds.bound(), worlds.lanes()
    return (
        f"| {walk.model} | {now:.2f} | {bound:.2f} | {now / bound:.2f} "
        f"| {lanes.rows:.1f} / {lanes.fullest:.1f} / {lanes.union:.1f} "
        f"| {lanes.iterations:.1f} / {lanes.slowest:.1f} |"
    )


def main(names: list[str]) -> None:
    """Print the table of all models, or of some."""
    print("| model | us per step and world | eight copies | ratio ", end="")
    print("| rows: world / fullest / pack | iterations: world / slowest |")
    print("|---|--:|--:|--:|--:|--:|")
    for walk in WALKS:
        if not names or walk.model in names:
            print(report(walk), flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
