"""Object code that is missing: it is compiled, here or in other processes, and stored.

Imported only when something has to be compiled.
"""

import os
import pickle
import sys
from collections.abc import Callable
from functools import partial
from typing import Any

from . import processes
from .cache import alone, cache_dir, place_of, read, store, take_over, unstored, writable
from .compiling import compiled
from .meaning import digest, reached, uses_strips
from .meanwhile import beside, waits
from .progress import progress
from .threads import available

WORTH = 20000  # bytes of Python's code that take longer to compile than another process to start


def object_code(function: Callable[..., Any], records: Any, wait: bool = True) -> bytes | None:
    """Object code from the cache, or compiled and then cached.

    None if another process is compiling it, unless this one is to wait for that.
    """
    path = place_of(function.__name__, digest(function, records))
    found = read(path)
    if found is not None:
        return found
    with alone(path, wait) as held:
        if not held:
            return None
        found = read(path)
        if found is None:
            progress.note()
            if uses_strips(reached(function)):
                from . import strip_lowering  # noqa: F401
            found = compiled(function, records)
            store(path, found)
    return found


def prepare(missing: list) -> None:
    """Compile entries, in two processes where there are two processors and it is worth it.

    Processes that need the same code share the work: each takes what no other has taken yet. Where
    they cannot see each other's files, the work is divided beforehand.

    Args:
        missing: (function, *records) of each entry.
    """
    missing.sort(key=_cost, reverse=True)
    if waits():
        beside([entry[0].__name__ for entry in missing], partial(_prepare, missing))
    elif len(missing) >= 4 or sum(map(_cost, missing)) >= WORTH:
        _prepare(missing)


def made(function: Callable[..., Any], records: Any) -> bytes | None:
    """Object code of an entry, compiled: beside a thread that has something else to do."""
    if waits():
        return beside([function.__name__], partial(object_code, function, records))
    if _cost((function,)) >= WORTH:
        # what takes so long can be interrupted elsewhere
        _prepare([(function, *records)])
    return object_code(function, records)


def _prepare(missing: Any) -> None:
    """Compile entries in other processes; what these leave out is compiled on demand."""
    progress.begin([place_of(f.__name__, digest(f, tuple(records))) for f, *records in missing])
    there = [entry for entry in missing if processes.can_travel(entry)]
    several = available() > 1 and (len(there) >= 4 or sum(map(_cost, there[1:])) >= WORTH)
    divided = several and not writable(cache_dir())
    shares = (there[::2], there[1::2]) if divided else (there,) * (1 + several)
    children = []
    try:
        children += filter(None, map(processes.start, shares if there else ()))
        for found in processes.wait(children, progress.look):
            take_over(found)
        _compile_all([entry for entry in missing if entry not in there])
    finally:
        processes.end(children)
        progress.end()


def _compile_all(entries: Any) -> None:
    """Compile entries that no other process is compiling."""
    for function, *records in entries:
        object_code(function, tuple(records), wait=False)


def compile_stdin(parent: int) -> None:
    """Compile the entries that another process has pickled to standard input.

    What cannot be stored goes to standard output; nothing else does.
    """
    results = os.dup(1)
    os.dup2(2, 1)
    processes.end_with(parent)
    _compile_all(pickle.load(sys.stdin.buffer))
    with os.fdopen(results, "wb") as stream:
        pickle.dump(unstored(), stream)


def _cost(entry: Any) -> int:
    return sum(len(f.__code__.co_code) for f in reached(entry[0]))
