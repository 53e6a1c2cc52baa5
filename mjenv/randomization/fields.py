"""Domain randomization: fields of the model that differ from world to world."""

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from mjenv.engine.edit.constants import REALS, set_const
from mjenv.engine.edit.mass_constants import GIVEN, MassConstants
from mjenv.engine.errors import nearest
from mjenv.engine.model.editable import EDITS
from mjenv.engine.pipeline.layouts import ELEMENT, MODEL_ARRAYS
from mjenv.engine.tables.fields import LOOKS, WITHOUT_LANES
from mjenv.randomization import geom_bounds
from mjenv.randomization.counters import Draws
from mjenv.randomization.distributions import (
    KINDS,
    Every,
    Normal,
    changed,
    check_distribution,
)
from mjenv.randomization.servos import GAINS, Servos

if TYPE_CHECKING:
    from mjenv.engine.data.data import Data
    from mjenv.engine.model.model import Model

# fields after whose change others have to be computed anew
_HAVE_CONSTANTS = frozenset(
    (
        *("body_mass", "body_inertia", "body_ipos", "body_iquat", "body_pos", "body_quat"),
        *("jnt_pos", "jnt_axis", "dof_armature", "tendon_armature"),
    )
)

# of these, what may be given without them: bodies that stand elsewhere
PLACES = ("body_pos", "body_quat")

# fields on which it depends whether the inertia of a dof is the same in all configurations
_SHAPES_INERTIA = ("body_ipos", "body_iquat", "jnt_pos", "jnt_axis")

# frames that the compiler has found to be others: field -> where that is noted
_HAVE_FRAMES = {
    "body_ipos": ("body", "geom", "site"),
    "body_iquat": ("body", "geom", "site"),
    "geom_pos": ("geom",),
    "geom_quat": ("geom",),
    "site_pos": ("site",),
    "site_quat": ("site",),
}

# start of a field's name -> how the model calls its elements
_KINDS = {
    "body": "body", "geom": "geom", "jnt": "joint", "site": "site", "actuator": "actuator",
    "mat": "material", "light": "light", "cam": "camera",
}  # fmt: skip


# fields that have no meaning below zero; where the model's value is above it, they stay above
_NOT_NEGATIVE = frozenset(
    (
        *("body_mass", "body_inertia", "geom_size", "site_size", "geom_friction", "pair_friction"),
        *("dof_armature", "dof_frictionloss", "tendon_armature", "tendon_frictionloss"),
        *("opt_timestep", "opt_density", "opt_viscosity", "opt_impratio"),
        *LOOKS,
    )
)


_REALS = tuple(row.name for row in MODEL_ARRAYS if ELEMENT[row.type] == "f8")

# statistics that no simulation reads
_IDLE = frozenset(("stat_extent", "stat_center", "stat_meanmass", "stat_meansize", "history0"))


def refuse_varied(where: str, names: Iterable[str], drawn: Collection[str] = ()) -> None:
    """Refuse fields that a task's `reset` cannot give its worlds.

    Args:
        where: the task's name.
        names: what it wants to give.
        drawn: fields that differ between worlds by the task's randomization.

    Raises:
        ValueError: there is no such field, or it has to be drawn by the randomization.
    """
    known = (*_REALS, *WITHOUT_LANES)
    for name in names:
        if name not in known:
            raise ValueError(
                f"{where}.varies: {name!r}: the model has no field of real numbers of this name"
                f"{nearest(str(name), known)}"
            )
        follows = name in (*_SHAPES_INERTIA, "geom_size") or name in _HAVE_CONSTANTS
        if follows and name not in PLACES:
            raise ValueError(
                f"{where}.varies: {name!r}: what follows from this field is computed where "
                "`randomization` draws it, expected it there"
            )
        if name in drawn:
            raise ValueError(
                f"{where}.varies: {name!r} differs by the task's randomization, expected it in one "
                "of the two"
            )


class Randomization:
    """Draws fields of the model anew: once, when episodes start, or at intervals.

    Attributes:
        fields: field, or gain of servos, to the distributions of its values.
        vary: fields that differ between worlds, among them those that follow from others.
    """

    def __init__(self, model: "Model", fields: dict[str, Any]):
        """Look at what is to be drawn.

        Raises:
            TypeError: if there is something else than distributions.
            ValueError: if a distribution is invalid.
        """
        self.model = model
        self.fields = {name: _listed(name, kinds) for name, kinds in fields.items()}
        # fields that there are
        known = (*_REALS, *WITHOUT_LANES, *GAINS)
        for name in fields:
            if name not in known:
                raise ValueError(
                    f"randomization: {name!r}: the model has no field of real numbers of this name"
                    f"{nearest(str(name), known)}"
                )
        # gains of actuators are three fields that belong together
        self._servos = {name: Servos(model, name) for name in fields if name in GAINS}
        for name in self._servos:
            wrong = next((one for one in Servos.FIELDS if one in fields), None)
            if wrong is not None:
                raise ValueError(
                    f"randomization: {name!r} and {wrong!r}, expected one of them: both are about "
                    "the gains of actuators"
                )
        # fields from which the compiler has derived others
        for name, kinds in self.fields.items():
            self._check(name, kinds)
            if name in (*_SHAPES_INERTIA, *_HAVE_FRAMES):
                for kind in kinds:
                    self._loosen(name, kind)
        follow = REALS if _HAVE_CONSTANTS.intersection(fields) else ()
        self._follow = tuple(name for name in follow if self._size(name))
        # all fields that will differ between worlds: declared ones and those that follow
        own = [one for n in fields for one in (Servos.FIELDS if n in GAINS else (n,))]
        bounds = geom_bounds.FIELDS if "geom_size" in fields else ()
        self._refuse_following(own, (*self._follow, *bounds))
        self.vary = tuple(dict.fromkeys((*own, *self._follow, *bounds)))
        self._original: dict[str, np.ndarray] = {}
        self._constants: MassConstants | None = None

    def _refuse_following(self, own: list[str], following: tuple[str, ...]) -> None:
        """Refuse fields that are computed from others that are drawn."""
        for name in own:
            if name in following and name not in GIVEN:
                raise ValueError(
                    f"randomization: {name!r} is computed from other fields that are drawn, "
                    "expected only these; leave it out"
                )

    def _check(self, name: str, kinds: list[Any]) -> None:
        """Refuse distributions that are invalid for a field.

        Raises:
            TypeError: if there is something else than distributions.
            ValueError: otherwise.
        """
        # no effect: refused, because it would look like randomization and be none
        where, values = f"randomization: {name!r}", self._values(name)
        idle = name in _IDLE or EDITS.get(name) in ("unused", "absent")
        if idle and name not in LOOKS:
            raise ValueError(
                f"{where}: nothing in an environment depends on this field, expected one that the "
                "physics or pictures depend on"
            )
        values = None if values is None else _drawn_part(name, values)
        shape = () if values is None else np.shape(values)
        # each distribution by itself, and together
        for kind in kinds:
            check_distribution(where, kind, int(np.prod(shape[1:])) if len(shape) > 1 else 1)
            if kind.when != kinds[0].when:
                raise ValueError(
                    f"{where}: found when={kinds[0].when!r} and when={kind.when!r}, expected the "
                    "same for all distributions of a field"
                )
        # a mass below zero is nonsense that the engine would not notice
        if name in _NOT_NEGATIVE and len(kinds) == 1 and values is not None:
            self._refuse_support(where, name, kinds[0], values)

    def _values(self, name: str) -> np.ndarray | None:
        """The model's own values; None for what is no field."""
        if name in self._servos:
            return self._servos[name].values(self.model.actuator_gainprm)
        for start, owner in (("opt_", self.model.opt), ("stat_", self.model.stat)):
            if name.startswith(start):
                return np.atleast_1d(getattr(owner, name.removeprefix(start), 0.0))
        return getattr(self.model, name, None)

    def _refuse_support(self, where: str, name: str, kind: Any, values: np.ndarray) -> None:
        """Refuse a distribution that is known to reach below zero."""
        if isinstance(kind, Normal) or (kind.within is not None and kind.within[0] >= 0):
            return
        elements = self._elements(name, kind.of, len(values))
        for number in kind[:2]:
            reached = changed(values[elements], np.asarray(number, float), kind, "scale")
            if np.any(reached < 0):
                raise ValueError(
                    f"{where}: values down to {reached.min():g}, expected none below 0; choose "
                    "other limits, or within=(low, high) to clip them"
                )

    def _size(self, name: str) -> int:
        stat = name.startswith("stat_")
        return np.size(getattr(self.model.stat if stat else self.model, name[5 * stat :]))

    def _loosen(self, name: str, kind: Any) -> None:
        """Take back what the compiler has found out about a field that does not change.

        Raises:
            ValueError: if the structure of the inertia matrix follows from it.
        """
        model = self.model
        if name in _SHAPES_INERTIA:
            elements = self._elements(name, kind.of, len(getattr(model, name)))
            bodies = elements if name[:4] == "body" else model.jnt_bodyid[elements]
            simple = model.dof_bodyid[model.dof_simplenum > 0]
            wrong = np.intersect1d(bodies, simple)
            if len(wrong):
                raise ValueError(
                    f"randomization: {name!r}: body {model.body(int(wrong[0])).name!r} was "
                    "compiled as one whose inertia is diagonal, expected another one; leave it "
                    'out of of=(...), or give it <inertial pos="0 0 1e-9" .../> in the model'
                )
        for kind_of in _HAVE_FRAMES.get(name, ()):
            getattr(model, f"{kind_of}_sameframe")[:] = 0

    def remember(self, data: "Data") -> None:
        """Take the fields of new data as the values to change."""
        self._original = {name: array[0].copy() for name, array in data.varied.items()}

    def at(self, *when: str) -> list[str]:
        """Fields that are drawn at these times: "start", "reset" or "interval"."""
        return [
            name
            for name, (kind, *_) in self.fields.items()
            if ("interval" if isinstance(kind.when, Every) else kind.when) in when
        ]

    def instead(self, others: dict[str, Any]) -> None:
        """Check distributions that are meant instead of those there are.

        Raises:
            TypeError: if there is something else than distributions.
            ValueError: if one of them is for a field that does not differ between worlds, or
                is invalid.
        """
        for name, kinds in others.items():
            if name not in self.fields:
                raise ValueError(
                    f"randomization: {name!r}, expected one of {list(self.fields)}, which the "
                    f"environment was made with{nearest(str(name), self.fields)}"
                )
            self._check(name, _listed(name, kinds))

    def draw(
        self,
        data: "Data",
        rng: Draws,
        names: Iterable[str],
        instead: dict[str, Any] | None = None,
    ) -> bool:
        """Set fields of the worlds of `rng`, but not what follows from them.

        Args:
            data: the worlds.
            rng: random numbers of some worlds.
            names: the fields to draw.
            instead: other distributions for some of the fields, this time.

        Returns:
            Whether `follow` is needed for these worlds.
        """
        others = {name: _listed(name, kinds) for name, kinds in (instead or {}).items()}
        fields, drawn = self.fields | others, list(names)
        for name in drawn:
            self._set(data, name, fields[name], rng)
        if "geom_size" in drawn:
            geom_bounds.set_bounds(self.model, data.varied, rng.worlds)
        return not _HAVE_CONSTANTS.isdisjoint(drawn)

    def follow(self, data: "Data", worlds: np.ndarray) -> None:
        """Compute what follows from the fields of some worlds."""
        if self._constants is None:
            self._constants = MassConstants(self.model)
        if self._constants.fit(data.varied):
            worlds = self._constants.set(data, worlds)
        if len(worlds):
            set_const(self.model, data, worlds)

    def value(self, data: "Data", name: str) -> np.ndarray:
        """Values of a field, or gain of servos, in each world."""
        servos = self._servos.get(name)
        if servos is not None:
            return servos.values(data.varied["actuator_gainprm"], data.varied["actuator_biasprm"])
        return data.varied[name]

    def _set(self, data: "Data", name: str, kinds: list[Any], rng: Draws) -> None:
        """Draw a field in the worlds of `rng`."""
        servos, worlds = self._servos.get(name), rng.worlds
        if servos is not None:
            originals = [self._original[field] for field in Servos.FIELDS]
            values = self._drawn(name, kinds, servos.values(*originals), rng)
            servos.set([data.varied[field] for field in Servos.FIELDS], worlds, values)
            return
        original = _drawn_part(name, self._original[name])
        values = self._drawn(name, kinds, original, rng)
        if name.endswith("_rgba") or name == "hfield_data":
            values = values.clip(0.0, 1.0)
        self._refuse_negative(name, values, worlds)
        data.varied[name][worlds, ..., : original.shape[-1]] = values

    def _drawn(self, name: str, kinds: list[Any], original: np.ndarray, rng: Draws) -> np.ndarray:
        """The model's values (n, ...) after all distributions, one after the other."""
        count = len(rng.worlds)
        values = np.repeat(original[None], count, axis=0)
        inner = int(np.prod(original.shape[1:]))
        for kind in kinds:
            elements = self._elements(name, kind.of, len(original))
            own = kind.axes == "own" or (kind.axes is None and (kind.how or "scale") != "scale")
            shape = (len(elements) if kind.each else 1, inner if own else 1)
            unit = kind.unit(rng, shape[0] * shape[1]).reshape(count, *shape)
            numbers = np.broadcast_to(kind.of_unit(unit), (count, len(elements), inner))
            numbers = numbers.reshape(count, len(elements), *original.shape[1:])
            values[:, elements] = changed(values[:, elements], numbers, kind, "scale")
        return values

    def _refuse_negative(self, name: str, values: np.ndarray, worlds: np.ndarray) -> None:
        if name not in _NOT_NEGATIVE:
            return
        wrong = values < 0
        if name not in LOOKS:
            wrong |= (values == 0) & (self._original[name] > 0)
        if wrong.any():
            row = int(np.argmax(wrong.reshape(len(worlds), -1).any(axis=1)))
            raise ValueError(
                f"randomization: {name!r}: drew {values[row][wrong[row]][0]:g} in world "
                f"{worlds[row]}, expected a number above 0; choose another distribution, or "
                "within=(low, high) to clip it"
            )

    def _elements(self, name: str, of: Sequence[str] | None, count: int) -> np.ndarray:
        """Rows of a field that belong to the elements with these names."""
        if name in self._servos:
            return self._servos[name].places(of)
        if of is None:
            return np.arange(count)
        if not isinstance(of, tuple | list) or not of:
            raise ValueError(
                f"randomization: {name!r}: of={of!r}, expected a tuple of names; leave it out for "
                "all of them"
            )
        prefix = name.partition("_")[0]
        if prefix == "dof":
            return dofs_of(self.model, of)
        if prefix not in _KINDS:
            raise ValueError(
                f"randomization: {name!r}: of={of!r}, expected no names for a field of this kind"
            )
        return np.array([getattr(self.model, _KINDS[prefix])(one).id for one in of])


def _drawn_part(name: str, values: np.ndarray) -> np.ndarray:
    """Part of a field that distributions are about: all of it, but of colours the first three."""
    return values[..., :3] if name.endswith("_rgba") else values


def _listed(name: str, kinds: Any) -> list[Any]:
    """The distributions of a field, of which there may be one or several.

    Raises:
        TypeError: if there is something else.
    """
    if not isinstance(kinds, list | tuple) or isinstance(kinds, KINDS) or not kinds:
        kinds = [kinds]
    for kind in kinds:
        if not isinstance(kind, KINDS):
            check_distribution(f"randomization: {name!r}", kinds[0] if len(kinds) == 1 else kinds)
    return list(kinds)


def dofs_of(model: "Model", names: Sequence[str]) -> np.ndarray:
    """Degrees of freedom of the joints with these names."""
    rows = [np.flatnonzero(model.dof_jntid == model.joint(one).id) for one in names]
    return np.concatenate(rows)
