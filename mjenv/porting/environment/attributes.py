"""Contents of an environment's objects: numbers by the path to them, saved and put back.

From the environment, attributes of objects of its package, dicts, lists and tuples are followed.
Numbers and arrays of numbers at their ends are its **attributes**. Those that resets or steps
change are arrays with a row for each world; all others are constants.
"""

from collections import deque
from collections.abc import Callable, Iterator
from functools import cached_property, partial
from types import MethodType
from typing import Any, ClassVar
from weakref import WeakKeyDictionary

import numpy as np

from mjenv.porting.environment.histories import Histories
from mjenv.porting.environment.place_names import Path, named
from mjenv.porting.environment.queues import Queues
from mjenv.porting.environment.rosters import Rosters
from mjenv.porting.environment.tables import Tables
from mjenv.porting.symbols.refusals import FollowAnew, NotThere, NotTraced
from mjenv.porting.symbols.symbol import Symbol
from mjenv.porting.varying.choices import Missing
from mjenv.porting.varying.histories import COUNT, NEWEST, History
from mjenv.porting.varying.queues import BOUND, LENGTH
from mjenv.porting.varying.registers import Register
from mjenv.porting.varying.rosters import (
    IN,
    WORD,
    WRONG,
    Roster,
    RosterFound,
    is_of_words,
)
from mjenv.porting.varying.words import (
    Word,
    is_fixed,
    is_word,
)

_MOST = 20000  # places that are looked at
# names of slots of types that are known
_SLOTS: WeakKeyDictionary[type, tuple[str, ...]] = WeakKeyDictionary()
# nothing is reached from these
_ENDS = frozenset((float, int, bool, str, type(None), np.ndarray, np.float64, np.bool_, Symbol))


class StandIn:
    """What is in the place of an object on one way through a method, made anew for each of them.

    Attributes:
        stands_for: says of what, the same on all ways.
    """

    stands_for: Any


class _Members:
    """Members of a set; equal ones are the same object."""

    _known: ClassVar[dict[frozenset, "_Members"]] = {}

    def __new__(cls, value: set) -> "_Members":
        return cls._known.setdefault(frozenset(value), super().__new__(cls))


class Places:
    """The places that can be reached from an environment.

    Attributes:
        rosters: words, and lists and sets of them, that change: by their paths, the words that they
            may be or have.
        logs: lists that become longer, which are not looked at; see logs.py.
        queues: lists and queues whose lengths differ, by their paths.
        histories: lists that become longer, and are read, by their paths.
        tables: dicts that are filled in any order, by their paths.
    """

    def __init__(self, root: Any, follows: Callable[[Any], bool]):
        """Remember where to begin.

        Args:
            root: the environment.
            follows: whether attributes of an object are looked at.
        """
        self._root, self._follows = root, follows
        self.logs: set[Path] = set()
        self.rosters, self.tables = Rosters(self), Tables(self)
        self.queues, self.histories = Queues(self), Histories(self)

    def _walk(self) -> Iterator[tuple[Path, Any]]:
        """Everything that is reached, each object once, with the path to it."""
        return ((path, value) for path, value, first in self._visits() if first is None)

    def _visits(self) -> Iterator[tuple[Path, Any, Path | None]]:
        """Everything that is reached; where objects are reached again, the path to them before."""
        seen: dict[int, Path] = {}
        waiting: list[tuple[Path, Any]] = [((), self._root)]
        count = 0
        while waiting:
            path, value = waiting.pop()
            if path in self.logs:
                continue
            count += 1
            if count > _MOST:
                raise ValueError(f"found more than {_MOST} places in the environment's objects")
            inner = self._inside(path, value)
            # equal words are often one object, each place of which counts
            if inner is not None:
                if id(value) in seen and not is_word(value):
                    yield path, value, seen[id(value)]
                    continue
                seen[id(value)] = path
                waiting += [((*path, step), one) for step, one in reversed(inner)]
            yield path, value, None

    def objects(self, containers: bool = False) -> dict[Path, tuple[type, Path | None]]:
        """Of what kind objects are, and the paths on which they are reached before.

        Args:
            containers: whether to tell this of lists and dicts, rather than of objects.
        """
        found = {}
        for path, value, first in self._visits():
            if path in self.rosters or isinstance(value, StandIn) or is_fixed(value):
                continue
            listed = isinstance(value, list | dict | deque | tuple)
            if listed:
                found[path] = list, first if containers else None
            elif not containers and (value is None or self._follows(value)):
                found[path] = type(value), first
        return found

    def _inside(self, path: Path, value: Any) -> list[tuple[tuple[str, Any], Any]] | None:
        """The steps into an object, and what is there; None for what is not entered."""
        for known in (self.rosters, self.queues, self.histories, self.tables):
            if path in known:
                return known.inside(path, value)
        return _inside(value, self._follows)

    def lists_of_followed(self) -> dict[str, Any]:
        """What is known of lists and words, as a step that is followed keeps it."""
        return {
            "rosters": {**self.rosters}, "logs": frozenset(self.logs), "queues": {**self.queues},
            "histories": {**self.histories}, "tables": {**self.tables},
        }  # fmt: skip

    def know_lists(self, followed: Any) -> None:
        """Know lists and words as they are known to a step that is followed, see `Followed`."""
        self.rosters.update(followed.rosters)
        pairs: Any = (
            (self.queues, followed.queues), (self.histories, followed.histories),
            (self.tables, followed.tables),
        )  # fmt: skip
        for mine, theirs in pairs:
            mine.clear()
            mine.update(theirs)
        self.logs.clear()
        self.logs.update(followed.logs)

    def known_lists(self) -> tuple:
        """What is known of lists and words that change."""
        lengths = {path: (one.lengths, one.bounds) for path, one in self.queues.items()}
        kept = {p: one.key() for p, one in self.histories.items()}
        named_at = {path: tuple(one.zeros) for path, one in self.tables.items()}
        return {**self.rosters}, {*self.logs}, lengths, kept, named_at

    def has_lists(self, path: Path) -> bool:
        """True for what is in a list whose length differs between worlds."""
        return self.queues.has(path) or self.histories.has(path) or self.tables.has(path)

    def may_have(self, path: Path, sample: Any) -> bool:
        """False for what was in a list that is told by other numbers since."""
        *way, (kind, _) = path
        if kind in (COUNT, NEWEST):
            return self.histories.may_have(tuple(way), kind, sample)
        if any(path[:k] in self.histories for k in range(len(path))):
            return False
        return kind not in (LENGTH, BOUND) or tuple(way) in self.queues

    def lists(self) -> dict[Path, Any]:
        """Copies of lists and sets of words, by their paths."""
        return {path: value.copy() for path, value in self._walk() if is_of_words(value)}

    def lengths(self) -> dict[Path, int]:
        """Lengths of lists that are not of words alone."""
        lists = (
            (path, one) for path, one in self._walk()
            if type(one) is list and path not in self.queues and path not in self.histories
        )  # fmt: skip
        return {path: len(one) for path, one in lists if not (one and is_of_words(one))}

    def refuse_others(self, before: dict[Path, Any]) -> None:
        """Refuse lists and sets of words that have changed.

        Raises:
            RosterFound: there is one that was taken for a constant.
        """
        for path, value in self.lists().items():
            old = before.get(path)
            if path not in self.rosters and old is not None and old != value:
                raise RosterFound(path, named(path), dict.fromkeys((*old, *value)))

    def numbers(self) -> dict[Path, Any]:
        """Copies of all numbers and arrays of numbers, and None where that is held."""
        found: dict[Path, Any] = {}
        for path, value in self._walk():
            if is_number(value) or value is None or is_fixed(value):
                found[path] = np.copy(value) if isinstance(value, np.ndarray) else value
        return found

    def saved(self) -> Callable[[], None]:
        """Return a function that restores the contents of all objects, dicts, lists and arrays."""
        undo: list[Callable[[], None]] = []
        for _, value in self._walk():
            if isinstance(value, np.ndarray) and value.dtype.kind in "fiub":
                undo.append(refill_array(value, value.copy()))
            elif isinstance(value, Symbol):
                undo.append(refill_array(value.ids, value.ids.copy()))
            elif isinstance(value, dict):
                undo.append(refill(value, dict(value)))
            elif isinstance(value, list | deque):
                undo.append(refill_list(value, list(value)))
            elif isinstance(value, set):
                undo.append(refill(value, set(value)))
            elif isinstance(value, Roster | History | Register):
                undo.append(value.saved())
            if self._follows(value) and not isinstance(value, tuple):
                undo.append(partial(put_attributes, value, attributes_of(value)))

        def put_back() -> None:
            for one in undo:
                one()

        return put_back

    def get(self, path: Path) -> Any:
        """Return the value at the end of a path."""
        value: Any = self._root
        for k, (kind, key) in enumerate(path):
            if kind == LENGTH:
                value = len(value)
            elif kind == BOUND:
                value = value.maxlen
            elif kind in (COUNT, NEWEST):
                value = self.histories.part(path[:k], value, kind)
            elif self.queues and kind == "[" and self.queues.lack(path[:k], key, value):
                value = self.queues.zero(path[:k], key)
            elif kind in (IN, "[") and path[:k] in self.tables:
                value = self.tables.part(path[:k], value, kind, key)
            elif kind in (IN, WRONG, WORD):
                value = self.rosters.part(path[:k], value, kind, key)
            else:
                value = _attribute(path, value, key) if kind == "." else value[key]
        return value

    def put(self, path: Path, new: Any) -> None:
        """Have something else at the end of a path; a tuple on the way becomes a new one."""
        *way, (kind, key) = path
        if self.queues.is_behind(path) or self.tables.is_behind(path):
            return
        # lengths, and words
        if kind == LENGTH:
            self.queues.resize(tuple(way), new)
            return
        if kind == BOUND:
            self.queues.have_bound(tuple(way), new)
            return
        if kind in (COUNT, NEWEST):
            self.histories.put(tuple(way), kind, new)
            return
        if kind in (IN, "[") and tuple(way) in self.tables:
            self.tables.put(tuple(way), kind, key, new)
            return
        if kind in (IN, WRONG, WORD):
            self.rosters.put(tuple(way), kind, key, new)
            return
        # what an object has by name, or in itself
        owner = self.get(tuple(way))
        if kind == ".":
            put_attribute(owner, key, new)
        elif isinstance(owner, tuple):
            changed = [*owner[:key], new, *owner[key + 1 :]]
            made = type(owner)
            self.put(tuple(way), made(*changed) if hasattr(owner, "_fields") else made(changed))
        elif isinstance(owner, list | deque) and key >= len(owner):
            raise NotTraced(not_there(path))
        else:
            owner[key] = new

    def contents(self, kept: list[Any]) -> tuple[tuple, tuple]:
        """Everything that is reached, as can be compared with what is there later.

        Args:
            kept: gets objects that are known by their addresses.

        Returns:
            Contents by path, and addresses of all objects in the same order.
        """
        found: list[Any] = []
        addresses: list[int] = []
        for path, value in self._walk():
            addresses.append(id(value))
            found.append((path, self._content(value, kept)))
        return tuple(found), tuple(addresses)

    def _content(self, value: Any, kept: list[Any]) -> Any:
        """What a place has in it, without what is reached from there."""
        if isinstance(value, Symbol):
            return value.dtype.char, value.known_type, value.ids.shape, value.ids.tobytes()
        if isinstance(value, np.ndarray) and value.dtype.kind in "fiub":
            return value.dtype.char, value.shape, value.tobytes()
        kind = type(value)
        if isinstance(value, float):
            return kind, value.hex()
        if isinstance(value, np.generic):
            return kind, value.tobytes()
        if value is None or is_fixed(value) or isinstance(value, int):
            return kind, value
        if isinstance(value, set):
            return frozenset(value)
        if isinstance(value, Word):
            return kind, tuple(value.items), value.place.ids.tobytes()
        if isinstance(value, StandIn):
            return kind, value.stands_for
        kept.append(value)
        return id(value)

    def arrays(self) -> list[np.ndarray]:
        """All arrays of numbers, and of the numbers of values."""
        values = [value for _, value in self._walk()]
        arrays = [value.ids if isinstance(value, Symbol) else value for value in values]
        return [one for one in arrays if isinstance(one, np.ndarray)]

    def others(self) -> dict[Path, Any]:
        """Objects that are neither numbers nor looked into: functions, rotations, queues."""
        # what a set has in it counts, too
        return {
            path: value if not isinstance(value, set) else _Members(value)
            for path, value in self._walk() if self.is_opaque(path, value)
        }  # fmt: skip

    def is_opaque(self, path: Path, value: Any) -> bool:
        """True for an object that is neither a number nor looked into."""
        plain = is_number(value) or value is None or is_fixed(value)
        plain = plain or isinstance(value, Symbol | Missing)
        return not plain and self._inside(path, value) is None


class LeadFound(FollowAnew):
    """Places lead to other objects than before, which no episode has shown.

    Attributes:
        paths: of the places.
    """

    def __init__(self, paths: set[Path]):
        self.paths = paths
        super().__init__(another_object(min(paths)))


def not_there(path: Path) -> str:
    """What is said of an attribute that resets do not make, or of an element of a list."""
    if isinstance(path[-1][1], int) and path[-1][0] == "[":
        return (
            f"found {named(path[:-1])}, which has fewer elements at times, expected one that has "
            "as many from the reset on; keep an array, and the number of what is in it"
        )
    return f"found {named(path)}, which is not there at times, expected one that resets make"


def another_object(path: Path) -> str:
    """What is said of an attribute that leads to one object or another."""
    return (
        f"found {named(path)}, which leads to another object at times, expected one of its own; "
        "keep a number that says which"
    )


def leading_elsewhere(before: dict[Path, Any], after: dict[Path, Any]) -> set[Path]:
    """Places that lead to other objects than before, or to objects of another kind."""
    return {path for path in before.keys() & after.keys() if before[path] != after[path]}


def is_number(value: Any) -> bool:
    """True if it is a number, or an array of numbers."""
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "fiub"
    return isinstance(value, bool | int | float | np.number | np.bool_) and not is_fixed(value)


def same(one: Any, other: Any) -> bool:
    """True if two values are of one type, shape and bits."""
    if type(one) is not type(other):
        return False
    if one is None or is_fixed(one):
        return bool(one == other)
    one, other = np.asarray(one), np.asarray(other)
    return (one.dtype, one.shape) == (other.dtype, other.shape) and one.tobytes() == other.tobytes()


def is_another(one: Any, other: Any) -> bool:
    """True for two objects that are not looked into; a method that is taken twice is one."""
    return one is not other and not (isinstance(one, MethodType) and one == other)


# what Gymnasium's EzPickle keeps of the arguments, which steps do not ask for
_OF_PICKLING = frozenset(("_ezpickle_args", "_ezpickle_kwargs"))


def _inside(value: Any, follows: Callable[[Any], bool]) -> list[tuple[tuple[str, Any], Any]] | None:
    """The steps into an object, and what is there; None for what is not entered."""
    if type(value) in _ENDS or is_fixed(value):
        return None
    found: list[tuple[tuple[str, Any], Any]] | None = None
    if isinstance(value, dict):
        found = [(("[", key), one) for key, one in value.items()]
    elif isinstance(value, list | tuple | deque):
        found = [(("[", k), one) for k, one in enumerate(value)]
    if follows(value):
        named_here = attributes_of(value).items()
        own = [((".", name), one) for name, one in named_here if name not in _OF_PICKLING]
        found = own if found is None else found + own
    return found


def attributes_of(value: Any) -> dict[str, Any]:
    """What an object has by name, in its dict or in slots."""
    # not by what the object says to questions for names
    found = {}
    for name in ("__dict__", *_slots(value)):
        try:
            one = object.__getattribute__(value, name)
        except AttributeError:
            continue
        found |= one if name == "__dict__" else {name: one}
    return found


def _attribute(path: Path, owner: Any, name: str) -> Any:
    """An attribute, or what the class has in its place."""
    found = attributes_of(owner)
    if name not in found and not hasattr(type(owner), name):
        raise NotThere(not_there(path))
    return found[name] if name in found else getattr(type(owner), name)


def class_value(places: Places, path: Path) -> Any:
    """The number or word that an object's class has by the name of an attribute; None if none."""
    kind, name = path[-1] if path else ("", "")
    if kind != ".":
        return None
    try:
        owner = places.get(path[:-1])
    except (KeyError, IndexError, TypeError):
        return None
    found = vars_of_classes(type(owner)).get(name)
    return found if is_number(found) or is_fixed(found) else None


def is_made_by_class(places: Places, path: Path) -> bool:
    """True for numbers that a class has by the name of an attribute, and for what it caches."""
    if class_value(places, path) is not None:
        return True
    for k, (kind, key) in enumerate(path):
        try:
            owner = places.get(path[:k])
        except (KeyError, IndexError, TypeError):
            return False
        if kind == "." and isinstance(vars_of_classes(type(owner)).get(key), cached_property):
            return True
    return False


def vars_of_classes(kind: type) -> dict[str, Any]:
    """What classes have by name."""
    return {name: one for base in reversed(kind.__mro__) for name, one in vars(base).items()}


def put_attribute(owner: Any, name: str, value: Any) -> None:
    """Have an attribute, whatever the object says to that."""
    if name in _slots(owner):
        object.__setattr__(owner, name, value)
    else:
        vars(owner)[name] = value


def _slots(value: Any) -> tuple[str, ...]:
    """Names of the slots of an object's classes."""
    kind = type(value)
    if kind not in _SLOTS:
        found: list[str] = []
        for one in kind.__mro__:
            slots = vars(one).get("__slots__", ())
            for name in (slots,) if isinstance(slots, str) else slots:
                private = name.startswith("__") and not name.endswith("__")
                found.append(f"_{one.__name__.lstrip('_')}{name}" if private else name)
        _SLOTS[kind] = tuple(name for name in found if not name.startswith("__"))
    return _SLOTS[kind]


def put_attributes(value: Any, named_values: dict[str, Any]) -> None:
    """Have these attributes, and no others."""
    now = attributes_of(value)
    for name in now.keys() - named_values.keys():
        object.__delattr__(value, name)
    for name, one in named_values.items():
        if name not in now or now[name] is not one:
            put_attribute(value, name, one)


def refill_array(array: np.ndarray, old: np.ndarray) -> Callable[[], None]:
    """What gives an array its numbers back."""

    def undo() -> None:
        if array.flags.writeable:
            array[...] = old

    return undo


def refill(live: dict | set, old: Any) -> Callable[[], None]:
    """What gives a dict or a set back what it had."""

    def undo() -> None:
        live.clear()
        live.update(old)

    return undo


def refill_list(live: Any, old: list) -> Callable[[], None]:
    """What gives a list or a queue back what it had."""

    def undo() -> None:
        live.clear()
        live.extend(old)

    return undo
