"""`MjData`: the state of one world with the interface of the bindings."""

import copy
from typing import Any

import numpy as np

from mjenv.engine.data.as_mujoco import MujocoData
from mjenv.engine.data.mujoco_fields import MADE, mujoco_value
from mjenv.engine.data.reallocation import keep_also
from mjenv.engine.data.views import View as WorldOfData
from mjenv.engine.data.whole_copies import copied_whole
from mjenv.engine.errors import nearest_or_all
from mjenv.engine.simd.bound_calls import BoundCalls
from mjenv.engine.tables.fields import DATA
from mjenv.mujoco.structs import bound
from mjenv.mujoco.structs.calls import OF_DATA
from mjenv.mujoco.structs.contacts import ContactColumns, _MjContactList
from mjenv.mujoco.structs.fields import Field, add_fields
from mjenv.mujoco.structs.model import MjModel
from mjenv.mujoco.structs.named import add_views
from mjenv.mujoco.structs.record import keep_fields, real_number, whole_number
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
_OTHER = frozenset((*MADE, "wrap_obj", "wrap_xpos"))  # fields that the engine has in other forms
_SINGLE = ("contact", "warning", "model")  # what cannot be assigned
_NSOLVERSTAT = 4000  # mjNISLAND * mjNSOLVER


class MjData(WorldOfData):
    """The state of one world, and what is computed from it.

    Arrays are views, which stay valid over steps; assigning to a field writes into its array.
    """

    # what machine code looks at, see functions/ready.py
    __slots__ = ("_bound", "_callbacks", "_model", "_ready")
    _model: MjModel
    _callbacks: object
    _direct: BoundCalls
    _data_views: dict

    def __init__(self, model: MjModel):
        if not isinstance(model, MjModel):
            raise TypeError(f"MjData: found {type(model).__name__}, expected an MjModel")
        self._hold(model, MujocoData(model._twin()))

    def _hold(self, model: MjModel, batch: MujocoData) -> None:
        """Be a view of data of the engine, of one world."""
        own = vars(self)
        own.update(batch=batch, _world=0, _data_views={})
        own["_direct"] = BoundCalls(OF_DATA)
        self._own(model, None)
        own["contact"] = _MjContactList(ContactColumns(batch))
        own["warning"] = _MjWarningStatList(WarningColumns(batch))
        # arrays that stay where they are, are found at no cost
        for name in _ROWS.keys() - _COUNTS.keys() - _OTHER - set(batch.fresh):
            array = vars(batch).get(name)
            if isinstance(array, np.ndarray) and _ROWS[name].shape:
                own[name] = array[0]

    def _own(self, model: MjModel, callbacks: object) -> None:
        """Belong to a model, with callbacks, and have what is ready to run with these."""
        put = object.__setattr__
        put(self, "_model", model)
        put(self, "_callbacks", callbacks)
        put(self, "_ready", self.batch.plan.prepared.rows)
        put(self, "_bound", self._direct.rows)

    @property
    def model(self) -> MjModel:
        """The model that the data were made for."""
        return vars(self).get("_first_model", self._model)

    def _use(self, model: MjModel, where: str) -> None:
        """Use another model of the same sizes, with which any function may be called."""
        self.batch.use_model(model._twin(), where)
        own = vars(self)
        own.setdefault("_first_model", self._model)
        self._own(model, self._callbacks)
        # they are bound to arrays of the model before
        self._direct.clear()
        self._data_views.clear()

    def bind(self, elements: Any) -> Any:
        """View of an element of the spec that the model was compiled from, or of several.

        Raises:
            ValueError: the spec was changed since, or is another one.
        """
        return bound.bind(self, elements)

    def bind_scalar(self, element: Any) -> Any:
        """View of one element of the spec; see `bind`."""
        return bound.bind_scalar(self, element)

    @property
    def _address(self) -> int:
        """A number that no other data have."""
        return id(self)

    @property
    def timer(self) -> _MjTimerStatList:
        """Timers, which run from the first look at them."""
        return _MjTimerStatList(RowColumns(self._kept("timer")[0]))

    @property
    def solver(self) -> _MjSolverStatList:
        """Iterations of the solver, which are kept from the first look at them."""
        rows = np.zeros(_NSOLVERSTAT, MjSolverStat.DTYPE)
        progress = self._kept("solver")[0]
        for name in rows.dtype.names or ():
            rows[name][: len(progress)] = progress[name]
        return _MjSolverStatList(RowColumns(rows))

    def _kept(self, name: str) -> Any:
        """Field that data of the engine keep only if they are asked to."""
        keep_also(self.batch, name)
        return getattr(self.batch, name)

    def _field(self, name: str) -> Any:
        """A field that is no attribute of the object."""
        value = getattr(self.batch, name)
        return value[0] if isinstance(value, np.ndarray) else value

    def __setattr__(self, name: str, value: Any) -> None:
        array = vars(self).get(name)
        if type(array) is np.ndarray:
            array[...] = value
        elif name in _SINGLE:
            raise AttributeError(f"property of 'MjData' object has no setter: {name}")
        elif name in _ROWS and isinstance(getattr(MjData, name), Field):
            array = self._field(name)
            if not isinstance(array, np.ndarray):
                raise AttributeError(f"MjData.{name}: it cannot be assigned")
            array[...] = value
        elif type(self) is not MjData or hasattr(MjData, name):
            object.__setattr__(self, name, value)
        else:
            near = nearest_or_all(name, _ROWS, 0)
            raise AttributeError(f"'MjData' object has no attribute {name!r}{near}")

    __delattr__ = keep_fields

    def _views(self) -> dict:
        """Named things that were looked at."""
        return self._data_views

    def _named_source(self) -> tuple[Any, MujocoData]:
        return self.batch.model, self.batch

    # ------------------------------------------------------------ copies

    def _state(self) -> dict:
        """State of a copy: everything but callbacks."""
        return self.batch.__getstate__() | {"hooks": {}, "model": None}

    def __copy__(self) -> "MjData":
        twin = MjData(self._model)
        if copied_whole(self.batch, twin.batch):
            return twin
        return _restored(self._model, self.batch.state_of_copy() | {"hooks": {}})

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


def _number(name: str, kind: str) -> property:
    """A field that is one number."""
    plain = real_number if kind == "real" else whole_number

    def read(data: Any) -> int | float:
        batch = data.batch
        # what was looked at is an attribute of the batch
        found = vars(batch).get(name)
        value = getattr(batch, name) if found is None else found
        return value.item() if isinstance(value, np.ndarray) else value

    def write(data: Any, value: float) -> None:
        array = getattr(data.batch, name)
        if not isinstance(array, np.ndarray):
            raise AttributeError(f"MjData.{name}: it cannot be assigned")
        array[0] = plain(value, f"MjData.{name}")

    return property(read, write)


def _list(name: str, count: str) -> property:
    """A field that is as long as there are rows, islands or entries at present."""
    tail = tuple(n for n in _ROWS[name].shape[1:] if isinstance(n, int))

    def read(data: Any) -> np.ndarray:
        batch = data.batch
        known = vars(batch)
        counted, found = known.get(count), known.get(name)
        number = (getattr(batch, count) if counted is None else counted).item()
        value = getattr(batch, name) if found is None else found
        # as in the reference, nothing is an array of its own
        return value[0, :number] if number else np.zeros((0, *tail), value.dtype)

    def write(data: Any, value: Any) -> None:
        read(data)[...] = value

    return property(read, write)


def _made(name: str) -> property:
    """A field that the engine has in another form: with another type, or in parts."""

    def read(data: Any) -> Any:
        return mujoco_value(data.batch, name)

    def write(data: Any, value: Any) -> None:
        found = read(data)
        if not isinstance(found, np.ndarray):
            raise AttributeError(f"MjData.{name}: it cannot be assigned")
        found[...] = value

    return property(read, write)


for _name, _row in _ROWS.items():
    if _name in _OTHER:
        setattr(MjData, _name, _made(_name))
    elif _name in _COUNTS:
        setattr(MjData, _name, _list(_name, _COUNTS[_name]))
    elif not _row.shape and _row.type in ("int", "size", "real", "long"):
        setattr(MjData, _name, _number(_name, _row.type))
add_views(MjData, "Data")
add_fields(MjData, "MjData")
