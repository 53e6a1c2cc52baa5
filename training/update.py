"""What is learned from a rollout: gradients of both losses, worked out by hand, and Adam.

`Update` does it where the policy is. On a GPU, whose time goes into starting small kernels,
`GraphUpdate` records a pass once and plays it again.
"""

from math import log, pi
from typing import Any

import torch
from stable_baselines3 import PPO
from torch import Tensor, nn

from mjenv.training.perceptron import network
from mjenv.training.rollout import Rollout

LOGGED = ("approx_kl", "clip_fraction", "policy_gradient_loss", "entropy_loss", "value_loss")
HALF_LOG_TAU = 0.5 * log(2.0 * pi)


class Update:
    """Passes over a rollout in minibatches, of a policy whose two networks share nothing."""

    def __init__(self, algorithm: PPO):
        """Of an algorithm whose policy is there; its settings are read when they are used."""
        self._algorithm, policy = algorithm, algorithm.policy
        extractor: Any = policy.mlp_extractor
        self._gradient = flat_gradient(list(policy.parameters()))
        self._actor = network(nn.Sequential(extractor.policy_net, policy.action_net))
        self._critic = network(nn.Sequential(extractor.value_net, policy.value_net))

    def begin(self, rollout: Rollout, clip_range: float) -> None:
        """Take the rollout that the next passes go over.

        Args:
            rollout: whose `rows` are filled.
            clip_range: bound on the change of the probability ratio.
        """
        self._rollout = rollout
        self._bounds: Any = 1.0 - clip_range, 1.0 + clip_range

    def run(self, order: Tensor) -> Tensor:
        """One pass, in the order of `order` (nrow,); means (5,) of what is `LOGGED`."""
        rows, said = self._rollout.rows[order], torch.zeros(len(LOGGED))
        for batch in rows.split(self._algorithm.batch_size):
            self._step(batch, said)
        return said / len(order)

    def end(self) -> None:
        """No passes follow."""

    def _step(self, rows: Tensor, said: Tensor) -> None:
        """One step of Adam, down the gradient of both losses."""
        observations, actions, old, advantages, returns = self._rollout.columns(rows)
        said[:4] += self._act(observations, actions, old, advantages)
        said[4] += self._criticize(observations, returns)
        norm = torch.linalg.vector_norm(self._gradient)
        limit = self._algorithm.max_grad_norm
        self._gradient.mul_((limit / (norm + 1e-6)).clamp_(max=1.0))
        self._algorithm.policy.optimizer.step()

    @torch.no_grad()
    def _act(
        self, observations: Tensor, actions: Tensor, old: Tensor, advantages: Tensor
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
        bounded = ratio.clamp(*self._bounds)
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


class GraphUpdate(Update):
    """The same on a GPU: the first pass runs as it is, later ones replay what it started.

    A recording holds for as long as the settings that it has read and the size of rollouts stay.
    """

    _graph: torch.cuda.CUDAGraph | None = None
    _known: Any = None

    def begin(self, rollout: Rollout, clip_range: float) -> None:
        """Bring the rollout to the GPU, and the optimizer's settings to where graphs read them."""
        self._rollout, algorithm = rollout, self._algorithm
        place = algorithm.device
        known = (
            rollout.rows.shape,
            algorithm.batch_size,
            algorithm.max_grad_norm,
            algorithm.ent_coef,
            algorithm.vf_coef,
        )
        if self._known != known:
            self._known, self._graph = known, None
            self._rows = torch.empty(rollout.rows.shape, device=place)
            self._order = torch.empty(len(rollout.rows), dtype=torch.int64, device=place)
            self._said = torch.zeros(len(LOGGED), device=place)
            self._bounds = torch.zeros((), device=place), torch.zeros((), device=place)
            self._rate = torch.zeros((), device=place)
        self._rows.copy_(rollout.rows)
        for bound, value in zip(self._bounds, (1.0 - clip_range, 1.0 + clip_range), strict=True):
            bound.fill_(value)
        for group in algorithm.policy.optimizer.param_groups:
            self._rate.fill_(group["lr"])
            group.update(lr=self._rate, capturable=True)

    def run(self, order: Tensor) -> Tensor:
        """One pass, in the order of `order` (nrow,); means (5,) of what is `LOGGED`."""
        self._order.copy_(order)
        if self._graph is None:
            # on a stream of its own, as recording asks for
            stream = torch.cuda.Stream()
            stream.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(stream):
                self._pass()
            torch.cuda.current_stream().wait_stream(stream)
            said = self._said / len(order)
            self._graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(self._graph):
                self._pass()
            return said
        self._graph.replay()
        return self._said / len(order)

    def _pass(self) -> None:
        self._said.zero_()
        for batch in self._rows[self._order].split(self._algorithm.batch_size):
            self._step(batch, self._said)

    def end(self) -> None:
        """Leave the optimizer as it is saved, and goes on anywhere."""
        for group in self._algorithm.policy.optimizer.param_groups:
            group.update(lr=self._rate.item(), capturable=False)


def flat_gradient(parameters: list[nn.Parameter]) -> Tensor:
    """One vector of which the gradients of all parameters are parts."""
    sizes = [parameter.numel() for parameter in parameters]
    vector = torch.zeros(sum(sizes), device=parameters[0].device)
    for parameter, part in zip(parameters, vector.split(sizes), strict=True):
        parameter.grad = part.view_as(parameter)
    return vector
