"""Worlds of several tasks or robots in one vector environment."""

from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.error import ClosedEnvironmentError, ResetNeeded
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from mjenv.multi.actions import Actions
from mjenv.multi.entries import Entry, entries_of, owners, rows_of
from mjenv.multi.infos import Infos, merged
from mjenv.multi.making import parts_of, seeds_of
from mjenv.multi.padding import INDEX, ONE_HOT, Observations
from mjenv.multi.results import Statistics
from mjenv.multi.saved import Saving
from mjenv.stepping.arguments import (
    autoreset_mode_of,
    chosen,
    positive_or_none,
    reset_mask,
)
from mjenv.stepping.batched import Batched
from mjenv.stepping.batches import Results
from mjenv.stepping.finite import NonFiniteError


class MultiVectorEnv(Batched, Saving, gymnasium.vector.VectorEnv):
    """Several tasks, each in worlds of its own model, stepped in one call.

    World i is one of task `owner[i]`, and does what the single environment of that task does with
    the same seed and actions. Vectors of observations and actions are as long as the longest of any
    task; the numbers behind a shorter one are zeros, or have no effect.

    Attributes:
        task_names: names of the tasks.
        owner: (num_envs,) the number of each world's task.
        parts: the vector environment of each task that has worlds, by name.
        rows: the numbers of its worlds, (n,), by name.
        observation_masks: (ntask, size) bool, which numbers of an observation are a task's own; by
            key where observations are dicts.
        action_masks: (ntask, nu) bool, which numbers of an action are.
        autoreset_mode: when environments whose episode has ended start the next one.
        max_episode_steps: the most steps that an episode of any task has; None for no limit.
    """

    closed = True  # until they are made: what fails before has nothing to close

    def __init__(
        self,
        tasks: Mapping[str, Any] | Sequence[str],
        num_envs: int | None = None,
        *,
        task_id: str | None = None,
        rescale_actions: bool = False,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        batch_size: int | None = None,
        episode_statistics: bool = False,
        max_episode_steps: int | None = None,
        observation_dtype: Any = np.float64,
        render_mode: str | None = None,
        **kwargs: Any,
    ):
        """Make the worlds of each task.

        Args:
            tasks: names of environments; or a dict of them with the number of worlds of each, or
                with a dict of keyword arguments, among which "num_envs" is that number, and "id"
                the environment, where the key is a name of another kind.
            num_envs: number of worlds. Tasks take turns: of equal tasks world i has task i modulo
                their number. None for as many as `tasks` says.
            task_id: what observations say of the task: "one_hot", a number for each task behind the
                others, of which its own is 1; "index", the number of the task; or None. In dicts
                it is the part "task".
            rescale_actions: whether actions from -1 to 1 stand for the range of each task's own;
                otherwise tasks get them as they are.
            autoreset_mode: see `mjenv.VectorEnv`.
            copy: likewise.
            batch_size: likewise.
            episode_statistics: likewise.
            max_episode_steps: steps after which episodes are truncated; None for each task's limit.
            observation_dtype: likewise.
            render_mode: likewise; "human" shows the first world.
            **kwargs: further arguments of every task, such as `nthread` or `check_finite`.

        Raises:
            TypeError: an argument is of another kind.
            ValueError: tasks have spaces that have no common one, or an argument is invalid.
        """
        # what is asked for makes sense
        entries = entries_of(tasks)
        self._task_id = task_id
        if task_id not in (None, ONE_HOT, INDEX):
            raise ValueError(
                f"MultiVectorEnv: task_id={task_id!r}, expected {ONE_HOT!r}, {INDEX!r} or None"
            )
        rescales = chosen("rescale_actions", rescale_actions, True, False)
        self._copies = chosen("copy", copy, True, False)
        self._reports = chosen("episode_statistics", episode_statistics, True, False)
        self.autoreset_mode = autoreset_mode_of(autoreset_mode)
        limit = positive_or_none("max_episode_steps", max_episode_steps)
        # the worlds of each task
        self.task_names = tuple(entry.name for entry in entries)
        self.owner = owners(entries, num_envs)
        self.num_envs, self.render_mode = len(self.owner), render_mode
        options = {**kwargs, "autoreset_mode": self.autoreset_mode}
        options["observation_dtype"] = observation_dtype
        if limit is not None:
            options["max_episode_steps"] = limit
        self._make(entries, options, rescales)
        self._names = np.array(self.task_names, object)[self.owner]
        self._names.setflags(write=False)
        self._numbers = np.zeros(self.num_envs, np.int64)  # of worlds, within their tasks
        for rows in self.rows.values():
            self._numbers[rows] = np.arange(len(rows))
        # what is known of their episodes
        self._statistics = Statistics(self.task_names, self.owner)
        self._ended = np.zeros(self.num_envs, bool)
        self._ready = False
        watched = [worlds for envs in self.parts.values() for worlds in envs.watched]
        self._set_batches(batch_size, self.single_action_space.shape, watched)

    def _make(self, entries: tuple[Entry, ...], options: dict[str, Any], rescales: bool) -> None:
        """Make the worlds, and find their common spaces."""
        made = parts_of(entries, self.owner, options, self.render_mode)
        self.parts: dict[str, Any] = {}
        self.rows: dict[str, np.ndarray] = {}
        self._worlds: list[tuple[int, Any, Any]] = []
        for k, (name, part) in enumerate(zip(self.task_names, made, strict=True)):
            if part.envs is not None:
                self.parts[name], self.rows[name] = part.envs, np.flatnonzero(self.owner == k)
                self._worlds.append((k, part.envs, rows_of(self.owner, k)))
        limits = [part.limit for part in made if part.limit is not None]
        self.max_episode_steps = max(limits) if len(limits) == len(made) else None
        seen, acted = (
            [getattr(part, name) for part in made] for name in ("observations", "actions")
        )
        self._observations = Observations(seen, self.owner, self._task_id)
        self._actions = Actions(
            dict(zip(self.task_names, acted, strict=True)), self.owner, rescales
        )
        self._set_spaces()

    def _set_spaces(self) -> None:
        """Spaces of one world and of all, and whose numbers are in them."""
        self.observation_masks, self.action_masks = self._observations.masks, self._actions.masks
        self.single_observation_space = self._observations.space
        box = self.single_action_space = self._actions.box
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(box, self.num_envs)
        first = next(iter(self.parts.values()))
        self.metadata = {**first.metadata, "autoreset_mode": self.autoreset_mode}

    # episodes

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Any, Infos]:
        """Start episodes.

        Args:
            seed: world i gets `seed + i`, or item i of a sequence; None to go on with the random
                generators there are.
            options: `reset_mask`, (num_envs,) bool, says which worlds to reset; the others go to
                every task.

        Returns:
            Observations of all worlds, and infos of those that were reset.

        Raises:
            ValueError: for seeds or a mask of the wrong length, or an option that a task has not.
            TypeError: if the mask is not an array of bool.
            ClosedEnvironmentError: after `close`.
        """
        self._refuse_closed("reset")
        self._batches.refuse_pending("reset")
        return self._turn.take("reset", self._reset, seed, options)

    def _reset(self, seed: Any, options: dict[str, Any] | None) -> tuple[Any, Infos]:
        """Start episodes, when no other call works on the environments."""
        mask, seeds = reset_mask(options, self.num_envs), seeds_of(seed, self.num_envs)
        rest = {name: one for name, one in (options or {}).items() if name != "reset_mask"}
        parts = []
        for _, envs, rows in self._worlds:
            own, given = None if seeds is None else seeds[rows].tolist(), rest
            if mask is not None:
                if not mask[rows].any():
                    continue
                given = {**rest, "reset_mask": np.ascontiguousarray(mask[rows])}
            observations, infos = envs.reset(seed=own, options=given)
            self._observations.put(rows, observations)
            parts.append((rows, infos))
        begun = slice(None) if mask is None else mask
        self._ended[begun] = False
        self._statistics.start(begun)
        self._ready = self._ready or mask is None or bool(mask.all())
        infos = merged(parts, self.num_envs)
        self._name_tasks(infos, mask, None)
        return self._observations.all(self._copies), infos

    def step(self, actions: np.ndarray) -> Results:
        """Advance the worlds by one step each.

        Args:
            actions: (num_envs, nu); of each world only the first numbers count, as many as its task
                has actions.

        Returns:
            Observations (num_envs, size), or a dict of these, rewards (num_envs,) float64,
            terminations and truncations (num_envs,) bool, infos: arrays over the worlds, with a
            mask `_name` for each `name` that says for which worlds it is given. `infos["task"]` are
            the names of the tasks, and `infos["is_success"]`, of tasks that tell it or "success",
            whether the goal has been reached, of the latter in any step of the episode.

        Raises:
            ValueError: if the actions have the wrong shape or are not finite.
            ResetNeeded: before `reset`, or, with autoreset disabled, after the end of an episode.
            ClosedEnvironmentError: after `close`.
        """
        self._refuse_unready("step")
        self._batches.refuse_pending("step")
        return self._turn.take("step", self._advance, actions, None)

    def _advance(self, actions: np.ndarray, some: np.ndarray | None) -> Results:
        """Step all worlds, or those with the numbers `some`, when no other call does."""
        # refused before any task is stepped
        worlds = np.arange(self.num_envs) if some is None else some
        count, starts = len(worlds), self._ended[worlds]
        self._refuse_ended(worlds[starts])
        actions = self._actions.checked(actions, worlds, starts)
        # worlds of each task
        rewards = np.empty(count)
        terminated, truncated = np.empty(count, bool), np.empty(count, bool)
        parts, final = [], None
        for k, envs, rows in self._stepped(some):
            found = self._step_part(
                k, envs, self._actions.own(k, actions, rows), worlds[rows], some
            )
            self._observations.put(rows if some is None else worlds[rows], found[0])
            rewards[rows], terminated[rows], truncated[rows] = found[1:4]
            infos = {name: one for name, one in found[4].items() if name != "env_id"}
            if "final_obs" in infos:
                final = np.full(count, None, object) if final is None else final
                self._put_last(final, k, rows, infos)
            parts.append((rows, infos))
        infos = merged(parts, count)
        self._count(worlds, starts, rewards, terminated | truncated, infos)
        if final is not None:
            infos.update(final_obs=final, _final_obs=infos["_final_info"].copy())
        self._name_tasks(infos, None, some)
        if some is None:
            return self._observations.all(self._copies), rewards, terminated, truncated, infos
        infos["env_id"] = some
        return self._observations.of(some), rewards, terminated, truncated, infos

    def _stepped(self, some: np.ndarray | None) -> list[tuple[int, Any, Any]]:
        """Tasks whose worlds step, their environments, and which rows of `some` are theirs."""
        if some is None:
            return self._worlds
        owner = self.owner[some]
        found = [(k, envs, np.flatnonzero(owner == k)) for k, envs, _ in self._worlds]
        return [one for one in found if len(one[2])]

    def _step_part(
        self, k: int, envs: Any, actions: np.ndarray, worlds: np.ndarray, some: np.ndarray | None
    ) -> Results:
        """Step worlds of a task: all of them, where `some` is None."""
        try:
            if some is None:
                return envs.step(actions)
            return envs.step_some(actions, self._numbers[worlds])
        except NonFiniteError as error:
            where = f"{self.task_names[k]}, whose worlds are numbered apart"
            raise NonFiniteError(f"{where}: {error}") from error

    def _refuse_unready(self, where: str) -> None:
        """Refuse a call after `close`, or before all worlds have an episode."""
        self._refuse_closed(where)
        if not self._ready:
            raise ResetNeeded(f"{where}: not all worlds have a state yet; call reset() first")

    def _refuse_ended(self, worlds: np.ndarray) -> None:
        """Refuse steps of worlds whose episodes have ended, without autoreset: ResetNeeded."""
        if self.autoreset_mode is AutoresetMode.DISABLED and len(worlds):
            shown = ", ".join(map(str, worlds[:5])) + (", ..." if len(worlds) > 5 else "")
            raise ResetNeeded(
                f"step: the episodes of {len(worlds)} worlds have ended ({shown}); call "
                "reset(options={'reset_mask': terminations | truncations}) first"
            )

    def _put_last(self, final: np.ndarray, k: int, rows: Any, infos: Infos) -> None:
        """Keep the last observations of the episodes of a task that have ended."""
        last, ended = infos.pop("final_obs"), infos.pop("_final_obs")
        numbers = np.arange(len(final))[rows][ended].tolist()
        for world, seen in zip(numbers, self._observations.last(k, last[ended]), strict=True):
            final[world] = seen

    def _count(
        self,
        worlds: np.ndarray,
        starts: np.ndarray,
        rewards: np.ndarray,
        ended: np.ndarray,
        infos: Infos,
    ) -> None:
        """Count a step of some worlds, and the episodes that end with it."""
        # worlds that have started in this step have done nothing else
        statistics = self._statistics
        statistics.start(worlds[starts])
        statistics.add(worlds, rewards, ~starts)
        statistics.note(worlds, infos)
        self._ended[worlds] = ended
        if not ended.any():
            return
        # episodes that are over
        last = infos.get("final_info", infos)
        if last is not infos:
            statistics.note(worlds, last)
        statistics.end(worlds, ended, last)
        if self._reports:
            infos.update(episode=statistics.episodes(worlds, ended), _episode=ended.copy())
        if self.autoreset_mode is AutoresetMode.SAME_STEP:
            statistics.start(worlds[ended])
            self._ended[worlds] = False

    def _name_tasks(self, infos: Infos, mask: np.ndarray | None, some: np.ndarray | None) -> None:
        """Report the names of the tasks, of all worlds or of some."""
        infos["task"] = names = self._names if some is None else self._names[some]
        infos["_task"] = np.ones(len(names), bool) if mask is None else mask.copy()

    @property
    def statistics(self) -> dict[str, dict[str, float]]:
        """What came of the episodes of each task, by its name.

        They are the number of its "episodes", and over its last 100 the means of "return", "length"
        and, of tasks that tell it, "success".
        """
        return self._statistics.table()

    @property
    def reward_terms(self) -> tuple[str, ...]:
        """Names of the terms of the rewards of all tasks."""
        every = (getattr(one.unwrapped, "reward_terms", ()) for one in self.parts.values())
        return tuple(dict.fromkeys(name for names in every for name in names))

    def has_term(self, name: str) -> np.ndarray:
        """Which worlds have a reward with a term of this name, (num_envs,) bool."""
        found = np.zeros(self.num_envs, bool)
        for task, envs in self.parts.items():
            found[self.rows[task]] = name in getattr(envs.unwrapped, "reward_terms", ())
        return found

    @property
    def action_limits(self) -> tuple[np.ndarray, np.ndarray]:
        """Lowest and highest actions of each world's own task, (num_envs, nu) each.

        They are zero where it has none, and -1 and 1 where actions are rescaled.
        """
        low, high = self._actions.low[self.owner], self._actions.high[self.owner]
        return low, high

    def place(self, world: int) -> tuple[Any, int]:
        """The vector environment that has a world, and its number there."""
        return self.parts[self._names[world]], int(self._numbers[world])

    # pictures, and the end

    def render(self) -> tuple[Any, ...] | None:
        """A picture of every world, as `render_mode` says; "human" shows the first one."""
        self._refuse_closed("render")
        pictures: list[Any] = [None] * self.num_envs
        for name, envs in self.parts.items():
            if self.render_mode in (None, "human"):
                return envs.render()
            for world, picture in zip(self.rows[name].tolist(), envs.render(), strict=True):
                pictures[world] = picture
        return tuple(pictures)

    def close_extras(self, **kwargs: Any) -> None:
        """Close the environments of all tasks, and end the thread of `send`."""
        self._batches.end()
        for envs in self.parts.values():
            envs.close(**kwargs)

    def _refuse_closed(self, what: str) -> None:
        if self.closed:
            raise ClosedEnvironmentError(
                f"{what}: the environments are closed, expected open ones; make new ones"
            )
