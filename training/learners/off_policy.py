"""Soft actor-critic and its relatives for many worlds, as Stable-Baselines3 algorithms.

What is computed is what `stable_baselines3.SAC`, `TD3` and `sb3_contrib.TQC` compute, of which
these are subclasses: policies, callbacks, loggers, saving and loading are the same. Another is the
work: transitions are rows of one array, a step has gradients of what it moves alone, and the
optimizers take all parameters in one call.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from sb3_contrib import TQC
from stable_baselines3 import SAC, TD3
from stable_baselines3.common.noise import OrnsteinUhlenbeckActionNoise
from stable_baselines3.common.off_policy_algorithm import OffPolicyAlgorithm
from stable_baselines3.common.torch_layers import FlattenExtractor
from stable_baselines3.common.type_aliases import RolloutReturn
from torch import Tensor
from torch.optim import Optimizer

from mjenv.training.learners.actors import Deterministic, Squashed, Values
from mjenv.training.learners.flat import FlatAdam, FlatParameters, flat_gradient
from mjenv.training.learners.hindsight import Hindsight
from mjenv.training.learners.replay import Replay
from mjenv.training.learners.resumable import Remembering
from mjenv.training.worlds.vec_env import native


class OffPolicy(Remembering, OffPolicyAlgorithm):
    """Base of the off-policy algorithms: gradient steps in sequence, nothing in between.

    Subclasses say what a step is.

    Attributes:
        share: how much of the training is over, 0 to 1, where a callback knows it better than by
            the steps; None where it does not.
    """

    logged: tuple[str, ...] = ()
    share: float | None = None
    replay_buffer: Replay
    _random: dict[str, Any] | None = None
    _noise: Sequence[np.ndarray] = ()
    actor: Any
    critic: Any
    critic_target: Any

    def __init__(self, policy: Any, env: Any, **options: Any):
        """As the algorithm of Stable-Baselines3.

        Args:
            policy: "MlpPolicy", or a class of policies.
            env: vectors are observed and acted with.
            **options: as of the algorithm; `use_sde`, `optimize_memory_usage` and other replay
                buffers are not there, nor `n_steps` with hindsight.

        Raises:
            ValueError: an option that only the algorithm of Stable-Baselines3 has.
        """
        # refused rather than ignored
        kind = type(self).__name__.removeprefix("Wide")
        for name in ("use_sde", "optimize_memory_usage", "replay_buffer_class"):
            if options.get(name) not in (None, False, Replay, Hindsight):
                raise ValueError(f"{kind}: has no {name}; leave it out, or use SB3-{kind}")
        options["replay_buffer_class"] = options.get("replay_buffer_class") or Replay
        given = options.get("policy_kwargs") or {}
        if given.get("features_extractor_class", FlattenExtractor) is not FlattenExtractor:
            raise ValueError(
                f"{kind}: has no features_extractor_class; leave it out, or use SB3-{kind}"
            )
        # one call updates all parameters
        policy_kwargs = {"optimizer_kwargs": {"fused": True}, **given}
        super().__init__(policy, env, **{**options, "policy_kwargs": policy_kwargs})

    def _setup_model(self) -> None:
        # transitions of several steps are drawn here, not by a buffer of Stable-Baselines3
        n_steps, self.n_steps = self.n_steps, 1
        super()._setup_model()
        self.n_steps = n_steps
        self._sums = torch.zeros(len(self.logged), device=self.device)
        self._values, self._target_values = Values(self.critic), Values(self.critic_target)
        normalize = self.get_vec_normalize_env()
        if isinstance(self.replay_buffer, Hindsight) and normalize is not None:
            self.replay_buffer.attach(native(normalize).envs)
        moved = {name: parameters_of(one) for name, one in self._optimizers().items()}
        self._descents = {name: FlatAdam(own, flat_gradient(own)) for name, own in moved.items()}
        self._targets = {
            name: FlatParameters(list(one.parameters())) for name, one in self._followers().items()
        }
        self._take_over()

    def _take_over(self) -> None:
        """Go on with the parameters and the moments of Adam as they are: before steps."""
        for name, optimizer in self._optimizers().items():
            self._descents[name].prepare(optimizer)
        for target in self._targets.values():
            target.gather()

    def _excluded_save_params(self) -> list[str]:
        own = [
            "halting",
            "share",
            "_random",
            "_noise",
            "_descents",
            "_targets",
            "_sums",
            "_pairs",
            "_values",
            "_target_values",
            "_acting",
            "_target_acting",
        ]
        return [*super()._excluded_save_params(), *own]

    def _setup_learn(self, *arguments: Any, **options: Any) -> Any:
        self.halting = False
        result = super()._setup_learn(*arguments, **options)
        if self._random is not None:
            self._set_random(self._random)
            for process, before in zip(self._processes(), self._noise, strict=True):
                process.noise_prev = before
            self._random = None
        return result

    # what is gone through

    def collect_rollouts(self, *arguments: Any, **options: Any) -> RolloutReturn:
        """As Stable-Baselines3's; nothing is collected when training shall stop."""
        try:
            return super().collect_rollouts(*arguments, **options)
        except Halt:
            return RolloutReturn(0, 0, continue_training=False)

    def _sample_action(self, *arguments: Any, **options: Any) -> tuple[np.ndarray, np.ndarray]:
        if self.halting:
            raise Halt
        return super()._sample_action(*arguments, **options)

    # what subclasses say

    def _optimizers(self) -> dict[str, Optimizer]:
        """All that a step moves, by name."""
        raise NotImplementedError

    def _followers(self) -> dict[str, torch.nn.Module]:
        """Target networks, by the name of what they follow."""
        return {"critic": self.critic_target}

    def _descend(self, batch_size: int) -> None:
        """One gradient step of every network; adds to the sums of what is `logged`."""
        raise NotImplementedError

    # gradient steps

    def _follow(self) -> None:
        """Move the parameters of target networks a part `tau` of the way to those they follow."""
        for name, target in self._targets.items():
            target.vector.lerp_(self._descents[name].values.vector, self.tau)

    def _draw(self, batch_size: int) -> list[Tensor]:
        """Transitions of some steps, normalized where the worlds are, with their discounts."""
        normalize = self.get_vec_normalize_env()
        return self.replay_buffer.draw(batch_size, normalize, self.gamma, self.n_steps)

    def train(self, gradient_steps: int, batch_size: int = 256) -> None:
        """Go so many steps down the gradients of the losses."""
        self.policy.set_training_mode(True)
        if self.share is not None:
            self._current_progress_remaining = max(0.0, 1.0 - self.share)
        self._update_learning_rate([*self._optimizers().values()])
        self._take_over()
        self._sums.zero_()
        for _ in range(gradient_steps):
            self._descend(batch_size)
        self._n_updates += gradient_steps

        self.logger.record("train/n_updates", self._n_updates, exclude="tensorboard")
        means = (self._sums / gradient_steps).tolist()
        for name, value in zip(self.logged, means, strict=True):
            self.logger.record(f"train/{name}", value)

    # what a training needs to go on where it was

    def state(self) -> dict[str, Any]:
        """State that `save` leaves out, between two rollouts, without the transitions."""
        normalize = self.get_vec_normalize_env()
        assert normalize is not None
        return {
            "random": {
                "torch": torch.get_rng_state().numpy(),
                "numpy": np.random.get_state(),  # noqa: NPY002  noise of actions has it
                "actions": self.action_space.np_random.bit_generator.state,
            },
            "worlds": native(normalize).state(),
            "returns": normalize.returns.copy(),
            "observations": np.array(self._last_obs),
            "originals": np.array(self._last_original_obs),
            "taken": self.replay_buffer.taken,
            "noise": [process.noise_prev for process in self._processes()],
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Go on from what `state` has returned, after `load`; draws do so when `learn` begins."""
        normalize = self.get_vec_normalize_env()
        assert normalize is not None
        native(normalize).set_state(state["worlds"])
        normalize.returns = state["returns"].copy()
        self._last_obs = state["observations"].copy()
        self._last_original_obs = state["originals"].copy()
        self._random, self._noise = state["random"], state.get("noise", [])

    def _processes(self) -> list[Any]:
        """Those of the worlds' noises that go on from step to step."""
        noises = getattr(self.action_noise, "noises", [])
        return [one for one in noises if isinstance(one, OrnsteinUhlenbeckActionNoise)]

    def _set_random(self, random: dict[str, Any]) -> None:
        torch.set_rng_state(torch.from_numpy(random["torch"]))
        np.random.set_state(random["numpy"])  # noqa: NPY002
        self.action_space.np_random.bit_generator.state = random["actions"]


class Halt(Exception):
    """Training shall stop before the next rollout."""


class Entropic(OffPolicy):
    """Algorithms that keep the policy random: soft actor-critic, with values of some kind."""

    ent_coef_optimizer: Any
    log_ent_coef: Any
    ent_coef_tensor: Tensor
    target_entropy: Any

    logged = ("actor_loss", "critic_loss", "ent_coef")

    def _setup_model(self) -> None:
        super()._setup_model()
        self._acting = Squashed(self.actor)

    def _optimizers(self) -> dict[str, Optimizer]:
        found = {"actor": self.actor.optimizer, "critic": self.critic.optimizer}
        if self.ent_coef_optimizer is not None:
            found["entropy"] = self.ent_coef_optimizer
        return found

    @torch.no_grad()
    def _descend(self, batch_size: int) -> None:
        observations, actions, rewards, discounts, following = self._draw(batch_size)
        noise, next_noise = torch.randn_like(actions), torch.randn_like(actions)
        temperature = self._temperature()

        # values, towards what follows
        next_actions, next_log_prob = self._acting.forward(following, next_noise)
        values = self._following(self._target_values.forward(following, next_actions))
        targets = rewards + discounts * (values - temperature * next_log_prob)
        critic_loss, slopes = self._error(self._values.forward(observations, actions), targets)
        self._values.backward(slopes)
        self._descents["critic"].step()

        # the policy, towards higher ones
        drawn, log_prob = self._acting.forward(observations, noise)
        value, slopes = self._value(self._values.forward(observations, drawn))
        by_actions = self._values.pull(slopes).div_(-batch_size)
        self._acting.backward(by_actions, (temperature / batch_size).expand_as(log_prob))
        self._descents["actor"].step()
        self._warm(log_prob)
        self._follow()
        actor_loss = (temperature * log_prob - value).mean()
        self._sums += torch.stack((actor_loss, critic_loss, temperature.reshape(())))

    def _temperature(self) -> Tensor:
        """The weight of entropy."""
        if self.ent_coef_optimizer is None:
            return self.ent_coef_tensor
        return self.log_ent_coef.exp()

    def _warm(self, log_prob: Tensor) -> None:
        """Move the weight of entropy, if it is learned, so that entropy comes to its target."""
        if self.ent_coef_optimizer is not None:
            self.log_ent_coef.grad.fill_(-(log_prob.mean() + self.target_entropy))
            self._descents["entropy"].step()

    def _following(self, values: Tensor) -> Tensor:
        """Estimates of the next values from those of the target networks."""
        raise NotImplementedError

    def _error(self, values: Tensor, targets: Tensor) -> tuple[Tensor, Tensor]:
        """The loss of values, and its derivatives by them."""
        raise NotImplementedError

    def _value(self, values: Tensor) -> tuple[Tensor, Tensor]:
        """Objective of the policy, (batch, 1), and its derivatives by the values."""
        raise NotImplementedError


class WideSAC(Entropic, SAC):
    """Soft actor-critic (Haarnoja et al., 2018): the least of the values."""

    def _following(self, values: Tensor) -> Tensor:
        return values.amin(0)

    def _error(self, values: Tensor, targets: Tensor) -> tuple[Tensor, Tensor]:
        error = values - targets
        return 0.5 * error.square().sum() / len(targets), error / len(targets)

    def _value(self, values: Tensor) -> tuple[Tensor, Tensor]:
        least = values.min(0, keepdim=True)
        return least.values[0], torch.zeros_like(values).scatter_(0, least.indices, 1.0)


class WideTQC(Entropic, TQC):
    """Truncated quantile critics (Kuznetsov et al., 2020): all but the greatest quantiles."""

    _pairs: Tensor | None = None

    def _following(self, values: Tensor) -> Tensor:
        all_values = values.transpose(0, 1).flatten(1)
        kept = all_values.shape[1] - self.top_quantiles_to_drop_per_net * len(values)
        return all_values.sort(1).values[:, :kept]

    def _error(self, values: Tensor, targets: Tensor) -> tuple[Tensor, Tensor]:
        n = values.shape[2]
        levels = (torch.arange(n, device=values.device) + 0.5) / n
        # every quantile against every target, in arrays that stay: they are the largest ones
        shape = *values.shape, targets.shape[1]
        if self._pairs is None or self._pairs.shape[1:] != shape:
            self._pairs = torch.empty(3, *shape, device=values.device)
        error, bounded, cost = self._pairs
        torch.sub(targets[:, None], values[..., None], out=error)
        # Huber's loss, times the level for targets above, 1 - level for those below
        loss, slopes = torch.zeros_like(values), torch.zeros_like(values)
        for weight, low, high in (levels, 0.0, 1.0), (1.0 - levels, -1.0, 0.0):
            torch.clamp(error, low, high, out=bounded)
            torch.sub(error, bounded, alpha=0.5, out=cost).mul_(bounded)
            loss += weight * cost.sum(3)
            slopes -= weight * bounded.sum(3)
        return loss.sum() / error.numel(), slopes.div_(error.numel())

    def _value(self, values: Tensor) -> tuple[Tensor, Tensor]:
        share = 1.0 / (len(values) * values.shape[2])
        return values.mean((0, 2))[:, None], torch.full_like(values, share)


class WideTD3(OffPolicy, TD3):
    """Twin delayed policy gradients (Fujimoto et al., 2018).

    A step here is one of the policy and `policy_delay` of the values: gradient steps are multiples
    of it.
    """

    actor_target: Any

    logged = ("actor_loss", "critic_loss")

    def _setup_model(self) -> None:
        super()._setup_model()
        self._acting = Deterministic(self.actor)
        self._target_acting = Deterministic(self.actor_target)

    def _optimizers(self) -> dict[str, Optimizer]:
        return {"actor": self.actor.optimizer, "critic": self.critic.optimizer}

    def _followers(self) -> dict[str, torch.nn.Module]:
        return {**super()._followers(), "actor": self.actor_target}

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

    @torch.no_grad()
    def _descend(self, batch_size: int) -> None:
        for _ in range(self.policy_delay):
            observations, actions, rewards, discounts, following = self._draw(batch_size)
            noise = torch.randn_like(actions) * self.target_policy_noise
            noise.clamp_(-self.target_noise_clip, self.target_noise_clip)
            next_actions = (self._target_acting.forward(following) + noise).clamp_(-1.0, 1.0)
            values = self._target_values.forward(following, next_actions).amin(0)
            targets = rewards + discounts * values
            error = self._values.forward(observations, actions) - targets
            self._values.backward(error * (2.0 / batch_size))
            self._descents["critic"].step()
            self._sums[1] += error.square().sum() / (batch_size * self.policy_delay)
        # the policy climbs the first network's values
        values = self._values.forward(observations, self._acting.forward(observations))
        slopes = torch.zeros_like(values)
        slopes[0] = -1.0 / batch_size
        self._acting.backward(self._values.pull(slopes))
        self._descents["actor"].step()
        self._follow()
        self._sums[0] -= values[0].mean()


def parameters_of(optimizer: Optimizer) -> list[torch.nn.Parameter]:
    """Parameters of an optimizer."""
    return [one for group in optimizer.param_groups for one in group["params"]]
