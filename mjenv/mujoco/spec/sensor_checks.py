"""Sensors, checked with MuJoCo's messages."""

from typing import Any

from mjenv.engine.tables.sensor_kinds import CONTACT, RAY
from mjenv.mujoco.spec.names import kind_of
from mjenv.mujoco.spec.sensors import TAGS
from mjenv.mujoco.words.explain import SpecError

REDUCTIONS = 4

# sensors: what they may be attached to, by the tag of their element
ATTACHED = {
    "site": "touch accelerometer velocimeter gyro force torque magnetometer camprojection",
    "joint": "jointpos jointvel jointactuatorfrc ballquat ballangvel jointlimitpos jointlimitvel"
    " jointlimitfrc",
    "tendon": "tendonpos tendonvel tendonactuatorfrc tendonlimitpos tendonlimitvel tendonlimitfrc",
    "actuator": "actuatorpos actuatorvel actuatorfrc",
    "body": "subtreecom subtreelinvel subtreeangmom",
    "site or camera": "rangefinder",
    "(x)body, geom, site or camera": "framepos framequat framexaxis frameyaxis framezaxis"
    " framelinvel frameangvel framelinacc frameangacc insidesite",
}
OWNERS = {tag: owner for owner, tags in ATTACHED.items() for tag in tags.split()}


def check_sensor(sensor: Any) -> None:
    """Refuse a sensor that is attached to what it does not fit, or has impossible settings.

    Raises:
        SpecError: the first fault.
    """
    tag = TAGS[int(sensor.type)]
    objtype, reftype = kind_of(sensor.objtype), kind_of(sensor.reftype)
    for name in ("noise", "cutoff"):
        if getattr(sensor, name) < 0:
            raise SpecError(f"negative {name} in sensor", sensor)
    if owner := OWNERS.get(tag):
        allowed = owner.replace("(x)body", "body, xbody").replace(" or ", ", ").split(", ")
        if objtype not in allowed:
            raise SpecError(f"sensor must be attached to {owner}", sensor)
    convex = tag in ("distance", "normal", "fromto")
    if convex and not {objtype, reftype} <= {"body", "geom"}:
        raise SpecError("sensor must be attached to body or geom", sensor)
    if tag == "contact":
        if objtype not in ("site", "body", "xbody", "geom", ""):
            text = "first matching criterion: if set, must be (x)body, geom or site"
            raise SpecError(text, sensor)
        if reftype not in ("body", "xbody", "geom", ""):
            raise SpecError("second matching criterion: if set, must be (x)body or geom", sensor)
    if tag in ("contact", "rangefinder"):
        _bits(sensor, *(("mjNCONDATA", CONTACT) if tag == "contact" else ("mjNRAYDATA", RAY)))
    if tag == "contact":
        _contacts(sensor)


def _bits(sensor: Any, limit: str, sizes: dict[str, int]) -> None:
    """Check which data a sensor delivers."""
    bits, mask = int(sensor.intprm[0]), (1 << len(sizes)) - 1
    if bits <= 0:
        raise SpecError(f"data spec (intprm[0]) must be positive, got {bits}", sensor)
    if not bits & mask:
        text = (
            f"data spec intprm[0]={bits} must have at least one bit set of the first {limit} bits"
        )
        raise SpecError(text, sensor)
    if bits & ~mask:
        text = f"data spec intprm[0]={bits} has bits set beyond the first {limit} bits"
        raise SpecError(text, sensor)


def _contacts(sensor: Any) -> None:
    _, reduction, number = (int(x) for x in sensor.intprm)
    if not 0 <= reduction < REDUCTIONS:
        text = f"unknown reduction criterion. got {reduction}, expected one of {{0, 1, 2, 3}}"
        raise SpecError(text, sensor)
    if number <= 0:
        text = f"num (intprm[2]) must be positive in sensor, got {sensor.dim}"
        raise SpecError(text, sensor)
