"""Simulations that a window shows: a model that moves by itself, or an environment and a policy."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from mjenv.engine.analysis.state import State, get_state, set_state
from mjenv.engine.data.data import Data
from mjenv.engine.data.step import forward, reset, step
from mjenv.engine.edit.compile import Model
from mjenv.training.films.cameras import check_camera
from mjenv.training.learners.recurrent_state import begin

from .commander import Commander, commander_of
from .sliders import Slider, array_sliders, control_range, control_sliders
from .views import first_view

if TYPE_CHECKING:
    import gymnasium

    from mjenv.visual.settings import MjvCamera

ALL = int(State.INTEGRATION)
NOISE_TIME = 0.1  # s after which noise has forgotten two thirds


class Simulation(Protocol):
    """Simulation that a window shows.

    Attributes:
        model: the model.
        data: its worlds, of which the first is shown.
        title: of the window.
        dt: model time of a step, s.
        sliders: of what sets it going, below its name.
        buttons: what else the user can do about that, by words.
        commander: who gives a robot commands; None where there are none.
    """

    model: Model
    data: Data
    title: str
    dt: float
    commander: Commander | None

    @property
    def sliders(self) -> tuple[str, list[Slider]]: ...

    @property
    def buttons(self) -> dict[str, Callable[[], object]]: ...

    def first_view(self) -> "MjvCamera":
        """The camera of the start."""
        ...

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


class ModelSimulation:
    """A model without anybody who acts: its controls stay where sliders put them, but for noise.

    Args:
        model: the model; None to read the file.
        data: its worlds; None for one in its initial state.
        path: the file that it can be read from again.
        camera: words for the camera of the start, as in `first_view`.

    Attributes:
        noise: standard deviation of the controls of the first world, in halves of their ranges.

    Raises:
        ValueError: the file is no model, or has no such camera.
    """

    def __init__(
        self,
        model: Model | None = None,
        data: Data | None = None,
        path: str | Path | None = None,
        camera: Sequence[str] = (),
    ):
        self.path = None if path is None else Path(path)
        if model is None:
            assert self.path is not None
            model = Model.from_xml_path(str(self.path))
        self._camera = camera
        self.commander: Commander | None = None
        self.noise, self._random = 0.0, np.random.default_rng(0)
        self._take(model, data)
        self.first_view()

    def _take(self, model: Model, data: Data | None) -> None:
        """Show a model from its initial state, or from that of the data."""
        fresh = data is None
        self.model, self.data = model, Data(model) if data is None else data
        self.title = str(self.path or model.modelname)
        self.dt = float(model.opt.timestep)
        self._keyframe = -1
        self._drift = np.zeros(model.nu)
        self._aim: np.ndarray | None = None
        self._written = self._time_of_writing()
        if fresh:
            self.restart()
        else:
            forward(model, self.data)

    def first_view(self) -> "MjvCamera":
        """The free camera, or the one that was asked for.

        Raises:
            ValueError: the model has no such camera.
        """
        return first_view(self.model, self.data, self._camera)

    def step(self, count: int) -> None:
        """Go on by so many time steps."""
        if self.noise or self._aim is not None:
            self._disturb(count * self.dt)
        step(self.model, self.data, count)

    def _disturb(self, seconds: float) -> None:
        """Noise about where sliders put the controls: a process of Ornstein and Uhlenbeck.

        Args:
            seconds: of model time, for which the noise stays as it is.
        """
        aim = self.data.ctrl[0].copy() if self._aim is None else self._aim
        low, high = control_range(self.model)
        kept = np.exp(-seconds / NOISE_TIME)
        news = np.sqrt(1.0 - kept**2) * self._random.standard_normal(self.model.nu)
        self._drift = kept * self._drift + news
        aimed = aim + self.noise * 0.5 * (high - low) * self._drift
        # controls without limits may have been put further than sliders go
        low, high = np.minimum(low, aim), np.maximum(high, aim)
        self.data.ctrl[0] = np.clip(aimed, low, high) if self.noise else aim
        self._aim = aim if self.noise else None

    @property
    def sliders(self) -> tuple[str, list[Slider]]:
        """Sliders of the first world's controls, and of their noise."""
        sliders = [self._aimed(k, row) for k, row in enumerate(self._controls())]
        noise = Slider("noise", 0.0, 1.0, lambda: self.noise, self._set_noise)
        return "controls", [noise, *sliders] if sliders else []

    @property
    def buttons(self) -> dict[str, Callable[[], object]]:
        """Controls can be put to 0."""
        return {"all to 0": self._still} if self.model.nu else {}

    def _controls(self) -> list[Slider]:
        return control_sliders(self.model, self.data, 0)

    def _aimed(self, k: int, slider: Slider) -> Slider:
        """The slider of a control, which moves what noise is added to as well."""

        def put(value: float) -> None:
            slider.set(value)
            if self._aim is not None:
                self._aim[k] = value

        return slider._replace(set=put)

    def _set_noise(self, noise: float) -> None:
        self.noise = noise

    def _still(self) -> None:
        """No controls, and no noise."""
        self.noise, self._aim = 0.0, None
        self.data.ctrl[0] = 0.0

    def restart(self) -> None:
        """Go back to the initial state."""
        self._aim = None
        reset(self.model, self.data)
        forward(self.model, self.data)

    def next_keyframe(self) -> str | None:
        """Go to the next keyframe; its name or number, or None where the model has none."""
        if not self.model.nkey:
            return None
        self._keyframe, self._aim = (self._keyframe + 1) % self.model.nkey, None
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
        try:
            check_camera(model, self._camera)
        except ValueError:
            self._camera = ()  # the words are for another model
        self.path = Path(path)
        self._take(model, None)

    def edited(self) -> bool:
        """True if the file was written since it was read or last asked about."""
        before, self._written = self._written, self._time_of_writing()
        return self._written not in (before, None)

    def _time_of_writing(self) -> int | None:
        """Time at which the file was written, ns; None where there is none."""
        try:
            return None if self.path is None else self.path.stat().st_mtime_ns
        except OSError:
            return None


class EnvironmentSimulation:
    """An environment and who acts in it; a new episode starts where one ends.

    Args:
        env: an environment of mjenv.
        act: actions for observations; None for random ones.
        seed: of the first reset and of random actions.
        title: of the window.
        camera: words for the camera of the start, as in `first_view`; none for the one that the
            environment was made with, else one that goes with what travels.

    Raises:
        ValueError: the model has no such camera.
    """

    def __init__(
        self,
        env: "gymnasium.Env",
        act: Callable[[Any], Any] | None = None,
        seed: int = 0,
        title: str = "mjenv",
        camera: Sequence[str] = (),
    ):
        self.env, self.title, self._act = env, title, act
        inner: Any = env.unwrapped
        self._inner, pictures = inner, inner.mujoco_renderer
        self.model, self.data = pictures.model, pictures.data
        self._config = dict(pictures.default_cam_config or {})
        chosen = pictures.camera_name or (pictures.camera_id if pictures.camera_id >= 0 else "")
        self._camera = camera or [str(chosen)] * (chosen != "")
        self.dt = float(inner.dt)
        self._by_hand: np.ndarray | None = None
        self._acted = np.zeros(env.action_space.shape or 0)
        self._observation, _ = env.reset(seed=seed)
        begin(act)
        env.action_space.seed(seed)
        self.commander = commander_of(inner)
        self.first_view()

    def first_view(self) -> "MjvCamera":
        """A camera that goes with what travels, or the one that was asked for."""
        return first_view(self.model, self.data, self._camera, self._config, follow=True)

    def step(self, count: int) -> None:
        """Go on by so many steps of the environment."""
        for _ in range(count):
            if self.commander is not None:
                self.commander.put()
            action = self._action()
            self._acted = np.array(action, float)
            self._observation, _, terminated, truncated, _ = self.env.step(action)
            if terminated or truncated:
                self.restart()

    def _action(self) -> Any:
        """The next action: of sliders that were moved, of who acts, or a random one."""
        space = self.env.action_space
        if self._by_hand is not None:
            return self._by_hand.astype(space.dtype)
        return space.sample() if self._act is None else self._act(self._observation)

    @property
    def sliders(self) -> tuple[str, list[Slider]]:
        """Sliders of the actions; one that is moved takes them all from who acts."""
        space: Any = self.env.action_space
        if len(space.shape or ()) != 1 or not hasattr(space, "low"):
            return "actions", []
        n, model = space.shape[0], self.model
        own = [model.actuator(k).name for k in range(model.nu)] if model.nu == n else [""] * n
        names = [name or f"action {k}" for k, name in enumerate(own)]
        rows = array_sliders(names, space.low, space.high, lambda: self._acted)
        return "actions", [row._replace(set=self._taking(row.set)) for row in rows]

    def _taking(self, put: Callable[[float], None]) -> Callable[[float], None]:
        """Puts a number of the actions, which are the user's from then on."""

        def taken(value: float) -> None:
            put(value)
            self._by_hand = self._acted.copy()

        return taken

    @property
    def buttons(self) -> dict[str, Callable[[], object]]:
        """Actions can be put to 0, and given back to who acts."""
        return {"all to 0": self._still, "give back": self._give_back}

    def _still(self) -> None:
        self._acted[:] = 0.0
        self._by_hand = self._acted.copy()

    def _give_back(self) -> None:
        self._by_hand = None

    def restart(self) -> None:
        """Start a new episode."""
        self._observation, _ = self.env.reset()
        begin(self._act)

    def save(self) -> np.ndarray:
        """The state of the environment, (size,)."""
        return self._inner.save_state()

    def restore(self, state: np.ndarray) -> None:
        """Go back to a state of the environment; who acts goes on from there."""
        self._observation = self._inner.restore_state(state)
