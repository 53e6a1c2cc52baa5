"""Contacts: `MjContact`, and the list of those of data."""

from typing import Any

import numpy as np

from mjenv.engine.tables.fields import CONTACT, DTYPES
from mjenv.mujoco.structs.record import Struct, StructList
from mjenv.visual.records import row_of

_DTYPE = np.dtype(
    [(row.name, DTYPES[row.type], tuple(int(n) for n in row.shape)) for row in CONTACT]
)


class MjContact(Struct):
    """A contact: MuJoCo's fields."""

    __slots__ = ()
    DTYPE = _DTYPE
    DEFAULT = row_of(_DTYPE)


class _MjContactList(StructList):
    """The contacts that there are at present: `contact[0].dist`, `contact.dist`."""

    ITEM = MjContact


class ContactColumns:
    """Contacts of data of one world, which lie in an array for each field."""

    def __init__(self, batch: Any):
        self._batch = batch

    def length(self) -> int:
        """Number of contacts."""
        return int(self._batch.ncon[0])

    def column(self, name: str) -> np.ndarray:
        """One field of all of them."""
        return getattr(self._batch.contact, name)[0]
