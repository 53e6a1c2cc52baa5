"""MuJoCo's enumerations as classes; `enumerations.pyi` lists them with their members."""

from typing import Any

from ..errors import nearest_or_all
from .enum_tables import NAMES, enumeration


def __getattr__(name: str) -> Any:
    if name in NAMES:
        return enumeration(name)
    raise AttributeError(f"{__name__}: no enumeration {name!r}{nearest_or_all(name, NAMES, 0)}")
