"""Machine code that built-in functions share: written once, then taken from the cache.

Writing it as LLVM's intermediate representation and compiling it takes as long as loading all
kernels of a small model. What differs between processes, addresses of Python's objects and
functions, is not in the code: it reads them from an array, which is filled when it is loaded.
"""

import ctypes
import hashlib
import os
import threading
from collections.abc import Callable, Sequence
from typing import Any

from .cache import place_of, read, store
from .idle import is_idle, noted
from .kernel import linked
from .meaning import source_key, toolchain
from .object_code import OUTSIDE, outside

# files of this folder that say what the code is
SOURCES = (
    "object_code", "argument_code", "result_objects", "builtin", "builtin_code", "bound_calls",
    "ready_calls",
)  # fmt: skip

# what is loaded, by name: threads load it one after the other, and it stays for as long as the
# process, whose functions keep addresses in it
_loading, _loaded = threading.Lock(), dict[str, tuple[int, Any]]()


def _renew() -> None:
    global _loading
    _loading = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew)


def shared_code(name: str, write: Callable[[], str]) -> int:
    """Address of the machine code of a function that takes and returns objects.

    Args:
        name: of the function; the sources and it say all that the code depends on.
        write: writes its text, see `ObjectCode`.
    """
    address, engine = cached_code(name, write, SOURCES)
    words = outside()
    place = engine.get_global_value_address(OUTSIDE)
    (ctypes.c_int64 * len(words)).from_address(place)[:] = words
    return address


def cached_code(name: str, write: Callable[[], str], sources: Sequence[str]) -> tuple[int, Any]:
    """Machine code that is written once, then taken from the cache; a process loads it once.

    Args:
        name: of one of its functions.
        write: writes its text.
        sources: files of this folder that say, with the name, all that the code depends on.

    Returns:
        The address of the function, and the engine that has it.
    """
    with _loading:
        if name not in _loaded:
            _loaded[name] = linked(_code(name, write, sources), name)
        return _loaded[name]


def _code(name: str, write: Callable[[], str], sources: Sequence[str]) -> bytes:
    """The same as object code."""
    rules = [name, toolchain(), *(source_key(f"{source}.py") for source in sources)]
    path = place_of(name, hashlib.sha256("\n".join(rules).encode()).hexdigest())
    code = read(path)
    if code is None:
        code = _compiled(write())
        # it is called also where kernels do nothing, but nothing is left of it there
        if is_idle():
            noted(path)
        else:
            store(path, code)
    return code


def _compiled(text: str) -> bytes:
    """Object code of LLVM's text."""
    import llvmlite.binding as llvm

    # numba may not have been imported
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_triple(llvm.get_process_triple()).create_target_machine(jit=True)
    return target.emit_object(llvm.parse_assembly(text))
