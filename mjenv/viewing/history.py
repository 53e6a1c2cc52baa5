"""The history of a world: its saved states of the last seconds."""

from collections import deque

import numpy as np

MEMORY = 64 << 20  # bytes of states that are kept
MOST = 3600  # states: a minute of 60 frames a second


class History:
    """States that a world can go back to, the oldest forgotten first."""

    def __init__(self, memory: int = MEMORY, most: int = MOST):
        self._memory, self._most = memory, most
        self._states: deque[np.ndarray] = deque()

    def __len__(self) -> int:
        return len(self._states)

    def keep(self, state: np.ndarray) -> None:
        """Keep a state, newer than those that are kept."""
        self._states.append(state)
        room = min(self._most, max(1, self._memory // max(1, state.nbytes)))
        while len(self._states) > room:
            self._states.popleft()

    def back(self, count: int = 1) -> np.ndarray | None:
        """The state so many back, or the oldest; newer ones are forgotten. None where none is."""
        state = None
        for _ in range(min(count, len(self._states))):
            state = self._states.pop()
        return state

    def clear(self) -> None:
        """Forget all states."""
        self._states.clear()
