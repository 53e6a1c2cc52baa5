"""Vector environments whose observations are pictures."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import gymnasium
import numpy as np
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from mjenv.engine.errors import nearest_or_all
from mjenv.engine.products import dot
from mjenv.render.caster import Pictures
from mjenv.render.renderer import Renderer
from mjenv.stepping.arguments import positive
from mjenv.stepping.batched import Batched
from mjenv.stepping.batches import Results
from mjenv.stepping.infos import Infos, report, rows_of
from mjenv.visual.cameras import default_camera

# brightness of red, green and blue (ITU-R BT.601)
GREY = np.array([0.299, 0.587, 0.114], np.float32)


class PixelSettings(NamedTuple):
    """Settings of observations that are pictures.

    Attributes:
        height: rows.
        width: columns.
        camera: number or name of a camera of the model, None for the environment's own, a
            `mjenv.MjvCamera`, or a list of these.
        stack: pictures of how many steps lie behind each other in the last axis, the newest last.
        grey: whether pictures have one channel, brightness, instead of three.
        depth: whether there are distances (m) too.
        state: whether there are the observations of the environment without pictures too.
    """

    height: int = 64
    width: int = 64
    camera: Any = None
    stack: int = 1
    grey: bool = False
    depth: bool = False
    state: bool = False


def settings_of(pixels: Any) -> PixelSettings:
    """Settings from a dict, checked.

    Raises:
        ValueError: a setting that there is not.
        TypeError: no dict, or a value of another kind.
    """
    if isinstance(pixels, PixelSettings):
        return pixels
    if not isinstance(pixels, dict):
        raise TypeError(f"pixels={pixels!r}, expected a dict of {list(PixelSettings._fields)}")
    for name in pixels:
        if name not in PixelSettings._fields:
            hint = nearest_or_all(name, PixelSettings._fields)
            raise ValueError(f"pixels: {name!r}: no such setting{hint}")
    found = PixelSettings(**pixels)
    for name in ("height", "width", "stack"):
        positive(f"pixels: {name}", getattr(found, name))
    for name in ("grey", "depth", "state"):
        if not isinstance(getattr(found, name), bool):
            raise TypeError(f"pixels: {name}={getattr(found, name)!r}, expected True or False")
    return found


class Eye:
    """View of one camera, with the pictures of the steps before.

    Attributes:
        colours: uint8 (num_envs, height, width, channels * stack).
        depths: float32 (num_envs, height, width, stack), or None.
    """

    def __init__(self, camera: Any, settings: PixelSettings, num_envs: int):
        self.camera, self.grey = camera, settings.grey
        size = (num_envs, settings.height, settings.width)
        channels = 1 if settings.grey else 3
        self.colours = np.zeros((*size, channels * settings.stack), np.uint8)
        self.depths = np.zeros((*size, settings.stack), np.float32) if settings.depth else None

    def look(self, renderer: Renderer, data: Any, worlds: np.ndarray, fresh: np.ndarray) -> None:
        """Draw some worlds; the stack of those that are fresh begins anew."""
        size = (len(worlds), renderer.height, renderer.width)
        rgb = np.empty((*size, 3), np.uint8)
        depth = None if self.depths is None else np.empty(size, np.float32)
        renderer.draw_worlds(data, self.camera, None, worlds, Pictures(rgb, depth))
        if self.grey:
            rgb = np.rint(dot(rgb, GREY))[..., None].astype(np.uint8)
        self._push(self.colours, rgb, worlds, fresh)
        if depth is not None:
            self._push(self.depths, depth[..., None], worlds, fresh)

    @staticmethod
    def _push(stack: Any, pictures: np.ndarray, worlds: np.ndarray, fresh: np.ndarray) -> None:
        channels = pictures.shape[-1]
        if channels == stack.shape[-1]:
            stack[worlds] = pictures
            return
        old = stack[worlds]
        moved = np.concatenate([old[..., channels:], pictures], axis=-1)
        count = stack.shape[-1] // channels
        moved[fresh] = np.tile(pictures[fresh], count)
        stack[worlds] = moved


class PixelVectorEnv(Batched, gymnasium.vector.VectorWrapper):
    """A vector environment whose observations are pictures of its worlds.

    With one camera, and neither distances nor states, observations are uint8 (num_envs, height,
    width, channels); otherwise a dict of "pixels" (or the cameras' names), "depth" (or these names
    with "_depth") and "state".

    Args:
        env: the environment; its episodes do not start anew within a step.
        pixels: settings, see `PixelSettings`.
        autoreset_mode: when episodes start anew.
    """

    def __init__(self, env: Any, pixels: Any, autoreset_mode: AutoresetMode):
        super().__init__(env)
        self.settings = settings_of(pixels)
        self.autoreset_mode = autoreset_mode
        self.metadata = {**env.metadata, "autoreset_mode": autoreset_mode}
        self._renderer = Renderer(
            env.task.model, self.settings.height, self.settings.width, limited=False
        )
        self._eyes = self._make_eyes()
        self._ended = np.zeros(env.num_envs, bool)
        self._set_batches(env.batch_size, env.single_action_space.shape, env.watched)
        self.single_observation_space = self._space()
        self.observation_space = batch_space(self.single_observation_space, env.num_envs)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.env, name)

    def _make_eyes(self) -> dict[str, Eye]:
        """Eyes by name."""
        settings, env = self.settings, self.env
        several = isinstance(settings.camera, (list, tuple))
        cameras: Sequence[Any] = settings.camera if several else [settings.camera]
        eyes = {}
        for camera in cameras:
            name = str(camera) if several else "pixels"
            if name in eyes:
                raise ValueError(f"pixels: camera={camera!r} stands twice, expected once")
            found = self._renderer.camera_of(camera) if camera is not None else None
            eyes[name] = Eye(found, settings, env.num_envs)
        if not eyes:
            raise ValueError("pixels: camera=[], expected at least one")
        return eyes

    def _space(self) -> gymnasium.Space:
        """Observation space of one environment."""
        spaces: dict[str, gymnasium.Space] = {}
        for name, eye in self._eyes.items():
            spaces[name] = gymnasium.spaces.Box(0, 255, eye.colours.shape[1:], np.uint8)
            if eye.depths is not None:
                key = "depth" if name == "pixels" else f"{name}_depth"
                spaces[key] = gymnasium.spaces.Box(0.0, np.inf, eye.depths.shape[1:], np.float32)
        if self.settings.state:
            spaces["state"] = self.env.single_observation_space
        return spaces["pixels"] if spaces.keys() == {"pixels"} else gymnasium.spaces.Dict(spaces)

    # ------------------------------------------------------------ observations

    def _look(self, worlds: np.ndarray, fresh: np.ndarray) -> None:
        """Draw some worlds, of which some are fresh."""
        env: Any = self.env
        for eye in self._eyes.values():
            if eye.camera is None:
                # the environment's own, as its first picture shows it
                eye.camera = default_camera(
                    env.task.model, env.data, env.task.default_camera_config
                )
            eye.look(self._renderer, env.data, worlds, fresh)

    def _observations(self, state: Any, worlds: Any = slice(None)) -> Any:
        """Observations, in new arrays."""
        found = {}
        for name, eye in self._eyes.items():
            found[name] = eye.colours[worlds].copy()
            if eye.depths is not None:
                key = "depth" if name == "pixels" else f"{name}_depth"
                found[key] = eye.depths[worlds].copy()
        if self.settings.state:
            found["state"] = state
        return found["pixels"] if found.keys() == {"pixels"} else found

    # ------------------------------------------------------------ episodes

    def reset(
        self, *, seed: Any = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start episodes; see `VectorEnv.reset`."""
        self._batches.refuse_pending("reset")
        return self._turn.take("reset", self._reset, seed, options)

    def _reset(self, seed: Any, options: dict[str, Any] | None) -> tuple[Any, dict[str, Any]]:
        """Start episodes, when no other call works on the environments."""
        state, infos = self.env.reset(seed=seed, options=options)
        mask = (options or {}).get("reset_mask")
        worlds = np.arange(self.num_envs) if mask is None else np.flatnonzero(mask)
        self._ended[worlds] = False
        self._look(worlds, np.ones(len(worlds), bool))
        return self._observations(state), infos

    def step(self, actions: np.ndarray) -> Results:
        """Advance the environments by one step each; see `VectorEnv.step`."""
        self._batches.refuse_pending("step")
        return self._turn.take("step", self._advance, actions, None)

    def _refuse_unready(self, where: str) -> None:
        env: Any = self.env
        env._refuse_unready(where)

    def _advance(self, actions: np.ndarray, some: np.ndarray | None) -> Results:
        """Step all environments, or those with the numbers `some`, and look at them."""
        env: Any = self.env
        results = env.step(actions) if some is None else env.step_some(actions, some)
        state, rewards, terminations, truncations, infos = results
        worlds = np.arange(self.num_envs) if some is None else some
        fresh = self._ended[worlds] & (self.autoreset_mode is AutoresetMode.NEXT_STEP)
        self._look(worlds, fresh)
        ended = np.logical_or(terminations, truncations)
        if self.autoreset_mode is AutoresetMode.SAME_STEP and ended.any():
            state, infos = self._restart(state, infos, ended, worlds)
            ended = np.zeros_like(ended)
        self._ended[worlds] = ended
        seen = self._observations(state, slice(None) if some is None else some)
        return seen, rewards, terminations, truncations, infos

    def _restart(
        self, state: Any, infos: dict, ended: np.ndarray, worlds: np.ndarray
    ) -> tuple[Any, dict]:
        """Start what has ended anew: what was seen last becomes `final_obs`."""
        rows = np.flatnonzero(ended)
        last = self._observations(rows_of(state, rows), worlds[rows])
        final_obs = np.empty(len(ended), dtype=object)
        for k, row in enumerate(rows):
            final_obs[row] = rows_of(last, k)
        mask = np.zeros(self.num_envs, bool)
        mask[worlds[rows]] = True
        state, new = self.env.reset(options={"reset_mask": mask})
        self._look(worlds[rows], np.ones(len(rows), bool))
        return rows_of(state, worlds), {
            **_going_on(infos, ended, rows_of(new, worlds)),
            "final_obs": final_obs, "_final_obs": ended.copy(),
            "final_info": infos, "_final_info": ended.copy(),
        }  # fmt: skip

    def save_state(self, env_ids: Any = None) -> np.ndarray:
        """Environments as rows; see `VectorEnv.save_state`."""
        self._batches.refuse_pending("save_state")
        env: Any = self.env
        return env.save_state(env_ids)

    def restore_state(self, rows: np.ndarray, env_ids: Any = None, seed: int | None = None) -> Any:
        """Put environments into saved states, and look again; see `VectorEnv.restore_state`.

        Stacks of pictures begin anew.
        """
        self._batches.refuse_pending("restore_state")
        env: Any = self.env
        state = env.restore_state(rows, env_ids, seed)
        worlds = np.arange(self.num_envs) if env_ids is None else np.atleast_1d(env_ids)
        self._ended[worlds] = False
        self._look(worlds, np.ones(len(worlds), bool))
        return self._observations(state, worlds)

    def close(self, **kwargs: Any) -> None:
        """Close the environments, and end the thread of `send`."""
        self._batches.end()
        super().close(**kwargs)


def _going_on(infos: Infos, ended: np.ndarray, begun: Infos) -> Infos:
    """Infos of a step in which episodes have begun.

    Args:
        infos: of the step.
        ended: (n,) bool, where an episode has ended; what is told of its end stays.
        begun: infos of the first states of the next ones.
    """
    found = {}
    for name, values in infos.items():
        mask = infos.get(f"_{name}")
        if name[:1] == "_" and name[1:] in infos:
            continue
        if mask is None:
            found[name] = values
        elif name in ("diverged", "episode"):
            found[name], found[f"_{name}"] = values, mask
        elif (running := mask & ~ended).any():
            report(found, {name: values}, running, len(ended))
    for name, values in begun.items():
        if name in found and f"_{name}" in begun:
            first = begun[f"_{name}"]
            found[name][first], found[f"_{name}"][first] = values[first], True
        elif name not in found:
            found[name] = values
    return found
