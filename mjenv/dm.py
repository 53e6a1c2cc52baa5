"""Environments with the interface of dm_env: `DmEnv(gymnasium.make("mjenv/Hopper-v5"))`.

The package dm_env is not installed with mjenv.
"""

from typing import Any

import dm_env  # pyright: ignore[reportMissingImports]
import gymnasium
import numpy as np
from dm_env import specs  # pyright: ignore[reportMissingImports]


class DmEnv(dm_env.Environment):
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

    def reset(self) -> dm_env.TimeStep:
        """Start an episode."""
        observation, self.info = self.env.reset(seed=self._seed)
        self._seed, self._over = None, False
        return dm_env.restart(observation)

    def step(self, action: np.ndarray) -> dm_env.TimeStep:
        """Advance by one step, or start an episode after the last one."""
        if self._over:
            return self.reset()
        observation, reward, terminated, truncated, self.info = self.env.step(action)
        self._over = terminated or truncated
        if terminated:
            return dm_env.termination(float(reward), observation)
        if truncated:
            return dm_env.truncation(float(reward), observation)
        return dm_env.transition(float(reward), observation)

    def observation_spec(self) -> Any:
        """Shape and type of observations."""
        space: Any = self.env.observation_space
        return specs.Array(space.shape, space.dtype, "observation")

    def action_spec(self) -> specs.BoundedArray:
        """Shape, type and limits of actions."""
        space: Any = self.env.action_space
        return specs.BoundedArray(space.shape, space.dtype, space.low, space.high, "action")

    def close(self) -> None:
        """Close the environment."""
        self.env.close()
