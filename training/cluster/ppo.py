"""PPO whose worlds are stepped by workers of a cluster."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from stable_baselines3.common.vec_env import VecEnv, VecNormalize

from mjenv.gym import lookup
from mjenv.training.cluster.worker import Part, Place, Policy
from mjenv.training.cluster.worker_pool import WorkerPool, threads_of
from mjenv.training.evaluate import make_envs
from mjenv.training.learners.normalization import Cut, ObservationNormalizer
from mjenv.training.learners.ppo import WidePPO
from mjenv.training.settings import Settings
from mjenv.training.tasks.rows import rows_of


class RemoteWorlds(VecEnv):
    """Worlds of workers, one worker behind the other; they are stepped by `ClusterPPO` alone.

    Attributes:
        workers: how many there are.
        view: what policy and critic see.
        worker_pool: the workers; there once a policy is.
    """

    worker_pool: WorkerPool

    def __init__(
        self, env_id: str, settings: Settings, workers: int, seed: int,
        env_kwargs: dict[str, Any],
    ):  # fmt: skip
        """Of an environment.

        Args:
            env_id: the environment.
            settings: of the learner; `n_envs` are the worlds of all workers together.
            workers: how many there are, which share the processors of the cluster.
            seed: of the training.
            env_kwargs: keyword arguments of the environment.

        Raises:
            ValueError: the worlds cannot be shared evenly.
        """
        num_envs = settings.n_envs
        if num_envs % workers:
            raise ValueError(
                f"n_envs: found {num_envs}, expected a multiple of the {workers} workers"
            )
        # spaces, and what the learner sees, are those of one world here
        one = make_envs(env_id, 1, env_kwargs, observation_dtype=np.float32)
        one = rows_of(env_id, one, settings)
        super().__init__(num_envs, one.observation_space, one.action_space)
        one.close()
        self.workers, self.view = workers, one.view
        size = num_envs // workers
        # what workers need to make their worlds: names and numbers that can be pickled
        self._describe = (env_id, lookup.origin(env_id), env_kwargs, one.view.to_dict(), size)
        self._seed, self._spread = seed, getattr(settings, "init_at_random_ep_len", False)

    def start(self, actor: Any) -> None:
        """Start the workers, with the network of a policy."""
        threads = threads_of(self.workers)
        places = [
            Place(k, *self._describe, threads, self._seed, self._spread)
            for k in range(self.workers)
        ]
        self.worker_pool = WorkerPool(places, actor)

    def reset(self) -> np.ndarray:
        """Start an episode in every world; world i from the seed + i."""
        seeds: list[Any] = self._seeds[:: self.num_envs // self.workers]
        self._reset_seeds()
        return _observations(self.worker_pool.reset(seeds))

    def seed(self, seed: int | None = None) -> Sequence[int | None]:
        """World i starts from seed + i at the next reset."""
        self._seeds = [None if seed is None else seed + i for i in range(self.num_envs)]
        return self._seeds

    def state(self) -> list[dict[str, Any]]:
        """Everything that the next steps depend on, of each worker."""
        return self.worker_pool.states

    def set_state(self, states: list[dict[str, Any]]) -> np.ndarray:
        """Go on from what `state` has returned; returns observations.

        Raises:
            ValueError: it was made by another number of workers.
        """
        if len(states) != self.workers:
            raise ValueError(f"state of {len(states)} workers, expected {self.workers}")
        self.worker_pool.restore(states)
        return _observations(states)

    def close(self) -> None:
        """End the workers."""
        if hasattr(self, "worker_pool"):
            self.worker_pool.close()

    def step_async(self, actions: np.ndarray) -> None:
        raise TypeError("RemoteWorlds.step_async: workers step these worlds; learn with ClusterPPO")

    def step_wait(self) -> Any:
        raise TypeError("RemoteWorlds.step_wait: workers step these worlds; learn with ClusterPPO")

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        if attr_name == "render_mode":
            return [None] * self.num_envs
        raise AttributeError(
            f"RemoteWorlds.{attr_name}: cannot be read, because the worlds are in the workers; "
            "env_kwargs has what they were made with"
        )

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        raise AttributeError(
            f"RemoteWorlds.{attr_name}: cannot be set, because the worlds are in the workers; give "
            "it as env_kwargs"
        )

    def env_method(self, method_name: str, *values: Any, indices: Any = None, **named: Any) -> Any:
        raise AttributeError(
            f"RemoteWorlds.{method_name}: cannot be called, because the worlds are in the workers; "
            "call it in an environment of this process"
        )

    def env_is_wrapped(self, wrapper_class: type, indices: Any = None) -> list[bool]:
        # so that nobody puts a monitor around them
        return [True] * self.num_envs


def _observations(states: list[dict[str, Any]]) -> np.ndarray:
    return np.concatenate([state["observations"] for state in states])


class RemoteSampler:
    """The workers of `RemoteWorlds`, as a `Sampler`.

    Attributes:
        worlds, raw, starts, physics: see `Sampler`; `physics` is that of the slowest worker.
    """

    def __init__(self, worlds: RemoteWorlds):
        """Of workers that were started."""
        self.worlds, self.physics = worlds, 0.0

    def begin(self, raw: np.ndarray, starts: np.ndarray) -> None:
        """Note where the workers are."""
        self.raw, self.starts = raw, starts

    def gather(
        self, rollout: Any, policy: Policy, before: int, normalizer: ObservationNormalizer, cut: Cut
    ) -> Any:
        """Fill a rollout; yields as `Sampler.run` does, when all workers have done their parts."""
        parts = self.worlds.worker_pool.sample(policy, rollout.buffer_size, before)
        size = self.worlds.num_envs // self.worlds.workers
        for k, part in enumerate(parts):
            put_part(rollout, part, slice(k * size, (k + 1) * size))
            normalizer.sums += part.sums
            normalizer.squares += part.squares
            if part.cut is not None:
                cut.join(part.cut, k * size)
        self.physics = max(part.physics for part in parts)
        states = self.worlds.worker_pool.states
        self.begin(_observations(states), np.concatenate([state["starts"] for state in states]))
        yield from told(parts, rollout, size)


def put_part(rollout: Any, part: Part, worlds: slice) -> None:
    """Put a worker's part of a rollout into the columns of its worlds."""
    for name in ("observations", "actions", "log_probs", "rewards", "ends", "episode_starts"):
        getattr(rollout, name)[:, worlds] = getattr(part, name)


def told(parts: list[Part], rollout: Any, size: int) -> Iterator[dict[str, Any]]:
    """Arguments of callbacks after each step of a rollout that is over."""
    low, high = rollout.action_space.low, rollout.action_space.high
    ended: list[dict[int, Any]] = [{} for _ in range(rollout.buffer_size)]
    for k, part in enumerate(parts):
        for t, i, episode in part.episodes:
            ended[t][k * size + i] = {"episode": episode}
    for t, last in enumerate(ended):
        infos = [last.get(i, {}) for i in range(rollout.n_envs)]
        step = {"t": t, "rewards": rollout.rewards[t], "dones": rollout.ends[t], "infos": infos}
        yield {**step, "clipped_actions": np.clip(rollout.actions[t], low, high)}


class ClusterPPO(WidePPO):
    """PPO whose worlds are `RemoteWorlds`: workers go through them, and the update is here.

    All is synchronous: a training is a function of its settings, the number of workers among them.
    """

    worlds_type = RemoteWorlds

    def _setup_model(self) -> None:
        super()._setup_model()
        normalize = self.get_vec_normalize_env()
        if normalize is not None:
            remote: Any = normalize.venv
            remote.start(self.actor)

    def _shorten_first_episodes(self, worlds: Any) -> None:
        """Leave it to the workers, which have the worlds."""

    def _sampling(self) -> Any:
        normalize: Any = self.get_vec_normalize_env()
        if getattr(self, "_sampler", None) is None:
            self._sampler: Any = RemoteSampler(normalize.venv)
        return self._sampler

    def _experience(
        self, normalize: VecNormalize, normalizer: ObservationNormalizer, cut: Cut, n_steps: int
    ) -> Iterator[dict[str, Any]]:
        policy = Policy.of(self, normalizer)
        before = self.num_timesteps
        return self._sampling().gather(self.rollout_buffer, policy, before, normalizer, cut)
