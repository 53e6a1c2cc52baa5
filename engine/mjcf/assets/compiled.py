"""Kernels that take the place of numpy where lists are long; both give the same bits."""

from collections.abc import Callable

import numpy as np

from ...simd.idle import is_idle
from ...simd.kernel import call_of, interpreted, is_ready
from ...simd.record import Layout, Record

FEW = 50  # items for which loading compiled code does not pay
MANY = 5000  # items for which compiling pays


def pays(function: Callable, layout: Layout, count: int) -> bool:
    """True if a kernel is faster than numpy: it is compiled already, or there is much to do.

    Args:
        function: a kernel that takes a record.
        layout: of the record.
        count: items that it works on.
    """
    if interpreted() or is_idle() or count < FEW:
        return False
    return count >= MANY or is_ready(function, _kinds(layout))


def run(function: Callable, layout: Layout, **values: int | np.ndarray) -> None:
    """Run a kernel on sizes and arrays of its record; it writes into those that are contiguous."""
    record = Record(layout)
    for name, value in values.items():
        if isinstance(value, int):
            record.set_size(name, value)
        else:
            record.set_array(name, np.ascontiguousarray(value))
    call_of(function, _kinds(layout), (record,))()


def _kinds(layout: Layout) -> tuple:
    return ((layout, 0, False),)
