"""What goes wrong in new tasks, and what to do about it."""

from typing import Any

import numpy as np

from mjenv.engine.errors import FieldError
from mjenv.task import Outcome, Task

_TRUTH = "truth value of an array"


class _Explained:
    """A part of a program whose errors are explained; without cost where there are none."""

    __slots__ = ("where",)

    def __init__(self, where: str):
        self.where = where

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if isinstance(error, FieldError):
            raise FieldError(
                f"{self.where}: {error}; name the field in the task: keep = (..., )"
            ) from error
        if isinstance(error, ValueError) and _TRUTH in str(error):
            raise ValueError(
                f"{self.where}: found `if`, `and`, `or` or `not` with values of many "
                "worlds, expected functions of arrays; write numpy.where(...), &, | and ~"
            ) from error


class Checks:
    """Looks at what the functions of a task give, each when it is first called.

    Attributes:
        lead: () in one world without a world axis, (nworld,) otherwise.
    """

    def __init__(self, task: Task, lead: tuple[int, ...]):
        self._task, self._name, self.lead = task, type(task).__name__, lead

    def explained(self, method: str) -> "_Explained":
        """Errors that have to do with many worlds or with fields that are missing say so."""
        return _Explained(f"{self._name}.{method}")

    def observation(self, parts: Any) -> dict[str, int]:
        """The size of each part.

        Raises:
            TypeError: if there is no dictionary of arrays.
            ValueError: if parts have the wrong shape, or no numbers.
        """
        where = f"{self._name}.observation"
        if not isinstance(parts, dict):
            raise TypeError(
                f"{where}: returned {_kind(parts)}, expected a dict of arrays, such as "
                "{'qpos': data.qpos}"
            )
        for name, part in parts.items():
            shape = np.shape(part)
            if len(shape) != len(self.lead) + 1 or shape[:-1] != self.lead:
                expected = ", ".join([*map(str, self.lead), "size"])
                raise ValueError(
                    f"{where}: {name!r} has shape {shape}, expected ({expected}); index from the "
                    "end and keep an axis: data.qpos[..., :1] for one number, flat(...) for tables"
                )
        sizes = {name: np.shape(part)[-1] for name, part in parts.items()}
        if not sum(sizes.values()):
            raise ValueError(
                f"{where}: there are no numbers in it; write the method `observation`"
                + ("" if "sensordata" not in parts else ", or give the model sensors")
            )
        return sizes

    def start(self, state: Any, count: int) -> tuple[np.ndarray, np.ndarray]:
        """Positions and velocities that `reset` gave for `count` worlds.

        Raises:
            TypeError: if there are not two arrays.
            ValueError: if they have the wrong shape.
        """
        model = self._task.model
        if isinstance(state, tuple) and self._is_right(state, count):
            return state
        where = f"{self._name}.reset"
        if not isinstance(state, tuple | list) or len(state) != 2:
            raise TypeError(f"{where}: returned {_kind(state)}, expected qpos and qvel")
        for name, value, size in zip(("qpos", "qvel"), state, (model.nq, model.nv), strict=True):
            shape = np.shape(value)
            shapes = {(size,)} | ({(count, size)} if self.lead else set())
            if shape not in shapes:
                expected = " or ".join(map(str, sorted(shapes, key=len, reverse=True)))
                raise ValueError(f"{where}: {name} has shape {shape}, expected {expected}")
        return state[0], state[1]

    def _is_right(self, state: tuple, count: int) -> bool:
        """Whether states have a row for each world, as they mostly do."""
        if len(state) != 2:
            return False
        qpos, qvel = state
        if not (type(qpos) is type(qvel) is np.ndarray):
            return False
        model = self._task.model
        if not self.lead:
            return qpos.shape == (model.nq,) and qvel.shape == (model.nv,)
        return qpos.shape == (count, model.nq) and qvel.shape == (count, model.nv)

    def before(self, remembered: Any, data: Any) -> None:
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
        where = f"{self._name}.outcome"
        if not isinstance(outcome, Outcome):
            raise TypeError(
                f"{where}: returned {_kind(outcome)}, expected mjenv.Outcome(reward={{...}})"
            )
        if not isinstance(outcome.reward, dict) or not outcome.reward:
            raise TypeError(
                f"{where}: reward is {_kind(outcome.reward)}, expected a dict of terms, such as "
                "{'forward': velocity}"
            )
        shape = (rows,) if self.lead else ()
        for name, term in outcome.reward.items():
            if np.shape(term) not in ((), shape):
                raise ValueError(
                    f"{where}: reward {name!r} has shape {np.shape(term)}, expected {shape}: one "
                    "number for each world; sum over axis=-1"
                )
        ended = np.asarray(outcome.terminated)
        if ended.shape not in ((), shape):
            raise ValueError(f"{where}: terminated has shape {ended.shape}, expected {shape}")
        if ended.dtype != np.bool_:
            raise TypeError(f"{where}: terminated is of type {ended.dtype}, expected bool")
        for name, value in (outcome.info or {}).items():
            if np.ndim(value) and np.shape(value)[: len(shape)] != shape:
                raise ValueError(
                    f"{where}: info {name!r} has shape {np.shape(value)}, expected {shape} first"
                )


def _kind(value: Any) -> str:
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
