"""Worlds in the middle of a step as functions in Python see them, and fields without memory."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..errors import UnsupportedFeature
from ..pipeline.layouts import UNSTORED
from ..simd.meaning import fields_named, is_kernel

# what functions that take data ask of them, and worlds in the middle of a step have not
_OF_DATA = frozenset({"model", "plan", "batch", "varied", "warning_numbers", "reset_state"})


def refuse_unstored(function: Callable[..., Any]) -> None:
    """Raise `UnsupportedFeature` for a kernel that names a field without memory."""
    named = UNSTORED & fields_named(function) if is_kernel(function) else ()
    if named:
        raise UnsupportedFeature(_unstored(min(named)))


def _unstored(name: str) -> str:
    return f"hook: {name!r}: data make this field of others when it is read; expected these"


class HookView:
    """Fields of some worlds, as hooks in Python see them: arrays (n, ...), written in place.

    Attributes:
        nworld: number of these worlds.
        world: (nworld,), their indices in the data.
    """

    nworld: int
    world: np.ndarray
    _shape_of: Callable[[str], tuple[int, ...]]
    _fields: Mapping[str, np.ndarray]

    def __init__(
        self, shape_of: Callable[[str], tuple[int, ...]], fields: Mapping[str, np.ndarray]
    ):
        """See the worlds of the pack that a thread works on.

        Args:
            shape_of: the shape of a field of one world.
            fields: arrays of the thread's scratch.
        """
        index = np.atleast_1d(fields["hook_world"].reshape(-1)).astype(np.int64)
        # a pack is filled up with its last world
        count = int(np.argmax(index == index[-1])) + 1
        self.__dict__.update(_shape_of=shape_of, _fields=fields, nworld=count, world=index[:count])

    def __getattr__(self, name: str) -> np.ndarray:
        arrays = self._fields
        if name in _OF_DATA:
            raise AttributeError(
                f"hook: {name!r}: found the worlds that a hook is given, which are in the middle "
                "of a step and have fields of mjData alone, expected Data; call functions that "
                "take data with others, made with Data(model)"
            )
        if name.startswith("_") or name not in arrays:
            raise AttributeError(f"hook: {name!r}: expected a field of mjData")
        if name in UNSTORED:
            raise AttributeError(_unstored(name))
        array = arrays[name]
        shape = self._shape_of(name)
        lanes = array.shape[1] if array.ndim == 2 else 1
        size = int(np.prod(shape)) * lanes
        return np.moveaxis(array.reshape(-1)[:size].reshape(*shape, lanes), -1, 0)[: self.nworld]

    def __setattr__(self, name: str, values: Any) -> None:
        getattr(self, name)[...] = values
