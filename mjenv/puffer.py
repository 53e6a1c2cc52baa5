"""PufferLib on vector environments of mjenv: `PufferWorlds("Hopper-v5", 1024)`.

Needs PufferLib 3: pip install pufferlib.
"""

from typing import Any

import numpy as np
from gymnasium.spaces import Box

from mjenv.system.packages import needed
from mjenv.worlds import Worlds

with needed("mjenv.puffer"):
    from pufferlib import PufferEnv  # pyright: ignore[reportMissingImports]


class PufferWorlds(PufferEnv):
    """Worlds as a native environment of PufferLib, which writes into the buffers it is given.

    Of a task with groups, observations are those of one group.

    Attributes:
        worlds: the worlds.
    """

    def __init__(
        self,
        env: Any,
        num_envs: int | None = None,
        group: str = "policy",
        buf: Any = None,
        seed: int = 0,
        **arguments: Any,
    ):
        """Make the environment, or take one.

        Args:
            env: its name, or a vector environment; see `mjenv.worlds.Worlds`.
            num_envs: how many worlds, where it is a name.
            group: which one is observed, of a task with groups.
            buf: buffers of PufferLib's; None to allocate them.
            seed: of the first world, where `reset` is given none.
            **arguments: of `gymnasium.make_vec`.

        Raises:
            ValueError: the task has groups, and none of this name.
        """
        self.worlds, self._seed = Worlds(env, num_envs, **arguments), seed
        groups = self.worlds.groups
        if groups and group not in groups:
            raise ValueError(f"PufferWorlds: group={group!r}, expected one of {groups}")
        self._group = group if groups else ""
        seen: Any = self.worlds.observation_space
        seen = seen[group] if groups else seen
        self.single_observation_space = Box(-np.inf, np.inf, seen.shape, np.float32)
        self.single_action_space = self.worlds.action_space
        self.num_agents = self.worlds.num_envs
        self._returns, self._lengths = np.zeros(self.num_agents), np.zeros(self.num_agents)
        super().__init__(buf)

    def reset(self, seed: int | None = None) -> tuple[np.ndarray, list[dict[str, Any]]]:
        """Start all episodes; returns observations and an empty list."""
        seen = self.worlds.reset(self._seed if seed is None else seed)
        self.observations[:] = seen[self._group] if self._group else seen
        self._returns[:] = self._lengths[:] = 0.0
        return self.observations, []

    def step(self, actions: np.ndarray) -> tuple[Any, Any, Any, Any, list[dict[str, Any]]]:
        """Advance all worlds; infos have the return and length of each episode that has ended."""
        transition = self.worlds.step(np.asarray(actions).reshape(self.num_agents, -1))
        seen = transition.observation
        self.observations[:] = seen[self._group] if self._group else seen
        self.rewards[:] = transition.reward
        self.terminals[:], self.truncations[:] = transition.terminated, transition.truncated
        self._returns += transition.reward
        self._lengths += 1.0
        ended = np.flatnonzero(transition.terminated | transition.truncated)
        pairs = zip(self._returns[ended].tolist(), self._lengths[ended].tolist(), strict=True)
        infos = [{"episode_return": r, "episode_length": length} for r, length in pairs]
        self._returns[ended] = self._lengths[ended] = 0.0
        return self.observations, self.rewards, self.terminals, self.truncations, infos

    def close(self) -> None:
        """Close the environment."""
        self.worlds.close()
