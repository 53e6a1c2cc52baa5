"""Transitions that off-policy algorithms learn from, as rows of one array."""

from typing import Any, BinaryIO

import numpy as np
import torch
from gymnasium import spaces
from stable_baselines3.common.buffers import BaseBuffer, ReplayBuffer
from stable_baselines3.common.type_aliases import ReplayBufferSamples
from stable_baselines3.common.vec_env import VecNormalize
from torch import Tensor

from mjenv.training.learners.step_ring import StepRing


class Replay(StepRing, ReplayBuffer):
    """A ring of transitions, drawn uniformly.

    A draw is one gathering of rows. Episodes that were only cut off go on: their values count.

    Attributes:
        rows: (buffer_size * n_envs, 2 * nobs + nact + 3), float32: observation, action, reward,
            1 where the episode goes on, the next observation, and 1 where the episode is over,
            which also those are that were cut off.
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
        # vectors only: rows of one array
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
        self.widths = [self.obs_shape[0], self.action_dim, 1, 1, self.obs_shape[0], 1]
        size = self.buffer_size * n_envs
        self.rows = torch.zeros(size, sum(self.widths), device=self.device)
        self.taken = self.kept = 0

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
        columns = reward, ~ended, np.asarray(done)
        reward, goes_on, over = (column[:, None] for column in columns)
        parts = obs, action, reward, goes_on, next_obs, over
        step = np.concatenate([np.asarray(part, np.float32) for part in parts], axis=1)
        first = self.pos * self.n_envs
        self.rows[first : first + self.n_envs] = torch.from_numpy(step).to(self.device)
        self._count(self.taken + 1)

    def _count(self, taken: int) -> None:
        super()._count(taken)
        self.pos, self.full = taken % self.buffer_size, taken >= self.buffer_size

    # in files

    @property
    def step_bytes(self) -> int:
        """Size in a file of a step of all worlds."""
        return self.n_envs * self.rows.shape[1] * self.rows.element_size()

    def _write_places(self, file: BinaryIO, first: int, last: int) -> None:
        file.write(self._places(first, last).cpu().numpy().data)

    def _read_places(self, file: BinaryIO, first: int, last: int) -> None:
        rows = self._places(first, last)
        read = np.fromfile(file, np.float32, rows.numel())
        rows.copy_(torch.from_numpy(read).view_as(rows))

    def _places(self, first: int, last: int) -> Tensor:
        return self.rows[first * self.n_envs : last * self.n_envs]

    # what is learned from

    def draw(
        self, count: int, env: VecNormalize | None = None, gamma: float = 1.0, n_steps: int = 1
    ) -> list[Tensor]:
        """Observations, actions, rewards (count, 1), discounts (count, 1), next observations.

        Args:
            count: how many transitions.
            env: normalizes them by what it knows now; None for the numbers that were taken in.
            gamma: discount of a step. Rewards are summed with it; discounts are what values of the
                next observations count, 0 where the episode has ended for good.
            n_steps: steps of a transition; fewer where its episode is over before, or goes on.
        """
        drawn = torch.randint(self.size() * self.n_envs, (count,), device=self.device)
        rows = self.rows.index_select(0, drawn)
        if n_steps == 1:
            return self._split(rows, env, gamma)
        sums, discounts, last = self._ahead(drawn, env, gamma, n_steps)
        start = sum(self.widths[:4])
        rows[:, start:] = self.rows.index_select(0, last)[:, start:]
        observations, actions, _, _, following = self._split(rows, env, gamma)
        return [observations, actions, sums, discounts, following]

    def _ahead(
        self, drawn: Tensor, env: VecNormalize | None, gamma: float, n_steps: int
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Sums of rewards and discounts (n, 1) from rows (n,) on, and the last rows of each."""
        steps = torch.arange(n_steps, device=self.device)[:, None]
        numbers = (drawn + steps * self.n_envs) % len(self.rows)
        at = sum(self.widths[:2])
        rewards, goes_on, over = (self.rows[numbers, k] for k in (at, at + 1, sum(self.widths) - 1))
        # an episode that goes on is known to the newest step of all worlds
        newest = (self.taken - 1) % self.buffer_size
        inside = steps <= (newest - drawn // self.n_envs) % self.buffer_size
        inside[1:] &= (over[:-1] == 0.0).cumprod(0, dtype=torch.int64) == 1
        length = inside.sum(0, keepdim=True)
        sums = (self._scaled(rewards, env) * inside * gamma**steps).sum(0)
        discounts = goes_on.gather(0, length - 1)[0] * gamma ** length[0]
        return sums[:, None], discounts[:, None], numbers.gather(0, length - 1)[0]

    def _split(self, rows: Tensor, env: VecNormalize | None, gamma: float) -> list[Tensor]:
        """Parts of rows, normalized in place, discounts in that of going on."""
        observations, actions, rewards, goes_on, following = rows.split(self.widths, dim=1)[:5]
        if env is not None and env.norm_obs:
            rms: Any = env.obs_rms
            mean = torch.from_numpy(rms.mean.astype(np.float32)).to(self.device)
            deviation = np.sqrt(rms.var + env.epsilon).astype(np.float32)
            inverse = torch.from_numpy(1.0 / deviation).to(self.device)
            for one in (observations, following):
                one.sub_(mean).mul_(inverse).clamp_(-env.clip_obs, env.clip_obs)
        return [observations, actions, self._scaled(rewards, env), goes_on.mul_(gamma), following]

    @staticmethod
    def _scaled(rewards: Tensor, env: VecNormalize | None) -> Tensor:
        """Rewards, normalized in place."""
        if env is not None and env.norm_reward:
            rewards.mul_(float(1.0 / np.sqrt(env.ret_rms.var + env.epsilon)))
            rewards.clamp_(-env.clip_reward, env.clip_reward)
        return rewards

    def sample(self, batch_size: int, env: VecNormalize | None = None) -> ReplayBufferSamples:
        """The same, as Stable-Baselines3 names them."""
        observations, actions, rewards, goes_on, following = self.draw(batch_size, env)
        return ReplayBufferSamples(observations, actions, following, 1.0 - goes_on, rewards)
