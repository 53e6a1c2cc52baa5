"""Keys of the machine code of kernels, from everything that it depends on.

A key is a hash of the code of every function that an entry reaches, of their default arguments, of
the constants they name, of the slots of the record entries they use, of the widths, of the
processor and of the compilers with their settings. An edit therefore recompiles what depends on it
and nothing else. What could not be told apart by a key is refused.
"""

import dis
import hashlib
import os
import struct
import sys
import types
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

from . import lanes
from .record import DUAL, SINGLE, STRIP

STRIPS = {
    *(lanes.load_strip, lanes.store_strip, lanes.strip_sum),
    *(lanes.gather_strip, lanes.gather_threes, lanes.interleave),
}
PRIMITIVES = {value for value in vars(lanes).values() if isinstance(value, types.FunctionType)}
ENTRY_NAME = "mjenv_entry"
# files of this folder that say what machine code every kernel becomes
RULES = ("number_kinds", "lowering", "record_lowering", "compiling", "whole_entry")
# how numba compiles every kernel
OPTIONS = {
    "error_model": "numpy",
    "no_cpython_wrapper": True,
    "no_cfunc_wrapper": True,
    "_nrt": False,
}
# settings of numba, without NUMBA_, that change no code; every other one counts
WITHOUT_EFFECT = (
    *("CACHE", "CHROME", "COLOR", "CUDA", "DISABLE_CUDA", "DISABLE_JIT", "DISABLE_PERFORMANCE"),
    *("DUMP", "HIGHLIGHT", "NUM_THREADS", "SHOW", "THREADING", "TRACE", "WARN"),
)
SETTINGS_FILE = ".numba_config.yaml"  # numba reads it where a process runs


def is_kernel(value: Any) -> bool:
    """True if a value is a function that was marked as a kernel."""
    return isinstance(value, types.FunctionType) and getattr(value, "is_kernel", False)


# ---------------------------------------------------------------- what a function names


def in_scope(function: Callable[..., Any], scope: dict):
    """A copy of a function whose global names mean what stands in a dict; it is no kernel yet."""
    copy = types.FunctionType(
        function.__code__, scope, function.__name__, function.__defaults__, function.__closure__
    )
    copy.__kwdefaults__, copy.__doc__ = function.__kwdefaults__, function.__doc__
    copy.__module__, copy.__qualname__ = function.__module__, function.__qualname__
    return copy


def reached(function: Callable[..., Any], found: Any = None) -> dict:
    """Kernels that a function reaches, itself included, in order of discovery."""
    found = {} if found is None else found
    if function in found:
        return found
    found[function] = None
    for value in named_globals(function).values():
        if is_kernel(value):
            reached(value, found)
    return found


def named_globals(function: Callable[..., Any]) -> dict:
    """Global names that a function's code uses, with their values."""
    scope = function.__globals__
    return {name: scope[name] for name in _code(function).names if name in scope}


def global_names(code: Any) -> tuple[str, ...]:
    """Names that code looks up as globals; `co_names` alone holds attributes too."""
    load, longer = dis.opmap["LOAD_GLOBAL"], dis.EXTENDED_ARG
    shift = 1 if sys.version_info >= (3, 11) else 0
    names = {}
    for one in _codes(code):
        extended = 0
        code = one.co_code
        for op, arg in zip(code[::2], code[1::2], strict=True):
            if op == load:
                names[one.co_names[(arg | extended) >> shift]] = None
            extended = (arg | extended) << 8 if op == longer else 0
    return tuple(names)


def _codes(code: Any) -> Iterator[types.CodeType]:
    """Code and that of the functions defined in it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _codes(constant)


def _attributes(code: Any) -> frozenset[str]:
    """Names that may be those of a record's entries: also `getattr` takes them."""
    found: set[str] = set()
    for one in _codes(code):
        found.update(one.co_names, (c for c in one.co_consts if isinstance(c, str)))
    return frozenset(found)


def fields_named(function: Callable[..., Any]) -> frozenset[str]:
    """Names that may be those of a record's entries, in all that a kernel reaches."""
    return frozenset().union(*(_code(f).attributes for f in reached(function)))


class _Code(NamedTuple):
    """Facts about a function's code.

    Attributes:
        code: the code.
        text: its description.
        names: global names.
        attributes: names that may be those of a record's entries.
    """

    code: types.CodeType
    text: str
    names: tuple[str, ...]
    attributes: frozenset[str]


_codes_known: dict[types.FunctionType, _Code] = {}


def _code(function: Callable[..., Any]) -> _Code:
    """Return the facts about a function's code, found once."""
    code, found = function.__code__, _codes_known.get(function)
    if found is None or found.code is not code:
        text = repr(_describe_code(code, function.__doc__))
        found = _Code(code, text, global_names(code), _attributes(code))
        _codes_known[function] = found
    return found


def uses_strips(functions: Iterable[Callable[..., Any]]) -> bool:
    """True if some of these functions load, store or add up strips."""
    named = (value for f in functions for value in named_globals(f).values())
    return any(isinstance(value, types.FunctionType) and value in STRIPS for value in named)


# ---------------------------------------------------------------- descriptions


def _describe_constant(value: Any) -> str | None:
    """A constant such that no two of different meaning look the same; None if it is none."""
    kind = type(value).__name__
    if value is None:
        return kind
    if isinstance(value, float):  # repr hides the sign of a not-a-number
        return f"{kind}:{struct.pack('<d', value).hex()}"
    if isinstance(value, int):
        return f"{kind}:{int(value)}"
    if isinstance(value, tuple):
        parts = [_describe_constant(part) for part in value]
        return None if None in parts else f"{kind}({','.join(map(str, parts))})"
    return None


def _describe_literal(value: Any) -> str:
    """A constant that stands in code itself."""
    if isinstance(value, types.CodeType):
        return repr(_describe_code(value, None))
    if isinstance(value, (tuple, frozenset)):
        parts = [_describe_literal(part) for part in value]
        ordered = sorted(parts) if isinstance(value, frozenset) else parts
        return f"{type(value).__name__}({','.join(ordered)})"
    found = _describe_constant(value)
    return f"{type(value).__name__}:{value!r}" if found is None else found


def _describe_code(code: Any, doc: str | None) -> tuple:
    """Describe code without its place in a file."""
    counts = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags)
    names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    literals = [
        _describe_literal(c) for c in code.co_consts if not (isinstance(c, str) and c == doc)
    ]
    return code.co_code, getattr(code, "co_exceptiontable", b""), counts, names, literals


def _describe_value(function: Callable[..., Any], what: str, value: Any, places: dict) -> str:
    """Describe the meaning of a name in a function."""
    if is_kernel(value) and value in places:
        return f"kernel {places[value]}"
    if isinstance(value, types.FunctionType) and value in PRIMITIVES and places:
        return f"lanes.{value.__name__}"
    found = _describe_constant(value)
    if found is None:
        expected = "a kernel, a function of lanes.py or a constant" if places else "a constant"
        raise TypeError(
            f"kernel {function.__qualname__}: {what} is a {type(value).__name__}; "
            f"expected {expected}"
        )
    return found


def _refuse_variables(function: Callable[..., Any]) -> None:
    """Raise TypeError for names that compiled code could not follow."""
    code = function.__code__
    only = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
    for names, what in ((code.co_freevars, "variables of another function"), (only, "a lone *")):
        if names:
            raise TypeError(
                f"kernel {function.__qualname__}: {', '.join(names)}: found {what}, expected "
                "constants of the module or default arguments"
            )


def _describe(function: Callable[..., Any], places: dict) -> str:
    """Everything about one function that shows in its machine code.

    Args:
        function: a kernel.
        places: number of each kernel that the entry reaches.
    """
    _refuse_variables(function)
    values = [
        f"{name} = {_describe_value(function, f'global {name!r}', value, places)}"
        for name, value in named_globals(function).items()
    ]
    defaults = [
        f"default {_describe_value(function, 'a default argument', value, {})}"
        for value in function.__defaults__ or ()
    ]
    return "\n".join((_code(function).text, *defaults, *values))


def _describe_all(functions: dict) -> list[str]:
    """Descriptions of all functions that an entry reaches."""
    places = {function: k for k, function in enumerate(functions)}
    return [_describe(function, places) for function in functions]


def meaning(function: Callable[..., Any]) -> str:
    """Return the key of a kernel's result: it changes with a constant that any part of it names.

    Raises:
        TypeError: the kernel names something that cannot be compiled.
    """
    return hashlib.sha256("\n".join(_describe_all(reached(function))).encode()).hexdigest()


# ---------------------------------------------------------------- keys


def digest(function: Callable[..., Any], records: Any) -> str:
    """Key of the machine code of an entry whose arguments are the given records.

    Raises:
        TypeError: the kernel names something that cannot be compiled.
    """
    functions = reached(function)
    names = sorted(fields_named(function))
    slots = [
        (
            layout.name,
            width,
            constant,
            [(n, layout.entries[n]) for n in names if n in layout.entries],
        )
        for layout, width, constant in records
    ]
    rules = [toolchain(), repr(_settings())]
    widths = [width for _, width, _ in records]
    rules += [source_key(f"{marker}_lowering.py") for marker in (DUAL, SINGLE) if marker in widths]
    if uses_strips(functions):
        rules.append(source_key("strip_lowering.py"))
    parts = [*rules, repr(slots), *_describe_all(functions)]
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def source_key(name: str) -> str:
    """Key of a file of this folder."""
    return hashlib.sha256(Path(__file__).with_name(name).read_bytes()).hexdigest()


def _numba() -> str | bytes:
    """Version of numba, found without importing it: the one that it states itself."""
    spec = find_spec("numba")
    with suppress(OSError):
        if spec and spec.origin:
            return Path(spec.origin).with_name("_version.py").read_bytes()
    from importlib.metadata import version

    return version("numba")


@cache
def toolchain() -> str:
    """Processor, compilers and the lowering rules, as one string."""
    import llvmlite
    import llvmlite.binding as llvm

    return repr(
        (
            sys.implementation.name,
            sys.version_info[:2],
            _numba(),
            llvmlite.__version__,
            llvm.llvm_version_info,
            llvm.get_process_triple(),
            llvm.get_host_cpu_name(),
            llvm.get_host_cpu_features().flatten(),
            [source_key(f"{name}.py") for name in RULES],
            ENTRY_NAME,
            OPTIONS,
            STRIP,
        )
    )


def _settings() -> list:
    """Settings of numba that may change code."""
    found: list = [
        (name, value)
        for name, value in sorted(os.environ.items())
        if name.startswith("NUMBA_") and not name[len("NUMBA_") :].startswith(WITHOUT_EFFECT)
    ]
    with suppress(OSError):
        found.append(Path(SETTINGS_FILE).read_bytes())
    return found
