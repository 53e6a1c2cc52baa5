"""The worlds of a task: what the single and the vector environment have in common."""

from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np

from mjenv.engine.data.data import Data
from mjenv.engine.data.prepared_step import PreparedStep
from mjenv.engine.tables.enums import WARN_BADQACC, WARN_BADQPOS
from mjenv.randomization.disturbances import Disturbances
from mjenv.randomization.fields import refuse_varied
from mjenv.stepping.arguments import chosen
from mjenv.stepping.checks import Checks
from mjenv.stepping.groups import Groups
from mjenv.stepping.initial_states import InitialStates
from mjenv.stepping.reset_with_physics import reset_with_physics, without_actuation
from mjenv.stepping.task_functions import TaskFunctions
from mjenv.task.controls import action_limits, action_size, has_control
from mjenv.task.read_only import ReadOnly
from mjenv.task.task import Task
from mjenv.task.world_view import WorldView

# fields that the post-constraint pass computes
POST_CONSTRAINT = frozenset({"cacc", "cfrc_int", "cfrc_ext"})

EVERY = slice(None)  # worlds

# warnings after which the engine has put a world back into the model's initial state
_RESETS = slice(WARN_BADQPOS, WARN_BADQACC + 1)


class SimulationBatch(TaskFunctions):
    """The physics of a task in one world or many; a task's functions are called with `readable`.

    Attributes:
        disturbances: what is drawn at random besides initial states.
        initial: what starts episodes.
        keeps_all: whether the data have all fields, not only those that the task reads.
        post: whether the post-constraint pass runs.
        drives: whether the task makes inputs of actions, which are no controls then.
    """

    def __init__(
        self,
        task: Task,
        nworld: int | None = None,
        keep: Sequence[str] | None = None,
        nthread: int | None = None,
        lanes: int | None = None,
    ):
        """Allocate the worlds.

        Args:
            task: the task.
            nworld: number of worlds, or None for one without a world axis.
            keep: fields of the data to keep besides state, inputs and sensordata; None for all.
            nthread: number of threads; None for the engine's choice.
            lanes: worlds of a pack; None for the engine's choice.
        """
        self.task, self.nworld, self._keep = task, nworld, keep
        self._nthread, self._lanes = nthread, lanes
        self.keeps_all = keep is None
        self.post = keep is None or not POST_CONSTRAINT.isdisjoint(keep)
        self.disturbances = Disturbances(
            task.model, task.randomization, nworld or 1, task.model.opt.timestep * task.frame_skip
        )
        drawn = self.disturbances.randomization.vary
        refuse_varied(type(task).__name__, task.varies, drawn)
        self.data = Data(
            task.model,
            nworld=nworld or 1,
            keep=keep,
            nthread=nthread,
            width=lanes,
            vary=(*drawn, *task.varies),
        )
        self._attach()
        # what actions there are
        self.drives, self._limits = has_control(task), action_limits(task)
        nact = action_size(task)
        self.action_shape = (nact,) if nworld is None else (nworld, nact)
        # what is known of the task's functions
        self._checks = Checks(task, () if nworld is None else (nworld,))
        self.initial = InitialStates(task, nworld is None, self._checks)
        self.unchecked = True
        chosen("terminate_when_diverged", task.terminate_when_diverged, True, False)
        self.structure = self._checks.observation(self._parts(self.readable))
        # so that changes of them are noticed
        _ = task.init_qpos, task.init_qvel
        self._dry_run()
        object.__setattr__(task, "_in_use", True)
        # disturbances of actions know these by name
        names = [task.model.actuator(i).name for i in range(task.model.nu)]
        if self._limits is not None:
            names = [f"action {i}" for i in range(nact)]
        self.disturbances.attach(self.data, self.structure, names)

    def _attach(self) -> None:
        """Make the views of the data."""
        one = self.nworld is None
        self.fields: Any = WorldView(self.task.model, self.data) if one else self.data
        own = self.task._own_state
        self.state = own if own.size else None
        self.readable: Any = ReadOnly(self.fields, one, self.state)
        self._resets = self.data.warning_numbers[:, _RESETS]
        self._calls: dict[int, PreparedStep] = {}

    def groups(self) -> Groups:
        """Groups of what policies observe."""
        size = self.spaces[0].shape[0]
        return Groups(type(self.task).__name__, self.task.groups, self.structure, size)

    @property
    def spaces(self) -> tuple[gymnasium.spaces.Box, gymnasium.spaces.Box]:
        """Observation space and action space of one world."""
        model = self.task.model
        low, high = np.array(model.actuator_ctrlrange, np.float32).reshape(-1, 2).T
        # without a range, anything: the range of zeros that the model has is none
        unlimited = (np.asarray(model.actuator_ctrllimited).ravel() == 0) & (low == high)
        low, high = np.where(unlimited, -np.inf, low), np.where(unlimited, np.inf, high)
        if self._limits is not None:
            low, high = self._limits
        size = sum(self.structure.values())
        if self.disturbances.observes:
            size = self.disturbances.size
        return (
            gymnasium.spaces.Box(-np.inf, np.inf, (size,), np.float64),
            gymnasium.spaces.Box(np.float32(low), np.float32(high), dtype=np.float32),
        )

    def declare(self, fields: Any) -> bool:
        """Let more fields of the model differ, which the task's `randomization` leaves alone.

        The data are made anew then: all worlds have to be started.

        Args:
            fields: what `reset` was given: field to distribution.

        Returns:
            Whether there are new data.

        Raises:
            TypeError: if there is something else than a dict of distributions.
            ValueError: if there is no such field.
        """
        new = self.disturbances.undeclared(fields)
        if not new:
            return False
        # all fields are declared at once: the old declaration and the new one
        known = self.task.randomization
        object.__setattr__(self.task, "randomization", {**(known or {}), **new})
        try:
            larger = SimulationBatch(self.task, self.nworld, self._keep, self._nthread, self._lanes)
        except Exception:
            object.__setattr__(self.task, "randomization", known)
            raise
        # worlds keep their random numbers and what was drawn before
        larger.disturbances.succeed(self.disturbances)
        for name, array in self.data.varied.items():
            larger.data.varied[name][:] = array
        self.__dict__.update(larger.__dict__)
        return True

    def clear(self, worlds: np.ndarray | slice, fresh: Any) -> None:
        """Put worlds, indices or a slice, into the model's initial state.

        Args:
            worlds: those that begin an episode.
            fresh: bool, one for all or for each world there is: whether its generator is new.
        """
        self.initial.last.clear(self.data, worlds, fresh)

    def start(
        self,
        generators: Sequence[np.random.Generator],
        seeds: Sequence[int],
        worlds: Any = EVERY,
        options: dict[str, Any] | None = None,
    ) -> None:
        """Draw initial states for worlds that were cleared.

        Args:
            generators: those of all worlds.
            seeds: what they were made from.
            worlds: indices, or `EVERY`.
            options: of the environment's `reset`: distributions to draw fields of the model from
                instead of the task's, as `randomization`, and what the task's `reset` takes.
        """
        randomization = None
        if options:
            options = dict(options)
            randomization = options.pop("randomization", None)
        # what is drawn at random of the model
        if self.disturbances.active or randomization:
            self.disturbances.refuse_edits(self.task.randomization)
            self.disturbances.dt = self.task.dt
            ids = np.arange(self.data.nworld)[worlds]
            rows = ids.tolist()
            new = self.disturbances.follow(
                [generators[i] for i in rows], [seeds[i] for i in rows], ids
            )
            self.disturbances.start(self.data, ids, new, randomization)
            self.data.place_mocap(worlds)
        chosen = None if worlds is EVERY else worlds
        if self.state is not None:
            self.state.own(self.data.userdata)[worlds] = self.state.initial
        # initial states with physics at hand; nothing drives a world that has not been acted in
        if self.task._reset_with_physics is not None:
            with without_actuation(self.data):
                reset_with_physics(self, generators, worlds)
                self.forward(chosen)
            return
        # initial states, by the task's reset
        self.initial.start(self.data, generators, worlds, options or {})
        # forward dynamics, so that they can be observed
        self.forward(chosen)

    def check_shape(self, action: np.ndarray, some: np.ndarray | None = None) -> None:
        """Refuse an action that has not one row of numbers for each world, or each of `some`."""
        if action.dtype.kind not in "fiub":
            raise ValueError(f"step: action is of type {action.dtype}, expected real numbers")
        shape = self.action_shape if some is None else (len(some), *self.action_shape[1:])
        if action.shape != shape:
            raise ValueError(f"step: action has shape {action.shape}, expected {shape}")

    def disturb(
        self, action: np.ndarray, live: np.ndarray | None = None, some: np.ndarray | None = None
    ) -> np.ndarray:
        """Apply delays and noise to an action that was set, and events that are due.

        Args:
            action: one row for each world, or for each of `some`.
            live: bool for each row; nothing happens to the others.
            some: numbers of the worlds; None for all.
        """
        if not self.disturbances.active:
            return action
        self.disturbances.dt = self.task.dt
        # live rows only: the others keep what their actuators had
        worlds = np.arange(self.data.nworld) if some is None else some
        rows = np.atleast_2d(action)
        if live is None:
            arrived = self.disturbances.act(self.data, rows, worlds, self.readable)
        else:
            arrived = rows.copy()
            arrived[live] = self.disturbances.act(
                self.data, rows[live], worlds[live], self.readable
            )
            worlds, rows = worlds[live], rows[live]
        if not self.drives:
            self.data.ctrl[worlds] = arrived if live is None else arrived[live]
        return arrived.reshape(action.shape)

    def refuse_not_finite(
        self, action: np.ndarray, live: np.ndarray | None, some: np.ndarray | None = None
    ) -> None:
        """Name the first of the live worlds whose action is not finite, if there is one."""
        bad = np.atleast_1d(~np.isfinite(action).all(axis=-1))
        if live is not None:
            bad = bad & live
        if bad.any():
            row = int(bad.argmax())
            world = row if some is None else int(some[row])
            where = "" if self.nworld is None else f" of environment {world}"
            values = np.atleast_2d(action)[row].tolist()
            raise ValueError(
                f"step: action{where} is {values}, expected finite numbers; "
                "look at what computed it"
            )

    def step(self, nstep: int, mask: np.ndarray | None = None) -> None:
        """Advance worlds.

        Args:
            nstep: number of physics steps.
            mask: bool (nworld,), the worlds, one or more; None for all.
        """
        self.data.plan.refresh_idle()
        self.call(nstep)(None if mask is None else mask.nonzero()[0])
        self.disturbances.stepped(mask)

    def call(self, nstep: int) -> PreparedStep:
        """The prepared call that advances worlds, or computes forward dynamics, after a refresh."""
        if nstep not in self._calls:
            post = self.post and nstep > 0
            self._calls[nstep] = PreparedStep(self.data, nstep, post, self.task._renewed)
        return self._calls[nstep]

    def diverged(self) -> np.ndarray | None:
        """Worlds that the last step has reset as their state was no longer finite or too large.

        Returns:
            bool (nworld,), or None if there are none.
        """
        return np.any(self._resets, axis=1) if self._resets.any() else None

    def forward(self, worlds: np.ndarray | None = None) -> None:
        """Recompute everything that follows from the state.

        Args:
            worlds: indices, one or more; None for all.
        """
        self.data.plan.refresh_idle()
        self.call(0)(worlds)

    def observe(
        self,
        out: np.ndarray | None = None,
        fields: Any = None,
        some: np.ndarray | None = None,
    ) -> np.ndarray:
        """Observations as policies see them, (..., size): with noise, delay and history.

        Args:
            out: where to write it; None for a new array.
            fields: the fields of `some`.
            some: numbers of the worlds; None for all.
        """
        if not self.disturbances.observes:
            return self.observation(out, fields)
        return self.seen(self.observation(None, fields), out, some)

    def seen(
        self, frames: np.ndarray, out: np.ndarray | None = None, some: np.ndarray | None = None
    ) -> np.ndarray:
        """Observations as policies see them, from those (..., size) without noise; as `observe`."""
        worlds = np.arange(self.data.nworld) if some is None else some
        seen = self.disturbances.observe(np.atleast_2d(frames), worlds)
        if out is None:
            return seen[0] if self.nworld is None else seen
        out[...] = seen
        return out

    def drawn(self) -> dict[str, tuple[np.ndarray, np.ndarray]]:
        """Values drawn since the last call: name to values, and a mask of the worlds."""
        return self.disturbances.report(self.data) if self.disturbances.active else {}

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        for name in ("depends", "fields", "readable", "_resets", "_calls"):
            del state[name]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._attach()
        self._dry_run()
