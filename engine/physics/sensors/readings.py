"""Kernels of the stages that read sensors: one for each row of the table (sensor_kinds.py)."""

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING

from ...simd.kernel import entry, kernel
from ...tables.sensor_kinds import CAMERA_RAYS, SENSORS
from .rays import camera_rays_plain, rangefinder_plain

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


# rows with a kernel, by type, and kernels of stages
KINDS = {row.type: row for row in (*SENSORS.values(), CAMERA_RAYS) if row.file}
READ = {
    kind: _reader(kind, getattr(import_module(f".{row.file}", __package__), row.name))
    for kind, row in KINDS.items()
}
# the same where no geom is made of triangles
READ_PLAIN = {
    kind: _reader(kind, routine)
    for kind, routine in (
        (SENSORS["rangefinder"].type, rangefinder_plain),
        (CAMERA_RAYS.type, camera_rays_plain),
    )
}
