"""`MjData`: the state of one world with the interface of the bindings."""

import copy
from typing import Any

import numpy as np

from mjenv.engine.data.as_mujoco import MujocoData
from mjenv.engine.data.reallocation import keep_also
from mjenv.engine.data.views import View as WorldOfData
from mjenv.engine.tables.fields import DATA
from mjenv.mujoco.structs.contacts import ContactColumns, _MjContactList
from mjenv.mujoco.structs.fields import add_fields
from mjenv.mujoco.structs.model import MjModel
from mjenv.mujoco.structs.named import add_views
from mjenv.mujoco.structs.statistics_of_steps import (
    MjSolverStat,
    RowColumns,
    WarningColumns,
    _MjSolverStatList,
    _MjTimerStatList,
    _MjWarningStatList,
)

_ROWS = {row.name: row for row in DATA}
# sizes that change from step to step: fields that are as long as there are
_COUNTED = frozenset({"nefc", "nJ", "nA", "nisland", "nidof"})
_COUNTS = {
    row.name: str(row.shape[0]) for row in DATA if row.shape and row.shape[0] in _COUNTED
}  # fmt: skip
_NSOLVERSTAT = 4000  # mjNISLAND * mjNSOLVER


class MjData(WorldOfData):
    """The state of one world, and what is computed from it.

    Arrays are views, which stay valid over steps; assigning to a field writes into its array.
    """

    def __init__(self, model: MjModel):
        if not isinstance(model, MjModel):
            raise TypeError(f"MjData: found {type(model).__name__}, expected an MjModel")
        self._hold(model, MujocoData(model._twin()))

    def _hold(self, model: MjModel, batch: MujocoData) -> None:
        """Be a view of data of the engine, of one world."""
        own = vars(self)
        own.update(batch=batch, _world=0, _model=model, _callbacks=None, _data_views={}, _direct={})
        own["contact"] = _MjContactList(ContactColumns(batch))
        own["warning"] = _MjWarningStatList(WarningColumns(batch))
        # arrays that stay where they are, are found at no cost
        for name in _ROWS.keys() - _COUNTS.keys() - set(batch.fresh):
            array = vars(batch).get(name)
            if isinstance(array, np.ndarray) and _ROWS[name].shape:
                own[name] = array[0]

    @property
    def model(self) -> MjModel:
        """The model that the data were made for."""
        return self._model

    @property
    def _address(self) -> int:
        """A number that no other data have."""
        return id(self)

    @property
    def _all_fields(self) -> tuple[str, ...]:
        """Names of all arrays."""
        return tuple(row.name for row in DATA if row.shape)

    @property
    def signature(self) -> int:
        """The signature of the model."""
        return self._model.signature

    @property
    def timer(self) -> _MjTimerStatList:
        """Timers, which run from the first look at them."""
        return _MjTimerStatList(RowColumns(self._kept("timer")[0]))

    @property
    def solver(self) -> _MjSolverStatList:
        """Iterations of the solver, which are kept from the first look at them."""
        rows = np.zeros(_NSOLVERSTAT, MjSolverStat.DTYPE)
        progress = self._kept("solver")[0]
        for name in rows.dtype.names:
            rows[name][: len(progress)] = progress[name]
        return _MjSolverStatList(RowColumns(rows))

    def _kept(self, name: str) -> Any:
        """What data of the engine keep only if they are asked to."""
        keep_also(self.batch, name)
        return getattr(self.batch, name)

    def _field(self, name: str) -> Any:
        """A field that is no attribute of the object."""
        row, batch = _ROWS[name], self.batch
        value = getattr(batch, name)
        if not isinstance(value, np.ndarray):
            return value
        if not row.shape:
            return value[0].item()
        if name not in _COUNTS:
            return value[0]
        count = int(getattr(batch, _COUNTS[name])[0])
        tail = tuple(n for n in row.shape[1:] if isinstance(n, int))
        # as in the reference, nothing is an array of its own
        return value[0, :count] if count else np.zeros((0, *tail), value.dtype)

    def __setattr__(self, name: str, value: Any) -> None:
        array = vars(self).get(name)
        if type(array) is not np.ndarray:
            row = _ROWS.get(name)
            if row is None or name == "contact":
                object.__setattr__(self, name, value)
                return
            array = self._field(name) if row.shape else getattr(self.batch, name)
            if not isinstance(array, np.ndarray):
                raise AttributeError(f"MjData.{name}: it cannot be assigned")
        array[...] = value

    def _views(self) -> dict:
        """Named things that were looked at."""
        return self._data_views

    def _named_source(self) -> tuple[Any, MujocoData]:
        return self.batch.model, self.batch

    # ------------------------------------------------------------ copies

    def _state(self) -> dict:
        """What a copy takes over, but for callbacks."""
        return self.batch.__getstate__() | {"hooks": {}, "model": None}

    def __copy__(self) -> "MjData":
        return _restored(self._model, self._state())

    def __deepcopy__(self, memo: dict) -> "MjData":
        model = copy.deepcopy(self._model, memo)
        memo[id(self)] = twin = _restored(model, self._state())
        return twin

    def __reduce__(self) -> tuple:
        return _restored, (self._model, self._state())

    __repr__ = object.__repr__
    __hash__ = object.__hash__


def _restored(model: MjModel, state: dict) -> MjData:
    """Data of a model from what `_state` gave."""
    batch = MujocoData.__new__(MujocoData)
    batch.__setstate__(state | {"model": model._twin()})
    data = MjData.__new__(MjData)
    data._hold(model, batch)
    return data


add_views(MjData, "Data")
add_fields(MjData, "MjData")
