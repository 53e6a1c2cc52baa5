"""One world of a batch, with the shapes and the named access that MuJoCo's `MjData` has."""

from typing import TYPE_CHECKING, Any

import numpy as np

from mjenv.engine.data.on_demand import Contact, Contacts
from mjenv.engine.data.views import View
from mjenv.engine.physics.capacity import LISTS
from mjenv.engine.tables.fields import DATA
from mjenv.engine.tables.typed_fields import WorldFields

if TYPE_CHECKING:
    from mjenv.engine.data.data import Data
    from mjenv.engine.model.model import Model

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
    "equality": ("neq",     "eq_"),
}  # fmt: skip
_SHORT = {"jnt": "joint", "cam": "camera", "ten": "tendon"}

# kind -> name on the element -> field of the data
_FIELDS = {
    kind: {f.name.removeprefix(prefix): f.name for f in DATA if f.shape and f.shape[0] == size}
    for kind, (size, prefix) in _KINDS.items()
}
_FIELDS["joint"].update({f.name: f.name for f in DATA if f.shape and f.shape[0] in ("nq", "nv")})
_FIELDS["sensor"]["data"] = "sensordata"

_POSITIONS_OF_JOINT = (7, 4, 1, 1)  # free, ball, slide, hinge
_DOFS_OF_JOINT = (6, 3, 1, 1)
_OWN = {"batch", "model", *_KINDS, *_SHORT}
_FIRST_SIZE = {f.name: f.shape[0] for f in DATA if f.shape}
_NAXIS = {f.name: len(f.shape) for f in DATA}


class WorldView(WorldFields, View):
    """World `world` of `batch`: `view.qpos` is (nq,), `view.time` a float, `view.ncon` an int.

    Arrays are views: writing into them, or assigning to the attribute, changes the world. As with
    MuJoCo, `view.body("torso").xpos` and its like for joints, geoms, sites, cameras, lights,
    tendons, actuators and sensors give the rows of one element, by name or number.

    Attributes:
        batch: the `Data` of all worlds. `mjenv.step` and its like take the view, too.
        model: the model that they were made for.
    """

    batch: "Data"
    model: "Model"
    _model: "Model"
    _world: int

    def __init__(self, model: "Model", batch: "Data", world: int = 0):
        members = vars(self)
        members.update(batch=batch, model=model, _model=model, _world=world)
        # attributes of the object are found without __getattr__, at no cost; but what belongs to
        # the last call alone, and lists, which may become longer when the model is edited
        for name, array in vars(batch).items():
            lasts = name not in batch.fresh and _FIRST_SIZE.get(name) not in LISTS
            if name in _FIRST_SIZE and isinstance(array, np.ndarray) and array.size and lasts:
                members[name] = array[world]

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            found = finder(self, name)
            if found is not None:
                return found
            if name == "contact":
                return _Contacts(self)
            if name.startswith("__"):
                raise AttributeError(name)
            field = getattr(self.batch, name)
            if not isinstance(field, np.ndarray):
                return field
            row = field[self._world]
            return row.item() if isinstance(row, np.generic) and row.dtype.names is None else row

        def __setattr__(self, name: str, value: Any) -> None:
            field = None if name in _OWN else getattr(self.batch, name)
            if not isinstance(field, np.ndarray):
                raise AttributeError(
                    f"data.{name}: cannot be assigned; expected a field that is an array"
                )
            field[self._world] = value

    def __repr__(self) -> str:
        return f"<world {self._world} of {self.batch!r}>"

    def __reduce__(self) -> tuple:
        return WorldView, (self._model, self.batch, self._world)

    def __dir__(self) -> list[str]:
        return sorted({f.name for f in DATA} | set(_KINDS) | {"batch"})


class _Contacts:
    """The world's contacts: `contact.dist` has a row for each, `contact[0].dist` is the first's."""

    _rows: Contacts
    _world: int
    _count: int

    def __init__(self, view: WorldView):
        rows = view.batch.contact
        count = int(rows._numbers()[view._world])
        self.__dict__.update(_rows=rows, _world=view._world, _count=count)

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, i: int) -> Contact:
        if not -self._count <= i < self._count:
            raise IndexError(
                f"contact[{i}]: found {self._count} contacts, expected a number below that"
            )
        return Contact(self._rows, self._world, i % self._count)

    def __getattr__(self, name: str) -> np.ndarray:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._rows, name)[self._world, : self._count]

    def __setattr__(self, name: str, value: Any) -> None:
        getattr(self, name)[...] = value

    def __repr__(self) -> str:
        return f"<{self._count} contacts>"


def finder(view: Any, name: str) -> "_Finder | None":
    """Function that finds elements of a kind by name, such as "body"; None if it is no kind.

    Args:
        view: fields by their names, and the model as `_model`.
        name: an attribute of the view.
    """
    kind = _SHORT.get(name, name)
    return _Finder(view, kind) if kind in _KINDS else None


class _Finder:
    """Finds an element of one kind: `view.body("torso")`, `view.body(1)`."""

    def __init__(self, view: Any, kind: str):
        self._view, self._kind = view, kind

    def __call__(self, key: str | int) -> "Element":
        found = getattr(self._view._model, self._kind)(key)
        return Element(self._view, self._kind, int(found.id), found.name)


class Element:
    """The rows that belong to one body, joint, geom, ..., under their MuJoCo names, as views.

    Single numbers are arrays of length 1. Fields of the view may have axes of worlds before their
    own.
    """

    __slots__ = ("_kind", "_view", "id", "name")

    def __init__(self, view: Any, kind: str, id: int, name: str):
        for key, value in (("_view", view), ("_kind", kind), ("id", id), ("name", name)):
            object.__setattr__(self, key, value)

    def __getattr__(self, name: str) -> Any:
        field = self._field(name)
        return getattr(self._view, field)[self._place(field)]

    def __setattr__(self, name: str, value: Any) -> None:
        field = self._field(name)
        getattr(self._view, field)[self._place(field)] = value

    def _field(self, name: str) -> str:
        known = _FIELDS[self._kind]
        if name not in known:
            raise AttributeError(
                f"{self._kind} {self.name!r}: no attribute {name!r}, "
                f"expected one of {sorted(known)}"
            )
        return known[name]

    def _place(self, field: str) -> tuple:
        """Index of its part of a field, counted from the end."""
        rows, naxis = self._rows(field), _NAXIS[field]
        if naxis == 1 and not isinstance(rows, slice):
            rows = slice(rows, rows + 1)
        return (..., rows, *(slice(None),) * (naxis - 1))

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
