"""Elements at a place that differs between worlds, and arrays of one's own.

What a list or an array has at a place that is drawn is chosen among all that it has: each world
gets that of its own place.
"""

from collections import deque
from typing import Any

import numpy as np

from mjenv.porting.symbols.places import MOST, counted, differs, refuse_caught
from mjenv.porting.symbols.symbol import Symbol, as_symbol, constant
from mjenv.porting.varying.choices import choose
from mjenv.porting.varying.words import Word
from mjenv.tracing.arrays import TraceError


def element(values: Any, index: Any) -> Any:
    """`values[index]`, also where one part of the index is a value.

    Raises:
        TraceError: there are too many elements, or they are no numbers of the same shape, and the
            index is not one of few numbers.
    """
    if _is_key(values, index):
        return _looked_up(values, index)
    parts = list(index) if isinstance(index, tuple) else [index]
    if _is_in_table(values, parts):
        return _in_table(values, parts)
    places = [k for k, one in enumerate(parts) if differs(one)]
    if len(places) != 1 or type(values) not in (list, tuple, deque, np.ndarray, Symbol):
        return values[index]
    axis = places[0]
    place, count = parts[axis], np.shape(values)[axis] if axis else len(values)
    # otherwise the array refuses it
    if count > MOST or not count:
        return values[index]
    few = place.recording.few.get(int(place.ids.item()))
    place = counted(place, count)

    def at(k: int) -> Any:
        parts[axis] = k
        return values[tuple(parts)] if isinstance(index, tuple) else values[k]

    found = at(count - 1)
    try:
        for k in range(count - 2, -1, -1):
            found = choose(place == k, at(k), found)
    except TraceError:
        # what is no number is there on a way of its own
        if few is None or place.recording.paths.joins:
            raise
        return values[index]
    return found


def _is_key(values: Any, index: Any) -> bool:
    """True for one of several words or whole numbers in the brackets of a dict."""
    if not isinstance(values, dict):
        return False
    return isinstance(index, Word) or (differs(index) and all(type(one) is int for one in values))


def _looked_up(values: dict, key: Any) -> Any:
    """What a dict has for one of several words or numbers, chosen where that can be.

    Raises:
        TraceError: the package catches errors of numbers that the dict has not.
    """
    word = isinstance(key, Word)
    if not (all(one in values for one in key.items) if word else values):
        return values[key]
    conditions = [(one, key == one) for one in (key.items if word else values)]
    if not word:
        refuse_caught("KeyError")
        absent: Any = True
        for _, condition in conditions:
            absent = np.logical_and(absent, np.logical_not(condition))
        key.recording.paths.raise_where(absent, KeyError(f"found none of {[*values]}"))
    found = values[conditions[-1][0]]
    try:
        for one, condition in conditions[-2::-1]:
            found = choose(condition, values[one], found)
    except TraceError:
        return values[key if word else key.recording.paths.which(key, tuple(values))]
    return found


def _is_in_table(values: Any, parts: list[Any]) -> bool:
    """True for values as indices, several or arrays of them, and for places of large tables."""
    if type(values) not in (np.ndarray, Symbol) or len(parts) > values.ndim:
        return False
    if not values.size or (type(values) is np.ndarray and values.dtype.kind not in "fiub"):
        return False
    known = [isinstance(one, int | np.integer) and not isinstance(one, bool) for one in parts]
    differing = [isinstance(one, Symbol) and one.dtype.kind in "iu" for one in parts]
    arrays = [isinstance(one, np.ndarray) and one.dtype.kind in "iu" for one in parts]
    whole = all(map(any, zip(known, differing, arrays, strict=True)))
    several = sum(differing) > 1 or any(one.ndim for one in parts if isinstance(one, Symbol))
    return whole and any(differing) and (several or len(values) > MOST)


def _in_table(values: Any, parts: list[Any]) -> Any:
    """Elements of an array at places that differ between worlds.

    Raises:
        TraceError: the elements are values themselves, and too many to choose from.
    """
    recording = next(one.recording for one in parts if isinstance(one, Symbol))
    # the place of each in a flat array; one out of bounds is an error of its world
    flat, outside = constant(recording, np.asarray(0)), constant(recording, np.asarray(False))
    for part, count in zip(parts, values.shape, strict=False):
        place = as_symbol(recording, part)
        outside = np.logical_or(outside, np.any(np.logical_or(place >= count, place < -count)))
        place = np.clip(np.where(place < 0, place + count, place), 0, count - 1)
        place = Symbol(recording, as_symbol(recording, place).ids, np.int64, count)
        flat = flat * count + place
    paths = recording.paths
    refuse_caught()
    paths.raise_where(outside, IndexError(f"found an index out of bounds of shape {values.shape}"))
    rest = values.shape[len(parts) :]
    table = values if isinstance(values, np.ndarray) else recording.numbers(values.ids)
    if table is not None:
        within = np.arange(int(np.prod(rest))).reshape(rest)
        ids = np.asarray((flat[(..., *[None] * len(rest))] * within.size + within).ids)
        found = recording.look_up(np.ravel(table).astype(np.float64), ids)
        bound = int(np.abs(table).max()) + 1 if values.dtype.kind in "iu" else 1
        return Symbol(recording, found, values.dtype, bound)
    rows = values.reshape(-1, *rest)
    if len(rows) > MOST:
        raise TraceError(f"found an index of {len(rows)} values, expected at most {MOST}")
    found, flat = rows[-1], flat[(..., *[None] * len(rest))]
    for k in range(len(rows) - 1):
        found = np.where(flat == k, rows[k], found)
    return found


def fresh(recording: Any, made: Any) -> Any:
    """An array that nobody else has, so that values can be written into it."""
    plain = type(made) is np.ndarray and made.dtype.kind in "fiub"
    return constant(recording, made) if plain else made
