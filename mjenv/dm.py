"""Environments with the interface of dm_env: `DmEnv(gymnasium.make("mjenv/Hopper-v5"))`.

Its TimeSteps and specs are dm_env's own where that is installed, else tuples like them.
"""

from typing import Any

import gymnasium
import numpy as np

from mjenv.suite.time_steps import (
    Array,
    BoundedArray,
    Interface,
    StepType,
    TimeStep,
    array_spec,
    bounded_spec,
)


class DmEnv(Interface):
    """A single Gymnasium environment as a `dm_env.Environment`.

    The discount is 0 where an episode terminates and 1 where a time limit cuts it off. The step
    after the last one starts an episode, whatever its action is.

    Attributes:
        env: the environment.
        info: what the last call of it reported.
    """

    def __init__(self, env: gymnasium.Env, seed: int | None = None):
        """Wrap an environment.

        Args:
            env: its spaces are boxes.
            seed: of the first episode.

        Raises:
            TypeError: if a space is not a box.
        """
        for name in ("observation_space", "action_space"):
            space = getattr(env, name)
            if not isinstance(space, gymnasium.spaces.Box):
                raise TypeError(f"DmEnv: {name} is {space}, expected a Box")
        self.env, self.info = env, {}
        self._seed, self._over = seed, True

    def reset(self) -> Any:
        """Start an episode."""
        observation, self.info = self.env.reset(seed=self._seed)
        self._seed, self._over = None, False
        return TimeStep(StepType.FIRST, None, None, observation)

    def step(self, action: np.ndarray) -> Any:
        """Advance by one step, or start an episode after the last one."""
        if self._over:
            return self.reset()
        observation, reward, terminated, truncated, self.info = self.env.step(action)
        self._over = terminated or truncated
        kind = StepType.LAST if self._over else StepType.MID
        return TimeStep(kind, float(reward), 0.0 if terminated else 1.0, observation)

    def observation_spec(self) -> Any:
        """Shape and type of observations."""
        space: Any = self.env.observation_space
        return Array(space.shape, space.dtype, "observation")

    def action_spec(self) -> Any:
        """Shape, type and limits of actions."""
        space: Any = self.env.action_space
        return BoundedArray(space.shape, space.dtype, space.low, space.high, "action")

    def reward_spec(self) -> Any:
        """Shape and type of rewards."""
        return array_spec((), "reward")

    def discount_spec(self) -> Any:
        """Type and limits of discounts."""
        return bounded_spec(np.zeros(()), np.ones(()), "discount")

    def close(self) -> None:
        """Close the environment."""
        self.env.close()
