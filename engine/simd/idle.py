"""Kernels that do nothing: what some work needs compiled is found without compiling it."""

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_missing: set[Path] | None = None
# for any number of arguments: C lets the caller take them away
_nothing = ctypes.CFUNCTYPE(ctypes.c_int)(lambda: 0)


@contextmanager
def idle() -> Iterator[set[Path]]:
    """Kernels do nothing inside, in the whole process; what they compute stays as it was.

    A process that was idle is not good for anything else: its data hold entries that do nothing.

    Yields:
        Where the object code that is missing is going to be, as far as it was asked for.
    """
    global _missing
    _missing = missing = set()
    try:
        yield missing
    finally:
        _missing = None


def is_idle() -> bool:
    """True if kernels do nothing."""
    return _missing is not None


def noted(path: Path) -> int:
    """Note that object code is needed; the address of a function that does nothing."""
    if _missing is not None and not path.exists():
        _missing.add(path)
    return ctypes.cast(_nothing, ctypes.c_void_p).value or 0
