"""Default classes: what an element inherits from its class, those around it, and MuJoCo."""

from ...errors import nearest
from ..text.element import Element
from ..text.schema import kinds
from .orientation import ALTERNATIVES
from .orientation import check as check_orientation
from .shortcuts import shortcut

ACTUATORS = (
    "general", "motor", "position", "velocity", "intvelocity", "damper", "cylinder", "muscle",
    "adhesion", "dcmotor", "plugin",
)  # fmt: skip

# parts that cannot be without the material of their class: an empty name leaves it, as in MuJoCo
NOT_WITHOUT = ("site", "tendon")
# what a class describes: the kind of element whose table holds the built-in defaults
SOURCES = {
    "joint": "body/joint",
    "geom": "body/geom",
    "site": "body/site",
    "camera": "body/camera",
    "light": "body/light",
    "mesh": "asset/mesh",
    "material": "asset/material",
    "pair": "contact/pair",
    "equality": "equality/connect",
    "tendon": "tendon/spatial",
    "actuator": "actuator/general",
}


class Defaults:
    """The tree of default classes.

    Attributes:
        records: for each class, the values of each kind of element that it can describe.
            The outermost class of an attached model inherits from nothing.
        builtin: the values that elements have without any class.
    """

    def __init__(self, sections: list[Element]):
        self.builtin = {name: dict(kinds()[path].defaults) for name, path in SOURCES.items()}
        self.builtin["actuator"] |= {"inheritrange": 0.0}
        self.records: dict[str, dict[str, dict]] = {"main": dict(self.builtin)}
        for section in sections:
            name = section.values.get("class", "main")
            if name not in ("main", ""):
                raise section.error(f"class='{name}': the outermost default class is called 'main'")
            self._read(section)

    def _read(self, section: Element) -> None:
        """The outermost class and all inside it, each before those inside it."""
        self._fill("main", section)
        nested = [(inner, section, "main") for inner in reversed(_classes(section))]
        while nested:
            element, around, outer = nested.pop()
            name = element.values.get("class")
            if not name:
                raise element.error(
                    "expected the attribute 'class' in a nested default, found none"
                )
            if name in self.records:
                raise element.error(
                    f"class='{name}': there is already a default class of this name"
                )
            attached = element.document is not around.document
            self.records[name] = dict(self.builtin if attached else self.records[outer])
            self._fill(name, element)
            nested += [(inner, element, name) for inner in reversed(_classes(element))]

    def _fill(self, name: str, section: Element) -> None:
        """Put what a class says of each kind of element onto what it inherits."""
        records = self.records[name]
        for element in section.children:
            if element.tag == section.tag:
                continue
            check_orientation(element)
            record = "actuator" if element.tag in ACTUATORS else element.tag
            if record in records:
                records[record] = overlay(records[record], element)

    def check(self, name: str, element: Element, attribute: str) -> str:
        """The name of a class, if it exists."""
        if name not in self.records:
            hint = nearest(name, self.records)
            raise element.error(f"{attribute}='{name}': no such default class{hint}")
        return name

    def values(self, element: Element, record: str, around: str = "main") -> dict:
        """All values of an element: given, inherited and built in.

        Args:
            element: the element.
            record: key of `SOURCES`.
            around: class that holds where the element names none.
        """
        name = element.values.get("class")
        name = around if name is None else self.check(name, element, "class")
        inherited = self.records[name][record]
        values = overlay(inherited, element)
        if record in NOT_WITHOUT and values.get("material") == "" and "material" in inherited:
            values["material"] = inherited["material"]
        return values


def _classes(section: Element) -> list[Element]:
    """The default classes directly inside one."""
    return [element for element in section.children if element.tag == section.tag]


def overlay(inherited: dict, element: Element) -> dict:
    """Inherited values with those of an element on top.

    A shorter list replaces the first entries of an inherited one, an orientation replaces another
    of the four alternatives, actuator shortcuts are rewritten to the general actuator.
    """
    values = dict(inherited)
    attributes = element.kind.attributes
    for name, value in element.values.items():
        if name in ALTERNATIVES:
            for other in ALTERNATIVES:
                values.pop(other, None)
        if type(value) is tuple:
            old, attribute = values.get(name), attributes.get(name)
            # others than attributes of MJCF are taken as they are
            if old is not None and attribute and attribute.type.most and len(value) < len(old):
                value = value + old[len(value) :]
        values[name] = value
    special = SPECIAL.get(element.tag)
    if special:
        special(values, inherited, element)
    elif element.tag in ACTUATORS:
        shortcut(values, inherited, element)
    return values


def _light(values: dict, inherited: dict, element: Element) -> None:
    """`directional` is the old way to write `type`."""
    given = element.values
    if "directional" in given:
        if "type" in given:
            raise element.error("type and directional: expected one of them, found both")
        values["type"] = "directional" if given["directional"] == "true" else "spot"
    values.pop("directional", None)


def _material(values: dict, inherited: dict, element: Element) -> None:
    """Textures by role, from `texture` or from `layer` elements."""
    textures = dict(inherited.get("textures", {}))
    if "texture" in element.values:
        textures["rgb"] = element.values["texture"]
        if element.children:
            raise element.children[0].error("expected no layers in a material that names a texture")
    for layer in element.children:
        textures[layer.values["role"]] = layer.values["texture"]
    values["textures"], values["class_textures"] = textures, inherited.get("textures", {})


def _camera(values: dict, inherited: dict, element: Element) -> None:
    """A camera does not inherit user data."""
    if "user" not in element.values:
        values.pop("user", None)
    if "fovy" in element.values and "sensorsize" in element.values:
        raise element.error("fovy and sensorsize: expected one of them, found both")


def _tendon(values: dict, inherited: dict, element: Element) -> None:
    """One number in `springlength` stands for both ends of the range."""
    given = element.values.get("springlength", ())
    if len(given) == 1:
        values["springlength"] = given * 2


SPECIAL = {
    "light": _light, "material": _material, "camera": _camera,
    "tendon": _tendon, "spatial": _tendon, "fixed": _tendon,
}  # fmt: skip
