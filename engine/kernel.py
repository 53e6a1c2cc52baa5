"""Kernels: marked Python functions, compiled entry by entry, cached, linked by address.

A kernel is a plain function over records, fields and reals; interpreted, it runs as it stands. To
compile an entry (a stage or a driver), the functions that it reaches are found through the names in
their code, wrapped for numba, and turned into one object file, which is named after the entry's key
(meaning.py). Loading it needs no numba.
"""

import ctypes
import os
import pickle
import subprocess
import sys
import threading
import time
import types
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from operator import is_not
from pathlib import Path

from .meaning import ENTRY_NAME, OPTIONS, digest, global_names, is_kernel, named_globals, reached
from .object_files import alone, cache_dir, read, store, take_over, unstored, writable
from .record import DUAL
from .threads import available


def kernel(function):
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
    function.is_kernel = True  # type: ignore[attr-defined]
    return function


def variant(function, **names):
    """A copy of a kernel in which some of the global names that it uses mean something else.

    Args:
        function: a kernel.
        names: what the names mean in the copy, constants or kernels.
    """
    unknown = set(names).difference(global_names(function.__code__))
    if unknown:
        raise TypeError(f"variant of {function.__qualname__}: it does not name {sorted(unknown)}")
    return kernel(in_scope(function, {**function.__globals__, **names}))


def in_scope(function, scope: dict):
    """A copy of a function whose global names mean what stands in a dict; it is no kernel yet."""
    copy = types.FunctionType(
        function.__code__, scope, function.__name__, function.__defaults__, function.__closure__
    )
    copy.__kwdefaults__, copy.__doc__ = function.__kwdefaults__, function.__doc__
    copy.__module__, copy.__qualname__ = function.__module__, function.__qualname__
    return copy


def interpreted() -> bool:
    """Whether kernels run as plain Python (NUMBA_DISABLE_JIT=1)."""
    return os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")


# ---------------------------------------------------------------- compiling


def _wrap(function, seen: dict | None = None):
    """Numba dispatcher of a kernel and those it names, shared by all entries of a process.

    Args:
        function: a kernel.
        seen: dispatchers of the kernels that were met on the way, None of those still open.
    """
    seen = {} if seen is None else seen
    if function in seen:
        if seen[function] is None:
            raise TypeError(f"kernel {function.__qualname__}: calls itself; expected a loop")
        return seen[function]
    seen[function] = None
    scope = {
        name: _wrap(value, seen) if is_kernel(value) else value
        for name, value in named_globals(function).items()
    }
    # what a function names may have been set anew since it was wrapped
    parts = [*scope.values(), function.__code__, function.__defaults__]
    known, found = _wrapped.get(function, ((), None))
    if found is None or len(known) != len(parts) or any(map(is_not, known, parts)):
        import numba

        plain = in_scope(function, {**function.__globals__, **scope})
        found = numba.njit(**OPTIONS)(plain)
        _wrapped[function] = parts, found
    seen[function] = found
    return found


_wrapped: dict = {}  # function -> (what it is made of, dispatcher)


def _record_type(layout, width, constant: bool):
    """Numba type of a record."""
    if width == DUAL:
        from .dual_lowering import DualRecordType

        return DualRecordType(layout, constant)
    from .lowering import RecordType

    return RecordType(layout, width, constant)


def _compile(function, records) -> bytes:
    """Object code of an entry whose arguments are the given records."""
    import numba

    signature = numba.types.none(*[_record_type(*record) for record in records])
    dispatcher = _wrap(function)
    dispatcher.compile(signature)
    result = dispatcher.overloads[signature.args]
    module = result.library._final_module
    module.get_function(result.fndesc.llvm_func_name).name = ENTRY_NAME
    return result.library._codegen._tm.emit_object(module)


class _Progress:
    """Tells a waiting user, once, that compilation takes place and how long it took."""

    def __init__(self):
        self.count = 0
        self.start = 0.0

    def note(self, n: int = 1) -> None:
        if self.count == 0 and self.start == 0.0:
            self.start = time.perf_counter()
            self._say(
                "mjenv: compiling the engine for this processor; this happens once "
                f"(cache: {cache_dir()})"
            )
        self.count += n

    def done(self) -> None:
        if self.count:
            self._say(
                f"mjenv: compiled {self.count} stages in {time.perf_counter() - self.start:.1f} s"
            )
        self.count, self.start = 0, 0.0

    @staticmethod
    def _say(text: str) -> None:
        if os.environ.get("MJENV_QUIET", "0") in ("", "0"):
            print(text, file=sys.stderr, flush=True)


progress = _Progress()


# ---------------------------------------------------------------- cache and linking


def _object_code(function, records, wait: bool = True) -> bytes | None:
    """Object code from the cache, or compiled and then cached.

    None if another process is compiling it, unless this one is to wait for that.
    """
    path = _path(function, records)
    found = read(path)
    if found is not None:
        return found
    with alone(path, wait) as held:
        if not held:
            return None
        found = read(path)
        if found is None:
            progress.note()
            found = _compile(function, records)
            store(path, found)
    return found


def _path(function, records) -> Path:
    """Where the object code of an entry is cached."""
    return cache_dir() / f"{function.__name__}-{digest(function, records)[:32]}.o"


def prepare(entries) -> None:
    """Compile what is missing of several entries, on two processors where there are two.

    Processes that need the same code share the work: each takes what no other has taken yet. Where
    they cannot see each other's files, the work is divided beforehand.

    Args:
        entries: (function, *records) of each entry, as for `address`.
    """
    missing = [entry for entry in entries if not _is_ready(entry[0], entry[1:])]
    if len(missing) < 4:
        return
    progress.note(0)
    missing.sort(key=_cost, reverse=True)
    divided = not writable(cache_dir())
    child = _helper(missing[divided::2] if divided else missing) if available() > 1 else None
    before = progress.count
    # what a child that failed has left out is compiled on demand
    with _ended(child):
        _compile_all(missing[::2] if divided and child else missing)
        if child is not None:
            _take_results(child)
    progress.count = before + len(missing)


def _is_ready(function, records) -> bool:
    """Whether an entry needs no compiling; its code is read, once."""
    key = _key(function, records)
    if key not in _loaded and key not in _read:
        code = read(_path(function, records))
        if code is None:
            return False
        _read[key] = code
    return True


_read: dict = {}  # as `_loaded`: code that is yet to be linked


def _helper(entries) -> subprocess.Popen | None:
    """Another process that compiles entries, or None where there can be none."""
    code = (
        f"import sys; sys.path[:] = {sys.path!r}; "
        f"from mjenv.engine import kernel; kernel.compile_stdin({os.getpid()})"
    )
    try:
        child = subprocess.Popen(
            [sys.executable, "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        child.stdin.write(pickle.dumps(entries))
        child.stdin.close()
    except OSError:
        return None
    return child


@contextmanager
def _ended(child: subprocess.Popen | None) -> Iterator[None]:
    """Have a child that is still at work when this process is interrupted come to its end."""
    try:
        yield
    finally:
        if child is not None:
            child.kill()
            child.wait()
            child.stdout.close()


def _take_results(child: subprocess.Popen) -> None:
    """Wait for a child, and keep the code that it could not store."""
    with suppress(EOFError, pickle.UnpicklingError):
        take_over(pickle.loads(child.stdout.read()))


def _compile_all(entries, parent: int = 0) -> None:
    """Compile entries that no other process is compiling, while a parent process lives."""
    for function, *records in entries:
        if parent and os.getppid() != parent:
            return
        _object_code(function, tuple(records), wait=False)


def compile_stdin(parent: int) -> None:
    """Compile the entries that another process has pickled to standard input.

    What cannot be stored goes to standard output; nothing else does.
    """
    results = os.dup(1)
    os.dup2(2, 1)
    _compile_all(pickle.load(sys.stdin.buffer), parent)
    with os.fdopen(results, "wb") as stream:
        pickle.dump(unstored(), stream)


def _cost(entry) -> int:
    return sum(len(f.__code__.co_code) for f in reached(entry[0]))


_lock = threading.RLock()
_loaded: dict = {}  # (function, records), or their digest -> (address, execution engine)


def _key(function, records):
    """What compiled code is found by: users may set anew what their functions name."""
    return digest(function, records) if getattr(function, "is_hook", False) else (function, records)


def address(function, *records) -> int:
    """Address of a compiled entry.

    Args:
        function: a kernel taking one record for each of `records`.
        records: (layout, width, constant) of each argument; width 0 shares reals among lanes.

    Returns:
        Address of machine code with numba's calling convention; see `lanes.call_stage` and
        `callable_at`.
    """
    key = _key(function, records)
    found = _loaded.get(key)
    if found is None:
        with _lock:
            found = _loaded.get(key)
            if found is None:
                code = _read.pop(key, None) or _object_code(function, records)
                found = _loaded[key] = _link(code)
    return found[0]


def _link(code: bytes):
    """Load object code into this process."""
    import llvmlite.binding as llvm

    _initialize(llvm)
    target = llvm.Target.from_triple(llvm.get_process_triple()).create_target_machine()
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), target)
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return engine.get_function_address(ENTRY_NAME), engine


def _initialize(llvm) -> None:
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
    call.keep = unused  # type: ignore[attr-defined]
    return call


def callback(function):
    """Make a Python function of no arguments callable from compiled code by `lanes.call_stage`.

    Returns:
        An object to keep alive while compiled code may call, and the address.
    """
    signature = ctypes.CFUNCTYPE(ctypes.c_int, *[ctypes.c_void_p] * 4)

    def call(*_) -> int:
        function()
        return 0

    wrapped = signature(call)
    return wrapped, ctypes.cast(wrapped, ctypes.c_void_p).value
