"""Models of simulations: fields that differ, constants that follow from them, or whole models."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from mjenv.engine.edit.constants import INTEGERS, REALS, world_model
from mjenv.engine.edit.constants import value_of as constant_of
from mjenv.engine.mjcf.arrays.set_const import set_const
from mjenv.engine.model.model import Model
from mjenv.mujoco.batch.errors import unexpandable
from mjenv.mujoco.batch.fields import MODEL_FIELDS, set_value, value_of
from mjenv.mujoco.batch.groups import Group, may_differ, record_name, together
from mjenv.mujoco.errors import FatalError

_NO_CONSTANT = ("bvh_aabb",)  # what no constant follows from, and no part of
SIMPLE = 2  # body_simple of bodies that slide without turning


class Values:
    """Fields of the models of simulations.

    Attributes:
        base: the model of all, a copy as it was at the start.
        expanded: fields that differ, (nsim, ...) each, which users write.
        derived: those that `set_const` made differ.
        models: models of the caller's, one for each simulation or one for all; None: `base`.
    """

    def __init__(self, model: Model, nsim: int):
        self.base = Model.from_bytes(model.to_bytes())
        self.nsim = nsim
        self.expanded: dict[str, np.ndarray] = {}
        self.derived: dict[str, np.ndarray] = {}
        self.models: Model | list[Model] | None = None
        self._groups: list[tuple[Group, dict[str, np.ndarray]]] = []
        self._fixed: dict[str, np.ndarray] | None = None  # as they were when groups were made
        self._differing: tuple[str, ...] = ()

    @property
    def own(self) -> dict[str, np.ndarray]:
        """All fields that differ."""
        return self.expanded | self.derived

    def expand(self, name: str) -> np.ndarray:
        """Have a field differ: its values, (nsim, ...), to be written."""
        if name in self.expanded:
            return self.expanded[name]
        if name not in MODEL_FIELDS:
            raise ValueError(unexpandable(name))
        if self.models is not None:
            raise FatalError(
                f"expand: {name}: simulations have models of the caller's; set_models(None) first"
            )
        values = self.derived.pop(name, None)
        if values is None:
            value = value_of(self.base, name)
            values = np.repeat(value[None], self.nsim, axis=0)
        self.expanded[name] = values
        return values

    def read(self, name: str) -> np.ndarray | None:
        """The values of a field that differs, to be looked at; None of others."""
        if name not in MODEL_FIELDS:
            raise ValueError(unexpandable(name))
        values = self.own.get(name)
        return None if values is None else locked(values)

    def set_models(self, models: Model | Sequence[Model] | None) -> None:
        """Take models of the caller's in the place of the one with fields that differ."""
        if models is not None and self.own:
            raise FatalError(
                "set_models: the batch has per-simulation fields: "
                f"{', '.join(sorted(self.own))}; expected a batch without"
            )
        given = [models] if isinstance(models, Model) else list(models or ())
        if isinstance(models, Sequence) and len(given) != self.nsim:
            raise ValueError(
                f"set_models: {len(given)} models, expected one per simulation: {self.nsim}"
            )
        for model in given:
            _check_sizes(self.base, model)
        self.models = models if models is None or isinstance(models, Model) else given
        self._fixed = None

    def of(self, sim: int) -> Model:
        """The model of a simulation, without fields that differ."""
        if self.models is None:
            return self.base
        return self.models if isinstance(self.models, Model) else self.models[sim]

    def groups(self) -> tuple[list[tuple[Group, dict[str, np.ndarray]]], bool]:
        """Simulations that run together with their values, and whether the groups are new."""
        fixed = {n: a for n, a in self.own.items() if not may_differ(self.base, n)}
        differing = tuple(sorted(self.own.keys() - fixed.keys()))
        if self._fixed is not None and differing == self._differing and _same(fixed, self._fixed):
            for place, (group, values) in enumerate(self._groups):
                own = {name: self.own[name][group.sims] for name in differing}
                self._groups[place] = group, own or values
            return self._groups, False
        self._groups = self._caller_groups() if self.models is not None else self._split(fixed)
        self._fixed = {name: array.copy() for name, array in fixed.items()}
        self._differing = differing
        return self._groups, True

    def _caller_groups(self) -> list[tuple[Group, dict[str, np.ndarray]]]:
        if isinstance(self.models, list):
            return together(self.models)
        return [(Group(self.of(0), np.arange(self.nsim)), {})]

    def _split(self, fixed: dict[str, np.ndarray]) -> list[tuple[Group, dict[str, np.ndarray]]]:
        """Groups of simulations whose integers are the same."""
        kinds: dict[bytes, list[int]] = {}
        for sim in range(self.nsim) if fixed else ():
            kinds.setdefault(b"".join(a[sim].tobytes() for a in fixed.values()), []).append(sim)
        groups = []
        for sims in kinds.values() or [range(self.nsim)]:
            model, sims = self.base, np.array(sims, np.int64)
            if fixed:
                model = Model.from_bytes(self.base.to_bytes())
                for name, array in fixed.items():
                    set_value(model, name, array[sims[0]])
            own = {n: a[sims] for n, a in self.own.items() if n not in fixed}
            groups.append((Group(model, sims), own))
        return groups

    def write_into(self, model: Model, sim: int) -> None:
        """Give a model of the caller's all that a simulation's model holds, but for assets."""
        source = self.of(sim)
        _check_sizes(source, model)
        for name in MODEL_FIELDS:
            set_value(model, name, value_of(source, name))
        for name in vars(source.stat):
            set_value(model, f"stat.{name}", value_of(source, f"stat.{name}"))
        for name, array in self.own.items():
            set_value(model, name, array[sim])

    # ------------------------------------------------------------ constants

    def set_const(self, sims: Iterable[int]) -> dict[int, str]:
        """Compute what follows from fields that differ (mj_setConst); errors by simulation."""
        if self.models is not None:
            raise FatalError(
                "set_const: simulations have models of the caller's; call mj_setConst with them"
            )
        errors, found = {}, {}
        for sim in sims:
            own = {n: a for n, a in self.own.items() if n not in _NO_CONSTANT}
            given = {record_name(n): {sim: a[sim]} for n, a in own.items()}
            model = world_model(self.base, given, sim)
            error = _massless(model)
            if error:
                errors[sim] = error
                continue
            with np.errstate(all="ignore"):
                set_const(model)
            found[sim] = {name: constant_of(model, name) for name in (*REALS, *INTEGERS)}
        for name in (*REALS, *INTEGERS) if found else ():
            self._take(name.replace("stat_", "stat."), {s: row[name] for s, row in found.items()})
        return errors

    def _take(self, name: str, found: dict[int, Any]) -> None:
        """Enter a constant where it differs from the model's, or did so before."""
        held = value_of(self.base, name)
        target = self.own.get(name)
        if target is None:
            if all(np.array_equal(held, value, equal_nan=True) for value in found.values()):
                return
            target = self.derived[name] = np.repeat(held[None], self.nsim, axis=0)
        for sim, value in found.items():
            target[sim] = np.reshape(value, held.shape)


def _massless(model: Model) -> str:
    """MuJoCo's error for bodies that move and weigh nothing."""
    simple = (model.body_simple == SIMPLE) & (model.body_weldid != 0) & (model.body_mass == 0)
    bodies = np.flatnonzero(simple)
    return f"mj_setConst: moving body {bodies[0]} has 0 mass" if len(bodies) else ""


def _same(a: dict[str, np.ndarray], b: dict[str, np.ndarray]) -> bool:
    return a.keys() == b.keys() and all(np.array_equal(a[name], b[name]) for name in a)


def _check_sizes(base: Model, model: Model) -> None:
    """Refuse a model whose data would have another layout."""
    sizes = ("nq", "nv", "nu", "na", "nbody", "njnt", "ngeom", "nsite", "ncam", "nlight", "neq")
    sizes += ("ntendon", "nsensor", "nsensordata", "nmocap", "nuserdata", "nhistory", "nflexvert")
    for name in sizes:
        if getattr(base, name) != getattr(model, name):
            raise ValueError(
                f"the model has {name}={getattr(model, name)}, expected {getattr(base, name)} as "
                "the batch's model"
            )


def locked(values: np.ndarray) -> np.ndarray:
    """A view that cannot be written."""
    view = values.view()
    view.flags.writeable = False
    return view


def same_for_all(value: np.ndarray, nsim: int) -> np.ndarray:
    """A field of the model, as that of each simulation."""
    return np.broadcast_to(value, (nsim, *value.shape))
