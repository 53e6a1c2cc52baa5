"""Kernels: marked Python functions, compiled entry by entry, cached, linked by address.

A kernel is a plain function over records, fields and reals; interpreted, it runs as it stands. An
entry (a stage or a driver) is compiled with all that it reaches to one object file (compiling.py),
which is named after the entry's key (meaning.py). Loading it needs no numba.
"""

import ctypes
import os
import sys
import threading
import types
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .cache import place_of, read
from .idle import is_idle, noted
from .lanes import NUMBERED
from .meaning import ENTRY_NAME, digest, global_names, in_scope, is_kernel, named_globals, reached

if TYPE_CHECKING:
    from .record import Record


def kernel(function: Callable[..., Any]):
    """Mark a function as part of the engine's compiled code.

    Args:
        function: a plain function of the model and the data, or of numbers; what it may use is
            listed in lanes.py. What else it contains is refused when it is compiled.

    Returns:
        The same function, which plain Python can still call.

    Raises:
        TypeError: it is something else than a function written with `def`.
    """
    if not isinstance(function, types.FunctionType):
        raise TypeError(
            f"kernel: found a {type(function).__name__}, expected a function written in Python"
        )
    vars(function)["is_kernel"] = True
    return function


def variant(function: Callable[..., Any], **names: Any):
    """A copy of a kernel in which some of the global names that it uses mean something else.

    Args:
        function: a kernel.
        names: what the names mean in the copy, constants or kernels.
    """
    unknown = set(names).difference(global_names(function.__code__))
    if unknown:
        raise TypeError(f"variant of {function.__qualname__}: it does not name {sorted(unknown)}")
    return kernel(in_scope(function, {**function.__globals__, **names}))


def replaced(function: Callable[..., Any], others: dict):
    """A copy of a kernel in which other kernels stand for some that it reaches, however deep.

    Args:
        function: a kernel.
        others: what stands for each kernel; the function itself comes back if it reaches none.
    """
    if function in others:
        return others[function]
    if others.keys().isdisjoint(reached(function)):
        return function
    names = named_globals(function).items()
    return variant(function, **{n: replaced(f, others) for n, f in names if is_kernel(f)})


def entry(scope: dict, name: str, function: Callable[..., Any], **names: Any):
    """A variant that is a kernel of a module by its own name, so that other processes find it.

    Args:
        scope: globals of the module.
        name: the name.
        function: a kernel.
        names: as for `variant`.
    """
    return named(scope, name, variant(function, **names))


def named(scope: dict, name: str, function: Callable[..., Any]):
    """The same kernel by the name that it has in a module, so that other processes find it.

    Args:
        scope: globals of the module.
        name: the name.
        function: a kernel that no other module has a name for.
    """
    function.__name__ = function.__qualname__ = name
    function.__module__ = scope["__name__"]
    scope[name] = function
    return function


def kernel_at(place: str, package: str | None) -> Callable[..., Any]:
    """The kernel of a place in a package, "collision.box_box:box_box"; its file is imported now."""
    module, _, name = place.partition(":")
    # a module that is being imported by another thread has yet to be waited for
    found = getattr(sys.modules.get(f"{package}.{module}"), name, None)
    return found or getattr(import_module(f".{module}", package), name)


def interpreted() -> bool:
    """True if kernels run as plain Python (NUMBA_DISABLE_JIT=1)."""
    return os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")


# ---------------------------------------------------------------- cache and linking


def _path(function: Callable[..., Any], records: Any) -> Path:
    """Return the path of an entry's object code in the cache."""
    return place_of(function.__name__, digest(function, records))


def prepare(entries: Any) -> None:
    """Compile what is missing of several entries, in two processes where there are two processors.

    Args:
        entries: (function, *records) of each entry, as for `address`.
    """
    if interpreted() or is_idle():
        return
    missing = [entry for entry in entries if not is_ready(entry[0], entry[1:])]
    if missing:
        from .missing import prepare

        prepare(missing)


def is_ready(function: Callable[..., Any], records: Any) -> bool:
    """True if an entry needs no compiling; its code is read, once."""
    key = _key(function, records)
    if key not in _loaded and key not in _read:
        code = read(_path(function, records))
        if code is None:
            return False
        _read[key] = code
    return True


_read: dict = {}  # as `_loaded`: code that is yet to be linked


_lock = threading.RLock()
_loaded: dict = {}  # (function, records), or their digest -> (address, execution engine)


def _key(function: Callable[..., Any], records: Any):
    """Return the key of compiled code: users may set anew what their functions name."""
    return digest(function, records) if getattr(function, "is_hook", False) else (function, records)


def address(function: Callable[..., Any], *records: Any) -> int:
    """Address of a compiled entry.

    Args:
        function: a kernel taking one record for each of `records`.
        records: (layout, width, constant) of each argument; width 0 shares reals among lanes.

    Returns:
        Address of machine code with numba's calling convention; see `lanes.call_stage` and
        `callable_at`. Interpreted, a number below 0 that `lanes.call_stage` knows.
    """
    if interpreted():
        if function not in NUMBERED:
            NUMBERED.append(function)
        return -1 - NUMBERED.index(function)
    if is_idle():
        return noted(_path(function, records))
    key = _key(function, records)
    found = _loaded.get(key)
    if found is None:
        with _lock:
            found = _loaded.get(key)
            if found is None:
                code = _read.pop(key, None) or _code(function, records)
                found = _loaded[key] = linked(code, ENTRY_NAME)
    return found[0]


def _code(function: Callable[..., Any], records: Any) -> bytes | None:
    """Object code from the cache, or compiled."""
    if not is_ready(function, records):
        from .missing import made

        return made(function, records)
    return _read.pop(_key(function, records))


def linked(code: bytes, name: str):
    """Load object code into this process.

    Args:
        code: the object code.
        name: of one of its functions.

    Returns:
        The address of the function, and what keeps it alive.
    """
    import llvmlite.binding as llvm

    _initialize(llvm)
    target = llvm.Target.from_triple(llvm.get_process_triple()).create_target_machine()
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), target)
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    place = engine.get_function_address(name)
    if os.environ.get("MJENV_PERF_MAP"):
        from .perf_map import add_names

        add_names(code, name, place)
    return place, engine


def _initialize(llvm: Any) -> None:
    global _initialized
    if not _initialized:
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
        _initialized = True


_initialized = False


def callable_at(entry_address: int, nargument: int):
    """A Python callable of record addresses for a compiled entry; it releases the GIL."""
    signature = ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_void_p] * (nargument + 2))
    function = signature(entry_address)
    # where numba's calling convention puts a result and an exception; kernels have neither
    unused = (ctypes.c_void_p * 2)()
    result, exception = (
        ctypes.addressof(unused),
        ctypes.addressof(unused) + ctypes.sizeof(ctypes.c_void_p),
    )

    call = partial(function, result, exception)
    vars(call)["keep"] = unused
    return call


def call_of(function: Callable[..., Any], kinds: Any, records: "Sequence[Record]"):
    """A kernel with its records, as a Python callable of no arguments; compiled if kernels are.

    Args:
        function: a kernel taking one record for each of `records`.
        kinds: (layout, width, constant) of each, as for `address`.
        records: what it is called with; they have to be kept alive.
    """
    if interpreted():
        return partial(function, *records)
    call = callable_at(address(function, *kinds), len(records))
    bound = partial(call.func, *call.args, *(record.address for record in records))
    vars(bound)["keep"] = vars(call)["keep"]
    return bound


def callback(function: Callable[[], object], fail: Callable[[BaseException], object]):
    """Make a Python function of no arguments callable from compiled code by `lanes.call_stage`.

    Args:
        function: the function; no two threads call it at the same time, nor does it call itself.
        fail: what to do with an error that it raises, or the handler of a signal that came while
            compiled code ran.

    Returns:
        An object to keep alive while compiled code may call, and the address.
    """
    calls = _calls(function, fail)
    next(calls)
    # what compiled code passes, `lanes.call_stage` says; nothing of it is looked at
    wrapped = ctypes.CFUNCTYPE(ctypes.c_int)(calls.__next__)
    return wrapped, ctypes.cast(wrapped, ctypes.c_void_p).value or 0


def _calls(
    function: Callable[[], object], fail: Callable[[BaseException], object]
) -> Iterator[int]:
    """Call a function whenever the next number is asked for, and pass on its errors.

    A handler of a signal that is due runs where Python begins again: here that is inside of `try`,
    in a function it would be before it, and the error would be lost.
    """
    while True:
        try:
            yield 0
            function()
        except GeneratorExit:  # it is for each call
            return
        except BaseException as error:
            fail(error)
