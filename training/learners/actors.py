"""Networks of off-policy learners, with their gradients: actions from -1 to 1, and values."""

from math import log, pi
from typing import Any

import torch
from torch import Tensor, nn

from mjenv.training.learners.mlp import network

HALF_LOG_TAU = 0.5 * log(2.0 * pi)
LOG_STD = -20.0, 2.0  # bounds on logarithms of deviations
TINY = 1e-6  # below the logarithm of 1 - a²


class Squashed:
    """Normally distributed actions, drawn into (-1, 1) by tanh: a = tanh(mean + std noise)."""

    def __init__(self, actor: Any):
        """Of the actor of Stable-Baselines3's SAC."""
        self._latent = network(actor.latent_pi)
        self._mean, self._log_std = network(actor.mu), network(actor.log_std)

    @torch.no_grad()
    def forward(self, observations: Tensor, noise: Tensor) -> tuple[Tensor, Tensor]:
        """Actions (n, nact) and the logarithms of their probabilities (n, 1)."""
        latent = self._latent.forward(observations)
        raw = self._log_std.forward(latent)
        log_std = raw.clamp(*LOG_STD)
        self._inside = raw == log_std
        self._spread = log_std.exp() * noise
        self._actions = torch.tanh(self._mean.forward(latent) + self._spread)
        self._slope = 1.0 - self._actions.square()
        density = noise.square().mul_(-0.5) - log_std - (self._slope + TINY).log_()
        return self._actions, density.sum(1, keepdim=True) - HALF_LOG_TAU * noise.shape[1]

    @torch.no_grad()
    def backward(self, by_actions: Tensor, by_log_prob: Tensor) -> None:
        """Put the parameters' gradient into their `grad`.

        Args:
            by_actions: derivatives (n, nact) of a loss by the last actions.
            by_log_prob: the same by the logarithms of their probabilities, (n, 1).
        """
        thin = 2.0 * self._actions / (self._slope + TINY)
        by_mean = (by_actions + by_log_prob * thin) * self._slope
        by_log_std = (by_mean * self._spread - by_log_prob) * self._inside
        self._mean.backward(by_mean)
        self._log_std.backward(by_log_std)
        by_latent = self._mean.pull(by_mean)
        self._latent.backward(by_latent.add_(self._log_std.pull(by_log_std)))


class Deterministic:
    """One action for each observation: a = tanh(mean)."""

    def __init__(self, actor: Any):
        """Of the actor of Stable-Baselines3's TD3."""
        *body, last = actor.mu
        assert isinstance(last, nn.Tanh)
        self._mean = network(nn.Sequential(*body))

    @torch.no_grad()
    def forward(self, observations: Tensor) -> Tensor:
        """Actions (n, nact)."""
        self._actions = torch.tanh(self._mean.forward(observations))
        return self._actions

    @torch.no_grad()
    def backward(self, by_actions: Tensor) -> None:
        """Put the parameters' gradient into their `grad`, from derivatives by the last actions."""
        self._mean.backward(by_actions * (1.0 - self._actions.square()))


class Values:
    """Values of actions, estimated by several networks."""

    def __init__(self, critic: Any):
        """Of a critic of Stable-Baselines3."""
        self._networks = [network(one) for one in critic.q_networks]

    @torch.no_grad()
    def forward(self, observations: Tensor, actions: Tensor) -> Tensor:
        """Values (nnetwork, n, nout)."""
        self._nact, x = actions.shape[1], torch.cat([observations, actions], dim=1)
        return torch.stack([one.forward(x) for one in self._networks])

    @torch.no_grad()
    def backward(self, by_values: Tensor) -> None:
        """Put the parameters' gradient into their `grad`, from derivatives by the last values."""
        for one, dy in zip(self._networks, by_values, strict=True):
            one.backward(dy)

    @torch.no_grad()
    def pull(self, by_values: Tensor) -> Tensor:
        """Derivatives (n, nact) by the last actions, from those by the last values."""
        parts = zip(self._networks, by_values, strict=True)
        return sum((one.pull(dy)[:, -self._nact :] for one, dy in parts), torch.zeros(()))
