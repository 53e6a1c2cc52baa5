"""Copies of models, array by array: nothing is packed, unpacked or checked in between."""

from typing import Any

import numpy as np

from .change_detection import lock, move_together
from .model import LAYOUTS, SIZES, Model, Structure

_ARRAYS = tuple(layout.name for layout in LAYOUTS)


def copied(model: Model) -> Model:
    """A model with the same numbers in arrays of its own.

    It has the fields of the engine alone: nothing that programs or `mjenv.mujoco` keep with the
    original.
    """
    twin = Model.__new__(Model)
    own, state = vars(model), vars(twin)
    for name in (*SIZES, "signature"):
        state[name] = own[name]
    moved = move_together(own)
    state.update(moved)
    for name in _ARRAYS:
        if name not in moved:
            value = own[name]
            # texts are bytes, which nobody can change; the copy of a locked array is one too
            state[name] = value if isinstance(value, bytes) else np.array(value)
    lock(state)
    for name in ("opt", "stat", "vis"):
        state[name] = _copied(own[name])
    return twin


def _copied(structure: Any) -> Structure:
    """The same of options, statistics, or settings of pictures, in the engine's own class."""
    kind = next(c for c in type(structure).__mro__ if c.__module__ == Model.__module__)
    twin = kind.__new__(kind)
    for name, value in vars(structure).items():
        if isinstance(value, np.ndarray):
            value = value.copy()
        elif isinstance(value, Structure):
            value = _copied(value)
        vars(twin)[name] = value
    return twin
