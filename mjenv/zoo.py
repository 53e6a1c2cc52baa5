"""Environments of several agents with PettingZoo's interface: `ParallelEnv("mjenv/TwoAnts-v0")`.

Needs PettingZoo: pip install 'mjenv[zoo]'.
"""

from typing import Any

import gymnasium
import numpy as np
from gymnasium.spaces import Box, Dict

from mjenv.gym.lookup import environment_id
from mjenv.system.packages import needed
from mjenv.training.tasks.sides import owner

with needed("mjenv.zoo"):
    import pettingzoo  # pyright: ignore[reportMissingImports]


class ParallelEnv(pettingzoo.ParallelEnv):
    """An environment of several agents that act at the same time.

    Its task has `agents`, names and which of the actions are theirs; groups of observations have
    the same names; terms of the reward whose names begin with that of an agent and an underscore
    are that agent's, all others are everybody's. Episodes end for all at once.

    Attributes:
        env: the single environment of all agents.
        possible_agents: names of the agents.
        agents: the same while an episode lasts, else empty.
    """

    metadata: dict[str, Any]

    def __init__(self, env: str | gymnasium.Env, **arguments: Any):
        """Make the environment.

        Args:
            env: name of an environment, or a single environment that has been made.
            **arguments: of `gymnasium.make`, where it is a name.

        Raises:
            TypeError: the task has no agents, or observations are not in groups of their names.
        """
        if isinstance(env, str):
            env = gymnasium.make(environment_id(env), **arguments)
        elif arguments:
            raise TypeError(
                f"ParallelEnv: {', '.join(arguments)}: found with an environment, expected with a "
                "name; give it to gymnasium.make"
            )
        unwrapped: Any = env.unwrapped
        # agents: names, and the numbers of their actions
        indices = getattr(getattr(unwrapped, "task", None), "agents", None)
        if not indices:
            raise TypeError(
                f"ParallelEnv: the task of {env} has no `agents`, a dict of names and indices of "
                "actions; give it this attribute"
            )
        seen = env.observation_space
        absent = [name for name in indices if not (isinstance(seen, Dict) and name in seen.spaces)]
        if absent:
            raise TypeError(
                f"ParallelEnv: found no observations of {', '.join(absent)}, expected the task's "
                "`groups` to have the names of its `agents`"
            )
        # what the wrapped environment says of itself
        self.env: Any = env
        self.metadata = {**env.metadata, "name": getattr(env.spec, "id", type(self).__name__)}
        self.render_mode = env.render_mode
        self.possible_agents, self.agents = list(indices), []
        self._indices = {name: np.array(chosen) for name, chosen in indices.items()}
        self._terms: dict[str, list[str]] = {}  # of the reward, by agent
        # each agent's part of the action space
        whole: Any = env.action_space
        self._actions = {
            name: Box(whole.low[chosen], whole.high[chosen], dtype=whole.dtype)
            for name, chosen in self._indices.items()
        }

    def observation_space(self, agent: str) -> Any:
        """Space of an agent's observations."""
        space: Any = self.env.observation_space
        return space[agent]

    def action_space(self, agent: str) -> Any:
        """Space of an agent's actions."""
        return self._actions[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        """Start an episode.

        Args:
            seed: of the episode; None goes on with the random stream there is.
            options: of the environment's `reset`. Others are left out, as is usual with PettingZoo,
                whose own tests give some that no environment has.

        Returns:
            Observations and infos, by agent.
        """
        unwrapped: Any = self.env.unwrapped
        known = ("randomization", *unwrapped._worlds.initial.options)
        own = {name: value for name, value in (options or {}).items() if name in known}
        observations, info = self.env.reset(seed=seed, options=own or None)
        self.agents = list(self.possible_agents)
        terms = unwrapped.reward_terms
        everybody = [term for term in terms if self._owner(term) is None]
        self._terms = {
            name: [*(term for term in terms if self._owner(term) == name), *everybody]
            for name in self.agents
        }
        return self._of_each(observations), self._infos(info)

    def step(self, actions: dict[str, np.ndarray]) -> Any:
        """Advance by one step.

        Args:
            actions: of every agent, (its number of actions,).

        Returns:
            Observations, rewards, terminations, truncations and infos, by agent.

        Raises:
            ValueError: actions of an agent are missing, or the episode is over.
        """
        if not self.agents or set(actions) != set(self.agents):
            raise ValueError(
                f"ParallelEnv.step: found actions of {sorted(actions)}, expected those of "
                f"{self.agents or 'nobody: the episode is over, reset it'}"
            )
        # the environment takes one array: actions of all agents side by side
        action = np.zeros(self.env.action_space.shape, self.env.action_space.dtype)
        for name, chosen in self._indices.items():
            action[chosen] = actions[name]
        observations, _, terminated, truncated, info = self.env.step(action)
        # rewards of an agent are those terms of the reward that are named after it
        names = self.agents
        results = (
            self._of_each(observations),
            {name: float(sum(info[term] for term in self._terms[name])) for name in names},
            dict.fromkeys(names, bool(terminated)),
            dict.fromkeys(names, bool(truncated)),
            self._infos(info),
        )
        if terminated or truncated:
            self.agents = []
        return results

    def state(self) -> np.ndarray:
        """Observations of all agents, one after the other."""
        return np.concatenate([self._last[name] for name in self.possible_agents])

    def render(self) -> Any:
        """A picture, as `render_mode` says."""
        return self.env.render()

    def close(self) -> None:
        """Close the environment."""
        self.env.close()

    def _of_each(self, observations: Any) -> dict[str, np.ndarray]:
        self._last = {name: observations[name] for name in self.possible_agents}
        return dict(self._last)

    def _infos(self, info: dict[str, Any]) -> dict[str, dict[str, Any]]:
        """Return an agent's infos: its own without its name in front, and those that all share."""
        found: dict[str, dict[str, Any]] = {name: {} for name in self.possible_agents}
        for key, value in info.items():
            owner = self._owner(key)
            for name in self.possible_agents if owner is None else [owner]:
                found[name][key if owner is None else key[len(owner) + 1 :]] = value
        return found

    def _owner(self, key: str) -> str | None:
        """The agent that a name begins with; None where it is everybody's."""
        return owner(key, self.possible_agents)
