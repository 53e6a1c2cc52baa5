"""The functions of a task, called with the physics of its worlds."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from mjenv.engine.data.data import Data
from mjenv.stepping.checks import Checks
from mjenv.stepping.finite import refuse_observations, refuse_rewards
from mjenv.stepping.infos import masked
from mjenv.task.controls import inputs
from mjenv.task.random_streams import Streams
from mjenv.task.read_only import ReadOnly, frozen, locked
from mjenv.task.task import Outcome, Task, total
from mjenv.task.task_state import TaskState
from mjenv.task.world_view import finder
from mjenv.tracing.arrays import TraceError
from mjenv.tracing.dry_run import dry_run


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


class TaskFunctions:
    """Calls a task's functions, and explains their mistakes; `SimulationBatch` has the worlds.

    Attributes:
        task: the task.
        nworld: number of worlds, or None for one world whose arrays have no world axis.
        data: the physics, with a world axis.
        fields: the physics with the shapes that the task gets.
        readable: the same, which cannot be written.
        state: where the task's own arrays lie; None if it has none.
        action_shape: shape of the action.
        depends: what the functions depend on besides their arguments, if it is known.
        structure: size of each part of the observation.
        unchecked: whether they have yet to be called for the first time.
    """

    task: Task
    nworld: int | None
    data: Data
    fields: Any
    readable: Any
    state: TaskState | None
    action_shape: tuple[int, ...]
    depends: Any
    unchecked: bool
    structure: dict[str, int]
    _checks: Checks

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

    def controls(self, action: np.ndarray, some: np.ndarray | None = None) -> dict[str, np.ndarray]:
        """Inputs of the physics that the task makes of actions.

        Args:
            action: one row for each world.
            some: numbers of the worlds; None for all.
        """
        try:
            given = self.task.control(self.of(some), locked(action))
        except Exception as error:
            self._checks.explain("control", error)
            raise
        lead = () if self.nworld is None else (len(action),)
        found = inputs(self.task, self.data, given, lead)
        # copies: they may be parts of what is written next
        return {name: np.array(value, np.float64) for name, value in found.items()}

    def drive(
        self,
        given: dict[str, np.ndarray],
        some: np.ndarray | None = None,
        live: np.ndarray | None = None,
    ) -> None:
        """Have the physics run with inputs that `controls` gave.

        Args:
            given: the inputs.
            some: numbers of the worlds; None for all.
            live: bool for each of them; the others stay as they are.
        """
        worlds = self._ids(some)
        for name, value in given.items():
            rows = value[None] if self.nworld is None else value
            chosen = slice(None) if live is None else live
            getattr(self.data, name)[worlds[chosen]] = rows[chosen]

    def refuse_driven(
        self,
        given: dict[str, np.ndarray],
        some: np.ndarray | None = None,
        live: np.ndarray | None = None,
    ) -> None:
        """Compare inputs that `controls` gave with those that bytecode has made; as `drive`.

        Raises:
            TraceError: they differ, so that the step that was made is another one.
        """
        worlds, chosen = self._ids(some), slice(None) if live is None else live
        for name, value in given.items():
            rows = value[None] if self.nworld is None else value
            if getattr(self.data, name)[worlds[chosen]].tobytes() != rows[chosen].tobytes():
                raise TraceError(
                    f"{type(self.task).__name__}.control: found {name} that differs between numpy "
                    "and bytecode, expected results that depend on arguments and parameters only; "
                    "write such a function, or make the environment with compiled=False"
                )

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

    @property
    def reward_terms(self) -> tuple[str, ...]:
        """Names of the reward's terms."""
        before = frozen(self.task.before(self.readable))
        actions = locked(np.zeros(self.action_shape, np.float32))
        return tuple(self.task.outcome(self.readable, actions, before).reward)

    def refuse_rewards(self, rewards: Any, named: dict[str, Any], some: Any = None) -> None:
        """Refuse rewards of a step that are not finite, and name the term to blame.

        Args:
            rewards: one for each world.
            named: infos, with the terms of the reward among them.
            some: numbers of the worlds; None for all.

        Raises:
            NonFiniteError: there is one.
        """
        where = f"step: {type(self.task).__name__}.outcome"
        refuse_rewards(where, rewards, named, self.reward_terms, self._ids(some))

    def refuse_observations(self, where: str, observations: Any, some: Any = None) -> None:
        """Refuse observations that are not finite, and name the part to blame.

        Args:
            where: the call.
            observations: one row for each world.
            some: numbers of the worlds; None for all.

        Raises:
            NonFiniteError: there is one.
        """
        where = f"{where}: {type(self.task).__name__}.observation"
        refuse_observations(where, observations, self.structure, self._ids(some))

    def _ids(self, some: np.ndarray | None) -> np.ndarray:
        return np.arange(self.data.nworld) if some is None else some

    def observation(self, out: np.ndarray | None = None, fields: Any = None) -> np.ndarray:
        """The observations, (..., size), in a new array or in `out`; of all worlds or of others."""
        parts = tuple(self._parts(self.readable if fields is None else fields).values())
        return np.concatenate(parts, axis=-1, out=out, casting="same_kind")

    def of(self, some: np.ndarray | None) -> Any:
        """The fields of some worlds only, as copies, for the functions of a task; None for all."""
        if some is None:
            return self.readable
        return ReadOnly(Rows(self.data, some), state=self.state)


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
