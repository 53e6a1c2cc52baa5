"""Trajectories of many simulations, with records of each step."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mjenv.engine.analysis.state import State, get_state, set_state, state_size
from mjenv.engine.data.step import step
from mjenv.engine.model.model import Model
from mjenv.mujoco.batch.errors import unbindable
from mjenv.mujoco.batch.fields import DATA_FIELDS, STATE, template


class Recording:
    """A rollout: which simulations, how long, under which controls."""

    def __init__(
        self,
        model: Model,
        nsim: int,
        ids: np.ndarray | None,
        nstep: int,
        control: ArrayLike | None,
        spec: int,
    ):
        if nstep < 0:
            raise ValueError(f"rollout: nstep={nstep}, expected 0 or more")
        spec = int(spec)
        if spec & ~int(State.USER):
            raise ValueError(f"rollout: control_spec={spec}: expected bits of mjSTATE_USER")
        self._model, self._nsim, self._ids, self._nstep, self._spec = model, nsim, ids, nstep, spec
        self._n = nsim if ids is None else len(ids)
        self._control = None
        if control is not None:
            shape = (self._n, nstep, state_size(model, spec))
            self._control = np.broadcast_to(np.asarray(control, np.float64), shape)

    def run(self, batch: Any, record: Sequence[str | int], out: dict) -> dict:
        """Advance the simulations of a batch; what was recorded."""
        self._records = {item: self._array(item, out.get(item)) for item in record}
        # results that nobody has bound are kept for the time being
        for item in record:
            if isinstance(item, str) and item not in STATE:
                batch.bind(item)
        self._rows = np.zeros(self._nsim, np.int64)
        self._rows[slice(None) if self._ids is None else self._ids] = np.arange(self._n)
        batch._run(self._ids, self._advance, whole=True)
        return self._records

    def _array(self, item: str | int, given: np.ndarray | None) -> np.ndarray:
        """The array that an item is recorded into."""
        if isinstance(item, str):
            if item not in DATA_FIELDS:
                raise ValueError(unbindable(item))
            like = template(self._model, item)
            shape, kind = like.shape, like.dtype
        else:
            shape, kind = (state_size(self._model, int(item)),), np.dtype(np.float64)
        shape = (self._n, self._nstep, *shape)
        if given is None:
            return np.zeros(shape, kind)
        right = isinstance(given, np.ndarray) and given.shape == shape and given.dtype == kind
        if not right or not (given.flags.c_contiguous and given.flags.writeable):
            raise ValueError(
                f"rollout: out[{item!r}]: expected a writable array {kind} of shape {shape}, "
                "in C order"
            )
        return given

    def _advance(self, model: Model, data: Any, mask: np.ndarray | None, sims: np.ndarray) -> None:
        """Advance the worlds of a group."""
        called = np.ones(data.nworld, bool) if mask is None else mask
        rows, before = self._rows[sims], data.warning_numbers.copy()
        running = called
        for k in range(self._nstep):
            worlds = np.flatnonzero(running)
            if self._control is not None and len(worlds):
                set_state(model, data, self._control[rows[worlds], k], self._spec, worlds)
            step(model, data, 1, None if running.all() else running)
            self._note(model, data, k, called, rows)
            running = called & ~(data.warning_numbers != before).any(axis=1)

    def _note(self, model: Model, data: Any, k: int, called: np.ndarray, rows: np.ndarray) -> None:
        """Record a step of the worlds that were called."""
        worlds = np.flatnonzero(called)
        places = rows[worlds]
        for item, array in self._records.items():
            if isinstance(item, str):
                values = getattr(data, item)[worlds]
            else:
                values = get_state(model, data, int(item), worlds)
            array[places, k] = values.reshape(len(worlds), *array.shape[2:])
