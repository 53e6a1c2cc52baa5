"""The initial state: what fields start with, unless it is zero."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from ..physics.sleep.scratch import AWAKE
from ..physics.smooth.delay_buffers import initial_history

if TYPE_CHECKING:
    from ..model.model import Model


class Worlds(Protocol):
    """Worlds that start, `Data`.

    Attributes:
        model: their model.
    """

    model: "Model"

    def of_worlds(self, name: str, worlds: np.ndarray | slice) -> np.ndarray:
        """A field of the model: (n, ...) in some worlds if worlds differ in it, else (...)."""
        ...


class Initial(NamedTuple):
    """Initial value of a field of mjData.

    Attributes:
        value: of the data and of worlds, indices or a slice: what the field is there at the start,
            (n, ...), or (...) where that is the same in all of them.
        sources: fields of the model that it is made of; if they differ between worlds, it does.
    """

    value: "Callable[[Worlds, Any], Any]"
    sources: tuple[str, ...] = ()


def mocap_bodies(model: "Model") -> np.ndarray:
    """Bodies that users move, in the order of their places in mocap_pos (nmocap,)."""
    bodies = np.flatnonzero(model.body_mocapid >= 0)
    return bodies[np.argsort(model.body_mocapid[bodies])]


def _mocap(name: str) -> Initial:
    """A field of mocap bodies, which stand where their models have them."""

    def value(data: Worlds, worlds: np.ndarray | slice) -> np.ndarray:
        return data.of_worlds(name, worlds)[..., mocap_bodies(data.model), :]

    return Initial(value, (name,))


# fields that are not here start with zeros; `reset_lanes` resets worlds within a call
INITIAL = {
    "qpos":        Initial(lambda data, worlds: data.of_worlds("qpos0", worlds), ("qpos0",)),
    "history":     Initial(lambda data, worlds: initial_history(data.model)),
    "eq_active":   Initial(lambda data, worlds: data.model.eq_active0),
    "mocap_pos":   _mocap("body_pos"),
    "mocap_quat":  _mocap("body_quat"),
    "tree_asleep": Initial(lambda data, worlds: AWAKE),
}  # fmt: skip


def initial_rows(arrays: dict[str, np.ndarray]) -> dict[str, Initial]:
    """Rows of the table whose fields have elements, by the arrays of some data."""
    return {name: row for name, row in INITIAL.items() if arrays[name].size}
