"""Memory drivers: what one more world adds to the peak resident memory of the process.

The process first holds a few worlds, which loads every library and fills the caches of threads,
then many; all of them have made a step. The difference is divided by the number of added
worlds. The controls of the run count too (64 bytes for each world of an ant).
"""

import sys
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from . import physics
from .models import model_path

if TYPE_CHECKING:
    from mjenv.benchmarks.rows import Row


def mjenv(row: "Row", nthread: int):
    """Bytes of a world of mjenv that keeps only state, inputs and sensors."""
    return _growth(row, lambda some: physics.mjenv(some, nthread))


def mujoco_batch(row: "Row", nthread: int):
    """Bytes of a simulation of `mujoco.batch`, not persistent."""
    return _growth(row, lambda some: physics.mujoco_batch(some, nthread))


def mjdata(row: "Row", nthread: int):
    """Bytes of an `MjData`, what an environment of Gymnasium or EnvPool holds at least."""
    import mujoco

    model = mujoco.MjModel.from_xml_path(str(model_path(row.model)))

    def build(some: Any):
        worlds = [mujoco.MjData(model) for _ in range(some.nworld)]

        def repeat():
            for data in worlds:
                mujoco.mj_step(model, data, nstep=some.nstep)

        return repeat

    return _growth(row, build)


def _growth(row: "Row", build: Callable[..., Any]):
    """A repeat that builds few worlds, then many, and measures the difference."""

    def repeat():
        peaks = []
        few = row.nworld // 8
        for nworld in (few, row.nworld):
            work = build(replace(row, nworld=nworld))
            work()
            peaks.append(_peak())
        return (peaks[1] - peaks[0]) / (row.nworld - few)

    return repeat


def _peak() -> int:
    """Peak resident memory of this process in bytes."""
    try:
        import resource
    except ImportError:
        raise RuntimeError(
            "benchmarks: rows of memory: this system has no module resource; expected Linux or "
            "macOS, or rows of other names"
        ) from None
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
