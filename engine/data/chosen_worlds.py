"""Some of the worlds, for compiled code that works on users' arrays."""

import numpy as np

from ..simd.record import Layout, Record

LAYOUT = Layout("chosen", [("nchosen", "size"), ("chosen", "i8")])
CHOSEN_KIND = (LAYOUT, 0, False)
_NCHOSEN = LAYOUT.entries["nchosen"].slot


class ChosenWorlds:
    """Numbers of worlds.

    Attributes:
        record: where kernels find them.
    """

    def __init__(self, nworld: int):
        """Make room for all worlds; none is chosen yet."""
        self.record = Record(LAYOUT)
        self._chosen = np.zeros(nworld, np.int64)
        self.record.set_array("chosen", self._chosen)

    def enter(self, worlds: np.ndarray) -> None:
        """Choose worlds, indices (n,), each once."""
        count = len(worlds)
        self._chosen[:count] = worlds
        self.record.table[_NCHOSEN] = count
