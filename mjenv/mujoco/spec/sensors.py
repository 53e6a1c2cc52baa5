"""Sensors."""

from typing import Any

from mjenv.engine.tables.sensor_kinds import CONTACT, RAY, SENSORS
from mjenv.mujoco.spec.elements import Element

TAGS = {row.type: tag for tag, row in SENSORS.items()}


class MjsSensor(Element):
    """A sensor."""

    _kind = _structure = "sensor"
    type: Any
    intprm: Any
    objtype: Any
    objname: str
    dim: int

    def get_data_size(self) -> int:
        """Number of values of its reading; 0: its plugin says it."""
        row = SENSORS[TAGS[int(self.type)]]
        if isinstance(row.dim, int):
            return row.dim
        return _COUNTS[row.dim](self)


def data_size(bits: int, sizes: dict[str, int]) -> int:
    """Number of values of what the bits of a setting ask for."""
    return sum(size for place, size in enumerate(sizes.values()) if bits >> place & 1)


def _rays(sensor: MjsSensor) -> int:
    size = data_size(sensor.intprm[0], RAY)
    if sensor.objtype.name != "mjOBJ_CAMERA":
        return size
    camera = sensor._spec._found("camera", sensor.objname) if sensor._spec else None
    if camera is None:
        raise ValueError(f"get_data_size: no camera '{sensor.objname}'")
    return size * int(camera.resolution[0]) * int(camera.resolution[1])


def _touched(sensor: MjsSensor) -> int:
    mesh = sensor._spec._found("mesh", sensor.objname) if sensor._spec else None
    if mesh is None:
        raise ValueError(f"get_data_size: no mesh '{sensor.objname}'")
    return 3 * (len(mesh.__dict__["uservert"]) // 3)


_COUNTS: dict[str, Any] = {
    "rays": _rays,
    "contacts": lambda sensor: int(sensor.intprm[2]) * data_size(sensor.intprm[0], CONTACT),
    "touched": _touched,
    "given": lambda sensor: sensor.dim,
    "plugin": lambda sensor: 0,
}
