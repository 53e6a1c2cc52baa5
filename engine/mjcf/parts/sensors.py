"""Sensors: their targets, checks, numbers of values and places."""

import warnings
from typing import TYPE_CHECKING

from ...errors import nearest
from ...tables.plugin_kinds import KINDS
from ...tables.sensor_kinds import CONTACT, FRAMES, OBJECTS, RAY, REDUCE, SENSORS
from . import plugins

if TYPE_CHECKING:
    from ..draft.draft import Draft, Part

LARGEST = 2**31 - 1  # values of one sensor
TYPED = {"objname": "objtype", "refname": "reftype"}  # names of the kind that another one says
PADDING = 16  # numbers of geoms in MuJoCo's arrays are multiples of this, unused ones 0
MOST_SAMPLES = 2**24  # in a delay buffer
INTERPOLATIONS = ("zoh", "linear", "cubic")


def _scalar(sensor: "Part") -> None:
    kind = sensor["object"]["type"]
    if kind not in ("slide", "hinge"):
        raise sensor.error(
            f"{_named(sensor)}: expected a slide or hinge joint, found type='{kind}'"
        )


def _ball(sensor: "Part") -> None:
    kind = sensor["object"]["type"]
    if kind != "ball":
        raise sensor.error(f"{_named(sensor)}: expected a ball joint, found type='{kind}'")


def _limit(sensor: "Part") -> None:
    if not sensor["object"]["is_limited"]:
        what = sensor.element.tag.partition("limit")[0]
        raise sensor.error(f"{_named(sensor)}: expected a {what} with a limit; give it a range")


def _pixels(sensor: "Part") -> None:
    camera = sensor["reference"]
    if not all(camera["resolution"]):
        raise sensor.error(f"camera='{camera.name}': expected a camera with a resolution above 0 0")


def _two(sensor: "Part") -> None:
    parts = sensor["object"], sensor["reference"]
    if parts[0] is parts[1]:
        raise sensor.error(f"{_named(sensor)} twice: expected two different ones")
    for part in parts:
        if part.values.get("type") == "hfield":
            raise sensor.error(f"geom '{part.name}': expected a convex shape, found type='hfield'")


def _user(sensor: "Part") -> None:
    dim, datatype = sensor["dim"], sensor["datatype"]
    expected = {"axis": 3, "quaternion": 4}.get(datatype, dim)
    if dim < 0:
        raise sensor.error(f"dim='{dim}': expected a number that is not negative")
    if dim != expected:
        raise sensor.error(f"dim='{dim}': datatype='{datatype}' expects dim='{expected}'")


def _given_dim(sensor: "Part") -> int:
    return sensor["dim"]


def _data(sensor: "Part", sizes: dict[str, int]) -> int:
    """Number of values in one reading of the words in `data`, whose bits become a setting."""
    words = sensor["data"] or next(iter(sizes))
    words = (words,) if isinstance(words, str) else words
    order = list(sizes)
    places = [order.index(word) for word in words]
    if places != sorted(places):
        raise sensor.error(f"data='{' '.join(words)}': expected the order {', '.join(order)}")
    sensor.values["intprm"] = (sum(1 << place for place in places), 0, 0)
    return sum(sizes[word] for word in words)


def _rays(sensor: "Part") -> int:
    size, target = _data(sensor, RAY), sensor["object"]
    if sensor["objtype"] != OBJECTS.index("camera"):
        return size
    width, height = target["resolution"]
    if width * height < 0:
        raise sensor.error(
            f"camera='{target.name}': expected a resolution that is not negative,"
            f" found '{width} {height}'"
        )
    return size * width * height


def _contacts(sensor: "Part") -> int:
    size, num = _data(sensor, CONTACT), sensor["num"]
    if num <= 0:
        raise sensor.error(f"num='{num}': expected a positive number of contacts")
    sensor.values["intprm"] = (sensor["intprm"][0], REDUCE.index(sensor["reduce"]), num)
    return size * num


def _touched(sensor: "Part") -> int:
    """One force and two slips for each vertex of the mesh."""
    return 3 * len(sensor["object"]["data"].points)


# names of the table, and what they stand for
CHECKS = {
    "scalar": _scalar,
    "ball": _ball,
    "limit": _limit,
    "pixels": _pixels,
    "two": _two,
    "user": _user,
}
COUNTS = {
    "rays": _rays, "contacts": _contacts, "touched": _touched, "given": _given_dim,
    "plugin": plugins.sensor_size,
}  # fmt: skip
CLIPPED_AXES = ("normal",)  # their cutoff bounds a distance, not the axis


def compile_sensors(draft: "Draft") -> None:
    """Targets, sizes and places of all sensors, after those of everything they can measure."""
    # histories of sensors lie behind those of actuators
    adr = 0
    history = sum(map(history_size, draft.parts["actuator"]))
    for sensor in draft.parts["sensor"]:
        values, row = sensor.values, SENSORS[sensor.element.tag]
        values["type"], values["intprm"] = row.type, (0, 0, 0)
        _check_numbers(sensor)
        # what is measured, and relative to what
        for end, attribute in zip(("object", "reference"), check_targets(sensor), strict=True):
            kind, part = _target(draft, sensor, attribute)
            values[f"{end[:3]}type"], values[end] = OBJECTS.index(kind), part
            values[f"{end[:3]}id"] = part.id if part else -1
        # type of data and stage, by the table unless a plugin says it
        values["datatype"] = row.datatype or values["datatype"]
        if "driver" in values:
            values["needstage"] = KINDS[values["instance"]["kind"]].needstage
        values["needstage"] = row.needstage or values["needstage"]
        if row.check:
            CHECKS[row.check](sensor)
        # its size, also by the table or by what is measured
        values["dim"] = row.dim if isinstance(row.dim, int) else COUNTS[row.dim](sensor)
        if values["dim"] > LARGEST:
            raise sensor.element.unsupported(f"a reading of {values['dim']} values")
        _check_cutoff(sensor)
        if sensor.element.tag == "tactile":
            _check_touched(draft, sensor)
        # its place in sensordata
        values["adr"] = adr
        adr += values["dim"]
        values["historyadr"] = history if values["history"][0] > 0 else -1
        history += history_size(sensor)
    # histories are sampled in time
    if history and draft.option["timestep"] <= 0:
        timed = [p for kind in ("actuator", "sensor") for p in draft.parts[kind]]
        buffered = [p for p in timed if p["history"][0] > 0]
        raise buffered[0].error(
            f"nsample: a delay buffer expects a positive timestep in <option>,"
            f" found {draft.option['timestep']:g}"
        )


def history_size(part: "Part") -> int:
    """Length of the delay buffer of an actuator or sensor: two numbers, then times and values."""
    samples = part["history"][0]
    return 2 + samples * (1 + part.values.get("dim", 1)) if samples > 0 else 0


def _check_numbers(sensor: "Part") -> None:
    values = sensor.values
    for name in ("noise", "cutoff"):
        if values.setdefault(name, 0.0) < 0:
            raise sensor.error(f"{name}='{values[name]:g}': expected a number that is not negative")
    period, phase = values["interval"] = (*values.get("interval", ()), 0.0, 0.0)[:2]
    if period < 0:
        raise sensor.error(f"interval: period {period:g}: expected a number that is not negative")
    if phase > 0 or 0 < period <= -phase:
        raise sensor.error(
            f"interval: phase {phase:g}: expected a number above -period and at most 0"
        )
    samples = values.get("nsample", 0)
    values["delay"] = values.get("delay", 0.0)
    if values["delay"] > 0 and samples <= 0:
        raise sensor.error("delay: expected nsample to be positive, to keep past readings")
    if samples > MOST_SAMPLES:
        raise sensor.error(f"nsample='{samples}': expected at most {MOST_SAMPLES}")
    values["history"] = (samples, INTERPOLATIONS.index(values.get("interp", "zoh")))


def _check_touched(draft: "Draft", sensor: "Part") -> None:
    """Refuse bodies that touch nothing; MuJoCo looks at that of the geom with the mesh's number."""
    number, geoms = sensor["objid"], draft.parts["geom"]
    if number >= -(-len(geoms) // PADDING) * PADDING:
        return  # it reads what no geom has
    body = geoms[number].body if number < len(geoms) else draft.world
    if not any(geom["contype"] or geom["conaffinity"] for geom in body.geoms):
        raise sensor.error(
            f"mesh='{sensor['object'].name}': expected that the body of the geom of the same"
            f" number, {number}, or else the world, has a geom that can collide, as MuJoCo does"
        )


def _check_cutoff(sensor: "Part") -> None:
    datatype = sensor["datatype"]
    axis = datatype == "axis" and sensor.element.tag not in CLIPPED_AXES
    if sensor["cutoff"] > 0 and (axis or datatype == "quaternion"):
        raise sensor.error(
            f"cutoff='{sensor['cutoff']:g}': expected none, because the reading is"
            f" {'an axis' if axis else 'a quaternion'}"
        )


def check_targets(sensor: "Part") -> list[str]:
    """The attributes that say what a sensor is attached to, and its reference, "" for none.

    Raises:
        MjcfError: two are given for one, or none where one is needed.
    """
    row = SENSORS[sensor.element.tag]
    return [_target_attribute(sensor, attributes) for attributes in (row.object, row.reference)]


def _target_attribute(sensor: "Part", attributes: str) -> str:
    names, given = attributes.removesuffix("?").split("|"), sensor.element.values
    found = [name for name in names if name in given]
    choices = ", ".join(names[:-1]) + f" or {names[-1]}" if len(names) > 1 else names[0]
    if len(found) > 1:
        raise sensor.error(f"{' and '.join(found)}: expected one of {choices}")
    if len(names) > 1 and not found and not attributes.endswith("?"):
        raise sensor.error(f"expected one of the attributes {choices}, found none")
    if names[0] not in TYPED:
        return found[0] if found else ""
    name, kind = names[0], TYPED[names[0]]
    if (kind in given) != (name in given):
        there, missing = (kind, name) if kind in given else (name, kind)
        raise sensor.error(
            f"{there}='{given[there]}': expected the attribute '{missing}' beside it"
        )
    return name


def _target(draft: "Draft", sensor: "Part", attribute: str):
    """Kind and part of one end of a sensor; ("unknown", None) where it has none."""
    if attribute in TYPED:
        return _typed_target(draft, sensor, attribute)
    if not attribute:
        return "unknown", None
    return _find(draft, sensor, attribute, attribute.rstrip("12").replace("subtree", "xbody"))


def _typed_target(draft: "Draft", sensor: "Part", attribute: str):
    """An end that is given by two attributes, such as `objtype` and `objname`."""
    kind_attribute = TYPED[attribute]
    kind = sensor.element.values.get(kind_attribute)
    if kind not in OBJECTS[1:]:
        if kind:
            warnings.warn(
                f"{sensor.element.where}: {kind_attribute}='{kind}': ignored, as MuJoCo does,"
                f" with {attribute}{nearest(kind, FRAMES)}",
                stacklevel=2,
            )
        return "unknown", None
    if attribute == "refname" and kind not in FRAMES:
        raise sensor.error(f"reftype='{kind}': expected one of {', '.join(FRAMES)}")
    return _find(draft, sensor, attribute, kind)


def _find(draft: "Draft", sensor: "Part", attribute: str, kind: str):
    name = sensor.element.values[attribute]
    if not name:
        raise sensor.error(f"{attribute}='': expected a name, found nothing")
    return kind, draft.find(kind.removeprefix("x"), name, sensor.element, attribute)


def _named(sensor: "Part") -> str:
    """`joint='knee'`: the attribute that names what a sensor is attached to."""
    names = SENSORS[sensor.element.tag].object.removesuffix("?").split("|")
    given = sensor.element.values
    return next(f"{name}='{given[name]}'" for name in names if name in given)
