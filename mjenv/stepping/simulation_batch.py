"""The worlds of a task: what the single and the vector environment have in common."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import gymnasium
import numpy as np

from mjenv.engine.data.data import Data
from mjenv.engine.data.prepared_step import PreparedStep
from mjenv.engine.tables.enums import WARN_BADQACC, WARN_BADQPOS
from mjenv.randomization.disturbances import Disturbances
from mjenv.stepping.arguments import chosen
from mjenv.stepping.checks import Checks
from mjenv.stepping.groups import Groups
from mjenv.stepping.infos import masked
from mjenv.stepping.initial_states import InitialStates
from mjenv.stepping.reset_with_physics import reset_with_physics, without_actuation
from mjenv.task.random_streams import Streams
from mjenv.task.read_only import ReadOnly, frozen, locked
from mjenv.task.task import Outcome, Task, total
from mjenv.task.world_view import WorldView, finder
from mjenv.tracing.dry_run import dry_run

# fields that the post-constraint pass computes
POST_CONSTRAINT = frozenset({"cacc", "cfrc_int", "cfrc_ext"})

EVERY = slice(None)  # worlds

# warnings after which the engine has put a world back into the model's initial state
_RESETS = slice(WARN_BADQPOS, WARN_BADQACC + 1)


class Evaluation(NamedTuple):
    """What a task says of the state after a step, as its functions have given it.

    Attributes:
        fields: the physics, with what the task remembers of the step.
        reward: sum of the terms.
        terminated: whether the episode is over.
        due: (n,) bool, where the task draws values of its own arrays; None for nowhere.
        state: infos of the state.
        named: infos of the step, with the terms of the reward.
    """

    fields: Any
    reward: Any
    terminated: Any
    due: np.ndarray | None
    state: dict[str, Any]
    named: dict[str, Any]


class SimulationBatch:
    """The physics of a task in one world or many; a task's functions are called with `readable`.

    Attributes:
        task: the task.
        nworld: number of worlds, or None for one world whose arrays have no world axis.
        data: the physics, with a world axis.
        fields: the physics with the shapes that the task gets.
        readable: the same, which cannot be written.
        state: where the task's own arrays lie; None if it has none.
        action_shape: shape of the action.
        structure: size of each part of the observation.
        disturbances: what is drawn at random besides initial states.
        initial: what starts episodes.
        depends: what the task's functions depend on besides their arguments, if it is known.
        keeps_all: whether the data have all fields, not only those that the task reads.
        post: whether the post-constraint pass runs.
        unchecked: whether the task's functions have yet to be called for the first time.
    """

    def __init__(
        self,
        task: Task,
        nworld: int | None = None,
        keep: Sequence[str] | None = None,
        nthread: int | None = None,
    ):
        """Allocate the worlds.

        Args:
            task: the task.
            nworld: number of worlds, or None for one without a world axis.
            keep: fields of the data to keep besides state, inputs and sensordata; None for all.
            nthread: number of threads; None for the engine's choice.
        """
        self.task, self.nworld, self._keep, self._nthread = task, nworld, keep, nthread
        self.keeps_all = keep is None
        self.post = keep is None or not POST_CONSTRAINT.isdisjoint(keep)
        self.disturbances = Disturbances(
            task.model, task.randomization, nworld or 1, task.model.opt.timestep * task.frame_skip
        )
        self.data = Data(
            task.model,
            nworld=nworld or 1,
            keep=keep,
            nthread=nthread,
            vary=tuple(dict.fromkeys((*self.disturbances.randomization.vary, *task._varies))),
        )
        self._attach()
        self.action_shape = self._ctrl.shape
        self._checks = Checks(task, () if nworld is None else (nworld,))
        self.initial = InitialStates(task, nworld is None, self._checks)
        self.unchecked = True
        chosen("terminate_when_diverged", task.terminate_when_diverged, True, False)
        self.structure = self._checks.observation(self._parts(self.readable))
        # so that changes of them are noticed
        _ = task.init_qpos, task.init_qvel
        self._dry_run()
        object.__setattr__(task, "_in_use", True)
        actuators = [task.model.actuator(i).name for i in range(task.model.nu)]
        self.disturbances.attach(self.data, self.structure, actuators)

    def _attach(self) -> None:
        """Make the views of the data."""
        one = self.nworld is None
        self.fields: Any = WorldView(self.task.model, self.data) if one else self.data
        own = self.task._own_state
        self.state = own if own.size else None
        self.readable: Any = ReadOnly(self.fields, one, self.state)
        self._resets = self.data.warning_numbers[:, _RESETS]
        self._ctrl = self.fields.ctrl
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
            larger = SimulationBatch(self.task, self.nworld, self._keep, self._nthread)
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

    # the task's functions

    def _dry_run(self) -> None:
        """Call the task's functions for trial."""
        action = locked(np.zeros(self.action_shape, np.float32))
        self.depends = dry_run(self.task, self.readable, action)

    def before(self, fields: Any) -> Any:
        """Values that the task remembers from before a step."""
        if self.unchecked:
            self._dry_run()
        try:
            remembered = self.task.before(fields)
        except Exception as error:
            self._checks.explain("before", error)
            raise
        if self.unchecked:
            self._checks.before(remembered, self.fields)
        return frozen(remembered)

    def evaluate(
        self,
        action: np.ndarray,
        remembered: Any,
        some: np.ndarray | None = None,
        live: np.ndarray | None = None,
    ) -> Evaluation:
        """Have the task's functions evaluate the state after a step.

        Args:
            action: one row for each world.
            remembered: from before the step.
            some: numbers of the worlds; None for all.
            live: bool for each of them, whether it has stepped; None for all.
        """
        fields = self.of(some)
        outcome = self.outcome(fields, action, remembered)
        if self.state is not None:
            outcome = self.update(fields, action, remembered, outcome, some, live)
            # what is to be seen after what the task remembers
            fields = self.of(some)
        due = self.due(fields, self.data.nworld if some is None else len(some))
        named = {**(outcome.info or {}), **outcome.reward}
        reward, state = total(outcome), self.info(fields)
        return Evaluation(fields, reward, outcome.terminated, due, state, named)

    def rows(self, value: Any, count: int, live: np.ndarray | None = None) -> np.ndarray:
        """A copy of what a task's function gave with a row for each world, zeros where not live."""
        return np.array(value)[None] if self.nworld is None else masked(value, count, live)

    def outcome(self, fields: Any, action: np.ndarray, remembered: Any) -> Outcome:
        """Outcome of a step."""
        try:
            outcome = self.task.outcome(fields, locked(action), remembered)
        except Exception as error:
            self._checks.explain("outcome", error)
            raise
        if self.unchecked:
            self._checks.outcome(outcome, len(action))
            self.unchecked = False
        return outcome

    def update(
        self,
        fields: Any,
        action: np.ndarray,
        remembered: Any,
        outcome: Outcome,
        some: np.ndarray | None = None,
        live: np.ndarray | None = None,
    ) -> Outcome:
        """Give the task's own arrays the values that they have after a step.

        Args:
            fields: the physics after it.
            action: one row for each world.
            remembered: from before it.
            outcome: what the step gave, which may be views of the old values.
            some: numbers of the worlds; None for all.
            live: bool for each of them; the others stay as they are.

        Returns:
            The outcome with copies.
        """
        # arrays may be views of what is written next
        reward, info = ({n: np.array(v) for n, v in (x or {}).items()} for x in outcome[::2])
        outcome = outcome._replace(reward=reward, info=info)
        try:
            given = self.task.update(fields, locked(action), remembered)
        except Exception as error:
            self._checks.explain("update", error)
            raise
        self.remember("update", given, np.arange(self.data.nworld) if some is None else some, live)
        return outcome

    def remember(
        self, method: str, given: Any, worlds: np.ndarray, live: np.ndarray | None = None
    ) -> None:
        """Write values that a function of the task has given into its arrays, in live worlds."""
        assert self.state is not None
        lead = () if self.nworld is None else (len(worlds),)
        values = self.state.values(method, given, lead)
        # all are computed before the first is written
        values = {name: np.array(value) for name, value in values.items()}
        if live is not None:
            values = {
                name: value[live] if value.ndim > len(self.state.shape(name)) else value
                for name, value in values.items()
            }
            worlds = worlds[live]
        self.state.write(self.data.userdata, worlds, values)

    def due(self, fields: Any, count: int) -> np.ndarray | None:
        """In which worlds the task draws values of its arrays: bool (count,); None for none."""
        if self.state is None:
            return None
        try:
            due = self.task.due(fields)
        except Exception as error:
            self._checks.explain("due", error)
            raise
        if due is None:
            return None
        self._checks.due(due, count)
        return np.broadcast_to(due, (count,))

    def draw(self, generators: Sequence[Any], worlds: np.ndarray) -> None:
        """Have the task draw values of its arrays in some worlds."""
        rng = Streams(generators, self.nworld is None)
        try:
            given = self.task.draw(rng)
        except Exception as error:
            self._checks.explain("draw", error)
            raise
        rng.close()
        self.remember("draw", given, worlds)

    def info(self, fields: Any = None) -> dict[str, Any]:
        """Infos of the state."""
        try:
            return self.task.info(self.readable if fields is None else fields)
        except Exception as error:
            self._checks.explain("info", error)
            raise

    def _parts(self, fields: Any) -> Any:
        """The observation's parts."""
        try:
            return self.task.observation(fields)
        except Exception as error:
            self._checks.explain("observation", error)
            raise

    def diverged(self) -> np.ndarray | None:
        """Worlds that the last step has reset as their state was no longer finite or too large.

        Returns:
            bool (nworld,), or None if there are none.
        """
        return np.any(self._resets, axis=1) if self._resets.any() else None

    @property
    def reward_terms(self) -> tuple[str, ...]:
        """Names of the reward's terms."""
        before = frozen(self.task.before(self.readable))
        actions = locked(np.zeros(self.action_shape, np.float32))
        return tuple(self.task.outcome(self.readable, actions, before).reward)

    def forward(self, worlds: np.ndarray | None = None) -> None:
        """Recompute everything that follows from the state.

        Args:
            worlds: indices, one or more; None for all.
        """
        self.data.plan.refresh_idle()
        self.call(0)(worlds)

    def observation(self, out: np.ndarray | None = None, fields: Any = None) -> np.ndarray:
        """The observations, (..., size), in a new array or in `out`; of all worlds or of others."""
        parts = tuple(self._parts(self.readable if fields is None else fields).values())
        return np.concatenate(parts, axis=-1, out=out, casting="same_kind")

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

    def of(self, some: np.ndarray | None) -> Any:
        """The fields of some worlds only, as copies, for the functions of a task; None for all."""
        if some is None:
            return self.readable
        return ReadOnly(Rows(self.data, some), state=self.state)

    def __getstate__(self) -> dict[str, Any]:
        state = self.__dict__.copy()
        for name in ("depends", "fields", "readable", "_ctrl", "_resets", "_calls"):
            del state[name]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._attach()
        self._dry_run()


class Rows:
    """Copies of some worlds' rows, under the names of the data's fields."""

    def __init__(self, data: Data, worlds: np.ndarray):
        self._data, self._worlds = data, worlds
        self._model = self.model = data.model

    def __getattr__(self, name: str) -> Any:
        found = finder(self, name)
        if found is not None:
            return found
        array = vars(self)[name] = getattr(self._data, name)[self._worlds]
        return array
