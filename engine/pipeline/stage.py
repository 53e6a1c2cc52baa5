"""A row of the pipeline, and choices among rows."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ..simd.kernel import kernel_at
from .conditions import Condition

PHYSICS = "mjenv.engine.physics"


class Stage(NamedTuple):
    """One row of the pipeline.

    Rows list what data can keep, fields of mjData above all; a test infers what kernels store, and
    compares. What they fill of the rest of the scratch is not listed.

    Attributes:
        kernel: the function, or its file in physics/ and its name: then it is imported when a model
            needs it, and not before.
        writes: fields that it fills.
        needed: condition on what the model holds and its options ask for, None when always needed.
        changes: fields written by earlier stages that it adds to or limits.
        timers: MuJoCo's timers that its time counts for; None: those of the stage before.
        group: which part of forward dynamics it belongs to, of those that MuJoCo has a function
            for (see mujoco_functions.py); "": that of the stage before.
    """

    kernel: str | Callable
    writes: str = ""
    needed: Condition | None = None
    changes: str = ""
    timers: tuple[int, ...] | None = None
    group: str = ""

    @property
    def name(self) -> str:
        if isinstance(self.kernel, str):
            return self.kernel.partition(":")[2]
        return self.kernel.__name__

    @property
    def function(self) -> Callable:
        """The function itself."""
        return kernel_at(self.kernel, PHYSICS) if isinstance(self.kernel, str) else self.kernel


def chosen(stages: tuple[Stage, ...], conditions: Mapping[str, Any]) -> tuple[Stage, ...]:
    """Those of some stages that a model needs."""
    return tuple(s for s in stages if s.needed is None or s.needed(conditions))


def group(name: str, timers: tuple[int, ...], *stages: Stage) -> tuple[Stage, ...]:
    """Stages of one group, whose time counts for some of MuJoCo's timers unless they say others."""
    return tuple(
        s._replace(group=name, timers=timers if s.timers is None else s.timers) for s in stages
    )


def without(stages: tuple[Stage, ...], fields: Any) -> tuple[Stage, ...]:
    """Those of some stages that neither write nor change certain fields."""
    return tuple(s for s in stages if not {*s.writes.split(), *s.changes.split()} & fields)
