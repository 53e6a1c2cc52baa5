"""Pieces of memory that are copied and compared together, one after the other.

Each piece has a place, another place of the same length, and a number of words of four bytes: as it
is, or for each row of a list whose length stands somewhere.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ..simd.immediate import immediate_call_of
from ..simd.kernel import kernel
from ..simd.lanes import ints_at
from ..simd.record import Layout, Record

WORD = 4  # bytes
COLUMNS = ("place", "other", "words", "length", "most")
_ARRAYS = (*COLUMNS, "told", "which")
SPANS = Layout("spans", [("nspan", "size"), ("runs", "size"), *((name, "i8") for name in _ARRAYS)])
SPANS_KIND = (SPANS, 1, False)


class Span(NamedTuple):
    """A piece of memory.

    Attributes:
        array: C-contiguous; one with a first axis of rows if there is a length.
        length: int32 (1,), the number of rows that count; None for all.
    """

    array: np.ndarray
    length: np.ndarray | None = None


@kernel
def words_of(c, k):
    """Words of a piece that count."""
    n = c.words[k]
    if c.length[k] != 0:
        n = n * max(min(ints_at(c.length[k])[0], c.most[k]), 0)
    return n


@kernel
def differs(c, k):
    """A number that is 0 if a piece is as at its other place."""
    found = 0
    a, b = ints_at(c.place[k]), ints_at(c.other[k])
    # without a way out of the loop it takes a register of words at a time
    for i in range(words_of(c, k)):
        found = found | (a[i] ^ b[i])
    return found


@kernel
def differing(c):
    """A number that is 0 if each piece is as at its other place."""
    found = 0
    for k in range(c.nspan):
        found = found | differs(c, k)
    return found


@kernel
def tell_differing(c):
    """Tell which pieces differ."""
    for k in range(c.nspan):
        c.which[k] = differs(c, k)


@kernel
def copy_to_other(c):
    """Copy each piece to its other place."""
    for k in range(c.nspan):
        a, b = ints_at(c.place[k]), ints_at(c.other[k])
        for i in range(words_of(c, k)):
            b[i] = a[i]


def record_of(
    places: Sequence[int], others: Sequence[int], words: Sequence[int], lengths: Sequence[int],
    most: Sequence[int],
) -> Record:  # fmt: skip
    """The record of pieces of memory.

    Args:
        places, others: addresses of each.
        words: words of each, or of a row of it.
        lengths: addresses of numbers of rows, 0 where all counts.
        most: rows that there are at most.
    """
    record = Record(SPANS)
    record.set_size("nspan", len(places))
    columns = {"place": places, "other": others, "words": words, "length": lengths, "most": most}
    for name, values in (columns | {"told": [0], "which": [0] * len(places)}).items():
        record.set_array(name, np.array(values, np.int64))
    return record


class Copies:
    """Contents of pieces of memory at the time of copying.

    Who holds the arrays is told by counting references (data/held.py), so these do not: they have
    to be kept alive by others.

    Attributes:
        others: arrays like theirs.
        record: of the kernels above.
        copy: copies all of them.
    """

    def __init__(self, spans: Sequence[Span]):
        """Make room for copies, which hold nothing yet.

        Args:
            spans: pieces of numbers of four or eight bytes.
        """
        self.others = [np.zeros_like(span.array) for span in spans]
        rows = [span.array.shape[0] if span.length is not None else 1 for span in spans]
        self.record = record_of(
            [span.array.ctypes.data for span in spans],
            [other.ctypes.data for other in self.others],
            [span.array.nbytes // WORD // max(n, 1) for span, n in zip(spans, rows, strict=True)],
            [0 if span.length is None else span.length.ctypes.data for span in spans],
            rows,
        )
        self._which = self.record.arrays["which"]
        kinds = (SPANS_KIND,)
        self.copy = immediate_call_of(copy_to_other, kinds, [self.record])
        self._compare = immediate_call_of(tell_differing, kinds, [self.record])

    def differing(self) -> list[int]:
        """Numbers of the pieces that are not as they were copied."""
        self._compare()
        return self._which.nonzero()[0].tolist()
