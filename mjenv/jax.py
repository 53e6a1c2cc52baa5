"""JAX on vector environments of mjenv: resets and steps inside of `jit` and `scan`.

`envs = JaxEnv("Go1Velocity-v0", 1024)`. Needs JAX: pip install jax.
"""

from typing import Any

import numpy as np

from mjenv.system.packages import needed
from mjenv.worlds import Transition, Worlds

with needed("mjenv.jax"):
    import jax  # pyright: ignore[reportMissingImports]
    from jax.experimental import io_callback  # pyright: ignore[reportMissingImports]


# found in JAX, not in this module, which static tools take for it
Shape: Any = jax.ShapeDtypeStruct  # pyright: ignore[reportAttributeAccessIssue]


class JaxEnv:
    """Worlds that compiled functions of JAX call, in the order in which they are written.

    The worlds keep their state themselves, so calls are not pure: they are not for `vmap`, as all
    worlds step in one call, nor for `grad` through the physics.

    Attributes:
        worlds: the worlds.
        num_envs: how many these are.
        observation_shape: shapes and types of observations of all worlds.
        action_shape: shape of the actions of all worlds.
    """

    def __init__(self, env: Any, num_envs: int | None = None, **arguments: Any):
        """Make the environment, or take one.

        Args:
            env: its name, or a vector environment; see `mjenv.worlds.Worlds`.
            num_envs: how many worlds, where it is a name.
            **arguments: of `gymnasium.make_vec`.
        """
        self.worlds = worlds = Worlds(env, num_envs, **arguments)
        self.num_envs = count = worlds.num_envs

        def shape(space: Any) -> Any:
            return Shape((count, *space.shape), np.float32)

        spaces: Any = worlds.observation_space
        groups = {name: shape(spaces[name]) for name in worlds.groups}
        self.observation_shape = groups or shape(spaces)
        self.action_shape = (count, *worlds.action_space.shape)
        flags = Shape((count,), np.bool_)
        rewards = Shape((count,), np.float32)
        seen = self.observation_shape
        self._transition = Transition(seen, rewards, flags, flags, seen, {})

    def reset(self, seed: Any) -> Any:
        """Start all episodes; returns observations.

        Args:
            seed: a whole number, also one that is traced: of the first world, one more of each
                next.
        """
        return io_callback(self._reset, self.observation_shape, seed, ordered=True)

    def step(self, actions: Any) -> Transition:
        """Advance all worlds.

        Args:
            actions: (n, nu), clipped to their range.

        Raises:
            ValueError: actions of another shape.
        """
        if np.shape(actions) != self.action_shape:
            raise ValueError(
                f"JaxEnv.step: actions have shape {np.shape(actions)}, expected {self.action_shape}"
            )
        return io_callback(self._step, self._transition, actions, ordered=True)

    def close(self) -> None:
        """Close the environment."""
        self.worlds.close()

    def _reset(self, seed: Any) -> Any:
        return self._arrays(self.worlds.reset(int(seed)))

    def _step(self, actions: Any) -> Transition:
        found = self.worlds.step(np.asarray(actions))
        seen, last = self._arrays(found.observation), self._arrays(self.worlds.last(found))
        return found._replace(observation=seen, last=last, info={})

    def _arrays(self, observations: Any) -> Any:
        if not self.worlds.groups:
            return np.ascontiguousarray(observations)
        return {name: np.ascontiguousarray(array) for name, array in observations.items()}
