"""Rollout buffer: the steps of all worlds between two updates, with advantages and returns."""

import numpy as np
import torch
from stable_baselines3.common.buffers import RolloutBuffer


class Rollout(RolloutBuffer):
    """Steps of all worlds, whose columns lie side by side: an update gathers them in one go.

    Stable-Baselines3's names are views of `rows`, (n_steps * n_envs, ...) float32: `observations`,
    `actions`, `log_probs`, `advantages` and `returns`. `rewards`, `values` and `episode_starts`
    stand alone.
    """

    def reset(self) -> None:
        """Make room, the first time; later calls only forget."""
        self.pos, self.full, self.generator_ready = 0, False, False
        if getattr(self, "rows", None) is not None:
            return
        nobs, nact = int(np.prod(self.obs_shape)), self.action_dim
        shape = (self.buffer_size, self.n_envs)
        table = np.zeros((*shape, nobs + nact + 3), np.float32)
        self.rows = torch.from_numpy(table.reshape(-1, table.shape[-1]))
        self.nobs = nobs
        self.observations, self.actions = table[..., :nobs], table[..., nobs : nobs + nact]
        self.log_probs, self.advantages, self.returns = np.moveaxis(table[..., -3:], -1, 0)
        self.rewards, self.values = np.zeros(shape, np.float32), np.zeros(shape, np.float32)
        self.episode_starts = np.zeros(shape, np.float32)
        self.ends = np.zeros(shape, bool)

    def estimate(self, last_values: np.ndarray, gamma: float, gae_lambda: float) -> None:
        """Advantages and returns (Schulman et al., 2016), from rewards, values and ends.

        δ = r + γ V' - V, and A = δ + γ λ A'; behind the end of an episode V' and A' are zero.

        Args:
            last_values: values of the observations after the last step, (n_envs,).
            gamma: discount per step.
            gae_lambda: decay of the estimate.
        """
        following, advantage = last_values, np.zeros(self.n_envs, np.float32)
        for t in reversed(range(self.buffer_size)):
            goes_on = ~self.ends[t]
            delta = self.rewards[t] + gamma * following * goes_on - self.values[t]
            advantage = delta + gamma * gae_lambda * goes_on * advantage
            self.advantages[t], following = advantage, self.values[t]
        np.add(self.advantages, self.values, out=self.returns)
        self.full, self.pos = True, self.buffer_size
