"""Default classes."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from mjenv.mujoco.spec.classes import CLASSES
from mjenv.mujoco.spec.kinds import IN_DEFAULTS
from mjenv.mujoco.structs.fields import add_fields

if TYPE_CHECKING:
    from mjenv.mujoco.spec.elements import Element


class Shown(dict[str, "Element"]):
    """Elements of a class by kind, of which most are never looked at: each is made when it is.

    Attributes:
        places: where the class, or one around it, says something of a kind, by kind.
    """

    def __init__(self, make: "Callable[[str], Element]", places: dict[str, str]):
        """Make none yet.

        Args:
            make: makes the element of a kind.
            places: see above.
        """
        super().__init__()
        self._make, self.places = make, places

    def __missing__(self, kind: str) -> "Element":
        if kind not in IN_DEFAULTS:
            raise KeyError(kind)
        element = self[kind] = self._make(kind)
        element.info = self.places.get(kind, "")
        return element

    def __contains__(self, kind: object) -> bool:
        return kind in IN_DEFAULTS

    def __iter__(self) -> "Iterator[str]":
        return iter(IN_DEFAULTS)

    def items(self) -> Any:
        """All of them, with their kinds."""
        return [(kind, self[kind]) for kind in IN_DEFAULTS]


class MjsDefault:
    """A default class: what elements have that are made with it.

    Attributes:
        name: its name.
        joint, geom, ...: values of the kinds of elements. Changing them does not change elements
            that were made before, nor classes inside it.
    """

    __module__ = "mujoco._specs"
    _parent: "MjsDefault | None"
    _children: list["MjsDefault"]
    _elements: dict[str, "Element"]
    name: str

    def __init__(self, *_args: Any, **_keywords: Any):
        raise TypeError("mujoco._specs.MjsDefault: No constructor defined!")

    @classmethod
    def _made(cls, name: str, parent: "MjsDefault | None") -> "MjsDefault":
        """A class with the values of the one around it, or MuJoCo's."""
        elements = {}
        for kind in IN_DEFAULTS:
            base = parent._elements[kind] if parent is not None else None
            elements[kind] = CLASSES[kind]._made(None, base)
        return cls._of(name, elements, parent)

    @classmethod
    def _of(cls, name: str, elements: Any, parent: "MjsDefault | None") -> "MjsDefault":
        """A class of these elements."""
        made = cls.__new__(cls)
        object.__setattr__(made, "_elements", elements)
        object.__setattr__(made, "_parent", parent)
        object.__setattr__(made, "_children", [])
        object.__setattr__(made, "name", name)
        if parent is not None:
            parent._children.append(made)
        return made

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_") and name in self._elements:
            return self._elements[name]
        raise AttributeError(f"'mujoco._specs.MjsDefault' object has no attribute '{name}'")

    # what the class shows for these names
    _field = __getattr__

    def __setattr__(self, name: str, value: Any) -> None:
        if name in self._elements:
            self._elements[name]._copy_fields(value)
        elif name == "name" or name.startswith("_"):
            object.__setattr__(self, name, value)
        else:
            raise AttributeError(f"'mujoco._specs.MjsDefault' object has no attribute '{name}'")

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._elements})

    def _copied(self, parent: "MjsDefault | None") -> "MjsDefault":
        """A copy, with copies of the classes inside it."""
        made = type(self)._made(self.name, None)
        made._parent = parent
        for kind, element in self._elements.items():
            made._elements[kind]._copy_fields(element)
        made._children = [child._copied(made) for child in self._children]
        return made

    def _walk(self) -> list["MjsDefault"]:
        """It and the classes inside it, from outside in."""
        return [self, *(c for child in self._children for c in child._walk())]

    def _rename(self, prefix: str, suffix: str) -> None:
        for member in self._walk():
            member.name = prefix + member.name + suffix if member.name else ""


add_fields(MjsDefault, "MjsDefault")
