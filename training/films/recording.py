"""Recorded episodes: states of worlds, step by step, from which pictures are drawn later."""

import json
import math
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

import gymnasium
import numpy as np

import mjenv
from mjenv.engine.analysis.state import COMPONENTS, State, get_state, set_state, state_size
from mjenv.engine.data.data import Data
from mjenv.engine.data.step import forward, step
from mjenv.engine.errors import ModelFileError
from mjenv.engine.model.model import Model
from mjenv.gym.lookup import is_port, refuse_vector_only
from mjenv.randomization import literals
from mjenv.training.learners.recurrent_state import begin
from mjenv.training.runs.files import whole

Act = Callable[[np.ndarray], np.ndarray]

SUFFIX = ".npz"
ALL = int(State.INTEGRATION)
# parts of a file
PARTS = ("info", "model", "states", "starts", "looks")
PREFIX = "varied."


class Recording:
    """States of worlds at even times, with the model that they belong to.

    Between two rows the inputs are those of the later one, as `mjenv.step(model, data, nstep)` has
    them: so the steps of physics between rows are computed again with the same bits.

    Args:
        model: the model.
        nstep: steps of physics from one row to the next.
        info: where it comes from: "env" and "env_kwargs", and under "look" how that environment is
            seen: "camera", "config" and "flags".

    Attributes:
        model: the model.
        nstep: steps of physics from one row to the next.
        info: where it comes from.
        varied: fields of the model that differ between worlds or change, (n, ...) each; a world
            has one of the n rows at a time.
    """

    def __init__(self, model: Model, nstep: int = 1, info: dict[str, Any] | None = None):
        if nstep < 1:
            raise ValueError(f"Recording: nstep={nstep}, expected at least 1")
        self.model, self.nstep, self.info = model, int(nstep), dict(info or {})
        self.varied: dict[str, np.ndarray] = {}
        self._states: list[np.ndarray] = []
        self._starts: list[np.ndarray] = []
        self._looks: list[np.ndarray] = []
        self._last: np.ndarray | None = None

    # what there is

    def __len__(self) -> int:
        """Number of rows."""
        return len(self._states)

    def __repr__(self) -> str:
        what = self.info.get("env") or repr(self.model.modelname)
        return f"<mjenv.Recording of {what}: {self.nworld} worlds, {self.seconds:g} s>"

    @property
    def nworld(self) -> int:
        """Number of worlds."""
        return len(self._states[0]) if self._states else 0

    @property
    def dt(self) -> float:
        """Time from one row to the next, s."""
        return self.nstep * float(self.model.opt.timestep)

    @property
    def seconds(self) -> float:
        """Time from the first row to the last, s."""
        return self.dt * max(len(self) - 1, 0)

    @property
    def states(self) -> np.ndarray:
        """The states, (rows, nworld, size), components of mjSTATE_INTEGRATION."""
        return np.array(self._states)

    @property
    def starts(self) -> np.ndarray:
        """Starts of episodes, (rows, nworld) bool."""
        return np.array(self._starts)

    # how it comes about

    def append(self, data: Data, starts: np.ndarray | None = None) -> None:
        """Add the states of worlds as they are now.

        Args:
            data: the worlds, as many as before.
            starts: bool (nworld,), where an episode starts, so that what was before is of another
                one; None for nowhere but in the first row.

        Raises:
            ValueError: data of another model, or of another number of worlds.
        """
        states = get_state(self.model, data, ALL)
        if self._states and len(states) != self.nworld:
            raise ValueError(
                f"append: found {len(states)} worlds, expected {self.nworld} as before"
            )
        first = not self._states
        if starts is None:
            starts = np.full(len(states), first)
        self._states.append(states)
        self._starts.append(np.array(starts, bool))
        self._looks.append(self._look(data))

    def _look(self, data: Data) -> np.ndarray:
        """Return the row of `varied` of each world, (nworld,), after adding new ones."""
        parts = [array.reshape(data.nworld, -1) for array in data.varied.values()]
        now = np.concatenate([np.zeros((data.nworld, 0)), *parts], axis=1)
        last, self._last = self._last, now.copy()
        before = self._looks[-1] if self._looks else np.zeros(data.nworld, np.int32)
        if last is not None and last.shape != now.shape:
            raise ValueError(
                f"append: found {now.shape[1]} numbers that differ between worlds, expected "
                f"{last.shape[1]} as before; begin another recording"
            )
        changed = np.ones(data.nworld, bool) if last is None else (now != last).any(axis=1)
        looks = before.copy()
        count = len(next(iter(self.varied.values()), ()))
        looks[changed] = count + np.arange(changed.sum())
        for name, array in data.varied.items():
            new = array[changed]
            self.varied[name] = np.concatenate([self.varied[name], new]) if count else new
        return looks

    # files

    def save(self, path: str | Path) -> None:
        """Write it into a file, `.npz`, with the model.

        Raises:
            OSError: the file cannot be written.
        """
        info = {**self.info, "nstep": self.nstep, "mjenv": mjenv.__version__}
        parts: dict[str, Any] = {
            "info": json.dumps(info),
            "model": np.frombuffer(self.model.to_bytes(), np.uint8),
            "states": self.states,
            "starts": self.starts,
            "looks": np.array(self._looks),
            **{PREFIX + name: array for name, array in self.varied.items()},
        }
        path = Path(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        with whole(path) as partial, partial.open("wb") as file:
            np.savez_compressed(file, **parts)

    @classmethod
    def load(cls, path: str | Path, model: Model | None = None) -> "Recording":
        """Read it from a file.

        Args:
            path: the file.
            model: the model that it is expected to be of; None for that of the file.

        Raises:
            FileNotFoundError: there is no such file.
            ValueError: it is none that `save` has written, or is of another model.
        """
        # the parts of a file of this kind
        try:
            with np.load(path, allow_pickle=False) as file:
                parts = {name: file[name] for name in file.files}
            info = json.loads(str(parts["info"]))
            stored, states, starts, looks = (parts[name] for name in PARTS[1:])
            nstep, version = info["nstep"], info["mjenv"]
        except (BadZipFile, EOFError, KeyError, TypeError, ValueError, zlib.error) as error:
            raise ValueError(
                f"{path}: is no recording ({error}), expected a file of `mjenv record --states`"
            ) from error
        # the model in it, or that of the caller, which has to be the same
        where = f"{path}: recorded from {info.get('env', 'a model')} with mjenv {version}"
        if model is None:
            try:
                model = Model.from_bytes(stored.tobytes())
            except ModelFileError as error:
                raise ValueError(f"{where}: its model cannot be read: {error}") from error
        if model.to_bytes() != stored.tobytes():
            raise ValueError(
                f"{where}: its states do not fit the model {model.modelname!r}, which is another; "
                "leave `model` out to take the one in the file"
            )
        # states fit the model, and parts fit each other
        size = state_size(model, ALL)
        if states.ndim != 3 or states.shape[2] != size or not states.shape[0]:
            raise ValueError(f"{where}: states have shape {states.shape}, expected (n, m, {size})")
        varied = {n.removeprefix(PREFIX): a for n, a in parts.items() if n.startswith(PREFIX)}
        least = min(map(len, varied.values()), default=np.inf)
        fits = starts.shape == looks.shape == states.shape[:2]
        if not fits or looks.min() < 0 or looks.max() >= least:
            raise ValueError(
                f"{where}: found starts {starts.shape} and rows of varied fields {looks.shape}, up "
                f"to {looks.max(initial=-1)} of {least}, expected {states.shape[:2]} for all; the "
                "file is damaged"
            )
        found = cls(model, nstep, {n: v for n, v in info.items() if n not in ("nstep", "mjenv")})
        found.varied = varied
        found._states, found._starts, found._looks = list(states), list(starts), list(looks)
        return found

    def cut(self, rows: int | None = None, worlds: int | None = None) -> "Recording":
        """Its first rows, and its first worlds."""
        found = Recording(self.model, self.nstep, self.info)
        found.varied = self.varied
        found._states = [one[:worlds] for one in self._states[:rows]]
        found._starts = [one[:worlds] for one in self._starts[:rows]]
        found._looks = [one[:worlds] for one in self._looks[:rows]]
        return found

    def only(self, world: int) -> "Recording":
        """One of its worlds."""
        found = self.cut()
        for name in ("_states", "_starts", "_looks"):
            setattr(found, name, [one[world : world + 1] for one in getattr(self, name)])
        return found

    def _repr_html_(self) -> str:
        """A page for notebooks, see `mjenv.training.films.html_page`."""
        from mjenv.training.films.html_page import notebook

        shown: Any = self
        return notebook(shown)


class Replay:
    """Worlds that go through a recording again.

    Args:
        recording: the recording, with one row at least.

    Attributes:
        data: the worlds; what follows from their states is computed.
    """

    def __init__(self, recording: Recording):
        self.recording = recording
        self.data = Data(recording.model, recording.nworld, vary=tuple(recording.varied))
        self._time = -1
        self._inputs = columns(recording.model, State.USER)
        self.go(0)

    @property
    def looks(self) -> int:
        """The row of varied fields that the first world has now."""
        return int(self.recording._looks[self._time // self.recording.nstep][0])

    def go(self, time: int) -> None:
        """Go to a time, in steps of physics from the first row; later than the last, to that."""
        recording, data = self.recording, self.data
        time = min(time, recording.nstep * (len(recording) - 1))
        row, within = divmod(time, recording.nstep)
        if self._time < 0 or row != self._time // recording.nstep or time < self._time:
            self._take(row)
        count, self._time = time - max(self._time, row * recording.nstep), time
        if not count or not within:
            return
        # an episode that has ended stays as it was until the next one starts
        goes = ~recording._starts[row + 1]
        if goes.any():
            step(recording.model, data, count, mask=goes)
            self._show()

    def _take(self, row: int) -> None:
        """Put the worlds into a row, with the inputs of the next one."""
        recording, data = self.recording, self.data
        for name, array in recording.varied.items():
            data.varied[name][...] = array[recording._looks[row]]
        set_state(recording.model, data, recording._states[row], ALL)
        self._time = row * recording.nstep
        self._show()
        if row + 1 < len(recording):
            inputs = recording._states[row + 1][:, self._inputs]
            set_state(recording.model, data, inputs, State.USER)

    def _show(self) -> None:
        """Compute what follows from the states, which keep their bits, with the warm start."""
        state = get_state(self.recording.model, self.data, ALL)
        forward(self.recording.model, self.data)
        set_state(self.recording.model, self.data, state, ALL)


def columns(model: Model, components: State) -> np.ndarray:
    """Columns of some components in the rows of a recording."""
    chosen = [
        np.full(state_size(model, part.bit), bool(part.bit & components)) for part in COMPONENTS
    ]
    return np.flatnonzero(np.concatenate(chosen))


def make(env_id: str, worlds: int = 1, env_kwargs: dict[str, Any] | None = None) -> Any:
    """Worlds of an environment that can be recorded.

    Raises:
        ValueError: the environment does not take these arguments.
    """
    options = env_kwargs or {}
    try:
        if is_port(env_id):
            return drawn(env_id, gymnasium.make_vec(env_id, worlds, **options))
        refuse_vector_only(env_id)
        # arguments of vector environments alone, such as threads, are chosen here; not pictures,
        # which agents may see
        alone = {name: value for name, value in options.items() if name != "pixels"}
        gymnasium.make(env_id, **alone).close()
        return gymnasium.make_vec(env_id, worlds, **options)
    except TypeError as error:
        raise ValueError(f"{env_id}: {error}") from error


def drawn(env_id: str, envs: Any) -> Any:
    """The same worlds of another package's task.

    Raises:
        ValueError: Python steps each of them, so that there is nothing to record.
    """
    if envs.unwrapped.data is None:
        reason = envs.unwrapped.report.reason
        envs.close()
        raise ValueError(f"{env_id}: is not filmed, as it runs world by world: {reason}")
    return envs


def shown(inner: Any) -> Data:
    """The worlds of an environment as pictures show them: ports have marks of their own."""
    found: Data = getattr(inner, "shown", inner.data)
    return found


def play(
    envs: Any,
    act: Act | None = None,
    seconds: float = 15.0,
    seed: int = 0,
    info: dict[str, Any] | None = None,
    advance: Callable[[], Any] = lambda: None,
) -> Recording:
    """Record worlds; a new episode starts where one ends.

    Args:
        envs: a vector environment of mjenv, whose worlds start anew in the step after the last.
        act: actions (nworld, nu) for observations (nworld, nobs); None for random actions.
        seconds: how long, in the time of the worlds; at least a step.
        seed: world i is first reset with seed + i; also of random actions.
        info: what the recording says of where it comes from; None for what the worlds look like.
        advance: called after every step.
    """
    inner = envs.unwrapped
    observations, _ = envs.reset(seed=seed)
    envs.action_space.seed(seed)
    begin(act)
    # the state before the first step is the first frame
    recording = Recording(inner.model, inner.frame_skip, {"look": look(envs), **(info or {})})
    recording.append(shown(inner))
    ended = np.zeros(inner.num_envs, bool)
    # a state after a world has started anew is marked: no motion leads to it
    for _ in range(max(1, math.ceil(seconds / recording.dt - 1e-9))):
        actions = envs.action_space.sample() if act is None else act(observations)
        observations, _, terminated, truncated, _ = envs.step(actions)
        recording.append(shown(inner), ended)
        begin(act, ended)
        ended = terminated | truncated
        advance()
    return recording


def record(
    env_id: str,
    act: Act | None = None,
    seconds: float = 15.0,
    seed: int = 0,
    env_kwargs: dict[str, Any] | None = None,
    worlds: int = 1,
) -> Recording:
    """Record worlds of an environment; the arguments are those of `make` and `play`.

    Raises:
        ValueError: the environment does not take its arguments.
    """
    envs = make(env_id, worlds, env_kwargs)
    try:
        info = {**where_from(env_id, env_kwargs), "look": look(envs)}
        return play(envs, act, seconds, seed, info)
    finally:
        envs.close()


def where_from(env_id: str, env_kwargs: dict[str, Any] | None = None) -> dict[str, Any]:
    """Information in a recording about the environment that it comes from.

    Raises:
        ValueError: a keyword argument cannot be written down.
    """
    written = {name: literals.write(name, value) for name, value in (env_kwargs or {}).items()}
    return {"env": env_id, "env_kwargs": written}


def look(envs: Any) -> dict[str, Any]:
    """View of an environment: its camera, the settings of the free one, and visual flags."""
    frames = envs.unwrapped._frames
    chosen = frames.camera_id if frames.camera_id >= 0 else None
    config = {n: v for n, v in (frames.default_cam_config or {}).items() if v is not None}
    return {
        "camera": frames.camera_name or chosen,
        "config": {n: np.asarray(value).tolist() for n, value in config.items()},
        "flags": {int(flag): bool(on) for flag, on in frames.visual_options.items()},
    }


def is_recording(path: str | Path) -> bool:
    """True if a file is one that `Recording.save` has written, and not, say, an agent."""
    try:
        with ZipFile(path) as file:
            return "states.npy" in file.namelist()
    except (OSError, BadZipFile):
        return False
