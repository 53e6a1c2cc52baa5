"""What bodies of loops and branches change besides local names, where their condition is true."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

from mjenv.porting.environment.attributes import is_number
from mjenv.porting.environment.original import Original
from mjenv.porting.environment.place_names import Path, named
from mjenv.porting.environment.sharing import NoWrites, SharedFound, sharing_values
from mjenv.porting.symbols.symbol import Symbol, as_symbol
from mjenv.porting.varying.choices import ABSENT, Missing, Way, choose, is_same, join
from mjenv.porting.varying.registers import in_folds
from mjenv.porting.varying.remembered import arrays_of, copied
from mjenv.porting.varying.rosters import RosterFound, is_thing
from mjenv.porting.varying.tables import TableFound
from mjenv.porting.varying.words import Word, is_fixed, is_word, items_of
from mjenv.tracing.arrays import BOOL, TraceError


class Before(NamedTuple):
    """What there was before a function was called.

    Attributes:
        put_back: restores attributes.
        values: attributes, copies of what can be changed in place.
        objects: attributes themselves.
        fields: of the data.
        counts: of random numbers and calls of the physics.
    """

    put_back: Callable[[], None]
    values: dict[Path, Any]
    objects: dict[Path, Any]
    fields: Any
    counts: tuple[int, int]


class Changes(NamedTuple):
    """What one way through a function has changed.

    Attributes:
        attributes: new values.
        replaced: those that are other objects now.
        fields: new values of fields of the data.
    """

    attributes: dict[Path, Any]
    replaced: frozenset[Path]
    fields: dict[str, Symbol]


class Effects:
    """Attributes, fields of the data, and random numbers.

    Attributes:
        may_give_up: whether a loop that does not end can be left to Python.
    """

    def __init__(self, recording: Any, original: Original, physics: Any, may_give_up: bool):
        self._recording, self._places, self._physics = recording, original.places, physics
        self._shared, self.may_give_up = original.shared, may_give_up
        self._parted: dict[Path, NoWrites] = {}
        self._conditions: list[Any] = []
        self._begun: list[Any] = []
        self._lists = original.places.lists()
        physics.before_call = self._before_call

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

    def advances(self) -> int:
        """How often the physics have been called by what moves a world."""
        return self._physics.advances()

    def _before_call(self, name: str, undriven: bool) -> Symbol | None:
        """Have fields as they are in each world, where a call stands under conditions.

        Returns:
            In which worlds the physics are called; None for all.
        """
        if not self._conditions:
            return None
        if name != "forward":
            raise TraceError("found a call of the physics in an `if` or a loop of values")
        conditions = [
            as_symbol(self._recording, one).astype(BOOL).reshape(()) for one in self._conditions
        ]
        where = self._physics.forward_where(undriven, conditions, self._begun)
        # what is written from here on is so beside what the call leaves
        self._begun = [None for _ in self._begun]
        return where

    @contextmanager
    def only_where(self, condition: Any) -> Iterator[None]:
        """While it lasts, what is changed, is changed in worlds where a condition is true."""
        attributes, fields = self._attributes(), self._physics.snapshot()
        shared = sharing_values(self._places._walk())
        self._conditions.append(condition)
        self._begun.append(fields)
        try:
            yield
        finally:
            self._conditions.pop()
            self._begun.pop()
        joined = sharing_values(self._places._walk())
        asked = as_symbol(self._recording, condition).astype(BOOL).reshape(())
        self._physics.choose(asked, fields)
        self._choose(asked, attributes)
        # arrays that are one in some worlds only are parted: nobody may write into them
        for path in joined.keys() - shared.keys() - self._shared.keys():
            value = self._places.get(path)
            if isinstance(value, Symbol):
                value.owner = self._parted[path] = NoWrites(path, joined[path])

    def _attributes(self) -> dict[Path, Any]:
        """Attributes as they are; copies of what can be changed in place."""
        found = {}
        for path, value in self._places._walk():
            array = isinstance(value, np.ndarray) and value.dtype.kind in "fiub"
            copied = array or isinstance(value, Symbol) or type(value) is set
            found[path] = value.copy() if copied else value
        return found

    def _choose(self, condition: Symbol, before: dict[Path, Any]) -> None:
        """Attributes as they are, or as they were."""
        now = self._attributes()
        # one side alone makes and takes away nothing
        if gone := before.keys() - now.keys():
            self.refuse_lists()
            path = min(gone, key=named)
            self._find_table(path)
            raise TraceError(f"found {named(path)}, which only one side of an `if` takes away")
        for path, new in now.items():
            old = before.get(path, ABSENT)
            plain = isinstance(new, Symbol) or is_number(new) or new is None or is_fixed(new)
            if old is ABSENT:
                self.refuse_lists()
                self._find_table(path)
                raise TraceError(f"found {named(path)}, which only one side of an `if` makes")
            if is_same(new, old):
                continue
            # objects and words
            if not plain and not isinstance(new, Word | Missing):
                self._refuse_another(path, new, old)
                continue
            if is_word(new) and is_word(old):
                self._refuse_words(path, new, old)
                continue
            # numbers, of which some worlds may have none
            if (old is None) != (new is None) or Missing in (type(old), type(new)):
                self._places.put(path, in_folds(condition, new, old))
                continue
            if isinstance(new, Symbol) and not is_number(old) and not isinstance(old, Symbol):
                raise TraceError(f"found {old!r} or a number at one place after an `if`")
            self._places.put(path, choose(condition, new, old))

    def _find_table(self, path: Path) -> None:
        """Have a dict that some worlds have more names in, if a place is in one.

        Raises:
            TableFound: it is.
        """
        value = self._places.get(path[:-1])
        if path[-1][0] == "[" and isinstance(value, dict) and is_thing(path[-1][1]):
            raise TableFound(path[:-1], named(path[:-1]), value)

    def _refuse_another(self, path: Path, new: Any, old: Any) -> None:
        """Refuse an object that is not looked into, and another one where a condition is true."""
        self.refuse_lists()
        if path in self._places.rosters or path in self._places.histories:
            return
        if self._places.is_opaque(path, new) or self._places.is_opaque(path, old):
            raise TraceError(f"found {named(path)}, another object on one side of an `if`")

    def _refuse_words(self, path: Path, new: Any, old: Any) -> None:
        """Refuse a word that was taken for a constant; the number of others is one of their own."""
        if path not in self._places.rosters:
            words = dict.fromkeys((*items_of(old), *items_of(new)))
            raise RosterFound(path, named(path), words)

    def refuse_parted(self) -> None:
        """Refuse arrays that are one in some worlds only, where that is not known yet.

        Raises:
            SharedFound: there are some, when the method has ended.
        """
        left = {p: one.other for p, one in self._parted.items()
                if getattr(self._places.get(p), "owner", None) is one}  # fmt: skip
        if left:
            raise SharedFound(left)

    def refuse_lists(self) -> None:
        """Refuse lists and sets of words that were taken for constants, and have changed."""
        self._places.refuse_others(self._lists)

    # ------------------------------------------------------------ functions that change something

    def before(self) -> Before:
        """What there is, to go back to, and to compare with."""
        objects = dict(self._places._walk())
        counts = self.drawn(), self.moves()
        put_back, fields = self._places.saved(), self._physics.snapshot()
        return Before(put_back, self._attributes(), objects, fields, counts)

    def go_back(self, before: Before) -> None:
        """Have everything as it was."""
        before.put_back()
        self._physics.put_back(before.fields)

    def changes(self, before: Before, elsewhere: list[np.ndarray]) -> Changes:
        """What has been changed since.

        Args:
            before: what there was.
            elsewhere: arrays that go on besides attributes and the data.

        Raises:
            TraceError: worlds that differ in it cannot have one program.
        """
        if (self.drawn(), self.moves()) != before.counts:
            raise TraceError("found random numbers or calls of the physics")
        # the same attributes as before, of which numbers may have changed
        objects, values = dict(self._places._walk()), self._attributes()
        if objects.keys() != before.objects.keys():
            self.refuse_lists()
            raise TraceError("found attributes that come or go")
        changed = {p: v for p, v in values.items() if not is_same(v, before.values[p])}
        for path in [p for p, v in changed.items() if is_word(v) and is_word(before.values[p])]:
            self._refuse_words(path, changed.pop(path), before.values[path])
        replaced = frozenset(p for p in changed if objects[p] is not before.objects[p])
        for path in changed:
            value, old = objects[path], before.objects[path]
            if not _is_plain(value) or not _is_plain(old):
                raise TraceError(f"found {named(path)} changed, which is no number")
            inside = isinstance(value, Symbol) and path not in replaced and value.ndim
            if np.ndim(value) and not inside and path not in replaced:
                raise TraceError(f"found {named(path)} changed in place, an array of numbers")
        # new arrays are no parts of others
        others = [v for p, v in objects.items() if p not in replaced and _is_plain(v)]
        known = [*elsewhere, *self._physics.live_arrays(), *arrays_of(others)]
        for path in replaced:
            mine = arrays_of([objects[path]])
            if any(np.may_share_memory(one, other) for one in mine for other in known):
                raise TraceError(f"found {named(path)}, a part of another array")
            known += mine
        return Changes(
            {p: values[p] for p in changed}, replaced, self._physics.since(before.fields)
        )

    def joined(self, before: Before, ways: list[Way]) -> Changes:
        """What has changed in each world by its way; all is as it was before."""
        made: list[Changes] = [way.result for way in ways]
        attributes, fields = {}, {}
        for path in dict.fromkeys(path for one in made for path in one.attributes):
            if len({path in one.replaced for one in made if path in one.attributes}) > 1:
                raise TraceError(f"found {named(path)} replaced, or changed in place")
            news = [one.attributes.get(path, before.values[path]) for one in made]
            attributes[path] = self._chosen(ways, news)
        for name in dict.fromkeys(name for one in made for name in one.fields):
            old = self._physics.was(name, before.fields)
            fields[name] = self._chosen(ways, [one.fields.get(name, old) for one in made])
        replaced = frozenset(path for one in made for path in one.replaced)
        return Changes(attributes, replaced, fields)

    def _chosen(self, ways: list[Way], values: list[Any]) -> Any:
        """The value of each world's way."""
        if all(is_same(one, values[0]) for one in values):
            return values[0]
        pairs = zip(ways, values, strict=True)
        return join(self._recording, [way._replace(result=value) for way, value in pairs])

    def change(self, changes: Changes) -> None:
        """Have everything as a function leaves it."""
        for path, new in changes.attributes.items():
            target = self._places.get(path)
            if path in changes.replaced or not np.ndim(target):
                self._places.put(path, copied(new))
            else:
                target.ids[...] = new.ids
        for name, new in changes.fields.items():
            self._physics.field(name).ids[...] = new.ids


def _is_plain(value: Any) -> bool:
    """True for numbers, arrays of them, words and None."""
    return isinstance(value, Symbol | str) or is_number(value) or value is None
