"""dm_env's TimeSteps and specs: its own where it is installed, else tuples like them."""

from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np

try:
    import dm_env  # pyright: ignore[reportMissingImports]
    from dm_env import specs  # pyright: ignore[reportMissingImports]

    Interface: Any = dm_env.Environment
    StepType, TimeStep = dm_env.StepType, dm_env.TimeStep
    Array, BoundedArray = specs.Array, specs.BoundedArray
except ImportError:

    class _Interface:
        """The interface from which environments derive."""

    Interface: Any = _Interface

    class StepType(IntEnum):
        """Position of a TimeStep in its episode."""

        FIRST = 0
        MID = 1
        LAST = 2

        def first(self) -> bool:
            """True if it is the first."""
            return self is StepType.FIRST

        def mid(self) -> bool:
            """True if it is neither the first nor the last."""
            return self is StepType.MID

        def last(self) -> bool:
            """True if it is the last."""
            return self is StepType.LAST

    class TimeStep(NamedTuple):
        """The results of a step of an environment.

        Attributes:
            step_type: where in its episode it is.
            reward: of the action; None in the first.
            discount: 0 where the task has ended; None in the first.
            observation: dict of arrays.
        """

        step_type: Any
        reward: Any
        discount: Any
        observation: Any

        def first(self) -> bool:
            """True if it is the first of an episode."""
            return self.step_type == StepType.FIRST

        def mid(self) -> bool:
            """True if it is neither the first nor the last."""
            return self.step_type == StepType.MID

        def last(self) -> bool:
            """True if it is the last of an episode."""
            return self.step_type == StepType.LAST

    class Array(NamedTuple):
        """Shape and type of an array."""

        shape: tuple[int, ...]
        dtype: Any
        name: str | None = None

    class BoundedArray(NamedTuple):
        """Shape, type and limits of an array, both included."""

        shape: tuple[int, ...]
        dtype: Any
        minimum: Any
        maximum: Any
        name: str | None = None


def array_spec(shape: tuple[int, ...], name: str) -> Any:
    """Spec of an array of float64."""
    return Array(shape=shape, dtype=np.dtype(np.float64), name=name)


def bounded_spec(minimum: np.ndarray, maximum: np.ndarray, name: str | None = None) -> Any:
    """Spec of an array of float64 within limits."""
    return BoundedArray(
        shape=minimum.shape,
        dtype=np.dtype(np.float64),
        minimum=minimum,
        maximum=maximum,
        name=name,
    )
