"""Lists that become longer and longer, such as places that were visited, and are read.

A world's list is two attributes: how many elements it has, and the newest of these in an array, the
last one at its end, with zeros in front where there are fewer. How many the array has room for,
methods say that read the list: `path[-5]` asks for five. What asks for the oldest needs room for
all: where resets empty the list, room is made as it becomes longer.
"""

import operator
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, NoReturn

import numpy as np

from mjenv.porting.symbols.chosen import Chosen
from mjenv.porting.symbols.places import refuse_caught
from mjenv.porting.symbols.refusals import FollowAnew
from mjenv.porting.symbols.symbol import Symbol, as_symbol, has_symbols
from mjenv.porting.symbols.symbol_ufuncs import recording_in
from mjenv.porting.varying.queues import MOST
from mjenv.porting.varying.symbolic_contacts import Possible
from mjenv.tracing.arrays import BOOL, TraceError

# kinds of steps from a list to the number of its elements, and to the newest of them
COUNT, NEWEST = "count", "newest"
MOST_NUMBERS = 1 << 14  # in the newest elements of a list


class HistoryFound(FollowAnew):
    """A method asks for more elements of a list than there is room for.

    Attributes:
        path: where it is.
        name: of the list.
        room: for elements; None for all of them.
    """

    def __init__(self, path: Any, name: str, room: int | None):
        self.path, self.name, self.room = path, name, room
        super().__init__(f"found {name}, of which more elements are read than before")


class Kept(NamedTuple):
    """What is known of a list of which the newest elements are kept.

    Attributes:
        room: for elements.
        whole: whether it never has more.
        zero: in the place of one that is not there.
        kind: of an element that is a tuple or a list of numbers; None for a number, or an array.
        least: elements that it has where a step begins, as far as is known.
    """

    room: int
    whole: bool
    zero: np.ndarray
    kind: type | None = None
    least: int = 0

    @staticmethod
    def of(values: Iterable[Any], room: int = 1) -> "Kept | None":
        """That of a list by elements of it; None where they are no numbers of one shape."""
        made = [array_of(one) for one in values]
        kinds = {type(one) if isinstance(one, list | tuple) else None for one in values}
        fit = made and all(one is not None and one.shape == made[0].shape for one in made)
        plain = not any(hasattr(kind, "_fields") for kind in kinds)
        if not fit or len(kinds) > 1 or not plain:
            return None
        dtype = np.result_type(*(one.dtype for one in made))
        return Kept(room, False, np.zeros(made[0].shape, dtype), kinds.pop())

    def key(self) -> tuple:
        """What a step that is followed depends on."""
        return self.room, self.whole, self.zero.dtype, self.zero.shape, self.kind, self.least

    def newest(self, values: list[Any]) -> Any:
        """The newest elements of a list in an array, (room, ...); symbols if it has some.

        Raises:
            TraceError: one has another shape.
        """
        last = values[max(len(values) - self.room, 0) :]
        rows = self.empty()
        if has_symbols(last):
            return _stacked(recording_in(last), [*rows[: self.room - len(last)], *last])
        for place, one in enumerate(last, self.room - len(last)):
            row = array_of(one)
            if row is None or row.shape != self.zero.shape:
                raise TraceError(f"found {one!r} in a list of elements of shape {self.zero.shape}")
            rows = rows.astype(np.result_type(rows.dtype, row.dtype))
            rows[place] = row
        return rows

    def empty(self) -> np.ndarray:
        """What is kept where there are no elements."""
        return np.zeros((self.room, *self.zero.shape), self.zero.dtype)

    def element(self, row: Any) -> Any:
        """An element as the list has it, of its row."""
        return row if self.kind is None else self.kind(row)


def _stacked(recording: Any, rows: list[Any]) -> Symbol:
    try:
        return as_symbol(recording, rows)
    except ValueError:
        raise TraceError("found a list of elements of several shapes") from None


def array_of(value: Any) -> np.ndarray | None:
    """An element as an array; None for what has something else than numbers in it."""
    if isinstance(value, list | tuple) and any(np.ndim(one) for one in value):
        return None
    try:
        made = np.asarray(value)
    except ValueError:
        return None
    return made if made.dtype.kind in "fib" else None


class History(Possible):
    """A list of which the newest elements are kept, or a part of one.

    Attributes:
        name: where the environment has it.
        path: where it is among the environment's places; None for a part or a copy.
        kept: what is known of it.
        count: how many elements it has.
        newest: of these, (room, ...).
        least: elements that it has in all worlds, on this way.
    """

    def __init__(self, recording: Any, name: str, path: Any, kept: Kept, count: Any, newest: Any):
        self.recording, self.name, self.path, self.kept = recording, name, path, kept
        self.count, self.newest, self.least = count, newest, 0

    # ------------------------------------------------------------ what it has

    @property
    def entries(self) -> list[tuple[Any, Any]]:  # type: ignore[override]
        """Whether the world has each element, the oldest first; and the element."""
        self._need(None)
        rows = [self.kept.element(row) for row in self._rows()]
        return [pair for pair in zip(self._there(), rows, strict=True) if pair[0] is not False]

    def _rows(self) -> Any:
        rows = as_symbol(self.recording, self.newest)
        made = rows.copy()
        made.owner = _Element(self.name)
        return made

    def _there(self) -> list[Any]:
        """Whether each place of the newest elements has one: True, False or a symbol."""
        known = self._known_count()
        if known is not None:
            return [self.kept.room - k <= known for k in range(self.kept.room)]
        others = range(self.kept.room, min(self.least, self.kept.room), -1)
        return [*(self.count >= k for k in others), *[True] * (self.kept.room - len(others))]

    def _known_count(self) -> int | None:
        """How many elements it has, where that is the same in all worlds."""
        if not isinstance(self.count, Symbol):
            return int(self.count)
        known = self.recording.numbers(self.count.ids)
        return None if known is None else int(known)

    def number(self) -> Any:
        """How many elements it has."""
        known = self._known_count()
        return self.count if known is None else known

    def any(self) -> Any:
        """Whether it has one."""
        return self.number() > 0

    def chosen(self) -> Any:
        """Its elements as an array."""
        self._need(None)
        rows, known = self._rows(), self._known_count()
        if known is not None:
            return rows[self.kept.room - known :]
        # arrays of as many elements have the same mask
        given = [as_symbol(self.recording, self.count), self.kept.room, self.least]
        mask = self.recording.once(
            "the elements of a list", given,
            lambda: as_symbol(self.recording, self._there()).astype(BOOL),
        )  # fmt: skip
        return Tail(rows, mask, self)

    def padded(self, room: int) -> Any:
        """The newest elements in an array of another length, zeros where there are none."""
        rows = as_symbol(self.recording, self.newest)
        there = as_symbol(self.recording, self._there()).reshape(-1, *[1] * (rows.ndim - 1))
        rows = np.where(there, rows, self.kept.zero)[max(self.kept.room - room, 0) :]
        missing = np.zeros((room - len(rows), *self.kept.zero.shape), rows.dtype)
        return np.concatenate([missing, rows]) if len(missing) else rows

    def parts(self) -> Any:
        """See `Possible`."""
        return self.count, self.newest

    def inner(self) -> list[Any]:
        """See `Possible`."""
        return []

    # ------------------------------------------------------------ elements

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return self._part(index)
        place = self._place(index)
        rows = self._rows()
        if not isinstance(place, Symbol):
            return self.kept.element(rows[place])
        found = rows[-1]
        for k in range(len(rows) - 1):
            found = np.where(place == k, rows[k], found)
        return self.kept.element(found)

    def __setitem__(self, index: Any, value: Any) -> None:
        if isinstance(index, slice):
            self.refuse("[:] =")
        place, row = self._place(index), self._row(value)
        rows = as_symbol(self.recording, self.newest)
        rows = rows.astype(np.result_type(rows.dtype, row.dtype)).copy()
        rows[place] = row
        self.newest = rows

    def _place(self, index: Any) -> Any:
        """Where an element stands among the newest; one that is not there is an error of worlds."""
        room = self.kept.room
        if isinstance(index, Symbol):
            self._need(None)
            outside = np.logical_or(index >= self.count, index < -self.count)
            place = np.where(index < 0, room + index, room - self.count + index)
            self._raise_where(outside, "list index out of range")
            return np.clip(place, 0, room - 1)
        index = operator.index(index)
        self._need(-index if index < 0 else None)
        needed = -index if index < 0 else index + 1
        if needed > self.least:
            self._raise_where(self.number() < needed, "list index out of range")
            # in all worlds that go on
            self.least = max(self.least, 0 if self.recording.paths.joins else needed)
        if index < 0:
            return max(room + index, 0)
        return np.clip(room - self.number() + index, 0, room - 1)

    def _raise_where(self, condition: Any, why: str) -> None:
        if condition is False or condition is np.False_:
            return
        refuse_caught()
        error = IndexError(f"{why}: {self.name}")
        self.recording.paths.raise_where(as_symbol(self.recording, condition), error)

    def _part(self, part: slice) -> "History":
        """Elements from one place to another, `[-n:]`, `[:-n]`, `[n:]` and the like."""
        start, stop, step = part.start, part.stop, part.step
        plain = all(one is None or isinstance(one, int | np.integer) for one in (start, stop, step))
        if not plain or step not in (None, 1) or (stop is not None and stop >= 0):
            parts = ["" if one is None else str(one) for one in (start, stop, step)]
            self.refuse(f"[{':'.join(parts)}]")
        most = -int(start) if start is not None and start < 0 else None
        self._need(most)
        room, count = self.kept.room, self.number()
        first, left = max(int(start or 0), 0), -int(stop or 0)
        # without the oldest, of those that are kept, and without the newest
        most = room - first if most is None else min(most, room)
        all_kept = self.kept.whole and most >= room - first

        def counted() -> Any:
            found = count if all_kept else np.minimum(count, most)
            return np.maximum(found - first - left, 0) if first or left else found

        if isinstance(count, Symbol):
            given = [count, all_kept or most, first + left]
            count = self.recording.once("a part of a list", given, counted).copy()
        else:
            count = counted()
        rows = as_symbol(self.recording, self.newest)[room - most : max(room - left, room - most)]
        kept = self.kept._replace(room=len(rows), whole=True)
        name = f"a part of {self.name}"
        made = History(self.recording, name, None, kept, count, rows.copy())
        made.least = max(min(self.least - first, most) - left, 0)
        return made

    # ------------------------------------------------------------ changes

    def append(self, value: Any) -> None:
        """Have one more element at the end."""
        row, rows = self._row(value), as_symbol(self.recording, self.newest)
        dtype = np.result_type(rows.dtype, row.dtype)
        row = row[None].astype(dtype)
        count = self.number()
        if self.path is None and self.kept.whole:
            # of a part or a copy, the array becomes longer
            self.kept = self.kept._replace(room=self.kept.room + 1)
            rows = np.concatenate([rows.astype(dtype), row])
        else:
            rows = np.concatenate([rows[1:].astype(dtype), row])
            if self.kept.whole:
                self._raise_where(count >= self.kept.room, "found too many elements for a step")
        self.count, self.newest = count + 1, rows
        self.least += not self.recording.paths.joins

    def _row(self, value: Any) -> Symbol:
        """An element as an array, of its own."""
        if isinstance(value, list | tuple) != (self.kept.kind is not None):
            self.refuse(f"with {value!r} in it")
        row = as_symbol(self.recording, value)
        if row.shape != self.kept.zero.shape:
            self.refuse(f"with an element of shape {row.shape}")
        if row is value and row.ndim and value.owner is None:
            # which the list's element would be, too
            value.owner = _Element(self.name)
        return row.copy()

    def extend(self, values: Iterable[Any]) -> None:
        """Have more elements at the end."""
        if isinstance(values, Possible) and values is not self:
            self.refuse(".extend by what worlds may have")
        for one in [*values]:
            self.append(one)

    def __iadd__(self, values: Iterable[Any]) -> "History":
        self.extend(values)
        return self

    def __add__(self, values: Any) -> "History":
        made = self.copy()
        made.extend(values)
        return made

    def pop(self, index: int = -1) -> Any:
        """Have one element less, the last or the first."""
        self._need(None)
        found, rows = self[index], as_symbol(self.recording, self.newest)
        if index == -1:
            gone = np.concatenate([self.kept.empty()[:1], rows[:-1]])
        elif index == 0:
            place = np.arange(self.kept.room).reshape(-1, *[1] * (rows.ndim - 1))
            gone = np.where(place == self._place(0), self.kept.zero, rows)
        else:
            self.refuse(f".pop({index})")
        self.count, self.newest, self.least = self.number() - 1, gone, max(self.least - 1, 0)
        return found

    def popleft(self) -> Any:
        """Have one element less, the first."""
        return self.pop(0)

    def clear(self) -> None:
        """Have no elements."""
        self.count, self.newest, self.least = 0, self.kept.empty(), 0

    def copy(self) -> "History":
        """The same elements in a list of its own."""
        return self[:]

    __copy__ = copy

    def __deepcopy__(self, _: Any) -> "History":
        return self.copy()

    def fill(self, other: Any) -> None:
        """Have what another one has."""
        self.count, self.newest, self.kept = other.count, other.newest, other.kept
        self.least = other.least

    def saved(self) -> Callable[[], None]:
        """Return a function that has everything as it is now."""
        count, newest, kept, least = self.count, self.newest.copy(), self.kept, self.least

        def put_back() -> None:
            self.count, self.newest, self.kept, self.least = count, newest.copy(), kept, least

        return put_back

    # ------------------------------------------------------------ what it is not

    def _need(self, room: int | None) -> None:
        """Ask for as many elements, None: for all.

        Raises:
            HistoryFound: there is no room for them yet.
            TraceError: it is a part that has been made with fewer.
        """
        if self.kept.whole or (room is not None and room <= self.kept.room):
            return
        if self.path is None:
            raise TraceError(f"found {self.name} of which more is read than it has")
        raise HistoryFound(self.path, self.name, room)

    def refuse(self, what: str) -> NoReturn:
        """Refuse what nobody can do with it; a list of a few lengths may."""
        if not self.kept.whole and self.path is not None:
            raise HistoryFound(self.path, self.name, None)
        raise TraceError(
            f"found {self.name}{what}, a list that becomes longer; expected its last elements, "
            "their number, a loop, or numpy's sums and extremes"
        )

    def __len__(self) -> int:
        return len(self._elements())

    def __iter__(self) -> Iterator[Any]:
        return iter(self._elements())

    def _elements(self) -> list[Any]:
        """All elements, where code that is not rewritten asks for them: a way for each number."""
        room, count = self.kept.room, self._known_count()
        if count is None:
            whole = self.kept.whole and room <= MOST and not self.recording.paths.joins
            if not whole:
                self.refuse(" in the place of a list")
            symbol: Any = self.count
            least = min(self.least, room)
            count = self.recording.paths.which(symbol, tuple(range(room, least - 1, -1)))
        return [self.kept.element(row) for row in self._rows()[room - count :]]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or not hasattr(list, name):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        self.refuse(f".{name}")


class Tail(Chosen):
    """Such a list as an array, or what is computed of each of its elements.

    Attributes:
        history: the list, of which the number of elements counts.
    """

    def __init__(self, values: Any, mask: Any, history: History):
        """Of all its elements, (room, ...), and whether they are there."""
        super().__init__(values, mask)
        self.history = history

    def made(self, values: Any) -> "Tail":
        """See `Chosen`."""
        return Tail(values, self.mask, self.history)

    def as_list(self) -> History:
        """The elements as a list."""
        zero = np.zeros(self.values.shape[1:], self.values.dtype)
        kept = Kept(len(self.values), True, zero)
        count = self.history.number()
        made = History(self.history.recording, "an array of them", None, kept, count, self.values)
        made.least = self.history.least
        return made

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, Chosen):
            return super().__getitem__(index)
        first, *others = index if isinstance(index, tuple) else (index,)
        found = self.as_list()[first]
        if not isinstance(first, slice):
            return found[tuple(others)] if others else found
        whole = found.chosen()
        if not others:
            return whole
        rows = whole.values if isinstance(whole, Tail) else whole
        rows = rows[(slice(None), *others)]
        return whole.made(rows) if isinstance(whole, Tail) else rows

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        known = len(args) == 1 and kwargs == ({} if self.ndim == 1 else {"axis": 0})
        if function is np.diff and known:
            return self[1:] - self[:-1]
        return super().__array_function__(function, types, args, kwargs)


class _Element:
    """Owner of an array that is an element of such a list, whose elements are kept apart."""

    def __init__(self, name: str):
        self._name = name

    def refuse_writes(self) -> None:
        """Refuse what would have to be in the list, too."""
        raise TraceError(
            f"found a write into an array that is an element of {self._name}; copy it where it is "
            "put there"
        )
