"""Arrays of lazily computed fields that users hold show the results of the last call.

A field such as `qM` is computed when it is looked at, into the same memory each time. Who keeps the
array over a call would see old numbers in it. Where that matters, fields that somebody still holds
are computed again after each call. Who holds one is told by reference counts: arrays of data are
made so that a view of them refers to the array, not to the memory behind it.
"""

import sys
from typing import Any

import numpy as np


def _count(arrays: dict[str, Any], name: str) -> int:
    """References to an array of a dict, those of this function included."""
    return sys.getrefcount(arrays[name])


# what is counted of an array that nothing but the dict knows
_ALONE = _count({"array": np.zeros(1)}, "array")


class HeldArrays:
    """Arrays of late outputs that users have been given.

    Attributes:
        arrays: by name.
    """

    def __init__(self) -> None:
        self.arrays: dict[str, np.ndarray] = {}

    def __bool__(self) -> bool:
        return bool(self.arrays)

    def note(self, name: str, value: Any) -> None:
        """A field is not shown any more that somebody may hold."""
        if isinstance(value, np.ndarray):
            self.arrays[name] = value

    def take(self, lasting: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Those that somebody still holds; afterwards none are noted.

        Args:
            lasting: arrays that data hold themselves.
        """
        arrays = self.arrays
        held = [n for n in arrays if _count(arrays, n) > _ALONE + (lasting.get(n) is arrays[n])]
        found = {name: arrays[name] for name in held}
        arrays.clear()
        return found
