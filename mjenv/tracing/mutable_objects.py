"""Mutable objects that functions read: how their content is copied, compared and restored."""

from collections import deque
from collections.abc import Callable
from operator import is_
from types import CellType
from typing import Any, NamedTuple

import numpy as np

NOTHING = object()


class Binding(NamedTuple):
    """A name of a module or of a class.

    Attributes:
        path: how the user calls it.
        owner: the class, or the module's dictionary.
        space: where the name is looked up.
        name: the name.
        value: what it meant.
        noticed: whether another value is noticed when it is assigned.
    """

    path: str
    owner: Any
    space: Any
    name: str
    value: Any
    noticed: bool

    def write(self) -> None:
        """Give the name its value again."""
        if isinstance(self.owner, dict):
            self.owner[self.name] = self.value
        elif self.value is NOTHING and self.name in self.space:
            delattr(self.owner, self.name)
        elif self.space.get(self.name, NOTHING) is not self.value:
            setattr(self.owner, self.name, self.value)


class MutableObject(NamedTuple):
    """A mutable object, and a snapshot of its content.

    Attributes:
        path: how the user calls it.
        thing: the thing.
        saved: a copy of what it held.
        read: makes such a copy.
        write: puts such a copy back.
    """

    path: str
    thing: Any
    saved: Any
    read: Callable[[Any], Any]
    write: Callable[[Any, Any], None]


def refill(thing: Any, saved: Any) -> None:
    """Put the content of a dict or a set back."""
    thing.clear()
    thing.update(saved)


def _replace(thing: Any, saved: Any) -> None:
    thing.clear()
    thing.extend(saved)


def _fill(thing: np.ndarray, saved: np.ndarray) -> None:
    if thing.flags.writeable:
        thing[...] = saved


def bits(thing: Any) -> bytes:
    """Contents of an array of another library."""
    return np.asarray(thing).tobytes()


def leave(thing: Any, saved: bytes) -> None:
    """Nothing: the contents of another library's arrays are not put back."""


def content(cell: CellType) -> list:
    """Contents of a cell of captured values; [] if nothing as yet."""
    try:
        return [cell.cell_contents]
    except ValueError:  # empty as yet
        return []


def _put(cell: CellType, saved: list) -> None:
    if saved:
        cell.cell_contents = saved[0]
    elif content(cell):
        del cell.cell_contents


# type -> how its content is copied and put back
KINDS: dict[type, tuple[Callable, Callable]] = {
    dict:       (dict,     refill),
    list:       (list,     _replace),
    set:        (set,      refill),
    deque:      (list,     _replace),
    bytearray:  (bytes,    _replace),
    np.ndarray: (np.copy,  _fill),
    CellType:   (content,  _put),
}  # fmt: skip


def unchanged(mutable: MutableObject) -> bool:
    """True if something holds the very same objects as when it was copied."""
    present = mutable.read(mutable.thing)
    if isinstance(present, dict):
        pairs = present.values(), mutable.saved.values()
        return list(present) == list(mutable.saved) and all(map(is_, *pairs))
    if isinstance(present, list):
        return len(present) == len(mutable.saved) and all(map(is_, present, mutable.saved))
    return present == mutable.saved


def slots(thing: Any) -> dict[str, Any]:
    """Attributes of an object in slots."""
    names = [n for kind in type(thing).__mro__ for n in _names_of(vars(kind).get("__slots__", ()))]
    return {n: getattr(thing, n) for n in names if n[:2] != "__" and hasattr(thing, n)}


def _names_of(slots: Any) -> tuple[str, ...]:
    return (slots,) if isinstance(slots, str) else tuple(slots)


def put_slots(thing: Any, saved: dict[str, Any]) -> None:
    """Put back what an object held in slots."""
    for name, value in saved.items():
        object.__setattr__(thing, name, value)


def alike(a: Any, b: Any) -> bool:
    """True if values are the same object, or numbers of the same type and bits."""
    if a is b:
        return True
    if type(a) is not type(b):
        return False
    if isinstance(a, int | str | bytes):
        return a == b
    if isinstance(a, float | np.generic):
        return np.asarray(a).tobytes() == np.asarray(b).tobytes()
    if isinstance(a, tuple):
        return len(a) == len(b) and all(map(alike, a, b))
    return False


def items(saved: Any, read: Callable[[Any], Any]) -> list[tuple[str, Any]]:
    """Contents of a copy of a container, under the names that users have for it."""
    if read is content:
        return [("", value) for value in saved]
    if isinstance(saved, dict):
        return [(f"[{key!r}]", value) for key, value in saved.items()]
    if isinstance(saved, list):
        return [(f"[{i}]", value) for i, value in enumerate(saved)]
    if isinstance(saved, set):
        return [(f"{{{value!r}}}", value) for value in saved]
    return [("", saved)] if isinstance(saved, bytes) else []


def is_constant_array(array: np.ndarray) -> bool:
    """True if nobody can write into an array."""
    while isinstance(array, np.ndarray):
        if array.flags.writeable:
            return False
        if array.base is None:
            return True
        array = array.base
    return False
