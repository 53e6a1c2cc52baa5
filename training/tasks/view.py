"""Part of an environment's observations that a policy is given; numpy alone."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

import numpy as np

# by which names groups are found
ACTOR = ("actor", "policy", "state", "obs")
CRITIC = ("critic", "privileged_state", "privileged_obs", "privileged")
GOALS = ("observation", "achieved_goal", "desired_goal")


@dataclass(frozen=True)
class View:
    """The groups of an observation that a policy sees, and those that only its critic does.

    A row of a training has the actor's groups first, and then what the critic sees besides; the
    actor sees the first columns, the critic all of them.

    Attributes:
        actor: groups that the actor sees, one after the other; () where observations are vectors.
        critic: group that the critic sees besides; "" for none.
        rest: columns of the critic's group that the actor's have not.
        width: how many columns the actor sees; 0 where observations are vectors.
        agents: names of agents that one policy acts for, which are groups too, and the numbers of
            their actions; () where there is one agent.
    """

    actor: tuple[str, ...] = ()
    critic: str = ""
    rest: tuple[int, ...] = ()
    width: int = 0
    agents: tuple[tuple[str, tuple[int, ...]], ...] = ()

    @property
    def goals(self) -> bool:
        """True if the policy is told a goal, which others can be put in the place of."""
        return self.actor == GOALS

    def seen(self, observations: Any) -> np.ndarray:
        """Observations of the actor, (..., width), from those in groups; vectors stay as they are.

        Raises:
            ValueError: a group is missing.
        """
        if not self.actor:
            return observations
        self._check(observations, self.actor)
        return np.concatenate([observations[name] for name in self.actor], axis=-1)

    def together(self, observations: Any, act: Callable[[Any], np.ndarray]) -> np.ndarray:
        """Actions of all agents, (..., nu), each of which acts by what it sees.

        Raises:
            ValueError: what an agent sees is missing.
        """
        names = [name for name, _ in self.agents]
        self._check(observations, names)
        parts = [np.asarray(act(observations[name])) for name in names]
        count = sum(len(numbers) for _, numbers in self.agents)
        actions = np.zeros((*parts[0].shape[:-1], count), parts[0].dtype)
        for (_, numbers), part in zip(self.agents, parts, strict=True):
            actions[..., numbers] = part
        return actions

    def _check(self, observations: Any, names: Iterable[str]) -> None:
        for name in names:
            if not isinstance(observations, Mapping) or name not in observations:
                found = [*observations] if isinstance(observations, Mapping) else "one vector"
                raise ValueError(
                    f"agent: found observations of {found}, expected a dict with {name!r}, which "
                    "it was trained with"
                )

    def padded(self, observations: Any, size: int) -> np.ndarray:
        """Rows of a training, (..., size), with zeros for what only the critic sees."""
        seen = self.seen(observations)
        if not self.rest:
            return seen
        row = np.zeros((*seen.shape[:-1], size), seen.dtype)
        row[..., : self.width] = seen
        return row

    def row(self, observations: Any) -> np.ndarray:
        """Rows of a training, of observations in groups."""
        seen = self.seen(observations)
        if not self.rest:
            return seen
        return np.concatenate([seen, observations[self.critic][..., self.rest]], axis=-1)

    def to_dict(self) -> dict[str, Any]:
        """Settings for files: empty where observations are vectors."""
        if self.agents:
            return {"agents": {name: [*numbers] for name, numbers in self.agents}}
        if not self.actor:
            return {}
        written = {"actor": [*self.actor], "width": self.width}
        return {**written, "critic": self.critic, "rest": [*self.rest]} if self.rest else written

    @classmethod
    def from_dict(cls, written: Mapping[str, Any] | None) -> "View":
        """The view that `to_dict` has written."""
        one = dict(written or {})
        if "agents" in one:
            return cls(agents=tuple((name, tuple(ids)) for name, ids in one["agents"].items()))
        lists = {name: tuple(one.pop(name)) for name in ("actor", "rest") if name in one}
        return cls(**lists, **one)

    def __str__(self) -> str:
        if self.agents:
            return f"one policy acts for {' and '.join(name for name, _ in self.agents)}"
        actor = f"the actor sees {' and '.join(self.actor)} ({self.width} numbers)"
        if not self.rest:
            return f"{actor}, and so does the critic"
        return f"{actor}, the critic {self.critic} too ({len(self.rest)} more)"


def view_of(
    where: str,
    columns: Mapping[str, np.ndarray],
    actor: str | None = None,
    critic: str | None = None,
) -> View:
    """The view of an environment with some groups.

    Args:
        where: the environment, for messages.
        columns: of the whole observation that each group has; none where it is one vector.
        actor: group that the actor sees; None to choose it by its name, or all of a task with
            goals.
        critic: group that the critic sees besides; None to choose it by its name.

    Raises:
        ValueError: there is no such group, or none that can be chosen by its name.
    """
    # groups that were asked for by name
    for label, name in (("actor_group", actor), ("critic_group", critic)):
        if name is not None and name not in columns:
            raise ValueError(f"{where}: {label}: found {name!r}, {_expected(name, columns)}")
    if not columns:
        return View()
    # a task with goals: observation and goals together
    if actor is None and set(GOALS) <= set(columns):
        chosen: tuple[str, ...] = GOALS
    else:
        found = actor or next((name for name in ACTOR if name in columns), None)
        if found is None:
            raise ValueError(
                f"{where}: observations have groups {[*columns]}, none of which is called "
                f"{', '.join(ACTOR)}; say which one the actor sees: --set actor_group:NAME"
            )
        chosen = (found,)
    # the critic sees what the actor does, and these columns
    seen = np.concatenate([columns[name] for name in chosen])
    besides = critic or next((name for name in CRITIC if name in columns), "")
    more = () if not besides else np.flatnonzero(~np.isin(columns[besides], seen)).tolist()
    return View(chosen, besides if more else "", tuple(more), len(seen))


def _expected(name: str, columns: Mapping[str, Any]) -> str:
    if not columns:
        return "but observations are one vector; expected a task with `groups`, or leave it out"
    near = get_close_matches(name, list(columns), 1)
    hint = f"did you mean {near[0]!r}?" if near else f"expected one of {[*columns]}"
    return f"which is no group of the observation; {hint}"
