"""Places in arrays that differ between worlds: within bounds, and what is written there."""

from typing import Any

import numpy as np

from mjenv.porting.symbols.callers import is_caught
from mjenv.tracing.arrays import Traced, TraceError

MOST = 512  # elements to choose from


def differs(index: Any) -> bool:
    """True for a whole number that is known only when the program runs."""
    if not isinstance(index, Traced) or index.ndim or index.dtype.kind not in "iu":
        return False
    recording: Any = index.recording
    return recording.numbers(index.ids) is None


def counted(place: Any, count: int) -> Any:
    """A place among some elements, counted from the first; one out of bounds is an error there.

    Args:
        place: a whole number, a symbol; places below 0 count from the end.
        count: number of elements.

    Raises:
        TraceError: the package catches such errors.
    """
    few = place.recording.few.get(int(place.ids.item()))
    within = place.bound < count if few is None else -count <= min(few) and max(few) < count
    if not within:
        refuse_caught()
        error = IndexError(f"found an index out of bounds for {count} elements")
        place.recording.paths.raise_where(np.logical_or(place >= count, place < -count), error)
    return np.where(place < 0, place + count, place)


def refuse_caught(name: str = "IndexError") -> None:
    """Refuse an index that may be out of bounds where the package catches this.

    Args:
        name: the class of the error.

    Raises:
        TraceError: it does.
    """
    if is_caught(name, "LookupError"):
        raise TraceError(f"found `except {name}`, expected an `if` of the index")


def has_places(target: Any, index: Any) -> bool:
    """True for an index of numbers and slices, one of which at least is a value.

    Args:
        target: an array.
        index: into it.
    """
    parts = index if isinstance(index, tuple) else (index,)
    if len(parts) > target.ndim or not any(map(differs, parts)):
        return False
    known = all(differs(one) or isinstance(one, int | np.integer | slice) for one in parts)
    counts = (n for one, n in zip(parts, target.shape, strict=False) if differs(one))
    return known and all(0 < n <= MOST for n in counts)


def put(target: Any, index: Any, value: Any) -> None:
    """`target[index] = value` where a part of the index is a value, see `has_places`.

    Args:
        target: an array of symbols.
        index: numbers and slices.
        value: a symbol.
    """
    parts = index if isinstance(index, tuple) else (index,)
    # all elements that it may be, with an axis for each place
    reached = target[tuple(slice(None) if differs(one) else one for one in parts)]
    there: Any = True
    axis, axes = 0, []
    for one, count in zip(parts, target.shape, strict=False):
        if differs(one):
            along = [1] * reached.ndim
            along[axis] = count
            there = np.logical_and(there, np.arange(count).reshape(along) == counted(one, count))
            axes.append(axis)
        axis += differs(one) or isinstance(one, slice)
    shape = [n for k, n in enumerate(reached.shape) if k not in axes]
    reached[...] = np.where(there, np.expand_dims(np.broadcast_to(value, shape), axes), reached)
