"""Kernels of the stages that read sensors: one for each row of the table (sensor_kinds.py)."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from ...simd.kernel import entry, kernel, kernel_at
from .tables import KINDS, PLAIN

if TYPE_CHECKING:
    from .joints import jointpos as reading

    # set in each variant
    TYPE = 0


@kernel
def read(m, d):
    """Read all sensors of one type.

    Writes: sensordata.
    """
    for k in range(m.sensor_typeadr[TYPE], m.sensor_typeadr[TYPE + 1]):
        reading(m, d, m.sensor_order[k])


def _reader(kind: int, routine: Callable) -> Callable:
    """The kernel of a stage: `read` for the sensors of one type."""
    found = entry(globals(), routine.__name__, read, TYPE=kind, reading=routine)
    found.__doc__ = routine.__doc__
    return found


def __getattr__(name: str) -> Callable:
    """The kernel of a row of the table, made when it is first asked for."""
    for row in (*KINDS.values(), *PLAIN.values()):
        if row.name == name:
            return _reader(row.type, kernel_at(f"{row.file}:{name}", __package__))
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
