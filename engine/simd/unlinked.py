"""Numba without the machine code that nobody calls.

Numba makes machine code of every function as soon as it is compiled, to be callable. Of kernels
only the object file of an entry is used, into which all that it calls is linked before; making the
same code again and again of the functions inside takes a seventh of the time.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


def _nothing(*arguments: Any) -> None:
    """In place of what makes code or uses its address."""


def _no_address(library: Any, name: str) -> int:
    """Address of a function of a library that has only been optimized."""
    library._ensure_finalized()
    return 0


@contextmanager
def unlinked() -> Iterator[None]:
    """Have numba make no machine code meanwhile; other threads wait with what they compile.

    With a numba that is built otherwise, everything is as usual.
    """
    from numba.core import codegen
    from numba.core.compiler_lock import global_compiler_lock
    from numba.core.registry import cpu_target

    # whatever numba makes for itself at its start is called
    _ = cpu_target.target_context
    replacements = (
        ("JITCodeLibrary", "_finalize_specific", _nothing),
        ("JITCodeLibrary", "get_pointer_to_function", _no_address),
        ("JITCPUCodegen", "_add_module", _nothing),
        ("JITCPUCodegen", "set_env", _nothing),
    )
    found = [(getattr(codegen, owner, None), name) for owner, name, _ in replacements]
    if not all(hasattr(owner, name) for owner, name in found):
        yield
        return
    with global_compiler_lock:
        own = [vars(owner).get(name) for owner, name in found]
        try:
            for (owner, name), (_, _, function) in zip(found, replacements, strict=True):
                setattr(owner, name, function)
            yield
        finally:
            for (owner, name), function in zip(found, own, strict=True):
                if function is None:
                    delattr(owner, name)
                else:
                    setattr(owner, name, function)
