"""Worlds whose observations in groups are rows, as learners of vectors take them."""

from dataclasses import replace
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import VectorEnv

from mjenv.training.settings import StableRecurrent
from mjenv.training.tasks.sides import agents_of
from mjenv.training.tasks.view import View, view_of
from mjenv.training.worlds.vec_env import NativeVecEnv


class Rows(NativeVecEnv):
    """A `NativeVecEnv` of which observations are the rows of a view.

    Attributes:
        view: what policy and critic see.
    """

    view: View

    def __init__(self, envs: VectorEnv, view: View):
        """Of a vector environment whose observations are in groups."""
        super().__init__(envs, running_infos=False)
        self.view = view
        size = view.width + len(view.rest)
        self.observation_space = spaces.Box(-np.inf, np.inf, (size,), np.float32)

    def reset(self) -> np.ndarray:
        """Start an episode in every world."""
        return self.view.row(super().reset())

    def advance(
        self, actions: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """See `NativeVecEnv`."""
        observations, rewards, terminated, truncated, infos = super().advance(actions)
        if "final_obs" in infos:
            final = infos["final_obs"]
            for i in infos["_final_obs"].nonzero()[0]:
                final[i] = self.view.row(final[i])
        return self.view.row(observations), rewards, terminated, truncated, infos

    def set_state(self, state: dict[str, Any]) -> np.ndarray:
        """Go on from what `state` has returned; returns observations."""
        return self.view.row(super().set_state(state))


def _columns(space: Any) -> dict[str, np.ndarray]:
    """Columns of the parts of a dict, one after the other; none for what is no dict."""
    if not isinstance(space, spaces.Dict):
        return {}
    sizes = {name: int(np.prod(one.shape or ())) for name, one in space.items()}
    ends = np.cumsum([0, *sizes.values()]).tolist()
    return {n: np.arange(a, b) for n, a, b in zip(sizes, ends, ends[1:], strict=False)}


def rows_of(where: str, envs: NativeVecEnv, settings: Any) -> NativeVecEnv:
    """Worlds as a learner takes them: rows where observations are in groups.

    Args:
        where: the environment, for messages.
        envs: its worlds.
        settings: of the learner; `actor_group` and `critic_group` of it, or else of the task, say
            which groups are seen.

    Raises:
        ValueError: there are no such groups.
    """
    # several agents need a learner for them, or one that acts for all
    agents = agents_of(envs.envs)
    if agents and not settings.actor_group:
        raise ValueError(
            f"{where}: has several agents, {' and '.join(agents)}, expected --algorithm SelfPlay "
            f"rather than {settings.algorithm}; or --set actor_group:NAME for one that acts for all"
        )
    # the learner's settings come before the task's
    inner: Any = envs.envs.unwrapped
    task = getattr(inner, "task", None)
    chosen = [
        getattr(settings, name, None) or getattr(task, name, None)
        for name in ("actor_group", "critic_group")
    ]
    groups = getattr(inner, "_groups", None)
    columns = groups.columns if groups else _columns(envs.envs.single_observation_space)
    view = view_of(where, columns, *chosen)
    # recurrent networks have no critic of their own view
    remembers = isinstance(settings, StableRecurrent)
    if remembers and chosen[1]:
        raise ValueError(
            f"{settings.algorithm}: its critic sees what the actor does, found critic_group "
            f"{chosen[1]!r}; leave it out, or take PPO"
        )
    if remembers or not hasattr(settings, "critic_group"):
        view = replace(view, critic="", rest=())
    return Rows(envs.envs, view) if view.actor else envs
