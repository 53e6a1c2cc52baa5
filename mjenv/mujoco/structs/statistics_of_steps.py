"""Counters of warnings, timers and solver iterations."""

from typing import Any

import numpy as np

from mjenv.mujoco.structs.record import Struct, StructList
from mjenv.visual.records import row_of


class MjWarningStat(Struct):
    """Number of warnings of a kind, and the number that the last one was about."""

    __slots__ = ()
    DTYPE = np.dtype([("lastinfo", "i4"), ("number", "i4")])
    DEFAULT = row_of(DTYPE)


class MjTimerStat(Struct):
    """Time (s) and calls of a part of the pipeline."""

    __slots__ = ()
    DTYPE = np.dtype([("duration", "f8"), ("number", "i4")])
    DEFAULT = row_of(DTYPE)


class MjSolverStat(Struct):
    """One iteration of the solver."""

    __slots__ = ()
    DTYPE = np.dtype([
        ("improvement", "f8"), ("gradient", "f8"), ("lineslope", "f8"),
        ("nactive", "i4"), ("nchange", "i4"), ("neval", "i4"), ("nupdate", "i4"),
    ])  # fmt: skip
    DEFAULT = row_of(DTYPE)


class MjLROpt(Struct):
    """Options of `mj_setLengthRange`."""

    __slots__ = ()
    DTYPE = np.dtype([
        ("mode", "i4"), ("useexisting", "i4"), ("uselimit", "i4"), ("accel", "f8"),
        ("maxforce", "f8"), ("timeconst", "f8"), ("timestep", "f8"), ("inttotal", "f8"),
        ("interval", "f8"), ("tolrange", "f8"),
    ])  # fmt: skip
    DEFAULT = row_of(DTYPE)


class MjrRect(Struct):
    """A rectangle of pixels."""

    __slots__ = ()
    DTYPE = np.dtype([("left", "i4"), ("bottom", "i4"), ("width", "i4"), ("height", "i4")])
    DEFAULT = row_of(DTYPE)

    def __init__(self, left: int, bottom: int, width: int, height: int):
        super().__init__()
        self.left, self.bottom, self.width, self.height = left, bottom, width, height


class _MjWarningStatList(StructList):
    """Warnings so far, by mjtWarning."""

    ITEM = MjWarningStat


class _MjTimerStatList(StructList):
    """Timers, by mjtTimer."""

    ITEM = MjTimerStat


class _MjSolverStatList(StructList):
    """Iterations of the solver, of each island in turn."""

    ITEM = MjSolverStat


class WarningColumns:
    """Warnings of data of one world: they are counted in arrays of their own."""

    def __init__(self, batch: Any):
        self._columns = {"lastinfo": batch._warn_info[0], "number": batch._warn_number[0]}

    def length(self) -> int:
        """Number of kinds of warnings."""
        return len(self._columns["number"])

    def column(self, name: str) -> np.ndarray:
        """One field of all of them."""
        return self._columns[name]


class RowColumns:
    """The fields of a structured array."""

    def __init__(self, rows: np.ndarray):
        self._rows = rows

    def length(self) -> int:
        """Number of rows."""
        return len(self._rows)

    def column(self, name: str) -> np.ndarray:
        """One field of all of them."""
        return self._rows[name]
