"""Views of one world of a vector environment, as if it were a single environment."""

from collections.abc import Callable
from difflib import get_close_matches
from functools import cache
from typing import Any

import numpy as np

from mjenv.task.world_view import WorldView

# what a single environment calls the same things
_SINGLE = {
    "action_space": "single_action_space",
    "observation_space": "single_observation_space",
    "mujoco_renderer": "_frames",
    "_max_episode_steps": "max_episode_steps",
}


class SingleEnvView:
    """World `index` of a vector environment, mostly as `gymnasium.make` would have made it.

    Attributes that worlds share, such as the task's parameters, are those of all. Only what
    concerns one world can be called: what all worlds do together is asked of the vector
    environment.
    """

    def __init__(self, envs: Any, index: int):
        """World `index` of the vector environment `envs`."""
        self._envs, self._index = envs, index

    def __getattr__(self, name: str) -> Any:
        envs = self._envs
        if name.startswith("__"):
            raise AttributeError(name)
        task = getattr(envs, "task", None)
        if name in _SINGLE and hasattr(envs, _SINGLE[name]):
            return getattr(envs, _SINGLE[name])
        if task is not None:
            parameters = task.parameters()
            if name in parameters:
                return getattr(task, name)
            if name[:1] == "_" and name[1:] in parameters:
                return getattr(task, name[1:])
            if name == "is_healthy" and hasattr(task, "healthy"):
                return bool(task.healthy(self.data))
            if name in ("init_qpos", "init_qvel"):
                return getattr(task, name)
        if not name.startswith("_") and hasattr(envs, name) and not callable(getattr(envs, name)):
            return getattr(envs, name)
        near = get_close_matches(name, self._known(), 1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise AttributeError(f"{type(envs).__name__}: worlds have no attribute {name!r}{hint}")

    def _known(self) -> list[str]:
        task = getattr(self._envs, "task", None)
        parameters = [] if task is None else list(task.parameters())
        return [*dir(type(self)), *_SINGLE, *parameters, *dir(self._envs)]

    # attributes

    @property
    def unwrapped(self) -> "SingleEnvView":
        """The world itself."""
        return self

    @property
    def data(self) -> WorldView:
        """The world's physics, with MuJoCo's shapes."""
        return WorldView(self._envs.model, self._envs.data, self._index)

    @property
    def np_random(self) -> np.random.Generator:
        """The world's random generator."""
        return self._envs.np_random[self._index]

    @property
    def np_random_seed(self) -> int:
        """Seed of this generator."""
        return self._envs.np_random_seed[self._index]

    @property
    def fullpath(self) -> str:
        """Path of the model file."""
        return str(self._envs.task.path)

    @property
    def _elapsed_steps(self) -> int:
        return int(self._envs._episodes.elapsed[self._index])

    # methods

    def get_wrapper_attr(self, name: str) -> Any:
        """An attribute by its name."""
        return getattr(self, name)

    def has_wrapper_attr(self, name: str) -> bool:
        """True if there is an attribute."""
        return hasattr(self, name)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[np.ndarray, dict[str, Any]]:
        """Start an episode in this world; returns observation and info."""
        envs, i = self._envs, self._index
        mask = np.arange(envs.num_envs) == i
        seeds = None if seed is None else [seed if on else None for on in mask]
        observations, infos = envs.reset(
            seed=seeds, options={**(options or {}), "reset_mask": mask}
        )
        return observations[i], pick(infos, i)

    def render(self) -> Any:
        """A picture, as the render mode says."""
        envs = self._envs
        if envs.render_mode in (None, "human"):
            return envs.render()
        return envs._frames.render(envs.render_mode, self._index)

    def state_vector(self) -> np.ndarray:
        """Positions and velocities, (nq + nv,)."""
        return np.concatenate((self.data.qpos, self.data.qvel))

    def get_body_com(self, body_name: str) -> np.ndarray:
        """Position (3,) of a body's frame, in the world."""
        return self.data.body(body_name).xpos

    def save_state(self) -> np.ndarray:
        """The world as a row, as of the vector environment's `save_state`."""
        return self._envs.save_state(env_ids=[self._index])[0]

    def restore_state(self, row: np.ndarray) -> np.ndarray:
        """Continue from a row; returns the observation that was given last."""
        return self._envs.restore_state(row, env_ids=[self._index])[0]


def cell(values: Any, i: int) -> Any:
    """World i's part of an info: a copy, in the type that a single environment reports."""
    if isinstance(values, dict):
        return pick(values, i)
    value = values[i]
    if isinstance(value, np.ndarray):
        return value.copy()
    if isinstance(value, np.generic) and not isinstance(value, np.floating):
        return value.item()
    return value


def pick(infos: dict[str, Any], i: int) -> dict[str, Any]:
    """World i's info, of infos in the format of Gymnasium's vector environments."""
    return {
        name: cell(values, i)
        for name, values in infos.items()
        if not (name[:1] == "_" and name[1:] in infos) and infos.get(f"_{name}", _EVERY)[i]
    }


def split(infos: dict[str, Any], count: int) -> list[dict[str, Any]]:
    """The infos of all `count` worlds, each a dictionary of its own, with nothing truncated."""
    names, columns, partial = ["TimeLimit.truncated"], [[False] * count], []
    for name, values in infos.items():
        if name[:1] == "_" and name[1:] in infos:
            continue
        mask = infos.get(f"_{name}")
        if isinstance(values, dict) or (mask is not None and np.count_nonzero(mask) < count):
            partial.append((name, values, mask))
        else:
            names.append(name)
            columns.append(_cells(values))
    rows = _rows_of(tuple(names))(*columns)
    for name, values, mask in partial:
        for i in range(count) if mask is None else mask.nonzero()[0].tolist():
            rows[i][name] = cell(values, i)
    return rows


@cache
def _rows_of(names: tuple[str, ...]) -> Callable[..., list[dict[str, Any]]]:
    """A function that makes dictionaries with these names from columns of values.

    It is written out, as `namedtuple` writes its classes: a display of a dictionary whose names are
    constants takes a third of the time of `dict(zip(...))`, which every world pays in every step.
    """
    items = ", ".join(f"{name!r}: v{k}" for k, name in enumerate(names))
    values = ", ".join(f"v{k}" for k in range(len(names)))
    return eval(f"lambda *columns: [{{{items}}} for ({values},) in zip(*columns)]")


def _cells(values: Any) -> Any:
    """The parts of all worlds, as `cell` gives them."""
    if not isinstance(values, np.ndarray) or values.dtype.kind in "fO":
        several = isinstance(values, np.ndarray) and values.ndim > 1
        return list(values.copy()) if several else values
    return values.tolist() if values.ndim == 1 else list(values.copy())


class _Every:
    """A mask that holds for every world."""

    def __getitem__(self, i: int) -> bool:
        return True


_EVERY = _Every()
