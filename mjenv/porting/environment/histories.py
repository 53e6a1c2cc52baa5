"""Lists that become longer and longer, among the places of an environment; see histories.py."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from mjenv.porting.environment.place_names import Path, Reached, named, there_or_made
from mjenv.porting.symbols.refusals import NotTraced
from mjenv.porting.symbols.symbol import Symbol
from mjenv.porting.varying.histories import COUNT, MOST_NUMBERS, NEWEST, History, HistoryFound, Kept
from mjenv.porting.varying.queues import QueueFound, zeros_like

_ROOM = 64  # at first, for all elements of a list


class Histories(dict[Path, Kept]):
    """What is known of them, by their paths.

    Attributes:
        given_up: those that were tried, and are lists of a few lengths instead, or have been.
        least: elements that episodes have shown in lists of any kind.
    """

    def __init__(self, places: Reached):
        """None is known."""
        super().__init__()
        self._places = places
        self.given_up: set[Path] = set()
        self.least: dict[Path, int] = {}

    # ------------------------------------------------------------ what is known

    def begin(self, path: Path, others: Iterable[Any]) -> bool:
        """Keep the newest elements of a list, from now on.

        Args:
            path: of the list.
            others: elements that it has at times.

        Returns:
            False where its elements are no numbers of one shape, or it was tried before.
        """
        value = self._places.get(path)
        kept = Kept.of([*value, *map(zeros_like, others)]) if _is_list(value) else None
        if kept is None or path in self or path in self.given_up:
            return False
        self[path] = kept._replace(least=self.least.get(path, 0))
        return True

    def note(self, lengths: dict[Path, int]) -> None:
        """Note how many elements lists have at some time."""
        for path, length in lengths.items():
            self.least[path] = min(length, self.least.get(path, length))

    def take_over(self, path: Path) -> bool:
        """Keep the elements of a list of a few lengths, which turn out to be many.

        Returns:
            False where that cannot be.
        """
        queue = self._places.queues[path]
        if not self.begin(path, queue.zeros):
            kept = Kept.of(queue.zeros) if _is_list(queue.like) else None
            if kept is None or path in self:
                return False
            room = _ROOM + max(queue.lengths, default=0)
            self[path] = kept._replace(room=room, whole=True, least=min(queue.lengths, default=0))
        del self._places.queues[path]
        return True

    def have_fewer(self, path: Path, least: int) -> None:
        """Know that a step may begin with fewer elements."""
        self[path] = self[path]._replace(least=least)

    def grow(self, path: Path) -> None:
        """Have room for more elements of a list of which all are kept.

        Raises:
            NotTraced: there are too many.
        """
        kept = self[path]
        room = 4 * kept.room
        if room * max(kept.zero.size, 1) > MOST_NUMBERS:
            raise NotTraced(
                f"found {named(path)} with nearly {kept.room} elements, of which a "
                "step reads all; expected way='world by world'"
            )
        self[path] = kept._replace(room=room)

    def add(self, found: HistoryFound) -> None:
        """Keep as many elements as a method asks for, from now on.

        Raises:
            NotTraced: those are too many.
        """
        kept = self[found.path]
        if found.room is None:
            self.give_up(found.path)
        elif found.room * max(kept.zero.size, 1) > MOST_NUMBERS:
            raise NotTraced(f"found {found.name}, of which {found.room} elements are read")
        else:
            self[found.path] = kept._replace(room=found.room)

    def give_up(self, path: Path) -> None:
        """Have a list of a few lengths instead."""
        del self[path]
        self.given_up.add(path)
        self._places.queues.add(QueueFound(path, named(path), ()))

    def give_up_all(self) -> bool:
        """The same of all of which not all elements are kept; whether there are any."""
        tried = [path for path, kept in self.items() if not kept.whole]
        for path in tried:
            self.give_up(path)
        return bool(tried)

    def refuse_kept(self) -> None:
        """Refuse lists of which all elements are kept, and which a reset does not empty.

        Raises:
            NotTraced: there is one.
        """
        for path, kept in self.items():
            value = self._places.get(path)
            if kept.whole and isinstance(value, History) and value._known_count() is None:
                raise NotTraced(
                    f"found {named(path)}, a list that becomes longer from episode "
                    "to episode; keep an array, and the number of what is in it"
                )

    # ------------------------------------------------------------ what is in them

    def make(self, recording: Any) -> None:
        """Have what stands for them in the place of lists."""
        for path, kept in self.items():
            value = self._places.get(path)
            count, newest = len(value), kept.newest([*value])
            name = named(path)
            self._places.put(path, History(recording, name, path, kept, count, newest))

    def begin_step(self) -> None:
        """Have as many elements as a step begins with at least, of lists made of symbols."""
        for path, kept in self.items():
            self._places.get(path).least = kept.least

    def inside(self, path: Path, value: Any) -> list[tuple[tuple[str, Any], Any]] | None:
        """The number of elements and the newest of them, see `Places`; None for a stand-in.

        Raises:
            NotTraced: there is something else.
        """
        if hasattr(value, "stands_for"):
            return None
        if not isinstance(value, History) and not _is_list(value):
            raise NotTraced(f"found {named(path)}, {value!r}, expected a list")
        return [((kind, ""), self.part(path, value, kind)) for kind in (COUNT, NEWEST)]

    def part(self, path: Path, value: Any, kind: str) -> Any:
        """The number of elements, or the newest of them."""
        if isinstance(value, History):
            if kind == COUNT:
                return value.count
            return value.newest if value.path == path else value.padded(self[path].room)
        return len(value) if kind == COUNT else self[path].newest([*value])

    def has(self, path: Path) -> bool:
        """True for what is in one of them."""
        return path != () and path[-1][0] in (COUNT, NEWEST)

    def may_have(self, path: Path, kind: str, sample: Any) -> bool:
        """False for what was kept of a list before more, or nothing, was asked for."""
        return path in self and (kind == COUNT or len(sample) == self[path].room)

    def put(self, path: Path, kind: str, new: Any) -> None:
        """Have another number of elements, or other newest ones.

        Args:
            path: of the list.
            kind: `COUNT` or `NEWEST`, which comes behind it.
            new: numbers, or symbols.
        """
        kept, value = self[path], there_or_made(self._places, path, [])
        if isinstance(new, Symbol) and not (isinstance(value, History) and value.path == path):
            name, parts = named(path), [self.part(path, value, COUNT)]
            parts.append(self.part(path, value, NEWEST))
            value = History(new.recording, name, path, kept, *parts)
            self._places.put(path, value)
        if isinstance(value, History):
            setattr(value, kind, new)
            value.least = 0 if kind == COUNT else value.least
            return
        # a list of an environment that Python goes on with
        if kind == COUNT:
            del value[int(new) :]
            zeros = [kept.element(kept.zero.copy()[()])] * (int(new) - len(value))
            value.extend(zeros)
            return
        rows = [kept.element(_plain(row)) for row in np.asarray(new)]
        there = min(len(value), kept.room)
        value[len(value) - there :] = rows[kept.room - there :]


def _is_list(value: Any) -> bool:
    return type(value) is list


def _plain(row: np.ndarray) -> Any:
    """A row as an element: a number as Python has it, or an array of its own."""
    return row.copy() if row.ndim else row.item()
