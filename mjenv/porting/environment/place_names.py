"""Paths to places of an environment's objects, and how they are written."""

from copy import copy
from typing import Any, Protocol

from mjenv.porting.symbols.refusals import NotThere
from mjenv.porting.varying.histories import COUNT, NEWEST
from mjenv.porting.varying.queues import BOUND, LENGTH
from mjenv.porting.varying.rosters import IN, WORD, WRONG

Path = tuple[tuple[str, Any], ...]
# kinds of steps to the numbers by which lists and words are told
NUMBERS_OF_LISTS = (IN, WORD, WRONG, LENGTH, BOUND, COUNT, NEWEST)
_WRITTEN = {
    ".": ".{}", IN: ".index({!r})", WRONG: ".wrong", WORD: "", LENGTH: ".length",
    BOUND: ".maxlen", COUNT: ".count", NEWEST: ".newest",
}  # fmt: skip


def named(path: Path) -> str:
    """A path as it is written in Python, behind `self`."""
    return "self" + "".join(_WRITTEN.get(kind, "[{!r}]").format(key) for kind, key in path)


class Reached(Protocol):
    """What lists and words ask of the places of an environment, see `Places`."""

    logs: set[Path]
    queues: Any
    histories: Any
    tables: Any

    def get(self, path: Path) -> Any:
        """Return the value at the end of a path."""

    def put(self, path: Path, new: Any) -> None:
        """Have something else at the end of a path."""


def there_or_made(places: Reached, path: Path, like: Any) -> Any:
    """What is at the end of a path; a copy of an empty one, put there where there is nothing."""
    try:
        return places.get(path)
    except NotThere:
        value = copy(like)
        places.put(path, value)
        return value
