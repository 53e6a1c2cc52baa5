"""Initial states of episodes: what a task's `reset` gives, checked and written into the worlds."""

import inspect
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from mjenv.engine.data.data import Data
from mjenv.engine.errors import nearest
from mjenv.stepping.checks import Checks, kind_of
from mjenv.stepping.final_states import FinalStates
from mjenv.stepping.noise_reset import NoiseReset
from mjenv.task.random_streams import Streams
from mjenv.task.task import INITIAL_FIELDS, Task
from mjenv.tracing.dependencies import Dependencies, DependencyError
from mjenv.tracing.dry_run import is_constant, refuse_changes

_FOLLOWED = 2  # calls that are watched closely


class InitialStates:
    """Calls a task's `reset`.

    Attributes:
        options: names of options of the environment's `reset` that the task takes.
        last: what the episodes before have left, for tasks that ask for it.
    """

    def __init__(self, task: Task, single: bool, checks: Checks):
        """Look at the arguments of the task's `reset`.

        Args:
            task: the task.
            single: whether there is one world, whose arrays have no world axis.
            checks: what explains errors.
        """
        self._task, self._single, self._checks = task, single, checks
        self._shapes = (task.model.nq,), (task.model.nv,)
        self._where, self._ncall = f"{type(task).__name__}.reset", 0
        self._noise: NoiseReset | None = None
        self.last = FinalStates(task, single)
        arguments = inspect.signature(task.reset).parameters.values()
        self.options = tuple(a.name for a in arguments if a.kind is a.KEYWORD_ONLY)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_noise": None}

    def start(
        self,
        data: Data,
        generators: Sequence[np.random.Generator],
        worlds: np.ndarray | slice,
        options: dict[str, Any],
    ) -> None:
        """Draw initial states and write them into worlds that were cleared.

        Args:
            data: the worlds.
            generators: random generators of all worlds.
            worlds: indices of those that start, or a slice.
            options: what the task takes of the options of the environment's `reset`.

        Raises:
            TypeError: if `reset` gives something else than fields of the data.
            ValueError: if they have the wrong shape.
            DependencyError: if it changes the task.
        """
        # starts with noise are drawn by a kernel, with the same numbers
        varies = self._task.varies
        if not options and not varies and self._drawn(data, generators, worlds):
            return
        if not isinstance(worlds, slice):
            generators = [generators[i] for i in worlds.tolist()]
        rng = Streams(generators, self._single)
        # a task with randomized qpos0 starts around each world's own
        if "qpos0" in data.varied:
            state = self._around_own(data, worlds, rng, options)
        else:
            state = self._call(rng, options)
        rng.close()
        # the usual case: (qpos, qvel) of the right shapes
        if type(state) is tuple and not varies and self._is_right(state, len(generators)):
            data.qpos[worlds], data.qvel[worlds] = state
            return
        # others: fields by name, among them the task's own arrays
        own = self._task._own_state
        if own.size and isinstance(state, dict):
            mine = {name: state[name] for name in own.names if name in state}
            lead = () if self._single else (len(generators),)
            own.write(data.userdata, worlds, own.values("reset", mine, lead))
            state = {name: value for name, value in state.items() if name not in mine}
        state = self._vary(state, data, worlds, len(generators))
        for name, value in self._checked(state, data, len(generators)):
            getattr(data, name)[worlds] = value

    def _vary(self, state: Any, data: Data, worlds: np.ndarray | slice, count: int) -> Any:
        """Give worlds the fields of the model that `reset` has given; what is left of its results.

        Raises:
            ValueError: one is missing, or has another shape.
        """
        names = self._task.varies
        for name in names:
            if not isinstance(state, dict) or name not in state:
                raise ValueError(
                    f"{self._where}: found no {name!r}, expected it in a dict of fields, as "
                    "`varies` names it"
                )
            self._check_shape(name, state[name], data.varied[name].shape[1:], count)
            data.varied[name][worlds] = state[name]
        if not names:
            return state
        data.place_mocap(worlds)
        return {name: value for name, value in state.items() if name not in names}

    def _drawn(self, data: Data, generators: Any, worlds: np.ndarray | slice) -> bool:
        """Have compiled code draw the states, if it can."""
        drawing = self.noise_reset(data)
        if self._single:
            return drawing.draw_one(generators[0])
        return drawing.draw(generators, worlds)

    def noise_reset(self, data: Data) -> NoiseReset:
        """What has compiled code draw the states, if it can."""
        if self._noise is None or self._noise.data is not data:
            self._noise = NoiseReset(self._task, data)
        return self._noise

    def _is_right(self, state: tuple, count: int) -> bool:
        """True if states are two arrays with a row for each world, as they mostly are."""
        if len(state) != 2 or not type(state[0]) is type(state[1]) is np.ndarray:
            return False
        qpos, qvel = self._shapes
        if not self._single:
            qpos, qvel = (count, *qpos), (count, *qvel)
        return state[0].shape == qpos and state[1].shape == qvel

    def _call(self, rng: Streams, options: dict[str, Any]) -> Any:
        """Call `reset`; in the first calls, all that it may change is watched."""
        task, revision = self._task, self._task._revision
        last: Any = (self.last.take(),) if self.last.asked else ()
        try:
            if self._ncall >= _FOLLOWED:
                state = task.reset(rng, *last, **options)
            else:
                depends = Dependencies(task)
                with depends.following(strict=False):
                    state = task.reset(rng, *last, **options)
                refuse_changes("reset", depends, self._ncall > 0, is_constant)
        except DependencyError as error:
            raise DependencyError(f"{type(task).__name__}.{error}") from None
        except Exception as error:
            self._checks.explain("reset", error)
            raise
        if task._revision != revision and self._ncall > 0:
            raise DependencyError(
                f"{self._where}: found a function that assigns to attributes of self, expected "
                "initial states to be returned: worlds start at different times, and share the task"
            )
        self._ncall += 1
        return state

    def _around_own(self, data: Data, worlds: Any, rng: Streams, options: dict[str, Any]) -> Any:
        """Call `reset` where the models of the worlds have initial positions of their own."""
        members, known = vars(self._task), self._task.init_qpos
        same = known == data.model.qpos0
        own = np.where(same, data.varied["qpos0"][worlds], known)
        members["init_qpos"] = own[0] if self._single else own
        try:
            return self._call(rng, options)
        finally:
            members["init_qpos"] = known

    def _checked(self, state: Any, data: Data, count: int) -> Iterable[tuple[str, Any]]:
        """The fields that `reset` has given, of the right shapes."""
        # fields by name
        if isinstance(state, tuple | list) and len(state) == 2:
            named = {"qpos": state[0], "qvel": state[1]}
        elif isinstance(state, dict):
            named = state
        else:
            raise TypeError(
                f"{self._where}: returned {kind_of(state)}, expected qpos and qvel, or a dict of "
                "fields such as {'qpos': ..., 'mocap_pos': ...}"
            )
        # known ones, of the right shapes
        for name, value in named.items():
            known = (*self._task._own_state.names, *INITIAL_FIELDS)
            if name not in known:
                raise ValueError(
                    f"{self._where}: found the field {name!r}, expected some of {list(known)}"
                    f"{nearest(str(name), known)}"
                )
            self._check_shape(name, value, getattr(data, name).shape[1:], count)
        return named.items()

    def _check_shape(self, name: str, value: Any, inner: tuple[int, ...], count: int) -> None:
        """Refuse a field of another shape.

        Raises:
            ValueError: it has neither that of one world nor that of all.
        """
        shapes = [inner] if self._single else [(count, *inner), inner]
        if np.shape(value) not in shapes:
            expected = " or ".join(map(str, shapes))
            raise ValueError(
                f"{self._where}: {name} has shape {np.shape(value)}, expected {expected}"
            )
