"""Fields of a model and its data as one world sees them."""

from typing import TYPE_CHECKING, Any

import numpy as np

from mjenv.engine.model.identities import id2name, type_name

from .names import CAT

if TYPE_CHECKING:
    from mjenv.engine.data.data import Data
    from mjenv.engine.model.model import Model

STATIC, DYNAMIC = int(CAT.mjCAT_STATIC), int(CAT.mjCAT_DYNAMIC)


class SingleWorld:
    """One world: `world.m` and `world.d` have its fields without a world axis.

    Attributes:
        model, data: of all worlds.
        number: which world.
        m: fields of the model, with the world's own values where worlds differ.
        d: fields of the data.
    """

    def __init__(self, model: "Model", data: "Data", number: int, where: str):
        if not 0 <= number < data.nworld:
            raise ValueError(f"{where}: world={number}, expected 0 to {data.nworld - 1}")
        self.model, self.data, self.number = model, data, number
        self.m: Any = Own(data, number) if data.varied else model
        self.d: Any = Fields(data, number)

    @property
    def gravity(self) -> np.ndarray:
        """Gravity (3,), m/s^2."""
        own = self.data.varied
        return own["opt_gravity"][self.number] if "opt_gravity" in own else self.m.opt.gravity

    def category(self, bodyid: np.ndarray) -> np.ndarray:
        """Categories (mjtCatBit) of what belongs to these bodies."""
        return categories(self.model)[bodyid]


class Fields:
    """Fields of one world of data; each is looked up once."""

    def __init__(self, data: "Data", number: int):
        self._data, self._number = data, number

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._data, name)[self._number]
        self.__dict__[name] = value
        return value


class Own:
    """Fields of a model with what one world has of its own."""

    def __init__(self, data: "Data", number: int):
        self._data, self._number = data, number

    def __getattr__(self, name: str) -> Any:
        data = self._data
        return data.varied[name][self._number] if name in data.varied else getattr(data.model, name)


def categories(model: "Model") -> np.ndarray:
    """Category (mjtCatBit) of each body: static where nothing can move it."""
    fixed = (model.body_weldid == 0) & (model.body_mocapid[model.body_rootid] == -1)
    return np.where(fixed, STATIC, DYNAMIC)


def shown_groups(groups: np.ndarray, shown: np.ndarray) -> np.ndarray:
    """Mask of things in groups that are shown; numbers outside 0 to 5 count as the nearest."""
    return shown.take(groups, mode="clip") != 0


def single(value: float) -> float:
    """A number rounded to 32 bits."""
    return float(np.float32(value))


def label_of(model: "Model", objtype: int, objid: Any) -> str:
    """The name of a thing, or its kind and number where it has none."""
    return id2name(model, objtype, int(objid)) or f"{type_name(int(objtype))} {objid}"
