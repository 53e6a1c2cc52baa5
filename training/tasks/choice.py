"""The algorithm for an environment for which none is named."""

from typing import Any

import gymnasium
from gymnasium.envs.registration import load_env_creator

from mjenv.gym.lookup import is_port, spec_of
from mjenv.training.evaluate import make_envs
from mjenv.training.tasks.view import GOALS

USUAL, WITH_GOALS, WITH_AGENTS = "PPO", "SAC", "SelfPlay"


def algorithm_for(env_id: str, env_kwargs: dict[str, Any] | None = None) -> str:
    """The algorithm of an environment.

    It learns in hindsight where there are goals, and by self-play where there are several agents.

    Args:
        env_id: the environment, as `environment_id` has it.
        env_kwargs: its keyword arguments.

    Raises:
        ValueError: the environment does not take its arguments.
    """
    task = spec_of(env_id).kwargs.get("task")
    if isinstance(task, str):
        task = load_env_creator(task)
    if getattr(task, "agents", None):
        return WITH_AGENTS
    if not getattr(task, "groups", None) and not is_port(env_id):
        return USUAL
    envs = make_envs(env_id, 1, env_kwargs)
    space = envs.envs.single_observation_space
    envs.close()
    names = set(space) if isinstance(space, gymnasium.spaces.Dict) else set()
    return WITH_GOALS if set(GOALS) <= names else USUAL
