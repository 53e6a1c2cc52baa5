"""Update of PPO from a rollout: gradients of both losses, derived by hand, and Adam."""

from typing import Any

import numpy as np
import torch
from stable_baselines3 import PPO
from torch import Tensor, nn

from mjenv.training.learners.elementwise import policy_slope, value_slope
from mjenv.training.learners.flat import FlatAdam, flat_gradient
from mjenv.training.learners.mlp import network
from mjenv.training.learners.rollout import Rollout
from mjenv.training.learners.sampling import HALF_LOG_TAU

LOGGED = ("approx_kl", "clip_fraction", "policy_gradient_loss", "entropy_loss", "value_loss")


class Update:
    """Passes over a rollout in minibatches, of a policy whose two networks share nothing."""

    def __init__(self, algorithm: PPO):
        """Of an algorithm whose policy is there; its settings are read when they are used."""
        self._algorithm: Any = algorithm
        policy = algorithm.policy
        extractor: Any = policy.mlp_extractor
        parameters = list(policy.parameters())
        self._gradient = flat_gradient(parameters)
        self._adam = FlatAdam(parameters, self._gradient)
        self._rows = torch.empty(0)
        self._actor = network(nn.Sequential(extractor.policy_net, policy.action_net))
        self._critic = network(nn.Sequential(extractor.value_net, policy.value_net))

    def run(self, rollout: Rollout, order: Tensor, clip_range: float) -> np.ndarray:
        """One pass.

        Args:
            rollout: whose `rows` are filled.
            order: of the rows, (nrow,).
            clip_range: bound on the change of the probability ratio.

        Returns:
            Means (5,) of what is `LOGGED`.
        """
        self._adam.prepare(self._algorithm.policy.optimizer)
        if self._rows.shape != rollout.rows.shape:
            self._rows = torch.empty_like(rollout.rows)
        rows = torch.index_select(rollout.rows, 0, order, out=self._rows)
        said, self._nobs = np.zeros(len(LOGGED)), rollout.nobs
        bounds = 1.0 - clip_range, 1.0 + clip_range
        for batch in rows.split(self._algorithm.batch_size):
            self._step(batch, bounds, said)
        return said / len(order)

    def _step(self, rows: Tensor, bounds: tuple[float, float], said: np.ndarray) -> None:
        """One step of Adam, down the gradient of both losses."""
        observations = rows[:, : self._nobs]
        said[:4] += self._act(observations, rows, bounds)
        said[4] += self._criticize(observations, rows)
        norm = torch.linalg.vector_norm(self._gradient)
        limit = self._algorithm.max_grad_norm
        self._gradient.mul_((limit / (norm + 1e-6)).clamp_(max=1.0))
        self._adam.step()

    @torch.no_grad()
    def _act(self, observations: Tensor, rows: Tensor, bounds: tuple[float, float]) -> np.ndarray:
        """Gradient of the policy's loss, -E[min(ρ A, clip(ρ) A)] - c H; sums of what is logged."""
        log_std: Any = self._algorithm.policy.log_std
        inverse, total = torch.exp(-log_std).numpy(), log_std.sum().item()
        nact, said = len(inverse), np.zeros(4)
        slope, by_log_std = self._actor.forward(observations).clone(), log_std.grad
        constant, nobs = total + HALF_LOG_TAU * nact, observations.shape[1]
        policy_slope(
            slope.numpy(), rows.numpy(), nobs, inverse, constant, bounds, by_log_std.numpy(), said
        )
        by_log_std -= self._algorithm.ent_coef
        if self._algorithm.log_std_ends is not None:
            by_log_std.zero_()
        self._actor.backward(slope)
        said[3] = -(total + (HALF_LOG_TAU + 0.5) * nact) * len(rows)
        return said

    @torch.no_grad()
    def _criticize(self, observations: Tensor, rows: Tensor) -> float:
        """Gradient of the values' loss, c E[(V - R)²]; the sum of squares."""
        slope = self._critic.forward(observations).clone()
        squares = value_slope(slope.numpy(), rows.numpy(), self._algorithm.vf_coef)
        self._critic.backward(slope)
        return squares
