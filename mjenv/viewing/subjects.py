"""What a window shows: a model that moves by itself, or an environment with somebody who acts."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from mjenv.engine.analysis.state import State, get_state, set_state
from mjenv.engine.data.data import Data
from mjenv.engine.data.step import forward, reset, step
from mjenv.engine.model.model import Model

if TYPE_CHECKING:
    import gymnasium

ALL = int(State.INTEGRATION)


class Subject(Protocol):
    """What goes on in a window.

    Attributes:
        model: the model.
        data: its worlds, of which the first is shown.
        title: of the window.
        dt: model time of a step, s.
        camera: settings of the free camera.
    """

    model: Model
    data: Data
    title: str
    dt: float
    camera: dict[str, Any]

    def step(self, count: int) -> None:
        """Go on by so many steps."""
        ...

    def restart(self) -> None:
        """Go back to the start."""
        ...

    def save(self) -> np.ndarray:
        """The state, as a row."""
        ...

    def restore(self, state: np.ndarray) -> None:
        """Go back to a state."""
        ...


class ModelSubject:
    """A model without anybody who acts: its controls stay as they are.

    Args:
        model: the model; None to read the file.
        data: its worlds; None for one in its initial state.
        path: the file that it can be read from again.

    Raises:
        ValueError: the file is no model.
    """

    def __init__(
        self, model: Model | None = None, data: Data | None = None, path: str | Path | None = None
    ):
        self.path = None if path is None else Path(path)
        if model is None:
            assert self.path is not None
            model = Model.from_xml_path(str(self.path))
        self.camera: dict[str, Any] = {}
        self._take(model, data)

    def _take(self, model: Model, data: Data | None) -> None:
        """Show a model from its initial state, or from that of the data."""
        fresh = data is None
        self.model, self.data = model, Data(model) if data is None else data
        self.title = str(self.path or model.modelname)
        self.dt = float(model.opt.timestep)
        self._keyframe = -1
        self._written = self._time_of_writing()
        if fresh:
            self.restart()
        else:
            forward(model, self.data)

    def step(self, count: int) -> None:
        """Go on by so many time steps."""
        step(self.model, self.data, count)

    def restart(self) -> None:
        """Go back to the initial state."""
        reset(self.model, self.data)
        forward(self.model, self.data)

    def next_keyframe(self) -> str | None:
        """Go to the next keyframe; its name or number, or None where the model has none."""
        if not self.model.nkey:
            return None
        self._keyframe = (self._keyframe + 1) % self.model.nkey
        reset(self.model, self.data, self._keyframe)
        forward(self.model, self.data)
        return self.model.key(self._keyframe).name or str(self._keyframe)

    def save(self) -> np.ndarray:
        """The state of all worlds, (nworld, size)."""
        return get_state(self.model, self.data, ALL)

    def restore(self, state: np.ndarray) -> None:
        """Go back to a state; going on from there has the same bits as before."""
        set_state(self.model, self.data, state, ALL)
        forward(self.model, self.data)
        set_state(self.model, self.data, state, ALL)  # the warm start too

    def load(self, path: str | Path) -> None:
        """Show another file, from its initial state.

        Raises:
            ValueError: it is no model; what is shown stays.
            OSError: it cannot be read.
        """
        model = Model.from_xml_path(str(path))
        self.path = Path(path)
        self._take(model, None)

    def edited(self) -> bool:
        """Whether the file was written since it was read or last asked about."""
        before, self._written = self._written, self._time_of_writing()
        return self._written not in (before, None)

    def _time_of_writing(self) -> int | None:
        """When the file was written, ns; None where there is none."""
        try:
            return None if self.path is None else self.path.stat().st_mtime_ns
        except OSError:
            return None


class EnvironmentSubject:
    """An environment and who acts in it; a new episode starts where one ends.

    Args:
        env: an environment of mjenv.
        act: actions for observations; None for random ones.
        seed: of the first reset and of random actions.
        title: of the window.
    """

    def __init__(
        self,
        env: "gymnasium.Env",
        act: Callable[[Any], Any] | None = None,
        seed: int = 0,
        title: str = "mjenv",
    ):
        self.env, self.title, self._act = env, title, act
        inner: Any = env.unwrapped
        self._inner, pictures = inner, inner.mujoco_renderer
        self.model, self.data = pictures.model, pictures.data
        self.camera = dict(pictures.default_cam_config or {})
        self.dt = float(inner.dt)
        self._observation, _ = env.reset(seed=seed)
        env.action_space.seed(seed)

    def step(self, count: int) -> None:
        """Go on by so many steps of the environment."""
        for _ in range(count):
            act = self._act
            action = self.env.action_space.sample() if act is None else act(self._observation)
            self._observation, _, terminated, truncated, _ = self.env.step(action)
            if terminated or truncated:
                self.restart()

    def restart(self) -> None:
        """Start a new episode."""
        self._observation, _ = self.env.reset()

    def save(self) -> np.ndarray:
        """The state of the environment, (size,)."""
        return self._inner.save_state()

    def restore(self, state: np.ndarray) -> None:
        """Go back to a state of the environment; who acts goes on from there."""
        self._observation = self._inner.restore_state(state)
