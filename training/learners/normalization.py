"""Running means and standard deviations: normalized observations and rewards of a rollout."""

from typing import Any

import numpy as np
from stable_baselines3.common.vec_env import VecNormalize


class ObservationNormalizer:
    """Normalizes the observations of a rollout, and gathers their means and variances."""

    def __init__(self, mean: np.ndarray, inverse: np.ndarray, limit: float, count: bool):
        """By what is known at the start of the rollout.

        Args:
            mean: means (nobs,).
            inverse: 1 over the deviations (nobs,).
            limit: bound on normalized values.
            count: whether means and variances are gathered.
        """
        self.arguments = mean, inverse, limit, count
        self._mean, self._inverse, self._limit, self._count = self.arguments
        self._narrow = mean.astype(np.float32), inverse.astype(np.float32)
        self.sums, self.squares = np.zeros(mean.shape), np.zeros(mean.shape)

    @classmethod
    def of(cls, normalize: VecNormalize) -> "ObservationNormalizer":
        """By the means and variances that an environment knows."""
        rms: Any = normalize.obs_rms
        if not normalize.norm_obs:
            return cls(np.zeros(rms.mean.shape), np.ones(rms.mean.shape), np.inf, False)
        inverse = 1.0 / np.sqrt(rms.var + normalize.epsilon)
        return cls(rms.mean.copy(), inverse, normalize.clip_obs, normalize.training)

    def normalize(self, raw: np.ndarray, out: np.ndarray, count: bool = True) -> np.ndarray:
        """Normalized observations (n, nobs) of raw ones, which are counted or not."""
        mean, inverse = self._narrow
        np.subtract(raw, mean, out=out)
        np.multiply(out, inverse, out=out)
        if count and self._count:
            self.sums += out.sum(0)
            self.squares += np.einsum("ij,ij->j", out, out)
        return np.clip(out, -self._limit, self._limit, out=out)

    def update(self, normalize: VecNormalize, count: int) -> None:
        """Bring the means and variances of an environment up to date with `count` observations."""
        if not self._count:
            return
        rms: Any = normalize.obs_rms
        mean, square = self.sums / count, self.squares / count
        variance = np.maximum(square - mean * mean, 0.0) / self._inverse**2
        rms.update_from_moments(self._mean + mean / self._inverse, variance, count)


class Cut:
    """Last observations of episodes that are cut off, though they could go on."""

    def __init__(self) -> None:
        """None so far."""
        self.times: list[np.ndarray] = []
        self._worlds: list[np.ndarray] = []
        self._observations: list[np.ndarray] = []

    def add(self, t: int, which: np.ndarray, final: np.ndarray) -> None:
        """Those of step t, in the worlds of a mask; `final` has an observation for each of them."""
        worlds = which.nonzero()[0]
        if worlds.size:
            self.times.append(np.full(worlds.size, t))
            self._worlds.append(worlds)
            self._observations.append(np.stack(list(final[worlds])).astype(np.float32))

    def join(self, others: tuple[np.ndarray, np.ndarray, np.ndarray], first: int) -> None:
        """Add what `joined` has returned elsewhere, of worlds that are from `first` on here."""
        times, worlds, observations = others
        self.times.append(times)
        self._worlds.append(worlds + first)
        self._observations.append(observations)

    def joined(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Steps (n,), worlds (n,) and observations (n, nobs)."""
        parts: tuple[list[np.ndarray], ...] = (self.times, self._worlds, self._observations)
        times, worlds, observations = map(np.concatenate, parts)
        return times, worlds, observations


def scale_rewards(normalize: VecNormalize, rewards: np.ndarray, ends: np.ndarray) -> None:
    """Divide rewards (n_steps, n_envs) by the deviation of discounted returns, in place."""
    if not normalize.norm_reward:
        return
    returns = np.empty(rewards.shape)
    running = normalize.returns
    for t, reward in enumerate(rewards):
        running = running * normalize.gamma + reward
        returns[t] = running
        running[ends[t]] = 0.0
    normalize.returns = running
    if normalize.training:
        normalize.ret_rms.update(returns.ravel())
    rewards /= np.sqrt(normalize.ret_rms.var + normalize.epsilon)
    np.clip(rewards, -normalize.clip_reward, normalize.clip_reward, out=rewards)
