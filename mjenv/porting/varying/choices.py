"""Results of several ways through a function: each world has that of its own way."""

from collections import OrderedDict
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin

from mjenv.porting.symbols.refusals import MissingNumber
from mjenv.porting.symbols.symbol import Maybe, Symbol, as_symbol, has_symbols
from mjenv.porting.varying.registers import Register, can_be_joined
from mjenv.porting.varying.rosters import Roster, is_of_words, one_of
from mjenv.porting.varying.symbolic_contacts import Contacts, Possible
from mjenv.porting.varying.words import Word, is_fixed, is_word
from mjenv.tracing.arrays import BOOL, TraceError

MISSING: Any = object()  # for an info that a way does not give
ABSENT: Any = type("Absent", (), {"__repr__": lambda self: "nothing"})()  # for a name without value


class Way(NamedTuple):
    """One way through a function.

    Attributes:
        questions: numbers of the values that were asked for, in their order.
        answers: what was answered.
        result: what came of it.
    """

    questions: tuple[int, ...]
    answers: tuple[bool, ...]
    result: Any


class Sometimes(NamedTuple):
    """An info that some worlds have.

    Attributes:
        there: whether a world has it, a symbol.
        value: what it is there.
    """

    there: Any
    value: Any


def join(recording: Any, ways: list[Way], depth: int = 0) -> Any:
    """The result of several ways, each where its answers are the right ones.

    Raises:
        TraceError: results have different names, shapes or types.
    """
    if len(ways) == 1:
        return ways[0].result
    asked = ways[0].questions[depth : depth + 1]
    if not asked or any(way.questions[depth : depth + 1] != asked for way in ways):
        raise TraceError("found a step that asks something else when it is run again")
    sides = [
        join(recording, [way for way in ways if way.answers[depth] is said], depth + 1)
        for said in (True, False)
    ]
    condition = Symbol(recording, np.array(asked[0]), BOOL)
    return choose(condition, *sides)


def with_same_names(dicts: list[dict]) -> list[dict]:
    """Infos of several ways, with the names of all: what one does not give is missing there."""
    names = list(dict.fromkeys(name for one in dicts for name in one))
    columns = []
    for name in names:
        column = [one.get(name, MISSING) for one in dicts]
        if all(x is MISSING or isinstance(x, dict) for x in column):
            column = with_same_names([{} if x is MISSING else x for x in column])
        columns.append(column)
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)] or dicts


def choose(condition: Symbol, one: Any, other: Any) -> Any:
    """One result or another, part by part."""
    if one is other:
        return one
    pairs = condition.recording.paths.pairs
    if pairs is None or not isinstance(one, list | dict | set | Possible):
        return _choose(condition, one, other)
    # the same two objects give one, whoever has them
    key = condition.ids.tobytes(), id(one), id(other)
    if key not in pairs:
        pairs[key] = one, other, _choose(condition, one, other)
    return pairs[key][2]


def _choose(condition: Symbol, one: Any, other: Any) -> Any:
    # dicts, name by name
    folding = condition.recording.paths.folding
    if isinstance(one, dict | Register) and isinstance(other, dict | Register):
        if _are_registers(one, other, folding):
            return Register.joined(condition, one, other)
        if [*one] != [*other]:
            apart = sorted(set(one) ^ set(other))
            raise TraceError(f"found results with other names after an `if`: {apart}")
        chosen = {name: choose(condition, one[name], other[name]) for name in one}
        return OrderedDict(chosen) if isinstance(one, OrderedDict) else chosen
    if isinstance(one, Roster | set) or isinstance(other, Roster | set):
        if not all(isinstance(x, Roster) or is_of_words(x) for x in (one, other)):
            raise TraceError(f"found {one!r} or {other!r} after an `if`, expected words in both")
        return one if is_same(one, other) else one_of(condition, one, other)
    if folding:
        if one is ABSENT or other is ABSENT:
            return other if one is ABSENT else one
        if _are_lists(one, other):
            return _either(condition, one, other)
    if any(x is MISSING or isinstance(x, Sometimes) for x in (one, other)):
        return _sometimes(condition, one, other)
    # sequences, part by part
    if type(one) is type(other) and isinstance(one, list | tuple) and not _plain(one, other):
        if len(one) != len(other):
            raise TraceError("found results of other lengths after an `if`")
        parts = [choose(condition, a, b) for a, b in zip(one, other, strict=True)]
        return type(one)(*parts) if hasattr(one, "_fields") else type(one)(parts)
    if (is_word(one) and is_word(other)) or Word in (type(one), type(other)):
        return one if is_same(one, other) else Word.joined(condition, one, other)
    # what is no number has to be the same
    numbers = (int, float, bool, np.ndarray, np.generic, Symbol)
    if not isinstance(one, numbers) or not isinstance(other, numbers):
        if not has_symbols((one, other)) and _same(one, other):
            return one
        if condition.recording.paths.folding:
            known = all(isinstance(x, (*numbers, type(None), Missing)) for x in (one, other))
            return (Missing if known else Either)(condition, one, other)
        raise TraceError(f"found {one!r} or {other!r} after an `if`, expected numbers")
    # numbers, world by world
    recording = condition.recording
    a, b = as_symbol(recording, one), as_symbol(recording, other)
    if a.shape != b.shape and recording.paths.folding:
        return Either(condition, a, b)
    if a.shape != b.shape:
        raise TraceError(f"found shapes {a.shape} and {b.shape} after an `if`")
    return np.where(condition, a, b)


def _are_registers(one: Any, other: Any, folding: int) -> bool:
    """True for dicts whose names differ between worlds; plain ones may in loops only."""
    plain = not any(isinstance(x, Register) for x in (one, other))
    if plain and (not folding or [*one] == [*other]):
        return False
    return can_be_joined(one, other)


def _sometimes(condition: Symbol, one: Any, other: Any) -> Any:
    """What there is of two infos that a world may not have."""
    (here, first), (there, second) = (
        x if isinstance(x, Sometimes) else (x is not MISSING, x) for x in (one, other)
    )
    if first is MISSING or second is MISSING:
        value = second if first is MISSING else first
    else:
        value = choose(condition, first, second)
    return value if value is MISSING else Sometimes(np.where(condition, here, there), value)


class Either:
    """One object or another, such as the last contact of a loop: their parts can be chosen from."""

    def __init__(self, condition: Symbol, one: Any, other: Any):
        vars(self).update(_condition=condition, _one=one, _other=other)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        parts = [getattr(x, name) for x in (self._one, self._other)]
        if any(map(callable, parts)):
            if not isinstance(self._one, Symbol) or not isinstance(self._other, Symbol):
                self._refuse()
            # methods of arrays, whose results may be of one shape again
            return lambda *args, **options: choose(
                self._condition, *(part(*args, **options) for part in parts)
            )
        return choose(self._condition, *parts)

    def _refuse(self, *_: Any) -> Any:
        raise TraceError(f"found {self._one!r} or {self._other!r} after a loop, expected numbers")

    __call__ = __iter__ = __len__ = __getitem__ = __setitem__ = __contains__ = _refuse
    __bool__ = __add__ = __mul__ = __sub__ = __float__ = __eq__ = __lt__ = __gt__ = _refuse
    __hash__ = object.__hash__


class Missing(NDArrayOperatorsMixin, Maybe, Either):
    """A number, or None in some worlds: with None numpy's functions are errors of these worlds."""

    __hash__ = Either.__hash__  # type: ignore[assignment]

    @property
    def recording(self) -> Any:  # type: ignore[override]
        """Of the number."""
        return self._condition.recording

    def none(self) -> Any:
        """Whether it is None: True, False or a symbol."""
        sides = [
            x.none() if isinstance(x, Missing) else x is None for x in (self._one, self._other)
        ]
        return np.where(self._condition, *(as_symbol(self.recording, x) for x in sides))

    def numbers(self) -> Any:
        """The number, and any where it is None."""
        sides = [x.numbers() if isinstance(x, Missing) else x for x in (self._one, self._other)]
        one, other = (sides[1 - k] if x is None else x for k, x in enumerate(sides))
        return choose(self._condition, one, other)

    def coded(self) -> Any:
        """The number, and NaN where it is None, as attributes have it."""
        return np.where(self.none(), np.nan, self.numbers())

    def number(self) -> Any:
        """The number; None is an error of its worlds."""
        error = MissingNumber("found None in some worlds, expected a number")
        self.recording.paths.raise_where(self.none(), error)
        return as_symbol(self.recording, self.numbers())

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        if ufunc in (np.equal, np.not_equal):
            other = inputs[1] if inputs[0] is self else inputs[0]
            if isinstance(other, Missing):
                raise TraceError("found == of two numbers that may be None, expected `is`")
            equal = self.none()
            if other is not None:
                equal = np.logical_and(np.logical_not(equal), self.numbers() == other)
            return equal if ufunc is np.equal else np.logical_not(equal)
        values = (x.number() if isinstance(x, Missing) else x for x in inputs)
        return getattr(ufunc, method)(*values, **options)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        values = (x.number() if isinstance(x, Missing) else x for x in args)
        return function(*values, **kwargs)

    def __bool__(self) -> bool:
        return bool(np.logical_and(np.logical_not(self.none()), self.numbers() != 0))

    def __getitem__(self, index: Any) -> Any:
        return self.number()[index]

    def __len__(self) -> int:
        return len(self.number())

    def __iter__(self) -> Any:
        return iter(self.number())

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.number(), name)


def _are_lists(one: Any, other: Any) -> bool:
    """True for lists of other lengths, and for lists of what a world may have."""
    kinds = [type(x) is Possible for x in (one, other)]
    lists = [kind or type(x) is list for kind, x in zip(kinds, (one, other), strict=True)]
    return all(lists) and (any(kinds) or len(one) != len(other))


def _either(condition: Symbol, one: Any, other: Any) -> Possible:
    """What a world has in one list or another; they begin alike."""
    first, second = (
        x.entries if isinstance(x, Possible) else [(True, value) for value in x]
        for x in (one, other)
    )
    k = 0
    while k < min(len(first), len(second)) and _is_entry(first[k], second[k]):
        k += 1
    entries = [*first[:k]]
    entries += [(np.logical_and(condition, there), value) for there, value in first[k:]]
    against = np.logical_not(condition)
    entries += [(np.logical_and(against, there), value) for there, value in second[k:]]
    return Possible(condition.recording, entries)


def _is_entry(one: tuple, other: tuple) -> bool:
    return all(map(is_same, one, other))


def is_same(one: Any, other: Any) -> bool:
    """True if a value has not been changed."""
    if type(one) is not type(other):
        return False
    if isinstance(one, Symbol):
        return one.dtype == other.dtype and np.array_equal(one.ids, other.ids)
    if isinstance(one, Possible) and not isinstance(one, Contacts):
        return is_same(one.parts(), other.parts())
    if isinstance(one, Word):
        return one.items == other.items and is_same(one.place, other.place)
    if is_fixed(one):
        return bool(one == other)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(is_same, one, other))
    if isinstance(one, dict):
        return [*one] == [*other] and all(is_same(other[name], one[name]) for name in one)
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and np.array_equal(one, other, equal_nan=True)
    return one is other or (isinstance(one, set) and one == other)


def _plain(one: Any, other: Any) -> bool:
    """True if two lists have no numbers that differ."""
    return not has_symbols((one, other)) and _same(one, other)


def _same(one: Any, other: Any) -> bool:
    try:
        return bool(np.all(one == other))
    except Exception:
        return False
