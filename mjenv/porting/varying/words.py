"""A word that differs between worlds, such as the name of a task: by the number of its place.

Members of enumerations are words, too: a phase of a task, or a mode of a controller. Code asks for
them by `is`, and computes with them, so that a step begins with each of them on a way of its own.

Comparisons are values, which an `if` may choose by. Where code needs the word itself, to look it up
in a dict or to write it, each word is followed on a way of its own. An attribute that is a word has
the number as what stays from step to step (`attributes.py`).
"""

from collections.abc import Sequence
from enum import Enum
from typing import Any

import numpy as np

from mjenv.porting.symbols.symbol import Symbol, as_symbol
from mjenv.tracing.arrays import TraceError


class Word:
    """One of several words, or of other things without numbers.

    Attributes:
        items: what it may be.
        place: number of its place among them, a symbol.
    """

    def __init__(self, items: Sequence[Any], place: Symbol):
        vars(self).update(items=[*items], place=place)

    items: list[Any]
    place: Symbol

    @staticmethod
    def joined(condition: Symbol, one: Any, other: Any) -> "Word":
        """One word where a condition is true, else another."""
        items: list[Any] = []
        for word in (one, other):
            items += [x for x in items_of(word) if x not in items]
        places = place_among(one, items), place_among(other, items)
        return Word(items, as_symbol(condition.recording, np.where(condition, *places)))

    def settled(self) -> Any:
        """The word that it is on this way; each is followed on one of its own.

        Raises:
            TraceError: ways must not go apart here.
        """
        paths = self.place.recording.paths
        if paths.joins:
            raise TraceError(
                f"found one of {self.items} in a loop or an `if` of values, expected == or !="
            )
        return self.items[paths.which(self.place, tuple(range(len(self.items))))]

    def __eq__(self, other: Any) -> Any:
        if isinstance(other, Word):
            if other.items == self.items:
                return self.place == other.place
            return _any(np.logical_and(self == one, other == one) for one in self.items)
        return _any(self.place == k for k, one in enumerate(self.items) if one == other)

    def __ne__(self, other: Any) -> Any:
        return np.logical_not(self == other)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.settled(), name)

    def __hash__(self) -> int:
        return hash(self.settled())

    def __bool__(self) -> bool:
        return bool(self.settled())

    def __str__(self) -> str:
        return str(self.settled())

    def __repr__(self) -> str:
        return repr(self.settled())

    def __format__(self, form: str) -> str:
        return format(self.settled(), form)

    def __len__(self) -> int:
        return len(self.settled())

    def __iter__(self) -> Any:
        return iter(self.settled())

    def __contains__(self, part: Any) -> bool:
        return part in self.settled()

    def __getitem__(self, index: Any) -> Any:
        return self.settled()[index]

    def value(self) -> Any:
        """The word itself; where ways must not go apart, the number that a member of `IntEnum` is.

        Raises:
            TraceError: it may be something else there.
        """
        recording: Any = self.place.recording
        if not recording.paths.joins or not all(isinstance(one, int) for one in self.items):
            return self.settled()
        found: Any = int(self.items[0])
        for k, one in enumerate(self.items[1:], 1):
            found = np.where(self.place == k, int(one), found)
        return as_symbol(recording, found)

    def __add__(self, other: Any) -> Any:
        return self.value() + other

    def __radd__(self, other: Any) -> Any:
        return other + self.value()

    def __sub__(self, other: Any) -> Any:
        return self.value() - other

    def __rsub__(self, other: Any) -> Any:
        return other - self.value()

    def __mul__(self, other: Any) -> Any:
        return self.value() * other

    def __rmul__(self, other: Any) -> Any:
        return other * self.value()

    def __lt__(self, other: Any) -> Any:
        return self.value() < other

    def __le__(self, other: Any) -> Any:
        return self.value() <= other

    def __gt__(self, other: Any) -> Any:
        return self.value() > other

    def __ge__(self, other: Any) -> Any:
        return self.value() >= other


def _any(conditions: Any) -> Any:
    """Whether one of some conditions is true."""
    found: Any = False
    for one in conditions:
        # one alone stays the value that ways know the answer of
        found = one if found is False else np.logical_or(found, one)
    return found


def is_fixed(value: Any) -> bool:
    """True for a word that is known; members of enumerations are words, too."""
    return type(value) is str or isinstance(value, Enum)


def has_members(words: Sequence[Any]) -> bool:
    """True where members of enumerations are among words."""
    return any(isinstance(word, Enum) for word in words)


def is_word(value: Any) -> bool:
    """True for a word, and for one of several."""
    return is_fixed(value) or isinstance(value, Word)


def items_of(word: Any) -> list[Any]:
    """What a word may be."""
    return word.items if isinstance(word, Word) else [word]


def place_among(word: Any, items: Sequence[Any]) -> Any:
    """Number of a word's place among others, which have it: a number or a symbol."""
    if not isinstance(word, Word):
        return [*items].index(word)
    if word.items == [*items]:
        return word.place
    places = np.array([[*items].index(one) for one in word.items])
    found: Any = int(places[0])
    for k, place in enumerate(places[1:].tolist(), 1):
        found = np.where(word.place == k, place, found)
    return found
