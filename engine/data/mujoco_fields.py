"""Fields of one world with the type, shape and length that they have in MuJoCo.

`Data` has a world axis, room behind lists, and whole numbers of 32 bits. What MuJoCo shows is made
of that here, by the table of fields: mostly views, which may be written.
"""

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from ..tables.fields import DATA
from .active_boxes import active_boxes
from .skip import known_world

if TYPE_CHECKING:
    from .data import Data

ROWS = {row.name: row for row in DATA}
NTHREAD = 128  # threads of MuJoCo (mjMAXTHREAD)
# fields that are as long as a count says
COUNTED = {
    row.name: str(row.shape[0])
    for row in DATA
    if row.shape and row.shape[0] in ("nefc", "nJ", "nA", "nisland", "nidof")
}


def _active(data: "Data") -> np.ndarray:
    """True if equalities are on: the low bytes of the whole numbers that data have."""
    low = slice(None, None, 4) if sys.byteorder == "little" else slice(3, None, 4)
    return data.eq_active[0].view(np.uint8)[low]


def _places(name: str) -> Callable[["Data"], np.ndarray]:
    """Positions of the entries of rows; `Data` has only those of sparse rows, which omit some."""
    part = name.rpartition("_")[2]

    def make(data: "Data") -> np.ndarray:
        rows, of_inertia = _count(data, "nefc"), name.startswith("efc_AR")
        if not data.plan.tables["is_dense"] and not (of_inertia and not _count(data, "nA")):
            return getattr(data, name)[0]
        width = rows if of_inertia else data.model.nv
        found = {
            "rownnz": np.full(rows, width),
            "rowadr": np.arange(rows) * width,
            "rowsuper": np.arange(rows)[::-1],
            "colind": np.tile(np.arange(width), rows),
        }
        return found[part].astype(np.int32)

    return make


class _World:
    """Fields of the only world of data, without a world axis."""

    def __init__(self, data: "Data"):
        self._data = data

    def __getattr__(self, name: str) -> Any:
        value = self.__dict__[name] = mujoco_value(self._data, name)
        return value


def _visited(data: "Data") -> np.ndarray:
    """Nodes that the last collision came to; none before the first one."""
    if not (data.model.vis.global_.bvactive and known_world(data)):
        return np.zeros(data.model.nbvh, np.uint8)
    return active_boxes(data.model, _World(data)).astype(np.uint8)


MADE: dict[str, Callable[["Data"], Any]] = {
    "eq_active": _active,
    "bvh_active": _visited,
    "plugin_data": lambda data: np.zeros(data.model.nplugin, np.uint64),
    "maxuse_threadstack": lambda data: np.zeros(NTHREAD, np.uint64),
    "nplugin": lambda data: data.model.nplugin,
    "signature": lambda data: data.model.signature,
    "narena": lambda data: data.model.narena,
    **{
        name: lambda data: 0
        for name in ("flg_energypos", "flg_energyvel", "flg_subtreevel", "flg_rnepost")
    },
    "threadpool": lambda data: 0,
    **{
        f"{rows}_{part}": _places(f"{rows}_{part}")
        for rows, parts in (
            ("efc_J", "rownnz rowadr rowsuper colind"),
            ("iefc_J", "rownnz rowadr rowsuper colind"),
            ("efc_AR", "rownnz rowadr colind"),
        )
        for part in parts.split()
    },
}


def mujoco_value(data: "Data", name: str) -> Any:
    """A field of the first world as MuJoCo's `mjData` has it.

    Args:
        data: one world.
        name: a field of mjData that is an array or a number.

    Returns:
        An int or float for a number; else an array of MuJoCo's shape and type, a view where `Data`
        has these numbers. Lists are as long as they are now.

    Raises:
        FieldError: the data do not hold it.
    """
    row = ROWS[name]
    value = MADE[name](data) if name in MADE else getattr(data, name)
    if not row.shape:
        return value if isinstance(value, int) else value.reshape(-1)[0].item()
    if name not in MADE:
        value = value[0]
    if name in COUNTED:
        value = value[: _count(data, COUNTED[name])]
    tail = tuple(n for n in row.shape[1:] if isinstance(n, int))
    return value if value.ndim == len(tail) + 1 else value.reshape(-1, *tail)


def _count(data: "Data", name: str) -> int:
    array = getattr(data, name)
    return int(array.reshape(-1)[0]) if array.size else 0
