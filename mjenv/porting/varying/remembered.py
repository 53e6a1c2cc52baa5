"""Results of functions of a package by what they were given, so that none is followed twice.

A function that changes nothing gives the same symbols for the same contents of its arguments, of
the environment's attributes and of the data, as long as what it asks of values has the same
answers. Ways through a function so run what it calls once, not once for each of them.
"""

from typing import Any, NamedTuple

import numpy as np

from mjenv.porting.symbols.symbol import Symbol
from mjenv.porting.varying.symbolic_contacts import Contact, Contacts, Place, Possible

_PLAIN = (bool, int, float, str, bytes, type(None), np.generic)


class Result(NamedTuple):
    """What a function has given.

    Attributes:
        asked: answers of questions of its callers that it has asked, too.
        value: its result, with arrays of its own.
        raised: number of the error that it ends in, a symbol or 0.
        kept: objects that its key names by their addresses.
        changes: what it has changed; None for nothing.
    """

    asked: dict[int, bool]
    value: Any
    raised: Any
    kept: list[Any]
    changes: Any = None


class Remembered:
    """Results by contents."""

    def __init__(self) -> None:
        self._results: dict[Any, list[Result]] = {}

    def find(self, key: Any, answers: dict[int, bool]) -> Result | None:
        """The result for a key where these answers were given; None for there is none."""
        for one in self._results.get(key, ()):
            if all(answers.get(question) is said for question, said in one.asked.items()):
                return one._replace(value=copied(one.value))
        return None

    def put(self, key: Any, result: Result, live: list[np.ndarray]) -> None:
        """Keep a result, if it has no parts of arrays that may change.

        Args:
            key: see `content`.
            result: as the function has given it.
            live: arrays of the data, of attributes and of arguments.
        """
        arrays: list[np.ndarray] = []
        if not _gather(result.value, arrays):
            return
        if any(np.may_share_memory(one, other) for one in arrays for other in live):
            return
        self._results.setdefault(key, []).append(result._replace(value=copied(result.value)))


def content(value: Any, kept: list[Any]) -> Any:
    """A key that is equal for equal contents.

    Args:
        value: anything.
        kept: gets objects that stand for themselves, whose addresses must not be given to others.
    """
    # values and numbers
    if isinstance(value, Symbol):
        more = value.known_type, value.contact.slot if isinstance(value, Place) else 0
        ids = value.ids
        return type(value), value.dtype.char, value.bound, ids.shape, ids.tobytes(), more
    if isinstance(value, np.ndarray) and value.dtype.kind in "fiub":
        return value.dtype.char, value.shape, value.tobytes()
    if isinstance(value, float):
        return type(value), value.hex()
    if isinstance(value, np.generic):
        return type(value), value.tobytes()
    if isinstance(value, _PLAIN):
        return type(value), value
    # what has others in it
    if isinstance(value, dict):
        return type(value), *((name, content(one, kept)) for name, one in value.items())
    if isinstance(value, list | tuple):
        return type(value), *(content(one, kept) for one in value)
    if isinstance(value, set | frozenset):
        return type(value), frozenset(value)
    # what the world may have
    if type(value) is Contact:
        return Contact, value.slot
    if type(value) is Contacts:
        return Contacts
    if isinstance(value, Possible):
        return type(value), content(value.parts(), kept)
    kept.append(value)
    return type(value), id(value)


def arrays_of(value: Any) -> list[np.ndarray]:
    """Arrays in lists, tuples and dicts, of numbers or of the numbers of values.

    Single numbers are none: they do not change in place.
    """
    found: list[np.ndarray] = []
    _gather(value, found)
    return found


def copied(value: Any) -> Any:
    """The same with arrays, lists and dicts of its own."""
    if isinstance(value, Symbol | np.ndarray):
        return value.copy()
    if isinstance(value, dict):
        made = value.copy()
        made.update({name: copied(one) for name, one in value.items()})
        return made
    if isinstance(value, list):
        return [copied(one) for one in value]
    if isinstance(value, tuple):
        parts = [copied(one) for one in value]
        return type(value)(*parts) if hasattr(value, "_fields") else type(value)(parts)
    return value


def _gather(value: Any, arrays: list[np.ndarray]) -> bool:
    """List all arrays; whether there is nothing else but numbers and words."""
    if type(value) in (Symbol, np.ndarray):
        if value.ndim:
            arrays.append(value.ids if isinstance(value, Symbol) else value)
        return True
    if isinstance(value, dict):
        value = value.values()
    elif not isinstance(value, list | tuple):
        return isinstance(value, _PLAIN)
    whole = True
    for one in value:
        whole = _gather(one, arrays) and whole
    return whole
