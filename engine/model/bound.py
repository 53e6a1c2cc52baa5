"""Elements of a spec in its model and data: `data.bind(spec.joint("knee")).qpos`."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from ..errors import a_or_an
from .named import NAMED, SHORT, Named

# tags whose things are named by another kind; sections hold things of one kind
_TAGS = {"freejoint": "joint", "worldbody": "body", **SHORT}
_SECTIONS = {"actuator", "sensor", "equality", "tendon"}


def bind(owner: Any, elements: Any, make: Any) -> "Named | Bound":
    """Fields of one element of a spec, or of several of one kind, in a model or data.

    Args:
        owner: a model or data.
        elements: an element with a name, or some of one kind.
        make: what makes a named thing, from a kind and a name.

    Raises:
        TypeError: something else than elements of one kind.
        ValueError: an element without a name.
        KeyError: the model has no thing of this name.
    """
    where = f"{type(owner).__name__}.bind"
    if hasattr(elements, "tag"):
        return make(*_kind_and_name(elements, where))
    if not isinstance(elements, Iterable):
        found = a_or_an(type(elements).__name__)
        raise TypeError(f"{where}: found {found}, expected elements of a Spec")
    pairs = [_kind_and_name(element, where) for element in elements]
    kinds = sorted({kind for kind, _ in pairs})
    if len(kinds) != 1:
        raise TypeError(
            f"{where}: found {' and '.join(kinds) or 'no elements'}, expected elements of one kind"
        )
    return Bound([make(*pair) for pair in pairs])


def _kind_and_name(element: Any, where: str) -> tuple[str, str]:
    """The kind of named things that an element is compiled to, and its name."""
    if not hasattr(element, "tag"):
        found = a_or_an(type(element).__name__)
        raise TypeError(f"{where}: found {found}, expected elements of a Spec")
    around = element.parent.tag if element.parent is not None else ""
    kind = around if around in _SECTIONS else _TAGS.get(element.tag, element.tag)
    if kind not in NAMED:
        raise TypeError(f"{where}: <{element.tag}>: expected elements that are named in a model")
    name = "world" if element.tag == "worldbody" else element.name
    if not name:
        raise ValueError(f"{where}: {element!r} has no name, by which it is found in the model")
    return kind, name


class Bound:
    """Several named things of one kind: their rows of an array one after the other, as a copy.

    Assigning to an attribute changes the arrays themselves: by a value for each thing, or by one
    for all.
    """

    _things: list[Named]

    def __init__(self, things: list[Named]):
        self.__dict__["_things"] = things

    @property
    def id(self) -> list[int]:
        """Their ids."""
        return [thing.id for thing in self._things]

    @property
    def name(self) -> list[str]:
        """Their names."""
        return [thing.name for thing in self._things]

    def __getattr__(self, name: str) -> np.ndarray:
        if name.startswith("_"):
            raise AttributeError(name)
        return np.concatenate([getattr(thing, name) for thing in self._things], axis=-1)

    def __setattr__(self, name: str, value: Any) -> None:
        values = np.asarray(value)
        each = values.ndim > 0 and len(values) == len(self._things)
        for place, thing in enumerate(self._things):
            getattr(thing, name)[...] = values[place] if each else values

    def __len__(self) -> int:
        return len(self._things)

    def __repr__(self) -> str:
        return f"<{len(self._things)} of kind {self._things[0]._kind}: {', '.join(self.name)}>"
