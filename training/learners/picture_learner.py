"""Control from pictures: a policy that sees nothing else, taught by values of the worlds' states.

The recipe is that of Yarats et al., Mastering Visual Continuous Control: Improved Data-Augmented
Reinforcement Learning (DrQ-v2, 2021): pictures moved at random, returns of several steps, the least
of two values, a deterministic policy. What is different is what a simulator makes possible. Values
are of states, which only a training needs (Pinto et al., Asymmetric Actor Critic for Image-Based
Robot Learning, 2018), and the encoder learns to tell the state beside. Patches that do not overlap
take a seventeenth of the time of four convolutions. And each world explores by a noise of its own
(Li et al., Parallel Q-Learning, 2023).
"""

import sys
import time
from typing import Any, ClassVar

import numpy as np
import torch
from gymnasium import spaces
from stable_baselines3.common.base_class import BaseAlgorithm
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.policies import BasePolicy
from stable_baselines3.common.utils import safe_mean
from stable_baselines3.common.vec_env import VecNormalize
from torch import nn
from torch.nn import functional

from mjenv.training.learners.picture_networks import PIXELS, STATE, PicturePolicy
from mjenv.training.learners.pictures import PictureReplay, Step
from mjenv.training.learners.resumable import Remembering
from mjenv.training.worlds.vec_env import NativeVecEnv, native

LARGEST_TARGET_NOISE = 0.3
LOGGED = ("critic_loss", "actor_value", "state_loss")


class WideDrQ(Remembering, BaseAlgorithm):
    """DrQ-v2 with values of states, as an algorithm of Stable-Baselines3.

    Observations are dicts of "pixels", (pictures * channels, height, width), and of the "state",
    which only the values see.
    """

    policy_aliases: ClassVar[dict[str, type[BasePolicy]]] = {"PicturePolicy": PicturePolicy}
    policy: PicturePolicy
    replay_buffer: PictureReplay
    _random_state: dict[str, Any] | None = None

    def __init__(
        self,
        policy: Any,
        env: Any,
        learning_rate: Any = 1e-3,
        *,
        frame_stack: int = 3,
        action_repeat: int = 2,
        buffer_size: int = 200_000,
        learning_starts: int = 4_000,
        batch_size: int = 128,
        gradient_steps: int = 1,
        gamma: float = 0.99,
        n_steps: int = 3,
        tau: float = 0.01,
        shift: int = 1,
        noise: float = 0.1,
        noise_most: float | None = 0.8,
        target_noise: float = 0.2,
        policy_kwargs: dict[str, Any] | None = None,
        seed: int | None = None,
        device: str = "cpu",
        _init_setup_model: bool = True,
        **options: Any,
    ):
        """As the algorithms of Stable-Baselines3.

        Args:
            policy: "PicturePolicy", or that class.
            env: `PictureWorlds`, or a `VecNormalize` around them that normalizes nothing; None to
                load an agent.
            learning_rate: of Adam, or a schedule of it.
            frame_stack: pictures of an observation.
            action_repeat: steps of the environment under each action.
            buffer_size, learning_starts, batch_size, gradient_steps, gamma, n_steps, tau, shift,
            noise, noise_most, target_noise: see `FromPictures` of the settings.
            policy_kwargs: of the policy.
            seed: of the networks, the exploration and what is drawn.
            device: "cpu".
            _init_setup_model: whether networks are made.
            **options: of every algorithm.
        """
        if isinstance(env, NativeVecEnv):  # which checkpoints look for
            env = VecNormalize(env, norm_obs=False, norm_reward=False)
        super().__init__(
            policy, env, learning_rate, policy_kwargs, seed=seed, device=device,
            support_multi_env=True, supported_action_spaces=(spaces.Box,), **options,
        )  # fmt: skip
        self.frame_stack, self.action_repeat = frame_stack, action_repeat
        self.buffer_size, self.learning_starts = buffer_size, learning_starts
        self.batch_size, self.gradient_steps = batch_size, gradient_steps
        self.gamma, self.n_steps, self.tau, self.shift = gamma, n_steps, tau, shift
        self.noise, self.noise_most, self.target_noise = noise, noise_most, target_noise
        if _init_setup_model:
            self._setup_model()

    def _setup_model(self) -> None:
        self._setup_lr_schedule()
        self.set_random_seed(self.seed)
        self._generator = np.random.default_rng(self.seed)
        observations: Any = self.observation_space
        channels, *size = observations[PIXELS].shape
        self._channels = channels // self.frame_stack
        self.policy_kwargs["channels"] = self._channels
        make: Any = self.policy_class
        self.policy = make(observations, self.action_space, self.lr_schedule, **self.policy_kwargs)
        # of each step the newest pictures alone: those before are of the steps before
        n = 1 if self.env is None else self.env.num_envs
        shape: Any = self.action_space.shape
        numbers, actions = (
            np.zeros((n, *one), np.float32) for one in (observations[STATE].shape, shape)
        )
        self._age = np.zeros(n, np.int64)
        example = Step(
            np.zeros((n, self._channels, *size), np.uint8), numbers, self._age, actions,
            np.zeros(n, np.float32), np.zeros(n, bool),
        )  # fmt: skip
        room = 1 if self.env is None else max(1, self.buffer_size // n)
        self.replay_buffer = PictureReplay(room, example, self.frame_stack)
        self._deviations = np.full((n, 1), self.noise)
        if self.noise_most is not None:
            self._deviations[:, 0] = np.geomspace(self.noise, self.noise_most, n)

    def _excluded_save_params(self) -> list[str]:
        own = ["halting", "replay_buffer", "_generator", "_random_state", "_age", "_deviations"]
        return [*super()._excluded_save_params(), *own]

    def _get_torch_save_params(self) -> tuple[list[str], list[str]]:
        return ["policy", "policy.by_values", "policy.by_policy"], []

    def _setup_learn(self, *arguments: Any, **options: Any) -> Any:
        self.halting = False
        result = super()._setup_learn(*arguments, **options)
        if self._random_state is not None:
            torch.set_rng_state(torch.from_numpy(self._random_state["torch"]))
            self._generator.bit_generator.state = self._random_state["numpy"]
            self._random_state = None
        return result

    def learn(self, total_timesteps: int, callback: Any = None, log_interval: int = 4,
              tb_log_name: str = "DrQ", reset_num_timesteps: bool = True,
              progress_bar: bool = False) -> "WideDrQ":  # fmt: skip
        """Learn for so many steps of the worlds; the arguments are Stable-Baselines3's."""
        total, callback = self._setup_learn(
            total_timesteps, callback, reset_num_timesteps, tb_log_name, progress_bar
        )
        callback.on_training_start(locals(), globals())
        while self.num_timesteps < total:
            before = self._episode_num
            if not self._collect(callback):
                break
            self._update_current_progress_remaining(self.num_timesteps, total)
            # samples need the pictures before them and the rewards behind them
            known = self.replay_buffer.taken >= self.frame_stack + self.n_steps
            if self.num_timesteps >= self.learning_starts and known:
                many = self.env.num_envs if self.gradient_steps == -1 else self.gradient_steps
                self.train(many, self.batch_size)
            if log_interval and self._episode_num // log_interval > before // log_interval:
                self.dump_logs()
        callback.on_training_end()
        return self

    def _collect(self, callback: BaseCallback) -> bool:
        """Take an action in each world, and remember it; False if training shall stop."""
        callback.on_rollout_start()
        if self.halting:
            return False
        seen: Any = self._last_obs
        actions = self._explore(seen[PIXELS])
        env: Any = self.env
        observations, rewards, dones, infos = env.step(self.policy.unscale_action(actions))
        normalize: Any = self.get_vec_normalize_env()
        self.num_timesteps += native(normalize).stepped
        callback.update_locals(locals())
        if not callback.on_step():
            return False
        self._update_info_buffer(infos, dones)
        # episodes that were only cut off go on: their values count
        cut = np.array([info.get("TimeLimit.truncated", False) for info in infos])
        newest = seen[PIXELS][:, -self._channels :]
        self.replay_buffer.add(Step(newest, seen[STATE], self._age, actions, rewards, dones & ~cut))
        self._age = np.where(dones, 0, self._age + 1)
        self._last_obs, self._episode_num = observations, self._episode_num + int(dones.sum())
        callback.on_rollout_end()
        return True

    def _explore(self, pictures: np.ndarray) -> np.ndarray:
        """Actions from -1 to 1, (nworld, nact), each world's with a noise of its own."""
        shape = len(pictures), *(self.action_space.shape or ())
        if self.num_timesteps < self.learning_starts:
            return self._generator.uniform(-1.0, 1.0, shape).astype(np.float32)
        noise = self._deviations * self._generator.standard_normal(shape)
        return (self.policy.acts(pictures) + noise).clip(-1.0, 1.0).astype(np.float32)

    # gradient steps

    def train(self, gradient_steps: int, batch_size: int) -> None:
        """Go so many steps down the gradients of all networks."""
        policy, replay = self.policy, self.replay_buffer
        if not self._n_updates:  # from random actions it is learned how states are spread
            states = replay.steps.states[: min(replay.taken, replay.buffer_size)]
            policy.scale_states(states.reshape(-1, states.shape[-1]))
        self._update_learning_rate([policy.by_values, policy.by_policy])
        sums = torch.zeros(len(LOGGED))
        for _ in range(gradient_steps):
            sums += self._descend(batch_size)
        self._n_updates += gradient_steps
        self.logger.record("train/n_updates", self._n_updates, exclude="tensorboard")
        for name, value in zip(LOGGED, (sums / gradient_steps).tolist(), strict=True):
            self.logger.record(f"train/{name}", value)

    def _descend(self, batch_size: int) -> torch.Tensor:
        """A step of each network; what is `LOGGED` of it."""
        policy = self.policy
        drawn = self.replay_buffer.draw(
            batch_size, self.n_steps, self.gamma, self.shift, self._generator
        )
        states = (drawn.states - policy.mean) * policy.scale
        # values, towards what follows
        with torch.no_grad():
            noise = torch.randn_like(drawn.actions).mul_(self.target_noise)
            noise.clamp_(-LARGEST_TARGET_NOISE, LARGEST_TARGET_NOISE)
            next_actions = (policy.actor(drawn.next_pictures)[0] + noise).clamp_(-1.0, 1.0)
            next_states = (drawn.next_states - policy.mean) * policy.scale
            values = policy.target(next_states, next_actions).amin(0)
            targets = drawn.returns + drawn.discounts * values
        critic_loss = (policy.critic(states, drawn.actions) - targets).square().mean()
        policy.by_values.zero_grad()
        critic_loss.backward()
        policy.by_values.step()

        # the policy, towards higher ones
        policy.critic.requires_grad_(False)
        actions, guessed = policy.actor(drawn.pictures)
        value = policy.critic(states, actions).amin(0).mean()
        state_loss = functional.mse_loss(guessed, states)
        policy.by_policy.zero_grad()
        (state_loss - value / targets.abs().mean().clamp(min=1e-3)).backward()
        policy.by_policy.step()
        policy.critic.requires_grad_(True)
        follow(policy.target, policy.critic, self.tau)
        return torch.stack([critic_loss, value, state_loss]).detach()

    def dump_logs(self) -> None:
        """Write what has been logged."""
        spent = max((time.time_ns() - self.start_time) / 1e9, sys.float_info.epsilon)
        steps = self.num_timesteps - self._num_timesteps_at_start
        if self.ep_info_buffer:
            for name, key in (("ep_rew_mean", "r"), ("ep_len_mean", "l")):
                mean = safe_mean([info[key] for info in self.ep_info_buffer])
                self.logger.record(f"rollout/{name}", mean)
        if self.ep_success_buffer:
            self.logger.record("rollout/success_rate", safe_mean(self.ep_success_buffer))
        self.logger.record("time/fps", int(steps / spent))
        self.logger.record("time/time_elapsed", int(spent), exclude="tensorboard")
        self.logger.record("time/total_timesteps", self.num_timesteps, exclude="tensorboard")
        self.logger.dump(step=self.num_timesteps)

    # what a training needs to go on where it was

    def state(self) -> dict[str, Any]:
        """State that `save` leaves out, between two actions, without what is remembered."""
        normalize: Any = self.get_vec_normalize_env()
        observations: Any = self._last_obs
        return {
            "random": {
                "torch": torch.get_rng_state().numpy(),
                "numpy": self._generator.bit_generator.state,
            },
            "worlds": native(normalize).state(),
            "returns": normalize.returns.copy(),
            "observations": {name: array.copy() for name, array in observations.items()},
            "age": self._age.copy(),
            "taken": self.replay_buffer.taken,
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Go on from what `state` has returned, after `load`; draws do so when `learn` begins."""
        normalize: Any = self.get_vec_normalize_env()
        native(normalize).set_state(state["worlds"])
        normalize.returns = state["returns"].copy()
        self._last_obs, self._age = state["observations"], state["age"].copy()
        self._random_state = state["random"]


@torch.no_grad()
def follow(target: nn.Module, network: nn.Module, tau: float) -> None:
    """Move the target's parameters a part `tau` of the way to the network's."""
    for one, other in zip(target.parameters(), network.parameters(), strict=True):
        one.lerp_(other, tau)
