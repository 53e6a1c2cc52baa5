"""Returns of whole episodes."""

from contextlib import closing
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode

from mjenv.gym import lookup
from mjenv.training.learners.recurrent_state import begin
from mjenv.training.tasks.episodes import LONGEST, Act, Episodes
from mjenv.training.tasks.sides import agents_of
from mjenv.training.worlds.vec_env import NativeVecEnv, tasks_of_worlds


def make_envs(
    env_id: str, num_envs: int, env_kwargs: dict[str, Any] | None = None, **how: Any
) -> NativeVecEnv:
    """Worlds of an environment, stepped together.

    Args:
        env_id: the environment.
        num_envs: how many.
        env_kwargs: keyword arguments of the environment.
        **how: those of the vector environment, such as `observation_dtype`.

    Raises:
        ValueError: the environment does not take these arguments.
    """
    # what is not finite is told by name, before it is learned from
    options = {"check_finite": True, **(env_kwargs or {}), **how}
    options["autoreset_mode"] = AutoresetMode.SAME_STEP
    try:
        envs = gymnasium.make_vec(env_id, num_envs, **options)
    except (TypeError, LookupError) as error:  # names of cameras are looked up
        raise ValueError(f"{env_id}: {error.args[0]}") from error
    # nobody reads them
    return NativeVecEnv(envs, running_infos=False)


def play(
    env_id: str,
    act: Act,
    episodes: int = 16,
    seed: int = 1_000_000,
    env_kwargs: dict[str, Any] | None = None,
    rival: Act | None = None,
) -> Episodes:
    """Play one episode in each of `episodes` worlds at once.

    Every world counts with its first episode, so that short episodes are not over-represented.
    In a task of several agents, one of them acts, another one in each world, and the returns are
    its own. Where there are several tasks, each has as many worlds as its share, and at least one.

    Args:
        env_id: the environment.
        act: actions (episodes, nu) for observations (episodes, nobs).
        episodes: how many.
        seed: world i starts from seed + i.
        env_kwargs: keyword arguments of the environment.
        rival: how the other agents act; None for actions at random.
    """
    episodes = max(episodes, len(lookup.tasks_of(env_id, env_kwargs)))
    envs = make_envs(env_id, episodes, env_kwargs)
    # several agents: contests against a rival
    if agents_of(envs.envs):
        from mjenv.training.tasks.match import contest

        with closing(envs):
            found: Any = contest(env_id, envs, act, seed, rival)
            return found
    # recurrent agents forget the episode before
    envs.seed(seed)
    begin(act)
    observations: Any = envs.reset()
    # each world counts with its first episode only
    returns, lengths = np.zeros(episodes), np.zeros(episodes, np.int64)
    running, terms = np.ones(episodes, bool), {}
    success, tasks = None, tasks_of_worlds(envs.envs)
    for _ in range(LONGEST):
        observations, rewards, done, infos = envs.step(act(observations))
        returns[running] += rewards[running]
        lengths += running
        # terms of the reward and successes are reported at the end of an episode
        for i in (running & done).nonzero()[0]:
            for name, total in infos[i]["episode"].get("terms", {}).items():
                terms.setdefault(name, np.zeros(episodes))[i] = total
            if "is_success" in infos[i]:
                success = _unknown(episodes, tasks) if success is None else success
                success[i] = infos[i]["is_success"]
        running &= ~done
        if not running.any():
            break
    envs.close()
    return Episodes(returns, lengths, terms, success, tasks)


def _unknown(episodes: int, tasks: np.ndarray | None) -> np.ndarray:
    """Successes before any has been told."""
    return np.zeros(episodes, bool) if tasks is None else np.full(episodes, np.nan)


def evaluate(
    env_id: str,
    act: Act,
    episodes: int = 16,
    seed: int = 1_000_000,
    env_kwargs: dict[str, Any] | None = None,
) -> np.ndarray:
    """Returns (episodes,) of whole episodes; the arguments are those of `play`."""
    return play(env_id, act, episodes, seed, env_kwargs).returns
