"""Dicts whose names differ between worlds, such as the forces on those geoms that touch something.

A `Register` is a list of names of which each world has its own (`rosters.py`), and for each name
what worlds have there that have it.
"""

from collections import Counter, defaultdict
from collections.abc import Callable
from typing import Any

import numpy as np

from mjenv.porting.symbols.symbol import Symbol, as_symbol
from mjenv.porting.varying.remembered import copied
from mjenv.porting.varying.rosters import Roster, is_thing, one_of, thing
from mjenv.porting.varying.symbolic_contacts import Possible
from mjenv.tracing.arrays import TraceError

_NOTHING: Any = object()
_MOST = 64  # names of a dict to loop over


class Register(Possible):
    """A dict that differs between worlds.

    Attributes:
        names: that a world has, in its order.
        at: what worlds have at each name.
        kind: of the dict, and the factory of a defaultdict.
        empty: makes what worlds have at a name that have none there, where that is known.
    """

    def __init__(
        self,
        names: Roster,
        at: dict[Any, Any],
        kind: tuple[type, Any],
        empty: dict[Any, Callable[[], Any]] | None = None,
    ):
        self.recording, self.names, self.at, self.kind = names.recording, names, at, kind
        self.empty: dict[Any, Callable[[], Any]] = {} if empty is None else empty

    @staticmethod
    def of(recording: Any, value: Any) -> "Register":
        """That of a dict as it is."""
        if isinstance(value, Register):
            return value
        names = Roster.of(recording, "a dict", [*map(thing, value)], (), None)
        at = {thing(name): one for name, one in value.items()}
        factory = value.default_factory if isinstance(value, defaultdict) else None
        return Register(names, at, (type(value), factory))

    @staticmethod
    def joined(condition: Symbol, one: Any, other: Any) -> "Register":
        """One dict where a condition is true, or another."""
        first, second = (Register.of(condition.recording, x) for x in (one, other))
        if first.kind != second.kind:
            raise TraceError("found dicts of two kinds after an `if`")
        names = one_of(condition, first.names, second.names)
        made = Register(names, {}, first.kind, second.empty | first.empty)
        for name in names.places:
            sides = [x.at_all(name, made.make_of(name)) for x in (first, second)]
            known = [one for one in sides if one is not _NOTHING]
            made.at[name] = in_folds(condition, *sides) if len(known) == 2 else known[0]
        return made

    def make_of(self, name: Any) -> Callable[[], Any] | None:
        """What makes what worlds have at a name that have none there."""
        kind, factory = self.kind
        return self.empty.get(name, int if kind is Counter else factory)

    def at_all(self, name: Any, make: Callable[[], Any] | None) -> Any:
        """What is at a name, with something new where there is none, if that is known."""
        if make is None:
            return self.at.get(name, _NOTHING)
        if name not in self.empty:
            there = self.has(name)
            self.at[name] = make() if there is False else in_folds(there, self.at[name], make())
            self.empty[name] = make
        return self.at[name]

    # ------------------------------------------------------------ as of what a world may have

    @property
    def entries(self) -> list[tuple[Any, Any]]:  # type: ignore[override]
        """Whether the world has a name, in its order; and the name."""
        return self._listed(lambda name: name)

    def _listed(self, of: Callable[[Any], Any]) -> list[tuple[Any, Any]]:
        """Something of each name, in the world's own order."""
        names = self.names
        held = [name for name in self.at if self.has(name) is not False]
        if names.order is not None:
            return [(self.has(name), of(name)) for name in names.order if name in held]
        if len(held) > _MOST:
            raise TraceError(f"found a loop over a dict of more than {_MOST} names")
        found = []
        for place in range(1, len(held) + 1):
            # of each world what stands there
            value = of(held[0])
            for name in held[1:]:
                here = as_symbol(self.recording, names.places[name]) == place
                value = in_folds(here, of(name), value)
            found.append((as_symbol(self.recording, names.number()) >= place, value))
        return found

    def number(self) -> Any:
        """How many names the world has."""
        return self.names.number()

    def any(self) -> Any:
        """Whether the world has a name."""
        return self.names.any()

    def has(self, name: Any) -> Any:
        """Whether the world has a name: True, False or a symbol."""
        return self.names.has(name)

    def __contains__(self, name: Any) -> bool:
        return bool(self.has(name))

    def copy(self) -> "Register":
        """The same as it is now."""
        return Register(self.names.copy(), {**self.at}, self.kind, {**self.empty})

    __copy__ = copy

    def fill(self, other: "Register") -> None:  # type: ignore[override]
        """Have what another one has."""
        self.names.fill(other.names)
        self.at, self.empty = {**other.at}, {**other.empty}

    def saved(self) -> Callable[[], None]:
        """Return a function that has everything as it is now."""
        names, at, empty = self.names.saved(), {**self.at}, {**self.empty}

        def put_back() -> None:
            names()
            self.at, self.empty = {**at}, {**empty}

        return put_back

    def parts(self) -> Any:
        """See `Possible`."""
        return self.names, self.at

    def inner(self) -> list[Any]:
        """See `Possible`."""
        return [*self.at.values()]

    def mapped(self, now: Callable[[Any], Any]) -> "Register":
        """See `Possible`."""
        at = {name: now(one) for name, one in self.at.items()}
        return Register(self.names.copy(), at, self.kind, {**self.empty})

    # ------------------------------------------------------------ as of a dict

    def __getitem__(self, name: Any) -> Any:
        name = self._known(name)
        there, (kind, factory) = self.has(name), self.kind
        if there is True:
            return self.at[name]
        if factory is not None:
            value = self.at_all(name, factory)
            self.names.keep(name)
            return value
        if kind is Counter:
            return self.at_all(name, int)
        if there is False:
            raise KeyError(name)
        self.recording.paths.raise_where(np.logical_not(there), KeyError(name))
        return self.at[name]

    def get(self, name: Any, default: Any = None) -> Any:
        """What is at a name, or something else."""
        name = self._known(name)
        there = self.has(name)
        if not isinstance(there, Symbol):
            return self.at[name] if there else default
        return in_folds(there, self.at[name], default)

    def __setitem__(self, name: Any, value: Any) -> None:
        name = self._known(name)
        self.names.keep(name)
        self.at[name] = value

    def setdefault(self, name: Any, default: Any = None) -> Any:
        """What is at a name, which is put there if there is nothing."""
        name = self._known(name)
        if self.has(name) is not True:
            first, again = [default], copied(default)
            self.at_all(name, lambda: first.pop() if first else copied(again))
            self.names.keep(name)
        return self.at[name]

    def pop(self, name: Any, *default: Any) -> Any:
        """What is at a name, which is there no more."""
        name = self._known(name)
        found = self.get(name, *default) if default else self[name]
        self.names.drop(name)
        self.at.pop(name, None)
        self.empty.pop(name, None)
        return found

    def __delitem__(self, name: Any) -> None:
        self.pop(name)

    def update(self, other: Any = (), **more: Any) -> None:
        """Have more names."""
        if self.kind[0] is Counter:
            raise TraceError("found .update of a Counter that differs between worlds")
        for name, value in {**dict(other), **more}.items():
            self[name] = value

    def keys(self) -> Possible:
        """The names."""
        return Possible(self.recording, self.entries)

    def items(self) -> Possible:
        """Names and what is there."""
        return Possible(self.recording, self._listed(lambda name: (name, self.at[name])))

    def values(self) -> Possible:
        """What is at the names."""
        return Possible(self.recording, self._listed(lambda name: self.at[name]))

    def _known(self, name: Any) -> Any:
        name = thing(name)
        if not is_thing(name):
            raise TraceError(
                f"found {name!r} as a name of a dict that differs between worlds, expected a word "
                "or a number that is the same in all of them"
            )
        return name

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        raise TraceError(f"found .{name} of a dict whose names differ between worlds")


def in_folds(condition: Any, one: Any, other: Any) -> Any:
    """One value where a condition is true, or another; lists of other lengths, too."""
    from mjenv.porting.varying.choices import choose

    if not isinstance(condition, Symbol):
        return one if condition else other
    paths = condition.recording.paths
    paths.folding += 1
    try:
        return choose(condition, one, other)
    finally:
        paths.folding -= 1


def can_be_joined(one: Any, other: Any) -> bool:
    """True for dicts of words and numbers."""
    return all(isinstance(x, Register) or all(map(is_thing, map(thing, x))) for x in (one, other))
