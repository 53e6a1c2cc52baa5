"""Algorithms whose trainings stop between two rollouts, and go on from there."""

from abc import ABC, abstractmethod
from typing import Any

from mjenv.training.learners.step_ring import StepRing


class Resumable(ABC):
    """Base of algorithms that can be resumed.

    Attributes:
        halting: whether to stop before the next rollout; callbacks may set it when one starts.
    """

    halting: bool = False

    @abstractmethod
    def state(self) -> dict[str, Any]:
        """State that `save` leaves out, between two rollouts: worlds, generators, and the like."""

    @abstractmethod
    def set_state(self, state: dict[str, Any]) -> None:
        """Go on from what `state` has returned, after `load`."""


class Remembering(Resumable):
    """Base of those that learn from what they remember, which has a file of its own.

    Attributes:
        replay_buffer: what they remember.
    """

    replay_buffer: StepRing
