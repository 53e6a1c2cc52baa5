"""Episodes that were recorded, to be learned from: of rollouts, of Minari, or as arrays."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from mjenv.system import packages

MINARI = "minari:"
WHAT = "episodes to learn from"


class Demonstrations(NamedTuple):
    """Steps of episodes, one after the other.

    Attributes:
        observations: before each step, (n, nobs) float32.
        actions: (n, nact) float32.
        rewards: (n,), or None where they are not known.
        lengths: steps of each episode, (nepisode,).
        terminated: whether it ended by itself, (nepisode,).
    """

    observations: np.ndarray
    actions: np.ndarray
    rewards: np.ndarray | None
    lengths: np.ndarray
    terminated: np.ndarray

    @classmethod
    def read(cls, source: str | Path, nobs: int, nact: int) -> "Demonstrations":
        """Those of a file or a folder.

        Args:
            source: folder of a rollout with `steps=True`, one of its `.parquet` files, an `.npz`
                file, or "minari:" and the name of a data set.
            nobs: numbers of an observation.
            nact: numbers of an action.

        Raises:
            FileNotFoundError: there is nothing.
            ValueError: something else is there, or it is of another environment.
            ModuleNotFoundError: pyarrow or Minari is not installed.
        """
        # the source says by its form what it is
        path = Path(source)
        if str(source).startswith(MINARI):
            found = cls._joined(_of_minari(str(source).removeprefix(MINARI)))
        elif not path.exists():
            raise FileNotFoundError(f"{source}: no such file or folder, expected {WHAT}")
        elif path.suffix == ".npz":
            found = cls._of_arrays(path)
        else:
            files = sorted(path.glob("*.parquet")) if path.is_dir() else [path]
            if not files or files[0].suffix != ".parquet":
                raise ValueError(
                    f"{source}: found no episodes, expected the folder of a rollout with "
                    "steps=True, a .parquet file of it, an .npz file, or minari:NAME"
                )
            found = cls._joined(e for file in files for e in _of_parquet(file, nobs, nact))
        return found._checked(str(source), nobs, nact)

    @classmethod
    def _joined(cls, episodes: Iterable[tuple[Any, ...]]) -> "Demonstrations":
        parts = list(zip(*episodes, strict=True)) or [()] * 4
        seen, done, rewards = (np.concatenate(x) if x else np.zeros((0, 0)) for x in parts[:3])
        lengths = np.array([len(x) for x in parts[1]])
        return cls(seen, done, rewards, lengths, np.array(parts[3], bool))

    @classmethod
    def _of_arrays(cls, path: Path) -> "Demonstrations":
        with np.load(path, allow_pickle=False) as file:
            parts = {name: file[name] for name in file.files}
        for name in ("observations", "actions"):
            if name not in parts:
                raise ValueError(
                    f"{path}: has {', '.join(parts) or 'nothing'}, expected observations (n, nobs) "
                    "and actions (n, nact), and if they are known rewards (n,), lengths and "
                    "terminated of the episodes"
                )
        lengths = parts.get("lengths", np.array([len(parts["actions"])]))
        ends = parts.get("terminated", np.zeros(len(lengths), bool))
        return cls(parts["observations"], parts["actions"], parts.get("rewards"), lengths, ends)

    def _checked(self, where: str, nobs: int, nact: int) -> "Demonstrations":
        """In single precision, where all of it fits together."""
        n = len(self.actions)
        rewards = n if self.rewards is None else len(self.rewards)
        shapes = self.observations.shape, self.actions.shape
        if n < 2 or shapes != ((n, nobs), (n, nact)) or rewards != n or self.lengths.sum() != n:
            raise ValueError(
                f"{where}: found observations {shapes[0]}, actions {shapes[1]}, {rewards} rewards "
                f"and episodes of {self.lengths.sum()} steps, expected (n, {nobs}), (n, {nact}) "
                "and n from 2; take episodes of the same environment"
            )
        narrow = [np.asarray(x, np.float32) for x in (self.observations, self.actions)]
        if not all(np.isfinite(x).all() for x in narrow):
            raise ValueError(f"{where}: has numbers that are not finite, expected finite ones")
        return self._replace(observations=narrow[0], actions=narrow[1])

    def returns(self, gamma: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Discounted sums of rewards, each (n,).

        Returns:
            Sums from each step on to the end of its episode; the share of such a sum that is known,
            where an episode was cut off; sums up to each step, counted back.
        """
        assert self.rewards is not None
        ahead, known, behind = (np.ones(len(self.rewards)) for _ in range(3))
        end = 0
        for length, terminated in zip(self.lengths, self.terminated, strict=True):
            start, end = end, end + length
            total = 0.0
            for t in range(end - 1, start - 1, -1):
                ahead[t] = total = self.rewards[t] + gamma * total
            total = 0.0
            for t in range(start, end):
                behind[t] = total = self.rewards[t] + gamma * total
            if not terminated:
                known[start:end] = 1.0 - gamma ** np.arange(length, 0, -1)
        return ahead, known, behind


def _of_parquet(file: Path, nobs: int, nact: int) -> Iterator[tuple[Any, ...]]:
    """Observations, actions, rewards and end of the episodes of a rollout's file.

    Raises:
        ValueError: it has no steps, or those of another environment.
    """
    parquet = packages.load("pyarrow.parquet", WHAT)
    for row in parquet.read_table(file).to_pylist():
        if "observations" not in row:
            raise ValueError(
                f"{file}: has returns only, expected a rollout with steps=True; roll it out again"
            )
        n, seen, done = row["length"], np.array(row["observations"]), np.array(row["actions"])
        if seen.size != (n + 1) * nobs or done.size != n * nact:
            raise ValueError(
                f"{file}: episodes have {seen.size // (n + 1)} observations and {done.size // n} "
                f"actions, expected {nobs} and {nact}; take episodes of the same environment"
            )
        yield (
            seen.reshape(n + 1, nobs)[:-1],
            done.reshape(n, nact),
            np.array(row["rewards"]),
            row["terminated"],
        )


def _of_minari(name: str) -> Iterator[tuple[Any, ...]]:
    """The same of a data set of Minari."""
    minari = packages.load("minari", WHAT)
    for one in minari.load_dataset(name).iterate_episodes():
        yield one.observations[: len(one.actions)], one.actions, one.rewards, one.terminations[-1]
