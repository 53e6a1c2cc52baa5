"""Contacts in tasks: how many there are between geoms, and their forces, in one world or many.

A task that uses them keeps them: `keep = ("contact", "efc_force")`; for numbers alone, `"contact"`.
They belong to the last evaluation of the dynamics, as all derived fields. Functions that use them
run as numpy: sensors (`touch`, `contact`) tell the same to compiled tasks.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from mjenv.engine.analysis.motion import contact_force

if TYPE_CHECKING:
    from mjenv.engine.data.data import Data

# geoms: a name, a number, or several of them
Geoms = str | int | Sequence[str | int]


def number(data: Any, geom: Geoms, other: Geoms | None = None) -> np.ndarray:
    """Number of contacts of geoms with others, (...).

    Args:
        data: the physics as a function of a task gets it, with `contact` among its fields.
        geom: a geom by name or number, or several.
        other: the same of what they touch; None for anything.

    Raises:
        KeyError: the model has no such geom.
        FieldError: the data do not keep `contact`.
    """
    return np.count_nonzero(_sides(data, geom, other), axis=-1)


def force(data: Any, geom: Geoms, other: Geoms | None = None) -> np.ndarray:
    """Sum of the forces (..., 3) of contacts on geoms, in the world's axes (N).

    Args:
        data: the physics as a function of a task gets it, with `contact` and `efc_force`.
        geom: a geom by name or number, or several, on which forces act.
        other: the same of what they touch; None for anything.

    Raises:
        KeyError: the model has no such geom.
        FieldError: the data do not keep a field.
    """
    rows: ContactRows = data.contact
    sides, frames = _sides(data, geom, other), rows.frame
    total = np.zeros((*sides.shape[:-1], 3))
    # contact by contact: the same order of sums in one world and in many
    for k in range(rows.most):
        side = sides[..., k, None]
        if side.any():
            on, frame = rows.force(k), frames[..., k, :]
            turned = on[..., :1] * frame[..., :3]
            turned = turned + on[..., 1:2] * frame[..., 3:6] + on[..., 2:3] * frame[..., 6:9]
            total = total + np.where(side == 0, 0.0, side * turned)
    return total


def _sides(data: Any, geom: Geoms, other: Geoms | None) -> np.ndarray:
    """Of each contact (..., nconmax) 1 where its force acts on `geom`, -1 where on the other one.

    0 where the contact is between other geoms, or both are among `geom`.
    """
    pair = data.contact.geom
    mine = np.isin(pair, _ids(data.model, geom))
    its = pair >= 0 if other is None else np.isin(pair, _ids(data.model, other))
    # forces act on the second geom of a contact, and backwards on the first
    second = (mine[..., 1] & its[..., 0]).astype(np.int64)
    return second - (mine[..., 0] & its[..., 1])


def _ids(model: Any, geoms: Geoms) -> list[int]:
    listed = [geoms] if isinstance(geoms, str | int | np.integer) else geoms
    return [model.geom(one).id for one in listed]


class ContactRows:
    """Contacts as tasks see them: fields of mjContact, (..., nconmax, ...), read-only copies.

    Rows behind the last contact have geoms -1, and zeros in all other fields.

    Attributes:
        most: how many contacts there are in the world that has most.
    """

    def __init__(self, model: Any, data: "Data", worlds: Any):
        """Look at the contacts of some worlds.

        Args:
            model: the model.
            data: all worlds.
            worlds: which of them: an index of their axis.
        """
        self._model, self._data, self._worlds = model, data, worlds
        found = data.contact
        self._found, counts = found, np.asarray(found._numbers())[worlds]
        self.most = int(np.max(counts, initial=0))
        self._there = np.arange(found.dist.shape[1]) < counts[..., None]

    def __getattr__(self, name: str) -> np.ndarray:
        if name.startswith("_"):
            raise AttributeError(name)
        array = getattr(self._found, name)[self._worlds].copy()
        array[~self._there] = -1 if name in ("geom", "geom1", "geom2") else 0
        array.flags.writeable = False
        return array

    def force(self, contact: int) -> np.ndarray:
        """Force and torque (..., 6) of contacts of one number, in their own frames."""
        return contact_force(self._model, self._data, contact)[self._worlds]

    def __setattr__(self, name: str, value: Any) -> None:
        if not name.startswith("_") and name != "most":
            raise TypeError(
                f"found an assignment to data.contact.{name}, expected functions that only read"
            )
        object.__setattr__(self, name, value)


def contacts_of(inner: Any) -> ContactRows:
    """The contacts of data, of a view of one world, or of rows of some worlds."""
    members = vars(inner)
    if "batch" in members:
        return ContactRows(members["_model"], members["batch"], members["_world"])
    if "_worlds" in members:
        return ContactRows(members["_model"], members["_data"], members["_worlds"])
    return ContactRows(inner.model, inner, slice(None))
