"""MuJoCo's enumerations, whose members are numbers, with the texts of the bindings."""

from enum import IntEnum
from functools import cache
from typing import Any

from mjenv.engine.tables.enum_tables import quick
from mjenv.mujoco.api import facts

__all__ = list(facts()["enumerations"])


class Enumeration(IntEnum):
    """An enumeration of the bindings, which have no type for several bits: these are numbers."""

    def __str__(self) -> str:
        return f"{type(self).__name__}.{self.name}"

    def __format__(self, spec: str) -> str:
        return format(int(self), spec) if spec else str(self)

    @classmethod
    def _missing_(cls, value: object) -> None:
        if isinstance(value, int):
            raise ValueError(f"Invalid int value for {cls.__name__}: {value}")


@cache
def enumeration(name: str) -> Any:
    """An enumeration by its name."""
    made = Enumeration(name, facts()["enumerations"][name], module=__name__)
    made.__doc__ = f"MuJoCo's {name}."
    return quick(made)


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'mujoco._enums' has no attribute {name!r}")
    globals()[name] = enumeration(name)
    return globals()[name]
