"""Python's functions of loops (`sum`, `max`, `len`, `sorted`) of what a world may have."""

from collections.abc import Callable
from typing import Any

import numpy as np

from mjenv.porting.symbols.symbol import as_symbol
from mjenv.porting.varying.rosters import Roster
from mjenv.porting.varying.symbolic_contacts import Contacts, Possible, count_of, numbers
from mjenv.tracing.arrays import INT, TraceError


def total(values: Any, start: Any = 0) -> Any:
    """`sum`, in the order of the world's things."""
    for there, value in values.entries:
        start = start + value if there is True else np.where(there, start + value, start)
    return start


def any_of(values: Possible) -> Any:
    """`any`."""
    found: Any = False
    for there, value in values.entries:
        found = np.logical_or(found, np.logical_and(there, value))
    return found


def all_of(values: Possible) -> Any:
    """`all`."""
    found: Any = True
    for there, value in values.entries:
        found = np.logical_and(found, np.logical_or(np.logical_not(there), value))
    return found


def extreme(values: Possible, better: Callable, options: dict[str, Any]) -> Any:
    """`max` and `min`, with what there is if the world has nothing."""
    if options.keys() - {"default"}:
        raise TraceError("found max or min of what a world may have, with key")
    found, some = options.get("default", 0), False
    if isinstance(values, Roster):
        values = values.in_order()
    for there, value in values.entries:
        taken = there if some is False else np.logical_and(
            there, np.logical_or(np.logical_not(some), better(value, found))
        )  # fmt: skip
        found = np.where(taken, value, found)
        some = there if some is False else np.logical_or(some, there)
    if "default" not in options and some is not True:
        nothing = as_symbol(values.recording, np.logical_not(some))
        error = ValueError("found max or min of what is empty")
        values.recording.paths.raise_where(nothing, error)
    return found


def number_of(values: Possible) -> Any:
    """`len`."""
    return count_of(values) if isinstance(values, Contacts) else values.number()


def numbered(values: Possible, start: int = 0) -> Possible:
    """`enumerate`."""
    if isinstance(values, Contacts) and start == 0:
        places = [place for _, place in numbers(values).entries]
    else:
        places, count = [], as_symbol(values.recording, start)
        for there, _ in values.entries:
            places.append(count)
            count = count + as_symbol(values.recording, there).astype(INT)
    entries = [
        (there, (place, value))
        for place, (there, value) in zip(places, values.entries, strict=True)
    ]
    return Possible(values.recording, entries)


def in_order(values: Possible, **options: Any) -> Any:
    """`sorted`."""
    if isinstance(values, Roster) and not options:
        return values.in_order()
    return sorted(values, **options)
