"""Dicts that methods fill in any order, such as counts of events, of which worlds have their own.

A world's dict is two numbers for each name: its place, counted from 1 in the order in which names
were put there, 0 where there is none; and what is there. A `Register` stands for it.
"""

from collections.abc import Iterable
from copy import copy
from typing import Any, NamedTuple

from mjenv.porting.symbols.refusals import FollowAnew, NotTraced
from mjenv.porting.varying.queues import zeros_like
from mjenv.porting.varying.registers import Register

MOST_NAMES = 64


class TableFound(FollowAnew):
    """A dict has names that are not known.

    Attributes:
        path: where it is.
        name: of the dict.
        values: what it has, by names.
        like: an empty one.
    """

    def __init__(self, path: Any, name: str, value: Any, like: Any = None):
        """By its place and name, the dict itself, and an empty one of its kind."""
        register = isinstance(value, Register)
        self.path, self.name, self.like = path, name, like
        self.values: dict[Any, Any] = {**value.at} if register else {**value}
        if like is None and not register:
            self.like = copy(value)
            self.like.clear()
        super().__init__(f"found {name} with other names")


class Table(NamedTuple):
    """What is known of such a dict.

    Attributes:
        zeros: what stands in the place of what a world does not have, by names.
        like: an empty one.
    """

    zeros: dict[Any, Any]
    like: Any

    def with_names(self, found: TableFound) -> "Table":
        """The same with more names.

        Raises:
            NotTraced: there are too many.
        """
        more = {n: zeros_like(one) for n, one in found.values.items() if n not in self.zeros}
        if len(self.zeros) + len(more) > MOST_NAMES:
            raise NotTraced(f"found {found.name}, a dict of more than {MOST_NAMES} names")
        like = found.like if self.like is None else self.like
        return Table({**self.zeros, **more}, like)

    def register(self, recording: Any, value: dict) -> Register:
        """What stands for a dict as it is."""
        made = Register.of(recording, value)
        for name, zero in self.zeros.items():
            made.names.places.setdefault(name, 0)
            made.at.setdefault(name, zeros_like(zero))
        made.names.order = None
        return made


def in_places(value: dict, places: dict[Any, int], zeros: dict[Any, Any]) -> None:
    """Have names of a dict at their places, 0 for none, with zeros where they are new."""
    there = {name: value.get(name, zeros[name]) for name, place in places.items() if place}
    value.clear()
    for name in sorted(there, key=lambda name: places[name]):
        value[name] = there[name]


def places_of(value: dict, names: Iterable[Any]) -> dict[Any, int]:
    """The place of each name."""
    there = {name: place for place, name in enumerate(value, 1)}
    return {name: there.get(name, 0) for name in names}
