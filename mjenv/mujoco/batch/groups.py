"""Simulations that can run together: worlds of one model that differ in real numbers only."""

from collections.abc import Collection, Iterable, Sequence

import numpy as np

from mjenv.engine.data.data import Data
from mjenv.engine.model.change_detection import FRAMES
from mjenv.engine.model.model import Model
from mjenv.engine.pipeline.layouts import ELEMENT, MODEL_ARRAYS
from mjenv.engine.tables.enums import (
    SAMEFRAME_BODY,
    SAMEFRAME_BODYROT,
    SAMEFRAME_INERTIA,
    SAMEFRAME_INERTIAROT,
)
from mjenv.engine.tables.fields import MODEL, OPTION, STATISTIC
from mjenv.mujoco.batch.fields import value_of

_STRUCTURES = tuple(
    f"{group}.{row.name}" for group, rows in (("opt", OPTION), ("stat", STATISTIC)) for row in rows
)
_FIELDS = tuple(row.name for row in MODEL if row.shape and row.type != "char")
_SIZES = tuple(row.name for row in MODEL if row.type == "size")
# names in the record of a model that may differ between worlds
_REALS = frozenset(row.name for row in MODEL_ARRAYS if ELEMENT[row.type] == "f8")
_TIMES = ("opt_timestep", "sensor_interval")  # that worlds share where there are delays
_BODY, _INERTIA = (SAMEFRAME_BODY,), (SAMEFRAME_INERTIA,)
_BODY_TURN = (SAMEFRAME_BODY, SAMEFRAME_BODYROT)
_INERTIA_TURN = (SAMEFRAME_INERTIA, SAMEFRAME_INERTIAROT)


def record_name(name: str) -> str:
    """The name of a field in the record of a model: "opt_gravity" of "opt.gravity"."""
    return name.replace(".", "_")


def may_differ(model: Model, name: str) -> bool:
    """True if simulations that run together may have other values of a field."""
    name = record_name(name)
    return name in _REALS and not (model.nhistory and name in _TIMES)


class SimulationData(Data):
    """Worlds whose frames are the same where the model notes so, as in MuJoCo."""

    _frames_noted = True


class Group:
    """Simulations that run together.

    Attributes:
        model: their model, as it was when they were put together.
        sims: their numbers, rising.
        data: their worlds; None until `make` was called.
    """

    def __init__(self, model: Model, sims: np.ndarray):
        self.model, self.sims = model, sims
        self.data: SimulationData | None = None

    def make(
        self, keep: Collection[str] | None, vary: Iterable[str], nthread: int
    ) -> SimulationData:
        """Make their worlds.

        Args:
            keep: results that are wanted, None for all.
            vary: fields of the model that differ, as in `value_of`.
            nthread: threads; 0 for as many as there are processors.
        """
        names = [record_name(name) for name in vary]
        if any(name in FRAMES for name in names):
            names = [*dict.fromkeys((*names, *FRAMES))]
        data = SimulationData(
            self.model, len(self.sims), keep=keep, vary=names, nthread=nthread or None
        )
        self.data = data
        return data

    def enter(self, values: dict[str, np.ndarray]) -> None:
        """Give the worlds values of fields that differ, (n, ...) each."""
        if self.data is None or not self.data.varied:
            return
        given = {record_name(name): array for name, array in values.items()}
        if any(name in FRAMES for name in given):
            given |= frames_as_noted(self.model, given, len(self.sims))
        for name, array in given.items():
            varied = self.data.varied[name]
            varied[...] = array.reshape(varied.shape)


def together(models: Sequence[Model]) -> list[tuple[Group, dict[str, np.ndarray]]]:
    """Groups of simulations with models of their own, as few as possible.

    Args:
        models: the model of each simulation, of equal sizes.

    Returns:
        The groups, with the fields that differ inside of each, (n, ...).
    """
    same: dict[int, list[int]] = {}
    for sim, model in enumerate(models):
        same.setdefault(id(model), []).append(sim)
    kinds: list[list[list[int]]] = []
    for sims in same.values():
        for kind in kinds:
            if _alike(models[kind[0][0]], models[sims[0]]):
                kind.append(sims)
                break
        else:
            kinds.append([sims])
    return [_group(models, kind) for kind in kinds]


def _alike(a: Model, b: Model) -> bool:
    """True if models may run together."""
    if any(getattr(a, name) != getattr(b, name) for name in _SIZES):
        return False
    fixed = (name for name in (*_FIELDS, *_STRUCTURES) if not may_differ(a, name))
    return all(np.array_equal(value_of(a, name), value_of(b, name)) for name in fixed)


def _group(models: Sequence[Model], kind: list[list[int]]) -> tuple[Group, dict[str, np.ndarray]]:
    """The group of simulations, which stand together where they have the same model."""
    sims = np.sort(np.concatenate(kind)).astype(np.int64)
    first, distinct = models[kind[0][0]], [models[part[0]] for part in kind]
    values = {}
    for name in (*_FIELDS, *_STRUCTURES):
        if may_differ(first, name):
            held = value_of(first, name)
            if any(not _equal(held, value_of(other, name)) for other in distinct[1:]):
                values[name] = np.stack([value_of(models[sim], name) for sim in sims])
    return Group(first, sims), values


def _equal(a: np.ndarray, b: np.ndarray) -> bool:
    return bool(np.array_equal(a, b, equal_nan=True))


def frames_as_noted(model: Model, given: dict[str, np.ndarray], n: int) -> dict[str, np.ndarray]:
    """All poses in bodies; those that the model notes to be the same as others are these.

    Args:
        model: a `Model`.
        given: fields that differ between worlds, (n, ...) by name; others are the model's.
        n: number of worlds.
    """

    def present(name: str) -> np.ndarray:
        value = getattr(model, name)
        return given[name] if name in given else np.broadcast_to(value, (n, *value.shape))

    def put(
        values: np.ndarray, target: np.ndarray, notes: np.ndarray, flags: tuple[int, ...]
    ) -> np.ndarray:
        return np.where(np.isin(notes, flags)[:, None], target, values)

    # inertial frames that are those of their bodies
    still, notes = np.array([1.0, 0.0, 0.0, 0.0]), model.body_sameframe
    ipos = put(present("body_ipos"), np.zeros(3), notes, _BODY)
    iquat = put(present("body_iquat"), still, notes, _BODY_TURN)
    found = {"body_ipos": ipos, "body_iquat": iquat}
    # geoms and sites in the frames of their bodies, or in the inertial ones
    for kind in ("geom", "site"):
        notes, bodies = (getattr(model, f"{kind}_{name}") for name in ("sameframe", "bodyid"))
        pos = put(present(f"{kind}_pos"), np.zeros(3), notes, _BODY)
        quat = put(present(f"{kind}_quat"), still, notes, _BODY_TURN)
        found[f"{kind}_pos"] = put(pos, ipos[:, bodies], notes, _INERTIA)
        found[f"{kind}_quat"] = put(quat, iquat[:, bodies], notes, _INERTIA_TURN)
    return found
