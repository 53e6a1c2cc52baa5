"""Final states of the last episodes: the argument `last` of a task's `reset`, for curricula."""

import inspect
from typing import TYPE_CHECKING, Any

import numpy as np

from mjenv.task.read_only import locked
from mjenv.task.task_state import StateView

if TYPE_CHECKING:
    from mjenv.engine.data.data import Data
    from mjenv.task.task import Task

# fields of the state that an episode leaves
FIELDS = ("qpos", "qvel", "act", "time", "mocap_pos", "mocap_quat", "ctrl", "userdata")


class FinalStates:
    """Keeps the states in which the last episodes of worlds ended, until the next ones begin.

    Attributes:
        asked: whether the task's `reset` has the argument `last`.
    """

    def __init__(self, task: "Task", single: bool):
        """Look at the arguments of the task's `reset`.

        Args:
            task: the task.
            single: whether there is one world, whose arrays have no world axis.
        """
        arguments = inspect.signature(task.reset).parameters.values()
        self.asked = any(a.name == "last" and a.kind is a.POSITIONAL_OR_KEYWORD for a in arguments)
        self._task, self._single = task, single
        self._rows: dict[str, np.ndarray] = {}

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_rows": {}}

    def clear(self, data: "Data", worlds: Any, fresh: Any) -> None:
        """Put worlds into the model's initial state, and keep what they were in.

        Args:
            data: the worlds.
            worlds: those that begin an episode, indices or a slice.
            fresh: bool, one for all or for each world there is: those whose random generator is new
                have no episode before.
        """
        if not self.asked:
            data.reset_state(worlds)
            return
        rows = {name: getattr(data, name)[worlds].copy() for name in FIELDS}
        data.reset_state(worlds)
        new = np.broadcast_to(fresh, data.nworld)[worlds]
        for name, array in rows.items():
            array[new] = getattr(data, name)[worlds][new]
        own = self._task._own_state
        own.own(rows["userdata"])[new] = own.initial
        self._rows = rows

    def take(self) -> "FinalState":
        """The states of the worlds that begin now."""
        rows, self._rows = self._rows, {}
        rows = {name: locked(array) for name, array in rows.items()}
        if self._single:
            rows = {name: array[0] for name, array in rows.items()}
        return FinalState(rows, self._task._own_state)


class FinalState:
    """States in which episodes ended: the fields of `FIELDS`, and `state`, a task's own arrays."""

    def __init__(self, rows: dict[str, np.ndarray], state: Any):
        self.__dict__.update(rows)
        self.state = StateView(state, self)

    def __getattr__(self, name: str) -> Any:
        raise AttributeError(
            f"reset: found last.{name}, expected a field of the final state: {', '.join(FIELDS)}, "
            "state"
        )
