"""The initial state of worlds that start anew, written into users' arrays by one compiled loop."""

from typing import TYPE_CHECKING

import numpy as np

from ..physics.results.awake import AWAKE_FIELDS
from ..physics.sleep.sleep import AWAKE
from ..simd.kernel import address, callable_at, interpreted, kernel, progress
from ..simd.lanes import ints_at, reals_at
from ..simd.record import Layout, Record

if TYPE_CHECKING:
    from ..model.model import Model
    from .data import Data

LAYOUT = Layout(
    "clearing",
    [
        ("nfield", "size"),
        ("nchosen", "size"),
        ("chosen", "i8"),
        # of each field: address, numbers in a world, whether they are int32, where the values
        # of a world lie (0 for nowhere: they are all equal), and the value
        ("user", "i8"),
        ("size", "i8"),
        ("integer", "i8"),
        ("source", "i8"),
        ("value", "i8"),
    ],
)
_NCHOSEN = LAYOUT.entries["nchosen"].slot


@kernel
def clear_rows(c):
    """Write the rows of the chosen worlds in every field."""
    for t in range(c.nfield):
        n = c.size[t]
        if c.integer[t]:
            whole, value = ints_at(c.user[t]), c.value[t]
            for k in range(c.nchosen):
                for i in range(c.chosen[k] * n, (c.chosen[k] + 1) * n):
                    whole[i] = value
        else:
            target = reals_at(c.user[t])
            for k in range(c.nchosen):
                start = c.chosen[k] * n
                if c.source[t]:
                    source = reals_at(c.source[t])
                    for i in range(n):
                        target[start + i] = source[i]
                else:
                    for i in range(n):
                        target[start + i] = 0.0


class Clearing:
    """Puts worlds of data into their initial state.

    Attributes:
        narray: how many arrays the data had when the fields were entered.
        possible: whether it can do so.
    """

    def __init__(self, data: "Data"):
        """Enter the arrays of the data."""
        self.record, self.narray = Record(LAYOUT), len(data._arrays)
        self.possible = can_clear(data)
        if not self.possible:
            return
        self._chosen = np.zeros(data.nworld, np.int64)
        self.record.set_array("chosen", self._chosen)
        self._qpos0 = np.array(data.model.qpos0, np.float64)
        arrays = {name: array for name, array in data._arrays.items() if array.size}
        arrays |= {"warn_number": data._warn_number, "warn_info": data._warn_info}
        source = {"qpos": self._qpos0.ctypes.data}
        columns = {
            "user": [array.ctypes.data for array in arrays.values()],
            "size": [array.size // data.nworld for array in arrays.values()],
            "integer": [int(array.dtype == np.int32) for array in arrays.values()],
            "source": [source.get(name, 0) for name in arrays],
            "value": [AWAKE if name == "tree_asleep" else 0 for name in arrays],
        }
        self.record.set_size("nfield", len(arrays))
        for name, values in columns.items():
            self.record.set_array(name, np.array(values, np.int64))
        self._run = callable_at(address(clear_rows, (LAYOUT, 0, False)), 1)
        progress.done()

    def clear(self, model: "Model", worlds: np.ndarray) -> None:
        """Put worlds, indices (n,), each once, into the model's initial state."""
        count = len(worlds)
        self._chosen[:count] = worlds
        self._qpos0[:] = model.qpos0
        self.record.table[_NCHOSEN] = count
        self._run(self.record.address)


def can_clear(data: "Data") -> bool:
    """Whether no field but qpos and tree_asleep starts with other values than zeros."""
    model = data.model
    if interpreted() or data._in_place or data.plan.scene or data.sleep_at_start:
        return False
    others = model.nhistory or model.nmocap or model.neq or "qpos0" in data.varied
    return not others and not data.kept.intersection(AWAKE_FIELDS)
