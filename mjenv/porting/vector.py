"""The vector environment of a port: episodes, time limits and infos around its worlds."""

import copy as copying
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space, create_empty_array

from mjenv.porting.environment.original import Original
from mjenv.porting.porting import WAYS, worlds_of
from mjenv.porting.running.pictures import PICTURE_MODES, Marks, frames_of, marks_of, settings_of
from mjenv.porting.running.program import leaves
from mjenv.porting.running.rows import add_info, add_infos, copied
from mjenv.porting.running.saved_worlds import first_numbers, put_rows, rows_of_worlds
from mjenv.render.frames import Frames
from mjenv.stepping.arguments import autoreset_mode_of, chosen, positive
from mjenv.stepping.batched import Batched
from mjenv.stepping.finite import NonFiniteError
from mjenv.stepping.infos import is_mask, mask_of, rows_of

_DEFAULT: Any = object()


class PortedVectorEnv(Batched, gymnasium.vector.VectorEnv):
    """An environment written for `mujoco` in `num_envs` worlds of one engine.

    Attributes:
        report: how its step runs, as `mjenv port` prints it.
        data: the physics of all worlds, where their steps are a program; else None.
        render_mode: of `render`; None for no pictures.
        autoreset_mode: when environments whose episode has ended start the next one.
        max_episode_steps: steps after which an episode is truncated; None for never.
        reward_space: the space of the rewards of one environment that has several objectives, as
            its own attribute says; None for numbers.
    """

    closed = True  # until they are made: what fails before has nothing to close
    metadata = {"render_modes": PICTURE_MODES}  # noqa: RUF012

    def __init__(
        self,
        target: Any = None,
        num_envs: int = 1,
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        max_episode_steps: Any = _DEFAULT,
        copy: bool = True,
        batch_size: int | None = None,
        way: str | None = None,
        nthread: int | None = None,
        render_mode: str | None = None,
        check_finite: bool | None = None,
        observation_dtype: Any = None,
        **kwargs: Any,
    ):
        """Make the environment once, trace its step if possible, and make the worlds.

        Args:
            target: see `mjenv.port`.
            num_envs: number of environments.
            autoreset_mode: see `mjenv.VectorEnv`.
            max_episode_steps: instead of the environment's own limit; None for never.
            copy: whether each call returns new arrays of observations; if not, the same ones.
            batch_size: how many environments `recv` returns, a divisor of `num_envs`; None for all.
            way: "traced" or "world by world"; None for "traced" if the step can be traced.
            nthread: number of threads of the physics; None for the engine's choice.
            render_mode: "rgb_array", "depth_array" or "rgbd_tuple", for pictures of traced worlds;
                None for none.
            check_finite: refuse rewards and observations that are not finite.
            observation_dtype: type of real observations; None for the environment's own.
            **kwargs: what the environment is made with; of worlds that are drawn also `width`,
                `height`, and `camera_id` or `camera_name`.

        Raises:
            NotTraced: `way` is "traced", and the step cannot be traced.
            ValueError: an argument is invalid.
        """
        # arguments are checked before the environment is made
        self.render_mode, self._pictures = render_mode, settings_of(render_mode, kwargs)
        if way not in (None, *WAYS):
            raise ValueError(f"PortedVectorEnv: way={way!r}, expected None or one of {WAYS}")
        self._copies = chosen("copy", copy, True, False)
        self.num_envs = positive("num_envs", num_envs)
        self.autoreset_mode = autoreset_mode_of(autoreset_mode)
        self._original = Original(target, kwargs)
        self._worlds, self.report = worlds_of(
            self._original, self.num_envs, way, nthread, kwargs, render_mode is not None
        )
        self.data = getattr(self._worlds, "data", None)
        if render_mode is not None and self.data is None:
            self._original.env.close()
            raise ValueError(f"PortedVectorEnv: render_mode={render_mode!r}, {self._undrawn}")
        limit = self._original.limit if max_episode_steps is _DEFAULT else max_episode_steps
        self.max_episode_steps = limit
        # spaces of one environment and of all
        env, self._check_finite = self._original.env, bool(check_finite)
        self.single_observation_space = _in_type(env.observation_space, observation_dtype)
        # samples of this one are nobody else's
        self.single_action_space = copying.deepcopy(env.action_space)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(env.action_space, self.num_envs)
        self.metadata = {**self.metadata, "autoreset_mode": self.autoreset_mode}
        if render_mode is not None:
            self.metadata["render_fps"] = round(1.0 / self.dt)
            # what is wrong with its camera is told at once
            _ = self._frames
        # the state of each world's episode
        self._length = np.zeros(self.num_envs, np.int64)
        self._ended = np.zeros(self.num_envs, bool)
        self._begun = np.zeros(self.num_envs, bool)
        self._observed: Any = create_empty_array(self.single_observation_space, self.num_envs)
        self._rows = leaves(self._observed)
        self.reward_space = self._original.reward_space
        self._set_batches(batch_size, env.action_space.shape, (), self._worlds.reward_shape)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: Any = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start episodes.

        Args:
            seed: environment i gets `seed + i`, or item i of a sequence; None to continue with
                the present random generators.
            options: `reset_mask`, (num_envs,) bool: which environments to reset; the others are
                options of the environments' own `reset`.
        """
        self._refuse_closed("reset")
        self._batches.refuse_pending("reset")
        return self._turn.take("reset", self._reset, seed, options)

    def _reset(self, seed: Any, options: Any) -> tuple[Any, dict[str, Any]]:
        """Start episodes, when no other call works on the environments."""
        options = dict(options or {})
        mask = options.pop("reset_mask", None)
        worlds = range(self.num_envs) if mask is None else np.flatnonzero(mask).tolist()
        seeds = [seed] * self.num_envs if seed is None or isinstance(seed, int) else list(seed)
        if isinstance(seed, int):
            seeds = [seed + i for i in range(self.num_envs)]
        if len(seeds) != self.num_envs:
            raise ValueError(f"reset: {len(seeds)} seeds, expected {self.num_envs}")
        infos: dict[str, Any] = {}
        self._start(worlds, seeds, options or None, infos)
        return self._seen(), infos

    def _start(self, worlds: Any, seeds: list, options: Any, infos: dict[str, Any]) -> None:
        """Start episodes in some worlds, and collect their infos."""
        worlds = list(worlds)
        started = self._worlds.begin(worlds, seeds, options)
        if started is not None:
            done = started.worlds
            for way, rows in started.observation.items():
                self._rows[way][done] = rows[done]
            add_infos(infos, started.info)
            self._length[done], self._ended[done], self._begun[done] = 0, False, True
            known = set(done.tolist())
            worlds = [world for world in worlds if world not in known]
        for world in worlds:
            observation, info = self._worlds.start(world, seeds[world], options)
            self._put(world, observation)
            for name, value in info.items():
                add_info(infos, name, value, world, self.num_envs)
            self._length[world], self._ended[world], self._begun[world] = 0, False, True

    def _put(self, world: int, observation: Any) -> None:
        """Store the observation of a world."""
        parts = leaves(observation)
        if parts.keys() - self._rows.keys():
            expected = f"those of {self.single_observation_space}"
            raise ValueError(
                f"reset: {self._original.name} returned an observation with the parts "
                f"{sorted(parts)}, expected {expected}, and infos behind it"
            )
        for way, value in parts.items():
            self._rows[way][world] = value

    def _seen(self) -> Any:
        """Observations as a call returns them."""
        return self._copy_of_observed() if self._copies else self._observed

    def _copy_of_observed(self) -> Any:
        return copying.deepcopy(self._observed)

    def step(self, actions: Any) -> tuple[Any, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Advance the environments by one step each; see `mjenv.VectorEnv.step`.

        Raises:
            ValueError: actions have the wrong shape.
            gymnasium.error.ResetNeeded: before `reset`, or after the end of an episode without
                autoreset.
        """
        self._refuse_unready("step")
        self._batches.refuse_pending("step")
        return self._turn.take("step", self._advance, actions, None)

    def _advance(self, actions: Any, some: np.ndarray | None) -> Any:
        """Step all environments, or those with the numbers `some`, when no other call does."""
        actions, chosen = self._of_all(np.asarray(actions), some)
        if (self._ended & chosen).any() and self.autoreset_mode is AutoresetMode.DISABLED:
            raise gymnasium.error.ResetNeeded("step: an environment has no episode; call reset")
        infos: dict[str, Any] = {}
        # worlds whose episode has ended are reset instead of stepped
        beginning, live = np.flatnonzero(self._ended & chosen), chosen & ~self._ended
        reward = np.zeros((self.num_envs, *self._worlds.reward_shape))
        terminated, truncated = np.zeros(self.num_envs, bool), np.zeros(self.num_envs, bool)
        if live.any():
            worlds = None if live.all() else np.flatnonzero(live)
            found = self._worlds.step(actions, worlds)
            reward[live], terminated[live] = found.reward[live], found.terminated[live]
            self._length[live] += 1
            truncated[live] = found.truncated[live]
            if self.max_episode_steps is not None:
                truncated |= live & (self._length >= self.max_episode_steps)
            self._see(found.observation, live)
            infos.update(found.info)
        # new episodes, at once or in the next step
        ended = terminated | truncated
        self._ended[chosen] = ended[chosen]
        unseeded = [None] * self.num_envs
        self._start(beginning.tolist(), unseeded, None, infos)
        if ended.any() and self.autoreset_mode is AutoresetMode.SAME_STEP:
            self._begin_anew(infos, ended, unseeded)
        if self._check_finite:
            self._refuse_wild(reward)
        if some is None:
            return self._seen(), reward, terminated, truncated, infos
        seen, infos = rows_of(self._observed, some), {"env_id": some, **rows_of(infos, some)}
        return seen, reward[some], terminated[some], truncated[some], infos

    def _of_all(
        self, actions: np.ndarray, some: np.ndarray | None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Actions with a row for each world, and which worlds step, (num_envs,) bool.

        Raises:
            ValueError: actions have another shape.
        """
        count = self.num_envs if some is None else len(some)
        own = self.single_action_space.shape
        shape = (count, *(actions.shape[1:] if own is None else own))
        if actions.shape != shape:
            raise ValueError(f"step: actions have shape {actions.shape}, expected {shape}")
        if some is None:
            return actions, np.ones(self.num_envs, bool)
        chosen = np.zeros(self.num_envs, bool)
        chosen[some] = True
        every = np.zeros((self.num_envs, *actions.shape[1:]), actions.dtype)
        every[some] = actions
        return every, chosen

    def _see(self, observation: dict[tuple, np.ndarray], live: np.ndarray) -> None:
        """Store the observations of worlds that were stepped."""
        for name, values in observation.items():
            self._rows[name][live] = values[live]

    def _begin_anew(self, infos: dict[str, Any], ended: np.ndarray, unseeded: list) -> None:
        """Reset worlds in the same step that ended their episodes (SameStep)."""
        # like `mjenv.VectorEnv`: an observation for each world that has ended
        whole = self._copy_of_observed()
        final: Any = whole
        if isinstance(whole, dict):
            final = np.full(self.num_envs, None, object)
            for world in np.flatnonzero(ended).tolist():
                final[world] = rows_of(whole, world)
        last = {**infos}
        infos.clear()
        infos.update(final_obs=final, _final_obs=ended, final_info=last, _final_info=ended)
        for name, values in last.items():
            if not is_mask(name, last):
                infos[name], infos[mask_of(name)] = copied(values), last[mask_of(name)] & ~ended
        self._start(np.flatnonzero(ended).tolist(), unseeded, None, infos)

    def _refuse_wild(self, reward: np.ndarray) -> None:
        """Refuse rewards and observations that are not finite."""
        for what, rows in {("reward",): reward, **self._rows}.items():
            bad = ~np.isfinite(rows).reshape(self.num_envs, -1).all(axis=1)
            if bad.any():
                name = " ".join(map(str, what)) or "observation"
                raise NonFiniteError(
                    f"step: {name} of environment {int(bad.argmax())} is not finite, expected "
                    f"finite numbers from {self._original.name}"
                )

    @property
    def elapsed(self) -> np.ndarray:
        """Steps of the present episodes, (num_envs,) int64, live: to be written, too."""
        return self._length

    @property
    def has_goals(self) -> bool:
        """True if the environment computes rewards of other goals, `compute_reward`."""
        return callable(getattr(self._original.inner, "compute_reward", None)) and isinstance(
            self.single_observation_space, gymnasium.spaces.Dict
        )

    def compute_reward(self, achieved: Any, desired: Any, info: Any) -> np.ndarray:
        """Rewards (n,) of goals (n, size), computed by the environment's own method."""
        inner: Any = self._original.inner
        return np.asarray(inner.compute_reward(achieved, desired, info))

    def _refuse_unready(self, where: str) -> None:
        """Refuse a call after `close`, or before all environments have an episode."""
        self._refuse_closed(where)
        if not self._begun.all():
            raise gymnasium.error.ResetNeeded(f"{where}: an environment has no episode; call reset")

    def _refuse_closed(self, where: str) -> None:
        if self.closed:
            raise gymnasium.error.ClosedEnvironmentError(
                f"{where}: the environments are closed, expected open ones; make new ones"
            )

    # pictures

    def render(self) -> tuple[Any, ...] | None:
        """A picture of every environment, as `render_mode` says; None where it is None."""
        self._refuse_closed("render")
        if self.render_mode is None:
            return None
        if self._marks is not None:
            self._marks.update()
        pictures = self._frames.render_worlds(self.render_mode, np.arange(self.num_envs))
        if self.render_mode == "rgbd_tuple":
            return tuple(zip(*pictures, strict=True))
        return tuple(pictures)

    @cached_property
    def _frames(self) -> Frames:
        """What draws the worlds; made for the first who asks, most never do."""
        data = self._traced.data if self._marks is None else self._marks.data
        return frames_of(self._original, data, self._pictures)

    @cached_property
    def _marks(self) -> Marks | None:
        return marks_of(self._original, self._traced)

    @property
    def shown(self) -> Any:
        """The worlds as pictures show them now: with marks that the environment draws.

        Raises:
            ValueError: the port runs world by world.
        """
        if self._marks is None:
            return self._traced.data
        self._marks.update()
        return self._marks.data

    @property
    def model(self) -> Any:
        """The model of all worlds.

        Raises:
            ValueError: the port runs world by world.
        """
        return self._traced.data.model

    @property
    def frame_skip(self) -> int:
        """Steps of the physics in a step.

        Raises:
            ValueError: the port runs world by world.
        """
        return max(1, self._traced.nstep)

    @property
    def dt(self) -> float:
        """Duration of a step (s).

        Raises:
            ValueError: the port runs world by world.
        """
        return self.frame_skip * float(self.model.opt.timestep)

    @property
    def _traced(self) -> Any:
        if self.data is None:
            raise ValueError(f"{self._original.name}: {self._undrawn}")
        return self._worlds

    @property
    def _undrawn(self) -> str:
        """Why there are no pictures of worlds that Python steps."""
        return f"expected a traced port, it runs world by world: {self.report.reason}"

    # saved environments

    def save_state(self) -> np.ndarray:
        """Environments as rows of bytes, from which `restore_state` continues bit-identically.

        Raises:
            ValueError: the port runs world by world.
        """
        self._batches.refuse_pending("save_state")
        return rows_of_worlds(*self._saved("save_state"))

    def restore_state(self, rows: np.ndarray) -> Any:
        """Put all environments into saved states; returns their last observations before.

        Raises:
            ValueError: rows of another environment, or the port runs world by world.
        """
        self._batches.refuse_pending("restore_state")
        self._saved("restore_state")
        # lists may have had more room, or less
        rooms = first_numbers(rows, self._worlds.rooms[0])
        self._worlds.have_rooms(rooms)
        arrays, generators = self._saved("restore_state")
        put_rows(rows, self._worlds.with_rooms(rooms, arrays), generators)
        self._worlds.empty_rooms_beyond(rooms)
        if self.data is not None:
            self.data.plan.forget_rest()
        return self._seen()

    def _saved(self, where: str) -> tuple[list[np.ndarray], list[Any]]:
        if self.data is None:
            raise ValueError(
                f"{where}: {self._original.name} runs world by world, expected a traced port: "
                f"{self.report.reason}"
            )
        own = [self._worlds.rooms, self._length, self._ended, self._begun, *self._rows.values()]
        return own + self._worlds.arrays, self._worlds._generators

    def close_extras(self, **_: Any) -> None:
        """Close the environment that the worlds come from, and end the thread of `send`."""
        self._batches.end()
        if "_frames" in vars(self):
            self._frames.close()
        self._original.env.close()


def _in_type(space: gymnasium.Space, dtype: Any) -> gymnasium.Space:
    """A space whose real boxes have another type."""
    if isinstance(space, gymnasium.spaces.Dict):
        return gymnasium.spaces.Dict({n: _in_type(one, dtype) for n, one in space.items()})
    if dtype is None or not isinstance(space, gymnasium.spaces.Box) or space.dtype.kind != "f":
        return space
    return gymnasium.spaces.Box(space.low.astype(dtype), space.high.astype(dtype), dtype=dtype)
