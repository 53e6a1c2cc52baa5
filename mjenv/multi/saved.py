"""States of worlds of several tasks as rows of bytes, as long as the longest of any task."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from mjenv.stepping.arguments import env_ids_of
from mjenv.stepping.batches import Batches


class Place:
    """Worlds of one task among those that are saved or restored.

    Attributes:
        name: the task.
        envs: its vector environment.
        rows: (n,) which rows are theirs.
        own: (n,) their numbers in the environment; None for all of it.
    """

    def __init__(self, name: str, envs: Any, rows: np.ndarray, own: np.ndarray | None):
        self.name, self.envs, self.rows, self.own = name, envs, rows, own

    def chosen(self, where: str) -> dict[str, Any]:
        """The argument that says which worlds.

        Raises:
            ValueError: the environment saves all of its worlds together.
        """
        if self.own is None:
            return {}
        if not hasattr(self.envs.unwrapped, "task"):
            raise ValueError(
                f"{where}: env_ids: found some worlds of {self.name}, which is a port, expected "
                "None for all"
            )
        return {"env_ids": self.own}


def saved(places: list[Place], own: np.ndarray) -> np.ndarray:
    """Rows of bytes (n, size) of worlds: first `own` (n, m), then those of their environments."""
    found = []
    for place in places:
        states = np.ascontiguousarray(place.envs.save_state(**place.chosen("save_state")))
        found.append(states.view(np.uint8).reshape(len(place.rows), -1))
    width, size = own.shape[1], max(part.shape[1] for part in found)
    rows = np.zeros((len(own), width + size), np.uint8)
    rows[:, :width] = own
    for place, part in zip(places, found, strict=True):
        rows[place.rows, width : width + part.shape[1]] = part
    return rows


def restored(rows: Any, places: list[Place], own: np.ndarray) -> list[tuple[Place, Any]]:
    """Put worlds into states of `saved`, and its first columns into `own`.

    Returns:
        For each task its worlds, and what they had observed last.

    Raises:
        ValueError: rows of other worlds.
    """
    # what the environments save now is as long as what they take
    rows = np.asarray(rows)
    sizes = [place.envs.save_state(**place.chosen("restore_state")) for place in places]
    widths = [one.dtype.itemsize * one.shape[1] for one in sizes]
    least = own.shape[1] + max(widths)
    if rows.dtype != np.uint8 or rows.ndim != 2 or len(rows) != len(own) or rows.shape[1] < least:
        raise ValueError(
            f"restore_state: found rows of {rows.dtype} and shape {rows.shape}, expected uint8 and "
            f"({len(own)}, {least}), which `save_state` gives"
        )
    own[...] = rows[:, : own.shape[1]]
    found = []
    for place, like, width in zip(places, sizes, widths, strict=True):
        part = np.ascontiguousarray(rows[place.rows, own.shape[1] : own.shape[1] + width])
        seen = place.envs.restore_state(part.view(like.dtype), **place.chosen("restore_state"))
        found.append((place, seen))
    return found


class Saving:
    """The methods of `MultiVectorEnv` that save worlds and put them back."""

    num_envs: int
    owner: np.ndarray
    task_names: tuple[str, ...]
    _batches: Batches
    _ended: np.ndarray
    _numbers: np.ndarray
    _observations: Any
    _ready: bool
    _statistics: Any
    _worlds: list[tuple[int, Any, Any]]

    def save_state(self, env_ids: Sequence[int] | np.ndarray | None = None) -> np.ndarray:
        """Worlds as rows of bytes, from which `restore_state` goes on with the same bits.

        Args:
            env_ids: numbers of n worlds; None for all.

        Returns:
            (n, size) uint8; the bytes mean nothing outside.

        Raises:
            ValueError: some worlds of a port were chosen, or one runs world by world.
        """
        self._batches.refuse_pending("save_state")
        ids = env_ids_of(env_ids, self.num_envs, "save_state")
        return saved(self._places(ids, env_ids is None), self._statistics.rows(ids, self._ended))

    def restore_state(
        self, rows: np.ndarray, env_ids: Sequence[int] | np.ndarray | None = None
    ) -> Any:
        """Put worlds into saved states.

        Args:
            rows: (n, size) of `save_state`, of worlds of the same tasks.
            env_ids: numbers of n worlds; None for all.

        Returns:
            The observations that these worlds had given last.

        Raises:
            ValueError: rows of other tasks; see also `save_state`.
        """
        self._batches.refuse_pending("restore_state")
        ids = env_ids_of(env_ids, self.num_envs, "restore_state")
        own = self._statistics.rows(ids, self._ended)
        for place, seen in restored(rows, self._places(ids, env_ids is None), own):
            self._observations.put(ids[place.rows], seen)
        self._statistics.put(own, ids, self._ended)
        self._ready = self._ready or env_ids is None
        return self._observations.of(ids)

    def _places(self, ids: np.ndarray, every: bool) -> list[Place]:
        """Whose environments the worlds are in, task by task."""
        found = []
        for k, envs, _ in self._worlds:
            rows = np.flatnonzero(self.owner[ids] == k)
            if len(rows):
                own = None if every else self._numbers[ids[rows]]
                found.append(Place(self.task_names[k], envs, rows, own))
        return found
