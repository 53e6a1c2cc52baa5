"""Returns, lengths and successes of episodes, task by task."""

import time
from collections import deque
from typing import Any

import numpy as np

from mjenv.multi.infos import Infos

LAST = 100  # episodes of each task that means are of


class Statistics:
    """Counts the rewards of worlds, and keeps what came of the last episodes of each task.

    Attributes:
        returns: sums of the rewards of the present episodes, (nworld,).
        lengths: their steps, (nworld,).
        reached: whether they have been successful so far, (nworld,) bool.
    """

    def __init__(self, names: tuple[str, ...], owner: np.ndarray):
        """Of tasks with these names, and the number of the task of each world."""
        self._names, self._owner = names, owner
        self.returns = np.zeros(len(owner))
        self.lengths = np.zeros(len(owner), np.int64)
        self.reached = np.zeros(len(owner), bool)
        self._begun = np.full(len(owner), time.perf_counter())
        self._counts = [0] * len(names)
        self._last: list[deque] = [deque(maxlen=LAST) for _ in names]

    def start(self, worlds: Any) -> None:
        """Forget what was before in worlds whose episodes begin."""
        self.returns[worlds], self.lengths[worlds], self.reached[worlds] = 0.0, 0, False
        self._begun[worlds] = time.perf_counter()

    def add(self, worlds: Any, rewards: np.ndarray, live: np.ndarray) -> None:
        """Count a step of some worlds (n of them), and of these of those that are `live`, (n,)."""
        self.returns[worlds] += rewards
        self.lengths[worlds] += live

    def note(self, worlds: Any, infos: Infos) -> None:
        """Have `is_success` in infos of some worlds.

        Of tasks that only tell "success" it is whether that ever was in the episode.
        """
        if "success" not in infos:
            return
        told = infos["_success"].copy()
        self.reached[worlds] |= told & (infos["success"] != 0)
        known = infos.get("is_success", np.zeros(len(told), bool))
        mask = infos.get("_is_success", np.zeros(len(told), bool))
        infos["is_success"] = np.where(told & ~mask, self.reached[worlds], known)
        infos["_is_success"] = told | mask

    def end(self, worlds: np.ndarray, ended: np.ndarray, infos: Infos) -> None:
        """Keep episodes that have ended, with the infos of their last steps.

        Args:
            worlds: numbers (n,) of the worlds that were stepped.
            ended: (n,) bool, which of their episodes are over.
            infos: of these n worlds.
        """
        told = infos.get("_is_success", np.zeros(len(ended), bool))
        for row in np.flatnonzero(ended).tolist():
            world = int(worlds[row])
            k = int(self._owner[world])
            self._counts[k] += 1
            success = float(infos["is_success"][row]) if told[row] else np.nan
            self._last[k].append((self.returns[world], self.lengths[world], success))

    def episodes(self, worlds: Any, ended: np.ndarray) -> Infos:
        """Return "r", length "l" and seconds "t" of episodes that have ended, as of Gymnasium.

        Args:
            worlds: those that were stepped, n of them.
            ended: (n,) bool.
        """
        seconds = np.round(time.perf_counter() - self._begun[worlds], 6)
        columns = {"r": self.returns[worlds], "l": self.lengths[worlds], "t": seconds}
        return {name: np.where(ended, column, 0) for name, column in columns.items()}

    def rows(self, worlds: np.ndarray, ended: np.ndarray) -> np.ndarray:
        """What is known of the episodes of some worlds, as bytes (n, m).

        Args:
            worlds: their numbers.
            ended: (nworld,) bool, whose episodes are over.
        """
        columns = self._columns(ended)
        return np.concatenate([_bytes(column[worlds]) for column in columns], axis=1)

    def put(self, rows: np.ndarray, worlds: np.ndarray, ended: np.ndarray) -> None:
        """Put back what `rows` has made."""
        start = 0
        for column in self._columns(ended):
            part = np.ascontiguousarray(rows[:, start : start + column.itemsize])
            column[worlds] = part.view(column.dtype)[:, 0]
            start += column.itemsize

    def _columns(self, ended: np.ndarray) -> tuple[np.ndarray, ...]:
        return self.returns, self.lengths, self.reached, ended

    def table(self) -> dict[str, dict[str, float]]:
        """Results of each task by name.

        They are the number of its "episodes", and over its last 100 the means of "return",
        "length" and, of tasks that tell it, "success".
        """
        found = {}
        for name, count, rows in zip(self._names, self._counts, self._last, strict=True):
            one: dict[str, float] = {"episodes": count}
            if rows:
                means = np.array(rows).mean(axis=0).tolist()
                one |= dict(zip(("return", "length", "success"), means, strict=True))
                if np.isnan(one["success"]):
                    del one["success"]
            found[name] = one
        return found


def _bytes(column: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(column).view(np.uint8).reshape(len(column), -1)
