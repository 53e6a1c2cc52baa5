"""Components of a state, which lie in arrays of their own, to and from one array."""

from collections.abc import Callable, Sequence

import numpy as np

from ..simd.builtin import ARRAY, Argument, builtin
from ..simd.kernel import kernel
from ..simd.lanes import ints_at, reals_at
from ..simd.record import Layout, Record

_LAYOUT = Layout(
    "state",
    [
        ("state", "f8"), ("nstate", "size"), ("npart", "size"), ("place", "i8"), ("count", "i8"),
        ("whole", "i4"), ("refused", "i4"),
    ],
)  # fmt: skip


@kernel
def gather_state(c):
    """Fill a state from its parts; those of whole numbers become real ones."""
    start = 0
    for part in range(c.npart):
        if c.whole[part]:
            numbers = ints_at(c.place[part])
            for k in range(c.count[part]):
                c.state[start + k] = 1.0 * numbers[k]
        else:
            values = reals_at(c.place[part])
            for k in range(c.count[part]):
                c.state[start + k] = values[k]
        start += c.count[part]


@kernel
def scatter_state(c):
    """Set the parts from a state; those of whole numbers are flags, 0 or 1."""
    start = 0
    for part in range(c.npart):
        if c.whole[part]:
            numbers = ints_at(c.place[part])
            for k in range(c.count[part]):
                numbers[k] = 0 if int(c.state[start + k]) == 0 else 1
        else:
            values = reals_at(c.place[part])
            for k in range(c.count[part]):
                values[k] = c.state[start + k]
        start += c.count[part]


def state_functions(
    parts: Sequence[np.ndarray], place: tuple[str, str], otherwise: Callable
) -> tuple[Callable, Callable]:
    """Functions of a state's array, which fill it from parts and set the parts from it.

    Args:
        parts: float64 or int32, C-contiguous; they have to be kept alive.
        place: module and name, see `builtin`.
        otherwise: called with what is no array of the right type and size.
    """
    record = Record(_LAYOUT)
    record.set_size("npart", len(parts))
    record.set_array("refused", np.zeros(1, np.int32))
    record.set_array("place", np.array([part.ctypes.data for part in parts], np.int64))
    record.set_array("count", np.array([part.size for part in parts], np.int64))
    record.set_array("whole", np.array([part.dtype.kind == "i" for part in parts], np.int32))
    size, kinds = sum(part.size for part in parts), ((_LAYOUT, 1, False),)
    filled, read = (Argument("state", ARRAY, shape=(size,), written=w) for w in (True, False))
    return (
        builtin(otherwise, place, gather_state, kinds, [record], [filled]),
        builtin(otherwise, place, scatter_state, kinds, [record], [read]),
    )
