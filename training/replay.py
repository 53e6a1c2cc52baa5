"""Transitions that off-policy algorithms learn from, as rows of one array."""

from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from stable_baselines3.common.buffers import BaseBuffer, ReplayBuffer
from stable_baselines3.common.type_aliases import ReplayBufferSamples
from torch import Tensor


class Replay(ReplayBuffer):
    """A ring of transitions, drawn uniformly.

    A draw is one gathering of rows. Episodes that were only cut off go on: their values count.

    Attributes:
        rows: (buffer_size * n_envs, 2 * nobs + nact + 2), float32: observation, action, reward,
            1 where the episode goes on, and the next observation.
    """

    def __init__(
        self,
        buffer_size: int,
        observation_space: spaces.Space,
        action_space: spaces.Space,
        device: torch.device | str = "cpu",
        n_envs: int = 1,
        optimize_memory_usage: bool = False,
    ):
        """Room for `buffer_size` transitions of `n_envs` worlds.

        Raises:
            ValueError: observations or actions are no vectors, or an option is not there.
        """
        for space in (observation_space, action_space):
            if not isinstance(space, spaces.Box) or len(space.shape) != 1:
                raise ValueError(
                    f"Replay: found {space}, expected boxes of one dimension; "
                    "stable_baselines3's ReplayBuffer takes others"
                )
        if optimize_memory_usage:
            raise ValueError("Replay: has no optimize_memory_usage; leave it out")
        BaseBuffer.__init__(self, buffer_size, observation_space, action_space, device, n_envs)
        self.buffer_size = max(buffer_size // n_envs, 1)
        self.optimize_memory_usage, self.handle_timeout_termination = False, True
        self.widths = [self.obs_shape[0], self.action_dim, 1, 1, self.obs_shape[0]]
        size = self.buffer_size * n_envs
        self.rows = torch.zeros(size, sum(self.widths), device=self.device)

    def add(
        self,
        obs: np.ndarray,
        next_obs: np.ndarray,
        action: np.ndarray,
        reward: np.ndarray,
        done: np.ndarray,
        infos: list[dict[str, Any]],
    ) -> None:
        """Take in a step of all worlds; the oldest one goes when there is no room."""
        ended = np.array(done, bool)
        for i in ended.nonzero()[0].tolist():
            ended[i] = not infos[i].get("TimeLimit.truncated", False)
        parts = obs, action, reward[:, None], ~ended[:, None], next_obs
        step = np.concatenate([np.asarray(part, np.float32) for part in parts], axis=1)
        first = self.pos * self.n_envs
        self.rows[first : first + self.n_envs] = torch.from_numpy(step).to(self.device)
        self.pos += 1
        if self.pos == self.buffer_size:
            self.pos, self.full = 0, True

    def draw(self, count: int) -> list[Tensor]:
        """Observations, actions, rewards (count, 1), going on (count, 1), next observations."""
        drawn = torch.randint(self.size() * self.n_envs, (count,), device=self.device)
        rows = self.rows.index_select(0, drawn)
        parts: Any = rows.split(self.widths, dim=1)
        return list(parts)

    def sample(self, batch_size: int, env: Any = None) -> ReplayBufferSamples:
        """The same, as Stable-Baselines3 names them.

        Raises:
            ValueError: an environment is given that normalizes.
        """
        if env is not None and (env.norm_obs or env.norm_reward):
            raise ValueError("Replay: observations are not normalized; leave VecNormalize out")
        observations, actions, rewards, goes_on, following = self.draw(batch_size)
        return ReplayBufferSamples(observations, actions, following, 1.0 - goes_on, rewards)
