"""Actions of worlds of several tasks: their common space, and the part that each task takes."""

from typing import Any

import numpy as np
from gymnasium import spaces

from mjenv.multi.padding import Padding


class Actions:
    """Actions of worlds of several tasks.

    Attributes:
        box: space of one world.
        masks: which numbers of an action a task has, (ntask, nu) bool.
        low, high: range of each task's actions, (ntask, nu); zeros where it has none.
    """

    def __init__(self, boxes: dict[str, spaces.Box], owner: np.ndarray, rescales: bool):
        """Of the action space of each task, by name.

        Args:
            boxes: these spaces.
            owner: (nworld,) numbers of tasks.
            rescales: whether -1 to 1 stand for the range of each task's own.

        Raises:
            ValueError: a range is to be rescaled that has no limits.
        """
        padding = Padding([*boxes.values()], "actions")
        self.box, self.masks = padding.box, padding.mask
        self.low, self.high = padding.low, padding.high
        self._names, self._boxes = [*boxes], [*boxes.values()]
        self._owner, self._rescales = owner, rescales
        if not rescales:
            return
        for name, one in boxes.items():
            if not (np.isfinite(one.low).all() and np.isfinite(one.high).all()):
                raise ValueError(
                    f"MultiVectorEnv: rescale_actions: actions of {name} have no limits ({one}), "
                    "expected finite ones"
                )
        self.box = spaces.Box(-1.0, 1.0, self.box.shape, self.box.dtype.type)
        self.low, self.high = np.full_like(self.low, -1.0), np.full_like(self.high, 1.0)

    def checked(self, actions: Any, worlds: np.ndarray, ended: np.ndarray) -> np.ndarray:
        """Actions of worlds, of which those that count are finite.

        Args:
            actions: (n, nu).
            worlds: (n,) numbers of the worlds.
            ended: (n,) bool, whose actions do not count.

        Raises:
            ValueError: they have another shape, or are not finite.
        """
        actions, shape = np.asarray(actions), (len(worlds), *self.box.shape)
        if actions.shape != shape:
            raise ValueError(f"step: actions have shape {actions.shape}, expected {shape}")
        if np.isfinite(actions).all():
            return actions
        bad = ~np.isfinite(actions) & self.masks[self._owner[worlds]]
        rows = np.flatnonzero(bad.reshape(len(bad), -1).any(axis=1) & ~ended)
        if len(rows):
            row, world = int(rows[0]), int(worlds[rows[0]])
            raise ValueError(
                f"step: action of world {world} ({self._names[self._owner[world]]}) is "
                f"{actions[row].tolist()}, expected finite numbers; look at what computed it"
            )
        return actions

    def own(self, k: int, actions: np.ndarray, rows: Any) -> np.ndarray:
        """The actions of some worlds, all of task `k`, as it takes them."""
        box = self._boxes[k]
        own = actions[(rows, *map(slice, box.shape))]
        if self._rescales:
            low, high = box.low.astype(np.float64), box.high.astype(np.float64)
            own = (low + 0.5 * (own + 1.0) * (high - low)).astype(actions.dtype)
        return np.ascontiguousarray(own)
