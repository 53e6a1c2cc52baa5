"""One run of an environment's own step on symbols: what stands in for what, and what it leaves."""

import linecache
import traceback
from collections.abc import Collection
from pathlib import Path as File
from typing import Any

import numpy as np

from mjenv.porting.control.paths import Paths, is_ours, is_own
from mjenv.porting.environment.attributes import another_object, class_value, is_number, same
from mjenv.porting.environment.changing import Slot, refuse_sizes, slot_of
from mjenv.porting.environment.original import Alias, Original, may_be_followed
from mjenv.porting.environment.place_names import Path, named
from mjenv.porting.following.snapshot import Snapshot
from mjenv.porting.symbols.refusals import (
    FollowAnew,
    HelperFound,
    IndexFound,
    NotTraced,
    ValueAsIndex,
)
from mjenv.porting.symbols.symbol import Symbol, as_symbol, has_symbols
from mjenv.porting.symbols.symbol_ufuncs import recording_in
from mjenv.porting.varying.choices import Missing
from mjenv.porting.varying.histories import COUNT
from mjenv.porting.varying.queues import BOUND, LENGTH, zeros_like
from mjenv.porting.varying.rosters import IN, WORD, RosterFound
from mjenv.porting.varying.words import is_fixed, is_word, items_of
from mjenv.tracing.arrays import TraceError


class _HiddenUsed(TraceError):
    """A step uses an object that is not looked into.

    Attributes:
        module: that of the object's class.
    """

    def __init__(self, why: str, module: str):
        self.module = module
        super().__init__(why)


class _Hidden:
    """In the place of an object that episodes change."""

    def __init__(self, why: str, module: str):
        self._why, self._module = why, module

    def _refuse(self, *_: Any, **__: Any) -> Any:
        raise _HiddenUsed(self._why, self._module)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self._refuse()

    __call__ = __iter__ = __next__ = __len__ = __getitem__ = __setitem__ = __contains__ = _refuse
    __bool__ = __add__ = __mul__ = __sub__ = __float__ = __eq__ = __lt__ = __gt__ = _refuse
    __hash__ = object.__hash__


def hide(original: Original, path: Path) -> None:
    """Have a step that uses an object say so."""
    try:
        value = original.places.get(path)
    except (KeyError, IndexError, TypeError):
        return
    why = f"found {named(path)}, an object that episodes change and that is not looked into"
    why = another_object(path) if path in original.leading else why
    original.places.put(path, _Hidden(why, type(value).__module__))


def run_method(method: Any, args: tuple, paths: Paths) -> Any:
    """Run a method; return its results, or the error of its own that it raises."""
    try:
        return method(*args)
    except FollowAnew:
        raise
    except ValueAsIndex as error:
        raise _indexed(error, paths.indexed) or _refused(error) from error
    except Exception as error:
        helper = _helper(error, paths)
        if helper is None and paths.asked and is_own(error):
            return paths.failed(error)
        raise helper or _refused(error) from error


def _refused(error: Exception) -> NotTraced:
    """What is said of an error, with the line of the package that it comes from."""
    frames = traceback.extract_tb(error.__traceback__)
    theirs = [f for f in frames if not is_ours(f.filename)]
    where = theirs[-1] if theirs else frames[-1]
    text = str(error) if isinstance(error, TraceError) else f"{type(error).__name__}: {error}"
    source = linecache.getline(where.filename, where.lineno or 0).strip()
    return NotTraced(
        f"{File(where.filename).name}:{where.lineno} in {where.name}: {text}; the line is: {source}"
    )


def _helper(error: Exception, paths: Paths) -> HelperFound | None:
    """The module that an error comes from, if it is one that could be followed, but is not."""
    if isinstance(error, _HiddenUsed):
        module = error.module
    else:
        frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
        theirs = [one for one in frames if not is_ours(one.f_code.co_filename)]
        module = str(theirs[-1].f_globals.get("__name__", "")) if theirs else ""
    if paths.is_theirs(module) or not may_be_followed(module):
        return None
    return HelperFound(module, str(_refused(error)))


def _indexed(error: ValueAsIndex, known: Collection[tuple[str, int]]) -> IndexFound | None:
    """The package's function with an index; None where its indices have been calls already."""
    found = None
    for frame, number in traceback.walk_tb(error.__traceback__):
        code = frame.f_code
        if not is_ours(code.co_filename) and not code.co_name.startswith("<"):
            found = IndexFound(code, (code.co_filename, number))
    return None if found is None or found.line in known else found


# kinds of attributes, and of what is put there, that they cannot hold
_WIDER = frozenset((("b", "i"), ("b", "f"), ("i", "f"), ("u", "f")))


def symbol_kind(value: Any) -> str:
    """Kind of the type of a value, of one number or of several."""
    return str(np.dtype(value.dtype if isinstance(value, Symbol) else np.asarray(value).dtype).kind)


def _widened(slot: Slot, value: Any) -> Slot | None:
    """A slot that takes a value of another type, too; None where it does."""
    kinds = symbol_kind(slot.sample), symbol_kind(value)
    truth = slot.truth or (kinds[0] == "b") != (kinds[1] == "b")
    if slot.optional or (kinds not in _WIDER and truth == slot.truth):
        return None
    sample = np.asarray(slot.sample, np.float64)
    scalar = not isinstance(slot.sample, np.ndarray)
    return slot._replace(sample=sample.item() if scalar else sample, truth=truth)


def attributes_after(
    original: Original,
    slots: list[Slot],
    before: dict[Path, Any],
    snapshot: Snapshot,
    new: dict[Path, Slot],
    live: dict[Path, Alias],
    opaque: frozenset[Path],
) -> dict[str, Any]:
    """New values of attributes; those that were taken for constants and are none go to `new`.

    So do those that have another type than before at times.

    Args:
        original: the environment, after the method.
        slots: attributes that are known to change.
        before: the numbers that there were before anything stood in for something else.
        snapshot: all that there was when the method began.
        new: gets these.
        live: places of parts of the data's arrays.
        opaque: places of objects that change.

    Raises:
        NotTraced: the method does what no program can do.
    """
    places, known = original.places, {slot.path for slot in slots}
    changed = {}
    # attributes that are symbols
    for slot in slots:
        value = places.get(slot.path)
        if slot.optional and value is None:
            value = np.full(np.shape(slot.sample), np.nan)
        if isinstance(value, Missing):
            value = value.coded()
            if not slot.optional:
                new[slot.path] = slot_of(slot.path, zeros_like(value), False, True)
        symbol = as_symbol(recording_in((value,)), value) if has_symbols(value) else value
        refuse_sizes(slot.path, (slot.sample, symbol))
        wider = _widened(slot, symbol)
        if wider is not None and slot.path not in new:
            new[slot.path] = wider
        changed[slot.field] = symbol
    # others, which the step has left alone or changed
    places.queues.refuse_others()
    now = dict(places._walk())
    apart = {*live, *opaque, *original.generators.held}
    snapshot.refuse_changes(now, apart)
    for path, value in now.items():
        if path in known:
            continue
        if path and path[-1][0] in (IN, WORD, LENGTH, BOUND, COUNT):
            new[path] = slot_of(path, 0, True, False)
        elif places.has_lists(path) and (is_number(value) or isinstance(value, Symbol)):
            new[path] = slot_of(path, zeros_like(value), True, False)
        if snapshot.is_passed_over(path, apart):
            continue
        # the class has what the object has not
        old = before.get(path, class_value(places, path))
        if is_word(value) != is_fixed(old) and path not in places.rosters:
            raise NotTraced(f"found {named(path)}, which is a word at times and none at others")
        if is_word(value) and path not in places.rosters:
            words = dict.fromkeys((old, *items_of(value)))
            if len(words) > 1:
                raise RosterFound(path, named(path), words)
        if isinstance(value, Symbol):
            number = value.recording.numbers(value.ids)
            if number is None or old is None or not np.array_equal(number, old):
                sample = np.zeros(value.shape, value.dtype) if old is None else old
                made = slot_of(path, sample, old is not None, old is None)
                new[path] = _widened(made, value) or made
        elif isinstance(value, Missing):
            new[path] = slot_of(path, zeros_like(value.numbers()), False, True)
        elif value is None and is_number(old):
            new[path] = slot_of(path, old, False, True)
        elif is_number(value) and not same(value, old):
            new[path] = slot_of(path, value, is_number(old), old is None)
    return changed
