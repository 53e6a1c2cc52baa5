"""State of a task beside the physics: named arrays of each world.

They lie in `userdata`, behind what the model itself has there, and so they are part of the state:
saved, restored, forked and cleared with it.
"""

from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from math import prod
from typing import Any

import numpy as np


class TaskState:
    """Layout of a task's arrays in `userdata`.

    Attributes:
        names: of the arrays, in their order.
        size: how many numbers there are in each world.
        start: where they begin in `userdata`.
        initial: (size,) what episodes start with.
    """

    def __init__(self, where: str, declared: Any, start: int, taken: Sequence[str] = ()):
        """Lay out what a task declares.

        Args:
            where: name of the task, for messages.
            declared: name -> initial value, a number or an array.
            start: size of the model's own `userdata`.
            taken: names that arrays cannot have.

        Raises:
            TypeError: something else is declared.
            ValueError: a name is taken.
        """
        # arrays by name
        self._where = f"{where}.state"
        if not isinstance(declared, Mapping):
            raise TypeError(
                f"{self._where}: found {type(declared).__name__}, expected a dict of names and "
                "initial values, such as {'command': np.zeros(3), 'phase': 0.0}"
            )
        # each gets a range of `userdata`, behind the model's own
        self.start, self.size = start, 0
        self._places: dict[str, tuple[slice, tuple[int, ...]]] = {}
        values = [np.zeros(0)]
        for name, value in declared.items():
            array = np.asarray(value)
            # names under which task functions can read them
            if not isinstance(name, str) or not name.isidentifier() or name.startswith("_"):
                raise TypeError(f"{self._where}: found the name {name!r}, expected an identifier")
            if hasattr(Mapping, name):
                raise ValueError(
                    f"{self._where}: found the name {name!r}, which data.state has as a dict has, "
                    "expected another one"
                )
            if name in taken:
                raise ValueError(
                    f"{self._where}: {name!r} is the name of a field that `reset` gives, expected "
                    "one of your own"
                )
            # numbers only: the engine's memory is float64
            if array.dtype.kind == "b":
                raise TypeError(
                    f"{self._where}: {name!r} is {value!r}, expected numbers, as arrays are "
                    f"float64: write 0.0 or 1.0, and data.state.{name} > 0.5 where it is read"
                )
            if array.dtype.kind not in "fiu" or not array.size:
                raise TypeError(
                    f"{self._where}: {name!r} is {value!r}, expected its initial value: a number "
                    "or an array of numbers"
                )
            # places, and the values that every episode starts with
            self._places[name] = slice(self.size, self.size + array.size), array.shape
            self.size += array.size
            values.append(array.astype(np.float64).reshape(-1))
        self.names, self.initial = tuple(self._places), np.concatenate(values)

    def own(self, userdata: Any) -> Any:
        """The task's part (..., size) of `userdata`."""
        return userdata[..., self.start : self.start + self.size]

    def part(self, own: Any, name: str) -> Any:
        """An array (..., *shape) of the task's part of `userdata`.

        Raises:
            AttributeError: no array has this name.
        """
        if name not in self._places:
            raise AttributeError(self._unknown(name))
        place, shape = self._places[name]
        if not shape:
            return own[..., place.start]
        if len(shape) == 1:
            return own[..., place]
        return own[..., place].reshape(*own.shape[:-1], *shape)

    def shape(self, name: str) -> tuple[int, ...]:
        """Shape of an array in one world."""
        return self._places[name][1]

    def values(self, method: str, given: Any, lead: tuple[int, ...]) -> dict[str, Any]:
        """New values as a function of the task has given them, after a look at their shapes.

        Args:
            method: the function.
            given: name -> array (*lead, *shape), or the same for all worlds.
            lead: (number of worlds,), or () for one without an axis.

        Raises:
            TypeError: it is no dict.
            ValueError: it has another name, or a value of another shape.
        """
        where = f"{self._where.removesuffix('.state')}.{method}"
        if not isinstance(given, dict):
            found = "nothing" if given is None else f"a {type(given).__name__}"
            raise TypeError(
                f"{where}: returned {found}, expected a dict of new values of `state`, such as "
                "{'phase': data.state.phase + 0.1}"
            )
        for name, value in given.items():
            if name not in self._places:
                raise ValueError(f"{where}: {self._unknown(name)}")
            shape = self._places[name][1]
            if np.shape(value) not in ((*lead, *shape), shape):
                raise ValueError(
                    f"{where}: {name!r} has shape {np.shape(value)}, expected {(*lead, *shape)}"
                )
        return given

    def take(
        self,
        userdata: np.ndarray,
        values: np.ndarray,
        some: np.ndarray | None,
        live: np.ndarray | None,
    ) -> None:
        """Take values (nworld, size) of all worlds, in those of `some` that are live."""
        own = self.own(userdata)
        if some is None and live is None:
            own[:] = values
        else:
            worlds: Any = live if some is None else some if live is None else some[live]
            own[worlds] = values[worlds]

    def write(self, userdata: np.ndarray, worlds: Any, given: Mapping[str, Any]) -> None:
        """Write new values into `userdata` (nworld, nuserdata), for some worlds."""
        for name, value in given.items():
            place, shape = self._places[name]
            columns = slice(self.start + place.start, self.start + place.stop)
            rows = np.asarray(value, np.float64)
            rows = rows.reshape(*rows.shape[: rows.ndim - len(shape)], prod(shape))
            userdata[worlds, columns] = rows

    def _unknown(self, name: str) -> str:
        near = get_close_matches(name, self.names, 1)
        hint = f"did you mean {near[0]!r}?" if near else f"expected one of {list(self.names)}"
        return f"found {name!r}, which `state` does not declare; {hint}"


class StateView(Mapping):
    """The arrays of a task by name: `data.state.command` is (..., 3).

    They follow the physics that they belong to: in one world (3,), in many (nworld, 3).
    """

    def __init__(self, state: TaskState, fields: Any):
        """Of the physics as somebody sees it, whose `userdata` is looked up when it is needed."""
        self.__dict__.update(_state=state, _fields=fields)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        state = self._state
        return state.part(state.own(self._fields.userdata), name)

    def __getitem__(self, name: str) -> Any:
        try:
            return getattr(self, name)
        except AttributeError as error:
            raise KeyError(str(error)) from None

    def __setattr__(self, name: str, value: Any) -> None:
        array = getattr(self, name)
        if isinstance(array, np.ndarray) and array.flags.writeable:
            array[...] = value
            return
        raise TypeError(
            f"found an assignment to data.state.{name}, expected functions that only read; give "
            "new values in the method update"
        )

    def __iter__(self) -> Iterator[str]:
        return iter(self._state.names)

    def __len__(self) -> int:
        return len(self._state.names)

    def __dir__(self) -> list[str]:
        return list(self._state.names)

    def __repr__(self) -> str:
        return f"<state {{{', '.join(f'{name!r}: {self[name]}' for name in self)}}}>"
