"""From a kernel to object code.

The functions that an entry reaches are found through the names in their code, wrapped for numba,
and turned into one object file. The text of this module is part of every key (meaning.py).
"""

from collections.abc import Callable
from operator import is_not
from typing import Any

from .meaning import ENTRY_NAME, OPTIONS, in_scope, is_kernel, named_globals
from .record import DUAL, SINGLE
from .whole_entry import whole_entry


def _wrap(function: Callable[..., Any], seen: dict | None = None):
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


def _record_type(layout: Any, width: Any, constant: bool):
    """Numba type of a record."""
    if width == DUAL:
        from .dual_lowering import DualRecordType

        return DualRecordType(layout, constant)
    if width == SINGLE:
        from .single_lowering import SingleRecordType

        return SingleRecordType(layout, constant)
    from .record_lowering import RecordType

    return RecordType(layout, width, constant)


def compiled(function: Callable[..., Any], records: Any) -> bytes:
    """Object code of an entry whose arguments are the given records."""
    import numba

    signature = numba.types.none(*[_record_type(*record) for record in records])
    dispatcher = _wrap(function)
    with whole_entry() as optimized:
        dispatcher.compile(signature)
        result = dispatcher.overloads[signature.args]
        module = optimized(result.library)
    module.get_function(result.fndesc.llvm_func_name).name = ENTRY_NAME
    _refuse_unresolved(module, function)
    return result.library._codegen._tm.emit_object(module)


def _refuse_unresolved(module: str, function: Callable[..., Any]) -> None:
    """Raise an error if compiled code calls a function that this process does not have."""
    import llvmlite.binding as llvm

    missing = [
        called.name
        for called in module.functions
        if called.is_declaration
        and not called.name.startswith("llvm.")
        and llvm.address_of_symbol(called.name) is None
    ]
    if missing:
        raise RuntimeError(
            f"kernel {function.__qualname__}: compiled code calls {missing}, which nothing "
            "defines; expected functions of C or of this entry"
        )
