"""The recurrent state of policies, episode by episode; numpy alone."""

from typing import Any

import numpy as np


class RecurrentState:
    """The state of a recurrent policy in the worlds that it acts in."""

    def __init__(self) -> None:
        """Of episodes that begin."""
        self.forget()

    def forget(self, which: np.ndarray | None = None) -> None:
        """Episodes begin: in the worlds of a mask (nworld,), or in all."""
        if which is None:
            self._state: Any = None
            self._starts = np.ones(0, bool)
        elif len(which) == len(self._starts):
            self._starts = self._starts | which

    def act(self, model: Any, observations: np.ndarray) -> np.ndarray:
        """Most likely actions for one observation (nobs,) or a row of them (nworld, nobs)."""
        count = 1 if np.ndim(observations) == 1 else len(observations)
        if len(self._starts) != count:
            self._state, self._starts = None, np.ones(count, bool)
        actions, self._state = model.predict(
            observations, self._state, self._starts, deterministic=True
        )
        self._starts = np.zeros(count, bool)
        return actions


def begin(act: Any, which: np.ndarray | None = None) -> None:
    """Tell who acts that episodes begin, in the worlds of a mask or in all; many do not care.

    Args:
        act: actions for observations, such as `Agent.act`.
        which: mask (nworld,).
    """
    agent = getattr(act, "__self__", None)
    if hasattr(agent, "forget"):
        agent.forget(which)
