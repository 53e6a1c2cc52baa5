"""Named things of a model or data: `model.geom("ball").size`, `data.body(3).xpos`."""

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from mjenv.engine.data.named_data import NamedData
from mjenv.engine.model.named import NAMED, SPANS, Named
from mjenv.mujoco.api import facts
from mjenv.mujoco.structs.record import shown, whole_number

# kinds of things: the reference's word in names of classes, and its names of the method
_KINDS = {
    "actuator": ("Actuator", ("actuator",)),
    "body": ("Body", ("body",)),
    "camera": ("Camera", ("cam", "camera")),
    "equality": ("Equality", ("eq", "equality")),
    "exclude": ("Exclude", ("exclude",)),
    "geom": ("Geom", ("geom",)),
    "hfield": ("Hfield", ("hfield",)),
    "joint": ("Joint", ("jnt", "joint")),
    "key": ("Keyframe", ("key", "keyframe")),
    "light": ("Light", ("light",)),
    "material": ("Material", ("mat", "material")),
    "mesh": ("Mesh", ("mesh",)),
    "numeric": ("Numeric", ("numeric",)),
    "pair": ("Pair", ("pair",)),
    "sensor": ("Sensor", ("sensor",)),
    "site": ("Site", ("site",)),
    "skin": ("Skin", ("skin",)),
    "tendon": ("Tendon", ("tendon", "ten")),
    "texture": ("Texture", ("tex", "texture")),
    "tuple": ("Tuple", ("tuple",)),
}


def _of_dofs(name: str) -> Callable:
    """Rows of a joint's degrees of freedom, where joints have a field of the same name."""

    def rows(joint: Any) -> np.ndarray:
        start, number = SPANS["joint"]["nv"](joint._model, joint.id)
        return getattr(joint._model, f"dof_{name}")[start : start + number]

    return rows


def _moment(actuator: Any) -> np.ndarray:
    """Moment arms of an actuator about all degrees of freedom."""
    data, u = actuator._data, actuator.id
    start, number = (int(getattr(data, f"moment_row{part}")[0, u]) for part in ("adr", "nnz"))
    moment = np.zeros(data.model.nv)
    places = slice(start, start + number)
    moment[data.moment_colind[0, places]] = data.actuator_moment[0, places]
    return moment


_OTHERS = {
    ("Model", "Joint"): {"bodyid": _of_dofs("bodyid")},
    ("Data", "Actuator"): {"moment": _moment},
}


class View:
    """The rows of one thing; those that stay where they are are the same arrays at every look."""

    _FIELDS: tuple[str, ...] = ()
    _OTHER: ClassVar[
        dict[str, Callable[[Any], np.ndarray]]
    ] = {}  # attributes that are no rows of a field by name

    def __init__(self, rows: Any, name: str, lasting: Any):
        """Show rows.

        Args:
            rows: what has them as attributes, and `id`.
            name: of the thing.
            lasting: says of the name of an attribute whether its array stays where it is.
        """
        vars(self).update(_rows=rows, _lasting=lasting, id=int(rows.id), name=name)

    def __getattr__(self, name: str) -> np.ndarray:
        if name.startswith("__") or name in ("_rows", "_lasting"):
            raise AttributeError(name)
        if name in self._OTHER:
            return self._OTHER[name](self._rows)
        value = getattr(self._rows, name.lstrip("_"))
        if isinstance(self._rows, NamedData):
            value = value[0]
        lasting: Any = self._lasting
        if lasting(self._rows, name.lstrip("_")):
            vars(self)[name] = value
        return value

    def __setattr__(self, name: str, value: Any) -> None:
        if name in ("id", "name"):
            raise AttributeError(f"{type(self).__name__}.{name}: it cannot be assigned")
        getattr(self, name)[...] = value

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._FIELDS})

    def __repr__(self) -> str:
        names = sorted(self._FIELDS)
        present = [(n, getattr(self, n)) for n in names if hasattr(self, n)]
        return shown(type(self).__name__, present)


CLASSES: dict[str, type[View]] = {}  # classes of views, by their names


def _view_class(owner: str, word: str) -> type[View]:
    """The class of views of one kind."""
    name = f"_Mj{owner}{word}Views"
    fields = tuple(facts()["classes"].get(name, {"fields": {}})["fields"])
    members = {"_FIELDS": fields, "_OTHER": _OTHERS.get((owner, word), {}), "__module__": __name__}
    CLASSES[name] = kind = type(name, (View,), members)
    return kind


def _always(rows: Any, name: str) -> bool:
    return True


def _in_data(rows: Any, name: str) -> bool:
    """True if an attribute of data is no result that is computed when it is looked at."""
    field, _ = rows._field(name)
    return field not in rows._data._lazy


def place_of(model: Any, kind: str, key: int | str | bytes) -> int:
    """Number of a thing by its name or number.

    Raises:
        KeyError, IndexError: there is no such thing; in the reference's words, which programs
            look at.
    """
    size = getattr(model, NAMED[kind][0])
    if isinstance(key, bytes):
        key = key.decode()
    if isinstance(key, str):
        names = [model.name(kind, place) for place in range(size)]
        if not key or key not in names:
            known = sorted(name for name in names if name)
            raise KeyError(f"Invalid name '{key}'. Valid names: {known}")
        return names.index(key)
    place = whole_number(key, kind)
    if not 0 <= place < size:
        raise IndexError(f"Invalid index {place}. Valid indices from 0 to {size - 1}")
    return place


def _accessor(kind: str, view: type[View]) -> Any:
    """The method of `MjModel` or `MjData` that finds things of a kind."""

    def find(self: Any, name: int | str = "") -> View:
        views = self._views()
        found = views.get((kind, name))
        if found is None:
            model, batch = self._named_source()
            place = place_of(model, kind, name)
            found = views.get((kind, place))
            if found is None:
                rows = NamedData(batch, kind, place) if batch else Named(model, kind, place)
                lasting = _in_data if batch else _always
                found = view(rows, model.name(kind, place), lasting)
                views[kind, place] = found
            views[kind, name] = found
        return found

    find.__doc__ = f"The {kind} of a name or number."
    return find


def add_views(kind: type, owner: str) -> None:
    """Give a class the methods that find things.

    Args:
        kind: a class whose objects have `_views()`, what was found so far, and `_named_source()`,
            the model and the data of the engine.
        owner: "Model" or "Data".
    """
    recorded = facts()["classes"][f"Mj{owner}"]["methods"]
    for thing, (word, names) in _KINDS.items():
        if names[0] in recorded:
            method = _accessor(thing, _view_class(owner, word))
            for name in names:
                setattr(kind, name, method)
