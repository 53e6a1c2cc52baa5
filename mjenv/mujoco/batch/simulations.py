"""`Batch`: many simulations of a model."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from mjenv.engine.data.halves import step1
from mjenv.engine.data.step import forward, reset, step
from mjenv.engine.errors import DataInUse
from mjenv.engine.model.model import Model
from mjenv.engine.simd.threads import available
from mjenv.engine.tables.enums import NWARNING
from mjenv.mujoco.batch import geometry, recording
from mjenv.mujoco.batch.arguments import chosen, whole_numbers
from mjenv.mujoco.batch.callbacks import refuse_callbacks
from mjenv.mujoco.batch.errors import SimulationError, nearest, unbindable, unwritable
from mjenv.mujoco.batch.fields import DATA_FIELDS, MODEL_FIELDS, STATE, state_columns, template
from mjenv.mujoco.batch.named import add_named
from mjenv.mujoco.batch.values import Values, locked
from mjenv.mujoco.batch.worlds import Worlds
from mjenv.mujoco.enumerations import mjtStage, mjtState
from mjenv.mujoco.structs import MjData, MjModel

Ids = ArrayLike | None


class Batch:
    """`nsim` simulations of a copy of a model.

    Attributes:
        model: the model.
        state: the state of each simulation, (nsim, nstate), live.
        warning: of each simulation and kind of warning, its last information and how often it was
            given, (nsim, 7, 2).
        status: 1 where the last call failed, see `error`, (nsim,).
    """

    model: Any
    nsim: int
    nthread: int
    persistent: bool
    state: np.ndarray
    warning: np.ndarray
    status: np.ndarray
    _errors: dict[int, str]
    _bound: dict[str, np.ndarray]
    _nkey: int
    _values: Values
    _worlds: Worlds

    def __init__(self, model: Model, nsim: int, nthread: int = 0, persistent: bool = False):
        """Make simulations in their initial state.

        Args:
            model: a model, which is copied.
            nsim: how many simulations.
            nthread: threads, 0 for as many as there are processors.
            persistent: keep all that each simulation computes, for `get_data`; models whose bodies
                sleep need it.

        Raises:
            ValueError: a model that needs `persistent`, an argument out of range, or callbacks in
                Python.
        """
        if nsim < 1:
            raise ValueError(f"Batch: nsim={nsim}, expected 1 or more")
        refuse_callbacks("Batch")
        # assigned past __setattr__, which writes into bound arrays
        own = vars(self)
        own.update(model=model, nsim=nsim, nthread=nthread or available(), persistent=persistent)
        own["state"] = np.zeros((nsim, sum_of(model)))
        own["warning"] = np.zeros((nsim, NWARNING, 2), np.int32)
        own["status"] = locked(np.zeros(nsim, np.int32))
        own["_errors"], own["_bound"], own["_nkey"] = {}, {}, model.nkey
        own["_values"] = Values(model, nsim)
        own["_worlds"] = Worlds(self._values, self.state, self.warning, self.nthread, persistent)
        self._worlds.begin()
        if self._worlds.sleeps and not persistent:
            raise ValueError(
                "Batch: bodies of the model may sleep, which is no part of the state; expected "
                "persistent=True"
            )

    @property
    def _expanded(self) -> dict[str, np.ndarray]:
        """Fields that `expand` was called with; by this name, MuJoCo's own tests read them."""
        return self._values.expanded

    @property
    def nstate(self) -> int:
        """Numbers of the state of a simulation."""
        return self.state.shape[1]

    def error(self, sim: int) -> str:
        """Why a simulation failed in its last call; "" if it did not."""
        return self._errors.get(int(sim), "")

    # ------------------------------------------------------------ fields

    def bind(self, name: str) -> np.ndarray:
        """A field of all simulations, (nsim, ...), live.

        State and inputs may be written; they are float64. Other fields are written by each call,
        and zero before the first one.

        Raises:
            ValueError: no such field; see `DATA_FIELDS`.
        """
        if name in self._bound:
            return self._bound[name]
        if name not in DATA_FIELDS:
            raise ValueError(unbindable(name))
        if name in STATE:
            start, end, shape = state_columns(self.model)[name]
            view = self.state[:, start:end]
            self._bound[name] = view[:, 0] if name == "time" else view.reshape(self.nsim, *shape)
        else:
            like = template(self.model, name)
            array = np.zeros((self.nsim, *like.shape), like.dtype)
            self._worlds.bind(name, array)
            self._bound[name] = locked(array)
        return self._bound[name]

    def expand(self, name: str) -> np.ndarray:
        """Have a field of the model differ between simulations: its values, (nsim, ...), live.

        After a field is written that constants follow from, call `set_const`. Simulations whose
        integers differ run in groups, one after the other.

        Args:
            name: a field of MjModel, or "opt." and one of MjOption; see `MODEL_FIELDS`.

        Raises:
            ValueError: no such field.
            FatalError: simulations have models of the caller's.
        """
        return self._values.expand(name)

    def expanded(self, name: str) -> np.ndarray | None:
        """The values of a field that differs, to be looked at; None of others."""
        return self._values.read(name)

    def __getattr__(self, name: str) -> np.ndarray:
        if name in DATA_FIELDS:
            return self.bind(name)
        hint = ""
        if name in MODEL_FIELDS:
            hint = f"; {name} is a field of MjModel: use expand({name!r})"
        elif not name.startswith("_"):
            hint = nearest(name, DATA_FIELDS)
        raise AttributeError(f"Batch has no attribute {name!r}{hint}")

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in DATA_FIELDS:
            object.__setattr__(self, name, value)
            return
        if name not in STATE:
            raise unwritable(name)
        self.bind(name)[...] = value

    # ------------------------------------------------------------ running

    def step(
        self, ids: Ids = None, nstep: int = 1, stage: int = int(mjtStage.mjSTAGE_NONE)
    ) -> None:
        """Advance simulations by `nstep` time steps.

        As after mj_step, computed fields belong to the state before the last step.

        Args:
            ids: which simulations, numbers in rising order or a mask; None for all.
            nstep: number of steps.
            stage: compute what follows from the new state, up to this stage.

        Raises:
            SimulationError: some simulations failed.
        """

        def work(model: Model, data: Any, mask: np.ndarray | None) -> None:
            step(model, data, nstep, mask)
            to_stage(model, data, mask, stage)

        self._call(ids, work)

    def forward(self, ids: Ids = None, stage: int = int(mjtStage.mjSTAGE_ACC)) -> None:
        """Compute what follows from the state and inputs, up to a stage (mj_forward)."""
        self._call(ids, lambda model, data, mask: to_stage(model, data, mask, stage))

    def reset(
        self, ids: Ids = None, keyframe: ArrayLike = -1, stage: int = int(mjtStage.mjSTAGE_ACC)
    ) -> None:
        """Put simulations into the initial state or that of a keyframe.

        Args:
            ids: which simulations; None for all.
            keyframe: a keyframe, or one for each of them; -1 for the initial state.
            stage: compute what follows from it, up to this stage.
        """
        ids = chosen(ids, self.nsim)
        n = self.nsim if ids is None else len(ids)
        keys = whole_numbers(keyframe, (n,), -1, self._nkey, "keyframe")
        key_of = np.full(self.nsim, -1)
        key_of[slice(None) if ids is None else ids] = keys

        def work(model: Model, data: Any, mask: np.ndarray | None, sims: np.ndarray) -> None:
            wanted = np.ones(data.nworld, bool) if mask is None else mask
            for key in np.unique(key_of[sims][wanted]):
                part = wanted & (key_of[sims] == key)
                reset(model, data, None if key < 0 else int(key), part)
            to_stage(model, data, mask, stage)

        self._run(ids, work, whole=True)

    def rollout(
        self,
        nstep: int,
        control: ArrayLike | None = None,
        control_spec: int = int(mjtState.mjSTATE_CTRL),
        record: Sequence[str | int] = ("qpos",),
        ids: Ids = None,
        out: dict | None = None,
    ) -> dict:
        """Advance simulations, and record fields after each step.

        A simulation that gets a warning stops: its last record fills the rest.

        Args:
            nstep: number of steps.
            control: (n, nstep, ncontrol), set before each step; None leaves inputs as they are.
            control_spec: components of the state that the controls are, of mjSTATE_USER.
            record: names of fields, or components of the state.
            ids: which n simulations; None for all.
            out: arrays to record into, by what is recorded.

        Returns:
            Each item of `record` with its (n, nstep, ...).
        """
        ids = chosen(ids, self.nsim)
        plan = recording.Recording(self.model, self.nsim, ids, nstep, control, control_spec)
        return plan.run(self, record, out or {})

    def set_const(self, ids: Ids = None) -> None:
        """Compute what follows from fields of the model that differ (mj_setConst)."""
        ids = chosen(ids, self.nsim)
        sims = np.arange(self.nsim) if ids is None else ids
        self._report(sims, self._values.set_const(sims.tolist()))

    def jac(
        self, body: ArrayLike, point: ArrayLike, ids: Ids = None
    ) -> tuple[np.ndarray, np.ndarray]:
        """Jacobians of points that move with bodies, and of the bodies' rotations (mj_jac).

        Args:
            body: number of a body, or one for each of the n simulations.
            point: global position, (3,) or (n, 3).
            ids: which n simulations; None for all.

        Returns:
            jacp, jacr: (n, 3, nv) each.
        """
        return geometry.jacobians(self, chosen(ids, self.nsim), body, point)

    def ray(
        self,
        pnt: ArrayLike,
        vec: ArrayLike,
        geomgroup: ArrayLike | None = None,
        flg_static: bool = True,
        bodyexclude: ArrayLike = -1,
        ids: Ids = None,
        normal: bool = False,
    ) -> tuple[np.ndarray, ...]:
        """Geoms that rays meet first (mj_ray).

        Args:
            pnt: starts, (3,), (nray, 3) or (n, nray, 3).
            vec: directions, likewise.
            geomgroup: 6 truth values, which groups count; None for all.
            flg_static: whether geoms count that never move.
            bodyexclude: number of a body that a ray passes, (n, nray) or less; -1 for none.
            ids: which n simulations; None for all.
            normal: whether to return normals too.

        Returns:
            dist and geomid, (n, nray), -1 where nothing is met; with `normal` (n, nray, 3) too.
        """
        ids = chosen(ids, self.nsim)
        hits = geometry.rays(self, ids, pnt, vec, (geomgroup, flg_static, bodyexclude))
        return hits if normal else hits[:2]

    def _call(self, ids: Ids, work: Callable) -> None:
        """Run a function on groups of simulations."""
        self._run(chosen(ids, self.nsim), lambda model, data, mask, sims: work(model, data, mask))

    def _run(self, ids: np.ndarray | None, work: Callable, whole: bool = False) -> None:
        refuse_callbacks("Batch")
        sims = np.arange(self.nsim) if ids is None else ids
        self._report(sims, self._worlds.run(ids, work, whole, (DataInUse,)))

    def _look(self, ids: np.ndarray | None, work: Callable) -> None:
        """Run a function on groups of simulations that changes nothing."""
        sims = np.arange(self.nsim) if ids is None else ids
        self._report(sims, self._worlds.look(ids, work, (DataInUse,)))

    def _report(self, sims: np.ndarray, errors: dict[int, str]) -> None:
        """Note which simulations failed, and raise if any did."""
        for sim in sims.tolist() if self._errors else ():
            self._errors.pop(sim, None)
        self._errors.update(errors)
        failed = np.array(sorted(errors), np.int64)
        status = self.status.base
        assert status is not None
        status[sims] = 0
        status[failed] = 1
        if len(failed):
            raise SimulationError(failed, self._errors[int(failed[0])], len(sims))

    # ------------------------------------------------------------ models and data

    def set_models(self, models: Any) -> None:
        """Run each simulation with a model of the caller's.

        Args:
            models: one for each simulation, one for all, or None for the batch's own. They are
                taken as they are now; set them again after an edit.

        Raises:
            ValueError: models of other sizes, or too few.
            FatalError: fields of the batch's model differ between simulations.
        """
        self._values.set_models(models)
        given = self._values.models
        of_each = given if isinstance(given, list) else [given or self.model]
        vars(self)["_nkey"] = max(model.nkey for model in of_each)

    @property
    def models(self) -> Any:
        """The models of `set_models`: one for all, a tuple, or None."""
        models = self._values.models
        return tuple(models) if isinstance(models, list) else models

    def get_model(self, sim: int, model: Any = None) -> Any:
        """The model of a simulation, with the fields that differ.

        Args:
            sim: which one.
            model: a model of these sizes to write into; its assets stay. None makes one.
        """
        sim = self._place(sim)
        if model is None:
            model = MjModel.of(Model.from_bytes(self._values.of(sim).to_bytes()))
        self._values.write_into(model, sim)
        return model

    def get_data(self, sim: int, data: Any = None) -> Any:
        """The state of a simulation; of persistent ones all that its last call computed.

        Args:
            sim: which one.
            data: data of these sizes to write into; None makes some.
        """
        sim = self._place(sim)
        if data is None:
            model = self.model
            data = MjData(model if isinstance(model, MjModel) else self.get_model(sim))
        self._worlds.copy_to(data, sim)
        return data

    def _place(self, sim: int) -> int:
        if not 0 <= sim < self.nsim:
            raise IndexError(f"sim must be in [0, {self.nsim}), got {sim}")
        return int(sim)


def sum_of(model: Model) -> int:
    """Numbers of the whole state."""
    return max(end for _, end, _ in state_columns(model).values())


def to_stage(model: Model, data: Any, mask: np.ndarray | None, stage: int) -> None:
    """Compute what follows from the state, up to a stage (mjtStage)."""
    if stage == mjtStage.mjSTAGE_ACC:
        forward(model, data, mask)
    elif stage != mjtStage.mjSTAGE_NONE:
        step1(model, data, mask)


add_named(Batch)
