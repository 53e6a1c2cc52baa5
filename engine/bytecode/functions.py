"""Elementary functions of numpy arrays with the bits that bytecode and the physics have."""

import threading

import numpy as np

from ..simd.kernel import address, callable_at, interpreted
from ..simd.progress import progress
from ..simd.record import Layout, Record
from .interpreter import apply_function, function_of

LAYOUT = Layout(
    "function", [("count", "size"), ("which", "size"), *((name, "f8") for name in ("x", "y", "z"))]
)


class _Room(threading.local):
    """Memory of one thread for arguments and results.

    Attributes:
        size: how many numbers there is room for.
        x, y: arguments.
        z: results.
        run: the compiled code, a callable of the record's address.
    """

    def __init__(self):
        self.size = 0
        self.record = Record(LAYOUT)

    def fit(self, size: int) -> None:
        """Have room for some numbers."""
        self.run = callable_at(address(apply_function, (LAYOUT, 0, False)), 1)
        progress.done()
        self.size = max(size, 64)
        for name in ("x", "y", "z"):
            self.record.set_array(name, np.zeros(self.size))
        self.x, self.y, self.z = (self.record.arrays[name] for name in ("x", "y", "z"))


_room = _Room()


def call(which: int, x: np.ndarray, y: np.ndarray | None = None) -> np.ndarray:
    """Apply a function to arrays of float64 of one shape.

    Args:
        which: its operation in `tables`.
        x: first argument.
        y: second argument of functions that have two.
    """
    room, size = _room, x.size
    if size > room.size:
        if interpreted():
            return np.array(function_of(which, x, x if y is None else y))
        room.fit(size)
    flat = x.ndim == 1
    room.x[:size] = x if flat else x.reshape(-1)
    if y is not None:
        room.y[:size] = y.reshape(-1)
    table = room.record.table
    table[0], table[1] = size, which
    room.run(room.record.address)
    found = room.z[:size].copy()
    return found if flat else found.reshape(x.shape)
