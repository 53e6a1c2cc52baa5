"""Soft actor-critic and its relatives for many worlds, as Stable-Baselines3 algorithms.

What is computed is what `stable_baselines3.SAC`, `TD3` and `sb3_contrib.TQC` compute, of which
these are subclasses: policies, callbacks, loggers, saving and loading are the same. Another is the
work: transitions are rows of one array, a step has gradients of what it moves alone, and the
optimizers take all parameters in one call.
"""

from typing import Any

import torch
from sb3_contrib import TQC
from sb3_contrib.common.utils import quantile_huber_loss
from stable_baselines3 import SAC, TD3
from stable_baselines3.common.off_policy_algorithm import OffPolicyAlgorithm
from torch import Tensor
from torch.nn.functional import mse_loss
from torch.optim import Optimizer

from mjenv.training.replay import Replay


class OffPolicy(OffPolicyAlgorithm):
    """What the algorithms share: gradient steps one after the other, without a look between them.

    Subclasses say what a step is.
    """

    logged: tuple[str, ...] = ()
    replay_buffer: Replay

    def __init__(self, policy: Any, env: Any, **options: Any):
        """As the algorithm of Stable-Baselines3.

        Args:
            policy: "MlpPolicy", or a class of policies.
            env: vectors are observed and acted with.
            **options: as of the algorithm; `use_sde`, `n_steps`, `optimize_memory_usage` and other
                replay buffers are not there.

        Raises:
            ValueError: an option that only the algorithm of Stable-Baselines3 has.
        """
        for name in ("use_sde", "optimize_memory_usage", "replay_buffer_class"):
            if options.get(name) not in (None, False, Replay):
                raise ValueError(f"{type(self).__name__}: has no {name}; Stable-Baselines3's has")
        if options.get("n_steps", 1) != 1:
            raise ValueError(f"{type(self).__name__}: has no n_steps; Stable-Baselines3's has")
        options["replay_buffer_class"] = Replay
        policy_kwargs = {
            "optimizer_kwargs": {"fused": True},
            **(options.get("policy_kwargs") or {}),
        }
        super().__init__(policy, env, **{**options, "policy_kwargs": policy_kwargs})

    def _setup_model(self) -> None:
        super()._setup_model()
        self._sums = torch.zeros(len(self.logged), device=self.device)

    def _excluded_save_params(self) -> list[str]:
        return [*super()._excluded_save_params(), "_sums"]

    # what subclasses say

    def _optimizers(self) -> list[Optimizer]:
        """All that a step moves."""
        raise NotImplementedError

    def _descend(self, batch_size: int) -> None:
        """One gradient step of every network; adds to the sums of what is `logged`."""
        raise NotImplementedError

    # gradient steps

    def train(self, gradient_steps: int, batch_size: int = 256) -> None:
        """Go so many steps down the gradients of the losses."""
        self.policy.set_training_mode(True)
        optimizers = self._optimizers()
        self._update_learning_rate(optimizers)
        self._sums.zero_()
        for _ in range(gradient_steps):
            self._descend(batch_size)
        self._n_updates += gradient_steps

        self.logger.record("train/n_updates", self._n_updates, exclude="tensorboard")
        means = (self._sums / gradient_steps).tolist()
        for name, value in zip(self.logged, means, strict=True):
            self.logger.record(f"train/{name}", value)


class Entropic(OffPolicy):
    """Algorithms that keep the policy random: soft actor-critic, with values of some kind."""

    actor: Any
    critic: Any
    critic_target: Any
    ent_coef_optimizer: Any
    log_ent_coef: Any
    ent_coef_tensor: Tensor
    target_entropy: Any

    logged = ("actor_loss", "critic_loss", "ent_coef")

    def _optimizers(self) -> list[Optimizer]:
        learned = [self.ent_coef_optimizer] if self.ent_coef_optimizer is not None else []
        return [self.actor.optimizer, self.critic.optimizer, *learned]

    def _descend(self, batch_size: int) -> None:
        observations, actions, rewards, goes_on, following = self.replay_buffer.draw(batch_size)
        drawn, log_prob = self.actor.action_log_prob(observations)
        log_prob = log_prob[:, None]
        temperature = self._temperature(log_prob.detach())

        # values, towards what follows
        with torch.no_grad():
            next_actions, next_log_prob = self.actor.action_log_prob(following)
            values = self._following(self.critic_target(following, next_actions))
            values = values - temperature * next_log_prob[:, None]
            targets = rewards + self.gamma * goes_on * values
        critic_loss = self._error(self.critic(observations, actions), targets)
        descend(critic_loss, self.critic.optimizer)

        # the policy, towards higher ones
        value = self._value(self.critic(observations, drawn))
        actor_loss = (temperature * log_prob - value).mean()
        descend(actor_loss, self.actor.optimizer)
        follow(self.critic_target, self.critic, self.tau)
        losses = (actor_loss.detach(), critic_loss.detach(), temperature.reshape(()))
        self._sums += torch.stack(losses)

    def _temperature(self, log_prob: Tensor) -> Tensor:
        """The weight of entropy; if it is learned, after the step before."""
        if self.ent_coef_optimizer is None:
            return self.ent_coef_tensor
        temperature = self.log_ent_coef.detach().exp()
        loss = -(self.log_ent_coef * (log_prob + self.target_entropy)).mean()
        descend(loss, self.ent_coef_optimizer)
        return temperature

    def _following(self, values: Any) -> Tensor:
        """What is believed of the target networks' values."""
        raise NotImplementedError

    def _error(self, values: Any, targets: Tensor) -> Tensor:
        """The loss of values."""
        raise NotImplementedError

    def _value(self, values: Any) -> Tensor:
        """What the policy climbs, (batch, 1)."""
        raise NotImplementedError


class WideSAC(Entropic, SAC):
    """Soft actor-critic (Haarnoja et al., 2018): the least of the values."""

    def _following(self, values: Any) -> Tensor:
        return torch.cat(values, dim=1).min(1, keepdim=True).values

    def _error(self, values: Any, targets: Tensor) -> Tensor:
        return 0.5 * torch.stack([mse_loss(value, targets) for value in values]).sum()

    def _value(self, values: Any) -> Tensor:
        return torch.cat(values, dim=1).min(1, keepdim=True).values


class WideTQC(Entropic, TQC):
    """Truncated quantile critics (Kuznetsov et al., 2020): all but the greatest quantiles."""

    def _following(self, values: Any) -> Tensor:
        kept = values[0].numel() - self.top_quantiles_to_drop_per_net * values.shape[1]
        return values.flatten(1).sort(1).values[:, :kept]

    def _error(self, values: Any, targets: Tensor) -> Tensor:
        return quantile_huber_loss(values, targets[:, None], sum_over_quantiles=False)

    def _value(self, values: Any) -> Tensor:
        return values.mean(2).mean(1, keepdim=True)


class WideTD3(OffPolicy, TD3):
    """Twin delayed policy gradients (Fujimoto et al., 2018).

    A step here is one of the policy and `policy_delay` of the values: gradient steps are multiples
    of it.
    """

    logged = ("actor_loss", "critic_loss")

    def _optimizers(self) -> list[Optimizer]:
        return [self.actor.optimizer, self.critic.optimizer]

    def train(self, gradient_steps: int, batch_size: int = 256) -> None:
        """Go so many steps down the gradients of the losses.

        Raises:
            ValueError: their number is no multiple of `policy_delay`.
        """
        blocks, rest = divmod(gradient_steps, self.policy_delay)
        if rest:
            raise ValueError(
                f"WideTD3: gradient_steps is {gradient_steps}, expected a multiple of "
                f"policy_delay, {self.policy_delay}"
            )
        super().train(blocks, batch_size)
        self._n_updates += gradient_steps - blocks

    def _descend(self, batch_size: int) -> None:
        for _ in range(self.policy_delay):
            observations, actions, rewards, goes_on, following = self.replay_buffer.draw(batch_size)
            with torch.no_grad():
                noise = torch.randn_like(actions) * self.target_policy_noise
                noise.clamp_(-self.target_noise_clip, self.target_noise_clip)
                next_actions = (self.actor_target(following) + noise).clamp_(-1.0, 1.0)
                values = torch.cat(self.critic_target(following, next_actions), dim=1)
                targets = rewards + self.gamma * goes_on * values.min(1, keepdim=True).values
            current = self.critic(observations, actions)
            critic_loss = torch.stack([mse_loss(value, targets) for value in current]).sum()
            descend(critic_loss, self.critic.optimizer)
            self._sums[1] += critic_loss.detach() / self.policy_delay
        actor_loss = -self.critic.q1_forward(observations, self.actor(observations)).mean()
        descend(actor_loss, self.actor.optimizer)
        follow(self.critic_target, self.critic, self.tau)
        follow(self.actor_target, self.actor, self.tau)
        self._sums[0] += actor_loss.detach()


def descend(loss: Tensor, optimizer: Optimizer) -> None:
    """One step of the optimizer, down the gradient of a loss by its parameters alone."""
    parameters = [one for group in optimizer.param_groups for one in group["params"]]
    gradients = torch.autograd.grad(loss, parameters)
    for parameter, gradient in zip(parameters, gradients, strict=True):
        parameter.grad = gradient
    optimizer.step()


@torch.no_grad()
def follow(target: torch.nn.Module, network: torch.nn.Module, tau: float) -> None:
    """Move the target's parameters a part `tau` of the way to the network's."""
    for one, other in zip(target.parameters(), network.parameters(), strict=True):
        one.lerp_(other, tau)
