"""Worlds gone through by a policy: the part of training that workers can do elsewhere."""

import time
from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import log, pi, sqrt
from typing import Any

import numpy as np
import torch
from torch import Tensor

from mjenv.training.learners.mlp import Network
from mjenv.training.learners.normalization import Cut, ObservationNormalizer
from mjenv.training.worlds.vec_env import NativeVecEnv

HALF_LOG_TAU = 0.5 * log(2.0 * pi)


def log_probabilities(noise: Tensor, log_std: Tensor) -> Tensor:
    """Of actions that lie `noise` (..., nact) deviations from their means: (...)."""
    constant = log_std.sum() + HALF_LOG_TAU * noise.shape[-1]
    return noise.square().sum(-1).mul_(-0.5).sub_(constant)


def exploration(shape: Sequence[int], correlation: float, generator: torch.Generator) -> Tensor:
    """Normally distributed noise of a rollout, each number with mean 0 and deviation 1.

    Args:
        shape: (n_steps, nworld, nact).
        correlation: of numbers of one step with those of the step before, from 0 to below 1: noise
            that goes on pushes a body where independent noise only shakes it. The rollout begins
            with independent ones.
        generator: what is drawn from.
    """
    noise = torch.randn(tuple(shape), generator=generator)
    if correlation:
        fresh = sqrt(1.0 - correlation**2)
        for before, now in pairwise(noise):
            now.mul_(fresh).add_(before, alpha=correlation)
    return noise


def shorten_first_episodes(worlds: Any, generator: torch.Generator) -> None:
    """Have worlds that have just begun end their first episodes one after the other.

    Raises:
        ValueError: episodes have no limit, or worlds are of several tasks.
    """
    inner = getattr(getattr(worlds, "envs", None), "unwrapped", None)
    limit, elapsed = (getattr(inner, name, None) for name in ("max_episode_steps", "elapsed"))
    if limit is None or elapsed is None:
        raise ValueError(
            "init_at_random_ep_len: found worlds without max_episode_steps, or of several tasks or "
            "sides, expected worlds of one task with such a limit; set it to false"
        )
    elapsed[:] = torch.randint(limit, elapsed.shape, generator=generator).numpy()


class Sampler:
    """Worlds that a policy acts in.

    Attributes:
        worlds: the worlds.
        raw: their observations, as they are, (nworld, nobs).
        starts: whether these are the first ones of episodes, (nworld,).
        physics: how long the worlds have been stepped in the last rollout (s).
    """

    raw: np.ndarray
    starts: np.ndarray

    def __init__(self, worlds: NativeVecEnv, actor: Network):
        """Of worlds, and the network that maps normalized observations to mean actions."""
        self.worlds, self._actor, self.physics = worlds, actor, 0.0
        space: Any = worlds.action_space
        self._low, self._high = space.low, space.high

    def begin(self, raw: np.ndarray, starts: np.ndarray) -> None:
        """Go on from observations, of which some are the first ones of episodes."""
        self.raw, self.starts = raw, starts

    def run(
        self,
        columns: Any,
        noise: Tensor,
        log_std: Tensor,
        normalizer: ObservationNormalizer,
        cut: Cut,
    ) -> Iterator[dict[str, Any]]:
        """Step the worlds, once for each row of noise.

        Args:
            columns: a `Rollout`, or what has its arrays (n_steps, nworld, ...): `observations`,
                `actions`, `rewards`, `ends` and `episode_starts`.
            noise: how many deviations actions are off their means, (n_steps, nworld, nact).
            log_std: logarithm of the deviations, (nact,).
            normalizer: normalizes observations, and gathers their means and variances.
            cut: gathers the ends of episodes that are only cut off.

        Yields:
            After each step what callbacks look at: "t", "clipped_actions", "rewards" and "dones"
            (nworld,), and "infos" of the episodes that are over.
        """
        std, self.physics = log_std.exp(), 0.0
        columns.log_probs[:] = log_probabilities(noise, log_std).numpy()
        for t in range(len(noise)):
            # actions of the policy
            normalizer.normalize(self.raw, columns.observations[t])
            mean = self._actor.forward(torch.from_numpy(columns.observations[t]))
            actions = columns.actions[t]
            torch.addcmul(mean, noise[t], std, out=torch.from_numpy(actions))
            clipped_actions = np.clip(actions, self._low, self._high)

            # the worlds' answer
            start = time.perf_counter()
            self.raw, rewards, terminated, truncated, results = self.worlds.advance(clipped_actions)
            self.physics += time.perf_counter() - start
            dones = terminated | truncated
            columns.rewards[t], columns.ends[t] = rewards, dones
            columns.episode_starts[t], self.starts = self.starts, dones

            # episodes that are over; those that are only cut off go on in their value
            infos: list[dict[str, Any]] = [{}] * len(dones)
            if dones.any():
                infos = self.worlds.last_infos(results, terminated, truncated)
                cut.add(t, truncated & ~terminated, results["final_obs"])
            step = {"t": t, "rewards": rewards, "dones": dones, "infos": infos}
            yield {**step, "clipped_actions": clipped_actions}
