"""Fields of the model that differ between worlds, as environments see them and as physics do."""

from collections.abc import Sequence

import numpy as np

from mjenv.engine.data.data import Data
from mjenv.engine.model.change_detection import FRAMES
from mjenv.engine.model.model import Model
from mjenv.mujoco.batch.groups import frames_as_noted


def names_to_vary(names: Sequence[str]) -> tuple[str, ...]:
    """Fields that differ between worlds in the physics, where these do in the environment.

    Geoms and sites may lie in the inertial frames of bodies, with which they move.
    """
    inertial = any(name in ("body_ipos", "body_iquat") for name in names)
    return tuple(dict.fromkeys((*names, *FRAMES) if inertial else names))


class ModelFields:
    """Values of worlds.

    Physics take them as MuJoCo does: a frame that the model notes to be that of its body
    (`site_sameframe`, ...) stays so, whatever its own position was edited to. The environment reads
    what it has written.

    Attributes:
        values: what the environment reads and writes, (nworld, ...) by name.
        stale: whether the physics have not taken some of them yet.
    """

    def __init__(self, model: Model, data: Data):
        """Of data whose `vary` are `names_to_vary`."""
        self._model, self._data, self.stale = model, data, True
        self._frames = [name for name in data.varied if name in FRAMES]
        self.values = {
            name: array.copy() if name in FRAMES else array for name, array in data.varied.items()
        }

    @property
    def arrays(self) -> list[np.ndarray]:
        """All of them, and those of the physics that are not the same ones."""
        return [*self.values.values(), *(self._data.varied[name] for name in self._frames)]

    def enter(self) -> None:
        """Have the physics take the values as they are now."""
        if not self._frames or not self.stale:
            return
        self.stale = False
        given = {name: self.values[name] for name in self._frames}
        found = frames_as_noted(self._model, given, self._data.nworld)
        for name in self._frames:
            self._data.varied[name][...] = found[name]
