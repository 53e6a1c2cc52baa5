"""One world of a batch, with the shapes and the named access that MuJoCo's `MjData` has."""

from typing import TYPE_CHECKING, Any

import numpy as np

from mjenv.engine.fields import DATA

if TYPE_CHECKING:
    from mjenv.engine.data import Data
    from mjenv.engine.model import Model

# kind of element -> its size in shapes, and what field names have before the element's own name
_KINDS = {
    "body":     ("nbody",   ""),
    "joint":    ("njnt",    ""),
    "geom":     ("ngeom",   "geom_"),
    "site":     ("nsite",   "site_"),
    "camera":   ("ncam",    "cam_"),
    "light":    ("nlight",  "light_"),
    "tendon":   ("ntendon", "ten_"),
    "actuator": ("nu",      "actuator_"),
    "sensor":   ("nsensor", "sensor_"),
}  # fmt: skip

# kind -> name on the element -> field of the data
_FIELDS = {
    kind: {f.name.removeprefix(prefix): f.name for f in DATA if f.shape and f.shape[0] == size}
    for kind, (size, prefix) in _KINDS.items()
}
_FIELDS["joint"].update({f.name: f.name for f in DATA if f.shape and f.shape[0] in ("nq", "nv")})
_FIELDS["sensor"]["data"] = "sensordata"

_POSITIONS_OF_JOINT = (7, 4, 1, 1)  # free, ball, slide, hinge
_DOFS_OF_JOINT = (6, 3, 1, 1)
_FIRST_SIZE = {f.name: f.shape[0] for f in DATA if f.shape}


class WorldView:
    """World `world` of `batch`: `view.qpos` is (nq,), `view.time` a float, `view.ncon` an int.

    Arrays are views: writing into them, or assigning to the attribute, changes the world. As with
    MuJoCo, `view.body("torso").xpos` and its like for joints, geoms, sites, cameras, lights,
    tendons, actuators and sensors give the rows of one element, by name or number.

    Attributes:
        batch: the `Data` of all worlds, which `mjenv.step` and its like take.
    """

    batch: "Data"
    _model: "Model"
    _world: int

    def __init__(self, model: "Model", batch: "Data", world: int = 0):
        members = vars(self)
        members.update(batch=batch, _model=model, _world=world)
        # attributes of the object are found without __getattr__, at no cost
        for name, array in vars(batch).items():
            if name in _FIRST_SIZE and isinstance(array, np.ndarray):
                members[name] = array[world]

    def __getattr__(self, name: str) -> Any:
        if name in _KINDS:
            return _Finder(self, name)
        if name == "contact":
            return _Contacts(self)
        if name.startswith("__"):
            raise AttributeError(name)
        row = getattr(self.batch, name)[self._world]
        return row.item() if isinstance(row, np.generic) and row.dtype.names is None else row

    def __setattr__(self, name: str, value: Any) -> None:
        getattr(self.batch, name)[self._world] = value

    def __reduce__(self) -> tuple:
        return WorldView, (self._model, self.batch, self._world)

    def __dir__(self) -> list[str]:
        return sorted({f.name for f in DATA} | set(_KINDS) | {"batch"})


class _Contacts:
    """The world's contacts: `contact.dist` has a row for each, `contact[0].dist` is the first's."""

    def __init__(self, view: WorldView):
        self._rows, self._world, self._count = view.batch.contact, view._world, view.ncon

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, i: int) -> "_Contact":
        return _Contact(self, range(self._count)[i])

    def __getattr__(self, name: str) -> np.ndarray:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._rows, name)[self._world, : self._count]


class _Contact:
    """One contact, under the names of mjContact's fields."""

    def __init__(self, contacts: _Contacts, i: int):
        self._contacts, self._i = contacts, i

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._contacts, name)[self._i]


class _Finder:
    """Finds an element of one kind: `view.body("torso")`, `view.body(1)`."""

    def __init__(self, view: WorldView, kind: str):
        self._view, self._kind = view, kind

    def __call__(self, key: str | int) -> "Element":
        found = getattr(self._view._model, self._kind)(key)
        return Element(self._view, self._kind, int(found.id), found.name)


class Element:
    """The rows that belong to one body, joint, geom, ..., under their MuJoCo names, as views."""

    __slots__ = ("_kind", "_view", "id", "name")

    def __init__(self, view: WorldView, kind: str, id: int, name: str):
        for key, value in (("_view", view), ("_kind", kind), ("id", id), ("name", name)):
            object.__setattr__(self, key, value)

    def __getattr__(self, name: str) -> Any:
        field = self._field(name)
        return getattr(self._view, field)[self._rows(field)]

    def __setattr__(self, name: str, value: Any) -> None:
        field = self._field(name)
        getattr(self._view, field)[self._rows(field)] = value

    def _field(self, name: str) -> str:
        known = _FIELDS[self._kind]
        if name not in known:
            raise AttributeError(
                f"{self._kind} {self.name!r}: no attribute {name!r}, "
                f"expected one of {sorted(known)}"
            )
        return known[name]

    def _rows(self, field: str) -> int | slice:
        model, size = self._view._model, _FIRST_SIZE[field]
        if size == "nq":
            start, kind = model.jnt_qposadr[self.id], model.jnt_type[self.id]
            return slice(start, start + _POSITIONS_OF_JOINT[kind])
        if size == "nv":
            start, kind = model.jnt_dofadr[self.id], model.jnt_type[self.id]
            return slice(start, start + _DOFS_OF_JOINT[kind])
        if size == "nsensordata":
            start = model.sensor_adr[self.id]
            return slice(start, start + model.sensor_dim[self.id])
        return self.id
