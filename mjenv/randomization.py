"""Domain randomization: fields of the model that differ from world to world."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from mjenv.counters import Draws
from mjenv.distributions import Every, changed, check_distribution, nearest
from mjenv.engine.edit import REALS, set_const
from mjenv.engine.mass_constants import MassConstants

# fields after whose change others have to be computed anew
_HAVE_CONSTANTS = frozenset(
    (
        *("body_mass", "body_inertia", "body_ipos", "body_iquat", "body_pos", "body_quat"),
        *("jnt_pos", "jnt_axis", "dof_armature", "tendon_armature"),
    )
)

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
_KINDS = {"body": "body", "geom": "geom", "jnt": "joint", "site": "site", "actuator": "actuator"}


class Randomization:
    """Draws fields of the model anew: once, when episodes start, or at intervals.

    Attributes:
        fields: field to the distribution of its values.
        vary: fields that differ between worlds, among them those that follow from others.
    """

    def __init__(self, model: Any, fields: dict[str, Any]):
        """Look at what is to be drawn.

        Raises:
            TypeError: if there is something else than distributions.
            ValueError: if a distribution makes no sense.
        """
        self.model, self.fields = model, fields
        for name, kind in fields.items():
            check_distribution(f"randomization: {name!r}", kind)
            if name in (*_SHAPES_INERTIA, *_HAVE_FRAMES):
                self._loosen(name, kind)
        follow = REALS if _HAVE_CONSTANTS.intersection(fields) else ()
        self._follow = tuple(name for name in follow if self._size(name))
        self.vary = tuple(dict.fromkeys((*fields, *self._follow)))
        self._original: dict[str, np.ndarray] = {}
        self._constants: MassConstants | None = None

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

    def remember(self, data: Any) -> None:
        """Take the fields of new data as the values to change."""
        self._original = {name: data.varied[name][0].copy() for name in self.fields}

    def at(self, *when: str) -> list[str]:
        """Fields that are drawn at these times: "start", "reset" or "interval"."""
        return [
            name
            for name, kind in self.fields.items()
            if ("interval" if isinstance(kind.when, Every) else kind.when) in when
        ]

    def instead(self, others: dict[str, Any]) -> None:
        """Check distributions that are meant instead of those there are.

        Raises:
            TypeError: if there is something else than distributions.
            ValueError: if one of them is for a field that does not differ between worlds, or
                makes no sense.
        """
        for name, kind in others.items():
            if name not in self.fields:
                raise ValueError(
                    f"randomization: {name!r}, expected one of {list(self.fields)}, which the "
                    f"environment was made with{nearest(name, self.fields)}"
                )
            check_distribution(f"randomization: {name!r}", kind)

    def draw(
        self,
        data: Any,
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
        fields = self.fields | (instead or {})
        drawn = list(names)
        for name in drawn:
            self._set(data.varied[name], name, fields[name], rng)
        return not _HAVE_CONSTANTS.isdisjoint(drawn)

    def follow(self, data: Any, worlds: np.ndarray) -> None:
        """Compute what follows from the fields of some worlds."""
        if self._constants is None:
            self._constants = MassConstants(self.model)
        if self._constants.fit(data.varied):
            worlds = self._constants.set(data, worlds)
        if len(worlds):
            set_const(self.model, data, worlds)

    def _set(self, array: np.ndarray, name: str, kind: Any, rng: Draws) -> None:
        original, count = self._original[name], len(rng.worlds)
        elements = self._elements(name, kind.of, len(original))
        numbers = kind.draw(rng, len(elements) if kind.each else 1)
        numbers = numbers.reshape(count, -1, *(1,) * (original.ndim - 1))
        values = np.broadcast_to(original[elements], (count, *original[elements].shape))
        array[rng.worlds] = original
        array[rng.worlds[:, None], elements] = changed(values, numbers, kind.how or "scale")

    def _elements(self, name: str, of: Sequence[str] | None, count: int) -> np.ndarray:
        """Rows of a field that belong to the elements with these names."""
        if of is None:
            return np.arange(count)
        prefix = name.partition("_")[0]
        if prefix == "dof":
            return dofs_of(self.model, of)
        if prefix not in _KINDS:
            raise ValueError(
                f"randomization: {name!r}: of={of!r}, expected no names for a field of this kind"
            )
        return np.array([getattr(self.model, _KINDS[prefix])(one).id for one in of])


def dofs_of(model: Any, names: Sequence[str]) -> np.ndarray:
    """Degrees of freedom of the joints with these names."""
    rows = [np.flatnonzero(model.dof_jntid == model.joint(one).id) for one in names]
    return np.concatenate(rows)
