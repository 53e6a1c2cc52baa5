"""Numba that optimizes an entry as a whole, and makes no machine code that nobody calls.

Numba optimizes every function as soon as it is compiled, together with all that it calls, and makes
machine code of it, to be callable. Of kernels only the object file of an entry is used: functions
inside of it are linked as they were written, and what comes out is optimized once.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


def _nothing(*arguments: Any) -> None:
    """In place of what optimizes, makes code or uses its address."""


def _no_address(library: Any, name: str) -> int:
    """Address of a function of a library that nobody calls."""
    library._ensure_finalized()
    return 0


# methods of numba, and what stands for them
_REPLACED = (
    ("CPUCodeLibrary", "_optimize_functions", _nothing),
    ("CPUCodeLibrary", "_optimize_final_module", _nothing),
    ("JITCodeLibrary", "_finalize_specific", _nothing),
    ("JITCodeLibrary", "get_pointer_to_function", _no_address),
    ("JITCPUCodegen", "_add_module", _nothing),
    ("JITCPUCodegen", "set_env", _nothing),
)


@contextmanager
def whole_entry() -> Iterator[Callable[[Any], Any]]:
    """Have numba leave functions as they are meanwhile; other threads wait with what they compile.

    With a numba that is built otherwise, everything is as usual.

    Yields:
        What gives a copy of the LLVM module of a library, optimized.
    """
    from numba.core import codegen
    from numba.core.compiler_lock import global_compiler_lock
    from numba.core.registry import cpu_target

    # whatever numba makes for itself at its start is called
    _ = cpu_target.target_context
    owners = [getattr(codegen, owner, None) for owner, _, _ in _REPLACED]
    own = [vars(owner).get(name) if owner else None
           for owner, (_, name, _) in zip(owners, _REPLACED, strict=True)]  # fmt: skip
    if not all(hasattr(owner, name) for owner, (_, name, _) in zip(owners, _REPLACED, strict=True)):
        yield lambda library: library._final_module.clone()
        return
    optimize = codegen.CPUCodeLibrary._optimize_final_module
    with global_compiler_lock:
        try:
            for owner, (_, name, function) in zip(owners, _REPLACED, strict=True):
                setattr(owner, name, function)
            yield lambda library: _optimized(library, optimize)
        finally:
            for owner, (_, name, _), function in zip(owners, _REPLACED, own, strict=True):
                if function is None:
                    delattr(owner, name)
                else:
                    setattr(owner, name, function)


def _optimized(library: Any, optimize: Callable[[Any], None]) -> Any:
    """A copy of a library's module, optimized; other entries may yet call what is in it."""
    written = library._final_module
    library._final_module = written.clone()
    try:
        optimize(library)
        return library._final_module
    finally:
        library._final_module = written
