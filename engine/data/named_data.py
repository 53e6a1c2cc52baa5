"""Named things of a model: what data have of them."""

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from ..model.named import Named
from ..tables.fields import DATA

if TYPE_CHECKING:
    from .stored_fields import StoredFields


class NamedData(Named):
    """Fields of one named thing of a model in the data, as views.

    The attribute `xpos` of a body is `data.xpos[:, id]`, of shape (nworld, 3); the first axis of
    all is that of the worlds. A joint has its part of `qpos`, `qvel` and other fields of its
    degrees of freedom, an actuator of `ctrl` and `act`, a sensor its `data`.
    """

    _TABLE: ClassVar = {field.name: field.shape for field in DATA if field.shape}

    def __init__(self, data: "StoredFields", kind: str, place: int):
        super().__init__(data.model, kind, place)
        self.__dict__["_data"] = data

    def _array(self, field: str) -> np.ndarray:
        return np.moveaxis(getattr(self._data, field), 0, -1)

    def _rows(self, name: str) -> np.ndarray:
        return np.moveaxis(super()._rows(name), -1, 0)
