"""The initial state of worlds that start anew, written into users' arrays by one compiled loop."""

from typing import TYPE_CHECKING

import numpy as np

from ..simd.immediate import immediate_call_of
from ..simd.kernel import interpreted, kernel
from ..simd.lanes import ints_at
from ..simd.progress import progress
from ..simd.record import Layout, Record
from ..tables.enums import COUNT_KNOWN
from .chosen_worlds import CHOSEN_KIND, ChosenWorlds
from .initial import INITIAL, initial_rows
from .requested_fields import OF_LISTS

if TYPE_CHECKING:
    from .data import Data

LAYOUT = Layout(
    "clearing",
    [
        ("nfield", "size"),
        # of each field: address, words of four bytes in a world, where those lie that a world
        # starts with (0 for nowhere: they are zeros), and of lists how far those of worlds reach
        ("user", "i8"),
        ("size", "i8"),
        ("source", "i8"),
        ("end", "i8"),
        ("words", "i8"),  # of a number
    ],
)
WORD = 4  # bytes
NEAR = 16  # words between two that are copied together
CLEARING_KIND = (LAYOUT, 0, False)


@kernel
def clear_rows(w, c):
    """Write the rows of the chosen worlds in every field."""
    for t in range(c.nfield):
        n, target = c.size[t], ints_at(c.user[t])
        for k in range(w.nchosen):
            start = w.chosen[k] * n
            if c.source[t]:
                source = ints_at(c.source[t])
                for i in range(n):
                    target[start + i] = source[i]
            else:
                for i in range(length(c, t, w.chosen[k])):
                    target[start + i] = 0


@kernel
def length(c, t, world):
    """Words of a field in a world that may be other than zero; a list is empty from now on."""
    if c.end[t] == 0:
        return c.size[t]
    ends = ints_at(c.end[t])
    n = ends[world] * c.words[t]
    ends[world] = 0
    return n


class MaskedReset:
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
        # what one world starts with
        self._initial = {
            name: (row.value, np.zeros_like(data._arrays[name][0], order="C"))
            for name, row in initial_rows(data._arrays).items()
        }
        # all are awake then, in the same order
        self._awake = {
            name: np.ascontiguousarray(
                np.broadcast_to(data._awake_at_start[name], data._arrays[name].shape[1:]),
                data._arrays[name].dtype,
            )
            for name in data._awake_kept
            if data._arrays[name].size
        }
        arrays = {name: array for name, array in data._arrays.items() if array.size}
        arrays |= {"warn_number": data._warn_number, "warn_info": data._warn_info}
        source = {name: array.ctypes.data for name, (_, array) in self._initial.items()}
        source |= {name: array.ctypes.data for name, array in self._awake.items()}
        columns = {
            "user": [array.ctypes.data for array in arrays.values()],
            "size": [array[0].nbytes // WORD for array in arrays.values()],
            "source": [source.get(name, 0) for name in arrays],
            "end": [data.ends_of(n).ctypes.data if n in OF_LISTS else 0 for n in arrays],
            "words": [array.itemsize // WORD for array in arrays.values()],
        }
        self.record.set_size("nfield", len(arrays))
        for name, values in columns.items():
            self.record.set_array(name, np.array(values, np.int64))
        self._worlds = ChosenWorlds(data.nworld)
        records = self._worlds.record, self.record
        self._run = immediate_call_of(clear_rows, (CHOSEN_KIND, CLEARING_KIND), records)
        progress.done()

    def clear(self, data: "Data", worlds: np.ndarray) -> None:
        """Put worlds, indices (n,), each once, into their initial state."""
        self._worlds.enter(worlds)
        self.refill(data, worlds)
        self._run()

    def refill(self, data: "Data", worlds: np.ndarray) -> None:
        """Take anew from the model what worlds start with."""
        for value, array in self._initial.values():
            array[...] = value(data, worlds)


class ResetOfOne:
    """Puts the only world into its initial state, which it was in when that was looked at last.

    Attributes:
        record: of `clear_rows`.
        narray: how many arrays the data had then.
        possible: whether it can do so.
        public: the memory that a reset clears.
    """

    def __init__(self, data: "Data"):
        """Find the memory."""
        self.record, self.narray = Record(LAYOUT), len(data._arrays)
        first = data.plan.threads(1)[0]
        self.public = first.public
        known = first.data.arrays["count"][COUNT_KNOWN : COUNT_KNOWN + 1]
        self._cleared = [self.public, *data._counters, data._warnings, known]
        # what starts with other numbers than zeros has to be a part of it
        names = [name for name, _ in data._initial_rows]
        arrays = [data._arrays[n] for n in (*names, *data.sleep_at_start, *data._awake_kept)]
        lying = all(any(np.may_share_memory(a, m) for m in self._cleared) for a in arrays if a.size)
        words = all(m.nbytes % WORD == 0 and m.flags.c_contiguous for m in self._cleared)
        self.possible = lying and words and not interpreted()
        self._kept: list[np.ndarray] = []

    def refill(self, data: "Data", worlds: np.ndarray) -> None:
        """Reset the world as ever, and remember where it is not zero then."""
        data._reset_state(worlds)
        rows = [(memory.ctypes.data, memory.nbytes // WORD, 0) for memory in self._cleared]
        self._kept = []
        for memory in self._cleared:
            words = memory.reshape(-1).view(np.int32)
            places = words.nonzero()[0]
            # runs of words, with few zeros in between
            for run in np.split(places, (np.diff(places) > NEAR).nonzero()[0] + 1):
                if len(run):
                    there = words[run[0] : run[-1] + 1]
                    self._kept.append(there.copy())
                    rows.append((there.ctypes.data, len(there), self._kept[-1].ctypes.data))
        columns = np.array([(*row, 0, 1) for row in rows], np.int64).T
        self.record.set_size("nfield", len(rows))
        for name, column in zip(("user", "size", "source", "end", "words"), columns, strict=True):
            self.record.set_array(name, column.copy())


def can_clear(data: "Data") -> bool:
    """True if all worlds start alike, and all of them awake."""
    if interpreted() or data._in_place or data.plan.large_model or data.sleep_at_start:
        return False
    return all(data.varied.keys().isdisjoint(row.sources) for row in INITIAL.values())
