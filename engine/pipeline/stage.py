"""A row of the pipeline, and choices among rows."""

from collections.abc import Callable
from typing import NamedTuple

from .conditions import Condition


class Stage(NamedTuple):
    """One row of the pipeline.

    Attributes:
        kernel: the function.
        writes: fields of mjData and of the scratch that it fills.
        needed: condition on what the model holds and its options ask for, None when always needed.
        changes: fields written by earlier stages that it adds to or limits.
    """

    kernel: Callable
    writes: str
    needed: Condition | None = None
    changes: str = ""

    @property
    def name(self) -> str:
        return self.kernel.__name__


def chosen(stages: tuple[Stage, ...], conditions) -> tuple[Stage, ...]:
    """Those of some stages that a model needs."""
    return tuple(s for s in stages if s.needed is None or s.needed(conditions))


def without(stages: tuple[Stage, ...], fields) -> tuple[Stage, ...]:
    """Those of some stages that neither write nor change certain fields."""
    return tuple(s for s in stages if not {*s.writes.split(), *s.changes.split()} & fields)
