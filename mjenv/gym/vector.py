"""The vector environment: a task in many worlds of one engine, for `gymnasium.make_vec`."""

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium.error import ClosedEnvironmentError, ResetNeeded
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from mjenv.gym.environment_classes import OfTask
from mjenv.render.frames import METADATA, RenderSettings
from mjenv.stepping.access import Access
from mjenv.stepping.arguments import (
    autoreset_mode_of,
    chosen,
    env_ids_of,
    observation_type,
    positive,
    positive_or_none,
    reset_mask,
    reset_options,
)
from mjenv.stepping.batch_stepper import BatchStepper, Step
from mjenv.stepping.batched import Batched
from mjenv.stepping.episodes import Episodes
from mjenv.stepping.infos import Infos, report
from mjenv.stepping.quick_start import QuickStart
from mjenv.stepping.simulation_batch import EVERY, SimulationBatch
from mjenv.stepping.snapshots import Snapshots


class VectorEnv(Batched, OfTask, Access, gymnasium.vector.VectorEnv):
    """A task in `num_envs` worlds, stepped together, each with its own random generator.

    Each environment is bit-identical to the single environment with the same seed, for any
    `num_envs`.

    Attributes:
        task: the task, with its parameters as attributes.
        data: the physics of all worlds, live: `data.qpos` is (num_envs, nq).
        autoreset_mode: when environments whose episode has ended start the next one.
        max_episode_steps: steps after which an episode is truncated; None for never.
    """

    # Its parts: `_worlds` has the physics and the task's functions, `_episodes` what is known of
    # each episode, `_stepper` steps both, `_batches` has what was sent, `_snapshots` copies
    # all to rows and back, `_frames` draws. What stands here decides what happens when.
    closed = True  # until they are made: what fails before has nothing to close
    metadata = METADATA

    def __new__(cls, *values: Any, pixels: Any = None, **arguments: Any) -> Any:
        """The environment, or one around it whose observations are pictures."""
        if pixels is None:
            return super().__new__(cls)
        from mjenv.gym.pixels import PixelVectorEnv, settings_of

        settings = settings_of(pixels)
        mode = autoreset_mode_of(arguments.pop("autoreset_mode", AutoresetMode.NEXT_STEP))
        # what has ended is looked at before it starts anew
        own = AutoresetMode.DISABLED if mode is AutoresetMode.SAME_STEP else mode
        arguments = {"render_mode": "rgb_array", **arguments, "autoreset_mode": own}
        return PixelVectorEnv(cls(*values, **arguments), settings, mode)

    def __init__(
        self,
        *values: Any,
        num_envs: int = 1,
        pixels: dict[str, Any] | None = None,
        task: Any = None,
        max_episode_steps: int | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        copy: bool = True,
        observation_dtype: Any = np.float64,
        episode_statistics: bool = False,
        batch_size: int | None = None,
        nthread: int | None = None,
        lanes: int | None = None,
        compiled: bool | None = None,
        check_finite: bool | None = None,
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
            pixels: settings of pictures that are observed, as {"height": 64, "width": 64, "camera":
                "track"}: see `mjenv.gym.pixels.PixelSettings`. The result then is a wrapper of this
                environment. None for the task's own observations.
            task: a subclass of `Task`, or its name as "module:Class"; not needed by the environment
                classes of one task.
            max_episode_steps: steps after which an episode is truncated; None for never.
            autoreset_mode: what happens when an episode ends. "NextStep": the next step resets the
                environment, ignoring its action. "SameStep": the same step does, and the last
                observation is in `infos["final_obs"]`. "Disabled": nothing, until
                `reset(options={"reset_mask": ...})`.
            copy: whether each call returns new arrays of observations; if not, the same one.
            observation_dtype: numpy.float64 or numpy.float32, the type of observations.
            episode_statistics: whether `infos["episode"]` has the return "r", length "l" and
                duration "t" of episodes that have ended, as Gymnasium's wrapper
                `RecordEpisodeStatistics` reports them.
            batch_size: how many environments `recv` returns, a divisor of `num_envs`; None for all.
            nthread: number of threads; None for the engine's choice.
            lanes: environments that a thread computes at once in SIMD lanes: 1, 2, 4, 8 or 16; None
                for the engine's choice, 8. Results are bit-identical; `mjenv doctor --lanes`
                measures which are fastest.
            compiled: whether the task's functions run as bytecode in the engine, beside the
                physics, rather than as numpy: True, False, or None for bytecode if the functions
                can be traced. Results are bit-identical.
            check_finite: which values raise a `NonFiniteError` if they are not finite: None,
                rewards; True, observations too, which costs a comparison per number; False,
                none.
            render_mode, width, height, camera_id, camera_name, max_geom, visual_options: how
                pictures are drawn, see `mjenv.render.frames.RenderSettings`; `render` gives one
                for each environment.
            **parameters: the task's parameters by keyword.

        Raises:
            ValueError: if `num_envs`, `max_episode_steps`, `autoreset_mode`, `observation_dtype`
                or `batch_size` is invalid.
            TraceError: if `compiled` is true and the task's functions cannot be compiled to
                bytecode, or if they reduce over the world axis.
        """
        # what is asked for makes sense
        settings = RenderSettings(
            render_mode, width, height, camera_id, camera_name, max_geom, visual_options
        )
        self._set_pictures(settings.check_words())
        self._compiled = chosen("compiled", compiled, None, True, False)
        self._check_finite = chosen("check_finite", check_finite, None, True, False)
        self._report_statistics = chosen("episode_statistics", episode_statistics, True, False)
        copy = chosen("copy", copy, True, False)
        nthread = positive_or_none("nthread", nthread)
        lanes = chosen("lanes", lanes, None, 1, 2, 4, 8, 16)
        self.num_envs = positive("num_envs", num_envs)
        self.max_episode_steps = positive_or_none("max_episode_steps", max_episode_steps)
        self.autoreset_mode = autoreset_mode_of(autoreset_mode)
        # the task and its worlds; pictures need fields that the task may not
        self.task = self._make_task(task, values, parameters)
        keep = self.task.keep if self.render_mode is None else None
        self._worlds = SimulationBatch(self.task, self.num_envs, keep, nthread, lanes)
        self._set_spaces(observation_type(observation_dtype))
        self.metadata = self._metadata_of_task()
        # episodes, copies of them, and batches
        self._buffer = None if copy else self._new_observations(self.num_envs)
        self._episodes = Episodes(self.num_envs, self.task._generator)
        self._snapshots = Snapshots(self._worlds, self._episodes)
        self._ready = False
        self._set_batches(batch_size, self._worlds.action_shape[1:], [self._worlds])
        self._attach()

    def _metadata_of_task(self) -> dict[str, Any]:
        """Metadata of a vector environment, with the task's pictures per second."""
        return {
            **type(self).metadata,
            "render_fps": round(1.0 / self.task.dt),
            "autoreset_mode": self.autoreset_mode,
        }

    def _set_spaces(self, dtype: Any) -> None:
        """Spaces of one environment and of all."""
        space, self.single_action_space = self._worlds.spaces
        self._groups = self._worlds.groups()
        box = gymnasium.spaces.Box(-np.inf, np.inf, space.shape, dtype)
        self.single_observation_space = self._groups.space(box)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self.observation_structure = self.task.observation_structure(self._worlds.structure)
        self._shape, self._dtype = space.shape, dtype

    @property
    def elapsed(self) -> np.ndarray:
        """Steps of the present episodes, (num_envs,) int64, live: to be written, too."""
        return self._episodes.elapsed

    def _attach(self) -> None:
        """Make the bytecode and the renderer of the current data."""
        self._stepper = BatchStepper(
            self._worlds, self._episodes, self.max_episode_steps, self._dtype, self._compiled
        )
        self._quick_start = QuickStart(self._worlds, self._episodes)
        self._frames = self._new_frames()

    # episodes

    def reset(
        self,
        *,
        seed: int | Sequence[int | None] | None = None,
        options: dict[str, Any] | None = None,
    ) -> tuple[Any, Infos]:
        """Start episodes.

        Args:
            seed: environment i gets `seed + i`, or item i of a sequence; None to continue with
                the present random generators.
            options: `reset_mask`, (num_envs,) bool, says which environments to reset; the others
                are left as they are. `randomization`: distributions to draw fields of the model
                from this time; with a mask, only fields that were drawn before. `data` is another
                object after a field is drawn for the first time. Other options are keyword-only
                arguments of the task's `reset`.

        Returns:
            observations (num_envs, size) of all environments, and infos of those that were reset.

        Raises:
            ValueError: for seeds or a mask of the wrong length, an empty mask, or an unknown
                option.
            TypeError: if the mask is not an array of bool.
            ClosedEnvironmentError: after `close`.
        """
        if self.closed:
            self._refuse("reset")
        self._batches.refuse_pending("reset")
        return self._turn.take("reset", self._reset, seed, options)

    def _reset(
        self, seed: int | Sequence[int | None] | None, options: dict[str, Any] | None
    ) -> tuple[Any, Infos]:
        """Start episodes, when no other call works on the environments."""
        # options of the environment, and those that the task's `reset` takes
        known = ("reset_mask", "randomization", *self._worlds.initial.options)
        options = dict(reset_options(options, *known))
        mask = reset_mask(options, self.num_envs)
        options.pop("reset_mask", None)
        worlds = range(self.num_envs) if mask is None else np.flatnonzero(mask)
        # fields that were not randomized before need memory in every world: new data
        randomization = options.get("randomization")
        if randomization and mask is None and self._worlds.declare(randomization):
            self._snapshots = Snapshots(self._worlds, self._episodes)
            self._attach()
        # start, then report
        self._episodes.seed(seed, worlds)
        self._start(mask, options)
        self._ready = not self._episodes.unstarted.any()
        self._show()
        infos: Infos = {}
        named = self._worlds.info()
        report(infos, named, mask, self.num_envs)
        self._report_drawn(infos, None)
        observations = self._observe()
        if self._check_finite:
            self._worlds.refuse_observations("reset", observations)
        return self._groups.split(observations), infos

    def step(self, actions: np.ndarray) -> tuple[Any, np.ndarray, np.ndarray, np.ndarray, Infos]:
        """Advance the environments by one step each.

        Args:
            actions: (num_envs, nu) controls; not clipped here, but the actuators may limit them.

        Returns:
            observations (num_envs, size), or a dict of these where the task has `groups`, rewards
            (num_envs,) float64, terminations and truncations (num_envs,) bool, infos: arrays over
            the environments, with a mask `_name` for each `name`: the environments that have it.

        Raises:
            ValueError: if the actions have the wrong shape or are not finite.
            NonFiniteError: if rewards, or observations if they are checked, are not finite.
            ResetNeeded: before `reset`, or, with autoreset disabled, after the end of an episode.
            ClosedEnvironmentError: after `close`.
        """
        if self.closed or not self._ready:
            self._refuse("step")
        if self._batches.pending or self._batches.waiting:
            self._batches.refuse_pending("step")
        results = self._turn.take("step", self._advance, actions, None)
        if self.render_mode == "human":
            self._show()
        return results

    def _advance(
        self, actions: np.ndarray, some: np.ndarray | None
    ) -> tuple[Any, np.ndarray, np.ndarray, np.ndarray, Infos]:
        """Step all environments, or those with the numbers `some`, when no other call does."""
        # which environments step, and which of them start instead
        rows = slice(None) if some is None else some
        count = self.num_envs if some is None else len(some)
        step = self._stepper.begin(actions, some, self._buffer if some is None else None)
        live = step.live
        if live is not None:
            if self.autoreset_mode is AutoresetMode.DISABLED:
                self._refuse_ended(some)
            with self._stepper.starting(step):
                self._start(self._mask(some, ~live))
        self._stepper.run(step, live if some is None else self._mask(some, live))
        # results, refused if they are not finite
        diverged, ended = self._stepper.finish(step), step.ended
        if step.nwild and self._check_finite is not False:
            self._stepper.refuse_rewards(step)
        if self._check_finite:
            self._worlds.refuse_observations("step", step.frames, some)

        # infos: ends of episodes, worlds that were given up, and values of the task
        infos: Infos = {} if some is None else {"env_id": some}
        if self._report_statistics and ended is not None:
            infos.update(episode=self._episodes.statistics(ended, rows), _episode=ended.copy())
        if diverged is not None:
            here = diverged[rows] if live is None else diverged[rows] & live
            report(infos, {"diverged": here}, here, count)
        if self.autoreset_mode is AutoresetMode.SAME_STEP and ended is not None:
            self._restart(step, ended, infos)
            if self._check_finite:
                self._worlds.refuse_observations("reset", step.observations, some)
        else:
            self._stepper.report(step, infos)
        if self._worlds.disturbances.active:
            self._report_drawn(infos, some)
        observations = step.observations
        if self._groups.names:
            observations = self._groups.split(observations)
        return observations, step.rewards, step.terminations, step.truncations, infos

    def _restart(self, step: Step, ended: np.ndarray, infos: Infos) -> None:
        """Reset what has ended in this very step: its last observation and info become `final_`."""
        final_obs = np.empty(len(ended), dtype=object)
        rows = ended.nonzero()[0]
        for row, last in zip(rows.tolist(), step.observations[rows], strict=True):
            final_obs[row] = self._groups.split(last)
        final_info = self._stepper.report_ends(step, ended, infos)
        if "diverged" in infos and (last := infos["diverged"] & ended).any():
            report(final_info, {"diverged": last}, last, len(ended))
        with self._stepper.starting(step):
            self._start(self._mask(step.some, ended))
        self._stepper.restarted(step, ended, rows, infos)
        infos.update(final_obs=final_obs, _final_obs=ended.copy())
        infos.update(final_info=final_info, _final_info=ended.copy())

    def _start(self, mask: np.ndarray | None, options: dict[str, Any] | None = None) -> None:
        """Begin episodes in the worlds of the mask."""
        chosen = np.arange(self.num_envs) if mask is None else mask.nonzero()[0]
        if not len(chosen):
            return
        if options is None and self._quick_start.start(chosen, self._episodes.generators):
            self._worlds.forward(chosen)
            return
        worlds = EVERY if mask is None else chosen
        episodes = self._episodes
        self._worlds.clear(worlds, episodes.fresh)
        self._worlds.start(episodes.generators, episodes.seeds, worlds, options)
        self._episodes.start(worlds)

    def _mask(self, some: np.ndarray | None, rows: np.ndarray | None) -> np.ndarray | None:
        """Of all worlds, those of `some` that are chosen by bool `rows`; None means all."""
        if some is None:
            return rows
        mask = np.zeros(self.num_envs, dtype=bool)
        mask[some] = True if rows is None else rows
        return mask

    def _new_observations(self, count: int) -> np.ndarray:
        return np.empty((count, *self._shape), self._dtype)

    def _observe(self, some: np.ndarray | None = None, fields: Any = None) -> np.ndarray:
        """Observations of all environments, or of some in an array of their own."""
        if some is not None:
            out = self._new_observations(len(some))
        else:
            out = self._new_observations(self.num_envs) if self._buffer is None else self._buffer
        return self._worlds.observe(out, fields, some)

    def _report_drawn(self, infos: Infos, some: np.ndarray | None) -> None:
        """Report what was drawn at random for all environments, or for some."""
        rows = slice(None) if some is None else some
        for name, (values, mask) in self._worlds.drawn().items():
            report(infos, {name: values[rows]}, mask[rows], len(mask[rows]))

    # saved environments

    def save_state(self, env_ids: np.ndarray | Sequence[int] | None = None) -> np.ndarray:
        """Environments as rows, from which `restore_state` continues with the same bits.

        A row has physics and warm start, inputs, the random generator, and the episode's length,
        return and end.

        Args:
            env_ids: numbers of environments; None for all.

        Returns:
            (n, size) uint64, of an internal format.
        """
        self._batches.refuse_pending("save_state")
        chosen = env_ids_of(env_ids, self.num_envs, "save_state")
        return self._turn.take("save_state", self._snapshots.save, chosen)

    def restore_state(
        self,
        rows: np.ndarray,
        env_ids: np.ndarray | Sequence[int] | None = None,
        seed: int | None = None,
    ) -> np.ndarray:
        """Put environments into saved states, also of other environments, single or vector.

        Args:
            rows: (n, size) or (size,) of `save_state`; one row is put into all.
            env_ids: numbers of n environments; None for all.
            seed: for new random generators, environment i gets `seed + i`; None for those in rows.

        Returns:
            The last observations (n, size) before the states were saved.

        Raises:
            ValueError: rows of other models or arguments, or wrong numbers of environments.
        """
        self._batches.refuse_pending("restore_state")
        chosen, episodes = env_ids_of(env_ids, self.num_envs, "restore_state"), self._episodes
        self._turn.take("restore_state", self._snapshots.restore, rows, chosen)
        if seed is not None:
            episodes.seed(seed, chosen)
            self._worlds.disturbances.follow(*episodes.streams(chosen), chosen)
        self._ready = not episodes.unstarted.any()
        return self._groups.split(self._observe(chosen, self._worlds.of(chosen)))

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
        pictures = self._frames.render_worlds(self.render_mode, np.arange(self.num_envs))
        if self.render_mode == "rgbd_tuple":
            return tuple(zip(*pictures, strict=True))
        return tuple(pictures)

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()

    def close_extras(self, **kwargs: Any) -> None:
        """Close the window, and end the thread of `send`."""
        self._batches.end()
        self._frames.close()

    # copies

    def __getstate__(self) -> dict[str, Any]:
        state = super().__getstate__()
        for name in ("_frames", "_quick_start", "_snapshots", "_stepper"):
            del state[name]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._snapshots = Snapshots(self._worlds, self._episodes)
        self._attach()

    # what is refused

    def _refuse_unready(self, where: str) -> None:
        """Refuse a call after `close`, or before all environments have an episode."""
        if self.closed or not self._ready:
            self._refuse(where)

    def _refuse(self, what: str) -> None:
        if self.closed:
            raise ClosedEnvironmentError(
                f"{what}: the environments are closed, expected open ones; make new ones"
            )
        raise ResetNeeded(f"{what}: not all environments have a state yet; call reset() first")

    def _refuse_ended(self, some: np.ndarray | None) -> None:
        ended = self._mask(some, None) if some is not None else True
        ids = np.flatnonzero(self._episodes.ended & ended).tolist()
        shown = ", ".join(map(str, ids[:5])) + (", ..." if len(ids) > 5 else "")
        raise ResetNeeded(
            f"step: the episodes of {len(ids)} environments have ended ({shown}); call "
            "reset(options={'reset_mask': terminations | truncations}) first"
        )
