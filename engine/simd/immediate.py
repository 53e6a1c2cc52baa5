"""Calls of compiled kernels at once: in the caller's thread, without arguments to convert.

`kernel.call_of` lets other threads of Python run meanwhile, and passes the addresses of all
records, which takes longer than a short kernel does. Here they lie in the table of a built-in
function (builtin.py), which takes no arguments.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from .builtin import MOST_RECORDS, builtin, is_known
from .kernel import call_of, interpreted

if TYPE_CHECKING:
    from .record import Record


def immediate_call_of(
    function: Callable, kinds: Any, records: "Sequence[Record]", releases: bool = False
) -> Callable:
    """A kernel with its records, as a Python callable of no arguments that keeps the interpreter.

    Args:
        function: a kernel taking one record for each of `records`; one that runs for long, or calls
            Python, belongs to `kernel.call_of`, unless it releases the interpreter.
        kinds: (layout, width, constant) of each, as for `kernel.address`.
        records: what it is called with; they have to be kept alive.
        releases: whether other threads of Python run meanwhile.
    """
    if interpreted():
        return partial(function, *records)
    if not is_known() or len(records) > MOST_RECORDS:
        return call_of(function, kinds, records)
    place = __name__, function.__name__
    return builtin(
        _no_arguments, place, function, kinds, records, (), refuses=False, releases=releases
    )


def _no_arguments(*given: Any) -> None:
    """Refuse arguments."""
    raise TypeError(
        f"a kernel that is bound to its records: found {len(given)} arguments, expected none"
    )
