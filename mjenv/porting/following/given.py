"""Symbols that a method begins with, in the place of its action and of attributes."""

from typing import Any

import numpy as np

from mjenv.porting.environment.changing import Slot
from mjenv.porting.environment.original import Original
from mjenv.porting.environment.sharing import NoWrites
from mjenv.porting.stand_ins.spaces import few_numbers
from mjenv.porting.symbols.symbol import Follower, Symbol
from mjenv.porting.varying.choices import Missing
from mjenv.porting.varying.queues import BOUND, LENGTH


def action_of(recording: Follower, space: Any) -> Symbol:
    """The symbol of an action."""
    made = Symbol(recording, _ids(recording, "@action", space.shape), space.dtype)
    recording.few.update(zip(made.ids.reshape(-1).tolist(), few_numbers(space), strict=False))
    return made


def _ids(recording: Follower, name: str, shape: tuple[int, ...]) -> np.ndarray:
    """Numbers of the values of a field that is the same in all sections."""
    now = recording.section
    recording.go("0")
    ids = recording.field(name, shape, np.dtype(np.float64)).ids
    if now:
        recording.go(now)
    return np.array(ids)


def field_of(recording: Follower, slot: Slot) -> Symbol:
    """The symbol of an attribute."""
    sample = np.asarray(slot.sample)
    return Symbol(recording, _ids(recording, slot.field, sample.shape), sample.dtype)


def attribute_of(recording: Follower, original: Original, slot: Slot) -> Any:
    """What a step finds in the place of an attribute: its symbol, or what it is on this way."""
    symbol = field_of(recording, slot)
    # whether it is None is a condition
    if slot.optional and original.form.together:
        return Missing(_is_nan(symbol), None, symbol)
    if slot.optional and bool(_is_nan(symbol)):
        return None
    if slot.path[-1][0] in (LENGTH, BOUND):
        queue = original.places.queues[slot.path[:-1]]
        few = queue.lengths if slot.path[-1][0] == LENGTH else queue.bounds
        return recording.paths.which(symbol, few)
    if slot.truth:
        recording.truths.update(symbol.ids.reshape(-1).tolist())
    members = original.places.rosters.members(slot.path)
    if members and not original.form.together:
        return recording.paths.which(symbol, tuple(range(members)))
    if slot.path in original.shared:
        symbol.owner = NoWrites(slot.path, original.shared[slot.path])
    return symbol


def _is_nan(symbol: Symbol) -> Any:
    """Whether an optional attribute is None."""
    first: Any = Symbol(symbol.recording, symbol.ids.reshape(-1)[:1], np.float64)
    return (first != first)[0]
