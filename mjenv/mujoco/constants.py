"""MuJoCo's constants: numbers, and tables of words."""

from typing import Any

from mjenv.mujoco.api import facts


def _tuples(value: Any) -> Any:
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


globals().update({name: _tuples(value) for name, value in facts()["constants"].items()})
__all__ = list(facts()["constants"])
