"""Simulations in the engine's worlds: rows of states go in, results and states come back."""

from collections.abc import Callable
from typing import Any

import numpy as np

from mjenv.engine.analysis.state import State, get_state, set_state
from mjenv.engine.data.requested_fields import LAZY_INPUTS
from mjenv.mujoco.batch.fields import state_columns
from mjenv.mujoco.batch.groups import Group, SimulationData
from mjenv.mujoco.batch.values import Values

_WHOLE = State.INTEGRATION


class Worlds:
    """Runs groups of simulations.

    Attributes:
        sleeps: whether bodies may sleep.
    """

    def __init__(
        self, values: Values, state: np.ndarray, warning: np.ndarray, nthread: int, persistent: bool
    ):
        self._values, self._state, self._warning = values, state, warning
        self._nthread, self._persistent = nthread, persistent
        self._outputs: dict[str, np.ndarray] = {}
        self._columns = {n: c for n, c in state_columns(values.base).items() if c[1] > c[0]}
        self._asleep: dict[str, np.ndarray] = {}
        self.sleeps = False

    def begin(self) -> None:
        """Have all simulations in the initial state."""
        groups, _ = self._values.groups()
        group, values = groups[0]
        data = self._ready(group, values)
        self.sleeps = data.plan.sleeps
        self._state[...] = get_state(group.model, data, _WHOLE)

    def bind(self, name: str, array: np.ndarray) -> None:
        """Have a result written into an array, (nsim, ...), after each call."""
        self._outputs[name] = array
        if not self._persistent:
            for group, _ in self._values.groups()[0]:
                # what is kept is chosen when data are made
                group.data = None

    def look(self, ids: np.ndarray | None, work: Callable, passed: tuple) -> dict[int, str]:
        """The same as `run` with a function that changes nothing."""
        return self.run(ids, work, None, passed)

    def run(
        self, ids: np.ndarray | None, work: Callable, whole: bool | None, passed: tuple
    ) -> dict[int, str]:
        """Run a function on the worlds of each group.

        Args:
            ids: which simulations; None for all.
            work: function of model, data, mask of worlds or None, and numbers of simulations.
            whole: whether it changes inputs too; None: it changes nothing.
            passed: exceptions that end the call.

        Returns:
            What went wrong, by simulation.
        """
        errors: dict[int, str] = {}
        for group, values in self.settled():
            mask, sims = self.part(group, ids)
            if not len(sims):
                continue
            # an error stops the simulations of its group, not those of others
            try:
                data = self._ready(group, values)
                self.load(group, mask, sims)
                work(group.model, data, mask, group.sims)
            except passed:
                raise
            except (ValueError, RuntimeError, ArithmeticError) as error:
                errors |= dict.fromkeys(sims.tolist(), str(error))
            else:
                if whole is not None:
                    self.save(group, mask, sims, whole)
        return errors

    def settled(self) -> list[tuple[Group, dict[str, np.ndarray]]]:
        """Groups as fields of models are now; new ones go on from where simulations were."""
        old = self._values._groups
        groups, new = self._values.groups()
        if new and self._persistent:
            self._hold(old)
        return groups

    def part(self, group: Group, ids: np.ndarray | None) -> tuple[np.ndarray | None, np.ndarray]:
        """The worlds of a group that run, None for all, and the numbers of their simulations."""
        if ids is None:
            return None, group.sims
        mask = np.isin(group.sims, ids)
        return mask, group.sims[mask]

    def _ready(self, group: Group, values: dict[str, np.ndarray]) -> SimulationData:
        """The worlds of a group, with models as they are now."""
        data = group.data
        if data is None:
            keep = None if self._persistent else tuple(self._outputs)
            data = group.make(keep, values, self._nthread)
            data.warning_numbers[...] = self._warning[group.sims, :, 1]
            data._warn_info[...] = self._warning[group.sims, :, 0]
            for name, array in self._asleep.items():
                if name in data._arrays:
                    data.take(name, slice(None), array[group.sims])
        group.enter(values)
        return data

    def load(self, group: Group, mask: np.ndarray | None, sims: np.ndarray) -> None:
        """Put the states of simulations into their worlds."""
        data, worlds = group.data, slice(None) if mask is None else mask
        assert data is not None
        whole = len(sims) == len(self._state)
        rows = self._state if whole else self._state[sims]
        data.plan.forget_rest()
        for name, (start, end, shape) in self._columns.items():
            values = rows[:, start:end]
            if name in LAZY_INPUTS and name not in data.inputs_in_use and not values.any():
                continue
            if name == "eq_active":
                values = values != 0
            getattr(data, name)[worlds] = values.reshape(len(sims), *shape)

    def save(
        self, group: Group, mask: np.ndarray | None, sims: np.ndarray, whole: bool = False
    ) -> None:
        """Take over states and results of worlds."""
        data, worlds = group.data, slice(None) if mask is None else mask
        assert data is not None
        all_of_them = len(sims) == len(self._state)
        places = slice(None) if all_of_them else sims
        for name, (start, end, _) in self._columns.items():
            if name in LAZY_INPUTS and name not in data.inputs_in_use:
                self._state[places, start:end] = 0
            elif whole or name not in LAZY_INPUTS:
                self._state[places, start:end] = getattr(data, name)[worlds].reshape(len(sims), -1)
        for name, array in self._outputs.items():
            array[places] = getattr(data, name)[worlds].reshape(len(sims), *array.shape[1:])
        self._warning[places, :, 1] = data.warning_numbers[worlds]
        self._warning[places, :, 0] = data._warn_info[worlds]

    def _hold(self, groups: list[tuple[Group, Any]]) -> None:
        """Hold what is no part of states, for worlds that are made anew."""
        held: dict[str, np.ndarray] = {}
        for group, _ in groups:
            for name, array in group.data._arrays.items() if group.data is not None else ():
                if array.ndim and array.size and name not in self._columns:
                    target = held.setdefault(
                        name, np.zeros((len(self._state), *array.shape[1:]), array.dtype)
                    )
                    if target.shape[1:] == array.shape[1:]:
                        target[group.sims] = array
        self._asleep = held

    def copy_to(self, data: Any, sim: int) -> None:
        """Give data of one world the state of a simulation, and results where they are kept."""
        batch = data.batch
        set_state(batch.model, batch, self._state[sim], _WHOLE)
        if not self._persistent:
            return
        for group, _ in self._values.groups()[0]:
            place = np.flatnonzero(group.sims == sim)
            if len(place) and group.data is not None:
                for name, array in group.data._arrays.items():
                    if name in batch._arrays and array.size and name not in self._columns:
                        batch.take(name, slice(None), getattr(group.data, name)[place])
