"""Returns of whole episodes."""

from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, field
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode

from mjenv.gym import lookup
from mjenv.training.learners.recurrent_state import begin
from mjenv.training.tasks.sides import agents_of
from mjenv.training.worlds.vec_env import NativeVecEnv, tasks_of_worlds

# Steps after which an episode is cut off where the environment has no limit of its own.
LONGEST = 10_000

Act = Callable[[np.ndarray], np.ndarray]


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
    except TypeError as error:
        raise ValueError(f"{env_id}: {error}") from error
    # nobody reads them
    return NativeVecEnv(envs, running_infos=False)


@dataclass(frozen=True)
class Episodes:
    """Whole episodes.

    Attributes:
        returns: undiscounted sum of the rewards of each, (n,).
        lengths: steps of each, (n,).
        terms: name -> sum of a term of the reward in each, (n,).
        success: whether each ended with success, (n,) bool, where the task tells `is_success`;
            of several tasks (n,), nan where one does not.
        tasks: name of the task of each, (n,), where there are several.
    """

    returns: np.ndarray
    lengths: np.ndarray
    terms: dict[str, np.ndarray] = field(default_factory=dict)
    success: np.ndarray | None = None
    tasks: np.ndarray | None = None

    def summary(self) -> dict[str, float]:
        """Their number, the mean, deviation and extremes of returns, and the mean length.

        Of tasks that tell it, also the share that ended with success.
        """
        returns, told = self.returns, {}
        if self.success is not None and not np.isnan(self.success).all():
            told["success"] = float(np.nanmean(self.success))
        return {
            "episodes": int(returns.size),
            "mean": float(returns.mean()),
            "std": float(returns.std()),
            "min": float(returns.min()),
            "max": float(returns.max()),
            "length": float(self.lengths.mean()),
            **told,
        }

    def of_tasks(self) -> dict[str, "Episodes"]:
        """Those of each task, where there are several."""
        found = {}
        for name in dict.fromkeys(() if self.tasks is None else self.tasks.tolist()):
            own = self.tasks == name
            terms = {term: sums[own] for term, sums in self.terms.items()}
            terms = {term: sums for term, sums in terms.items() if not np.isnan(sums).all()}
            success = None if self.success is None else self.success[own]
            found[name] = Episodes(self.returns[own], self.lengths[own], terms, success)
        return found

    def table(self) -> list[str]:
        """Lines with the mean sum of each term of the reward, and with its mean in a step.

        Of several tasks, each has a line with its return before its own terms.
        """
        if self.tasks is not None:
            return [line for name, one in self.of_tasks().items() for line in one._lines(name)]
        steps = float(self.lengths.mean())
        rows = [(name, sums.mean(), sums.mean() / steps) for name, sums in self.terms.items()]
        width = max((len(name) for name in self.terms), default=0)
        head = [f"  {'term':{width}}  {'episode':>10}  {'step':>9}"] if rows else []
        return [*head, *(f"  {name:{width}}  {a:>10,.1f}  {b:>9.4f}" for name, a, b in rows)]

    def _lines(self, task: str) -> list[str]:
        """The lines of one task of several."""
        found = self.summary()
        success = f", success {found['success']:.0%}" if "success" in found else ""
        spread = f"return {found['mean']:,.1f} +- {found['std']:,.1f}"
        count = f"{found['episodes']} episodes of {found['length']:,.0f} steps"
        return [f"{task}: {spread} in {count}{success}", *self.table()]


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
