"""Kernels: marked Python functions, compiled entry by entry, cached, linked by address.

A kernel is a plain function over records, fields and reals; interpreted, it runs as it stands. To
compile an entry (a stage or a driver), the functions that it reaches are found through the names in
their code, wrapped for
numba, and turned into one object file. The file's name is a hash of everything that can change the
machine code: the code of all
functions reached, the constants they name, the slots of the record entries they use, the widths,
the processor,
and the versions of the compilers. An edit therefore recompiles what depends on it and nothing else,
and loading needs no numba.
"""

import ctypes
import dis
import hashlib
import os
import pickle
import subprocess
import sys
import threading
import time
import types
from functools import cache, partial
from pathlib import Path

from . import lanes
from .object_files import alone, cache_dir, read, store
from .record import DUAL
from .threads import available

_PRIMITIVES = {value for value in vars(lanes).values() if isinstance(value, types.FunctionType)}
_ENTRY_NAME = "mjenv_entry"


def kernel(function):
    """Mark a function as part of the engine's compiled code.

    Args:
        function: a plain function of the model and the data, or of numbers; what it may use is
            listed in lanes.py. What else it contains is refused when it is compiled.

    Returns:
        The same function, which plain Python can still call.
    """
    function.is_kernel = True
    return function


def variant(function, **names):
    """A copy of a kernel in which some of the global names that it uses mean something else.

    Args:
        function: a kernel.
        names: what the names mean in the copy, constants or kernels.
    """
    unknown = set(names).difference(_global_names(function.__code__))
    if unknown:
        raise TypeError(f"variant of {function.__qualname__}: it does not name {sorted(unknown)}")
    scope = {**function.__globals__, **names}
    copy = types.FunctionType(function.__code__, scope, function.__name__, function.__defaults__)
    copy.__module__, copy.__qualname__ = function.__module__, function.__qualname__
    copy.__doc__ = function.__doc__
    return kernel(copy)


def interpreted() -> bool:
    """Whether kernels run as plain Python (NUMBA_DISABLE_JIT=1)."""
    return os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0")


# ---------------------------------------------------------------- what an entry depends on


def reached(function, found=None) -> dict:
    """Kernels that a function reaches, itself included, in order of discovery."""
    found = {} if found is None else found
    if function in found:
        return found
    found[function] = None
    for value in _named_globals(function).values():
        if getattr(value, "is_kernel", False):
            reached(value, found)
    return found


def _named_globals(function) -> dict:
    """Global names that a function's code uses, with their values."""
    scope = function.__globals__
    return {name: scope[name] for name in _global_names(function.__code__) if name in scope}


@cache
def _global_names(code) -> tuple[str, ...]:
    """Names that code looks up as globals; `co_names` alone holds attributes too."""
    load = dis.opmap["LOAD_GLOBAL"]
    shift = 1 if sys.version_info >= (3, 11) else 0
    names, extended = {}, 0
    for k in range(0, len(code.co_code), 2):
        op, arg = code.co_code[k], code.co_code[k + 1] | extended
        extended = arg << 8 if op == dis.EXTENDED_ARG else 0
        if op == load:
            names[code.co_names[arg >> shift]] = None
    return tuple(names)


def _describe(function) -> str:
    """Everything about one function that shows in its machine code."""
    code = function.__code__
    constants = [c for c in code.co_consts if c != function.__doc__]
    values = []
    for name, value in sorted(_named_globals(function).items()):
        if getattr(value, "is_kernel", False):
            values.append((name, value.__module__, value.__qualname__))
        elif value in _PRIMITIVES:
            values.append((name, "lanes"))
        elif isinstance(value, (int, float, bool, tuple)):
            values.append((name, repr(value)))
        else:
            raise TypeError(
                f"kernel {function.__qualname__}: global {name!r} is a {type(value).__name__}; "
                "expected a kernel, a function of lanes.py or a constant"
            )
    return repr((code.co_code, constants, code.co_names, code.co_varnames, values))


def _digest(function, records) -> str:
    """Name of the object file of an entry."""
    functions = list(reached(function))
    names = sorted({name for f in functions for name in f.__code__.co_names})
    slots = [
        (
            layout.name,
            width,
            constant,
            [(n, layout.entries[n]) for n in names if n in layout.entries],
        )
        for layout, width, constant in records
    ]
    rules = [_toolchain()]
    if any(width == DUAL for _, width, _ in records):
        rules.append(
            hashlib.sha256(Path(__file__).with_name("dual_lowering.py").read_bytes()).hexdigest()
        )
    parts = [*rules, repr(slots), *(_describe(f) for f in functions)]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def _toolchain() -> str:
    """Processor, compilers and the lowering rules, as one string."""
    global _toolchain_text
    if _toolchain_text is None:
        from importlib.metadata import version

        import llvmlite.binding as llvm

        lowering = Path(__file__).with_name("lowering.py").read_bytes()
        _toolchain_text = repr(
            (
                sys.version_info[:2],
                version("numba"),
                version("llvmlite"),
                llvm.get_process_triple(),
                llvm.get_host_cpu_name(),
                llvm.get_host_cpu_features().flatten(),
                hashlib.sha256(lowering).hexdigest(),
            )
        )
    return _toolchain_text


_toolchain_text: str | None = None


# ---------------------------------------------------------------- compiling


def _wrap(function):
    """Numba dispatcher of a kernel and those it names, shared by all entries of a process."""
    found = _wrapped.get(function)
    if found is None:
        import numba

        scope = dict(function.__globals__)
        for name, value in _named_globals(function).items():
            if getattr(value, "is_kernel", False):
                scope[name] = _wrap(value)
        plain = types.FunctionType(
            function.__code__, scope, function.__name__, function.__defaults__
        )
        plain.__module__, plain.__qualname__ = function.__module__, function.__qualname__
        options = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True, "_nrt": False}
        found = _wrapped[function] = numba.njit(error_model="numpy", **options)(plain)
    return found


_wrapped: dict = {}


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
    module.get_function(result.fndesc.llvm_func_name).name = _ENTRY_NAME
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
    return cache_dir() / f"{function.__name__}-{_digest(function, records)[:32]}.o"


def prepare(entries) -> None:
    """Compile what is missing of several entries, on two processors where there are two.

    Processes that need the same code share the work: each takes what no other has taken yet.

    Args:
        entries: (function, *records) of each entry, as for `address`.
    """
    missing = [entry for entry in entries if (entry[0], entry[1:]) not in _loaded]
    missing = [entry for entry in missing if not _path(entry[0], entry[1:]).exists()]
    if len(missing) < 4:
        return
    progress.note(0)
    missing.sort(key=_cost, reverse=True)
    child = _helper(missing) if available() > 1 else None
    before = progress.count
    _compile_all(missing)
    # what a child that failed has left out is compiled on demand
    if child is not None:
        child.wait()
        progress.count = before + len(missing)


def _helper(entries) -> subprocess.Popen | None:
    """Another process that compiles entries, or None where there can be none."""
    code = (
        f"import sys; sys.path[:] = {sys.path!r}; "
        "from mjenv.engine import kernel; kernel.compile_stdin()"
    )
    try:
        child = subprocess.Popen(
            [sys.executable, "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        child.stdin.write(pickle.dumps(entries))
        child.stdin.close()
    except OSError:
        return None
    return child


def _compile_all(entries) -> None:
    """Compile entries that no other process is compiling."""
    for function, *records in entries:
        _object_code(function, tuple(records), wait=False)


def compile_stdin() -> None:
    """Compile the entries that another process has pickled to standard input."""
    _compile_all(pickle.load(sys.stdin.buffer))


def _cost(entry) -> int:
    return sum(len(f.__code__.co_code) for f in reached(entry[0]))


_lock = threading.RLock()
_loaded: dict = {}  # (function, records) -> (address, execution engine)


def address(function, *records) -> int:
    """Address of a compiled entry.

    Args:
        function: a kernel taking one record for each of `records`.
        records: (layout, width, constant) of each argument; width 0 shares reals among lanes.

    Returns:
        Address of machine code with numba's calling convention; see `lanes.call_stage` and
        `callable_at`.
    """
    key = (function, records)
    found = _loaded.get(key)
    if found is None:
        with _lock:
            found = _loaded.get(key)
            if found is None:
                found = _loaded[key] = _link(_object_code(function, records))
    return found[0]


def _link(code: bytes):
    """Load object code into this process."""
    import llvmlite.binding as llvm

    _initialize(llvm)
    target = llvm.Target.from_triple(llvm.get_process_triple()).create_target_machine()
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), target)
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return engine.get_function_address(_ENTRY_NAME), engine


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
