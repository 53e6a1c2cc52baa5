"""What bodies of loops and branches change besides local names, where their condition is true."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from mjenv.porting.attributes import Path, Places, is_number, named
from mjenv.porting.choices import ABSENT, choose, is_same
from mjenv.porting.symbols import Symbol, as_symbol
from mjenv.tracing.arrays import BOOL, TraceError


class Effects:
    """Attributes, fields of the data, and random numbers.

    Attributes:
        may_give_up: whether a loop that does not end can be left to Python.
    """

    def __init__(self, recording: Any, places: Places, physics: Any, may_give_up: bool):
        self._recording, self._places, self._physics = recording, places, physics
        self.may_give_up = may_give_up
        self._conditions: list[Any] = []

    @property
    def condition(self) -> Any:
        """Whether a world gets here, a symbol; None: all do."""
        found = None
        for one in self._conditions:
            found = one if found is None else np.logical_and(found, one)
        return found

    def drawn(self) -> int:
        """How many random numbers have been asked for."""
        return len(self._physics.draws)

    def moves(self) -> int:
        """How often the physics have been called."""
        return self._physics.snapshot()[0]

    @contextmanager
    def only_where(self, condition: Any) -> Iterator[None]:
        """While it lasts, what is changed, is changed in worlds where a condition is true."""
        attributes, fields = self._attributes(), self._physics.snapshot()
        self._conditions.append(condition)
        try:
            yield
        finally:
            self._conditions.pop()
        asked = as_symbol(self._recording, condition).astype(BOOL).reshape(())
        self._physics.choose(asked, fields)
        self._choose(asked, attributes)

    def _attributes(self) -> dict[Path, Any]:
        """Attributes as they are; copies of what can be changed in place."""
        found = {}
        for path, value in self._places._walk():
            array = isinstance(value, np.ndarray) and value.dtype.kind in "fiub"
            found[path] = value.copy() if array or isinstance(value, Symbol) else value
        return found

    def _choose(self, condition: Symbol, before: dict[Path, Any]) -> None:
        """Attributes as they are, or as they were."""
        for path, new in self._attributes().items():
            old = before.get(path, ABSENT)
            plain = isinstance(new, Symbol) or is_number(new) or new is None or type(new) is str
            if old is ABSENT:
                raise TraceError(f"found {named(path)}, which only one side of an `if` makes")
            if is_same(new, old) or not plain:
                continue
            if isinstance(new, Symbol) and not is_number(old) and not isinstance(old, Symbol):
                raise TraceError(f"found {old!r} or a number at one place after an `if`")
            self._places.put(path, choose(condition, new, old))
