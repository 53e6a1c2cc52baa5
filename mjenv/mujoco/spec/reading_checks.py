"""What is refused as soon as a document is read, before it is compiled."""

from mjenv.engine.errors import a_or_an
from mjenv.engine.mjcf.assets.texture_files import check_grid
from mjenv.engine.mjcf.draft.draft import Part
from mjenv.engine.mjcf.draft.orientation import ALTERNATIVES
from mjenv.engine.mjcf.draft.orientation import check as check_orientation
from mjenv.engine.mjcf.parts import actuators, equalities, sensors
from mjenv.engine.mjcf.text.element import Element
from mjenv.engine.tables.sensor_kinds import CONTACT, OBJECTS, RAY

# kinds whose attributes say what they are attached to, by which of them are there
TARGETS = {
    "actuator": actuators.check_targets,
    "equality": equalities.check_targets,
    "sensor": sensors.check_targets,
}
JOINTS = ("body/joint", "body/freejoint")
TURNED = ("geom", "site", "body", "frame")
MOST_NUMBERS = 500  # of <numeric>
LEAST_HULL = 4  # vertices of a hull
GROUPS = 6
LATE = ("plugin",)  # kinds whose names are compared when the whole is compiled


class Names:
    """Names that were read so far."""

    def __init__(self) -> None:
        self._places: dict[tuple[str, str], str] = {("body", "world"): ""}

    def note(self, kind: str, element: Element) -> None:
        """Take in the name of an element.

        Raises:
            MjcfError: there was another one of its kind and name.
        """
        name = element.values.get("name")
        if not name or kind in LATE:
            return
        place = f"{element.file}:{element.line}"
        first = self._places.setdefault((kind, name), place)
        if first is not place:
            raise element.error(
                f"this name is used twice for {a_or_an(kind)}, first at {first or place}"
            )


def check_values(element: Element, kind: str) -> None:
    """Refuse values that do not go together, or are out of their range.

    Raises:
        MjcfError: the first of them.
    """
    check = VALUES.get(kind)
    if check is not None:
        check(element)
    if kind in TURNED:
        check_orientation(element)


def _numeric(element: Element) -> None:
    data = element.values.get("data") or ()
    size = element.values.get("size", len(data))
    if not 1 <= size <= MOST_NUMBERS:
        raise element.error(f"size: {size}: expected between 1 and {MOST_NUMBERS} values")
    if len(data) > size:
        raise element.error(f"data: expected at most size={size} values, found {len(data)}")


def _text(element: Element) -> None:
    if not element.values.get("data"):
        raise element.error("data='': expected some text")


def _tuple(element: Element) -> None:
    for child in element.children:
        if child.values.get("objtype") not in OBJECTS[1:]:
            raise child.error(
                f"objtype='{child.values.get('objtype')}': expected one of {', '.join(OBJECTS[1:])}"
            )


def _mesh(element: Element) -> None:
    values = element.values
    hull = values.get("maxhullvert", -1)
    if hull != -1 and hull < LEAST_HULL:
        raise element.error(f"maxhullvert='{hull}': expected -1, or {LEAST_HULL} or more")
    for other in ("file", "vertex"):
        if values.get("builtin", "none") != "none" and values.get(other):
            raise element.error(f"builtin and {other}: expected one of them, found both")


def _skin(element: Element) -> None:
    if not 0 <= element.values.get("group", 0) < GROUPS:
        raise element.error(f"group='{element.values['group']}': expected 0 to {GROUPS - 1}")


def _sensor(element: Element) -> None:
    order = {"contact": CONTACT, "rangefinder": RAY}.get(element.tag)
    words = element.values.get("data") or ()
    if order is None:
        return
    if isinstance(words, str):
        words = (words,)
    if list(words) != [word for word in order if word in words]:
        raise element.error(f"data='{' '.join(words)}': expected the order {', '.join(order)}")
    if element.values.get("num", 1) <= 0:
        raise element.error(
            f"num='{element.values['num']}': expected a positive number of contacts"
        )


def _texture(element: Element) -> None:
    check_grid(Part(element, element.kind.defaults | element.values))


def check_inertial(element: Element) -> None:
    """Refuse a full inertia matrix beside an orientation.

    Raises:
        MjcfError: it has both.
    """
    given = element.values
    if "fullinertia" in given and any(name in given for name in ("quat", *ALTERNATIVES)):
        raise element.error("fullinertia and an orientation: expected one of them, found both")


VALUES = {
    "numeric": _numeric, "text": _text, "tuple": _tuple, "mesh": _mesh, "skin": _skin,
    "sensor": _sensor, "texture": _texture,
}  # fmt: skip


def check_targets(element: Element, kind: str) -> None:
    """Refuse attributes that name things of different kinds, or none where one is needed.

    Raises:
        MjcfError: it is not said what an element is attached to.
    """
    check = TARGETS.get(kind)
    if check is not None and element.tag != "plugin":
        check(Part(element, {}))


def check_world(world: Element) -> None:
    """Refuse attributes of the world body.

    Raises:
        MjcfError: it has one.
    """
    if world.values:
        raise world.error("expected no attributes in the world body")


def check_inside_world(element: Element) -> None:
    """Refuse joints and masses of the world body.

    Raises:
        MjcfError: it is one.
    """
    if element.kind.path in JOINTS:
        raise element.error("expected no joints in the world body")
    if element.kind.path == "body/inertial":
        raise element.error("expected no inertia in the world body")
