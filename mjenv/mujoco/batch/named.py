"""Parts of simulations by name: `batch.joint("hinge").qpos`, `batch.body("pole").mass`."""

from collections.abc import Callable
from typing import Any

import numpy as np

from mjenv.engine.data.named_data import NamedData
from mjenv.engine.model.named import Named
from mjenv.mujoco.batch.errors import nearest, unwritable
from mjenv.mujoco.batch.fields import DATA_FIELDS, MODEL_FIELDS, STATE, value_of
from mjenv.mujoco.batch.values import locked, same_for_all
from mjenv.mujoco.structs.named import place_of

# names of methods, the kind of thing, and whether data have something of it
_KINDS = {
    "actuator": ("actuator", True), "body": ("body", True), "camera": ("camera", True),
    "equality": ("equality", False), "geom": ("geom", True), "joint": ("joint", True),
    "keyframe": ("key", False), "light": ("light", True), "material": ("material", False),
    "numeric": ("numeric", False), "pair": ("pair", False), "sensor": ("sensor", True),
    "site": ("site", True), "tendon": ("tendon", True),
}  # fmt: skip
_ELSEWHERE = {("actuator", "moment")}  # attributes of data that lie in no field
_STRUCTURE = ("adr", "num", "id", "type")  # how fields of addresses, counts, ids, types end


class _Parts(NamedData):
    """Rows of one thing in fields of data of all simulations."""

    _read: Callable[[str], np.ndarray]

    def __init__(self, batch: Any, kind: str, place: int):
        Named.__init__(self, batch.model, kind, place)
        self.__dict__["_read"] = batch.bind

    def _array(self, field: str) -> np.ndarray:
        return np.moveaxis(self._read(field), 0, -1)


class _ModelParts(_Parts):
    """The same in fields of models, which a function reads."""

    _TABLE = Named._TABLE


class NamedPart:
    """One named thing in all simulations: attributes of the views of data and of models.

    Attributes of data are live. Those of models are as they are, and cannot be written in place
    unless their field was expanded; assigning to them expands it.
    """

    id: int
    name: str
    _batch: Any
    _kind: str
    _data_parts: _Parts | None
    _model_parts: _ModelParts

    def __init__(self, batch: Any, method: str, key: int | str):
        kind, of_data = _KINDS[method]
        place = place_of(batch.model, kind, key)
        own = vars(self)
        own.update(_batch=batch, _kind=method, id=place, name=batch.model.name(kind, place))
        own["_data_parts"] = _Parts(batch, kind, place) if of_data else None
        own["_model_parts"] = _ModelParts(batch, kind, place)

    def _place(self, attribute: str) -> tuple[Any, str]:
        """The function that reads an attribute, and its field."""
        for parts, fields in (
            (self._data_parts, DATA_FIELDS),
            (self._model_parts, MODEL_FIELDS),
        ):
            if parts is not None and (self._kind, attribute) not in _ELSEWHERE:
                try:
                    field, _ = parts._field(attribute)
                except AttributeError:
                    continue
                if field in fields:
                    return parts, field
        if (self._kind, attribute) in _ELSEWHERE:
            raise AttributeError(f"{self._kind} {attribute} is not a slice of a field of the batch")
        names = self._model_parts._names()
        names += self._data_parts._names() if self._data_parts is not None else []
        raise AttributeError(
            f"{attribute} is not a field of a {self._kind}{nearest(attribute, names)}"
        )

    def __getattr__(self, attribute: str) -> np.ndarray:
        if attribute.startswith("__"):
            raise AttributeError(attribute)
        parts = self._place(attribute)[0]
        vars(parts)["_read"] = self._batch.bind if parts is self._data_parts else self._of_models
        return parts._rows(attribute)

    def _of_models(self, field: str) -> np.ndarray:
        """A field of the models of all simulations."""
        batch, values = self._batch, self._batch._values
        if values.models is not None:
            return locked(np.stack([value_of(values.of(sim), field) for sim in range(batch.nsim)]))
        if field in values.expanded:
            return values.expanded[field]
        derived = values.read(field)
        return (
            same_for_all(value_of(values.base, field), batch.nsim) if derived is None else derived
        )

    def __setattr__(self, attribute: str, value: Any) -> None:
        if attribute in ("id", "name") or attribute.startswith("_"):
            raise AttributeError(f"{self._kind}.{attribute}: it cannot be assigned")
        parts, field = self._place(attribute)
        batch = self._batch
        if parts is self._data_parts:
            if field not in STATE:
                raise unwritable(f"{self._kind} {attribute}")
        elif batch._values.models is not None:
            raise ValueError(
                f"{field} is that of the models of set_models: edit them, and set them again"
            )
        elif field not in batch._values.expanded:
            if is_structure(field, value_of(batch.model, field)):
                raise ValueError(f"{field} is structural: it is the same in all simulations")
            batch.expand(field)
        getattr(self, attribute)[...] = value


def is_structure(field: str, value: np.ndarray) -> bool:
    """True if a field of models has addresses, counts, ids or types."""
    of_integers = value.dtype.kind in "iu" and field.endswith(_STRUCTURE)
    return of_integers and not field.endswith("contype")


def _accessor(method: str) -> Any:
    def access(self: Any, key: int | str) -> NamedPart:
        return NamedPart(self, method, key)

    access.__name__, access.__doc__ = method, f"The {method} of a name or number."
    return access


def add_named(kind: type) -> None:
    """Give a class the methods that find things by name."""
    for method in _KINDS:
        setattr(kind, method, _accessor(method))
