"""Compiling beside a thread that has something else to do meanwhile, such as a window."""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

EVERY = 0.01  # s between the calls of a thread that waits

_here = threading.local()


@contextmanager
def meanwhile(look: Callable[[Sequence[str]], object]) -> Iterator[None]:
    """Have this thread call a function again and again while code that it needs is compiled.

    Args:
        look: called with the names of what is compiled. Code that it needs itself is compiled
            without it being called. What it raises ends the call that needed the code; compiling
            goes on, for whoever needs it next.
    """
    before = getattr(_here, "look", None)
    _here.look = look
    try:
        yield
    finally:
        _here.look = before


def waits() -> bool:
    """True if this thread has something else to do while code is compiled."""
    return getattr(_here, "look", None) is not None


def beside(names: Sequence[str], work: Callable[[], Any]) -> Any:
    """The result of work that compiles; in another thread where this one has something to do.

    Args:
        names: what is compiled.
        work: what is done.
    """
    look = getattr(_here, "look", None)
    if look is None:
        return work()
    results: list[Any] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(work())
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=run, name="mjenv-compiling", daemon=True)
    thread.start()
    # the look may compile something itself, and must not call itself for it
    _here.look = None
    try:
        while thread.is_alive():
            look(names)
            thread.join(EVERY)
    finally:
        _here.look = look
    if errors:
        raise errors[0]
    return results[0]
