"""Fields of the model in lanes, for worlds between which some of them differ."""

from collections.abc import Callable, Iterable

import numpy as np

from ..pipeline.layouts import ELEMENT, MODEL_ARRAYS, MODEL_LAYOUT
from ..simd.meaning import fields_named
from ..simd.record import Record, aligned_zeros

REALS = tuple(row.name for row in MODEL_ARRAYS if ELEMENT[row.type] == "f8")
LONG = 4096  # numbers of a field that is entered into lanes only where a stage reads it


class LaneFields:
    """The real fields of a model, as records in which they have lanes take them over.

    Attributes:
        long: those of the long fields that stages read. Others, such as boxes of a mesh's triangles
            that only rays look at, would take most of a step's time.
    """

    def __init__(self, model: Record):
        """Read no long field yet.

        Args:
            model: the record of the model, without lanes.
        """
        self._model = model
        self.long: frozenset[str] = frozenset()

    def record(self, width: int) -> Record:
        """A record of the model for one thread in which reals have lanes, all zeros."""
        record = Record(MODEL_LAYOUT, width)
        record.set_from(self._model, np.arange(len(MODEL_LAYOUT)))
        for name in REALS:
            n = self._model.arrays[name].size
            record.set_array(name, aligned_zeros((n, width) if width > 1 else (n,)))
        return record

    def read(self, functions: Iterable[Callable] | None) -> bool:
        """Have lanes of the long fields that stages read, from now on.

        Args:
            functions: of the stages; None if they may read any.

        Returns:
            True if there are more of them now.
        """
        arrays = self._model.arrays
        more = {name for name in REALS if arrays[name].size > LONG} - self.long
        if more and functions is not None:
            more &= frozenset().union(*map(fields_named, functions))
        self.long |= more
        return bool(more)

    def copy_to(self, record: Record) -> None:
        """Enter what the model holds in all lanes of a record."""
        for name in REALS:
            source = self._model.arrays[name].reshape(-1)
            if source.size <= LONG or name in self.long:
                target = record.arrays[name]
                target[...] = source[:, None] if target.ndim == 2 else source
