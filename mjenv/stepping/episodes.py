"""Bookkeeping of episodes in a vector environment: generator, seed, length, return, end."""

import time
from collections.abc import Callable, Iterable, Sequence
from numbers import Integral
from typing import Any

import numpy as np
from gymnasium.utils import seeding


class Generators(list):
    """Random generators of environments, which tells whether any is another one than before.

    Attributes:
        revision: a new object after every change.
    """

    def __init__(self, generators: Iterable[Any]):
        super().__init__(generators)
        self.revision = object()

    def __setitem__(self, i: Any, generator: Any) -> None:
        super().__setitem__(i, generator)
        self.revision = object()


class Episodes:
    """The episodes of `num_envs` environments.

    Attributes:
        generators: random generator of each environment; None before its first reset.
        seeds: what each generator was made from.
        elapsed: (num_envs,) steps of the present episode.
        returns: (num_envs,) sum of its rewards.
        begun: (num_envs,) when it started, in seconds of `time.perf_counter`.
        ended: (num_envs,) bool, whether it is over.
        unstarted: (num_envs,) bool, whether there has been none yet.
        fresh: (num_envs,) bool, whether the generator is new: no episode has begun with it.
    """

    def __init__(self, num_envs: int, make: Callable[[int], Any] | None = None):
        """Nothing has begun yet.

        Args:
            num_envs: number of environments.
            make: makes a random generator from a seed; None for Gymnasium's.
        """
        self.num_envs, self._make = num_envs, make
        self.generators = Generators([None] * num_envs)
        self.seeds: list[Any] = [None] * num_envs
        self.elapsed = np.zeros(num_envs, dtype=np.int64)
        self.returns = np.zeros(num_envs)
        self.begun = np.zeros(num_envs)
        self.ended = np.zeros(num_envs, dtype=bool)
        self.unstarted = np.ones(num_envs, dtype=bool)
        self.fresh = np.ones(num_envs, dtype=bool)

    def seed(self, seed: Any, envs: Any) -> None:
        """Make the random generators that are told to start anew, or that there are not yet.

        Args:
            seed: environment i gets `seed + i`, or item i of a sequence; None for no change.
            envs: numbers of the environments that are concerned.

        Raises:
            TypeError: if it is something else.
            ValueError: if there are not as many seeds as environments.
        """
        # one seed for each environment
        if seed is None:
            seeds: Sequence[int | None] = [None] * self.num_envs
        elif isinstance(seed, Integral):
            seeds = [int(seed) + i for i in range(self.num_envs)]
        elif isinstance(seed, str | bytes) or not isinstance(seed, Iterable):
            raise TypeError(
                f"reset: seed={seed!r}, expected an integer, or one for each environment"
            )
        else:
            seeds = [None if one is None else int(one) for one in seed]
            if len(seeds) != self.num_envs:
                raise ValueError(
                    f"reset: {len(seeds)} seeds, expected one for each of {self.num_envs} "
                    "environments, or one integer"
                )
        # environments with a generator and without a seed go on with it, as Gymnasium's do
        for i in envs:
            if seeds[i] is not None or self.generators[i] is None:
                self.generators[i], self.seeds[i] = seeding.np_random(seeds[i])
                self.fresh[i] = True
                if self._make is not None:
                    self.generators[i] = self._make(self.seeds[i])

    def streams(self, envs: np.ndarray) -> tuple[list[Any], list[Any]]:
        """Random generators of some environments, and what they were made from."""
        rows = envs.tolist()
        return self.streams_of(rows), [self.seeds[i] for i in rows]

    def streams_of(self, envs: list[int]) -> list[Any]:
        """Random generators of some environments."""
        generators = self.generators
        return [generators[i] for i in envs]

    def start(self, envs: Any) -> None:
        """Begin an episode in some environments: numbers, one number, or a slice."""
        self.elapsed[envs] = 0
        self.returns[envs] = 0.0
        self.begun[envs] = time.perf_counter()
        self.ended[envs] = False
        self.unstarted[envs] = False
        self.fresh[envs] = False

    def statistics(self, ended: np.ndarray, envs: Any) -> dict[str, np.ndarray]:
        """Return, length and duration in seconds of episodes that have just ended, else zero.

        They have the names that Gymnasium's `RecordEpisodeStatistics` gives them.

        Args:
            ended: bool, one for each of `envs`.
            envs: numbers of environments, or a slice.
        """
        seconds = np.round(time.perf_counter() - self.begun[envs], 6)
        return {
            "r": np.where(ended, self.returns[envs], 0.0),
            "l": np.where(ended, self.elapsed[envs], 0),
            "t": np.where(ended, seconds, 0.0),
        }
