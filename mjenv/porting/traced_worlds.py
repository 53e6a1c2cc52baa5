"""Worlds whose steps are a program: operations over all, and calls of the physics between."""

import copy
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from mjenv.engine.data.data import Data
from mjenv.engine.data.prepared_step import PreparedStep
from mjenv.engine.data.requested_fields import LAZY_INPUTS
from mjenv.engine.tables.fields import DATA
from mjenv.porting.original import Original
from mjenv.porting.program import Output, Program

_SCALARS = frozenset(row.name for row in DATA if not row.shape)
# what an episode goes on from, besides results of the physics
STATE = (
    "time", "qpos", "qvel", "act", "ctrl", "mocap_pos", "mocap_quat", "qacc_warmstart", "userdata",
    "eq_active", "history",
)  # fmt: skip


class Steps(NamedTuple):
    """Results of a step: arrays with a row for each world.

    Attributes:
        observation: by the keys of dicts that lead to it, () for one array.
        reward, terminated, truncated: (nworld,).
        info: by name.
        masks: which worlds have an info, by "_" and its name; None: those that have stepped.
    """

    observation: dict[tuple, np.ndarray]
    reward: np.ndarray
    terminated: np.ndarray
    truncated: np.ndarray
    info: dict[str, np.ndarray]
    masks: dict[str, np.ndarray] | None = None


class TracedWorlds:
    """Many worlds of an environment whose step has been followed.

    Attributes:
        data: the physics.
        attributes: what differs between worlds of the environment's own, by name (nworld, ...).
    """

    def __init__(self, original: Original, program: Program, nworld: int, nthread: int | None):
        """Make the worlds, in the model's initial state.

        Args:
            original: the environment.
            program: its step.
            nworld: how many.
            nthread: threads of the physics; None for the engine's choice.
        """
        self._original, self._program, self._nworld = original, program, nworld
        self._model = original.model._twin()
        self.data = Data(
            self._model,
            nworld=nworld,
            keep=self._kept(),
            vary=program.followed.varied,
            nthread=nthread,
        )
        self._table = program.table(nworld)
        original.renew()
        self.attributes = {slot.field: self._first(slot) for slot in program.slots}
        generator = vars(original.inner).get("_np_random")
        self._generators = [copy.deepcopy(generator) for _ in range(nworld)]
        self._action = np.zeros((nworld, *program.followed.action[1]), program.followed.action[0])
        self._calls: dict[tuple, PreparedStep] = {}
        self._copied = self._copies()
        for world in range(nworld):
            self._take(world)

    def _first(self, slot: Any) -> np.ndarray:
        """An attribute of all worlds as it is before any episode."""
        try:
            value = self._original.places.get(slot.path)
        except (KeyError, IndexError):
            value = None
        if value is None or np.shape(value) != np.shape(slot.sample):
            value = slot.sample
        return np.repeat(np.asarray(value, np.float64)[None], self._nworld, axis=0)

    def _kept(self) -> tuple[str, ...]:
        known = {row.name for row in DATA}
        return tuple(n for n in self._program.fields if n in known and n not in LAZY_INPUTS)

    def _copies(self) -> list[tuple[str, np.ndarray]]:
        """Arrays that a world takes from the environment's data after a reset."""
        names = dict.fromkeys((*STATE, *self._program.fields))
        found = [(n, self.data._arrays.get(n)) for n in names]
        return [(n, a) for n, a in found if a is not None and a.size]

    # ------------------------------------------------------------ episodes

    def start(self, world: int, seed: int | None, options: Any) -> tuple[Any, dict[str, Any]]:
        """Start an episode in a world: the environment's own `reset`.

        Returns:
            What it returned.
        """
        original, places = self._original, self._original.places
        inner, env = original.inner, original.env
        for slot in self._program.slots:
            places.put(slot.path, _as(slot.sample, self.attributes[slot.field][world]))
        self._give(world)
        vars(inner)["_np_random"] = self._generators[world]
        observation, info = env.reset(seed=seed, options=options)
        self._generators[world] = vars(inner).get("_np_random")
        self._take(world)
        for slot in self._program.slots:
            self.attributes[slot.field][world] = places.get(slot.path)
        return observation, info

    def _give(self, world: int) -> None:
        """Give the environment the state of a world."""
        data = self._original.data
        for name, array in self._copied:
            if name in STATE:
                getattr(data.batch, name)[0] = array[world]
        for name, array in self.data.varied.items():
            getattr(self._original.model, name)[...] = array[world]

    def _take(self, world: int) -> None:
        """Give a world the state of the environment."""
        batch = self._original.data.batch
        for name, array in self._copied:
            array[world] = getattr(batch, name)[0]
        for name, array in self.data.varied.items():
            array[world] = getattr(self._original.model, name)
        self.data._warnings[:, world] = 0
        self.data.plan.forget_rest()

    # ------------------------------------------------------------ steps

    def step(self, actions: np.ndarray, worlds: np.ndarray | None) -> Steps:
        """Advance worlds by a step.

        Args:
            actions: (nworld, ...).
            worlds: numbers of those that step; None for all. Rows of others mean nothing.
        """
        program, table = self._program, self._table
        self._action[...] = actions
        for k, call in enumerate(program.followed.calls):
            program.run(k, table, self._read)
            for name, output in program.writes[k].items():
                self._write(name, self._of(output), worlds)
            if call.name:
                self._call(call, worlds)
        self._refuse_errors(worlds)
        found = Steps(
            {name: self._of(one) for name, one in program.observation.items()},
            self._row(program.reward, np.float64),
            self._row(program.terminated, np.bool_),
            self._row(program.truncated, np.bool_),
            {name: self._of(one) for name, one in program.info.items()},
        )
        new = {name: self._of(one) for name, one in program.attributes.items()}
        for name, values in new.items():
            own = self.attributes[name]
            if worlds is None:
                own[...] = values
            else:
                own[worlds] = values[worlds] if np.ndim(values) == own.ndim else values
        return found

    def _read(self, name: str) -> np.ndarray:
        if name == "@action":
            return self._action
        if name == "@warning":
            return self.data.warning_numbers
        if name.startswith("model."):
            return self.data.varied[name[6:]]
        found = self.attributes.get(name)
        return getattr(self.data, name) if found is None else found

    def _write(self, name: str, values: Any, worlds: np.ndarray | None) -> None:
        model = name.startswith("model.")
        field = self.data.varied[name[6:]] if model else getattr(self.data, name)
        if worlds is None:
            field[...] = values.reshape(field.shape)
        else:
            field[worlds] = values.reshape(field.shape)[worlds]

    def _call(self, call: Any, worlds: np.ndarray | None) -> None:
        plan = self.data.plan
        plan.refresh_idle()
        nstep = call.nstep if call.name == "step" else 0
        key = nstep, call.post
        if key not in self._calls:
            self._calls[key] = PreparedStep(self.data, nstep, call.post)
        self._calls[key](worlds)

    def _of(self, output: Any) -> Any:
        """Results of all worlds."""
        if isinstance(output, Output):
            return output.of(self._table)
        return np.repeat(np.asarray(output)[None], self._nworld, axis=0)

    def _row(self, output: Any, dtype: Any) -> np.ndarray:
        return np.asarray(self._of(output), dtype).reshape(self._nworld)

    def _refuse_errors(self, worlds: np.ndarray | None) -> None:
        """Raise the environment's own error where a world's way ends in one."""
        if not self._program.followed.errors:
            return
        raised = self._row(self._program.raised, np.int64)
        bad: Any = np.flatnonzero(raised if worlds is None else raised[worlds])
        if len(bad):
            world = int(bad[0] if worlds is None else worlds[bad[0]])
            error = self._program.followed.errors[raised[world] - 1]
            raise type(error)(f"environment {world}: {error}")


def _as(sample: Any, row: np.ndarray) -> Any:
    """A row of numbers in the type of an attribute."""
    if isinstance(sample, np.ndarray):
        return row.astype(sample.dtype)
    return type(sample)(row.item())


def chosen(worlds: Sequence[int], nworld: int) -> np.ndarray | None:
    """Numbers of worlds, None where they are all."""
    return None if len(worlds) == nworld else np.asarray(worlds, np.int64)
