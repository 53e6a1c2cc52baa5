"""The physics as tasks see it: fields that can be read and not written."""

from typing import Any

import numpy as np

from mjenv.contacts import contacts_of
from mjenv.engine.data.views import Locked
from mjenv.task.task_state import StateView


class ReadOnly(Locked):
    """Something whose arrays, and those of its parts, are seen as arrays that cannot be written."""

    def __init__(self, inner: Any, lasting: bool = False, state: Any = None):
        """Wrap it.

        Args:
            inner: data, a view of one world, or a part of them.
            lasting: whether arrays among its attributes stay the same objects; these are then
                found at no cost.
            state: what lays out a task's own arrays, the attribute `state`; None for none.
        """
        members = vars(self)
        members["_inner"] = inner
        if state is not None:
            members["state"] = StateView(state, self)
        if lasting:
            arrays = {n: a for n, a in vars(inner).items() if isinstance(a, np.ndarray)}
            members.update((name, locked(array)) for name, array in arrays.items())

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name == "contact":
            return contacts_of(self._inner)
        return _seen(getattr(self._inner, name))

    def __getitem__(self, key: Any) -> Any:
        return _seen(self._inner[key])

    def __len__(self) -> int:
        return len(self._inner)

    def __call__(self, *values: Any) -> Any:
        return _seen(self._inner(*values))

    def __dir__(self) -> Any:
        return dir(self._inner)

    def __setattr__(self, name: str, value: Any) -> None:
        raise TypeError(
            f"found an assignment to data.{name}, expected functions that only read; give initial "
            "states in the method reset, and what a step does in the model"
        )

    def __setitem__(self, key: Any, value: Any) -> None:
        raise TypeError("found an assignment to data, expected functions that only read")


def locked(array: np.ndarray) -> np.ndarray:
    """A view of an array that cannot be written."""
    view = array.view()
    view.flags.writeable = False
    return view


def frozen(value: Any) -> Any:
    """Values whose arrays, also those in tuples, lists and dictionaries, cannot be written."""
    if isinstance(value, np.ndarray):
        return locked(value)
    if type(value) in (tuple, list):
        return type(value)(map(frozen, value))
    if type(value) is dict:
        return {name: frozen(one) for name, one in value.items()}
    return value


def _seen(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return locked(value)
    if isinstance(value, int | float | str | bytes | tuple | np.generic) or value is None:
        return value
    return value if type(value).__name__ == "Model" else ReadOnly(value)
