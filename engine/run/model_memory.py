"""The memory of a model as kernels and the watch of edits find it, looked up once."""

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

import numpy as np

from ..model.change_detection import Memory
from ..pipeline.layouts import (
    ENGINE_MODEL,
    MODEL_ARRAYS,
    MODEL_LAYOUT,
    OPTION_ARRAYS,
    STATISTIC_ARRAYS,
)
from ..simd.record import Record

if TYPE_CHECKING:
    from ..model.model import Model

_NUMBERS = OPTION_ARRAYS + STATISTIC_ARRAYS
_DERIVED = {row.name for row in (*ENGINE_MODEL, *_NUMBERS)}
OWN = tuple(r.name for r in MODEL_ARRAYS if r.type != "size" and r.name not in _DERIVED)


class ModelMemory:
    """Addresses of the arrays of a model.

    Attributes:
        record: addresses of its own arrays, those of options and statistics too.
        slots: their slots.
        watched: the memory that is compared to find edits.
    """

    def __init__(self, model: "Model"):
        """Look it up."""
        own = vars(model)
        self.record = Record(MODEL_LAYOUT)
        for name in OWN:
            self.record.set_array(name, own[name])
        for row in _NUMBERS:
            group, _, name = row.name.partition("_")
            value = getattr(getattr(model, group), name)
            if isinstance(value, np.ndarray):
                self.record.set_array(row.name, value)
        slots = [MODEL_LAYOUT.entries[name].slot for name in self.record.arrays]
        self.slots = np.array(slots, np.int64)
        self.watched = Memory(model)
        self.ids = [id(own[name]) for name in OWN]


_known: "WeakKeyDictionary[Model, ModelMemory]" = WeakKeyDictionary()


def memory_of(model: "Model") -> ModelMemory:
    """The memory of a model, which stays where it is but for arrays that were replaced."""
    found, own = _known.get(model), vars(model)
    if found is None or found.ids != [id(own[name]) for name in OWN]:
        found = _known[model] = ModelMemory(model)
    return found
