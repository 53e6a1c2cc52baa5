"""What a vector environment shows of its inside."""

from typing import Any

import numpy as np


class Access:
    """The properties of `VectorEnv` that show the physics, the task's form and the generators."""

    num_envs: int
    task: Any
    _episodes: Any
    _logic: Any
    _worlds: Any

    @property
    def compiled(self) -> bool:
        """Whether the task's functions run as formulas in the engine."""
        return self._logic.compiled

    @property
    def data(self) -> Any:
        """The physics of all worlds."""
        return self._worlds.data

    @property
    def np_random(self) -> tuple[np.random.Generator, ...]:
        """The random generator of every environment."""
        self._episodes.seed(None, range(self.num_envs))
        return tuple(self._episodes.generators)

    @property
    def np_random_seed(self) -> tuple[int, ...]:
        """The seed of every environment's random generator."""
        self._episodes.seed(None, range(self.num_envs))
        return tuple(self._episodes.seeds)
