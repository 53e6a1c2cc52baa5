"""Domain randomization: fields of the model that differ from world to world."""

from collections.abc import Sequence
from difflib import get_close_matches
from typing import Any, NamedTuple

import numpy as np

from mjenv.engine.edit import REALS, set_const
from mjenv.streams import Streams

# fields after whose change others have to be computed anew
_HAVE_CONSTANTS = frozenset(
    (
        *("body_mass", "body_inertia", "body_ipos", "body_iquat", "body_pos", "body_quat"),
        *("jnt_pos", "jnt_axis", "dof_armature", "tendon_armature"),
    )
)

# start of a field's name -> how the model calls its elements
_KINDS = {"body": "body", "geom": "geom", "jnt": "joint", "site": "site", "actuator": "actuator"}
_HOW = ("scale", "add", "set")


class Uniform(NamedTuple):
    """Uniform numbers in [low, high), one for each element of a field.

    Attributes:
        low: lower limit.
        high: upper limit.
        how: what is done with the model's value: "scale" it, "add" to it, or "set" it.
        of: names of the elements that are concerned, such as bodies; None for all.
        each: whether elements get numbers of their own, or all the same.
    """

    low: float
    high: float
    how: str = "scale"
    of: tuple[str, ...] | None = None
    each: bool = True

    def draw(self, rng: Streams, count: int) -> np.ndarray:
        """Numbers (nworld, count)."""
        return rng.uniform(self.low, self.high, count)


class Normal(NamedTuple):
    """Normal numbers, one for each element of a field.

    Attributes:
        mean: mean.
        deviation: standard deviation.
        how: what is done with the model's value: "scale" it, "add" to it, or "set" it.
        of: names of the elements that are concerned, such as bodies; None for all.
        each: whether elements get numbers of their own, or all the same.
    """

    mean: float
    deviation: float
    how: str = "add"
    of: tuple[str, ...] | None = None
    each: bool = True

    def draw(self, rng: Streams, count: int) -> np.ndarray:
        """Numbers (nworld, count)."""
        return self.mean + self.deviation * rng.standard_normal(count)


class Randomization:
    """Draws fields of the model anew when episodes start, from the worlds' own generators.

    Attributes:
        fields: field to the distribution of its values.
        vary: fields that differ between worlds, among them those that follow from others.
    """

    def __init__(self, model: Any, fields: dict[str, Any] | None):
        """Look at what is to be drawn.

        Raises:
            TypeError: if there is something else than a dictionary of distributions.
            ValueError: if there is no such way to change a value.
        """
        self.model, self.fields = model, _checked(fields or {})
        follow = REALS if _HAVE_CONSTANTS.intersection(self.fields) else ()
        self._follow = tuple(name for name in follow if self._size(name))
        self.vary = tuple(dict.fromkeys((*self.fields, *self._follow)))
        self._original: dict[str, np.ndarray] = {}

    def _size(self, name: str) -> int:
        stat = name.startswith("stat_")
        return np.size(getattr(self.model.stat if stat else self.model, name[5 * stat :]))

    def remember(self, data: Any) -> None:
        """Take the fields of new data as the values to change."""
        self._original = {name: data.varied[name][0].copy() for name in self.fields}

    def draw(self, data: Any, rng: Streams, worlds: np.ndarray, instead: Any = None) -> None:
        """Set the fields of some worlds.

        Args:
            data: the worlds.
            rng: their generators.
            worlds: (n,) numbers of the worlds.
            instead: other distributions for some of the fields, this time.

        Raises:
            ValueError: if one of them is for a field that does not differ between worlds.
        """
        fields = self.fields
        if instead:
            for name in _checked(instead):
                if name not in fields:
                    near = get_close_matches(name, fields, 1)
                    hint = f"; did you mean {near[0]!r}?" if near else ""
                    raise ValueError(
                        f"randomization: {name!r}, expected one of {list(fields)}, which the "
                        f"environment was made with{hint}"
                    )
            fields = fields | instead
        for name, distribution in fields.items():
            self._set(data.varied[name], name, distribution, rng, worlds)
        if self._follow:
            set_const(self.model, data, worlds)

    def _set(self, array: np.ndarray, name: str, kind: Any, rng: Streams, worlds: Any) -> None:
        original = self._original[name]
        elements = self._elements(name, kind.of, len(original))
        numbers = kind.draw(rng, len(elements) if kind.each else 1)
        shape = (len(worlds), -1, *(1,) * (original.ndim - 1))
        numbers = numbers.reshape(shape)
        values = np.broadcast_to(original[elements], (len(worlds), *original[elements].shape))
        if kind.how == "scale":
            values = values * numbers
        elif kind.how == "add":
            values = values + numbers
        else:
            values = np.broadcast_to(numbers, values.shape)
        array[worlds] = original
        array[np.asarray(worlds)[:, None], elements] = values

    def _elements(self, name: str, of: Sequence[str] | None, count: int) -> np.ndarray:
        """Rows of a field that belong to the elements with these names."""
        if of is None:
            return np.arange(count)
        prefix = name.partition("_")[0]
        if prefix == "dof":
            joints = [self.model.joint(one) for one in of]
            rows = [np.flatnonzero(self.model.dof_jntid == joint.id) for joint in joints]
            return np.concatenate(rows)
        if prefix not in _KINDS:
            raise ValueError(
                f"randomization: {name!r}: of={of!r}, expected no names for a field of this kind"
            )
        return np.array([getattr(self.model, _KINDS[prefix])(one).id for one in of])

    def info(self, data: Any) -> dict[str, np.ndarray]:
        """The values of all worlds, as `randomized_field`."""
        return {f"randomized_{name}": data.varied[name] for name in self.fields}


def _checked(fields: Any) -> dict[str, Any]:
    if not isinstance(fields, dict):
        raise TypeError(
            f"randomization: {fields!r}, expected a dict of fields and distributions, such as "
            "{'geom_friction': Uniform(0.5, 1.5)}"
        )
    for name, kind in fields.items():
        if not isinstance(kind, Uniform | Normal):
            raise TypeError(
                f"randomization: {name!r} is {kind!r}, expected mjenv.Uniform or mjenv.Normal"
            )
        if kind.how not in _HOW:
            near = get_close_matches(str(kind.how), _HOW, 1)
            hint = f"; did you mean {near[0]!r}?" if near else ""
            raise ValueError(
                f"randomization: {name!r}: how={kind.how!r}, expected one of {_HOW}{hint}"
            )
    return fields
