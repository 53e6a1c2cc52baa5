"""Arrays of attributes that share memory, so that what is written into one is in the others, too.

Attributes of worlds stay from step to step one by one, which would part them: what writes into one
of them is not traced. A reset in Python may, where they share memory at all times, as they are put
back together for it.
"""

from collections.abc import Callable, Container, Iterable
from typing import Any

import numpy as np

from mjenv.porting.environment.place_names import Path, named
from mjenv.porting.symbols.refusals import FollowAnew
from mjenv.porting.symbols.symbol import Symbol
from mjenv.tracing.arrays import TraceError


def sharing(places: Iterable[tuple[Path, Any]]) -> dict[Path, Path]:
    """For each array that shares memory with another, the path of one of those.

    Args:
        places: what is reached, by paths.
    """
    spans = []
    for number, (path, array) in enumerate(places):
        if isinstance(array, np.ndarray) and array.size and array.dtype.kind in "fiub":
            low, high = _bounds(array)
            spans.append((low, high, number, path, array))
    found: dict[Path, Path] = {}
    active: list[tuple[int, Path, np.ndarray]] = []  # arrays that may go on behind the next begins
    for low, high, _, path, array in sorted(spans, key=lambda span: span[:3]):
        active = [one for one in active if one[0] > low]
        for _, other, theirs in active:
            if (path not in found or other not in found) and _share(array, theirs):
                found.setdefault(path, other)
                found.setdefault(other, path)
        active.append((high, path, array))
    return found


def sharing_values(places: Iterable[tuple[Path, Any]]) -> dict[Path, Path]:
    """The same, of arrays of values."""
    return sharing((p, v.ids) for p, v in places if isinstance(v, Symbol) and np.ndim(v))


def _bounds(array: np.ndarray) -> tuple[int, int]:
    """Addresses of an array's first byte, and of the one behind its last."""
    start = array.__array_interface__["data"][0]
    reach = [(n - 1) * stride for n, stride in zip(array.shape, array.strides, strict=True)]
    low = start + sum(min(0, one) for one in reach)
    return low, start + sum(max(0, one) for one in reach) + array.itemsize


def _share(one: np.ndarray, other: np.ndarray) -> bool:
    most: Any = 10_000  # candidates
    try:
        return np.shares_memory(one, other, max_work=most)
    except np.exceptions.TooHardError:
        return True


class Contents:
    """What there is in some arrays, to tell what is written into them.

    Attributes:
        arrays: by paths, each with a copy.
    """

    def __init__(self, places: Iterable[tuple[Path, Any]], paths: Container[Path]):
        self.arrays = {
            path: (array, array.copy()) for path, array in places
            if path in paths and isinstance(array, np.ndarray)
        }  # fmt: skip

    def written(self, places: Iterable[tuple[Path, Any]]) -> set[Path]:
        """Paths of arrays that are there as before, and have other numbers in them."""
        known = self.arrays
        return {
            path for path, array in places
            if path in known and known[path][0] is array
            and not np.array_equal(array, known[path][1], equal_nan=array.dtype.kind == "f")
        }  # fmt: skip


def put_together(
    get: Callable[[Path], Any], put: Callable[[Path, Any], None], rows: dict[Path, np.ndarray]
) -> None:
    """Have numbers in arrays that share memory, without parting them.

    Args:
        get: what is in a place.
        put: has something there.
        rows: the numbers, in arrays of their own.
    """
    for path, row in rows.items():
        here = get(path)
        if _may_take(here, row):
            here[...] = row
    # what does not have its numbers then has been parted by the steps
    for path, row in rows.items():
        here = get(path)
        if not _may_take(here, row) or not np.array_equal(here, row, row.dtype.kind == "f"):
            put(path, row)


def _may_take(here: Any, row: np.ndarray) -> bool:
    same = isinstance(here, np.ndarray) and (here.shape, here.dtype) == (row.shape, row.dtype)
    return same and here.flags.writeable


class SharedFound(FollowAnew):
    """Arrays share memory that no episode has shown to.

    Attributes:
        arrays: paths, each with that of the other.
    """

    def __init__(self, arrays: dict[Path, Path]):
        self.arrays = arrays
        super().__init__(f"found {named(min(arrays))} that shares memory at times")


class NoWrites:
    """Owner of the values of an array that shares its memory; see `Symbol.owner`."""

    def __init__(self, path: Path, other: Path):
        self._path, self.other = path, other

    def refuse_writes(self) -> None:
        """Refuse what would have to be in the other array, too."""
        raise TraceError(
            f"found a write into {named(self._path)}, an array that shares memory with "
            f"{named(self.other)} at times; copy it where one is made of the other"
        )
