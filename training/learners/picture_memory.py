"""What an agent that acts by pictures remembers of each world: the last ones, and its action."""

from typing import Any

import numpy as np

from mjenv.training.learners.picture_networks import PIXELS


class PictureMemory:
    """Pictures that were seen when actions were chosen, in the worlds that an agent acts in."""

    def __init__(self, stack: int, repeat: int):
        """Of episodes that begin, of `stack` pictures; each action is held for `repeat` steps."""
        self._stack, self._repeat = stack, repeat
        self._age = np.zeros(0, np.int64)
        self._stacked = self._actions = np.zeros(0)

    def forget(self, which: np.ndarray | None = None) -> None:
        """Episodes begin: in the worlds of a mask (nworld,), or in all."""
        if which is None:
            self._age = np.zeros(0, np.int64)
        elif len(which) == len(self._age):
            self._age[which] = 0

    def act(self, model: Any, observation: Any) -> np.ndarray:
        """Actions for pictures (height, width, channels), or (nworld, height, width, channels).

        Args:
            model: a `WideDrQ`.
            observation: the pictures, or a dict with them as "pixels".
        """
        pictures = np.asarray(observation[PIXELS] if isinstance(observation, dict) else observation)
        single = pictures.ndim == 3
        pictures = np.moveaxis(pictures[None] if single else pictures, -1, -3)
        n, channels = pictures.shape[:2]
        if len(self._age) != n:
            self._age = np.zeros(n, np.int64)
            self._stacked = np.zeros((n, self._stack * channels, *pictures.shape[2:]), np.uint8)
            self._actions = np.zeros((n, *model.action_space.shape), np.float32)
        # where an episode begins, all pictures are its first
        fresh, due = self._age == 0, self._age % self._repeat == 0
        self._stacked[fresh] = np.tile(pictures[fresh], (1, self._stack, 1, 1))
        later = due & ~fresh
        self._stacked[later] = np.concatenate(
            [self._stacked[later, channels:], pictures[later]], axis=1
        )
        if due.any():
            policy = model.policy
            self._actions[due] = policy.unscale_action(policy.acts(self._stacked[due]))
        self._age += 1
        return self._actions[0].copy() if single else self._actions.copy()
