"""Models and data of the package `mujoco` itself, seen by their arrays; it is never imported here.

Arrays are shared, not copied, so that what is changed in them is seen.
"""

from collections.abc import Mapping
from types import MappingProxyType, SimpleNamespace
from typing import Any

import numpy as np

from mjenv.engine.edit.compile import Model
from mjenv.engine.errors import UnsupportedFeature
from mjenv.engine.model.model import LAYOUTS, SIZES, Structure

from ..visual.records import Record
from ..visual.settings import MjvCamera, MjvOption

PACKAGE = "mujoco"
SETTINGS = ("opt", "stat", "vis")
# what fields were called in earlier versions of mujoco 3, and those of which all had the same value
EARLIER = {"cam_projection": "cam_orthographic", "light_type": "light_directional"}
ALIKE = {"tex_colorspace": 0, "light_texid": -1, "light_bulbradius": 0.02, "light_range": 10.0,
         "light_intensity": 0.0}  # fmt: skip
_CONTACT = "contact_"


def is_official(thing: Any, name: str) -> bool:
    """True if something is an object of a class of the package, or of one made from it.

    Args:
        thing: anything.
        name: of the class, "MjModel".
    """
    return any(
        kind.__name__ == name and kind.__module__.partition(".")[0] == PACKAGE
        for kind in type(thing).__mro__
    )


def official_data(thing: Any) -> bool:
    """True if something is an `MjData` of the package, or some of them in a sequence."""
    some = thing if isinstance(thing, list | tuple) else [thing]
    return bool(some) and all(is_official(one, "MjData") for one in some)


# ---------------------------------------------------------------- models


def model_of(official: Any) -> Model:
    """A model of the engine with the arrays of an official one.

    Args:
        official: an `MjModel` of the package.

    Raises:
        UnsupportedFeature: the package is of a version whose arrays have other shapes.
    """
    # settings that the package shows as empty arrays (vis.rgba.bv) stay as they are by default
    model = Model.from_xml_string("<mujoco/>")
    state = vars(model)
    sizes = {name: int(getattr(official, name, 0)) for name in SIZES}
    state.update(sizes)
    for name, dims, dtype in LAYOUTS:
        shape = [n if isinstance(n, int) else sizes[n] for n in dims]
        value = getattr(official, name, None)
        if value is None and name in EARLIER:
            value = getattr(official, EARLIER[name], None)
        if value is None and name in ALIKE:
            value = np.full(shape, ALIKE[name], dtype)
        if value is None:
            # of another version: to ask for it is an error that names it
            del state[name]
        elif dtype is None:
            state[name] = bytes(value)
        else:
            state[name] = _shaped(name, np.asarray(value), shape, dtype)
    refresh(model, official)
    return model


def _shaped(name: str, value: np.ndarray, shape: list[int], dtype: np.dtype) -> np.ndarray:
    """An array in the shape and of the type that the engine has it in."""
    if len(shape) == 3:
        shape = [shape[0], shape[1] * shape[2]]
    if value.size != int(np.prod(shape)):
        raise UnsupportedFeature(
            f"Renderer: MjModel.{name} of {PACKAGE} has shape {value.shape}, expected "
            f"{tuple(shape)}, as of version 3.8"
        )
    return value.reshape(shape).astype(dtype, copy=False)


def refresh(model: Model, official: Any) -> None:
    """Take the settings of an official model as they are now: numbers cannot be shared."""
    for name in SETTINGS:
        _copy(getattr(official, name), vars(model)[name])


def _copy(source: Any, target: Structure) -> None:
    for name, old in vars(target).items():
        value = getattr(source, name, None)
        if value is None:
            continue
        if isinstance(old, Structure):
            _copy(value, old)
        elif isinstance(old, np.ndarray):
            old[...] = value if np.size(value) == old.size else old
        else:
            vars(target)[name] = type(old)(value)


# ---------------------------------------------------------------- data


class OfficialWorlds:
    """Official data with the fields that pictures read, each with a first axis for worlds.

    Attributes:
        model: the official model that they were made for.
        nworld: how many there are.
        varied: no field of the model, as all have the same.
        plan: that of data which nothing works on.
    """

    varied: Mapping[str, np.ndarray] = MappingProxyType({})
    plan = SimpleNamespace(idle=True)

    def __init__(self, official: Any, model: Model):
        """See official data as worlds.

        Args:
            official: an `MjData` of the package, or a sequence of them.
            model: that of the engine with the arrays of the official one.
        """
        self._worlds = list(official) if isinstance(official, list | tuple) else [official]
        self._drawn = model
        self.model = self._worlds[0].model
        self.nworld = len(self._worlds)

    def __getattr__(self, name: str) -> np.ndarray:
        if name.startswith("_"):
            raise AttributeError(name)
        fields = [_field(data, name) for data in self._worlds]
        if len(fields) == 1:
            return fields[0][None]
        if any(field.shape != fields[0].shape for field in fields):
            # of contacts and rows of constraints: one world is looked at at a time
            together = np.empty(len(fields), object)
            together[:] = fields
            return together
        return np.stack(fields)

    def of_worlds(self, name: str, worlds: np.ndarray | slice) -> np.ndarray:
        """A field of the model, which is the same in all worlds."""
        return getattr(self._drawn, name)

    @property
    def wrench_in_use(self) -> bool:
        """True if there are forces on bodies."""
        return any(data.xfrc_applied.any() for data in self._worlds)


def _field(data: Any, name: str) -> np.ndarray:
    """A field of official data, which has those of contacts in a list of its own."""
    if name.startswith(_CONTACT):
        return np.asarray(getattr(data.contact, name.removeprefix(_CONTACT)))
    return np.asarray(getattr(data, name))


# ---------------------------------------------------------------- settings


def own(record: Any, kind: type[Record]) -> Any:
    """An official `MjvCamera` or `MjvOption` as a record of this package; others stay."""
    if isinstance(record, kind) or not is_official(record, kind.__name__):
        return record
    found = kind()
    for name in kind.DTYPE.names or ():
        setattr(found, name, getattr(record, name))
    return found


def own_camera(camera: Any) -> Any:
    """A camera, or its name or number, in a form that is known here."""
    return own(camera, MjvCamera)


def own_option(option: Any) -> Any:
    """Options in a form that is known here."""
    return own(option, MjvOption)
