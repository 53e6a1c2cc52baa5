"""Augmented random search for many worlds, as an algorithm of sb3-contrib.

The method is V2-t of Mania, Guy and Recht, "Simple random search of static policies is competitive
for reinforcement learning" (2018): a linear policy of normalized observations is moved along random
directions by the difference of the returns that steps forth and back along them have. Files,
policies and names are those of `sb3_contrib.ARS`, of which this is a subclass, which plays one
perturbed policy after the other. Here each of them has worlds of its own, and all of these are
stepped in one call.

Products are multiplied, and then added in the order of their index, without BLAS: what is learned
has the same bits for any number of threads and on any processor.
"""

from typing import Any

import numpy as np
from sb3_contrib import ARS
from sb3_contrib.ars.policies import ARSLinearPolicy
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecNormalize

from mjenv.training.learners.normalization import ObservationNormalizer
from mjenv.training.learners.resumable import Resumable
from mjenv.training.worlds.vec_env import NativeVecEnv, native

LINEAR = "LinearPolicy"


class WideARS(Resumable, ARS):
    """Augmented random search on a `NativeVecEnv`, with the same policy in no two pairs of worlds.

    The worlds are first `n_eval_episodes` for each direction forth, and then as many for each back.
    A world whose episode has ended waits for the others.

    Attributes:
        share: how much of the training is over, 0 to 1, where a callback knows it better than by
            the steps; schedules follow it.
    """

    share: float | None = None

    def __init__(self, policy: Any, env: Any, **options: Any):
        """As sb3-contrib's ARS, but for the environment.

        Args:
            policy: "LinearPolicy".
            env: a `NativeVecEnv` or a `VecNormalize` around one, of 2 * `n_delta` *
                `n_eval_episodes` worlds; or the name of an environment. None to load an agent.
            **options: see `sb3_contrib.ARS`.

        Raises:
            ValueError: another policy, or more directions are used than drawn.
        """
        if policy not in (LINEAR, ARSLinearPolicy) or options.get("policy_kwargs"):
            raise ValueError(
                f"WideARS: policy is {policy!r} with {options.get('policy_kwargs') or 'no options'}"
                f", expected {LINEAR!r} without options; sb3_contrib.ARS has others"
            )
        n_delta = options.get("n_delta", 8)
        if (options.get("n_top") or n_delta) > n_delta:
            raise ValueError(
                f"WideARS: n_top is {options['n_top']}, expected at most n_delta, {n_delta}"
            )
        if isinstance(env, str):
            count = 2 * n_delta * options.get("n_eval_episodes", 1)
            env = NativeVecEnv(env, count, running_infos=False, observation_dtype=np.float32)
        if isinstance(env, NativeVecEnv):
            env = VecNormalize(env, norm_reward=False)
        super().__init__(policy, env, **options)

    def _setup_model(self) -> None:
        super()._setup_model()
        self._generator = np.random.default_rng(self.seed)
        self.halting = False

    def _excluded_save_params(self) -> list[str]:
        own = ["weights", "_generator", "_raw", "halting", "share"]
        return [*super()._excluded_save_params(), *own]

    def _setup_learn(self, *arguments: Any, **options: Any) -> Any:
        normalize, count = self.get_vec_normalize_env(), self.pop_size * self.n_eval_episodes
        if normalize is None or not isinstance(normalize.venv, NativeVecEnv):
            raise TypeError(
                f"WideARS: found {self.env!r}, expected a NativeVecEnv; sb3_contrib.ARS takes "
                "others"
            )
        if normalize.num_envs != count:
            raise ValueError(
                f"WideARS: found {normalize.num_envs} worlds, expected {count}: "
                f"{self.n_eval_episodes} for each of {self.n_delta} directions forth and back"
            )
        before, self.halting = self._last_obs, False
        # the first observations are not counted alone: they hardly differ
        normalize.training = False
        result = super()._setup_learn(*arguments, **options)
        normalize.training = True
        if self._last_obs is not before:  # the worlds have been reset
            self._raw = np.array(normalize.get_original_obs(), np.float32)
        return result

    def learn(self, total_timesteps: int, callback: Any = None, log_interval: int = 1,
              tb_log_name: str = "ARS", reset_num_timesteps: bool = True,
              progress_bar: bool = False) -> "WideARS":  # fmt: skip
        """Search for so many steps of the worlds; the arguments are Stable-Baselines3's."""
        total, callback = self._setup_learn(
            total_timesteps, callback, reset_num_timesteps, tb_log_name, progress_bar
        )
        callback.on_training_start(locals(), globals())
        while self.num_timesteps < total:
            self._update_current_progress_remaining(self.num_timesteps, total)
            if not self._search(callback):
                break
            if log_interval is not None and self._n_updates % log_interval == 0:
                self.dump_logs()
        callback.on_training_end()
        return self

    # an iteration

    def _search(self, callback: BaseCallback) -> bool:
        """Draw directions, play both ways along each, and move the policy; False if stopped."""
        callback.on_rollout_start()
        if self.halting:
            return False
        if self.share is not None:
            self._current_progress_remaining = max(0.0, 1.0 - self.share)
        # policies (nobs, nact) of all worlds, whose number is the last index
        matrix = self.matrix
        shape = *matrix.T.shape, self.n_delta
        deltas = self._generator.standard_normal(shape, np.float32)
        steps = np.float32(self.delta_std_schedule(self._current_progress_remaining)) * deltas
        policies = matrix.T[..., None] + np.concatenate([steps, -steps], axis=-1)
        returns = self._play(np.repeat(policies, self.n_eval_episodes, axis=-1), callback)
        if returns is None:
            return False
        callback.on_rollout_end()
        self._move(deltas, returns.reshape(2, self.n_delta, -1).mean(-1))
        return True

    def _play(self, policies: np.ndarray, callback: BaseCallback) -> np.ndarray | None:
        """Play an episode in each world; a world's next one begins when its last has ended.

        Args:
            policies: (nobs, nact, nworld) float32.
            callback: told after each step; may stop the training.

        Returns:
            Returns (nworld,) with the offset of survival, or None if stopped.
        """
        normalize: Any = self.get_vec_normalize_env()
        space: Any = self.action_space
        worlds, count = native(normalize), 0
        normalizer = ObservationNormalizer.of(normalize)
        returns, running = np.zeros(worlds.num_envs), np.arange(worlds.num_envs)
        # normalized observations; those of worlds that wait are not looked at
        rows, columns = np.zeros_like(self._raw), np.zeros_like(self._raw.T, order="C")
        some: Any = slice(None)
        self._clear_episodes()
        while running.size:
            # what each policy does
            columns[:, some] = normalizer.normalize(self._raw[some], rows[: running.size]).T
            actions = acted(policies, columns)[some].clip(space.low, space.high)
            # what comes of it
            whole = running.size == worlds.num_envs
            step = worlds.advance(actions) if whole else worlds.advance_some(actions, running)
            self._raw[some], rewards, terminated, truncated, infos = step
            returns[some] += rewards + self.alive_bonus_offset
            self.num_timesteps, count = self.num_timesteps + running.size, count + running.size
            # episodes that are over
            dones, ended = terminated | truncated, []
            if dones.any():
                told = worlds.last_infos(infos, terminated, truncated, running)
                ended = [told[i] for i in dones.nonzero()[0].tolist()]
                self._update_info_buffer(ended, np.ones(len(ended), bool))
                some = running = running[~dones]
            callback.update_locals({"dones": dones, "infos": ended, "rewards": rewards})
            if not callback.on_step():
                return None
        normalizer.update(normalize, count)
        return returns

    def _move(self, deltas: np.ndarray, returns: np.ndarray) -> None:
        """Move the policy along the best directions, by how much better forth is than back.

        Args:
            deltas: directions (nobs, nact, n_delta).
            returns: forth and back, (2, n_delta).
        """
        learning_rate = self.lr_schedule(self._current_progress_remaining)
        best = np.argsort(-returns.max(axis=0), kind="stable")[: self.n_top]
        deviation = float(returns[:, best].std())
        step_size = learning_rate / (self.n_top * deviation + 1e-6)
        weights = (step_size * (returns[0, best] - returns[1, best])).astype(np.float32)
        matrix = self.matrix
        for k, weight in zip(best.tolist(), weights, strict=True):
            matrix += weight * deltas[..., k].T
        self._n_updates += 1
        self.logger.record("train/iterations", self._n_updates, exclude="tensorboard")
        self.logger.record("train/learning_rate", learning_rate)
        self.logger.record("train/step_size", step_size)
        self.logger.record("rollout/return_std", deviation)
        if self.ep_success_buffer:
            self.logger.record("rollout/success_rate", float(np.mean(self.ep_success_buffer)))

    @property
    def matrix(self) -> np.ndarray:
        """The policy: a view (nact, nobs) of its weights."""
        policy: Any = self.policy
        return policy.action_net[0].weight.detach().numpy()

    def _clear_episodes(self) -> None:
        """The log is of the episodes of one iteration."""
        for episodes in (self.ep_info_buffer, self.ep_success_buffer):
            if episodes is not None:
                episodes.clear()

    # what a training needs to go on where it was

    def state(self) -> dict[str, Any]:
        """State that `save` leaves out, between two iterations."""
        normalize: Any = self.get_vec_normalize_env()
        return {
            "generator": self._generator.bit_generator.state,
            "worlds": native(normalize).state(),
            "observations": self._raw.copy(),
        }

    def set_state(self, state: dict[str, Any]) -> None:
        """Go on from what `state` has returned, after `load`."""
        normalize: Any = self.get_vec_normalize_env()
        self._generator.bit_generator.state = state["generator"]
        native(normalize).set_state(state["worlds"])
        self._raw = state["observations"].copy()
        self._last_obs = normalize.normalize_obs(self._raw)


def acted(policies: np.ndarray, observations: np.ndarray) -> np.ndarray:
    """Actions (nworld, nact) of linear policies, each of its own world's observations.

    Args:
        policies: (nobs, nact, nworld).
        observations: (nobs, nworld).
    """
    # sums go down the first axis, one row after the other: that of a world never depends on others
    return np.add.reduce(policies * observations[:, None], axis=0).T
