"""Options and statistics of a model that are plain numbers, in memory that kernels read."""

from operator import itemgetter
from typing import TYPE_CHECKING

import numpy as np

from ..pipeline.layouts import MODEL_LAYOUT
from ..simd.record import Places, aligned_zeros
from ..tables.fields import OPTION, STATISTIC

if TYPE_CHECKING:
    from ..model.model import Model

_NAMES = {
    "opt": [field.name for field in OPTION if not field.shape],
    "stat": [field.name for field in STATISTIC if not field.shape],
}
_READ = {group: itemgetter(*names) for group, names in _NAMES.items()}
_COUNTS = {f"{group}_{name}": 1 for group, names in _NAMES.items() for name in names}
PLACES = Places(MODEL_LAYOUT, 1, _COUNTS)


class Numbers:
    """The numbers as data have taken them over.

    Attributes:
        block: the memory, in which they lie at `PLACES`.
    """

    def __init__(self, model: "Model"):
        """Make room for them."""
        self._model = model
        self.block = aligned_zeros((PLACES.nbyte,), np.uint8)

    def present(self) -> tuple:
        """The numbers of the model as they are now."""
        model = self._model
        return _READ["opt"](vars(model.opt)), _READ["stat"](vars(model.stat))

    def take(self, numbers: tuple) -> None:
        """Enter numbers in the memory."""
        values = (*numbers[0], *numbers[1])
        for (start, shape, dtype), value in zip(PLACES.where.values(), values, strict=True):
            np.ndarray(shape, dtype, self.block, start)[0] = value
