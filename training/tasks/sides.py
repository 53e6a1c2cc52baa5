"""Worlds of several agents: which actions, observations and rewards are whose."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from gymnasium import spaces


def owner(name: str, agents: Iterable[str]) -> str | None:
    """The agent whose name a term or an info begins with; None where it is everybody's."""
    owners = [agent for agent in agents if name.startswith(f"{agent}_")]
    return max(owners, key=len, default=None)


class Sides:
    """The agents of an environment, which see and do as much as one another.

    Attributes:
        names: of the agents.
        actions: numbers of the actions of each, (nagent, nact).
        terms: of the reward of each, by the names without the agent's.
    """

    def __init__(self, where: str, envs: Any):
        """Of a vector environment.

        Raises:
            ValueError: its task has no agents, or they do not see or do as much as one another.
        """
        # agents, and the part of the observation of each
        chosen = agents_of(envs)
        if not chosen:
            raise ValueError(
                f"{where}: has no several agents, expected a task with `agents` for self-play; "
                "train it with PPO"
            )
        self.names = tuple(chosen)
        space = envs.single_observation_space
        seen: dict[str, Any] = dict(space.spaces) if isinstance(space, spaces.Dict) else {}
        absent = [name for name in self.names if name not in seen]
        if absent:
            raise ValueError(
                f"{where}: found no observations of {', '.join(absent)}, expected the task's "
                "`groups` to have the names of its `agents`"
            )
        # one policy acts for all of them, so they must be alike
        sizes = {name: (seen[name].shape[0], len(chosen[name])) for name in self.names}
        if len(set(sizes.values())) > 1:
            told = ", ".join(f"{name} {a} and {b}" for name, (a, b) in sizes.items())
            raise ValueError(
                f"{where}: agents have different numbers of observations and actions ({told}), "
                "expected the same for all in self-play, which has one policy; train the others "
                "as a part of the environment, or with a library of mjenv.zoo.ParallelEnv"
            )
        # numbers of actions of each
        self.nobs, self.nact = sizes[self.names[0]]
        self.actions = np.array([list(chosen[name]) for name in self.names])
        self._envs = envs.unwrapped
        self._terms: list[dict[str, str]] | None = None

    def box(self) -> spaces.Box:
        """Action space of the first agent."""
        whole: Any = self._envs.single_action_space
        first = self.actions[0]
        return spaces.Box(whole.low[first], whole.high[first], dtype=whole.dtype)

    @property
    def terms(self) -> list[dict[str, str]]:
        """Of each agent's reward: name without the agent's -> name; known after a reset."""
        if self._terms is None:
            whose = {term: owner(term, self.names) for term in self._envs.reward_terms}
            self._terms = [
                {
                    term if one is None else term[len(one) + 1 :]: term
                    for term, one in whose.items()
                    if one in (name, None)
                }
                for name in self.names
            ]
        return self._terms

    def earned(self, infos: Mapping[str, Any], ended: np.ndarray) -> list[dict[str, np.ndarray]]:
        """Terms of each agent's reward in a step, (nworld,) each.

        Args:
            infos: of the vector environment's step.
            ended: where an episode has ended, (nworld,).
        """
        last = infos.get("final_info", {})

        def value(term: str) -> np.ndarray:
            found = np.array(infos.get(term, np.zeros(len(ended))), float)
            if term in last:
                found[ended] = last[term][ended]
            return found

        return [{name: value(term) for name, term in one.items()} for one in self.terms]

    def observations(self, observations: Mapping[str, Any]) -> np.ndarray:
        """Observations of each agent, (nagent, nworld, nobs)."""
        return np.stack([observations[name] for name in self.names])

    def joined(self, actions: np.ndarray) -> np.ndarray:
        """Actions of the worlds, (nworld, nu), of those of each agent, (nagent, nworld, nact)."""
        whole = np.zeros((actions.shape[1], self._envs.single_action_space.shape[0]), np.float32)
        for numbers, own in zip(self.actions, actions, strict=True):
            whole[:, numbers] = own
        return whole

    def mixed(self, ours: np.ndarray, others: np.ndarray, seats: np.ndarray) -> np.ndarray:
        """Actions (nworld, nu): in each world one agent's are ours, those of the rest others'."""
        whole, worlds = np.array(others, np.float32), np.arange(len(seats))[:, None]
        numbers = self.actions[seats]
        whole[worlds, numbers] = ours[worlds, numbers]
        return whole


def agents_of(envs: Any) -> dict[str, Any]:
    """Names and actions of the agents of a vector environment; {} where there is but one."""
    return dict(getattr(getattr(envs.unwrapped, "task", None), "agents", None) or {})
