"""Proximal policy optimization for many worlds on few cores, as a Stable-Baselines3 algorithm.

The method is that of Schulman et al. (2017) and of Stable-Baselines3's PPO, of which this is a
subclass: policies, callbacks, loggers, saving and loading are the same. Another is the work: worlds
are stepped and counted as arrays, an update gathers its samples once per pass, and the gradients of
the two networks are worked out by hand.
"""

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import torch
from stable_baselines3 import PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.distributions import DiagGaussianDistribution
from stable_baselines3.common.type_aliases import Schedule
from stable_baselines3.common.utils import explained_variance
from stable_baselines3.common.vec_env import VecEnv, VecNormalize
from torch import nn

from mjenv.training.learners.finite import refuse_rewards
from mjenv.training.learners.mlp import network
from mjenv.training.learners.normalization import Cut, ObservationNormalizer, scale_rewards
from mjenv.training.learners.own_networks import check_halves, is_own
from mjenv.training.learners.resumable import Resumable
from mjenv.training.learners.rollout import Rollout
from mjenv.training.learners.sampling import Sampler, exploration, shorten_first_episodes
from mjenv.training.learners.update import LOGGED, Update
from mjenv.training.worlds.vec_env import NativeVecEnv, native


class WidePPO(Resumable, PPO):
    """PPO on a `NativeVecEnv`; actions have a normal distribution, of one deviation everywhere.

    Observations and rewards are normalized as `VecNormalize` does it; the means and variances are
    brought up to date once per rollout. Advantages are normalized over the rollout.

    Attributes:
        seconds: what has been spent on "physics", "policy" and "update" in this training.
        share: how much of the training is over, 0 to 1, where a callback knows it better than by
            the steps; schedules follow it.
        ent_coef_schedule: the weight of the entropy bonus by what is left of the training, from 1
            to 0; None where it stays the same.
        noise_correlation: of the noise of actions with that of the step before, from 0 to below 1.
        log_std_ends: logarithm of the deviation of actions at the start and at the end of the whole
            training, which moves linearly; None where it is learned.
        init_at_random_ep_len: whether first episodes are cut off after a random number of steps.
    """

    share: float | None = None
    ent_coef_schedule: Schedule | None = None
    noise_correlation: float = 0.0
    init_at_random_ep_len: bool = False
    log_std_ends: tuple[float, float] | None = None
    rollout_buffer: Rollout
    worlds_type: type[VecEnv] = NativeVecEnv
    _sampler: Sampler

    def __init__(self, policy: Any, env: Any, **options: Any):
        """As Stable-Baselines3's PPO, but for the environment.

        Args:
            policy: a policy of which the two networks share nothing, such as "MlpPolicy".
            env: a `NativeVecEnv`, a `VecNormalize` around one, or the name of an environment.
            **options: see `stable_baselines3.PPO`; `clip_range_vf`, `use_sde` and another
                `rollout_buffer_class` are not there.

        Raises:
            TypeError: the environment is something else.
            ValueError: an option or a policy that only `stable_baselines3.PPO` has.
        """
        # refused rather than ignored
        for name in ("clip_range_vf", "use_sde", "rollout_buffer_class"):
            if options.get(name):
                raise ValueError(
                    f"WidePPO: has no {name}; leave it out, or use stable_baselines3.PPO"
                )
        # the name of an environment makes as many worlds as are worth it
        if isinstance(env, str):
            env = NativeVecEnv(env, 512, running_infos=False, observation_dtype=np.float32)
        if isinstance(env, NativeVecEnv):
            env = VecNormalize(env, gamma=options.get("gamma", 0.99))
        adam = {"eps": 1e-5, "fused": True}  # in one call for all parameters
        options["policy_kwargs"] = {
            "optimizer_kwargs": adam,
            **(options.get("policy_kwargs") or {}),
        }
        super().__init__(policy, env, rollout_buffer_class=Rollout, **options)

    def _setup_model(self) -> None:
        super()._setup_model()
        policy = self.policy
        # what the gradients here are not those of
        if not isinstance(policy.action_dist, DiagGaussianDistribution) or policy.squash_output:
            raise ValueError(
                f"WidePPO: actions are drawn from {type(policy.action_dist).__name__}, expected a "
                "DiagGaussianDistribution; stable_baselines3.PPO has others"
            )
        if list(policy.features_extractor.parameters()):
            raise ValueError(
                f"WidePPO: {type(policy.features_extractor).__name__} learns, expected networks "
                "that share nothing; stable_baselines3.PPO trains it"
            )
        extractor: Any = getattr(policy, "mlp_extractor", None)
        if not all(isinstance(getattr(extractor, f"{of}_net", None), nn.Module)
                   for of in ("policy", "value")):  # fmt: skip
            raise ValueError(
                f"WidePPO: {type(policy).__name__} has no mlp_extractor with a policy_net and a "
                "value_net, expected networks that share nothing; stable_baselines3.PPO trains it"
            )
        # networks, and noise of their own
        self._update = Update(self)
        self._critic = network(nn.Sequential(extractor.value_net, policy.value_net))
        if is_own(policy):
            check_halves(policy, network(self.actor), self._critic)
        self._generator = torch.Generator()
        if self.seed is None:
            self._generator.seed()
        else:
            self._generator.manual_seed(self.seed)
        self.seconds = dict.fromkeys(("physics", "policy", "update"), 0.0)
        self.halting = False

    def _excluded_save_params(self) -> list[str]:
        own = [
            "_critic",
            "_generator",
            "_sampler",
            "_update",
            "seconds",
            "halting",
            "share",
        ]
        return [*super()._excluded_save_params(), *own]

    def _setup_learn(self, *arguments: Any, **options: Any) -> Any:
        before, self.halting = self._last_obs, False
        normalize = self.get_vec_normalize_env()
        if normalize is None or not isinstance(normalize.venv, self.worlds_type):
            raise TypeError(
                f"WidePPO: found {self.env!r}, expected a {self.worlds_type.__name__}; "
                "stable_baselines3.PPO takes others"
            )
        result = super()._setup_learn(*arguments, **options)
        if self._last_obs is not before:  # the worlds have been reset
            raw: Any = normalize.get_original_obs()
            self._sampling().begin(raw, np.array(self._last_episode_starts))
            if self.init_at_random_ep_len:
                self._shorten_first_episodes(normalize.venv)
        self.seconds = dict.fromkeys(self.seconds, 0.0)
        return result

    def _shorten_first_episodes(self, worlds: Any) -> None:
        """Have worlds end their first episodes one after the other."""
        shorten_first_episodes(worlds, self._generator)

    # what is gone through

    def collect_rollouts(
        self,
        env: Any,
        callback: BaseCallback,
        rollout_buffer: Any,
        n_rollout_steps: int,
    ) -> bool:
        """Step the worlds `n_rollout_steps` times and work out advantages; False if stopped."""
        rollout, normalize, worlds = self.rollout_buffer, env, env.venv
        began = time.perf_counter()
        self.policy.set_training_mode(False)
        rollout.reset()
        callback.on_rollout_start()
        if self.halting:
            return False

        self._follow_schedules()
        if self.log_std_ends is not None:
            first, last = self.log_std_ends
            left = self._current_progress_remaining
            with torch.no_grad():
                self.policy.log_std.fill_(last + (first - last) * left)

        # what the policy goes through
        normalizer, cut = ObservationNormalizer.of(normalize), Cut()
        for step in self._experience(normalize, normalizer, cut, n_rollout_steps):
            self.num_timesteps += env.num_envs
            dones, infos = step["dones"], step["infos"]
            if dones.any():
                ended = dones.nonzero()[0].tolist()
                self._update_info_buffer([infos[i] for i in ended], np.ones(len(ended), bool))
            callback.update_locals({**locals(), **step})
            if not callback.on_step():
                return False

        # values of everything, and advantages
        refuse_rewards(rollout.rewards)
        raw, self._last_episode_starts = self._sampler.raw, self._sampler.starts
        self._last_obs = normalizer.normalize(raw, np.empty_like(raw), count=False)
        normalizer.update(normalize, n_rollout_steps * env.num_envs)
        self._appraise(normalize, normalizer, cut)
        callback.update_locals(locals())
        callback.on_rollout_end()
        spent = time.perf_counter() - began
        self.seconds["physics"] += self._sampler.physics
        self.seconds["policy"] += spent - self._sampler.physics
        return True

    def _sampling(self) -> Sampler:
        """The worlds with the policy, made when they are first needed or others are set."""
        normalize: Any = self.get_vec_normalize_env()
        sampler = getattr(self, "_sampler", None)
        if sampler is None or sampler.worlds is not normalize.venv:
            self._sampler = Sampler(normalize.venv, network(self.actor))
        return self._sampler

    @property
    def actor(self) -> nn.Sequential:
        """Layers that map normalized observations to mean actions."""
        extractor: Any = self.policy.mlp_extractor
        return nn.Sequential(extractor.policy_net, self.policy.action_net)

    def _experience(
        self, normalize: VecNormalize, normalizer: ObservationNormalizer, cut: Cut, n_steps: int
    ) -> Iterator[dict[str, Any]]:
        """Fill the rollout; what callbacks look at after each step, as `Sampler.run` yields it."""
        shape = self.rollout_buffer.actions.shape
        noise = exploration(shape, self.noise_correlation, self._generator)
        log_std = self.policy.log_std.detach()
        return self._sampling().run(self.rollout_buffer, noise, log_std, normalizer, cut)

    @torch.no_grad()
    def _appraise(
        self,
        normalize: VecNormalize,
        normalizer: ObservationNormalizer,
        cut: Cut,
    ) -> None:
        """Scaled rewards, values, advantages and returns of the rollout."""
        rollout = self.rollout_buffer

        # values, in pieces that stay in the cache
        def values(observations: np.ndarray) -> np.ndarray:
            x = torch.from_numpy(observations)
            return self._critic.forward(x)[:, 0].numpy()

        for t in range(len(rollout.values)):
            rollout.values[t] = values(rollout.observations[t])
        last = values(np.asarray(self._last_obs)).copy()

        scale_rewards(normalize, rollout.rewards, rollout.ends)
        if cut.times:
            times, worlds, raw = cut.joined()
            observations = normalizer.normalize(raw, np.empty_like(raw), count=False)
            rollout.rewards[times, worlds] += self.gamma * values(observations)
        rollout.estimate(last, self.gamma, self.gae_lambda)

    # what is learned

    def _follow_schedules(self) -> None:
        """Have schedules go by the progress of the whole training, of which this may be a share."""
        if self.share is not None:
            self._current_progress_remaining = max(0.0, 1.0 - self.share)

    def train(self) -> None:
        """Update the policy and the values by the rollout, in `n_epochs` passes over it."""
        start = time.perf_counter()
        rollout, policy = self.rollout_buffer, self.policy
        self._follow_schedules()
        policy.set_training_mode(True)
        self._update_learning_rate(policy.optimizer)
        schedule: Any = self.clip_range
        clip_range = schedule(self._current_progress_remaining)
        if self.ent_coef_schedule is not None:
            self.ent_coef = self.ent_coef_schedule(self._current_progress_remaining)
        # advantages of the rollout have mean 0 and deviation 1
        explained = explained_variance(rollout.values.ravel(), rollout.returns.ravel())
        if self.normalize_advantage:
            advantages = rollout.advantages
            advantages -= advantages.mean()
            advantages /= advantages.std(ddof=1) + 1e-8

        # passes over the rollout, until the policy has moved enough
        size, passes = len(rollout.rows), 0
        sums = np.zeros(len(LOGGED))
        for _ in range(self.n_epochs):
            order = torch.randperm(size, generator=self._generator)
            said = self._update.run(rollout, order, clip_range)
            sums, passes = sums + said, passes + 1
            if self.target_kl is not None and said[0] > 1.5 * self.target_kl:
                break
        self._n_updates += passes

        # the names of Stable-Baselines3's log
        for name, value in zip(LOGGED, (sums / passes).tolist(), strict=True):
            self.logger.record(f"train/{name}", value)
        self.logger.record("train/explained_variance", explained)
        self.logger.record("train/std", policy.log_std.detach().exp().mean().item())
        self.logger.record("train/n_updates", self._n_updates, exclude="tensorboard")
        self.logger.record("train/clip_range", clip_range)
        if self.ent_coef_schedule is not None:
            self.logger.record("train/ent_coef", self.ent_coef)
        self.seconds["update"] += time.perf_counter() - start
        for name in ("physics", "policy", "update"):
            self.logger.record(f"time/{name}", self.seconds[name], exclude="tensorboard")

    # what a training needs to go on where it was

    def state(self) -> dict[str, Any]:
        """State that `save` leaves out, between two rollouts: worlds and the random generator."""
        normalize = self.get_vec_normalize_env()
        assert normalize is not None
        return {
            "generator": self._generator.get_state().numpy(),
            "worlds": native(normalize).state(),
            "returns": normalize.returns.copy(),
            "observations": self._sampler.raw.copy(),
            "episode_starts": np.array(self._sampler.starts),
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Go on from what `state` has returned, after `load`."""
        normalize = self.get_vec_normalize_env()
        assert normalize is not None
        self._generator.set_state(torch.from_numpy(state["generator"]))
        native(normalize).set_state(state["worlds"])
        normalize.returns = state["returns"].copy()
        raw, starts = state["observations"].copy(), state["episode_starts"]
        self._sampling().begin(raw, starts)
        self._last_episode_starts = starts
        self._last_obs = np.asarray(normalize.normalize_obs(raw), np.float32)
