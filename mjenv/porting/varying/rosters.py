"""Lists and sets of words of which each world has its own, such as tasks that are still to be done.

A world's list is numbers: for each word that it may hold the place of this word, counted from 1,
and 0 where the list does not hold it; in a set 1 and 0. These numbers are attributes like others
(`attributes.py`): they stay from step to step, and are chosen where worlds differ. A `Roster`
stands for the list while a method is followed. What sets hold are also whole numbers, and tuples
and frozensets of such things: geoms that touch, and pairs of them.
"""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from mjenv.porting.symbols.refusals import FollowAnew
from mjenv.porting.symbols.symbol import Symbol, as_symbol
from mjenv.porting.varying.symbolic_contacts import Possible
from mjenv.porting.varying.words import Word, is_fixed
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
        path: where it is among the environment's places; None for one of a local name, and a copy.
        places: number of each word's place, see the module.
        wrong: whether a world has done what a list of its own would have refused, or what this one
            cannot hold: a word twice.
        order: words such that those that a world has stand there in this order, in every world;
            None where there is no such order, or it is not known.
    """

    def __init__(self, recording: Any, name: str, kind: type, places: dict[Any, Any], path: Any):
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

    @staticmethod
    def of_possible(values: Possible) -> "Roster":
        """The set of what a world may have."""
        if isinstance(values, Roster):
            return values.copied_as(set)
        made = Roster(values.recording, "a set", set, {}, None)
        for there, word in values.entries:
            made._put(word, there)
        return made

    @property
    def entries(self) -> list[tuple[Any, Any]]:  # type: ignore[override]
        """Whether the world has each word, in its order; and the word."""
        held = [word for word in self.places if self._has(word) is not False]
        if self.kind is set:
            self._refuse_order(held)
            return [(self._has(word), word) for word in held]
        if self.order is None or not {*held} <= {*self.order}:
            raise TraceError(
                f"found a loop over {self.name}, whose words stand in another order in each world"
            )
        return [(self._has(word), word) for word in self.order if word in held]

    def _refuse_order(self, words: Iterable[Any]) -> None:
        """Refuse a set of numbers in the order in which Python has them."""
        if not all(isinstance(word, str) for word in words):
            raise TraceError(
                f"found a loop over {self.name}, a set of numbers, which are in another order in "
                "each world; expected sorted(...) of it"
            )

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
        if isinstance(word, Symbol | Word):
            found: Any = False
            for one in self.places:
                # words and numbers are never equal
                if isinstance(one, str) == isinstance(word, Word):
                    found = np.logical_or(found, np.logical_and(self._has(one), word == one))
            return found
        word = thing(word)
        return self._has(word) if word in self.places else False

    def in_order(self) -> Possible:
        """What the world has, sorted."""
        words = sorted(self.places)
        return Possible(self.recording, [(self._has(word), word) for word in words])

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
        if not isinstance(other, Roster) and not isinstance(other, self._kinds):
            return False
        roster = isinstance(other, Roster)
        theirs = other.places if roster else {word: place_in(other, word) for word in other}
        found: Any = True
        for word in dict.fromkeys((*self.places, *theirs)):
            found = np.logical_and(found, self.places.get(word, 0) == theirs.get(word, 0))
        return found

    __hash__ = object.__hash__

    @property
    def _kinds(self) -> tuple[type, ...]:
        return (set, frozenset) if self.kind is set else (list,)

    def numbers(self) -> Symbol:
        """The places of all words, one array."""
        return as_symbol(self.recording, [*self.places.values()])

    # ------------------------------------------------------------ copies

    def copied_as(self, kind: type) -> "Roster":
        """The words in a list or a set that nothing changes."""
        places: dict[Any, Any] = {**self.places}
        if kind is set:
            places = {word: self._count(word) for word in places}
        elif self.kind is set:
            self._refuse_order(places)
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

    def parts(self) -> Any:
        """See `Possible`."""
        return self.kind, self.places, self.wrong

    def inner(self) -> list[Any]:
        """See `Possible`."""
        return []

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
        if self.path is None:
            raise TraceError(f"found {self.name} changed, expected a set, or one that stays")
        known = self._known(value)
        last = self.number() + 1
        self._refuse_where(self._has(known))
        self.places[known] = last
        if self.order is not None:
            # put there again, it stands elsewhere in some worlds
            self.order = None if known in self.order else [*self.order, known]

    def keep(self, word: Any) -> None:
        """Have a word, at the end where it is not there yet."""
        word = self._known(word)
        there = self._has(word)
        if there is True:
            return
        last = self.number() + 1
        if self.order is not None:
            if there is False:
                self.order = [*(one for one in self.order if one != word), word]
            elif self.order[-1:] != [word]:
                # where it is put at the end, it stands behind words that follow it elsewhere
                self.order = None
        first = self.places[word]
        self.places[word] = last if there is False else np.where(there, first, last)

    def add(self, value: Any) -> None:
        """Have one more word."""
        self._change("add", set)
        self._put(value, True)

    def remove(self, value: Any) -> None:
        """Have a word no more, which is there."""
        self._change("remove")
        if self.path is None:
            raise TraceError(f"found {self.name}.remove, expected discard")
        self._refuse_where(np.logical_not(self.has(value)))
        self.drop(value)

    def discard(self, value: Any) -> None:
        """Have a word no more, if it is there."""
        self._change("discard", set)
        self.drop(value)

    def drop(self, word: Any) -> None:
        """Have a word no more, if it is there."""
        word = thing(word)
        if isinstance(word, Word) and self.kind is set:
            for one in word.items:
                if one in self.places:
                    self.places[one] = np.where(word == one, 0, self.places[one])
            return
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

    def _put(self, word: Any, there: Any) -> None:
        """Have a word in worlds where something is true."""
        if isinstance(word, Word):
            for one in word.items:
                self._put(one, np.logical_and(there, word == one))
            return
        word = self._known(word)
        first = self._has(word)
        if there is True or first is True:
            self.places[word] = 1
        elif there is not False:
            there = there if first is False else np.logical_or(first, there)
            self.places[word] = as_symbol(self.recording, there).astype(INT)

    def _change(self, what: str, kind: type | None = None) -> None:
        if kind not in (None, self.kind):
            raise TraceError(f"found {self.name}.{what}, which a {self.kind.__name__} has not")

    def _known(self, word: Any) -> Any:
        word = thing(word)
        of_words = self.kind is list and self.path is not None
        if not is_thing(word) or (of_words and not isinstance(word, str)):
            raise TraceError(
                f"found {word!r} put into {self.name}, expected a word"
                + (", or a number that is the same in all worlds" if self.kind is set else "")
            )
        if word not in self.places and self.path is not None:
            raise RosterFound(self.path, self.name, (word,))
        self.places.setdefault(word, 0)
        return word

    def _refuse_where(self, condition: Any) -> None:
        self.wrong = np.logical_or(self.wrong, condition)

    # ------------------------------------------------------------ sets

    def _with(self, others: Iterable[Any], both: Callable[[Any, Any], Any]) -> "Roster":
        """A set of all that this one and others have by which some rule."""
        if self.kind is not set:
            raise TraceError(f"found {self.name}, a list, in the place of a set")
        made = self.copied_as(set)
        for other in others:
            second = _as_set(self.recording, other)
            for word in dict.fromkeys((*made.places, *second.places)):
                found = both(made.has(word), second.has(word))
                made.places[word] = 0
                made._put(word, found)
        return made

    def union(self, *others: Any) -> "Roster":
        """What any of them has."""
        return self._with(others, np.logical_or)

    def intersection(self, *others: Any) -> "Roster":
        """What all of them have."""
        return self._with(others, np.logical_and)

    def difference(self, *others: Any) -> "Roster":
        """What none of the others has."""
        return self._with(others, lambda a, b: np.logical_and(a, np.logical_not(b)))

    def symmetric_difference(self, other: Any) -> "Roster":
        """What one of the two has."""
        return self._with((other,), lambda a, b: np.not_equal(_as_bool(a), _as_bool(b)))

    __or__ = __ror__ = union
    __and__ = __rand__ = intersection
    __sub__ = difference
    __xor__ = __rxor__ = symmetric_difference

    def __rsub__(self, other: Any) -> "Roster":
        return _as_set(self.recording, other).difference(self)

    def _replace(self, other: "Roster") -> "Roster":
        self._change("update", set)
        for word in other.places:
            self._known(word)
        self.places = dict.fromkeys(self.places, 0) | other.places
        return self

    def update(self, *others: Any) -> None:
        """Have more words."""
        self._replace(self.union(*others))

    def intersection_update(self, *others: Any) -> None:
        """Have what all have."""
        self._replace(self.intersection(*others))

    def difference_update(self, *others: Any) -> None:
        """Have what none of the others has."""
        self._replace(self.difference(*others))

    def __ior__(self, other: Any) -> "Roster":  # type: ignore[misc]
        return self._replace(self.union(other))

    def __iand__(self, other: Any) -> "Roster":  # type: ignore[misc]
        return self._replace(self.intersection(other))

    def __isub__(self, other: Any) -> "Roster":  # type: ignore[misc]
        return self._replace(self.difference(other))

    def issuperset(self, other: Any) -> Any:
        """Whether it has all that another has."""
        return _as_set(self.recording, other).issubset(self)

    def issubset(self, other: Any) -> Any:
        """Whether another has all that it has."""
        return np.logical_not(self.difference(other).any())

    def isdisjoint(self, other: Any) -> Any:
        """Whether they have nothing in common."""
        return np.logical_not(self.intersection(other).any())

    __le__, __ge__ = issubset, issuperset

    def __lt__(self, other: Any) -> Any:
        return np.logical_and(self <= other, np.logical_not(self == other))

    def __gt__(self, other: Any) -> Any:
        return np.logical_and(self >= other, np.logical_not(self == other))

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
    first.order = _merged(first.order, second.order)
    return first


def _merged(one: list[Any] | None, other: list[Any] | None) -> list[Any] | None:
    """An order in which words stand that are in the one order or the other; None for none."""
    if one is None or other is None:
        return None
    shared = [word for word in one if word in other]
    if shared != [word for word in other if word in one]:
        return None
    # what stands in one of them only, before the next word of both
    found, rest = list[Any](), [*other]
    for word in one:
        if word in shared:
            place = rest.index(word)
            found, rest = [*found, *rest[:place]], rest[place + 1 :]
        found.append(word)
    return [*found, *rest]


def _as_set(recording: Any, value: Any) -> Roster:
    """A set of what something has."""
    if isinstance(value, Possible):
        return Roster.of_possible(value)
    return Roster.of(recording, "a set", {thing(one) for one in value}, (), None)


def _as_bool(value: Any) -> Any:
    """A condition as numpy's comparisons take it."""
    return value if isinstance(value, Symbol) else bool(value)


def thing(value: Any) -> Any:
    """What a set holds of a value: numbers are Python's."""
    return int(value) if isinstance(value, np.integer) else value


def is_thing(value: Any) -> bool:
    """True for what sets may hold that differ between worlds."""
    if isinstance(value, tuple | frozenset):
        return all(map(is_thing, value))
    return is_fixed(value) or type(value) is int


def is_of_words(value: Any) -> bool:
    """True for a list of words, each of them once, for a set of things, and for nothing."""
    if type(value) is set:
        return all(map(is_thing, value))
    plain = type(value) is list and all(type(one) is str for one in value)
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
