"""The vector environment: a task in many worlds of one engine, for `gymnasium.make_vec`."""

from collections.abc import Sequence
from difflib import get_close_matches
from numbers import Integral
from typing import Any

import gymnasium
import numpy as np
from gymnasium.error import ClosedEnvironmentError, ResetNeeded
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from mjenv.drop_in import OfTask
from mjenv.frames import METADATA, Frames
from mjenv.infos import Infos, masked, report
from mjenv.worlds import Worlds, total


class VectorEnv(OfTask, gymnasium.vector.VectorEnv):
    """A task in `num_envs` worlds, stepped together, each with its own random generator.

    What an environment does has the bits of the single environment with the same seed, whatever
    `num_envs` is.

    Attributes:
        task: the task, with its parameters as attributes.
        data: the physics of all worlds, live: `data.qpos` is (num_envs, nq).
        autoreset_mode: when environments whose episode has ended start the next one.
        max_episode_steps: steps after which an episode is truncated; None for never.
    """

    metadata = METADATA

    def __init__(
        self,
        *values: Any,
        num_envs: int = 1,
        task: Any = None,
        max_episode_steps: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        nthread: int | None = None,
        render_mode: str | None = None,
        width: int = 480,
        height: int = 480,
        camera_id: int | None = None,
        camera_name: str | None = None,
        max_geom: int = 1000,
        visual_options: dict[int, bool] | None = None,
        **parameters: Any,
    ):
        """Compile the task's model and allocate its worlds.

        Args:
            *values: the task's parameters by position, in the order of `Task.parameters`.
            num_envs: number of environments.
            task: a subclass of `Task`, or its name as "module:Class"; not needed by the environment
                classes of one task.
            max_episode_steps: steps after which an episode is truncated; None for never.
            autoreset_mode: what happens when an episode ends. "NextStep": the next step resets the
                environment, ignoring its action. "SameStep": the same step does, and the last
                observation is in `infos["final_obs"]`. "Disabled": nothing, until
                `reset(options={"reset_mask": ...})`.
            copy: whether observations are new arrays; if not, every call writes into the same one.
            nthread: number of threads; None for the engine's choice.
            render_mode: as of the single environment; `render` gives one picture for each.
            width: columns of a picture.
            height: rows of a picture.
            camera_id: number of the model's camera to draw from; the free camera by default.
            camera_name: name of that camera, instead of its number.
            max_geom: accepted as Gymnasium does; any number of geoms is drawn.
            visual_options: accepted as Gymnasium does; the default options are drawn.
            **parameters: the task's parameters by keyword.

        Raises:
            ValueError: if `num_envs`, `max_episode_steps` or `autoreset_mode` makes no sense.
        """
        self.num_envs = _positive("num_envs", num_envs)
        if max_episode_steps is not None:
            max_episode_steps = _positive("max_episode_steps", max_episode_steps)
        self.max_episode_steps = max_episode_steps
        self.autoreset_mode = _autoreset_mode(autoreset_mode)
        self.task = self._make_task(task, values, parameters)
        # pictures need fields that the task may not
        keep = self.task.keep if render_mode is None else None
        self._worlds = Worlds(self.task, self.num_envs, keep, nthread)
        self.single_observation_space, self.single_action_space = self._worlds.spaces
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self.observation_structure = self.task.observation_structure(self._worlds.structure)
        self.metadata = {
            **type(self).metadata,
            "render_fps": round(1.0 / self.task.dt),
            "autoreset_mode": self.autoreset_mode,
        }
        self.render_mode, self.width, self.height = render_mode, width, height
        self.camera_id, self.camera_name = camera_id, camera_name
        self._buffer = None if copy else self._worlds.observation()
        self._generators: list[Any] = [None] * self.num_envs
        self._seeds: list[Any] = [None] * self.num_envs
        self._elapsed = np.zeros(self.num_envs, dtype=np.int64)
        self._ended = np.zeros(self.num_envs, dtype=bool)
        self._unstarted = np.ones(self.num_envs, dtype=bool)
        self._ready = False
        self._attach()

    def _attach(self) -> None:
        """Make the renderer of the current data."""
        self._frames = Frames(
            self.task.model,
            self._worlds.data,
            self.task.default_camera_config,
            self.width,
            self.height,
            self.camera_id,
            self.camera_name,
            self.metadata["render_fps"],
        )

    # episodes

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[np.ndarray, Infos]:
        """Start episodes.

        Args:
            seed: environment i gets `seed + i`, or item i of a sequence; None to go on with the
                random generators there are.
            options: `reset_mask`, (num_envs,) bool, says which environments to reset; the others
                are left as they are.

        Returns:
            observations (num_envs, size) of all environments, and infos of those that were reset.

        Raises:
            ValueError: for seeds or a mask of the wrong length, or an empty mask.
            TypeError: if the mask is not an array of bool.
            ClosedEnvironmentError: after `close`.
        """
        if self.closed:
            self._refuse("reset")
        mask = _reset_mask(options, self.num_envs)
        worlds = range(self.num_envs) if mask is None else np.flatnonzero(mask)
        self._seed(seed, worlds)
        self._start(mask)
        self._unstarted[worlds] = False
        self._ready = not self._unstarted.any()
        self._show()
        infos: Infos = {}
        report(infos, self.task.info(self._worlds.fields), self._all() if mask is None else mask)
        return self._worlds.observation(self._buffer), infos

    def step(
        self, actions: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, Infos]:
        """Advance the environments by one step each.

        Args:
            actions: (num_envs, nu) controls; not clipped here, but the actuators may limit them.

        Returns:
            observations (num_envs, size), rewards (num_envs,) float64, terminations and truncations
            (num_envs,) bool, infos: arrays over the environments, with a mask `_name` for each
            `name` that says for which environments it is given.

        Raises:
            ValueError: if the actions have the wrong shape or are not finite.
            ResetNeeded: before `reset`, or, with autoreset disabled, after the end of an episode.
            ClosedEnvironmentError: after `close`.
        """
        if self.closed or not self._ready:
            self._refuse("step")
        worlds, task, ended = self._worlds, self.task, self._ended
        # rows one after the other in memory: sums are taken in the same order for any number
        actions = np.ascontiguousarray(actions)
        live = ~ended if ended.any() else None
        worlds.set_control(actions, live)
        if live is not None:
            if self.autoreset_mode is AutoresetMode.DISABLED:
                self._refuse_ended()
            self._start(ended)
        before = task.before(worlds.fields)
        if live is None or live.any():
            worlds.step(task.frame_skip, live)
        outcome = task.outcome(worlds.fields, actions, before)

        reported = self._all() if live is None else live
        rewards = masked(total(outcome), self.num_envs, live).astype(np.float64, copy=False)
        terminations = np.zeros(self.num_envs, dtype=bool)
        np.logical_and(outcome.terminated, reported, out=terminations)
        self._elapsed += reported
        truncations = np.zeros(self.num_envs, dtype=bool)
        if self.max_episode_steps is not None:
            np.greater_equal(self._elapsed, self.max_episode_steps, out=truncations)
        self._ended = terminations | truncations

        named = {**(outcome.info or {}), **outcome.reward}
        infos: Infos = {}
        if self.autoreset_mode is AutoresetMode.SAME_STEP and self._ended.any():
            observations = self._restart(named, infos)
        else:
            report(infos, task.info(worlds.fields), self._all())
            report(infos, named, reported)
            observations = worlds.observation(self._buffer)
        self._show()
        return observations, rewards, terminations, truncations, infos

    def _restart(self, named: dict[str, np.ndarray], infos: Infos) -> np.ndarray:
        """Reset what has ended in this very step: its last observation and info become `final_`."""
        worlds, ended = self._worlds, self._ended
        observations = worlds.observation(self._buffer)
        final_obs = np.full(self.num_envs, None, dtype=object)
        ids = np.flatnonzero(ended)
        for world, last in zip(ids, observations[ids], strict=True):
            final_obs[world] = last
        final_info: Infos = {}
        report(final_info, {**self.task.info(worlds.fields), **named}, ended)
        self._start(ended)
        self._ended = np.zeros(self.num_envs, dtype=bool)
        observations[ids] = worlds.observation(rows=worlds.rows(ids))
        report(infos, self.task.info(worlds.fields), self._all())
        report(infos, named, ~ended)
        infos.update(final_obs=final_obs, _final_obs=ended.copy())
        infos.update(final_info=final_info, _final_info=ended.copy())
        return observations

    def _start(self, mask: np.ndarray | None) -> None:
        """Begin episodes in the worlds of the mask."""
        self._worlds.clear(mask)
        generators = self._generators
        if mask is not None:
            generators = [generators[world] for world in np.flatnonzero(mask)]
        self._worlds.start(generators, mask)
        rows = slice(None) if mask is None else mask
        self._elapsed[rows] = 0
        self._ended = np.zeros(self.num_envs, dtype=bool) if mask is None else self._ended & ~mask

    def _seed(self, seed: Any, worlds: Sequence[int] | np.ndarray) -> None:
        """Make the random generators that are told to start anew, or that there are not yet."""
        if seed is None:
            seeds = [None] * self.num_envs
        elif isinstance(seed, Integral):
            seeds = [int(seed) + world for world in range(self.num_envs)]
        else:
            seeds = [None if one is None else int(one) for one in seed]
            if len(seeds) != self.num_envs:
                raise ValueError(
                    f"reset: {len(seeds)} seeds, expected one for each of {self.num_envs} "
                    "environments, or one integer"
                )
        for world in worlds:
            if seeds[world] is not None or self._generators[world] is None:
                self._generators[world], self._seeds[world] = seeding.np_random(seeds[world])

    def _all(self) -> np.ndarray:
        return np.ones(self.num_envs, dtype=bool)

    # pictures

    def render(self) -> tuple[Any, ...] | None:
        """A picture of every environment, as `render_mode` says; "human" shows the first one."""
        if self.closed:
            self._refuse("render")
        if self.render_mode is None:
            gymnasium.logger.warn(
                "render: the environments have no render_mode; give them one: "
                'gymnasium.make_vec(..., render_mode="rgb_array")'
            )
            return None
        if self.render_mode == "human":
            return self._frames.render("human")
        return tuple(self._frames.render(self.render_mode, i) for i in range(self.num_envs))

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()

    def close_extras(self, **kwargs: Any) -> None:
        """Close the window."""
        self._frames.close()

    # state of the whole

    @property
    def model(self) -> Any:
        """The compiled model, which all worlds share."""
        return self.task.model

    @property
    def data(self) -> Any:
        """The physics of all worlds."""
        return self._worlds.data

    @property
    def dt(self) -> float:
        """Duration of a step in seconds."""
        return self.task.dt

    @property
    def np_random(self) -> tuple[np.random.Generator, ...]:
        """The random generator of every environment."""
        self._seed(None, range(self.num_envs))
        return tuple(self._generators)

    @property
    def np_random_seed(self) -> tuple[int, ...]:
        """The seed of every environment's random generator."""
        self._seed(None, range(self.num_envs))
        return tuple(self._seeds)

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        del state["_frames"]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._attach()

    # what is refused

    def _refuse(self, what: str) -> None:
        if self.closed:
            raise ClosedEnvironmentError(
                f"{what}: the environments are closed, expected open ones; make new ones"
            )
        raise ResetNeeded(f"{what}: not all environments have a state yet; call reset() first")

    def _refuse_ended(self) -> None:
        ids = np.flatnonzero(self._ended).tolist()
        shown = ", ".join(map(str, ids[:5])) + (", ..." if len(ids) > 5 else "")
        raise ResetNeeded(
            f"step: the episodes of {len(ids)} environments have ended ({shown}); call "
            "reset(options={'reset_mask': terminations | truncations}) first"
        )


def _reset_mask(options: dict[str, Any] | None, num_envs: int) -> np.ndarray | None:
    """The mask among the options of `reset`, checked."""
    if options is None or "reset_mask" not in options:
        return None
    mask = options["reset_mask"]
    where = "reset: options['reset_mask']"
    if not isinstance(mask, np.ndarray) or mask.dtype != np.bool_:
        found = f"an array of {mask.dtype}" if isinstance(mask, np.ndarray) else f"{mask!r}"
        raise TypeError(f"{where} is {found}, expected a numpy array of bool")
    if mask.shape != (num_envs,):
        raise ValueError(f"{where} has shape {mask.shape}, expected {(num_envs,)}")
    if not mask.any():
        raise ValueError(f"{where} has no True, expected at least one environment to reset")
    return mask


def _positive(name: str, value: Any) -> int:
    if not isinstance(value, Integral) or value < 1:
        raise ValueError(f"make_vec: {name}={value!r}, expected a positive integer")
    return int(value)


def _autoreset_mode(value: AutoresetMode | str) -> AutoresetMode:
    known = {mode.value: mode for mode in AutoresetMode} | {m.name: m for m in AutoresetMode}
    if isinstance(value, AutoresetMode):
        return value
    if value in known:
        return known[value]
    modes = [mode.value for mode in AutoresetMode]
    near = get_close_matches(str(value), known, 1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    raise ValueError(f"make_vec: autoreset_mode={value!r}, expected one of {modes}{hint}")
