"""Stable-Baselines3's view of a Gymnasium vector environment."""

import inspect
import time
from collections.abc import Sequence
from types import MappingProxyType
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from stable_baselines3.common.vec_env import VecEnv

# The info of every world whose episode goes on; read-only, as all of them share it.
_NOTHING: Any = MappingProxyType({})


class NativeVecEnv(VecEnv):
    """A vector environment that steps all worlds in one call, as a `VecEnv`.

    Python touches single worlds only when their episode ends: then the info of the world holds what
    Stable-Baselines3 looks for, `terminal_observation`, `TimeLimit.truncated` and `episode`
    (return, length, seconds since the start). All other worlds share one empty info.
    """

    def __init__(self, envs: VectorEnv):
        """Wrap `envs`.

        Args:
            envs: made with `autoreset_mode=AutoresetMode.SAME_STEP`; its spaces are boxes.

        Raises:
            ValueError: the environment resets in another way or has other spaces.
        """
        mode = envs.metadata.get("autoreset_mode")
        if mode != AutoresetMode.SAME_STEP:
            raise ValueError(
                f"NativeVecEnv: autoreset_mode is {mode}, expected AutoresetMode.SAME_STEP; "
                "pass autoreset_mode=... to gymnasium.make_vec"
            )
        observations, actions = envs.single_observation_space, envs.single_action_space
        if not isinstance(observations, spaces.Box) or not isinstance(actions, spaces.Box):
            raise ValueError(
                f"NativeVecEnv: spaces are {observations} and {actions}, expected boxes for both"
            )
        self.envs = envs
        # single precision, as the networks and the rollout buffer use it
        box = spaces.Box(
            observations.low.astype(np.float32),
            observations.high.astype(np.float32),
            dtype=np.float32,
        )
        super().__init__(envs.num_envs, box, actions)
        self._actions = np.zeros((self.num_envs, *(actions.shape or ())), np.float32)
        self._no_infos: list[Any] = [_NOTHING] * self.num_envs
        self._returns = np.zeros(self.num_envs)
        self._lengths = np.zeros(self.num_envs, np.int64)
        self._start = time.time()

    def reset(self) -> np.ndarray:
        """Start an episode in every world; the seed of `seed()` counts for this reset."""
        observations, _ = self.envs.reset(seed=self._seeds[0])
        self._reset_seeds()
        self._returns[:] = 0
        self._lengths[:] = 0
        return observations.astype(np.float32)

    def step_async(self, actions: np.ndarray) -> None:
        self._actions = actions

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[Any]]:
        observations, rewards, terminated, truncated, infos = self.envs.step(self._actions)
        self._returns += rewards
        self._lengths += 1
        done = terminated | truncated
        ended = np.flatnonzero(done)
        single_infos = self._no_infos
        if ended.size:
            single_infos = self._infos_of(ended, infos["final_obs"], truncated & ~terminated)
        return observations.astype(np.float32), rewards.astype(np.float32), done, single_infos

    def _infos_of(
        self, ended: np.ndarray, final: Sequence[np.ndarray], truncated: np.ndarray
    ) -> list[Any]:
        """Infos of a step in which the episodes of the worlds `ended` did."""
        infos = self._no_infos[:]
        seconds = round(time.time() - self._start, 6)
        for i in ended:
            infos[i] = {
                "terminal_observation": np.asarray(final[i], np.float32),
                "TimeLimit.truncated": bool(truncated[i]),
                "episode": {
                    "r": float(self._returns[i]),
                    "l": int(self._lengths[i]),
                    "t": seconds,
                },
            }
        self._returns[ended] = 0
        self._lengths[ended] = 0
        return infos

    def close(self) -> None:
        self.envs.close()

    # What follows is asked for one world at a time by design; one object serves them all.

    def seed(self, seed: int | None = None) -> list[int | None]:
        """World i starts from seed + i at the next reset."""
        self._seeds = [None if seed is None else seed + i for i in range(self.num_envs)]
        return self._seeds

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        return [getattr(self.envs, attr_name)] * len(list(self._get_indices(indices)))

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Set a parameter of the task, which all worlds share."""
        task = getattr(self.envs.unwrapped, "task", None)
        if task is None or attr_name not in task.parameters():
            raise AttributeError(
                f"NativeVecEnv.set_attr: {attr_name!r} is not set in single worlds; "
                "set it in `.envs`"
            )
        if len(list(self._get_indices(indices))) < self.num_envs:
            raise ValueError(
                f"NativeVecEnv.set_attr: {attr_name!r} for worlds {indices}, expected all; worlds "
                "share the parameters of their task"
            )
        setattr(task, attr_name, value)

    def env_method(
        self, method_name: str, *method_args: Any, indices: Any = None, **method_kwargs: Any
    ) -> list[Any]:
        """Call a method for some worlds: one that takes `env_ids`, such as `save_state`."""
        method = getattr(self.envs.unwrapped, method_name, None)
        if method is None or "env_ids" not in inspect.signature(method).parameters:
            raise AttributeError(
                f"NativeVecEnv.env_method: {method_name!r} cannot be called in single worlds; "
                "call the method of `.envs`"
            )
        worlds = list(self._get_indices(indices))
        return list(method(*method_args, env_ids=worlds, **method_kwargs))

    def get_images(self) -> Sequence[np.ndarray | None]:
        """A picture of every world."""
        pictures: Any = self.envs.render()
        return list(pictures)

    def env_is_wrapped(self, wrapper_class: type, indices: Any = None) -> list[bool]:
        return [False] * len(list(self._get_indices(indices)))
