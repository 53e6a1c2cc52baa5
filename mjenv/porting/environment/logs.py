"""Lists that an environment adds to in its steps, such as `self.rewards.append(reward)`.

Worlds have no such lists: where nothing reads one, it is left out, and the report says so. One that
a step reads has to have few lengths, see `queues.py`.
"""

from collections.abc import Iterable
from typing import Any, NoReturn

from mjenv.porting.environment.attributes import Places, StandIn
from mjenv.porting.environment.place_names import Path, named
from mjenv.porting.symbols.refusals import FollowAnew, NotTraced
from mjenv.porting.varying.queues import QueueUsed


class LogFound(FollowAnew):
    """A list that was taken for one of as many elements as ever becomes longer."""

    def __init__(self, path: Path):
        """By its place."""
        super().__init__(longer(named(path)))
        self.path = path


class _InPlace(StandIn):
    """In the place of a list."""

    def __init__(self, path: Path):
        """By the list's place."""
        self.stands_for = named(path)
        self._path, self._added = path, list[Any]()

    def _refuse(self, *_: Any, **__: Any) -> NoReturn:
        raise QueueUsed(self._path, self.stands_for, self._added)

    __len__ = __iter__ = __getitem__ = __setitem__ = __contains__ = __bool__ = __array__ = _refuse
    __add__ = __radd__ = __mul__ = __eq__ = __ne__ = __lt__ = __gt__ = __reversed__ = _refuse  # type: ignore[assignment]
    __iadd__ = _refuse
    __hash__ = object.__hash__

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self._refuse()


class Unused(_InPlace):
    """In the place of a queue that a method does not use: where it does, that is known then."""


class Log(_InPlace):
    """In the place of a list: takes in what is added to it, and refuses to be read."""

    def append(self, value: Any) -> None:
        """Leave out an element."""
        self._added.append(value)

    def extend(self, values: Any) -> None:
        """Leave out some."""
        self._added.extend(values if isinstance(values, list | tuple) else ())

    def insert(self, place: Any, value: Any) -> None:
        """Leave out an element."""

    def clear(self) -> None:
        """Leave out all."""

    def __iadd__(self, values: Any) -> "Log":  # type: ignore[override]
        self.extend(values)
        return self


def longer(name: str) -> str:
    """Why a list that grows is refused."""
    return (
        f"found {name}, a list that becomes longer, expected one that has as many elements from "
        "the reset on, or that is not read; keep an array, and the number of what is in it"
    )


def grown(before: dict[Path, int], now: dict[Path, int]) -> None:
    """Compare lengths of lists with those of a step before.

    Raises:
        LogFound: one is longer.
    """
    for path, length in now.items():
        if length > before.get(path, length):
            raise LogFound(path)


def refuse_resets(places: Places, why: str) -> None:
    """Refuse lists that become longer where resets are Python, which might read what is in them.

    Args:
        places: of the environment.
        why: why its reset is not traced.

    Raises:
        NotTraced: there are some.
    """
    found = places.logs | places.queues.growing | places.histories.keys()
    if found:
        name = min(map(named, found))
        raise NotTraced(f"{longer(name)}. Its reset might read it: it is not traced, {why}")


def make_logs(places: Places, method: str) -> None:
    """Have something in the place of lists that steps add to, and of queues that nothing uses.

    Args:
        places: of the environment.
        method: that is followed.
    """
    for path in places.logs:
        places.put(path, Log(path))
    for path in places.queues.unused(method):
        places.put(path, Unused(path))


def refuse_used(places: Places, unused: Iterable[Path]) -> None:
    """Refuse queues that a method has replaced.

    Args:
        places: of the environment.
        unused: queues that it does not use otherwise.

    Raises:
        QueueUsed: it has replaced one.
    """
    for path in unused:
        if not isinstance(places.get(path), Unused):
            raise QueueUsed(path, named(path))
