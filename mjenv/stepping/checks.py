"""Checks of new tasks, with messages that say what to do."""

from typing import TYPE_CHECKING, Any

import numpy as np

from mjenv.engine.errors import FieldError
from mjenv.task.near_names import did_you_mean
from mjenv.task.task import Outcome, Task

if TYPE_CHECKING:
    from mjenv.engine.data.data import Data

_TRUTH = "truth value of an array"
_NO_OUTCOME = "Outcome.__new__() got an unexpected keyword argument "


class Checks:
    """Looks at what the functions of a task give, each when it is first called.

    Attributes:
        lead: () in one world without a world axis, (nworld,) otherwise.
    """

    def __init__(self, task: Task, lead: tuple[int, ...]):
        self._task, self._name, self.lead = task, type(task).__name__, lead

    def explain(self, method: str, error: Exception) -> None:
        """Raise another error instead of one whose text does not say what is wrong in a task.

        Args:
            method: where it occurred.
            error: what numpy or the engine said.

        Raises:
            FieldError: if a field is missing.
            IndexError: if reals are indices.
            ValueError: if there is `if` with values of many worlds, or an array was written to.
            TypeError: if something was assigned to the data, or an `Outcome` has no such part.
        """
        where = f"{self._name}.{method}"
        # messages by what the user has most likely meant
        if isinstance(error, FieldError) and str(error).startswith("Data.state:"):
            raise FieldError(
                f"{where}: found data.state, but no arrays are declared; declare them: "
                "state = {'command': np.zeros(3)}"
            ) from error
        if isinstance(error, IndexError) and "must be of integer" in str(error):
            raise IndexError(
                f"{where}: found real numbers as indices, expected integers; arrays of `state` are "
                "real: write .astype(int)"
            ) from error
        if isinstance(error, FieldError):
            field = str(error).removeprefix("Data.").partition(":")[0]
            kept = tuple(dict.fromkeys((*self._task.keep, field)))
            raise FieldError(
                f"{where}: {error}; name the field in the task: keep = {kept}"
            ) from error
        if isinstance(error, TypeError) and str(error).startswith(_NO_OUTCOME):
            name = str(error).removeprefix(_NO_OUTCOME).strip("'")
            hint = "; an episode is truncated by max_episode_steps" * (name == "truncated")
            raise TypeError(
                f"{where}: found mjenv.Outcome({name}=...), which is no field of it; "
                f"{did_you_mean(name, Outcome._fields)}{hint}"
            ) from error
        # functions of numpy code that works for one world only
        if isinstance(error, ValueError) and _TRUTH in str(error):
            raise ValueError(
                f"{where}: found `if`, `and`, `or` or `not` with values of many "
                "worlds, expected functions of arrays; write numpy.where(...), &, | and ~"
            ) from error
        if isinstance(error, ValueError) and "read-only" in str(error):
            raise ValueError(
                f"{where}: {error}: found an assignment to an array of data, action or before, "
                "expected functions that only read; write numpy.where or numpy.concatenate, or "
                "into a copy"
            ) from error
        if isinstance(error, TypeError) and str(error).startswith("found an assignment to data"):
            raise TypeError(f"{where}: {error}") from error

    def observation(self, parts: Any) -> dict[str, int]:
        """The size of each part.

        Raises:
            TypeError: if there is no dictionary of arrays.
            ValueError: if parts have the wrong shape, or no numbers.
        """
        where = f"{self._name}.observation"
        if not isinstance(parts, dict):
            raise TypeError(
                f"{where}: returned {kind_of(parts)}, expected a dict of arrays, such as "
                "{'qpos': data.qpos}"
            )
        # the last axis is the part's, those before it are the worlds
        for name, part in parts.items():
            shape = np.shape(part)
            if len(shape) != len(self.lead) + 1 or shape[:-1] != self.lead:
                expected = ", ".join([*map(str, self.lead), "size"])
                raise ValueError(
                    f"{where}: {name!r} has shape {shape}, expected ({expected}); index from the "
                    "end and keep an axis: data.qpos[..., :1] for one number, flat(...) for tables"
                )
        # sizes, from which the observation space is made
        sizes = {name: np.shape(part)[-1] for name, part in parts.items()}
        if not sum(sizes.values()):
            raise ValueError(
                f"{where}: there are no numbers in it; write the method `observation`"
                + ("" if "sensordata" not in parts else ", or give the model sensors")
            )
        return sizes

    def before(self, remembered: Any, data: "Data") -> None:
        """Refuse views of the data, which have changed when `outcome` sees them."""
        fields = vars(data)
        for array in _arrays(remembered):
            for name, field in fields.items():
                if isinstance(field, np.ndarray) and np.may_share_memory(array, field):
                    raise ValueError(
                        f"{self._name}.before: returned a view of data.{name}, which the step "
                        "changes; expected a copy: .copy()"
                    )

    def outcome(self, outcome: Any, rows: int) -> None:
        """Refuse what is not an `Outcome`, or has the wrong shapes.

        Args:
            outcome: what the method gave.
            rows: number of worlds that it is for.
        """
        # its type and the terms of the reward
        where = f"{self._name}.outcome"
        if not isinstance(outcome, Outcome):
            raise TypeError(
                f"{where}: returned {kind_of(outcome)}, expected mjenv.Outcome(reward={{...}})"
            )
        if not isinstance(outcome.reward, dict) or not outcome.reward:
            raise TypeError(
                f"{where}: reward is {kind_of(outcome.reward)}, expected a dict of terms, such as "
                "{'forward': velocity}"
            )
        shape = (rows,) if self.lead else ()
        for name, term in outcome.reward.items():
            if np.shape(term) not in ((), shape):
                raise ValueError(
                    f"{where}: reward {name!r} has shape {np.shape(term)}, expected {shape}: one "
                    "number for each world; sum over axis=-1"
                )
        # ends
        ended = np.asarray(outcome.terminated)
        if ended.shape not in ((), shape):
            raise ValueError(f"{where}: terminated has shape {ended.shape}, expected {shape}")
        if ended.dtype != np.bool_:
            raise TypeError(f"{where}: terminated is of type {ended.dtype}, expected bool")
        # infos: numbers, or arrays that begin with the axis of worlds
        for name, value in (outcome.info or {}).items():
            if np.ndim(value) and np.shape(value)[: len(shape)] != shape:
                raise ValueError(
                    f"{where}: info {name!r} has shape {np.shape(value)}, expected {shape} first"
                )

    def due(self, due: Any, rows: int) -> None:
        """Refuse what does not say yes or no for each world."""
        shape, array = (rows,) if self.lead else (), np.asarray(due)
        if array.shape not in ((), shape) or array.dtype != np.bool_:
            raise ValueError(
                f"{self._name}.due: returned {array.dtype} of shape {array.shape}, expected bool "
                f"of shape {shape}"
            )


def kind_of(value: Any) -> str:
    """Type of a value, in words."""
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape}"
    return "nothing" if value is None else f"a {type(value).__name__}"


def _arrays(value: Any) -> list[np.ndarray]:
    """The arrays in tuples, lists and dictionaries."""
    if isinstance(value, np.ndarray):
        return [value]
    inside = value.values() if isinstance(value, dict) else value
    if isinstance(value, dict | tuple | list):
        return [array for one in inside for array in _arrays(one)]
    return []
