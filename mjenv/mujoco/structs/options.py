"""`MjOption`, `MjStatistic`, `MjVisual`: the structures inside a model."""

import copy
from typing import Any

import numpy as np

from mjenv.engine.model.model import GROUPS, Model, Option, Statistic, Structure, Visual
from mjenv.engine.tables.enum_tables import CHOICES
from mjenv.mujoco.structs.fields import add_fields
from mjenv.mujoco.structs.record import keep_fields, real_number, same, shown, whole_number


class Group(Structure):
    """A structure of the engine with the manners of the bindings' structures."""

    @classmethod
    def of(cls, structure: Structure) -> Any:
        """A structure of this class with the values, and the very arrays, of another."""
        twin = cls.__new__(cls)
        vars(twin).update(vars(structure))
        return twin

    def _field(self, name: str) -> Any:
        raise AttributeError(f"{type(self).__name__}: {name}: no such field")

    def _fields(self) -> list[str]:
        return sorted(name for name in vars(self) if not name.startswith("_"))

    def __setattr__(self, name: str, value: Any) -> None:
        old = vars(self).get(name)
        if isinstance(old, float):
            value = real_number(value, f"{type(self).__name__}.{name}")
        elif isinstance(old, int) and not (isinstance(value, str) and name in CHOICES):
            value = whole_number(value, f"{type(self).__name__}.{name}")
        super().__setattr__(name, value)

    __delattr__ = keep_fields

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Group) or self._fields() != other._fields():
            return False
        return all(same(getattr(self, name), getattr(other, name)) for name in self._fields())

    def __repr__(self) -> str:
        return shown(type(self).__name__, ((name, getattr(self, name)) for name in self._fields()))

    __str__ = __repr__

    def __copy__(self) -> "Group":
        twin = type(self).__new__(type(self))
        vars(twin).update(copy.deepcopy(vars(self)))
        return twin

    def __deepcopy__(self, memo: dict) -> "Group":
        return self.__copy__()


def _defaults(name: str) -> dict[str, Any]:
    """Values of a structure in a model whose document says nothing of it."""
    import mjenv.engine.edit.compile  # noqa: F401 (registers the compiler)

    return vars(getattr(Model.from_xml_string("<mujoco/>"), name))


class MjOption(Group, Option):
    """Options of the simulation."""

    def __init__(self):
        vars(self).update(copy.deepcopy(_defaults("opt")))


class MjStatistic(Group, Statistic):
    """Statistics of a whole model, which the compiler computes."""

    def __init__(self):
        # as the reference: zeros, rather than what a model would have
        for name, value in _defaults("stat").items():
            zero = np.zeros_like(value) if isinstance(value, np.ndarray) else 0.0
            vars(self)[name] = zero


class MjVisual(Group, Visual):
    """Settings of the picture, in groups; those of a model."""

    def __init__(self):
        raise TypeError("MjVisual: No constructor defined!")

    @classmethod
    def of(cls, structure: Structure) -> Any:
        """A structure of this class with the values, and the very arrays, of another."""
        for name, kind in _GROUPS.items():
            vars(structure)[name] = kind.of(vars(structure)[name])
        return super().of(structure)


def _group_class(name: str) -> type[Group]:
    """The class of a group of `MjVisual`."""
    short = name.rstrip("_").capitalize()
    kind = type(short, (Group,), {"__qualname__": f"MjVisual.{short}"})
    kind.__doc__ = f"The group {name.rstrip('_')} of `MjVisual`."
    setattr(MjVisual, short, kind)
    return kind


_GROUPS = {name: _group_class(name) for name in GROUPS}
# a word of Python's own, which `getattr` takes
setattr(MjVisual, "global", property(lambda visual: visual.global_))
for _kind in (MjOption, MjStatistic, MjVisual):
    add_fields(_kind, _kind.__name__)
MjVisualHeadlight, MjVisualRgba = _GROUPS["headlight"], _GROUPS["rgba"]
add_fields(MjVisualHeadlight, "MjVisualHeadlight")
add_fields(MjVisualRgba, "MjVisualRgba")
