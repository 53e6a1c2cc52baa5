"""Elementary functions of numpy arrays with the bits that formulas and the physics have."""

import threading

import numpy as np

from ..kernel import address, callable_at, interpreted, progress
from ..record import Layout, Record
from .machine import apply_function, function_of

LAYOUT = Layout(
    "function", [("count", "size"), ("which", "size"), *((name, "f8") for name in ("x", "y", "z"))]
)


class _Room(threading.local):
    """Memory of one thread for arguments and results."""

    def __init__(self):
        self.size = 0
        self.record = Record(LAYOUT)
        self.record.set_size("which", 0)
        self.run = None

    def fit(self, size: int) -> None:
        """Have room for some numbers."""
        if self.run is None:
            self.run = callable_at(address(apply_function, (LAYOUT, 0, False)), 1)
            progress.done()
        if size > self.size:
            self.size = max(size, 64)
            for name in ("x", "y", "z"):
                self.record.set_array(name, np.zeros(self.size))


_room = _Room()


def call(which: int, x: np.ndarray, y: np.ndarray | None = None) -> np.ndarray:
    """Apply a function to arrays of float64 of one shape.

    Args:
        which: its operation in `tables`.
        x: first argument.
        y: second argument of functions that have two.
    """
    if interpreted():
        return np.array(function_of(which, x, x if y is None else y))
    room, size = _room, x.size
    if size > room.size:
        room.fit(size)
    arrays, record = room.record.arrays, room.record
    arrays["x"][:size] = x.reshape(-1)
    if y is not None:
        arrays["y"][:size] = y.reshape(-1)
    record.table[0], record.table[1] = size, which
    room.run(record.address)
    return arrays["z"][:size].reshape(x.shape).copy()
