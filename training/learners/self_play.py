"""PPO of a policy that plays all sides of a task of several agents."""

from typing import Any

from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import VecEnv

from mjenv.training.learners.normalization import ObservationNormalizer
from mjenv.training.learners.ppo import WidePPO
from mjenv.training.settings import SelfPlay
from mjenv.training.tasks.arena import Arena, PolicySnapshot
from mjenv.training.tasks.sides import Sides
from mjenv.training.worlds.vec_env import NativeVecEnv


class SelfPlayPPO(WidePPO):
    """PPO in an `Arena`, which remembers the policy now and then (Bansal et al., 2018).

    Attributes:
        past_every: updates after which the policy is remembered.
    """

    worlds_type: type[VecEnv] = Arena

    def __init__(self, *arguments: Any, past_every: int = 20, **options: Any):
        """See `WidePPO`."""
        self.past_every = past_every
        super().__init__(*arguments, **options)

    def _setup_model(self) -> None:
        super()._setup_model()
        normalize: Any = self.get_vec_normalize_env()
        if normalize is not None:
            normalize.venv.prepare(self.actor)

    def collect_rollouts(
        self, env: Any, callback: BaseCallback, rollout_buffer: Any, n_rollout_steps: int
    ) -> bool:
        """See `WidePPO`; a snapshot of the policy is kept before it, where one is due."""
        updates = self.num_timesteps // (env.num_envs * n_rollout_steps)
        if updates % self.past_every == 0:
            snapshot = PolicySnapshot.of(
                self.actor, self.policy.log_std, ObservationNormalizer.of(env)
            )
            env.venv.add(snapshot, self.num_timesteps)
        return super().collect_rollouts(env, callback, rollout_buffer, n_rollout_steps)


def worlds_for(settings: SelfPlay, agents: int) -> tuple[int, int]:
    """Worlds of a training: how many in all, and in how many of them an earlier self plays."""
    rivals = round(settings.past * settings.n_envs)
    rivals += (settings.n_envs - rivals) % agents
    return (settings.n_envs - rivals) // agents + rivals, rivals


def arena_of(where: str, envs: NativeVecEnv, make: Any, settings: SelfPlay, seed: int) -> Arena:
    """Worlds of self-play.

    Args:
        where: the environment, for messages.
        envs: a world of it.
        make: makes so many worlds.
        settings: of the learner.
        seed: of the training.

    Raises:
        ValueError: the task has no agents, or different ones.
    """
    agents = len(Sides(where, envs.envs).names)
    envs.close()
    count, rivals = worlds_for(settings, agents)
    return Arena(where, make(count).envs, rivals, settings.past_size, seed)
