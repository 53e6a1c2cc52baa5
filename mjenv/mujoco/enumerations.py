"""MuJoCo's enumerations: the engine's, and those of pictures and windows."""

from enum import IntEnum
from typing import Any

from mjenv.engine.tables.enum_tables import NAMES, enumeration, quick
from mjenv.mujoco.api import facts

__all__ = list(facts()["enumerations"])


def __getattr__(name: str) -> Any:
    members = facts()["enumerations"].get(name)
    if members is None:
        raise AttributeError(f"module 'mujoco._enums' has no attribute {name!r}")
    if name in NAMES:
        value: Any = enumeration(name)
    else:
        value = quick(IntEnum(name, members, module="mujoco"))
    globals()[name] = value
    return value
