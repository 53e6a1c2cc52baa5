"""Update of PPO from a rollout: gradients of both losses, derived by hand, and Adam."""

from typing import Any

import torch
from stable_baselines3 import PPO
from torch import Tensor, nn

from mjenv.training.learners.mlp import network
from mjenv.training.learners.rollout import Rollout
from mjenv.training.learners.sampling import HALF_LOG_TAU

LOGGED = ("approx_kl", "clip_fraction", "policy_gradient_loss", "entropy_loss", "value_loss")


class Update:
    """Passes over a rollout in minibatches, of a policy whose two networks share nothing."""

    def __init__(self, algorithm: PPO):
        """Of an algorithm whose policy is there; its settings are read when they are used."""
        self._algorithm, policy = algorithm, algorithm.policy
        extractor: Any = policy.mlp_extractor
        self._gradient = flat_gradient(list(policy.parameters()))
        self._actor = network(nn.Sequential(extractor.policy_net, policy.action_net))
        self._critic = network(nn.Sequential(extractor.value_net, policy.value_net))

    def run(self, rollout: Rollout, order: Tensor, clip_range: float) -> Tensor:
        """One pass.

        Args:
            rollout: whose `rows` are filled.
            order: of the rows, (nrow,).
            clip_range: bound on the change of the probability ratio.

        Returns:
            Means (5,) of what is `LOGGED`.
        """
        rows, said = rollout.rows[order], torch.zeros(len(LOGGED))
        bounds = 1.0 - clip_range, 1.0 + clip_range
        for batch in rows.split(self._algorithm.batch_size):
            self._step(rollout.columns(batch), bounds, said)
        return said / len(order)

    def _step(self, columns: list[Tensor], bounds: tuple[float, float], said: Tensor) -> None:
        """One step of Adam, down the gradient of both losses."""
        observations, actions, old, advantages, returns = columns
        said[:4] += self._act(observations, actions, old, advantages, bounds)
        said[4] += self._criticize(observations, returns)
        norm = torch.linalg.vector_norm(self._gradient)
        limit = self._algorithm.max_grad_norm
        self._gradient.mul_((limit / (norm + 1e-6)).clamp_(max=1.0))
        self._algorithm.policy.optimizer.step()

    @torch.no_grad()
    def _act(
        self,
        observations: Tensor,
        actions: Tensor,
        old: Tensor,
        advantages: Tensor,
        bounds: tuple[float, float],
    ) -> Tensor:
        """Gradient of the policy's loss, -E[min(ρ A, clip(ρ) A)] - c H; sums of what is logged."""
        log_std: Any = self._algorithm.policy.log_std
        inverse = torch.exp(-log_std)
        z = (actions - self._actor.forward(observations)).mul_(inverse)
        squared, constant = z * z, log_std.sum() + HALF_LOG_TAU * z.shape[1]
        log_ratio = (squared @ torch.full_like(log_std, -0.5)).sub_(constant)
        log_ratio -= old
        ratio = log_ratio.exp()

        # where the clipped term is the smaller one, there is no gradient
        bounded = ratio.clamp(*bounds)
        gain, safe = ratio * advantages, bounded * advantages
        flat = safe < gain
        slope = gain.masked_fill(flat, 0.0).mul_(-1.0 / len(gain))  # dL/dlog π
        torch.sub(slope @ squared.sub_(1.0), self._algorithm.ent_coef, out=log_std.grad)
        self._actor.backward(z.mul_(inverse).mul_(slope[:, None]))

        entropy = log_std.sum() + (HALF_LOG_TAU + 0.5) * len(log_std)
        return torch.stack(
            (
                ((ratio - 1.0) - log_ratio).sum(),
                (ratio != bounded).sum(),
                -torch.minimum(gain, safe).sum(),
                -entropy * len(gain),
            )
        )

    @torch.no_grad()
    def _criticize(self, observations: Tensor, returns: Tensor) -> Tensor:
        """Gradient of the values' loss, c E[(V - R)²]; the sum of squares."""
        error = self._critic.forward(observations)[:, 0] - returns
        self._critic.backward(error[:, None] * (2.0 * self._algorithm.vf_coef / len(error)))
        return error.square().sum()


def flat_gradient(parameters: list[nn.Parameter]) -> Tensor:
    """One vector of which the gradients of all parameters are parts."""
    sizes = [parameter.numel() for parameter in parameters]
    vector = torch.zeros(sum(sizes))
    for parameter, part in zip(parameters, vector.split(sizes), strict=True):
        parameter.grad = part.view_as(parameter)
    return vector
