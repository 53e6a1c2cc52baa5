"""Layout of the arrays of data, computed once for all data of one kind."""

from typing import Any

import numpy as np

from ..simd.record import Record, memory_of


class Arrangement:
    """Shapes, types and places of the arrays of new data."""

    def __init__(self, arrays: dict[str, np.ndarray], shown: dict[str, Any], record: Record | None):
        """Note those of data that were just made.

        Args:
            arrays: all of them, by name.
            shown: attributes of the data.
            record: of the scratch in which some of them lie, None where none do.
        """
        # name, shape, type, offset in the scratch or -1, whether it is an attribute
        self._rows = []
        places, block = record.arrays.blocks[0] if record else (None, None)
        for name, array in arrays.items():
            shared = places and np.shares_memory(array, block)
            start = places.where[name][0] if shared else -1
            self._rows.append((name, array.shape, array.dtype, start, name in shown))

    def apply(
        self, arrays: dict[str, np.ndarray], shown: dict[str, Any], record: Record | None
    ) -> None:
        """Make the arrays of other data in the same way."""
        # views of an array then know it, rather than the block, see held.py
        block = memory_of(record.arrays.blocks[0][1]) if record else None
        for name, shape, dtype, start, is_shown in self._rows:
            own_memory = start < 0
            array = np.zeros(shape, dtype) if own_memory else np.ndarray(shape, dtype, block, start)
            arrays[name] = array
            if is_shown:
                shown[name] = array
