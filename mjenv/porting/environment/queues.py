"""Lists, queues and dicts whose lengths differ, among the places of an environment."""

from collections import deque
from copy import copy
from typing import Any

from mjenv.porting.environment.place_names import Path, Reached, named, there_or_made
from mjenv.porting.symbols.refusals import NotTraced
from mjenv.porting.symbols.symbol import Symbol
from mjenv.porting.varying.queues import (
    BOUND,
    LENGTH,
    MOST_OF_BOUNDED,
    OtherOrder,
    Queue,
    QueueFound,
    QueueUsed,
    TooManyLengths,
)
from mjenv.porting.varying.tables import TableFound
from mjenv.tracing.arrays import TraceError


class Queues(dict[Path, Queue]):
    """What is known of them, by their paths.

    Attributes:
        growing: those that each reset has made longer.
    """

    def __init__(self, places: Reached):
        """None is known."""
        super().__init__()
        self._places = places
        self.growing: set[Path] = set()
        self._chosen: set[Path] = set()  # of lengths that values decide about

    # ------------------------------------------------------------ what is known

    def add(self, found: QueueFound) -> None:
        """Have a list or a queue of more lengths from now on."""
        known, histories = self.get(found.path, Queue((), [])), self._places.histories
        self._places.logs.discard(found.path)
        try:
            self[found.path] = known.with_lengths(found)
        except OtherOrder:
            self._become_table(found.path, known, found.value)
        except TooManyLengths:
            if found.path not in self or not histories.take_over(found.path):
                raise

    def have_many_lengths(self) -> bool:
        """Keep all of lists and dicts of lengths that values have decided about.

        Returns:
            Whether there are any that can be kept so.
        """
        known, self._chosen = self._chosen & self.keys(), set()
        dicts = {path for path in known if isinstance(self[path].like, dict)}
        for path in dicts:
            self._become_table(path, self[path], self[path].like)
        lists = [path for path in known - dicts if self._places.histories.take_over(path)]
        return bool(dicts or lists)

    def _become_table(self, path: Path, queue: Queue, value: dict) -> None:
        """Have a dict that is filled in any order instead of one in the order of its names."""
        values = dict(zip(queue.names, queue.zeros, strict=False))
        empty = copy(value)
        empty.clear()
        self._places.tables.add(TableFound(path, named(path), values | value, empty))

    def note_used(self, found: QueueUsed, method: str) -> None:
        """Have a method use a list or a queue from now on."""
        if found.path in self._places.logs:
            if self._places.histories.begin(found.path, found.added):
                self._places.logs.discard(found.path)
                return
            self.add(QueueFound(found.path, found.name, ()))
        known = self[found.path]
        self[found.path] = known._replace(users=known.users | {method})

    def unused(self, method: str) -> list[Path]:
        """Those that a method does not use."""
        return [path for path, queue in self.items() if method not in queue.users]

    def refuse_others(self) -> None:
        """Refuse lengths that are not known.

        Raises:
            QueueFound: there is one.
        """
        for path, queue in self.items():
            value = self._places.get(path)
            if isinstance(value, list | deque | dict) and not queue.is_known(value):
                raise QueueFound(path, named(path), (len(value),), value)

    def learn(self) -> bool:
        """Take up lengths that no episode before has shown; returns whether there are any."""
        found = False
        while True:
            try:
                self.refuse_others()
                return found
            except QueueFound as error:
                found, users = True, self[error.path].users
                # of one that steps leave alone more lengths are no more ways
                if error.most is not None and error.most < MOST_OF_BOUNDED and "step" not in users:
                    error.lengths = frozenset(range(error.most + 1))
                self.add(error)

    # ------------------------------------------------------------ what is in them

    def inside(self, path: Path, value: Any) -> list[tuple[tuple[str, Any], Any]] | None:
        """The length and the elements, see `Places`; None for what stands in the place of one.

        Raises:
            NotTraced: there is something else.
            QueueFound: a dict has other names.
        """
        if not isinstance(value, list | deque | dict):
            if hasattr(value, "stands_for"):
                return None
            name = named(path)
            raise NotTraced(f"found {name}, {value!r}, expected a list, a queue or a dict")
        queue = self[path]
        if isinstance(value, dict) and not queue.begins(value):
            raise QueueFound(path, named(path), (len(value),), value)
        inner = enumerate(queue.elements(value))
        bound = [((BOUND, ""), getattr(value, "maxlen", None))] if queue.bounds else []
        inside = ((("[", queue.key(k)), one) for k, one in inner)
        return [*bound, ((LENGTH, ""), len(value)), *inside]

    def has(self, path: Path) -> bool:
        """True for what is in one of them, and for its length."""
        return any(path[:k] in self for k in range(len(path)))

    def is_behind(self, path: Path) -> bool:
        """True for what is behind the end of one, where a world has nothing."""
        return bool(self) and any(
            kind == "["
            and path[:k] in self
            and self.lack(path[:k], key, self._places.get(path[:k]))
            for k, (kind, key) in enumerate(path)
        )

    def lack(self, path: Path, key: Any, value: Any) -> bool:
        """True for an element that one of them, as it is, does not have, by its index or name."""
        return path in self and self[path].place(key) >= len(value)

    def zero(self, path: Path, key: Any) -> Any:
        """What stands in the place of such an element."""
        queue = self[path]
        return queue.zeros[queue.place(key)]

    def resize(self, path: Path, length: Any) -> None:
        """Have as many elements, of one that is made where there is none.

        Raises:
            TraceError: values decide how many.
        """
        queue = self[path]
        if isinstance(length, Symbol):
            self._chosen.add(path)
            raise TraceError(f"found {named(path)} of a length that values decide about")
        queue.resize(there_or_made(self._places, path, self[path].like), int(length))

    def have_bound(self, path: Path, bound: Any) -> None:
        """Have another `maxlen`, of a `deque` that is made where there is none.

        Raises:
            TraceError: values decide about it.
        """
        if isinstance(bound, Symbol):
            raise TraceError(f"found {named(path)} with a maxlen that values decide about")
        value = there_or_made(self._places, path, self[path].like)
        if value.maxlen != bound:
            self._places.put(path, deque(value, maxlen=int(bound)))
