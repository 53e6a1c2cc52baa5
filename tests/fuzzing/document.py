"""A random document while it is put together: its elements, and the names that others refer to."""

import collections
import xml.etree.ElementTree as ET

from mjenv.engine.mjcf.text.schema import kinds
from tests.fuzzing.draw import Draw, text
from tests.fuzzing.values import drawn

# elements whose table has another path than their place in the document
PLACES = {"worldbody": "body", "frame": "body/frame", "replicate": "body/replicate"}


class Document:
    """A document, with the source of its random values.

    Attributes:
        draw: where values come from.
        root: the element <mujoco>.
        names: names by kind, such as "body", "hinge" or "site"; what replicates copy is not there.
        classes: default classes.
        busy: probability that an attribute is given which nothing asks for.
        bodies_of: body in which a geom, site, joint or body is, by kind and name.
    """

    def __init__(self, draw: Draw):
        self.draw = draw
        self.root = ET.Element("mujoco")
        self.names: dict[str, list[str]] = collections.defaultdict(list)
        self.classes: list[str] = []
        self.busy = draw.among(0.0, 0.05, 0.15, 0.3)
        self.bodies_of: dict[tuple[str, str], str] = {}
        self.copied = False
        self.radian = False
        self.sleeps = False
        self._count = 0

    def section(self, tag: str) -> ET.Element:
        """A section of the document, made when it is asked for first."""
        found = self.root.find(tag)
        return ET.SubElement(self.root, tag) if found is None else found

    def add(self, parent: ET.Element, tag: str, path: str, **given) -> ET.Element:
        """Add an element: what its builder gives, and other attributes at random.

        Args:
            parent: the element that it goes into.
            tag: its tag.
            path: its place in the schema.
            given: attributes; numbers are written, None is left out, `class_` is class.
        """
        element = ET.SubElement(parent, tag)
        for name, value in given.items():
            if value is not None:
                written = value if isinstance(value, str) else text(value)
                element.set(name.rstrip("_"), written)
        self.sprinkle(element, path)
        return element

    def sprinkle(self, element: ET.Element, path: str, p: float | None = None) -> None:
        """Give an element attributes that nothing asks for."""
        p = self.busy if p is None else p
        for name in kinds()[path].attributes:
            if name in element.attrib or not self.draw.chance(p):
                continue
            value = drawn(path, name)
            written = value(self.draw) if value is not None else None
            if written is not None:
                element.set(name, written)

    def name(self, kind: str, *also: str, body: str = "") -> str:
        """A new name, which others may refer to unless it will be copied.

        Args:
            kind: kind of the element.
            also: further kinds that it counts as.
            body: the body in which it is.
        """
        self._count += 1
        name = f"{kind}{self._count}"
        if not self.copied:
            for each in (kind, *also):
                self.names[each].append(name)
                self.bodies_of[each, name] = body
        return name

    def some(self, *kinds_: str) -> str | None:
        """A name of one of some kinds, or None where there is none."""
        names = [name for kind in kinds_ for name in self.names[kind]]
        return self.draw.choice(names) if names else None

    def angle(self, degrees: float) -> float:
        """An angle in the units of the document."""
        return degrees * 0.017453292519943295 if self.radian else degrees

    def pose(self, size: float, p: float = 0.5) -> dict[str, str]:
        """Position and, with a probability, orientation, in one of the ways to write it."""
        d = self.draw
        given = {"pos": d.vector(3, -size, size)} if d.chance(0.9) else {}
        if not d.chance(p):
            return given
        how = d.among("quat", "axisangle", "euler", "xyaxes", "zaxis")
        quarter = [0.0, 90.0, 180.0, -90.0, 45.0]
        turn = lambda: self.angle(d.choice(quarter) if d.round else d.uniform(-180, 180))  # noqa: E731
        given[how] = {
            "quat": lambda: d.among("1 1 0 0", "0 0 1 0", d.vector(4, -1, 1) + "1"),
            "axisangle": lambda: f"{d.direction()} {text(turn())}",
            "euler": lambda: text((turn(), turn(), turn())),
            "xyaxes": lambda: d.among(
                "0 1 0 -1 0 0", f"{d.vector(3, 0.5, 1)} {d.vector(3, -1, 0)}"
            ),
            "zaxis": d.direction,
        }[how]()
        return given
