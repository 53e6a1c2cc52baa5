"""Lists and sets of words of which each world has its own, such as tasks that are still to be done.

A world's list is numbers: for each word that it may hold the place of this word, counted from 1,
and 0 where the list does not hold it; in a set 1 and 0. These numbers are attributes like others
(`attributes.py`): they stay from step to step, and are chosen where worlds differ. A `Roster`
stands for the list while a method is followed.
"""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from mjenv.porting.refusals import FollowAnew
from mjenv.porting.symbolic_contacts import Possible
from mjenv.porting.symbols import Symbol, as_symbol
from mjenv.tracing.arrays import INT, TraceError

# kinds of steps into lists and sets of words, and from an attribute to the number of its word
IN, WRONG, WORD = "in", "wrong", "word"


class RosterFound(FollowAnew):
    """Words are changed that were taken for constants, or there are others.

    Attributes:
        path: where it is.
        words: that it may have, or members of an enumeration, besides those that are known.
    """

    def __init__(self, path: Any, name: str, words: Iterable[Any]):
        self.path, self.words = path, tuple(words)
        has = f" to have {', '.join(map(repr, self.words))}" if self.words else ""
        super().__init__(f"found {name} changed{has}, which no episode before has shown")


class Roster(Possible):
    """A list or a set of words that differs between worlds.

    Attributes:
        name: where the environment has it.
        kind: `list` or `set`.
        path: where it is among the environment's places; None for a copy, which cannot be changed.
        places: number of each word's place, see the module.
        wrong: whether a world has done what a list of its own would have refused, or what this one
            cannot hold: a word twice.
        order: words in the order in which they stand in every world; None where that is not known.
    """

    def __init__(self, recording: Any, name: str, kind: type, places: dict[str, Any], path: Any):
        self.recording, self.name, self.kind, self.path = recording, name, kind, path
        self.places, self.wrong = places, False
        self.order: list[str] | None = [*places] if kind is set else None

    @staticmethod
    def of(recording: Any, name: str, value: Any, words: Iterable[str], path: Any) -> "Roster":
        """That of a list or a set as it is; a set is looped over in its own order."""
        places = {word: place_in(value, word) for word in dict.fromkeys((*value, *words))}
        made = Roster(recording, name, type(value), places, path)
        if made.kind is list:
            made.order = [*value]
        return made

    # ------------------------------------------------------------ what it has

    @property
    def entries(self) -> list[tuple[Any, Any]]:  # type: ignore[override]
        """Whether the world has each word, in its order; and the word."""
        held = [word for word in self.places if self._has(word) is not False]
        if self.kind is set:
            return [(self._has(word), word) for word in held]
        if self.order is None or not {*held} <= {*self.order}:
            raise TraceError(
                f"found a loop over {self.name}, a list that stays from step to step, whose words "
                "stand in another order in each world"
            )
        return [(self._has(word), word) for word in self.order if word in held]

    def _has(self, word: str) -> Any:
        place = self.places[word]
        known = self.recording.numbers(place.ids) if isinstance(place, Symbol) else place
        return place > 0 if known is None else bool(known)

    def _count(self, word: str) -> Any:
        """1 where the world has a word, else 0."""
        there = self._has(word)
        return there.astype(INT) if isinstance(there, Symbol) else int(there)

    def has(self, word: Any) -> Any:
        """Whether the world has a word: True, False or a symbol."""
        return self._has(word) if isinstance(word, str) and word in self.places else False

    def __contains__(self, word: Any) -> bool:
        return bool(self.has(word))

    def number(self) -> Any:
        """How many words the world has."""
        total: Any = 0
        for word in self.places:
            total = total + self._count(word)
        return total

    def any(self) -> Any:
        """Whether the world has a word."""
        return self.number() > 0

    def __eq__(self, other: Any) -> Any:
        """Whether it has the same words, in a list at the same places."""
        if not isinstance(other, Roster) and type(other) is not self.kind:
            return False
        roster = isinstance(other, Roster)
        theirs = other.places if roster else {word: place_in(other, word) for word in other}
        found: Any = True
        for word in dict.fromkeys((*self.places, *theirs)):
            found = np.logical_and(found, self.places.get(word, 0) == theirs.get(word, 0))
        return found

    __hash__ = object.__hash__

    def numbers(self) -> Symbol:
        """The places of all words, one array."""
        return as_symbol(self.recording, [*self.places.values()])

    # ------------------------------------------------------------ copies

    def copied_as(self, kind: type) -> "Roster":
        """The words in a list or a set that nothing changes."""
        places: dict[str, Any] = {**self.places}
        if kind is set:
            places = {word: self._count(word) for word in places}
        elif self.kind is set:
            before: Any = 0
            for word in places:
                before = before + self._count(word)
                places[word] = before * self._count(word)
        made = Roster(self.recording, f"a copy of {self.name}", kind, places, None)
        made.order = None if self.order is None else [*self.order]
        return made

    def copy(self) -> "Roster":
        """The same as it is now."""
        return self.copied_as(self.kind)

    __copy__ = copy

    def __deepcopy__(self, _: Any) -> "Roster":
        return self.copy()

    def fill(self, other: "Roster") -> None:
        """Have what another one has."""
        self.places, self.wrong, self.order = {**other.places}, other.wrong, other.order

    def saved(self) -> Callable[[], None]:
        """Return a function that has everything as it is now."""
        places, wrong, order = {**self.places}, self.wrong, self.order

        def put_back() -> None:
            self.places, self.wrong, self.order = {**places}, wrong, order

        return put_back

    # ------------------------------------------------------------ changes

    def append(self, value: Any) -> None:
        """Have one more word at the end."""
        self._change("append", list)
        known = self._known(value)
        last = self.number() + 1
        self._refuse_where(self._has(known))
        self.places[known] = last
        if self.order is not None:
            # put there again, it stands elsewhere in some worlds
            self.order = None if known in self.order else [*self.order, known]

    def add(self, value: Any) -> None:
        """Have one more word."""
        self._change("add", set)
        self.places[self._known(value)] = 1

    def remove(self, value: Any) -> None:
        """Have a word no more, which is there."""
        self._change("remove")
        self._refuse_where(np.logical_not(self.has(value)))
        self._remove(value)

    def discard(self, value: Any) -> None:
        """Have a word no more, if it is there."""
        self._change("discard", set)
        self._remove(value)

    def _remove(self, word: Any) -> None:
        if word not in self.places:
            return
        gone = self.places[word]
        if self.kind is list:
            for one, place in self.places.items():
                behind = np.logical_and(gone > 0, place > gone)
                self.places[one] = place - as_symbol(self.recording, behind).astype(INT)
        self.places[word] = 0

    def clear(self) -> None:
        """Have no words."""
        self._change("clear")
        self.places.update(dict.fromkeys(self.places, 0))
        if self.kind is list:
            everywhere = self.recording.paths.effects.condition is None
            self.order = [] if everywhere else None

    def extend(self, values: Iterable[Any]) -> None:
        """Have more words at the end."""
        for one in values:
            self.append(one)

    def update(self, values: Iterable[Any]) -> None:
        """Have more words."""
        for one in values:
            self.add(one)

    def _change(self, what: str, kind: type | None = None) -> None:
        if self.path is None:
            raise TraceError(f"found {self.name} changed, expected one that stays as it is")
        if kind not in (None, self.kind):
            raise TraceError(f"found {self.name}.{what}, which a {self.kind.__name__} has not")

    def _known(self, word: Any) -> str:
        if not isinstance(word, str):
            raise TraceError(f"found {word!r} put into {self.name}, expected a word")
        if word not in self.places:
            raise RosterFound(self.path, self.name, (word,))
        return word

    def _refuse_where(self, condition: Any) -> None:
        self.wrong = np.logical_or(self.wrong, condition)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise TraceError(f"found {self.name}.{name} of words that differ between worlds")


def one_of(condition: Symbol, one: Any, other: Any) -> Roster:
    """A copy of one list or another."""
    first, second = (
        x.copy() if isinstance(x, Roster) else Roster.of(condition.recording, "a list", x, x, None)
        for x in (one, other)
    )
    if first.kind is not second.kind:
        raise TraceError("found a list or a set of words after an `if`")
    for word in dict.fromkeys((*first.places, *second.places)):
        places = first.places.get(word, 0), second.places.get(word, 0)
        first.places[word] = np.where(condition, *places)
    first.order = first.order if first.order == second.order else None
    return first


def is_of_words(value: Any) -> bool:
    """True for a list or a set of words, each of them once, or of nothing."""
    plain = type(value) in (list, set) and all(type(one) is str for one in value)
    return plain and len({*value}) == len(value)


def place_in(value: Any, word: str) -> int:
    """Number of a word's place."""
    if word not in value:
        return 0
    return value.index(word) + 1 if isinstance(value, list) else 1


class RealLists:
    """Puts words into lists of an environment one by one, though others have their places yet."""

    def __init__(self) -> None:
        self._places: dict[Any, dict[str, int]] = {}

    def put(self, path: Any, value: Any, word: str, place: int) -> None:
        """Have a word at a place of a list or a set; 0 for none."""
        if isinstance(value, set):
            (value.add if place else value.discard)(word)
            return
        known = self._places.setdefault(path, {})
        known[word] = place
        there = {one: k for k, one in enumerate(value, 1)} | known
        value[:] = sorted((one for one, k in there.items() if k), key=lambda one: there[one])


def words_of(places: np.ndarray, kind: type, words: tuple[str, ...]) -> np.ndarray:
    """The words, lists or sets of worlds, by the numbers of places.

    Args:
        places: (nworld, nword); of words (nworld,).
        kind: `str`, `list` or `set`.
        words: (nword,).

    Returns:
        (nworld,) of objects.
    """
    if kind is str:
        return np.array(words, object)[np.asarray(places, np.int64)]
    found, known = np.empty(len(places), object), dict[bytes, Any]()
    rows = np.asarray(places, np.int16)
    for world, row in enumerate(rows):
        key = row.tobytes()
        if key not in known:
            held = [k for k in np.argsort(row, kind="stable").tolist() if row[k]]
            known[key] = kind(words[k] for k in held)
        found[world] = known[key].copy()
    return found
