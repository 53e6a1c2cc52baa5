"""A vector environment as learners take it: what `mjenv.rsl`, `.skrl`, `.torchrl`, ... share.

Observations are in single precision, and actions are clipped to their range. Episodes that have
ended start anew in the same step, where the learner does not want to reset them itself.
"""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode

from mjenv.multi.making import make_vec


class Transition(NamedTuple):
    """What a step of all worlds gave: arrays of numpy, or of the learner's library.

    Attributes:
        observation: (n, size) float32, or a dict of these; the first ones of new episodes where
            one has ended.
        reward: (n,) float32.
        terminated: (n,) bool, where an episode has come to its end.
        truncated: (n,) bool, where it was only cut off.
        last: as `observation`, but the last ones of the episodes that have ended: what the value
            of those that were cut off is estimated from. None where `Worlds.last` has to be asked.
        info: of the vector environment.
    """

    observation: Any
    reward: Any
    terminated: Any
    truncated: Any
    last: Any
    info: dict[str, Any]


class Worlds:
    """Worlds of a learner.

    Attributes:
        envs: the vector environment.
        num_envs: how many worlds there are.
        observation_space: of one world.
        action_space: of one world.
        max_episode_steps: steps after which an episode is cut off, the most of any task; None for
            never.
        elapsed: steps of the present episodes, (n,) int64: to be written, too.
    """

    def __init__(
        self,
        env: Any,
        num_envs: int | None = None,
        mode: AutoresetMode = AutoresetMode.SAME_STEP,
        **arguments: Any,
    ):
        """Make the environment, or take one.

        Args:
            env: its name, such as "mjenv/Go1Velocity-v0", names of several, as `mjenv.make_vec`
                takes them, or a vector environment.
            num_envs: how many worlds, where it is no vector environment; 1 by default, or as many
                as the several tasks say.
            mode: when episodes that have ended start anew.
            **arguments: of `gymnasium.make_vec`, likewise.

        Raises:
            TypeError: there are arguments for an environment that is made already.
            ValueError: it starts episodes at another time, its observations are not in single
                precision, or its actions are no numbers in a box.
        """
        if isinstance(env, str | Mapping | Sequence):
            given = {"autoreset_mode": mode, "observation_dtype": np.float32, **arguments}
            env = make_vec(env, num_envs, **given)
        elif num_envs is not None or arguments:
            names = ", ".join([*(["num_envs"] if num_envs is not None else []), *arguments])
            raise TypeError(f"Worlds: {names}: given with an environment that is made already")
        self.envs: Any = env
        self.num_envs = int(env.num_envs)
        self.observation_space, self.action_space = (
            env.single_observation_space, env.single_action_space
        )  # fmt: skip
        _check(env, mode)
        self.max_episode_steps: int | None = env.unwrapped.max_episode_steps
        self._low, self._high = self.action_space.low, self.action_space.high
        # each of several tasks has worlds, counts of steps and ranges of actions of its own
        inner = env.unwrapped
        if hasattr(inner, "action_limits"):
            self._low, self._high = inner.action_limits
        self._parts = _parts_of(inner, np.arange(self.num_envs))
        alone = len(self._parts) == 1
        self.elapsed = self._parts[0][1].elapsed if alone else np.zeros(self.num_envs, np.int64)

    @property
    def task(self) -> Any:
        """The task, with its parameters.

        Raises:
            ValueError: there are several, or one of another package.
        """
        task = getattr(self.envs.unwrapped, "task", None)
        if task is None:
            raise ValueError(
                f"Worlds: found {type(self.envs.unwrapped).__name__}, expected an environment of "
                "one task of mjenv, as this learner asks for its duration or its parameters"
            )
        return task

    @property
    def limits(self) -> np.ndarray:
        """Steps after which an episode of each world is cut off, (n,); where never, the highest."""
        never = np.iinfo(np.int64).max
        found = np.full(self.num_envs, never)
        for rows, envs in self._parts:
            found[rows] = never if envs.max_episode_steps is None else envs.max_episode_steps
        return found

    @property
    def seconds(self) -> np.ndarray:
        """Duration of a step of each world, (n,) s; nan in environments of other packages."""
        found = np.full(self.num_envs, np.nan)
        for rows, envs in self._parts:
            if hasattr(envs, "task"):
                found[rows] = envs.task.dt
        return found

    @property
    def groups(self) -> tuple[str, ...]:
        """Names of the groups of observations; () where they are vectors."""
        return tuple(getattr(self.observation_space, "spaces", ()))

    def reset(self, seed: int | None = None) -> Any:
        """Start all episodes; returns observations.

        Args:
            seed: of the first world, one more of each next; None to go on with the random streams.
        """
        observations = self.envs.reset(seed=seed)[0]
        self._read_clocks()
        return observations

    def step(self, actions: np.ndarray) -> Transition:
        """Advance all worlds.

        Args:
            actions: (n, nu), clipped to their range.
        """
        clipped = np.clip(actions, self._low, self._high)
        if len(self._parts) > 1:
            for rows, envs in self._parts:
                envs.elapsed[:] = self.elapsed[rows]
        observations, rewards, terminated, truncated, infos = self.envs.step(clipped)
        self._read_clocks()
        rewards = rewards.astype(np.float32)
        return Transition(observations, rewards, terminated, truncated, None, infos)

    def _read_clocks(self) -> None:
        """Have the steps of the episodes of several tasks in one array."""
        if len(self._parts) > 1:
            for rows, envs in self._parts:
                self.elapsed[rows] = envs.elapsed

    def last(self, transition: Transition) -> Any:
        """Observations after a step, of the old episodes also where new ones have begun."""
        ended = np.flatnonzero(transition.terminated | transition.truncated)
        if not len(ended):
            return transition.observation
        final = transition.info["final_obs"]
        if not self.groups:
            return _with_rows(transition.observation, ended, [final[i] for i in ended])
        return {
            name: _with_rows(transition.observation[name], ended, [final[i][name] for i in ended])
            for name in self.groups
        }

    def close(self) -> None:
        """Close the environment."""
        self.envs.close()


class Returns:
    """Sums of the terms of the reward of episodes, for logs."""

    def __init__(self, worlds: Worlds, per: np.ndarray | float = 1.0):
        """Begin with nothing, in all worlds.

        Args:
            worlds: the worlds; those of other packages have no terms.
            per: what the sums are divided by, (n,) or one number.
        """
        inner = worlds.envs.unwrapped
        names = tuple(getattr(inner, "reward_terms", ()))
        every = np.ones(worlds.num_envs, bool)
        self._has = {n: inner.has_term(n) if hasattr(inner, "has_term") else every for n in names}
        self._sums = {name: np.zeros(worlds.num_envs) for name in names}
        self._per = np.broadcast_to(np.asarray(per, np.float64), (worlds.num_envs,))

    def add(self, transition: Transition) -> dict[str, float]:
        """Count a step; returns means over the episodes that have ended in it, by term.

        Of several tasks, a term's mean is over those that have it.
        """
        ended = transition.terminated | transition.truncated
        last, found = transition.info.get("final_info", {}), {}
        for name, sums in self._sums.items():
            for infos in (transition.info, last):
                if name in infos:
                    sums += infos[name]
            counted = ended & self._has[name]
            if counted.any():
                found[name] = float((sums[counted] / self._per[counted]).mean())
            sums[ended] = 0.0
        return found


def _parts_of(envs: Any, worlds: np.ndarray) -> list[tuple[np.ndarray, Any]]:
    """Vector environments of one task each, and the numbers of their worlds among all."""
    if not hasattr(envs, "parts"):
        return [(worlds, envs)]
    found = []
    for name, part in envs.parts.items():
        found += _parts_of(part.unwrapped, worlds[envs.rows[name]])
    return found


def _with_rows(array: np.ndarray, rows: np.ndarray, values: list[np.ndarray]) -> np.ndarray:
    """A copy of an array with other rows."""
    copy = np.array(array)
    copy[rows] = values
    return copy


def _check(env: Any, expected: AutoresetMode) -> None:
    """Refuse an environment that learners would not be told the ends of, or in other types.

    Raises:
        ValueError: as `Worlds` says.
    """
    mode, space = env.metadata.get("autoreset_mode"), env.single_action_space
    if mode is not expected:
        raise ValueError(
            f"Worlds: found autoreset_mode {getattr(mode, 'value', mode)}, expected "
            f'{expected.value}: make_vec(..., autoreset_mode="{expected.value}")'
        )
    if not isinstance(space, gymnasium.spaces.Box):
        raise ValueError(f"Worlds: found actions {space}, expected a Box")
    seen = env.single_observation_space
    parts = getattr(seen, "spaces", {"": seen})
    for name, part in parts.items():
        if part.dtype == np.float64:
            raise ValueError(
                f"Worlds: found observations {name or 'of'} float64, expected float32: "
                "make_vec(..., observation_dtype=numpy.float32)"
            )
